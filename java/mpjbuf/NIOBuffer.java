// SPDX-License-Identifier: Apache-2.0
package mpjbuf;

import corunna.engine.BufferPool;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Memory that is a {@code ByteBuffer}. */
public class NIOBuffer implements RawBuffer {
    private ByteBuffer bytes;
    /** Where the memory came from, and all of it; null if it need not go back. */
    private BufferPool pool;
    private ByteBuffer pooled;

    /**
     * Memory of its own.
     *
     * @param capacity bytes
     */
    public NIOBuffer(int capacity) {
        this(capacity, ByteBuffer.allocate(capacity));
    }

    /**
     * The memory of a {@code ByteBuffer}.
     *
     * @param capacity how many of its bytes
     * @param buffer the {@code ByteBuffer}; its position, limit and byte order do not matter
     */
    public NIOBuffer(int capacity, ByteBuffer buffer) {
        ByteBuffer all = buffer.duplicate();
        all.clear();
        all.limit(capacity);
        bytes = all.slice().order(ByteOrder.nativeOrder());
    }

    /** Memory out of a pool, where {@link #free} brings it back. */
    NIOBuffer(int capacity, BufferPool pool) {
        this(capacity, pool.take(capacity), pool);
    }

    private NIOBuffer(int capacity, ByteBuffer taken, BufferPool pool) {
        this(capacity, taken);
        this.pool = pool;
        this.pooled = taken;
    }

    /** The memory from an offset to the end, or to where it shall end if that is before. */
    ByteBuffer part(int offset, int end) {
        ByteBuffer part = bytes.duplicate();
        part.clear();
        part.limit(Math.max(offset, Math.min(end, bytes.capacity())));
        part.position(offset);
        return part.slice().order(ByteOrder.nativeOrder());
    }

    /**
     * The {@code ByteBuffer}.
     *
     * @return it
     */
    public ByteBuffer getBuffer() {
        return bytes;
    }

    @Override
    public int getCapacity() {
        return bytes.capacity();
    }

    /** Gives memory of {@link BufferFactory} back, and has none from then on. All other is the garbage collector's. */
    @Override
    public synchronized void free() {
        if (pooled != null) {
            bytes = ByteBuffer.allocate(0).order(ByteOrder.nativeOrder());
            pool.give(pooled);
            pooled = null;
        }
    }

    @Override
    public void putByte(int value, int offset) {
        bytes.put(offset, (byte) value);
    }

    @Override
    public int getByte(int offset) {
        return bytes.get(offset);
    }

    @Override
    public void putInt(int value, int offset) {
        bytes.putInt(offset, value);
    }

    @Override
    public int getInt(int offset, boolean isReversed) {
        int value = bytes.getInt(offset);
        return isReversed ? Integer.reverseBytes(value) : value;
    }
}
