/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Over connections that are made when they are needed, the first message leaves with the call that sends it, whatever
 * its sender does afterwards; and a peer that does not answer yet delays no other. A rank that computes here stays out
 * of the library until a file tells it that the others are done: what waits for its help waits in vain.
 *
 * A call that sends lets a peer that does not answer be after a while, some hundredths of a second. On a busy machine
 * the others may be that late; then rank 0 goes on to look after its messages.
 *
 *   first_send send       rank 0 sends to each rank and then computes until all have it
 *   first_send sendrecv   likewise with MPI_Sendrecv, of which rank 0 receives nothing
 *   first_send bcast      likewise with MPI_Bcast
 *   first_send busy       rank 0 sends to each rank many times, soon; they compute until it has done so
 *   first_send beside     rank 1 computes; rank 0 begins a short and a long message to it, and exchanges messages with
 *                         the others before rank 1 receives them
 *   first_send idle       rank 1 computes; rank 0 waits for it with its first message, with little CPU time meanwhile
 */
#define _GNU_SOURCE
#include "check.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    FIRST_SENDS = 50,
    FIRST_LONG = 1 << 20,
    FIRST_IDLE_MS = 700,
    FIRST_ASIDE_MS = 12,  /* calls that took no longer have not given up: the first does so after 32 ms */
    FIRST_SENDS_MS = 1000 /* 3200 if every send of 2 * FIRST_SENDS waited as long as the first */
};

/* ---- files that tell what a rank has done, as messages would make connections ------------------------------------ */

/* What the ranks have in common is the name of the job, or under the launcher of another library their parent. */
static void first_path(char path[512], int rank)
{
    const char *folder = getenv("TMPDIR"), *job = getenv("CORUNNA_JOB");
    char parent[16];
    snprintf(parent, sizeof parent, "%d", (int)getppid());
    snprintf(path, 512, "%s/first_send.%s.%d", folder ? folder : "/tmp", job ? job : parent, rank);
}

/* This rank is done. */
static void first_mark(int rank)
{
    char path[512];
    first_path(path, rank);
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    fclose(file);
}

/* Compute until that rank is done. */
static void first_compute_until(int rank)
{
    char path[512];
    first_path(path, rank);
    CHECK_UNTIL(access(path, F_OK) == 0, check_nap());
}

/* The same with a look at the messages now and then. */
static void first_look_until(int rank)
{
    char path[512];
    int is_here;
    first_path(path, rank);
    CHECK_UNTIL(access(path, F_OK) == 0,
                (check_nap(), MPI_Iprobe(rank, 1, MPI_COMM_WORLD, &is_here, MPI_STATUS_IGNORE)));
}

static void first_unmark(int rank)
{
    char path[512];
    first_path(path, rank);
    unlink(path);
}

static double first_seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

static void first_deal(const char *how, int rank, int size, int *number)
{
    if (strcmp(how, "bcast") == 0) {
        MPI_Bcast(number, 1, MPI_INT, 0, MPI_COMM_WORLD);
        return;
    }
    for (int peer = 1; rank == 0 && peer < size; peer++)
        if (strcmp(how, "sendrecv") == 0)
            MPI_Sendrecv(number, 1, MPI_INT, peer, 0, NULL, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
        else
            MPI_Send(number, 1, MPI_INT, peer, 0, MPI_COMM_WORLD);
    if (rank != 0)
        MPI_Recv(number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void first_deals(const char *how, int rank, int size)
{
    int is_busy = strcmp(how, "busy") == 0;
    if (is_busy && rank != 0)
        first_compute_until(0);
    double began = first_seconds(CLOCK_MONOTONIC);
    for (int i = 0; i < (is_busy ? FIRST_SENDS : 1); i++) {
        int number = rank == 0 ? 7 + i : 0;
        first_deal(how, rank, size, &number);
        CHECK_EQUAL(7 + i, number);
    }
    double took_ms = 1e3 * (first_seconds(CLOCK_MONOTONIC) - began);
    if (is_busy && rank == 0 && took_ms > check_patience_ms(FIRST_SENDS_MS))
        CHECK_FAIL("%d sends to each rank took %.0f ms", FIRST_SENDS, took_ms);
    first_mark(rank);
    for (int peer = 1; peer < size && rank == 0 && !is_busy; peer++)
        if (took_ms < FIRST_ASIDE_MS)
            first_compute_until(peer);
        else
            first_look_until(peer);
}

static void first_beside(int rank, int size)
{
    int number = rank, sizes[] = {4, FIRST_LONG};
    char *bytes = calloc(2, FIRST_LONG);
    MPI_Request requests[2];
    for (int i = 0; rank == 0 && i < 2; i++)
        MPI_Isend(bytes, sizes[i], MPI_CHAR, 1, i, MPI_COMM_WORLD, &requests[i]);
    if (rank == 1)
        first_compute_until(0);
    for (int peer = 2; rank == 0 && peer < size; peer++) {
        MPI_Send(&number, 1, MPI_INT, peer, 0, MPI_COMM_WORLD);
        MPI_Send(bytes + FIRST_LONG, FIRST_LONG, MPI_CHAR, peer, 1, MPI_COMM_WORLD);
        MPI_Recv(&number, 1, MPI_INT, peer, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (rank == 0)
        first_mark(0);
    for (int i = 0; rank > 0 && i < 2; i++)
        MPI_Recv(bytes, sizes[i], MPI_CHAR, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank > 1)
        MPI_Send(&number, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    free(bytes);
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

/* On a busy machine rank 0 gets less of a CPU and waits longer, which can only lessen its share. */
static void first_idle(int rank)
{
    int number = 7;
    double began = first_seconds(CLOCK_MONOTONIC), used = first_seconds(CLOCK_PROCESS_CPUTIME_ID);
    if (rank == 1)
        nanosleep(&(struct timespec){0, FIRST_IDLE_MS * 1000000L}, NULL);
    if (rank == 0)
        MPI_Ssend(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else if (rank == 1)
        MPI_Recv(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    double took = first_seconds(CLOCK_MONOTONIC) - began;
    used = first_seconds(CLOCK_PROCESS_CPUTIME_ID) - used;
    if (rank == 0 && used > took / 2)
        CHECK_FAIL("rank 0 took %.3f s of CPU time to wait for %.3f s, half of it is allowed", used, took);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "send";
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (strcmp(how, "beside") == 0)
        first_beside(rank, size);
    else if (strcmp(how, "idle") == 0)
        first_idle(rank);
    else
        first_deals(how, rank, size);
    MPI_Barrier(MPI_COMM_WORLD);
    first_unmark(rank);
    MPI_Finalize();
    return 0;
}
