// SPDX-License-Identifier: Apache-2.0
package corunna.rmi;

import corunna.net.FastChannel;
import java.io.IOException;
import java.lang.reflect.Array;
import java.net.Socket;

/** Sends the elements of arrays of primitive types from the heap, and receives them there. */
final class Elements {
    /** The kinds of arrays. Arrays of booleans have none: they go by the object stream. */
    static final Class<?>[] TYPES = {byte[].class, char[].class, short[].class, int[].class, long[].class,
        float[].class, double[].class};
    static final int KIND_MASK = 7;
    private static final int[] SHIFT = {0, 1, 1, 2, 3, 2, 3};
    /** Arrays of so many bytes are received in one go; longer ones are copied, each time into one so many times as
     * long. */
    private static final int FIRST_BYTES = 4 << 20;
    private static final int GROWTH = 4;

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

    /**
     * Receives an array. Its length is what the sender says, so there is not much more room made for it at a time than
     * has come already.
     */
    Object read(int kind, int length) throws IOException {
        int room = Math.min(length, FIRST_BYTES >> SHIFT[kind]);
        Object array = Array.newInstance(TYPES[kind].getComponentType(), room);
        read(kind, array, 0, room);
        while (room < length) {
            int larger = (int) Math.min(length, (long) room * GROWTH);
            Object next = Array.newInstance(TYPES[kind].getComponentType(), larger);
            System.arraycopy(array, 0, next, 0, room);
            read(kind, next, room, larger - room);
            array = next;
            room = larger;
        }
        return array;
    }

    private void read(int kind, Object array, int at, int length) throws IOException {
        switch (kind) {
        case 0:
            channel.read((byte[]) array, at, length);
            break;
        case 1:
            channel.read((char[]) array, at, length);
            break;
        case 2:
            channel.read((short[]) array, at, length);
            break;
        case 3:
            channel.read((int[]) array, at, length);
            break;
        case 4:
            channel.read((long[]) array, at, length);
            break;
        case 5:
            channel.read((float[]) array, at, length);
            break;
        default:
            channel.read((double[]) array, at, length);
        }
    }
}
