// SPDX-License-Identifier: Apache-2.0
package mpi;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.DoubleBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;

/** What the classes of {@code java.nio} do not tell of a buffer whose class is not known, nor arrays of themselves. */
final class Views {
    private Views() {
    }

    /** How many bytes it has. */
    static long bytes(Buffer buffer) {
        return (long) buffer.capacity() * elementBytes(buffer);
    }

    /** How many bytes one of its elements has; of no buffer an element is a byte. */
    static int elementBytes(Buffer buffer) {
        return buffer == null || buffer instanceof ByteBuffer ? 1
                : buffer instanceof CharBuffer || buffer instanceof ShortBuffer ? 2
                : buffer instanceof LongBuffer || buffer instanceof DoubleBuffer ? 8 : 4;
    }

    /** The public class that it belongs to. */
    static String name(Buffer buffer) {
        Class<?> type = buffer.getClass();
        while (type.getSuperclass() != Buffer.class) {
            type = type.getSuperclass();
        }
        return type.getSimpleName();
    }

    /** What a program would call the buffer that it passed, without its length. */
    static String nameOf(Object buffer) {
        return buffer == null ? "null reference" : buffer instanceof Buffer ? name((Buffer) buffer)
                : (buffer instanceof ArrayBytes ? ((ArrayBytes) buffer).array : buffer).getClass().getSimpleName();
    }

    /** Does native code count bytes in it, and not elements? */
    static boolean isInBytes(Object buffer) {
        return buffer instanceof Buffer || buffer instanceof ArrayBytes;
    }

    /** Where it begins in what native code is given, in bytes: it may be a part of an array. */
    static long base(Object buffer) {
        if (buffer instanceof ArrayBytes) {
            return ((ArrayBytes) buffer).begin;
        }
        return buffer instanceof Buffer && ((Buffer) buffer).hasArray() ? ((Buffer) buffer).arrayOffset() : 0;
    }
}
