// SPDX-License-Identifier: Apache-2.0
package corunna.object;

import corunna.engine.Native;
import corunna.engine.Store;
import java.io.OutputStream;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;

/** Puts things behind each other into a store, which grows with them. */
final class Writer extends OutputStream {
    private static final int SCRATCH = 4096;

    private final char[] chars = new char[SCRATCH];
    private final byte[] bytes = new byte[SCRATCH];
    private Store store;
    private ByteBuffer memory;

    /** From here on into this store, behind the header. */
    void begin(Store newStore) {
        store = newStore;
        memory = newStore.memory();
        memory.clear();
        memory.position(Format.HEADER_BYTES);
    }

    /** Nothing is written any more; what comes is lost. */
    void end() {
        store = null;
        memory = null;
    }

    void putHeader(int form, int count, int rawAt, int number) {
        memory.putInt(0, Format.MAGIC | form).putInt(4, count).putInt(8, rawAt).putInt(12, number);
    }

    int position() {
        return memory.position();
    }

    /** Takes back what was written behind this position. */
    void rewind(int position) {
        memory.position(position);
    }

    private void ensure(int more) {
        if (memory.remaining() < more) {
            memory = store.grow(more);
        }
    }

    /** Makes the message so long that its length tells its count; returns the length. */
    int pad(int count) {
        int length = Format.length(memory.position(), count);
        ensure(length - memory.position());
        memory.position(length);
        return length;
    }

    void putInt(int value) {
        ensure(Integer.BYTES);
        memory.putInt(value);
    }

    // ---- as the sink of an object stream ----

    @Override
    public void write(int value) {
        if (memory != null) {
            ensure(1);
            memory.put((byte) value);
        }
    }

    @Override
    public void write(byte[] from, int offset, int length) {
        if (memory != null) {
            ensure(length);
            memory.put(from, offset, length);
        }
    }

    // ---- strings ----

    @SuppressWarnings("deprecation") // it drops the upper bytes, which are known to be zero, and copies nothing twice
    void putString(String text) {
        int length = text.length();
        boolean isWide = isWide(text, length);
        ensure(2 * Integer.BYTES + (isWide ? 2 : 1) * Math.min(length, 1 << 29));
        if (isWide) {
            memory.putInt(Format.WIDE).putInt(length);
        } else {
            memory.putInt(length);
        }
        for (int at = 0; at < length; at += SCRATCH) {
            int end = Math.min(at + SCRATCH, length);
            if (isWide) {
                text.getChars(at, end, chars, 0);
                ensure((end - at) * Character.BYTES);
                memory.asCharBuffer().put(chars, 0, end - at);
                memory.position(memory.position() + (end - at) * Character.BYTES);
            } else {
                text.getBytes(at, end, bytes, 0);
                ensure(end - at);
                memory.put(bytes, 0, end - at);
            }
        }
    }

    /** Is there a character that takes two bytes? */
    private boolean isWide(String text, int length) {
        for (int at = 0; at < length; at += SCRATCH) {
            int count = Math.min(SCRATCH, length - at);
            text.getChars(at, at + count, chars, 0);
            int all = 0;
            for (int i = 0; i < count; i++) {
                all |= chars[i];
            }
            if (all > 0xFF) {
                return true;
            }
        }
        return false;
    }

    // ---- arrays of primitive types ----

    /** The length and the elements. */
    void putArray(Object array, int kind) {
        int length = Array.getLength(array);
        long size = (long) length << Format.SHIFT[kind];
        if (size > Integer.MAX_VALUE - Integer.BYTES) {
            throw new OutOfMemoryError("no room for an array of " + size + " bytes");
        }
        ensure(Integer.BYTES + (int) size);
        memory.putInt(length);
        switch (kind) {
        case Native.KIND_BYTE:
            memory.put((byte[]) array);
            return;
        case Native.KIND_BOOLEAN:
            putBooleans((boolean[]) array);
            return;
        case Native.KIND_CHAR:
            memory.asCharBuffer().put((char[]) array);
            break;
        case Native.KIND_SHORT:
            memory.asShortBuffer().put((short[]) array);
            break;
        case Native.KIND_INT:
            memory.asIntBuffer().put((int[]) array);
            break;
        case Native.KIND_LONG:
            memory.asLongBuffer().put((long[]) array);
            break;
        case Native.KIND_FLOAT:
            memory.asFloatBuffer().put((float[]) array);
            break;
        default:
            memory.asDoubleBuffer().put((double[]) array);
        }
        memory.position(memory.position() + (int) size);
    }

    private void putBooleans(boolean[] array) {
        for (boolean element : array) {
            memory.put((byte) (element ? 1 : 0));
        }
    }
}
