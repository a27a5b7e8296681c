/* SPDX-License-Identifier: Apache-2.0 */
/* Put and get, each with and without a request, with an int and with an MPI_Count. */
#include "mpi/face_rma.h"

/* `kind` is COR_WIN_PUT or COR_WIN_GET, and `request` NULL or not, known where this is inlined. */
static inline __attribute__((always_inline)) int put_or_get(const char *call, const void *origin_addr,
                                                            MPI_Count origin_count, MPI_Datatype origin_datatype,
                                                            int target_rank, MPI_Aint target_disp,
                                                            MPI_Count target_count, MPI_Datatype target_datatype,
                                                            MPI_Win handle, cor_win_kind kind, MPI_Request *request)
{
    face_win *win = face_win_find(face_get(), handle);
    cor_win_op op;
    int64_t target_bytes;
    int is_get = kind == COR_WIN_GET;
    cor_payload *mine = is_get ? &op.result : &op.origin;
    int error = rma_check_buffer(call, win, &rma_names_origin, origin_addr, origin_count, origin_datatype, is_get,
                                 handle, mine)
                    ?: rma_check_target(call, win, &rma_names_target, target_rank, target_disp, target_count,
                                        target_datatype, !is_get, handle, &op, &target_bytes);
    if (COR_UNLIKELY(error != MPI_SUCCESS))
        return error;
    if (COR_UNLIKELY(mine->bytes != (size_t)target_bytes)) {
        rma_buffer buffer = {&rma_names_origin, origin_addr, origin_count, origin_datatype};
        rma_target target = {&rma_names_target, target_rank, target_disp, target_count, target_datatype};
        error = rma_explain_lengths(call, &buffer, &target, handle);
        if (error != MPI_SUCCESS)
            return error;
    }
    rma_clear(is_get ? &op.origin : &op.result);
    op.kind = kind;
    op.compare = NULL;
    op.element = NULL;
    op.op = NULL;
    return rma_start(call, win, &op, request);
}

static inline __attribute__((always_inline)) int put_plain(const char *call, const void *origin_addr,
                                                           MPI_Count origin_count, MPI_Datatype origin_datatype,
                                                           int target_rank, MPI_Aint target_disp,
                                                           MPI_Count target_count, MPI_Datatype target_datatype,
                                                           MPI_Win win, cor_win_kind kind)
{
    return put_or_get(call, origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
                      target_datatype, win, kind, NULL);
}

FACE_API(Put, put_plain, COR_WIN_PUT)
FACE_API(Get, put_plain, COR_WIN_GET)

static inline __attribute__((always_inline)) int put_request(const char *call, const void *origin_addr,
                                                             MPI_Count origin_count, MPI_Datatype origin_datatype,
                                                             int target_rank, MPI_Aint target_disp,
                                                             MPI_Count target_count, MPI_Datatype target_datatype,
                                                             MPI_Win win, MPI_Request *request, cor_win_kind kind)
{
    return rma_check_request(call, win, request)
               ?: put_or_get(call, origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
                             target_datatype, win, kind, request);
}

FACE_API(Rput, put_request, COR_WIN_PUT)
FACE_API(Rget, put_request, COR_WIN_GET)
