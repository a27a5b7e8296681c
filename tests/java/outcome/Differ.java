// SPDX-License-Identifier: Apache-2.0
package outcome;

import java.nio.ByteBuffer;
import mpi.Datatype;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;

/** Calls whose arguments do not fit each other: with the knob {@code check} all ranks hear which one differs. */
public final class Differ {
    private Differ() {
    }

    private static void attempt(Runnable call) {
        try {
            call.run();
            System.out.println("rank " + MPI.COMM_WORLD.Rank() + " noticed nothing");
        } catch (MPIException e) {
            System.out.println("rank " + MPI.COMM_WORLD.Rank() + " heard: " + e.getMessage());
        }
    }

    /** Rank 1 has byte buffers where the others have arrays: what is of the same type fits, of another it does not. */
    private static void buffers(Intracomm world) {
        int rank = world.Rank();
        for (ByteBuffer buffer : new ByteBuffer[] {ByteBuffer.allocate(400), ByteBuffer.allocateDirect(400)}) {
            byte[] bytes = new byte[400];
            int[] ints = new int[100];
            world.Bcast(rank == 1 ? buffer : bytes, 0, 400, MPI.BYTE, 1);
            world.Bcast(rank == 1 ? buffer : ints, 0, 100, MPI.INT, 0);
            if (rank == 0) {
                world.Recv(bytes, 0, 400, MPI.BYTE, 1, 0);
                world.Recv(ints, 0, 100, MPI.INT, 1, 0);
                attempt(() -> world.Recv(new float[100], 0, 100, MPI.FLOAT, 1, buffer.isDirect() ? 1 : 2));
                world.Send(bytes, 0, 400, MPI.BYTE, 1, 0);
                world.Send(ints, 0, 100, MPI.INT, 1, 3);
            } else if (rank == 1) {
                world.Send(buffer, 0, 400, MPI.BYTE, 0, 0);
                world.Send(buffer, 0, 100, MPI.INT, 0, 0);
                world.Send(buffer, 0, 100, MPI.INT, 0, buffer.isDirect() ? 1 : 2);
                world.Recv(buffer, 0, 400, MPI.BYTE, 0, 0);
                attempt(() -> world.Recv(buffer, 0, 100, MPI.FLOAT, 0, 3));
            }
        }
    }

    public static void main(String[] args) {
        MPI.Init(args);
        Intracomm world = MPI.COMM_WORLD;
        boolean isOther = world.Rank() == 1;
        int[] in = new int[500];
        int[] out = new int[500];
        attempt(() -> world.Bcast(in, 0, isOther ? 3 : 4, MPI.INT, 0));
        attempt(() -> world.Bcast(in, 0, 4, MPI.INT, isOther ? 1 : 0));
        attempt(() -> world.Allreduce(out, 0, in, 0, isOther ? 300 : 400, MPI.INT, MPI.SUM));
        attempt(() -> world.Reduce(out, 0, in, 0, 2, MPI.INT, isOther ? MPI.MAX : MPI.SUM, 0));
        float[] other = new float[500];
        Object data = isOther ? other : in;
        Datatype type = isOther ? MPI.FLOAT : MPI.INT;
        attempt(() -> world.Bcast(data, 0, 4, type, 0));
        attempt(() -> world.Bcast(data, 0, 400, type, 0));
        // Every other element; a row of bytes fits whatever is as long.
        Datatype spread = Datatype.Vector(3, 1, 2, type);
        spread.Commit();
        attempt(() -> world.Allgather(data, 0, 1, spread, out, 0, 3, MPI.INT));
        // By the names of the other dialect.
        attempt(() -> world.bcast(in, isOther ? 300 : 400, MPI.INT, 0));
        attempt(() -> world.allReduce(in, isOther ? 3 : 4, MPI.INT, MPI.SUM));
        attempt(() -> world.reduce(in, 400, MPI.INT, isOther ? MPI.MAX : MPI.SUM, 0));
        attempt(() -> world.allGather(data, 1, spread, out, 3, MPI.INT));
        world.Bcast(isOther ? new byte[12] : in, 0, isOther ? 12 : 1, isOther ? MPI.BYTE : spread, 0);
        world.Bcast(in, 0, isOther ? 3 : 1, isOther ? MPI.INT : Datatype.Vector(3, 1, 2, MPI.INT), 0);
        buffers(world);
        world.Barrier();
        System.out.println("rank " + world.Rank() + " goes on");
        MPI.Finalize();
    }
}
