// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Native;
import java.lang.ref.Reference;

/** The collectives of {@link Comm} that combine. */
final class Reducing {
    private Reducing() {
    }

    // ---- the calls ----

    static void reduce(Comm comm, Side send, Side recv, Op op, int root) {
        comm.checkRoot("Reduce", root);
        Datatype type = send.type;
        boolean isIdle = comm.isInter && root == MPI.PROC_NULL;
        if (!isIdle || type != null && op != null) {
            require("Reduce", type, op);
        }
        if (type != null && type.isObject()) {
            ObjectReducing.reduce(comm, "Reduce", send, recv, op, root);
            return;
        }
        if (type == null || op == null) { // idle, and it does not say what the others combine
            Native.collect(comm.handle, Native.REDUCE, root, null, 0, 0, null, 0, 0);
            return;
        }
        reduce(comm, "Reduce", Native.REDUCE, root, send.given("Reduce", comm.isMember(root)),
                recv.given("Reduce", comm.isRoot(root)), null, type, op);
    }

    static void allreduce(Comm comm, Side send, Side recv, Op op) {
        comm.handle("Allreduce");
        require("Allreduce", send.type, op);
        if (send.type.isObject()) {
            ObjectReducing.share(comm, "Allreduce", comm.peers, send, recv, op);
            return;
        }
        reduce(comm, "Allreduce", Native.ALLREDUCE, 0, send, recv, null, send.type, op);
    }

    static void reduceScatter(Comm comm, Object sendbuf, int sendoffset, Object recvbuf, int recvoffset,
            int[] recvcounts, Datatype type, Op op) {
        comm.handle("Reduce_scatter");
        require("Reduce_scatter", type, op);
        Side send = new Side(sendbuf, sendoffset, sum("Reduce_scatter", recvcounts, comm.size), type);
        Side recv = new Side(recvbuf, recvoffset, recvcounts[comm.rank], type);
        if (type.isObject()) {
            if (comm.isInter) {
                throw new MPIException(ErrorClass.UNSUPPORTED_OPERATION,
                        "Reduce_scatter: objects cannot be reduced on an intercommunicator");
            }
            ObjectReducing.scatter(comm, "Reduce_scatter", send, recv, recvcounts, op);
            return;
        }
        reduce(comm, "Reduce_scatter", Native.REDUCE_SCATTER, 0, send, recv, recvcounts, type, op);
    }

    /** The elements of all ranks together. */
    static int sum(String call, int[] counts, int ranks) {
        Parts.checkCounts(call, counts, ranks);
        long all = 0;
        for (int i = 0; i < ranks; i++) {
            all += counts[i];
        }
        if (all > Integer.MAX_VALUE) {
            throw new MPIException(ErrorClass.COUNT, call + ": " + all + " elements are too many");
        }
        return (int) all;
    }

    /** As a scan, without the values of the rank itself; the first has no result. */
    static void exscan(Comm comm, Side send, Side recv, Op op) {
        comm.handle("exScan");
        require("exScan", send.type, op);
        if (comm.isInter) {
            throw new MPIException(ErrorClass.COMM, "exScan: the operation is not defined on an intercommunicator");
        }
        if (send.type.isObject()) {
            throw new MPIException(ErrorClass.TYPE, "exScan: " + op + " cannot combine elements of " + send.type);
        }
        reduce(comm, "exScan", Native.EXSCAN, 0, send, comm.rank == 0 ? Side.NONE : recv, null, send.type, op);
    }

    static void scan(Comm comm, Side send, Side recv, Op op) {
        comm.handle("Scan");
        require("Scan", send.type, op);
        if (comm.isInter) {
            throw new MPIException(ErrorClass.COMM, "Scan: the operation is not defined on an intercommunicator");
        }
        if (send.type.isObject()) {
            ObjectReducing.share(comm, "Scan", comm.rank + 1, send, recv, op);
            return;
        }
        reduce(comm, "Scan", Native.SCAN, 0, send, recv, null, send.type, op);
    }

    static void reduceLocal(Object inbuf, Object inoutbuf, int count, Datatype type, Op op) {
        require("Reduce_local", type, op);
        type.checkBuffer("Reduce_local", inbuf, 0, count);
        type.checkBuffer("Reduce_local", inoutbuf, 0, count);
        op.Call(inbuf, 0, inoutbuf, 0, count, type);
    }

    static void require(String call, Datatype type, Op op) {
        Datatype.require(call, type);
        if (op == null) {
            throw new MPIException(ErrorClass.OP, call + ": the operation is null");
        }
        if (type.isObject() && op.number != 0) {
            throw new MPIException(ErrorClass.OP, call + ": " + op + " cannot combine elements of " + type);
        }
    }

    // ---- ways to do them ----

    /**
     * Every reduction of what is not objects.
     *
     * @param send this rank's values, or NONE
     * @param recv where its result goes, or NONE
     * @param counts for Reduce_scatter what each rank gets, else null
     * @param type of both, also of a rank that has neither
     */
    private static void reduce(Comm comm, String call, int primitive, int root, Side send, Side recv, int[] counts,
            Datatype type, Op op) {
        if (!type.isPlain || op.number == 0) {
            reduceSlowly(comm, call, primitive, root, send, recv, counts, type, op);
            return;
        }
        int number = op.number(call, type);
        long from = send.locate(call);
        long to = recv.locate(call);
        if (counts == null && send.fitsStage() && recv.fitsStage()) {
            reduceStaged(comm, primitive, root, send, recv, Native.opAndKind(number, type.basicKind()));
            return;
        }
        Object source = send.target();
        Object target = recv.target();
        int what = Native.primitiveAndKinds(primitive, send.kind() | Sharing.shared(source, target), recv.kind());
        long operator = Native.opAndKind(number, type.basicKind());
        if (counts == null) {
            Native.reduce(comm.handle, what, root, source, from, send.bytes(), target, to, recv.bytes(), operator);
        } else {
            Native.reduceScatter(comm.handle, what, source, from, send.bytes(), target, to, recv.bytes(), counts,
                    operator);
        }
    }

    /** Of short arrays. */
    static void reduceStaged(Comm comm, int primitive, int root, Side send, Side recv, int opAndKind) {
        boolean isSending = send.type != null;
        boolean isReceiving = recv.type != null;
        Stage in = isReceiving ? comm.staging.in(Stage.BYTES) : null;
        long source = isSending ? comm.staging.put(send) : 0;
        Native.reduceMemory(comm.handle, primitive, root, source, isReceiving ? in.address : 0,
                isSending ? send.bytes() : recv.bytes(), opAndKind);
        if (recv.bytes() > 0) {
            in.get(in.address, recv.buffer, recv.basicKind(), recv.offset, (int) (recv.bytes() >> recv.type.shift()));
        }
        Reference.reachabilityFence(comm);
    }

    /** Of derived types, and with operators of the program's own. */
    private static void reduceSlowly(Comm comm, String call, int primitive, int root, Side send, Side recv,
            int[] counts, Datatype type, Op op) {
        try (Operator operator = new Operator(call, op, type)) {
            type.checkNoSections(call, send.buffer);
            type.checkNoSections(call, recv.buffer);
            Cargo out = Cargo.out(call, comm.endpoint, new Side(send.buffer, send.offset, send.count, type));
            Cargo in = Cargo.in(call, comm.endpoint, new Side(recv.buffer, recv.offset, recv.count, type));
            Cargo.checkApart(call, recv.count, type);
            try {
                reduce(comm, primitive, root, out, in, counts, operator.handle);
            } catch (RuntimeException | Error e) {
                if (operator.combination == null || isDispute(e)) {
                    throw e;
                }
                operator.combination.fail(e);
            }
            if (operator.combination != null) {
                new Agreement(comm, call, primitive == Native.REDUCE, root).conclude(operator.combination);
            }
            out.close();
            in.close();
        }
    }

    private static void reduce(Comm comm, int primitive, int root, Cargo out, Cargo in, int[] counts, long operator) {
        int what = Native.primitiveAndKinds(primitive, out.kind | Sharing.shared(out.target, in.target), in.kind);
        if (counts == null) {
            Native.reduce(comm.handle, what, root, out.target, out.at, out.bytes, in.target, in.at, in.bytes,
                    operator);
        } else {
            Native.reduceScatter(comm.handle, what, out.target, out.at, out.bytes, in.target, in.at, in.bytes, counts,
                    operator);
        }
    }

    /** The ranks have compared their arguments and do not agree: all of them hear so, and that is all. */
    private static boolean isDispute(Throwable e) {
        return e instanceof MPIException && ((MPIException) e).getErrorClass() == ErrorClass.ARG;
    }
}
