/* SPDX-License-Identifier: Apache-2.0 */
/* Handles and statuses as Fortran holds them: corunna/fortran.h, through mpi.h. */
#include "check.h"

#include <mpi.h>
#include <string.h>

/* A predefined handle and one that the program made, there and back; tools see the calls as MPI_*_toint. */
#define CHECK_WAYS(NAME, TYPE, handle)                                                                                \
    do {                                                                                                              \
        MPI_Fint fortran = MPI_##NAME##_c2f(handle);                                                                  \
        TYPE back = MPI_##NAME##_f2c(fortran);                                                                        \
        CHECK(back == (handle) && fortran == MPI_##NAME##_toint(handle) && fortran != 0);                             \
        CHECK(PMPI_##NAME##_c2f(handle) == fortran && PMPI_##NAME##_f2c(fortran) == (handle));                        \
    } while (0)

static void noop(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
}

static void check_handles(void)
{
    MPI_Comm comm;
    MPI_Datatype type;
    MPI_Group group;
    MPI_Info info;
    MPI_Errhandler handler;
    MPI_Request request;
    int number = 0;
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    CHECK_OK(MPI_Type_contiguous(3, MPI_INT, &type));
    CHECK_OK(MPI_Comm_group(comm, &group));
    CHECK_OK(MPI_Info_create(&info));
    MPI_Comm_errhandler_fn *name_of_old = noop;
    CHECK_OK(MPI_Comm_create_errhandler(name_of_old, &handler));
    CHECK_OK(MPI_Recv_init(&number, 1, MPI_INT, 0, 0, comm, &request));
    CHECK_WAYS(Comm, MPI_Comm, MPI_COMM_WORLD);
    CHECK_WAYS(Comm, MPI_Comm, comm);
    CHECK_WAYS(Type, MPI_Datatype, MPI_DOUBLE);
    CHECK_WAYS(Type, MPI_Datatype, type);
    CHECK_WAYS(Group, MPI_Group, group);
    CHECK_WAYS(Info, MPI_Info, info);
    CHECK_WAYS(Errhandler, MPI_Errhandler, handler);
    CHECK_WAYS(Request, MPI_Request, request);
    CHECK_WAYS(Op, MPI_Op, MPI_SUM);
    CHECK_WAYS(Message, MPI_Message, MPI_MESSAGE_NO_PROC);
    CHECK_WAYS(File, MPI_File, MPI_FILE_NULL);
    CHECK_WAYS(Win, MPI_Win, MPI_WIN_NULL);
    CHECK_WAYS(Session, MPI_Session, MPI_SESSION_NULL);
    CHECK(MPI_Request_free(&request) == MPI_SUCCESS && MPI_Errhandler_free(&handler) == MPI_SUCCESS);
    CHECK(MPI_Info_free(&info) == MPI_SUCCESS && MPI_Group_free(&group) == MPI_SUCCESS);
    CHECK(MPI_Type_free(&type) == MPI_SUCCESS && MPI_Comm_free(&comm) == MPI_SUCCESS);
}

/* A status of a message survives the way through every form, with what the library keeps in it. */
static void check_statuses(void)
{
    int out[5] = {1, 2, 3, 4, 5}, in[5], count;
    MPI_Status status, back;
    MPI_Fint numbers[MPI_F_STATUS_SIZE], others[MPI_F_STATUS_SIZE];
    MPI_F08_status structure;
    CHECK_OK(MPI_Sendrecv(out, 5, MPI_INT, 0, 77, in, 5, MPI_INT, 0, 77, MPI_COMM_WORLD, &status));
    status.MPI_ERROR = MPI_ERR_OTHER;
    CHECK_OK(MPI_Status_c2f(&status, numbers));
    CHECK(numbers[MPI_F_SOURCE] == 0 && numbers[MPI_F_TAG] == 77 && numbers[MPI_F_ERROR] == MPI_ERR_OTHER);
    CHECK_OK(MPI_Status_f2f08(numbers, &structure));
    CHECK(structure.MPI_SOURCE == 0 && structure.MPI_TAG == 77 && structure.MPI_ERROR == MPI_ERR_OTHER);
    CHECK_OK(MPI_Status_f082f(&structure, others));
    CHECK(memcmp(numbers, others, sizeof numbers) == 0);
    CHECK_OK(MPI_Status_f2c(others, &back));
    CHECK(memcmp(&back, &status, sizeof back) == 0);
    CHECK(MPI_Get_count(&back, MPI_INT, &count) == MPI_SUCCESS && count == 5);
    CHECK(MPI_Status_c2f08(&status, &structure) == MPI_SUCCESS && MPI_Status_f082c(&structure, &back) == MPI_SUCCESS);
    CHECK(memcmp(&back, &status, sizeof back) == 0);
    CHECK(PMPI_Status_c2f(&status, numbers) == MPI_SUCCESS && PMPI_Status_f2c(numbers, &back) == MPI_SUCCESS);
    /* MPI allows none of these; nothing is written, and nothing crashes. */
    CHECK(MPI_Status_f2c(MPI_F_STATUS_IGNORE, &back) == MPI_ERR_ARG);
    CHECK(MPI_Status_f2c(MPI_F_STATUSES_IGNORE, &back) == MPI_ERR_ARG);
    CHECK(MPI_Status_c2f(MPI_STATUS_IGNORE, numbers) == MPI_ERR_ARG && MPI_Status_c2f(&status, NULL) == MPI_ERR_ARG);
    CHECK(MPI_Status_f082c(MPI_F08_STATUS_IGNORE, &back) == MPI_ERR_ARG);
    CHECK(memcmp(&back, &status, sizeof back) == 0);
}

int main(void)
{
    CHECK_OK(MPI_Init(NULL, NULL));
    check_handles();
    check_statuses();
    CHECK_OK(MPI_Finalize());
    puts("fortran_handles: passed");
    return 0;
}
