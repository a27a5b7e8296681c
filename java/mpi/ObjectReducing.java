// SPDX-License-Identifier: Apache-2.0
package mpi;

import corunna.engine.Native;
import java.lang.reflect.Array;

/**
 * Reductions of objects, with operators of the program's own: the objects of all ranks go to each rank that
 * needs the result, which combines them in the order of the ranks. All messages are through before the operator is
 * called, so that its exceptions harm no other rank.
 */
final class ObjectReducing {
    private final String call;
    private final Op op;
    private final Datatype type;
    private final int count;
    /** Where in an array of its own a vector begins, and how long such an array is. */
    private final int begin;
    private final int length;
    private final Class<?> elementClass;

    private ObjectReducing(String call, Op op, int count, Side send, Side recv) {
        this.call = call;
        this.op = op;
        this.type = send.type;
        this.count = count;
        Layout layout = type.layout();
        int span = count == 0 ? 0 : (count - 1) * type.Extent();
        int low = Math.min(0, layout == null ? 0 : layout.trueLb + Math.min(0, span));
        int high = Math.max(0, (layout == null ? type.Size() : layout.trueUb) + Math.max(0, span));
        begin = -low;
        length = high - low;
        boolean areAlike = send.buffer != null
                && (recv.buffer == null || send.buffer.getClass() == recv.buffer.getClass());
        elementClass = areAlike ? send.buffer.getClass().getComponentType() : Object.class;
    }

    static void reduce(Comm comm, String call, Side send, Side recv, Op op, int root) {
        boolean isRoot = comm.isRoot(root);
        ObjectReducing reducing = new ObjectReducing(call, op, send.count, send, isRoot ? recv : Side.NONE);
        if (isRoot) {
            recv.check(call);
        }
        Object[][] vectors = new Object[isRoot ? comm.peers : 0][];
        ObjectSharing.exchange(comm, call, Native.GATHER, root,
                ObjectSharing.piece(call, send.given(call, comm.isMember(root))),
                reducing.room(vectors, vectors.length));
        if (isRoot) {
            reducing.combine(vectors, vectors.length, recv);
        }
    }

    /** The first {@code ranks} of all vectors, for all ranks. */
    static void share(Comm comm, String call, int ranks, Side send, Side recv, Op op) {
        ObjectReducing reducing = new ObjectReducing(call, op, send.count, send, recv);
        recv.check(call);
        Object[][] vectors = new Object[comm.peers][];
        ObjectSharing.exchange(comm, call, Native.ALLGATHER, 0, ObjectSharing.piece(call, send),
                reducing.room(vectors, ranks));
        reducing.combine(vectors, ranks, recv);
    }

    static void scatter(Comm comm, String call, Side send, Side recv, int[] counts, Op op) {
        int[] displs = new int[comm.peers];
        for (int i = 1; i < displs.length; i++) {
            displs[i] = displs[i - 1] + counts[i - 1];
        }
        send.check(call);
        recv.check(call);
        ObjectReducing reducing = new ObjectReducing(call, op, recv.count, send, recv);
        Object[][] vectors = new Object[comm.peers][];
        ObjectSharing.exchange(comm, call, Native.ALLTOALL, 0,
                ObjectSharing.parts(comm.peers, new VSide(send.buffer, send.offset, counts, displs, send.type)),
                reducing.room(vectors, vectors.length));
        reducing.combine(vectors, vectors.length, recv);
    }

    /** Arrays for the vectors of the first {@code ranks}; those of the others are not looked at. */
    private ObjectSharing.Piece[] room(Object[][] vectors, int ranks) {
        ObjectSharing.Piece[] pieces = new ObjectSharing.Piece[vectors.length];
        for (int i = 0; i < ranks; i++) {
            vectors[i] = (Object[]) Array.newInstance(elementClass, length);
            pieces[i] = new ObjectSharing.Piece(new Side(vectors[i], begin, count, type), true);
        }
        return pieces;
    }

    private void combine(Object[][] vectors, int ranks, Side recv) {
        if (count == 0) {
            return;
        }
        Object[] result = vectors[ranks - 1];
        for (int i = ranks - 2; i >= 0; i--) {
            op.Call(vectors[i], begin, result, begin, count, type);
        }
        Object[] target = (Object[]) recv.buffer;
        int[] places = type.layout() == null ? null : type.layout().places;
        try {
            for (int i = 0; i < count; i++) {
                for (int k = 0; k < type.Size(); k++) {
                    int at = i * type.Extent() + (places == null ? k : places[k]);
                    target[recv.offset + at] = result[begin + at];
                }
            }
        } catch (ArrayStoreException e) {
            throw new MPIException(ErrorClass.TYPE, call + ": the result has a " + e.getMessage()
                    + ", which does not fit a " + target.getClass().getSimpleName(), e);
        }
    }
}
