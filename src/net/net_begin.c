/* SPDX-License-Identifier: Apache-2.0 */
/* The phases of a connection: attach, switch to the rings, and back to TCP; bells and the end. */
#define _GNU_SOURCE
#include "base/clock.h"
#include "base/futex.h"
#include "net/net_ring.h"

#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>

enum { BEGIN_BACK_NS = 1000 * 1000 * 1000, BEGIN_BACK_NAP_MS = 1 };

static void begin_lock_out(cor_conn *conn)
{
    net_lock_acquire(&conn->local->out_lock, conn->net->pid);
}

/* ---- the switch ------------------------------------------------------------------------------------------------- */

/* A bell that waits for an acknowledgement, or for more bytes, would come too late. */
static void begin_hurry(int fd)
{
    int on = 1, off = 0, saved = errno;
    net_sys_setsockopt(fd, IPPROTO_TCP, TCP_CORK, &off, sizeof off);
    net_sys_setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    errno = saved;
}

static void begin_stay_plain(cor_conn *conn)
{
    net_store(&conn->local->is_plain, 1);
    net_offer_close(conn);
    NET_COUNT(conn, plain, 1);
}

/* The server's first step: its direction is the ring from the first byte on. */
static void begin_attach(cor_conn *conn, int fd)
{
    net_local *local = conn->local;
    begin_lock_out(conn);
    if (!net_load(&local->is_begun)) {
        uint32_t expected = NET_OFFERED;
        begin_hurry(fd);
        if (atomic_compare_exchange_strong(&conn->segment->state, &expected, NET_ATTACHED)) {
            net_store(&conn->out->wants_back, NET_BACK_NONE);
            net_store(&local->out_phase, NET_RING);
            net_store(&conn->out->switched, 1);
            NET_COUNT(conn, attached, 1);
        } else {
            begin_stay_plain(conn);
        }
        net_store(&local->is_begun, 1);
    }
    net_lock_release(&local->out_lock);
}

/* The client has seen that the server is attached. */
static void begin_switch(cor_conn *conn, int fd)
{
    net_local *local = conn->local;
    uint32_t expected = NET_BACK_EARLY;
    begin_lock_out(conn);
    if (net_load(&local->out_phase) != NET_BEFORE) {
        /* Another thread was faster. */
    } else if (!atomic_compare_exchange_strong(&conn->out->wants_back, &expected, NET_BACK_NONE)) {
        net_store(&local->out_phase, NET_AFTER);
        net_offer_close(conn);
    } else {
        begin_hurry(fd);
        atomic_store_explicit(&conn->out->tcp_bytes, local->tcp_sent, memory_order_relaxed);
        net_store(&local->out_phase, NET_RING);
        net_store(&conn->out->switched, 1);
        NET_COUNT(conn, switched, 1);
        net_offer_close(conn);
    }
    net_lock_release(&local->out_lock);
}

/* Input: all bytes that went by TCP have been taken. */
static void begin_input(cor_conn *conn)
{
    net_local *local = conn->local;
    net_lock_acquire(&local->in_lock, conn->net->pid);
    if (net_load(&local->in_phase) == NET_BEFORE &&
        atomic_load_explicit(&local->tcp_taken, memory_order_relaxed) >=
            atomic_load_explicit(&conn->in->tcp_bytes, memory_order_relaxed)) {
        net_store(&local->in_phase, NET_RING);
        if (conn->side == NET_SERVER)
            NET_COUNT(conn, switched, 1);
    }
    if (net_load(&local->in_phase) == NET_RING && net_load(&local->is_marked) && !net_ring_has_bytes(conn))
        net_store(&local->in_phase, NET_AFTER);
    if (net_load(&local->in_phase) == NET_AFTER && net_load(&local->out_phase) == NET_AFTER &&
        local->stash_at == local->stash_end)
        net_store(&local->is_plain, 1);
    net_lock_release(&local->in_lock);
}

static int begin_progress(cor_conn *conn, int fd)
{
    net_local *local = conn->local;
    if (net_load(&local->is_plain))
        return 0;
    if (!net_load(&local->is_begun))
        begin_attach(conn, fd);
    if (net_load(&local->is_plain))
        return 0;
    if (net_load(&local->out_phase) == NET_BEFORE && net_load(&conn->in->switched))
        begin_switch(conn, fd);
    uint32_t in_phase = net_load(&local->in_phase);
    if ((in_phase == NET_BEFORE && net_load(&conn->in->switched)) ||
        (in_phase != NET_BEFORE && net_load(&local->is_marked)))
        begin_input(conn);
    if (net_load(&conn->out->wants_back) == NET_BACK_ASKED && net_load(&local->out_phase) == NET_RING) {
        begin_lock_out(conn);
        net_answer_back(conn, fd);
        net_lock_release(&local->out_lock);
    }
    return !net_load(&local->is_plain);
}

int net_progress(cor_conn *conn, int fd)
{
    const net_local *local = conn->local;
    /* The usual state: both directions in the ring, no wish to leave it. */
    if (COR_LIKELY(net_load(&local->in_phase) == NET_RING && net_load(&local->out_phase) == NET_RING &&
                   !net_load(&local->is_marked) && net_load(&conn->out->wants_back) == NET_BACK_NONE))
        return 1;
    return begin_progress(conn, fd);
}

int cor_conn_is_plain(cor_conn *conn)
{
    return (int)net_load(&conn->local->is_plain);
}

int cor_conn_sends_bells(cor_conn *conn)
{
    return net_load(&conn->local->out_phase) == NET_RING;
}

int cor_conn_is_switched(cor_conn *conn)
{
    return net_load(&conn->local->in_phase) == NET_RING && net_load(&conn->local->out_phase) == NET_RING;
}

void cor_conn_set_blocking(cor_conn *conn, int is_blocking)
{
    net_store(&conn->local->is_nonblocking, !is_blocking);
}

/* ---- bells ------------------------------------------------------------------------------------------------------ */

/* No room on TCP for a byte: there are bells enough. */
void net_bell(cor_conn *conn, int fd)
{
    const char bell = NET_BELL;
    int saved = errno;
    net_sys_send(fd, &bell, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    errno = saved;
    NET_COUNT(conn, bells, 1);
}

void net_got_bytes(cor_conn *conn, const char *bytes, size_t count)
{
    net_local *local = conn->local;
    const char *mark = memchr(bytes, NET_MARK, count);
    if (!mark || net_load(&local->is_marked))
        return;
    local->stash_at = 0;
    local->stash_end = (uint32_t)(bytes + count - (mark + 1));
    memcpy(local->stash, mark + 1, local->stash_end);
    net_store(&local->is_marked, 1);
}

void cor_conn_take_bells(cor_conn *conn, int fd, int has_ended)
{
    net_local *local = conn->local;
    char bytes[NET_STASH_MAX];
    int saved = errno;
    ssize_t got = 1;
    if (!net_progress(conn, fd))
        return;
    net_lock_acquire(&local->in_lock, conn->net->pid);
    while (got > 0 && net_load(&local->in_phase) == NET_RING && !net_load(&local->is_marked) &&
           !net_load(&local->in_end) && !net_has_sleeper(conn)) {
        got = net_sys_recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
        if (got > 0)
            net_got_bytes(conn, bytes, (size_t)got);
        else if (got == 0 || (errno != EAGAIN && errno != EINTR))
            net_note_end(conn, got == 0 ? 0 : errno);
        /* An end comes after the last bell. */
        if (got < (ssize_t)sizeof bytes && !has_ended)
            break;
    }
    net_lock_release(&local->in_lock);
    errno = saved;
}

/* ---- the end ---------------------------------------------------------------------------------------------------- */

/* A peer that left bytes unread resets the connection; one that took them all ends it. The kernel's own choice was made by
 * the bells in the peer's socket. */
void net_note_end(cor_conn *conn, int error)
{
    net_local *local = conn->local;
    if (net_load(&local->in_end))
        return;
    if (error != 0 || !net_is_half(conn)) {
        /* A FIN that the peer sent before it closed came before any reset. */
        int is_unread = net_load(&conn->in->is_shut) != NET_SHUT_CLOSED && net_load(&local->out_phase) == NET_RING &&
                        net_ring_used(conn->out, conn->ring_bytes) != 0;
        if (is_unread || net_load(&conn->in->is_reset))
            atomic_store_explicit(&local->in_error, error ? error : ECONNRESET, memory_order_relaxed);
        else if (error && error != ECONNRESET && error != EPIPE)
            atomic_store_explicit(&local->in_error, error, memory_order_relaxed);
        net_store(&local->is_peer_gone, 1);
    }
    net_store(&local->in_end, 1);
}

void net_broken(cor_conn *conn)
{
    net_say_once(conn->net, NET_WHY_PEER, "the peer has destroyed a connection's memory, which ends the connection");
    atomic_store_explicit(&conn->local->in_error, ECONNRESET, memory_order_relaxed);
    net_store(&conn->local->is_peer_gone, 1);
    net_store(&conn->local->in_end, 1);
}

void net_look(cor_conn *conn, int fd)
{
    net_local *local = conn->local;
    short found = net_sys_ready(fd, POLLIN | POLLRDHUP);
    if (net_load(&local->in_phase) == NET_RING && (found & (POLLIN | POLLRDHUP | POLLHUP | POLLERR)))
        cor_conn_take_bells(conn, fd, 1);
    if ((found & (POLLERR | POLLHUP)) || ((found & POLLRDHUP) && !net_is_half(conn)))
        net_store(&local->is_peer_gone, 1);
}

void net_probe(cor_conn *conn, int fd)
{
    net_local *local = conn->local;
    if (!net_is_half(conn))
        return;
    begin_lock_out(conn);
    if (net_load(&local->out_phase) == NET_RING)
        net_bell(conn, fd);
    net_lock_release(&local->out_lock);
}

/* ---- back to TCP ------------------------------------------------------------------------------------------------ */

static int begin_send_all(int fd, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t sent = net_sys_send(fd, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0 && errno != EAGAIN && errno != EINTR)
            return -1;
        if (sent < 0) {
            struct pollfd one = {fd, POLLOUT, 0};
            net_sys_poll(&one, 1, 100);
            continue;
        }
        bytes += sent;
        length -= (size_t)sent;
    }
    return 0;
}

/* The last byte on TCP that is not data. Under out_lock. */
static void begin_mark(cor_conn *conn, int fd)
{
    const char mark = NET_MARK;
    net_store(&conn->local->out_phase, NET_AFTER);
    begin_send_all(fd, &mark, 1);
    net_store(&conn->out->is_back, 1);
}

/* The reader does not touch the ring any more: what it has not read goes by TCP. */
void net_answer_back(cor_conn *conn, int fd)
{
    net_dir *out = conn->out;
    uint32_t expected = NET_BACK_ASKED;
    int saved = errno;
    if (net_load(&conn->local->out_phase) != NET_RING ||
        !atomic_compare_exchange_strong(&out->wants_back, &expected, NET_BACK_BEGUN))
        return;
    uint64_t head = atomic_load_explicit(&out->head, memory_order_acquire);
    int64_t used = net_ring_used(out, conn->ring_bytes);
    begin_mark(conn, fd);
    while (used > 0) {
        uint64_t at = head & (conn->ring_bytes - 1), length = conn->ring_bytes - at;
        length = length < (uint64_t)used ? length : (uint64_t)used;
        if (begin_send_all(fd, conn->out_ring + at, length) != 0)
            break;
        head += length;
        used -= (int64_t)length;
    }
    NET_COUNT(conn, returned, 1);
    errno = saved;
}

/* Wait for the peer's mark, and leave on TCP exactly what follows it. Under in_lock. */
static int begin_await_mark(cor_conn *conn, int fd)
{
    net_local *local = conn->local;
    uint64_t limit = cor_clock_ns() + BEGIN_BACK_NS;
    uint32_t asked = NET_BACK_ASKED;
    while (!net_load(&local->is_marked)) {
        char byte;
        ssize_t got = net_sys_recv(fd, &byte, 1, MSG_DONTWAIT);
        if (got == 1) {
            if (byte == NET_MARK)
                net_store(&local->is_marked, 1);
            continue;
        }
        if (got == 0 || (errno != EAGAIN && errno != EINTR))
            return net_load(&conn->in->is_back) ? 0 : -1;
        if (cor_clock_ns() > limit && atomic_compare_exchange_strong(&conn->in->wants_back, &asked, NET_BACK_NONE))
            return -1;
        asked = NET_BACK_ASKED;
        /* The peer may want the same of us, and wait for it. */
        if (net_load(&conn->out->wants_back) == NET_BACK_ASKED && net_load(&local->out_phase) == NET_RING) {
            begin_lock_out(conn);
            net_answer_back(conn, fd);
            net_lock_release(&local->out_lock);
        }
        struct pollfd one = {fd, POLLIN, 0};
        net_sys_poll(&one, 1, BEGIN_BACK_NAP_MS);
    }
    return 0;
}

/* Input: ask for TCP. Under in_lock. 0: it is TCP and stays so; 1: a mark will come; -1: it cannot be had. */
static int begin_ask_back(cor_conn *conn)
{
    net_local *local = conn->local;
    uint32_t early = NET_BACK_EARLY, none = NET_BACK_NONE;
    if (net_load(&local->in_phase) == NET_AFTER)
        return 0;
    if (atomic_compare_exchange_strong(&conn->in->wants_back, &early, NET_BACK_NEVER))
        return 0;
    if (net_load(&local->in_phase) == NET_BEFORE) {
        /* The peer switches at this moment. Bytes that came by TCP before cannot be told from what follows the mark. */
        uint64_t limit = cor_clock_ns() + BEGIN_BACK_NS;
        while (!net_load(&conn->in->switched))
            if (cor_clock_ns() > limit)
                return -1;
        if (atomic_load_explicit(&local->tcp_taken, memory_order_relaxed) <
            atomic_load_explicit(&conn->in->tcp_bytes, memory_order_relaxed))
            return -1;
        net_store(&local->in_phase, NET_RING);
    }
    if (!net_load(&local->is_marked))
        atomic_compare_exchange_strong(&conn->in->wants_back, &none, NET_BACK_ASKED);
    return 1;
}

static int begin_return(cor_conn *conn, int fd)
{
    net_local *local = conn->local;
    net_lock_acquire(&local->in_lock, conn->net->pid);
    /* Asked before the mark wakes the peer. */
    int rc = begin_ask_back(conn);
    begin_lock_out(conn);
    if (net_load(&local->out_phase) == NET_RING)
        begin_mark(conn, fd);
    net_lock_release(&local->out_lock);
    if (rc == 1)
        rc = net_load(&local->in_end) ? 0 : begin_await_mark(conn, fd);
    /* Bytes that the peer had written before a mark of its own accord cannot be given back. */
    int is_taken = net_load(&conn->in->wants_back) == NET_BACK_BEGUN;
    if (rc == 0 && (is_taken || !net_ring_has_bytes(conn)) && local->stash_at == local->stash_end) {
        net_store(&local->in_phase, NET_AFTER);
        net_store(&local->is_plain, 1);
    } else {
        rc = -1;
    }
    net_lock_release(&local->in_lock);
    return rc;
}

int cor_conn_withdraw(cor_conn *conn, int fd)
{
    net_local *local = conn->local;
    uint32_t expected = NET_OFFERED;
    int saved = errno, rc = 0;
    if (net_load(&local->is_plain))
        return 0;
    if (atomic_compare_exchange_strong(&conn->segment->state, &expected, NET_WITHDRAWN)) {
        begin_stay_plain(conn);
        net_store(&local->is_begun, 1);
    } else if (net_progress(conn, fd)) {
        rc = begin_return(conn, fd);
        if (rc == 0)
            NET_COUNT(conn, returned, 1);
    }
    errno = saved;
    return rc;
}
