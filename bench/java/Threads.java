// SPDX-License-Identifier: Apache-2.0
import mpi.MPI;

/** The ping-pong by several threads of both ranks at once, as in bench/c/threads.c. */
final class Threads {
    private static final int TAG = 100;

    private final Case one;
    private final Message[] outgoing;
    private final Message[] incoming;

    private Threads(Case one) {
        int count = Integer.parseInt(one.mode);
        this.one = one;
        outgoing = new Message[count];
        incoming = new Message[count];
        for (int i = 0; i < count; i++) {
            outgoing[i] = new Message(one, 1).fill(1 + one.rank());
            incoming[i] = new Message(one, 1);
        }
    }

    private void rounds(int thread, int rounds) {
        Message out = outgoing[thread];
        Message in = incoming[thread];
        int peer = 1 - one.rank();
        int tag = TAG + thread;
        for (int i = 0; i < rounds; i++) {
            if (one.rank() == 0) {
                MPI.COMM_WORLD.Send(out.buffer, 0, out.count, out.datatype, peer, tag);
            }
            MPI.COMM_WORLD.Recv(in.buffer, 0, in.count, in.datatype, peer, tag);
            if (one.rank() != 0) {
                MPI.COMM_WORLD.Send(out.buffer, 0, out.count, out.datatype, peer, tag);
            }
        }
    }

    private double batch(int rounds) {
        Thread[] started = new Thread[outgoing.length];
        double start = Bench.now();
        for (int i = 0; i < started.length; i++) {
            int thread = i;
            started[i] = new Thread(() -> rounds(thread, rounds));
            started[i].start();
        }
        try {
            for (Thread thread : started) {
                thread.join();
            }
        } catch (InterruptedException interrupted) {
            one.fail("was interrupted");
        }
        return Bench.now() - start;
    }

    static void run(Case one) {
        Threads threads = new Threads(one);
        one.bench.print(one, one.bench.measure(one, threads::batch), 2);
        for (Message message : threads.incoming) {
            message.verify(2 - one.rank(), 1);
        }
    }
}
