// SPDX-License-Identifier: Apache-2.0
package mpi;

/**
 * A wish for what shall happen on errors. In Java errors are always thrown, whatever the handler; an exception that
 * is not caught ends the whole job. So both handlers of the standard are kept, and both mean that. They differ in
 * {@link Comm#callErrhandler} only.
 */
public class Errhandler {
    /** The number of {@link MPI#ERRORS_ARE_FATAL}. */
    public static final int FATAL = 1;
    /** The number of {@link MPI#ERRORS_RETURN}. */
    public static final int RETURN = 0;

    static final String RETURN_NAME = "MPI.ERRORS_RETURN";

    private final String name;

    Errhandler(String name) {
        this.name = name;
    }

    /**
     * A handler by its number.
     *
     * @param code {@link #FATAL} or {@link #RETURN}
     */
    public Errhandler(int code) {
        this(code == FATAL ? "MPI.ERRORS_ARE_FATAL" : RETURN_NAME);
    }

    /**
     * A handler by its number.
     *
     * @param handle {@link #FATAL} or {@link #RETURN}
     */
    public Errhandler(long handle) {
        this(handle == FATAL ? FATAL : RETURN);
    }

    /** Does it leave an error that the program itself reports to the program? */
    boolean isReturn() {
        return name.equals(RETURN_NAME);
    }

    /** The name, for example {@code MPI.ERRORS_RETURN}. */
    @Override
    public String toString() {
        return name;
    }
}
