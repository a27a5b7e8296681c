/* SPDX-License-Identifier: Apache-2.0 */
/*
 * With the knob check, handles that are none are told, whatever lies at their address: nothing that can be read, memory
 * of the program's, the middle of a struct of ours, or a handle of another kind.
 */
#include "wrong.h"

#include <corunna/threads.h>
#include <stdint.h>
#include <stdlib.h>

static void add(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *length; i++)
        ((int *)inout)[i] += ((const int *)in)[i];
}

static void ignore_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
}

/* `bad` as a handle of every kind, in a call or two of each. */
static void try_bad(void *bad)
{
    int x = 0, y = 0, flag;
    MPI_Status status;
    MPI_Comm comm = bad, made;
    MPI_Group group = bad, other;
    MPI_Request request = bad, requests[2] = {MPI_REQUEST_NULL, bad};
    MPI_Datatype type = bad;
    MPI_Info info = bad;
    MPI_Errhandler handler = bad;
    MPI_Op op = bad;
    MPI_Message message = bad;
    MPI_Win win = bad;
    MPI_File file = bad;
    WRONG(MPI_ERR_COMM, "comm is not a communicator but", MPI_Send(&x, 1, MPI_INT, 0, 0, bad));
    WRONG(MPI_ERR_COMM, "comm is not a communicator but", MPI_Barrier(bad));
    WRONG(MPI_ERR_COMM, "*comm is not a communicator but", MPI_Comm_free(&comm));
    WRONG(MPI_ERR_TYPE, "datatype is not a datatype but", MPI_Send(&x, 1, bad, 0, 0, MPI_COMM_SELF));
    WRONG(MPI_ERR_TYPE, "oldtype is not a datatype but", MPI_Type_contiguous(2, bad, &type));
    WRONG(MPI_ERR_TYPE, "*datatype is not a datatype but", MPI_Type_free(&type));
    WRONG(MPI_ERR_REQUEST, "*request is not a request but", MPI_Wait(&request, &status));
    WRONG(MPI_ERR_REQUEST, "*request is not a request but", MPI_Test(&request, &flag, &status));
    WRONG(MPI_ERR_REQUEST, "array_of_requests[1] is not", MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    WRONG(MPI_ERR_REQUEST, "*request is not a request but", MPI_Cancel(&request));
    WRONG(MPI_ERR_REQUEST, "*request is not a request but", MPI_Request_free(&request));
    WRONG(MPI_ERR_REQUEST, "message is", MPI_Mrecv(&x, 1, MPI_INT, &message, &status));
    WRONG(MPI_ERR_GROUP, "group is not a group but", MPI_Group_size(bad, &x));
    WRONG(MPI_ERR_GROUP, "*group is not a group but", MPI_Group_free(&group));
    WRONG(MPI_ERR_GROUP, "group is not a group but", MPI_Comm_create(MPI_COMM_SELF, bad, &made));
    WRONG(MPI_ERR_GROUP, "group2 is not a group but", MPI_Group_union(MPI_GROUP_EMPTY, bad, &other));
    WRONG(MPI_ERR_OP, "op is not an operator but", MPI_Allreduce(&x, &y, 1, MPI_INT, bad, MPI_COMM_SELF));
    WRONG(MPI_ERR_OP, "*op is not an operator but", MPI_Op_free(&op));
    WRONG(MPI_ERR_INFO, "*info is not an info but", MPI_Info_free(&info));
    WRONG(MPI_ERR_INFO, "info is not an info but", MPI_Info_set(bad, "key", "value"));
    WRONG(MPI_ERR_WIN, "win is not a window but", MPI_Put(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, bad));
    WRONG(MPI_ERR_WIN, "win is not a window but", MPI_Win_fence(0, bad));
    WRONG(MPI_ERR_WIN, "*win is not a window but", MPI_Win_free(&win));
    WRONG(MPI_ERR_FILE, "fh is not a file but", MPI_File_read(bad, &x, 1, MPI_INT, &status));
    WRONG(MPI_ERR_FILE, "fh is not a file but", MPI_File_sync(bad));
    WRONG(MPI_ERR_FILE, "*fh is not a file but", MPI_File_close(&file));
    WRONG(MPI_ERR_ERRHANDLER, "errhandler is", MPI_Comm_set_errhandler(MPI_COMM_SELF, bad));
    WRONG(MPI_ERR_ERRHANDLER, "*errhandler is", MPI_Errhandler_free(&handler));
}

/* Good ones, in the same calls. */
static void try_good(void)
{
    int x = 1, y = 0, size;
    MPI_Comm dup;
    MPI_Group group;
    MPI_Request request;
    MPI_Datatype type;
    MPI_Info info;
    MPI_Op op;
    MPI_Win win, freed;
    MPI_File file, closed;
    CHECK(MPI_Comm_dup(MPI_COMM_SELF, &dup) == MPI_SUCCESS && MPI_Comm_group(dup, &group) == MPI_SUCCESS);
    CHECK(MPI_Group_size(group, &size) == MPI_SUCCESS && size == 1);
    CHECK(MPI_Type_contiguous(1, MPI_INT, &type) == MPI_SUCCESS && MPI_Type_commit(&type) == MPI_SUCCESS);
    CHECK_OK(MPI_Irecv(&y, 1, type, 0, 3, dup, &request));
    CHECK_OK(MPI_Send(&x, 1, type, 0, 3, dup));
    CHECK(MPI_Waitall(1, &request, MPI_STATUSES_IGNORE) == MPI_SUCCESS && y == 1);
    CHECK_OK(MPI_Op_create(add, 1, &op));
    CHECK(MPI_Allreduce(&x, &y, 1, MPI_INT, op, dup) == MPI_SUCCESS && y == 1);
    CHECK(MPI_Info_create(&info) == MPI_SUCCESS && MPI_Info_set(info, "key", "value") == MPI_SUCCESS);
    CHECK(MPI_Info_free(&info) == MPI_SUCCESS && MPI_Op_free(&op) == MPI_SUCCESS);
    CHECK(MPI_Type_free(&type) == MPI_SUCCESS && MPI_Group_free(&group) == MPI_SUCCESS);
    CHECK_OK(MPI_Win_create(&y, sizeof y, 1, MPI_INFO_NULL, dup, &win));
    CHECK(MPI_Win_fence(0, win) == MPI_SUCCESS && MPI_Put(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, win) == MPI_SUCCESS);
    CHECK_OK(MPI_Win_fence(0, win));
    freed = win;
    CHECK_OK(MPI_Win_free(&win));
    WRONG(MPI_ERR_WIN, "which was freed", MPI_Win_fence(0, freed));
    CHECK_OK(MPI_File_open(dup, "/dev/null", MPI_MODE_RDWR, MPI_INFO_NULL, &file));
    CHECK_OK(MPI_File_iread(file, &y, 1, MPI_INT, &request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    closed = file;
    CHECK_OK(MPI_File_close(&file));
    WRONG(MPI_ERR_FILE, "which was freed", MPI_File_sync(closed));
    CHECK_OK(MPI_Comm_free(&dup));
}

static int body(int argc, char **argv)
{
    int memory[64] = {0};
    MPI_Comm dup;
    MPI_Request request;
    MPI_Errhandler handler, found;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_create_errhandler(ignore_error, &handler);
    MPI_Comm_dup(MPI_COMM_SELF, &dup);
    MPI_Irecv(memory, 1, MPI_INT, 0, 5, dup, &request);
    try_good();
    try_bad((void *)(uintptr_t)0x44000000);         /* a communicator elsewhere; nothing here */
    try_bad((void *)(uintptr_t)0xdeadbeefdeadbeef); /* no address at all */
    try_bad(memory);
    try_bad((char *)dup + sizeof(void *));
    try_bad((char *)request + 16);
    try_good();
    /* The real ones are as they were. */
    CHECK_OK(MPI_Comm_set_errhandler(dup, handler));
    CHECK(MPI_Comm_get_errhandler(dup, &found) == MPI_SUCCESS && found == handler);
    CHECK_OK(MPI_Send(memory + 1, 1, MPI_INT, 0, 5, dup));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    MPI_Errhandler_free(&found);
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&dup);
    MPI_Finalize();
    return 0;
}

int main(int argc, char **argv)
{
    setenv("CORUNNA_CHECK", "yes", 1);
    for (int ranks = 1; ranks <= 3; ranks += 2)
        CHECK(corunna_threads_run(ranks, body, argc, argv) == 0);
    puts("checked_handles: passed");
    return 0;
}
