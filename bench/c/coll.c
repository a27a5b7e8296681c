/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The time of one collective call, measured both ways, since a library can be good at one and bad at the other:
 *
 *   apart   Before each call every rank writes new numbers into all that it is going to send, and the ranks meet in
 *           barriers (coll_meet); where they share cores they meet again after it, so that no rank writes while others
 *           are in the call. None of that is timed. After each call one number of every block of the result is
 *           compared, after a batch's last call all of them. coll_total() tells how one time is made of the times of
 *           all ranks.
 *   row     Each call follows the last at once, with the same buffers and numbers, and a barrier ends a batch. The
 *           result is compared after each batch.
 *
 * The size is what a rank sends to one other rank: the whole vector of bcast, reduce, allreduce and the scans, one
 * block of the others. Reductions sum, the root is rank 0, calls with counts (gatherv and so on) have equal blocks.
 */
#include "bench.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { COLL_TAG_TIME = 7, COLL_ROOT = 0, COLL_PERIOD = 64, COLL_TURNS = 16 };

typedef struct coll coll;

/* Which ranks' blocks are summed. */
typedef enum coll_sum { COLL_NO_SUM, COLL_SUM_ALL, COLL_SUM_UP_TO_ME, COLL_SUM_BEFORE_ME } coll_sum;

typedef struct coll_primitive {
    const char *name;
    void (*call)(const coll *c, void *outgoing, void *incoming);
    int sends_to_all;      /* a block for every rank, or one for all */
    int receives_from_all; /* a block from every rank, or one */
    coll_sum sum;
    int root_sends; /* only the root has something to send ... */
    int root_gets;  /* ... or only the root has the result */
} coll_primitive;

struct coll {
    const bench_case *c;
    const coll_primitive *primitive;
    int out_blocks, in_blocks;
    size_t out_stride, in_stride;
    char *outgoing, *incoming; /* as many as are used in turn, each */
    int *counts, *starts;      /* for calls with counts */
    long turn;                 /* calls so far, or batches of calls in a row; the same on all ranks */
};

/* ---- the primitives --------------------------------------------------------------------------------------------- */

#define COLL_WORLD MPI_COMM_WORLD
#define COLL_TYPE (c->c->type->handle)
#define COLL_COUNT (c->c->count)
#define COLL_CALL(name) static void coll_##name(const coll *c, void *outgoing, void *incoming)

COLL_CALL(barrier)
{
    (void)c, (void)outgoing, (void)incoming;
    MPI_Barrier(COLL_WORLD);
}

COLL_CALL(bcast)
{
    MPI_Bcast(c->c->b->rank == COLL_ROOT ? outgoing : incoming, COLL_COUNT, COLL_TYPE, COLL_ROOT, COLL_WORLD);
}

COLL_CALL(gather)
{
    MPI_Gather(outgoing, COLL_COUNT, COLL_TYPE, incoming, COLL_COUNT, COLL_TYPE, COLL_ROOT, COLL_WORLD);
}

COLL_CALL(gatherv)
{
    MPI_Gatherv(outgoing, COLL_COUNT, COLL_TYPE, incoming, c->counts, c->starts, COLL_TYPE, COLL_ROOT, COLL_WORLD);
}

COLL_CALL(scatter)
{
    MPI_Scatter(outgoing, COLL_COUNT, COLL_TYPE, incoming, COLL_COUNT, COLL_TYPE, COLL_ROOT, COLL_WORLD);
}

COLL_CALL(scatterv)
{
    MPI_Scatterv(outgoing, c->counts, c->starts, COLL_TYPE, incoming, COLL_COUNT, COLL_TYPE, COLL_ROOT, COLL_WORLD);
}

COLL_CALL(allgather)
{
    MPI_Allgather(outgoing, COLL_COUNT, COLL_TYPE, incoming, COLL_COUNT, COLL_TYPE, COLL_WORLD);
}

COLL_CALL(allgatherv)
{
    MPI_Allgatherv(outgoing, COLL_COUNT, COLL_TYPE, incoming, c->counts, c->starts, COLL_TYPE, COLL_WORLD);
}

COLL_CALL(alltoall)
{
    MPI_Alltoall(outgoing, COLL_COUNT, COLL_TYPE, incoming, COLL_COUNT, COLL_TYPE, COLL_WORLD);
}

COLL_CALL(alltoallv)
{
    MPI_Alltoallv(outgoing, c->counts, c->starts, COLL_TYPE, incoming, c->counts, c->starts, COLL_TYPE, COLL_WORLD);
}

COLL_CALL(reduce)
{
    MPI_Reduce(outgoing, incoming, COLL_COUNT, COLL_TYPE, MPI_SUM, COLL_ROOT, COLL_WORLD);
}

COLL_CALL(allreduce)
{
    MPI_Allreduce(outgoing, incoming, COLL_COUNT, COLL_TYPE, MPI_SUM, COLL_WORLD);
}

COLL_CALL(reduce_scatter)
{
    MPI_Reduce_scatter(outgoing, incoming, c->counts, COLL_TYPE, MPI_SUM, COLL_WORLD);
}

COLL_CALL(reduce_scatter_block)
{
    MPI_Reduce_scatter_block(outgoing, incoming, COLL_COUNT, COLL_TYPE, MPI_SUM, COLL_WORLD);
}

COLL_CALL(scan)
{
    MPI_Scan(outgoing, incoming, COLL_COUNT, COLL_TYPE, MPI_SUM, COLL_WORLD);
}

COLL_CALL(exscan)
{
    MPI_Exscan(outgoing, incoming, COLL_COUNT, COLL_TYPE, MPI_SUM, COLL_WORLD);
}

static const coll_primitive coll_primitives[] = {
    {"barrier", coll_barrier, 0, 0, COLL_NO_SUM, 0, 0},
    {"bcast", coll_bcast, 0, 0, COLL_NO_SUM, 1, 0},
    {"gather", coll_gather, 0, 1, COLL_NO_SUM, 0, 1},
    {"gatherv", coll_gatherv, 0, 1, COLL_NO_SUM, 0, 1},
    {"scatter", coll_scatter, 1, 0, COLL_NO_SUM, 1, 0},
    {"scatterv", coll_scatterv, 1, 0, COLL_NO_SUM, 1, 0},
    {"allgather", coll_allgather, 0, 1, COLL_NO_SUM, 0, 0},
    {"allgatherv", coll_allgatherv, 0, 1, COLL_NO_SUM, 0, 0},
    {"alltoall", coll_alltoall, 1, 1, COLL_NO_SUM, 0, 0},
    {"alltoallv", coll_alltoallv, 1, 1, COLL_NO_SUM, 0, 0},
    {"reduce", coll_reduce, 0, 0, COLL_SUM_ALL, 0, 1},
    {"allreduce", coll_allreduce, 0, 0, COLL_SUM_ALL, 0, 0},
    {"reduce_scatter", coll_reduce_scatter, 1, 0, COLL_SUM_ALL, 0, 0},
    {"reduce_scatter_block", coll_reduce_scatter_block, 1, 0, COLL_SUM_ALL, 0, 0},
    {"scan", coll_scan, 0, 0, COLL_SUM_UP_TO_ME, 0, 0},
    {"exscan", coll_exscan, 0, 0, COLL_SUM_BEFORE_ME, 0, 0},
};

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

/* Number i of a block is base + factor * (i % COLL_PERIOD), in the block's own type. */
#define COLL_NUMBERS(name, type)                                                                                      \
    static void coll_fill_##name(char *at, size_t step, int count, uint64_t base)                                     \
    {                                                                                                                 \
        for (int i = 0; i < count; i++)                                                                               \
            *(type *)(void *)(at + (size_t)i * step) = (type)(base + (uint64_t)(i % COLL_PERIOD));                    \
    }                                                                                                                 \
    static int coll_compare_##name(const char *at, size_t step, int first, int end, uint64_t base, uint64_t factor)   \
    {                                                                                                                 \
        for (int i = first; i < end; i++)                                                                             \
            if (*(const type *)(const void *)(at + (size_t)i * step) !=                                               \
                (type)(base + factor * (uint64_t)(i % COLL_PERIOD)))                                                  \
                return i;                                                                                             \
        return -1;                                                                                                    \
    }
COLL_NUMBERS(double, double)
COLL_NUMBERS(int, int)
COLL_NUMBERS(byte, uint8_t)

static void coll_fill_block(const coll *c, char *at, uint64_t base)
{
    const bench_type *type = c->c->type;
    if (type->bytes == sizeof(double))
        coll_fill_double(at, type->extent, c->c->count, base);
    else if (type->bytes == sizeof(int))
        coll_fill_int(at, type->extent, c->c->count, base);
    else
        coll_fill_byte(at, type->extent, c->c->count, base);
}

static void coll_check_block(const coll *c, const char *at, int from, uint64_t base, int factor, int first, int end)
{
    const bench_type *type = c->c->type;
    int at_fault =
        type->bytes == sizeof(double) ? coll_compare_double(at, type->extent, first, end, base, (uint64_t)factor)
        : type->bytes == sizeof(int)  ? coll_compare_int(at, type->extent, first, end, base, (uint64_t)factor)
                                      : coll_compare_byte(at, type->extent, first, end, base, (uint64_t)factor);
    if (at_fault >= 0)
        bench_fail("%s of %zu bytes, call %ld: rank %d has a wrong number %d from %d", c->primitive->name, c->c->bytes,
                   c->turn, c->c->b->rank, at_fault, from);
}

/* Different for every rank, block and turn, and small enough for exact sums. */
static uint64_t coll_base(const coll *c, int from, int to)
{
    uint64_t ranks = (uint64_t)c->c->ranks;
    return (((uint64_t)(c->turn % COLL_TURNS) * ranks + (uint64_t)to) * ranks + (uint64_t)from) * COLL_PERIOD;
}

static void coll_fill(const coll *c, char *outgoing)
{
    if (c->primitive->root_sends && c->c->b->rank != COLL_ROOT)
        return;
    size_t block = (size_t)c->c->count * c->c->type->extent;
    for (int to = 0; to < c->out_blocks; to++)
        coll_fill_block(c, outgoing + (size_t)to * block, coll_base(c, c->c->b->rank, to));
}

static void coll_check_sum(const coll *c, const char *incoming, int first, int end)
{
    const coll_primitive *p = c->primitive;
    int me = c->c->b->rank, to = p->sends_to_all ? me : 0;
    int ranks = p->sum == COLL_SUM_ALL ? c->c->ranks : p->sum == COLL_SUM_UP_TO_ME ? me + 1 : me;
    uint64_t base = 0;
    for (int from = 0; from < ranks; from++)
        base += coll_base(c, from, to);
    if (ranks > 0)
        coll_check_block(c, incoming, COLL_ROOT, base, ranks, first, end);
}

/* Compares the numbers from first to before end of every block of the result. */
static void coll_check(const coll *c, const char *incoming, int first, int end)
{
    const coll_primitive *p = c->primitive;
    int me = c->c->b->rank;
    size_t block = (size_t)c->c->count * c->c->type->extent;
    if ((p->root_gets && me != COLL_ROOT) || (p->call == coll_bcast && me == COLL_ROOT))
        return;
    if (p->sum != COLL_NO_SUM) {
        coll_check_sum(c, incoming, first, end);
        return;
    }
    for (int from = 0; from < c->in_blocks; from++)
        coll_check_block(c, incoming + (size_t)from * block, from, coll_base(c, from, p->sends_to_all ? me : 0), 1,
                         first, end);
}

/* ---- measuring -------------------------------------------------------------------------------------------------- */

/* When one call began and ended on a rank. All ranks of a node read the same clock. */
typedef struct coll_time {
    double start, end;
} coll_time;

enum { COLL_TIME_NUMBERS = sizeof(coll_time) / sizeof(double) };

/* A rank that has a core of its own enters with the others, so its own time counts, and the mean of all is taken. With
 * more ranks than cores one rank may sleep through the whole call of the others and find all done: then the time from
 * the first rank's start to the last rank's end counts. */
static double coll_total(const coll *c, coll_time *times, long calls)
{
    const bench_case *k = c->c;
    int numbers = (int)calls * COLL_TIME_NUMBERS;
    if (k->b->rank != 0) {
        MPI_Send(times, numbers, MPI_DOUBLE, 0, COLL_TAG_TIME, MPI_COMM_WORLD);
        return 0;
    }
    double sum = 0, span = 0;
    for (long i = 0; i < calls; i++)
        sum += times[i].end - times[i].start;
    coll_time *others = bench_memory((size_t)calls * sizeof *others);
    for (int peer = 1; peer < k->ranks; peer++) {
        MPI_Recv(others, numbers, MPI_DOUBLE, peer, COLL_TAG_TIME, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (long i = 0; i < calls; i++) {
            sum += others[i].end - others[i].start;
            times[i].start = others[i].start < times[i].start ? others[i].start : times[i].start;
            times[i].end = others[i].end > times[i].end ? others[i].end : times[i].end;
        }
    }
    free(others);
    for (long i = 0; i < calls; i++)
        span += times[i].end - times[i].start;
    return k->ranks > k->b->cores ? span : sum / k->ranks;
}

/* Ranks that come to a barrier at different times leave it at different times too, and the call that follows would
 * count that as its own. Ranks that have a core each meet twice: they come to the second barrier together. */
static void coll_meet(const coll *c)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (c->c->ranks <= c->c->b->cores)
        MPI_Barrier(MPI_COMM_WORLD);
}

static double coll_apart_batch(void *state, long calls)
{
    coll *c = state;
    int count = c->c->count;
    coll_time *times = bench_memory((size_t)calls * sizeof *times);
    char *incoming = c->incoming;
    for (long i = 0; i < calls; i++) {
        c->turn++;
        char *outgoing = bench_buffer(c->c, c->outgoing, c->out_stride, c->turn);
        incoming = bench_buffer(c->c, c->incoming, c->in_stride, c->turn);
        coll_fill(c, outgoing);
        coll_meet(c);
        times[i].start = bench_now();
        c->primitive->call(c, outgoing, incoming);
        times[i].end = bench_now();
        if (c->c->ranks > c->c->b->cores)
            MPI_Barrier(MPI_COMM_WORLD);
        if (count > 0)
            coll_check(c, incoming, (int)(c->turn % count), (int)(c->turn % count) + 1);
    }
    coll_check(c, incoming, 0, count);
    double total = coll_total(c, times, calls);
    free(times);
    return total;
}

static double coll_row_batch(void *state, long calls)
{
    coll *c = state;
    c->turn++;
    for (int i = 0; i < c->c->b->rotate; i++)
        coll_fill(c, c->outgoing + (size_t)i * c->out_stride);
    coll_meet(c);
    double start = bench_now();
    for (long i = 0; i < calls; i++)
        c->primitive->call(c, bench_buffer(c->c, c->outgoing, c->out_stride, i),
                           bench_buffer(c->c, c->incoming, c->in_stride, i));
    MPI_Barrier(MPI_COMM_WORLD);
    double took = bench_now() - start;
    coll_check(c, bench_buffer(c->c, c->incoming, c->in_stride, calls - 1), 0, c->c->count);
    return took;
}

static const coll_primitive *coll_find(const char *name)
{
    const coll_primitive *p = coll_primitives;
    while (strcmp(name, p->name) != 0)
        p++;
    return p;
}

static int *coll_numbers(int ranks, int step)
{
    int *numbers = bench_memory((size_t)ranks * sizeof *numbers);
    for (int i = 0; i < ranks; i++)
        numbers[i] = step * i;
    return numbers;
}

static void coll_run(const bench_case *k)
{
    coll c = {.c = k, .primitive = coll_find(k->test->name)};
    if (c.primitive->sum != COLL_NO_SUM && (k->type->bytes == 1 || k->type->extent != k->type->bytes))
        bench_fail("%s sums numbers, which type %s has not", k->test->name, k->type->name);
    c.out_blocks = c.primitive->sends_to_all ? k->ranks : 1;
    c.in_blocks = c.primitive->receives_from_all ? k->ranks : 1;
    c.out_stride = bench_stride(k, c.out_blocks);
    c.in_stride = bench_stride(k, c.in_blocks);
    c.outgoing = bench_buffers(k, c.out_blocks, 0);
    c.incoming = bench_buffers(k, c.in_blocks, 0);
    c.starts = coll_numbers(k->ranks, k->count);
    c.counts = coll_numbers(k->ranks, 0);
    for (int i = 0; i < k->ranks; i++)
        c.counts[i] = k->count;
    int is_row = strcmp(k->mode, "row") == 0;
    bench_print_time(k, k->test->name, bench_measure(k, is_row ? coll_row_batch : coll_apart_batch, &c), 1);
    free(c.outgoing);
    free(c.incoming);
    free(c.starts);
    free(c.counts);
}

#define COLL_TEST(name, is_sized)                                                                                     \
    {                                                                                                                 \
        name, "apart row", 0, is_sized, 0, coll_run                                                                   \
    }
const bench_test bench_coll_tests[] = {
    COLL_TEST("barrier", 0),
    COLL_TEST("bcast", 1),
    COLL_TEST("gather", 1),
    COLL_TEST("gatherv", 1),
    COLL_TEST("scatter", 1),
    COLL_TEST("scatterv", 1),
    COLL_TEST("allgather", 1),
    COLL_TEST("allgatherv", 1),
    COLL_TEST("alltoall", 1),
    COLL_TEST("alltoallv", 1),
    COLL_TEST("reduce", 1),
    COLL_TEST("allreduce", 1),
    COLL_TEST("reduce_scatter", 1),
    COLL_TEST("reduce_scatter_block", 1),
    COLL_TEST("scan", 1),
    COLL_TEST("exscan", 1),
    {0},
};
