// SPDX-License-Identifier: Apache-2.0
package mpi;

import java.nio.ByteBuffer;
import java.nio.FloatBuffer;

/** A complex number in a buffer or an array of {@link MPI#FLOAT_COMPLEX}: two of type {@code float}. */
public final class FloatComplex {
    private final FloatBuffer buffer;
    private final int offset;

    private FloatComplex(FloatBuffer buffer, int index) {
        this.buffer = buffer;
        this.offset = 2 * index;
    }

    /**
     * The first number of a buffer.
     *
     * @param buffer the buffer
     * @return a view of it
     */
    public static FloatComplex get(FloatBuffer buffer) {
        return new FloatComplex(buffer, 0);
    }

    /**
     * A number of a buffer.
     *
     * @param buffer the buffer
     * @param index which
     * @return a view of it
     */
    public static FloatComplex get(FloatBuffer buffer, int index) {
        return new FloatComplex(buffer, index);
    }

    /**
     * The first number of a buffer.
     *
     * @param bytes the buffer
     * @return a view of it
     */
    public static FloatComplex get(ByteBuffer bytes) {
        return get(bytes, 0);
    }

    /**
     * A number of a buffer.
     *
     * @param bytes the buffer
     * @param index which
     * @return a view of it
     */
    public static FloatComplex get(ByteBuffer bytes, int index) {
        return new FloatComplex(MPI.slice(bytes, 0).asFloatBuffer(), index);
    }

    /**
     * The first number of an array.
     *
     * @param array the array
     * @return a view of it
     */
    public static FloatComplex get(float[] array) {
        return get(array, 0);
    }

    /**
     * A number of an array.
     *
     * @param array the array
     * @param index which
     * @return a view of it
     */
    public static FloatComplex get(float[] array, int index) {
        return new FloatComplex(FloatBuffer.wrap(array), index);
    }

    /**
     * The buffer that the number is in.
     *
     * @return a view that begins with it
     */
    public FloatBuffer getBuffer() {
        return offset == 0 ? buffer : MPI.slice(buffer, offset);
    }

    /**
     * The real part.
     *
     * @return its value
     */
    public float getReal() {
        return buffer.get(offset);
    }

    /**
     * The imaginary part.
     *
     * @return its value
     */
    public float getImag() {
        return buffer.get(offset + 1);
    }

    /**
     * Sets the real part.
     *
     * @param real its value
     */
    public void putReal(float real) {
        buffer.put(offset, real);
    }

    /**
     * Sets the imaginary part.
     *
     * @param imag its value
     */
    public void putImag(float imag) {
        buffer.put(offset + 1, imag);
    }
}
