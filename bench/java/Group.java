// SPDX-License-Identifier: Apache-2.0
import mpi.MPI;
import mpi.Request;

/** Tests among all ranks by messages between two at a time, as in bench/c/group.c, which tells what each is. */
final class Group {
    private static final int TAG = 6;
    private static final int TAG_DONE = 7;
    private static final int WINDOW = 64;
    private static final int FILL = 5;

    private final Case one;
    private final int left;
    private final int right;
    private final Message outgoing;
    private final Message incoming;
    private final int blocks;

    private Group(Case one, int blocks) {
        this.one = one;
        this.blocks = blocks;
        left = (one.rank() + one.ranks - 1) % one.ranks;
        right = (one.rank() + 1) % one.ranks;
        outgoing = new Message(one, blocks).fill(FILL);
        incoming = new Message(one, blocks);
    }

    private void laps(int laps) {
        for (int i = 0; i < laps; i++) {
            if (one.rank() == 0) {
                MPI.COMM_WORLD.Send(outgoing.buffer, 0, outgoing.count, outgoing.datatype, right, TAG);
            }
            MPI.COMM_WORLD.Recv(incoming.buffer, 0, incoming.count, incoming.datatype, left, TAG);
            if (one.rank() != 0) {
                MPI.COMM_WORLD.Send(incoming.buffer, 0, incoming.count, incoming.datatype, right, TAG);
            }
        }
    }

    private double ringBatch(int laps) {
        laps(1);
        double start = Bench.now();
        laps(laps);
        return Bench.now() - start;
    }

    private void steps(int steps) {
        Request[] requests = new Request[4];
        for (int i = 0; i < steps; i++) {
            requests[0] = MPI.COMM_WORLD.Irecv(incoming.buffer, 0, incoming.count, incoming.datatype, left, TAG);
            requests[1] = MPI.COMM_WORLD.Irecv(incoming.buffer, incoming.length, incoming.count, incoming.datatype,
                    right, TAG_DONE);
            requests[2] = MPI.COMM_WORLD.Isend(outgoing.buffer, 0, outgoing.count, outgoing.datatype, right, TAG);
            requests[3] = MPI.COMM_WORLD.Isend(outgoing.buffer, 0, outgoing.count, outgoing.datatype, left, TAG_DONE);
            Request.Waitall(requests);
        }
    }

    private double exchangeBatch(int steps) {
        steps(1);
        double start = Bench.now();
        steps(steps);
        return Bench.now() - start;
    }

    private boolean isSender() {
        return one.rank() < one.ranks / 2;
    }

    /** With an odd number of ranks the last one has no partner and only keeps step. */
    private boolean hasPartner() {
        return one.rank() < one.ranks / 2 * 2;
    }

    private void windows(int windows) {
        int half = one.ranks / 2;
        int partner = isSender() ? one.rank() + half : one.rank() - half;
        Request[] requests = new Request[WINDOW];
        byte[] done = new byte[1];
        for (int w = 0; w < windows; w++) {
            for (int i = 0; i < WINDOW; i++) {
                requests[i] = isSender()
                        ? MPI.COMM_WORLD.Isend(outgoing.buffer, i * outgoing.length, outgoing.count, outgoing.datatype,
                                partner, TAG)
                        : MPI.COMM_WORLD.Irecv(incoming.buffer, i * incoming.length, incoming.count, incoming.datatype,
                                partner, TAG);
            }
            Request.Waitall(requests);
            if (isSender()) {
                MPI.COMM_WORLD.Recv(done, 0, 1, MPI.BYTE, partner, TAG_DONE);
            } else {
                MPI.COMM_WORLD.Send(done, 0, 1, MPI.BYTE, partner, TAG_DONE);
            }
        }
    }

    /** The slowest pair counts: the barrier ends when all are done. */
    private double pairsBatch(int windows) {
        MPI.COMM_WORLD.Barrier();
        double start = Bench.now();
        if (hasPartner()) {
            windows(windows);
        }
        MPI.COMM_WORLD.Barrier();
        return Bench.now() - start;
    }

    static void ring(Case one) {
        Group group = new Group(one, 1);
        one.bench.print(one, one.bench.measure(one, group::ringBatch), one.ranks);
        group.incoming.verify(FILL, 1);
    }

    static void exchange(Case one) {
        Group group = new Group(one, 2);
        one.bench.print(one, one.bench.measure(one, group::exchangeBatch), 1);
        group.incoming.verify(FILL, group.blocks);
    }

    static void pairs(Case one) {
        Group group = new Group(one, WINDOW);
        one.bench.print(one, one.bench.measure(one, group::pairsBatch), WINDOW);
        if (group.hasPartner() && !group.isSender()) {
            group.incoming.verify(FILL, WINDOW);
        }
    }
}
