// SPDX-License-Identifier: Apache-2.0
package sockets;

import static sockets.Suite.check;
import static sockets.Suite.see;

import java.lang.reflect.Method;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** Virtual threads, where Java has them: more wait than there are carriers, and an interrupt ends the wait. */
final class VirtualCases {
    private static final int READERS = 16;
    private static final long LIMIT_MS = 600_000;

    private VirtualCases() {
    }

    static void addTo(Map<String, Suite.Case> cases) {
        cases.put("virtualReaders", VirtualCases::readers);
        cases.put("virtualInterrupt", VirtualCases::interrupt);
    }

    /** Null before Java 21. */
    private static Thread start(Runnable work) throws ReflectiveOperationException {
        Method method;
        try {
            method = Thread.class.getMethod("startVirtualThread", Runnable.class);
        } catch (NoSuchMethodException e) {
            return null;
        }
        return (Thread) method.invoke(null, work);
    }

    private static Runnable attempt(List<String> seen, Suite.Attempt attempt) {
        return () -> {
            String words;
            try {
                words = String.valueOf(attempt.run());
            } catch (Exception e) {
                words = e.getClass().getName() + ", " + e.getMessage() + ", interrupted "
                        + Thread.currentThread().isInterrupted();
            }
            synchronized (seen) {
                seen.add(words);
            }
        };
    }

    private static void readers(Ends ends) throws Exception {
        List<Ends.Pair> pairs = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        List<String> seen = new ArrayList<>();
        AtomicInteger sum = new AtomicInteger();
        for (int i = 0; i < READERS; i++) {
            Ends.Pair pair = ends.pair().used();
            pairs.add(pair);
            threads.add(start(attempt(seen, () -> sum.addAndGet(pair.accepted.getInputStream().read()))));
        }
        if (threads.get(0) != null) {
            for (Thread thread : threads) {
                Suite.awaitBlocked(thread);
            }
            // One that writes needs a carrier, too.
            threads.add(start(attempt(seen, () -> {
                for (Ends.Pair pair : pairs) {
                    pair.client.getOutputStream().write(3);
                }
                return null;
            })));
            for (Thread thread : threads) {
                thread.join(LIMIT_MS);
                check(!thread.isAlive(), "a virtual thread does not end");
            }
            check(sum.get() == 3 * READERS, "they read " + sum + ": " + seen);
        }
        for (Ends.Pair pair : pairs) {
            pair.close();
        }
    }

    private static void interruptOne(String what, List<String> seen, Thread thread) throws InterruptedException {
        if (thread == null) {
            return;
        }
        Suite.awaitBlocked(thread);
        thread.interrupt();
        thread.join(LIMIT_MS);
        check(!thread.isAlive(), "a virtual thread does not end");
        see(what, seen);
    }

    private static void interrupt(Ends ends) throws Exception {
        List<String> seen = new ArrayList<>();
        try (Ends.Pair pair = ends.pair().used()) {
            interruptOne("read", seen, start(attempt(seen, () -> pair.client.getInputStream().read())));
        }
        seen.clear();
        try (Ends.Pair pair = ends.pair().used()) {
            interruptOne("write", seen, start(attempt(seen, () -> {
                for (;;) {
                    pair.client.getOutputStream().write(new byte[1_000_000]);
                }
            })));
        }
        seen.clear();
        try (ServerSocket server = ends.loopbackServer()) {
            interruptOne("accept", seen, start(attempt(seen, server::accept)));
        }
    }
}
