// SPDX-License-Identifier: Apache-2.0
package mpi;

/** The same as {@link User_function}, by the name it has in FastMPJ. */
public abstract class User_Function {
    /** For subclasses. */
    public User_Function() {
    }

    /**
     * Combines two vectors, element by element, into the second.
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
