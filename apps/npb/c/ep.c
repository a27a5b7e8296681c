/* SPDX-License-Identifier: Apache-2.0 */
/* EP, embarrassingly parallel: pairs of normal deviates by the polar method of Marsaglia, counted by the square ring
 * they fall into. The ranks meet once, in the sums at the end. */
#include "npb.h"

#include <math.h>
#include <stdio.h>

enum { EP_LOG_BATCH = 16, EP_RINGS = 10 };

static const int ep_log_pairs[] = {24, 25, 28, 30, 32};
static const uint64_t ep_seed = 271828183;
static const double ep_sum_x[] = {-3.247834652034740e+3, -2.863319731645753e+3, -4.295875165629892e+3,
                                  4.033815542441498e+4, 4.764367927995374e+4};
static const double ep_sum_y[] = {-6.958407078382297e+3, -6.320053679109499e+3, -1.580732573678431e+4,
                                  -2.660669192809235e+4, -8.084072988043731e+4};
static const double ep_tolerance = 1e-8;

/* So many pairs of the random sequence after x; sums: the rings' counts, then the sums of both deviates. */
static void ep_pairs(uint64_t x, int count, double *sums)
{
    double x0 = 0, y0 = 0;
    for (int i = 0; i < count; i++) {
        x = lcg_next(x);
        double x1 = 2 * lcg_number(x) - 1;
        x = lcg_next(x);
        double x2 = 2 * lcg_number(x) - 1;
        double t = x1 * x1 + x2 * x2;
        if (t <= 1) {
            double factor = sqrt(-2 * log(t) / t);
            double gauss_x = x1 * factor, gauss_y = x2 * factor;
            sums[(int)fmax(fabs(gauss_x), fabs(gauss_y))]++;
            x0 += gauss_x;
            y0 += gauss_y;
        }
    }
    sums[EP_RINGS] += x0;
    sums[EP_RINGS + 1] += y0;
}

static void ep_run(npb_job *job)
{
    int log_pairs = ep_log_pairs[job->index];
    int64_t batches = INT64_C(1) << (log_pairs - EP_LOG_BATCH);
    double own[EP_RINGS + 2] = {0}, all[EP_RINGS + 2], pairs = 0;
    char size[32];
    snprintf(size, sizeof size, "%.0f", pow(2, log_pairs + 1));
    npb_title(job, size, 0);

    npb_timer_start(job);
    int64_t last = batches * (job->rank + 1) / job->size;
    for (int64_t batch = batches * job->rank / job->size; batch < last; batch++)
        ep_pairs(lcg_times(ep_seed, lcg_power(LCG_A, (uint64_t)batch << (EP_LOG_BATCH + 1))), 1 << EP_LOG_BATCH, own);
    MPI_Allreduce(own, all, EP_RINGS + 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    double seconds = npb_timer_stop(job);

    for (int ring = 0; ring < EP_RINGS; ring++)
        pairs += all[ring];
    npb_say(job, " No. Gaussian pairs = %.0f", pairs);
    for (int ring = 0; ring < EP_RINGS; ring++)
        npb_say(job, " %2d %15.0f", ring, all[ring]);
    int is_right = npb_matches(job, "sum of x", all[EP_RINGS], ep_sum_x[job->index], ep_tolerance);
    is_right &= npb_matches(job, "sum of y", all[EP_RINGS + 1], ep_sum_y[job->index], ep_tolerance);
    npb_report(job, size, 0, seconds, pow(2, log_pairs + 1), "Random numbers generated", is_right);
}

int main(int argc, char **argv)
{
    npb_job job;
    npb_start(&job, "EP", &argc, &argv);
    if (job.is_fine)
        ep_run(&job);
    return npb_end(&job);
}
