// SPDX-License-Identifier: Apache-2.0
package conform;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import mpi.Datatype;
import mpi.Intracomm;
import mpi.MPI;
import mpi.Prequest;
import mpi.Request;
import mpi.Status;

/** A message says what its elements are; a receive of another type fails and leaves its buffer alone. */
final class TypeClasses {
    private static final int TYPE = 3;
    private static final Kind[] KINDS = {Kind.CHAR, Kind.SHORT, Kind.BOOLEAN, Kind.INT, Kind.LONG, Kind.FLOAT,
        Kind.DOUBLE};

    private TypeClasses() {
    }

    static void classes(Intracomm comm) {
        int partner = Sizes.partner(comm);
        if (partner < 0) {
            return;
        }
        for (Kind sent : KINDS) {
            for (Kind expected : KINDS) {
                if (sent != expected) {
                    mismatch(comm, sent, expected, 8, partner);
                }
            }
        }
        for (int bytes : new int[] {32, 1000, 200_000}) { // by every way a message may travel
            for (int i = 0; i < KINDS.length; i++) {
                mismatch(comm, KINDS[i], KINDS[(i + 1) % KINDS.length], bytes, partner);
            }
        }
        objects(comm, partner);
        ways(comm, partner);
        fitting(comm, partner);
    }

    private static String sentence(String call, int partner, int tag, Object sent, Object expected) {
        return call + ": the message from rank " + partner + " with tag " + tag + " is of " + sent
                + ", but the receive is of " + expected + "$";
    }

    /** One that is posted before the message comes, and one that finds it there. */
    private static void mismatch(Intracomm comm, Kind sent, Kind expected, int bytes, int partner) {
        int count = bytes / sent.bytes;
        int room = bytes / expected.bytes;
        Object in = expected.filled(room, 2);
        Request posted = comm.Irecv(in, 0, room, expected.type, partner, 1);
        Sizes.meet(comm, partner);
        Request[] sends = {comm.Isend(sent.filled(count, 1), 0, count, sent.type, partner, 1),
            comm.Isend(sent.filled(count, 1), 0, count, sent.type, partner, 2)};
        Check.fails(TYPE, sentence("Wait", partner, 1, sent.type, expected.type), posted::Wait);
        Check.that(posted.Is_null(), "a failed request is complete");
        Check.fails(TYPE, sentence("Recv", partner, 2, sent.type, expected.type),
                () -> comm.Recv(in, 0, room, expected.type, partner, 2));
        Request.Waitall(sends);
        expected.verify(in, 0, room, 2, "the buffer of a receive of another type");
        comm.Sendrecv(expected.filled(room, 3), 0, room, expected.type, partner, 3, in, 0, room, expected.type,
                partner, 3);
        expected.verify(in, 0, room, 3, "after a receive of another type");
    }

    private static void objects(Intracomm comm, int partner) {
        for (int length : new int[] {1, 100_000}) {
            Object[] text = {new String(new char[length])};
            int[] ints = new int[length + 1000];
            Request send = comm.Isend(text, 0, 1, MPI.OBJECT, partner, 1);
            Check.fails(TYPE, sentence("Recv", partner, 1, MPI.OBJECT, MPI.INT),
                    () -> comm.Recv(ints, 0, ints.length, MPI.INT, MPI.ANY_SOURCE, 1));
            send.Wait();
            Request numbers = comm.Isend(new double[length], 0, length, MPI.DOUBLE, partner, 2);
            Check.fails(TYPE, sentence("Recv", partner, 2, MPI.DOUBLE, MPI.OBJECT),
                    () -> comm.Recv(text, 0, 1, MPI.OBJECT, partner, MPI.ANY_TAG));
            numbers.Wait();
            Request again = comm.Isend(new double[length], 0, length, MPI.DOUBLE, partner, 2);
            Request receive = comm.Irecv(text, 0, 1, MPI.OBJECT, partner, 2);
            Check.fails(TYPE, sentence("Wait", partner, 2, MPI.DOUBLE, MPI.OBJECT), receive::Wait);
            again.Wait();
            Check.that(text[0].equals(new String(new char[length])), "the object is as it was");
        }
    }

    /** Every way to send and to receive says the type. */
    private static void ways(Intracomm comm, int partner) {
        int[] ints = {1, 2, 3, 4};
        float[] floats = new float[4];
        ByteBuffer direct = ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder());
        String two = sentence("Sendrecv", partner, 1, MPI.INT, MPI.FLOAT);
        Check.fails(TYPE, two, () -> comm.Sendrecv(ints, 0, 4, MPI.INT, partner, 1, floats, 0, 4, MPI.FLOAT, partner,
                1));
        Datatype column = Datatype.Vector(2, 1, 2, MPI.INT);
        Datatype gaps = Datatype.Vector(2, 1, 2, MPI.FLOAT);
        Check.fails(TYPE, two, () -> comm.Sendrecv(ints, 0, 1, column, partner, 1, floats, 0, 1, gaps, partner, 1));
        Check.fails(TYPE, two,
                () -> comm.Sendrecv(direct, 0, 4, MPI.INT, partner, 1, floats, 0, 4, MPI.FLOAT, partner, 1));
        Check.fails(TYPE, two,
                () -> comm.Sendrecv(ints, 0, 2, MPI.INT2, partner, 1, direct, 0, 4, MPI.FLOAT, partner, 1));

        MPI.Buffer_attach(new byte[1000 + MPI.BSEND_OVERHEAD]);
        comm.Bsend(ints, 0, 4, MPI.INT, partner, 2);
        Check.fails(TYPE, sentence("Recv", partner, 2, MPI.INT, MPI.FLOAT),
                () -> comm.Recv(floats, 0, 4, MPI.FLOAT, partner, 2));
        MPI.Buffer_detach();

        Prequest send = comm.Ssend_init(ints, 0, 4, MPI.INT, partner, 3);
        Prequest receive = comm.Recv_init(floats, 0, 4, MPI.FLOAT, partner, 3);
        for (int i = 0; i < 2; i++) {
            Prequest.Startall(new Prequest[] {send, receive});
            Check.fails(TYPE, sentence("Waitall", partner, 3, MPI.INT, MPI.FLOAT),
                    () -> Request.Waitall(new Request[] {receive}));
            send.Wait();
        }
        send.Free();
        receive.Free();

        // The lower of the two replaces ints, the other floats.
        boolean isLower = comm.Rank() < partner;
        Object both = isLower ? ints : floats;
        Datatype mine = isLower ? MPI.INT : MPI.FLOAT;
        Check.fails(TYPE, sentence("Sendrecv_replace", partner, 4, isLower ? MPI.FLOAT : MPI.INT, mine),
                () -> comm.Sendrecv_replace(both, 0, 4, mine, partner, 4, partner, 4));
        Check.equal(1, ints[0], "the ints are as they were");
        Check.that(floats[0] == 0, "the floats are as they were");
    }

    /** Bytes and packed data fit everything, and so does a message of nothing. */
    private static void fitting(Intracomm comm, int partner) {
        byte[] bytes = new byte[16];
        int[] ints = {1, 2, 3, 4};
        int[] in = new int[4];
        for (Datatype type : new Datatype[] {MPI.BYTE, MPI.PACKED}) {
            comm.Sendrecv(ints, 0, 4, MPI.INT, partner, 1, bytes, 0, 16, type, partner, 1);
            comm.Sendrecv(bytes, 0, 16, type, partner, 1, in, 0, 4, MPI.INT, partner, 1);
            Check.equal(4, in[3], "ints by way of " + type);
        }
        Status status = comm.Sendrecv(new Object[] {"text"}, 0, 1, MPI.OBJECT, partner, 1, new byte[1000], 0, 1000,
                MPI.BYTE, partner, 1);
        Check.that(status.count > 4, "an object as bytes");
        comm.Sendrecv(ints, 0, 0, MPI.INT, partner, 1, new double[1], 0, 1, MPI.DOUBLE, partner, 1);
        comm.Sendrecv(ints, 0, 4, MPI.INT, partner, 1, in, 0, 2, MPI.INT2, partner, 1);
        comm.Sendrecv(ints, 0, 2, Datatype.Vector(2, 1, 1, MPI.INT), partner, 1, in, 0, 4, MPI.INT, partner, 1);
        ByteBuffer wrapped = ByteBuffer.allocate(16).order(ByteOrder.nativeOrder());
        comm.Sendrecv(ints, 0, 4, MPI.INT, partner, 1, wrapped, 0, 4, MPI.INT, partner, 1);
        Check.equal(4, wrapped.getInt(12), "ints in a ByteBuffer");
    }
}
