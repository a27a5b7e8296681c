// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Native;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;

/**
 * Memory outside the heap through which short arrays are copied in a collective call: to reach into an array costs
 * native code more than Java needs to copy a few kilobytes. A communicator has one for what is sent and one for what is
 * received ({@link Staging}); where ranks share memory of the engine's own, that takes their place as often as it can
 * ({@link ZeroCopy}).
 */
final class Stage {
    /** What is longer is not worth a copy. */
    static final int BYTES = 4096;
    /** The same for short blocks of many ranks, mostly taken out of the engine's memory without a copy here. */
    static final int MANY_BYTES = 65536;

    private final ByteBuffer bytes;
    private final CharBuffer chars;
    private final ShortBuffer shorts;
    private final IntBuffer ints;
    private final LongBuffer longs;
    private final FloatBuffer floats;
    private final DoubleBuffer doubles;

    /** Where it is. */
    final long address;

    Stage(int capacity) {
        this(ByteBuffer.allocateDirect(capacity));
    }

    /** Over memory that there is. */
    Stage(ByteBuffer memory) {
        bytes = memory.order(ByteOrder.nativeOrder());
        chars = bytes.asCharBuffer();
        shorts = bytes.asShortBuffer();
        ints = bytes.asIntBuffer();
        longs = bytes.asLongBuffer();
        floats = bytes.asFloatBuffer();
        doubles = bytes.asDoubleBuffer();
        address = Native.address(bytes);
    }

    int capacity() {
        return bytes.capacity();
    }

    /** Copies elements of an array to this address, where an element may begin. */
    void put(long place, Object array, int kind, int at, int count) {
        copy(true, place, array, kind, at, count);
    }

    /** Copies what is at this address, where an element begins, to an array. */
    void get(long place, Object array, int kind, int at, int count) {
        copy(false, place, array, kind, at, count);
    }

    /** Copies blocks that lie {@code distance} bytes apart; in the array they follow each other. */
    void getBlocks(long place, long distance, int blocks, Object array, int kind, int at, int count) {
        for (int i = 0; i < blocks; i++) {
            copy(false, place + i * distance, array, kind, at + i * count, count);
        }
    }

    private void copy(boolean isPut, long place, Object array, int kind, int at, int count) {
        int first = (int) (place - address);
        switch (kind) {
        case Native.KIND_BYTE:
            bytes.position(first);
            if (isPut) {
                bytes.put((byte[]) array, at, count);
            } else {
                bytes.get((byte[]) array, at, count);
            }
            break;
        case Native.KIND_CHAR:
            chars.position(first / Character.BYTES);
            if (isPut) {
                chars.put((char[]) array, at, count);
            } else {
                chars.get((char[]) array, at, count);
            }
            break;
        case Native.KIND_SHORT:
            shorts.position(first / Short.BYTES);
            if (isPut) {
                shorts.put((short[]) array, at, count);
            } else {
                shorts.get((short[]) array, at, count);
            }
            break;
        case Native.KIND_INT:
            ints.position(first / Integer.BYTES);
            if (isPut) {
                ints.put((int[]) array, at, count);
            } else {
                ints.get((int[]) array, at, count);
            }
            break;
        case Native.KIND_LONG:
            longs.position(first / Long.BYTES);
            if (isPut) {
                longs.put((long[]) array, at, count);
            } else {
                longs.get((long[]) array, at, count);
            }
            break;
        case Native.KIND_FLOAT:
            floats.position(first / Float.BYTES);
            if (isPut) {
                floats.put((float[]) array, at, count);
            } else {
                floats.get((float[]) array, at, count);
            }
            break;
        default:
            doubles.position(first / Double.BYTES);
            if (isPut) {
                doubles.put((double[]) array, at, count);
            } else {
                doubles.get((double[]) array, at, count);
            }
        }
    }
}
