// SPDX-License-Identifier: Apache-2.0
package conform;

import java.nio.ByteBuffer;
import mpi.BufferMPI;
import mpi.Errhandler;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Request;
import mpi.Status;

/** The small members that no other case needs. */
final class Members {
    private Members() {
    }

    static void members(Intracomm comm) {
        Check.that(MPI.NUM_OF_PROCESSORS > 0 && !MPI.DEBUG && !MPI.isOldSelected, "facts");
        Check.that(MPI.Get_version().length == 2, "version");
        Errhandler before = MPI.Errorhandler_get();
        MPI.Errorhandler_set(new Errhandler(Errhandler.RETURN));
        Check.that(MPI.Errorhandler_get().toString().equals("MPI.ERRORS_RETURN"), "handler");
        MPI.Errorhandler_set(before);
        Check.that(new Errhandler(1L).toString().equals("MPI.ERRORS_ARE_FATAL"), "handler by number");
        Check.fails(13, "Errorhandler_set: the handler is null", () -> MPI.Errorhandler_set(null));

        MPI.Buffer_attach(new BufferMPI(1000 + MPI.BSEND_OVERHEAD, MPI.BYTE));
        int me = comm.Rank();
        byte[] in = new byte[1000];
        comm.Bsend(new byte[1000], 0, 1000, MPI.BYTE, me, 1);
        comm.Recv(in, 0, 1000, MPI.BYTE, me, 1);
        Check.that(MPI.Buffer_detach() == null, "nothing to give back");
        Check.fails(2, "BufferMPI: count is -1 ", () -> new BufferMPI(-1, MPI.INT));
        Check.fails(1, "Buffer_attach: the buffer is null", () -> MPI.Buffer_attach((BufferMPI) null));

        Status status = comm.Sendrecv(in, 0, 8, MPI.BYTE, me, 1, new long[2], 0, 2, MPI.LONG, me, 1);
        Check.that(status.count == 1 && status.numEls == 1 && status.countInBytes == 8, "fields of a status");
        Status copy = new Status(status);
        Check.that(copy.source == me && copy.Get_count(MPI.BYTE) == 8 && copy.tag == 1, "a copy of a status");
        Check.equal(0, new Status(new mpjdev.Status(1, 2, 3)).Get_count(MPI.INT), "of a status without a message");
        status.free();
        status.finalize();
        Request none = new Request((mpjdev.Request) null);
        none.finalize();
        Check.that(none.Is_null(), "a request of nothing");
        Check.that(new MPIException("a", new Error()) instanceof mpjdev.MPJDevException, "exceptions");
        Check.that(MPI.COMM_WORLD.mpjdevComm == null, "no device behind");
    }

    /** Views as Open MPI has them, sent. */
    static void views(Intracomm comm) {
        ByteBuffer bytes = MPI.newByteBuffer(16);
        ByteBuffer rest = MPI.slice(bytes, 8);
        rest.putLong(0, 42);
        int me = comm.Rank();
        long[] in = new long[1];
        comm.Sendrecv(rest, 0, 1, MPI.LONG, me, 1, in, 0, 1, MPI.LONG, me, 1);
        Check.equal(42, in[0], "a view that was sent");
        comm.Sendrecv(MPI.slice(new byte[] {1, 2, 3}, 1), 0, 2, MPI.BYTE, me, 1, bytes, 3, 2, MPI.BYTE, me, 1);
        Check.that(bytes.get(3) == 2 && bytes.get(4) == 3, "a view of a byte[] that was sent");
    }
}
