// SPDX-License-Identifier: Apache-2.0
package mpi;

import java.nio.ByteBuffer;
import java.nio.DoubleBuffer;

/** A complex number in a buffer or an array of {@link MPI#DOUBLE_COMPLEX}: two of type {@code double}. */
public final class DoubleComplex {
    private final DoubleBuffer buffer;
    private final int offset;

    private DoubleComplex(DoubleBuffer buffer, int index) {
        this.buffer = buffer;
        this.offset = 2 * index;
    }

    /**
     * The first number of a buffer.
     *
     * @param buffer the buffer
     * @return a view of it
     */
    public static DoubleComplex get(DoubleBuffer buffer) {
        return new DoubleComplex(buffer, 0);
    }

    /**
     * A number of a buffer.
     *
     * @param buffer the buffer
     * @param index which
     * @return a view of it
     */
    public static DoubleComplex get(DoubleBuffer buffer, int index) {
        return new DoubleComplex(buffer, index);
    }

    /**
     * The first number of a buffer.
     *
     * @param bytes the buffer
     * @return a view of it
     */
    public static DoubleComplex get(ByteBuffer bytes) {
        return get(bytes, 0);
    }

    /**
     * A number of a buffer.
     *
     * @param bytes the buffer
     * @param index which
     * @return a view of it
     */
    public static DoubleComplex get(ByteBuffer bytes, int index) {
        return new DoubleComplex(MPI.slice(bytes, 0).asDoubleBuffer(), index);
    }

    /**
     * The first number of an array.
     *
     * @param array the array
     * @return a view of it
     */
    public static DoubleComplex get(double[] array) {
        return get(array, 0);
    }

    /**
     * A number of an array.
     *
     * @param array the array
     * @param index which
     * @return a view of it
     */
    public static DoubleComplex get(double[] array, int index) {
        return new DoubleComplex(DoubleBuffer.wrap(array), index);
    }

    /**
     * The buffer that the number is in.
     *
     * @return a view that begins with it
     */
    public DoubleBuffer getBuffer() {
        return offset == 0 ? buffer : MPI.slice(buffer, offset);
    }

    /**
     * The real part.
     *
     * @return its value
     */
    public double getReal() {
        return buffer.get(offset);
    }

    /**
     * The imaginary part.
     *
     * @return its value
     */
    public double getImag() {
        return buffer.get(offset + 1);
    }

    /**
     * Sets the real part.
     *
     * @param real its value
     */
    public void putReal(double real) {
        buffer.put(offset, real);
    }

    /**
     * Sets the imaginary part.
     *
     * @param imag its value
     */
    public void putImag(double imag) {
        buffer.put(offset + 1, imag);
    }
}
