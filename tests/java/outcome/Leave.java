// SPDX-License-Identifier: Apache-2.0
package outcome;

import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import mpi.MPI;

/**
 * System.exit and Runtime.halt at several moments. Arguments: the moment and the status. Before: rank 1 before Init.
 * Missed: rank 1 too, while the others wait for it in Init. Between: rank 1 between Init and Finalize; worker: in
 * another thread of it; halt: by Runtime.halt; hung: with a shutdown hook that never ends. After: all of them, after
 * Finalize; halted: rank 1 by Runtime.halt, while others still run; late: rank 2, which then throws, while the others
 * exit.
 */
public final class Leave {
    private static final long FOR_EVER_MS = 3_600_000;

    private Leave() {
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        int own = args.length - 2;
        String moment = args[own];
        int status = Integer.parseInt(args[own + 1]);
        String rankWord = own == 0 ? System.getenv("PMI_RANK") : args[0];
        if (moment.equals("before") && (own == 0 || rankWord.equals("1"))) {
            System.exit(status);
        }
        if (moment.equals("missed") && rankWord.equals("1")) {
            awaitInit(own > 0);
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
            while (!mark().exists()) {
                Thread.sleep(1);
            }
            mark().delete();
            Thread.sleep(100); // the others exit meanwhile, or on a busy machine a little later
            throw new IllegalStateException("late");
        }
        Thread.sleep(moment.equals("halted") ? FOR_EVER_MS : 100L * rank); // the first to exit is not the last to speak
        System.out.println("rank " + rank + " leaves");
        if (moment.equals("late") && rank == 0) {
            mark().createNewFile();
        }
        System.exit(status);
    }

    /** A file that tells rank 2 that rank 0 has spoken: one of this job, or of this process if ranks are threads. */
    private static File mark() {
        String job = System.getenv("CORUNNA_JOB");
        return new File(System.getProperty("java.io.tmpdir"),
                "leave." + (job == null ? Long.toString(ProcessHandle.current().pid()) : job));
    }

    /** Waits until another rank is in Init, or, where ranks are processes, for as long as that takes mostly. */
    private static void awaitInit(boolean areThreads) throws InterruptedException {
        while (areThreads && Thread.getAllStackTraces().values().stream().flatMap(Arrays::stream)
                .noneMatch(frame -> frame.getMethodName().equals("Init") && frame.getClassName().equals("mpi.MPI"))) {
            Thread.sleep(1);
        }
        Thread.sleep(areThreads ? 100 : 500);
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
                    Thread.sleep(FOR_EVER_MS);
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
