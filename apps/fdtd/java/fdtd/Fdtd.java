// SPDX-License-Identifier: Apache-2.0
package fdtd;

import common.Animation;
import java.io.IOException;
import java.util.Locale;
import mpi.Cartcomm;
import mpi.MPI;

/**
 * Electromagnetic waves in a square box with conducting walls, by the method of Yee: a pulse (a Ricker wavelet) starts
 * off the middle, spreads, and is reflected. First a mode of the box is computed, whose oscillation is known, and
 * compared; then the pulse, which is timed. On small boxes rank 0 computes the pulse again alone: all bits must agree.
 *
 * <p>Arguments: a class, S by default, then {@code --cells n --steps n --parts 1d|2d --frames folder --animation file
 * --count frames}. Tile has the fields and their exchange.
 */
public final class Fdtd {
    private static final double COURANT = 0.7; // below the square root of a half
    private static final int MODE_X = 3;
    private static final int MODE_Y = 2;
    private static final int MODE_STEPS = 200;
    private static final double MODE_TOLERANCE = 1e-11;
    private static final double FREQUENCY_TOLERANCE = 1e-3;
    private static final double WAVELENGTH = 20; // of the pulse, in cells
    private static final double BRIGHTEST = 0.1; // field of the strongest colour
    private static final int COMPARED_CELLS = 500;

    private final Options options;
    private final int rank = MPI.COMM_WORLD.Rank();
    private final int size = MPI.COMM_WORLD.Size();

    private Fdtd(Options options) {
        this.options = options;
    }

    public static void main(String[] args) throws IOException {
        String[] words = MPI.Init(args);
        int rank = MPI.COMM_WORLD.Rank();
        Options options = null;
        boolean isRight = false;
        try {
            options = new Options(words);
            check(options);
        } catch (IllegalArgumentException wrong) {
            options = null;
            if (rank == 0) {
                System.err.println("fdtd: " + wrong.getMessage());
            }
        }
        if (agree(options != null)) {
            isRight = new Fdtd(options).run();
        }
        MPI.Finalize();
        if (rank == 0 && !isRight) {
            System.exit(1);
        }
    }

    private static void check(Options options) {
        int ranks = MPI.COMM_WORLD.Size();
        if ((options.cells + 1) / (options.isParted2d ? shape(ranks)[0] : ranks) < 2) {
            throw new IllegalArgumentException("the number of ranks is " + ranks + "; " + options.cells
                    + " cells a side are too few for it");
        }
        if (MPI.COMM_WORLD.Rank() == 0) {
            options.pictures.checkPlaces();
        }
    }

    /** What rank 0 says: only it looks at places for pictures, so the others learn here whether they may start. */
    private static boolean agree(boolean isFine) {
        int[] word = {isFine ? 1 : 0};
        MPI.COMM_WORLD.Bcast(word, 0, 1, MPI.INT, 0);
        return word[0] != 0;
    }

    /** Two factors of a number of ranks, as near to each other as can be, the larger first. */
    private static int[] shape(int ranks) {
        int less = (int) Math.sqrt(ranks);
        while (ranks % less != 0) {
            less--;
        }
        return new int[] {ranks / less, less};
    }

    private boolean run() throws IOException {
        int[] dims = options.isParted2d ? shape(size) : new int[] {size, 1};
        Cartcomm comm = MPI.COMM_WORLD.Create_cart(dims, new boolean[] {false, false}, false);
        say(" FDTD (Java): %d x %d cells, %d steps, %d x %d ranks",
                options.cells, options.cells, options.steps, dims[1], dims[0]);
        boolean isRight = checkMode(comm);

        Tile tile = new Tile(comm, options.cells, COURANT);
        Animation animation = options.pictures.open(false);
        comm.Barrier();
        long start = System.nanoTime(); // Wtime counts whole seconds in MPJ Express
        for (int step = 1; step <= options.steps; step++) {
            advance(tile, step);
            if (animation != null && step % options.pictures.stepsBetween(options.steps) == 0) {
                draw(tile, comm, animation);
            }
        }
        comm.Barrier();
        double seconds = (System.nanoTime() - start) * 1e-9;
        if (animation != null && rank == 0) {
            animation.finish();
        }
        isRight &= checkPulse(tile, comm);

        double rate = (double) options.cells * options.cells * options.steps / seconds / 1e6;
        say(" Class           =             %12c", options.letter);
        say(" Size            =             %12s", options.cells + "x" + options.cells);
        say(" Iterations      =             %12d", options.steps);
        say(" Time in seconds =             %12.2f", seconds);
        say(" Total processes =             %12d", size);
        say(" Mop/s total     =             %12.2f", rate);
        say(" Mop/s/process   =             %12.2f", rate / size);
        say(" Operation type  = %24s", "cells updated");
        say(" Verification    =             %12s", isRight ? "SUCCESSFUL" : "UNSUCCESSFUL");
        System.out.flush();
        return isRight;
    }

    private void say(String format, Object... values) {
        if (rank == 0) {
            System.out.println(String.format(Locale.ROOT, format, values));
        }
    }

    // ---- the pulse --------------------------------------------------------------------------------------------------

    private void advance(Tile tile, int step) {
        int x = options.cells / 3;
        int y = options.cells * 2 / 5;
        tile.stepMagnetic(1);
        tile.stepElectric();
        if (tile.contains(x, y)) {
            tile.ez[tile.index(x, y)] += ricker(step);
        }
    }

    private static double ricker(int step) {
        double t = Math.PI * (COURANT * step / WAVELENGTH - 1);
        return (1 - 2 * t * t) * Math.exp(-t * t);
    }

    private void draw(Tile tile, Cartcomm comm, Animation animation) throws IOException {
        double[] field = gather(tile, comm);
        if (rank == 0) {
            animation.add(field, options.cells + 1, BRIGHTEST);
        }
    }

    /** Rank 0 computes a small box alone. The order of all operations on an element is the same, so all bits are. */
    private boolean checkPulse(Tile tile, Cartcomm comm) {
        int n = options.cells;
        double[] field = gather(tile, comm);
        if (rank != 0 || n > COMPARED_CELLS) {
            return true;
        }
        Tile whole = new Tile(null, n, COURANT);
        for (int step = 1; step <= options.steps; step++) {
            advance(whole, step);
        }
        int different = 0;
        for (int y = 0; y <= n; y++) {
            for (int x = 0; x <= n; x++) {
                long own = Double.doubleToRawLongBits(whole.ez[whole.index(x, y)]);
                different += own != Double.doubleToRawLongBits(field[y * (n + 1) + x]) ? 1 : 0;
            }
        }
        say(" %d of %d elements differ from those of one rank", different, (n + 1) * (n + 1));
        return different == 0;
    }

    /** The whole field on rank 0; null elsewhere. */
    private double[] gather(Tile tile, Cartcomm comm) {
        int n = options.cells + 1;
        int[] box = {tile.firstX, tile.firstY, tile.width, tile.height};
        int[] boxes = new int[4 * size];
        comm.Gather(box, 0, 4, MPI.INT, boxes, 0, 4, MPI.INT, 0);
        double[] own = new double[tile.width * tile.height];
        for (int y = 0; y < tile.height; y++) {
            System.arraycopy(tile.ez, (y + 1) * tile.pitch + 1, own, y * tile.width, tile.width);
        }
        int[] counts = new int[size];
        int[] starts = new int[size];
        for (int peer = 0; peer < size; peer++) {
            counts[peer] = boxes[4 * peer + 2] * boxes[4 * peer + 3];
            starts[peer] = peer == 0 ? 0 : starts[peer - 1] + counts[peer - 1];
        }
        double[] all = rank == 0 ? new double[n * n] : new double[0];
        comm.Gatherv(own, 0, own.length, MPI.DOUBLE, all, 0, counts, starts, MPI.DOUBLE, 0);
        if (rank != 0) {
            return null;
        }
        double[] field = new double[n * n];
        for (int peer = 0; peer < size; peer++) {
            int width = boxes[4 * peer + 2];
            for (int y = 0; y < boxes[4 * peer + 3]; y++) {
                System.arraycopy(all, starts[peer] + y * width, field, (boxes[4 * peer + 1] + y) * n + boxes[4 * peer],
                        width);
            }
        }
        return field;
    }

    // ---- a mode of the box ------------------------------------------------------------------------------------------

    /**
     * The mode sin(3 pi x) sin(2 pi y) oscillates, in the scheme as in nature; the scheme's frequency is known, so the
     * field must be right but for rounding, and near to that of nature.
     */
    private boolean checkMode(Cartcomm comm) {
        int n = options.cells;
        Tile tile = new Tile(comm, n, COURANT);
        double sx = Math.sin(Math.PI * MODE_X / (2 * n));
        double sy = Math.sin(Math.PI * MODE_Y / (2 * n));
        double angle = 2 * Math.asin(COURANT * Math.sqrt(sx * sx + sy * sy)); // of a step
        double natural = COURANT * Math.PI / n * Math.sqrt(MODE_X * MODE_X + MODE_Y * MODE_Y);
        double[] error = new double[1];
        double[] most = new double[1];
        for (int y = Math.max(1, tile.firstY); y < Math.min(n, tile.firstY + tile.height); y++) {
            for (int x = Math.max(1, tile.firstX); x < Math.min(n, tile.firstX + tile.width); x++) {
                tile.ez[tile.index(x, y)] = mode(x, y);
            }
        }
        for (int step = 1; step <= MODE_STEPS; step++) {
            tile.stepMagnetic(step == 1 ? 0.5 : 1);
            tile.stepElectric();
        }
        for (int y = Math.max(1, tile.firstY); y < Math.min(n, tile.firstY + tile.height); y++) {
            for (int x = Math.max(1, tile.firstX); x < Math.min(n, tile.firstX + tile.width); x++) {
                double wanted = Math.cos(angle * MODE_STEPS) * mode(x, y);
                error[0] = Math.max(error[0], Math.abs(tile.ez[tile.index(x, y)] - wanted));
            }
        }
        comm.Allreduce(error, 0, most, 0, 1, MPI.DOUBLE, MPI.MAX);
        double apart = Math.abs(angle / natural - 1);
        say(" mode %d,%d after %d steps: error %.2e, frequency off by %.2e",
                MODE_X, MODE_Y, MODE_STEPS, most[0], apart);
        return most[0] <= MODE_TOLERANCE && apart <= FREQUENCY_TOLERANCE;
    }

    private double mode(int x, int y) {
        return Math.sin(Math.PI * MODE_X * x / options.cells) * Math.sin(Math.PI * MODE_Y * y / options.cells);
    }
}
