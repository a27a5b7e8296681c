package conform;

import conform.Things.Point;
import java.util.Arrays;
import mpi.Datatype;
import mpi.Intracomm;
import mpi.MPI;
import mpjbuf.Buffer;
import mpjbuf.BufferException;
import mpjbuf.Type;

/** Packed data in both dialects. */
final class Packed {
    private Packed() {
    }

    /** In a byte[], as mpiJava and FastMPJ have it; it travels as MPI.PACKED. */
    static void bytes(Intracomm comm) {
        int me = comm.Rank();
        Datatype vector = Datatype.Vector(3, 2, 4, MPI.INT);
        int[] ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
        Object[] objects = {"a", new Point(3), null};
        int room = comm.Pack_size(3, MPI.DOUBLE) + comm.Pack_size(1, vector) + comm.Pack_size(3, objects);
        Check.that(comm.Pack_size(3, MPI.DOUBLE) >= 24 && comm.Pack_size(1, vector) >= 24, "room");
        byte[] packed = new byte[room + 5];
        int position = comm.Pack(new double[] {1.5, 2.5, 3.5, 4.5}, 1, 3, MPI.DOUBLE, packed, 5);
        Check.equal(29, position, "behind three doubles");
        position = comm.Pack(ints, 0, 1, vector, packed, position);
        Check.equal(53, position, "behind six ints");
        position = comm.Pack(objects, 0, 3, MPI.OBJECT, packed, position);
        Check.equal(53 + comm.Pack_size(3, objects), position, "behind three objects");
        byte[] in = new byte[packed.length];
        comm.Sendrecv(packed, 0, position, MPI.PACKED, me, 1, in, 0, in.length, MPI.PACKED, me, 1);
        double[] doubles = new double[5];
        int[] more = new int[10];
        Object[] others = new Object[3];
        Check.equal(29, comm.Unpack(in, 5, doubles, 2, 3, MPI.DOUBLE), "unpacked doubles");
        Check.equal(53, comm.Unpack(in, 29, more, 0, 1, vector), "unpacked ints");
        Check.equal(position, comm.Unpack(in, 53, others, 0, 3, MPI.OBJECT), "unpacked objects");
        Check.that(Arrays.equals(new double[] {0, 0, 2.5, 3.5, 4.5}, doubles), "doubles");
        Check.that(Arrays.equals(new int[] {0, 1, 0, 0, 4, 5, 0, 0, 8, 9}, more), "ints");
        Check.that(Arrays.equals(objects, others), "objects");
        byte[] serialised = comm.Object_Serialize(objects, 1, 2, MPI.OBJECT);
        Object[] again = new Object[4];
        comm.Object_Deserialize(again, serialised, 1, 3, MPI.OBJECT);
        Check.that(Arrays.equals(new Object[] {null, objects[1], null, null}, again), "serialised");

        Check.fails(15, "Pack: 8 bytes at position 3 do not fit a packed buffer of 10",
                () -> comm.Pack(new long[1], 0, 1, MPI.LONG, new byte[10], 3));
        Check.fails(15, "Unpack: 40 bytes at position 0 do not fit a packed buffer of 10",
                () -> comm.Unpack(new byte[10], 0, new int[10], 0, 10, MPI.INT));
        Check.fails(13, "Pack: position is -1, but the packed buffer has 10 bytes",
                () -> comm.Pack(ints, 0, 1, MPI.INT, new byte[10], -1));
        Check.fails(1, "Unpack: the packed buffer is null", () -> comm.Unpack((byte[]) null, 0, ints, 0, 1, MPI.INT));
        Check.fails(1, "Pack: offset 9 and count 2 of MPI.INT reach to element 11, but the buffer has 10",
                () -> comm.Pack(ints, 9, 2, MPI.INT, new byte[10], 0));
        Check.fails(3, "Object_Serialize: the datatype MPI.INT is not one of objects",
                () -> comm.Object_Serialize(ints, 0, 1, MPI.INT));
        Check.fails(3, "Object_Deserialize: .* is not one of objects",
                () -> comm.Object_Deserialize(new Object[1], new byte[40], 0, 1, MPI.OBJECT));
        Check.fails(2, "Pack_size: count is -1; ", () -> comm.Pack_size(-1, MPI.INT));
        Check.fails(2, "Pack_size: .* more than an array has", () -> comm.Pack_size(Integer.MAX_VALUE, MPI.INT));
    }

    /** In a mpjbuf.Buffer, as MPJ Express has it. */
    static void sections(Intracomm comm) throws BufferException {
        Buffer buffer = new Buffer(16);
        Datatype vector = Datatype.Vector(3, 2, 4, MPI.INT);
        int[] ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
        int position = comm.Pack(ints, 0, 3, MPI.INT, buffer, 0);
        Check.equal(20, position, "behind a section");
        position = comm.Pack(new double[] {1, 2}, 0, 2, MPI.DOUBLE, buffer, position);
        Check.equal(48, position, "behind two");
        comm.Pack(ints, 0, 1, vector, buffer, position);
        comm.Pack(new Object[] {"a", new Point(1)}, 0, 2, MPI.OBJECT, buffer, position);
        buffer.commit();
        int[] in = new int[3];
        double[] doubles = new double[2];
        int[] spread = new int[10];
        Object[] objects = new Object[2];
        Check.equal(24, comm.Unpack(buffer, 0, in, 0, 3, MPI.INT), "the next section begins at a multiple of 8");
        Check.fails(1, "Unpack: the section is of 2 elements of DOUBLE, not of 2 of LONG",
                () -> comm.Unpack(buffer, 0, new long[2], 0, 2, MPI.LONG));
        Buffer other = new Buffer(1000);
        comm.Pack(new double[] {1, 2}, 0, 2, MPI.DOUBLE, other, 0);
        comm.Pack(ints, 0, 1, vector, other, 0);
        comm.Pack(new Object[] {"a", new Point(1)}, 0, 2, MPI.OBJECT, other, 0);
        comm.Unpack(other, 0, doubles, 0, 2, MPI.DOUBLE); // without commit: it is meant
        comm.Unpack(other, 0, spread, 0, 1, vector);
        comm.Unpack(other, 0, objects, 0, 2, MPI.OBJECT);
        Check.that(Arrays.equals(new int[] {0, 1, 2}, in) && Arrays.equals(new double[] {1, 2}, doubles), "numbers");
        Check.that(Arrays.equals(new int[] {0, 1, 0, 0, 4, 5, 0, 0, 8, 9}, spread), "spread");
        Check.that(Arrays.equals(new Object[] {"a", new Point(1)}, objects), "objects");

        other.clear();
        Check.that(other.isWritable() && other.getSize() == 0, "cleared");
        other.putSectionHeader(Type.LONG);
        other.write(new long[] {1, 2, 3}, 1, 2);
        other.write(new long[] {4}, 0, 1);
        other.putSectionHeader(Type.BOOLEAN);
        other.write(new boolean[] {true, false}, 0, 2);
        other.putSectionHeader(Type.OBJECT);
        other.write(new Object[] {"x", new Point(2)}, 0, 2);
        other.commit();
        Check.that(other.getSectionHeader() == Type.LONG && other.getSectionSize() == 3, "three longs");
        long[] longs = new long[3];
        other.read(longs, 0, 1);
        other.read(longs, 1, 2);
        Check.that(Arrays.equals(new long[] {2, 3, 4}, longs), "longs");
        Check.that(other.getSectionHeader() == Type.BOOLEAN, "booleans");
        boolean[] flags = new boolean[2];
        other.read(flags, 0, 2);
        Check.that(flags[0] && !flags[1], "flags");
        Check.that(other.getSectionHeader() == Type.OBJECT, "objects");
        other.read(objects, 0, 2);
        Check.that(Arrays.equals(new Object[] {"x", new Point(2)}, objects), "objects of a section");
        Check.equal(0, other.getRemaining(), "nothing remains");
        fails("no further section", other::getSectionHeader);
        fails("committed", () -> other.putSectionHeader(Type.INT));
        other.clear();
        fails("in no section", () -> other.write(new int[1], 0, 1));
        other.putSectionHeader(Type.INT);
        fails("of INT, not of LONG", () -> other.write(new long[1], 0, 1));
        other.free();
    }

    private interface Action {
        void run() throws BufferException;
    }

    private static void fails(String part, Action action) {
        try {
            action.run();
        } catch (BufferException e) {
            Check.that(e.getMessage().contains(part), "\"" + e.getMessage() + "\" should contain \"" + part + "\"");
            return;
        }
        throw new AssertionError("no exception, expected one with \"" + part + "\"");
    }
}
