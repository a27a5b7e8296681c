// SPDX-License-Identifier: Apache-2.0
package mpi;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.DoubleBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;

/** What the classes of {@code java.nio} do not tell of a buffer whose class is not known. */
final class Views {
    private Views() {
    }

    /** How many bytes it has. */
    static long bytes(Buffer buffer) {
        int shift = buffer instanceof ByteBuffer ? 0
                : buffer instanceof CharBuffer || buffer instanceof ShortBuffer ? 1
                : buffer instanceof LongBuffer || buffer instanceof DoubleBuffer ? 3 : 2;
        return (long) buffer.capacity() << shift;
    }

    /** The public class that it belongs to. */
    static String name(Buffer buffer) {
        Class<?> type = buffer.getClass();
        while (type.getSuperclass() != Buffer.class) {
            type = type.getSuperclass();
        }
        return type.getSimpleName();
    }
}
