/* SPDX-License-Identifier: Apache-2.0 */
#include "model/metrics.h"

#include <math.h>
#include <string.h>

/* ---- f(p) -------------------------------------------------------------------------------------------------------- */

static double traffic_tree(double ranks)
{
    return ranks - 1;
}

static double traffic_twice(double ranks)
{
    return 2 * (ranks - 1);
}

static double traffic_blocks(double ranks)
{
    return (ranks - 1) / ranks;
}

static double traffic_both(double ranks)
{
    return (ranks * ranks - 1) / ranks;
}

static const cor_model_primitive primitives[] = {
    {"barrier", 0, traffic_tree},    {"bcast", 0, traffic_tree},          {"gather", 1, traffic_blocks},
    {"gatherv", 1, traffic_blocks},  {"scatter", 1, traffic_blocks},      {"scatterv", 1, traffic_blocks},
    {"allgather", 1, traffic_both},  {"allgatherv", 1, traffic_both},     {"alltoall", 1, traffic_tree},
    {"alltoallv", 1, traffic_tree},  {"alltoallw", 1, traffic_tree},      {"reduce", 0, traffic_tree},
    {"allreduce", 0, traffic_twice}, {"reduce_scatter", 1, traffic_both}, {"reduce_scatter_block", 1, traffic_both},
    {"scan", 0, traffic_tree},       {"exscan", 0, traffic_tree},
};

const cor_model_primitive *cor_model_primitive_find(const char *test)
{
    for (size_t i = 0; i < sizeof primitives / sizeof *primitives; i++)
        if (strcmp(primitives[i].name, test) == 0)
            return &primitives[i];
    return NULL;
}

double cor_model_message(const cor_model_primitive *primitive, int ranks)
{
    return primitive->has_blocks ? ranks : 1;
}

/* ---- metrics ----------------------------------------------------------------------------------------------------- */

cor_model_metrics cor_model_measure(const cor_model_fit *papers, int ranks)
{
    double values[COR_MODEL_VALUES];
    cor_model_values(papers, 0, ranks, values);
    double t0 = values[0], ti = values[1], tb = values[2];
    /* T(n) = 2 tb n, with x = tb n: x^2 - ti x - t0^2 = 0. */
    double half = (ti + sqrt(ti * ti + 4 * t0 * t0)) / 2;
    return (cor_model_metrics){1 / tb, half / tb, 1 / t0};
}

cor_model_peaks cor_model_measure_peaks(const cor_model_fit *papers, const cor_model_primitive *primitive,
                                        const int *ranks, int rank_count)
{
    cor_model_peaks peaks = {0};
    for (int i = 0; i < rank_count; i++) {
        cor_model_metrics metrics = cor_model_measure(papers, ranks[i]);
        double traffic = primitive->traffic(ranks[i]);
        double bandwidth = traffic * metrics.bandwidth * cor_model_message(primitive, ranks[i]);
        if (bandwidth > peaks.bandwidth) {
            peaks.bandwidth = bandwidth;
            peaks.bandwidth_ranks = ranks[i];
        }
        if (traffic * metrics.specific > peaks.specific) {
            peaks.specific = traffic * metrics.specific;
            peaks.specific_ranks = ranks[i];
        }
    }
    return peaks;
}
