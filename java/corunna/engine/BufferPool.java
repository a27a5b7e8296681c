// SPDX-License-Identifier: Apache-2.0
package corunna.engine;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Memory that programs have given back, for the next that ask for about as much: Java fills new memory with zeros,
 * which takes longer the more it is. What is taken from here is as its last owner left it. Its capacity is a power of
 * two. One for all ranks of a JVM, which share its heap.
 */
public final class BufferPool {
    /** That of the JVM. */
    public static final BufferPool ONLY =
            new BufferPool(Math.min(BufferPool.MOST_BYTES, Runtime.getRuntime().maxMemory() / BufferPool.HEAP_SHARE));

    /** Less is not worth keeping. */
    private static final int LEAST_BYTES = 1024;
    private static final long MOST_BYTES = 64L << 20;
    private static final int HEAP_SHARE = 8;

    private final long limit;
    /** By the exponent of their capacity. Guarded by this, as what follows. */
    private final List<ArrayDeque<ByteBuffer>> free = new ArrayList<>();
    private long bytes;

    /** One that keeps at most so many bytes. */
    public BufferPool(long limit) {
        this.limit = limit;
        for (int i = 0; i < Integer.SIZE; i++) {
            free.add(new ArrayDeque<>());
        }
    }

    /** Memory of at least so many bytes. */
    public ByteBuffer take(int size) {
        int exponent = Integer.SIZE - Integer.numberOfLeadingZeros(Math.max(1, size) - 1);
        long capacity = 1L << exponent;
        if (size < LEAST_BYTES || capacity > limit) {
            return ByteBuffer.allocate(size);
        }
        ByteBuffer kept = poll(exponent);
        return kept != null ? kept : ByteBuffer.allocate((int) capacity); // not while other ranks wait
    }

    private synchronized ByteBuffer poll(int exponent) {
        ByteBuffer kept = free.get(exponent).poll();
        if (kept != null) {
            bytes -= 1L << exponent;
        }
        return kept;
    }

    /** Keeps it, if it is from {@link #take}. Where there is no room others go, of which there is the most to win. */
    public synchronized void give(ByteBuffer memory) {
        int capacity = memory.capacity();
        if (capacity < LEAST_BYTES || capacity > limit || Integer.bitCount(capacity) != 1) {
            return;
        }
        for (int i = free.size() - 1; bytes + capacity > limit; i--) {
            while (bytes + capacity > limit && free.get(i).poll() != null) {
                bytes -= 1L << i;
            }
        }
        free.get(Integer.numberOfTrailingZeros(capacity)).push(memory);
        bytes += capacity;
    }

    /** Keeps nothing any more of what it has. */
    public synchronized void clear() {
        free.forEach(ArrayDeque::clear);
        bytes = 0;
    }

    /** How much it keeps. */
    public synchronized long bytes() {
        return bytes;
    }
}
