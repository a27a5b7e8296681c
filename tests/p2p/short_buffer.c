/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program for AddressSanitizer: short_buffer CASE BYTES. Messages of 48 bytes from rank 0 to the last rank, or of a
 * collective call, with a buffer of BYTES bytes on the heap at one end. With 48 it ends well.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONG = 48, COUNT = 6 };

static int rank, last;

static void exchange(void *out, void *in, int is_late)
{
    MPI_Request receive, send;
    if (rank == last && !is_late)
        MPI_Irecv(in, LONG, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &receive);
    if (rank == 0)
        MPI_Isend(out, LONG, MPI_BYTE, last, 1, MPI_COMM_WORLD, &send);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == last && is_late)
        MPI_Irecv(in, LONG, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &receive);
    if (rank == last)
        MPI_Wait(&receive, MPI_STATUS_IGNORE);
    if (rank == 0)
        MPI_Wait(&send, MPI_STATUS_IGNORE);
}

/* Into blocks of 8 bytes with as much between them; the last one may lie behind the buffer. */
static void exchange_vector(void *out, char *in)
{
    MPI_Datatype blocks;
    MPI_Type_vector(COUNT, 1, 2, MPI_DOUBLE, &blocks);
    MPI_Type_commit(&blocks);
    if (rank == last)
        MPI_Sendrecv(out, LONG / 8, MPI_DOUBLE, last, 2, in, 1, blocks, last, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&blocks);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    size_t bytes = argc > 2 ? (size_t)atoi(argv[2]) : LONG;
    double full[COUNT] = {1, 2, 3, 4, 5, 6};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &last);
    last--;
    char *part = calloc(1, bytes), *wide = calloc(1, 2 * bytes);
    if (strcmp(name, "posted") == 0)
        exchange(full, part, 0);
    else if (strcmp(name, "unexpected") == 0)
        exchange(full, part, 1);
    else if (strcmp(name, "send") == 0)
        exchange(part, full, 0);
    else if (strcmp(name, "vector") == 0)
        exchange_vector(full, wide);
    else if (strcmp(name, "bcast") == 0)
        MPI_Bcast(rank == 0 ? (void *)full : part, LONG, MPI_BYTE, 0, MPI_COMM_WORLD);
    else if (strcmp(name, "allreduce") == 0)
        MPI_Allreduce(full, part, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    else
        MPI_Abort(MPI_COMM_WORLD, 2);
    free(part);
    free(wide);
    MPI_Finalize();
    return 0;
}
