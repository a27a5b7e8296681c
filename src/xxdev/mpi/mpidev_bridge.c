/* SPDX-License-Identifier: Apache-2.0 */
/* The bridge, against whatever mpi.h it is compiled with: see mpidev_bridge.h. */
#include "mpidev_bridge.h"

#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct bridge_state {
    cor_bridge base;
    MPI_Comm comms[COR_BRIDGE_CHANNELS];
} bridge_state;

_Static_assert(sizeof(MPI_Request) <= sizeof(cor_bridge_request), "a request has room");

static MPI_Comm bridge_comm(cor_bridge *bridge, int channel)
{
    return ((bridge_state *)(void *)bridge)->comms[channel];
}

static MPI_Request bridge_get(const cor_bridge_request *request)
{
    MPI_Request own;
    memcpy(&own, request, sizeof own);
    return own;
}

static void bridge_put(MPI_Request own, cor_bridge_request *request_p)
{
    *request_p = 0;
    memcpy(request_p, &own, sizeof own);
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

static void bridge_ask_library(cor_bridge *bridge)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING + 1] = "";
    int length = 0;
    MPI_Get_library_version(text, &length);
    text[strcspn(text, ",\n")] = '\0';
    for (char *at = text; *at; at++)
        if (*at == '\t')
            *at = ' ';
    snprintf(bridge->library, sizeof bridge->library, "%.*s", (int)sizeof bridge->library - 1, text);
}

static int bridge_make_comms(bridge_state *state)
{
    void *value;
    int has_value = 0, error = MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; error == MPI_SUCCESS && i < COR_BRIDGE_CHANNELS; i++) {
        error = MPI_Comm_dup(MPI_COMM_WORLD, &state->comms[i]);
        if (error == MPI_SUCCESS)
            error = MPI_Comm_set_errhandler(state->comms[i], MPI_ERRORS_RETURN);
    }
    if (error == MPI_SUCCESS)
        error = MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &has_value);
    if (error == MPI_SUCCESS)
        state->base.tag_max = has_value ? *(int *)value : 32767;
    return error;
}

static int bridge_open(cor_bridge **bridge_p)
{
    int was_begun = 0, was_ended = 0, threads = 0;
    MPI_Initialized(&was_begun);
    MPI_Finalized(&was_ended);
    if (was_begun || was_ended)
        return COR_BRIDGE_ERR_AGAIN;
    bridge_state *state = calloc(1, sizeof *state);
    if (!state)
        return COR_BRIDGE_ERR_MEMORY;
    int error = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &threads);
    if (error == MPI_SUCCESS && threads < MPI_THREAD_SERIALIZED)
        error = COR_BRIDGE_ERR_THREADS;
    if (error == MPI_SUCCESS) {
        MPI_Comm_rank(MPI_COMM_WORLD, &state->base.rank);
        MPI_Comm_size(MPI_COMM_WORLD, &state->base.size);
        bridge_ask_library(&state->base);
        error = bridge_make_comms(state);
    }
    if (error != MPI_SUCCESS) {
        free(state);
        return error;
    }
    *bridge_p = &state->base;
    return 0;
}

static void bridge_close(cor_bridge *bridge)
{
    bridge_state *state = (bridge_state *)(void *)bridge;
    for (int i = 0; i < COR_BRIDGE_CHANNELS; i++)
        MPI_Comm_free(&state->comms[i]);
    MPI_Finalize();
    free(state);
}

static void bridge_abort(cor_bridge *bridge, int status)
{
    (void)bridge;
    MPI_Abort(MPI_COMM_WORLD, status);
}

static void bridge_explain(int error, char *out, size_t out_bytes)
{
    char text[MPI_MAX_ERROR_STRING + 1] = "";
    int length = 0;
    MPI_Error_string(error, text, &length);
    snprintf(out, out_bytes, "%s", text);
}

/* ---- all ranks -------------------------------------------------------------------------------------------------- */

static int bridge_barrier(cor_bridge *bridge, cor_bridge_request *request_p)
{
    MPI_Request own = MPI_REQUEST_NULL;
    int error = MPI_Ibarrier(bridge_comm(bridge, COR_BRIDGE_LONG), &own);
    bridge_put(own, request_p);
    return error;
}

static int bridge_allgather(cor_bridge *bridge, const void *mine, void *all, int bytes, cor_bridge_request *request_p)
{
    MPI_Request own = MPI_REQUEST_NULL;
    int error =
        MPI_Iallgather(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, bridge_comm(bridge, COR_BRIDGE_LONG), &own);
    bridge_put(own, request_p);
    return error;
}

/* ---- messages --------------------------------------------------------------------------------------------------- */

/* Counts are ints: more bytes than that are one element of a type that is as long. The caller frees it. */
static int bridge_make_type(size_t bytes, MPI_Datatype *type_p)
{
    enum { BLOCK = 1 << 20 };
    int lengths[2] = {(int)(bytes / BLOCK), (int)(bytes % BLOCK)};
    MPI_Aint places[2] = {0, (MPI_Aint)(bytes - bytes % BLOCK)};
    MPI_Datatype block, types[2];
    int error = MPI_Type_contiguous(BLOCK, MPI_BYTE, &block);
    if (error != MPI_SUCCESS)
        return error;
    types[0] = block;
    types[1] = MPI_BYTE;
    error = MPI_Type_create_struct(2, lengths, places, types, type_p);
    if (error == MPI_SUCCESS)
        error = MPI_Type_commit(type_p);
    MPI_Type_free(&block);
    return error;
}

typedef int (*bridge_send_fn)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

static int bridge_send(bridge_send_fn send, MPI_Comm comm, int peer, int tag, const void *data, size_t bytes,
                       cor_bridge_request *request_p)
{
    MPI_Request own = MPI_REQUEST_NULL;
    MPI_Datatype type;
    int error;
    if (bytes <= INT_MAX) {
        error = send(data, (int)bytes, MPI_BYTE, peer, tag, comm, &own);
    } else {
        error = bridge_make_type(bytes, &type);
        if (error == MPI_SUCCESS) {
            error = send(data, 1, type, peer, tag, comm, &own);
            MPI_Type_free(&type);
        }
    }
    bridge_put(own, request_p);
    return error;
}

static int bridge_isend(cor_bridge *bridge, cor_bridge_channel channel, int peer, int tag, const void *data,
                        size_t bytes, cor_bridge_request *request_p)
{
    return bridge_send(MPI_Isend, bridge_comm(bridge, channel), peer, tag, data, bytes, request_p);
}

static int bridge_issend(cor_bridge *bridge, cor_bridge_channel channel, int peer, int tag, const void *data,
                         size_t bytes, cor_bridge_request *request_p)
{
    return bridge_send(MPI_Issend, bridge_comm(bridge, channel), peer, tag, data, bytes, request_p);
}

static int bridge_irecv(cor_bridge *bridge, cor_bridge_channel channel, int peer, int tag, void *data, size_t bytes,
                        cor_bridge_request *request_p)
{
    MPI_Comm comm = bridge_comm(bridge, channel);
    MPI_Request own = MPI_REQUEST_NULL;
    MPI_Datatype type;
    int error, source = peer == COR_BRIDGE_ANY ? MPI_ANY_SOURCE : peer;
    if (bytes <= INT_MAX) {
        error = MPI_Irecv(data, (int)bytes, MPI_BYTE, source, tag, comm, &own);
    } else {
        error = bridge_make_type(bytes, &type);
        if (error == MPI_SUCCESS) {
            error = MPI_Irecv(data, 1, type, source, tag, comm, &own);
            MPI_Type_free(&type);
        }
    }
    bridge_put(own, request_p);
    return error;
}

static int bridge_test(cor_bridge_request *request, int *is_done_p, int *peer_p, int *bytes_p)
{
    MPI_Request own = bridge_get(request);
    MPI_Status status;
    *is_done_p = 0;
    int error = MPI_Test(&own, is_done_p, &status);
    if (error != MPI_SUCCESS || !*is_done_p)
        return error;
    bridge_put(own, request);
    if (peer_p)
        *peer_p = status.MPI_SOURCE;
    if (bytes_p)
        MPI_Get_count(&status, MPI_BYTE, bytes_p);
    return MPI_SUCCESS;
}

static int bridge_cancel(cor_bridge_request *request)
{
    MPI_Request own = bridge_get(request);
    int error = MPI_Cancel(&own);
    if (error == MPI_SUCCESS)
        error = MPI_Wait(&own, MPI_STATUS_IGNORE);
    bridge_put(own, request);
    return error;
}

__attribute__((visibility("default"))) const cor_bridge_ops cor_bridge_table = {
    .version = COR_BRIDGE_VERSION,
    .open = bridge_open,
    .close = bridge_close,
    .abort = bridge_abort,
    .explain = bridge_explain,
    .barrier = bridge_barrier,
    .allgather = bridge_allgather,
    .isend = bridge_isend,
    .issend = bridge_issend,
    .irecv = bridge_irecv,
    .test = bridge_test,
    .cancel = bridge_cancel,
};
