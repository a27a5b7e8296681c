/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an origin has under way: a packet with the messages that belong to it, or a copy by the device. A pending has
 * all memory that its transfers refer to, and ends when they are done. All under the rank's lock.
 */
#ifndef COR_WIN_PENDING_H
#define COR_WIN_PENDING_H

#include "win/win_request.h"

typedef struct win_pending {
    cor_link link;
    int target;
    uint8_t has_send, has_data, has_reply;
    uint8_t is_answer; /* the reply is `answer`, else a result */
    cor_transfer send, data, reply;
    int32_t answer;
    size_t reply_bytes;
    /* Where a reply goes that cannot be received in its place. */
    cor_payload result;
    size_t result_offset;
    void *data_bounce, *reply_bounce;
    win_request *request;
    size_t packet_bytes;
    _Alignas(8) char packet[];
} win_pending;

/* With `room` bytes for the packet, whose kind and id are set. NULL, with a sentence: no memory. */
win_pending *win_pending_create(cor_win *win, int target, win_packet_kind kind, size_t room);
/* One that was not started. */
void win_pending_destroy(win_pending *pending);
/* Its transfers have been started. It may be done and destroyed when this returns. */
void win_pending_start(cor_win *win, win_pending *pending);
/* Finish all that are done; returns how many were. */
int win_pending_step(cor_win *win);
/* Free all of them, when the device is closed. */
void win_pending_abandon(cor_win *win);
/* Wait until there may be another one. */
int win_pending_await_room(cor_win *win, int target);

#endif
