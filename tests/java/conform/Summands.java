// SPDX-License-Identifier: Apache-2.0
package conform;

import java.util.Arrays;
import mpi.Datatype;
import mpi.Intracomm;
import mpi.MPI;
import mpi.Op;

/** Numbers under a datatype, an operation, and what must come out: a collective call that combines, beside a loop. */
abstract class Summands {
    private static final int OFFSET = 3;
    private static final int BACKGROUND = 99;

    private final Kind kind;
    private final Datatype type;
    private final Op op;
    private final int[] places;
    private final int extent;

    private Summands(Kind kind, Datatype type, Op op, int[] places, int extent) {
        this.kind = kind;
        this.type = type;
        this.op = op;
        this.places = places;
        this.extent = extent;
    }

    /** What a rank gives as number {@code index}, and what so many ranks, from 0 on, make of it. */
    abstract long value(int rank, int index);

    abstract long expected(int ranks, int index);

    private static final class Sum extends Summands {
        Sum(Kind kind, Datatype type, int[] places, int extent) {
            super(kind, type, MPI.SUM, places, extent);
        }

        @Override
        long value(int rank, int index) {
            return (rank * 7L + index * 3L) % 11 - 4;
        }

        @Override
        long expected(int ranks, int index) {
            long sum = 0;
            for (int rank = 0; rank < ranks; rank++) {
                sum += value(rank, index);
            }
            return sum;
        }
    }

    /** Digits to the base of 7, each with its weight, which are written one behind the other: the order matters. */
    private static final class Ordered extends Summands {
        Ordered() {
            super(Kind.LONG, MPI.LONG2, new Op(new Reductions.Concatenate(), false), new int[] {0, 1}, 2);
        }

        @Override
        long value(int rank, int index) {
            return index % 2 == 1 ? 7 : (rank + index / 2) % 7;
        }

        @Override
        long expected(int ranks, int index) {
            long result = index % 2;
            for (int rank = 0; rank < ranks; rank++) {
                result = result * 7 + (index % 2 == 1 ? 0 : value(rank, index));
            }
            return result;
        }
    }

    static Summands plain(Kind kind) {
        return new Sum(kind, kind.type, new int[] {0}, 1);
    }

    /** Two and two, with a gap between. */
    static Summands vector() {
        return new Sum(Kind.INT, Datatype.Vector(2, 2, 3, MPI.INT), new int[] {0, 1, 3, 4}, 5);
    }

    /** The operation is the program's own and not commutative. */
    static Summands ordered() {
        return new Ordered();
    }

    private int place(int index) {
        return OFFSET + index / places.length * extent + places[index % places.length];
    }

    private Object empty(int count) {
        int length = OFFSET + count * extent + 1;
        Object buffer = kind.make(length);
        for (int i = 0; i < length; i++) {
            kind.put(buffer, i, BACKGROUND);
        }
        return buffer;
    }

    private Object given(int rank, int count) {
        Object buffer = empty(count);
        for (int i = 0; i < count * places.length; i++) {
            kind.put(buffer, place(i), value(rank, i));
        }
        return buffer;
    }

    /** {@code count} results of so many ranks, of which the first is number {@code first}, and nothing beside them. */
    private void verify(Object buffer, int first, int count, int ranks, String what) {
        boolean[] isHit = new boolean[OFFSET + count * extent + 1];
        for (int i = 0; i < count * places.length; i++) {
            long wanted = expected(ranks, first * places.length + i);
            isHit[place(i)] = true;
            if (!kind.has(buffer, place(i), wanted)) {
                throw new AssertionError(what + " of " + type + ": number " + i + " of " + count * places.length
                        + " is not " + wanted);
            }
        }
        for (int i = 0; i < isHit.length; i++) {
            if (!isHit[i] && !kind.has(buffer, i, BACKGROUND)) {
                throw new AssertionError(what + " of " + type + ": place " + i + " was overwritten");
            }
        }
    }

    /** One call, checked. */
    void perform(Intracomm comm, String call, int count, int root) {
        int size = comm.Size();
        int me = comm.Rank();
        Object result = empty(count);
        switch (call) {
            case "reduce":
                comm.Reduce(given(me, count), OFFSET, me == root ? result : null, OFFSET, count, type, op, root);
                verify(result, 0, me == root ? count : 0, size, call);
                break;
            case "allreduce":
                comm.Allreduce(given(me, count), OFFSET, result, OFFSET, count, type, op);
                verify(result, 0, count, size, call);
                break;
            case "scan":
                comm.Scan(given(me, count), OFFSET, result, OFFSET, count, type, op);
                verify(result, 0, count, me + 1, call);
                break;
            case "reduce_scatter":
                shares(comm, count);
                break;
            default:
                throw new IllegalArgumentException("no case for " + call);
        }
    }

    /** {@code count} elements are dealt out, to some ranks more, to some none. */
    private void shares(Intracomm comm, int count) {
        int size = comm.Size();
        int me = comm.Rank();
        int[] counts = new int[size];
        int left = count;
        for (int i = size - 1; i > 0; i--) {
            counts[i] = Math.min(left, count / size + i % 3 - 1);
            counts[i] = Math.max(counts[i], 0);
            left -= counts[i];
        }
        counts[0] = left;
        Object result = empty(counts[me]);
        comm.Reduce_scatter(given(me, count), OFFSET, result, OFFSET, counts, type, op);
        verify(result, Arrays.stream(counts).limit(me).sum(), counts[me], size, "reduce_scatter");
    }
}
