// SPDX-License-Identifier: Apache-2.0
package conform;

import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicReference;
import mpi.Intracomm;
import mpi.MPI;
import mpi.Request;
import mpi.Status;

/** Much at once: messages that no rank waits for, several threads, and a busy garbage collector. */
final class Stress {
    private Stress() {
    }

    /** The receiver looks away while messages of all sizes pour in, then takes them, some from the end. */
    static void flood(Intracomm comm) throws InterruptedException {
        int partner = Sizes.partner(comm);
        if (partner < 0) {
            return;
        }
        int count = Sizes.volume(6000);
        if (comm.Rank() % 2 == 0) {
            Request[] sends = new Request[count];
            for (int i = 0; i < count; i++) {
                sends[i] = comm.Isend(Kind.INT.filled(length(i), i), 0, length(i), MPI.INT, partner, i);
            }
            Request.Waitall(sends);
        } else {
            Thread.sleep(100); // on a busy machine they pour in later
            int[] in = new int[12000];
            for (int i = count - 1; i >= count / 2; i--) {
                take(comm, in, partner, i);
            }
            for (int i = 0; i < count / 2; i++) {
                take(comm, in, partner, i);
            }
        }
    }

    private static int length(int i) {
        return i % 100 == 0 ? 12000 : i % 10 == 0 ? 1000 : i % 50;
    }

    private static void take(Intracomm comm, int[] in, int source, int i) {
        Status status = comm.Recv(in, 0, in.length, MPI.INT, source, i);
        Check.equal(length(i), status.Get_count(MPI.INT), "length of message " + i);
        Kind.INT.verify(in, 0, length(i), i, "message " + i);
    }

    /** All ranks send to one with blocking sends. */
    static void fanIn(Intracomm comm) {
        int each = Sizes.volume(2000);
        if (comm.Rank() != 0) {
            for (int i = 0; i < each; i++) {
                comm.Send(Kind.INT.filled(8, comm.Rank() * 10000L + i), 0, 8, MPI.INT, 0, 1);
            }
            return;
        }
        int[] in = new int[8];
        int[] next = new int[comm.Size()];
        for (int i = 0; i < each * (comm.Size() - 1); i++) {
            int source = comm.Recv(in, 0, 8, MPI.INT, MPI.ANY_SOURCE, 1).source;
            Kind.INT.verify(in, 0, 8, source * 10000L + next[source]++, "message from rank " + source);
        }
    }

    private interface Body {
        void run(int thread) throws Exception;
    }

    /** Runs the body in several threads at once; the first failure is the test's. */
    private static void together(int threads, Body body) throws Exception {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread[] all = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            int number = i;
            all[i] = new Thread(() -> {
                try {
                    body.run(number);
                } catch (Throwable e) {
                    failure.compareAndSet(null, e);
                    e.printStackTrace();
                    MPI.COMM_WORLD.Abort(3); // the partner's thread would wait for ever
                }
            });
            all[i].start();
        }
        for (Thread thread : all) {
            thread.join();
        }
        Check.that(failure.get() == null, "a thread failed: " + failure.get());
    }

    /** Four threads of each rank talk to the same threads of the partner, each in its own way. */
    static void threads(Intracomm comm) throws Exception {
        int partner = Sizes.partner(comm);
        if (partner < 0) {
            return;
        }
        int rounds = Sizes.volume(400);
        together(4, thread -> {
            Check.that(!MPI.isMainThread(), "another thread");
            int[] out = new int[30000];
            int[] in = new int[30000];
            for (int i = 0; i < rounds; i++) {
                int count = i % 40 == 0 ? 30000 : (i * 37) % 3000;
                Kind.INT.fill(out, 0, count, thread * 1000 + i);
                if (thread % 2 == 0) {
                    comm.Sendrecv(out, 0, count, MPI.INT, partner, thread, in, 0, in.length, MPI.INT, partner, thread);
                } else {
                    Request receive = comm.Irecv(in, 0, in.length, MPI.INT, MPI.ANY_SOURCE, thread);
                    Request send = comm.Isend(out, 0, count, MPI.INT, partner, thread);
                    Check.equal(count, receive.Wait().Get_count(MPI.INT), "count in thread " + thread);
                    send.Wait();
                }
                Kind.INT.verify(in, 0, count, thread * 1000 + i, "thread " + thread + ", round " + i);
            }
        });
        Sizes.meet(comm, partner);
        // One tag for all: whichever thread receives, nothing is lost and nothing comes twice.
        int each = Sizes.volume(1000);
        boolean[] seen = new boolean[4 * each];
        together(8, thread -> {
            int[] word = new int[1];
            for (int i = 0; i < each; i++) {
                if (thread < 4) {
                    word[0] = thread * each + i;
                    comm.Send(word, 0, 1, MPI.INT, partner, 9);
                } else {
                    comm.Recv(word, 0, 1, MPI.INT, MPI.ANY_SOURCE, 9);
                    synchronized (seen) {
                        Check.that(!seen[word[0]], "message " + word[0] + " comes once");
                        seen[word[0]] = true;
                    }
                }
            }
        });
    }

    /** Buffers of pending requests that only the engine still knows, while the collector runs all the time. */
    static void garbage(Intracomm comm) throws Exception {
        int partner = Sizes.partner(comm);
        if (partner < 0) {
            return;
        }
        Thread collector = new Thread(Stress::collect);
        collector.setDaemon(true);
        if (comm.Rank() < 2) {
            collector.start(); // two of these are enough for all ranks of a JVM
        }
        int rounds = Sizes.IS_SLOW ? 1 : comm.Size() > 8 ? 2 : 4; // the collectors hold up all ranks of a JVM
        for (int round = 0; round < rounds; round++) {
            int count = 40;
            Request[] receives = new Request[count];
            Request[] sends = new Request[count];
            Object[] arrays = new Object[count]; // weak references at first
            for (int i = 0; i < count; i++) {
                Object in = i % 4 == 0 ? ByteBuffer.allocateDirect(8 * bytes(i)) : new long[bytes(i)];
                receives[i] = comm.Irecv(in, 0, bytes(i), MPI.LONG, partner, i);
                arrays[i] = new WeakReference<>(in);
            }
            churn();
            System.gc();
            for (int i = 0; i < count; i++) {
                arrays[i] = ((WeakReference<?>) arrays[i]).get();
                Check.that(arrays[i] != null, "the buffer of a pending receive was collected");
            }
            Sizes.meet(comm, partner);
            for (int i = 0; i < count; i++) {
                sends[i] = comm.Isend(Kind.LONG.filled(bytes(i), i), 0, bytes(i), MPI.LONG, partner, i);
                if (i % 3 == 0) {
                    sends[i] = MPI.REQUEST_NULL; // forgotten: it goes on all the same
                }
            }
            churn();
            for (int i = 0; i < count; i++) {
                Object in = arrays[i];
                Check.equal(bytes(i), receives[i].Wait().count, "length of message " + i);
                if (in instanceof ByteBuffer) {
                    ByteBuffer longs = ((ByteBuffer) in).order(java.nio.ByteOrder.nativeOrder());
                    String what = "direct buffer " + i;
                    for (int k = 0; k < bytes(i); k++) {
                        Check.equal(Kind.pattern(i, k), longs.getLong(8 * k), what, k);
                    }
                } else {
                    Kind.LONG.verify(in, 0, bytes(i), i, "message " + i);
                }
            }
            Request.Waitall(sends);
        }
        collector.interrupt();
        collector.join();
    }

    private static int bytes(int i) {
        return i % 5 == 0 ? 20000 : i * 11;
    }

    private static void collect() {
        while (!Thread.currentThread().isInterrupted()) {
            System.gc();
        }
    }

    private static int churn() {
        int kept = 0;
        for (int i = 0; i < 2000; i++) {
            kept += new byte[(i % 64) * 128].length;
        }
        return kept;
    }
}
