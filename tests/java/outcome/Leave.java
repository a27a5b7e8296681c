// SPDX-License-Identifier: Apache-2.0
package outcome;

import mpi.MPI;

/**
 * System.exit and Runtime.halt at several moments. Arguments: the moment and the status. Before: rank 1 before Init.
 * Missed: rank 1 too, while the others wait for it in Init. Between: rank 1 between Init and Finalize; worker: in another
 * thread of it; halt: by Runtime.halt; hung: with a shutdown hook that never ends. After: all of them, after Finalize;
 * halted: rank 1 by Runtime.halt, while others still run; late: rank 2, which then throws, while the others exit.
 */
public final class Leave {
    private Leave() {
    }

    public static void main(String[] args) throws InterruptedException {
        int own = args.length - 2;
        String moment = args[own];
        int status = Integer.parseInt(args[own + 1]);
        String rankWord = own == 0 ? System.getenv("PMI_RANK") : args[0];
        if (moment.equals("before") && (own == 0 || rankWord.equals("1"))) {
            System.exit(status);
        }
        if (moment.equals("missed") && rankWord.equals("1")) {
            Thread.sleep(500);
            System.exit(status);
        }
        MPI.Init(args);
        int rank = MPI.COMM_WORLD.Rank();
        if (!moment.equals("after") && !moment.equals("halted") && !moment.equals("late")) {
            if (rank == 1) {
                System.out.println("now " + System.currentTimeMillis());
                leave(moment, status);
            }
            MPI.COMM_WORLD.Recv(new int[1], 0, 1, MPI.INT, 1, 0);
        }
        MPI.Finalize();
        if (moment.equals("halted") && rank == 1) {
            Runtime.getRuntime().halt(status);
        }
        if (moment.equals("late") && rank == 2) {
            Thread.sleep(300);
            throw new IllegalStateException("late");
        }
        Thread.sleep(moment.equals("halted") ? 1000 : 100L * rank); // the first to exit is not the last to speak
        System.out.println("rank " + rank + " leaves");
        System.exit(status);
    }

    private static void leave(String moment, int status) throws InterruptedException {
        switch (moment) {
        case "worker":
            Thread worker = new Thread(() -> System.exit(status));
            worker.start();
            worker.join();
            break;
        case "halt":
            Runtime.getRuntime().halt(status);
            break;
        case "hung":
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                try {
                    Thread.sleep(10000);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }));
            System.exit(status);
            break;
        default:
            System.exit(status);
            break;
        }
    }
}
