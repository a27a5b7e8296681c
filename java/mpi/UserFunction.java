// SPDX-License-Identifier: Apache-2.0
package mpi;

import java.nio.ByteBuffer;

/**
 * A reduction that a program defines itself; see {@link Op#Op(UserFunction, boolean)}. A program overrides one of the
 * two methods: the one with buffers, or the one with arrays, to which the other copies.
 */
public abstract class UserFunction {
    /** For subclasses. */
    public UserFunction() {
    }

    /**
     * Combines two vectors, which are arrays of the datatype's Java type, element by element, into the second.
     *
     * @param inVec the first vector
     * @param inOutVec the second vector, and the result
     * @param count how many
     * @param datatype what the elements are
     * @throws MPIException if the call fails
     */
    public void call(Object inVec, Object inOutVec, int count, Datatype datatype) throws MPIException {
        throw new UnsupportedOperationException(getClass().getName() + " overrides neither method of UserFunction");
    }

    /**
     * Combines two vectors in direct buffers, element by element, into the second.
     *
     * @param in the first vector
     * @param inOut the second vector, and the result
     * @param count how many
     * @param datatype what the elements are
     * @throws MPIException if the call fails
     */
    public void call(ByteBuffer in, ByteBuffer inOut, int count, Datatype datatype) throws MPIException {
        int kind = datatype.basicKind();
        int elements = in.capacity() >> datatype.shift();
        int length = Math.max(elements, count * datatype.Extent());
        Object inVec = Combination.Arrays.make(kind, length);
        Object inOutVec = Combination.Arrays.make(kind, length);
        Combination.Arrays.get(in, kind, inVec, 0, elements);
        Combination.Arrays.get(inOut, kind, inOutVec, 0, elements);
        call(inVec, inOutVec, count, datatype);
        Combination.Arrays.put(inOut, kind, inOutVec, 0, elements);
    }
}
