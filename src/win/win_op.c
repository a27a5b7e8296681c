/* SPDX-License-Identifier: Apache-2.0 */
/* Operations: whether they are allowed now, where their memory is, and which way they take. */
#include "win/win_check.h"
#include "win/win_request.h"

int win_check_access(cor_win *win, int target)
{
    const win_target *t = &win->targets[target];
    if (COR_LIKELY(t->locked || win->is_locked_all))
        return COR_OK;
    if (win->access) {
        if (t->is_started)
            return COR_OK;
        return win_fail(win, COR_ERR_RMA_SYNC, "rank %d is not in the group of the access epoch", target);
    }
    if (win->is_fenced && win->locked_count == 0) {
        win->has_fenced_ops = 1;
        return COR_OK;
    }
    return win_fail(win, COR_ERR_RMA_SYNC,
                    "rank %d is accessed outside of an epoch: none was begun by a fence, start or lock", target);
}

/* The first and the last byte of the memory of an operation, from its displacement. 0: it is too large to count. */
static int op_span(const cor_win_op *op, int64_t *low_p, int64_t *high_p)
{
    int64_t run;
    if (op->count == 0 || op->type->size == 0) {
        *low_p = *high_p = 0;
        return 1;
    }
    if (op->count > INT64_MAX || __builtin_mul_overflow((int64_t)op->count - 1, (int64_t)op->type->extent, &run))
        return 0;
    return !__builtin_add_overflow((int64_t)op->type->true_lb, run < 0 ? run : 0, low_p) &&
           !__builtin_add_overflow((int64_t)op->type->true_ub, run > 0 ? run : 0, high_p);
}

/* Where the memory of the operation begins in the target's: bytes from its beginning, or the address. */
static int op_locate(const cor_win *win, const cor_win_op *op, uint64_t *at_p)
{
    const win_target *target = &win->targets[op->target];
    int64_t at, low, high, first, end;
    if (COR_UNLIKELY(win->flavour == COR_WIN_DYNAMIC)) {
        *at_p = (uint64_t)op->displacement;
        return COR_OK;
    }
    if (__builtin_mul_overflow(op->displacement, (int64_t)target->unit, &at) || !op_span(op, &low, &high) ||
        __builtin_add_overflow(at, low, &first) || __builtin_add_overflow(at, high, &end) ||
        (low != high && (first < 0 || (uint64_t)end > target->bytes)))
        return win_fail(win, COR_ERR_RMA_RANGE,
                        "%zu elements of %s at displacement %lld (unit %zu) are not inside the %zu bytes of rank %d",
                        op->count, op->type->name ? op->type->name : "a datatype", (long long)op->displacement,
                        target->unit, target->bytes, op->target);
    *at_p = (uint64_t)at;
    return COR_OK;
}

/* Are all rows of the operation in attached memory? Not what lies between them. */
static int op_has_rows(const cor_win *win, const cor_win_op *op, uint64_t at)
{
    enum { ROWS = 64 };
    cor_dtype_row rows[ROWS];
    size_t whole = op->type->size * op->count;
    for (size_t offset = 0, bytes; offset < whole; offset += bytes) {
        size_t count = cor_dtype_rows(op->type, op->count, offset, whole, rows, ROWS, &bytes);
        for (size_t i = 0; i < count; i++)
            if (!win_agent_has(win, at + (uint64_t)rows[i].at, rows[i].bytes))
                return 0;
    }
    return 1;
}

/* In a dynamic window memory of this member is checked here, that of others by their agents. */
static int op_check_attached(const cor_win *win, const cor_win_op *op, uint64_t at)
{
    int64_t low, high;
    if (op_span(op, &low, &high) &&
        (low == high || win_agent_has(win, at + (uint64_t)low, (uint64_t)(high - low)) || op_has_rows(win, op, at)))
        return COR_OK;
    return win_fail(win, COR_ERR_RMA_RANGE, "memory of rank %d is not attached to the window", op->target);
}

static int op_start(cor_win *win, const cor_win_op *op, win_request *request)
{
    const win_target *target = &win->targets[op->target];
    uint64_t at = 0;
    int rc = win_check_access(win, op->target);
    if (rc == COR_OK)
        rc = op_locate(win, op, &at);
    if (rc == COR_OK && COR_UNLIKELY(win->check != NULL))
        rc = win_check_start(win, op, at, request != NULL);
    if (rc != COR_OK)
        return rc;
    if (!target->is_direct) {
        rc = target->is_copied ? win_copy(win, op, at, request) : COR_AGAIN;
        return rc == COR_AGAIN ? win_message(win, op, at, request) : rc;
    }
    if (COR_UNLIKELY(win->flavour == COR_WIN_DYNAMIC)) {
        rc = op_check_attached(win, op, at);
        return rc == COR_OK ? win_direct(win, op, (char *)(uintptr_t)at) : rc;
    }
    return win_direct(win, op, target->direct + at);
}

int cor_win_start(cor_win *win, const cor_win_op *op, cor_request **request_p)
{
    win_request *request = NULL;
    int rc = cor_comm_enter_open(win->comm);
    if (rc != COR_OK)
        return rc;
    if (request_p) {
        request = win_request_create(win);
        if (!request)
            rc = win_fail(win, COR_ERR_MEMORY, "no memory for a request");
    }
    if (rc == COR_OK && op->target != COR_PROC_NULL)
        rc = op_start(win, op, request);
    cor_request *handle = NULL;
    if (request) {
        handle = request->request;
        win_request_part_done(request, COR_OK);
    }
    win_leave(win, rc);
    if (rc == COR_OK && request_p)
        *request_p = handle;
    else if (handle)
        cor_request_free(&handle); /* what is under way of it completes by itself */
    return rc;
}
