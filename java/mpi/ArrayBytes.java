// SPDX-License-Identifier: Apache-2.0
package mpi;

import java.lang.reflect.Array;
import java.nio.ByteBuffer;

/**
 * The memory of an array of any primitive type, as bytes: what a call of the Open MPI dialect is given when the
 * elements of an array are not of the datatype's Java type. An offset beside it counts elements of the datatype from
 * its beginning on, which may be inside of the array; what is before that is there as well.
 */
final class ArrayBytes {
    final Object array;
    /** Where it begins and ends in the array. */
    final long begin;
    final long end;

    private ArrayBytes(Object array, long begin, long end) {
        this.array = array;
        this.begin = begin;
        this.end = end;
    }

    /** From an element of the array on. */
    static ArrayBytes of(Object array, int element) {
        int shift = shift(array.getClass().getComponentType());
        return new ArrayBytes(array, (long) element << shift, (long) Array.getLength(array) << shift);
    }

    /** What a {@code ByteBuffer} with an array sees of it. */
    static ArrayBytes of(ByteBuffer view) {
        return new ArrayBytes(view.array(), view.arrayOffset(), view.arrayOffset() + (long) view.capacity());
    }

    /** From so many bytes on. */
    ArrayBytes at(int bytes) {
        return new ArrayBytes(array, begin + bytes, end);
    }

    /** Bytes of an element as a power of two. */
    private static int shift(Class<?> element) {
        return element == byte.class || element == boolean.class ? 0
                : element == short.class || element == char.class ? 1
                : element == int.class || element == float.class ? 2 : 3;
    }

    /** The array, for messages, as {@code int[3]}. */
    @Override
    public String toString() {
        return array.getClass().getComponentType() + "[" + Array.getLength(array) + "]";
    }
}
