// SPDX-License-Identifier: Apache-2.0
package outcome;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import mpi.Comm;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Message;
import mpi.Request;

/**
 * Daemon threads wait for messages that never come, or ask for them again and again, while the main thread ends MPI:
 * they get an exception, at once and whenever they call again. Several times in one JVM. Arguments: rounds.
 */
public final class Listeners {
    private static final int LATE_CALLS = 100;
    /** Longer than what goes with its announcement. */
    private static final int LONG = 1 << 18;

    /** What a thread does, over a communicator of its own. */
    private interface Call {
        void run(Intracomm comm);
    }

    private static final class Listener extends Thread {
        private final Intracomm comm;
        private final Call call;
        private final AtomicInteger calls;
        private String end = "";

        Listener(String name, Intracomm comm, Call call, AtomicInteger calls) {
            super(name);
            this.comm = comm;
            this.call = call;
            this.calls = calls;
            setDaemon(true);
        }

        @Override
        public void run() {
            calls.incrementAndGet();
            for (int i = 0; i <= LATE_CALLS; i++) {
                try {
                    do {
                        call.run(comm); // what returns has found nothing
                    } while (i == 0);
                    throw new AssertionError(getName() + " worked after Finalize");
                } catch (MPIException e) {
                    // It tells of the call, and not of what the call does to clean up.
                    boolean isOfClose = Arrays.stream(e.getStackTrace())
                            .anyMatch(at -> at.getMethodName().equals("close"));
                    if (isOfClose || !e.getMessage().contains("MPI has been finalised")) {
                        throw e;
                    }
                }
            }
            end = "finalised";
        }
    }

    private Listeners() {
    }

    public static void main(String[] args) throws InterruptedException {
        String[] own = MPI.Init(args);
        int rounds = Integer.parseInt(own[0]);
        int rank = MPI.COMM_WORLD.Rank();
        round(0);
        for (int i = 1; i < rounds; i++) {
            MPI.Init(new String[0]);
            round(i);
        }
        System.out.println("rank " + rank + ": all listeners have ended, " + rounds + " times");
    }

    private static void round(int number) throws InterruptedException {
        AtomicInteger calls = new AtomicInteger();
        List<Listener> listeners = new ArrayList<>();
        int self = MPI.COMM_WORLD.Rank();
        int next = (self + 1) % MPI.COMM_WORLD.Size();
        add(listeners, calls, "Recv", comm -> comm.Recv(new int[1], 0, 1, MPI.INT, MPI.ANY_SOURCE, MPI.ANY_TAG));
        add(listeners, calls, "Recv of a word", comm -> comm.Recv(new long[1], 0, 1, MPI.LONG, next, 1));
        add(listeners, calls, "Recv of objects",
                comm -> comm.Recv(new Object[1], 0, 1, MPI.OBJECT, MPI.ANY_SOURCE, MPI.ANY_TAG));
        add(listeners, calls, "Ssend", comm -> comm.Ssend(new byte[LONG], 0, LONG, MPI.BYTE, next, 1));
        add(listeners, calls, "Probe", comm -> comm.Probe(MPI.ANY_SOURCE, MPI.ANY_TAG));
        add(listeners, calls, "Iprobe", comm -> comm.Iprobe(MPI.ANY_SOURCE, MPI.ANY_TAG));
        add(listeners, calls, "mProbe", comm -> new Message().mProbe(MPI.ANY_SOURCE, MPI.ANY_TAG, comm));
        add(listeners, calls, "Wait", comm -> comm.Irecv(new int[1], 0, 1, MPI.INT, next, 2).Wait());
        add(listeners, calls, "waitFor", comm -> comm.iRecv(new int[1], 1, MPI.INT, next, 2).waitFor());
        add(listeners, calls, "Waitany", comm -> Request.Waitany(receives(comm)));
        add(listeners, calls, "Waitall", comm -> Request.Waitall(receives(comm)));
        add(listeners, calls, "Test", comm -> {
            Request request = comm.Irecv(new int[1], 0, 1, MPI.INT, next, 2);
            while (request.Test() == null) {
                Thread.yield();
            }
        });
        // The other ranks do not come.
        if (self == 0 && next != 0) {
            add(listeners, calls, "Barrier", Intracomm::Barrier);
            add(listeners, calls, "Bcast", comm -> comm.Bcast(new int[1], 0, 1, MPI.INT, 1));
            add(listeners, calls, "clone", Comm::clone);
        } else {
            for (int i = 0; i < 3; i++) {
                MPI.COMM_WORLD.clone();
            }
        }
        for (Listener listener : listeners) {
            listener.start();
        }
        while (calls.get() < listeners.size()) {
            Thread.yield();
        }
        Thread.sleep(number % 3 * 20L); // for variety alone: spinning, asleep, or not yet there
        MPI.Finalize();
        for (Listener listener : listeners) {
            listener.join();
            if (!listener.end.equals("finalised")) {
                throw new AssertionError(listener.getName() + " has failed");
            }
        }
    }

    private static void add(List<Listener> listeners, AtomicInteger calls, String name, Call call) {
        listeners.add(new Listener(name, MPI.COMM_WORLD.clone(), call, calls));
    }

    private static Request[] receives(Intracomm comm) {
        return new Request[] {comm.Irecv(new int[1], 0, 1, MPI.INT, MPI.ANY_SOURCE, 3),
                comm.Irecv(new Object[1], 0, 1, MPI.OBJECT, MPI.ANY_SOURCE, 4)};
    }
}
