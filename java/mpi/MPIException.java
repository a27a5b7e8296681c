// SPDX-License-Identifier: Apache-2.0
package mpi;

/**
 * What every failed call throws. Unchecked, so that programs written for libraries where it is unchecked and for those
 * where it is checked both compile; methods declare it all the same.
 */
public class MPIException extends mpjdev.MPJDevException {
    private static final long serialVersionUID = 1L;

    /** A number of the MPI standard's ABI. */
    private final int errorClass;

    /** An exception without a message. */
    public MPIException() {
        this.errorClass = ErrorClass.UNKNOWN;
    }

    /**
     * An exception with a message.
     *
     * @param message what went wrong
     */
    public MPIException(String message) {
        super(message);
        this.errorClass = ErrorClass.UNKNOWN;
    }

    /**
     * An exception with a cause.
     *
     * @param cause what caused it
     */
    public MPIException(Throwable cause) {
        super(cause);
        this.errorClass = ErrorClass.UNKNOWN;
    }

    /**
     * An exception with message and cause.
     *
     * @param message what went wrong
     * @param cause what caused it
     */
    public MPIException(String message, Throwable cause) {
        super(message, cause);
        this.errorClass = ErrorClass.UNKNOWN;
    }

    /** A failure of the call that {@code message} begins with; it is told under the name that the program called. */
    MPIException(int errorClass, String message, Throwable cause) {
        super(CalledMethod.named(message), cause);
        this.errorClass = errorClass;
    }

    /** As {@link #MPIException(int, String, Throwable)}, without a cause. */
    MPIException(int errorClass, String message) {
        super(CalledMethod.named(message));
        this.errorClass = errorClass;
    }

    /**
     * An exception of a class.
     *
     * @param code the error code
     * @param errorClass the error class
     * @param message what went wrong
     */
    protected MPIException(int code, int errorClass, String message) {
        super(message);
        this.errorClass = errorClass;
    }

    /**
     * The MPI error class, a number of the MPI standard's ABI.
     *
     * @return the class, for example 15 for a truncated message
     */
    public int getErrorClass() {
        return errorClass;
    }

    /**
     * The MPI error code. Corunna has no finer codes than the classes.
     *
     * @return the same as {@link #getErrorClass}
     */
    public int getErrorCode() {
        return errorClass;
    }
}
