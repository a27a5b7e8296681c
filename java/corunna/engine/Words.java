// SPDX-License-Identifier: Apache-2.0
package corunna.engine;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The shortest messages travel in a register. Native code needs some 25 ns to reach into a Java array, which for eight
 * bytes is more than all the rest of the way through this face; so here Java itself takes the bytes out of the array
 * and puts them in, and only a {@code long} crosses over.
 */
public final class Words {
    /**
     * What {@link Native#recvWord} returns, with the length in its lowest byte, when it has written the array itself:
     * because the message was shorter than the word, or began with these very bytes. Any number would do that programs
     * hardly send; the native half has the same.
     */
    private static final long IS_WRITTEN = 0x7A31_C95E_04D8_B600L;
    private static final long LENGTH_MASK = 0xFF;

    private Words() {
    }

    /** An array of bytes as longs; apart, so that only programs that need it pay for its set-up. */
    private static final class Bytes {
        static final VarHandle AS_LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());
    }

    /** The length of the messages of this kind that are words; -1 if none is. */
    public static int length(int kind) {
        switch (kind) {
        case Native.KIND_BYTE:
        case Native.KIND_LONG:
        case Native.KIND_DOUBLE:
            return Long.BYTES;
        case Native.KIND_INT:
        case Native.KIND_FLOAT:
            return Integer.BYTES;
        default:
            return -1;
        }
    }

    /** The word at this place of an array. */
    public static long get(Object array, int kind, int at) {
        switch (kind) {
        case Native.KIND_BYTE:
            return (long) Bytes.AS_LONG.get((byte[]) array, at);
        case Native.KIND_LONG:
            return ((long[]) array)[at];
        case Native.KIND_DOUBLE:
            return Double.doubleToRawLongBits(((double[]) array)[at]);
        case Native.KIND_INT:
            return ((int[]) array)[at];
        default:
            return Float.floatToRawIntBits(((float[]) array)[at]);
        }
    }

    /** Puts what {@link Native#recvWord} returned into the array, if it is not there yet; returns its length. */
    public static int accept(long received, Object array, int kind, int at) {
        if ((received & ~LENGTH_MASK) == IS_WRITTEN) {
            return (int) (received & LENGTH_MASK);
        }
        switch (kind) {
        case Native.KIND_BYTE:
            Bytes.AS_LONG.set((byte[]) array, at, received);
            break;
        case Native.KIND_LONG:
            ((long[]) array)[at] = received;
            break;
        case Native.KIND_DOUBLE:
            ((double[]) array)[at] = Double.longBitsToDouble(received);
            break;
        case Native.KIND_INT:
            ((int[]) array)[at] = (int) received;
            break;
        default:
            ((float[]) array)[at] = Float.intBitsToFloat((int) received);
        }
        return length(kind);
    }
}
