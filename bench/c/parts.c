/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parts: one message of PARTS partitions that so many threads of the sender mark as ready, each its share; until the
 * receiver has all and has answered. partsends: the same bytes by as many plain messages, which the same threads send;
 * the receiver has a receive for each. With as many threads as the case's mode says.
 *
 * The threads stay for a batch and meet at a barrier before each message, which is in both times.
 */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 16, PARTS_TAG = 300, PARTS_THREADS_MAX = 8 };

typedef struct parts parts;

typedef struct parts_thread {
    parts *p;
    int number;
    pthread_t thread;
} parts_thread;

struct parts {
    const bench_case *c;
    int is_partitioned, threads, count; /* elements of a partition */
    long rounds;
    char *buffer;
    MPI_Request request; /* of the partitioned message */
    pthread_barrier_t begin, end;
    parts_thread others[PARTS_THREADS_MAX];
};

static char *parts_place(const parts *p, int part)
{
    return p->buffer + (size_t)part * (size_t)p->count * p->c->type->extent;
}

static void parts_share(parts *p, int number)
{
    for (int i = number; i < PARTS; i += p->threads) {
#if MPI_VERSION >= 4
        if (p->is_partitioned) {
            MPI_Pready(i, p->request);
            continue;
        }
#endif
        MPI_Send(parts_place(p, i), p->count, p->c->type->handle, 1, PARTS_TAG + i, MPI_COMM_WORLD);
    }
}

static void *parts_main(void *argument)
{
    parts_thread *self = argument;
    parts *p = self->p;
    for (long i = 0; i < p->rounds; i++) {
        pthread_barrier_wait(&p->begin);
        parts_share(p, self->number);
        pthread_barrier_wait(&p->end);
    }
    return NULL;
}

static void parts_send(parts *p)
{
    if (p->is_partitioned)
        MPI_Start(&p->request);
    pthread_barrier_wait(&p->begin);
    parts_share(p, 0);
    pthread_barrier_wait(&p->end);
    if (p->is_partitioned)
        MPI_Wait(&p->request, MPI_STATUS_IGNORE);
    MPI_Recv(NULL, 0, MPI_BYTE, 1, PARTS_TAG - 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void parts_receive(parts *p)
{
    MPI_Request requests[PARTS];
    if (p->is_partitioned) {
        MPI_Start(&p->request);
        MPI_Wait(&p->request, MPI_STATUS_IGNORE);
    } else {
        for (int i = 0; i < PARTS; i++)
            MPI_Irecv(parts_place(p, i), p->count, p->c->type->handle, 0, PARTS_TAG + i, MPI_COMM_WORLD, &requests[i]);
        MPI_Waitall(PARTS, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Send(NULL, 0, MPI_BYTE, 0, PARTS_TAG - 1, MPI_COMM_WORLD);
}

static double parts_batch(void *state, long rounds)
{
    parts *p = state;
    int is_sender = p->c->b->rank == 0;
    p->rounds = rounds;
    for (int i = 1; i < p->threads && is_sender; i++)
        if (pthread_create(&p->others[i].thread, NULL, parts_main, &p->others[i]))
            bench_fail("no thread can be started");
    double start = bench_now();
    for (long i = 0; i < rounds; i++) {
        if (is_sender)
            parts_send(p);
        else
            parts_receive(p);
    }
    double seconds = bench_now() - start;
    for (int i = 1; i < p->threads && is_sender; i++)
        pthread_join(p->others[i].thread, NULL);
    return seconds;
}

static void parts_open_request(parts *p)
{
#if MPI_VERSION >= 4
    if (p->c->b->rank == 0)
        MPI_Psend_init(p->buffer, PARTS, p->count, p->c->type->handle, 1, PARTS_TAG, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &p->request);
    else
        MPI_Precv_init(p->buffer, PARTS, p->count, p->c->type->handle, 0, PARTS_TAG, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &p->request);
#else
    (void)p;
    bench_fail("this library has MPI %d.%d, without partitioned messages", MPI_VERSION, MPI_SUBVERSION);
#endif
}

static void parts_run(const bench_case *c)
{
    int is_sender = c->b->rank == 0;
    parts p = {.c = c, .is_partitioned = strcmp(c->test->name, "parts") == 0, .threads = atoi(c->mode)};
    p.count = c->count;
    p.buffer = bench_buffers(c, PARTS, is_sender ? 7 : 0);
    pthread_barrier_init(&p.begin, NULL, (unsigned)p.threads);
    pthread_barrier_init(&p.end, NULL, (unsigned)p.threads);
    for (int i = 0; i < p.threads; i++)
        p.others[i] = (parts_thread){.p = &p, .number = i};
    if (p.is_partitioned)
        parts_open_request(&p);
    bench_print_time(c, c->test->name, bench_measure(c, parts_batch, &p), PARTS);
    if (!is_sender)
        bench_verify(c, p.buffer, PARTS, 7);
    if (p.is_partitioned)
        MPI_Request_free(&p.request);
    pthread_barrier_destroy(&p.begin);
    pthread_barrier_destroy(&p.end);
    free(p.buffer);
}

const bench_test bench_part_tests[] = {
    {"parts", "1 2 4 8", 2, 1, 0, parts_run},
    {"partsends", "1 2 4 8", 2, 1, 0, parts_run},
    {0},
};
