/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dense BYTES ROUNDS [MOST_KIB]: every rank sends a block to every other one at once and receives one from each. Rank 0
 * tells how long the fastest round took and how much shared memory there is a rank. Fails if a block is wrong, or if a
 * rank has more than MOST_KIB: memory must grow with the ranks, not with their pairs. Plain MPI.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Shared pages of this process, those that several map divided among them; -1: the kernel does not say. */
static long dense_shared_kib(void)
{
    char line[256];
    long kib = -1;
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    while (file && fgets(line, sizeof line, file))
        sscanf(line, "Pss_Shmem: %ld", &kib);
    if (file)
        fclose(file);
    return kib;
}

static char dense_byte(int from, int to, int round)
{
    return (char)(from * 7 + to * 3 + round);
}

static double dense_round(char *out, char *in, int bytes, int rank, int size, int round)
{
    MPI_Request *requests = malloc(2 * (size_t)size * sizeof *requests);
    for (int peer = 0; peer < size; peer++)
        memset(out + (size_t)peer * (size_t)bytes, dense_byte(rank, peer, round), (size_t)bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    for (int i = 0; i < size; i++) {
        int source = (rank + size - i) % size, target = (rank + i) % size;
        MPI_Irecv(in + (size_t)source * (size_t)bytes, bytes, MPI_BYTE, source, round, MPI_COMM_WORLD, &requests[i]);
        MPI_Isend(out + (size_t)target * (size_t)bytes, bytes, MPI_BYTE, target, round, MPI_COMM_WORLD,
                  &requests[size + i]);
    }
    MPI_Waitall(2 * size, requests, MPI_STATUSES_IGNORE);
    double seconds = MPI_Wtime() - begin;
    for (int peer = 0; peer < size; peer++)
        for (int i = 0; i < bytes; i++)
            if (in[(size_t)peer * (size_t)bytes + (size_t)i] != dense_byte(peer, rank, round)) {
                fprintf(stderr, "dense: rank %d, round %d: byte %d from rank %d is wrong\n", rank, round, i, peer);
                MPI_Abort(MPI_COMM_WORLD, 1);
            }
    free(requests);
    return seconds;
}

int main(int argc, char **argv)
{
    int rank, size, bytes = argc > 1 ? atoi(argv[1]) : 1024, rounds = argc > 2 ? atoi(argv[2]) : 4;
    long most_kib = argc > 3 ? atol(argv[3]) : 0;
    double best = 1e9;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char *out = malloc((size_t)size * (size_t)bytes), *in = malloc((size_t)size * (size_t)bytes);
    for (int round = 0; round < rounds; round++) {
        double mine = dense_round(out, in, bytes, rank, size, round), slowest = 0;
        MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        best = slowest < best ? slowest : best;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    double mine = (double)dense_shared_kib(), all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d ranks, %d bytes: %.4f s, %.0f KiB of shared memory a rank\n", size, bytes, best, all / size);
    free(out);
    free(in);
    MPI_Finalize();
    if (most_kib > 0 && all / size > (double)most_kib) {
        if (rank == 0)
            fprintf(stderr, "dense: %.0f KiB of shared memory a rank, %ld are allowed\n", all / size, most_kib);
        return 1;
    }
    return 0;
}
