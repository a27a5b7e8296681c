// SPDX-License-Identifier: Apache-2.0
package conform;

import conform.Things.Point;
import java.util.Arrays;
import mpi.Datatype;
import mpi.Intracomm;
import mpi.MPI;
import mpi.Message;
import mpi.Prequest;
import mpi.Request;
import mpi.Status;
import mpjbuf.Buffer;
import mpjbuf.BufferException;
import mpjbuf.BufferFactory;
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
        other.putSectionHeader(Type.OBJECT); // of a class that is this rank's own
        other.write(new Object[] {"x", new Point(2)}, 0, 2);
        other.commit();
        Check.that(other.getSectionHeader() == Type.OBJECT, "a section of objects");
        other.read(objects, 0, 2);
        Check.that(Arrays.equals(new Object[] {"x", new Point(2)}, objects), "objects of a section");
        other.free();
    }

    /** A mpjbuf.Buffer sent and received as MPI.PACKED; its memory is made by the factory, as there. */
    static void messages(Intracomm comm) {
        int partner = Sizes.partner(comm);
        if (partner < 0) {
            return;
        }
        for (int many : new int[] {1, 3, 5000, 100000}) {
            for (int way = 0; way < 7; way++) {
                Buffer out = packed(comm, many, way);
                Buffer in = new Buffer(BufferFactory.create(64 + MPI.RECV_OVERHEAD), MPI.RECV_OVERHEAD,
                        64 + MPI.RECV_OVERHEAD);
                Status status = exchange(comm, way, out, in, partner);
                Check.equal(out.getSize(), status.Get_count(MPI.PACKED), "bytes");
                verify(comm, way == 5 ? out : in, many, way);
                BufferFactory.destroy(out.getStaticBuffer());
                BufferFactory.destroy(in.getStaticBuffer());
            }
        }
        Buffer sections = packed(comm, 1, 0);
        Check.fails(3, "Bcast: the buffer is a Buffer, but the datatype MPI.PACKED needs a byte\\[\\] or a ByteBuffer",
                () -> comm.Bcast(sections, 0, 1, MPI.PACKED, comm.Rank()));
        Check.fails(3, "Send: the buffer is a Buffer, but the datatype MPI.BYTE needs ",
                () -> comm.Send(sections, 0, 1, MPI.BYTE, partner, 1));
    }

    private static Buffer packed(Intracomm comm, int many, int seed) {
        Buffer out = new Buffer(BufferFactory.create(32 + MPI.SEND_OVERHEAD), MPI.SEND_OVERHEAD,
                32 + MPI.SEND_OVERHEAD);
        int position = comm.Pack(new int[] {seed}, 0, 1, MPI.INT, out, 0);
        position = comm.Pack(Kind.DOUBLE.filled(many, seed), 0, many, MPI.DOUBLE, out, position);
        position = comm.Pack(new Object[] {new Point(seed)}, 0, 1, MPI.OBJECT, out, position);
        position = comm.Pack(new byte[] {(byte) seed}, 0, 1, MPI.BYTE, out, position);
        Check.equal(position, out.getSize(), "position and size");
        return out;
    }

    /** Offset and count say nothing: the buffer goes as a whole. */
    private static Status exchange(Intracomm comm, int way, Buffer out, Buffer in, int partner) {
        switch (way) {
        case 0:
        case 1:
            Request send = comm.Isend(out, 0, out.getSize(), MPI.PACKED, partner, 1);
            Status status = comm.Recv(in, 0, way == 0 ? out.getSize() : 10, MPI.PACKED, partner, 1);
            send.Wait();
            return status;
        case 2:
            Request receive = comm.Irecv(in, 0, 10_000, MPI.PACKED, MPI.ANY_SOURCE, MPI.ANY_TAG);
            comm.Send(out, 0, 1, MPI.PACKED, partner, 1);
            return Request.Waitall(new Request[] {null, receive})[1];
        case 3:
            Prequest[] both = {comm.Recv_init(in, 0, 1, MPI.PACKED, partner, 1),
                comm.Ssend_init(out, 0, 1, MPI.PACKED, partner, 1)};
            Prequest.Startall(both);
            Request.Waitall(both);
            Prequest.Startall(both);
            Status[] statuses = Request.Waitall(both);
            both[0].Free();
            both[1].Free();
            return statuses[0];
        case 4:
            return comm.Sendrecv(out, 0, 1, MPI.PACKED, partner, 1, in, 0, 1, MPI.PACKED, partner, 1);
        case 6:
            Request sent = comm.Isend(out, 0, 1, MPI.PACKED, partner, 1);
            Message message = new Message();
            message.mProbe(partner, 1, comm);
            Status taken = message.mRecv(in, 1, MPI.PACKED);
            sent.Wait();
            return taken;
        default:
            return comm.Sendrecv_replace(out, 0, 1, MPI.PACKED, partner, 1, partner, 1);
        }
    }

    private static void verify(Intracomm comm, Buffer in, int many, int seed) {
        int[] number = new int[1];
        double[] doubles = new double[many];
        Object[] objects = new Object[1];
        byte[] last = new byte[1];
        int position = comm.Unpack(in, 0, number, 0, 1, MPI.INT);
        position = comm.Unpack(in, position, doubles, 0, many, MPI.DOUBLE);
        position = comm.Unpack(in, position, objects, 0, 1, MPI.OBJECT);
        comm.Unpack(in, position, last, 0, 1, MPI.BYTE);
        Check.equal(seed, number[0], "the number");
        Kind.DOUBLE.verify(doubles, 0, many, seed, "doubles");
        Check.that(objects[0].equals(new Point(seed)), "the object");
        Check.equal(seed, last[0], "the last byte");
        Check.fails(1, "Unpack: the buffer has no further section", () -> comm.Unpack(in, 0, last, 0, 1, MPI.BYTE));
    }
}
