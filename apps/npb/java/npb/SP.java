// SPDX-License-Identifier: Apache-2.0
package npb;

import common.Job;

/**
 * SP: the flow of class Flow, by time steps that solve along x, then y, then z. A change of variables makes the systems
 * of each line scalar, with five diagonals: one matrix for three unknowns, and one for each of the two others.
 *
 * <p>FlowCells tells how the ranks share the cube, FlowSweep how they solve along lines.
 */
public final class SP extends FlowSolver {
    private static final int[] SIZES = {12, 36, 64, 102, 162};
    private static final int[] STEPS = {100, 400, 400, 400, 400};
    private static final double[] DTS = {0.015, 0.0015, 0.0015, 0.001, 0.00067};
    private static final double[][] NORMS = {
        {2.7470315451339479e-02, 1.0360746705285417e-02, 1.6235745065095532e-02, 1.5840557224455615e-02,
         3.4849040609362460e-02, 2.7289258557377227e-05, 1.0364446640837285e-05, 1.6154798287166471e-05,
         1.5750704994480102e-05, 3.4177666183390531e-05},
        {0.1893253733584e-02, 0.1717075447775e-03, 0.2778153350936e-03, 0.2887475409984e-03, 0.3143611161242e-02,
         0.7542088599534e-04, 0.6512852253086e-05, 0.1049092285688e-04, 0.1128838671535e-04, 0.1212845639773e-03},
        {2.4799822399300195, 1.1276337964368832, 1.5028977888770491, 1.4217816211695179, 2.1292113035138280,
         1.0900140297820550e-04, 3.7343951769282091e-05, 5.0092785406541633e-05, 4.7671093939528255e-05,
         1.3621613399213001e-04},
        {0.6903293579998e+02, 0.3095134488084e+02, 0.4103336647017e+02, 0.3864769009604e+02, 0.5643482272596e+02,
         0.9810006190188e-02, 0.1022827905670e-02, 0.1720597911692e-02, 0.1694479428231e-02, 0.1847456263981e-01},
        {0.5881691581829e+03, 0.2454417603569e+03, 0.3293829191851e+03, 0.3081924971891e+03, 0.4597223799176e+03,
         0.2598120500183e+00, 0.2590888922315e-01, 0.5132886416320e-01, 0.4806073419454e-01, 0.5483377491301e+00}};

    private static final double ROOT_HALF = Math.sqrt(0.5);

    private SP(Job job) {
        super(job, SIZES[job.index], DTS[job.index], 6, 2, true);
    }

    public static void main(String[] args) {
        Job job = Job.start(Job.Suite.NPB, "SP", args);
        if (job.index >= 0) {
            job.acceptsSquare(SIZES[job.index] / 3);
        }
        job.run(() -> {
            double n = SIZES[job.index];
            new SP(job).run(STEPS[job.index], NORMS[job.index],
                    881.174 * n * n * n - 4683.91 * n * n + 11484.5 * n - 19272.4);
        });
    }

    @Override
    void step() {
        cells.computeRhs();
        for (FlowBox box : cells.boxes) {
            change(box);
        }
        sweep.run(0, this::eliminate, this::substitute);
        for (FlowBox box : cells.boxes) {
            fromXToY(box);
        }
        sweep.run(1, this::eliminate, this::substitute);
        for (FlowBox box : cells.boxes) {
            fromYToZ(box);
        }
        sweep.run(2, this::eliminate, this::substitute);
        for (FlowBox box : cells.boxes) {
            changeBack(box);
            box.add(1);
        }
    }

    // ---- lines ------------------------------------------------------------------------------------------------------

    /**
     * Eliminates two diagonals below the main one, and divides by it; of each matrix two above it stay, in six numbers
     * a point. A row needs those of the two rows before, which are two points back or in the halo.
     */
    private void eliminate(int axis, FlowBox box) {
        double[] m = box.matrix;
        double[] r = box.rhs;
        double[] w = box.velocity[axis];
        double[] sound = box.sound;
        double[] inverse = box.inverse;
        double[] fourth = flow.fourth;
        int s = box.stride[axis];
        int last = flow.n - 1;
        double dt1 = flow.dt * flow.t1;
        double dt2 = flow.dt * flow.t2;
        double dissipation = flow.dt * Flow.DISSIPATION;
        // The largest of the coefficients of diffusion is that of the energy.
        double d0 = dt1 * flow.diffusion(axis);
        double d1 = dt1 * Flow.C1C5 * Flow.C3C4;
        for (int k = box.sweepLow(2, axis); k < box.sweepHigh(2, axis); k++) {
            for (int j = box.sweepLow(1, axis); j < box.sweepHigh(1, axis); j++) {
                int iEnd = box.sweepHigh(0, axis);
                for (int i = box.sweepLow(0, axis); i < iEnd; i++) {
                    int p = box.index(i, j, k);
                    int q = 6 * p;
                    int g = box.start[axis] + (axis == 0 ? i : axis == 1 ? j : k);
                    if (g == 0 || g == last) {
                        m[q] = m[q + 1] = m[q + 2] = m[q + 3] = m[q + 4] = m[q + 5] = 0;
                        continue;
                    }
                    double first = dissipation * fourth[5 * g];
                    double second = dissipation * fourth[5 * g + 1] - dt2 * w[p - s] - d0 - d1 * inverse[p - s];
                    double main = 1 + dissipation * fourth[5 * g + 2] + 2 * (d0 + d1 * inverse[p]);
                    double fourthOne = dissipation * fourth[5 * g + 3] + dt2 * w[p + s] - d0 - d1 * inverse[p + s];
                    double fifth = dissipation * fourth[5 * g + 4];
                    double behind = dt2 * sound[p - s];
                    double ahead = dt2 * sound[p + s];
                    int q1 = q - 6 * s;
                    int q2 = q1 - 6 * s;
                    int c = 5 * p;
                    int c1 = c - 5 * s;
                    int c2 = c1 - 5 * s;

                    double below = second - first * m[q2];
                    double factor = 1 / (main - first * m[q2 + 1] - below * m[q1]);
                    m[q] = factor * (fourthOne - below * m[q1 + 1]);
                    m[q + 1] = factor * fifth;
                    r[c] = factor * (r[c] - first * r[c2] - below * r[c1]);
                    r[c + 1] = factor * (r[c + 1] - first * r[c2 + 1] - below * r[c1 + 1]);
                    r[c + 2] = factor * (r[c + 2] - first * r[c2 + 2] - below * r[c1 + 2]);

                    below = second - behind - first * m[q2 + 2];
                    factor = 1 / (main - first * m[q2 + 3] - below * m[q1 + 2]);
                    m[q + 2] = factor * (fourthOne + ahead - below * m[q1 + 3]);
                    m[q + 3] = factor * fifth;
                    r[c + 3] = factor * (r[c + 3] - first * r[c2 + 3] - below * r[c1 + 3]);

                    below = second + behind - first * m[q2 + 4];
                    factor = 1 / (main - first * m[q2 + 5] - below * m[q1 + 4]);
                    m[q + 4] = factor * (fourthOne - ahead - below * m[q1 + 5]);
                    m[q + 5] = factor * fifth;
                    r[c + 4] = factor * (r[c + 4] - first * r[c2 + 4] - below * r[c1 + 4]);
                }
            }
        }
    }

    private void substitute(int axis, FlowBox box) {
        double[] m = box.matrix;
        double[] r = box.rhs;
        int s5 = 5 * box.stride[axis];
        for (int k = box.sweepHigh(2, axis) - 1; k >= box.sweepLow(2, axis); k--) {
            for (int j = box.sweepHigh(1, axis) - 1; j >= box.sweepLow(1, axis); j--) {
                int iFirst = box.sweepLow(0, axis);
                for (int i = box.sweepHigh(0, axis) - 1; i >= iFirst; i--) {
                    int p = box.index(i, j, k);
                    int q = 6 * p;
                    int c = 5 * p;
                    int c1 = c + s5;
                    int c2 = c1 + s5;
                    r[c] -= m[q] * r[c1] + m[q + 1] * r[c2];
                    r[c + 1] -= m[q] * r[c1 + 1] + m[q + 1] * r[c2 + 1];
                    r[c + 2] -= m[q] * r[c1 + 2] + m[q + 1] * r[c2 + 2];
                    r[c + 3] -= m[q + 2] * r[c1 + 3] + m[q + 3] * r[c2 + 3];
                    r[c + 4] -= m[q + 4] * r[c1 + 4] + m[q + 5] * r[c2 + 4];
                }
            }
        }
    }

    // ---- changes of variables ---------------------------------------------------------------------------------------

    /** To those of x. */
    private void change(FlowBox box) {
        double[] r = box.rhs;
        for (int k = box.low(2); k < box.high(2); k++) {
            for (int j = box.low(1); j < box.high(1); j++) {
                int end = box.index(box.high(0), j, k);
                for (int p = box.index(box.low(0), j, k); p < end; p++) {
                    int c = 5 * p;
                    double ru = box.inverse[p];
                    double x = box.velocity[0][p];
                    double y = box.velocity[1][p];
                    double z = box.velocity[2][p];
                    double a = box.sound[p];
                    double r1 = r[c];
                    double r2 = r[c + 1];
                    double r3 = r[c + 2];
                    double r4 = r[c + 3];
                    double t1 = Flow.C2 / (a * a) * (box.kinetic[p] * r1 - x * r2 - y * r3 - z * r4 + r[c + 4]);
                    double t2 = ROOT_HALF * ru * (x * r1 - r2);
                    double t3 = ROOT_HALF * ru * a * t1;
                    r[c] = r1 - t1;
                    r[c + 1] = -ru * (z * r1 - r4);
                    r[c + 2] = ru * (y * r1 - r3);
                    r[c + 3] = t3 - t2;
                    r[c + 4] = t3 + t2;
                }
            }
        }
    }

    private void fromXToY(FlowBox box) {
        double[] r = box.rhs;
        for (int k = box.low(2); k < box.high(2); k++) {
            for (int j = box.low(1); j < box.high(1); j++) {
                int end = 5 * box.index(box.high(0), j, k);
                for (int c = 5 * box.index(box.low(0), j, k); c < end; c += 5) {
                    double r1 = r[c];
                    double t1 = ROOT_HALF * r[c + 2];
                    double t2 = 0.5 * (r[c + 3] + r[c + 4]);
                    r[c] = -r[c + 1];
                    r[c + 1] = r1;
                    r[c + 2] = ROOT_HALF * (r[c + 3] - r[c + 4]);
                    r[c + 3] = t2 - t1;
                    r[c + 4] = t2 + t1;
                }
            }
        }
    }

    private void fromYToZ(FlowBox box) {
        double[] r = box.rhs;
        for (int k = box.low(2); k < box.high(2); k++) {
            for (int j = box.low(1); j < box.high(1); j++) {
                int end = 5 * box.index(box.high(0), j, k);
                for (int c = 5 * box.index(box.low(0), j, k); c < end; c += 5) {
                    double r2 = r[c + 1];
                    double t1 = ROOT_HALF * r[c];
                    double t2 = 0.5 * (r[c + 3] + r[c + 4]);
                    r[c] = ROOT_HALF * (r[c + 3] - r[c + 4]);
                    r[c + 1] = -r[c + 2];
                    r[c + 2] = r2;
                    r[c + 3] = t2 - t1;
                    r[c + 4] = t2 + t1;
                }
            }
        }
    }

    /** From those of z. */
    private void changeBack(FlowBox box) {
        double[] r = box.rhs;
        for (int k = box.low(2); k < box.high(2); k++) {
            for (int j = box.low(1); j < box.high(1); j++) {
                int end = box.index(box.high(0), j, k);
                for (int p = box.index(box.low(0), j, k); p < end; p++) {
                    int c = 5 * p;
                    double density = box.u[c];
                    double x = box.velocity[0][p];
                    double y = box.velocity[1][p];
                    double z = box.velocity[2][p];
                    double a = box.sound[p];
                    double r1 = r[c];
                    double r2 = r[c + 1];
                    double t1 = ROOT_HALF * density / a * (r[c + 3] + r[c + 4]);
                    double t2 = r[c + 2] + t1;
                    double t3 = ROOT_HALF * density * (r[c + 3] - r[c + 4]);
                    r[c] = t2;
                    r[c + 1] = x * t2 - density * r2;
                    r[c + 2] = y * t2 + density * r1;
                    r[c + 3] = z * t2 + t3;
                    r[c + 4] = density * (y * r1 - x * r2) + box.kinetic[p] * t2 + a * a / Flow.C2 * t1 + z * t3;
                }
            }
        }
    }
}
