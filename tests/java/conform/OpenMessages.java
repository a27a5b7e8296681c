// SPDX-License-Identifier: Apache-2.0
package conform;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import mpi.Datatype;
import mpi.Intracomm;
import mpi.MPI;
import mpi.Message;
import mpi.Prequest;
import mpi.Request;
import mpi.Status;

/** Messages by the calls of the Open MPI dialect, on every kind of buffer under several datatypes. */
final class OpenMessages {
    private static final int OFFSET = 2;
    private static final int COUNT = 5;
    private static final int TAG = 3;

    private OpenMessages() {
    }

    /** One way to bring a message to the right neighbour and to take that of the left one. */
    private interface Way {
        Status run(Intracomm comm, Buffer out, Buffer in, int count, Datatype type, int right, int left);
    }

    private static final Way[] WAYS = {
        (comm, out, in, count, type, right, left) ->
            comm.sendRecv(out, count, type, right, TAG, in, count, type, left, TAG),
        (comm, out, in, count, type, right, left) -> {
            Request send = comm.iSend(out, count, type, right, TAG);
            Status status = comm.recv(in, count, type, left, MPI.ANY_TAG);
            send.waitFor();
            return status;
        },
        (comm, out, in, count, type, right, left) -> {
            Request receive = comm.iRecv(in, count, type, left, TAG);
            comm.send(out, count, type, right, TAG);
            return receive.waitStatus();
        },
        (comm, out, in, count, type, right, left) -> {
            Request receive = comm.iRecv(in, count, type, MPI.ANY_SOURCE, TAG);
            comm.sSend(out, count, type, right, TAG);
            return receive.waitStatus();
        },
        (comm, out, in, count, type, right, left) -> {
            Request send = comm.isSend(out, count, type, right, TAG);
            Status probed = comm.probe(left, TAG);
            Status status = comm.recv(in, probed.getCount(type), type, probed.getSource(), probed.getTag());
            send.waitFor();
            return status;
        },
        (comm, out, in, count, type, right, left) -> {
            Prequest send = comm.sendInit(out, count, type, right, TAG);
            Prequest receive = comm.recvInit(in, count, type, left, TAG);
            Prequest.startAll(new Prequest[] {receive, send});
            Status[] statuses = Request.waitAllStatus(new Request[] {send, receive});
            send.free();
            receive.free();
            return statuses[1];
        },
        (comm, out, in, count, type, right, left) -> {
            Request send = comm.iSend(out, count, type, right, TAG);
            Message message = new Message();
            message.mProbe(left, TAG, comm);
            Status status = message.mRecv(in, count, type);
            Check.that(message.isNull() && !message.isNoProc(), "a message that was received");
            send.waitFor();
            return status;
        },
        (comm, out, in, count, type, right, left) -> {
            Request send = comm.iSend(out, count, type, right, TAG);
            Message message = new Message();
            while (message.imProbe(left, TAG, comm) == null) {
                Thread.onSpinWait();
            }
            Status status = message.imRecv(in, count, type).waitStatus();
            send.waitFor();
            return status;
        },
    };

    static void messages(Intracomm comm) {
        int right = (comm.getRank() + 1) % comm.getSize();
        int left = (comm.getRank() + comm.getSize() - 1) % comm.getSize();
        for (Kind kind : Kind.values()) {
            if (kind == Kind.BOOLEAN) {
                continue; // of which there is no slice
            }
            for (Form form : Form.all(kind)) {
                for (int way = 0; way < WAYS.length; way++) {
                    int length = OFFSET + form.length(COUNT) + 1;
                    Object out = form.empty(length);
                    Object in = form.empty(length);
                    form.fill(out, OFFSET, COUNT, comm.getRank(), 0);
                    Status status = WAYS[way].run(comm, OpenCalls.slice(out, OFFSET, form.type),
                            OpenCalls.slice(in, OFFSET, form.type), COUNT, form.type, right, left);
                    boolean[] isHit = new boolean[length];
                    form.verify(in, OFFSET, COUNT, left, 0, isHit, "way " + way);
                    form.verifyRest(in, isHit, "way " + way);
                    Check.equal(COUNT, status.getCount(form.type), "count of way " + way);
                    Check.equal(COUNT * form.size(), status.getElements(form.type), "elements of way " + way);
                    Check.equal(left, status.getSource(), "source of way " + way);
                    Check.equal(TAG, status.getTag(), "tag of way " + way);
                }
            }
        }
        arrays(comm, right, left);
        views(comm, right, left);
        buffered(comm, right, left);
        nobody(comm);
    }

    /** Arrays themselves, also where the call does not wait. */
    private static void arrays(Intracomm comm, int right, int left) {
        for (int length : new int[] {1, 100, 20_000}) {
            double[] out = new double[length];
            double[] in = new double[length];
            out[length - 1] = comm.getRank() + 1;
            Request receive = comm.iRecv(in, length, MPI.DOUBLE, left, TAG);
            comm.iSend(out, length, MPI.DOUBLE, right, TAG).waitFor();
            receive.waitFor();
            Check.that(in[length - 1] == left + 1, "an array of " + length);
            comm.sendRecvReplace(in, length, MPI.DOUBLE, left, TAG, right, TAG);
            Check.that(in[length - 1] == comm.getRank() + 1, "an array that came back");
            boolean[] flags = {true};
            comm.sendRecv(flags, 1, MPI.BOOLEAN, right, TAG, flags, 1, MPI.BOOLEAN, left, TAG);
            Check.that(flags[0], "a boolean");
        }
    }

    /** Direct buffers of other classes than bytes. */
    private static void views(Intracomm comm, int right, int left) {
        java.nio.LongBuffer longs = MPI.newLongBuffer(4);
        longs.put(3, comm.getRank());
        comm.sendRecvReplace(MPI.slice(longs, 2), 2, MPI.LONG, right, TAG, left, TAG);
        Check.equal(left, longs.get(3), "a slice of a direct LongBuffer");
        java.nio.CharBuffer chars = MPI.newCharBuffer(300);
        chars.put(299, 'x');
        Request receive = comm.iRecv(chars, 300, MPI.CHAR, left, TAG);
        java.nio.CharBuffer sent = MPI.newCharBuffer(300);
        sent.put(299, (char) comm.getRank());
        comm.send(sent, 300, MPI.CHAR, right, TAG);
        receive.waitFor();
        Check.equal(left, chars.get(299), "a direct CharBuffer");
        Check.fails(MPI.ERR_BUFFER, "send: offset 0 and count 5 of MPI.LONG reach to element 5, but the buffer has 4",
                () -> comm.send(longs, 5, MPI.LONG, right, TAG));
        Check.fails(MPI.ERR_BUFFER,
                "send: offset 0 and count 1 of MPI.LONG reach to byte 8, but the int.1. has 4 bytes",
                () -> comm.send(new int[1], 1, MPI.LONG, right, TAG));
        Check.fails(MPI.ERR_BUFFER, "recv: the LongBuffer is read-only",
                () -> comm.recv(longs.asReadOnlyBuffer(), 1, MPI.LONG, left, TAG));
    }

    private static void buffered(Intracomm comm, int right, int left) {
        byte[] room = new byte[1000 + 2 * MPI.BSEND_OVERHEAD];
        MPI.attachBuffer(room);
        comm.bSend(new int[] {comm.getRank()}, 1, MPI.INT, right, TAG);
        Request second = comm.ibSend(MPI.newByteBuffer(100), 100, MPI.BYTE, right, TAG);
        int[] in = new int[1];
        comm.recv(in, 1, MPI.INT, left, TAG);
        Check.equal(left, in[0], "a buffered message");
        comm.recv(new byte[100], 100, MPI.BYTE, left, TAG);
        second.waitFor();
        Check.that(MPI.detachBuffer() == room, "the buffer comes back");
    }

    private static void nobody(Intracomm comm) {
        Check.that(comm.iProbe(MPI.ANY_SOURCE, MPI.ANY_TAG) == null, "no message");
        Message message = new Message();
        Check.that(message.imProbe(MPI.ANY_SOURCE, MPI.ANY_TAG, comm) == null && message.isNull(), "none to take");
        message.mProbe(MPI.PROC_NULL, TAG, comm);
        Check.that(message.isNoProc() && !message.isNull(), "a message from no rank");
        Check.equal(MPI.PROC_NULL, message.mRecv(new int[1], 1, MPI.INT).getSource(), "source no rank");
        message.mProbe(MPI.PROC_NULL, TAG, comm);
        Request nothing = message.imRecv(MPI.newIntBuffer(1), 1, MPI.INT);
        Check.that(!nothing.isNull() && message.isNull(), "a request for the message of no rank");
        Status none = nothing.waitStatus();
        Check.that(none.getSource() == MPI.PROC_NULL && none.getTag() == MPI.ANY_TAG && none.getCount(MPI.INT) == 0,
                "the status of a message of no rank");
        Check.fails(MPI.ERR_REQUEST, "mRecv: there is no message", () -> message.mRecv(new int[1], 1, MPI.INT));
        comm.send(new int[1], 1, MPI.INT, MPI.PROC_NULL, TAG);
        Check.fails(MPI.ERR_RANK, "send: dest is " + comm.getSize(),
                () -> comm.send(new int[1], 1, MPI.INT, comm.getSize(), TAG));
        Check.fails(MPI.ERR_TAG, "send: tag is -5", () -> comm.send(new int[1], 1, MPI.INT, 0, -5));
        Check.fails(MPI.ERR_TYPE, "send: the datatype is null", () -> comm.send(new int[1], 1, null, 0, TAG));
    }

    /** The statics that complete several requests. */
    static void requests(Intracomm comm) {
        int me = comm.getRank();
        Request[] none = {null, MPI.REQUEST_NULL};
        Check.equal(MPI.UNDEFINED, Request.waitAny(none), "waitAny of nothing");
        Check.equal(MPI.UNDEFINED, Request.testAny(none), "testAny of nothing");
        Check.that(Request.waitSome(none) == null && Request.testSomeStatus(none) == null, "some of nothing");
        Check.that(Request.testAll(none), "testAll of nothing");
        Request.waitAll(none);
        ByteBuffer[] rooms = {MPI.newByteBuffer(8), MPI.newByteBuffer(8), MPI.newByteBuffer(8)};
        Request[] requests = new Request[rooms.length];
        for (int i = 0; i < rooms.length; i++) {
            requests[i] = comm.iRecv(rooms[i], 8, MPI.BYTE, me, i);
        }
        Check.that(!requests[0].test() && requests[0].testStatus() == null && requests[0].getStatus() == null,
                "nothing is here yet");
        Check.that(!Request.testAll(requests) && Request.testAllStatus(requests) == null, "not all");
        Check.equal(0, Request.testSome(requests).length, "testSome finds none");
        Check.that(Request.testAnyStatus(requests) == null, "testAny finds none");
        comm.send(new byte[8], 8, MPI.BYTE, me, 1);
        Check.equal(1, Request.waitAny(requests), "waitAny");
        Check.that(requests[1].isNull(), "a request that is complete");
        comm.send(new byte[8], 7, MPI.BYTE, me, 2);
        Status[] some = Request.waitSomeStatus(requests);
        Check.that(some.length == 1 && some[0].getIndex() == 2 && some[0].getCount(MPI.BYTE) == 7, "waitSome");
        requests[0].cancel();
        Check.that(requests[0].waitStatus().isCancelled(), "a request that was cancelled");
        Request forgotten = comm.iRecv(rooms[0], 8, MPI.BYTE, me, 9);
        forgotten.free();
        comm.send(new byte[8], 8, MPI.BYTE, me, 9);
        Check.that(forgotten.isNull(), "a request that was freed");
    }
}
