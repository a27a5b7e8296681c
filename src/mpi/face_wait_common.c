#include "mpi/face_wait.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int wait_begin(wait_call *wait, const char *name, int count, const MPI_Request requests[])
{
    face_rank *rank = face_open(name);
    *wait = (wait_call){.name = name};
    if (count < 0)
        return face_fail(name, NULL, MPI_ERR_COUNT, "count is %d, but must not be negative", count);
    if (count > 0 && !requests)
        return face_fail_null(name, NULL, "array_of_requests");
    for (int i = 0; i < count; i++) {
        if (COR_UNLIKELY(requests[i] != MPI_REQUEST_NULL && !face_request_is_real(requests[i]))) {
            char argument[40];
            snprintf(argument, sizeof argument, "array_of_requests[%d]", i);
            return face_fail_request(name, argument, requests[i]);
        }
        if (!wait->comm)
            wait->comm = face_request_comm(requests[i]);
    }
    return COR_UNLIKELY(face_has_generals(rank)) ? face_generals_note(name, rank, count, requests, &wait->generals)
                                                 : MPI_SUCCESS;
}

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

/* End a generalized request among the completed ones. */
static void wait_end_general(wait_call *wait, cor_request *general, MPI_Status *status)
{
    int code = face_general_end(general, status);
    if (code == MPI_SUCCESS)
        return;
    face_note_callback(wait->name, code, "a function of a generalized request");
    if (status != MPI_STATUS_IGNORE) {
        status->MPI_ERROR = code;
        if (!wait->failed)
            wait->failed = status;
    } else if (wait->first_code == MPI_SUCCESS) {
        wait->first_code = code;
    }
}

void wait_complete(wait_call *wait, int count, const int *indices, int first, const cor_status done[],
                   MPI_Status statuses[])
{
    for (int i = 0; i < count; i++) {
        MPI_Status *status = statuses != MPI_STATUSES_IGNORE ? &statuses[i] : MPI_STATUS_IGNORE;
        if (status != MPI_STATUS_IGNORE) {
            face_status_out(status, &done[i]);
            status->MPI_ERROR = MPI_SUCCESS;
        }
        if (COR_UNLIKELY(done && done[i].error != COR_OK)) {
            int code = face_note_engine(wait->name, done[i].error, &done[i]);
            if (status != MPI_STATUS_IGNORE)
                status->MPI_ERROR = code;
            if (status != MPI_STATUS_IGNORE && !wait->failed)
                wait->failed = status;
            if (wait->first_code == MPI_SUCCESS)
                wait->first_code = code;
        }
        cor_request *general =
            COR_UNLIKELY(wait->generals.requests) ? wait->generals.requests[indices ? indices[i] : first + i] : NULL;
        if (COR_UNLIKELY(general != NULL))
            wait_end_general(wait, general, status);
    }
}

/* `failed` is the status of the first request that went wrong. */
static int wait_fail_in_status(const wait_call *wait, const MPI_Status *statuses)
{
    int code = wait->failed->MPI_ERROR;
    char sentence[FACE_SENTENCE_BYTES];
    if (code > 0 && code < FACE_CLASSES)
        snprintf(sentence, sizeof sentence, "%s", face_get()->sentences[code] + strlen(wait->name) + 2);
    else
        snprintf(sentence, sizeof sentence, "error code %d of the program's own", code);
    return face_fail(wait->name, wait->comm, MPI_ERR_IN_STATUS, "array_of_statuses[%td] has an error: %s",
                     wait->failed - statuses, sentence);
}

int wait_finish(wait_call *wait, int code, const MPI_Status *statuses)
{
    face_generals_free(&wait->generals);
    if (COR_UNLIKELY(code != COR_OK))
        return face_fail_engine(wait->name, wait->comm, code, NULL);
    if (COR_UNLIKELY(wait->failed != NULL))
        return wait_fail_in_status(wait, statuses);
    return COR_LIKELY(wait->first_code == MPI_SUCCESS) ? MPI_SUCCESS : face_handle(wait->comm, wait->first_code);
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
