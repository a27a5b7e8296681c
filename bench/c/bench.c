#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BENCH_TAG_STEER = 1000, BENCH_PAGE = 4096 };

static long bench_setting(const char *name, long fallback, long lowest)
{
    const char *text = getenv(name);
    if (!text || !*text)
        return fallback;
    char *end = NULL;
    long value = strtol(text, &end, 10);
    if (*end || value < lowest) {
        fprintf(stderr, "bench: %s is '%s'; it has to be a whole number of at least %ld\n", name, text, lowest);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return value;
}

void bench_open(bench *b, int *argc_p, char ***argv_p, int min_ranks)
{
    MPI_Init(argc_p, argv_p);
    MPI_Comm_rank(MPI_COMM_WORLD, &b->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &b->ranks);
    b->budget_s = (double)bench_setting("BENCH_MS", 200, 1) / 1e3;
    b->batches = (int)bench_setting("BENCH_BATCHES", 20, 1);
    b->rotate = (int)bench_setting("BENCH_ROTATE", 1, 1);
    b->cores = (int)bench_setting("BENCH_CORES", sysconf(_SC_NPROCESSORS_ONLN), 1);
    if (b->ranks < min_ranks) {
        fprintf(stderr, "bench: needs %d ranks, was started with %d\n", min_ranks, b->ranks);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
}

void bench_close(bench *b)
{
    (void)b;
    fflush(stdout);
    MPI_Finalize();
}

double bench_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Rank 0 tells the others how many iterations come next; 0 tells them that the row is done. */
static double bench_steer(const bench *b, bench_batch_fn run, void *state, long iterations)
{
    for (int peer = 1; peer < b->ranks; peer++)
        MPI_Send(&iterations, 1, MPI_LONG, peer, BENCH_TAG_STEER, MPI_COMM_WORLD);
    return iterations > 0 ? run(state, iterations) : 0;
}

static void bench_follow(bench_batch_fn run, void *state)
{
    for (;;) {
        long iterations = 0;
        MPI_Recv(&iterations, 1, MPI_LONG, 0, BENCH_TAG_STEER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (iterations <= 0)
            return;
        run(state, iterations);
    }
}

double bench_measure(const bench *b, bench_batch_fn run, void *state)
{
    if (b->rank != 0) {
        bench_follow(run, state);
        return 0;
    }
    double batch_s = b->budget_s / b->batches;
    double start = bench_now();
    long iterations = 1;
    double best = 0;
    /* A batch may take a little less than its share; without that slack the count would grow once more than needed.
       The second condition stops a library that is slow only from time to time. */
    for (;;) {
        double took = bench_steer(b, run, state, iterations);
        best = took / (double)iterations;
        if (took >= 0.8 * batch_s || bench_now() - start > 2 * b->budget_s)
            break;
        double wanted = took > 0 ? batch_s / took : 8;
        double growth = wanted > 8 ? 8 : wanted < 1.25 ? 1.25 : wanted;
        iterations = (long)((double)iterations * growth) + 1;
    }
    /* At least three batches; the others only while they fit into the budget, with some grace for noise. */
    start = bench_now();
    for (int i = 0; i < b->batches && (i < 3 || bench_now() - start < 2 * b->budget_s); i++) {
        double each = bench_steer(b, run, state, iterations) / (double)iterations;
        if (each < best)
            best = each;
    }
    bench_steer(b, run, state, 0);
    return best;
}

void bench_print(const bench *b, const char *name, size_t size, double value, const char *unit)
{
    if (b->rank != 0)
        return;
    printf("%s\t%zu\t%.4f\t%s\n", name, size, value, unit);
    fflush(stdout);
}

char *bench_buffers(const bench *b, size_t size, char fill)
{
    size_t bytes = bench_stride(size) * (size_t)b->rotate;
    void *buffers = NULL;
    if (posix_memalign(&buffers, BENCH_PAGE, bytes ? bytes : BENCH_PAGE)) {
        fprintf(stderr, "bench: rank %d has no memory for %d buffers of %zu bytes\n", b->rank, b->rotate, size);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    memset(buffers, fill, bytes ? bytes : BENCH_PAGE);
    return buffers;
}

void bench_verify(const bench *b, const char *name, const char *buffer, size_t size, char fill)
{
    for (size_t i = 0; i < size; i++) {
        if (buffer[i] != fill) {
            fprintf(stderr, "bench: %s: rank %d received %d instead of %d at byte %zu of %zu\n", name, b->rank,
                    buffer[i], fill, i, size);
            MPI_Abort(MPI_COMM_WORLD, 3);
        }
    }
}

size_t bench_size(const bench *b, const char *text)
{
    char *end = NULL;
    unsigned long long size = strtoull(text, &end, 10);
    if (end == text || *end || size > INT32_MAX) {
        fprintf(stderr, "bench: rank %d: '%s' is not a message size in bytes\n", b->rank, text);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return (size_t)size;
}
