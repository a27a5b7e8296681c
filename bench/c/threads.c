/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threads: the ping-pong of `pingpong`, by several threads of both ranks at once, each pair of threads with a tag of
 * its own: half the time of a round trip of one thread. With as many threads as the case's mode says.
 */
#include "bench.h"

#include <pthread.h>
#include <stdlib.h>

enum { THREADS_TAG = 100, THREADS_MAX = 8 };

typedef struct threads_one {
    const bench_case *c;
    int tag;
    long rounds;
    char *outgoing, *incoming;
} threads_one;

typedef struct threads {
    int count;
    threads_one ones[THREADS_MAX];
} threads;

static void *threads_rounds(void *argument)
{
    const threads_one *one = argument;
    const bench_case *c = one->c;
    int peer = 1 - c->b->rank;
    for (long i = 0; i < one->rounds; i++) {
        if (c->b->rank == 0)
            MPI_Send(one->outgoing, c->count, c->type->handle, peer, one->tag, MPI_COMM_WORLD);
        MPI_Recv(one->incoming, c->count, c->type->handle, peer, one->tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (c->b->rank != 0)
            MPI_Send(one->outgoing, c->count, c->type->handle, peer, one->tag, MPI_COMM_WORLD);
    }
    return NULL;
}

/* The threads are started anew for each batch, which is long beside that. */
static double threads_batch(void *state, long rounds)
{
    threads *t = state;
    pthread_t started[THREADS_MAX];
    double start = bench_now();
    for (int i = 0; i < t->count; i++) {
        t->ones[i].rounds = rounds;
        if (pthread_create(&started[i], NULL, threads_rounds, &t->ones[i]))
            bench_fail("no thread can be started");
    }
    for (int i = 0; i < t->count; i++)
        pthread_join(started[i], NULL);
    return bench_now() - start;
}

static void threads_run(const bench_case *c)
{
    threads t = {.count = atoi(c->mode)};
    for (int i = 0; i < t.count; i++)
        t.ones[i] = (threads_one){.c = c,
                                  .tag = THREADS_TAG + i,
                                  .outgoing = bench_buffers(c, 1, (char)(1 + c->b->rank)),
                                  .incoming = bench_buffers(c, 1, 0)};
    bench_print_time(c, "threads", bench_measure(c, threads_batch, &t), 2);
    for (int i = 0; i < t.count; i++) {
        bench_verify(c, t.ones[i].incoming, 1, (char)(2 - c->b->rank));
        free(t.ones[i].outgoing);
        free(t.ones[i].incoming);
    }
}

const bench_test bench_thread_tests[] = {
    {"threads", "1 2 4 8", 2, 1, 0, threads_run},
    {0},
};
