package mpi;

/**
 * A wish for what shall happen on errors. In Java errors are always thrown, whatever the handler; an exception that
 * nobody catches ends the whole job. So both handlers of the standard are kept, and both mean that.
 */
public class Errhandler {
    private final String name;

    Errhandler(String name) {
        this.name = name;
    }

    /** The name, for example {@code MPI.ERRORS_RETURN}. */
    @Override
    public String toString() {
        return name;
    }
}
