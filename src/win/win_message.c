/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The origin's side of messages.
 *
 * An operation becomes packets, each with rows of the target's memory and, if they fit, the data. A packet that is
 * under way is a win_pending. Accumulating packets always carry their data, so that they are carried out in the order
 * they were sent in.
 */
#include "win/win_pending.h"

#include <stdlib.h>
#include <string.h>

enum {
    MESSAGE_UPDATE_ROWS = 256,
    MESSAGE_UPDATE_BYTES = 10 << 10, /* of data, in an accumulating packet */
};

_Static_assert(sizeof(win_packet) + MESSAGE_UPDATE_ROWS * sizeof(cor_dtype_row) + MESSAGE_UPDATE_BYTES + 64 <=
                   WIN_PACKET_BYTES,
               "an accumulating packet fits");
_Static_assert(sizeof(win_packet) + WIN_ROWS_MAX * sizeof(cor_dtype_row) <= WIN_PACKET_BYTES, "the rows fit");

static int message_fail(cor_win *win, win_pending *pending, int rc)
{
    if (pending->has_reply)
        win->device->ops->cancel(win->device, &pending->reply);
    if (!pending->has_reply || pending->reply.is_done) /* else the device still refers to it */
        win_pending_destroy(pending);
    return rc;
}

/* Send the packet and what belongs to it. The reply is posted first, so that it finds its place. */
static int message_send(cor_win *win, win_pending *pending, const cor_payload *data, const cor_payload *reply)
{
    cor_device *device = win->device;
    const win_packet *packet = (const win_packet *)(const void *)pending->packet;
    int peer = win->targets[pending->target].peer, rc = COR_OK;
    uint32_t context = win->comm->context;
    if (reply) {
        rc = device->ops->irecv(device, &pending->reply, peer, context, WIN_TAG_REPLY | (int)packet->id, reply);
        pending->has_reply = rc == COR_OK;
    }
    if (rc == COR_OK) {
        cor_payload payload = cor_payload_plain(pending->packet, pending->packet_bytes);
        rc = device->ops->isend(device, &pending->send, peer, context, WIN_TAG_PACKET, &payload);
        pending->has_send = rc == COR_OK;
    }
    if (rc != COR_OK)
        return message_fail(win, pending, rc);
    if (data) {
        rc = device->ops->isend(device, &pending->data, peer, context, WIN_TAG_DATA | (int)packet->id, data);
        pending->has_data = rc == COR_OK;
    }
    win_pending_start(win, pending);
    return rc;
}

/* ---- operations ------------------------------------------------------------------------------------------------- */

/* An operation and how far it has got. */
typedef struct message_way {
    const cor_win_op *op;
    const win_update *update; /* NULL: put or get */
    uint64_t at;
    size_t whole, offset;
    win_request *request;
} message_way;

/* Bytes [offset, offset + bytes) of a payload as one of its own: itself, a part of plain memory, or `bounce`. */
static int message_slice(const cor_payload *payload, size_t offset, size_t bytes, void **bounce_p,
                         cor_payload *slice_p)
{
    *slice_p = *payload;
    slice_p->is_held = 0; /* the device holds it for itself */
    if (offset == 0 && bytes == payload->bytes)
        return COR_OK;
    if (!payload->ops) {
        *slice_p = cor_payload_plain((char *)payload->base + offset, bytes);
        return COR_OK;
    }
    *bounce_p = malloc(bytes);
    *slice_p = cor_payload_plain(*bounce_p, bytes);
    return *bounce_p ? COR_OK : COR_ERR_MEMORY;
}

/* The rows of the next packet; returns how many bytes they hold. */
static size_t message_rows(const message_way *way, win_pending *pending)
{
    win_packet *packet = (win_packet *)(void *)pending->packet;
    cor_dtype_row *rows = (cor_dtype_row *)(void *)(packet + 1);
    size_t room = way->update ? MESSAGE_UPDATE_ROWS : WIN_ROWS_MAX, most = way->whole, bytes;
    if (way->update)
        most = MESSAGE_UPDATE_BYTES / way->update->element->size * way->update->element->size;
    size_t count = cor_dtype_rows(way->op->type, way->op->count, way->offset, most, rows, room, &bytes);
    if (way->update) {
        count = win_update_merge(way->update, rows, count);
        bytes -= bytes % way->update->element->size;
    }
    for (size_t i = 0; i < count; i++)
        rows[i].at += (int64_t)way->at;
    packet->rows = (uint32_t)count;
    packet->bytes = bytes;
    packet->operation = (uint8_t)way->op->kind;
    packet->element = way->update ? way->update->element->number : 0;
    packet->op = way->update ? way->update->op : 0;
    pending->packet_bytes = sizeof *packet + count * sizeof *rows;
    return bytes;
}

static int message_put_data(const message_way *way, win_pending *pending, size_t bytes, cor_payload *data_p)
{
    win_packet *packet = (win_packet *)(void *)pending->packet;
    const cor_win_op *op = way->op;
    size_t extra = op->kind == COR_WIN_COMPARE_SWAP ? bytes : 0;
    if (pending->packet_bytes + bytes + extra <= WIN_PACKET_BYTES) {
        cor_payload_read(&op->origin, way->offset, pending->packet + pending->packet_bytes, bytes);
        pending->packet_bytes += bytes;
        if (extra)
            memcpy(pending->packet + pending->packet_bytes, op->compare, extra);
        pending->packet_bytes += extra;
        return COR_OK;
    }
    packet->has_data_message = 1;
    int rc = message_slice(&op->origin, way->offset, bytes, &pending->data_bounce, data_p);
    if (rc == COR_OK && pending->data_bounce)
        cor_payload_read(&op->origin, way->offset, pending->data_bounce, bytes);
    return rc;
}

static int message_put_reply(const message_way *way, win_pending *pending, size_t bytes, cor_payload *reply_p)
{
    const cor_win_op *op = way->op;
    int rc = message_slice(&op->result, way->offset, bytes, &pending->reply_bounce, reply_p);
    pending->reply_bytes = bytes;
    if (rc == COR_OK && pending->reply_bounce) {
        pending->result = op->result;
        pending->result.is_held = 0;
        pending->result_offset = way->offset;
        cor_payload_hold(&pending->result);
    }
    return rc;
}

/* How much room the packet of an operation may need: most are small. */
static size_t message_room(const message_way *way)
{
    size_t data = way->op->kind == COR_WIN_COMPARE_SWAP ? 2 * way->whole : way->whole;
    size_t least = sizeof(win_packet) + sizeof(cor_dtype_row);
    int is_apart = way->op->kind == COR_WIN_GET || (way->op->kind == COR_WIN_PUT && least + data > WIN_PACKET_BYTES);
    if (way->op->type->is_contiguous && (is_apart || least + data <= WIN_PACKET_BYTES))
        return least + (is_apart ? 0 : data);
    return WIN_PACKET_BYTES;
}

static int message_next(cor_win *win, message_way *way)
{
    const cor_win_op *op = way->op;
    cor_payload data, reply;
    int has_result = op->result.bytes > 0, has_data = op->origin.bytes > 0;
    int rc = win_pending_await_room(win, op->target);
    if (rc != COR_OK)
        return rc;
    win_pending *pending = win_pending_create(win, op->target, WIN_PACKET_OPERATION, message_room(way));
    if (!pending)
        return COR_ERR_MEMORY;
    win_packet *packet = (win_packet *)(void *)pending->packet;
    size_t bytes = message_rows(way, pending);
    packet->is_exclusive =
        win->targets[op->target].locked == WIN_LOCKED_EXCLUSIVE && !win->targets[op->target].is_nocheck;
    if (has_data)
        rc = message_put_data(way, pending, bytes, &data);
    if (rc == COR_OK && has_result)
        rc = message_put_reply(way, pending, bytes, &reply);
    if (rc != COR_OK) {
        win_pending_destroy(pending);
        return win_fail(win, rc, "no memory for an operation on rank %d of a window", op->target);
    }
    if (!has_result)
        win_set_unacked(win, op->target, 1);
    pending->request = way->request;
    way->offset += bytes;
    return message_send(win, pending, packet->has_data_message ? &data : NULL, has_result ? &reply : NULL);
}

int win_message(cor_win *win, const cor_win_op *op, uint64_t at, win_request *request)
{
    cor_win_op mine = *op;
    win_update update;
    message_way way = {.op = &mine, .at = at, .whole = op->type->size * op->count, .request = request};
    int rc = COR_OK;
    if (op->kind >= COR_WIN_ACCUMULATE) {
        rc = win_update_init(&update, op->kind, op->element, op->op ? op->op->number : 0);
        way.update = &update;
    }
    /* Waiting for room releases the lock. */
    cor_dtype_ref(mine.type);
    cor_payload_hold(&mine.origin);
    cor_payload_hold(&mine.result);
    while (rc == COR_OK && way.offset < way.whole)
        rc = message_next(win, &way);
    cor_payload_release(&mine.origin);
    cor_payload_release(&mine.result);
    cor_dtype_unref(mine.type);
    return rc;
}

/* ---- other packets, and waiting --------------------------------------------------------------------------------- */

static int message_notify(cor_win *win, int target, win_packet_kind kind, int is_exclusive, int is_asking)
{
    win_pending *pending = win_pending_create(win, target, kind, sizeof(win_packet));
    if (!pending)
        return COR_ERR_MEMORY;
    ((win_packet *)(void *)pending->packet)->is_exclusive = (uint8_t)is_exclusive;
    cor_payload reply = cor_payload_plain(&pending->answer, sizeof pending->answer);
    pending->is_answer = 1;
    if (is_asking && kind != WIN_PACKET_LOCK && kind != WIN_PACKET_LOCK_IF_FREE)
        win_set_unacked(win, target, 0);
    return message_send(win, pending, NULL, is_asking ? &reply : NULL);
}

int win_message_notify(cor_win *win, int target, win_packet_kind kind, int is_exclusive)
{
    return message_notify(win, target, kind, is_exclusive, 0);
}

int win_message_ask_later(cor_win *win, int target, win_packet_kind kind, int is_exclusive)
{
    return message_notify(win, target, kind, is_exclusive, 1);
}

static int message_is_settled(const cor_win *win, int target)
{
    return (target == COR_WIN_ALL ? win->pending_count : win->targets[target].pending) == 0;
}

static int message_take_error(cor_win *win, int target)
{
    int first = target == COR_WIN_ALL ? 0 : target, last = target == COR_WIN_ALL ? win->size : target + 1;
    int rc = COR_OK;
    for (int i = first; i < last; i++) {
        if (rc == COR_OK)
            rc = win->targets[i].error;
        win->targets[i].error = COR_OK;
    }
    if (target == COR_WIN_ALL)
        win->has_failed = 0;
    return rc;
}

/* A member is lost: nobody may answer any more. What was not sent or received yet is given up. */
static void message_give_up(cor_win *win, int target)
{
    const cor_device_ops *ops = win->device->ops;
    for (cor_link *link = win->pendings.next; link != &win->pendings; link = link->next) {
        win_pending *pending = COR_OWNER(link, win_pending, link);
        if (target != COR_WIN_ALL && pending->target != target)
            continue;
        if (pending->has_reply && !pending->reply.is_done)
            ops->cancel(win->device, &pending->reply);
        if (pending->has_send && !pending->send.is_done)
            ops->cancel(win->device, &pending->send);
        if (pending->has_data && !pending->data.is_done)
            ops->cancel(win->device, &pending->data);
    }
    win_pending_step(win);
}

int win_message_settle(cor_win *win, int target)
{
    int rc = win_wait(win, target, message_is_settled);
    if (COR_UNLIKELY(rc != COR_OK))
        message_give_up(win, target);
    int failed = message_take_error(win, target);
    return rc != COR_OK ? rc : failed;
}

int win_message_ask(cor_win *win, int target, win_packet_kind kind, int is_exclusive)
{
    int rc = message_notify(win, target, kind, is_exclusive, 1);
    int failed = win_message_settle(win, target);
    return rc != COR_OK ? rc : failed;
}

int win_message_complete_copies(cor_win *win, int target)
{
    return win->targets[target].is_copied ? win_message_settle(win, target) : COR_OK;
}

int win_message_flush(cor_win *win, int target)
{
    int first = target == COR_WIN_ALL ? 0 : target, last = target == COR_WIN_ALL ? win->size : target + 1;
    int rc = COR_OK;
    for (int i = first; i < last; i++) {
        int failed = win->targets[i].is_unacked ? win_message_ask_later(win, i, WIN_PACKET_FLUSH, 0) : COR_OK;
        if (rc == COR_OK)
            rc = failed;
    }
    int failed = win_message_settle(win, target);
    return rc != COR_OK ? rc : failed;
}
