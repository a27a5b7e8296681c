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
 * Memory outside the heap over which short arrays hop in collective calls: to reach into an array costs native code
 * more than Java needs to copy a few kilobytes. One for each communicator, on which only one collective call is under
 * way at a time.
 */
final class Stage {
    /** What is longer is not worth a copy. */
    static final int BYTES = 4096;

    private final ByteBuffer bytes = ByteBuffer.allocateDirect(2 * BYTES).order(ByteOrder.nativeOrder());
    private final CharBuffer chars = bytes.asCharBuffer();
    private final ShortBuffer shorts = bytes.asShortBuffer();
    private final IntBuffer ints = bytes.asIntBuffer();
    private final LongBuffer longs = bytes.asLongBuffer();
    private final FloatBuffer floats = bytes.asFloatBuffer();
    private final DoubleBuffer doubles = bytes.asDoubleBuffer();

    /** The addresses of what is sent and of what is received. */
    final long out = Native.address(bytes);
    final long in = out + BYTES;

    /** Can so many bytes of this buffer hop over it? */
    static boolean takes(Datatype type, Object buffer, long length) {
        return length <= BYTES && type.isArray(buffer) && type.basicKind() != Native.KIND_BOOLEAN;
    }

    /** Elements of an array to what is sent, or to what is received, for a call that does both there. */
    void put(boolean isIn, Object array, int kind, int at, int count) {
        int begin = isIn ? BYTES : 0;
        switch (kind) {
        case Native.KIND_BYTE:
            bytes.clear().position(begin);
            bytes.put((byte[]) array, at, count);
            break;
        case Native.KIND_CHAR:
            chars.clear().position(begin / Character.BYTES);
            chars.put((char[]) array, at, count);
            break;
        case Native.KIND_SHORT:
            shorts.clear().position(begin / Short.BYTES);
            shorts.put((short[]) array, at, count);
            break;
        case Native.KIND_INT:
            ints.clear().position(begin / Integer.BYTES);
            ints.put((int[]) array, at, count);
            break;
        case Native.KIND_LONG:
            longs.clear().position(begin / Long.BYTES);
            longs.put((long[]) array, at, count);
            break;
        case Native.KIND_FLOAT:
            floats.clear().position(begin / Float.BYTES);
            floats.put((float[]) array, at, count);
            break;
        default:
            doubles.clear().position(begin / Double.BYTES);
            doubles.put((double[]) array, at, count);
        }
    }

    /** What was received to an array. */
    void get(Object array, int kind, int at, int count) {
        switch (kind) {
        case Native.KIND_BYTE:
            bytes.clear().position(BYTES);
            bytes.get((byte[]) array, at, count);
            break;
        case Native.KIND_CHAR:
            chars.clear().position(BYTES / Character.BYTES);
            chars.get((char[]) array, at, count);
            break;
        case Native.KIND_SHORT:
            shorts.clear().position(BYTES / Short.BYTES);
            shorts.get((short[]) array, at, count);
            break;
        case Native.KIND_INT:
            ints.clear().position(BYTES / Integer.BYTES);
            ints.get((int[]) array, at, count);
            break;
        case Native.KIND_LONG:
            longs.clear().position(BYTES / Long.BYTES);
            longs.get((long[]) array, at, count);
            break;
        case Native.KIND_FLOAT:
            floats.clear().position(BYTES / Float.BYTES);
            floats.get((float[]) array, at, count);
            break;
        default:
            doubles.clear().position(BYTES / Double.BYTES);
            doubles.get((double[]) array, at, count);
        }
    }
}
