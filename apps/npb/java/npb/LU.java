// SPDX-License-Identifier: Apache-2.0
package npb;

import common.Job;
import mpi.MPI;
import mpi.Request;

/**
 * LU: the flow of class Flow, by symmetric successive over-relaxation: in each time step a sweep from one corner of the
 * cube to the opposite one, in which every point needs its three neighbours behind, and a sweep back (LUPoint).
 *
 * <p>The ranks share the cube's x and y directions. A sweep goes plane by plane of z; within a plane a rank waits for
 * the edges of its neighbours behind and sends its own ahead. So a wave of small messages runs over the grid of ranks,
 * two for each plane and rank.
 */
public final class LU {
    private static final int[] SIZES = {12, 33, 64, 102, 162};
    private static final int[] STEPS = {50, 300, 250, 250, 250};
    private static final double[] DTS = {0.5, 0.0015, 2, 2, 2};
    private static final double[][] NORMS = {
        {1.6196343210976702e-02, 2.1976745164821318e-03, 1.5179927653399185e-03, 1.5029584435994323e-03,
         3.4264073155896461e-02, 6.4223319957960924e-04, 8.4144342047347926e-05, 5.8588269616485186e-05,
         5.8474222595157350e-05, 1.3103347914111294e-03},
        {0.1236511638192e+02, 0.1317228477799e+01, 0.2550120713095e+01, 0.2326187750252e+01, 0.2826799444189e+02,
         0.4867877144216e+00, 0.5064652880982e-01, 0.9281818101960e-01, 0.8570126542733e-01, 0.1084277417792e+01},
        {7.7902107606689367e+02, 6.3402765259692870e+01, 1.9499249727292479e+02, 1.7845301160418537e+02,
         1.8384760349464247e+03, 2.9964085685471943e+01, 2.8194576365003349e+00, 7.3473412698774742e+00,
         6.7139225687777051e+00, 7.0715315688392578e+01},
        {3.5532672969982736e+03, 2.6214750795310692e+02, 8.8333721850952190e+02, 7.7812774739425265e+02,
         7.3087969592545314e+03, 1.1401176380212709e+02, 8.1098963655421574e+00, 2.8480597317698308e+01,
         2.5905394567832939e+01, 2.6054907504857413e+02},
        {1.03766980323537846e+04, 8.92212458801008552e+02, 2.56238814582660871e+03, 2.19194343857831427e+03,
         1.78078057261061185e+04, 2.15986399716949279e+02, 1.55789559239863600e+01, 5.41318863077207766e+01,
         4.82262643154045421e+01, 4.55902910043250358e+02}};
    private static final double[] INTEGRALS = {7.8418928865937083e+00, 0.1161399311023e+02, 2.6030925604886277e+01,
        4.7887162703308227e+01, 6.66404553572181300e+01};
    private static final double TOLERANCE = 1e-8;
    private static final double OMEGA = 1.2;

    private static final int TAG_HALO = 10;
    private static final int TAG_WAVE = 20;

    private final Job job;
    private final Flow flow;
    private final FlowBox box;
    private final LUPoint point;
    private final int[] ranks = new int[2];
    private final int[] place = new int[2];
    private final double[][] halo = new double[4][]; // out below and above, in from below and above
    private final double[] edge;

    private LU(Job job) {
        int log = Integer.numberOfTrailingZeros(job.size);
        this.job = job;
        flow = new Flow(SIZES[job.index], DTS[job.index]);
        ranks[0] = 1 << log / 2;
        ranks[1] = 1 << (log + 1) / 2;
        place[0] = job.rank % ranks[0];
        place[1] = job.rank / ranks[0];
        int[] start = {0, 0, 0};
        int[] size = {0, 0, flow.n};
        for (int axis = 0; axis < 2; axis++) {
            start[axis] = flow.n * place[axis] / ranks[axis];
            size[axis] = flow.n * (place[axis] + 1) / ranks[axis] - start[axis];
        }
        box = new FlowBox(flow, start, size, 0, false);
        point = new LUPoint(box, OMEGA);
        for (int i = 0; i < 4; i++) {
            halo[i] = new double[5 * FlowBox.HALO * Math.max(box.layer(0), box.layer(1))];
        }
        edge = new double[5 * Math.max(size[0], size[1])];
    }

    public static void main(String[] args) {
        Job job = Job.start(Job.Suite.NPB, "LU", args);
        if (job.index >= 0) {
            int side = Integer.highestOneBit(SIZES[job.index] / 3);
            job.acceptsPowerOfTwo(side * side);
        }
        job.run(() -> new LU(job).run());
    }

    private void run() {
        int n = flow.n;
        int steps = STEPS[job.index];
        String size = String.format("%dx%dx%d", n, n, n);
        job.title(size, steps);
        setInitial();
        step(); // touches all memory and warms up; not timed
        setInitial();

        job.startTimer();
        for (int i = 1; i <= steps; i++) {
            if (i == 1 || i % 20 == 0 || i == steps) {
                job.say(" Time step %4d", i);
            }
            step();
        }
        double seconds = job.stopTimer();

        boolean isRight = FlowCheck.matches(job, FlowCheck.norms(job, flow, new FlowBox[] {box}), NORMS[job.index]);
        isRight &= job.matches("surface", LUSurface.integral(job, box), INTEGRALS[job.index], TOLERANCE);
        double operations = steps * (1984.77 * n * n * n - 10923.3 * n * n + 27770.9 * n - 144010);
        job.report(size, steps, seconds, operations, "floating point", isRight);
    }

    private void setInitial() {
        box.setInitial();
        computeRhs();
    }

    private void computeRhs() {
        exchange(0);
        exchange(1);
        box.computeRhs(flow.dt);
    }

    private void step() {
        for (int k = 1; k < flow.n - 1; k++) {
            sweepUp(k);
        }
        for (int k = flow.n - 2; k > 0; k--) {
            sweepDown(k);
        }
        box.add(1 / (OMEGA * (2 - OMEGA)));
        computeRhs();
    }

    // ---- sweeps -----------------------------------------------------------------------------------------------------

    private void sweepUp(int k) {
        receive(0, -1, -1, k);
        receive(1, -1, -1, k);
        for (int j = box.low(1); j < box.high(1); j++) {
            point.lower(box.index(box.low(0), j, k), box.index(box.high(0), j, k));
        }
        send(0, 1, box.size[0] - 1, k);
        send(1, 1, box.size[1] - 1, k);
    }

    private void sweepDown(int k) {
        receive(0, 1, box.size[0], k);
        receive(1, 1, box.size[1], k);
        for (int j = box.high(1) - 1; j >= box.low(1); j--) {
            point.upper(box.index(box.low(0), j, k), box.index(box.high(0), j, k));
        }
        send(0, -1, 0, k);
        send(1, -1, 0, k);
    }

    /** The rank at the next place of an axis, or the one before; -1: there is none. */
    private int neighbour(int axis, int step) {
        int at = place[axis] + step;
        return at < 0 || at >= ranks[axis] ? -1 : job.rank + step * (axis == 0 ? 1 : ranks[0]);
    }

    private void receive(int axis, int from, int at, int k) {
        int peer = neighbour(axis, from);
        if (peer >= 0) {
            job.comm.Recv(edge, 0, 5 * box.size[1 - axis], MPI.DOUBLE, peer, TAG_WAVE + axis);
            copyEdge(axis, at, k, false);
        }
    }

    private void send(int axis, int to, int at, int k) {
        int peer = neighbour(axis, to);
        if (peer >= 0) {
            copyEdge(axis, at, k, true);
            job.comm.Send(edge, 0, 5 * box.size[1 - axis], MPI.DOUBLE, peer, TAG_WAVE + axis);
        }
    }

    private void copyEdge(int axis, int at, int k, boolean out) {
        int count = box.size[1 - axis];
        int c = 5 * (axis == 0 ? box.index(at, 0, k) : box.index(0, at, k));
        int step = 5 * box.stride[1 - axis];
        for (int i = 0; i < count; i++, c += step) {
            if (out) {
                System.arraycopy(box.rhs, c, edge, 5 * i, 5);
            } else {
                System.arraycopy(edge, 5 * i, box.rhs, c, 5);
            }
        }
    }

    // ---- the halo of the unknowns -----------------------------------------------------------------------------------

    private void exchange(int axis) {
        int before = neighbour(axis, -1);
        int behind = neighbour(axis, 1);
        int count = 5 * FlowBox.HALO * box.layer(axis);
        Request[] requests = new Request[4];
        if (before >= 0) {
            requests[0] = job.comm.Irecv(halo[2], 0, count, MPI.DOUBLE, before, TAG_HALO + axis);
        }
        if (behind >= 0) {
            requests[1] = job.comm.Irecv(halo[3], 0, count, MPI.DOUBLE, behind, TAG_HALO + axis);
        }
        if (before >= 0) {
            box.copy(axis, 0, FlowBox.HALO, box.u, 5, halo[0], 0, true);
            requests[2] = job.comm.Isend(halo[0], 0, count, MPI.DOUBLE, before, TAG_HALO + axis);
        }
        if (behind >= 0) {
            box.copy(axis, box.size[axis] - FlowBox.HALO, FlowBox.HALO, box.u, 5, halo[1], 0, true);
            requests[3] = job.comm.Isend(halo[1], 0, count, MPI.DOUBLE, behind, TAG_HALO + axis);
        }
        for (Request request : requests) {
            if (request != null) {
                request.Wait();
            }
        }
        if (before >= 0) {
            box.copy(axis, -FlowBox.HALO, FlowBox.HALO, box.u, 5, halo[2], 0, false);
        }
        if (behind >= 0) {
            box.copy(axis, box.size[axis], FlowBox.HALO, box.u, 5, halo[3], 0, false);
        }
    }
}
