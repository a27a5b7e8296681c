/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "launch/agent/run_link.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINK_CHUNK = 64 << 10, LINK_FULL_BYTES = 1 << 20, LINK_PING_MS = 1000 };

void cor_run_link_open(run_link *link, int in_fd, int out_fd, int sender)
{
    *link = (run_link){.in_fd = in_fd, .out_fd = out_fd, .reader = {.sender = sender}};
    link->reader.is_greeted = sender == FROM_PARENT;
    link->sent_ns = cor_clock_ns();
    fcntl(in_fd, F_SETFL, fcntl(in_fd, F_GETFL) | O_NONBLOCK);
    fcntl(out_fd, F_SETFL, fcntl(out_fd, F_GETFL) | O_NONBLOCK);
}

void cor_run_link_close(run_link *link)
{
    if (link->in_fd >= 0)
        close(link->in_fd);
    if (link->out_fd >= 0 && link->out_fd != link->in_fd)
        close(link->out_fd);
    link->in_fd = link->out_fd = -1;
    cor_agent_reader_fini(&link->reader);
    free(link->queue);
    link->queue = NULL;
    link->start = link->filled = link->room = 0;
}

int cor_run_link_is_open(const run_link *link)
{
    return link->in_fd >= 0;
}

/* ---- out -------------------------------------------------------------------------------------------------------- */

/* Where `length` more bytes may be queued, or NULL; then the link is closed, since a frame is lost. */
static char *link_reserve(run_link *link, size_t length)
{
    if (link->start == link->filled)
        link->start = link->filled = 0;
    if (link->room - link->filled < length && link->start > 0) {
        memmove(link->queue, link->queue + link->start, link->filled - link->start);
        link->filled -= link->start;
        link->start = 0;
    }
    if (link->room - link->filled < length) {
        size_t room = 2 * (link->filled + length);
        char *grown = realloc(link->queue, room);
        if (!grown) {
            cor_run_link_close(link);
            return NULL;
        }
        link->queue = grown;
        link->room = room;
    }
    char *at = link->queue + link->filled;
    link->filled += length;
    return at;
}

void cor_run_link_send_raw(run_link *link, const char *bytes, size_t length)
{
    char *at = link->out_fd >= 0 ? link_reserve(link, length) : NULL;
    if (at)
        memcpy(at, bytes, length);
}

void cor_run_link_send_frame(run_link *link, const agent_frame *frame)
{
    if (link->out_fd < 0)
        return;
    char *at = link_reserve(link, AGENT_HEADER + frame->length + 1);
    if (!at)
        return;
    cor_agent_frame_header(frame, (unsigned char *)at);
    if (frame->length > 0)
        memcpy(at + AGENT_HEADER, frame->bytes, frame->length);
    at[AGENT_HEADER + frame->length] = '\n';
    link->sent_ns = cor_clock_ns();
    if (frame->kind == AGENT_OUTPUT || frame->kind == AGENT_ERROR)
        link->unacked += frame->length;
}

void cor_run_link_send(run_link *link, agent_kind kind, int subject, int number, const char *bytes, size_t length)
{
    const agent_frame frame = {kind, subject, number, bytes, length};
    cor_run_link_send_frame(link, &frame);
}

void cor_run_link_flush(run_link *link)
{
    while (link->out_fd >= 0 && link->start < link->filled) {
        ssize_t written = write(link->out_fd, link->queue + link->start, link->filled - link->start);
        if (written >= 0)
            link->start += (size_t)written;
        else if (errno == EAGAIN)
            return;
        else if (errno != EINTR)
            link->start = link->filled; /* the other side has closed; reading finds that out, and why */
    }
}

int cor_run_link_is_empty(const run_link *link)
{
    return link->out_fd < 0 || link->start == link->filled;
}

void cor_run_link_flush_wait(run_link *link, int wait_ms)
{
    uint64_t until_ns = cor_clock_ns() + (uint64_t)wait_ms * 1000000;
    for (cor_run_link_flush(link); !cor_run_link_is_empty(link); cor_run_link_flush(link)) {
        struct pollfd ready = {.fd = link->out_fd, .events = POLLOUT};
        if (cor_clock_ns() >= until_ns)
            return;
        poll(&ready, 1, 50);
    }
}

/* ---- in --------------------------------------------------------------------------------------------------------- */

int cor_run_link_read(run_link *link)
{
    if (link->in_fd < 0)
        return -1;
    char *bytes = cor_agent_reader_room(&link->reader, LINK_CHUNK);
    if (!bytes)
        return -1;
    ssize_t got = read(link->in_fd, bytes, LINK_CHUNK);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (got <= 0)
        return -1;
    cor_agent_reader_filled(&link->reader, (size_t)got);
    link->silent_ms = 0;
    return got == LINK_CHUNK;
}

/* ---- output on its way ------------------------------------------------------------------------------------------ */

int cor_run_link_is_full(const run_link *link)
{
    return link->out_fd >= 0 && link->unacked > LINK_FULL_BYTES;
}

void cor_run_link_ack(run_link *link)
{
    if (link->to_ack == 0)
        return;
    cor_run_link_send(link, AGENT_ACK, 0, (int)link->to_ack, NULL, 0);
    link->to_ack = 0;
}

int cor_run_link_ping_ms(int timeout_s)
{
    /* Several may be late before the timeout. */
    return timeout_s > 0 && timeout_s * 250 < LINK_PING_MS ? timeout_s * 250 : LINK_PING_MS;
}
