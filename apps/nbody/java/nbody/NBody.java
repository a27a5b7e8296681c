// SPDX-License-Identifier: Apache-2.0
package nbody;

import common.Animation;
import common.Job;
import java.io.IOException;
import mpi.MPI;

/**
 * Two disc galaxies that meet, by the method of Barnes and Hut and leap-frog steps. In each step the ranks share the
 * bodies out anew along a curve through space, by what their forces cost (Domain); every rank gets what its bodies need
 * of the others' (Essential), builds the tree of it (Tree), and computes the forces on its own bodies. A run is
 * verified by what a closed system conserves, and by forces on some bodies that are summed directly. All bits are the
 * same, whatever the number of ranks.
 *
 * <p>Arguments: a class, then {@code --bodies n --steps n --frames folder --animation file --count frames
 * --snapshot file --restart file}.
 */
public final class NBody {
    private static final double DT = 0.002;
    private static final double THETA = 0.5;
    private static final double SOFTENING = 0.05;
    private static final double TOLERANCE = 1e-3; // of what is conserved, for 200 steps; in proportion for more
    private static final int TOLERANCE_STEPS = 200;
    private static final double FORCE_TOLERANCE = 1e-2;
    private static final int PROBES = 50;
    private static final int SIDE = 240; // of a picture
    private static final double SHOWN = 3; // from -3 to 3

    private final Job job;
    private final Options options;
    private final Domain domain;
    private final Tree tree = new Tree(THETA, SOFTENING);
    private final Essential essential;
    private Bodies bodies;
    private double[] accelerations = new double[0];
    private double potential; // of this rank's bodies
    private double pairs;
    private double received; // masses of other ranks
    private long firstStep;

    private NBody(Job job, Options options, Snapshot start) {
        this.job = job;
        this.options = options;
        domain = new Domain(job.comm);
        essential = new Essential(job.comm, domain, tree);
        firstStep = start == null ? 0 : start.step;
        bodies = start == null ? new Bodies(0) : start.bodies;
    }

    public static void main(String[] args) {
        Job job = Job.start(Job.Suite.NBODY, "NBody", args);
        Options options = null;
        Snapshot start = null;
        String wrong = null;
        if (job.index >= 0) {
            try {
                options = new Options(job.index, job.words);
                if (job.rank == 0) {
                    options.checkPlaces();
                    start = options.restart == null ? new Snapshot(0, Galaxies.make(options.bodies, SOFTENING))
                            : Snapshot.read(options.restart);
                }
            } catch (IllegalArgumentException failure) {
                wrong = failure.getMessage();
            }
            int[] isFine = {wrong == null ? 1 : 0};
            job.comm.Bcast(isFine, 0, 1, MPI.INT, 0); // only rank 0 looks at files
            job.accepts(isFine[0] == 1, wrong);
        }
        Options asked = options;
        Snapshot first = start;
        job.run(() -> new NBody(job, asked, first).run());
    }

    private void run() {
        long[] step = {firstStep};
        job.comm.Bcast(step, 0, 1, MPI.LONG, 0);
        firstStep = step[0];
        int[] count = {bodies.count};
        job.comm.Bcast(count, 0, 1, MPI.INT, 0);
        String size = Integer.toString(count[0]);
        job.title(size, options.steps);
        Animation animation = options.pictures.open(true);

        computeForces();
        double[] before = conserved();
        double forceError = forceError();
        pairs = 0;
        received = 0;
        job.startTimer();
        for (int i = 1; i <= options.steps; i++) {
            kick();
            drift();
            computeForces();
            kick();
            if (animation != null && i % options.pictures.stepsBetween(options.steps) == 0) {
                draw(animation);
            }
        }
        double seconds = job.stopTimer();

        double[] after = conserved();
        boolean isRight = compare(before, after, forceError);
        write(animation);
        double[] own = {pairs, received};
        double[] total = new double[2];
        job.comm.Reduce(own, 0, total, 0, 2, MPI.DOUBLE, MPI.SUM, 0);
        job.say(" a rank got %.0f masses of others a step", total[1] / job.size / options.steps);
        job.say(" Fingerprint %016x after step %d", fingerprint(), firstStep + options.steps);
        job.report(size, options.steps, seconds, total[0], "pairs of masses", isRight);
    }

    // ---- a step -----------------------------------------------------------------------------------------------------

    private void kick() {
        double[] data = bodies.data;
        for (int i = 0; i < bodies.count; i++) {
            int c = Bodies.NUMBERS * i + Bodies.VELOCITY;
            data[c] += DT / 2 * accelerations[3 * i];
            data[c + 1] += DT / 2 * accelerations[3 * i + 1];
            data[c + 2] += DT / 2 * accelerations[3 * i + 2];
        }
    }

    private void drift() {
        double[] data = bodies.data;
        for (int c = 0; c < Bodies.NUMBERS * bodies.count; c += Bodies.NUMBERS) {
            data[c] += DT * data[c + Bodies.VELOCITY];
            data[c + 1] += DT * data[c + Bodies.VELOCITY + 1];
            data[c + 2] += DT * data[c + Bodies.VELOCITY + 2];
        }
    }

    /** Shares the bodies out, and computes what acts on those of this rank. */
    private void computeForces() {
        domain.divide(bodies);
        Masses masses = own();
        essential.gather(masses);
        received += masses.count - bodies.count;
        tree.build(masses, domain.corner, domain.size);
        accelerations = new double[3 * bodies.count];
        double[] data = bodies.data;
        double[] out = new double[4];
        potential = 0;
        for (int i = 0; i < bodies.count; i++) {
            int c = Bodies.NUMBERS * i;
            int cost = tree.act(data[c], data[c + 1], data[c + 2], out);
            System.arraycopy(out, 0, accelerations, 3 * i, 3);
            potential += 0.5 * data[c + Bodies.MASS] * out[3];
            data[c + Bodies.COST] = cost;
            pairs += cost;
        }
    }

    /** This rank's bodies, as masses. */
    private Masses own() {
        Masses masses = new Masses(bodies.count);
        for (int i = 0; i < bodies.count; i++) {
            int c = Bodies.NUMBERS * i;
            masses.add(bodies.data, c, bodies.data[c + Bodies.MASS], bodies.data[c + Bodies.KEY], 0);
        }
        return masses;
    }

    // ---- verification -----------------------------------------------------------------------------------------------

    /** Energy, momentum, angular momentum, and the sums of m |v| and of the angular momenta's sizes to compare them
     * with. */
    private double[] conserved() {
        double[] own = new double[9];
        double[] sums = new double[9];
        own[0] = potential;
        for (int i = 0; i < bodies.count; i++) {
            int c = Bodies.NUMBERS * i;
            double[] d = bodies.data;
            double m = d[c + Bodies.MASS];
            double vx = d[c + 3];
            double vy = d[c + 4];
            double vz = d[c + 5];
            double square = vx * vx + vy * vy + vz * vz;
            double lx = d[c + 1] * vz - d[c + 2] * vy;
            double ly = d[c + 2] * vx - d[c] * vz;
            double lz = d[c] * vy - d[c + 1] * vx;
            own[0] += 0.5 * m * square;
            own[1] += m * vx;
            own[2] += m * vy;
            own[3] += m * vz;
            own[4] += m * lx;
            own[5] += m * ly;
            own[6] += m * lz;
            own[7] += m * Math.sqrt(square);
            own[8] += m * Math.sqrt(lx * lx + ly * ly + lz * lz);
        }
        job.comm.Allreduce(own, 0, sums, 0, 9, MPI.DOUBLE, MPI.SUM);
        return sums;
    }

    private boolean compare(double[] before, double[] after, double forceError) {
        double energy = Math.abs(after[0] / before[0] - 1);
        double momentum = distance(before, after, 1) / after[7];
        double angular = distance(before, after, 4) / after[8];
        job.say(" energy was %.8e and changed by %.2e, momentum by %.2e, angular momentum by %.2e; "
                + "forces are off by %.2e", before[0], energy, momentum, angular, forceError);
        double tolerance = TOLERANCE * Math.max(1, (double) options.steps / TOLERANCE_STEPS);
        return energy <= tolerance && momentum <= tolerance && angular <= tolerance && forceError <= FORCE_TOLERANCE;
    }

    private static double distance(double[] a, double[] b, int first) {
        double sum = 0;
        for (int i = first; i < first + 3; i++) {
            sum += (a[i] - b[i]) * (a[i] - b[i]);
        }
        return Math.sqrt(sum);
    }

    /** How far the tree's forces on some bodies of every rank are from the sums of all pairs; the mean of squares, by
     * that of forces. */
    private double forceError() {
        double[] all = domain.gather(own().data);
        double[] own = new double[2];
        double[] sums = new double[2];
        for (int k = 0; k < Math.min(PROBES, bodies.count); k++) {
            int i = (int) ((long) k * bodies.count / Math.min(PROBES, bodies.count));
            double[] exact = new double[3];
            for (int other = 0; other < all.length; other += Masses.NUMBERS) {
                double[] d = new double[3];
                double square = SOFTENING * SOFTENING;
                for (int axis = 0; axis < 3; axis++) {
                    d[axis] = all[other + axis] - bodies.data[Bodies.NUMBERS * i + axis];
                    square += d[axis] * d[axis];
                }
                for (int axis = 0; axis < 3; axis++) {
                    exact[axis] += all[other + Masses.MASS] * d[axis] / (square * Math.sqrt(square));
                }
            }
            for (int axis = 0; axis < 3; axis++) {
                double error = accelerations[3 * i + axis] - exact[axis];
                own[0] += error * error;
                own[1] += exact[axis] * exact[axis];
            }
        }
        job.comm.Allreduce(own, 0, sums, 0, 2, MPI.DOUBLE, MPI.SUM);
        return Math.sqrt(sums[0] / sums[1]);
    }

    /** A sum over the bits of all places and velocities. */
    private long fingerprint() {
        long[] own = new long[1];
        long[] sum = new long[1];
        for (int i = 0; i < bodies.count; i++) {
            long factor = 2 * (long) bodies.data[Bodies.NUMBERS * i + Bodies.NAME] + 1;
            for (int k = 0; k < 6; k++) {
                factor = factor * 0x5851f42d4c957f2dL + 2 * k;
                own[0] += factor * Double.doubleToRawLongBits(bodies.data[Bodies.NUMBERS * i + k]);
            }
        }
        job.comm.Allreduce(own, 0, sum, 0, 1, MPI.LONG, MPI.SUM);
        return sum[0];
    }

    // ---- files ------------------------------------------------------------------------------------------------------

    /** How much mass is in each column of space, seen from above. */
    private void draw(Animation animation) {
        double[] own = new double[SIDE * SIDE];
        double[] sum = new double[SIDE * SIDE];
        for (int c = 0; c < Bodies.NUMBERS * bodies.count; c += Bodies.NUMBERS) {
            int x = (int) Math.floor((bodies.data[c] / SHOWN + 1) * SIDE / 2);
            int y = (int) Math.floor((bodies.data[c + 1] / SHOWN + 1) * SIDE / 2);
            if (x >= 0 && x < SIDE && y >= 0 && y < SIDE) {
                own[y * SIDE + x] += 1;
            }
        }
        job.comm.Reduce(own, 0, sum, 0, SIDE * SIDE, MPI.DOUBLE, MPI.SUM, 0);
        if (job.rank == 0) {
            try {
                animation.add(sum, SIDE, 3);
            } catch (IOException failure) {
                giveUp(failure);
            }
        }
    }

    private void write(Animation animation) {
        double[] data = options.snapshot == null ? null
                : domain.gather(java.util.Arrays.copyOf(bodies.data, Bodies.NUMBERS * bodies.count));
        if (job.rank != 0) {
            return;
        }
        try {
            if (animation != null) {
                animation.finish();
            }
            if (data != null) {
                Bodies whole = new Bodies(data.length / Bodies.NUMBERS);
                whole.data = data;
                new Snapshot(firstStep + options.steps, whole).write(options.snapshot);
            }
        } catch (IOException failure) {
            giveUp(failure);
        }
    }

    /** The places were fine at the start: the disk is full, or they are gone. */
    private void giveUp(IOException failure) {
        System.err.println("nbody NBody: a file cannot be written: " + failure.getMessage());
        job.comm.Abort(1);
    }
}
