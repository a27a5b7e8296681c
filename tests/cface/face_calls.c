/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the C face adds to the engine, on one and more ranks that are threads of this process: statuses, names,
 * attributes, handles as integers, pair types on the way, further threads of a rank. Failures are in face_failures.c,
 * messages themselves are tested in tests/p2p.
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
    int *value, flag;
    CHECK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag) == MPI_SUCCESS && flag && *value >= 32767);
    CHECK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &value, &flag) == MPI_SUCCESS && !flag);
    CHECK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_IO, &value, &flag) == MPI_SUCCESS && flag && *value == MPI_ANY_SOURCE);
    CHECK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &value, &flag) == MPI_SUCCESS && flag && *value == 0);
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
