// SPDX-License-Identifier: Apache-2.0
package npb;

/**
 * Blocks of 5 x 5 numbers, by rows, for BT. Unknowns are in the order of the axis: density, the momentum along it, the
 * two others, energy. So zeros of a block are in the same places whatever the axis.
 *
 * <p>Vectors are five elements of an array, a step apart: a column of a block has step 5. What is a loop in C is
 * written out here, since the virtual machine unrolls only innermost loops.
 */
final class FlowBlock {
    private FlowBlock() {
    }

    /**
     * A block at a point: f times the derivative of the flux along an axis, n times that of its viscous part, and d on
     * the diagonal.
     */
    static void jacobian(FlowBox box, int axis, int p, double f, double n, double d, double[] out, int at) {
        double ru = box.inverse[p];
        double va = box.velocity[axis][p];
        double vb = box.velocity[(axis + 1) % 3][p];
        double vc = box.velocity[(axis + 2) % 3][p];
        double e = box.u[5 * p + 4] * ru;
        double q = box.kinetic[p];
        double ka = Flow.C3C4 * Flow.CON43 * n * ru;
        double kb = Flow.C3C4 * n * ru;
        double ke = Flow.C1345 * n * ru;
        out[at] = d;
        out[at + 1] = f;
        out[at + 2] = 0;
        out[at + 3] = 0;
        out[at + 4] = 0;

        out[at + 5] = f * (Flow.C2 * q - va * va) - ka * va;
        out[at + 6] = f * (2 - Flow.C2) * va + ka + d;
        out[at + 7] = -f * Flow.C2 * vb;
        out[at + 8] = -f * Flow.C2 * vc;
        out[at + 9] = f * Flow.C2;

        out[at + 10] = -(f * va + kb) * vb;
        out[at + 11] = f * vb;
        out[at + 12] = f * va + kb + d;
        out[at + 13] = 0;
        out[at + 14] = 0;

        out[at + 15] = -(f * va + kb) * vc;
        out[at + 16] = f * vc;
        out[at + 17] = 0;
        out[at + 18] = f * va + kb + d;
        out[at + 19] = 0;

        out[at + 20] = f * (2 * Flow.C2 * q - Flow.C1 * e) * va
                - ((ka - ke) * va * va + (kb - ke) * (vb * vb + vc * vc) + ke * e);
        out[at + 21] = f * (Flow.C1 * e - Flow.C2 * (va * va + q)) + (ka - ke) * va;
        out[at + 22] = (kb - ke - f * Flow.C2 * va) * vb;
        out[at + 23] = (kb - ke - f * Flow.C2 * va) * vc;
        out[at + 24] = f * Flow.C1 * va + ke + d;
    }

    /** y = y - a x, where a is a jacobian, whose zeros are left out. */
    static void subtractJacobian(double[] a, double[] x, int atX, double[] y, int atY, int step) {
        double x0 = x[atX];
        double x1 = x[atX + step];
        double x2 = x[atX + 2 * step];
        double x3 = x[atX + 3 * step];
        double x4 = x[atX + 4 * step];
        y[atY] -= a[0] * x0 + a[1] * x1;
        y[atY + step] -= a[5] * x0 + a[6] * x1 + a[7] * x2 + a[8] * x3 + a[9] * x4;
        y[atY + 2 * step] -= a[10] * x0 + a[11] * x1 + a[12] * x2;
        y[atY + 3 * step] -= a[15] * x0 + a[16] * x1 + a[18] * x3;
        y[atY + 4 * step] -= a[20] * x0 + a[21] * x1 + a[22] * x2 + a[23] * x3 + a[24] * x4;
    }

    /** y = y - a x, of vectors with step 1; a from an index on. */
    static void subtractProduct(double[] a, int atA, double[] x, int atX, double[] y, int atY) {
        double x0 = x[atX];
        double x1 = x[atX + 1];
        double x2 = x[atX + 2];
        double x3 = x[atX + 3];
        double x4 = x[atX + 4];
        for (int i = 0; i < 5; i++) {
            int k = atA + 5 * i;
            y[atY + i] -= a[k] * x0 + a[k + 1] * x1 + a[k + 2] * x2 + a[k + 3] * x3 + a[k + 4] * x4;
        }
    }

    /** Triangular factors in the block's place, without pivots; the diagonal is inverted. */
    static void factor(double[] a) {
        a[0] = 1 / a[0];
        reduce(a, 0, 1);
        reduce(a, 0, 2);
        reduce(a, 0, 3);
        reduce(a, 0, 4);
        a[6] = 1 / a[6];
        reduce(a, 1, 2);
        reduce(a, 1, 3);
        reduce(a, 1, 4);
        a[12] = 1 / a[12];
        reduce(a, 2, 3);
        reduce(a, 2, 4);
        a[18] = 1 / a[18];
        reduce(a, 3, 4);
        a[24] = 1 / a[24];
    }

    /** Eliminates an element of a row, below the diagonal of row p. */
    private static void reduce(double[] a, int p, int row) {
        double factor = a[5 * row + p] * a[6 * p];
        a[5 * row + p] = factor;
        for (int j = p + 1; j < 5; j++) {
            a[5 * row + j] -= factor * a[5 * p + j];
        }
    }

    /** x = a^-1 x, where a has been factored. */
    static void solve(double[] a, double[] x, int at, int step) {
        double x0 = x[at];
        double x1 = x[at + step] - a[5] * x0;
        double x2 = x[at + 2 * step] - a[10] * x0 - a[11] * x1;
        double x3 = x[at + 3 * step] - a[15] * x0 - a[16] * x1 - a[17] * x2;
        double x4 = x[at + 4 * step] - a[20] * x0 - a[21] * x1 - a[22] * x2 - a[23] * x3;
        x4 *= a[24];
        x3 = (x3 - a[19] * x4) * a[18];
        x2 = (x2 - a[14] * x4 - a[13] * x3) * a[12];
        x1 = (x1 - a[9] * x4 - a[8] * x3 - a[7] * x2) * a[6];
        x[at] = (x0 - a[4] * x4 - a[3] * x3 - a[2] * x2 - a[1] * x1) * a[0];
        x[at + step] = x1;
        x[at + 2 * step] = x2;
        x[at + 3 * step] = x3;
        x[at + 4 * step] = x4;
    }
}
