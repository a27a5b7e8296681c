/* SPDX-License-Identifier: Apache-2.0 */
/* Operations that update the target's memory with an operator, and compare and swap. */
#include "mpi/face_rma.h"

#include "dtype/signature.h"

/* ---- datatypes and operators ------------------------------------------------------------------------------------ */

static inline const cor_dtype *accumulate_element(const cor_dtype *type)
{
    return COR_LIKELY(type->is_predefined) ? type : cor_dtype_only(type);
}

/* Are these equivalent predefined types, by the rules for messages? */
static int accumulate_is_same(const cor_dtype *a, const cor_dtype *b)
{
    if (COR_LIKELY(a == b))
        return 1;
    if (!a || !b || a->size != b->size)
        return 0;
    cor_signature of_a = cor_signature_of(a, a->size), of_b = cor_signature_of(b, b->size);
    return cor_signature_fits(&of_a, &of_b);
}

/* A buffer and the target consist of one predefined type, the same. */
static int accumulate_check_elements(const char *call, face_win *win, const char *name, MPI_Datatype datatype,
                                     const cor_dtype *element)
{
    const cor_dtype *mine = accumulate_element(face_type_find(datatype));
    if (COR_LIKELY(accumulate_is_same(mine, element)))
        return MPI_SUCCESS;
    if (!mine)
        return face_fail(call, &win->as, MPI_ERR_TYPE,
                         "%s has elements of several predefined datatypes, but must have those of one", name);
    return face_fail(call, &win->as, MPI_ERR_TYPE, "%s has elements of %s, but target_datatype those of %s", name,
                     mine->name, element->name);
}

/* Is the operator defined for the type, which is NULL if there is no data? */
static int accumulate_check_op(const char *call, face_win *win, MPI_Op handle, const cor_dtype *element,
                               cor_win_op *described)
{
    const cor_op *op = face_op_find(handle);
    cor_reducer reducer;
    if (COR_UNLIKELY(!op))
        return face_fail_op(call, &win->as, "op", handle);
    if (COR_UNLIKELY(op->apply != NULL))
        return face_fail(call, &win->as, MPI_ERR_OP,
                         "op is an operator of the program, but one-sided operations take predefined ones only");
    described->op = op;
    if (handle == MPI_REPLACE || (handle == MPI_NO_OP && described->kind == COR_WIN_GET_ACCUMULATE))
        return MPI_SUCCESS;
    if (handle == MPI_NO_OP)
        return face_fail(call, &win->as, MPI_ERR_OP,
                         "op is MPI_NO_OP, which is valid only where the old value is a result");
    if (COR_UNLIKELY(element && cor_reducer_init(&reducer, op, element, NULL) != COR_OK))
        return face_fail(call, &win->as, MPI_ERR_OP, "op is %s, which is not defined for %s", op->name, element->name);
    return MPI_SUCCESS;
}

/* ---- accumulate, get_accumulate --------------------------------------------------------------------------------- */

/* What the two have in common, once buffers and target are described. `origin` and `result` NULL: not used. */
static int accumulate_finish(const char *call, face_win *win, cor_win_op *op, const rma_buffer *origin,
                             const rma_buffer *result, const rma_target *target, MPI_Op handle, MPI_Win win_handle,
                             int64_t target_bytes, MPI_Request *request)
{
    int error = MPI_SUCCESS;
    op->element = accumulate_element(op->type);
    op->compare = NULL;
    if (COR_UNLIKELY(!op->element && target_bytes > 0))
        return face_fail(call, &win->as, MPI_ERR_TYPE,
                         "target_datatype has elements of several predefined datatypes, but must have those of one");
    if (origin && op->origin.bytes != (size_t)target_bytes)
        error = rma_explain_lengths(call, origin, target, win_handle);
    if (!error && result && op->result.bytes != (size_t)target_bytes)
        error = rma_explain_lengths(call, result, target, win_handle);
    if (!error && target_bytes > 0 && op->target != MPI_PROC_NULL) {
        if (origin)
            error = accumulate_check_elements(call, win, origin->names->type, origin->datatype, op->element);
        if (!error && result)
            error = accumulate_check_elements(call, win, result->names->type, result->datatype, op->element);
    }
    if (!error)
        error = accumulate_check_op(call, win, handle, op->element, op);
    if (COR_UNLIKELY(error != MPI_SUCCESS))
        return error;
    if (COR_UNLIKELY(target_bytes == 0)) { /* nothing to update: there may be no element */
        op->kind = COR_WIN_PUT;
        rma_clear(&op->origin);
        rma_clear(&op->result);
    }
    return rma_start(call, win, op, request);
}

static inline __attribute__((always_inline)) int
accumulate_with(const char *call, const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype,
                MPI_Op handle, MPI_Win win_handle, MPI_Request *request)
{
    face_win *win = face_win_find(face_get(), win_handle);
    cor_win_op op;
    int64_t target_bytes;
    int error = rma_check_buffer(call, win, &rma_names_origin, origin_addr, origin_count, origin_datatype, 0,
                                 win_handle, &op.origin)
                    ?: rma_check_target(call, win, &rma_names_target, target_rank, target_disp, target_count,
                                        target_datatype, 1, win_handle, &op, &target_bytes);
    if (COR_UNLIKELY(error != MPI_SUCCESS))
        return error;
    rma_buffer origin = {&rma_names_origin, origin_addr, origin_count, origin_datatype};
    rma_target target = {&rma_names_target, target_rank, target_disp, target_count, target_datatype};
    op.kind = COR_WIN_ACCUMULATE;
    rma_clear(&op.result);
    return accumulate_finish(call, win, &op, &origin, NULL, &target, handle, win_handle, target_bytes, request);
}

static int accumulate(const char *call, const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                      int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype,
                      MPI_Op op, MPI_Win win)
{
    return accumulate_with(call, origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
                           target_datatype, op, win, NULL);
}

FACE_API(Accumulate, accumulate)

static int accumulate_request(const char *call, const void *origin_addr, MPI_Count origin_count,
                              MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
                              MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win,
                              MPI_Request *request)
{
    return rma_check_request(call, win, request)
               ?: accumulate_with(call, origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                                  target_count, target_datatype, op, win, request);
}

FACE_API(Raccumulate, accumulate_request)

/* With MPI_NO_OP nothing of the origin is looked at. */
static inline __attribute__((always_inline)) int
get_accumulate_with(const char *call, const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                    void *result_addr, MPI_Count result_count, MPI_Datatype result_datatype, int target_rank,
                    MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op handle,
                    MPI_Win win_handle, MPI_Request *request)
{
    face_win *win = face_win_find(face_get(), win_handle);
    cor_win_op op;
    int64_t target_bytes;
    int has_origin = handle != MPI_NO_OP, error = MPI_SUCCESS;
    if (has_origin)
        error = rma_check_buffer(call, win, &rma_names_origin, origin_addr, origin_count, origin_datatype, 0,
                                 win_handle, &op.origin);
    else
        rma_clear(&op.origin);
    if (COR_LIKELY(!error))
        error = rma_check_buffer(call, win, &rma_names_result, result_addr, result_count, result_datatype, 1,
                                 win_handle, &op.result)
                    ?: rma_check_target(call, win, &rma_names_target, target_rank, target_disp, target_count,
                                        target_datatype, has_origin, win_handle, &op, &target_bytes);
    if (COR_UNLIKELY(error != MPI_SUCCESS))
        return error;
    rma_buffer origin = {&rma_names_origin, origin_addr, origin_count, origin_datatype};
    rma_buffer result = {&rma_names_result, result_addr, result_count, result_datatype};
    rma_target target = {&rma_names_target, target_rank, target_disp, target_count, target_datatype};
    op.kind = COR_WIN_GET_ACCUMULATE;
    return accumulate_finish(call, win, &op, has_origin ? &origin : NULL, &result, &target, handle, win_handle,
                             target_bytes, request);
}

static int get_accumulate(const char *call, const void *origin_addr, MPI_Count origin_count,
                          MPI_Datatype origin_datatype, void *result_addr, MPI_Count result_count,
                          MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                          MPI_Datatype target_datatype, MPI_Op op, MPI_Win win)
{
    return get_accumulate_with(call, origin_addr, origin_count, origin_datatype, result_addr, result_count,
                               result_datatype, target_rank, target_disp, target_count, target_datatype, op, win,
                               NULL);
}

FACE_API(Get_accumulate, get_accumulate)

static int get_accumulate_request(const char *call, const void *origin_addr, MPI_Count origin_count,
                                  MPI_Datatype origin_datatype, void *result_addr, MPI_Count result_count,
                                  MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp,
                                  MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win,
                                  MPI_Request *request)
{
    return rma_check_request(call, win, request)
               ?: get_accumulate_with(call, origin_addr, origin_count, origin_datatype, result_addr, result_count,
                                      result_datatype, target_rank, target_disp, target_count, target_datatype, op,
                                      win, request);
}

FACE_API(Rget_accumulate, get_accumulate_request)

/* ---- one element ------------------------------------------------------------------------------------------------ */

static const p2p_names one_names_origin = {.buffer = "origin_addr", .count = "the count", .type = "datatype"};
static const p2p_names one_names_compare = {.buffer = "compare_addr", .count = "the count", .type = "datatype"};
static const p2p_names one_names_result = {.buffer = "result_addr", .count = "the count", .type = "datatype"};
static const p2p_names one_names_target = {.count = "the count", .type = "datatype", .peer = "target_rank"};

/* The element that a call for predefined datatypes updates. */
static int one_check_element(const char *call, face_win *win, cor_win_op *op)
{
    op->element = face_op_type(op->type);
    if (COR_LIKELY(op->element->is_predefined))
        return MPI_SUCCESS;
    return face_fail(call, &win->as, MPI_ERR_TYPE, "datatype is a derived datatype, but must be a predefined one");
}

static int fetch_and_op(const char *call, const void *origin_addr, void *result_addr, MPI_Datatype datatype,
                        int target_rank, MPI_Aint target_disp, MPI_Op handle, MPI_Win win_handle)
{
    face_win *win = face_win_find(face_get(), win_handle);
    cor_win_op op;
    int64_t bytes;
    int error = MPI_SUCCESS;
    if (handle != MPI_NO_OP)
        error = rma_check_buffer(call, win, &one_names_origin, origin_addr, 1, datatype, 0, win_handle, &op.origin);
    else
        rma_clear(&op.origin);
    if (COR_LIKELY(!error))
        error = rma_check_buffer(call, win, &one_names_result, result_addr, 1, datatype, 1, win_handle, &op.result)
                    ?: rma_check_target(call, win, &one_names_target, target_rank, target_disp, 1, datatype, 1,
                                        win_handle, &op, &bytes);
    op.kind = COR_WIN_GET_ACCUMULATE;
    op.compare = NULL;
    if (COR_LIKELY(!error))
        error = one_check_element(call, win, &op) ?: accumulate_check_op(call, win, handle, op.element, &op);
    return COR_UNLIKELY(error) ? error : rma_start(call, win, &op, NULL);
}

FACE_API(Fetch_and_op, fetch_and_op)

/* Integers, logical values and bytes: those for which bits or truths are combined. */
static int one_is_comparable(const cor_dtype *element)
{
    cor_reducer reducer;
    return cor_reducer_init(&reducer, face_op_find(MPI_BAND), element, NULL) == COR_OK ||
           cor_reducer_init(&reducer, face_op_find(MPI_LAND), element, NULL) == COR_OK;
}

static int compare_and_swap(const char *call, const void *origin_addr, const void *compare_addr, void *result_addr,
                            MPI_Datatype datatype, int target_rank, MPI_Aint target_disp, MPI_Win win_handle)
{
    face_win *win = face_win_find(face_get(), win_handle);
    cor_win_op op;
    cor_payload compared;
    int64_t bytes;
    int error =
        rma_check_buffer(call, win, &one_names_origin, origin_addr, 1, datatype, 0, win_handle, &op.origin)
            ?: rma_check_buffer(call, win, &one_names_compare, compare_addr, 1, datatype, 0, win_handle, &compared)
            ?: rma_check_buffer(call, win, &one_names_result, result_addr, 1, datatype, 1, win_handle, &op.result)
            ?: rma_check_target(call, win, &one_names_target, target_rank, target_disp, 1, datatype, 1, win_handle,
                                &op, &bytes)
            ?: one_check_element(call, win, &op);
    if (COR_UNLIKELY(error != MPI_SUCCESS))
        return error;
    if (COR_UNLIKELY(!one_is_comparable(op.element)))
        return face_fail(call, &win->as, MPI_ERR_TYPE,
                         "datatype is %s, but must be one of integers, logical values or bytes", op.element->name);
    op.kind = COR_WIN_COMPARE_SWAP;
    op.compare = compared.base;
    op.op = NULL;
    return rma_start(call, win, &op, NULL);
}

FACE_API(Compare_and_swap, compare_and_swap)
