/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every function that is done, called with wrong arguments under MPI_ERRORS_RETURN: the class must be right and the
 * text must name the call and what is wrong. wrong_arguments_cover.awk checks that no function is left out.
 */
#include "wrong.h"

#include <stdint.h>
#include <stdlib.h>

/* ---- the words of the table ------------------------------------------------------------------------------------- */

/* Handles that are none: another kind's predefined one, and NULL. */
#define OTHER_COMM ((MPI_Comm)MPI_INT)
#define OTHER_REQUEST ((MPI_Request)MPI_COMM_WORLD)

static int room[16];
static MPI_Request request;
static MPI_Status status;
static MPI_Comm comm;
static MPI_Datatype type, uncommitted;
static MPI_Message message;
static int number, flag;
static char text[MPI_MAX_OBJECT_NAME];

/* ---- sends and receives ----------------------------------------------------------------------------------------- */

/* The rows that all sends share; `...` is what follows the communicator. */
#define WRONG_SEND(name, ...)                                                                                         \
    WRONG(MPI_ERR_COMM, "a NULL pointer", name(room, 1, MPI_INT, 0, 0, NULL __VA_ARGS__));                            \
    WRONG(MPI_ERR_RANK, "dest is -1", name(room, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD __VA_ARGS__));         \
    WRONG(MPI_ERR_TAG, "tag is -2", name(room, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD __VA_ARGS__))

#define WRONG_SEND_REQUEST(name) WRONG_SEND(name, , &request)

#define WRONG_SEND_LARGE(name, ...)                                                                                   \
    WRONG(MPI_ERR_COUNT, "more than memory can hold",                                                                 \
          name(room, INT64_MAX / 2, MPI_INT, 0, 0, MPI_COMM_WORLD __VA_ARGS__))

#define WRONG_RECV(name, last)                                                                                        \
    WRONG(MPI_ERR_RANK, "source is -4", name(room, 1, MPI_INT, MPI_ROOT, 0, MPI_COMM_WORLD, last));                   \
    WRONG(MPI_ERR_TAG, "tag is -3, but must be 0..2147483647 or MPI_ANY_TAG",                                         \
          name(room, 1, MPI_INT, 0, -3, MPI_COMM_WORLD, last))

#define WRONG_PARTITIONED(name, peer)                                                                                 \
    WRONG(MPI_ERR_COMM, "comm is MPI_COMM_NULL",                                                                      \
          name(room, 2, 1, MPI_INT, 0, 0, MPI_COMM_NULL, MPI_INFO_NULL, &request));                                   \
    WRONG(MPI_ERR_ARG, "partitions is -2",                                                                            \
          name(room, -2, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request));                                 \
    WRONG(MPI_ERR_COUNT, "count is -1", name(room, 2, -1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request));   \
    WRONG(MPI_ERR_TYPE, "datatype is MPI_DATATYPE_NULL",                                                              \
          name(room, 2, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request));                        \
    WRONG(MPI_ERR_BUFFER, "buf is", name(NULL, 2, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request));        \
    WRONG(MPI_ERR_RANK, peer " is -1",                                                                                \
          name(room, 2, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request));                     \
    WRONG(MPI_ERR_TAG, "tag is -2",                                                                                   \
          name(room, 2, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &request));                        \
    WRONG(MPI_ERR_INFO, "info is not", name(room, 2, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, (MPI_Info)MPI_INT, &request)); \
    WRONG(MPI_ERR_ARG, "request is a NULL", name(room, 2, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, NULL))

/* Calls on requests that are of something else, of the other side, or not active; and partitions that they lack. */
static void wrong_partitions(void)
{
    MPI_Request out, in, other;
    const int marked[] = {0, 2};
    int arrived;
    WRONG_PARTITIONED(MPI_Psend_init, "dest");
    WRONG_PARTITIONED(MPI_Psend_init_c, "dest");
    WRONG_PARTITIONED(MPI_Precv_init, "source");
    WRONG_PARTITIONED(MPI_Precv_init_c, "source");
    MPI_Psend_init(room, 2, 1, MPI_INT, 0, 5, MPI_COMM_SELF, MPI_INFO_NULL, &out);
    MPI_Precv_init(room + 8, 2, 1, MPI_INT, 0, 5, MPI_COMM_SELF, MPI_INFO_NULL, &in);
    MPI_Recv_init(room + 8, 2, MPI_INT, 0, 5, MPI_COMM_SELF, &other);
    WRONG(MPI_ERR_REQUEST, "request is not active", MPI_Pready(0, out));
    MPI_Start(&out);
    MPI_Start(&in);
    WRONG(MPI_ERR_REQUEST, "request is not a partitioned send", MPI_Pready(0, in));
    WRONG(MPI_ERR_REQUEST, "request is not a partitioned send", MPI_Pready_range(0, 1, other));
    WRONG(MPI_ERR_REQUEST, "request is not a partitioned receive", MPI_Parrived(out, 0, &arrived));
    WRONG(MPI_ERR_ARG, "partition is 2, but the request has 2 partitions", MPI_Pready(2, out));
    WRONG(MPI_ERR_ARG, "partition is -1, but", MPI_Parrived(in, -1, &arrived));
    WRONG(MPI_ERR_ARG, "partition_high is 5, but", MPI_Pready_range(0, 5, out));
    WRONG(MPI_ERR_ARG, "array_of_partitions[1] is 2, but", MPI_Pready_list(2, marked, out));
    WRONG(MPI_ERR_ARG, "length is -1", MPI_Pready_list(-1, marked, out));
    WRONG(MPI_ERR_REQUEST, "cannot be cancelled", MPI_Cancel(&in));
    WRONG(MPI_ERR_REQUEST, "that is active", MPI_Request_free(&out));
    CHECK_EQUAL(MPI_SUCCESS, MPI_Pready(1, out));
    WRONG(MPI_ERR_ARG, "partition 1 was marked before", MPI_Pready(1, out));
    CHECK_EQUAL(MPI_SUCCESS, MPI_Pready(0, out));
    MPI_Wait(&in, MPI_STATUS_IGNORE);
    MPI_Wait(&out, MPI_STATUS_IGNORE);
    MPI_Request_free(&in);
    MPI_Request_free(&out);
    MPI_Request_free(&other);
}

static void wrong_sends(void)
{
    WRONG_SEND(MPI_Send);
    WRONG_SEND(MPI_Send_c);
    WRONG_SEND(MPI_Bsend);
    WRONG_SEND(MPI_Bsend_c);
    WRONG_SEND(MPI_Ssend);
    WRONG_SEND(MPI_Ssend_c);
    WRONG_SEND(MPI_Rsend);
    WRONG_SEND(MPI_Rsend_c);
    WRONG_SEND_LARGE(MPI_Send_c);
    WRONG_SEND_LARGE(MPI_Isend_c, , &request);
    WRONG_SEND_REQUEST(MPI_Isend);
    WRONG_SEND_REQUEST(MPI_Isend_c);
    WRONG_SEND_REQUEST(MPI_Ibsend);
    WRONG_SEND_REQUEST(MPI_Ibsend_c);
    WRONG_SEND_REQUEST(MPI_Issend);
    WRONG_SEND_REQUEST(MPI_Issend_c);
    WRONG_SEND_REQUEST(MPI_Irsend);
    WRONG_SEND_REQUEST(MPI_Irsend_c);
    WRONG_SEND_REQUEST(MPI_Send_init);
    WRONG_SEND_REQUEST(MPI_Send_init_c);
    WRONG_SEND_REQUEST(MPI_Bsend_init);
    WRONG_SEND_REQUEST(MPI_Bsend_init_c);
    WRONG_SEND_REQUEST(MPI_Ssend_init);
    WRONG_SEND_REQUEST(MPI_Ssend_init_c);
    WRONG_SEND_REQUEST(MPI_Rsend_init);
    WRONG_SEND_REQUEST(MPI_Rsend_init_c);
    WRONG(MPI_ERR_BUFFER, "no buffer is attached", MPI_Bsend(room, 1, MPI_INT, 0, 0, MPI_COMM_WORLD));
}

static void wrong_receives(void)
{
    WRONG_RECV(MPI_Recv, &status);
    WRONG_RECV(MPI_Recv_c, &status);
    WRONG_RECV(MPI_Irecv, &request);
    WRONG_RECV(MPI_Irecv_c, &request);
    WRONG_RECV(MPI_Recv_init, &request);
    WRONG_RECV(MPI_Recv_init_c, &request);
}

#define WRONG_MRECV(name, last)                                                                                       \
    message = MPI_MESSAGE_NULL;                                                                                       \
    WRONG(MPI_ERR_REQUEST, "message is MPI_MESSAGE_NULL", name(room, 1, MPI_INT, &message, last));                    \
    message = (MPI_Message)MPI_INT;                                                                                   \
    WRONG(MPI_ERR_REQUEST, "message is", name(room, 1, MPI_INT, &message, last));                                     \
    message = MPI_MESSAGE_NO_PROC

static void wrong_others(void)
{
    WRONG_MRECV(MPI_Mrecv, &status);
    WRONG_MRECV(MPI_Mrecv_c, &status);
    WRONG_MRECV(MPI_Imrecv, &request);
    WRONG_MRECV(MPI_Imrecv_c, &request);
    WRONG(MPI_ERR_RANK, "source is -5", MPI_Mprobe(-5, 0, MPI_COMM_WORLD, &message, &status));
}

/* ---- requests --------------------------------------------------------------------------------------------------- */

static void wrong_requests(void)
{
    MPI_Request pending, array[2] = {MPI_REQUEST_NULL, OTHER_REQUEST};
    int indices[2];
    MPI_Status statuses[2];
    request = OTHER_REQUEST;
    WRONG(MPI_ERR_ARG, "request is", MPI_Wait(NULL, &status));
    WRONG(MPI_ERR_REQUEST, "*request is not a request", MPI_Wait(&request, &status));
    WRONG(MPI_ERR_REQUEST, "*request is", MPI_Test(&request, &flag, &status));
    WRONG(MPI_ERR_ARG, "flag is", MPI_Test(&array[0], NULL, &status));
    WRONG(MPI_ERR_COUNT, "count is -1", MPI_Waitall(-1, array, statuses));
    WRONG(MPI_ERR_ARG, "array_of_requests is", MPI_Waitall(2, NULL, statuses));
    WRONG(MPI_ERR_REQUEST, "array_of_requests[1] is", MPI_Waitall(2, array, statuses));
    WRONG(MPI_ERR_REQUEST, "array_of_requests[1] is", MPI_Testall(2, array, &flag, statuses));
    WRONG(MPI_ERR_ARG, "flag is", MPI_Testall(1, array, NULL, statuses));
    WRONG(MPI_ERR_REQUEST, "array_of_requests[1] is", MPI_Waitany(2, array, &number, &status));
    WRONG(MPI_ERR_ARG, "indx is", MPI_Waitany(1, array, NULL, &status));
    WRONG(MPI_ERR_COUNT, "count is -2", MPI_Testany(-2, array, &number, &flag, &status));
    WRONG(MPI_ERR_ARG, "flag is", MPI_Testany(1, array, &number, NULL, &status));
    WRONG(MPI_ERR_REQUEST, "array_of_requests[1] is", MPI_Waitsome(2, array, &number, indices, statuses));
    WRONG(MPI_ERR_ARG, "array_of_indices is", MPI_Waitsome(1, array, &number, NULL, statuses));
    WRONG(MPI_ERR_ARG, "outcount is", MPI_Testsome(1, array, NULL, indices, statuses));
    WRONG(MPI_ERR_REQUEST, "request is", MPI_Request_get_status(OTHER_REQUEST, &flag, &status));
    WRONG(MPI_ERR_REQUEST, "array_of_requests[1] is", MPI_Request_get_status_all(2, array, &flag, statuses));
    WRONG(MPI_ERR_REQUEST, "array_of_requests[1] is", MPI_Request_get_status_any(2, array, &number, &flag, &status));
    WRONG(MPI_ERR_COUNT, "count is -1", MPI_Request_get_status_some(-1, array, &number, indices, statuses));

    request = MPI_REQUEST_NULL;
    WRONG(MPI_ERR_REQUEST, "array_of_requests[0] is MPI_REQUEST_NULL", MPI_Startall(1, &request));

    CHECK_OK(MPI_Irecv(room, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &pending));
    WRONG(MPI_ERR_REQUEST, "not persistent", MPI_Start(&pending));
    CHECK(MPI_Cancel(&pending) == MPI_SUCCESS && MPI_Wait(&pending, &status) == MPI_SUCCESS);
    CHECK(MPI_Test_cancelled(&status, &flag) == MPI_SUCCESS && flag);
    CHECK(pending == MPI_REQUEST_NULL);

    CHECK_OK(MPI_Recv_init(room, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &pending));
    WRONG(MPI_ERR_REQUEST, "not active", MPI_Cancel(&pending));
    CHECK_OK(MPI_Start(&pending));
    WRONG(MPI_ERR_REQUEST, "was started", MPI_Start(&pending));
    CHECK(MPI_Cancel(&pending) == MPI_SUCCESS && MPI_Wait(&pending, &status) == MPI_SUCCESS);
    CHECK(MPI_Request_free(&pending) == MPI_SUCCESS && pending == MPI_REQUEST_NULL);
}

/* ---- statuses, buffers, datatypes ------------------------------------------------------------------------------- */

static void wrong_statuses(void)
{
}

static void wrong_buffers(void)
{
    void *detached;
    WRONG(MPI_ERR_BUFFER, "buffer is a NULL pointer", MPI_Buffer_attach_c(NULL, 10));
    CHECK_OK(MPI_Buffer_attach(room, sizeof room));
    WRONG(MPI_ERR_BUFFER, "already attached", MPI_Buffer_attach(room, sizeof room));
    CHECK_OK(MPI_Buffer_flush());
    CHECK(MPI_Buffer_detach(&detached, &number) == MPI_SUCCESS && detached == room && number == sizeof room);
}

static void wrong_types(void)
{
    MPI_Datatype freed;
    type = MPI_DATATYPE_NULL;
    WRONG(MPI_ERR_COUNT, "more than memory can hold", MPI_Type_contiguous_c(INT64_MAX / 2, MPI_INT, &type));
    type = MPI_DOUBLE;
    WRONG(MPI_ERR_TYPE, "*datatype is MPI_DOUBLE, which cannot be freed", MPI_Type_free(&type));
    /* A freed handle is told. */
    CHECK_OK(MPI_Type_contiguous(2, MPI_INT, &type));
    freed = type;
    CHECK(MPI_Type_free(&type) == MPI_SUCCESS && type == MPI_DATATYPE_NULL);
    WRONG(MPI_ERR_TYPE, "was freed", MPI_Type_size(freed, &number));
    WRONG(MPI_ERR_TYPE, "was freed", MPI_Send(room, 1, freed, 0, 0, MPI_COMM_WORLD));
}

/* ---- communicators and errors ----------------------------------------------------------------------------------- */

static void wrong_comms(void)
{
    MPI_Comm freed;
    void *value;
    comm = MPI_COMM_NULL;
    WRONG(MPI_ERR_COMM, "0x209", MPI_Comm_size(OTHER_COMM, &number));
    WRONG(MPI_ERR_ARG, "color is -4", MPI_Comm_split(MPI_COMM_WORLD, -4, 0, &comm));
    comm = MPI_COMM_WORLD;
    WRONG(MPI_ERR_COMM, "*comm is MPI_COMM_WORLD, which cannot be freed", MPI_Comm_free(&comm));
    WRONG(MPI_ERR_WIN, "win is not a window but", MPI_Win_get_name((MPI_Win)MPI_INT, text, &number));
    WRONG(MPI_ERR_KEYVAL, "the attribute key is 77", MPI_Comm_get_attr(MPI_COMM_WORLD, 77, &value, &flag));
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    freed = comm;
    CHECK(MPI_Comm_free(&comm) == MPI_SUCCESS && comm == MPI_COMM_NULL);
    WRONG(MPI_ERR_COMM, "was freed", MPI_Send(room, 1, MPI_INT, 0, 0, freed));
    WRONG(MPI_ERR_COMM, "was freed", MPI_Comm_free(&freed));
}

static void ignore_error(MPI_Comm *failed, int *code, ...)
{
    (void)failed;
    (void)code;
}

static void ignore_session_error(MPI_Session *failed, int *code, ...)
{
    (void)failed;
    (void)code;
}

static void wrong_errors(void)
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL, freed;
    WRONG(MPI_ERR_ARG, "errorcode is 5000", MPI_Comm_call_errhandler(MPI_COMM_WORLD, 5000));
    WRONG(MPI_ERR_ARG, "errorcode is 63", MPI_Error_class(63, &number));
    WRONG(MPI_ERR_ARG, "errorcode is -1", MPI_Error_string(-1, text, &number));
    CHECK_OK(MPI_Comm_create_errhandler(ignore_error, &handler));
    freed = handler;
    CHECK(MPI_Errhandler_free(&handler) == MPI_SUCCESS && handler == MPI_ERRHANDLER_NULL);
    WRONG(MPI_ERR_ERRHANDLER, "was freed", MPI_Comm_set_errhandler(MPI_COMM_WORLD, freed));
    WRONG(MPI_ERR_ERRHANDLER, "was freed", MPI_Errhandler_free(&freed));
    CHECK_OK(MPI_Session_create_errhandler(ignore_session_error, &handler));
    WRONG(MPI_ERR_ERRHANDLER, "for sessions, not for communicators", MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler));
    CHECK_OK(MPI_Errhandler_free(&handler));
}

static void wrong_environment(void)
{
    WRONG(MPI_ERR_OTHER, "already initialized", MPI_Init(NULL, NULL));
    WRONG(MPI_ERR_OTHER, "already initialized", MPI_Init_thread(NULL, NULL, MPI_THREAD_SINGLE, &number));
    WRONG_EARLY(MPI_ERR_ARG, MPI_Initialized(NULL));
    WRONG_EARLY(MPI_ERR_ARG, MPI_Finalized(NULL));
    WRONG_EARLY(MPI_ERR_ARG, MPI_Get_version(NULL, &number));
    WRONG_EARLY(MPI_ERR_ARG, MPI_Abi_get_version(&number, NULL));
    WRONG_EARLY(MPI_ERR_ARG, MPI_Get_library_version(NULL, &number));
    /* Numbers of handles: nothing was given the number 999999. */
    CHECK(MPI_Comm_fromint(999999) == NULL);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Type_contiguous(2, MPI_INT, &uncommitted);
    wrong_partitions();
    wrong_sends();
    wrong_receives();
    wrong_others();
    wrong_requests();
    wrong_statuses();
    wrong_buffers();
    wrong_types();
    wrong_comms();
    wrong_errors();
    wrong_environment();
    MPI_Type_free(&uncommitted);
    MPI_Finalize();
    puts("wrong_arguments: passed");
    return 0;
}
