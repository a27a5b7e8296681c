/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arguments of operations on windows: one test for all of them on the fast path, and a separate function that finds
 * the invalid one and reports it to the window.
 *
 * Budget: the checks and the description together cost 5 ns for predefined datatypes. No memory is allocated.
 */
#ifndef COR_MPI_FACE_RMA_H
#define COR_MPI_FACE_RMA_H

#include "mpi/face_op.h"
#include "mpi/face_p2p.h"
#include "mpi/face_win.h"

extern const p2p_names rma_names_origin; /* origin_addr, origin_count, origin_datatype */
extern const p2p_names rma_names_result; /* result_addr, result_count, result_datatype */
extern const p2p_names rma_names_target; /* target_count, target_datatype, target_rank */

/* A buffer of the caller, as it was passed. */
typedef struct rma_buffer {
    const p2p_names *names;
    const void *address;
    MPI_Count count;
    MPI_Datatype datatype;
} rma_buffer;

/* The memory at the target, as it was passed. */
typedef struct rma_target {
    const p2p_names *names;
    int rank;
    MPI_Aint displacement;
    MPI_Count count;
    MPI_Datatype datatype;
} rma_target;

/* MPI_SUCCESS if the arguments are valid after all (the target is MPI_PROC_NULL, the buffer MPI_BOTTOM), else the
 * error, already reported. */
int rma_explain_buffer(const char *call, const rma_buffer *buffer, int is_written, MPI_Win handle)
    __attribute__((cold, noinline));
int rma_explain_target(const char *call, const rma_target *target, int is_written, MPI_Win handle)
    __attribute__((cold, noinline));
/* A buffer and the target whose lengths differ: an error unless the target is MPI_PROC_NULL. */
int rma_explain_lengths(const char *call, const rma_buffer *buffer, const rma_target *target, MPI_Win handle)
    __attribute__((cold, noinline));

/* Check a buffer and describe it. `win` may be NULL. */
static inline __attribute__((always_inline)) int
rma_check_buffer(const char *call, const face_win *win, const p2p_names *names, const void *address, MPI_Count count,
                 MPI_Datatype datatype, int is_written, MPI_Win handle, cor_payload *payload_p)
{
    const cor_dtype *type = face_type_find(datatype);
    int64_t bytes = 0;
    if (COR_UNLIKELY(!win || p2p_is_buffer_wrong(address, count, type, &bytes) ||
                     (is_written && p2p_is_overlapping(type, count)))) {
        int error = rma_explain_buffer(call, &(rma_buffer){names, address, count, datatype}, is_written, handle);
        if (error != MPI_SUCCESS)
            return error;
    }
    p2p_payload(type, address, count, bytes, payload_p);
    return MPI_SUCCESS;
}

/* Check what is at the target and describe it; *bytes_p is its length. */
static inline __attribute__((always_inline)) int rma_check_target(const char *call, const face_win *win,
                                                                  const p2p_names *names, int rank,
                                                                  MPI_Aint displacement, MPI_Count count,
                                                                  MPI_Datatype datatype, int is_written,
                                                                  MPI_Win handle, cor_win_op *op, int64_t *bytes_p)
{
    const cor_dtype *type = face_type_find(datatype);
    *bytes_p = 0;
    if (COR_UNLIKELY(!win || (unsigned)rank >= (unsigned)win->as.size || displacement < 0 || !type || count < 0 ||
                     __builtin_mul_overflow(count, (int64_t)type->size, bytes_p) ||
                     (is_written && p2p_is_overlapping(type, count)))) {
        int error =
            rma_explain_target(call, &(rma_target){names, rank, displacement, count, datatype}, is_written, handle);
        if (error != MPI_SUCCESS)
            return error;
    }
    op->target = rank;
    op->displacement = displacement;
    op->count = (size_t)count;
    op->type = type;
    return MPI_SUCCESS;
}

/* A stream of which nothing is used. */
static inline void rma_clear(cor_payload *payload_p)
{
    *payload_p = cor_payload_plain(NULL, 0);
}

/* The handle of the request of an operation; and: is it one? */
MPI_Request rma_request_new(const char *call, cor_request *started);
int rma_request_is_ours(const cor_request *request);

/* Begin the operation; request NULL: without a request. */
static inline __attribute__((always_inline)) int rma_start(const char *call, face_win *win, const cor_win_op *op,
                                                           MPI_Request *request)
{
    cor_request *started = NULL;
    int code = cor_win_start(win->win, op, request ? &started : NULL);
    if (COR_UNLIKELY(code != COR_OK))
        return face_fail_engine(call, &win->as, code, NULL);
    if (request)
        *request = rma_request_new(call, started);
    return MPI_SUCCESS;
}

/* MPI_SUCCESS, or the error if a call that makes a request got no place for it. */
static inline int rma_check_request(const char *call, MPI_Win handle, const MPI_Request *request)
{
    return COR_LIKELY(request != NULL)
               ? MPI_SUCCESS
               : face_fail_null(call, face_win_hearer(face_win_find(face_get(), handle)), "request");
}

#endif
