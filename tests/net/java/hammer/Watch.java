// SPDX-License-Identifier: Apache-2.0
package hammer;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Sees that something moves. A failure, or a hang, ends the program with the seed and what every thread waits for. */
final class Watch {
    private static final int NAP_MS = 50;
    private static final int QUIET_NAPS = 60_000 / NAP_MS;

    private static final AtomicLong MOVED = new AtomicLong();
    private static final List<Thread> THREADS = Collections.synchronizedList(new ArrayList<>());
    private static final long SEED = Long.getLong("test.seed", 1);

    private Watch() {
    }

    /** What may fail. */
    interface Work {
        void run() throws Exception;
    }

    static void moved(long bytes) {
        MOVED.addAndGet(bytes);
    }

    static long total() {
        return MOVED.get();
    }

    static void fail(Throwable why) {
        synchronized (Watch.class) {
            System.err.println("FAILED, -Dtest.seed=" + SEED + ", after " + MOVED + " bytes:");
            why.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
    }

    static Runnable guarded(Work work) {
        return () -> {
            try {
                work.run();
            } catch (Throwable e) {
                fail(e);
            }
        };
    }

    /** A thread of the hammer, which a hang tells of. */
    static Thread known(Thread thread) {
        THREADS.add(thread);
        return thread;
    }

    private static void tellThreads() {
        List<Thread> threads = new ArrayList<>(Thread.getAllStackTraces().keySet());
        synchronized (THREADS) {
            THREADS.stream().filter(one -> !threads.contains(one)).forEach(threads::add); // virtual ones
        }
        for (Thread thread : threads) {
            StackTraceElement[] frames = thread.getStackTrace();
            if (Arrays.stream(frames).noneMatch(frame -> frame.getClassName().startsWith("hammer."))) {
                continue;
            }
            System.err.println(thread + ": " + thread.getState());
            for (StackTraceElement frame : frames) {
                System.err.println("    " + frame);
            }
        }
    }

    /** Time is counted in naps: where the machine stands still or is busy, so does the count. */
    static void start() {
        Thread thread = new Thread(guarded(() -> {
            long before = -1;
            for (int quiet = 0; quiet < QUIET_NAPS; quiet++) {
                Thread.sleep(NAP_MS);
                long now = MOVED.get();
                quiet = now == before ? quiet : 0;
                before = now;
            }
            tellThreads();
            throw new AssertionError("nothing moves");
        }), "watch");
        thread.setDaemon(true);
        thread.start();
    }
}
