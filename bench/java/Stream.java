import mpi.MPI;
import mpi.Request;

/**
 * Streaming bandwidth of double arrays: a window of non-blocking sends and receives, then a short message back, as in
 * bench/c/stream.c. Arguments: sizes in bytes.
 */
public final class Stream {
    private static final int WINDOW = 16;
    private static final int TAG = 2;
    private static final int TAG_DONE = 3;
    private static final int WARM_UP_WINDOWS = 2_000;
    private static final double WARM_UP_SECONDS = 1;

    private final Bench bench;
    private final double[] numbers;
    private final Request[] requests = new Request[WINDOW];
    private final byte[] done = new byte[1];

    private Stream(Bench bench, int count) {
        this.bench = bench;
        numbers = new double[count];
        if (bench.rank() == 0) {
            java.util.Arrays.fill(numbers, 7.5);
        }
    }

    private void windows(int windows) {
        int count = numbers.length;
        for (int w = 0; w < windows; w++) {
            for (int i = 0; i < WINDOW; i++) {
                requests[i] = bench.rank() == 0 ? MPI.COMM_WORLD.Isend(numbers, 0, count, MPI.DOUBLE, 1, TAG)
                        : MPI.COMM_WORLD.Irecv(numbers, 0, count, MPI.DOUBLE, 0, TAG);
            }
            Request.Waitall(requests);
            if (bench.rank() == 0) {
                MPI.COMM_WORLD.Recv(done, 0, 1, MPI.BYTE, 1, TAG_DONE);
            } else {
                MPI.COMM_WORLD.Send(done, 0, 1, MPI.BYTE, 0, TAG_DONE);
            }
        }
    }

    private double batch(int windows) {
        windows(1);
        double start = Bench.now();
        windows(windows);
        return Bench.now() - start;
    }

    private void verify() {
        for (int i = 0; i < numbers.length; i++) {
            if (numbers[i] != 7.5) {
                throw new IllegalStateException(
                        "rank " + bench.rank() + " received " + numbers[i] + " instead of 7.5 at element " + i);
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        String[] sizes = MPI.Init(arguments);
        Bench bench = new Bench();
        for (String text : sizes) {
            int size = Integer.parseInt(text);
            Stream row = new Stream(bench, size / Double.BYTES);
            double window = bench.measure(row::batch, WARM_UP_WINDOWS, WARM_UP_SECONDS);
            row.verify();
            bench.print("java-stream", size, (double) size * WINDOW / window / 1e9, "GB/s");
        }
        MPI.Finalize();
    }
}
