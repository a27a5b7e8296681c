/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory: what a rank takes after every rank has talked to every other one, in KiB: its share of the pages of all
 * processes (Pss), the mean over the ranks. `start` before the first message, `all` after an exchange of messages of
 * the case's size between all pairs. The program itself takes some 200 KiB of it.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORY_TAG = 9 };

/* 0: the kernel does not tell. */
static double memory_share(void)
{
    char line[256];
    double kib = 0;
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "Pss:", 4) == 0)
            kib = atof(line + 4);
    if (file)
        fclose(file);
    return kib;
}

static void memory_exchange(const bench_case *c)
{
    char *outgoing = bench_buffers(c, 1, 1), *incoming = bench_buffers(c, 1, 0);
    for (int distance = 1; distance < c->ranks; distance++)
        MPI_Sendrecv(outgoing, c->count, c->type->handle, (c->b->rank + distance) % c->ranks, MEMORY_TAG, incoming,
                     c->count, c->type->handle, (c->b->rank - distance + c->ranks) % c->ranks, MEMORY_TAG,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    free(outgoing);
    free(incoming);
}

static void memory_run(const bench_case *c)
{
    if (strcmp(c->mode, "all") == 0)
        memory_exchange(c);
    double mine = memory_share(), sum = 0;
    MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    bench_print(c, "memory", "KiB", sum / c->ranks, sum / c->ranks, 1);
}

const bench_test bench_memory_tests[] = {
    {"memory", "start all", 0, 1, 0, memory_run},
    {0},
};
