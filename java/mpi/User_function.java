// SPDX-License-Identifier: Apache-2.0
package mpi;

/** A reduction that a program defines itself; see {@link Op#Op(User_function, boolean)}. */
public abstract class User_function {
    /** For subclasses. */
    public User_function() {
    }

    /**
     * Combines two vectors, element by element, into the second.
     *
     * <p>What it throws comes out of the reduction on the rank where it was called. The other ranks then get an
     * {@link MPIException} that says so, and the result means nothing; of objects each rank combines what it needs
     * itself, and the others do not notice.
     *
     * @param invec the first vector, an array
     * @param inoffset its first element
     * @param inoutvec the second vector, an array, and the result
     * @param inoutoffset its first element
     * @param count how many elements of the datatype
     * @param datatype what they are
     * @throws MPIException if it cannot be done
     */
    public abstract void Call(Object invec, int inoffset, Object inoutvec, int inoutoffset, int count,
            Datatype datatype) throws MPIException;
}
