// SPDX-License-Identifier: Apache-2.0
package npb;

/**
 * One point of LU's sweeps. The blocks of the matrix are those of FlowBlock; they are not formed, only multiplied. The
 * block of the point itself has no elements above its diagonal, so that dividing by it is substitution.
 */
final class LUPoint {
    private final double[] u;
    private final double[] v; // what is swept, the right-hand side
    private final double[] inverse;
    private final double[] kinetic;
    private final int[] stride;
    private final double omega;
    private final double dt1;
    private final double dt2;
    private final double[] diffusion = new double[3];
    private final double diagonal;
    private final double[] sum = new double[5];

    LUPoint(FlowBox box, double omega) {
        Flow flow = box.flow;
        this.omega = omega;
        u = box.u;
        v = box.rhs;
        inverse = box.inverse;
        kinetic = box.kinetic;
        stride = box.stride;
        dt1 = flow.dt * flow.t1;
        dt2 = flow.dt * flow.t2;
        double all = 0;
        for (int axis = 0; axis < 3; axis++) {
            diffusion[axis] = dt1 * flow.diffusion(axis);
            all += diffusion[axis];
        }
        diagonal = 1 + 2 * all;
    }

    /** v = D^-1 (v - omega L v), with the three neighbours behind. */
    void lower(int p) {
        double[] sum = this.sum;
        clear(sum);
        addProduct(2, p - stride[2], -dt2);
        addProduct(1, p - stride[1], -dt2);
        addProduct(0, p - stride[0], -dt2);
        int c = 5 * p;
        for (int m = 0; m < 5; m++) {
            sum[m] = v[c + m] - omega * sum[m];
        }
        divide(p);
        System.arraycopy(sum, 0, v, c, 5);
    }

    /** v = v - D^-1 omega U v, with the three neighbours ahead. */
    void upper(int p) {
        double[] sum = this.sum;
        clear(sum);
        addProduct(2, p + stride[2], dt2);
        addProduct(1, p + stride[1], dt2);
        addProduct(0, p + stride[0], dt2);
        int c = 5 * p;
        for (int m = 0; m < 5; m++) {
            sum[m] *= omega;
        }
        divide(p);
        for (int m = 0; m < 5; m++) {
            v[c + m] -= sum[m];
        }
    }

    private static void clear(double[] sum) {
        for (int m = 0; m < 5; m++) {
            sum[m] = 0;
        }
    }

    /** sum = sum + (f F - dt1 N - d) v at a point, where F and N are the derivatives of FlowBlock. */
    private void addProduct(int axis, int p, double f) {
        double[] sum = this.sum;
        int a = 1 + axis;
        int b = 1 + (axis + 1) % 3;
        int e = 1 + (axis + 2) % 3;
        int c = 5 * p;
        double ru = inverse[p];
        double va = u[c + a] * ru;
        double vb = u[c + b] * ru;
        double ve = u[c + e] * ru;
        double energy = u[c + 4] * ru;
        double q = kinetic[p];
        double x0 = v[c];
        double xa = v[c + a];
        double xb = v[c + b];
        double xe = v[c + e];
        double x4 = v[c + 4];
        double d = diffusion[axis];
        double n = -dt1 * ru;
        double k = n * Flow.C3C4;
        // Changes of the velocities, times the density.
        double ya = xa - va * x0;
        double yb = xb - vb * x0;
        double ye = xe - ve * x0;
        double along = va * xa + vb * xb + ve * xe;
        sum[0] += f * xa - d * x0;
        sum[a] += f * ((2 * xa - va * x0) * va + Flow.C2 * (q * x0 - along + x4)) + k * Flow.CON43 * ya - d * xa;
        sum[b] += f * (vb * ya + va * xb) + k * yb - d * xb;
        sum[e] += f * (ve * ya + va * xe) + k * ye - d * xe;
        sum[4] += f * ((2 * Flow.C2 * q - Flow.C1 * energy) * va * x0 + (Flow.C1 * energy - Flow.C2 * q) * xa
                - Flow.C2 * va * along + Flow.C1 * va * x4)
                + (k * Flow.CON43 - n * Flow.C1345) * va * ya + (k - n * Flow.C1345) * (vb * yb + ve * ye)
                + n * Flow.C1345 * (x4 - energy * x0) - d * x4;
    }

    /** sum = D^-1 sum. */
    private void divide(int p) {
        double[] sum = this.sum;
        int c = 5 * p;
        double ru = inverse[p];
        double weight = 2 * dt1 * ru;
        double k = weight * Flow.C3C4 * (Flow.CON43 + 2);
        double ke = weight * 3 * Flow.C1345;
        double v1 = u[c + 1] * ru;
        double v2 = u[c + 2] * ru;
        double v3 = u[c + 3] * ru;
        double energy = u[c + 4] * ru;
        double x0 = sum[0] / diagonal;
        double factor = 1 / (diagonal + k);
        double x1 = (sum[1] + k * v1 * x0) * factor;
        double x2 = (sum[2] + k * v2 * x0) * factor;
        double x3 = (sum[3] + k * v3 * x0) * factor;
        double rest = (k - ke) * (v1 * (x1 - v1 * x0) + v2 * (x2 - v2 * x0) + v3 * (x3 - v3 * x0)) - ke * energy * x0;
        sum[0] = x0;
        sum[1] = x1;
        sum[2] = x2;
        sum[3] = x3;
        sum[4] = (sum[4] - rest) / (diagonal + ke);
    }
}
