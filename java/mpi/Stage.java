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
 * Memory outside the heap over which a short array hops in a collective call: to reach into an array costs native code
 * more than Java needs to copy a few kilobytes. Two for each communicator, on which only one collective call is under
 * way at a time: one for what is sent, one for what is received. Where ranks share memory of the engine's own, that
 * takes their place as often as it can ({@link ZeroCopy}).
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

    /** Can elements of this buffer hop over one? */
    static boolean suits(Datatype type, Object buffer) {
        return type.isArray(buffer) && type.basicKind() != Native.KIND_BOOLEAN;
    }

    /** Can so many bytes of this buffer hop over it? */
    static boolean takes(Datatype type, Object buffer, long length) {
        return length <= BYTES && suits(type, buffer);
    }

    int capacity() {
        return bytes.capacity();
    }

    // One element, as it goes in most collective calls, needs no loop. What a buffer does for more goes ten calls deep, and a
    // just-in-time compiler follows calls for fifteen levels: compiled into a collective call and its callers, the
    // innermost checks would be calls in earnest. put and get are too large for that (more than 325 bytecodes), so that
    // the levels begin here: Bcast and Reduce of 1 KiB between two processes take some 5 ns less.

    /** Copies elements of an array to this address, where an element may begin. */
    void put(long place, Object array, int kind, int at, int count) {
        int first = (int) (place - address);
        int index;
        switch (kind) {
        case Native.KIND_BYTE:
            index = first;
            if (count == 1) {
                bytes.put(index, ((byte[]) array)[at]);
            } else {
                bytes.position(index);
                bytes.put((byte[]) array, at, count);
            }
            break;
        case Native.KIND_CHAR:
            index = first / Character.BYTES;
            if (count == 1) {
                chars.put(index, ((char[]) array)[at]);
            } else {
                chars.position(index);
                chars.put((char[]) array, at, count);
            }
            break;
        case Native.KIND_SHORT:
            index = first / Short.BYTES;
            if (count == 1) {
                shorts.put(index, ((short[]) array)[at]);
            } else {
                shorts.position(index);
                shorts.put((short[]) array, at, count);
            }
            break;
        case Native.KIND_INT:
            index = first / Integer.BYTES;
            if (count == 1) {
                ints.put(index, ((int[]) array)[at]);
            } else {
                ints.position(index);
                ints.put((int[]) array, at, count);
            }
            break;
        case Native.KIND_LONG:
            index = first / Long.BYTES;
            if (count == 1) {
                longs.put(index, ((long[]) array)[at]);
            } else {
                longs.position(index);
                longs.put((long[]) array, at, count);
            }
            break;
        case Native.KIND_FLOAT:
            index = first / Float.BYTES;
            if (count == 1) {
                floats.put(index, ((float[]) array)[at]);
            } else {
                floats.position(index);
                floats.put((float[]) array, at, count);
            }
            break;
        default:
            index = first / Double.BYTES;
            if (count == 1) {
                doubles.put(index, ((double[]) array)[at]);
            } else {
                doubles.position(index);
                doubles.put((double[]) array, at, count);
            }
        }
    }

    /** Copies what is at this address, where an element begins, to an array. */
    void get(long place, Object array, int kind, int at, int count) {
        int first = (int) (place - address);
        int index;
        switch (kind) {
        case Native.KIND_BYTE:
            index = first;
            if (count == 1) {
                ((byte[]) array)[at] = bytes.get(index);
            } else {
                bytes.position(index);
                bytes.get((byte[]) array, at, count);
            }
            break;
        case Native.KIND_CHAR:
            index = first / Character.BYTES;
            if (count == 1) {
                ((char[]) array)[at] = chars.get(index);
            } else {
                chars.position(index);
                chars.get((char[]) array, at, count);
            }
            break;
        case Native.KIND_SHORT:
            index = first / Short.BYTES;
            if (count == 1) {
                ((short[]) array)[at] = shorts.get(index);
            } else {
                shorts.position(index);
                shorts.get((short[]) array, at, count);
            }
            break;
        case Native.KIND_INT:
            index = first / Integer.BYTES;
            if (count == 1) {
                ((int[]) array)[at] = ints.get(index);
            } else {
                ints.position(index);
                ints.get((int[]) array, at, count);
            }
            break;
        case Native.KIND_LONG:
            index = first / Long.BYTES;
            if (count == 1) {
                ((long[]) array)[at] = longs.get(index);
            } else {
                longs.position(index);
                longs.get((long[]) array, at, count);
            }
            break;
        case Native.KIND_FLOAT:
            index = first / Float.BYTES;
            if (count == 1) {
                ((float[]) array)[at] = floats.get(index);
            } else {
                floats.position(index);
                floats.get((float[]) array, at, count);
            }
            break;
        default:
            index = first / Double.BYTES;
            if (count == 1) {
                ((double[]) array)[at] = doubles.get(index);
            } else {
                doubles.position(index);
                doubles.get((double[]) array, at, count);
            }
        }
    }

    /**
     * Copies blocks that lie {@code distance} bytes apart; in the array they follow each other. A call of {@link #get} for
     * each would cost Alltoall of 1 KiB among 8 processes 4 %.
     */
    void getBlocks(long place, long distance, int blocks, Object array, int kind, int start, int count) {
        for (int i = 0; i < blocks; i++) {
            int first = (int) (place - address + i * distance);
            int at = start + i * count;
            switch (kind) {
            case Native.KIND_BYTE:
                bytes.position(first);
                bytes.get((byte[]) array, at, count);
                break;
            case Native.KIND_CHAR:
                chars.position(first / Character.BYTES);
                chars.get((char[]) array, at, count);
                break;
            case Native.KIND_SHORT:
                shorts.position(first / Short.BYTES);
                shorts.get((short[]) array, at, count);
                break;
            case Native.KIND_INT:
                ints.position(first / Integer.BYTES);
                ints.get((int[]) array, at, count);
                break;
            case Native.KIND_LONG:
                longs.position(first / Long.BYTES);
                longs.get((long[]) array, at, count);
                break;
            case Native.KIND_FLOAT:
                floats.position(first / Float.BYTES);
                floats.get((float[]) array, at, count);
                break;
            default:
                doubles.position(first / Double.BYTES);
                doubles.get((double[]) array, at, count);
            }
        }
    }
}
