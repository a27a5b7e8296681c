/* SPDX-License-Identifier: Apache-2.0 */
/*
 * idle: every rank sends much to every other one, then all wait for rank 0, which computes. The shared memory that the
 * messages took must go back to the system meanwhile, and the next messages must still come through. Twice. Plain MPI.
 */
#define _GNU_SOURCE
#include "check.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { IDLE_BYTES = 16000, IDLE_MESSAGES = 40, IDLE_ROUNDS = 2, IDLE_NAP_US = 20000 };

/* ---- memory ----------------------------------------------------------------------------------------------------- */

/* Pages of this part that are in memory, for any process. */
static long idle_count_pages(char *begin, size_t bytes, size_t page)
{
    unsigned char *resident = malloc(bytes / page);
    long count = 0;
    if (!resident || mincore(begin, bytes, resident) != 0) {
        perror("idle: mincore");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (size_t i = 0; i < bytes / page; i++)
        count += resident[i] & 1;
    free(resident);
    return count;
}

/* Of the segment that the ranks of this host share; -1: there is none. */
static long idle_segment_kib(void)
{
    char line[512];
    unsigned long begin, end;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    long kib = -1;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        if (strstr(line, "/memfd:corunna (deleted)") && sscanf(line, "%lx-%lx", &begin, &end) == 2)
            kib = (kib < 0 ? 0 : kib) + idle_count_pages((char *)begin, end - begin, page) * (long)(page / 1024);
    if (maps)
        fclose(maps);
    return kib;
}

/* ---- messages --------------------------------------------------------------------------------------------------- */

static char idle_byte(int from, int to, int message)
{
    return (char)(from * 11 + to * 5 + message);
}

static void idle_exchange(int rank, int size)
{
    char out[IDLE_BYTES], in[IDLE_BYTES], expected[IDLE_BYTES];
    for (int message = 0; message < IDLE_MESSAGES; message++)
        for (int i = 1; i < size; i++) {
            int target = (rank + i) % size, source = (rank + size - i) % size;
            memset(out, idle_byte(rank, target, message), sizeof out);
            memset(expected, idle_byte(source, rank, message), sizeof expected);
            MPI_Sendrecv(out, IDLE_BYTES, MPI_BYTE, target, message, in, IDLE_BYTES, MPI_BYTE, source, message,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (memcmp(in, expected, sizeof in) != 0) {
                fprintf(stderr, "idle: rank %d: message %d from rank %d is wrong\n", rank, message, source);
                MPI_Abort(MPI_COMM_WORLD, 1);
            }
        }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Rank 0: the other ranks sleep; look until half of the memory has gone back. */
static void idle_watch(long before_kib)
{
    long now_kib = before_kib;
    CHECK(before_kib > 0);
    CHECK_UNTIL(now_kib <= before_kib / 2, (usleep(IDLE_NAP_US), now_kib = idle_segment_kib()));
    printf("%ld KiB of shared memory after the messages, %ld KiB after a pause\n", before_kib, now_kib);
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int round = 0; round < IDLE_ROUNDS; round++) {
        idle_exchange(rank, size);
        if (rank == 0)
            idle_watch(idle_segment_kib());
        MPI_Bcast(&round, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    idle_exchange(rank, size);
    MPI_Finalize();
    return 0;
}
