/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests between two ranks.
 *
 *   pingpong   a message goes there and one comes back: half of that time. How often rank 0 went to sleep in a round is
 *              printed too, which tells a library that sleeps from one that spins.
 *   pingping   both send at once, then both receive: the time of one such exchange.
 *   stream     rank 0 starts a window of non-blocking sends, rank 1 the receives, a short message back ends the window:
 *              the time of one message. The CPU time of both ranks for 10^9 bytes is printed too.
 *   bistream   the same in both directions at once: the time in which one message went each way.
 *   rate       as stream, with a window of 64 and a buffer for every message, so that only the messages are shared.
 *   overlap    a message goes while its sender computes for as long as it takes: the percentage of the transfer that
 *              was not hidden behind the computation.
 *
 * Like the usual micro-benchmarks every message of a window of `stream` uses the same buffer, so what is measured is
 * the library and the caches, not the main memory; BENCH_ROTATE=16 gives each message of a window a buffer of its own.
 */
#define _DEFAULT_SOURCE
#include "bench.h"

#include <stdlib.h>
#include <sys/resource.h>

enum { PAIR_TAG = 1, PAIR_TAG_DONE = 2, PAIR_TAG_CPU = 3, PAIR_SYNC = 8, PAIR_STREAM = 16, PAIR_RATE = 64 };

typedef struct pair {
    const bench_case *c;
    int peer;
    char *outgoing, *incoming;
    size_t stride;
    int window;
    double used, iterations; /* sleeps or CPU seconds of this rank, in all timed iterations */
    double compute_s;        /* overlap: so long does the sender compute while a message goes */
} pair;

static pair pair_open(const bench_case *c, int blocks)
{
    return (pair){.c = c,
                  .peer = 1 - c->b->rank,
                  .stride = bench_stride(c, blocks),
                  .outgoing = bench_buffers(c, blocks, (char)(1 + c->b->rank)),
                  .incoming = bench_buffers(c, blocks, 0)};
}

static void pair_close(pair *p, int blocks, int is_receiver)
{
    if (is_receiver)
        bench_verify(p->c, p->incoming, blocks, (char)(1 + p->peer));
    free(p->outgoing);
    free(p->incoming);
}

static void pair_send(const pair *p, long i)
{
    MPI_Send(bench_buffer(p->c, p->outgoing, p->stride, i), p->c->count, p->c->type->handle, p->peer, PAIR_TAG,
             MPI_COMM_WORLD);
}

static void pair_receive(const pair *p, long i)
{
    MPI_Recv(bench_buffer(p->c, p->incoming, p->stride, i), p->c->count, p->c->type->handle, p->peer, PAIR_TAG,
             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* ---- one message at a time -------------------------------------------------------------------------------------- */

static double pair_sleeps(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (double)used.ru_nvcsw;
}

static void pingpong_rounds(const pair *p, long rounds)
{
    for (long i = 0; i < rounds; i++) {
        if (p->c->b->rank == 0)
            pair_send(p, i);
        pair_receive(p, i);
        if (p->c->b->rank != 0)
            pair_send(p, i);
    }
}

static double pingpong_batch(void *state, long rounds)
{
    pair *p = state;
    /* A few untimed rounds, so that the other rank is in its loop when the clock starts. */
    pingpong_rounds(p, PAIR_SYNC);
    double sleeps = pair_sleeps();
    double start = bench_now();
    pingpong_rounds(p, rounds);
    double took = bench_now() - start;
    p->used += pair_sleeps() - sleeps;
    p->iterations += (double)rounds;
    return took;
}

static void pingpong_run(const bench_case *c)
{
    pair p = pair_open(c, 1);
    bench_print_time(c, "pingpong", bench_measure(c, pingpong_batch, &p), 2);
    double sleeps = p.iterations > 0 ? p.used / p.iterations : 0;
    bench_print(c, "pingpong-sleeps", "a round", sleeps, sleeps, 1);
    pair_close(&p, 1, 1);
}

static double pingping_batch(void *state, long rounds)
{
    const pair *p = state;
    pingpong_rounds(p, PAIR_SYNC);
    double start = bench_now();
    for (long i = 0; i < rounds; i++) {
        MPI_Request sent;
        MPI_Isend(bench_buffer(p->c, p->outgoing, p->stride, i), p->c->count, p->c->type->handle, p->peer, PAIR_TAG,
                  MPI_COMM_WORLD, &sent);
        pair_receive(p, i);
        MPI_Waitall(1, &sent, MPI_STATUSES_IGNORE);
    }
    return bench_now() - start;
}

static void pingping_run(const bench_case *c)
{
    pair p = pair_open(c, 1);
    bench_print_time(c, "pingping", bench_measure(c, pingping_batch, &p), 1);
    pair_close(&p, 1, 1);
}

/* ---- windows ---------------------------------------------------------------------------------------------------- */

static double pair_cpu(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
}

/* A short message back ends a window. */
static void window_end(const pair *p)
{
    int done = 0;
    if (p->c->b->rank == 0)
        MPI_Recv(&done, 1, MPI_INT, 1, PAIR_TAG_DONE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Send(&done, 1, MPI_INT, 0, PAIR_TAG_DONE, MPI_COMM_WORLD);
}

static void window_start(const pair *p, int is_send, int i, MPI_Request *request)
{
    /* With a place for every message (rate) one buffer holds the whole window. */
    size_t offset = p->window == PAIR_RATE ? (size_t)(i * p->c->count) * p->c->type->extent : 0;
    char *buffer = bench_buffer(p->c, is_send ? p->outgoing : p->incoming, p->stride, i) + offset;
    if (is_send)
        MPI_Isend(buffer, p->c->count, p->c->type->handle, p->peer, PAIR_TAG, MPI_COMM_WORLD, request);
    else
        MPI_Irecv(buffer, p->c->count, p->c->type->handle, p->peer, PAIR_TAG, MPI_COMM_WORLD, request);
}

static void stream_windows(const pair *p, long windows)
{
    MPI_Request requests[PAIR_RATE];
    for (long w = 0; w < windows; w++) {
        for (int i = 0; i < p->window; i++)
            window_start(p, p->c->b->rank == 0, i, &requests[i]);
        MPI_Waitall(p->window, requests, MPI_STATUSES_IGNORE);
        window_end(p);
    }
}

static double stream_batch(void *state, long windows)
{
    pair *p = state;
    stream_windows(p, 1);
    double cpu = pair_cpu();
    double start = bench_now();
    stream_windows(p, windows);
    double took = bench_now() - start;
    p->used += pair_cpu() - cpu;
    p->iterations += (double)windows;
    return took;
}

static double bistream_batch(void *state, long windows)
{
    const pair *p = state;
    MPI_Request requests[2 * PAIR_STREAM];
    pingpong_rounds(p, PAIR_SYNC);
    double start = bench_now();
    for (long w = 0; w < windows; w++) {
        for (int i = 0; i < PAIR_STREAM; i++) {
            window_start(p, 0, i, &requests[i]);
            window_start(p, 1, i, &requests[PAIR_STREAM + i]);
        }
        MPI_Waitall(2 * PAIR_STREAM, requests, MPI_STATUSES_IGNORE);
    }
    return bench_now() - start;
}

/* The CPU time of both ranks, on rank 0. */
static double stream_cpu_of_both(const pair *p)
{
    double other = 0;
    if (p->c->b->rank == 0)
        MPI_Recv(&other, 1, MPI_DOUBLE, 1, PAIR_TAG_CPU, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Send(&p->used, 1, MPI_DOUBLE, 0, PAIR_TAG_CPU, MPI_COMM_WORLD);
    return p->used + other;
}

static void stream_run(const bench_case *c)
{
    pair p = pair_open(c, 1);
    p.window = PAIR_STREAM;
    bench_print_time(c, "stream", bench_measure(c, stream_batch, &p), PAIR_STREAM);
    double cpu = stream_cpu_of_both(&p);
    if (c->bytes > 0 && c->b->rank == 0) {
        double each = cpu / ((double)c->bytes * PAIR_STREAM * p.iterations / 1e9);
        bench_print(c, "stream-cpu", "s/GB", each, each, 1);
    }
    pair_close(&p, 1, c->b->rank == 1);
}

static void bistream_run(const bench_case *c)
{
    pair p = pair_open(c, 1);
    p.window = PAIR_STREAM;
    bench_print_time(c, "bistream", bench_measure(c, bistream_batch, &p), PAIR_STREAM);
    pair_close(&p, 1, 1);
}

static void rate_run(const bench_case *c)
{
    pair p = pair_open(c, PAIR_RATE);
    p.window = PAIR_RATE;
    bench_print_time(c, "rate", bench_measure(c, stream_batch, &p), PAIR_RATE);
    pair_close(&p, PAIR_RATE, c->b->rank == 1);
}

/* ---- overlap ---------------------------------------------------------------------------------------------------- */

/* Computes for so long without a call of the library. Reading the clock is the computation. */
static void overlap_compute(double seconds)
{
    double end = bench_now() + seconds;
    while (bench_now() < end) {
    }
}

/* Rank 0 sends and computes meanwhile, rank 1 receives and answers at once. */
static double overlap_batch(void *state, long rounds)
{
    const pair *p = state;
    pingpong_rounds(p, PAIR_SYNC);
    double start = bench_now();
    for (long i = 0; i < rounds; i++) {
        if (p->c->b->rank == 0) {
            MPI_Request sent;
            MPI_Isend(bench_buffer(p->c, p->outgoing, p->stride, i), p->c->count, p->c->type->handle, p->peer,
                      PAIR_TAG, MPI_COMM_WORLD, &sent);
            overlap_compute(p->compute_s);
            MPI_Waitall(1, &sent, MPI_STATUSES_IGNORE);
        } else {
            pair_receive(p, i);
        }
        window_end(p);
    }
    return bench_now() - start;
}

static double overlap_shown(double alone_s, double both_s)
{
    double shown = 100 * (both_s - alone_s) / alone_s;
    return shown < 0 ? 0 : shown > 100 ? 100 : shown;
}

static void overlap_run(const bench_case *c)
{
    pair p = pair_open(c, 1);
    bench_time alone = bench_measure(c, overlap_batch, &p);
    p.compute_s = alone.minimum;
    bench_time both = bench_measure(c, overlap_batch, &p);
    if (c->b->rank == 0)
        bench_print(c, "overlap", "% shown", overlap_shown(alone.minimum, both.minimum),
                    overlap_shown(alone.minimum, both.median), both.samples);
    pair_close(&p, 1, c->b->rank == 1);
}

const bench_test bench_pair_tests[] = {
    {"pingpong", "", 2, 1, 0, pingpong_run},
    {"pingping", "", 2, 1, 0, pingping_run},
    {"stream", "", 2, 1, 0, stream_run},
    {"bistream", "", 2, 1, 0, bistream_run},
    {"rate", "", 2, 1, 0, rate_run},
    {"overlap", "", 2, 1, 0, overlap_run},
    {0},
};
