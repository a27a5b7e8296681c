package mpi;

import corunna.engine.Native;
import java.lang.reflect.Array;

/**
 * Reductions of objects, with operators of the program's own: everybody's objects come to whoever needs the result,
 * which combines them in the order of the ranks. All messages are through before the operator is called, so that its
 * exceptions harm nobody else.
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

    private ObjectReducing(String call, Op op, Datatype type, int count, Object sendbuf, Object recvbuf) {
        this.call = call;
        this.op = op;
        this.type = type;
        this.count = count;
        Layout layout = type.layout();
        int span = count == 0 ? 0 : (count - 1) * type.Extent();
        int low = Math.min(0, layout == null ? 0 : layout.trueLb + Math.min(0, span));
        int high = Math.max(0, (layout == null ? type.Size() : layout.trueUb) + Math.max(0, span));
        begin = -low;
        length = high - low;
        boolean areAlike = sendbuf != null && (recvbuf == null || sendbuf.getClass() == recvbuf.getClass());
        elementClass = areAlike ? sendbuf.getClass().getComponentType() : Object.class;
    }

    static void reduce(Sharing comm, String call, Object sendbuf, int sendoffset, Object recvbuf, int recvoffset,
            int count, Datatype type, Op op, int root) {
        boolean isRoot = comm.isRoot(root);
        ObjectReducing reducing = new ObjectReducing(call, op, type, count, sendbuf, isRoot ? recvbuf : null);
        if (isRoot) {
            type.checkBuffer(call, recvbuf, recvoffset, count);
        }
        Object[][] vectors = new Object[isRoot ? comm.peers : 0][];
        ObjectSharing.exchange(comm, call, Native.GATHER, root,
                ObjectSharing.piece(call, comm.isLeaf(root) ? type : null, sendbuf, sendoffset, count),
                reducing.room(vectors, vectors.length));
        if (isRoot) {
            reducing.combine(vectors, vectors.length, recvbuf, recvoffset);
        }
    }

    /** The first {@code ranks} of all vectors, for everybody. */
    static void share(Sharing comm, String call, int ranks, Object sendbuf, int sendoffset, Object recvbuf,
            int recvoffset, int count, Datatype type, Op op) {
        ObjectReducing reducing = new ObjectReducing(call, op, type, count, sendbuf, recvbuf);
        type.checkBuffer(call, recvbuf, recvoffset, count);
        Object[][] vectors = new Object[comm.peers][];
        ObjectSharing.exchange(comm, call, Native.ALLGATHER, 0,
                ObjectSharing.piece(call, type, sendbuf, sendoffset, count), reducing.room(vectors, ranks));
        reducing.combine(vectors, ranks, recvbuf, recvoffset);
    }

    static void scatter(Sharing comm, String call, Object sendbuf, int sendoffset, Object recvbuf, int recvoffset,
            int[] counts, int total, Datatype type, Op op) {
        int count = counts[comm.rank];
        int[] displs = new int[comm.peers];
        for (int i = 1; i < displs.length; i++) {
            displs[i] = displs[i - 1] + counts[i - 1];
        }
        type.checkBuffer(call, sendbuf, sendoffset, total);
        type.checkBuffer(call, recvbuf, recvoffset, count);
        ObjectReducing reducing = new ObjectReducing(call, op, type, count, sendbuf, recvbuf);
        Object[][] vectors = new Object[comm.peers][];
        ObjectSharing.exchange(comm, call, Native.ALLTOALL, 0,
                ObjectSharing.parts(comm.peers, type, sendbuf, sendoffset, counts, displs),
                reducing.room(vectors, vectors.length));
        reducing.combine(vectors, vectors.length, recvbuf, recvoffset);
    }

    /** Arrays for the vectors of the first {@code ranks}; those of the others are not looked at. */
    private ObjectSharing.Piece[] room(Object[][] vectors, int ranks) {
        ObjectSharing.Piece[] pieces = new ObjectSharing.Piece[vectors.length];
        for (int i = 0; i < ranks; i++) {
            vectors[i] = (Object[]) Array.newInstance(elementClass, length);
            pieces[i] = new ObjectSharing.Piece(vectors[i], begin, count, type, true);
        }
        return pieces;
    }

    private void combine(Object[][] vectors, int ranks, Object recvbuf, int recvoffset) {
        if (count == 0) {
            return;
        }
        Object[] result = vectors[ranks - 1];
        for (int i = ranks - 2; i >= 0; i--) {
            op.Call(vectors[i], begin, result, begin, count, type);
        }
        Object[] target = (Object[]) recvbuf;
        int[] places = type.layout() == null ? null : type.layout().places;
        try {
            for (int i = 0; i < count; i++) {
                for (int k = 0; k < type.Size(); k++) {
                    int at = i * type.Extent() + (places == null ? k : places[k]);
                    target[recvoffset + at] = result[begin + at];
                }
            }
        } catch (ArrayStoreException e) {
            throw new MPIException(ErrorClass.TYPE, call + ": the result has a " + e.getMessage()
                    + ", which does not fit a " + target.getClass().getSimpleName(), e);
        }
    }
}
