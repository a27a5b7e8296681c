// SPDX-License-Identifier: Apache-2.0
package nbody;

import java.util.Arrays;
import mpi.Intracomm;
import mpi.MPI;

/**
 * Which bodies a rank has: a piece of a curve through space that visits all places near one place before others (that
 * of Morton), cut so that each piece costs as many pairs as the others. All ranks know all keys and costs, and find the
 * same cuts; bodies then go where they belong.
 */
final class Domain {
    static final int BITS = 17; // of a coordinate; keys of 51 bits are exact as doubles

    final double[] corner = new double[3];
    double size;
    private final Intracomm comm;
    private final int rank;
    private final int ranks;
    private double[] cuts; // keys at which pieces end, but for the last

    Domain(Intracomm comm) {
        this.comm = comm;
        rank = comm.Rank();
        ranks = comm.Size();
    }

    /** The cube around all bodies. */
    private void measure(Bodies bodies) {
        double[] own = new double[6];
        double[] most = new double[6];
        Arrays.fill(own, Double.NEGATIVE_INFINITY);
        for (int i = 0; i < bodies.count; i++) {
            for (int axis = 0; axis < 3; axis++) {
                double x = bodies.data[Bodies.NUMBERS * i + axis];
                own[axis] = Math.max(own[axis], x);
                own[3 + axis] = Math.max(own[3 + axis], -x);
            }
        }
        comm.Allreduce(own, 0, most, 0, 6, MPI.DOUBLE, MPI.MAX);
        size = 0;
        for (int axis = 0; axis < 3; axis++) {
            size = Math.max(size, most[axis] + most[3 + axis]);
            corner[axis] = -most[3 + axis];
        }
        size *= 1 + 1e-9; // the outermost bodies are inside
    }

    private void setKeys(Bodies bodies) {
        double scale = (1 << BITS) / size;
        for (int i = 0; i < bodies.count; i++) {
            long key = 0;
            for (int axis = 0; axis < 3; axis++) {
                long cell = (long) ((bodies.data[Bodies.NUMBERS * i + axis] - corner[axis]) * scale);
                for (int bit = 0; bit < BITS; bit++) {
                    key |= (cell >> bit & 1) << (3 * bit + axis);
                }
            }
            bodies.data[Bodies.NUMBERS * i + Bodies.KEY] = key;
        }
    }

    /** Shares the bodies out anew. */
    void divide(Bodies bodies) {
        measure(bodies);
        setKeys(bodies);
        bodies.sort();
        double[] pairs = new double[2 * bodies.count];
        for (int i = 0; i < bodies.count; i++) {
            pairs[2 * i] = bodies.data[Bodies.NUMBERS * i + Bodies.KEY];
            pairs[2 * i + 1] = bodies.data[Bodies.NUMBERS * i + Bodies.COST];
        }
        cuts = cuts(gather(pairs));
        int[] counts = new int[ranks];
        int peer = 0;
        for (int i = 0; i < bodies.count; i++) {
            while (peer < ranks - 1 && pairs[2 * i] >= cuts[peer]) {
                peer++;
            }
            counts[peer] += Bodies.NUMBERS;
        }
        bodies.data = exchange(bodies.data, counts);
        bodies.count = bodies.data.length / Bodies.NUMBERS;
        bodies.sort();
    }

    /** Whether all places of a cube are this rank's: one around the body with this key, so often parted from the
     * whole. */
    boolean owns(double key, int level) {
        long length = 1L << 3 * (BITS - Math.min(level, BITS));
        long first = (long) key / length * length;
        return (rank == 0 || first >= cuts[rank - 1]) && (rank == ranks - 1 || first + length <= cuts[rank]);
    }

    /** So many numbers to each rank, one part after the other; returns what arrives, in the order of ranks. */
    double[] exchange(double[] data, int[] counts) {
        int[] receiveCounts = new int[ranks];
        comm.Alltoall(counts, 0, 1, MPI.INT, receiveCounts, 0, 1, MPI.INT);
        int[] receiveStarts = starts(receiveCounts);
        double[] received = new double[receiveStarts[ranks - 1] + receiveCounts[ranks - 1]];
        comm.Alltoallv(data, 0, counts, starts(counts), MPI.DOUBLE,
                received, 0, receiveCounts, receiveStarts, MPI.DOUBLE);
        return received;
    }

    /** The keys at which pieces end, but for the last. */
    private double[] cuts(double[] all) {
        int count = all.length / 2;
        Integer[] order = new Integer[count];
        double sum = 0;
        for (int i = 0; i < count; i++) {
            order[i] = i;
            sum += all[2 * i + 1];
        }
        Arrays.sort(order, (a, b) -> Double.compare(all[2 * a], all[2 * b]));
        double[] cuts = new double[ranks];
        Arrays.fill(cuts, Double.POSITIVE_INFINITY);
        double passed = 0;
        int peer = 0;
        for (int i = 0; i < count && peer < ranks - 1; i++) {
            passed += all[2 * order[i] + 1];
            while (peer < ranks - 1 && passed >= sum * (peer + 1) / ranks) {
                cuts[peer++] = i + 1 < count ? all[2 * order[i + 1]] : Double.POSITIVE_INFINITY;
            }
        }
        return cuts;
    }

    /** All ranks' numbers on every rank, in the order of ranks. */
    double[] gather(double[] own) {
        int[] counts = new int[ranks];
        comm.Allgather(new int[] {own.length}, 0, 1, MPI.INT, counts, 0, 1, MPI.INT);
        int[] starts = starts(counts);
        double[] all = new double[starts[ranks - 1] + counts[ranks - 1]];
        comm.Allgatherv(own, 0, own.length, MPI.DOUBLE, all, 0, counts, starts, MPI.DOUBLE);
        return all;
    }

    private static int[] starts(int[] counts) {
        int[] starts = new int[counts.length];
        for (int i = 1; i < counts.length; i++) {
            starts[i] = starts[i - 1] + counts[i - 1];
        }
        return starts;
    }
}
