// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Native;

/**
 * The collectives of {@link Comm} that combine, started and going on in the background. What a program's own operator
 * throws comes out of the call that completes the request, on the rank where the operator was called; the others do not
 * learn of it.
 */
final class StartedReduction {
    private StartedReduction() {
    }

    static Request reduce(Comm comm, String call, boolean isInPlace, Object sendbuf, Object recvbuf, int count,
            Datatype type, Op op, int root) {
        comm.checkRoot(call, root);
        Reducing.require(call, type, op);
        Stream out = isInPlace || !comm.isMember(root) ? Stream.NONE
                : Stream.out(comm, call, Places.side(sendbuf, count, type), 1);
        Stream in = !comm.isRoot(root) ? Stream.NONE : Stream.in(comm, call, Places.side(recvbuf, count, type), 1);
        return start(comm, call, Native.REDUCE, root, isInPlace, out, in, null, type, op);
    }

    /** A result for every rank; without the ranks before it, the first has none. */
    static Request all(Comm comm, String call, int primitive, boolean isInPlace, Object sendbuf, Object recvbuf,
            int count, Datatype type, Op op) {
        comm.handle(call);
        Reducing.require(call, type, op);
        boolean hasNone = primitive == Native.EXSCAN && comm.rank == 0 && !isInPlace;
        Stream out = isInPlace ? Stream.NONE : Stream.out(comm, call, Places.side(sendbuf, count, type), 1);
        Stream in = hasNone ? Stream.NONE : Stream.in(comm, call, Places.side(recvbuf, count, type), 1);
        return start(comm, call, primitive, 0, isInPlace, out, in, null, type, op);
    }

    static Request scatter(Comm comm, String call, Object sendbuf, Object recvbuf, int[] counts, Datatype type,
            Op op) {
        comm.handle(call);
        Reducing.require(call, type, op);
        int all = Reducing.sum(call, counts, comm.size);
        Side values = Places.side(sendbuf, all, type);
        Stream out = sendbuf == recvbuf ? Stream.copy(comm.endpoint, call, values)
                : Stream.out(comm, call, values, 1);
        Stream in = Stream.in(comm, call, Places.side(recvbuf, counts[comm.rank], type), 1);
        return start(comm, call, Native.REDUCE_SCATTER, 0, false, out, in, counts, type, op);
    }

    private static Request start(Comm comm, String call, int primitive, int root, boolean isInPlace, Stream out,
            Stream in, int[] counts, Datatype type, Op op) {
        Object[] kept = {out.kept, in.kept};
        try (Operator operator = new Operator(call, op, type)) {
            long request = Native.startReduce(comm.handle, primitive, root, isInPlace, out.numbers(), in.numbers(),
                    counts, operator.handle, kept, call);
            boolean hasMore = operator.combination != null || in.isPacked();
            return new Request(comm.endpoint, request, MPI.BYTE,
                    hasMore ? new Arrival(comm.endpoint, in, operator.combination) : null);
        }
    }
}
