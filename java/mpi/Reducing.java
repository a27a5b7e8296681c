package mpi;

import corunna.engine.Native;
import java.lang.ref.Reference;

/** The collectives that combine: the third of {@link Comm} beside messages and {@link Sharing}. */
abstract class Reducing extends Sharing {
    Reducing() {
    }

    /**
     * Every reduction of what is not objects.
     *
     * @param isSending whether this rank has values
     * @param isReceiving whether it gets a result
     * @param sendcount elements it has
     * @param recvcount elements it gets
     * @param counts for Reduce_scatter what each rank gets, else null
     */
    private void reduce(String call, int primitive, int root, boolean isSending, Object sendbuf, int sendoffset,
            int sendcount, boolean isReceiving, Object recvbuf, int recvoffset, int recvcount, int[] counts,
            Datatype type, Op op) {
        if (!type.isPlain || op.number == 0) {
            reduceSlowly(call, primitive, root, isSending, sendbuf, sendoffset, sendcount, isReceiving, recvbuf,
                    recvoffset, recvcount, counts, type, op);
            return;
        }
        int number = op.number(call, type);
        long from = isSending ? type.locate(call, sendbuf, sendoffset, sendcount) : 0;
        long to = isReceiving ? type.locate(call, recvbuf, recvoffset, recvcount) : 0;
        long sent = isSending ? type.bytes(sendcount) : 0;
        long received = isReceiving ? type.bytes(recvcount) : 0;
        if (counts == null && (!isSending || Stage.takes(type, sendbuf, sent))
                && (!isReceiving || Stage.takes(type, recvbuf, received))) {
            hop(primitive, root, isSending, sendbuf, sendoffset, sent, isReceiving, recvbuf, recvoffset, received, type,
                    number);
            return;
        }
        Object source = isSending ? type.target(sendbuf) : null;
        Object target = isReceiving ? type.target(recvbuf) : null;
        Native.reduce(handle, primitive, root, source, from, sent, type.kind(sendbuf) | shared(source, target), target,
                to, received, type.kind(recvbuf), counts, type.bytes(1), number, type.basicKind(), null, true, 0);
    }

    /** The same with short arrays. */
    private void hop(int primitive, int root, boolean isSending, Object sendbuf, int sendoffset, long sent,
            boolean isReceiving, Object recvbuf, int recvoffset, long received, Datatype type, int number) {
        Stage in = isReceiving ? inStage(Stage.BYTES) : null;
        long source = isSending ? put(primitive, sendbuf, sendoffset, sent, type) : 0;
        Native.reduceMemory(handle, primitive, root, source, isReceiving ? in.address : 0,
                isSending ? sent : received, Native.opAndKind(number, type.basicKind()));
        if (received > 0) {
            in.get(in.address, recvbuf, type.basicKind(), recvoffset, (int) (received >> type.shift()));
        }
        Reference.reachabilityFence(this);
    }

    /** Of derived types, and with operators of the program's own. */
    private void reduceSlowly(String call, int primitive, int root, boolean isSending, Object sendbuf, int sendoffset,
            int sendcount, boolean isReceiving, Object recvbuf, int recvoffset, int recvcount, int[] counts,
            Datatype type, Op op) {
        int number = op.number == 0 ? 0 : op.number(call, type);
        int kind = type.basicKind();
        Combination combination = null;
        if (number == 0 && type.Size() > 0) {
            combination = new Combination(op, type);
        } else if (number == 0) {
            number = Op.SUM_NUMBER; // of nothing, but everybody waits for everybody
            kind = Native.KIND_INT;
        }
        type.checkNoSections(call, sendbuf);
        type.checkNoSections(call, recvbuf);
        Cargo out = Cargo.out(call, endpoint, isSending ? sendbuf : null, isSending ? sendoffset : 0,
                isSending ? sendcount : 0, type);
        Cargo in = Cargo.in(call, endpoint, isReceiving ? recvbuf : null, isReceiving ? recvoffset : 0,
                isReceiving ? recvcount : 0, type);
        Cargo.checkApart(call, isReceiving ? recvcount : 0, type);
        long element = combination == null ? 0 : Layouts.handle(type);
        try {
            Native.reduce(handle, primitive, root, out.target, out.at, out.bytes,
                    out.kind | shared(out.target, in.target), in.target, in.at, in.bytes, in.kind, counts,
                    type.bytes(1), number, kind, combination, op.isCommutative(), element);
        } catch (RuntimeException | Error e) {
            if (combination == null || isDispute(e)) {
                throw e;
            }
            combination.fail(e);
        } finally {
            if (combination != null) {
                Layouts.release(type, element);
            }
        }
        if (combination != null) {
            new Agreement(this, call, primitive == Native.REDUCE, root).conclude(combination);
        }
        out.close();
        in.close();
    }

    /** The ranks have compared their arguments and do not agree: all of them hear so, and that is all. */
    private static boolean isDispute(Throwable e) {
        return e instanceof MPIException && ((MPIException) e).getErrorClass() == ErrorClass.ARG;
    }

    private static void require(String call, Datatype type, Op op) {
        Datatype.require(call, type);
        if (op == null) {
            throw new MPIException(ErrorClass.OP, call + ": the operation is null");
        }
        if (type.isObject() && op.number != 0) {
            throw new MPIException(ErrorClass.OP, call + ": " + op + " cannot combine elements of " + type);
        }
    }

    /**
     * Combines the values of all ranks, element by element, and gives the result to the root.
     *
     * @param sendbuf the array or {@code ByteBuffer} with this rank's values
     * @param sendoffset the first
     * @param recvbuf where the result goes; only the root's counts
     * @param recvoffset its first element
     * @param count elements of the datatype
     * @param datatype what they are
     * @param op how two are combined; it and the datatype may be null on a rank that has neither values nor the result
     * @param root the rank that gets the result
     * @throws MPIException if an argument is wrong
     */
    public void Reduce(Object sendbuf, int sendoffset, Object recvbuf, int recvoffset, int count, Datatype datatype,
            Op op, int root) throws MPIException {
        rooted("Reduce", root);
        boolean isIdle = isInter && root == MPI.PROC_NULL;
        if (!isIdle || datatype != null && op != null) {
            require("Reduce", datatype, op);
        }
        if (datatype != null && datatype.isObject()) {
            ObjectReducing.reduce(this, "Reduce", sendbuf, sendoffset, recvbuf, recvoffset, count, datatype, op, root);
            return;
        }
        if (datatype == null || op == null) { // idle, and it does not say what the others combine
            Native.collect(handle, Native.REDUCE, root, null, 0, 0, 0, null, 0, 0, 0);
            return;
        }
        reduce("Reduce", Native.REDUCE, root, isLeaf(root), sendbuf, sendoffset, count, isRoot(root), recvbuf,
                recvoffset, count, null, datatype, op);
    }

    /**
     * Combines the values of all ranks, element by element, and gives the result to all.
     *
     * @param sendbuf the array or {@code ByteBuffer} with this rank's values
     * @param sendoffset the first
     * @param recvbuf where the result goes; it may be {@code sendbuf}
     * @param recvoffset its first element
     * @param count elements of the datatype
     * @param datatype what they are
     * @param op how two are combined
     * @throws MPIException if an argument is wrong
     */
    public void Allreduce(Object sendbuf, int sendoffset, Object recvbuf, int recvoffset, int count,
            Datatype datatype, Op op) throws MPIException {
        handle("Allreduce");
        require("Allreduce", datatype, op);
        if (datatype.isObject()) {
            ObjectReducing.share(this, "Allreduce", peers, sendbuf, sendoffset, recvbuf, recvoffset, count, datatype,
                    op);
            return;
        }
        reduce("Allreduce", Native.ALLREDUCE, 0, true, sendbuf, sendoffset, count, true, recvbuf, recvoffset, count,
                null, datatype, op);
    }

    /**
     * Combines the values of all ranks, element by element, and deals the result out to them.
     *
     * @param sendbuf the array or {@code ByteBuffer} with this rank's values, as many as all counts together
     * @param sendoffset the first
     * @param recvbuf where this rank's part of the result goes
     * @param recvoffset its first element
     * @param recvcounts elements of the datatype for each rank
     * @param datatype what they are
     * @param op how two are combined
     * @throws MPIException if an argument is wrong
     */
    public void Reduce_scatter(Object sendbuf, int sendoffset, Object recvbuf, int recvoffset, int[] recvcounts,
            Datatype datatype, Op op) throws MPIException {
        handle("Reduce_scatter");
        require("Reduce_scatter", datatype, op);
        Parts.checkCounts("Reduce_scatter", recvcounts, size);
        long all = 0;
        for (int i = 0; i < size; i++) {
            all += recvcounts[i];
        }
        if (all > Integer.MAX_VALUE) {
            throw new MPIException(ErrorClass.COUNT, "Reduce_scatter: " + all + " elements are too many");
        }
        if (datatype.isObject()) {
            if (isInter) {
                throw new MPIException(ErrorClass.UNSUPPORTED_OPERATION,
                        "Reduce_scatter: objects cannot be reduced between two groups");
            }
            ObjectReducing.scatter(this, "Reduce_scatter", sendbuf, sendoffset, recvbuf, recvoffset, recvcounts,
                    (int) all, datatype, op);
            return;
        }
        reduce("Reduce_scatter", Native.REDUCE_SCATTER, 0, true, sendbuf, sendoffset, (int) all, true, recvbuf,
                recvoffset, recvcounts[rank], recvcounts, datatype, op);
    }

    /**
     * Combines the values of this rank and of all with lower numbers, element by element.
     *
     * @param sendbuf the array or {@code ByteBuffer} with this rank's values
     * @param sendoffset the first
     * @param recvbuf where the result goes; it may be {@code sendbuf}
     * @param recvoffset its first element
     * @param count elements of the datatype
     * @param datatype what they are
     * @param op how two are combined
     * @throws MPIException if an argument is wrong, or the communicator joins two groups
     */
    public void Scan(Object sendbuf, int sendoffset, Object recvbuf, int recvoffset, int count, Datatype datatype,
            Op op) throws MPIException {
        handle("Scan");
        require("Scan", datatype, op);
        if (isInter) {
            throw new MPIException(ErrorClass.COMM, "Scan: the communicator joins two groups, which have no order");
        }
        if (datatype.isObject()) {
            ObjectReducing.share(this, "Scan", rank + 1, sendbuf, sendoffset, recvbuf, recvoffset, count, datatype,
                    op);
            return;
        }
        reduce("Scan", Native.SCAN, 0, true, sendbuf, sendoffset, count, true, recvbuf, recvoffset, count, null,
                datatype, op);
    }

    /**
     * Combines two vectors of this rank alone, element by element, into the second.
     *
     * @param inbuf the first, an array
     * @param inoutbuf the second, an array, and the result
     * @param count elements of the datatype
     * @param datatype what they are
     * @param op how two are combined
     * @throws MPIException if an argument is wrong
     */
    public void Reduce_local(Object inbuf, Object inoutbuf, int count, Datatype datatype, Op op) throws MPIException {
        handle("Reduce_local");
        require("Reduce_local", datatype, op);
        datatype.checkBuffer("Reduce_local", inbuf, 0, count);
        datatype.checkBuffer("Reduce_local", inoutbuf, 0, count);
        op.Call(inbuf, 0, inoutbuf, 0, count, datatype);
    }
}
