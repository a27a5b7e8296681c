// SPDX-License-Identifier: Apache-2.0
package npb;

/** Blocks of 5 x 5 numbers, by rows, for BT. */
final class FlowBlock {
    private FlowBlock() {
    }

    /**
     * A block at a point: f times the derivative of the flux along an axis, n times that of its viscous part, and d on the
     * diagonal.
     */
    static void jacobian(FlowBox box, int axis, int p, double f, double n, double d, double[] out, int at) {
        int a = 1 + axis;
        int b = 1 + (axis + 1) % 3;
        int c = 1 + (axis + 2) % 3;
        double ru = box.inverse[p];
        double va = box.velocity[axis][p];
        double vb = box.velocity[(axis + 1) % 3][p];
        double vc = box.velocity[(axis + 2) % 3][p];
        double e = box.u[5 * p + 4] * ru;
        double q = box.kinetic[p];
        double ka = Flow.C3C4 * Flow.CON43 * n;
        double kb = Flow.C3C4 * n;
        double ke = Flow.C1345 * n;
        for (int i = at; i < at + 25; i++) {
            out[i] = 0;
        }
        out[at] = d;
        out[at + a] = f;

        int row = at + 5 * a;
        out[row] = f * (Flow.C2 * q - va * va) - ka * ru * va;
        out[row + a] = f * (2 - Flow.C2) * va + ka * ru + d;
        out[row + b] = -f * Flow.C2 * vb;
        out[row + c] = -f * Flow.C2 * vc;
        out[row + 4] = f * Flow.C2;

        row = at + 5 * b;
        out[row] = -f * va * vb - kb * ru * vb;
        out[row + a] = f * vb;
        out[row + b] = f * va + kb * ru + d;

        row = at + 5 * c;
        out[row] = -f * va * vc - kb * ru * vc;
        out[row + a] = f * vc;
        out[row + c] = f * va + kb * ru + d;

        row = at + 20;
        out[row] = f * (2 * Flow.C2 * q - Flow.C1 * e) * va
                - ru * ((ka - ke) * va * va + (kb - ke) * (vb * vb + vc * vc) + ke * e);
        out[row + a] = f * (Flow.C1 * e - Flow.C2 * (va * va + q)) + (ka - ke) * ru * va;
        out[row + b] = -f * Flow.C2 * va * vb + (kb - ke) * ru * vb;
        out[row + c] = -f * Flow.C2 * va * vc + (kb - ke) * ru * vc;
        out[row + 4] = f * Flow.C1 * va + ke * ru + d;
    }

    /** c = c - a b; b from an index on. */
    static void subtractProduct(double[] a, double[] b, int at, double[] c) {
        for (int i = 0; i < 25; i += 5) {
            double a0 = a[i];
            double a1 = a[i + 1];
            double a2 = a[i + 2];
            double a3 = a[i + 3];
            double a4 = a[i + 4];
            for (int j = 0; j < 5; j++) {
                int k = at + j;
                c[i + j] -= a0 * b[k] + a1 * b[k + 5] + a2 * b[k + 10] + a3 * b[k + 15] + a4 * b[k + 20];
            }
        }
    }

    /** y = y - a x, of five elements each. */
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

    /** b = a^-1 b and y = a^-1 y, by elimination without pivots; a is lost. */
    static void divide(double[] a, double[] b, int atB, double[] y, int atY) {
        for (int p = 0; p < 5; p++) {
            int rowA = 5 * p;
            int rowB = atB + 5 * p;
            double pivot = 1 / a[rowA + p];
            for (int j = p + 1; j < 5; j++) {
                a[rowA + j] *= pivot;
            }
            for (int j = 0; j < 5; j++) {
                b[rowB + j] *= pivot;
            }
            y[atY + p] *= pivot;
            for (int q = 0; q < 5; q++) {
                if (q == p) {
                    continue;
                }
                double factor = a[5 * q + p];
                int otherB = atB + 5 * q;
                for (int j = p + 1; j < 5; j++) {
                    a[5 * q + j] -= factor * a[rowA + j];
                }
                for (int j = 0; j < 5; j++) {
                    b[otherB + j] -= factor * b[rowB + j];
                }
                y[atY + q] -= factor * y[atY + p];
            }
        }
    }
}
