/* SPDX-License-Identifier: Apache-2.0 */
/* Puts and gets by remote memory of the device. */
#include "win/win_pending.h"

#include "mp/internal.h"

#include <stdlib.h>

enum {
    COPY_ROWS_MAX = 8,           /* blocks of an operation; more go by message */
    COPY_ROW_BYTES_LEAST = 4096, /* of each on average, if there are several */
};

/* ---- keys ------------------------------------------------------------------------------------------------------- */

static int copy_enter(cor_win *win, cor_device_key *key)
{
    const cor_device_memory_ops *memory = win->device->ops->memory;
    const win_target *own = &win->targets[win->me];
    void *base = own->is_direct ? own->direct : win->base;
    return memory ? memory->enter(win->device, base, base ? own->bytes : 0, key, &win->registration) : COR_OK;
}

static void copy_find_ways(cor_win *win)
{
    const cor_device_memory_ops *memory = win->device->ops->memory;
    for (int i = 0; memory && i < win->size; i++) {
        win_target *target = &win->targets[i];
        target->is_copied = !target->is_direct && memory->reaches(win->device, target->peer, &win->keys[i]);
    }
}

int win_copy_open(cor_win *win)
{
    cor_device_key key = {{0}};
    if (!win->is_divided || win->flavour == COR_WIN_DYNAMIC)
        return COR_OK;
    win->keys = calloc((size_t)win->size, sizeof *win->keys);
    uint64_t has_room = win->keys != NULL;
    int rc = cor_internal_all_and(win->comm, &has_room, 1);
    if (rc != COR_OK || !has_room) /* windows work without keys */
        return rc;
    cor_comm_enter(win->comm);
    if (copy_enter(win, &key) != COR_OK)
        win->registration = NULL;
    cor_comm_leave(win->comm);
    rc = cor_internal_gather_all(win->comm, &key, sizeof key, win->keys);
    cor_comm_enter(win->comm);
    if (rc == COR_OK)
        copy_find_ways(win);
    cor_comm_leave(win->comm);
    return rc;
}

void win_copy_close(cor_win *win)
{
    const cor_device_memory_ops *memory;
    if (win->registration) {
        cor_comm_enter(win->comm);
        memory = win->device->ops->memory;
        if (memory) /* else the device is closed */
            memory->leave(win->device, win->registration);
        cor_comm_leave(win->comm);
    }
    free(win->keys);
}

/* ---- operations ------------------------------------------------------------------------------------------------- */

static int copy_row(cor_win *win, const cor_win_op *op, uint64_t at, uint64_t bytes, size_t offset,
                    win_request *request)
{
    const cor_device_memory_ops *memory = win->device->ops->memory;
    int rc = win_pending_await_room(win, op->target);
    if (rc != COR_OK || !memory)
        return rc != COR_OK ? rc : COR_ERR_FINALIZED;
    win_pending *pending = win_pending_create(win, op->target, WIN_PACKET_OPERATION, sizeof(win_packet));
    if (!pending)
        return COR_ERR_MEMORY;
    int peer = win->targets[op->target].peer;
    const cor_device_key *key = &win->keys[op->target];
    if (op->kind == COR_WIN_PUT)
        rc = memory->put(win->device, &pending->send, peer, key, at, (const char *)op->origin.base + offset, bytes);
    else
        rc = memory->get(win->device, &pending->send, peer, key, at, (char *)op->result.base + offset, bytes);
    if (rc != COR_OK) {
        win_pending_destroy(pending);
        return rc == COR_ERR_PEER ? rc : COR_AGAIN;
    }
    pending->has_send = 1;
    pending->request = request;
    win_pending_start(win, pending);
    return COR_OK;
}

int win_copy(cor_win *win, const cor_win_op *op, uint64_t at, win_request *request)
{
    cor_dtype_row rows[COPY_ROWS_MAX];
    size_t whole = op->type->size * op->count, bytes, done = 0;
    const cor_payload *own = op->kind == COR_WIN_PUT ? &op->origin : &op->result;
    if (op->kind > COR_WIN_GET || own->ops)
        return COR_AGAIN;
    size_t count = cor_dtype_rows(op->type, op->count, 0, whole, rows, COPY_ROWS_MAX, &bytes);
    if (bytes < whole || (count > 1 && whole / count < COPY_ROW_BYTES_LEAST))
        return COR_AGAIN;
    int rc = COR_OK;
    for (size_t i = 0; i < count && rc == COR_OK; done += rows[i++].bytes)
        rc = copy_row(win, op, at + (uint64_t)rows[i].at, rows[i].bytes, done, request);
    return rc;
}
