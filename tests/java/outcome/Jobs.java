// SPDX-License-Identifier: Apache-2.0
package outcome;

import corunna.run.ThreadJob;
import java.lang.ref.WeakReference;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import mpi.MPI;

/**
 * Many jobs of threads, one after the other, in one JVM, as test frameworks and servers run them: the class loaders of
 * all ranks are collected. Arguments: the number of jobs, the class path of the ranks.
 */
public final class Jobs {
    private static final String LOADERS = "test.loaders";
    private static final String THREADS = "test.threads";

    private Jobs() {
    }

    /** The program of a job; rank 1 leaves a thread that may end only after main. */
    public static final class Rank {
        private Rank() {
        }

        /** Keeps something in an object that all class loaders share. */
        @SuppressWarnings("unchecked")
        private static <T> void keep(String key, T what) {
            ((Queue<T>) System.getProperties().get(key)).add(what);
        }

        public static void main(String[] args) throws InterruptedException {
            MPI.Init(args);
            int[] sum = {MPI.COMM_WORLD.Rank()};
            MPI.COMM_WORLD.Allreduce(sum, 0, sum, 0, 1, MPI.INT, MPI.SUM);
            Object[] words = {"word " + sum[0]};
            MPI.COMM_WORLD.Bcast(words, 0, 1, MPI.OBJECT, 0);
            keep(LOADERS, new WeakReference<>(Rank.class.getClassLoader()));
            boolean hasThread = MPI.COMM_WORLD.Rank() == 1;
            MPI.Finalize();
            if (hasThread) {
                Thread late = new Thread(() -> MPI.Finalized());
                keep(THREADS, late);
                late.start();
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        int jobs = Integer.parseInt(args[0]);
        Queue<WeakReference<ClassLoader>> loaders = new ConcurrentLinkedQueue<>();
        Queue<Thread> threads = new ConcurrentLinkedQueue<>();
        System.getProperties().put(LOADERS, loaders);
        System.getProperties().put(THREADS, threads);
        for (int i = 0; i < jobs; i++) {
            ThreadJob.main(new String[] {"-np", "2", "-cp", args[1], "outcome.Jobs$Rank"});
            threads.remove().join();
        }
        // A job whose threads end late is forgotten after the next one.
        ThreadJob.main(new String[] {"-np", "1", "-cp", args[1], "outcome.Jobs$Rank"});
        while (left(loaders) > 0) {
            System.gc(); // until the time of the test is over
            Thread.sleep(20);
        }
        System.out.println(loaders.size() + " ranks ran, and their classes are gone");
    }

    private static long left(Queue<WeakReference<ClassLoader>> loaders) {
        return loaders.stream().filter(each -> each.get() != null).count();
    }
}
