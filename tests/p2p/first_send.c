/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Over connections that are made when they are needed, the first message leaves with the call that sends it, whatever
 * its sender does afterwards; and a peer that does not answer yet delays no other.
 *
 *   first_send send       rank 0 sends to each rank and then computes: all have it long before it is done
 *   first_send sendrecv   likewise with MPI_Sendrecv, of which rank 0 receives nothing
 *   first_send bcast      likewise with MPI_Bcast
 *   first_send busy       rank 0 sends to each rank many times while they compute, and is done long before they are
 *   first_send beside     rank 1 computes; rank 0 begins a short and a long message to it, and has exchanged messages with
 *                         the others long before rank 1 receives them
 *   first_send idle       rank 1 computes; rank 0 waits for it with its first message, and takes little CPU time meanwhile
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FIRST_SENDS = 50, FIRST_LONG = 1 << 20 };

static const double first_compute_s = 1.5, first_limit_s = 0.75;

static void first_compute(void)
{
    struct timespec while_ns = {.tv_sec = (time_t)first_compute_s,
                                .tv_nsec = (long)((first_compute_s - (double)(time_t)first_compute_s) * 1e9)};
    nanosleep(&while_ns, NULL);
}

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

/* How long rank 0 took with the others. */
static double first_beside(int rank, int size)
{
    int number = rank, sizes[] = {4, FIRST_LONG};
    char *bytes = calloc(2, FIRST_LONG);
    MPI_Request requests[2];
    double begin = MPI_Wtime();
    for (int i = 0; rank == 0 && i < 2; i++)
        MPI_Isend(bytes, sizes[i], MPI_CHAR, 1, i, MPI_COMM_WORLD, &requests[i]);
    if (rank == 1)
        first_compute();
    for (int peer = 2; rank == 0 && peer < size; peer++) {
        MPI_Send(&number, 1, MPI_INT, peer, 0, MPI_COMM_WORLD);
        MPI_Send(bytes + FIRST_LONG, FIRST_LONG, MPI_CHAR, peer, 1, MPI_COMM_WORLD);
        MPI_Recv(&number, 1, MPI_INT, peer, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    double took = rank == 0 ? MPI_Wtime() - begin : 0;
    for (int i = 0; rank > 0 && i < 2; i++)
        MPI_Recv(bytes, sizes[i], MPI_CHAR, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank > 1)
        MPI_Send(&number, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    free(bytes);
    return took;
}

/* How much CPU time rank 0 took to wait. */
static double first_idle(int rank)
{
    int number = 7;
    struct timespec begin, end;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    if (rank == 1)
        first_compute();
    if (rank == 0)
        MPI_Ssend(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else if (rank == 1)
        MPI_Recv(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    return rank == 0 ? (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9 : 0;
}

static double first_deals(const char *how, int rank, int size, int count)
{
    double begin = MPI_Wtime();
    if (count > 1 && rank != 0)
        first_compute();
    for (int i = 0; i < count; i++) {
        int number = rank == 0 ? 7 + i : 0;
        first_deal(how, rank, size, &number);
        if (number != 7 + i)
            MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return MPI_Wtime() - begin;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "send";
    int rank, size, count = strcmp(how, "busy") == 0 ? FIRST_SENDS : 1, is_beside = strcmp(how, "beside") == 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int is_idle = strcmp(how, "idle") == 0;
    double took = is_beside ? first_beside(rank, size)
                  : is_idle ? first_idle(rank)
                            : first_deals(how, rank, size, count);
    int is_late = took > first_limit_s && (count == 1 || rank == 0);
    if (is_late)
        printf("FAILED: rank %d was done after %.3f s%s, %.2f are allowed\n", rank, took,
               is_idle ? " of CPU time" : "", first_limit_s);
    if (count == 1 && rank == 0 && !is_beside && !is_idle)
        first_compute();
    MPI_Finalize();
    return is_late;
}
