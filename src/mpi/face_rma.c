/* SPDX-License-Identifier: Apache-2.0 */
/* Error messages for the arguments of operations on windows. */
#include "mpi/face_rma.h"

const p2p_names rma_names_origin = {.buffer = "origin_addr", .count = "origin_count", .type = "origin_datatype"};
const p2p_names rma_names_result = {.buffer = "result_addr", .count = "result_count", .type = "result_datatype"};
const p2p_names rma_names_target = {.count = "target_count", .type = "target_datatype", .peer = "target_rank"};

int rma_explain_buffer(const char *call, const rma_buffer *buffer, int is_written, MPI_Win handle)
{
    face_win *win = face_win_find(face_open(call), handle);
    if (!win)
        return face_fail_win(call, "win", handle);
    int error = p2p_explain_buffer(call, buffer->names, &win->as, buffer->address, buffer->count, buffer->datatype);
    if (error == MPI_SUCCESS && is_written)
        error = p2p_explain_overlap(call, buffer->names, &win->as, buffer->count, buffer->datatype);
    return error;
}

/* Blocks at the target that overlap, when they are written. */
static int rma_explain_overlap(const char *call, face_win *win, const rma_target *target)
{
    const cor_dtype *type = face_type_find(target->datatype);
    if (!p2p_is_overlapping(type, target->count))
        return MPI_SUCCESS;
    return face_fail(call, &win->as, MPI_ERR_TYPE, "%lld elements of %s overlap, so they cannot be written",
                     (long long)target->count, target->names->type);
}

int rma_explain_target(const char *call, const rma_target *target, int is_written, MPI_Win handle)
{
    face_win *win = face_win_find(face_open(call), handle);
    if (!win)
        return face_fail_win(call, "win", handle);
    const cor_dtype *type = face_type_find(target->datatype);
    int64_t bytes;
    if (target->count < 0)
        return face_fail_negative(call, &win->as, MPI_ERR_COUNT, target->names->count, target->count);
    if (!type)
        return face_fail_type(call, &win->as, target->names->type, target->datatype);
    if (__builtin_mul_overflow(target->count, (int64_t)type->size, &bytes))
        return face_fail(call, &win->as, MPI_ERR_COUNT, "%s is %lld elements of %zu bytes, more than memory can hold",
                         target->names->count, (long long)target->count, type->size);
    if (target->rank == MPI_PROC_NULL)
        return MPI_SUCCESS;
    if ((unsigned)target->rank >= (unsigned)win->as.size)
        return face_fail_rank(call, &win->as, MPI_ERR_RANK, target->names->peer, target->rank);
    if (target->displacement < 0)
        return face_fail(call, &win->as, MPI_ERR_DISP, "target_disp is %td, but must %s", target->displacement,
                         win->flavour == MPI_WIN_FLAVOR_DYNAMIC ? "be an address at the target" : "not be negative");
    return is_written ? rma_explain_overlap(call, win, target) : MPI_SUCCESS;
}

int rma_explain_lengths(const char *call, const rma_buffer *buffer, const rma_target *target, MPI_Win handle)
{
    face_win *win = face_win_find(face_open(call), handle);
    const cor_dtype *mine = face_type_find(buffer->datatype), *theirs = face_type_find(target->datatype);
    if (target->rank == MPI_PROC_NULL)
        return MPI_SUCCESS;
    return face_fail(call, &win->as, MPI_ERR_TRUNCATE,
                     "%lld of %s are %zu bytes and %lld of %s are %zu, but both must be as long",
                     (long long)buffer->count, buffer->names->type, (size_t)buffer->count * mine->size,
                     (long long)target->count, target->names->type, (size_t)target->count * theirs->size);
}

/* ---- requests --------------------------------------------------------------------------------------------------- */

/* Its address marks the requests of operations. */
static const char rma_mark;

int rma_request_is_ours(const cor_request *request)
{
    return cor_request_face(request) == &rma_mark;
}

MPI_Request rma_request_new(const char *call, cor_request *started)
{
    cor_request_set_face(started, (void *)(uintptr_t)&rma_mark, NULL);
    return face_request_new(call, started);
}
