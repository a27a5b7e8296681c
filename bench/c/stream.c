/*
 * Streaming bandwidth: rank 0 starts a window of non-blocking sends, rank 1 the same number of receives, and a short
 * message back ends the window. Arguments: sizes in bytes.
 *
 * Like the usual micro-benchmarks every message of a window uses the same buffer, so what is measured is the library
 * and the caches, not the main memory; BENCH_ROTATE=16 gives each message of a window a buffer of its own.
 *
 * What both ranks took of their CPUs is printed too, in seconds for 10^9 bytes: user and system time of all threads in
 * all windows of a row.
 */
#define _DEFAULT_SOURCE
#include "bench.h"

#include <mpi.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { STREAM_WINDOW = 16, STREAM_TAG = 2, STREAM_TAG_DONE = 3, STREAM_TAG_CPU = 4 };

typedef struct {
    const bench *b;
    char *buffers;
    size_t size;
    double cpu_s; /* of this rank, in all windows */
    double windows;
} stream;

static void stream_windows(const stream *s, long windows)
{
    MPI_Request requests[STREAM_WINDOW];
    int count = (int)s->size;
    int done = 0;
    for (long w = 0; w < windows; w++) {
        for (int i = 0; i < STREAM_WINDOW; i++) {
            char *buffer = bench_buffer(s->b, s->buffers, s->size, i);
            if (s->b->rank == 0)
                MPI_Isend(buffer, count, MPI_BYTE, 1, STREAM_TAG, MPI_COMM_WORLD, &requests[i]);
            else
                MPI_Irecv(buffer, count, MPI_BYTE, 0, STREAM_TAG, MPI_COMM_WORLD, &requests[i]);
        }
        MPI_Waitall(STREAM_WINDOW, requests, MPI_STATUSES_IGNORE);
        if (s->b->rank == 0)
            MPI_Recv(&done, 1, MPI_INT, 1, STREAM_TAG_DONE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            MPI_Send(&done, 1, MPI_INT, 0, STREAM_TAG_DONE, MPI_COMM_WORLD);
    }
}

static double stream_cpu(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
}

static double stream_batch(void *state, long windows)
{
    stream *s = state;
    stream_windows(s, 1);
    double cpu = stream_cpu();
    double start = bench_now();
    stream_windows(s, windows);
    double took = bench_now() - start;
    s->cpu_s += stream_cpu() - cpu;
    s->windows += (double)windows;
    return took;
}

/* The CPU time of both ranks, on rank 0. */
static double stream_cpu_of_both(const stream *s)
{
    double other = 0;
    if (s->b->rank == 0)
        MPI_Recv(&other, 1, MPI_DOUBLE, 1, STREAM_TAG_CPU, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Send(&s->cpu_s, 1, MPI_DOUBLE, 0, STREAM_TAG_CPU, MPI_COMM_WORLD);
    return s->cpu_s + other;
}

static void stream_row(const bench *b, size_t size)
{
    stream s = {.b = b, .buffers = bench_buffers(b, size, b->rank == 0 ? 7 : 0), .size = size};
    double window_s = bench_measure(b, stream_batch, &s);
    bench_verify(b, "stream", s.buffers, size, 7);
    bench_print(b, "stream", size, (double)size * STREAM_WINDOW / window_s / 1e9, "GB/s");
    bench_print(b, "stream-cpu", size, stream_cpu_of_both(&s) / ((double)size * STREAM_WINDOW * s.windows / 1e9),
                "s/GB");
    free(s.buffers);
}

int main(int argc, char **argv)
{
    bench b;
    bench_open(&b, &argc, &argv, 2);
    b.ranks = 2;
    for (int i = 1; i < argc && b.rank < 2; i++)
        stream_row(&b, bench_size(&b, argv[i]));
    bench_close(&b);
    return 0;
}
