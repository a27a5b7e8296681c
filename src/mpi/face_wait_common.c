/* SPDX-License-Identifier: Apache-2.0 */
#include "mpi/face_wait.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- begin and end ---------------------------------------------------------------------------------------------- */

/* The engine frees a request that fails before its error is reported, and with it perhaps the communicator whose
 * handler is to be called: if the program has freed one, all are referenced until the end. */
static void wait_hold(wait_call *wait)
{
    wait->is_held = 1;
    if (!wait->comms)
        cor_comm_hold(wait->comm->comm);
    for (int i = 0; i < wait->count; i++)
        if (wait->comms[i])
            cor_comm_hold(wait->comms[i]->comm);
}

/* The requests are not all of one communicator. */
static __attribute__((noinline)) int wait_note_comms(wait_call *wait, int count, const MPI_Request requests[])
{
    face_comm **comms = count <= WAIT_STACK ? wait->stack : malloc((size_t)count * sizeof *comms);
    if (!comms)
        return face_fail(wait->name, wait->comm, MPI_ERR_NO_MEM, "no memory for %d requests", count);
    int has_freed = 0;
    for (int i = 0; i < count; i++) {
        comms[i] = face_request_comm(requests[i]);
        has_freed |= comms[i] && comms[i]->kind == FACE_FREE;
    }
    wait->comms = comms;
    wait->count = count;
    if (has_freed)
        wait_hold(wait);
    return MPI_SUCCESS;
}

/* Field by field, because the room for communicators is large and seldom used. */
static inline void wait_clear(wait_call *wait, const char *name)
{
    wait->name = name;
    wait->comm = NULL;
    wait->comms = NULL;
    wait->count = 0;
    wait->is_held = 0;
    wait->generals.requests = NULL;
    wait->failed = NULL;
    wait->first_code = MPI_SUCCESS;
}

static __attribute__((cold, noinline)) int wait_fail_request(const char *name, int index, MPI_Request request)
{
    char argument[40];
    snprintf(argument, sizeof argument, "array_of_requests[%d]", index);
    return face_fail_request(name, argument, request);
}

int wait_begin(wait_call *wait, const char *name, int count, const MPI_Request requests[])
{
    face_rank *rank = face_open(name);
    wait_clear(wait, name);
    if (count < 0)
        return face_fail(name, NULL, MPI_ERR_COUNT, "count is %d, but must not be negative", count);
    if (count > 0 && !requests)
        return face_fail_null(name, NULL, "array_of_requests");
    cor_comm *first = NULL;
    int is_mixed = 0, error = MPI_SUCCESS;
    for (int i = 0; i < count; i++) {
        if (requests[i] == MPI_REQUEST_NULL)
            continue;
        cor_comm *comm = face_request_find(requests[i]);
        if (COR_UNLIKELY(!comm))
            return wait_fail_request(name, i, requests[i]);
        if (!first)
            first = comm;
        is_mixed |= comm != first;
    }
    if (first)
        wait->comm = cor_comm_face(first);
    if (COR_UNLIKELY(is_mixed))
        error = wait_note_comms(wait, count, requests);
    else if (COR_UNLIKELY(first && wait->comm->kind == FACE_FREE))
        wait_hold(wait);
    if (COR_UNLIKELY(face_has_generals(rank)) && error == MPI_SUCCESS)
        error = face_generals_note(name, rank, count, requests, &wait->generals);
    return COR_LIKELY(error == MPI_SUCCESS) ? MPI_SUCCESS : wait_leave(wait, error);
}

face_comm *wait_comm_at(const wait_call *wait, int index)
{
    return wait->comms && index >= 0 ? wait->comms[index] : wait->comm; /* none: MPI has been finalised */
}

static __attribute__((cold, noinline)) void wait_unhold(const wait_call *wait)
{
    if (!wait->comms)
        cor_comm_unref(wait->comm->comm);
    for (int i = 0; i < wait->count; i++)
        if (wait->comms[i])
            cor_comm_unref(wait->comms[i]->comm);
}

int wait_leave(wait_call *wait, int code)
{
    face_generals_free(&wait->generals);
    if (COR_UNLIKELY(wait->is_held))
        wait_unhold(wait);
    if (COR_UNLIKELY(wait->comms && wait->comms != wait->stack))
        free(wait->comms);
    return code;
}

/* ---- requests and statuses -------------------------------------------------------------------------------------- */

cor_request **wait_array_in(int count, MPI_Request requests[])
{
    for (int i = 0; i < count; i++)
        if (requests[i] == MPI_REQUEST_NULL)
            requests[i] = NULL;
    return (cor_request **)(void *)requests;
}

void wait_array_out(int count, MPI_Request requests[])
{
    for (int i = 0; i < count; i++)
        if (!requests[i])
            requests[i] = MPI_REQUEST_NULL;
}

/* The request at `index` failed; `status` is MPI_STATUS_IGNORE where the program wants none. */
static __attribute__((cold, noinline)) void wait_note_failed(wait_call *wait, int index, int code, MPI_Status *status)
{
    if (status != MPI_STATUS_IGNORE)
        status->MPI_ERROR = code;
    if (wait->first_code != MPI_SUCCESS)
        return;
    wait->first_code = code;
    wait->failed = status;
    wait->comm = wait_comm_at(wait, index);
}

/* Store the message of an engine error under its class, which is returned. `place` is that of the status. */
static __attribute__((cold, noinline)) int wait_note_engine(const wait_call *wait, const cor_status *done, int place,
                                                            const MPI_Status *status)
{
    int code = face_class_of(done->error), is_another = 0;
    for (const MPI_Status *before = wait->failed; before && before < status && !is_another; before++)
        is_another = before->MPI_ERROR == code;
    if (is_another)
        face_note_another(done, place);
    else if (status != MPI_STATUS_IGNORE || wait->first_code == MPI_SUCCESS)
        face_note_status(wait->name, done);
    free(done->fault);
    return code;
}

void wait_complete(wait_call *wait, int count, const int *indices, int first, const cor_status done[],
                   MPI_Status statuses[])
{
    for (int i = 0; i < count; i++) {
        int index = indices ? indices[i] : first + i;
        MPI_Status *status = statuses != MPI_STATUSES_IGNORE ? &statuses[i] : MPI_STATUS_IGNORE;
        if (status != MPI_STATUS_IGNORE) {
            face_status_out(status, &done[i]);
            status->MPI_ERROR = MPI_SUCCESS;
        }
        if (COR_UNLIKELY(done && done[i].error != COR_OK))
            wait_note_failed(wait, index, wait_note_engine(wait, &done[i], first + i, status), status);
        cor_request *general = COR_UNLIKELY(wait->generals.requests) ? wait->generals.requests[index] : NULL;
        if (COR_UNLIKELY(general != NULL)) {
            int code = face_general_end(general, status);
            if (code != MPI_SUCCESS)
                wait_note_failed(wait, index,
                                 face_note_callback(wait->name, code, "a function of a generalized request"), status);
        }
    }
}

/* `failed` is the status of the first request that failed. */
static int wait_fail_in_status(const wait_call *wait, const MPI_Status *statuses)
{
    int code = wait->failed->MPI_ERROR;
    char sentence[FACE_SENTENCE_BYTES];
    if (code > 0 && code < FACE_CLASSES)
        snprintf(sentence, sizeof sentence, "%s", face_get()->sentences[code] + strlen(wait->name) + 2);
    else
        snprintf(sentence, sizeof sentence, "user-defined error code %d", code);
    return face_fail(wait->name, wait->comm, MPI_ERR_IN_STATUS, "array_of_statuses[%td] has an error: %s",
                     wait->failed - statuses, sentence);
}

int wait_finish(wait_call *wait, int code, const MPI_Status *statuses)
{
    int error = MPI_SUCCESS;
    if (COR_UNLIKELY(code != COR_OK))
        error = face_fail_engine(wait->name, wait->comm, code, NULL);
    else if (COR_UNLIKELY(wait->failed != NULL))
        error = wait_fail_in_status(wait, statuses);
    else if (COR_UNLIKELY(wait->first_code != MPI_SUCCESS))
        error = face_handle(wait->comm, wait->first_code);
    return wait_leave(wait, error);
}

int wait_failed(const char *call, face_comm *comm, int code, const cor_status *done, MPI_Status *status)
{
    face_status_out(status, done);
    return face_fail_engine(call, comm, code, done);
}

cor_status *wait_room(int count, cor_status stack[WAIT_STACK])
{
    return count <= WAIT_STACK ? stack : malloc((size_t)count * sizeof *stack);
}

void wait_room_free(cor_status *room, const cor_status stack[WAIT_STACK])
{
    if (room != stack)
        free(room);
}
