// SPDX-License-Identifier: Apache-2.0
package npb;

import java.util.Arrays;

/**
 * A box of the cube, with a halo of two points: the unknowns, what follows from them at each point, and the right-hand
 * side of a time step. The first index is fastest; the five unknowns of a point lie together. Indices of a box are its
 * own, and negative in the halo.
 *
 * <p>All that differs between the three axes is a stride and which momentum is the one along the axis.
 */
final class FlowBox {
    static final int HALO = 2;

    final Flow flow;
    final int[] size;
    final int[] start; // in the cube
    final int[] stride = new int[3];
    final int points;
    final double[] u;
    final double[] rhs;
    final double[] forcing;
    final double[][] velocity;
    final double[] inverse; // of the density
    final double[] square;  // half the square of the momentum, by density
    final double[] kinetic; // that by density again
    final double[] sound;   // its speed; null where it is not wanted

    final double[] matrix;  // of a solver, so many numbers a point

    FlowBox(Flow flow, int[] start, int[] size, int matrixNumbers, boolean withSound) {
        this.flow = flow;
        this.start = start;
        this.size = size;
        stride[0] = 1;
        stride[1] = size[0] + 2 * HALO;
        stride[2] = stride[1] * (size[1] + 2 * HALO);
        points = stride[2] * (size[2] + 2 * HALO);
        u = new double[5 * points];
        rhs = new double[5 * points];
        forcing = new double[5 * points];
        velocity = new double[3][points];
        inverse = new double[points];
        square = new double[points];
        kinetic = new double[points];
        sound = withSound ? new double[points] : null;
        matrix = new double[matrixNumbers * points];
        Arrays.fill(u, 1); // a halo beyond the cube is multiplied by 0
        setForcing();
    }

    int index(int i, int j, int k) {
        return i + HALO + (j + HALO) * stride[1] + (k + HALO) * stride[2];
    }

    /** The first point along an axis that is not on the cube's wall, and the first one behind the last of them. */
    int low(int axis) {
        return start[axis] == 0 ? 1 : 0;
    }

    int high(int axis) {
        return start[axis] + size[axis] == flow.n ? size[axis] - 1 : size[axis];
    }

    /** The same of a sweep: along its own axis it takes in the walls. */
    int sweepLow(int axis, int sweep) {
        return axis == sweep ? 0 : low(axis);
    }

    int sweepHigh(int axis, int sweep) {
        return axis == sweep ? size[axis] : high(axis);
    }

    // ---- first values -----------------------------------------------------------------------------------------------

    /** The forcing makes the exact solution steady: the negative of its right-hand side. */
    private void setForcing() {
        int n = flow.n;
        for (int k = -HALO; k < size[2] + HALO; k++) {
            for (int j = -HALO; j < size[1] + HALO; j++) {
                for (int i = -HALO; i < size[0] + HALO; i++) {
                    int x = start[0] + i;
                    int y = start[1] + j;
                    int z = start[2] + k;
                    if (Math.min(x, Math.min(y, z)) >= 0 && Math.max(x, Math.max(y, z)) < n) {
                        Flow.exact(x * flow.h, y * flow.h, z * flow.h, u, 5 * index(i, j, k));
                    }
                }
            }
        }
        computeRhs(-1);
        System.arraycopy(rhs, 0, forcing, 0, rhs.length);
        Arrays.fill(u, 1);
    }

    /** Interpolates between the walls, where the solution is given. */
    void setInitial() {
        int last = flow.n - 1;
        double[] walls = new double[30];
        for (int k = 0; k < size[2]; k++) {
            double z = (start[2] + k) * flow.h;
            for (int j = 0; j < size[1]; j++) {
                double y = (start[1] + j) * flow.h;
                for (int i = 0; i < size[0]; i++) {
                    double x = (start[0] + i) * flow.h;
                    int to = 5 * index(i, j, k);
                    if (isWall(start[0] + i, last) || isWall(start[1] + j, last) || isWall(start[2] + k, last)) {
                        Flow.exact(x, y, z, u, to);
                        continue;
                    }
                    Flow.exact(0, y, z, walls, 0);
                    Flow.exact(1, y, z, walls, 5);
                    Flow.exact(x, 0, z, walls, 10);
                    Flow.exact(x, 1, z, walls, 15);
                    Flow.exact(x, y, 0, walls, 20);
                    Flow.exact(x, y, 1, walls, 25);
                    for (int m = 0; m < 5; m++) {
                        double px = x * walls[5 + m] + (1 - x) * walls[m];
                        double py = y * walls[15 + m] + (1 - y) * walls[10 + m];
                        double pz = z * walls[25 + m] + (1 - z) * walls[20 + m];
                        u[to + m] = px + py + pz - px * py - py * pz - pz * px + px * py * pz;
                    }
                }
            }
        }
    }

    private static boolean isWall(int g, int last) {
        return g == 0 || g == last;
    }

    // ---- the right-hand side ----------------------------------------------------------------------------------------

    /** From the unknowns, whose halo is filled; times a factor. Points on walls get the forcing, which is 0 there. */
    void computeRhs(double factor) {
        follow();
        System.arraycopy(forcing, 0, rhs, 0, rhs.length);
        for (int axis = 0; axis < 3; axis++) {
            addFluxes(axis);
            addDissipation(axis);
        }
        for (int k = low(2); k < high(2); k++) {
            for (int j = low(1); j < high(1); j++) {
                int end = 5 * index(high(0), j, k);
                for (int c = 5 * index(low(0), j, k); c < end; c++) {
                    rhs[c] *= factor;
                }
            }
        }
    }

    /** What follows from the unknowns, up to one point into the halo. */
    private void follow() {
        double[] u = this.u;
        double[] vx = velocity[0];
        double[] vy = velocity[1];
        double[] vz = velocity[2];
        for (int k = -1; k <= size[2]; k++) {
            for (int j = -1; j <= size[1]; j++) {
                int end = index(size[0] + 1, j, k);
                for (int p = index(-1, j, k); p < end; p++) {
                    int c = 5 * p;
                    double inv = 1 / u[c];
                    double x = u[c + 1];
                    double y = u[c + 2];
                    double z = u[c + 3];
                    double half = 0.5 * (x * x + y * y + z * z) * inv;
                    inverse[p] = inv;
                    vx[p] = x * inv;
                    vy[p] = y * inv;
                    vz[p] = z * inv;
                    square[p] = half;
                    kinetic[p] = half * inv;
                }
            }
        }
        if (sound == null) {
            return;
        }
        for (int k = -1; k <= size[2]; k++) {
            for (int j = -1; j <= size[1]; j++) {
                int end = index(size[0] + 1, j, k);
                for (int p = index(-1, j, k); p < end; p++) {
                    sound[p] = Math.sqrt(Flow.C1 * Flow.C2 * inverse[p] * (u[5 * p + 4] - square[p]));
                }
            }
        }
    }

    private void addFluxes(int axis) {
        double[] u = this.u;
        double[] rhs = this.rhs;
        double[] w = velocity[axis];
        double[] v1 = velocity[(axis + 1) % 3];
        double[] v2 = velocity[(axis + 2) % 3];
        double[] inverse = this.inverse;
        double[] square = this.square;
        double[] kinetic = this.kinetic;
        int m0 = 1 + axis; // the momentum along the axis, and the two others
        int m1 = 1 + (axis + 1) % 3;
        int m2 = 1 + (axis + 2) % 3;
        int s = stride[axis];
        int s5 = 5 * s;
        double t2 = flow.t2;
        double d = flow.diffusion(axis) * flow.t1;
        double con2 = Flow.C3C4 * flow.t1;
        double con1 = con2 * Flow.CON43;
        double con3 = con2 * (1 - Flow.C1C5);
        double con4 = con2 / 6;
        double con5 = con2 * Flow.C1C5;
        for (int k = low(2); k < high(2); k++) {
            for (int j = low(1); j < high(1); j++) {
                int end = index(high(0), j, k);
                for (int p = index(low(0), j, k); p < end; p++) {
                    int c = 5 * p;
                    int a = c - s5;
                    int b = c + s5;
                    double wm = w[p - s];
                    double w0 = w[p];
                    double wp = w[p + s];
                    double em = u[a + 4];
                    double e0 = u[c + 4];
                    double ep = u[b + 4];
                    double qm = square[p - s];
                    double qp = square[p + s];
                    rhs[c] += d * (u[b] - 2 * u[c] + u[a]) - t2 * (u[b + m0] - u[a + m0]);
                    rhs[c + m0] += d * (u[b + m0] - 2 * u[c + m0] + u[a + m0]) + con1 * (wp - 2 * w0 + wm)
                            - t2 * (u[b + m0] * wp - u[a + m0] * wm + Flow.C2 * (ep - qp - em + qm));
                    rhs[c + m1] += d * (u[b + m1] - 2 * u[c + m1] + u[a + m1])
                            + con2 * (v1[p + s] - 2 * v1[p] + v1[p - s]) - t2 * (u[b + m1] * wp - u[a + m1] * wm);
                    rhs[c + m2] += d * (u[b + m2] - 2 * u[c + m2] + u[a + m2])
                            + con2 * (v2[p + s] - 2 * v2[p] + v2[p - s]) - t2 * (u[b + m2] * wp - u[a + m2] * wm);
                    rhs[c + 4] += d * (ep - 2 * e0 + em)
                            + con3 * (kinetic[p + s] - 2 * kinetic[p] + kinetic[p - s])
                            + con4 * (wp * wp - 2 * w0 * w0 + wm * wm)
                            + con5 * (ep * inverse[p + s] - 2 * e0 * inverse[p] + em * inverse[p - s])
                            - t2 * ((Flow.C1 * ep - Flow.C2 * qp) * wp - (Flow.C1 * em - Flow.C2 * qm) * wm);
                }
            }
        }
    }

    /** By runs of points with the same weights: all of a row across the axis, or those away from the walls along it. */
    private void addDissipation(int axis) {
        int s = 5 * stride[axis];
        int count = high(0) - low(0);
        for (int k = low(2); k < high(2); k++) {
            for (int j = low(1); j < high(1); j++) {
                int c = 5 * index(low(0), j, k);
                int g = start[axis] + (axis == 0 ? low(0) : axis == 1 ? j : k);
                for (int done = 0; done < count;) {
                    int run = axis == 0 ? Math.min(flow.alike(g), count - done) : count;
                    dissipate(c, c + 5 * run, s, 5 * g);
                    done += run;
                    c += 5 * run;
                    g += axis == 0 ? run : 0;
                }
            }
        }
    }

    private void dissipate(int first, int end, int s, int weights) {
        double[] u = this.u;
        double[] rhs = this.rhs;
        double[] fourth = flow.fourth;
        double w0 = Flow.DISSIPATION * fourth[weights];
        double w1 = Flow.DISSIPATION * fourth[weights + 1];
        double w2 = Flow.DISSIPATION * fourth[weights + 2];
        double w3 = Flow.DISSIPATION * fourth[weights + 3];
        double w4 = Flow.DISSIPATION * fourth[weights + 4];
        for (int c = first; c < end; c++) {
            rhs[c] -= w0 * u[c - 2 * s] + w1 * u[c - s] + w2 * u[c] + w3 * u[c + s] + w4 * u[c + 2 * s];
        }
    }

    /** u = u + factor rhs, off the walls. */
    void add(double factor) {
        for (int k = low(2); k < high(2); k++) {
            for (int j = low(1); j < high(1); j++) {
                int end = 5 * index(high(0), j, k);
                for (int c = 5 * index(low(0), j, k); c < end; c++) {
                    u[c] += factor * rhs[c];
                }
            }
        }
    }

    // ---- norms ------------------------------------------------------------------------------------------------------

    /** Adds the squares of the unknowns' errors to elements 0 to 4, and those of the right-hand side to 5 to 9. */
    void addSquares(double[] sums) {
        double[] exact = new double[5];
        for (int k = low(2); k < high(2); k++) {
            for (int j = low(1); j < high(1); j++) {
                for (int i = low(0); i < high(0); i++) {
                    int c = 5 * index(i, j, k);
                    Flow.exact((start[0] + i) * flow.h, (start[1] + j) * flow.h, (start[2] + k) * flow.h, exact, 0);
                    for (int m = 0; m < 5; m++) {
                        double error = u[c + m] - exact[m];
                        sums[m] += error * error;
                        sums[5 + m] += rhs[c + m] * rhs[c + m];
                    }
                }
            }
        }
    }

    // ---- layers, to send and to receive
    // ------------------------------------------------------------------------------

    /** How many points a layer across an axis has. */
    int layer(int axis) {
        return size[(axis + 1) % 3] * size[(axis + 2) % 3];
    }

    /**
     * Copies so many layers across an axis, from this one on, to a buffer (out) or from it; an array has so many
     * numbers a point. Returns where the buffer goes on.
     */
    int copy(int axis, int first, int layers, double[] array, int numbers, double[] buffer, int at, boolean out) {
        int iFirst = axis == 0 ? first : 0;
        int iEnd = axis == 0 ? first + layers : size[0];
        int jFirst = axis == 1 ? first : 0;
        int jEnd = axis == 1 ? first + layers : size[1];
        int kFirst = axis == 2 ? first : 0;
        int kEnd = axis == 2 ? first + layers : size[2];
        int length = numbers * (iEnd - iFirst);
        for (int k = kFirst; k < kEnd; k++) {
            for (int j = jFirst; j < jEnd; j++) {
                int c = numbers * index(iFirst, j, k);
                if (out) {
                    System.arraycopy(array, c, buffer, at, length);
                } else {
                    System.arraycopy(buffer, at, array, c, length);
                }
                at += length;
            }
        }
        return at;
    }
}
