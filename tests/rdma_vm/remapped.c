/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remapped: between messages, rank 0's send buffer and rank 1's receive buffer are unmapped, moved, discarded or freed,
 * and there is other memory at the same address then. Every message must arrive as it was sent.
 */
#define _GNU_SOURCE
#include "check.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BYTES = 256 << 10, LARGE_BYTES = 64 << 20, ROUNDS = 4 };

static unsigned char *map_new(void *place)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | (place ? MAP_FIXED_NOREPLACE : 0);
    unsigned char *memory = mmap(place, BYTES, PROT_READ | PROT_WRITE, flags, -1, 0);
    CHECK(memory != MAP_FAILED && (!place || memory == place));
    return memory;
}

/* Each gets the buffer and returns the next, at the same address if possible. */
static unsigned char *change_nothing(unsigned char *memory)
{
    return memory;
}

static unsigned char *change_by_unmap(unsigned char *memory)
{
    munmap(memory, BYTES);
    return map_new(memory);
}

static unsigned char *change_by_move(unsigned char *memory)
{
    unsigned char *other = map_new(NULL);
    CHECK(mremap(memory, BYTES, BYTES, MREMAP_MAYMOVE | MREMAP_FIXED, other) == (void *)other);
    munmap(other, BYTES);
    return map_new(memory);
}

static unsigned char *change_by_discard(unsigned char *memory)
{
    CHECK_OK(madvise(memory, BYTES, MADV_DONTNEED));
    return memory;
}

static unsigned char *change_by_fork(unsigned char *memory)
{
    pid_t child = fork();
    if (child == 0) {
        memset(memory, 99, BYTES);
        munmap(memory, BYTES);
        _exit(0);
    }
    int status;
    CHECK_EQUAL(child, waitpid(child, &status, 0));
    CHECK_EQUAL(0, status);
    return memory;
}

/* A block so large is a mapping of its own. */
static unsigned char *change_by_free(unsigned char *memory)
{
    free(memory);
    memory = malloc(LARGE_BYTES);
    CHECK(memory != NULL);
    return memory;
}

typedef struct change {
    const char *name;
    unsigned char *(*make)(unsigned char *memory);
    int is_malloc;
} change;

static const change changes[] = {
    {"nothing", change_nothing, 0},    {"unmap", change_by_unmap, 0}, {"move", change_by_move, 0},
    {"discard", change_by_discard, 0}, {"fork", change_by_fork, 0},   {"free", change_by_free, 1},
};

static void exchange(const char *name, int round, int rank, unsigned char *memory)
{
    if (rank == 0) {
        memset(memory, round + 1, BYTES);
        MPI_Send(memory, BYTES, MPI_BYTE, 1, round, MPI_COMM_WORLD);
        return;
    }
    memset(memory, 0, BYTES);
    MPI_Recv(memory, BYTES, MPI_BYTE, 0, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < BYTES; i++)
        if (memory[i] != round + 1)
            CHECK_FAIL("%s, round %d: byte %d is %d", name, round, i, memory[i]);
}

/* What was discarded and not touched since is sent as zeros. */
static void exchange_discarded(int rank)
{
    unsigned char *memory = map_new(NULL);
    exchange("discard", 0, rank, memory);
    if (rank == 0) {
        CHECK_OK(madvise(memory, BYTES, MADV_DONTNEED));
        MPI_Send(memory, BYTES, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    } else {
        CHECK_OK(madvise(memory, BYTES, MADV_DONTNEED));
        MPI_Recv(memory, BYTES, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < BYTES; i++)
            if (memory[i] != 0)
                CHECK_FAIL("discarded and not touched: byte %d is %d", i, memory[i]);
    }
    munmap(memory, BYTES);
}

int main(void)
{
    int rank;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        unsigned char *memory = changes[i].is_malloc ? malloc(LARGE_BYTES) : map_new(NULL);
        for (int round = 0; round < ROUNDS; round++) {
            exchange(changes[i].name, round, rank, memory);
            memory = changes[i].make(memory);
        }
        if (changes[i].is_malloc)
            free(memory);
        else
            munmap(memory, BYTES);
    }
    exchange_discarded(rank);
    MPI_Finalize();
    return 0;
}
