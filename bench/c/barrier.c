/*
 * The time of one barrier over all ranks. The size that it prints is the number of ranks; its arguments, the sizes
 * wanted by the list of rows, only have to agree with that.
 */
#include "bench.h"

#include <mpi.h>

static double barrier_batch(void *state, long barriers)
{
    (void)state;
    MPI_Barrier(MPI_COMM_WORLD);
    double start = bench_now();
    for (long i = 0; i < barriers; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    return bench_now() - start;
}

int main(int argc, char **argv)
{
    bench b;
    bench_open(&b, &argc, &argv, 2);
    double barrier_s = bench_measure(&b, barrier_batch, NULL);
    bench_print(&b, "barrier", (size_t)b.ranks, barrier_s * 1e6, "us");
    bench_close(&b);
    return 0;
}
