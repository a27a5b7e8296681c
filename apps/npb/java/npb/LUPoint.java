// SPDX-License-Identifier: Apache-2.0
package npb;

/**
 * Points of LU's sweeps, a row at a time. The blocks of the matrix are those of FlowBlock; they are not formed, only
 * multiplied. The block of a point itself has no elements above its diagonal, so that dividing by it is substitution.
 *
 * <p>The methods of a point have less than 325 bytes of code each, so that the virtual machine takes them into the loop
 * over a row, where the axis is a constant.
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
    private final double viscosity;
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
        viscosity = -dt1 * Flow.C3C4;
        double all = 0;
        for (int axis = 0; axis < 3; axis++) {
            diffusion[axis] = dt1 * flow.diffusion(axis);
            all += diffusion[axis];
        }
        diagonal = 1 + 2 * all;
    }

    /** v = D^-1 (v - omega L v), with the three neighbours behind, from the first point of a row to the last. */
    void lower(int first, int end) {
        double[] sum = this.sum;
        double[] v = this.v;
        int behindX = stride[0];
        int behindY = stride[1];
        int behindZ = stride[2];
        double dx = diffusion[0];
        double dy = diffusion[1];
        double dz = diffusion[2];
        for (int p = first; p < end; p++) {
            clear(sum);
            addProduct(3, 1, 2, p - behindZ, -dt2, dz, sum);
            addProduct(2, 3, 1, p - behindY, -dt2, dy, sum);
            addProduct(1, 2, 3, p - behindX, -dt2, dx, sum);
            int c = 5 * p;
            sum[0] = v[c] - omega * sum[0];
            sum[1] = v[c + 1] - omega * sum[1];
            sum[2] = v[c + 2] - omega * sum[2];
            sum[3] = v[c + 3] - omega * sum[3];
            sum[4] = v[c + 4] - omega * sum[4];
            divide(p, sum);
            v[c] = sum[0];
            v[c + 1] = sum[1];
            v[c + 2] = sum[2];
            v[c + 3] = sum[3];
            v[c + 4] = sum[4];
        }
    }

    /** v = v - D^-1 omega U v, with the three neighbours ahead, from the last point of a row to the first. */
    void upper(int first, int end) {
        double[] sum = this.sum;
        double[] v = this.v;
        int aheadX = stride[0];
        int aheadY = stride[1];
        int aheadZ = stride[2];
        double dx = diffusion[0];
        double dy = diffusion[1];
        double dz = diffusion[2];
        for (int p = end - 1; p >= first; p--) {
            clear(sum);
            addProduct(3, 1, 2, p + aheadZ, dt2, dz, sum);
            addProduct(2, 3, 1, p + aheadY, dt2, dy, sum);
            addProduct(1, 2, 3, p + aheadX, dt2, dx, sum);
            int c = 5 * p;
            sum[0] *= omega;
            sum[1] *= omega;
            sum[2] *= omega;
            sum[3] *= omega;
            sum[4] *= omega;
            divide(p, sum);
            v[c] -= sum[0];
            v[c + 1] -= sum[1];
            v[c + 2] -= sum[2];
            v[c + 3] -= sum[3];
            v[c + 4] -= sum[4];
        }
    }

    private static void clear(double[] sum) {
        sum[0] = 0;
        sum[1] = 0;
        sum[2] = 0;
        sum[3] = 0;
        sum[4] = 0;
    }

    /**
     * sum = sum + (f F - dt1 N - d) v at a point, where F and N are the derivatives of FlowBlock; the momentum along
     * the axis is unknown a, those across it are b and e.
     */
    private void addProduct(int a, int b, int e, int p, double f, double d, double[] sum) {
        double[] u = this.u;
        double[] v = this.v;
        int c = 5 * p;
        double ru = inverse[p];
        double va = u[c + a] * ru;
        double vb = u[c + b] * ru;
        double ve = u[c + e] * ru;
        double x0 = v[c];
        double xa = v[c + a];
        double xb = v[c + b];
        double xe = v[c + e];
        double x4 = v[c + 4];
        double k = viscosity * ru;
        double q = kinetic[p];
        // Change of the pressure, but for the energy's.
        double pressure = Flow.C2 * (q * x0 - va * xa - vb * xb - ve * xe);
        sum[0] += f * xa - d * x0;
        sum[a] += along(f, k, va, x0, xa, x4, pressure) - d * xa;
        sum[b] += across(f, k, va, vb, x0, xa, xb) - d * xb;
        sum[e] += across(f, k, va, ve, x0, xa, xe) - d * xe;
        sum[4] += energy(f, k, va, vb, ve, u[c + 4] * ru, q, x0, xa, xb, xe, x4, pressure) - d * x4;
    }

    /** What is added to the momentum along the axis, to one across it, and to the energy. */
    private static double along(double f, double k, double va, double x0, double xa, double x4, double pressure) {
        double ya = xa - va * x0; // the change of the velocity, times the density
        return f * ((xa + ya) * va + pressure + Flow.C2 * x4) + k * Flow.CON43 * ya;
    }

    private static double across(double f, double k, double va, double vb, double x0, double xa, double xb) {
        return f * ((xa - va * x0) * vb + va * xb) + k * (xb - vb * x0);
    }

    private static double energy(double f, double k, double va, double vb, double ve, double energy, double q,
            double x0, double xa, double xb, double xe, double x4, double pressure) {
        double ya = xa - va * x0;
        double rest = (xb - vb * x0) * vb + (xe - ve * x0) * ve;
        return f * ((Flow.C1 * energy - Flow.C2 * q) * ya + va * (pressure + Flow.C1 * x4))
                + k * (Flow.CON43 * va * ya + rest + Flow.C1C5 * (x4 - energy * x0 - va * ya - rest));
    }

    /** sum = D^-1 sum. */
    private void divide(int p, double[] sum) {
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
