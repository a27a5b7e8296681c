package mpi;

import corunna.engine.Native;
import java.lang.ref.Reference;

/** The collectives that move data: the third of {@link Comm} between messages and reductions. */
abstract class Sharing extends Messages {
    private static final int CALLS_TO_FIRST_LOOK = 2;
    private static final int CALLS_TO_NEXT_LOOK = 1000;

    private Stage outStage;
    private Stage inStage;
    private ZeroCopy zeroCopy;
    private int callsToLook = CALLS_TO_FIRST_LOOK;

    Sharing() {
    }

    // ---- who takes part in what ----

    /** The engine's communicator for a call with a root. */
    final long rooted(String call, int root) {
        long comm = handle(call);
        boolean isOther = isInter && (root == MPI.ROOT || root == MPI.PROC_NULL);
        if ((root < 0 || root >= peers) && !isOther) {
            throw new MPIException(ErrorClass.ROOT, call + ": root is " + root + ", but the "
                    + (isInter ? "other side" : "communicator") + " has " + peers + (peers == 1 ? " rank" : " ranks"));
        }
        return comm;
    }

    /** Does the root's side of the arguments count here? */
    final boolean isRoot(int root) {
        return isInter ? root == MPI.ROOT : root == rank;
    }

    /** Does the side of those who are not the root count here? In one group the root is among them. */
    final boolean isLeaf(int root) {
        return !isInter || root >= 0;
    }

    /** All elements of a side that has a block for each rank. */
    final int whole(String call, int count) {
        long all = (long) count * peers;
        if (all > Integer.MAX_VALUE) {
            throw new MPIException(ErrorClass.COUNT, call + ": " + count + " elements for each of " + peers
                    + " ranks are too many");
        }
        return count < 0 ? count : (int) all;
    }

    // ---- calls on plain types and others ----

    /** Sends and receives; a datatype that is null says that this rank does not have that side. */
    private void collect(String call, int primitive, int root, Object sendbuf, int sendoffset, int sendcount,
            Datatype sendtype, Object recvbuf, int recvoffset, int recvcount, Datatype recvtype) {
        if (sendtype != null && !sendtype.isPlain || recvtype != null && !recvtype.isPlain) {
            collectTyped(call, primitive, root, sendbuf, sendoffset, sendcount, sendtype, recvbuf, recvoffset,
                    recvcount, recvtype);
            return;
        }
        long from = sendtype == null ? 0 : sendtype.locate(call, sendbuf, sendoffset, sendcount);
        long to = recvtype == null ? 0 : recvtype.locate(call, recvbuf, recvoffset, recvcount);
        long sent = sendtype == null ? 0 : sendtype.bytes(sendcount);
        long received = recvtype == null ? 0 : recvtype.bytes(recvcount);
        if ((sendtype == null || Stage.takes(sendtype, sendbuf, sent))
                && (recvtype == null || Stage.takes(recvtype, recvbuf, received)
                        || isFromMany(primitive, recvtype, recvbuf, received))
                || isZeroCopy(primitive, sendtype, sendbuf, sent, recvtype, recvbuf, received)) {
            hop(primitive, root, sendbuf, sendoffset, sent, sendtype, recvbuf, recvoffset, received, recvtype);
        } else {
            reach(primitive, root, sendbuf, from, sent, sendtype, recvbuf, to, received, recvtype);
        }
    }

    /** Of derived types. */
    private void collectTyped(String call, int primitive, int root, Object sendbuf, int sendoffset, int sendcount,
            Datatype sendtype, Object recvbuf, int recvoffset, int recvcount, Datatype recvtype) {
        Parts out = Parts.out(endpoint, call, sendbuf, sendoffset, sendcount, sendtype);
        Parts in = Parts.in(endpoint, call, recvbuf, recvoffset, recvcount, recvtype);
        Native.collect(handle, primitive, root, out.target, out.at, out.unit,
                out.kind | shared(out.target, in.target), in.target, in.at, in.unit, in.kind);
        Reference.reachabilityFence(sendtype);
        Reference.reachabilityFence(recvtype);
    }

    /** Of plain types, in arrays into which native code reaches. */
    private void reach(int primitive, int root, Object sendbuf, long from, long sent, Datatype sendtype,
            Object recvbuf, long to, long received, Datatype recvtype) {
        Object source = sendtype == null ? null : sendtype.target(sendbuf);
        Object target = recvtype == null ? null : recvtype.target(recvbuf);
        Native.collect(handle, primitive, root, source, from, sent,
                sendtype == null ? 0 : sendtype.kind(sendbuf) | shared(source, target), target, to, received,
                recvtype == null ? 0 : recvtype.kind(recvbuf));
    }

    /** What comes as a short block from every rank may be long together. */
    private boolean isFromMany(int primitive, Datatype recvtype, Object recvbuf, long received) {
        return primitive == Native.ALLGATHER && received <= Stage.MANY_BYTES && Stage.suits(recvtype, recvbuf)
                && zeroCopy() != null && zeroCopy.place(primitive, received / peers) != 0;
    }

    /** What is a short block for, and from, every rank may be long together, if it can be written in place. */
    private boolean isZeroCopy(int primitive, Datatype sendtype, Object sendbuf, long sent, Datatype recvtype,
            Object recvbuf, long received) {
        return primitive == Native.ALLTOALL && sent == received && Stage.suits(sendtype, sendbuf)
                && Stage.suits(recvtype, recvbuf) && zeroCopy() != null && zeroCopy.place(primitive, sent) != 0;
    }

    /** Of short arrays. One way for all of them: what is compiled once serves all lengths. */
    private void hop(int primitive, int root, Object sendbuf, int sendoffset, long sent, Datatype sendtype,
            Object recvbuf, int recvoffset, long received, Datatype recvtype) {
        boolean isSource = primitive == Native.BCAST && isRoot(root);
        long source = sendtype == null ? 0 : put(primitive, sendbuf, sendoffset, sent, sendtype);
        Stage in = isSource ? null : inStage((int) received);
        long target = isSource ? put(primitive, recvbuf, recvoffset, received, recvtype) : in.address;
        int call = Native.primitiveAndKinds(primitive, sendtype == null ? Native.KIND_BYTE : sendtype.basicKind(),
                recvtype == null ? Native.KIND_BYTE : recvtype.basicKind());
        long place = Native.collectMemory(handle, call, root, source, sent, target, received);
        if (!isSource && received > 0) {
            boolean isInPlace = place != target;
            int blocks = isInPlace && primitive != Native.BCAST ? peers : 1;
            int each = (int) (received >> recvtype.shift()) / blocks;
            Stage from = isInPlace ? zeroCopyMemory() : in;
            if (blocks == 1) {
                from.get(place, recvbuf, recvtype.basicKind(), recvoffset, each);
            } else {
                from.getBlocks(place, zeroCopy.distance(), blocks, recvbuf, recvtype.basicKind(), recvoffset, each);
            }
        }
        Reference.reachabilityFence(this);
    }

    /** Copies what a call sends to where native code takes it from, and returns the address. */
    final long put(int primitive, Object sendbuf, int sendoffset, long sent, Datatype sendtype) {
        long place = zeroCopy() == null ? 0 : zeroCopy.place(primitive, sent);
        Stage stage = place != 0 ? zeroCopy.memory : outStage();
        if (place == 0) {
            place = stage.address;
        }
        if (sent > 0) {
            stage.put(place, sendbuf, sendtype.basicKind(), sendoffset, (int) (sent >> sendtype.shift()));
        }
        return place;
    }

    private Stage outStage() {
        if (outStage == null) {
            outStage = new Stage(Stage.BYTES);
        }
        return outStage;
    }

    /** Where results go, at least so many bytes; made by the first call that needs it. */
    final Stage inStage(int bytes) {
        if (inStage == null || inStage.capacity() < bytes) {
            inStage = new Stage(bytes <= Stage.BYTES ? Stage.BYTES : Stage.MANY_BYTES);
        }
        return inStage;
    }

    /** The engine's memory, or null. It is not there before the first calls, and where messages do the work never. */
    private ZeroCopy zeroCopy() {
        if (zeroCopy == null && --callsToLook == 0) {
            zeroCopy = ZeroCopy.of(handle);
            callsToLook = CALLS_TO_NEXT_LOOK;
        }
        return zeroCopy;
    }

    /** That of another communicator counts no longer. */
    final void forgetZeroCopy() {
        zeroCopy = null;
        callsToLook = CALLS_TO_FIRST_LOOK;
    }

    /** The engine's memory, in which it has left what was received. */
    private Stage zeroCopyMemory() {
        if (zeroCopy == null) {
            zeroCopy = ZeroCopy.of(handle);
        }
        return zeroCopy.memory;
    }

    /** Tells the engine that both sides of a call are in the same array. */
    static int shared(Object source, Object target) {
        return source == target && source != null ? Native.KIND_SHARED : 0;
    }

    /**
     * Are these elements objects? All sides of a call are, or none.
     *
     * @param idle the datatype that counts on a rank that has neither side, so that it makes the calls of the others
     */
    private static boolean areObjects(String call, Datatype sendtype, Datatype recvtype, Datatype idle) {
        if (sendtype != null && recvtype != null && sendtype.isObject() != recvtype.isObject()) {
            throw new MPIException(ErrorClass.TYPE, call + ": the datatype sent is " + sendtype
                    + ", but the one received is " + recvtype + "; only one of them is of objects");
        }
        Datatype type = sendtype != null ? sendtype : recvtype != null ? recvtype : idle;
        return type != null && type.isObject();
    }

    private void collect(int primitive, int root, Parts out, Parts in) {
        int outKind = out.kind | shared(out.target, in.target);
        Native.collectParts(handle, primitive, root, out.target, out.at, out.unit, outKind, out.counts, out.displs,
                out.extent, in.target, in.at, in.unit, in.kind, in.counts, in.displs, in.extent);
        Reference.reachabilityFence(out.type);
        Reference.reachabilityFence(in.type);
    }

    // ---- barrier, broadcast ----

    /**
     * Waits until every rank of the communicator has come here.
     *
     * @throws MPIException if the communicator cannot be used
     */
    public void Barrier() throws MPIException {
        Native.barrier(handle("Barrier"));
    }

    /**
     * Gives every rank what the root has.
     *
     * @param buf the array or {@code ByteBuffer}: of the root what is sent, of the others where it goes
     * @param offset first element
     * @param count elements of the datatype
     * @param type what the elements are
     * @param root the rank that has them
     * @throws MPIException if an argument is wrong
     */
    public void Bcast(Object buf, int offset, int count, Datatype type, int root) throws MPIException {
        rooted("Bcast", root);
        boolean isIdle = isInter && root == MPI.PROC_NULL;
        if (isIdle ? type != null && type.isObject() : Datatype.require("Bcast", type).isObject()) {
            ObjectSharing.bcast(this, buf, offset, count, isIdle ? null : type, root);
        } else {
            collect("Bcast", Native.BCAST, root, null, 0, 0, null, buf, offset, count, isIdle ? null : type);
        }
    }

    // ---- gather ----

    /**
     * Brings the same number of elements of every rank to the root, in the order of the ranks.
     *
     * @param sendbuf the array or {@code ByteBuffer} they are in
     * @param sendoffset first element to send
     * @param sendcount elements of the datatype to send
     * @param sendtype what they are
     * @param recvbuf where they go; only the root's counts
     * @param recvoffset where those of rank 0 begin
     * @param recvcount elements of each rank
     * @param recvtype what they are
     * @param root the rank that gets them
     * @throws MPIException if an argument is wrong
     */
    public void Gather(Object sendbuf, int sendoffset, int sendcount, Datatype sendtype, Object recvbuf,
            int recvoffset, int recvcount, Datatype recvtype, int root) throws MPIException {
        rooted("Gather", root);
        Datatype from = isLeaf(root) ? Datatype.require("Gather", sendtype) : null;
        Datatype to = isRoot(root) ? Datatype.require("Gather", recvtype) : null;
        if (areObjects("Gather", from, to, sendtype)) {
            ObjectSharing.exchange(this, "Gather", Native.GATHER, root,
                    ObjectSharing.piece("Gather", from, sendbuf, sendoffset, sendcount),
                    ObjectSharing.blocks("Gather", peers, to, recvbuf, recvoffset, recvcount));
            return;
        }
        collect("Gather", Native.GATHER, root, sendbuf, sendoffset, sendcount, from, recvbuf, recvoffset,
                to == null ? 0 : whole("Gather", recvcount), to);
    }

    /**
     * Brings elements of every rank to the root.
     *
     * @param sendbuf the array or {@code ByteBuffer} they are in
     * @param sendoffset first element to send
     * @param sendcount elements of the datatype to send
     * @param sendtype what they are
     * @param recvbuf where they go; only the root's counts
     * @param recvoffset what the displacements are counted from
     * @param recvcounts elements of each rank
     * @param displs where those of each rank begin, in extents of {@code recvtype}
     * @param recvtype what they are
     * @param root the rank that gets them
     * @throws MPIException if an argument is wrong
     */
    public void Gatherv(Object sendbuf, int sendoffset, int sendcount, Datatype sendtype, Object recvbuf,
            int recvoffset, int[] recvcounts, int[] displs, Datatype recvtype, int root) throws MPIException {
        rooted("Gatherv", root);
        Datatype from = isLeaf(root) ? Datatype.require("Gatherv", sendtype) : null;
        Datatype to = isRoot(root) ? Datatype.require("Gatherv", recvtype) : null;
        if (to != null) {
            Parts.check("Gatherv", false, peers, recvbuf, recvoffset, recvcounts, displs, to);
        }
        if (areObjects("Gatherv", from, to, sendtype)) {
            ObjectSharing.exchange(this, "Gatherv", Native.GATHER, root,
                    ObjectSharing.piece("Gatherv", from, sendbuf, sendoffset, sendcount),
                    ObjectSharing.parts(peers, to, recvbuf, recvoffset, recvcounts, displs));
            return;
        }
        Parts out = Parts.out(endpoint, "Gatherv", sendbuf, sendoffset, sendcount, from);
        collect(Native.GATHERV, root, out, to == null ? Parts.NONE
                : Parts.of(recvbuf, recvoffset, recvcounts, displs, to));
    }

    // ---- scatter ----

    /**
     * Deals elements of the root out to all ranks, the same number to each.
     *
     * @param sendbuf the array or {@code ByteBuffer} they are in; only the root's counts
     * @param sendoffset where those for rank 0 begin
     * @param sendcount elements for each rank
     * @param sendtype what they are
     * @param recvbuf where they go
     * @param recvoffset first element to write
     * @param recvcount elements of the datatype to receive
     * @param recvtype what they are
     * @param root the rank that has them
     * @throws MPIException if an argument is wrong
     */
    public void Scatter(Object sendbuf, int sendoffset, int sendcount, Datatype sendtype, Object recvbuf,
            int recvoffset, int recvcount, Datatype recvtype, int root) throws MPIException {
        rooted("Scatter", root);
        Datatype from = isRoot(root) ? Datatype.require("Scatter", sendtype) : null;
        Datatype to = isLeaf(root) ? Datatype.require("Scatter", recvtype) : null;
        if (areObjects("Scatter", from, to, recvtype)) {
            ObjectSharing.exchange(this, "Scatter", Native.SCATTER, root,
                    ObjectSharing.blocks("Scatter", peers, from, sendbuf, sendoffset, sendcount),
                    ObjectSharing.piece("Scatter", to, recvbuf, recvoffset, recvcount));
            return;
        }
        collect("Scatter", Native.SCATTER, root, sendbuf, sendoffset,
                from == null ? 0 : whole("Scatter", sendcount), from, recvbuf, recvoffset, recvcount, to);
    }

    /**
     * Deals elements of the root out to all ranks.
     *
     * @param sendbuf the array or {@code ByteBuffer} they are in; only the root's counts
     * @param sendoffset what the displacements are counted from
     * @param sendcounts elements for each rank
     * @param displs where those for each rank begin, in extents of {@code sendtype}
     * @param sendtype what they are
     * @param recvbuf where they go
     * @param recvoffset first element to write
     * @param recvcount elements of the datatype to receive
     * @param recvtype what they are
     * @param root the rank that has them
     * @throws MPIException if an argument is wrong
     */
    public void Scatterv(Object sendbuf, int sendoffset, int[] sendcounts, int[] displs, Datatype sendtype,
            Object recvbuf, int recvoffset, int recvcount, Datatype recvtype, int root) throws MPIException {
        rooted("Scatterv", root);
        Datatype from = isRoot(root) ? Datatype.require("Scatterv", sendtype) : null;
        Datatype to = isLeaf(root) ? Datatype.require("Scatterv", recvtype) : null;
        if (from != null) {
            Parts.check("Scatterv", true, peers, sendbuf, sendoffset, sendcounts, displs, from);
        }
        if (areObjects("Scatterv", from, to, recvtype)) {
            ObjectSharing.exchange(this, "Scatterv", Native.SCATTER, root,
                    ObjectSharing.parts(peers, from, sendbuf, sendoffset, sendcounts, displs),
                    ObjectSharing.piece("Scatterv", to, recvbuf, recvoffset, recvcount));
            return;
        }
        Parts in = Parts.in(endpoint, "Scatterv", recvbuf, recvoffset, recvcount, to);
        collect(Native.SCATTERV, root, from == null ? Parts.NONE
                : Parts.of(sendbuf, sendoffset, sendcounts, displs, from), in);
    }

    // ---- all to all ----

    /**
     * Brings the same number of elements of every rank to all ranks, in the order of the ranks.
     *
     * @param sendbuf the array or {@code ByteBuffer} they are in
     * @param sendoffset first element to send
     * @param sendcount elements of the datatype to send
     * @param sendtype what they are
     * @param recvbuf where they go
     * @param recvoffset where those of rank 0 begin
     * @param recvcount elements of each rank
     * @param recvtype what they are
     * @throws MPIException if an argument is wrong
     */
    public void Allgather(Object sendbuf, int sendoffset, int sendcount, Datatype sendtype, Object recvbuf,
            int recvoffset, int recvcount, Datatype recvtype) throws MPIException {
        handle("Allgather");
        Datatype.require("Allgather", sendtype);
        Datatype.require("Allgather", recvtype);
        if (areObjects("Allgather", sendtype, recvtype, null)) {
            ObjectSharing.exchange(this, "Allgather", Native.ALLGATHER, 0,
                    ObjectSharing.piece("Allgather", sendtype, sendbuf, sendoffset, sendcount),
                    ObjectSharing.blocks("Allgather", peers, recvtype, recvbuf, recvoffset, recvcount));
            return;
        }
        collect("Allgather", Native.ALLGATHER, 0, sendbuf, sendoffset, sendcount, sendtype, recvbuf, recvoffset,
                whole("Allgather", recvcount), recvtype);
    }

    /**
     * Brings elements of every rank to all ranks.
     *
     * @param sendbuf the array or {@code ByteBuffer} they are in
     * @param sendoffset first element to send
     * @param sendcount elements of the datatype to send
     * @param sendtype what they are
     * @param recvbuf where they go
     * @param recvoffset what the displacements are counted from
     * @param recvcounts elements of each rank
     * @param displs where those of each rank begin, in extents of {@code recvtype}
     * @param recvtype what they are
     * @throws MPIException if an argument is wrong
     */
    public void Allgatherv(Object sendbuf, int sendoffset, int sendcount, Datatype sendtype, Object recvbuf,
            int recvoffset, int[] recvcounts, int[] displs, Datatype recvtype) throws MPIException {
        handle("Allgatherv");
        Datatype.require("Allgatherv", sendtype);
        Datatype.require("Allgatherv", recvtype);
        Parts.check("Allgatherv", false, peers, recvbuf, recvoffset, recvcounts, displs, recvtype);
        if (areObjects("Allgatherv", sendtype, recvtype, null)) {
            ObjectSharing.exchange(this, "Allgatherv", Native.ALLGATHER, 0,
                    ObjectSharing.piece("Allgatherv", sendtype, sendbuf, sendoffset, sendcount),
                    ObjectSharing.parts(peers, recvtype, recvbuf, recvoffset, recvcounts, displs));
            return;
        }
        collect(Native.ALLGATHERV, 0, Parts.out(endpoint, "Allgatherv", sendbuf, sendoffset, sendcount, sendtype),
                Parts.of(recvbuf, recvoffset, recvcounts, displs, recvtype));
    }

    /**
     * Every rank sends the same number of elements to each, and receives as many from each.
     *
     * @param sendbuf the array or {@code ByteBuffer} they are in
     * @param sendoffset where those for rank 0 begin
     * @param sendcount elements for each rank
     * @param sendtype what they are
     * @param recvbuf where they go
     * @param recvoffset where those of rank 0 begin
     * @param recvcount elements of each rank
     * @param recvtype what they are
     * @throws MPIException if an argument is wrong
     */
    public void Alltoall(Object sendbuf, int sendoffset, int sendcount, Datatype sendtype, Object recvbuf,
            int recvoffset, int recvcount, Datatype recvtype) throws MPIException {
        handle("Alltoall");
        Datatype.require("Alltoall", sendtype);
        Datatype.require("Alltoall", recvtype);
        if (areObjects("Alltoall", sendtype, recvtype, null)) {
            ObjectSharing.exchange(this, "Alltoall", Native.ALLTOALL, 0,
                    ObjectSharing.blocks("Alltoall", peers, sendtype, sendbuf, sendoffset, sendcount),
                    ObjectSharing.blocks("Alltoall", peers, recvtype, recvbuf, recvoffset, recvcount));
            return;
        }
        collect("Alltoall", Native.ALLTOALL, 0, sendbuf, sendoffset, whole("Alltoall", sendcount), sendtype, recvbuf,
                recvoffset, whole("Alltoall", recvcount), recvtype);
    }

    /**
     * Every rank sends elements to each and receives elements from each.
     *
     * @param sendbuf the array or {@code ByteBuffer} they are in
     * @param sendoffset what {@code sdispls} are counted from
     * @param sendcounts elements for each rank
     * @param sdispls where those for each rank begin, in extents of {@code sendtype}
     * @param sendtype what they are
     * @param recvbuf where they go
     * @param recvoffset what {@code rdispls} are counted from
     * @param recvcounts elements of each rank
     * @param rdispls where those of each rank begin, in extents of {@code recvtype}
     * @param recvtype what they are
     * @throws MPIException if an argument is wrong
     */
    public void Alltoallv(Object sendbuf, int sendoffset, int[] sendcounts, int[] sdispls, Datatype sendtype,
            Object recvbuf, int recvoffset, int[] recvcounts, int[] rdispls, Datatype recvtype) throws MPIException {
        handle("Alltoallv");
        Datatype.require("Alltoallv", sendtype);
        Datatype.require("Alltoallv", recvtype);
        Parts.check("Alltoallv", true, peers, sendbuf, sendoffset, sendcounts, sdispls, sendtype);
        Parts.check("Alltoallv", false, peers, recvbuf, recvoffset, recvcounts, rdispls, recvtype);
        if (areObjects("Alltoallv", sendtype, recvtype, null)) {
            ObjectSharing.exchange(this, "Alltoallv", Native.ALLTOALL, 0,
                    ObjectSharing.parts(peers, sendtype, sendbuf, sendoffset, sendcounts, sdispls),
                    ObjectSharing.parts(peers, recvtype, recvbuf, recvoffset, recvcounts, rdispls));
            return;
        }
        collect(Native.ALLTOALLV, 0, Parts.of(sendbuf, sendoffset, sendcounts, sdispls, sendtype),
                Parts.of(recvbuf, recvoffset, recvcounts, rdispls, recvtype));
    }
}
