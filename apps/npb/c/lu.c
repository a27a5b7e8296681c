/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LU: the flow of flow.h, by symmetric successive over-relaxation: in each time step a sweep from one corner of the
 * cube to the opposite one, in which every point needs its three neighbours behind, and a sweep back (lu_point.h).
 *
 * The ranks share the cube's x and y directions. A sweep goes plane by plane of z; within a plane a rank waits for the
 * edges of its neighbours behind and sends its own ahead. So a wave of small messages runs over the grid of ranks, two
 * for each plane and rank.
 */
#include "flow_check.h"
#include "lu_point.h"
#include "lu_surface.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LU_TAG_HALO = 10, LU_TAG_WAVE = 20 };

static const int lu_sizes[] = {12, 33, 64, 102, 162};
static const int lu_steps[] = {50, 300, 250, 250, 250};
static const double lu_dts[] = {0.5, 0.0015, 2, 2, 2};
static const double lu_norms[][FLOW_NORMS] = {
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
static const double lu_integrals[] = {7.8418928865937083e+00, 0.1161399311023e+02, 2.6030925604886277e+01,
                                      4.7887162703308227e+01, 6.66404553572181300e+01};
static const double lu_tolerance = 1e-8, lu_omega = 1.2;

typedef struct lu {
    npb_job *job;
    flow_problem flow;
    flow_box box;
    lu_point point;
    int ranks[2], place[2];
    double *halo[4]; /* out below and above, in from below and above */
    double *edge;
} lu;

static int lu_most(int a, int b)
{
    return a > b ? a : b;
}

static void lu_init(lu *l, npb_job *job)
{
    int log = 0, start[3] = {0, 0, 0}, size[3];
    memset(l, 0, sizeof *l);
    while (1 << log < job->size)
        log++;
    l->job = job;
    flow_init(&l->flow, job, lu_sizes[job->index], lu_dts[job->index]);
    l->ranks[0] = 1 << log / 2;
    l->ranks[1] = 1 << (log + 1) / 2;
    l->place[0] = job->rank % l->ranks[0];
    l->place[1] = job->rank / l->ranks[0];
    size[2] = l->flow.n;
    for (int axis = 0; axis < 2; axis++) {
        start[axis] = l->flow.n * l->place[axis] / l->ranks[axis];
        size[axis] = l->flow.n * (l->place[axis] + 1) / l->ranks[axis] - start[axis];
    }
    flow_box_init(&l->box, &l->flow, start, size, 0, 0);
    lu_point_init(&l->point, &l->box, lu_omega);
    size_t halo = 5 * FLOW_HALO * (size_t)lu_most(flow_box_layer(&l->box, 0), flow_box_layer(&l->box, 1));
    for (int i = 0; i < 4; i++)
        l->halo[i] = npb_alloc(job, halo, sizeof(double));
    l->edge = npb_alloc(job, 5 * (size_t)lu_most(size[0], size[1]), sizeof(double));
}

static void lu_fini(lu *l)
{
    for (int i = 0; i < 4; i++)
        free(l->halo[i]);
    free(l->edge);
    flow_box_fini(&l->box);
    flow_fini(&l->flow);
}

/* The rank at the next place of an axis, or the one before; MPI_PROC_NULL: there is none. */
static int lu_neighbour(const lu *l, int axis, int step)
{
    int at = l->place[axis] + step;
    return at < 0 || at >= l->ranks[axis] ? MPI_PROC_NULL : l->job->rank + step * (axis == 0 ? 1 : l->ranks[0]);
}

/* ---- the halo of the unknowns ------------------------------------------------------------------------------------ */

static void lu_exchange(lu *l, int axis)
{
    flow_box *box = &l->box;
    int before = lu_neighbour(l, axis, -1), behind = lu_neighbour(l, axis, 1);
    int count = 5 * FLOW_HALO * flow_box_layer(box, axis), tag = LU_TAG_HALO + axis;
    MPI_Request requests[4];
    MPI_Irecv(l->halo[2], count, MPI_DOUBLE, before, tag, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(l->halo[3], count, MPI_DOUBLE, behind, tag, MPI_COMM_WORLD, &requests[1]);
    flow_box_pack(box, axis, 0, FLOW_HALO, box->u, 5, l->halo[0]);
    MPI_Isend(l->halo[0], count, MPI_DOUBLE, before, tag, MPI_COMM_WORLD, &requests[2]);
    flow_box_pack(box, axis, box->size[axis] - FLOW_HALO, FLOW_HALO, box->u, 5, l->halo[1]);
    MPI_Isend(l->halo[1], count, MPI_DOUBLE, behind, tag, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    if (before != MPI_PROC_NULL)
        flow_box_unpack(box, axis, -FLOW_HALO, FLOW_HALO, box->u, 5, l->halo[2]);
    if (behind != MPI_PROC_NULL)
        flow_box_unpack(box, axis, box->size[axis], FLOW_HALO, box->u, 5, l->halo[3]);
}

static void lu_compute_rhs(lu *l)
{
    lu_exchange(l, 0);
    lu_exchange(l, 1);
    flow_box_compute_rhs(&l->box, l->flow.dt);
}

static void lu_set_initial(lu *l)
{
    flow_box_set_initial(&l->box);
    lu_compute_rhs(l);
}

/* ---- sweeps ------------------------------------------------------------------------------------------------------ */

/* The first point of an edge in the right-hand side; the others follow at every `*step_p` numbers. */
static double *lu_edge(const lu *l, int axis, int at, int k, int *step_p)
{
    *step_p = 5 * l->box.stride[1 - axis];
    return l->box.rhs + 5 * (axis == 0 ? flow_box_index(&l->box, at, 0, k) : flow_box_index(&l->box, 0, at, k));
}

static void lu_receive(lu *l, int axis, int from, int at, int k)
{
    int peer = lu_neighbour(l, axis, from), count = l->box.size[1 - axis], step;
    if (peer == MPI_PROC_NULL)
        return;
    double *rhs = lu_edge(l, axis, at, k, &step);
    MPI_Recv(l->edge, 5 * count, MPI_DOUBLE, peer, LU_TAG_WAVE + axis, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < count; i++, rhs += step)
        memcpy(rhs, l->edge + 5 * i, 5 * sizeof(double));
}

static void lu_send(lu *l, int axis, int to, int at, int k)
{
    int peer = lu_neighbour(l, axis, to), count = l->box.size[1 - axis], step;
    if (peer == MPI_PROC_NULL)
        return;
    const double *rhs = lu_edge(l, axis, at, k, &step);
    for (int i = 0; i < count; i++, rhs += step)
        memcpy(l->edge + 5 * i, rhs, 5 * sizeof(double));
    MPI_Send(l->edge, 5 * count, MPI_DOUBLE, peer, LU_TAG_WAVE + axis, MPI_COMM_WORLD);
}

static void lu_sweep_up(lu *l, int k)
{
    const flow_box *box = &l->box;
    lu_receive(l, 0, -1, -1, k);
    lu_receive(l, 1, -1, -1, k);
    for (int j = flow_box_low(box, 1); j < flow_box_high(box, 1); j++)
        lu_point_lower(&l->point, flow_box_index(box, flow_box_low(box, 0), j, k),
                       flow_box_index(box, flow_box_high(box, 0), j, k));
    lu_send(l, 0, 1, box->size[0] - 1, k);
    lu_send(l, 1, 1, box->size[1] - 1, k);
}

static void lu_sweep_down(lu *l, int k)
{
    const flow_box *box = &l->box;
    lu_receive(l, 0, 1, box->size[0], k);
    lu_receive(l, 1, 1, box->size[1], k);
    for (int j = flow_box_high(box, 1) - 1; j >= flow_box_low(box, 1); j--)
        lu_point_upper(&l->point, flow_box_index(box, flow_box_low(box, 0), j, k),
                       flow_box_index(box, flow_box_high(box, 0), j, k));
    lu_send(l, 0, -1, 0, k);
    lu_send(l, 1, -1, 0, k);
}

static void lu_step(lu *l)
{
    for (int k = 1; k < l->flow.n - 1; k++)
        lu_sweep_up(l, k);
    for (int k = l->flow.n - 2; k > 0; k--)
        lu_sweep_down(l, k);
    flow_box_add(&l->box, 1 / (lu_omega * (2 - lu_omega)));
    lu_compute_rhs(l);
}

/* ---- the benchmark ----------------------------------------------------------------------------------------------- */

static void lu_run(npb_job *job)
{
    int side = lu_sizes[job->index], steps = lu_steps[job->index];
    double n = side, norms[FLOW_NORMS];
    char size[48];
    lu l;
    snprintf(size, sizeof size, "%dx%dx%d", side, side, side);
    npb_title(job, size, steps);
    lu_init(&l, job);
    lu_set_initial(&l);
    lu_step(&l); /* touches all memory and warms up; not timed */
    lu_set_initial(&l);

    npb_timer_start(job);
    for (int i = 1; i <= steps; i++) {
        if (i == 1 || i % 20 == 0 || i == steps)
            npb_say(job, " Time step %4d", i);
        lu_step(&l);
    }
    double seconds = npb_timer_stop(job);

    flow_check_norms(&l.box, 1, norms);
    int is_right = flow_check_matches(job, norms, lu_norms[job->index]);
    is_right &= npb_matches(job, "surface", lu_surface_integral(&l.box), lu_integrals[job->index], lu_tolerance);
    double operations = steps * (1984.77 * n * n * n - 10923.3 * n * n + 27770.9 * n - 144010);
    npb_report(job, size, steps, seconds, operations, "floating point", is_right);
    lu_fini(&l);
}

int main(int argc, char **argv)
{
    npb_job job;
    npb_start(&job, "LU", &argc, &argv);
    if (job.is_fine) { /* a rank has three points or more in both directions */
        int side = 1;
        while (2 * side <= lu_sizes[job.index] / 3)
            side *= 2;
        npb_accepts_power_of_two(&job, side * side);
    }
    if (job.is_fine)
        lu_run(&job);
    return npb_end(&job);
}
