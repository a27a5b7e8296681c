// SPDX-License-Identifier: Apache-2.0
package mpjbuf;

/** A {@link Buffer} cannot do what it was asked for. */
public class BufferException extends Exception {
    private static final long serialVersionUID = 1L;

    /** An exception without a message. */
    public BufferException() {
    }

    /**
     * An exception with a message.
     *
     * @param message what went wrong
     */
    public BufferException(String message) {
        super(message);
    }

    /**
     * An exception with message and cause.
     *
     * @param message what went wrong
     * @param cause what caused it
     */
    public BufferException(String message, Throwable cause) {
        super(message, cause);
    }
}
