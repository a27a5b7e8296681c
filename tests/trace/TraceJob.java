// SPDX-License-Identifier: Apache-2.0
import mpi.Comm;
import mpi.MPI;
import mpi.Request;

/** A program for the tests of records: ranks that wait for each other, or known numbers of calls. */
public final class TraceJob {
    private TraceJob() {
    }

    public static void main(String[] arguments) throws Exception {
        String[] rest = MPI.Init(arguments);
        Comm world = MPI.COMM_WORLD;
        int rank = world.Rank();
        int size = world.Size();
        if (rest[0].equals("ring")) {
            world.Recv(new int[1], 0, 1, MPI.INT, (rank + 1) % size, 7);
        } else {
            count(world, rank, size);
        }
        MPI.Finalize();
    }

    /** Five messages of 100 bytes from 0 to each other, one of 4000 bytes by requests, three broadcasts, a barrier. */
    private static void count(Comm world, int rank, int size) throws Exception {
        byte[] bytes = new byte[100];
        int[] many = new int[1000];
        for (int i = 0; i < 5; i++) {
            if (rank != 0) {
                world.Recv(bytes, 0, 100, MPI.BYTE, 0, i);
            }
            for (int to = 1; rank == 0 && to < size; to++) {
                world.Send(bytes, 0, 100, MPI.BYTE, to, i);
            }
        }
        if (rank == 1) {
            Request request = world.Isend(many, 0, 1000, MPI.INT, 0, 3);
            request.Wait();
        }
        if (rank == 0) {
            Request request = world.Irecv(many, 0, 1000, MPI.INT, 1, 3);
            request.Wait();
        }
        for (int i = 0; i < 3; i++) {
            world.Bcast(bytes, 0, 24, MPI.BYTE, 0);
        }
        world.Barrier();
    }
}
