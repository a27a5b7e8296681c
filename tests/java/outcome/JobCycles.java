// SPDX-License-Identifier: Apache-2.0
package outcome;

import corunna.run.ThreadJob;
import java.io.IOException;
import mpi.MPI;

/**
 * Jobs of threads, one after the other, whose ranks begin and end MPI again and again: what the engine keeps of a rank
 * after Finalize goes with the classes of the rank. Arguments: jobs, cycles of each rank, bytes that all jobs may
 * leave, the class path of the ranks.
 */
public final class JobCycles {
    private JobCycles() {
    }

    /** The program of a job. */
    public static final class Rank {
        private Rank() {
        }

        public static void main(String[] args) {
            String[] own = MPI.Init(args);
            MPI.Finalize();
            for (int i = 1; i < Integer.parseInt(own[0]); i++) {
                MPI.Init(new String[0]);
                MPI.Finalize();
            }
        }
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        int jobs = Integer.parseInt(args[0]);
        long allowed = Long.parseLong(args[2]);
        run(1, args[1], args[3]);
        long before = Cycles.resident();
        run(jobs, args[1], args[3]);
        while (Cycles.resident() - before > allowed) {
            System.gc(); // until the time of the test is over
            Thread.sleep(20);
        }
        System.out.println("the jobs leave nothing");
    }

    private static void run(int jobs, String cycles, String classPath) throws InterruptedException {
        for (int i = 0; i < jobs; i++) {
            ThreadJob.main(new String[] {"-np", "2", "-cp", classPath, "outcome.JobCycles$Rank", cycles});
            System.gc();
        }
    }
}
