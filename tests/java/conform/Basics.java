// SPDX-License-Identifier: Apache-2.0
package conform;

import java.nio.ByteBuffer;
import mpi.Intracomm;
import mpi.MPI;
import mpi.Request;
import mpi.Status;

/** One message at a time: every size, every kind of buffer, every mode. */
final class Basics {
    private Basics() {
    }

    static void basics(Intracomm comm) {
        Check.that(MPI.Initialized(), "initialised");
        Check.that(!MPI.Finalized(), "not finalised");
        Check.equal(MPI.THREAD_MULTIPLE, MPI.queryThread(), "thread level");
        Check.that(MPI.isMainThread(), "main thread");
        Check.that(!MPI.Get_processor_name().isEmpty(), "processor name");
        double before = MPI.Wtime();
        Check.that(MPI.Wtick() > 0 && MPI.Wtime() >= before, "time");
        Check.equal(1, MPI.COMM_SELF.Size(), "size of self");
        Check.equal(0, MPI.COMM_SELF.Rank(), "rank in self");
        Check.that(MPI.COMM_NULL.Is_null() && !comm.Is_null(), "null communicator");
        Check.that(!comm.Test_inter(), "no intercommunicator");
        Check.equal(MPI.UNDEFINED, comm.Topo_test(), "topology");
        Check.equal(1, MPI.DOUBLE.Size(), "size of a double");
        comm.Set_name("a name");
        Check.that(comm.Get_name().equals("a name"), "name");
        comm.Errhandler_set(MPI.ERRORS_RETURN);
        Check.that(comm.Errorhandler_get() == MPI.ERRORS_RETURN, "error handler");
        Status empty = MPI.REQUEST_NULL.Wait();
        Check.that(MPI.REQUEST_NULL.Is_null() && empty.source == MPI.ANY_SOURCE && empty.tag == MPI.ANY_TAG
                && empty.Get_count(MPI.INT) == 0, "null request");
    }

    /** Even ranks send first, odd ones answer with the complement. */
    private static void pingPong(Intracomm comm, Kind kind, int count, int tag) {
        int partner = Sizes.partner(comm);
        if (partner < 0) {
            return;
        }
        Object out = kind.filled(count, tag * 2L + comm.Rank() % 2);
        Object in = kind.make(count);
        Status status;
        if (comm.Rank() % 2 == 0) {
            comm.Send(out, 0, count, kind.type, partner, tag);
            status = comm.Recv(in, 0, count, kind.type, partner, tag);
        } else {
            status = comm.Recv(in, 0, count, kind.type, partner, tag);
            comm.Send(out, 0, count, kind.type, partner, tag);
        }
        String what = kind + " x " + count;
        kind.verify(in, 0, count, tag * 2L + partner % 2, what);
        kind.verify(out, 0, count, tag * 2L + comm.Rank() % 2, what + ", what was sent");
        Check.equal(partner, status.source, "source of " + what);
        Check.equal(tag, status.tag, "tag of " + what);
        Check.equal(count, status.count, "count field of " + what);
        Check.equal(count, status.Get_count(kind.type), "count of " + what);
        Check.equal(count, status.Get_elements(kind.type), "elements of " + what);
        Check.equal((long) count * kind.bytes, status.Get_count(MPI.BYTE), "bytes of " + what);
        Check.that(!status.Test_cancelled(), "not cancelled");
        status.free();
    }

    static void sizes(Intracomm comm) {
        for (int i = 0; i < Sizes.BYTES.length; i++) {
            pingPong(comm, Kind.BYTE, Sizes.BYTES[i], i);
            pingPong(comm, Kind.DIRECT_BYTE, Sizes.BYTES[i], 100 + i);
        }
    }

    static void kinds(Intracomm comm) {
        for (Kind kind : Kind.values()) {
            for (int bytes : Sizes.SOME) {
                pingPong(comm, kind, bytes / kind.bytes, 1000 + kind.ordinal());
            }
        }
    }

    /** Messages that travel in a register, among them those that look like the mark for those that do not. */
    static void words(Intracomm comm) {
        long mark = 0x7A31C95E04D8B600L;
        int me = comm.Rank();
        for (long value : new long[] {0, -1, 1, Long.MIN_VALUE, mark, mark + 8, mark + 255, mark - 1, mark + 256,
            0x7FF0000000000001L, 0xFFF8000000000123L}) {
            long[] longs = {value, 5, 6};
            comm.Sendrecv(longs, 0, 1, MPI.LONG, me, 9, longs, 2, 1, MPI.LONG, me, 9);
            comm.Send(longs, 0, 1, MPI.LONG, me, 1);
            Check.equal(8, comm.Recv(longs, 1, 1, MPI.LONG, me, 1).Get_count(MPI.BYTE), "length of a long");
            Check.that(longs[0] == value && longs[1] == value && longs[2] == value, "long " + Long.toHexString(value));

            comm.Send(longs, 0, 1, MPI.LONG, me, 1);
            byte[] raw = new byte[8]; // bytes may become anything, other types only themselves
            comm.Recv(raw, 0, 8, MPI.BYTE, me, 1);
            comm.Send(raw, 0, 8, MPI.BYTE, me, 1);
            double[] doubles = {1, 2, 3};
            comm.Recv(doubles, 1, 1, MPI.DOUBLE, me, 1);
            Check.equal(value, Double.doubleToRawLongBits(doubles[1]), "bits of a double");
            comm.Send(doubles, 1, 1, MPI.DOUBLE, me, 1);
            byte[] bytes = new byte[12];
            comm.Recv(bytes, 3, 8, MPI.BYTE, me, 1);
            comm.Send(bytes, 3, 8, MPI.BYTE, me, 1);
            long[] back = new long[1];
            comm.Recv(back, 0, 1, MPI.LONG, me, 1);
            Check.that(back[0] == value && bytes[2] == 0 && bytes[11] == 0, "bytes of " + Long.toHexString(value));

            int[] ints = {7, (int) value, 7};
            comm.Send(ints, 1, 1, MPI.INT, me, 1);
            comm.Recv(raw, 0, 4, MPI.BYTE, me, 1);
            comm.Send(raw, 0, 4, MPI.BYTE, me, 1);
            float[] floats = {1, 2, 3};
            Check.equal(1, comm.Recv(floats, 2, 1, MPI.FLOAT, me, 1).count, "one float");
            comm.Send(floats, 2, 1, MPI.FLOAT, me, 1);
            comm.Recv(raw, 4, 4, MPI.BYTE, me, 1);
            comm.Send(raw, 4, 4, MPI.BYTE, me, 1);
            comm.Recv(ints, 0, 1, MPI.INT, me, 1);
            Check.that(ints[0] == (int) value && ints[1] == (int) value && ints[2] == 7 && floats[1] == 2,
                    "int " + Integer.toHexString((int) value));
        }
        for (int length = 0; length <= 8; length++) {
            byte[] in = new byte[10];
            comm.Send(Kind.BYTE.filled(length, length), 0, length, MPI.BYTE, me, 1);
            Check.equal(length, comm.Recv(in, 1, 8, MPI.BYTE, me, 1).count, "length of a short message");
            Kind.BYTE.verify(in, 1, length, length, "short message");
            for (int i = length + 1; i < 10; i++) {
                Check.equal(0, in[i], "byte behind a short message");
            }
        }
        int[] partly = {-1, -1};
        comm.Send(new byte[3], 0, 3, MPI.BYTE, me, 1);
        Check.equal(3, comm.Recv(partly, 0, 1, MPI.INT, me, 1).Get_count(MPI.BYTE), "three bytes into an int");
        Check.equal(0xFF000000, partly[0], "three of its four bytes");
        Check.equal(-1, partly[1], "the next int");
        comm.Send(new long[2], 0, 2, MPI.LONG, me, 1);
        Check.fails(15, "Recv: the message of 16 bytes from rank " + me + " with tag 1 does not fit .* 8 bytes",
                () -> comm.Recv(new long[1], 0, 1, MPI.LONG, me, 1));
    }

    /** Only the elements named are read and written, on both sides. */
    static void offsets(Intracomm comm) {
        int partner = Sizes.partner(comm);
        if (partner < 0) {
            return;
        }
        for (Kind kind : Kind.values()) {
            for (int count : new int[] {0, 1, 5, 40, 1000, 40000}) {
                offsets(comm, kind, count, partner);
            }
        }
    }

    private static void offsets(Intracomm comm, Kind kind, int count, int partner) {
        int before = 3;
        int after = 4;
        Object out = kind.filled(before + count + after, 7);
        kind.fill(out, before, count, 8);
        Object in = kind.filled(before + count + after, 9);
        comm.Sendrecv(out, before, count, kind.type, partner, 1, in, before, count, kind.type, partner, 1);
        kind.verify(in, before, count, 8, "what was received");
        for (int i = 0; i < before; i++) {
            Check.that(kind.has(in, i, Kind.pattern(9, i)), "element before the room was overwritten");
        }
        for (int i = before + count; i < before + count + after; i++) {
            Check.that(kind.has(in, i, Kind.pattern(9, i)), "element behind the room was overwritten");
        }
    }

    static void modes(Intracomm comm) {
        int partner = Sizes.partner(comm);
        if (partner < 0) {
            return;
        }
        MPI.Buffer_attach(new byte[8 * (1 << 20)]);
        for (int bytes : Sizes.FEW) {
            for (int mode = 0; mode < 8; mode++) {
                Object in = Kind.BYTE.make(bytes);
                Request receive = comm.Irecv(in, 0, bytes, MPI.BYTE, partner, mode);
                Sizes.meet(comm, partner); // a ready send needs its receive
                Object out = Kind.BYTE.filled(bytes, mode);
                Request send = send(comm, mode, out, bytes, partner);
                Status status = receive.Wait();
                if (send != null) {
                    send.Wait();
                    Check.that(send.Is_null(), "a completed request is null");
                }
                Check.equal(bytes, status.Get_count(MPI.BYTE), "bytes in mode " + mode);
                Kind.BYTE.verify(in, 0, bytes, mode, "mode " + mode);
            }
        }
        MPI.Buffer_detach();
    }

    /** Eight modes: four blocking, which return null, and four that do not block. */
    private static Request send(Intracomm comm, int mode, Object out, int bytes, int dest) {
        switch (mode) {
        case 0:
            comm.Send(out, 0, bytes, MPI.BYTE, dest, mode);
            return null;
        case 1:
            comm.Ssend(out, 0, bytes, MPI.BYTE, dest, mode);
            return null;
        case 2:
            comm.Bsend(out, 0, bytes, MPI.BYTE, dest, mode);
            return null;
        case 3:
            comm.Rsend(out, 0, bytes, MPI.BYTE, dest, mode);
            return null;
        case 4:
            return comm.Isend(out, 0, bytes, MPI.BYTE, dest, mode);
        case 5:
            return comm.Issend(out, 0, bytes, MPI.BYTE, dest, mode);
        case 6:
            return comm.Ibsend(out, 0, bytes, MPI.BYTE, dest, mode);
        default:
            return comm.Irsend(out, 0, bytes, MPI.BYTE, dest, mode);
        }
    }

    /** Around the ring, in both directions. */
    static void sendrecv(Intracomm comm) {
        int size = comm.Size();
        int next = (comm.Rank() + 1) % size;
        int previous = (comm.Rank() + size - 1) % size;
        for (int bytes : Sizes.FEW) {
            int count = bytes / 8;
            Object out = Kind.DOUBLE.filled(count, comm.Rank());
            Object in = Kind.DOUBLE.make(count);
            Status status = comm.Sendrecv(out, 0, count, MPI.DOUBLE, next, 5, in, 0, count, MPI.DOUBLE, previous,
                    MPI.ANY_TAG);
            Kind.DOUBLE.verify(in, 0, count, previous, "Sendrecv");
            Check.equal(previous, status.source, "source of Sendrecv");
            Check.equal(5, status.tag, "tag of Sendrecv");

            status = comm.Sendrecv_replace(out, 0, count, MPI.DOUBLE, previous, 6, MPI.ANY_SOURCE, 6);
            Kind.DOUBLE.verify(out, 0, count, next, "Sendrecv_replace");
            Check.equal(next, status.source, "source of Sendrecv_replace");
            Check.equal(count, status.Get_count(MPI.DOUBLE), "count of Sendrecv_replace");
        }
    }

    static void self(Intracomm comm) {
        int me = comm.Rank();
        for (int bytes : Sizes.SOME) {
            Object in = Kind.BYTE.make(bytes);
            Request receive = comm.Irecv(in, 0, bytes, MPI.BYTE, me, 3);
            comm.Send(Kind.BYTE.filled(bytes, bytes), 0, bytes, MPI.BYTE, me, 3);
            receive.Wait();
            Kind.BYTE.verify(in, 0, bytes, bytes, "to itself, receive first");

            Object again = Kind.BYTE.make(bytes);
            Request send = comm.Isend(Kind.BYTE.filled(bytes, bytes + 1), 0, bytes, MPI.BYTE, me, 4);
            Status status = comm.Recv(again, 0, bytes, MPI.BYTE, MPI.ANY_SOURCE, MPI.ANY_TAG);
            send.Wait();
            Check.equal(me, status.source, "source of a message to itself");
            Kind.BYTE.verify(again, 0, bytes, bytes + 1, "to itself, send first");
        }
        int[] word = {me};
        MPI.COMM_SELF.Sendrecv_replace(word, 0, 1, MPI.INT, 0, 1, 0, 1);
        Check.equal(me, word[0], "through COMM_SELF");
    }

    static void nobody(Intracomm comm) {
        int[] word = {42};
        comm.Send(word, 0, 1, MPI.INT, MPI.PROC_NULL, 1);
        comm.Ssend(word, 0, 1, MPI.INT, MPI.PROC_NULL, 1);
        checkNobody(comm.Recv(word, 0, 1, MPI.INT, MPI.PROC_NULL, 1), "Recv");
        checkNobody(comm.Probe(MPI.PROC_NULL, 1), "Probe");
        checkNobody(comm.Iprobe(MPI.PROC_NULL, 1), "Iprobe");
        checkNobody(comm.Irecv(word, 0, 1, MPI.INT, MPI.PROC_NULL, 1).Wait(), "Irecv");
        comm.Isend(word, 0, 1, MPI.INT, MPI.PROC_NULL, 1).Wait();
        checkNobody(comm.Sendrecv(word, 0, 1, MPI.INT, MPI.PROC_NULL, 1, word, 0, 1, MPI.INT, MPI.PROC_NULL, 1),
                "Sendrecv");
        Check.equal(42, word[0], "a buffer that nobody wrote");
    }

    private static void checkNobody(Status status, String call) {
        Check.that(status != null, call + " from PROC_NULL has a status");
        Check.equal(MPI.PROC_NULL, status.source, call + ": source");
        Check.equal(MPI.ANY_TAG, status.tag, call + ": tag");
        Check.equal(0, status.Get_count(MPI.INT), call + ": count");
    }

    static void bufferAttach(Intracomm comm) {
        byte[] room = new byte[1000 + MPI.BSEND_OVERHEAD];
        MPI.Buffer_attach(room);
        Check.fails(1, "attachBuffer: a buffer is attached already", () -> MPI.attachBuffer(room));
        comm.Bsend(Kind.BYTE.filled(1000, 1), 0, 1000, MPI.BYTE, comm.Rank(), 1);
        Object in = Kind.BYTE.make(1000);
        comm.Recv(in, 0, 1000, MPI.BYTE, comm.Rank(), 1);
        Kind.BYTE.verify(in, 0, 1000, 1, "Bsend");
        Check.that(MPI.Buffer_detach() == room, "the attached array comes back");
        Check.fails(1, "Buffer_detach: no buffer is attached", MPI::Buffer_detach);
        Check.fails(1, "Bsend: ", () -> comm.Bsend(room, 0, 1, MPI.BYTE, comm.Rank(), 1));

        // The second room replaces the first, whatever is in that.
        MPI.Buffer_attach(room);
        comm.Bsend(Kind.BYTE.filled(1000, 3), 0, 1000, MPI.BYTE, comm.Rank(), 1);
        byte[] larger = new byte[3000 + MPI.BSEND_OVERHEAD];
        MPI.Buffer_attach(larger);
        comm.Bsend(Kind.BYTE.filled(3000, 4), 0, 3000, MPI.BYTE, comm.Rank(), 1);
        comm.Recv(in, 0, 1000, MPI.BYTE, comm.Rank(), 1);
        Kind.BYTE.verify(in, 0, 1000, 3, "Bsend before another room");
        Object more = Kind.BYTE.make(3000);
        comm.Recv(more, 0, 3000, MPI.BYTE, comm.Rank(), 1);
        Kind.BYTE.verify(more, 0, 3000, 4, "Bsend in another room");
        Check.that(MPI.Buffer_detach() == larger, "the second array comes back");

        MPI.Buffer_attach(ByteBuffer.allocateDirect(4096));
        comm.Bsend(Kind.BYTE.filled(1000, 2), 0, 1000, MPI.BYTE, comm.Rank(), 1);
        Check.fails(1, "Bsend: ", () -> comm.Bsend(new byte[4096], 0, 4096, MPI.BYTE, comm.Rank(), 1));
        comm.Recv(in, 0, 1000, MPI.BYTE, comm.Rank(), 1);
        Kind.BYTE.verify(in, 0, 1000, 2, "Bsend from a direct buffer");
        Check.that(MPI.Buffer_detach() == null, "a direct buffer does not come back as an array");
    }
}
