/* SPDX-License-Identifier: Apache-2.0 */
#include "win/win_pending.h"

#include <stdlib.h>

win_pending *win_pending_create(cor_win *win, int target, win_packet_kind kind, size_t room)
{
    win_pending *pending = calloc(1, sizeof *pending + room);
    if (!pending) {
        win_fail(win, COR_ERR_MEMORY, "no memory for an operation on rank %d of a window", target);
        return NULL;
    }
    win_packet *packet = (win_packet *)(void *)pending->packet;
    *packet = (win_packet){.kind = (uint8_t)kind, .id = win->next_id++ & WIN_ID_MASK};
    pending->target = target;
    pending->packet_bytes = sizeof *packet;
    return pending;
}

void win_pending_destroy(win_pending *pending)
{
    cor_payload_release(&pending->result);
    free(pending->data_bounce);
    free(pending->reply_bounce);
    free(pending);
}

static int pending_is_done(const win_pending *pending)
{
    return (!pending->has_send || pending->send.is_done) && (!pending->has_data || pending->data.is_done) &&
           (!pending->has_reply || pending->reply.is_done);
}

/* What a target has answered. */
static int pending_answer(cor_win *win, const win_pending *pending)
{
    const win_packet *packet = (const win_packet *)(const void *)pending->packet;
    if (packet->kind == WIN_PACKET_LOCK_IF_FREE && pending->answer == COR_AGAIN) {
        win->targets[pending->target].is_busy = 1;
        return COR_OK;
    }
    return pending->answer <= COR_OK ? pending->answer : COR_ERR_PROTOCOL;
}

static int pending_result(cor_win *win, const win_pending *pending)
{
    if (pending->has_send && pending->send.error != COR_OK)
        return pending->send.error;
    if (pending->has_data && pending->data.error != COR_OK)
        return pending->data.error;
    if (!pending->has_reply)
        return COR_OK;
    if (pending->reply.error != COR_OK)
        return pending->reply.error;
    int error = COR_OK;
    if (pending->is_answer)
        error = pending_answer(win, pending);
    else if (pending->reply.bytes != pending->reply_bytes)
        error = COR_ERR_RMA_RANGE;
    if (error == COR_ERR_RMA_RANGE)
        return win_fail(win, error, "memory of rank %d is not attached to the window", pending->target);
    return error;
}

static void pending_finish(cor_win *win, win_pending *pending)
{
    win_target *target = &win->targets[pending->target];
    int error = pending_result(win, pending);
    if (error == COR_OK && pending->reply_bounce)
        cor_payload_write(&pending->result, pending->result_offset, pending->reply_bounce, pending->reply_bytes);
    if (error != COR_OK && target->error == COR_OK && !pending->request) {
        target->error = error;
        win->has_failed = 1;
    }
    target->pending--;
    win->pending_count--;
    if (pending->request)
        win_request_part_done(pending->request, error);
    win_pending_destroy(pending);
}

int win_pending_step(cor_win *win)
{
    int events = 0;
    for (cor_link *link = win->pendings.next, *next; link != &win->pendings; link = next) {
        next = link->next;
        win_pending *pending = COR_OWNER(link, win_pending, link);
        if (!pending_is_done(pending))
            continue;
        cor_list_remove(link);
        pending_finish(win, pending);
        events++;
    }
    if (events > 0)
        cor_device_wake(win->device);
    return events;
}

void win_pending_start(cor_win *win, win_pending *pending)
{
    win_target *target = &win->targets[pending->target];
    target->has_sent = 1;
    target->pending++;
    win->pending_count++;
    if (pending->request)
        pending->request->open++;
    if (pending_is_done(pending))
        pending_finish(win, pending);
    else
        cor_list_append(&win->pendings, &pending->link);
}

static int pending_has_room(const cor_win *win, int target)
{
    (void)target;
    return win->pending_count < WIN_PENDING_MAX;
}

int win_pending_await_room(cor_win *win, int target)
{
    return win_wait(win, target, pending_has_room);
}

void win_pending_abandon(cor_win *win)
{
    while (!cor_list_is_empty(&win->pendings)) {
        win_pending *pending = COR_OWNER(win->pendings.next, win_pending, link);
        cor_list_remove(&pending->link);
        win_pending_destroy(pending);
    }
}
