// SPDX-License-Identifier: Apache-2.0
import java.nio.charset.StandardCharsets;
import mpi.CartComm;
import mpi.Datatype;
import mpi.File;
import mpi.MPI;
import mpi.MPIException;

/**
 * One picture from all ranks: the plane is cut into tiles, one for each rank, and each draws its part of the Mandelbrot
 * set. The view of a rank shows it the pixels of its tile in the file: the rows of the tile, each as far from the next
 * as those of the picture. So one collective call writes all tiles, and no rank has the whole picture in memory.
 *
 *     mpijavac Mandelbrot.java
 *     mpirun -n 4 java Mandelbrot mandelbrot.ppm 900 600
 *
 * Numbers are integers, 2^28 for 1: so the picture is the same, byte for byte, on any machine and number of ranks, and
 * in C.
 */
public class Mandelbrot {
    private static final int SHIFT = 28;
    private static final int STEPS = 255;
    private static final int CHANNELS = 3;

    /** After how many steps a point is outside. */
    private static int steps(long x, long y) {
        long a = 0;
        long b = 0;
        for (int i = 0; i < STEPS; i++) {
            long aa = a * a >> SHIFT;
            long bb = b * b >> SHIFT;
            if (aa + bb > 4L << SHIFT) {
                return i;
            }
            b = (a * b >> (SHIFT - 1)) + y;
            a = aa - bb + x;
        }
        return STEPS;
    }

    public static void main(String[] args) throws MPIException {
        String[] words = MPI.Init(args);
        int rank = MPI.COMM_WORLD.getRank();
        int size = MPI.COMM_WORLD.getSize();
        int[] grid = new int[2]; // rows and columns of tiles
        CartComm.createDims(size, grid);
        String name = words.length > 0 ? words[0] : "mandelbrot.ppm";
        int width = words.length > 1 ? Integer.parseInt(words[1]) : 900;
        int height = words.length > 2 ? Integer.parseInt(words[2]) : 600;
        if (width < grid[1] || height < grid[0]) {
            throw new IllegalArgumentException(width + " x " + height + " pixels are too few for " + grid[1] + " x "
                    + grid[0] + " ranks");
        }
        double start = MPI.wtime();
        int row = rank / grid[1];
        int column = rank % grid[1];
        int left = (int) ((long) width * column / grid[1]);
        int right = (int) ((long) width * (column + 1) / grid[1]);
        int top = (int) ((long) height * row / grid[0]);
        int bottom = (int) ((long) height * (row + 1) / grid[0]);

        byte[] tile = new byte[(bottom - top) * (right - left) * CHANNELS];
        long step = (3L << SHIFT) / width;
        long[] inside = new long[1];
        int at = 0;
        for (int y = top; y < bottom; y++) {
            for (int x = left; x < right; x++) {
                int steps = steps((x - 2 * width / 3) * step, (y - height / 2) * step);
                boolean isInside = steps == STEPS;
                inside[0] += isInside ? 1 : 0;
                tile[at++] = (byte) (isInside ? 0 : steps * 9);
                tile[at++] = (byte) (isInside ? 0 : steps * 5);
                tile[at++] = (byte) (isInside ? 0 : 64 + steps * 3);
            }
        }

        byte[] header = ("P6\n" + width + " " + height + "\n255\n").getBytes(StandardCharsets.US_ASCII);
        File file = new File(MPI.COMM_WORLD, name, MPI.MODE_CREATE | MPI.MODE_WRONLY);
        file.setSize((long) width * height * CHANNELS + header.length);
        if (rank == 0) {
            file.writeAt(0, header, header.length, MPI.BYTE);
        }
        Datatype rows = Datatype.createVector(bottom - top, (right - left) * CHANNELS, width * CHANNELS, MPI.BYTE);
        file.setView(header.length + ((long) top * width + left) * CHANNELS, MPI.BYTE, rows, "native");
        file.writeAll(tile, tile.length, MPI.BYTE);
        file.close();
        rows.free();

        long[] all = new long[1];
        MPI.COMM_WORLD.reduce(inside, all, 1, MPI.LONG, MPI.SUM, 0);
        if (rank == 0) {
            System.out.printf("%s: %d x %d pixels, %d inside, by %d ranks in %.3f s%n", name, width, height, all[0],
                    size, MPI.wtime() - start);
        }
        MPI.Finalize();
    }
}
