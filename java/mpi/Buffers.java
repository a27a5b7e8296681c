// SPDX-License-Identifier: Apache-2.0
package mpi;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;

/** Direct buffers and views, as programs for Open MPI make them; they are methods of {@link MPI}. */
abstract class Buffers extends MPICalls {
    Buffers() {
    }

    /**
     * A direct buffer in the byte order of the machine.
     *
     * @param capacity how many elements of type {@code byte}
     * @return the buffer
     */
    public static ByteBuffer newByteBuffer(int capacity) {
        return ByteBuffer.allocateDirect(capacity).order(ByteOrder.nativeOrder());
    }

    /**
     * The rest of a buffer.
     *
     * @param buf the buffer
     * @param offset the first element
     * @return a view of its elements from there on
     */
    public static ByteBuffer slice(ByteBuffer buf, int offset) {
        ByteBuffer view = buf.duplicate();
        view.position(offset);
        return view.slice().order(buf.order());
    }

    /**
     * The rest of an array.
     *
     * @param buf the array
     * @param offset the first element
     * @return a view of its elements from there on
     */
    public static ByteBuffer slice(byte[] buf, int offset) {
        return ByteBuffer.wrap(buf, offset, buf.length - offset).slice().order(ByteOrder.nativeOrder());
    }

    /**
     * A direct buffer in the byte order of the machine.
     *
     * @param capacity how many elements of type {@code char}
     * @return the buffer
     */
    public static CharBuffer newCharBuffer(int capacity) {
        return ByteBuffer.allocateDirect(capacity * Character.BYTES).order(ByteOrder.nativeOrder()).asCharBuffer();
    }

    /**
     * The rest of a buffer.
     *
     * @param buf the buffer
     * @param offset the first element
     * @return a view of its elements from there on
     */
    public static CharBuffer slice(CharBuffer buf, int offset) {
        CharBuffer view = buf.duplicate();
        view.position(offset);
        return view.slice();
    }

    /**
     * The rest of an array.
     *
     * @param buf the array
     * @param offset the first element
     * @return a view of its elements from there on
     */
    public static CharBuffer slice(char[] buf, int offset) {
        return CharBuffer.wrap(buf, offset, buf.length - offset).slice();
    }

    /**
     * A direct buffer in the byte order of the machine.
     *
     * @param capacity how many elements of type {@code short}
     * @return the buffer
     */
    public static ShortBuffer newShortBuffer(int capacity) {
        return ByteBuffer.allocateDirect(capacity * Short.BYTES).order(ByteOrder.nativeOrder()).asShortBuffer();
    }

    /**
     * The rest of a buffer.
     *
     * @param buf the buffer
     * @param offset the first element
     * @return a view of its elements from there on
     */
    public static ShortBuffer slice(ShortBuffer buf, int offset) {
        ShortBuffer view = buf.duplicate();
        view.position(offset);
        return view.slice();
    }

    /**
     * The rest of an array.
     *
     * @param buf the array
     * @param offset the first element
     * @return a view of its elements from there on
     */
    public static ShortBuffer slice(short[] buf, int offset) {
        return ShortBuffer.wrap(buf, offset, buf.length - offset).slice();
    }

    /**
     * A direct buffer in the byte order of the machine.
     *
     * @param capacity how many elements of type {@code int}
     * @return the buffer
     */
    public static IntBuffer newIntBuffer(int capacity) {
        return ByteBuffer.allocateDirect(capacity * Integer.BYTES).order(ByteOrder.nativeOrder()).asIntBuffer();
    }

    /**
     * The rest of a buffer.
     *
     * @param buf the buffer
     * @param offset the first element
     * @return a view of its elements from there on
     */
    public static IntBuffer slice(IntBuffer buf, int offset) {
        IntBuffer view = buf.duplicate();
        view.position(offset);
        return view.slice();
    }

    /**
     * The rest of an array.
     *
     * @param buf the array
     * @param offset the first element
     * @return a view of its elements from there on
     */
    public static IntBuffer slice(int[] buf, int offset) {
        return IntBuffer.wrap(buf, offset, buf.length - offset).slice();
    }

    /**
     * A direct buffer in the byte order of the machine.
     *
     * @param capacity how many elements of type {@code long}
     * @return the buffer
     */
    public static LongBuffer newLongBuffer(int capacity) {
        return ByteBuffer.allocateDirect(capacity * Long.BYTES).order(ByteOrder.nativeOrder()).asLongBuffer();
    }

    /**
     * The rest of a buffer.
     *
     * @param buf the buffer
     * @param offset the first element
     * @return a view of its elements from there on
     */
    public static LongBuffer slice(LongBuffer buf, int offset) {
        LongBuffer view = buf.duplicate();
        view.position(offset);
        return view.slice();
    }

    /**
     * The rest of an array.
     *
     * @param buf the array
     * @param offset the first element
     * @return a view of its elements from there on
     */
    public static LongBuffer slice(long[] buf, int offset) {
        return LongBuffer.wrap(buf, offset, buf.length - offset).slice();
    }

    /**
     * A direct buffer in the byte order of the machine.
     *
     * @param capacity how many elements of type {@code float}
     * @return the buffer
     */
    public static FloatBuffer newFloatBuffer(int capacity) {
        return ByteBuffer.allocateDirect(capacity * Float.BYTES).order(ByteOrder.nativeOrder()).asFloatBuffer();
    }

    /**
     * The rest of a buffer.
     *
     * @param buf the buffer
     * @param offset the first element
     * @return a view of its elements from there on
     */
    public static FloatBuffer slice(FloatBuffer buf, int offset) {
        FloatBuffer view = buf.duplicate();
        view.position(offset);
        return view.slice();
    }

    /**
     * The rest of an array.
     *
     * @param buf the array
     * @param offset the first element
     * @return a view of its elements from there on
     */
    public static FloatBuffer slice(float[] buf, int offset) {
        return FloatBuffer.wrap(buf, offset, buf.length - offset).slice();
    }

    /**
     * A direct buffer in the byte order of the machine.
     *
     * @param capacity how many elements of type {@code double}
     * @return the buffer
     */
    public static DoubleBuffer newDoubleBuffer(int capacity) {
        return ByteBuffer.allocateDirect(capacity * Double.BYTES).order(ByteOrder.nativeOrder()).asDoubleBuffer();
    }

    /**
     * The rest of a buffer.
     *
     * @param buf the buffer
     * @param offset the first element
     * @return a view of its elements from there on
     */
    public static DoubleBuffer slice(DoubleBuffer buf, int offset) {
        DoubleBuffer view = buf.duplicate();
        view.position(offset);
        return view.slice();
    }

    /**
     * The rest of an array.
     *
     * @param buf the array
     * @param offset the first element
     * @return a view of its elements from there on
     */
    public static DoubleBuffer slice(double[] buf, int offset) {
        return DoubleBuffer.wrap(buf, offset, buf.length - offset).slice();
    }
}
