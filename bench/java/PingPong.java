import mpi.MPI;

/**
 * Ping-pong of byte arrays between two ranks: half of the round trip is the latency. Arguments: sizes in bytes.
 */
public final class PingPong {
    private static final int TAG = 1;
    private static final int SYNC = 8;
    private static final int WARM_UP_ITERATIONS = 50_000;
    private static final double WARM_UP_SECONDS = 3;

    private final Bench bench;
    private final byte[] outgoing;
    private final byte[] incoming;

    private PingPong(Bench bench, int size) {
        this.bench = bench;
        outgoing = new byte[size];
        incoming = new byte[size];
        java.util.Arrays.fill(outgoing, (byte) (1 + bench.rank()));
    }

    private void rounds(int rounds) {
        int size = outgoing.length;
        if (bench.rank() == 0) {
            for (int i = 0; i < rounds; i++) {
                MPI.COMM_WORLD.Send(outgoing, 0, size, MPI.BYTE, 1, TAG);
                MPI.COMM_WORLD.Recv(incoming, 0, size, MPI.BYTE, 1, TAG);
            }
        } else {
            for (int i = 0; i < rounds; i++) {
                MPI.COMM_WORLD.Recv(incoming, 0, size, MPI.BYTE, 0, TAG);
                MPI.COMM_WORLD.Send(outgoing, 0, size, MPI.BYTE, 0, TAG);
            }
        }
    }

    private double batch(int rounds) {
        rounds(SYNC);
        double start = Bench.now();
        rounds(rounds);
        return Bench.now() - start;
    }

    private void verify() {
        byte wanted = (byte) (2 - bench.rank());
        for (int i = 0; i < incoming.length; i++) {
            if (incoming[i] != wanted) {
                throw new IllegalStateException("rank " + bench.rank() + " received " + incoming[i] + " instead of "
                        + wanted + " at byte " + i + " of " + incoming.length);
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        String[] sizes = MPI.Init(arguments);
        Bench bench = new Bench();
        for (String text : sizes) {
            int size = Integer.parseInt(text);
            PingPong row = new PingPong(bench, size);
            double half = bench.measure(row::batch, WARM_UP_ITERATIONS, WARM_UP_SECONDS) / 2;
            row.verify();
            bench.print("java-pingpong", size, half * 1e6, "us");
            bench.print("java-pingpong-bw", size, size / half / 1e9, "GB/s");
        }
        MPI.Finalize();
    }
}
