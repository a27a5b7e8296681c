// SPDX-License-Identifier: Apache-2.0
package corunna.run;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What becomes of the job when a rank ends the JVM that all ranks share.
 *
 * <p>A rank that calls System.exit after Finalize means only itself, so the others may finish first. One that is still
 * needed has failed, and the job with it: one sentence names it, and the status is the rank's own, or 1 instead of 0.
 * The same holds for Runtime.halt, which does not wait. Everything else that ends a JVM (a signal, the end of all
 * ranks, System.exit by a thread that is no rank's) goes on as it is.
 */
final class Leaving {
    private static final long PAUSE_MAX_MS = 50;

    private final ThreadJob job;
    private final List<RankThread> ranks;
    private volatile boolean hasFailed;

    Leaving(ThreadJob job, List<RankThread> ranks) {
        this.job = job;
        this.ranks = ranks;
    }

    // ---- System.exit, while shutdown hooks run ----

    void hook() {
        RankThread leaver = leaver("java.lang.ApplicationShutdownHooks");
        if (leaver == null || job.isEnding()) {
            return;
        }
        if (leaver.isRankDone()) {
            awaitOthers(leaver);
        } else {
            judge(leaver, "System.exit");
        }
        if (hasFailed) {
            job.limitHooks(1);
        }
    }

    private void awaitOthers(RankThread leaver) {
        long pause = 1;
        for (Set<RankThread> leavers = leavers(); !areDone(leavers); leavers = leavers()) {
            pause = Math.min(2 * pause, PAUSE_MAX_MS);
            ThreadJob.pause(pause);
        }
        for (RankThread other : leavers()) {
            if (other != leaver) {
                judge(other, "System.exit");
            }
        }
        hasFailed |= job.isEnding(); // another one has failed meanwhile
    }

    private boolean areDone(Set<RankThread> leavers) {
        for (RankThread rank : ranks) {
            if (rank.isAlive() && !leavers.contains(rank)) {
                return false;
            }
        }
        return true;
    }

    /** The rank whose System.exit has come so far as to call a method of this class; null if it is no rank's. */
    private RankThread leaver(String className) {
        for (Map.Entry<Thread, StackTraceElement[]> entry : Thread.getAllStackTraces().entrySet()) {
            if (isIn(entry.getValue(), className, null)) {
                return rankOf(entry.getKey());
            }
        }
        return null;
    }

    /** The ranks that have called System.exit, whichever thread of theirs it was. */
    private Set<RankThread> leavers() {
        Set<RankThread> found = new HashSet<>();
        for (Map.Entry<Thread, StackTraceElement[]> entry : Thread.getAllStackTraces().entrySet()) {
            if (isIn(entry.getValue(), "java.lang.Shutdown", null)) {
                found.add(rankOf(entry.getKey()));
            }
        }
        return found;
    }

    // ---- the last moment ----

    /** As {@link corunna.engine.ExitWatch#isFailure}, of this job. */
    boolean isFailure() {
        RankThread leaver = rankOf(Thread.currentThread());
        if (leaver != null && !job.isEnding()) {
            boolean isHalt = isIn(Thread.currentThread().getStackTrace(), "java.lang.Runtime", "halt");
            judge(leaver, isHalt ? "Runtime.halt" : "System.exit");
            if (isHalt && !hasFailed && leaver.isRankDone()) {
                judgeHalt(leaver);
            }
        }
        return hasFailed;
    }

    /** After Finalize the rank may go, but not take others with it. */
    private void judgeHalt(RankThread leaver) {
        for (RankThread rank : ranks) {
            if (rank != leaver && rank.isAlive()) {
                fail(leaver, "it called Runtime.halt after MPI.Finalize, while rank " + rank.number() + " still ran");
            }
        }
    }

    /** A rank ends the JVM: is it still needed? */
    private void judge(RankThread leaver, String call) {
        if (leaver.isRankOpen()) {
            fail(leaver, "it called " + call + " before MPI.Finalize");
        } else if (!leaver.isRankDone()) {
            for (RankThread rank : ranks) {
                if (rank != leaver && isIn(rank.getStackTrace(), "mpi.MPI", "Init")) {
                    fail(leaver, "it called " + call + " before MPI.Init, where rank " + rank.number()
                            + " waits for it");
                }
            }
        }
    }

    private void fail(RankThread leaver, String cause) {
        hasFailed |= job.tell(leaver.number(), cause);
    }

    // ---- whose thread it is ----

    /** A rank's thread is in its thread group; one without a group of its own, a virtual one, has its class loader. */
    private RankThread rankOf(Thread thread) {
        for (RankThread rank : ranks) {
            ThreadGroup own = rank.group();
            ThreadGroup group = thread.getThreadGroup();
            if (group != null && (group == own || own.parentOf(group))
                    || thread.getContextClassLoader() == rank.loader()) {
                return rank;
            }
        }
        return null;
    }

    private static boolean isIn(StackTraceElement[] trace, String className, String method) {
        for (StackTraceElement frame : trace) {
            if (frame.getClassName().equals(className) && (method == null || frame.getMethodName().equals(method))) {
                return true;
            }
        }
        return false;
    }
}
