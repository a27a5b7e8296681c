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
#define OTHER_TYPE ((MPI_Datatype)MPI_COMM_WORLD)
#define OTHER_REQUEST ((MPI_Request)MPI_COMM_WORLD)

static int room[8];
static MPI_Request request;
static MPI_Status status;
static MPI_Comm comm;
static MPI_Datatype type, uncommitted;
static MPI_Message message;
static MPI_Count count_c;
static MPI_Aint address, extent;
static int number, flag;
static char text[MPI_MAX_OBJECT_NAME];

/* ---- sends and receives ----------------------------------------------------------------------------------------- */

/* The rows that all sends share; `...` is what follows the communicator. */
#define WRONG_SEND(name, ...)                                                                                         \
    WRONG(MPI_ERR_COMM, "comm is MPI_COMM_NULL", name(room, 1, MPI_INT, 0, 0, MPI_COMM_NULL __VA_ARGS__));            \
    WRONG(MPI_ERR_COMM, "comm is not a communicator", name(room, 1, MPI_INT, 0, 0, OTHER_COMM __VA_ARGS__));          \
    WRONG(MPI_ERR_COMM, "a NULL pointer", name(room, 1, MPI_INT, 0, 0, NULL __VA_ARGS__));                            \
    WRONG(MPI_ERR_COUNT, "count is -3", name(room, -3, MPI_INT, 0, 0, MPI_COMM_WORLD __VA_ARGS__));                   \
    WRONG(MPI_ERR_TYPE, "datatype is MPI_DATATYPE_NULL",                                                              \
          name(room, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD __VA_ARGS__));                                        \
    WRONG(MPI_ERR_TYPE, "datatype is not a datatype", name(room, 1, OTHER_TYPE, 0, 0, MPI_COMM_WORLD __VA_ARGS__));   \
    WRONG(MPI_ERR_TYPE, "MPI_Type_commit", name(room, 1, uncommitted, 0, 0, MPI_COMM_WORLD __VA_ARGS__));             \
    WRONG(MPI_ERR_BUFFER, "buf is a NULL pointer", name(NULL, 1, MPI_INT, 0, 0, MPI_COMM_WORLD __VA_ARGS__));         \
    WRONG(MPI_ERR_BUFFER, "MPI_IN_PLACE", name(MPI_IN_PLACE, 1, MPI_INT, 0, 0, MPI_COMM_WORLD __VA_ARGS__));          \
    WRONG(MPI_ERR_RANK, "dest is 7, but the communicator has 1 rank (0)",                                             \
          name(room, 1, MPI_INT, 7, 0, MPI_COMM_WORLD __VA_ARGS__));                                                  \
    WRONG(MPI_ERR_RANK, "dest is -1", name(room, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD __VA_ARGS__));         \
    WRONG(MPI_ERR_TAG, "tag is -9", name(room, 1, MPI_INT, 0, -9, MPI_COMM_WORLD __VA_ARGS__));                       \
    WRONG(MPI_ERR_TAG, "tag is -2", name(room, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD __VA_ARGS__))

#define WRONG_SEND_REQUEST(name)                                                                                      \
    WRONG_SEND(name, , &request);                                                                                     \
    WRONG(MPI_ERR_ARG, "request is a NULL pointer", name(room, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, NULL))

#define WRONG_SEND_LARGE(name, ...)                                                                                   \
    WRONG(MPI_ERR_COUNT, "more than memory can hold",                                                                 \
          name(room, INT64_MAX / 2, MPI_INT, 0, 0, MPI_COMM_WORLD __VA_ARGS__))

#define WRONG_RECV(name, last)                                                                                        \
    WRONG(MPI_ERR_COMM, "comm is MPI_COMM_NULL", name(room, 1, MPI_INT, 0, 0, MPI_COMM_NULL, last));                  \
    WRONG(MPI_ERR_COUNT, "count is -1", name(room, -1, MPI_INT, 0, 0, MPI_COMM_WORLD, last));                         \
    WRONG(MPI_ERR_TYPE, "datatype is MPI_DATATYPE_NULL",                                                              \
          name(room, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD, last));                                              \
    WRONG(MPI_ERR_TYPE, "MPI_Type_commit", name(room, 1, uncommitted, 0, 0, MPI_COMM_WORLD, last));                   \
    WRONG(MPI_ERR_BUFFER, "buf is a NULL pointer", name(NULL, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, last));               \
    WRONG(MPI_ERR_RANK, "source is 1, but the communicator has 1 rank (0)",                                           \
          name(room, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, last));                                                        \
    WRONG(MPI_ERR_RANK, "source is -4", name(room, 1, MPI_INT, MPI_ROOT, 0, MPI_COMM_WORLD, last));                   \
    WRONG(MPI_ERR_TAG, "tag is -3, but must be 0..2147483647 or MPI_ANY_TAG",                                         \
          name(room, 1, MPI_INT, 0, -3, MPI_COMM_WORLD, last))

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
    WRONG(MPI_ERR_ARG, "request is a NULL pointer", MPI_Irecv(room, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, NULL));
}

#define WRONG_SENDRECV(name)                                                                                          \
    WRONG(MPI_ERR_COUNT, "sendcount is -1",                                                                           \
          name(room, -1, MPI_INT, 0, 0, room + 4, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &status));                        \
    WRONG(MPI_ERR_COUNT, "recvcount is -1",                                                                           \
          name(room, 1, MPI_INT, 0, 0, room + 4, -1, MPI_INT, 0, 0, MPI_COMM_WORLD, &status));                        \
    WRONG(MPI_ERR_TYPE, "sendtype is",                                                                                \
          name(room, 1, MPI_DATATYPE_NULL, 0, 0, room + 4, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &status));               \
    WRONG(MPI_ERR_TYPE, "recvtype is",                                                                                \
          name(room, 1, MPI_INT, 0, 0, room + 4, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD, &status));               \
    WRONG(MPI_ERR_RANK, "dest is 5",                                                                                  \
          name(room, 1, MPI_INT, 5, 0, room + 4, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &status));                         \
    WRONG(MPI_ERR_RANK, "source is 6",                                                                                \
          name(room, 1, MPI_INT, 0, 0, room + 4, 1, MPI_INT, 6, 0, MPI_COMM_WORLD, &status));                         \
    WRONG(MPI_ERR_TAG, "sendtag is -1",                                                                               \
          name(room, 1, MPI_INT, 0, -1, room + 4, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &status));                        \
    WRONG(MPI_ERR_TAG, "recvtag is -1",                                                                               \
          name(room, 1, MPI_INT, 0, 0, room + 4, 1, MPI_INT, 0, -1, MPI_COMM_WORLD, &status));                        \
    WRONG(MPI_ERR_BUFFER, "recvbuf is", name(room, 1, MPI_INT, 0, 0, NULL, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &status))

#define WRONG_REPLACE(name)                                                                                           \
    WRONG(MPI_ERR_COMM, "comm is", name(room, 1, MPI_INT, 0, 0, 0, 0, MPI_COMM_NULL, &status));                       \
    WRONG(MPI_ERR_TAG, "sendtag is -4", name(room, 1, MPI_INT, 0, -4, 0, 0, MPI_COMM_WORLD, &status));                \
    WRONG(MPI_ERR_TAG, "recvtag is -4", name(room, 1, MPI_INT, 0, 0, 0, -4, MPI_COMM_WORLD, &status));                \
    WRONG(MPI_ERR_RANK, "source is 3", name(room, 1, MPI_INT, 0, 0, 3, 0, MPI_COMM_WORLD, &status))

#define WRONG_MRECV(name, last)                                                                                       \
    message = MPI_MESSAGE_NULL;                                                                                       \
    WRONG(MPI_ERR_REQUEST, "message is MPI_MESSAGE_NULL", name(room, 1, MPI_INT, &message, last));                    \
    message = (MPI_Message)MPI_INT;                                                                                   \
    WRONG(MPI_ERR_REQUEST, "message is", name(room, 1, MPI_INT, &message, last));                                     \
    message = MPI_MESSAGE_NO_PROC;                                                                                    \
    WRONG(MPI_ERR_COUNT, "count is -1", name(room, -1, MPI_INT, &message, last));                                     \
    WRONG(MPI_ERR_TYPE, "datatype is", name(room, 1, OTHER_TYPE, &message, last));                                    \
    WRONG(MPI_ERR_ARG, "message is a NULL pointer", name(room, 1, MPI_INT, NULL, last))

static void wrong_others(void)
{
    WRONG_SENDRECV(MPI_Sendrecv);
    WRONG_SENDRECV(MPI_Sendrecv_c);
    WRONG_REPLACE(MPI_Sendrecv_replace);
    WRONG_REPLACE(MPI_Sendrecv_replace_c);
    WRONG_MRECV(MPI_Mrecv, &status);
    WRONG_MRECV(MPI_Mrecv_c, &status);
    WRONG_MRECV(MPI_Imrecv, &request);
    WRONG_MRECV(MPI_Imrecv_c, &request);
    WRONG(MPI_ERR_ARG, "request is", MPI_Imrecv(room, 1, MPI_INT, &message, NULL));
    WRONG(MPI_ERR_COMM, "comm is", MPI_Probe(0, 0, MPI_COMM_NULL, &status));
    WRONG(MPI_ERR_RANK, "source is 2", MPI_Probe(2, 0, MPI_COMM_WORLD, &status));
    WRONG(MPI_ERR_TAG, "tag is -7", MPI_Iprobe(0, -7, MPI_COMM_WORLD, &flag, &status));
    WRONG(MPI_ERR_ARG, "flag is", MPI_Iprobe(0, 0, MPI_COMM_WORLD, NULL, &status));
    WRONG(MPI_ERR_ARG, "message is", MPI_Mprobe(0, 0, MPI_COMM_WORLD, NULL, &status));
    WRONG(MPI_ERR_RANK, "source is -5", MPI_Mprobe(-5, 0, MPI_COMM_WORLD, &message, &status));
    WRONG(MPI_ERR_ARG, "flag is", MPI_Improbe(0, 0, MPI_COMM_WORLD, NULL, &message, &status));
    WRONG(MPI_ERR_COMM, "comm is", MPI_Improbe(0, 0, OTHER_COMM, &flag, &message, &status));
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
    WRONG(MPI_ERR_ARG, "flag is", MPI_Request_get_status(MPI_REQUEST_NULL, NULL, &status));
    WRONG(MPI_ERR_REQUEST, "array_of_requests[1] is", MPI_Request_get_status_all(2, array, &flag, statuses));
    WRONG(MPI_ERR_REQUEST, "array_of_requests[1] is", MPI_Request_get_status_any(2, array, &number, &flag, &status));
    WRONG(MPI_ERR_COUNT, "count is -1", MPI_Request_get_status_some(-1, array, &number, indices, statuses));

    request = MPI_REQUEST_NULL;
    WRONG(MPI_ERR_REQUEST, "*request is MPI_REQUEST_NULL", MPI_Start(&request));
    WRONG(MPI_ERR_REQUEST, "array_of_requests[0] is MPI_REQUEST_NULL", MPI_Startall(1, &request));
    WRONG(MPI_ERR_COUNT, "count is -1", MPI_Startall(-1, &request));
    WRONG(MPI_ERR_REQUEST, "*request is MPI_REQUEST_NULL", MPI_Cancel(&request));
    WRONG(MPI_ERR_REQUEST, "*request is MPI_REQUEST_NULL", MPI_Request_free(&request));

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
    WRONG(MPI_ERR_ARG, "status is", MPI_Get_count(NULL, MPI_INT, &number));
    WRONG(MPI_ERR_TYPE, "datatype is", MPI_Get_count(&status, OTHER_TYPE, &number));
    WRONG(MPI_ERR_ARG, "count is", MPI_Get_count_c(&status, MPI_INT, NULL));
    WRONG(MPI_ERR_TYPE, "datatype is", MPI_Get_elements(&status, MPI_DATATYPE_NULL, &number));
    WRONG(MPI_ERR_TYPE, "datatype is", MPI_Get_elements_c(&status, MPI_DATATYPE_NULL, &count_c));
    WRONG(MPI_ERR_TYPE, "datatype is", MPI_Get_elements_x(&status, MPI_DATATYPE_NULL, &count_c));
    WRONG(MPI_ERR_COUNT, "count is -1", MPI_Status_set_elements(&status, MPI_INT, -1));
    WRONG(MPI_ERR_COUNT, "count is -1", MPI_Status_set_elements_c(&status, MPI_INT, -1));
    WRONG(MPI_ERR_TYPE, "datatype is", MPI_Status_set_elements_x(&status, OTHER_TYPE, 1));
    WRONG(MPI_ERR_ARG, "status is", MPI_Status_set_cancelled(NULL, 1));
    WRONG(MPI_ERR_ARG, "status is", MPI_Status_set_source(NULL, 1));
    WRONG(MPI_ERR_ARG, "status is", MPI_Status_set_tag(NULL, 1));
    WRONG(MPI_ERR_ARG, "status is", MPI_Status_set_error(NULL, 1));
    WRONG(MPI_ERR_ARG, "source is", MPI_Status_get_source(&status, NULL));
    WRONG(MPI_ERR_ARG, "tag is", MPI_Status_get_tag(&status, NULL));
    WRONG(MPI_ERR_ARG, "error is", MPI_Status_get_error(&status, NULL));
    WRONG(MPI_ERR_ARG, "flag is", MPI_Test_cancelled(&status, NULL));
}

static void wrong_buffers(void)
{
    void *detached;
    WRONG(MPI_ERR_ARG, "size is -1", MPI_Buffer_attach(room, -1));
    WRONG(MPI_ERR_BUFFER, "buffer is a NULL pointer", MPI_Buffer_attach_c(NULL, 10));
    WRONG(MPI_ERR_ARG, "buffer_addr is", MPI_Buffer_detach(NULL, &number));
    WRONG(MPI_ERR_ARG, "size is", MPI_Buffer_detach_c(&detached, NULL));
    CHECK_OK(MPI_Buffer_attach(room, sizeof room));
    WRONG(MPI_ERR_BUFFER, "already attached", MPI_Buffer_attach(room, sizeof room));
    CHECK_OK(MPI_Buffer_flush());
    CHECK(MPI_Buffer_detach(&detached, &number) == MPI_SUCCESS && detached == room && number == sizeof room);
}

static void wrong_types(void)
{
    MPI_Datatype freed;
    type = MPI_DATATYPE_NULL;
    WRONG(MPI_ERR_COUNT, "count is -1", MPI_Type_contiguous(-1, MPI_INT, &type));
    WRONG(MPI_ERR_TYPE, "oldtype is", MPI_Type_contiguous(1, OTHER_TYPE, &type));
    WRONG(MPI_ERR_ARG, "newtype is", MPI_Type_contiguous_c(1, MPI_INT, NULL));
    WRONG(MPI_ERR_COUNT, "more than memory can hold", MPI_Type_contiguous_c(INT64_MAX / 2, MPI_INT, &type));
    WRONG(MPI_ERR_TYPE, "oldtype is", MPI_Type_dup(MPI_DATATYPE_NULL, &type));
    WRONG(MPI_ERR_TYPE, "*datatype is MPI_DATATYPE_NULL", MPI_Type_commit(&type));
    WRONG(MPI_ERR_TYPE, "*datatype is MPI_DATATYPE_NULL", MPI_Type_free(&type));
    type = MPI_DOUBLE;
    WRONG(MPI_ERR_TYPE, "*datatype is MPI_DOUBLE, which cannot be freed", MPI_Type_free(&type));
    WRONG(MPI_ERR_TYPE, "datatype is", MPI_Type_size(OTHER_TYPE, &number));
    WRONG(MPI_ERR_ARG, "size is", MPI_Type_size(MPI_INT, NULL));
    WRONG(MPI_ERR_TYPE, "datatype is", MPI_Type_size_c(OTHER_TYPE, &count_c));
    WRONG(MPI_ERR_TYPE, "datatype is", MPI_Type_size_x(OTHER_TYPE, &count_c));
    WRONG(MPI_ERR_ARG, "lb is", MPI_Type_get_extent(MPI_INT, NULL, &extent));
    WRONG(MPI_ERR_ARG, "extent is", MPI_Type_get_extent_c(MPI_INT, &count_c, NULL));
    WRONG(MPI_ERR_TYPE, "datatype is", MPI_Type_get_extent_x(MPI_DATATYPE_NULL, &count_c, &count_c));
    WRONG(MPI_ERR_TYPE, "datatype is", MPI_Type_get_true_extent(MPI_DATATYPE_NULL, &extent, &extent));
    WRONG(MPI_ERR_ARG, "true_lb is", MPI_Type_get_true_extent_c(MPI_INT, NULL, &count_c));
    WRONG(MPI_ERR_ARG, "true_extent is", MPI_Type_get_true_extent_x(MPI_INT, &count_c, NULL));
    WRONG(MPI_ERR_TYPE, "datatype is", MPI_Type_get_name(OTHER_TYPE, text, &number));
    WRONG(MPI_ERR_ARG, "type_name is", MPI_Type_get_name(MPI_DATATYPE_NULL, NULL, &number));
    WRONG(MPI_ERR_ARG, "resultlen is", MPI_Type_get_name(MPI_INT, text, NULL));
    WRONG(MPI_ERR_ARG, "type_name is", MPI_Type_set_name(MPI_INT, NULL));
    WRONG(MPI_ERR_TYPE, "datatype is", MPI_Type_set_name(OTHER_TYPE, "x"));
    WRONG(MPI_ERR_ARG, "address is", MPI_Get_address(room, NULL));
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
    WRONG(MPI_ERR_COMM, "comm is", MPI_Comm_rank(MPI_COMM_NULL, &number));
    WRONG(MPI_ERR_ARG, "rank is", MPI_Comm_rank(MPI_COMM_WORLD, NULL));
    WRONG(MPI_ERR_COMM, "0x209", MPI_Comm_size(OTHER_COMM, &number));
    WRONG(MPI_ERR_COMM, "comm is", MPI_Comm_dup(MPI_COMM_NULL, &comm));
    WRONG(MPI_ERR_ARG, "newcomm is", MPI_Comm_dup(MPI_COMM_WORLD, NULL));
    WRONG(MPI_ERR_ARG, "color is -4", MPI_Comm_split(MPI_COMM_WORLD, -4, 0, &comm));
    WRONG(MPI_ERR_COMM, "comm is", MPI_Comm_split(MPI_COMM_NULL, 0, 0, &comm));
    WRONG(MPI_ERR_COMM, "*comm is MPI_COMM_NULL", MPI_Comm_free(&comm));
    comm = MPI_COMM_WORLD;
    WRONG(MPI_ERR_COMM, "*comm is MPI_COMM_WORLD, which cannot be freed", MPI_Comm_free(&comm));
    WRONG(MPI_ERR_COMM, "comm2 is", MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_NULL, &number));
    WRONG(MPI_ERR_COMM, "comm is", MPI_Comm_test_inter(MPI_COMM_NULL, &flag));
    WRONG(MPI_ERR_ARG, "comm_name is", MPI_Comm_set_name(MPI_COMM_WORLD, NULL));
    WRONG(MPI_ERR_ARG, "resultlen is", MPI_Comm_get_name(MPI_COMM_WORLD, text, NULL));
    WRONG(MPI_ERR_ARG, "resultlen is", MPI_Comm_get_name(MPI_COMM_NULL, text, NULL));
    WRONG(MPI_ERR_COMM, "comm is", MPI_Comm_get_name(OTHER_COMM, text, &number));
    WRONG(MPI_ERR_COMM, "comm is MPI_COMM_NULL", MPI_Comm_set_name(MPI_COMM_NULL, "x"));
    WRONG(MPI_ERR_WIN, "which is not a window", MPI_Win_get_name((MPI_Win)MPI_INT, text, &number));
    WRONG(MPI_ERR_ARG, "win_name is", MPI_Win_get_name(MPI_WIN_NULL, NULL, &number));
    WRONG(MPI_ERR_KEYVAL, "the attribute key is 77", MPI_Comm_get_attr(MPI_COMM_WORLD, 77, &value, &flag));
    WRONG(MPI_ERR_ARG, "flag is", MPI_Attr_get(MPI_COMM_WORLD, MPI_TAG_UB, &value, NULL));
    WRONG(MPI_ERR_COMM, "comm is", MPI_Barrier(MPI_COMM_NULL));
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
    WRONG(MPI_ERR_ARG, "comm_errhandler_fn is", MPI_Comm_create_errhandler(NULL, &handler));
    WRONG(MPI_ERR_ARG, "errhandler is", MPI_Comm_create_errhandler(ignore_error, NULL));
    WRONG(MPI_ERR_ERRHANDLER, "*errhandler is MPI_ERRHANDLER_NULL", MPI_Errhandler_free(&handler));
    WRONG(MPI_ERR_ERRHANDLER, "errhandler is", MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRHANDLER_NULL));
    WRONG(MPI_ERR_COMM, "comm is", MPI_Comm_set_errhandler(MPI_COMM_NULL, MPI_ERRORS_RETURN));
    WRONG(MPI_ERR_COMM, "comm is", MPI_Comm_get_errhandler(MPI_COMM_NULL, &handler));
    WRONG(MPI_ERR_ARG, "errorcode is 5000", MPI_Comm_call_errhandler(MPI_COMM_WORLD, 5000));
    WRONG(MPI_ERR_ARG, "errorcode is 63", MPI_Error_class(63, &number));
    WRONG(MPI_ERR_ARG, "errorcode is -1", MPI_Error_string(-1, text, &number));
    WRONG(MPI_ERR_ARG, "resultlen is", MPI_Error_string(1, text, NULL));
    CHECK_OK(MPI_Comm_create_errhandler(ignore_error, &handler));
    freed = handler;
    CHECK(MPI_Errhandler_free(&handler) == MPI_SUCCESS && handler == MPI_ERRHANDLER_NULL);
    WRONG(MPI_ERR_ERRHANDLER, "was freed", MPI_Comm_set_errhandler(MPI_COMM_WORLD, freed));
    WRONG(MPI_ERR_ERRHANDLER, "was freed", MPI_Errhandler_free(&freed));
    WRONG(MPI_ERR_ARG, "session_errhandler_fn is", MPI_Session_create_errhandler(NULL, &handler));
    WRONG(MPI_ERR_ARG, "errhandler is", MPI_Session_create_errhandler(ignore_session_error, NULL));
    CHECK_OK(MPI_Session_create_errhandler(ignore_session_error, &handler));
    WRONG(MPI_ERR_ERRHANDLER, "for sessions, not for communicators", MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler));
    CHECK_OK(MPI_Errhandler_free(&handler));
}

static void wrong_environment(void)
{
    MPI_Win window;
    WRONG(MPI_ERR_OTHER, "already initialized", MPI_Init(NULL, NULL));
    WRONG(MPI_ERR_OTHER, "already initialized", MPI_Init_thread(NULL, NULL, MPI_THREAD_SINGLE, &number));
    WRONG(MPI_ERR_ARG, "provided is", MPI_Query_thread(NULL));
    WRONG(MPI_ERR_ARG, "flag is", MPI_Is_thread_main(NULL));
    WRONG(MPI_ERR_ARG, "name is", MPI_Get_processor_name(NULL, &number));
    WRONG(MPI_ERR_ARG, "size is -1", MPI_Alloc_mem(-1, MPI_INFO_NULL, &address));
    WRONG(MPI_ERR_ARG, "baseptr is", MPI_Alloc_mem(1, MPI_INFO_NULL, NULL));
    WRONG_EARLY(MPI_ERR_ARG, MPI_Initialized(NULL));
    WRONG_EARLY(MPI_ERR_ARG, MPI_Finalized(NULL));
    WRONG_EARLY(MPI_ERR_ARG, MPI_Get_version(NULL, &number));
    WRONG_EARLY(MPI_ERR_ARG, MPI_Abi_get_version(&number, NULL));
    WRONG_EARLY(MPI_ERR_ARG, MPI_Get_library_version(NULL, &number));
    /* Numbers of handles: nothing was given the number 999999. */
    CHECK(MPI_Comm_fromint(999999) == NULL);
    /* What is not there says so by name. */
    WRONG(MPI_ERR_UNSUPPORTED_OPERATION, "not implemented",
          MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window));
    WRONG(MPI_ERR_UNSUPPORTED_OPERATION, "not implemented", MPI_Win_sync(MPI_WIN_NULL));
    WRONG(MPI_ERR_UNSUPPORTED_OPERATION, "not implemented", MPI_File_sync(MPI_FILE_NULL));
    CHECK(MPI_T_cvar_get_num(&number) == MPI_T_ERR_NOT_SUPPORTED);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Type_contiguous(2, MPI_INT, &uncommitted);
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
