// SPDX-License-Identifier: Apache-2.0
package outcome;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;

/**
 * Threads are in one collective call after the other, each on a communicator of its own, while the main thread
 * ends MPI: they get an exception, and touch no memory that has gone. Several times in one JVM. Arguments: rounds.
 */
public final class Collecting {
    private static final int CALLS = 20;
    private static final int CALLERS = 12;
    /** More than this goes otherwise, or is not read where it lies. */
    private static final int INTS = 256;
    /** Where ranks are threads so many are read from the arrays of others. */
    private static final int LONG = 10_000;

    /** Calls until MPI has ended. */
    private static final class Caller extends Thread {
        private final Intracomm comm;
        private final int number;
        private final AtomicInteger ready;
        private boolean isFinalised;

        Caller(Intracomm comm, int number, AtomicInteger ready) {
            this.comm = comm;
            this.number = number;
            this.ready = ready;
            setDaemon(true);
        }

        @Override
        public void run() {
            int size = comm.Size();
            int[] one = new int[INTS];
            int[] all = new int[INTS * size];
            try {
                for (int i = 0;; i++) {
                    call(one, all);
                    if (i == CALLS) {
                        ready.incrementAndGet();
                    }
                }
            } catch (MPIException e) {
                if (!e.getMessage().contains("MPI has been finalised")) {
                    throw e;
                }
                isFinalised = true;
            }
        }

        private void call(int[] one, int[] all) {
            int size = comm.Size();
            switch (number) {
            case 0:
                comm.Bcast(one, 0, INTS, MPI.INT, 0);
                break;
            case 1:
                comm.Allreduce(one, 0, all, 0, INTS, MPI.INT, MPI.SUM);
                break;
            case 2:
                comm.Allgather(one, 0, INTS, MPI.INT, all, 0, INTS, MPI.INT);
                break;
            case 3:
                comm.Alltoall(all, 0, INTS, MPI.INT, all.clone(), 0, INTS, MPI.INT);
                break;
            case 4:
                comm.Bcast(longs(1), 0, LONG, MPI.LONG, 0);
                break;
            case 5:
                comm.Gather(longs(1), 0, LONG, MPI.LONG, longs(size), 0, LONG, MPI.LONG, 0);
                break;
            case 6:
                comm.Scatter(longs(size), 0, LONG, MPI.LONG, longs(1), 0, LONG, MPI.LONG, 0);
                break;
            case 7:
                comm.Allgather(longs(1), 0, LONG, MPI.LONG, longs(size), 0, LONG, MPI.LONG);
                break;
            case 8:
                comm.Alltoall(longs(size), 0, LONG, MPI.LONG, longs(size), 0, LONG, MPI.LONG);
                break;
            case 9:
                comm.Allreduce(longs(1), 0, longs(1), 0, LONG, MPI.LONG, MPI.SUM);
                break;
            case 10:
                comm.Reduce(longs(1), 0, longs(1), 0, LONG, MPI.LONG, MPI.SUM, 0);
                break;
            default:
                comm.Bcast(new Object[] {longs(1)}, 0, 1, MPI.OBJECT, 0);
                break;
            }
        }

        private static long[] longs(int blocks) {
            return new long[LONG * blocks];
        }
    }

    private Collecting() {
    }

    public static void main(String[] args) throws InterruptedException {
        String[] own = MPI.Init(args);
        int rounds = Integer.parseInt(own[0]);
        int rank = MPI.COMM_WORLD.Rank();
        round();
        for (int i = 1; i < rounds; i++) {
            MPI.Init(new String[0]);
            round();
        }
        System.out.println("rank " + rank + ": all callers have ended, " + rounds + " times");
    }

    private static void round() throws InterruptedException {
        AtomicInteger ready = new AtomicInteger();
        List<Caller> callers = new ArrayList<>();
        for (int i = 0; i < CALLERS; i++) {
            callers.add(new Caller(MPI.COMM_WORLD.clone(), i, ready));
        }
        callers.forEach(Thread::start);
        while (ready.get() < callers.size()) {
            Thread.yield();
        }
        MPI.Finalize();
        for (Caller caller : callers) {
            caller.join();
            if (!caller.isFinalised) {
                throw new AssertionError("a caller has failed");
            }
        }
    }
}
