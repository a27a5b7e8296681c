/* SPDX-License-Identifier: Apache-2.0 */
/* The way to memory in this address space. */
#include "win/win_state.h"

#include <string.h>

/* Both ends may be parts of one window: of overlapping plain memory the last bytes may be read late, not twice. */
static void direct_copy(const cor_payload *to, const cor_payload *from)
{
    size_t bytes = to->bytes < from->bytes ? to->bytes : from->bytes;
    if (COR_LIKELY(!to->ops && !from->ops)) {
        if (bytes > 0)
            memmove(to->base, from->base, bytes);
    } else {
        cor_payload_copy(to, from, bytes);
    }
}

/* Plain memory with a part of the payload, through `bounce` where it is not plain. */
static char *direct_view(const cor_payload *payload, size_t offset, char *bounce)
{
    return payload->ops ? bounce : (char *)payload->base + offset;
}

/* Rows and data by turns. */
static int direct_update(cor_win *win, const cor_win_op *op, char *at)
{
    enum { ROWS = 64, BYTES = 2048 };
    win_update update;
    cor_dtype_row rows[ROWS];
    _Alignas(16) char in_bounce[BYTES], out_bounce[BYTES];
    int rc = win_update_init(&update, op->kind, op->element, op->op ? op->op->number : 0);
    if (rc != COR_OK)
        return rc;
    win_target *target = &win->targets[op->target];
    int has_in = op->origin.bytes > 0, has_out = op->result.bytes > 0;
    size_t size = op->element->size, whole = op->type->size * op->count;
    int is_bounced = (has_in && op->origin.ops) || (has_out && op->result.ops);
    size_t most = is_bounced ? BYTES / size * size : whole;
    update.compare = op->compare;
    update.win = win;
    update.control = target->control;
    update.is_alone = target->locked == WIN_LOCKED_EXCLUSIVE && !target->is_nocheck;
    for (size_t offset = 0, bytes; offset < whole; offset += bytes) {
        size_t count = cor_dtype_rows(op->type, op->count, offset, most, rows, ROWS, &bytes);
        count = win_update_merge(&update, rows, count);
        bytes -= bytes % size;
        char *in = has_in ? direct_view(&op->origin, offset, in_bounce) : NULL;
        char *out = has_out ? direct_view(&op->result, offset, out_bounce) : NULL;
        if (in == in_bounce)
            cor_payload_read(&op->origin, offset, in, bytes);
        for (size_t i = 0, done = 0; i < count; done += rows[i++].bytes)
            win_update_row(&update, at + rows[i].at, rows[i].bytes, in ? in + done : NULL, out ? out + done : NULL);
        if (out == out_bounce)
            cor_payload_write(&op->result, offset, out, bytes);
    }
    return COR_OK;
}

int win_direct(cor_win *win, const cor_win_op *op, char *at)
{
    cor_payload memory;
    switch (op->kind) {
    case COR_WIN_PUT:
        memory = cor_dtype_payload(op->type, at, op->count);
        direct_copy(&memory, &op->origin);
        return COR_OK;
    case COR_WIN_GET:
        memory = cor_dtype_payload(op->type, at, op->count);
        direct_copy(&op->result, &memory);
        return COR_OK;
    default:
        return direct_update(win, op, at);
    }
}
