/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests among all ranks by messages between two at a time.
 *
 *   ring       a token goes around all ranks: the time of one hop. With more ranks than cores it shows how fast a
 *              waiting rank gives its core away and gets it back.
 *   exchange   each rank sends to both its neighbours in a ring and receives from both, as programs do that divide a
 *              field: the time of one such step.
 *   pairs      rank i and rank i + half of them do what `rate` does, all pairs at once: the time of one pair's message.
 */
#include "bench.h"

#include <stdlib.h>

enum { GROUP_TAG = 6, GROUP_TAG_DONE = 7, GROUP_WINDOW = 64 };

typedef struct group {
    const bench_case *c;
    int left, right;
    char *outgoing, *incoming;
    size_t stride;
} group;

static group group_open(const bench_case *c, int blocks)
{
    return (group){.c = c,
                   .left = (c->b->rank + c->ranks - 1) % c->ranks,
                   .right = (c->b->rank + 1) % c->ranks,
                   .stride = bench_stride(c, blocks),
                   .outgoing = bench_buffers(c, blocks, 5),
                   .incoming = bench_buffers(c, blocks, 0)};
}

static void group_close(group *g, int blocks)
{
    bench_verify(g->c, g->incoming, blocks, 5);
    free(g->outgoing);
    free(g->incoming);
}

/* ---- ring ------------------------------------------------------------------------------------------------------- */

static void ring_laps(const group *g, long laps)
{
    MPI_Datatype type = g->c->type->handle;
    for (long i = 0; i < laps; i++) {
        if (g->c->b->rank == 0)
            MPI_Send(g->outgoing, g->c->count, type, g->right, GROUP_TAG, MPI_COMM_WORLD);
        MPI_Recv(g->incoming, g->c->count, type, g->left, GROUP_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (g->c->b->rank != 0)
            MPI_Send(g->incoming, g->c->count, type, g->right, GROUP_TAG, MPI_COMM_WORLD);
    }
}

static double ring_batch(void *state, long laps)
{
    const group *g = state;
    ring_laps(g, 1);
    double start = bench_now();
    ring_laps(g, laps);
    return bench_now() - start;
}

static void ring_run(const bench_case *c)
{
    group g = group_open(c, 1);
    bench_print_time(c, "ring", bench_measure(c, ring_batch, &g), c->ranks);
    group_close(&g, 1);
}

/* ---- exchange --------------------------------------------------------------------------------------------------- */

static void exchange_steps(const group *g, long steps)
{
    MPI_Datatype type = g->c->type->handle;
    int count = g->c->count;
    char *second = g->incoming + (size_t)count * g->c->type->extent;
    for (long i = 0; i < steps; i++) {
        MPI_Request requests[4];
        MPI_Irecv(g->incoming, count, type, g->left, GROUP_TAG, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(second, count, type, g->right, GROUP_TAG_DONE, MPI_COMM_WORLD, &requests[1]);
        MPI_Isend(g->outgoing, count, type, g->right, GROUP_TAG, MPI_COMM_WORLD, &requests[2]);
        MPI_Isend(g->outgoing, count, type, g->left, GROUP_TAG_DONE, MPI_COMM_WORLD, &requests[3]);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    }
}

static double exchange_batch(void *state, long steps)
{
    const group *g = state;
    exchange_steps(g, 1);
    double start = bench_now();
    exchange_steps(g, steps);
    return bench_now() - start;
}

static void exchange_run(const bench_case *c)
{
    group g = group_open(c, 2);
    bench_print_time(c, "exchange", bench_measure(c, exchange_batch, &g), 1);
    group_close(&g, 2);
}

/* ---- pairs ------------------------------------------------------------------------------------------------------ */

/* With an odd number of ranks the last one has no partner and only keeps step. */
static void pairs_windows(const group *g, long windows)
{
    int half = g->c->ranks / 2, rank = g->c->b->rank;
    int is_sender = rank < half, partner = is_sender ? rank + half : rank - half;
    size_t bytes = (size_t)g->c->count * g->c->type->extent;
    MPI_Request requests[GROUP_WINDOW];
    if (rank >= 2 * half)
        return;
    for (long w = 0; w < windows; w++) {
        int done = 0;
        for (int i = 0; i < GROUP_WINDOW; i++) {
            if (is_sender)
                MPI_Isend(g->outgoing + (size_t)i * bytes, g->c->count, g->c->type->handle, partner, GROUP_TAG,
                          MPI_COMM_WORLD, &requests[i]);
            else
                MPI_Irecv(g->incoming + (size_t)i * bytes, g->c->count, g->c->type->handle, partner, GROUP_TAG,
                          MPI_COMM_WORLD, &requests[i]);
        }
        MPI_Waitall(GROUP_WINDOW, requests, MPI_STATUSES_IGNORE);
        if (is_sender)
            MPI_Recv(&done, 1, MPI_INT, partner, GROUP_TAG_DONE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            MPI_Send(&done, 1, MPI_INT, partner, GROUP_TAG_DONE, MPI_COMM_WORLD);
    }
}

/* The slowest pair counts: the barrier ends when all are done. */
static double pairs_batch(void *state, long windows)
{
    const group *g = state;
    MPI_Barrier(MPI_COMM_WORLD);
    double start = bench_now();
    pairs_windows(g, windows);
    MPI_Barrier(MPI_COMM_WORLD);
    return bench_now() - start;
}

static void pairs_run(const bench_case *c)
{
    group g = group_open(c, GROUP_WINDOW);
    bench_print_time(c, "pairs", bench_measure(c, pairs_batch, &g), GROUP_WINDOW);
    int is_receiver = c->b->rank >= c->ranks / 2 && c->b->rank < c->ranks / 2 * 2;
    if (is_receiver)
        bench_verify(c, g.incoming, GROUP_WINDOW, 5);
    free(g.outgoing);
    free(g.incoming);
}

const bench_test bench_group_tests[] = {
    {"ring", "", 0, 1, 0, ring_run},
    {"exchange", "", 0, 1, 0, exchange_run},
    {"pairs", "", 0, 1, 0, pairs_run},
    {0},
};
