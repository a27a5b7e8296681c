// SPDX-License-Identifier: Apache-2.0
package conform;

import java.nio.ByteBuffer;
import mpi.Comm;
import mpi.Datatype;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Prequest;
import mpi.Request;

/** What goes wrong is told, and what comes after still works. */
final class Failures {
    private static final int BUFFER = 1;
    private static final int COUNT = 2;
    private static final int TYPE = 3;
    private static final int TAG = 4;
    private static final int COMM = 5;
    private static final int RANK = 6;
    private static final int REQUEST = 7;
    private static final int ARG = 13;
    private static final int TRUNCATE = 15;

    private Failures() {
    }

    static void truncation(Intracomm comm) {
        int partner = Sizes.partner(comm);
        if (partner < 0) {
            return;
        }
        for (Kind kind : new Kind[] {Kind.BYTE, Kind.DIRECT_BYTE, Kind.DOUBLE}) {
            for (int bytes : Sizes.SOME) {
                int count = bytes / kind.bytes;
                if (count > 0 && bytes <= 65537) {
                    for (int room : new int[] {count - 1, count / 2, 0}) {
                        truncation(comm, kind, count, room, partner);
                    }
                }
            }
        }
        // Of several requests only one is truncated: the others are complete all the same.
        int[][] in = {new int[10], new int[9], new int[10]};
        Request[] receives = new Request[3];
        for (int i = 0; i < 3; i++) {
            receives[i] = comm.Irecv(in[i], 0, in[i].length, MPI.INT, partner, i);
        }
        for (int i = 0; i < 3; i++) {
            comm.Send(Kind.INT.filled(10, i), 0, 10, MPI.INT, partner, i);
        }
        Check.fails(TRUNCATE, "Waitall: the message of 40 bytes from rank " + partner
                + " with tag 1 does not fit the receive buffer of 36 bytes", () -> Request.Waitall(receives));
        for (int i = 0; i < 3; i++) {
            Check.that(receives[i].Is_null(), "request " + i + " is complete");
        }
        Kind.INT.verify(in[0], 0, 10, 0, "before the truncated one");
        Kind.INT.verify(in[2], 0, 10, 2, "behind the truncated one");
    }

    /** Recv, or Irecv and Wait; what lies behind the room is not touched. */
    private static void truncation(Intracomm comm, Kind kind, int count, int room, int partner) {
        Object out = kind.filled(count, 1);
        Object in = kind.filled(count + 8, 2);
        String sentence = "the message of " + count * kind.bytes + " bytes from rank " + partner
                + " with tag 1 does not fit the receive buffer of " + room * kind.bytes + " bytes";
        Request send = comm.Isend(out, 0, count, kind.type, partner, 1);
        if (room % 2 == 0) {
            Check.fails(TRUNCATE, "Recv: " + sentence, () -> comm.Recv(in, 0, room, kind.type, partner, 1));
        } else {
            Request receive = comm.Irecv(in, 0, room, kind.type, MPI.ANY_SOURCE, 1);
            Check.fails(TRUNCATE, "Wait: " + sentence, receive::Wait);
            Check.that(receive.Is_null(), "a failed request is complete");
        }
        send.Wait();
        for (int i = room; i < count + 8; i++) {
            Check.that(kind.has(in, i, Kind.pattern(2, i)), "element " + i + " behind the room was overwritten");
        }
        comm.Sendrecv(out, 0, count, kind.type, partner, 2, in, 0, count, kind.type, partner, 2);
        kind.verify(in, 0, count, 1, "after a truncation");
    }

    static void wrongArguments(Intracomm comm) {
        int size = comm.Size();
        int me = comm.Rank();
        int[] ints = new int[10];
        String ranks = size == 1 ? "1 rank \\(0\\)" : size + " ranks \\(0\\.\\." + (size - 1) + "\\)";

        Check.fails(RANK, "Send: dest is " + size + ", but the communicator has " + ranks,
                () -> comm.Send(ints, 0, 1, MPI.INT, size, 0));
        Check.fails(RANK, "Ssend: dest is -1, ", () -> comm.Ssend(ints, 0, 1, MPI.INT, -1, 0));
        Check.fails(RANK, "Isend: dest is -2, ", () -> comm.Isend(ints, 0, 1, MPI.INT, MPI.ANY_SOURCE, 0));
        Check.fails(RANK, "Recv: source is " + size + ", ", () -> comm.Recv(ints, 0, 1, MPI.INT, size, 0));
        Check.fails(RANK, "Irecv: source is -4, ", () -> comm.Irecv(ints, 0, 1, MPI.INT, -4, 0));
        Check.fails(RANK, "Probe: source is 99999, ", () -> comm.Probe(99999, 0));
        Check.fails(RANK, "Iprobe: source is -1, ", () -> comm.Iprobe(-1, 0));
        Check.fails(RANK, "Sendrecv: dest is ", () -> comm.Sendrecv(ints, 0, 1, MPI.INT, size, 0, ints, 0, 1, MPI.INT,
                me, 0));
        Check.fails(RANK, "Sendrecv_replace: source is ",
                () -> comm.Sendrecv_replace(ints, 0, 1, MPI.INT, me, 0, size, 0));
        Check.fails(RANK, "Send_init: dest is ", () -> comm.Send_init(ints, 0, 1, MPI.INT, size, 0));
        Check.fails(RANK, "Recv_init: source is ", () -> comm.Recv_init(ints, 0, 1, MPI.INT, size, 0));

        Check.fails(TAG, "Send: tag is -5; it cannot be negative", () -> comm.Send(ints, 0, 1, MPI.INT, me, -5));
        Check.fails(TAG, "Send: tag is -2; ", () -> comm.Send(ints, 0, 1, MPI.INT, me, MPI.ANY_TAG));
        Check.fails(TAG, "Recv: tag is -1; ", () -> comm.Recv(ints, 0, 1, MPI.INT, me, -1));
        Check.fails(TAG, "Bsend: tag is ", () -> comm.Bsend(ints, 0, 1, MPI.INT, me, Integer.MIN_VALUE));

        Check.fails(COUNT, "Send: count is -1; it cannot be negative", () -> comm.Send(ints, 0, -1, MPI.INT, me, 0));
        Check.fails(COUNT, "Recv: count is -7; ", () -> comm.Recv(ints, 0, -7, MPI.INT, me, 0));
        Check.fails(ARG, "Rsend: offset is -1; it cannot be negative", () -> comm.Rsend(ints, -1, 1, MPI.INT, me, 0));
        Check.fails(BUFFER, "Send: offset 4 and count 7 of MPI.INT reach to element 11, but the buffer has 10",
                () -> comm.Send(ints, 4, 7, MPI.INT, me, 0));
        Check.fails(BUFFER, "Recv: offset 11 and count 0 ", () -> comm.Recv(ints, 11, 0, MPI.INT, me, 0));
        Check.fails(BUFFER, "Send: offset 2147483647 and count 2147483647 ",
                () -> comm.Send(ints, Integer.MAX_VALUE, Integer.MAX_VALUE, MPI.INT, me, 0));
        Check.fails(BUFFER, "Send: offset 0 and count 3 of Contiguous\\(4, MPI.INT\\) reach to element 12",
                () -> comm.Send(ints, 0, 3, Datatype.Contiguous(4, MPI.INT), me, 0));
        Check.fails(BUFFER, "Isend: offset 1 and count 4 of MPI.LONG reach to element 5, but the buffer has 4",
                () -> comm.Isend(ByteBuffer.allocateDirect(39), 1, 4, MPI.LONG, me, 0));
        Check.fails(BUFFER, "Irecv: offset 0 and count 41 ", () -> comm.Irecv(ByteBuffer.allocate(40), 0, 41, MPI.BYTE,
                me, 0));
        Check.fails(BUFFER, "Recv: the ByteBuffer is read-only",
                () -> comm.Recv(ByteBuffer.allocateDirect(8).asReadOnlyBuffer(), 0, 1, MPI.LONG, me, 0));
        Check.fails(BUFFER, "Send: the buffer is null, but count is 3", () -> comm.Send(null, 0, 3, MPI.INT, me, 0));

        Check.fails(TYPE, "Send: the datatype is null", () -> comm.Send(ints, 0, 1, null, me, 0));
        Check.fails(TYPE, "Send: the buffer is an int\\[\\], but the datatype MPI.DOUBLE needs a double\\[\\] or "
                + "a ByteBuffer",
                () -> comm.Send(ints, 0, 1, MPI.DOUBLE, me, 0));
        Check.fails(TYPE, "Recv: the buffer is a byte\\[\\], but the datatype MPI.BOOLEAN needs ",
                () -> comm.Recv(new byte[1], 0, 1, MPI.BOOLEAN, me, 0));
        Check.fails(TYPE, "Send: the buffer is a String, ", () -> comm.Send("text", 0, 1, MPI.CHAR, me, 0));
        Check.fails(TYPE, "Send: the buffer is an int\\[\\]\\[\\], ",
                () -> comm.Send(new int[2][2], 0, 1, MPI.INT, me, 0));
        Check.fails(COUNT, "Contiguous: count is -1; it cannot be negative", () -> Datatype.Contiguous(-1, MPI.INT));
        Check.fails(TYPE, "Get_count: the datatype is null", () -> MPI.EMPTY_STATUS.Get_count(null));

        Check.fails(COMM, "Send: the communicator is MPI.COMM_NULL",
                () -> MPI.COMM_NULL.Send(ints, 0, 1, MPI.INT, 0, 0));
        Check.fails(COMM, "Free: MPI.COMM_WORLD cannot be freed", () -> MPI.COMM_WORLD.Free());
        Check.fails(COMM, "Compare: a communicator is a null reference", () -> Comm.Compare(comm, null));
        Check.fails(ARG, "Split: colour is -9; ", () -> comm.Split(-9, 0));
        Check.fails(ARG, "Init_thread: required is 0; ", () -> MPI.Init_thread(new String[0], 0));
        Check.fails(16, "Init: MPI is already initialised", () -> MPI.Init(new String[0]));
        Check.fails(BUFFER, "Buffer_attach: the buffer is null", () -> MPI.Buffer_attach((byte[]) null));

        Check.fails(REQUEST, "Waitall: the array of requests is null", () -> Request.Waitall(null));
        Check.fails(REQUEST, "Startall: the array of requests is null", () -> Prequest.Startall(null));

        Check.that(new MPIException("a").getMessage().equals("a") && new MPIException(new Error()).getCause() != null,
                "constructors of MPIException");
        comm.Send(null, 0, 0, MPI.INT, me, 0); // nothing from nowhere is a message
        Check.equal(0, comm.Recv(null, 0, 0, MPI.INT, me, 0).Get_count(MPI.INT), "the empty message");
    }
}
