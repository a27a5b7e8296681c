// SPDX-License-Identifier: Apache-2.0
package corunna.object;

import corunna.engine.Native;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Takes things out of a message, from its beginning to its end. Past the end it throws BufferUnderflowException. */
final class Reader extends InputStream {
    private static final int SCRATCH = 4096;

    private final char[] chars = new char[SCRATCH];
    /** A window on the message, because an object stream reads byte by byte, which is dear outside the heap. */
    private final byte[] window = new byte[SCRATCH];
    private int windowAt;
    private int windowEnd;
    private ByteBuffer memory;

    /** From here on out of this message. */
    void begin(ByteBuffer message) {
        memory = message;
        windowAt = 0;
        windowEnd = 0;
    }

    /** Reads these bytes, and then no more. */
    void begin(byte[] bytes) {
        memory = null;
        System.arraycopy(bytes, 0, window, 0, bytes.length);
        windowAt = 0;
        windowEnd = bytes.length;
    }

    int getInt() {
        return memory.getInt();
    }

    int position() {
        return memory.position();
    }

    // ---- as the source of an object stream ----

    private boolean refill() {
        windowAt = 0;
        windowEnd = memory == null ? 0 : Math.min(window.length, memory.remaining());
        if (windowEnd > 0) {
            memory.get(window, 0, windowEnd);
        }
        return windowEnd > 0;
    }

    @Override
    public int read() {
        return windowAt < windowEnd || refill() ? window[windowAt++] & 0xFF : -1;
    }

    @Override
    public int read(byte[] to, int offset, int length) {
        if (length == 0) {
            return 0;
        }
        if (windowAt == windowEnd && !refill()) {
            return -1;
        }
        int count = Math.min(length, windowEnd - windowAt);
        System.arraycopy(window, windowAt, to, offset, count);
        windowAt += count;
        return count;
    }

    @Override
    public int available() {
        return windowEnd - windowAt + (memory == null ? 0 : memory.remaining());
    }

    // ---- strings ----

    /** The string whose length, or {@link Format#WIDE}, has just been read. */
    String getString(int first) {
        boolean isWide = first == Format.WIDE;
        int length = isWide ? memory.getInt() : first;
        if (length < 0 || length > memory.remaining() >> (isWide ? 1 : 0)) {
            throw new java.nio.BufferUnderflowException();
        }
        if (isWide) {
            return getWide(length);
        }
        byte[] bytes = length <= window.length ? window : new byte[length];
        memory.get(bytes, 0, length);
        return new String(bytes, 0, length, StandardCharsets.ISO_8859_1);
    }

    private String getWide(int length) {
        char[] text = length <= chars.length ? chars : new char[length];
        memory.asCharBuffer().get(text, 0, length);
        memory.position(memory.position() + length * Character.BYTES);
        return new String(text, 0, length);
    }

    // ---- arrays of primitive types ----

    /** The array of so many elements that follows. */
    Object getArray(int kind, int length) {
        if (kind < 0 || kind >= Format.SHIFT.length || length < 0
                || (long) length << Format.SHIFT[kind] > memory.remaining()) {
            throw new java.nio.BufferUnderflowException();
        }
        int size = length << Format.SHIFT[kind];
        int at = memory.position();
        Object array = copy(kind, length);
        memory.position(at + size);
        return array;
    }

    private Object copy(int kind, int length) {
        switch (kind) {
        case Native.KIND_BYTE:
            byte[] bytes = new byte[length];
            memory.get(bytes);
            return bytes;
        case Native.KIND_BOOLEAN:
            boolean[] booleans = new boolean[length];
            for (int i = 0; i < length; i++) {
                booleans[i] = memory.get() != 0;
            }
            return booleans;
        case Native.KIND_CHAR:
            char[] text = new char[length];
            memory.asCharBuffer().get(text);
            return text;
        case Native.KIND_SHORT:
            short[] shorts = new short[length];
            memory.asShortBuffer().get(shorts);
            return shorts;
        case Native.KIND_INT:
            int[] ints = new int[length];
            memory.asIntBuffer().get(ints);
            return ints;
        case Native.KIND_LONG:
            long[] longs = new long[length];
            memory.asLongBuffer().get(longs);
            return longs;
        case Native.KIND_FLOAT:
            float[] floats = new float[length];
            memory.asFloatBuffer().get(floats);
            return floats;
        default:
            double[] doubles = new double[length];
            memory.asDoubleBuffer().get(doubles);
            return doubles;
        }
    }
}
