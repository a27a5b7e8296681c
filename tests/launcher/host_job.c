/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A real MPI program for jobs over several hosts.
 *
 *   host_job hello            the host of each rank, printed by rank 0 in the order of ranks
 *   host_job ring BYTES LAPS  a message goes round; every rank checks every byte of it, rank 0 says "LAPS laps"
 *   host_job stream MB MS     rank 0 sends MB megabytes to the last rank, one every MS ms; that one checks every word
 *   host_job mix ROUNDS       every rank sends to every rank, received from any source; then a reduction
 *   host_job wait RANK        after a barrier all wait for a message of RANK that never comes
 */
#include <mpi.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int job_rank, job_size;

static void job_fail(const char *what, long where)
{
    fprintf(stderr, "host_job: rank %d: %s at %ld\n", job_rank, what, where);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

static void job_hello(void)
{
    char host[64] = "";
    gethostname(host, sizeof host - 1);
    if (job_rank != 0) {
        MPI_Send(host, sizeof host, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
        return;
    }
    for (int rank = 0; rank < job_size; rank++) {
        if (rank > 0)
            MPI_Recv(host, sizeof host, MPI_CHAR, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%d:%s%c", rank, host, rank + 1 < job_size ? ' ' : '\n');
    }
}

static void job_ring(int bytes, int laps)
{
    unsigned char *buffer = malloc((size_t)bytes + 1);
    int next = (job_rank + 1) % job_size, before = (job_rank + job_size - 1) % job_size;
    for (int lap = 0; lap < laps; lap++) {
        for (int i = 0; job_rank == 0 && i < bytes; i++)
            buffer[i] = (unsigned char)(i * 7 + lap);
        if (job_rank == 0)
            MPI_Send(buffer, bytes, MPI_BYTE, next, lap, MPI_COMM_WORLD);
        MPI_Recv(buffer, bytes, MPI_BYTE, before, lap, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < bytes; i++)
            if (buffer[i] != (unsigned char)(i * 7 + lap))
                job_fail("a wrong byte", i);
        if (job_rank != 0)
            MPI_Send(buffer, bytes, MPI_BYTE, next, lap, MPI_COMM_WORLD);
    }
    free(buffer);
    if (job_rank == 0)
        printf("%d laps\n", laps);
}

static void job_stream(int megabytes, int pause_ms)
{
    enum { WORDS = 1 << 17 };
    static uint64_t piece[WORDS];
    for (int round = 0; round < megabytes; round++) {
        if (job_rank == 0) {
            for (uint64_t i = 0; i < WORDS; i++)
                piece[i] = ((uint64_t)round << 32 | i) * 0x9e3779b97f4a7c15u;
            MPI_Send(piece, sizeof piece, MPI_BYTE, job_size - 1, round, MPI_COMM_WORLD);
            usleep((useconds_t)pause_ms * 1000);
        } else if (job_rank == job_size - 1) {
            MPI_Recv(piece, sizeof piece, MPI_BYTE, 0, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (uint64_t i = 0; i < WORDS; i++)
                if (piece[i] != ((uint64_t)round << 32 | i) * 0x9e3779b97f4a7c15u)
                    job_fail("a wrong word in megabyte", round);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (job_rank == job_size - 1)
        printf("%d megabytes\n", megabytes);
}

static void job_mix(int rounds)
{
    long sum = 0, all = 0;
    MPI_Request *requests = malloc((size_t)job_size * sizeof *requests);
    int *values = malloc((size_t)job_size * sizeof *values);
    for (int round = 0; round < rounds; round++) {
        for (int to = 0; to < job_size; to++) {
            values[to] = job_rank * 1000 + to + round;
            MPI_Isend(&values[to], 1, MPI_INT, to, round, MPI_COMM_WORLD, &requests[to]);
        }
        for (int i = 0; i < job_size; i++) {
            int value;
            MPI_Status status;
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, round, MPI_COMM_WORLD, &status);
            if (value != status.MPI_SOURCE * 1000 + job_rank + round)
                job_fail("a wrong value in round", round);
            sum += value;
        }
        MPI_Waitall(job_size, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Allreduce(&sum, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    long expected = 0;
    for (long round = 0; round < rounds; round++)
        for (long from = 0; from < job_size; from++)
            for (long to = 0; to < job_size; to++)
                expected += from * 1000 + to + round;
    if (all != expected)
        job_fail("a wrong sum", all);
    free(values);
    free(requests);
    if (job_rank == 0)
        printf("sum %ld\n", all);
}

static void job_wait(int rank)
{
    int never;
    MPI_Barrier(MPI_COMM_WORLD);
    if (job_rank == 0)
        puts("waiting");
    fflush(stdout);
    if (job_rank == rank)
        pause();
    MPI_Recv(&never, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &job_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &job_size);
    if (strcmp(mode, "hello") == 0)
        job_hello();
    else if (strcmp(mode, "ring") == 0 && argc == 4)
        job_ring(atoi(argv[2]), atoi(argv[3]));
    else if (strcmp(mode, "stream") == 0 && argc == 4)
        job_stream(atoi(argv[2]), atoi(argv[3]));
    else if (strcmp(mode, "mix") == 0 && argc == 3)
        job_mix(atoi(argv[2]));
    else if (strcmp(mode, "wait") == 0 && argc == 3)
        job_wait(atoi(argv[2]));
    else
        job_fail("unknown mode", argc);
    MPI_Finalize();
    return 0;
}
