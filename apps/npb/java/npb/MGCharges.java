// SPDX-License-Identifier: Apache-2.0
package npb;

import common.Job;
import java.util.Arrays;
import mpi.MPI;

/**
 * The right-hand side of MG: random numbers are drawn for all cells of the finest grid; the ten largest become 1, the
 * ten smallest -1, all others 0.
 */
final class MGCharges {
    private static final int COUNT = 10;

    private final MGGrid grid;
    private final long[] largest;  // the cells, in the order of the whole grid
    private final long[] smallest;

    MGCharges(Job job, MGGrid grid) {
        // Numbers differ, and a number is a state of the generator: 46 bits, which doubles hold. With their sign turned
        // the smallest are the largest.
        double[] values = new double[2 * COUNT];
        double[] cells = new double[2 * COUNT];
        this.grid = grid;
        Arrays.fill(values, Double.NEGATIVE_INFINITY);
        draw(values, cells);
        double[] allValues = new double[2 * COUNT * job.size];
        double[] allCells = new double[2 * COUNT * job.size];
        job.comm.Allgather(values, 0, 2 * COUNT, MPI.DOUBLE, allValues, 0, 2 * COUNT, MPI.DOUBLE);
        job.comm.Allgather(cells, 0, 2 * COUNT, MPI.DOUBLE, allCells, 0, 2 * COUNT, MPI.DOUBLE);
        largest = choose(job.size, allValues, allCells, 0);
        smallest = choose(job.size, allValues, allCells, COUNT);
    }

    private void draw(double[] values, double[] cells) {
        long side = grid.side();
        for (int i3 = 0; i3 < grid.n3; i3++) {
            for (int i2 = 0; i2 < grid.n2; i2++) {
                long cell = ((grid.start(2) + i3) * side + grid.start(1) + i2) * side + grid.start(0);
                long x = Lcg.times(Lcg.SEED, Lcg.power(Lcg.A, cell));
                for (int i1 = 0; i1 < grid.n1; i1++, cell++) {
                    x = Lcg.next(x);
                    if (x > values[0]) {
                        insert(values, cells, 0, x, cell);
                    }
                    if (-x > values[COUNT]) {
                        insert(values, cells, COUNT, -x, cell);
                    }
                }
            }
        }
    }

    /** Puts a value into its place among the ten from here on, which ascend; the first falls out. */
    private static void insert(double[] values, double[] cells, int first, double value, double cell) {
        int at = first;
        while (at + 1 < first + COUNT && values[at + 1] < value) {
            values[at] = values[at + 1];
            cells[at] = cells[at + 1];
            at++;
        }
        values[at] = value;
        cells[at] = cell;
    }

    private static long[] choose(int ranks, double[] allValues, double[] allCells, int first) {
        double[] values = new double[COUNT];
        double[] cells = new double[COUNT];
        Arrays.fill(values, Double.NEGATIVE_INFINITY);
        for (int rank = 0; rank < ranks; rank++) {
            for (int i = 0; i < COUNT; i++) {
                int at = 2 * COUNT * rank + first + i;
                if (allValues[at] > values[0]) {
                    insert(values, cells, 0, allValues[at], allCells[at]);
                }
            }
        }
        long[] chosen = new long[COUNT];
        for (int i = 0; i < COUNT; i++) {
            chosen[i] = (long) cells[i];
        }
        return chosen;
    }

    void put(double[] v) {
        Arrays.fill(v, 0);
        for (int i = 0; i < COUNT; i++) {
            put(v, smallest[i], -1);
            put(v, largest[i], 1);
        }
        grid.fillHalo(v);
    }

    private void put(double[] v, long cell, double charge) {
        long side = grid.side();
        int i1 = (int) (cell % side) - grid.start(0);
        int i2 = (int) (cell / side % side) - grid.start(1);
        int i3 = (int) (cell / side / side) - grid.start(2);
        if (i1 >= 0 && i1 < grid.n1 && i2 >= 0 && i2 < grid.n2 && i3 >= 0 && i3 < grid.n3) {
            v[grid.row(i2 + 1, i3 + 1) + i1 + 1] = charge;
        }
    }
}
