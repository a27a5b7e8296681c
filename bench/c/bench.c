/* SPDX-License-Identifier: Apache-2.0 */
/* Measuring, and what the tests share. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BENCH_TAG_STEER = 1000, BENCH_PAGE = 4096, BENCH_BATCHES_MIN = 5, BENCH_BATCHES_MAX = 1000 };

void bench_fail(const char *format, ...)
{
    va_list words;
    va_start(words, format);
    fputs("bench: ", stderr);
    vfprintf(stderr, format, words);
    fputc('\n', stderr);
    va_end(words);
    MPI_Abort(MPI_COMM_WORLD, 3);
    abort(); /* not reached */
}

double bench_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- measuring -------------------------------------------------------------------------------------------------- */

/* Rank 0 tells the others how many iterations come next; 0 tells them that the result is there. */
static double bench_steer(const bench_case *c, bench_batch_fn run, void *state, long iterations)
{
    for (int peer = 1; peer < c->ranks; peer++)
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

/* How many iterations fill a batch. A batch may take a little less than its share; without that slack the count would
 * grow once more than needed. The second condition stops a library that is slow only from time to time. */
static long bench_warm_up(const bench_case *c, bench_batch_fn run, void *state, double batch_s)
{
    double start = bench_now();
    for (long iterations = 1;;) {
        double took = bench_steer(c, run, state, iterations);
        if (took >= 0.8 * batch_s || bench_now() - start > 2 * c->b->budget_s)
            return iterations;
        double wanted = took > 0 ? batch_s / took : 8;
        double growth = wanted > 8 ? 8 : wanted < 1.25 ? 1.25 : wanted;
        iterations = (long)((double)iterations * growth) + 1;
    }
}

/* Into an ascending array of `count`. */
static void bench_insert(double *sorted, int count, double value)
{
    int i = count;
    for (; i > 0 && sorted[i - 1] > value; i--)
        sorted[i] = sorted[i - 1];
    sorted[i] = value;
}

bench_time bench_measure(const bench_case *c, bench_batch_fn run, void *state)
{
    const bench *b = c->b;
    if (b->rank != 0) {
        bench_follow(run, state);
        return (bench_time){0};
    }
    double samples[BENCH_BATCHES_MAX] = {0};
    int count = 0;
    long iterations = bench_warm_up(c, run, state, b->budget_s / b->batches);
    double start = bench_now();
    while (count < b->batches && (count < 3 || bench_now() - start < 2 * b->budget_s)) {
        double each = bench_steer(c, run, state, iterations) / (double)iterations;
        bench_insert(samples, count++, each);
        if (count >= BENCH_BATCHES_MIN && samples[count / 2] <= samples[0] * (1 + b->agree / 100))
            break;
    }
    bench_steer(c, run, state, 0);
    return (bench_time){samples[0], samples[count / 2], count};
}

void bench_print(const bench_case *c, const char *name, const char *unit, double minimum, double median, int samples)
{
    if (c->b->rank != 0)
        return;
    printf("%s\t%s\t%s\t%zu\t%s\t%.6g\t%.6g\t%d\n", name, c->test->is_any_size ? "" : c->type->name, c->mode, c->bytes,
           unit, minimum, median, samples);
    fflush(stdout);
}

void bench_print_time(const bench_case *c, const char *name, bench_time time, double parts)
{
    bench_print(c, name, "us", time.minimum / parts * 1e6, time.median / parts * 1e6, time.samples);
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

void *bench_memory(size_t bytes)
{
    void *memory = NULL;
    if (posix_memalign(&memory, BENCH_PAGE, bytes ? bytes : BENCH_PAGE))
        bench_fail("no memory for %zu bytes", bytes);
    return memory;
}

/* Buffers start on a page of their own. */
size_t bench_stride(const bench_case *c, int blocks)
{
    size_t bytes = (size_t)c->count * c->type->extent * (size_t)blocks;
    return (bytes + BENCH_PAGE - 1) / BENCH_PAGE * BENCH_PAGE;
}

char *bench_buffers(const bench_case *c, int blocks, char fill)
{
    size_t bytes = bench_stride(c, blocks) * (size_t)c->b->rotate;
    char *buffers = bench_memory(bytes);
    memset(buffers, fill, bytes);
    return buffers;
}

void bench_verify(const bench_case *c, const char *buffer, int blocks, char fill)
{
    size_t elements = (size_t)c->count * (size_t)blocks;
    for (size_t i = 0; i < elements; i++)
        for (size_t k = 0; k < c->type->bytes; k++)
            if (buffer[i * c->type->extent + k] != fill)
                bench_fail("%s of %zu bytes: rank %d received %d instead of %d in element %zu", c->test->name,
                           c->bytes, c->b->rank, buffer[i * c->type->extent + k], fill, i);
}
