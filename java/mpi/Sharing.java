// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Native;
import java.lang.ref.Reference;

/** The collectives of {@link Comm} that move data. */
final class Sharing {
    private Sharing() {
    }

    // ---- the calls ----

    static void bcast(Comm comm, Side side, int root) {
        comm.checkRoot("Bcast", root);
        boolean isIdle = comm.isInter && root == MPI.PROC_NULL;
        Side given = side.given("Bcast", !isIdle);
        if (side.isObject()) {
            ObjectSharing.bcast(comm, given, root);
        } else {
            collect(comm, "Bcast", Native.BCAST, root, Side.NONE, given);
        }
    }

    static void gather(Comm comm, Side send, Side recv, int root) {
        comm.checkRoot("Gather", root);
        Side from = send.given("Gather", comm.isMember(root));
        Side to = recv.given("Gather", comm.isRoot(root));
        if (areObjects("Gather", from.type, to.type, send.type)) {
            ObjectSharing.exchange(comm, "Gather", Native.GATHER, root, ObjectSharing.piece("Gather", from),
                    ObjectSharing.blocks("Gather", comm.peers, to));
            return;
        }
        collect(comm, "Gather", Native.GATHER, root, from, to.times("Gather", comm.peers));
    }

    static void gatherv(Comm comm, Side send, VSide recv, int root) {
        comm.checkRoot("Gatherv", root);
        Side from = send.given("Gatherv", comm.isMember(root));
        VSide to = recv.given("Gatherv", comm.isRoot(root));
        Parts.check("Gatherv", false, comm.peers, to);
        if (areObjects("Gatherv", from.type, to.type, send.type)) {
            ObjectSharing.exchange(comm, "Gatherv", Native.GATHER, root, ObjectSharing.piece("Gatherv", from),
                    ObjectSharing.parts(comm.peers, to));
            return;
        }
        collect(comm, Native.GATHERV, root, Parts.out(comm.endpoint, "Gatherv", from), Parts.of(to, comm.peers));
    }

    static void scatter(Comm comm, Side send, Side recv, int root) {
        comm.checkRoot("Scatter", root);
        Side from = send.given("Scatter", comm.isRoot(root));
        Side to = recv.given("Scatter", comm.isMember(root));
        if (areObjects("Scatter", from.type, to.type, recv.type)) {
            ObjectSharing.exchange(comm, "Scatter", Native.SCATTER, root,
                    ObjectSharing.blocks("Scatter", comm.peers, from), ObjectSharing.piece("Scatter", to));
            return;
        }
        collect(comm, "Scatter", Native.SCATTER, root, from.times("Scatter", comm.peers), to);
    }

    static void scatterv(Comm comm, VSide send, Side recv, int root) {
        comm.checkRoot("Scatterv", root);
        VSide from = send.given("Scatterv", comm.isRoot(root));
        Side to = recv.given("Scatterv", comm.isMember(root));
        Parts.check("Scatterv", true, comm.peers, from);
        if (areObjects("Scatterv", from.type, to.type, recv.type)) {
            ObjectSharing.exchange(comm, "Scatterv", Native.SCATTER, root, ObjectSharing.parts(comm.peers, from),
                    ObjectSharing.piece("Scatterv", to));
            return;
        }
        Parts in = Parts.in(comm.endpoint, "Scatterv", to);
        collect(comm, Native.SCATTERV, root, Parts.of(from, comm.peers), in);
    }

    static void allgather(Comm comm, Side send, Side recv) {
        comm.handle("Allgather");
        send.given("Allgather", true);
        recv.given("Allgather", true);
        if (areObjects("Allgather", send.type, recv.type, null)) {
            ObjectSharing.exchange(comm, "Allgather", Native.ALLGATHER, 0, ObjectSharing.piece("Allgather", send),
                    ObjectSharing.blocks("Allgather", comm.peers, recv));
            return;
        }
        collect(comm, "Allgather", Native.ALLGATHER, 0, send, recv.times("Allgather", comm.peers));
    }

    static void allgatherv(Comm comm, Side send, VSide recv) {
        comm.handle("Allgatherv");
        send.given("Allgatherv", true);
        recv.given("Allgatherv", true);
        Parts.check("Allgatherv", false, comm.peers, recv);
        if (areObjects("Allgatherv", send.type, recv.type, null)) {
            ObjectSharing.exchange(comm, "Allgatherv", Native.ALLGATHER, 0, ObjectSharing.piece("Allgatherv", send),
                    ObjectSharing.parts(comm.peers, recv));
            return;
        }
        collect(comm, Native.ALLGATHERV, 0, Parts.out(comm.endpoint, "Allgatherv", send), Parts.of(recv, comm.peers));
    }

    static void alltoall(Comm comm, Side send, Side recv) {
        comm.handle("Alltoall");
        send.given("Alltoall", true);
        recv.given("Alltoall", true);
        if (areObjects("Alltoall", send.type, recv.type, null)) {
            ObjectSharing.exchange(comm, "Alltoall", Native.ALLTOALL, 0,
                    ObjectSharing.blocks("Alltoall", comm.peers, send),
                    ObjectSharing.blocks("Alltoall", comm.peers, recv));
            return;
        }
        collect(comm, "Alltoall", Native.ALLTOALL, 0, send.times("Alltoall", comm.peers),
                recv.times("Alltoall", comm.peers));
    }

    static void alltoallv(Comm comm, VSide send, VSide recv) {
        comm.handle("Alltoallv");
        send.given("Alltoallv", true);
        recv.given("Alltoallv", true);
        Parts.check("Alltoallv", true, comm.peers, send);
        Parts.check("Alltoallv", false, comm.peers, recv);
        if (areObjects("Alltoallv", send.type, recv.type, null)) {
            ObjectSharing.exchange(comm, "Alltoallv", Native.ALLTOALL, 0, ObjectSharing.parts(comm.peers, send),
                    ObjectSharing.parts(comm.peers, recv));
            return;
        }
        collect(comm, Native.ALLTOALLV, 0, Parts.of(send, comm.peers), Parts.of(recv, comm.peers));
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

    // ---- ways to do them ----

    /** Sends and receives sides in one piece. */
    private static void collect(Comm comm, String call, int primitive, int root, Side send, Side recv) {
        if (!send.isPlain() || !recv.isPlain()) {
            collectTyped(comm, call, primitive, root, send, recv);
            return;
        }
        long from = send.locate(call);
        long to = recv.locate(call);
        if (send.fitsStage() && (recv.fitsStage() || isFromMany(comm, primitive, recv))) {
            collectStaged(comm, call, primitive, root, send, recv);
            return;
        }
        Object source = send.target();
        Object target = recv.target();
        int what = Native.primitiveAndKinds(primitive, send.kind() | shared(source, target), recv.kind());
        Native.collect(comm.handle, what, root, source, from, send.bytes(), target, to, recv.bytes());
    }

    /** Of derived types. */
    private static void collectTyped(Comm comm, String call, int primitive, int root, Side send, Side recv) {
        Cargo out = Parts.cargo(comm.endpoint, call, true, send);
        Cargo in = Parts.cargo(comm.endpoint, call, false, recv);
        int what = Native.primitiveAndKinds(primitive, out.kind | shared(out.target, in.target), in.kind);
        Native.collect(comm.handle, what, root, out.target, out.at, out.bytes, in.target, in.at, in.bytes);
        out.close();
        in.close();
    }

    /** With a block for each rank. */
    private static void collect(Comm comm, int primitive, int root, Parts out, Parts in) {
        int what = Native.primitiveAndKinds(primitive, out.kind | shared(out.target, in.target), in.kind);
        Native.collectParts(comm.handle, what, root, out.target, out.unit, out.parts, in.target, in.unit, in.parts);
        Reference.reachabilityFence(out.type);
        Reference.reachabilityFence(in.type);
    }

    /** What comes as a short block from every rank may be long together. */
    private static boolean isFromMany(Comm comm, int primitive, Side recv) {
        long bytes = recv.bytes();
        return primitive == Native.ALLGATHER && bytes <= Stage.MANY_BYTES && recv.suitsStage()
                && comm.staging.hasPlace(bytes / comm.peers);
    }

    /** Of short arrays. One way for all of them: what is compiled once serves all lengths. */
    private static void collectStaged(Comm comm, String call, int primitive, int root, Side send, Side recv) {
        boolean isSource = primitive == Native.BCAST && comm.isRoot(root);
        long received = recv.bytes();
        long source = send.type == null ? 0 : comm.staging.put(send);
        Stage in = isSource ? null : comm.staging.in(received);
        long target = isSource ? comm.staging.put(recv) : in.address;
        int what = Native.primitiveAndKinds(primitive, send.basicKind(), recv.basicKind());
        long place = Native.collectMemory(comm.handle, what, root, source, send.bytes(), target, received);
        if (!isSource && received > 0) {
            int elements = (int) (received >> recv.type.shift());
            if (place == target) {
                in.get(place, recv.buffer, recv.basicKind(), recv.offset, elements);
            } else {
                int blocks = primitive == Native.BCAST ? 1 : comm.peers;
                if (!comm.staging.getInPlace(place, blocks, recv, elements / blocks)) {
                    throw Endpoint.finalised(call);
                }
            }
        }
        Reference.reachabilityFence(comm);
    }

    /** Tells the engine that both sides of a call are in the same array. */
    static int shared(Object source, Object target) {
        return source == target && source != null ? Native.KIND_SHARED : 0;
    }
}
