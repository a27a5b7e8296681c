// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Native;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** The collectives of {@link Comm} that move data, started and going on in the background. */
final class Starting {
    private Starting() {
    }

    // ---- the calls; in place, the side that counts is the other one ----

    static Request barrier(Comm comm, String call) {
        comm.handle(call);
        return start(comm, call, Native.BARRIER, 0, false, Stream.NONE, Stream.NONE);
    }

    static Request bcast(Comm comm, String call, Side side, int root) {
        comm.checkRoot(call, root);
        boolean isIdle = comm.isInter && root == MPI.PROC_NULL;
        Stream data = isIdle ? Stream.NONE
                : comm.isRoot(root) ? Stream.out(comm, call, side, 1) : Stream.in(comm, call, side, 1);
        return start(comm, call, Native.BCAST, root, false, Stream.NONE, data);
    }

    static Request gather(Comm comm, String call, boolean isInPlace, Side send, Side recv, int root) {
        comm.checkRoot(call, root);
        Stream out = isInPlace || !comm.isMember(root) ? Stream.NONE : Stream.out(comm, call, send, 1);
        Stream in = !comm.isRoot(root) ? Stream.NONE : Stream.in(comm, call, recv, comm.peers);
        return start(comm, call, Native.GATHER, root, isInPlace, out, in);
    }

    static Request gatherv(Comm comm, String call, boolean isInPlace, Side send, VSide recv, int root) {
        comm.checkRoot(call, root);
        Stream out = isInPlace || !comm.isMember(root) ? Stream.NONE : Stream.out(comm, call, send, 1);
        Stream in = !comm.isRoot(root) ? Stream.NONE : parts(comm, call, recv, comm.peers, true);
        return start(comm, call, Native.GATHERV, root, isInPlace, out, in);
    }

    static Request scatter(Comm comm, String call, boolean isInPlace, Side send, Side recv, int root) {
        comm.checkRoot(call, root);
        Stream out = !comm.isRoot(root) ? Stream.NONE : Stream.out(comm, call, send, comm.peers);
        Stream in = isInPlace || !comm.isMember(root) ? Stream.NONE : Stream.in(comm, call, recv, 1);
        return start(comm, call, Native.SCATTER, root, isInPlace, out, in);
    }

    static Request scatterv(Comm comm, String call, boolean isInPlace, VSide send, Side recv, int root) {
        comm.checkRoot(call, root);
        Stream out = !comm.isRoot(root) ? Stream.NONE : parts(comm, call, send, comm.peers, false);
        Stream in = isInPlace || !comm.isMember(root) ? Stream.NONE : Stream.in(comm, call, recv, 1);
        return start(comm, call, Native.SCATTERV, root, isInPlace, out, in);
    }

    static Request allgather(Comm comm, String call, boolean isInPlace, Side send, Side recv) {
        comm.handle(call);
        Stream out = isInPlace ? Stream.NONE : Stream.out(comm, call, send, 1);
        return start(comm, call, Native.ALLGATHER, 0, isInPlace, out, Stream.in(comm, call, recv, comm.peers));
    }

    static Request allgatherv(Comm comm, String call, boolean isInPlace, Side send, VSide recv) {
        comm.handle(call);
        Stream out = isInPlace ? Stream.NONE : Stream.out(comm, call, send, 1);
        return start(comm, call, Native.ALLGATHERV, 0, isInPlace, out, parts(comm, call, recv, comm.peers, true));
    }

    static Request alltoall(Comm comm, String call, Side send, Side recv) {
        comm.handle(call);
        return start(comm, call, Native.ALLTOALL, 0, false, Stream.out(comm, call, send, comm.peers),
                Stream.in(comm, call, recv, comm.peers));
    }

    static Request alltoallv(Comm comm, String call, VSide send, VSide recv) {
        comm.handle(call);
        return start(comm, call, Native.ALLTOALLV, 0, false, parts(comm, call, send, comm.peers, false),
                parts(comm, call, recv, comm.peers, true));
    }

    static Request alltoallw(Comm comm, String call, Object sendbuf, int[] sendcounts, int[] sdispls,
            Datatype[] sendtypes, Object recvbuf, int[] recvcounts, int[] rdispls, Datatype[] recvtypes) {
        comm.handle(call);
        return start(comm, call, Native.ALLTOALLW, 0, false,
                typedParts(comm, call, sendbuf, sendcounts, sdispls, sendtypes, false),
                typedParts(comm, call, recvbuf, recvcounts, rdispls, recvtypes, true));
    }

    // ---- among neighbours ----

    static Request neighborAllgather(Comm comm, String call, Side send, Side recv) {
        int sources = neighbours(comm, call, true);
        return start(comm, call, Native.NEIGHBOR_ALLGATHER, 0, false, Stream.out(comm, call, send, 1),
                Stream.in(comm, call, recv, sources));
    }

    static Request neighborAllgatherv(Comm comm, String call, Side send, VSide recv) {
        int sources = neighbours(comm, call, true);
        return start(comm, call, Native.NEIGHBOR_ALLGATHERV, 0, false, Stream.out(comm, call, send, 1),
                parts(comm, call, recv, sources, true));
    }

    static Request neighborAlltoall(Comm comm, String call, Side send, Side recv) {
        int sources = neighbours(comm, call, true);
        int destinations = neighbours(comm, call, false);
        return start(comm, call, Native.NEIGHBOR_ALLTOALL, 0, false, Stream.out(comm, call, send, destinations),
                Stream.in(comm, call, recv, sources));
    }

    static Request neighborAlltoallv(Comm comm, String call, VSide send, VSide recv) {
        int sources = neighbours(comm, call, true);
        int destinations = neighbours(comm, call, false);
        return start(comm, call, Native.NEIGHBOR_ALLTOALLV, 0, false, parts(comm, call, send, destinations, false),
                parts(comm, call, recv, sources, true));
    }

    /** How many neighbours this rank has. */
    private static int neighbours(Comm comm, String call, boolean isSource) {
        long handle = comm.handle(call);
        if (Native.topologyKind(handle) == MPI.UNDEFINED) {
            throw new MPIException(ErrorClass.TOPOLOGY, call + ": the communicator has no topology");
        }
        return Native.neighbours(handle, isSource).length;
    }

    // ---- ways to do them ----

    /** As many elements for each rank. */
    static int[] equalCounts(Comm comm, String call, int count) {
        comm.handle(call);
        if (count < 0) {
            throw new MPIException(ErrorClass.COUNT, call + ": count is " + count + "; it cannot be negative");
        }
        int[] counts = new int[comm.size];
        Arrays.fill(counts, count);
        return counts;
    }

    private static Stream parts(Comm comm, String call, VSide side, int ranks, boolean isReceived) {
        Datatype.require(call, side.type);
        Parts.check(call, !isReceived, ranks, side);
        Side[] sides = new Side[ranks];
        for (int i = 0; i < ranks; i++) {
            int begin = side.counts[i] == 0 ? 0 : side.offset + side.displs[i] * side.type.Extent();
            sides[i] = new Side(side.buffer, begin, side.counts[i], side.type);
        }
        return Stream.parts(comm, call, sides, isReceived);
    }

    private static Stream typedParts(Comm comm, String call, Object buf, int[] counts, int[] displs,
            Datatype[] types, boolean isReceived) {
        Parts.checkCounts(call, counts, comm.peers);
        if (displs == null || displs.length < comm.peers || types == null || types.length < comm.peers) {
            throw new MPIException(ErrorClass.ARG, call + ": displacements and datatypes are needed for each of the "
                    + comm.peers + " ranks, but there are " + (displs == null ? "no" : "" + displs.length)
                    + " displacements and " + (types == null ? "no" : "" + types.length) + " datatypes");
        }
        Side[] sides = new Side[comm.peers];
        for (int i = 0; i < sides.length; i++) {
            sides[i] = at(call, buf, displs[i], counts[i], Datatype.require(call, types[i]));
        }
        return Stream.parts(comm, call, sides, isReceived);
    }

    /** Elements at a place that is counted in bytes. */
    private static Side at(String call, Object buf, int displ, int count, Datatype type) {
        if (count == 0) {
            return new Side(null, 0, 0, type);
        }
        Object array = Places.array(buf, type);
        if (array instanceof ByteBuffer && displ >= 0 && displ <= ((ByteBuffer) array).limit()) {
            return new Side(MPI.slice((ByteBuffer) array, displ), 0, count, type);
        }
        if (array instanceof ArrayBytes) {
            return new Side(((ArrayBytes) array).at(displ), 0, count, type);
        }
        if ((displ & ((1 << type.shift()) - 1)) != 0) {
            throw new MPIException(ErrorClass.ARG, call + ": displacement " + displ
                    + " is no multiple of the bytes of an element of " + type);
        }
        return new Side(array, Places.offset(buf, type) + (displ >> type.shift()), count, type);
    }

    private static Request start(Comm comm, String call, int primitive, int root, boolean isInPlace, Stream out,
            Stream in) {
        Object[] kept = {out.kept, in.kept};
        long request = Native.startCollect(comm.handle, primitive, root, isInPlace, out.numbers(), in.numbers(), kept,
                call);
        return new Request(comm.endpoint, request, MPI.BYTE,
                in.isPacked() ? new Arrival(comm.endpoint, in, null) : null);
    }
}
