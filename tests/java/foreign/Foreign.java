// SPDX-License-Identifier: Apache-2.0
import java.nio.ByteBuffer;
import java.util.Arrays;
import mpi.Comm;
import mpi.Datatype;
import mpi.Group;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Op;
import mpi.Request;
import mpi.Status;
import mpi.User_function;
import mpjbuf.Buffer;
import mpjbuf.BufferFactory;

/**
 * A program for MPJ Express. Compiled against MPJ Express it runs on Corunna without being compiled again: members
 * whose types differ between the libraries are found all the same.
 */
public final class Foreign {
    private Foreign() {
    }

    private static void check(boolean isTrue, String what) {
        if (!isTrue) {
            throw new IllegalStateException(what);
        }
    }

    /** Every collective, by the descriptors it has there. */
    private static void collectives(int me, int size, Op op) throws MPIException {
        Intracomm world = MPI.COMM_WORLD;
        int[] one = {me + 1};
        int[] all = new int[size];
        int[] ones = new int[size];
        int[] steps = new int[size];
        for (int i = 0; i < size; i++) {
            ones[i] = 1;
            steps[i] = i;
        }
        int sum = size * (size + 1) / 2;
        int[] result = {me == 0 ? 7 : 0};
        world.Bcast(result, 0, 1, MPI.INT, 0);
        check(result[0] == 7, "Bcast");
        world.Gather(one, 0, 1, MPI.INT, all, 0, 1, MPI.INT, 0);
        world.Scatter(all, 0, 1, MPI.INT, result, 0, 1, MPI.INT, 0);
        check(result[0] == me + 1, "Gather, Scatter");
        world.Gatherv(one, 0, 1, MPI.INT, all, 0, ones, steps, MPI.INT, 0);
        world.Scatterv(all, 0, ones, steps, MPI.INT, result, 0, 1, MPI.INT, 0);
        check(result[0] == me + 1, "Gatherv, Scatterv");
        world.Allgather(one, 0, 1, MPI.INT, all, 0, 1, MPI.INT);
        check(all[size - 1] == size, "Allgather");
        world.Allgatherv(one, 0, 1, MPI.INT, all, 0, ones, steps, MPI.INT);
        world.Alltoall(all, 0, 1, MPI.INT, all, 0, 1, MPI.INT);
        check(all[0] == me + 1 && all[size - 1] == me + 1, "Allgatherv, Alltoall");
        world.Alltoallv(all, 0, ones, steps, MPI.INT, all, 0, ones, steps, MPI.INT);
        check(all[size - 1] == size, "Alltoallv");
        world.Reduce(one, 0, result, 0, 1, MPI.INT, MPI.SUM, 0);
        check(me > 0 || result[0] == sum, "Reduce");
        world.Allreduce(one, 0, result, 0, 1, MPI.INT, op);
        check(result[0] == sum, "Allreduce");
        world.Scan(one, 0, result, 0, 1, MPI.INT, MPI.SUM);
        check(result[0] == (me + 1) * (me + 2) / 2, "Scan");
        world.Reduce_scatter(all, 0, result, 0, ones, MPI.INT, MPI.MAX);
        check(result[0] == me + 1, "Reduce_scatter");
        Object[] objects = {me == 0 ? "text" : null};
        world.Bcast(objects, 0, 1, MPI.OBJECT, 0);
        check(objects[0].equals("text"), "Bcast of objects");
    }

    /** As programs for MPJ Express pack and send. */
    private static void packedMessage(int next, int before) {
        Buffer out = new Buffer(BufferFactory.create(1000 + MPI.SEND_OVERHEAD), MPI.SEND_OVERHEAD,
                1000 + MPI.SEND_OVERHEAD);
        int position = MPI.COMM_WORLD.Pack(new int[] {next}, 0, 1, MPI.INT, out, 0);
        position = MPI.COMM_WORLD.Pack(new double[] {1.5}, 0, 1, MPI.DOUBLE, out, position);
        Request send = MPI.COMM_WORLD.Isend(out, 0, position, MPI.PACKED, next, 5);
        Buffer in = new Buffer(BufferFactory.create(1000 + MPI.RECV_OVERHEAD), MPI.RECV_OVERHEAD,
                1000 + MPI.RECV_OVERHEAD);
        MPI.COMM_WORLD.Recv(in, 0, position, MPI.PACKED, before, 5);
        send.Wait();
        int[] number = new int[1];
        double[] real = new double[1];
        position = MPI.COMM_WORLD.Unpack(in, 0, number, 0, 1, MPI.INT);
        MPI.COMM_WORLD.Unpack(in, position, real, 0, 1, MPI.DOUBLE);
        check(number[0] == MPI.COMM_WORLD.Rank() && real[0] == 1.5, "packed message");
        BufferFactory.destroy(out.getStaticBuffer());
        BufferFactory.destroy(in.getStaticBuffer());
    }

    public static void main(String[] args) throws Exception {
        String[] own = MPI.Init(args);
        check(own.length == 2 && own[0].equals("one"), "arguments " + Arrays.toString(own));
        int me = MPI.COMM_WORLD.Rank();
        int size = MPI.COMM_WORLD.Size();
        Comm self = MPI.COMM_SELF; // a Comm there, an Intracomm here
        check(self.Size() == 1, "self");
        check(MPI.COMM_WORLD.Attr_get(MPI.TAG_UB) instanceof Object, "attribute"); // an Object there
        MPI.Buffer_attach(ByteBuffer.allocateDirect(10_000 + MPI.BSEND_OVERHEAD));
        int next = (me + 1) % size;
        int before = (me + size - 1) % size;
        MPI.COMM_WORLD.Bsend(new Object[] {"to " + next, new int[] {me}}, 0, 2, MPI.OBJECT, next, 3);
        Status status = MPI.COMM_WORLD.Probe(before, MPI.ANY_TAG);
        Object[] objects = new Object[status.Get_count(MPI.OBJECT)];
        status = MPI.COMM_WORLD.Recv(objects, 0, objects.length, MPI.OBJECT, status.source, status.tag);
        check(objects[0].equals("to " + me) && ((int[]) objects[1])[0] == before, "objects");
        check(status.count == 2 && status.source == before && status.tag == 3, "status");
        MPI.Buffer_detach(); // returns nothing there, the array here

        double[] matrix = new double[16];
        Datatype column = Datatype.Vector(4, 1, 4, MPI.DOUBLE);
        column.Commit();
        Request request = MPI.COMM_WORLD.Isend(new double[] {1, 2, 3, 4}, 0, 4, MPI.DOUBLE, next, 4);
        MPI.COMM_WORLD.Recv(matrix, 1, 1, column, before, 4);
        request.Wait();
        check(matrix[5] == 2 && matrix[13] == 4 && column.Size() == 4, "column");
        Group group = MPI.COMM_WORLD.Group();
        Intracomm first = MPI.COMM_WORLD.Create(group.Incl(new int[] {0}));
        check(me > 0 || first.Size() == 1, "created");
        Buffer packed = new Buffer(1000);
        MPI.COMM_WORLD.Pack(new int[] {1, 2, 3}, 0, 3, MPI.INT, packed, 0);
        packed.commit();
        int[] ints = new int[3];
        MPI.COMM_WORLD.Unpack(packed, 0, ints, 0, 3, MPI.INT);
        check(ints[2] == 3, "packed");
        packedMessage(next, before);
        Op op = new Op(new User_function() {
            @Override
            public void Call(Object in, int inAt, Object inout, int at, int count, Datatype type) {
                for (int i = 0; i < count; i++) {
                    ((int[]) inout)[at + i] += ((int[]) in)[inAt + i];
                }
            }
        }, true);
        collectives(me, size, op);
        try {
            MPI.COMM_WORLD.Send(ints, 0, 1, MPI.INT, size, 0);
            check(false, "no exception");
        } catch (MPIException e) {
            check(e.getMessage() != null, "message");
        }
        MPI.COMM_WORLD.Barrier();
        if (me == 0) {
            System.out.println("foreign: the class file runs on " + size + " ranks");
        }
        MPI.Finalize();
    }
}
