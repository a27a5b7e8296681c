// SPDX-License-Identifier: Apache-2.0
package outcome;

import corunna.run.ThreadJob;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import mpi.MPI;

/**
 * A job of threads whose ranks are in MPI in threads that the job does not know, as those of a pool and virtual ones
 * are: its main threads have ended when the first rank is in Init, and the second joins it later. Argument: the class
 * path of the ranks.
 */
public final class Strangers {
    private static final String TASKS = "test.tasks";
    private static final String IN_INIT = "test.in.init";
    private static final int RANKS = 2;

    private Strangers() {
    }

    /** The program: it leaves its work to others. */
    public static final class Rank {
        private Rank() {
        }

        @SuppressWarnings("unchecked")
        public static void main(String[] args) throws InterruptedException {
            ((BlockingQueue<Runnable>) System.getProperties().get(TASKS)).put(() -> work(args));
            ((CountDownLatch) System.getProperties().get(IN_INIT)).await();
        }

        private static void work(String[] args) {
            MPI.Init(args);
            int[] sum = {MPI.COMM_WORLD.Rank() + 1};
            MPI.COMM_WORLD.Allreduce(sum, 0, sum, 0, 1, MPI.INT, MPI.SUM);
            System.out.println("the sum is " + sum[0]);
            MPI.Finalize();
        }
    }

    /** The program of a job that comes in between. */
    public static final class Other {
        private Other() {
        }

        public static void main(String[] args) {
            MPI.Init(args);
            MPI.Finalize();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
        CountDownLatch inInit = new CountDownLatch(1);
        System.getProperties().put(TASKS, tasks);
        System.getProperties().put(IN_INIT, inInit);
        ThreadGroup all = Thread.currentThread().getThreadGroup();
        Thread pool = new Thread(all, () -> {
            try {
                Thread first = new Thread(all, tasks.take());
                first.start();
                awaitInit(first);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            inInit.countDown(); // the main threads end
        });
        pool.start();
        ThreadJob.main(new String[] {"-np", Integer.toString(RANKS), "-cp", args[0], "outcome.Strangers$Rank"});
        // All jobs that are over are forgotten when one ends.
        ThreadJob.main(new String[] {"-np", "1", "-cp", args[0], "outcome.Strangers$Other"});
        Thread second = new Thread(all, tasks.take());
        second.start();
        second.join();
    }

    private static void awaitInit(Thread thread) throws InterruptedException {
        while (Arrays.stream(thread.getStackTrace()).noneMatch(at -> at.getClassName().equals("corunna.engine.Native")
                && at.getMethodName().equals("open"))) {
            Thread.sleep(1);
        }
    }
}
