package outcome;

import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;

/** Calls whose arguments do not fit each other: with the knob {@code check} everybody hears which rank differs. */
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
        world.Barrier();
        System.out.println("rank " + world.Rank() + " goes on");
        MPI.Finalize();
    }
}
