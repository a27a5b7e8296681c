// SPDX-License-Identifier: Apache-2.0
package npb;

import common.Job;
import mpi.MPI;

/** LU's last figure: the integral of the pressure over the walls of a box inside the cube, by the trapezoidal rule. */
final class LUSurface {
    private LUSurface() {
    }

    static double integral(Job job, FlowBox box) {
        int n = box.flow.n;
        int[] first = {1, 1, 2};
        int[] last = {n - 2, n - 3, n - 2};
        double[] own = new double[1];
        double[] all = new double[1];
        for (int k = first[2]; k <= last[2]; k++) {
            for (int j = 0; j < box.size[1]; j++) {
                for (int i = 0; i < box.size[0]; i++) {
                    int[] g = {box.start[0] + i, box.start[1] + j, k};
                    double weight = 0;
                    for (int axis = 0; axis < 3; axis++) {
                        boolean isOnWall = g[axis] == first[axis] || g[axis] == last[axis];
                        int b = (axis + 1) % 3;
                        int c = (axis + 2) % 3;
                        weight += isOnWall ? weight(g[b], first[b], last[b]) * weight(g[c], first[c], last[c]) : 0;
                    }
                    own[0] += weight == 0 ? 0 : weight * pressure(box, box.index(i, j, k));
                }
            }
        }
        job.comm.Allreduce(own, 0, all, 0, 1, MPI.DOUBLE, MPI.SUM);
        return 0.25 * all[0] * box.flow.h * box.flow.h;
    }

    /** How many of the wall's squares meet in a point, along one direction. */
    private static double weight(int g, int first, int last) {
        return g < first || g > last ? 0 : g == first || g == last ? 1 : 2;
    }

    private static double pressure(FlowBox box, int p) {
        int c = 5 * p;
        double[] u = box.u;
        return Flow.C2 * (u[c + 4]
                - 0.5 * (u[c + 1] * u[c + 1] + u[c + 2] * u[c + 2] + u[c + 3] * u[c + 3]) / u[c]);
    }
}
