// SPDX-License-Identifier: Apache-2.0
package grande;

import common.Job;
import mpi.MPI;

/**
 * RayTracer: a picture of 64 shining, half transparent spheres and five lights. The rows of the picture go around the
 * ranks in turn, so that each has some of every part; rank 0 gathers them. The suite's value is the sum of all colours
 * (Scene).
 */
public final class RayTracer {
    private static final int[] SIDES = {150, 500};
    private static final long[] CHECKSUMS = {2676692, 29827635};

    private final Job job;
    private final int side;

    private RayTracer(Job job) {
        this.job = job;
        side = SIDES[job.index];
    }

    public static void main(String[] args) {
        Job job = Job.start(Job.Suite.GRANDE, "RayTracer", args);
        job.accepts(job.index < SIDES.length, "class is '" + job.letter + "'; its classes are A and B");
        job.run(() -> new RayTracer(job).run());
    }

    private void run() {
        String size = side + "x" + side;
        int[] own = new int[rows(job.rank) * side];
        int[] all = new int[job.rank == 0 ? side * side : 0];
        int[] counts = new int[job.size];
        int[] starts = new int[job.size];
        for (int peer = 0; peer < job.size; peer++) {
            counts[peer] = rows(peer) * side;
            starts[peer] = peer == 0 ? 0 : starts[peer - 1] + counts[peer - 1];
        }
        job.title(size, 1);
        Scene scene = new Scene();
        long[] ownSums = new long[2]; // colours, then rays
        long[] sums = new long[2];

        job.startTimer();
        for (int y = job.rank, at = 0; y < side; y += job.size) {
            for (int x = 0; x < side; x++, at++) {
                own[at] = scene.pixel(x, y, side);
                ownSums[0] += brightness(own[at]);
            }
        }
        ownSums[1] = scene.rays();
        job.comm.Reduce(ownSums, 0, sums, 0, 2, MPI.LONG, MPI.SUM, 0);
        job.comm.Gatherv(own, 0, own.length, MPI.INT, all, 0, counts, starts, MPI.INT, 0);
        double seconds = job.stopTimer();

        boolean isRight = job.matches("sum", sums[0], CHECKSUMS[job.index], 0);
        long gathered = 0;
        for (int colours : all) {
            gathered += brightness(colours);
        }
        isRight &= gathered == sums[0]; // all rows have come
        job.report(size, 1, seconds, (double) sums[1] * Scene.SPHERES, "rays and spheres", isRight);
    }

    private int rows(int rank) {
        return (side - rank + job.size - 1) / job.size;
    }

    private static int brightness(int colours) {
        return (colours >> 16 & 255) + (colours >> 8 & 255) + (colours & 255);
    }
}
