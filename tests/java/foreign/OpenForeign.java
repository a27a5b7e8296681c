// SPDX-License-Identifier: Apache-2.0
import java.nio.ByteBuffer;
import java.nio.DoubleBuffer;
import java.nio.IntBuffer;
import mpi.CartComm;
import mpi.Comm;
import mpi.Datatype;
import mpi.DoubleInt;
import mpi.Group;
import mpi.Info;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Message;
import mpi.Op;
import mpi.Prequest;
import mpi.Request;
import mpi.ShiftParms;
import mpi.Status;
import mpi.Struct;
import mpi.UserFunction;

/** A program for the Open MPI Java bindings, to be compiled against those, or what looks like them, and run here. */
public final class OpenForeign {
    private static final class Particle extends Struct {
        final int id = addInt();
        final int place = addDouble(3);

        @Override
        protected Data newData() {
            return new Data();
        }

        final class Data extends Struct.Data {
            int getId() {
                return getInt(id);
            }

            double getPlace(int axis) {
                return getDouble(place, axis);
            }

            void put(int newId, double x) {
                putInt(id, newId);
                putDouble(place, 2, x);
            }
        }
    }

    private OpenForeign() {
    }

    private static void check(boolean isTrue, String what) {
        if (!isTrue) {
            throw new AssertionError(what);
        }
    }

    public static void main(String[] args) throws MPIException {
        MPI.Init(args);
        Intracomm world = MPI.COMM_WORLD;
        int rank = world.getRank();
        int size = world.getSize();
        messages(world, rank, size);
        collectives(world, rank, size);
        structs(world, rank, size);
        others(world, rank, size);
        world.barrier();
        if (rank == 0) {
            System.out.println("open foreign: the class file runs on " + size + " ranks");
        }
        MPI.Finalize();
    }

    private static void messages(Comm world, int rank, int size) throws MPIException {
        int right = (rank + 1) % size;
        int left = (rank + size - 1) % size;
        int[] in = new int[2];
        Status status = world.sendRecv(new int[] {rank, 7}, 2, MPI.INT, right, 1, in, 2, MPI.INT, left, 1);
        check(in[0] == left && status.getCount(MPI.INT) == 2 && status.getSource() == left, "sendRecv");
        DoubleBuffer out = MPI.newDoubleBuffer(3);
        DoubleBuffer back = MPI.newDoubleBuffer(3);
        out.put(2, rank);
        Request[] both = {world.iRecv(back, 3, MPI.DOUBLE, left, MPI.ANY_TAG),
            world.iSend(out, 3, MPI.DOUBLE, right, 2)};
        Request.waitAll(both);
        check(back.get(2) == left && both[0].isNull(), "iSend and iRecv");
        Prequest send = world.sendInit(out, 3, MPI.DOUBLE, right, 3);
        send.start();
        Message message = new Message();
        message.mProbe(left, 3, world);
        message.mRecv(back, 3, MPI.DOUBLE);
        send.waitFor();
        send.free();
        try {
            world.send(in, 1, MPI.INT, size, 1);
            check(false, "a rank that is none");
        } catch (MPIException e) {
            check(e.getErrorClass() == MPI.ERR_RANK, "class of the error");
        }
    }

    private static void collectives(Intracomm world, int rank, int size) throws MPIException {
        double[] sum = {rank, 1};
        world.allReduce(sum, 2, MPI.DOUBLE, MPI.SUM);
        check(sum[1] == size, "allReduce");
        IntBuffer all = MPI.newIntBuffer(size);
        all.put(rank, rank);
        world.iAllGather(all, 1, MPI.INT).waitFor();
        check(all.get(size - 1) == size - 1, "iAllGather");
        Op op = new Op(new UserFunction() {
            @Override
            public void call(Object inVec, Object inOutVec, int count, Datatype type) {
                for (int i = 0; i < count; i++) {
                    ((int[]) inOutVec)[i] += ((int[]) inVec)[i];
                }
            }
        }, true);
        int[] total = new int[1];
        world.reduce(new int[] {rank + 1}, total, 1, MPI.INT, op, 0);
        check(rank != 0 || total[0] == size * (size + 1) / 2, "reduce with a function");
        ByteBuffer pair = MPI.newByteBuffer(16);
        DoubleInt.Data data = (DoubleInt.Data) MPI.doubleInt.getData(pair);
        data.putValue(10 + rank);
        data.putIndex(rank);
        world.allReduce(pair, 1, MPI.DOUBLE_INT, MPI.MAXLOC);
        check(data.getIndex() == size - 1 && data.getValue() == 9 + size, "MAXLOC");
    }

    private static void structs(Comm world, int rank, int size) throws MPIException {
        Particle particle = new Particle();
        ByteBuffer buffer = MPI.newByteBuffer(2 * particle.getExtent());
        Particle.Data second = (Particle.Data) particle.getData(buffer, 1);
        second.put(rank, 0.5);
        world.bcast(buffer, 2, particle.getType(), size - 1);
        check(second.getId() == size - 1 && second.getPlace(2) == 0.5, "struct");
        Datatype column = Datatype.createVector(3, 1, 4, MPI.INT);
        column.commit();
        int[] matrix = new int[12];
        matrix[8] = rank;
        world.bcast(matrix, 1, column, 0);
        check(matrix[8] == 0, "vector");
        column.free();
    }

    private static void others(Intracomm world, int rank, int size) throws MPIException {
        CartComm ring = world.createCart(new int[] {size}, new boolean[] {true}, false);
        ShiftParms shift = ring.shift(0, 1);
        check(shift.getRankDest() == (rank + 1) % size && ring.getTopo().getPeriod(0), "ring");
        int[] neighbours = new int[2];
        ring.neighborAllGather(new int[] {rank}, 1, MPI.INT, neighbours, 1, MPI.INT);
        check(neighbours[1] == (rank + 1) % size, "neighborAllGather");
        ring.free();
        Group group = world.getGroup();
        check(group.getSize() == size && Group.compare(group, group) == MPI.IDENT, "group");
        Intracomm odd = world.split(rank % 2 == 0 ? MPI.UNDEFINED : 1, rank);
        check(odd.isNull() == (rank % 2 == 0), "split");
        Info info = new Info();
        info.set("key", "value");
        check(info.get("key").equals("value"), "info");
        world.setErrhandler(MPI.ERRORS_RETURN);
        int key = Comm.createKeyval();
        world.setAttr(key, "attribute");
        check("attribute".equals(world.getAttr(key)) && world.getAttr(MPI.APPNUM).equals(0), "attributes");
        check(MPI.wtime() > 0 && !MPI.getProcessorName().isEmpty() && MPI.isInitialized(), "environment");
    }
}
