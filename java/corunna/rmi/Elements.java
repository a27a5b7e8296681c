// SPDX-License-Identifier: Apache-2.0
package corunna.rmi;

import corunna.net.FastChannel;
import java.io.IOException;
import java.lang.reflect.Array;
import java.net.Socket;

/** Sends the elements of arrays of primitive types from the heap, and receives them there. */
final class Elements {
    /** The kinds of arrays. Arrays of booleans have none: they go by the object stream. */
    static final Class<?>[] TYPES = {byte[].class, char[].class, short[].class, int[].class, long[].class, float[].class,
        double[].class};
    static final int KIND_MASK = 7;
    private static final int[] SHIFT = {0, 1, 1, 2, 3, 2, 3};

    private final FastChannel channel;

    Elements(Socket socket) throws IOException {
        channel = FastChannel.of(socket);
    }

    /** The kind of arrays of a class; -1: it is none of these. */
    static int kind(Class<?> type) {
        if (type.isArray()) {
            for (int kind = TYPES.length - 1; kind >= 0; kind--) {
                if (type == TYPES[kind]) {
                    return kind;
                }
            }
        }
        return -1;
    }

    static int length(Object array) {
        return Array.getLength(array);
    }

    static long bytes(int kind, int length) {
        return (long) length << SHIFT[kind];
    }

    void write(Object array) throws IOException {
        int length = length(array);
        switch (kind(array.getClass())) {
        case 0:
            channel.write((byte[]) array, 0, length);
            break;
        case 1:
            channel.write((char[]) array, 0, length);
            break;
        case 2:
            channel.write((short[]) array, 0, length);
            break;
        case 3:
            channel.write((int[]) array, 0, length);
            break;
        case 4:
            channel.write((long[]) array, 0, length);
            break;
        case 5:
            channel.write((float[]) array, 0, length);
            break;
        default:
            channel.write((double[]) array, 0, length);
        }
    }

    Object read(int kind, int length) throws IOException {
        switch (kind) {
        case 0:
            byte[] bytes = new byte[length];
            channel.read(bytes, 0, length);
            return bytes;
        case 1:
            char[] chars = new char[length];
            channel.read(chars, 0, length);
            return chars;
        case 2:
            short[] shorts = new short[length];
            channel.read(shorts, 0, length);
            return shorts;
        case 3:
            int[] ints = new int[length];
            channel.read(ints, 0, length);
            return ints;
        case 4:
            long[] longs = new long[length];
            channel.read(longs, 0, length);
            return longs;
        case 5:
            float[] floats = new float[length];
            channel.read(floats, 0, length);
            return floats;
        default:
            double[] doubles = new double[length];
            channel.read(doubles, 0, length);
            return doubles;
        }
    }
}
