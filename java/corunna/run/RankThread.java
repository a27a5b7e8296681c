// SPDX-License-Identifier: Apache-2.0
package corunna.run;

import corunna.engine.LauncherArguments;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The main thread of one rank among several in a JVM. It has a thread group of its own, which the threads the program
 * starts inherit, so that the job knows whose they are.
 */
final class RankThread extends Thread {
    private final ThreadJob job;
    /** Kept, because a thread that has ended has none. */
    private final ThreadGroup group;
    private final RankLoader loader;
    private final MainMethod main;
    private final String[] arguments;

    RankThread(ThreadJob job, RankLoader loader, MainMethod main, String[] arguments) {
        this(job, new ThreadGroup("rank " + loader.number()), loader, main, arguments);
    }

    private RankThread(ThreadJob job, ThreadGroup group, RankLoader loader, MainMethod main, String[] arguments) {
        super(group, "rank " + loader.number());
        this.job = job;
        this.group = group;
        this.loader = loader;
        this.main = main;
        this.arguments = LauncherArguments.before(loader.number(), arguments);
        setContextClassLoader(loader);
        setDaemon(false);
    }

    @Override
    public void run() {
        try {
            main.run(arguments);
        } catch (Throwable failure) {
            job.fail(this, failure);
            return;
        }
        awaitOtherThreads();
        if (loader.isOpen()) {
            job.fail(loader.number(), "it ended without calling MPI.Finalize");
        }
    }

    /** A JVM ends when its last thread that is no daemon does; so does a rank here, and only then it is judged. */
    private void awaitOtherThreads() {
        try {
            while (loader.isOpen() && hasOtherThreads()) {
                Thread.sleep(5);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Does a thread of the rank run, a daemon or another? Virtual ones, and those of pools that others made, do not
     * count. */
    boolean hasThreads() {
        return isAlive() || !otherThreads().isEmpty();
    }

    private boolean hasOtherThreads() {
        return otherThreads().stream().anyMatch(thread -> !thread.isDaemon());
    }

    private List<Thread> otherThreads() {
        Thread[] threads = new Thread[group.activeCount() + 8];
        int count = group.enumerate(threads);
        List<Thread> others = new ArrayList<>(Arrays.asList(threads).subList(0, count));
        others.remove(this);
        return others;
    }

    boolean isRankDone() {
        return loader.isDone();
    }

    boolean isRankOpen() {
        return loader.isOpen();
    }

    boolean isRankInUse() {
        return loader.isInUse();
    }

    ClassLoader loader() {
        return loader;
    }

    ThreadGroup group() {
        return group;
    }

    int number() {
        return loader.number();
    }
}
