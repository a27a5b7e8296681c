// SPDX-License-Identifier: Apache-2.0
package sockets;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * What a socket promises: {@code Suite SERVER CLIENT [CASE...]}, where the ends are {@code plain} or {@code fast}. A
 * case prints what it sees; the same must be seen whatever the sockets are, and those of the JDK tell what is right. A
 * case that hangs ends the program after some minutes.
 */
public final class Suite {
    private static final int LIMIT_S = 600;

    /** A case. */
    interface Case {
        void run(Ends ends) throws Exception;
    }

    /** What may fail, and how is of interest. */
    interface Attempt {
        Object run() throws Exception;
    }

    private Suite() {
    }

    /** Something that has been seen. */
    static void see(String what, Object value) {
        System.out.println("  " + what + ": " + value);
    }

    /** The result, or the exception and its words. */
    static void seeTry(String what, Attempt attempt) {
        Object seen;
        try {
            seen = attempt.run();
        } catch (Exception e) {
            seen = e.getClass().getName() + ", " + e.getMessage();
        }
        see(what, seen);
    }

    static void check(boolean isTrue, String what) {
        if (!isTrue) {
            throw new AssertionError(what);
        }
    }

    /** A thread whose failure is one of the case. */
    static final class Helper {
        private final Thread thread;
        private volatile Throwable failure;

        Helper(Attempt work) {
            thread = new Thread(() -> {
                try {
                    work.run();
                } catch (Throwable e) {
                    failure = e;
                }
            });
            thread.setDaemon(true);
            thread.start();
        }

        Thread thread() {
            return thread;
        }

        void join() throws InterruptedException {
            thread.join(TimeUnit.SECONDS.toMillis(LIMIT_S));
            check(!thread.isAlive(), "a thread does not end");
            if (failure != null) {
                throw new AssertionError("a thread failed", failure);
            }
        }
    }

    /**
     * Waits until a thread is blocked: it waits, or is in the same native call at two looks. One that only seems so is
     * well, too: a case must see the same if its thread comes later.
     */
    static void awaitBlocked(Thread thread) throws InterruptedException {
        StackTraceElement[] before = null;
        for (int looks = 0; looks < 2;) {
            TimeUnit.MILLISECONDS.sleep(2);
            StackTraceElement[] now = thread.getStackTrace();
            boolean isWaiting = thread.getState() == Thread.State.WAITING
                    || thread.getState() == Thread.State.TIMED_WAITING;
            boolean isBlocked = now.length > 0 && (isWaiting || now[0].isNativeMethod());
            looks = isBlocked && Arrays.equals(before, now) ? looks + 1 : 0;
            before = now;
            if (!thread.isAlive()) {
                return;
            }
        }
    }

    private static Map<String, Case> cases() {
        Map<String, Case> cases = new LinkedHashMap<>();
        LifeCases.addTo(cases);
        ByteCases.addTo(cases);
        CloseCases.addTo(cases);
        OptionCases.addTo(cases);
        ArrayCases.addTo(cases);
        VirtualCases.addTo(cases);
        return cases;
    }

    private static void watch(Thread main, String[] running) {
        Thread watch = new Thread(() -> {
            String last = "";
            for (;;) {
                last = running[0];
                try {
                    TimeUnit.SECONDS.sleep(LIMIT_S);
                } catch (InterruptedException e) {
                    return;
                }
                if (last.equals(running[0])) {
                    System.err.println("the case " + last + " hangs:");
                    Thread.getAllStackTraces().forEach((thread, frames) -> {
                        System.err.println(thread);
                        for (StackTraceElement frame : frames) {
                            System.err.println("    " + frame);
                        }
                    });
                    Runtime.getRuntime().halt(1);
                }
            }
        }, "watch of " + main.getName());
        watch.setDaemon(true);
        watch.start();
    }

    public static void main(String[] args) throws Exception {
        Ends ends = new Ends(args[0], args[1]);
        String[] running = {""};
        watch(Thread.currentThread(), running);
        Map<String, Case> cases = cases();
        java.util.List<String> wanted = Arrays.asList(args).subList(2, args.length);
        int failures = 0;
        for (Map.Entry<String, Case> each : cases.entrySet()) {
            if (!wanted.isEmpty() && !wanted.contains(each.getKey())) {
                continue;
            }
            running[0] = each.getKey();
            System.out.println(each.getKey());
            try {
                each.getValue().run(ends);
            } catch (Exception | AssertionError e) {
                failures++;
                System.out.println("  FAILED: " + e);
                e.printStackTrace();
            }
        }
        System.out.println(failures == 0 ? "all cases hold" : failures + " cases do not hold");
        System.exit(failures == 0 ? 0 : 1);
    }
}
