// SPDX-License-Identifier: Apache-2.0
import mpi.Comm;
import mpi.MPI;

/**
 * The ping-pong of {@link Pair} by the calls of the Open MPI dialect. In a folder of its own, since libraries that have
 * only the other dialect cannot compile it.
 */
public final class OpenPair implements MpjBench.Runner {
    private static final int TAG = 1;
    private static final int SYNC = 8;

    /** One that {@link MpjBench} finds by its name. */
    public OpenPair() {
    }

    private static void rounds(Message outgoing, Message incoming, int rank, int rounds) {
        Comm world = MPI.COMM_WORLD;
        int peer = 1 - rank;
        if (rank == 0) {
            for (int i = 0; i < rounds; i++) {
                world.send(outgoing.buffer, outgoing.count, outgoing.datatype, peer, TAG);
                world.recv(incoming.buffer, incoming.count, incoming.datatype, peer, TAG);
            }
        } else {
            for (int i = 0; i < rounds; i++) {
                world.recv(incoming.buffer, incoming.count, incoming.datatype, peer, TAG);
                world.send(outgoing.buffer, outgoing.count, outgoing.datatype, peer, TAG);
            }
        }
    }

    @Override
    public void run(Case one) {
        int rank = one.rank();
        Message outgoing = new Message(one, 1).fill(1 + rank);
        Message incoming = new Message(one, 1);
        one.bench.print(one, one.bench.measure(one, rounds -> {
            rounds(outgoing, incoming, rank, SYNC);
            double start = Bench.now();
            rounds(outgoing, incoming, rank, rounds);
            return Bench.now() - start;
        }), 2);
        incoming.verify(2 - rank, 1);
    }
}
