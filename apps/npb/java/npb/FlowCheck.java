// SPDX-License-Identifier: Apache-2.0
package npb;

import common.Job;
import mpi.MPI;

/** The norms of SP, BT and LU at their end, and what they should be. */
final class FlowCheck {
    private static final double TOLERANCE = 1e-8;

    private FlowCheck() {
    }

    /** Norms of all ranks' boxes: five of the error, then five of the right-hand side by the time step. */
    static double[] norms(Job job, Flow flow, FlowBox[] boxes) {
        double[] own = new double[10];
        double[] norms = new double[10];
        for (FlowBox box : boxes) {
            box.addSquares(own);
        }
        job.comm.Allreduce(own, 0, norms, 0, 10, MPI.DOUBLE, MPI.SUM);
        for (int m = 0; m < 10; m++) {
            norms[m] = Math.sqrt(norms[m] / Math.pow(flow.n - 2, 3)) / (m < 5 ? 1 : flow.dt);
        }
        return norms;
    }

    /** References: five of the residual, then five of the error. */
    static boolean matches(Job job, double[] norms, double[] references) {
        boolean isRight = true;
        for (int m = 0; m < 5; m++) {
            isRight &= job.matches("residual " + (m + 1), norms[5 + m], references[m], TOLERANCE);
        }
        for (int m = 0; m < 5; m++) {
            isRight &= job.matches("error " + (m + 1), norms[m], references[5 + m], TOLERANCE);
        }
        return isRight;
    }
}
