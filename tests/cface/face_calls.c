/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the C face adds to the engine, on two and more ranks that are threads of this process: statuses, error
 * handlers, several errors at once, truncation, names, attributes, handles as integers, pair types on the way, further
 * threads of a rank. Messages themselves are tested in tests/p2p.
 */
#include "check.h"

#include <corunna/threads.h>
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct double_int {
    double value;
    int index;
} double_int;

static int world_rank(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

/* Does the last error of this class say so? */
static int says(int error_class, const char *fragment)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;
    MPI_Error_string(error_class, text, &length);
    if (strstr(text, fragment))
        return 1;
    fprintf(stderr, "class %d says \"%s\", not \"%s\"\n", error_class, text, fragment);
    return 0;
}

/* ---- statuses --------------------------------------------------------------------------------------------------- */

static void test_status_counts(void)
{
    MPI_Status status;
    MPI_Count large;
    int count;
    memset(&status, 0, sizeof status);
    /* 24 bytes: two pairs of 12, six ints, no whole number of the widest pair. */
    CHECK_OK(MPI_Status_set_elements(&status, MPI_INT, 6));
    CHECK(MPI_Get_count(&status, MPI_DOUBLE_INT, &count) == MPI_SUCCESS && count == 2);
    CHECK(MPI_Get_elements(&status, MPI_DOUBLE_INT, &count) == MPI_SUCCESS && count == 4);
    CHECK(MPI_Get_count(&status, MPI_LONG_DOUBLE_INT, &count) == MPI_SUCCESS && count == MPI_UNDEFINED);
    CHECK_OK(MPI_Status_set_elements(&status, MPI_DOUBLE_INT, 3));
    CHECK(MPI_Get_count(&status, MPI_BYTE, &count) == MPI_SUCCESS && count == 20);
    CHECK(MPI_Get_count(&status, MPI_DOUBLE_INT, &count) == MPI_SUCCESS && count == MPI_UNDEFINED);
    CHECK(MPI_Get_elements(&status, MPI_DOUBLE_INT, &count) == MPI_SUCCESS && count == 3);
    CHECK_OK(MPI_Status_set_elements(&status, MPI_BYTE, 17));
    CHECK(MPI_Get_elements(&status, MPI_DOUBLE_INT, &count) == MPI_SUCCESS && count == MPI_UNDEFINED);
    /* More than an int holds. */
    CHECK_OK(MPI_Status_set_elements_c(&status, MPI_INT, (MPI_Count)1 << 40));
    CHECK(MPI_Get_count_c(&status, MPI_BYTE, &large) == MPI_SUCCESS && large == (MPI_Count)1 << 42);
    CHECK(MPI_Get_elements_x(&status, MPI_INT, &large) == MPI_SUCCESS && large == (MPI_Count)1 << 40);
    CHECK(MPI_Get_count(&status, MPI_BYTE, &count) == MPI_SUCCESS && count == MPI_UNDEFINED);
    /* Fields one by one. */
    CHECK(MPI_Status_set_source(&status, 3) == MPI_SUCCESS && status.MPI_SOURCE == 3);
    CHECK(MPI_Status_set_tag(&status, 4) == MPI_SUCCESS && status.MPI_TAG == 4);
    CHECK(MPI_Status_set_error(&status, 5) == MPI_SUCCESS && status.MPI_ERROR == 5);
    CHECK_OK(MPI_Status_set_cancelled(&status, 1));
    CHECK(MPI_Test_cancelled(&status, &count) == MPI_SUCCESS && count == 1);
    CHECK(MPI_Get_count_c(&status, MPI_INT, &large) == MPI_SUCCESS && large == (MPI_Count)1 << 40);
}

/* A single completion leaves MPI_ERROR alone; an empty status is as the standard says. */
static void test_status_rules(void)
{
    int rank = world_rank(), sent = 5, received = 0, flag = 0, count;
    MPI_Status status;
    MPI_Request request;
    status.MPI_ERROR = 777;
    MPI_Isend(&sent, 1, MPI_INT, rank, 9, MPI_COMM_WORLD, &request);
    MPI_Recv(&received, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(received == 5 && status.MPI_SOURCE == rank && status.MPI_TAG == 9 && status.MPI_ERROR == 777);
    CHECK_OK(MPI_Wait(&request, &status));
    CHECK(status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG && status.MPI_ERROR == MPI_SUCCESS);
    CHECK(MPI_Get_count(&status, MPI_INT, &count) == MPI_SUCCESS && count == 0);
    CHECK(MPI_Test(&request, &flag, &status) == MPI_SUCCESS && flag);
    CHECK_OK(MPI_Recv(&received, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &status));
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
    CHECK(MPI_Get_count(&status, MPI_INT, &count) == MPI_SUCCESS && count == 0);
}

/* ---- errors of requests ----------------------------------------------------------------------------------------- */

static void test_truncation(void)
{
    int sent[25] = {1}, received[20], count;
    MPI_Status status;
    MPI_Comm self;
    MPI_Comm_dup(MPI_COMM_SELF, &self);
    MPI_Comm_set_errhandler(self, MPI_ERRORS_RETURN);
    MPI_Request request;
    MPI_Isend(sent, 25, MPI_INT, 0, 5, self, &request);
    CHECK(MPI_Recv(received, 20, MPI_INT, 0, 5, self, &status) == MPI_ERR_TRUNCATE);
    CHECK(says(MPI_ERR_TRUNCATE, "MPI_Recv: message of 100 bytes from rank 0 with tag 5 is longer than the receive "
                                 "buffer of 80 bytes"));
    CHECK(status.MPI_SOURCE == 0 && status.MPI_TAG == 5);
    CHECK(MPI_Get_count(&status, MPI_INT, &count) == MPI_SUCCESS && count == 20);
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    MPI_Comm_free(&self);
}

/* Three receives of which the middle one is too short. */
static void test_error_in_status(void)
{
    int sent[4] = {1, 2, 3, 4}, received[3][4], flag = 0, indices[3], count;
    MPI_Request requests[4];
    MPI_Status statuses[4];
    MPI_Comm self;
    MPI_Comm_dup(MPI_COMM_SELF, &self);
    MPI_Comm_set_errhandler(self, MPI_ERRORS_RETURN);
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < 3; i++)
            MPI_Irecv(received[i], i == 1 ? 3 : 4, MPI_INT, 0, i, self, &requests[i]);
        requests[3] = MPI_REQUEST_NULL;
        for (int i = 0; i < 3; i++)
            MPI_Send(sent, 4, MPI_INT, 0, i, self);
        memset(statuses, 0xff, sizeof statuses);
        if (round == 0)
            CHECK(MPI_Waitall(4, requests, statuses) == MPI_ERR_IN_STATUS);
        if (round == 1) {
            int code = MPI_SUCCESS;
            while (!flag && code == MPI_SUCCESS)
                code = MPI_Testall(4, requests, &flag, statuses);
            CHECK(code == MPI_ERR_IN_STATUS && flag);
        }
        if (round == 2)
            CHECK(MPI_Waitall(4, requests, MPI_STATUSES_IGNORE) == MPI_ERR_TRUNCATE);
        if (round == 3) {
            int failed = 0, done = 0;
            while (done < 3) {
                int code = MPI_Waitsome(4, requests, &count, indices, statuses);
                CHECK(code == MPI_SUCCESS || code == MPI_ERR_IN_STATUS);
                for (int i = 0; i < count; i++)
                    failed += statuses[i].MPI_ERROR == MPI_ERR_TRUNCATE && indices[i] == 1;
                done += count;
            }
            CHECK(failed == 1);
        }
        if (round < 2) {
            CHECK(statuses[0].MPI_ERROR == MPI_SUCCESS && statuses[2].MPI_ERROR == MPI_SUCCESS);
            CHECK(statuses[1].MPI_ERROR == MPI_ERR_TRUNCATE && statuses[1].MPI_TAG == 1);
            CHECK(statuses[3].MPI_ERROR == MPI_SUCCESS && statuses[3].MPI_SOURCE == MPI_ANY_SOURCE);
            CHECK(says(MPI_ERR_IN_STATUS, "array_of_statuses[1] has an error: message of 16 bytes from rank 0 with "
                                          "tag 1 is longer than the receive buffer of 12 bytes"));
        }
        for (int i = 0; i < 4; i++)
            CHECK(requests[i] == MPI_REQUEST_NULL);
    }
    MPI_Comm_free(&self);
}

/* More requests than statuses fit on the library's stack. */
static void test_many_requests(void)
{
    enum { MANY = 300 };
    MPI_Request *requests = malloc(2 * MANY * sizeof *requests);
    MPI_Status *statuses = malloc(2 * MANY * sizeof *statuses);
    int *values = malloc(2 * MANY * sizeof *values), *indices = malloc(2 * MANY * sizeof *indices);
    int rank = world_rank(), flag, count, done = 0;
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < MANY; i++) {
            values[i] = -1;
            values[MANY + i] = i;
            MPI_Irecv(&values[i], 1, MPI_INT, rank, i, MPI_COMM_WORLD, &requests[i]);
        }
        for (int i = 0; i < MANY; i++)
            MPI_Isend(&values[MANY + i], 1, MPI_INT, rank, i, MPI_COMM_WORLD, &requests[MANY + i]);
        if (round == 0) {
            CHECK_OK(MPI_Waitall(2 * MANY, requests, statuses));
            for (int i = 0; i < MANY; i++)
                CHECK(statuses[i].MPI_TAG == i && statuses[i].MPI_ERROR == MPI_SUCCESS);
        } else {
            while (MPI_Testsome(2 * MANY, requests, &count, indices, statuses) == MPI_SUCCESS &&
                   count != MPI_UNDEFINED)
                done += count;
            CHECK(done == 2 * MANY);
        }
        CHECK(MPI_Testall(2 * MANY, requests, &flag, statuses) == MPI_SUCCESS && flag);
        for (int i = 0; i < MANY; i++)
            CHECK(values[i] == i && requests[i] == MPI_REQUEST_NULL);
    }
    free(requests);
    free(statuses);
    free(values);
    free(indices);
}

static void test_request_looks(void)
{
    int sent = 3, received[2] = {0, 0}, flag, index, count, indices[2];
    MPI_Request requests[2];
    MPI_Status status, statuses[2];
    MPI_Irecv(&received[0], 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[0]);
    MPI_Irecv(&received[1], 1, MPI_INT, 0, 2, MPI_COMM_SELF, &requests[1]);
    CHECK(MPI_Request_get_status_any(2, requests, &index, &flag, &status) == MPI_SUCCESS && !flag);
    CHECK(MPI_Request_get_status_some(2, requests, &count, indices, statuses) == MPI_SUCCESS && count == 0);
    MPI_Send(&sent, 1, MPI_INT, 0, 2, MPI_COMM_SELF);
    do
        CHECK_OK(MPI_Request_get_status(requests[1], &flag, &status));
    while (!flag);
    CHECK(status.MPI_TAG == 2 && received[1] == 3);
    CHECK(MPI_Request_get_status_any(2, requests, &index, &flag, &status) == MPI_SUCCESS && flag && index == 1);
    CHECK(MPI_Request_get_status_some(2, requests, &count, indices, statuses) == MPI_SUCCESS && count == 1);
    CHECK(indices[0] == 1 && statuses[0].MPI_TAG == 2);
    CHECK(MPI_Request_get_status_all(2, requests, &flag, statuses) == MPI_SUCCESS && !flag);
    MPI_Send(&sent, 1, MPI_INT, 0, 1, MPI_COMM_SELF);
    CHECK_OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    CHECK(MPI_Request_get_status_all(2, requests, &flag, statuses) == MPI_SUCCESS && flag);
    CHECK(MPI_Request_get_status_some(2, requests, &count, indices, statuses) == MPI_SUCCESS &&
          count == MPI_UNDEFINED);
}

/* ---- error handlers --------------------------------------------------------------------------------------------- */

/* Ranks are threads, so what a handler saw is noted per thread. */
static _Thread_local MPI_Comm handled_comm;
static _Thread_local int handled_code, handled_count;

static void note_error(MPI_Comm *comm, int *code, ...)
{
    handled_comm = *comm;
    handled_code = *code;
    handled_count++;
}

static void test_handlers(void)
{
    MPI_Errhandler handler, found;
    MPI_Comm first, second;
    int x = 0;
    handled_count = 0;
    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    CHECK_OK(MPI_Comm_create_errhandler(note_error, &handler));
    CHECK_OK(MPI_Comm_set_errhandler(first, handler));
    CHECK(MPI_Comm_get_errhandler(first, &found) == MPI_SUCCESS && found == handler);
    CHECK(MPI_Errhandler_free(&found) == MPI_SUCCESS && found == MPI_ERRHANDLER_NULL);
    /* The handle may go; the communicator keeps the handler and hands it on. */
    CHECK_OK(MPI_Errhandler_free(&handler));
    MPI_Comm_dup(first, &second);
    CHECK(MPI_Send(&x, 1, MPI_INT, 1000, 0, second) == MPI_ERR_RANK);
    CHECK(handled_count == 1 && handled_code == MPI_ERR_RANK && handled_comm == second);
    CHECK_OK(MPI_Comm_call_errhandler(first, MPI_ERR_TOPOLOGY));
    CHECK(handled_count == 2 && handled_code == MPI_ERR_TOPOLOGY && handled_comm == first);
    MPI_Comm_free(&first);
    MPI_Comm_free(&second);
    CHECK(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &found) == MPI_SUCCESS && found == MPI_ERRORS_ARE_FATAL);
}

/* What belongs to no communicator goes to MPI_COMM_SELF; to MPI_COMM_WORLD while only that one was given a handler. */
static void test_handlers_of_no_comm(void)
{
    MPI_Errhandler handler;
    MPI_Comm none = MPI_COMM_NULL;
    int size;
    handled_count = 0;
    MPI_Comm_create_errhandler(note_error, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    CHECK(MPI_Comm_size(MPI_COMM_NULL, &size) == MPI_ERR_COMM);
    CHECK(handled_count == 1 && handled_code == MPI_ERR_COMM && handled_comm == MPI_COMM_WORLD);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK(MPI_Comm_free(&none) == MPI_ERR_COMM && MPI_Type_size(MPI_DATATYPE_NULL, &size) == MPI_ERR_TYPE);
    CHECK(handled_count == 1);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    CHECK(MPI_Comm_size(MPI_COMM_NULL, &size) == MPI_ERR_COMM);
    CHECK(handled_count == 2 && handled_comm == MPI_COMM_SELF);
    MPI_Errhandler_free(&handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

/* ---- communicators, datatypes, attributes ----------------------------------------------------------------------- */

static void test_comms(void)
{
    MPI_Comm dup, half, none;
    int rank = world_rank(), size, half_rank, half_size, result, flag, length;
    char name[MPI_MAX_OBJECT_NAME], longer[300];
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    MPI_Comm_split(MPI_COMM_WORLD, MPI_UNDEFINED, 0, &none);
    CHECK(none == MPI_COMM_NULL);
    MPI_Comm_size(half, &half_size);
    MPI_Comm_rank(half, &half_rank);
    CHECK(half_size == (size + (rank % 2 == 0)) / 2 && half_rank == half_size - 1 - rank / 2);
    CHECK(MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_WORLD, &result) == MPI_SUCCESS && result == MPI_IDENT);
    CHECK(MPI_Comm_compare(MPI_COMM_WORLD, dup, &result) == MPI_SUCCESS && result == MPI_CONGRUENT);
    CHECK_OK(MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_SELF, &result));
    CHECK(result == (size == 1 ? MPI_CONGRUENT : MPI_UNEQUAL));
    CHECK(MPI_Comm_test_inter(dup, &flag) == MPI_SUCCESS && !flag);
    CHECK(MPI_Comm_get_name(MPI_COMM_WORLD, name, &length) == MPI_SUCCESS && !strcmp(name, "MPI_COMM_WORLD"));
    CHECK(MPI_Comm_get_name(dup, name, &length) == MPI_SUCCESS && length == 0 && !name[0]);
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    CHECK_OK(MPI_Comm_set_name(dup, longer));
    CHECK(MPI_Comm_get_name(dup, name, &length) == MPI_SUCCESS && length == MPI_MAX_OBJECT_NAME - 1);
    MPI_Barrier(dup);
    MPI_Comm_free(&half);
    MPI_Comm_free(&dup);
}

static void test_types(void)
{
    MPI_Datatype pairs, copy;
    MPI_Aint lb, extent, true_lb, true_extent;
    char name[MPI_MAX_OBJECT_NAME];
    int size, length, rank = world_rank(), count;
    double_int sent[6], received[6];
    MPI_Request request;
    MPI_Status status;
    MPI_Type_contiguous(3, MPI_DOUBLE_INT, &pairs);
    CHECK(MPI_Type_size(pairs, &size) == MPI_SUCCESS && size == 36);
    CHECK(MPI_Type_get_extent(pairs, &lb, &extent) == MPI_SUCCESS && lb == 0 && extent == 48);
    CHECK(MPI_Type_get_true_extent(pairs, &true_lb, &true_extent) == MPI_SUCCESS && true_lb == 0 && true_extent == 44);
    MPI_Type_commit(&pairs);
    MPI_Type_dup(pairs, &copy);
    MPI_Type_free(&pairs);
    memset(sent, 0, sizeof sent);
    memset(received, 0x55, sizeof received);
    for (int i = 0; i < 6; i++)
        sent[i] = (double_int){i + 0.5, -i};
    /* The type may go while the messages are under way. */
    MPI_Irecv(received, 2, copy, rank, 8, MPI_COMM_WORLD, &request);
    MPI_Type_free(&copy);
    MPI_Send(sent, 6, MPI_DOUBLE_INT, rank, 8, MPI_COMM_WORLD);
    MPI_Wait(&request, &status);
    for (int i = 0; i < 6; i++)
        CHECK(received[i].value == i + 0.5 && received[i].index == -i);
    CHECK(((unsigned char *)received)[12] == 0x55);
    CHECK(MPI_Get_count(&status, MPI_DOUBLE_INT, &count) == MPI_SUCCESS && count == 6);
    /* Of two names for one type it is told the one that other libraries tell. */
    CHECK(MPI_Type_get_name(MPI_LONG_LONG_INT, name, &length) == MPI_SUCCESS && !strcmp(name, "MPI_LONG_LONG_INT"));
    CHECK(MPI_Type_get_name(MPI_LONG_LONG, name, &length) == MPI_SUCCESS && !strcmp(name, "MPI_LONG_LONG_INT"));
    CHECK(MPI_Type_get_name(MPI_C_COMPLEX, name, &length) == MPI_SUCCESS && !strcmp(name, "MPI_C_COMPLEX"));
    CHECK(MPI_Type_get_name(MPI_C_FLOAT_COMPLEX, name, &length) == MPI_SUCCESS && !strcmp(name, "MPI_C_COMPLEX"));
    CHECK_OK(MPI_Type_set_name(MPI_INT, "number"));
    CHECK(MPI_Type_get_name(MPI_INT, name, &length) == MPI_SUCCESS && !strcmp(name, "number") && length == 6);
}

static void test_null_names(void)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    CHECK(MPI_Comm_get_name(MPI_COMM_NULL, name, &length) == MPI_SUCCESS && length == 13);
    CHECK(strcmp(name, "MPI_COMM_NULL") == 0);
    CHECK(MPI_Type_get_name(MPI_DATATYPE_NULL, name, &length) == MPI_SUCCESS && length == 17);
    CHECK(strcmp(name, "MPI_DATATYPE_NULL") == 0);
    CHECK(MPI_Win_get_name(MPI_WIN_NULL, name, &length) == MPI_SUCCESS && length == 12);
    CHECK(strcmp(name, "MPI_WIN_NULL") == 0);
}

static void test_attributes(void)
{
    int *value, flag, size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag) == MPI_SUCCESS && flag && *value >= 32767);
    CHECK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &value, &flag) == MPI_SUCCESS && flag &&
          *value == size);
    CHECK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_IO, &value, &flag) == MPI_SUCCESS && flag && *value == MPI_ANY_SOURCE);
    CHECK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &value, &flag) == MPI_SUCCESS && !flag);
    CHECK(MPI_Attr_get(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &value, &flag) == MPI_SUCCESS && flag &&
          *value == MPI_ERR_LASTCODE);
}

static void test_integers(void)
{
    MPI_Comm comms[100];
    int numbers[100];
    CHECK(MPI_Comm_toint(MPI_COMM_WORLD) == 0x101 && MPI_Comm_fromint(0x101) == MPI_COMM_WORLD);
    CHECK(MPI_Type_toint(MPI_INT) == 0x209 && MPI_Op_fromint(0x21) == MPI_SUM);
    for (int i = 0; i < 100; i++) {
        MPI_Comm_split(MPI_COMM_SELF, 0, 0, &comms[i]);
        numbers[i] = MPI_Comm_toint(comms[i]);
        CHECK(numbers[i] >= 4096);
    }
    for (int i = 0; i < 100; i++) {
        CHECK(MPI_Comm_fromint(numbers[i]) == comms[i] && MPI_Comm_toint(comms[i]) == numbers[i]);
        MPI_Comm_free(&comms[i]);
    }
}

static void test_environment(void)
{
    int version, subversion, length, flag;
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    MPI_Aint address;
    int *memory;
    CHECK(MPI_Get_version(&version, &subversion) == MPI_SUCCESS && version == 5 && subversion == 0);
    CHECK(MPI_Abi_get_version(&version, &subversion) == MPI_SUCCESS && version == 1 && subversion == 0);
    CHECK(MPI_Get_library_version(text, &length) == MPI_SUCCESS && length == (int)strlen(text));
    CHECK(MPI_Get_processor_name(text, &length) == MPI_SUCCESS && length == (int)strlen(text) && length > 0);
    CHECK(MPI_Initialized(&flag) == MPI_SUCCESS && flag && MPI_Finalized(&flag) == MPI_SUCCESS && !flag);
    CHECK(MPI_Alloc_mem(100, MPI_INFO_NULL, &memory) == MPI_SUCCESS && memory);
    CHECK_OK(MPI_Get_address(&memory[3], &address));
    CHECK(MPI_Aint_diff(address, (MPI_Aint)memory) == 12 && MPI_Aint_add((MPI_Aint)memory, 12) == address);
    CHECK_OK(MPI_Free_mem(memory));
    double start = MPI_Wtime();
    CHECK(MPI_Wtime() >= start && MPI_Wtick() > 0 && MPI_Wtick() < 1e-3);
    CHECK_OK(MPI_Pcontrol(1, "level"));
    CHECK(MPI_Is_thread_main(&flag) == MPI_SUCCESS && flag);
}

/* ---- matched probes --------------------------------------------------------------------------------------------- */

static void test_messages(void)
{
    int sent = 11, received = 0, flag = 1;
    MPI_Message message, stale;
    MPI_Status status;
    MPI_Request request;
    CHECK(MPI_Improbe(0, 6, MPI_COMM_SELF, &flag, &message, &status) == MPI_SUCCESS && !flag);
    CHECK(message == MPI_MESSAGE_NULL);
    MPI_Isend(&sent, 1, MPI_INT, 0, 6, MPI_COMM_SELF, &request);
    CHECK_OK(MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &message, &status));
    CHECK(status.MPI_TAG == 6);
    stale = message;
    CHECK(MPI_Mrecv(&received, 1, MPI_INT, &message, &status) == MPI_SUCCESS && received == 11);
    CHECK(message == MPI_MESSAGE_NULL);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    CHECK(MPI_Mrecv(&received, 1, MPI_INT, &stale, &status) == MPI_ERR_REQUEST);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    CHECK_OK(MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_SELF, &message, &status));
    CHECK(message == MPI_MESSAGE_NO_PROC && status.MPI_SOURCE == MPI_PROC_NULL);
    CHECK(MPI_Imrecv(&received, 1, MPI_INT, &message, &request) == MPI_SUCCESS && message == MPI_MESSAGE_NULL);
    CHECK(MPI_Wait(&request, &status) == MPI_SUCCESS && status.MPI_SOURCE == MPI_PROC_NULL);
}

/* ---- further threads of a rank ---------------------------------------------------------------------------------- */

static void *further_thread(void *rank)
{
    int sent = 21, received = 0, flag, self;
    corunna_threads_adopt(rank);
    CHECK_OK(MPI_Comm_rank(MPI_COMM_WORLD, &self));
    CHECK(MPI_Is_thread_main(&flag) == MPI_SUCCESS && !flag);
    MPI_Sendrecv(&sent, 1, MPI_INT, self, 77, &received, 1, MPI_INT, self, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(received == 21);
    corunna_threads_adopt(NULL);
    return NULL;
}

static void test_further_thread(void)
{
    pthread_t thread;
    CHECK(corunna_threads_self() != NULL);
    CHECK(pthread_create(&thread, NULL, further_thread, corunna_threads_self()) == 0);
    pthread_join(thread, NULL);
}

static int body(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    CHECK(provided == MPI_THREAD_MULTIPLE);
    test_status_counts();
    test_status_rules();
    test_truncation();
    test_error_in_status();
    test_many_requests();
    test_request_looks();
    test_handlers();
    test_handlers_of_no_comm();
    test_comms();
    test_types();
    test_null_names();
    test_attributes();
    test_integers();
    test_environment();
    test_messages();
    test_further_thread();
    MPI_Finalize();
    return 0;
}

static int give_rank(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Finalize();
    return rank >= 2 ? 40 + rank : 0;
}

int main(int argc, char **argv)
{
    static const int sizes[] = {1, 2, 5, 64};
    for (int i = 0; i < 4; i++)
        CHECK(corunna_threads_run(sizes[i], body, argc, argv) == 0);
    CHECK(corunna_threads_run(4, give_rank, argc, argv) == 42);
    CHECK(corunna_threads_run(0, body, argc, argv) == -1);
    CHECK(corunna_threads_self() == NULL);
    puts("face_calls: passed");
    return 0;
}
