// SPDX-License-Identifier: Apache-2.0
import java.nio.DoubleBuffer;
import mpi.MPI;
import mpi.MPIException;
import mpi.Win;

/**
 * A plate whose left edge is hot, cut into rows of points: every point becomes the mean of its four neighbours, again
 * and again. Each rank puts its first and its last row into the memory of its neighbours, and one fence a step
 * completes that. The window has room for the halos of two steps in turn, so that a rank may put those of the next step
 * while a neighbour still computes with the last ones.
 *
 *     mpijavac HaloPut.java
 *     mpirun -n 4 java HaloPut 400 100
 */
public class HaloPut {
    private static final int ABOVE = 0;
    private static final int BELOW = 1;
    private static final int SIDES = 2;

    public static void main(String[] args) throws MPIException {
        String[] words = MPI.Init(args);
        int rank = MPI.COMM_WORLD.getRank();
        int size = MPI.COMM_WORLD.getSize();
        int points = words.length > 0 ? Integer.parseInt(words[0]) : 400;
        int steps = words.length > 1 ? Integer.parseInt(words[1]) : 100;
        if (points < size) {
            throw new IllegalArgumentException(points + " points a side are too few for " + size + " ranks");
        }
        int rows = (int) ((long) points * (rank + 1) / size - (long) points * rank / size);
        int above = rank > 0 ? rank - 1 : MPI.PROC_NULL;
        int below = rank < size - 1 ? rank + 1 : MPI.PROC_NULL;
        DoubleBuffer now = MPI.newDoubleBuffer(rows * points);
        DoubleBuffer next = MPI.newDoubleBuffer(rows * points);
        DoubleBuffer halos = MPI.newDoubleBuffer(2 * SIDES * points);
        Win win = new Win(halos, 2 * SIDES * points, points, MPI.INFO_NULL, MPI.COMM_WORLD); // displacements count rows

        double start = MPI.wtime();
        win.fence(MPI.MODE_NOPRECEDE);
        for (int i = 0; i < steps; i++) {
            int turn = i % 2 * SIDES;
            win.put(now, points, MPI.DOUBLE, above, turn + BELOW, points, MPI.DOUBLE);
            win.put(MPI.slice(now, (rows - 1) * points), points, MPI.DOUBLE, below, turn + ABOVE, points, MPI.DOUBLE);
            win.fence(0);
            for (int r = 0; r < rows; r++) {
                DoubleBuffer up = r > 0 ? now : halos;
                DoubleBuffer down = r < rows - 1 ? now : halos;
                int upAt = r > 0 ? (r - 1) * points : (turn + ABOVE) * points;
                int downAt = r < rows - 1 ? (r + 1) * points : (turn + BELOW) * points;
                for (int j = 0, at = r * points; j < points; j++, at++) {
                    double left = j > 0 ? now.get(at - 1) : 1;
                    double right = j < points - 1 ? now.get(at + 1) : 0;
                    next.put(at, (left + right + up.get(upAt + j) + down.get(downAt + j)) / 4);
                }
            }
            DoubleBuffer last = now;
            now = next;
            next = last;
        }
        win.fence(MPI.MODE_NOSUCCEED);
        double[] sum = new double[1];
        for (int at = 0; at < rows * points; at++) {
            sum[0] += now.get(at);
        }
        double[] all = new double[1];
        MPI.COMM_WORLD.reduce(sum, all, 1, MPI.DOUBLE, MPI.SUM, 0);
        if (rank == 0) {
            System.out.printf("heat of %d x %d points after %d steps: %.5f, by %d ranks in %.3f s%n", points, points,
                    steps, all[0], size, MPI.wtime() - start);
        }
        win.free();
        MPI.Finalize();
    }
}
