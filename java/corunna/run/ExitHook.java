// SPDX-License-Identifier: Apache-2.0
package corunna.run;

import corunna.engine.ExitWatch;
import corunna.engine.Native;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The JVM's end, told to the jobs of threads that still run. There is one hook, however many jobs a JVM runs one after
 * the other: it forgets a job that is over, so that the classes of its ranks can go.
 */
final class ExitHook implements ExitWatch {
    private static final ExitHook ONLY = new ExitHook();

    private final List<ThreadJob> jobs = new CopyOnWriteArrayList<>();
    private boolean isInstalled;

    private ExitHook() {
    }

    static void add(ThreadJob job) {
        ONLY.install();
        ONLY.jobs.add(job);
    }

    /** Forgets the jobs that are over; one whose ranks have threads left is forgotten after a later job. */
    static void forget() {
        ONLY.jobs.removeIf(ThreadJob::endIfOver);
    }

    private synchronized void install() {
        if (!isInstalled) {
            isInstalled = true;
            Runtime.getRuntime().addShutdownHook(new Thread(this::hook, "corunna exit"));
            Native.watchExit(this);
        }
    }

    private void hook() {
        for (ThreadJob job : jobs) {
            job.leaving().hook();
        }
    }

    @Override
    public boolean isFailure() {
        boolean hasFailed = false;
        for (ThreadJob job : jobs) {
            hasFailed |= job.leaving().isFailure();
        }
        return hasFailed;
    }
}
