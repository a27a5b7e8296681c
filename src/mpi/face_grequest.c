/* SPDX-License-Identifier: Apache-2.0 */
#include "mpi/face_grequest.h"

#include "mp/grequest.h"
#include "mpi/face_status.h"

#include <stdlib.h>

/* The program's functions; attached to the request. */
typedef struct general_data {
    MPI_Grequest_query_function *query;
    MPI_Grequest_free_function *free;
    MPI_Grequest_cancel_function *cancel;
    void *state;
} general_data;

/* ---- making and completing -------------------------------------------------------------------------------------- */

static int general_start(const char *call, MPI_Grequest_query_function *query_fn, MPI_Grequest_free_function *free_fn,
                         MPI_Grequest_cancel_function *cancel_fn, void *extra_state, MPI_Request *request)
{
    face_rank *rank = face_get();
    general_data *data = malloc(sizeof *data);
    if (!data)
        return face_fail(call, NULL, MPI_ERR_NO_MEM, "no memory for a request");
    *data = (general_data){query_fn, free_fn, cancel_fn, extra_state};
    cor_request *made;
    int code = cor_grequest_start(rank->rank, &made);
    if (code != COR_OK) {
        free(data);
        return face_fail_engine(call, NULL, code, NULL);
    }
    cor_request_set_face(made, data, free);
    /* relaxed: see face_has_generals. */
    atomic_fetch_add_explicit(&rank->general_count, 1, memory_order_relaxed);
    *request = face_request_new(call, made);
    return MPI_SUCCESS;
}

FACE_API(Grequest_start, general_start)

/* Call the program's query and free functions, and end the request. */
static int general_release(cor_request *request)
{
    general_data *data = cor_request_face(request);
    int code = data->free(data->state);
    cor_grequest_release(request);
    atomic_fetch_sub_explicit(&face_get()->general_count, 1, memory_order_relaxed);
    return code;
}

static int general_complete(const char *call, MPI_Request request)
{
    if (!face_request_is_general(face_get(), request))
        return face_fail(call, NULL, MPI_ERR_REQUEST, "request is not a generalized request");
    if (!cor_grequest_complete(face_request_in(request)))
        return MPI_SUCCESS;
    /* Its handle was freed before. */
    int code = general_release(face_request_in(request));
    return code == MPI_SUCCESS ? MPI_SUCCESS : face_fail_callback(call, NULL, code, "free_fn");
}

FACE_API(Grequest_complete, general_complete)

/* ---- inside other calls ----------------------------------------------------------------------------------------- */

int face_request_is_general(face_rank *rank, MPI_Request handle)
{
    return face_has_generals(rank) && face_request_is_real(handle) && cor_request_is_general(face_request_in(handle));
}

int face_generals_note(const char *call, face_rank *rank, int count, const MPI_Request requests[],
                       face_generals *generals_p)
{
    generals_p->requests = NULL;
    int first = 0;
    while (first < count && !face_request_is_general(rank, requests[first]))
        first++;
    if (first == count)
        return MPI_SUCCESS;
    generals_p->requests = calloc((size_t)count, sizeof *generals_p->requests);
    if (!generals_p->requests)
        return face_fail(call, NULL, MPI_ERR_NO_MEM, "no memory for %d requests", count);
    for (int i = first; i < count; i++)
        if (face_request_is_general(rank, requests[i]))
            generals_p->requests[i] = face_request_in(requests[i]);
    return MPI_SUCCESS;
}

void face_generals_free(face_generals *generals)
{
    free(generals->requests);
}

int face_general_query(cor_request *request, MPI_Status *status)
{
    general_data *data = cor_request_face(request);
    MPI_Status asked;
    face_status_empty(&asked);
    int code = data->query(data->state, &asked);
    if (status != MPI_STATUS_IGNORE) {
        /* All but MPI_ERROR, which only calls that complete several requests may touch. */
        asked.MPI_ERROR = status->MPI_ERROR;
        *status = asked;
    }
    return code;
}

int face_general_end(cor_request *request, MPI_Status *status)
{
    int asked = face_general_query(request, status);
    int freed = general_release(request);
    return asked != MPI_SUCCESS ? asked : freed;
}

int face_general_free(const char *call, cor_request *request)
{
    if (!cor_grequest_abandon(request))
        return MPI_SUCCESS;
    int code = general_release(request);
    return code == MPI_SUCCESS ? MPI_SUCCESS : face_fail_callback(call, NULL, code, "free_fn");
}

int face_general_cancel(const char *call, cor_request *request)
{
    general_data *data = cor_request_face(request);
    int code = data->cancel(data->state, cor_grequest_is_complete(request));
    return code == MPI_SUCCESS ? MPI_SUCCESS : face_fail_callback(call, NULL, code, "cancel_fn");
}
