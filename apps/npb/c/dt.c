/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DT, data traffic: a graph of tasks, one on each rank. Sources make arrays of features, comparators filter what
 * arrives and pass it on, sinks reduce it to a number. The graph is BH, a black hole that gathers; WH, a white hole
 * that spreads; or SH, a shuffle (dt_graph.h). Little is computed; along each edge goes a length, then an array.
 *
 * Arguments: class and graph. The job needs a rank for each node of the graph; others are idle.
 */
#include "dt_filter.h"
#include "dt_graph.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { DT_TAG_SUM = 1 << 14 /* above those of edges */, DT_CHECKED_CLASSES = 4 };

static const int dt_samples[] = {1728, 1728 * 8, 1728 * 64, 1728 * 512, 1728 * 4096};
static const int dt_deviations[] = {128, 256, 512, 1024, 2048};
static const int dt_sources[] = {4, 8, 16, 32, 64};

/* By graph, for classes S, W, A, B; the specification has none for C, which is not verified. */
static const double dt_checksums[][DT_CHECKED_CLASSES] = {{30892725, 4102461, 17809491, 4317114},
                                                          {67349758, 204280762, 1289925229, 7877279917.0},
                                                          {58875767, 186944764, 610856482, 1836863082}};
static const double dt_tolerance = 1e-8; /* absolute */

/* ---- what sources make: powers of small numbers, modulo primes; products wrap as 32-bit integers do -------------- */

static int dt_times(int a, int b)
{
    return (int)((uint32_t)a * (uint32_t)b);
}

static int dt_power(int base, int exponent, int modulus)
{
    int result = 1, square = base;
    for (int n = abs(exponent); n > 1;) {
        if (n % 2 == 0) {
            square = dt_times(square, square) % modulus;
            n /= 2;
        } else {
            result = dt_times(result, square) % modulus;
            n--;
        }
    }
    return exponent == 0 ? 1 : dt_times(result, square) % modulus;
}

static int dt_sample_count(const npb_job *job, int node)
{
    double random = lcg_number(lcg_times(2 * (uint64_t)node + 1, LCG_SEED));
    int deviation = dt_deviations[job->index];
    int more = dt_power(dt_times((int)(1 / random), 'S'), 2 * node + 1, 2 * deviation);
    return dt_samples[job->index] - deviation + abs(more);
}

static dt_features dt_draw(const npb_job *job, int node)
{
    int length = dt_sample_count(job, node) * DT_FIELDS;
    int exponent = dt_times(length, node + 1) % 3141592;
    int x = dt_power(2, exponent, 421), y = dt_power(2, exponent, 419);
    int z = dt_power(2, exponent, 1427), f = dt_power(5, exponent, 3527);
    dt_features features = {length, npb_alloc(job, (size_t)length, sizeof(double))};
    for (double *to = features.values; to < features.values + length; to += DT_FIELDS) {
        x = x * 2 % 421;
        y = y * 2 % 419;
        z = z * 2 % 1427;
        f = f * 5 % 3527;
        to[0] = x;
        to[1] = y;
        to[2] = z;
        to[3] = f;
    }
    return features;
}

/* ---- what nodes do ----------------------------------------------------------------------------------------------- */

static void dt_send(const dt_graph *graph, int node, const dt_features *features)
{
    for (int edge = 0; edge < graph->edges; edge++)
        if (graph->tails[edge] == node) {
            MPI_Send(&features->length, 1, MPI_INT, graph->heads[edge], edge, MPI_COMM_WORLD);
            MPI_Send(features->values, features->length, MPI_DOUBLE, graph->heads[edge], edge, MPI_COMM_WORLD);
        }
}

static dt_features dt_receive(const npb_job *job, const dt_graph *graph, int edge)
{
    dt_features features = {0};
    int from = graph->tails[edge];
    MPI_Recv(&features.length, 1, MPI_INT, from, edge, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    features.values = npb_alloc(job, (size_t)features.length, sizeof(double));
    MPI_Recv(features.values, features.length, MPI_DOUBLE, from, edge, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return features;
}

static void dt_compare(const npb_job *job, const dt_graph *graph, int node, int inputs)
{
    int length = dt_samples[job->index] * DT_FIELDS;
    dt_features result = {length, npb_alloc(job, (size_t)length, sizeof(double))};
    for (int edge = 0; edge < graph->edges; edge++)
        if (graph->heads[edge] == node) {
            dt_features input = dt_receive(job, graph, edge);
            dt_filter_apply(job, &result, &input, node);
            free(input.values);
        }
    for (int i = 0; i < result.length; i++) {
        const int mean = (int)result.values[i] / inputs;
        result.values[i] = mean;
    }
    dt_send(graph, node, &result);
    free(result.values);
}

static void dt_sink(const npb_job *job, const dt_graph *graph, int node, int inputs)
{
    double sum = 0;
    for (int edge = 0; edge < graph->edges; edge++)
        if (graph->heads[edge] == node) {
            dt_features input = dt_receive(job, graph, edge);
            sum += (int)((node + 1) * dt_filter_mean_square(&input));
            free(input.values);
        }
    const int64_t mean = (int64_t)sum / inputs;
    sum = (node + 1) * (double)mean;
    MPI_Send(&sum, 1, MPI_DOUBLE, 0, DT_TAG_SUM, MPI_COMM_WORLD);
}

static void dt_work(const npb_job *job, const dt_graph *graph, int node)
{
    int inputs = dt_graph_degree(graph->heads, graph->edges, node);
    if (inputs == 0) {
        dt_features features = dt_draw(job, node);
        dt_send(graph, node, &features);
        free(features.values);
    } else if (dt_graph_degree(graph->tails, graph->edges, node) > 0) {
        dt_compare(job, graph, node, inputs);
    } else {
        dt_sink(job, graph, node, inputs);
    }
}

/* The sum of what the sinks have sent. */
static double dt_collect(const dt_graph *graph)
{
    double sum = 0;
    for (int node = 0; node < graph->nodes; node++)
        if (dt_graph_degree(graph->tails, graph->edges, node) == 0) {
            double one;
            MPI_Recv(&one, 1, MPI_DOUBLE, node, DT_TAG_SUM, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            sum += one;
        }
    return sum;
}

static int dt_is_right(const npb_job *job, const dt_graph *graph, double sum)
{
    npb_say(job, " checksum %.1f", sum);
    if (job->index < DT_CHECKED_CLASSES)
        return fabs(sum - dt_checksums[graph->kind][job->index]) < dt_tolerance;
    npb_say(job, " The specification has no checksum of class %c.", job->letter);
    return 0;
}

static void dt_run(npb_job *job, const dt_graph *graph)
{
    int features = dt_samples[job->index] * DT_FIELDS;
    char size[32];
    snprintf(size, sizeof size, "%d", features);
    npb_title(job, size, graph->nodes);
    npb_say(job, " Graph: %s, %d nodes, %d edges\n", graph->name, graph->nodes, graph->edges);

    npb_timer_start(job);
    if (job->rank < graph->nodes)
        dt_work(job, graph, job->rank);
    double sum = job->rank == 0 ? dt_collect(graph) : 0;
    double seconds = npb_timer_stop(job);

    double bytes = (double)features * graph->edges / 1048576;
    npb_report(job, size, graph->nodes, seconds, bytes * 1e6, "bytes transmitted", dt_is_right(job, graph, sum));
}

int main(int argc, char **argv)
{
    npb_job job;
    dt_graph graph;
    npb_start(&job, "DT", &argc, &argv);
    const char *name = job.word_count > 0 ? job.words[0] : "BH";
    if (npb_accepts(&job, dt_graph_find(name) >= 0, "the graph is '%s'; graphs are BH, WH and SH", name)) {
        dt_graph_build(&graph, dt_graph_find(name), dt_sources[job.index]);
        npb_accepts(&job, graph.nodes <= job.size, "the number of ranks is %d; graph %s of class %c needs at least %d",
                    job.size, graph.name, job.letter, graph.nodes);
    }
    if (job.is_fine)
        dt_run(&job, &graph);
    return npb_end(&job);
}
