// SPDX-License-Identifier: Apache-2.0
package npb;

import common.Job;

/**
 * BT: the flow of class Flow, by time steps that solve along x, then y, then z. The systems of each line have three
 * diagonals of blocks, 5 x 5 each.
 *
 * <p>FlowCells tells how the ranks share the cube, FlowSweep how they solve along lines.
 */
public final class BT extends FlowSolver {
    private static final int[] SIZES = {12, 24, 64, 102, 162};
    private static final int[] STEPS = {60, 200, 200, 200, 200};
    private static final double[] DTS = {0.01, 0.0008, 0.0008, 0.0003, 0.0001};
    private static final double[][] NORMS = {
        {1.7034283709541311e-01, 1.2975252070034097e-02, 3.2527926989486055e-02, 2.6436421275166801e-02,
         1.9211784131744430e-01, 4.9976913345811579e-04, 4.5195666782961927e-05, 7.3973765172921357e-05,
         7.3821238632439731e-05, 8.9269630987491446e-04},
        {0.1125590409344e+03, 0.1180007595731e+02, 0.2710329767846e+02, 0.2469174937669e+02, 0.2638427874317e+03,
         0.4419655736008e+01, 0.4638531260002e+00, 0.1011551749967e+01, 0.9235878729944e+00, 0.1018045837718e+02},
        {1.0806346714637264e+02, 1.1319730901220813e+01, 2.5974354511582465e+01, 2.3665622544678910e+01,
         2.5278963211748344e+02, 4.2348416040525025e+00, 4.4390282496995698e-01, 9.6692480136345650e-01,
         8.8302063039765474e-01, 9.7379901770829278e+00},
        {1.4233597229287254e+03, 9.9330522590150238e+01, 3.5646025644535285e+02, 3.2485447959084092e+02,
         3.2707541254659363e+03, 5.2969847140936856e+01, 4.4632896115670668e+00, 1.3122573342210174e+01,
         1.2006925323559144e+01, 1.2459576151035986e+02},
        {0.62398116551764615e+04, 0.50793239190423964e+03, 0.15423530093013596e+04, 0.13302387929291190e+04,
         0.11604087428436455e+05, 0.16462008369091265e+03, 0.11497107903824313e+02, 0.41207446207461508e+02,
         0.37087651059694167e+02, 0.36211053051841265e+03}};

    private final double[] below = new double[25];
    private final double[] main = new double[25];

    private BT(Job job) {
        super(job, SIZES[job.index], DTS[job.index], 25, 1, false);
    }

    public static void main(String[] args) {
        Job job = Job.start(Job.Suite.NPB, "BT", args);
        if (job.index >= 0) {
            job.acceptsSquare(SIZES[job.index] / 3);
        }
        job.run(() -> {
            double n = SIZES[job.index];
            new BT(job).run(STEPS[job.index], NORMS[job.index],
                    3478.8 * n * n * n - 17655.7 * n * n + 28023.7 * n);
        });
    }

    @Override
    void step() {
        cells.computeRhs();
        for (int axis = 0; axis < 3; axis++) {
            sweep.run(axis, this::eliminate, this::substitute);
            for (FlowBox box : cells.boxes) {
                turn(box);
            }
        }
        for (FlowBox box : cells.boxes) {
            box.add(1);
        }
    }

    /** Eliminates the block below the main one and divides by that; the one above stays, 25 numbers a point. */
    private void eliminate(int axis, FlowBox box) {
        double[] m = box.matrix;
        double[] r = box.rhs;
        int s = box.stride[axis];
        int last = flow.n - 1;
        double dt1 = flow.dt * flow.t1;
        double dt2 = flow.dt * flow.t2;
        double d = dt1 * flow.diffusion(axis);
        for (int k = box.sweepLow(2, axis); k < box.sweepHigh(2, axis); k++) {
            for (int j = box.sweepLow(1, axis); j < box.sweepHigh(1, axis); j++) {
                int iEnd = box.sweepHigh(0, axis);
                for (int i = box.sweepLow(0, axis); i < iEnd; i++) {
                    int p = box.index(i, j, k);
                    int g = box.start[axis] + (axis == 0 ? i : axis == 1 ? j : k);
                    if (g == 0 || g == last) {
                        java.util.Arrays.fill(m, 25 * p, 25 * p + 25, 0);
                        continue;
                    }
                    FlowBlock.jacobian(box, axis, p - s, -dt2, -dt1, -d, below, 0);
                    FlowBlock.jacobian(box, axis, p, 0, 2 * dt1, 1 + 2 * d, main, 0);
                    FlowBlock.jacobian(box, axis, p + s, dt2, -dt1, -d, m, 25 * p);
                    FlowBlock.subtractJacobian(below, m, 25 * (p - s), main, 0, 5);
                    FlowBlock.subtractJacobian(below, m, 25 * (p - s) + 1, main, 1, 5);
                    FlowBlock.subtractJacobian(below, m, 25 * (p - s) + 2, main, 2, 5);
                    FlowBlock.subtractJacobian(below, m, 25 * (p - s) + 3, main, 3, 5);
                    FlowBlock.subtractJacobian(below, m, 25 * (p - s) + 4, main, 4, 5);
                    FlowBlock.subtractJacobian(below, r, 5 * (p - s), r, 5 * p, 1);
                    FlowBlock.factor(main);
                    FlowBlock.solve(main, m, 25 * p, 5);
                    FlowBlock.solve(main, m, 25 * p + 1, 5);
                    FlowBlock.solve(main, m, 25 * p + 2, 5);
                    FlowBlock.solve(main, m, 25 * p + 3, 5);
                    FlowBlock.solve(main, m, 25 * p + 4, 5);
                    FlowBlock.solve(main, r, 5 * p, 1);
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
                    FlowBlock.subtractProduct(m, 25 * p, r, 5 * p + s5, r, 5 * p);
                }
            }
        }
    }

    /** Unknowns are in the order of the axis (FlowBlock): from that of one axis to that of the next. */
    private static void turn(FlowBox box) {
        double[] r = box.rhs;
        for (int k = box.low(2); k < box.high(2); k++) {
            for (int j = box.low(1); j < box.high(1); j++) {
                int end = 5 * box.index(box.high(0), j, k);
                for (int c = 5 * box.index(box.low(0), j, k); c < end; c += 5) {
                    double along = r[c + 1];
                    r[c + 1] = r[c + 2];
                    r[c + 2] = r[c + 3];
                    r[c + 3] = along;
                }
            }
        }
    }
}
