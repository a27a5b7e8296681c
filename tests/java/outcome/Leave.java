package outcome;

import mpi.MPI;

/** System.exit at three moments. Arguments: before, between or after; and the status. */
public final class Leave {
    private Leave() {
    }

    public static void main(String[] args) throws InterruptedException {
        int own = args.length - 2;
        int status = Integer.parseInt(args[own + 1]);
        if (args[own].equals("before") && (own == 0 || args[0].equals("1"))) {
            System.exit(status);
        }
        MPI.Init(args);
        int rank = MPI.COMM_WORLD.Rank();
        if (args[own].equals("between")) {
            if (rank == 1) {
                System.out.println("now " + System.currentTimeMillis());
                System.exit(status);
            }
            MPI.COMM_WORLD.Recv(new int[1], 0, 1, MPI.INT, 1, 0);
        }
        MPI.Finalize();
        Thread.sleep(100L * rank); // the first to exit is not the last to speak
        System.out.println("rank " + rank + " leaves");
        System.exit(status);
    }
}
