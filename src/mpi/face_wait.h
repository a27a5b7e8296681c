/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the calls that complete several requests.
 *
 * The engine writes NULL where MPI has MPI_REQUEST_NULL. An array of requests is the caller's own during the call, so
 * it is translated in place, there and back.
 */
#ifndef COR_MPI_FACE_WAIT_H
#define COR_MPI_FACE_WAIT_H

#include "mpi/face_grequest.h"
#include "mpi/face_status.h"

/* How many statuses fit on the stack; waiting for more is done in rounds, the other calls allocate memory for them. */
enum { WAIT_STACK = 64 };

/* A call under way. */
typedef struct wait_call {
    const char *name;
    /* Whose error handler is called: of the first active request, or NULL; once a request has failed, of that one. */
    face_comm *comm;
    face_comm **comms; /* of every request; NULL: `comm` is of all */
    int count;         /* of comms */
    int is_held;       /* `comm`, or all of `comms`, are referenced, because one was freed by the program */
    face_generals generals;
    const MPI_Status *failed;     /* of the first request that failed, where there are statuses */
    int first_code;               /* of the first request that failed, not yet reported */
    face_comm *stack[WAIT_STACK]; /* room for `comms` */
} wait_call;

/* Check the array and record its communicators; on MPI_SUCCESS wait_finish or wait_leave must follow. */
int wait_begin(wait_call *wait, const char *name, int count, const MPI_Request requests[]);
/* Report the engine's code, or the first error, or none. Returns the error class. */
int wait_finish(wait_call *wait, int code, const MPI_Status *statuses);
/* The end of a call that returns `code`: release what wait_begin recorded. */
int wait_leave(wait_call *wait, int code);
/* The communicator of the request at this index. */
face_comm *wait_comm_at(const wait_call *wait, int index);

cor_request **wait_array_in(int count, MPI_Request requests[]);
void wait_array_out(int count, MPI_Request requests[]);

/* `count` completed requests, those at `indices` or, where that is NULL, from `first` on: their statuses to the user's
 * (unless MPI_STATUSES_IGNORE), and the end of the generalized ones. */
void wait_complete(wait_call *wait, int count, const int *indices, int first, const cor_status done[],
                   MPI_Status statuses[]);

/* A request failed: its status, and the error. */
int wait_failed(const char *call, face_comm *comm, int code, const cor_status *done, MPI_Status *status);

/* Room for `count` statuses: `stack` if that is enough. NULL when memory is out. */
cor_status *wait_room(int count, cor_status stack[WAIT_STACK]);
void wait_room_free(cor_status *room, const cor_status stack[WAIT_STACK]);

#endif
