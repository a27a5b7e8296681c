/*
 * A token goes around a ring of all ranks; the result is the time of one hop. With more ranks than cores it shows how
 * fast a waiting rank gives its core away and gets it back. Arguments: sizes of the token in bytes, usually 8.
 */
#include "bench.h"

#include <mpi.h>
#include <stdlib.h>

enum { RING_TAG = 6 };

typedef struct {
    const bench *b;
    char *token;
    size_t size;
} ring;

static void ring_laps(const ring *r, long laps)
{
    int count = (int)r->size;
    int left = (r->b->rank + r->b->ranks - 1) % r->b->ranks;
    int right = (r->b->rank + 1) % r->b->ranks;
    for (long i = 0; i < laps; i++) {
        if (r->b->rank == 0)
            MPI_Send(r->token, count, MPI_BYTE, right, RING_TAG, MPI_COMM_WORLD);
        MPI_Recv(r->token, count, MPI_BYTE, left, RING_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (r->b->rank != 0)
            MPI_Send(r->token, count, MPI_BYTE, right, RING_TAG, MPI_COMM_WORLD);
    }
}

static double ring_batch(void *state, long laps)
{
    const ring *r = state;
    ring_laps(r, 1);
    double start = bench_now();
    ring_laps(r, laps);
    return bench_now() - start;
}

static void ring_row(const bench *b, size_t size)
{
    ring r = {.b = b, .token = bench_buffers(b, size, b->rank == 0 ? 5 : 0), .size = size};
    double lap_s = bench_measure(b, ring_batch, &r);
    bench_verify(b, "ring", r.token, size, 5);
    bench_print(b, "ring", size, lap_s / b->ranks * 1e6, "us");
    free(r.token);
}

int main(int argc, char **argv)
{
    bench b;
    bench_open(&b, &argc, &argv, 2);
    for (int i = 1; i < argc; i++)
        ring_row(&b, bench_size(&b, argv[i]));
    bench_close(&b);
    return 0;
}
