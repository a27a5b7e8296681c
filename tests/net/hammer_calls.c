/* SPDX-License-Identifier: Apache-2.0 */
/* Every call that moves bytes, one of them by chance. */
#define _GNU_SOURCE
#include "hammer.h"

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { CALLS_PARTS = 5, CALLS_PIPE = 65536 };

/* The bytes in some parts, of which one or another may be empty. Their number. */
static int calls_cut(hammer_worker *worker, const void *bytes, size_t length, struct iovec *parts)
{
    int count = 1 + (int)hammer_below(&worker->dice, CALLS_PARTS);
    char *at = (char *)(uintptr_t)bytes;
    for (int i = 0; i < count; i++) {
        size_t part = i == count - 1 ? length : hammer_below(&worker->dice, length + 1);
        parts[i] = (struct iovec){at, part};
        at += part;
        length -= part;
    }
    return count;
}

/* For a worker that must not block though the descriptor does. */
static int calls_flags(const hammer_worker *worker)
{
    return worker->is_blocking && worker->kind != HAMMER_KIND_block ? MSG_DONTWAIT : 0;
}

static ssize_t calls_check(hammer_worker *worker, ssize_t moved)
{
    if (moved < 0 && errno != EAGAIN)
        CHECK_FAIL("act %d by kind %d: %s", worker->row->act, worker->row->kind, strerror(errno));
    if (moved < 0 && worker->is_blocking && !calls_flags(worker))
        CHECK_FAIL("act %d: EAGAIN of a blocking descriptor", worker->row->act);
    return moved;
}

static void calls_open_pipe(hammer_worker *worker)
{
    if (worker->pipe[0] < 0)
        CHECK_OK(pipe2(worker->pipe, O_CLOEXEC));
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static ssize_t calls_peek(const hammer_worker *worker, void *bytes, size_t length, int flags)
{
    unsigned char first;
    ssize_t got = recv(worker->fd, &first, 1, MSG_PEEK | flags);
    if (got <= 0)
        return got;
    got = recv(worker->fd, bytes, length, flags);
    if (got > 0 && *(unsigned char *)bytes != first)
        CHECK_FAIL("MSG_PEEK told %02x, and %02x came", first, *(unsigned char *)bytes);
    return got;
}

static ssize_t calls_splice_in(hammer_worker *worker, void *bytes, size_t length)
{
    calls_open_pipe(worker);
    size_t part = length < CALLS_PIPE ? length : CALLS_PIPE;
    ssize_t got = splice(worker->fd, NULL, worker->pipe[1], NULL, part, 0);
    if (got > 0)
        CHECK_EQUAL(got, read(worker->pipe[0], bytes, (size_t)got));
    return got;
}

static hammer_act calls_choose_in(hammer_worker *worker)
{
    int is_bare = !calls_flags(worker); /* calls without flags will do */
    for (;;) {
        hammer_act act =
            HAMMER_ACT_read + (hammer_act)hammer_below(&worker->dice, HAMMER_ACT_splice_in + 1 - HAMMER_ACT_read);
        if ((act == HAMMER_ACT_read || act == HAMMER_ACT_readv) && !is_bare)
            continue;
        if (act == HAMMER_ACT_splice_in && !(worker->may_splice && is_bare))
            continue;
        return act;
    }
}

ssize_t hammer_take(hammer_worker *worker, void *bytes, size_t length)
{
    struct iovec parts[CALLS_PARTS];
    int flags = calls_flags(worker);
    hammer_act act = calls_choose_in(worker);
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = (size_t)calls_cut(worker, bytes, length, parts)};
    worker->row->act = (int)act;
    ssize_t got = -1;
    switch (act) {
    case HAMMER_ACT_read:
        got = read(worker->fd, bytes, length);
        break;
    case HAMMER_ACT_recv:
        got = recv(worker->fd, bytes, length, flags);
        break;
    case HAMMER_ACT_recv_waitall:
        got = recv(worker->fd, bytes, length, flags | MSG_WAITALL);
        break;
    case HAMMER_ACT_recv_peek:
        got = calls_peek(worker, bytes, length, flags);
        break;
    case HAMMER_ACT_recvfrom:
        got = recvfrom(worker->fd, bytes, length, flags, NULL, NULL);
        break;
    case HAMMER_ACT_readv:
        got = readv(worker->fd, parts, (int)message.msg_iovlen);
        break;
    case HAMMER_ACT_recvmsg:
        got = recvmsg(worker->fd, &message, flags);
        break;
    default:
        got = calls_splice_in(worker, bytes, length);
        break;
    }
    return calls_check(worker, got);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* TCP sends the pages of the file as they are when they leave, so the file gets others each time. */
static ssize_t calls_sendfile(hammer_worker *worker, const void *bytes, size_t length)
{
    if (worker->file < 0)
        worker->file = memfd_create("hammer", MFD_CLOEXEC);
    CHECK_OK(ftruncate(worker->file, 0));
    CHECK_EQUAL((ssize_t)length, pwrite(worker->file, bytes, length, 0));
    off_t at = 0;
    ssize_t sent = sendfile(worker->fd, worker->file, &at, length);
    if (sent >= 0)
        CHECK_EQUAL(sent, at);
    return sent;
}

/* What is in the pipe stays the beginning of what is to be sent. */
static ssize_t calls_splice_out(hammer_worker *worker, const void *bytes, size_t length)
{
    calls_open_pipe(worker);
    if (worker->in_pipe == 0) {
        worker->in_pipe = length < CALLS_PIPE ? length : CALLS_PIPE;
        CHECK_EQUAL((ssize_t)worker->in_pipe, write(worker->pipe[1], bytes, worker->in_pipe));
    }
    ssize_t sent = splice(worker->pipe[0], NULL, worker->fd, NULL, worker->in_pipe, 0);
    if (sent > 0)
        worker->in_pipe -= (size_t)sent;
    return sent;
}

static hammer_act calls_choose_out(hammer_worker *worker, size_t length)
{
    int is_bare = !calls_flags(worker);
    if (worker->in_pipe > 0)
        return HAMMER_ACT_splice_out;
    for (;;) {
        hammer_act act =
            HAMMER_ACT_write + (hammer_act)hammer_below(&worker->dice, HAMMER_ACT_splice_out + 1 - HAMMER_ACT_write);
        int has_flags = act == HAMMER_ACT_send || act == HAMMER_ACT_sendto || act == HAMMER_ACT_sendmsg;
        if (!has_flags && !is_bare)
            continue;
        if (act == HAMMER_ACT_splice_out && !worker->may_splice)
            continue;
        if (act == HAMMER_ACT_sendfile && length > 1 << 20) /* it is copied first */
            continue;
        return act;
    }
}

ssize_t hammer_give(hammer_worker *worker, const void *bytes, size_t length)
{
    struct iovec parts[CALLS_PARTS];
    int flags = calls_flags(worker) | MSG_NOSIGNAL;
    hammer_act act = calls_choose_out(worker, length);
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = (size_t)calls_cut(worker, bytes, length, parts)};
    worker->row->act = (int)act;
    ssize_t sent = -1;
    switch (act) {
    case HAMMER_ACT_write:
        sent = write(worker->fd, bytes, length);
        break;
    case HAMMER_ACT_send:
        sent = send(worker->fd, bytes, length, flags);
        break;
    case HAMMER_ACT_sendto:
        sent = sendto(worker->fd, bytes, length, flags, NULL, 0);
        break;
    case HAMMER_ACT_writev:
        sent = writev(worker->fd, parts, (int)message.msg_iovlen);
        break;
    case HAMMER_ACT_sendmsg:
        sent = sendmsg(worker->fd, &message, flags);
        break;
    case HAMMER_ACT_sendfile:
        sent = calls_sendfile(worker, bytes, length);
        break;
    default:
        sent = calls_splice_out(worker, bytes, length);
        break;
    }
    return calls_check(worker, sent);
}
