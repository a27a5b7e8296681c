// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import mpi.Intracomm;
import mpi.MPI;

/**
 * Heat spreads over a square plate with a cold edge. The plate is parted among the ranks, which exchange the rims of
 * their tiles in every step. Rank 0 shows the result, computes it again alone, and compares.
 *
 * <p>Arguments: {@code [--size cells] [--steps n] [--png file] [--colour]}. Works on any number of ranks.
 *
 *     mpijavac *.java
 *     mpjrun -np 4 Heat --png heat.png
 */
public final class Heat {
    private static final int REPORTS = 10;
    private static final int TEXT_COLUMNS = 72;

    private int size = 480;
    private int steps = 600;
    private Path png;
    private boolean isColoured;

    private Heat(String[] words) {
        for (int i = 0; i < words.length; i++) {
            switch (words[i]) {
            case "--size":
                size = Integer.parseInt(words[++i]);
                break;
            case "--steps":
                steps = Integer.parseInt(words[++i]);
                break;
            case "--png":
                png = Path.of(words[++i]);
                break;
            case "--colour":
                isColoured = true;
                break;
            default:
                throw new IllegalArgumentException("Heat: unknown argument " + words[i]);
            }
        }
    }

    public static void main(String[] args) throws IOException {
        String[] own = MPI.Init(args);
        boolean isRight = new Heat(own).run(MPI.COMM_WORLD);
        MPI.Finalize();
        if (!isRight) {
            System.exit(1);
        }
    }

    private boolean run(Intracomm comm) throws IOException {
        if ((long) size * size < comm.Size() || size < comm.Size()) {
            throw new IllegalArgumentException("Heat: --size " + size + " is too small for " + comm.Size() + " ranks");
        }
        Plate plate = new Plate(comm, size);
        say(comm, "Heat on a plate of %d x %d cells, %d steps, %d ranks (%s)", size, size, steps, comm.Size(),
                plate.shape());

        comm.Barrier();
        double begin = MPI.Wtime();
        for (int step = 1; step <= steps; step++) {
            plate.step();
            if (step % Math.max(1, steps / REPORTS) == 0 || step == steps) {
                say(comm, "  step %5d of %d   mean temperature %.6f   %.2f s", step, steps, plate.mean(),
                        MPI.Wtime() - begin);
            }
        }
        double[] field = plate.gather();
        return comm.Rank() != 0 || show(field);
    }

    private static void say(Intracomm comm, String format, Object... values) {
        if (comm.Rank() == 0) {
            System.out.println(String.format(Locale.ROOT, format, values));
        }
    }

    private boolean show(double[] field) throws IOException {
        Picture picture = new Picture(field, size);
        System.out.print(picture.toText(TEXT_COLUMNS, isColoured));
        if (png != null) {
            picture.writePng(png);
            System.out.println("Picture: " + png);
        }
        double difference = difference(field);
        boolean isRight = difference == 0.0;
        System.out.println("Largest difference to the sequential answer: " + difference
                + (isRight ? " (the same, bit for bit)" : " WRONG"));
        return isRight;
    }

    /** Every cell is computed by the same operations in the same order, so nothing but 0.0 will do. */
    private double difference(double[] field) {
        Tile whole = new Tile(0, 0, size, size);
        whole.heat(size);
        for (int step = 0; step < steps; step++) {
            whole.step();
        }
        double[] expected = whole.pack();
        double largest = 0;
        for (int i = 0; i < expected.length; i++) {
            // Written so that a NaN counts as a difference.
            double difference = Math.abs(expected[i] - field[i]);
            largest = difference <= largest ? largest : difference;
        }
        return largest;
    }
}
