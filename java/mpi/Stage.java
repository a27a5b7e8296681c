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
 * way at a time: one for what is sent, one for what is received.
 */
final class Stage {
    /** What is longer is not worth a copy. */
    static final int BYTES = 4096;

    private final ByteBuffer bytes = ByteBuffer.allocateDirect(BYTES).order(ByteOrder.nativeOrder());
    private final CharBuffer chars = bytes.asCharBuffer();
    private final ShortBuffer shorts = bytes.asShortBuffer();
    private final IntBuffer ints = bytes.asIntBuffer();
    private final LongBuffer longs = bytes.asLongBuffer();
    private final FloatBuffer floats = bytes.asFloatBuffer();
    private final DoubleBuffer doubles = bytes.asDoubleBuffer();

    /** Where it is. */
    final long address = Native.address(bytes);

    /** Can so many bytes of this buffer hop over it? */
    static boolean takes(Datatype type, Object buffer, long length) {
        return length <= BYTES && type.isArray(buffer) && type.basicKind() != Native.KIND_BOOLEAN;
    }

    /** Copies elements of an array here. */
    void put(Object array, int kind, int at, int count) {
        switch (kind) {
        case Native.KIND_BYTE:
            bytes.clear();
            bytes.put((byte[]) array, at, count);
            break;
        case Native.KIND_CHAR:
            chars.clear();
            chars.put((char[]) array, at, count);
            break;
        case Native.KIND_SHORT:
            shorts.clear();
            shorts.put((short[]) array, at, count);
            break;
        case Native.KIND_INT:
            ints.clear();
            ints.put((int[]) array, at, count);
            break;
        case Native.KIND_LONG:
            longs.clear();
            longs.put((long[]) array, at, count);
            break;
        case Native.KIND_FLOAT:
            floats.clear();
            floats.put((float[]) array, at, count);
            break;
        default:
            doubles.clear();
            doubles.put((double[]) array, at, count);
        }
    }

    /** Copies what is here to an array. */
    void get(Object array, int kind, int at, int count) {
        switch (kind) {
        case Native.KIND_BYTE:
            bytes.clear();
            bytes.get((byte[]) array, at, count);
            break;
        case Native.KIND_CHAR:
            chars.clear();
            chars.get((char[]) array, at, count);
            break;
        case Native.KIND_SHORT:
            shorts.clear();
            shorts.get((short[]) array, at, count);
            break;
        case Native.KIND_INT:
            ints.clear();
            ints.get((int[]) array, at, count);
            break;
        case Native.KIND_LONG:
            longs.clear();
            longs.get((long[]) array, at, count);
            break;
        case Native.KIND_FLOAT:
            floats.clear();
            floats.get((float[]) array, at, count);
            break;
        default:
            doubles.clear();
            doubles.get((double[]) array, at, count);
        }
    }
}
