// SPDX-License-Identifier: Apache-2.0
package corunna.object;

/** Objects that could not be written or read. The message is the part of a sentence behind the name of the call. */
public final class ObjectException extends Exception {
    private static final long serialVersionUID = 1L;

    /** What kind of failure it is. */
    public enum Kind {
        /** The objects cannot be serialised, or do not fit the array. */
        TYPE,
        /** There are more objects than room. */
        TRUNCATE,
        /** There is not enough memory. */
        MEMORY,
        /** A class was rejected, is not there, or the message is no message of objects. */
        OTHER
    }

    private final Kind kind;

    ObjectException(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    /** What kind of failure it is. */
    public Kind kind() {
        return kind;
    }
}
