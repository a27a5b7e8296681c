// SPDX-License-Identifier: Apache-2.0
package mpjdev;

/** What {@link mpi.MPIException} is a case of; programs written for MPJ Express may catch it. */
public class MPJDevException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** An exception without a message. */
    public MPJDevException() {
    }

    /**
     * An exception with a message.
     *
     * @param message what went wrong
     */
    public MPJDevException(String message) {
        super(message);
    }

    /**
     * An exception with a cause.
     *
     * @param cause what caused it
     */
    public MPJDevException(Throwable cause) {
        super(cause);
    }

    /**
     * An exception with message and cause.
     *
     * @param message what went wrong
     * @param cause what caused it
     */
    public MPJDevException(String message, Throwable cause) {
        super(message, cause);
    }
}
