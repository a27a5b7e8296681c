/*
 * Ping-pong: a message goes to the other rank and one comes back; half of that time is the latency, and the size
 * divided by it the bandwidth of one message at a time. Arguments: sizes in bytes.
 * How often rank 0 went to sleep in a round trip is printed too: it tells a rank that sleeps from one that spins.
 */
#define _DEFAULT_SOURCE
#include "bench.h"

#include <mpi.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { PINGPONG_TAG = 1, PINGPONG_SYNC = 8 };

typedef struct {
    const bench *b;
    char *outgoing;
    char *incoming;
    size_t size;
    double sleeps; /* of this rank, in all rounds */
    double rounds;
} pingpong;

static void pingpong_rounds(const pingpong *p, long rounds)
{
    int count = (int)p->size;
    for (long i = 0; i < rounds; i++) {
        char *outgoing = bench_buffer(p->b, p->outgoing, p->size, i);
        char *incoming = bench_buffer(p->b, p->incoming, p->size, i);
        if (p->b->rank == 0) {
            MPI_Send(outgoing, count, MPI_BYTE, 1, PINGPONG_TAG, MPI_COMM_WORLD);
            MPI_Recv(incoming, count, MPI_BYTE, 1, PINGPONG_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(incoming, count, MPI_BYTE, 0, PINGPONG_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(outgoing, count, MPI_BYTE, 0, PINGPONG_TAG, MPI_COMM_WORLD);
        }
    }
}

static double pingpong_sleeps(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (double)used.ru_nvcsw;
}

static double pingpong_batch(void *state, long rounds)
{
    pingpong *p = state;
    /* A few untimed rounds, so that the other rank is in its loop when the clock starts. */
    pingpong_rounds(p, PINGPONG_SYNC);
    double sleeps = pingpong_sleeps();
    double start = bench_now();
    pingpong_rounds(p, rounds);
    double took = bench_now() - start;
    p->sleeps += pingpong_sleeps() - sleeps;
    p->rounds += (double)rounds;
    return took;
}

static void pingpong_row(const bench *b, size_t size)
{
    char mine = (char)(1 + b->rank);
    char theirs = (char)(2 - b->rank);
    pingpong p = {
        .b = b, .outgoing = bench_buffers(b, size, mine), .incoming = bench_buffers(b, size, 0), .size = size};
    double half_s = bench_measure(b, pingpong_batch, &p) / 2;
    bench_verify(b, "pingpong", p.incoming, size, theirs);
    bench_print(b, "pingpong", size, half_s * 1e6, "us");
    bench_print(b, "pingpong-bw", size, (double)size / half_s / 1e9, "GB/s");
    bench_print(b, "pingpong-sleeps", size, p.sleeps / p.rounds, "per-round");
    free(p.outgoing);
    free(p.incoming);
}

int main(int argc, char **argv)
{
    bench b;
    bench_open(&b, &argc, &argv, 2);
    b.ranks = 2;
    for (int i = 1; i < argc && b.rank < 2; i++)
        pingpong_row(&b, bench_size(&b, argv[i]));
    bench_close(&b);
    return 0;
}
