// SPDX-License-Identifier: Apache-2.0
import mpi.MPI;
import mpi.Request;

/** Tests between two ranks, as in bench/c/pair.c, which tells what each is. */
final class Pair {
    private static final int TAG = 1;
    private static final int TAG_DONE = 2;
    private static final int SYNC = 8;
    private static final int STREAM = 16;
    private static final int RATE = 64;

    private final Case one;
    private final int rank;
    private final int peer;
    private final int window;
    private final boolean hasPlaces;
    private final Message outgoing;
    private final Message incoming;
    private final byte[] done = new byte[1];
    private double computeSeconds;

    private Pair(Case one, int window, boolean hasPlaces) {
        this.one = one;
        this.window = window;
        this.hasPlaces = hasPlaces;
        rank = one.rank();
        peer = 1 - rank;
        outgoing = new Message(one, hasPlaces ? window : 1).fill(1 + rank);
        incoming = new Message(one, hasPlaces ? window : 1);
    }

    private void verify() {
        incoming.verify(1 + peer, hasPlaces ? window : 1);
    }

    private void send() {
        MPI.COMM_WORLD.Send(outgoing.buffer, 0, outgoing.count, outgoing.datatype, peer, TAG);
    }

    private void receive() {
        MPI.COMM_WORLD.Recv(incoming.buffer, 0, incoming.count, incoming.datatype, peer, TAG);
    }

    // ---- one message at a time

    private void rounds(int rounds) {
        if (rank == 0) {
            for (int i = 0; i < rounds; i++) {
                send();
                receive();
            }
        } else {
            for (int i = 0; i < rounds; i++) {
                receive();
                send();
            }
        }
    }

    private double pingpongBatch(int rounds) {
        rounds(SYNC);
        double start = Bench.now();
        rounds(rounds);
        return Bench.now() - start;
    }

    private double pingpingBatch(int rounds) {
        rounds(SYNC);
        double start = Bench.now();
        for (int i = 0; i < rounds; i++) {
            Request sent = MPI.COMM_WORLD.Isend(outgoing.buffer, 0, outgoing.count, outgoing.datatype, peer, TAG);
            receive();
            sent.Wait();
        }
        return Bench.now() - start;
    }

    // ---- windows

    /** A short message back ends a window. */
    private void endWindow() {
        if (rank == 0) {
            MPI.COMM_WORLD.Recv(done, 0, 1, MPI.BYTE, 1, TAG_DONE);
        } else {
            MPI.COMM_WORLD.Send(done, 0, 1, MPI.BYTE, 0, TAG_DONE);
        }
    }

    private Request start(boolean isSend, int i) {
        Message message = isSend ? outgoing : incoming;
        int offset = hasPlaces ? i * message.length : 0;
        return isSend ? MPI.COMM_WORLD.Isend(message.buffer, offset, message.count, message.datatype, peer, TAG)
                : MPI.COMM_WORLD.Irecv(message.buffer, offset, message.count, message.datatype, peer, TAG);
    }

    private void windows(int windows) {
        Request[] requests = new Request[window];
        for (int w = 0; w < windows; w++) {
            for (int i = 0; i < window; i++) {
                requests[i] = start(rank == 0, i);
            }
            Request.Waitall(requests);
            endWindow();
        }
    }

    private double streamBatch(int windows) {
        windows(1);
        double start = Bench.now();
        windows(windows);
        return Bench.now() - start;
    }

    private double bistreamBatch(int windows) {
        Request[] requests = new Request[2 * window];
        rounds(SYNC);
        double start = Bench.now();
        for (int w = 0; w < windows; w++) {
            for (int i = 0; i < window; i++) {
                requests[i] = start(false, i);
                requests[window + i] = start(true, i);
            }
            Request.Waitall(requests);
        }
        return Bench.now() - start;
    }

    // ---- overlap

    private double overlapBatch(int rounds) {
        rounds(SYNC);
        double start = Bench.now();
        for (int i = 0; i < rounds; i++) {
            if (rank == 0) {
                Request sent = MPI.COMM_WORLD.Isend(outgoing.buffer, 0, outgoing.count, outgoing.datatype, peer, TAG);
                double end = Bench.now() + computeSeconds;
                while (Bench.now() < end) {
                    Thread.onSpinWait();
                }
                sent.Wait();
            } else {
                receive();
            }
            endWindow();
        }
        return Bench.now() - start;
    }

    private static double shown(double alone, double both) {
        return Math.max(0, Math.min(100, 100 * (both - alone) / alone));
    }

    // ---- the tests

    static void pingpong(Case one) {
        Pair pair = new Pair(one, 1, false);
        one.bench.print(one, one.bench.measure(one, pair::pingpongBatch), 2);
        pair.verify();
    }

    static void pingping(Case one) {
        Pair pair = new Pair(one, 1, false);
        one.bench.print(one, one.bench.measure(one, pair::pingpingBatch), 1);
        pair.verify();
    }

    private static void windowed(Case one, int window, boolean hasPlaces) {
        Pair pair = new Pair(one, window, hasPlaces);
        one.bench.print(one, one.bench.measure(one, pair::streamBatch), window);
        if (one.rank() == 1) {
            pair.verify();
        }
    }

    static void stream(Case one) {
        windowed(one, STREAM, false);
    }

    static void rate(Case one) {
        windowed(one, RATE, true);
    }

    static void bistream(Case one) {
        Pair pair = new Pair(one, STREAM, false);
        one.bench.print(one, one.bench.measure(one, pair::bistreamBatch), STREAM);
        pair.verify();
    }

    static void overlap(Case one) {
        Pair pair = new Pair(one, 1, false);
        Bench.Time alone = one.bench.measure(one, pair::overlapBatch);
        pair.computeSeconds = alone == null ? 0 : alone.minimum;
        Bench.Time both = one.bench.measure(one, pair::overlapBatch);
        if (both != null) {
            one.bench.print(one, "% shown", shown(alone.minimum, both.minimum), shown(alone.minimum, both.median),
                    both.samples);
        }
        if (one.rank() == 1) {
            pair.verify();
        }
    }
}
