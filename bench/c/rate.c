/*
 * Message rate: rank 0 starts a window of 64 small non-blocking sends, rank 1 the receives; a short message back ends
 * the window. Every message has a place of its own. Arguments: sizes in bytes, usually 8.
 */
#include "bench.h"

#include <mpi.h>
#include <stdlib.h>

enum { RATE_WINDOW = 64, RATE_TAG = 4, RATE_TAG_DONE = 5 };

typedef struct {
    const bench *b;
    char *messages;
    size_t size;
} rate;

static void rate_windows(const rate *r, long windows)
{
    MPI_Request requests[RATE_WINDOW];
    int count = (int)r->size;
    int done = 0;
    for (long w = 0; w < windows; w++) {
        for (int i = 0; i < RATE_WINDOW; i++) {
            char *message = r->messages + (size_t)i * r->size;
            if (r->b->rank == 0)
                MPI_Isend(message, count, MPI_BYTE, 1, RATE_TAG, MPI_COMM_WORLD, &requests[i]);
            else
                MPI_Irecv(message, count, MPI_BYTE, 0, RATE_TAG, MPI_COMM_WORLD, &requests[i]);
        }
        MPI_Waitall(RATE_WINDOW, requests, MPI_STATUSES_IGNORE);
        if (r->b->rank == 0)
            MPI_Recv(&done, 1, MPI_INT, 1, RATE_TAG_DONE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            MPI_Send(&done, 1, MPI_INT, 0, RATE_TAG_DONE, MPI_COMM_WORLD);
    }
}

static double rate_batch(void *state, long windows)
{
    const rate *r = state;
    rate_windows(r, 1);
    double start = bench_now();
    rate_windows(r, windows);
    return bench_now() - start;
}

static void rate_row(const bench *b, size_t size)
{
    size_t bytes = size * RATE_WINDOW;
    rate r = {.b = b, .messages = bench_buffers(b, bytes, b->rank == 0 ? 9 : 0), .size = size};
    double window_s = bench_measure(b, rate_batch, &r);
    bench_verify(b, "rate", r.messages, bytes, 9);
    bench_print(b, "rate", size, RATE_WINDOW / window_s / 1e6, "M/s");
    free(r.messages);
}

int main(int argc, char **argv)
{
    bench b;
    bench_open(&b, &argc, &argv, 2);
    b.ranks = 2;
    for (int i = 1; i < argc && b.rank < 2; i++)
        rate_row(&b, bench_size(&b, argv[i]));
    bench_close(&b);
    return 0;
}
