/* SPDX-License-Identifier: Apache-2.0 */
/* A program that ends badly in the way its argument names; face_ends.sh looks at what it says and how it ends. */
#include <corunna/threads.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *way;

static void ignore_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
}

static int is_way(const char *name)
{
    return strcmp(way, name) == 0;
}

/* What a rank does between Init and Finalize. */
static int end_inside(int rank)
{
    int x[2] = {0, 0};
    MPI_Request request;
    MPI_Comm dup;
    printf("rank %d is here\n", rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (is_way("fatal") && rank == 0)
        MPI_Send(x, 1, MPI_INT, 7, 0, MPI_COMM_WORLD);
    if (is_way("fatal-self") && rank == 0) {
        /* Set is set, also to what it was. */
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
        MPI_Comm_size(MPI_COMM_NULL, x);
    }
    if (is_way("abort-handler") && rank == 0) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ABORT);
        MPI_Recv(x, -2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (is_way("waitall") && rank == 0) {
        MPI_Status statuses[1];
        MPI_Irecv(x, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &request);
        MPI_Send(x, 2, MPI_INT, 0, 3, MPI_COMM_WORLD);
        MPI_Waitall(1, &request, statuses);
    }
    if (is_way("file-fatal") && rank == 0) {
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
        MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_ARE_FATAL);
        MPI_File_delete("nowhere", MPI_INFO_NULL);
    }
    if (is_way("abort") && rank == 0)
        MPI_Abort(MPI_COMM_WORLD, 33);
    if (is_way("return") && rank == 0)
        return 21;
    if (is_way("leave-all")) {
        /* Everything that can be left behind: Finalize frees it, and the sanitizer sees if not. */
        MPI_Datatype type;
        MPI_Errhandler handler;
        MPI_Win window;
        MPI_File file;
        MPI_File_open(MPI_COMM_WORLD, "/dev/null", MPI_MODE_RDWR, MPI_INFO_NULL, &file);
        MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
        MPI_Win_set_name(window, "left");
        MPI_Comm_dup(MPI_COMM_WORLD, &dup);
        MPI_Comm_set_name(dup, "left");
        MPI_Comm_toint(dup);
        MPI_Comm_create_errhandler(ignore_error, &handler);
        MPI_Comm_set_errhandler(dup, handler);
        MPI_Type_contiguous(3, MPI_DOUBLE_INT, &type);
        MPI_Type_set_name(type, "left");
        MPI_Type_set_name(MPI_CHAR, "left");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return 0;
}

static int body(int argc, char **argv)
{
    int rank;
    if (is_way("early"))
        MPI_Barrier(MPI_COMM_WORLD);
    if (is_way("early-type"))
        MPI_Type_contiguous(1, MPI_INT, &(MPI_Datatype){MPI_DATATYPE_NULL});
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int result = end_inside(rank);
    if (result != 0)
        return result;
    MPI_Finalize();
    if (is_way("late") && rank == 0)
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return 0;
}

int main(int argc, char **argv)
{
    way = argc > 1 ? argv[1] : "";
    int ranks = argc > 2 ? atoi(argv[2]) : 0;
    return ranks ? corunna_threads_run(ranks, body, argc, argv) : body(argc, argv);
}
