// SPDX-License-Identifier: Apache-2.0
package mpjbuf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import corunna.engine.BufferPool;
import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Memory that is given back and handed out again. */
class BufferPoolTest {
    private static final int MIB = 1 << 20;

    private static byte[] array(RawBuffer memory) {
        return ((NIOBuffer) memory).getBuffer().array();
    }

    @Test
    void handsOutWhatWasGivenBack() {
        BufferPool pool = new BufferPool(8L * MIB);
        ByteBuffer first = pool.take(MIB - 5);
        assertNotSame(first, pool.take(MIB - 5), "while it is in use");
        pool.give(first);
        assertEquals(MIB, pool.bytes());
        assertNotSame(first, pool.take(MIB / 2), "half as much");
        assertSame(first, pool.take(MIB / 2 + 1));
        assertEquals(0, pool.bytes());
    }

    @Test
    void keepsNoMoreThanItMay() {
        BufferPool pool = new BufferPool(10L * MIB);
        Random random = new Random(4711);
        List<ByteBuffer> inUse = new ArrayList<>();
        for (int i = 0; i < 2000; i++) {
            ByteBuffer taken = pool.take(random.nextInt(3 * MIB));
            inUse.add(taken);
            if (inUse.size() > 20) {
                pool.give(inUse.remove(random.nextInt(20)));
            }
            assertTrue(pool.bytes() <= 10L * MIB);
        }
        inUse.forEach(pool::give);
        assertTrue(pool.bytes() > 0 && pool.bytes() <= 10L * MIB, "full");
        pool.give(ByteBuffer.allocate(64 * MIB));
        assertTrue(pool.bytes() <= 10L * MIB, "what is larger than all is not kept");
        pool.clear();
        assertEquals(0, pool.bytes());
    }

    @Test
    void givesBackOnceOnly() {
        RawBuffer memory = BufferFactory.create(100_000);
        assertEquals(100_000, memory.getCapacity());
        byte[] array = array(memory);
        BufferFactory.destroy(memory);
        BufferFactory.destroy(memory);
        memory.free();
        assertEquals(0, memory.getCapacity());
        assertThrows(IndexOutOfBoundsException.class, () -> memory.putByte(1, 0));
        RawBuffer one = BufferFactory.create(70_000);
        RawBuffer other = BufferFactory.create(70_000);
        assertSame(array, array(one));
        assertNotSame(array, array(other), "two owners of the same memory");
    }

    @Test
    void leavesMemoryOfTheProgramAlone() {
        ByteBuffer own = ByteBuffer.allocate(4096);
        NIOBuffer memory = new NIOBuffer(4096, own);
        memory.free();
        BufferFactory.destroy(memory);
        assertEquals(4096, memory.getCapacity());
        RawBuffer created = BufferFactory.create(4096);
        assertNotSame(own.array(), array(created));
    }

    /** What is not new need not be filled with zeros, which takes by far the longest. */
    @Test
    void allocatesLittleForManyBuffers() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long self = Thread.currentThread().getId();
        long before = threads.getThreadAllocatedBytes(self);
        Random random = new Random(4711);
        BufferPool pool = new BufferPool(64L * MIB);
        int count = 10_000;
        for (int i = 0; i < count; i++) {
            new NIOBuffer(random.nextInt(16 * MIB), pool).free();
        }
        long each = (threads.getThreadAllocatedBytes(self) - before) / count;
        assertTrue(each < 64 * 1024, () -> each + " bytes are new for each buffer");
    }
}
