// SPDX-License-Identifier: Apache-2.0
package mpjbuf;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import mpi.MPI;
import mpi.Refusals;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Sections in a buffer as MPJ Express has it, and its memory, before anything is sent. */
class BufferTest {
    private final Buffer buffer = new Buffer(1000);

    private static void assertRefused(String part, Executable call) {
        String message = assertThrows(BufferException.class, call).getMessage();
        assertTrue(message.contains(part), () -> "\"" + message + "\" should contain \"" + part + "\"");
    }

    @Test
    void readsWhatWasWritten() throws BufferException {
        buffer.putSectionHeader(Type.LONG);
        buffer.write(new long[] {1, 2, 3}, 1, 2);
        buffer.write(new long[] {4}, 0, 1);
        buffer.putSectionHeader(Type.BOOLEAN);
        buffer.write(new boolean[] {true, false}, 0, 2);
        buffer.putSectionHeader(Type.OBJECT);
        buffer.write(new Object[] {"x", Arrays.asList(1, 2)}, 0, 2);
        buffer.commit();

        assertSame(Type.LONG, buffer.getSectionHeader());
        assertEquals(3, buffer.getSectionSize());
        long[] longs = new long[3];
        buffer.read(longs, 0, 1);
        buffer.read(longs, 1, 2);
        assertArrayEquals(new long[] {2, 3, 4}, longs);
        assertSame(Type.BOOLEAN, buffer.getSectionHeader());
        boolean[] flags = new boolean[2];
        buffer.read(flags, 0, 2);
        assertArrayEquals(new boolean[] {true, false}, flags);
        assertSame(Type.OBJECT, buffer.getSectionHeader());
        Object[] objects = new Object[2];
        buffer.read(objects, 0, 2);
        assertArrayEquals(new Object[] {"x", Arrays.asList(1, 2)}, objects);
        assertEquals(0, buffer.getRemaining(), "nothing remains");
        assertRefused("no further section", buffer::getSectionHeader);
        buffer.free();
    }

    @Test
    void clearMakesItWritableAgain() throws BufferException {
        buffer.putSectionHeader(Type.INT);
        buffer.write(new int[1], 0, 1);
        buffer.commit();
        assertFalse(buffer.isWritable());
        assertRefused("committed", () -> buffer.putSectionHeader(Type.INT));
        buffer.clear();
        assertTrue(buffer.isWritable());
        assertEquals(0, buffer.getSize());
    }

    @Test
    void refusesElementsOutsideTheirSection() throws BufferException {
        assertRefused("in no section", () -> buffer.write(new int[1], 0, 1));
        buffer.putSectionHeader(Type.INT);
        assertRefused("of INT, not of LONG", () -> buffer.write(new long[1], 0, 1));
    }

    @Test
    void writesIntoTheMemoryItIsGiven() throws BufferException {
        RawBuffer raw = BufferFactory.create(100 + MPI.SEND_OVERHEAD);
        assertTrue(raw.getCapacity() >= 100 && BufferFactory.initialized(), "raw memory");
        Buffer kept = new Buffer(raw, 16, 100);
        assertSame(raw, kept.getStaticBuffer());
        assertEquals(16, kept.offset());
        assertEquals(0, kept.getSize());
        kept.putSectionHeader(Type.BYTE);
        kept.write(new byte[] {42}, 0, 1);
        assertEquals(42, raw.getByte(16 + Buffer.SECTION_OVERHEAD), "what is written is in the memory");
        raw.putInt(43, 16 + Buffer.SECTION_OVERHEAD);
        assertEquals(43, raw.getInt(24, false));
        assertEquals(43 << 24, raw.getInt(24, true), "an int the other way round");
        kept.commit();
        kept.commit(); // reads from the beginning
        assertSame(Type.BYTE, kept.getSectionHeader());
        assertEquals(1, kept.getSectionSize());
    }

    @Test
    void refusesMemoryOfNegativeSize() {
        Refusals.assertRefused(14, "BufferFactory.create: size is -1; ", () -> BufferFactory.create(-1));
    }
}
