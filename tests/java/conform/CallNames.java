// SPDX-License-Identifier: Apache-2.0
package conform;

import java.util.function.Consumer;
import mpi.Intracomm;
import mpi.MPI;
import mpi.Message;
import mpi.Request;

/** What the engine finds is told by the name of the method that the program called, in either dialect. */
final class CallNames {
    private static final int TAG = 1;

    private final Intracomm comm;
    private final int me;
    private final int[] room = new int[1];

    private CallNames(Intracomm comm) {
        this.comm = comm;
        this.me = comm.Rank();
    }

    static void names(Intracomm comm) {
        CallNames names = new CallNames(comm);
        names.receives();
        names.completions();
        names.completionsOfMany();
    }

    /** The call receives two ints where there is room for one. */
    private void refuses(String call, Runnable action) {
        Request sent = comm.Isend(new int[2], 0, 2, MPI.INT, me, TAG);
        Check.fails(MPI.ERR_TRUNCATE, call + ": the message of 8 bytes from rank " + me
                + " with tag 1 does not fit the receive buffer of 4 bytes", action);
        sent.Wait();
    }

    private void receives() {
        refuses("Recv", () -> comm.Recv(room, 0, 1, MPI.INT, me, TAG));
        refuses("recv", () -> comm.recv(room, 1, MPI.INT, me, TAG));
        refuses("recv", () -> comm.recv(MPI.newIntBuffer(1), 1, MPI.INT, me, MPI.ANY_TAG));
        refuses("Sendrecv", () -> comm.Sendrecv(room, 0, 0, MPI.INT, MPI.PROC_NULL, TAG, room, 0, 1, MPI.INT, me, TAG));
        refuses("sendRecv", () -> comm.sendRecv(room, 0, MPI.INT, MPI.PROC_NULL, TAG, room, 1, MPI.INT, me, TAG));
        refuses("Sendrecv_replace", () -> comm.Sendrecv_replace(room, 0, 1, MPI.INT, MPI.PROC_NULL, TAG, me, TAG));
        refuses("sendRecvReplace", () -> comm.sendRecvReplace(room, 1, MPI.INT, MPI.PROC_NULL, TAG, me, TAG));
        Message message = new Message();
        refuses("mRecv", () -> {
            message.mProbe(me, TAG, comm);
            message.mRecv(room, 1, MPI.INT);
        });
    }

    /** A receive completes with that failure. */
    private void completes(String call, Consumer<Request> action) {
        Request receive = comm.Irecv(room, 0, 1, MPI.INT, me, TAG);
        refuses(call, () -> action.accept(receive));
    }

    private void completions() {
        completes("Wait", Request::Wait);
        completes("waitFor", Request::waitFor);
        completes("waitStatus", Request::waitStatus);
        completes("Test", request -> {
            while (request.Test() == null) {
                Thread.yield();
            }
        });
        completes("test", request -> {
            while (!request.test()) {
                Thread.yield();
            }
        });
        completes("testStatus", request -> {
            while (request.testStatus() == null) {
                Thread.yield();
            }
        });
    }

    private void completesAmong(String call, Consumer<Request[]> action) {
        completes(call, request -> action.accept(new Request[] {request, null}));
    }

    private void completionsOfMany() {
        completesAmong("Waitall", Request::Waitall);
        completesAmong("waitAll", Request::waitAll);
        completesAmong("waitAllStatus", Request::waitAllStatus);
        completesAmong("Waitany", Request::Waitany);
        completesAmong("waitAny", Request::waitAny);
        completesAmong("waitAnyStatus", Request::waitAnyStatus);
        completesAmong("Waitsome", Request::Waitsome);
        completesAmong("waitSome", Request::waitSome);
        completesAmong("waitSomeStatus", Request::waitSomeStatus);
        completesAmong("Testall", requests -> {
            while (Request.Testall(requests) == null) {
                Thread.yield();
            }
        });
        completesAmong("testAll", requests -> {
            while (!Request.testAll(requests)) {
                Thread.yield();
            }
        });
        completesAmong("testAny", requests -> {
            while (Request.testAny(requests) == MPI.UNDEFINED) {
                Thread.yield();
            }
        });
        completesAmong("testSome", requests -> {
            while (Request.testSome(requests).length == 0) {
                Thread.yield();
            }
        });
    }
}
