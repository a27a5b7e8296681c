/*
 * The time of one collective. Before each call every rank writes new numbers into all that it is going to send, and the
 * ranks meet in barriers (coll_meet); where they share cores they meet again after it, so that no rank writes while
 * others are in the call. None of it is timed. After each call one number of every block of the result is compared,
 * after a batch's last call all of them. coll_total() tells how one figure is made of the times of all ranks.
 *
 * With row- before the primitive's name calls are measured in a row instead: each follows the last at once, with the same
 * buffers and numbers, and a barrier ends a batch. The result is compared after each batch.
 *
 * Arguments: the primitive, then sizes in bytes, multiples of 8. The size is what a rank sends to one other rank: the
 * whole vector of bcast, reduce and allreduce, one block of allgather and alltoall. A barrier has the size 0.
 * Numbers are MPI_DOUBLE, reductions sum them, the root is rank 0.
 */
#include "bench.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLL_TAG_TIME = 7, COLL_ROOT = 0, COLL_PERIOD = 64, COLL_TURNS = 1024 };

typedef struct coll coll;

typedef struct {
    const char *name;
    int sends_to_all;      /* a block for every rank, or one for all */
    int receives_from_all; /* a block from every rank, or one */
    int is_sum;
    int root_sends;  /* only the root has something to send ... */
    int root_has_it; /* ... or only the root has the result */
    void (*call)(const coll *c, double *outgoing, double *incoming);
} coll_primitive;

struct coll {
    const bench *b;
    const coll_primitive *primitive;
    size_t size;
    int count; /* numbers in a block */
    size_t outgoing_bytes, incoming_bytes;
    char *outgoing, *incoming; /* b->rotate buffers each */
    long turn;                 /* calls so far, or batches of calls in a row; the same on all ranks */
};

/* ---- the primitives --------------------------------------------------------------------------------------------- */

static void coll_barrier(const coll *c, double *outgoing, double *incoming)
{
    (void)c, (void)outgoing, (void)incoming;
    MPI_Barrier(MPI_COMM_WORLD);
}

static void coll_bcast(const coll *c, double *outgoing, double *incoming)
{
    MPI_Bcast(c->b->rank == COLL_ROOT ? outgoing : incoming, c->count, MPI_DOUBLE, COLL_ROOT, MPI_COMM_WORLD);
}

static void coll_reduce(const coll *c, double *outgoing, double *incoming)
{
    MPI_Reduce(outgoing, incoming, c->count, MPI_DOUBLE, MPI_SUM, COLL_ROOT, MPI_COMM_WORLD);
}

static void coll_allreduce(const coll *c, double *outgoing, double *incoming)
{
    MPI_Allreduce(outgoing, incoming, c->count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void coll_allgather(const coll *c, double *outgoing, double *incoming)
{
    MPI_Allgather(outgoing, c->count, MPI_DOUBLE, incoming, c->count, MPI_DOUBLE, MPI_COMM_WORLD);
}

static void coll_alltoall(const coll *c, double *outgoing, double *incoming)
{
    MPI_Alltoall(outgoing, c->count, MPI_DOUBLE, incoming, c->count, MPI_DOUBLE, MPI_COMM_WORLD);
}

static const coll_primitive coll_primitives[] = {
    {.name = "barrier", .call = coll_barrier},
    {.name = "bcast", .root_sends = 1, .call = coll_bcast},
    {.name = "reduce", .is_sum = 1, .root_has_it = 1, .call = coll_reduce},
    {.name = "allreduce", .is_sum = 1, .call = coll_allreduce},
    {.name = "allgather", .receives_from_all = 1, .call = coll_allgather},
    {.name = "alltoall", .sends_to_all = 1, .receives_from_all = 1, .call = coll_alltoall},
};

/* ---- what is sent and what has to arrive ------------------------------------------------------------------------ */

/* Number i of the block that one rank sends to another in this turn is this plus i % COLL_PERIOD: different for every
   rank, block and turn, and small enough for exact sums. */
static double coll_base(const coll *c, int from, int to)
{
    long ranks = c->b->ranks;
    return (double)(((c->turn % COLL_TURNS * ranks + to) * ranks + from) * COLL_PERIOD);
}

static void coll_fill(const coll *c, double *outgoing)
{
    if (c->primitive->root_sends && c->b->rank != COLL_ROOT)
        return;
    int blocks = c->primitive->sends_to_all ? c->b->ranks : 1;
    for (int to = 0; to < blocks; to++) {
        double base = coll_base(c, c->b->rank, to);
        double *block = outgoing + (size_t)to * (size_t)c->count;
        for (int i = 0; i < c->count; i++)
            block[i] = base + (double)(i % COLL_PERIOD);
    }
}

static void coll_check_block(const coll *c, const double *block, int from, double base, int factor, int first, int end)
{
    for (int i = first; i < end; i++) {
        double wanted = base + (double)(factor * (i % COLL_PERIOD));
        if (block[i] != wanted) {
            fprintf(stderr,
                    "bench: %s of %zu bytes, call %ld: rank %d has %.0f instead of %.0f as number %d from %d\n",
                    c->primitive->name, c->size, c->turn, c->b->rank, block[i], wanted, i, from);
            MPI_Abort(MPI_COMM_WORLD, 3);
        }
    }
}

/* Compares the numbers from first to before end of every block of the result. */
static void coll_check(const coll *c, const double *incoming, int first, int end)
{
    const coll_primitive *p = c->primitive;
    if ((p->root_has_it && c->b->rank != COLL_ROOT) || (p->root_sends && c->b->rank == COLL_ROOT))
        return;
    if (p->is_sum) {
        double base = 0;
        for (int from = 0; from < c->b->ranks; from++)
            base += coll_base(c, from, 0);
        coll_check_block(c, incoming, COLL_ROOT, base, c->b->ranks, first, end);
        return;
    }
    int blocks = p->receives_from_all ? c->b->ranks : 1;
    for (int from = 0; from < blocks; from++)
        coll_check_block(c, incoming + (size_t)from * (size_t)c->count, from,
                         coll_base(c, from, p->sends_to_all ? c->b->rank : 0), 1, first, end);
}

/* ---- measuring -------------------------------------------------------------------------------------------------- */

/* When one call began and ended on a rank. All ranks of a node read the same clock. */
typedef struct {
    double start, end;
} coll_time;

enum { COLL_TIME_NUMBERS = sizeof(coll_time) / sizeof(double) };

static coll_time *coll_times(long calls)
{
    coll_time *times = malloc((size_t)calls * sizeof *times);
    if (!times) {
        fprintf(stderr, "bench: no memory for the times of %ld calls\n", calls);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return times;
}

/* A rank that has a core of its own enters with the others, so its own time counts, and the mean of all is taken. With
 * more ranks than cores one rank may sleep through the whole call of the others and find all done: then the time from
 * the first rank's start to the last rank's end counts. */
static double coll_total(const coll *c, coll_time *times, long calls)
{
    const bench *b = c->b;
    int numbers = (int)calls * COLL_TIME_NUMBERS;
    if (b->rank != 0) {
        MPI_Send(times, numbers, MPI_DOUBLE, 0, COLL_TAG_TIME, MPI_COMM_WORLD);
        return 0;
    }
    double sum = 0;
    for (long i = 0; i < calls; i++)
        sum += times[i].end - times[i].start;
    coll_time *others = coll_times(calls);
    for (int peer = 1; peer < b->ranks; peer++) {
        MPI_Recv(others, numbers, MPI_DOUBLE, peer, COLL_TAG_TIME, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (long i = 0; i < calls; i++) {
            sum += others[i].end - others[i].start;
            times[i].start = others[i].start < times[i].start ? others[i].start : times[i].start;
            times[i].end = others[i].end > times[i].end ? others[i].end : times[i].end;
        }
    }
    free(others);
    double span = 0;
    for (long i = 0; i < calls; i++)
        span += times[i].end - times[i].start;
    return b->ranks > b->cores ? span : sum / b->ranks;
}

/* Ranks that come to a barrier at different times leave it at different times too, and the call that follows would
 * count that as its own. Those who have a core each meet twice: they come to the second barrier together. */
static void coll_meet(const coll *c)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (c->b->ranks <= c->b->cores)
        MPI_Barrier(MPI_COMM_WORLD);
}

static double coll_batch(void *state, long calls)
{
    coll *c = state;
    coll_time *times = coll_times(calls);
    double *incoming = NULL;
    for (long i = 0; i < calls; i++) {
        c->turn++;
        double *outgoing = (double *)(void *)bench_buffer(c->b, c->outgoing, c->outgoing_bytes, c->turn);
        incoming = (double *)(void *)bench_buffer(c->b, c->incoming, c->incoming_bytes, c->turn);
        coll_fill(c, outgoing);
        coll_meet(c);
        times[i].start = bench_now();
        c->primitive->call(c, outgoing, incoming);
        times[i].end = bench_now();
        if (c->b->ranks > c->b->cores)
            MPI_Barrier(MPI_COMM_WORLD);
        if (c->count > 0)
            coll_check(c, incoming, (int)(c->turn % c->count), (int)(c->turn % c->count) + 1);
    }
    coll_check(c, incoming, 0, c->count);
    double total = coll_total(c, times, calls);
    free(times);
    return total;
}

static double coll_row_batch(void *state, long calls)
{
    coll *c = state;
    c->turn++;
    coll_fill(c, (double *)(void *)c->outgoing);
    coll_meet(c);
    double start = bench_now();
    for (long i = 0; i < calls; i++)
        c->primitive->call(c, (double *)(void *)bench_buffer(c->b, c->outgoing, c->outgoing_bytes, i),
                           (double *)(void *)bench_buffer(c->b, c->incoming, c->incoming_bytes, i));
    MPI_Barrier(MPI_COMM_WORLD);
    double took = bench_now() - start;
    if (calls > 0)
        coll_check(c, (double *)(void *)c->incoming, 0, c->count);
    return took;
}

static void coll_measure(const bench *b, const coll_primitive *primitive, int is_row, size_t size)
{
    coll c = {.b = b, .primitive = primitive, .size = size, .count = (int)(size / sizeof(double))};
    c.outgoing_bytes = size * (size_t)(primitive->sends_to_all ? b->ranks : 1);
    c.incoming_bytes = size * (size_t)(primitive->receives_from_all ? b->ranks : 1);
    c.outgoing = bench_buffers(b, c.outgoing_bytes, 0);
    c.incoming = bench_buffers(b, c.incoming_bytes, 0);
    double call_s = bench_measure(b, is_row ? coll_row_batch : coll_batch, &c);
    char name[32];
    snprintf(name, sizeof name, "coll%d-%s%s", b->ranks, is_row ? "row-" : "", primitive->name);
    bench_print(b, name, size, call_s * 1e6, "us");
    free(c.outgoing);
    free(c.incoming);
}

static const coll_primitive *coll_find(const char *name)
{
    for (size_t i = 0; i < sizeof coll_primitives / sizeof coll_primitives[0]; i++)
        if (!strcmp(name, coll_primitives[i].name))
            return &coll_primitives[i];
    return NULL;
}

int main(int argc, char **argv)
{
    bench b;
    bench_open(&b, &argc, &argv, 2);
    const char *name = argc > 1 ? argv[1] : "";
    int is_row = strncmp(name, "row-", 4) == 0;
    const coll_primitive *primitive = coll_find(is_row ? name + 4 : name);
    if (!primitive) {
        fprintf(stderr, "bench: rank %d: '%s' is not a collective that is measured\n", b.rank, name);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (int i = 2; i < argc; i++)
        coll_measure(&b, primitive, is_row, bench_size(&b, argv[i]));
    bench_close(&b);
    return 0;
}
