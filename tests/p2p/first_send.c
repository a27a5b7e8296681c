/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Over connections that are made when they are needed, the first message leaves with the call that sends it, whatever
 * its sender does afterwards; and a peer that does not answer yet delays no other.
 *
 *   first_send send       rank 0 sends to each rank and then computes: all have it long before it is done
 *   first_send sendrecv   likewise with MPI_Sendrecv, of which rank 0 receives nothing
 *   first_send bcast      likewise with MPI_Bcast
 *   first_send busy       rank 0 sends to each rank many times while they compute, and is done long before they are
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { FIRST_SENDS = 50 };

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

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "send";
    int rank, size, number = 0, count = strcmp(how, "busy") == 0 ? FIRST_SENDS : 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double begin = MPI_Wtime();
    if (count > 1 && rank != 0)
        first_compute();
    for (int i = 0; i < count; i++) {
        number = rank == 0 ? 7 + i : 0;
        first_deal(how, rank, size, &number);
        if (number != 7 + i)
            MPI_Abort(MPI_COMM_WORLD, 2);
    }
    double took = MPI_Wtime() - begin;
    int is_late = took > first_limit_s && (count == 1 || rank == 0);
    if (is_late)
        printf("FAILED: rank %d was done after %.3f s, %.2f are allowed\n", rank, took, first_limit_s);
    if (count == 1 && rank == 0)
        first_compute();
    MPI_Finalize();
    return is_late;
}
