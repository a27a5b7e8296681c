// SPDX-License-Identifier: Apache-2.0
package conform;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.DoubleBuffer;
import java.nio.IntBuffer;
import mpi.Comm;
import mpi.Datatype;
import mpi.DoubleComplex;
import mpi.DoubleInt;
import mpi.Intracomm;
import mpi.LongInt;
import mpi.MPI;
import mpi.Op;
import mpi.Request;
import mpi.ShortInt;
import mpi.UserFunction;

/** Reductions by the calls of the Open MPI dialect. */
final class OpenReductions {
    private OpenReductions() {
    }

    /** In arrays and in direct buffers, waiting and not, in place and not. */
    static void reductions(Intracomm comm) {
        for (int count : new int[] {1, 10, 3000}) {
            arrays(comm, count, MPI.SUM);
            arrays(comm, count, sum(true));
            arrays(comm, count, sum(false));
            started(comm, count, MPI.SUM, true);
            started(comm, count, MPI.SUM, false);
            started(comm, count, sum(true), true);
            started(comm, count, sum(false), false);
        }
        Check.fails(MPI.ERR_OP, "allReduce: MPI.REPLACE is for windows",
                () -> comm.allReduce(new int[1], 1, MPI.INT, MPI.REPLACE));
    }

    /** A function that overrides the method with arrays, or the one with buffers. */
    private static Op sum(boolean isOfArrays) {
        return new Op(isOfArrays ? new UserFunction() {
            @Override
            public void call(Object in, Object inOut, int count, Datatype type) {
                for (int i = 0; i < count; i++) {
                    ((int[]) inOut)[i] += ((int[]) in)[i];
                }
            }
        } : new UserFunction() {
            @Override
            public void call(ByteBuffer in, ByteBuffer inOut, int count, Datatype type) {
                for (int i = 0; i < count; i++) {
                    inOut.putInt(4 * i, inOut.getInt(4 * i) + in.getInt(4 * i));
                }
            }
        }, true);
    }

    private static int[] values(Intracomm comm, int count) {
        int[] values = new int[count];
        for (int i = 0; i < count; i++) {
            values[i] = comm.getRank() + i;
        }
        return values;
    }

    /** The sum over the first so many ranks. */
    private static int sum(int ranks, int at) {
        return ranks * (ranks - 1) / 2 + ranks * at;
    }

    private static void verify(int[] result, int begin, int count, int ranks, int first, String what) {
        for (int i = 0; i < count; i++) {
            Check.equal(sum(ranks, first + i), result[begin + i], what, i);
        }
    }

    private static void arrays(Intracomm comm, int count, Op op) {
        int size = comm.getSize();
        int me = comm.getRank();
        int[] result = new int[count];
        comm.reduce(values(comm, count), result, count, MPI.INT, op, size - 1);
        verify(result, 0, me == size - 1 ? count : 0, size, 0, "reduce");
        int[] both = values(comm, count);
        comm.reduce(both, count, MPI.INT, op, 0);
        verify(both, 0, me == 0 ? count : 0, size, 0, "reduce in place");
        comm.allReduce(values(comm, count), result, count, MPI.INT, op);
        verify(result, 0, count, size, 0, "allReduce");
        both = values(comm, count);
        comm.allReduce(both, count, MPI.INT, op);
        verify(both, 0, count, size, 0, "allReduce in place");
        comm.scan(values(comm, count), result, count, MPI.INT, op);
        verify(result, 0, count, me + 1, 0, "scan");
        both = values(comm, count);
        comm.scan(both, count, MPI.INT, op);
        verify(both, 0, count, me + 1, 0, "scan in place");
        result = new int[] {-7};
        comm.exScan(values(comm, 1), result, 1, MPI.INT, op);
        Check.equal(me == 0 ? -7 : sum(me, 0), result[0], "exScan");
        both = values(comm, count);
        comm.exScan(both, count, MPI.INT, op);
        verify(both, 0, count, me == 0 ? 1 : me, 0, "exScan in place");
        int[] part = new int[count];
        comm.reduceScatterBlock(values(comm, count * size), part, count, MPI.INT, op);
        verify(part, 0, count, size, me * count, "reduceScatterBlock");
        int[] all = values(comm, count * size);
        comm.reduceScatterBlock(all, count, MPI.INT, op);
        verify(all, 0, count, size, me * count, "reduceScatterBlock in place");
        int[] counts = new int[size];
        java.util.Arrays.fill(counts, count);
        all = values(comm, count * size);
        comm.reduceScatter(all, counts, MPI.INT, op);
        verify(all, 0, count, size, me * count, "reduceScatter in place");
        int[] inout = values(comm, count);
        Comm.reduceLocal(values(comm, count), inout, count, MPI.INT, op);
        Check.equal(2 * (me + count - 1), inout[count - 1], "reduceLocal");
    }

    private static IntBuffer buffer(Intracomm comm, int count, boolean isDirect) {
        IntBuffer buffer = isDirect ? MPI.newIntBuffer(count) : MPI.slice(new int[count + 3], 3);
        for (int i = 0; i < count; i++) {
            buffer.put(i, comm.getRank() + i);
        }
        return buffer;
    }

    private static void verify(Request request, IntBuffer result, int count, int ranks, int first, String what) {
        request.waitFor();
        Check.that(request.isNull(), what + ": the request");
        for (int i = 0; i < count; i++) {
            Check.equal(sum(ranks, first + i), result.get(i), what, i);
        }
    }

    private static void started(Intracomm comm, int count, Op op, boolean isDirect) {
        int size = comm.getSize();
        int me = comm.getRank();
        IntBuffer values = buffer(comm, count, isDirect);
        IntBuffer result = buffer(comm, count, isDirect);
        verify(comm.iReduce(values, result, count, MPI.INT, op, 0), result, me == 0 ? count : 0, size, 0, "iReduce");
        verify(comm.iAllReduce(values, result, count, MPI.INT, op), result, count, size, 0, "iAllReduce");
        verify(comm.iScan(values, result, count, MPI.INT, op), result, count, me + 1, 0, "iScan");
        verify(comm.iExScan(values, result, count, MPI.INT, op), result, me == 0 ? 0 : count, me, 0, "iExScan");
        IntBuffer both = buffer(comm, count, isDirect);
        verify(comm.iReduce(both, count, MPI.INT, op, size - 1), both, me == size - 1 ? count : 0, size, 0,
                "iReduce in place");
        both = buffer(comm, count, isDirect);
        verify(comm.iAllReduce(both, count, MPI.INT, op), both, count, size, 0, "iAllReduce in place");
        both = buffer(comm, count, isDirect);
        verify(comm.iScan(both, count, MPI.INT, op), both, count, me + 1, 0, "iScan in place");
        both = buffer(comm, count, isDirect);
        verify(comm.iExScan(both, count, MPI.INT, op), both, count, me == 0 ? 1 : me, 0, "iExScan in place");
        IntBuffer all = buffer(comm, count * size, isDirect);
        verify(comm.iReduceScatterBlock(all, result, count, MPI.INT, op), result, count, size, me * count,
                "iReduceScatterBlock");
        verify(comm.iReduceScatterBlock(all, count, MPI.INT, op), all, count, size, me * count,
                "iReduceScatterBlock in place");
        int[] counts = new int[size];
        java.util.Arrays.fill(counts, count);
        all = buffer(comm, count * size, isDirect);
        verify(comm.iReduceScatter(all, result, counts, MPI.INT, op), result, count, size, me * count,
                "iReduceScatter");
        verify(comm.iReduceScatter(all, counts, MPI.INT, op), all, count, size, me * count,
                "iReduceScatter in place");
    }

    /** Complex numbers, and values with a place, which are structs here. */
    static void pairs(Intracomm comm) {
        int size = comm.getSize();
        int me = comm.getRank();
        double[] complex = {0, 1, me, 2};
        comm.allReduce(complex, 2, MPI.DOUBLE_COMPLEX, MPI.PROD);
        double[][] powers = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
        DoubleComplex first = DoubleComplex.get(complex);
        Check.that(first.getReal() == powers[size % 4][0] && first.getImag() == powers[size % 4][1],
                "the product of complex numbers");
        DoubleBuffer direct = MPI.newDoubleBuffer(2);
        DoubleComplex.get(direct).putImag(me);
        comm.iAllReduce(direct, 1, MPI.DOUBLE_COMPLEX, MPI.SUM).waitFor();
        Check.that(direct.get(1) == size * (size - 1) / 2.0, "the sum of complex numbers");
        Check.fails(MPI.ERR_OP, "allReduce: MPI.MAX cannot combine elements of MPI.DOUBLE_COMPLEX",
                () -> comm.allReduce(new double[2], 1, MPI.DOUBLE_COMPLEX, MPI.MAX));

        ByteBuffer bytes = MPI.newByteBuffer(2 * MPI.DOUBLE_INT.getExtent());
        DoubleInt.Data pair = MPI.doubleInt.getData(bytes, 1);
        pair.putValue(me % 2);
        pair.putIndex(me);
        comm.allReduce(bytes, 2, MPI.DOUBLE_INT, MPI.MINLOC);
        Check.that(pair.getValue() == 0 && pair.getIndex() == 0, "the least of doubles");
        byte[] array = new byte[MPI.LONG_INT.getExtent()];
        LongInt.Data longs = MPI.longInt.getData(array);
        longs.putValue(1L << 40 | me);
        longs.putIndex(100 + me);
        comm.allReduce(array, 1, MPI.LONG_INT, MPI.MAXLOC);
        Check.equal(99 + size, longs.getIndex(), "the place of the largest of longs");
        ByteBuffer few = MPI.newByteBuffer(MPI.SHORT_INT.getExtent());
        ShortInt.Data shorts = MPI.shortInt.getData(few);
        shorts.putValue((short) -me);
        shorts.putIndex((me + 1) << 20); // in all bytes of the field, which lies behind a gap
        comm.iAllReduce(few, 1, MPI.SHORT_INT, MPI.MINLOC).waitFor();
        Check.equal(size << 20, shorts.getIndex(), "the place of the least of shorts");
        byte[] ints = new byte[8];
        MPI.int2.<mpi.Int2.Data>getData(ints).putValue(me);
        comm.allReduce(ints, 1, MPI.INT2, MPI.MAXLOC);
        Check.equal(size - 1, MPI.int2.<mpi.Int2.Data>getData(ints).getValue(), "a pair of ints in bytes");
        int[] same = {me, me};
        comm.allReduce(same, 1, MPI.INT2, MPI.MAXLOC);
        Check.equal(size - 1, same[1], "a pair of ints in ints");
        ByteBuffer floats = MPI.newByteBuffer(8);
        ByteBuffer others = MPI.newByteBuffer(8);
        MPI.floatInt.<mpi.FloatInt.Data>getData(others).putValue(2);
        Comm.reduceLocal(others, floats, 1, MPI.FLOAT_INT, MPI.MAXLOC);
        Check.that(MPI.floatInt.<mpi.FloatInt.Data>getData(floats).getValue() == 2, "reduceLocal of pairs");
        Check.fails(MPI.ERR_OP, "allReduce: MPI.SUM cannot combine elements of MPI.SHORT_INT",
                () -> comm.allReduce(new byte[8], 1, MPI.SHORT_INT, MPI.SUM));
    }

    /** What a function throws comes out where the request is completed. */
    static void failures(Intracomm comm) {
        Op op = new Op(new UserFunction() {
            @Override
            public void call(ByteBuffer in, ByteBuffer inOut, int count, Datatype type) {
                throw new IllegalStateException("no sum today");
            }
        }, false);
        Buffer both = MPI.newIntBuffer(1);
        Request request = comm.iScan((IntBuffer) both, 1, MPI.INT, op);
        boolean isLast = comm.getRank() > 0 && comm.getRank() == comm.getSize() - 1; // which surely combines
        try {
            request.waitFor();
            Check.that(!isLast, "the function was called, and no exception came");
        } catch (IllegalStateException e) {
            Check.that(e.getMessage().equals("no sum today"), "an exception that was not thrown");
        }
        Check.that(request.isNull(), "a request that failed");
    }
}
