// SPDX-License-Identifier: Apache-2.0
package npb;

/**
 * What SP, BT and LU solve: a flow with five unknowns (density, three momenta, energy) in a cube of n points a side,
 * with a known solution, which is a polynomial. Constants, and that solution.
 */
final class Flow {
    static final double C1 = 1.4;
    static final double C2 = 0.4;
    static final double C3C4 = 0.1;
    static final double C1C5 = 1.96;
    static final double C1345 = C1C5 * C3C4;
    static final double CON43 = 4.0 / 3;
    static final double DISSIPATION = 0.25;

    private static final double[] AXIS_DIFFUSION = {0.75, 0.75, 1};

    // Of each unknown: a constant, then the coefficients of x, y, z, x^2, y^2, z^2, ... to the fourth power.
    private static final double[][] SOLUTION = {
        {2, 0, 0, 4, 5, 3, 0.5, 0.02, 0.01, 0.03, 0.5, 0.4, 0.3},
        {1, 0, 0, 0, 1, 2, 3, 0.01, 0.03, 0.02, 0.4, 0.3, 0.5},
        {2, 2, 0, 0, 0, 2, 3, 0.04, 0.03, 0.05, 0.3, 0.5, 0.4},
        {2, 2, 0, 0, 0, 2, 3, 0.03, 0.05, 0.04, 0.2, 0.1, 0.3},
        {5, 4, 3, 2, 0.1, 0.4, 0.3, 0.05, 0.04, 0.03, 0.1, 0.3, 0.2}};

    final int n;
    final double dt;
    final double h;
    final double t1; // weight of second differences
    final double t2; // weight of first differences
    /** Fourth differences at each point of an axis: weights of the points at -2, -1, 0, 1, 2; five a point. */
    final double[] fourth;

    Flow(int n, double dt) {
        this.n = n;
        this.dt = dt;
        h = 1.0 / (n - 1);
        t1 = 1 / (h * h);
        t2 = 1 / (2 * h);
        fourth = new double[5 * n];
        for (int g = 1; g < n - 1; g++) {
            fourth[5 * g] = g >= 3 ? 1 : 0;
            fourth[5 * g + 1] = g >= 2 ? -4 : 0;
            fourth[5 * g + 2] = g == 1 || g == n - 2 ? 5 : 6;
            fourth[5 * g + 3] = g <= n - 3 ? -4 : 0;
            fourth[5 * g + 4] = g <= n - 4 ? 1 : 0;
        }
    }

    /** How many points of an axis from this one on have the same fourth differences. */
    int alike(int g) {
        return g >= 3 && g <= n - 4 ? n - 3 - g : 1;
    }

    /** The coefficient of artificial diffusion, the same for all unknowns. */
    double diffusion(int axis) {
        return AXIS_DIFFUSION[axis];
    }

    /** The solution at a point, into five elements. */
    static void exact(double x, double y, double z, double[] out, int at) {
        for (int m = 0; m < 5; m++) {
            double[] c = SOLUTION[m];
            out[at + m] = c[0] + x * (c[1] + x * (c[4] + x * (c[7] + x * c[10])))
                    + y * (c[2] + y * (c[5] + y * (c[8] + y * c[11])))
                    + z * (c[3] + z * (c[6] + z * (c[9] + z * c[12])));
        }
    }
}
