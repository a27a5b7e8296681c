// SPDX-License-Identifier: Apache-2.0
package grande;

import common.Job;
import mpi.MPI;

/**
 * MolDyn: argon atoms that attract and repel each other, in a periodic cube, for 50 steps. Every rank has all atoms,
 * and computes the forces of some pairs; the forces of all ranks are added up in every step.
 */
public final class MolDyn {
    private static final int[] CELLS = {8, 13}; // a side, of four atoms each
    private static final double[] ENERGIES = {1731.4306625334357, 7397.392307839352};
    private static final double TOLERANCE = 1e-9;
    private static final int STEPS = 50;
    private static final int SCALED_STEPS = 19; // the temperature is kept until then,
    private static final int SCALED_EVERY = 10; // by a correction after so many
    private static final double DENSITY = 0.83134;
    private static final double TEMPERATURE = 0.722;
    private static final double H = 0.064;

    private final Job job;
    private final int cells;
    private final int atoms;
    private final double side;
    private final double cutoff;
    private final double[] place; // x, y and z of each atom
    private final double[] velocity;
    private final double[] force;
    private final double[] ownForce;

    private MolDyn(Job job) {
        this.job = job;
        cells = CELLS[job.index];
        atoms = 4 * cells * cells * cells;
        side = Math.pow(atoms / DENSITY, 0.3333333); // so many digits in the suite, whose values depend on it
        cutoff = cells / 4.0;
        place = new double[3 * atoms];
        velocity = new double[3 * atoms];
        force = new double[3 * atoms];
        ownForce = new double[3 * atoms];
    }

    public static void main(String[] args) {
        Job job = Job.start(Job.Suite.GRANDE, "MolDyn", args);
        job.accepts(job.index < CELLS.length, "class is '" + job.letter + "'; its classes are A and B");
        job.run(() -> new MolDyn(job).run());
    }

    private void run() {
        job.title(Integer.toString(atoms), STEPS);
        setPlaces();
        setVelocities();
        double energy = 0;

        job.startTimer();
        for (int step = 0; step < STEPS; step++) {
            energy = step(step);
        }
        double seconds = job.stopTimer();

        boolean isRight = job.matches("energy", 24 * energy, ENERGIES[job.index], TOLERANCE);
        job.report(Integer.toString(atoms), STEPS, seconds, (double) STEPS * atoms * (atoms - 1) / 2, "pairs of atoms",
                isRight);
    }

    // ---- first values -----------------------------------------------------------------------------------------------

    /** Corners and the centres of faces of the cells: first atoms with whole z, then those half a cell above. */
    private void setPlaces() {
        double a = side / cells;
        int at = 0;
        for (int kind = 0; kind < 4; kind++) {
            double dx = kind == 1 || kind == 2 ? 0.5 : 0;
            double dy = kind == 1 || kind == 3 ? 0.5 : 0;
            double dz = kind >= 2 ? 0.5 : 0;
            for (int i = 0; i < cells; i++) {
                for (int j = 0; j < cells; j++) {
                    for (int k = 0; k < cells; k++) {
                        place[at++] = (i + dx) * a;
                        place[at++] = (j + dy) * a;
                        place[at++] = (k + dz) * a;
                    }
                }
            }
        }
    }

    /** Normal deviates in pairs, then without a common motion, and of the right temperature. */
    private void setVelocities() {
        PolarPairs random = new PolarPairs();
        double energy = 0;
        for (int axis = 0; axis < 3; axis++) {
            double sum = 0;
            for (int i = 0; i < atoms; i += 2) {
                random.next();
                velocity[3 * i + axis] = random.first;
                velocity[3 * i + 3 + axis] = random.second;
            }
            for (int c = axis; c < 3 * atoms; c += 3) {
                sum += velocity[c];
            }
            sum /= atoms;
            for (int c = axis; c < 3 * atoms; c += 3) {
                velocity[c] -= sum;
                energy += velocity[c] * velocity[c];
            }
        }
        double factor = H * Math.sqrt(TEMPERATURE / (temperatureScale() * energy));
        for (int c = 0; c < 3 * atoms; c++) {
            velocity[c] *= factor;
        }
    }

    private double temperatureScale() {
        return 16 / (atoms - 1.0);
    }

    // ---- a step -----------------------------------------------------------------------------------------------------

    /** Returns the kinetic energy. */
    private double step(int step) {
        for (int c = 0; c < 3 * atoms; c++) {
            double x = place[c] + velocity[c] + force[c];
            place[c] = x < 0 ? x + side : x > side ? x - side : x;
            velocity[c] += force[c];
        }
        computeForces();
        double sum = 0;
        for (int c = 0; c < 3 * atoms; c++) {
            force[c] *= H * H / 2;
            velocity[c] += force[c];
            sum += velocity[c] * velocity[c];
        }
        double energy = sum / (H * H);
        if (step < SCALED_STEPS && (step + 1) % SCALED_EVERY == 0) {
            double factor = Math.sqrt(TEMPERATURE / (temperatureScale() * energy));
            for (int c = 0; c < 3 * atoms; c++) {
                velocity[c] *= factor;
            }
            energy = TEMPERATURE / temperatureScale();
        }
        return energy;
    }

    /** Atoms go around the ranks in turn, so that each has as many pairs. */
    private void computeForces() {
        java.util.Arrays.fill(ownForce, 0);
        for (int i = job.rank; i < atoms; i += job.size) {
            addForces(i);
        }
        job.comm.Allreduce(ownForce, 0, force, 0, 3 * atoms, MPI.DOUBLE, MPI.SUM);
    }

    /** Of an atom and all that follow it. */
    private void addForces(int i) {
        double[] place = this.place;
        double[] ownForce = this.ownForce;
        double side = this.side;
        double half = side / 2;
        double most = cutoff * cutoff;
        double x = place[3 * i];
        double y = place[3 * i + 1];
        double z = place[3 * i + 2];
        double fx = 0;
        double fy = 0;
        double fz = 0;
        for (int c = 3 * i + 3; c < 3 * atoms; c += 3) {
            double dx = x - place[c];
            double dy = y - place[c + 1];
            double dz = z - place[c + 2];
            dx = dx < -half ? dx + side : dx > half ? dx - side : dx;
            dy = dy < -half ? dy + side : dy > half ? dy - side : dy;
            dz = dz < -half ? dz + side : dz > half ? dz - side : dz;
            double distance = dx * dx + dy * dy + dz * dz;
            if (distance <= most) {
                double inverse = 1 / distance;
                double inverse2 = inverse * inverse;
                double inverse4 = inverse2 * inverse2;
                double strength = inverse2 * inverse4 * inverse - 0.5 * inverse4;
                fx += dx * strength;
                fy += dy * strength;
                fz += dz * strength;
                ownForce[c] -= dx * strength;
                ownForce[c + 1] -= dy * strength;
                ownForce[c + 2] -= dz * strength;
            }
        }
        ownForce[3 * i] += fx;
        ownForce[3 * i + 1] += fy;
        ownForce[3 * i + 2] += fz;
    }

    /** Pairs of normal deviates, by the polar method, from a generator modulo 2^31 - 1. */
    private static final class PolarPairs {
        private static final double SCALE = 4.656612875e-10;

        double first;
        double second;
        private int seed;

        void next() {
            double square;
            do {
                first = 2 * uniform() - 1;
                second = 2 * uniform() - 1;
                square = first * first + second * second;
            } while (square >= 1);
            double factor = Math.sqrt(-2 * Math.log(square) / square);
            first *= factor;
            second *= factor;
        }

        private double uniform() {
            if (seed <= 0) {
                seed = 1;
            }
            int low = seed % 32768;
            int high = (seed - low) / 32768;
            int product = low * 16807;
            low = product % 32768;
            high = (high * 16807 + (product - low) / 32768) % 65536;
            seed = (high * 32768 + low) % 2147483647;
            return SCALE * seed;
        }
    }
}
