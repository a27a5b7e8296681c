package conform;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import mpi.BufferMPI;
import mpi.Datatype;
import mpi.Errhandler;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Maxloc;
import mpi.Minloc;
import mpi.Op;
import mpi.Request;
import mpi.Status;
import mpi.User_Function;
import mpi.User_function;

/** The small members that no other case needs. */
final class Members {
    private Members() {
    }

    private static void combine(Op op, Object in, Object inout, Datatype type, int count, Object wanted) {
        op.Call(in, 0, inout, 0, count, type);
        Check.that(Arrays.deepEquals(new Object[] {wanted}, new Object[] {inout}), op + " of " + type);
    }

    static void operations(Intracomm comm) {
        int[] one = {5, -3, 6};
        combine(MPI.MAX, one, new int[] {1, 2, 3}, MPI.INT, 3, new int[] {5, 2, 6});
        combine(MPI.MIN, one, new int[] {1, 2, 3}, MPI.INT, 3, new int[] {1, -3, 3});
        combine(MPI.SUM, one, new int[] {1, 2, 3}, MPI.INT, 2, new int[] {6, -1, 3});
        combine(MPI.PROD, one, new int[] {1, 2, 3}, MPI.INT, 3, new int[] {5, -6, 18});
        combine(MPI.BAND, one, new int[] {1, 2, 3}, MPI.INT, 3, new int[] {1, 0, 2});
        combine(MPI.BOR, one, new int[] {1, 2, 3}, MPI.INT, 3, new int[] {5, -1, 7});
        combine(MPI.BXOR, one, new int[] {1, 2, 3}, MPI.INT, 3, new int[] {4, -1, 5});
        combine(MPI.LAND, one, new int[] {0, 2, 3}, MPI.INT, 3, new int[] {0, 1, 1});
        boolean[] flags = {true, false, true, false};
        combine(MPI.LAND, flags, new boolean[] {true, true, false, false}, MPI.BOOLEAN, 4,
                new boolean[] {true, false, false, false});
        combine(MPI.LOR, flags, new boolean[] {true, true, false, false}, MPI.BOOLEAN, 4,
                new boolean[] {true, true, true, false});
        combine(MPI.LXOR, flags, new boolean[] {true, true, false, false}, MPI.BOOLEAN, 4,
                new boolean[] {false, true, true, false});
        combine(MPI.SUM, new double[] {1.5}, new double[] {2}, MPI.DOUBLE, 1, new double[] {3.5});
        combine(MPI.MAX, new float[] {1.5f}, new float[] {2}, MPI.FLOAT, 1, new float[] {2});
        combine(MPI.SUM, new byte[] {100}, new byte[] {100}, MPI.BYTE, 1, new byte[] {-56});
        combine(MPI.MAX, new char[] {'a'}, new char[] {'b'}, MPI.CHAR, 1, new char[] {'b'});
        combine(MPI.PROD, new short[] {3}, new short[] {4}, MPI.SHORT, 1, new short[] {12});
        combine(MPI.SUM, new long[] {1L << 40}, new long[] {1}, MPI.LONG, 1, new long[] {(1L << 40) + 1});
        combine(MPI.MAXLOC, new int[] {5, 1, 7, 9}, new int[] {5, 0, 8, 2}, MPI.INT2, 2, new int[] {5, 0, 8, 2});
        combine(MPI.MINLOC, new double[] {5, 1, 7, 9}, new double[] {5, 3, 8, 2}, MPI.DOUBLE2, 2,
                new double[] {5, 1, 7, 9});
        combine(new Op(new Maxloc(), true), new float[] {2, 1}, new float[] {1, 0}, MPI.FLOAT2, 1, new float[] {2, 1});
        combine(new Op(new Minloc(), true, 12), new long[] {2, 1}, new long[] {1, 0}, MPI.LONG2, 1, new long[] {1, 0});
        User_function minus = new User_function() {
            @Override
            public void Call(Object in, int inAt, Object inout, int at, int count, Datatype type) {
                for (int i = 0; i < count; i++) {
                    ((int[]) inout)[at + i] -= ((int[]) in)[inAt + i];
                }
            }
        };
        combine(new Op(minus, false), one, new int[] {1, 2, 3}, MPI.INT, 3, new int[] {-4, 5, -3});
        User_Function alike = new User_Function() {
            @Override
            public void Call(Object in, int inAt, Object inout, int at, int count, Datatype type) {
                minus.Call(in, inAt, inout, at, count, type);
            }
        };
        combine(new Op(alike, false), one, new int[] {1, 2, 3}, MPI.INT, 3, new int[] {-4, 5, -3});
        Check.equal(3, MPI.SUM.opCode, "number of the sum");
        MPI.SUM.free();
        Check.fails(10, "Op: the function is null", () -> new Op((User_function) null, true));
        Check.fails(10, "Op: the function is null", () -> new Op((User_Function) null, true));
        Check.fails(10, "MPI.BAND cannot combine elements of MPI.DOUBLE",
                () -> MPI.BAND.Call(new double[1], 0, new double[1], 0, 1, MPI.DOUBLE));
        Check.fails(10, "MPI.SUM cannot combine elements of MPI.OBJECT",
                () -> MPI.SUM.Call(new Object[1], 0, new Object[1], 0, 1, MPI.OBJECT));
        Check.fails(10, "MPI.MAXLOC combines pairs, which MPI.INT is not",
                () -> MPI.MAXLOC.Call(new int[1], 0, new int[1], 0, 1, MPI.INT));
    }

    static void members(Intracomm comm) {
        Check.that(MPI.NUM_OF_PROCESSORS > 0 && !MPI.DEBUG && !MPI.isOldSelected, "facts");
        Check.that(MPI.Get_version().length == 2, "version");
        Errhandler before = MPI.Errorhandler_get();
        MPI.Errorhandler_set(new Errhandler(Errhandler.RETURN));
        Check.that(MPI.Errorhandler_get().toString().equals("MPI.ERRORS_RETURN"), "handler");
        MPI.Errorhandler_set(before);
        Check.that(new Errhandler(1L).toString().equals("MPI.ERRORS_ARE_FATAL"), "handler by number");
        Check.fails(13, "Errorhandler_set: the handler is null", () -> MPI.Errorhandler_set(null));

        MPI.Buffer_attach(new BufferMPI(1000 + MPI.BSEND_OVERHEAD, MPI.BYTE));
        int me = comm.Rank();
        byte[] in = new byte[1000];
        comm.Bsend(new byte[1000], 0, 1000, MPI.BYTE, me, 1);
        comm.Recv(in, 0, 1000, MPI.BYTE, me, 1);
        Check.that(MPI.Buffer_detach() == null, "nothing to give back");
        Check.fails(2, "BufferMPI: count is -1 ", () -> new BufferMPI(-1, MPI.INT));
        Check.fails(1, "Buffer_attach: the buffer is null", () -> MPI.Buffer_attach((BufferMPI) null));

        Status status = comm.Sendrecv(in, 0, 8, MPI.BYTE, me, 1, new long[2], 0, 2, MPI.LONG, me, 1);
        Check.that(status.count == 1 && status.numEls == 1 && status.countInBytes == 8, "fields of a status");
        Status copy = new Status(status);
        Check.that(copy.source == me && copy.Get_count(MPI.BYTE) == 8 && copy.tag == 1, "a copy of a status");
        Check.equal(0, new Status(new mpjdev.Status(1, 2, 3)).Get_count(MPI.INT), "of a status without a message");
        status.free();
        status.finalize();
        Request none = new Request((mpjdev.Request) null);
        none.finalize();
        Check.that(none.Is_null(), "a request of nothing");
        Check.that(new MPIException("a", new Error()) instanceof mpjdev.MPJDevException, "exceptions");
        Check.that(MPI.COMM_WORLD.mpjdevComm == null, "no device behind");
    }

    /** Direct buffers and views as Open MPI has them. */
    static void views(Intracomm comm) {
        Check.that(MPI.newByteBuffer(10).isDirect() && MPI.newByteBuffer(10).capacity() == 10, "bytes");
        Check.that(MPI.newByteBuffer(1).order() == ByteOrder.nativeOrder(), "byte order");
        Check.that(MPI.newIntBuffer(10).isDirect() && MPI.newIntBuffer(10).capacity() == 10, "ints");
        Check.equal(7, MPI.newCharBuffer(7).capacity() + MPI.newShortBuffer(0).capacity(), "chars and shorts");
        Check.equal(9, MPI.newLongBuffer(4).capacity() + MPI.newFloatBuffer(5).capacity(), "longs and floats");
        Check.that(MPI.newDoubleBuffer(3).order() == ByteOrder.nativeOrder(), "doubles");
        double[] doubles = {1, 2, 3, 4};
        MPI.slice(doubles, 2).put(0, 9);
        Check.that(doubles[2] == 9 && MPI.slice(doubles, 1).capacity() == 3, "a view of an array");
        Check.that(MPI.slice(MPI.slice(doubles, 1), 1).get(0) == 9, "a view of a view");
        ByteBuffer bytes = MPI.newByteBuffer(16);
        ByteBuffer rest = MPI.slice(bytes, 8);
        rest.putLong(0, 42);
        Check.equal(42, bytes.getLong(8), "a view of a direct buffer");
        int me = comm.Rank();
        long[] in = new long[1];
        comm.Sendrecv(rest, 0, 1, MPI.LONG, me, 1, in, 0, 1, MPI.LONG, me, 1);
        Check.equal(42, in[0], "a view that was sent");
        comm.Sendrecv(MPI.slice(new byte[] {1, 2, 3}, 1), 0, 2, MPI.BYTE, me, 1, bytes, 3, 2, MPI.BYTE, me, 1);
        Check.that(bytes.get(3) == 2 && bytes.get(4) == 3, "a view of a byte[] that was sent");
    }
}
