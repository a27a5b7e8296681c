/* SPDX-License-Identifier: Apache-2.0 */
/* The way back to TCP: of what this side writes by a mark, of what it reads with the peer's help. */
#define _GNU_SOURCE
#include "base/clock.h"
#include "net/net_ring.h"

enum {
    BACK_LEAST_MS = 10, /* a peer that waits in a call answers within that */
    BACK_NAP_MS = 1,
    BACK_SWITCH_NS = 1000 * 1000 * 1000,
};

static int back_send_all(int fd, const char *bytes, size_t length)
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
static void back_mark(cor_conn *conn, int fd)
{
    const char mark = NET_MARK;
    net_store(&conn->local->out_phase, NET_AFTER);
    back_send_all(net_fd(conn, fd), &mark, 1);
    net_store(&conn->out->is_back, 1);
}

/* ---- the side that is asked ------------------------------------------------------------------------------------- */

/* The reader does not touch the ring any more: what it has not read goes by TCP. Under out_lock. */
static void back_take_over(cor_conn *conn, int fd)
{
    uint64_t head = atomic_load_explicit(&conn->out->head, memory_order_acquire);
    int64_t used = net_ring_used(conn, conn->out);
    back_mark(conn, fd);
    while (used > 0) {
        size_t length;
        const char *bytes = net_ring_piece(conn, conn->out, head, (size_t)used, &length);
        if (!bytes || back_send_all(net_fd(conn, fd), bytes, length) != 0)
            break;
        head += length;
        used -= (int64_t)length;
    }
}

void net_answer_back(cor_conn *conn, int fd)
{
    net_local *local = conn->local;
    uint32_t wanted = net_load(&conn->out->wants_back), asked = NET_BACK_ASKED;
    int saved = errno;
    if ((wanted != NET_BACK_ASKED && wanted != NET_BACK_WISHED) || net_load(&local->out_phase) != NET_RING)
        return;
    net_lock_acquire(&local->out_lock, conn->net->pid);
    if (net_load(&local->out_phase) == NET_RING) {
        if (atomic_compare_exchange_strong(&conn->out->wants_back, &asked, NET_BACK_BEGUN))
            back_take_over(conn, fd);
        else
            back_mark(conn, fd);
        NET_COUNT(conn, returned, 1);
    }
    net_lock_release(&local->out_lock);
    errno = saved;
}

/* ---- the side that asks ----------------------------------------------------------------------------------------- */

/* Wait for the peer's mark, and leave what follows it on TCP. Under in_lock. */
static int back_await_mark(cor_conn *conn, int fd, int patience_ms)
{
    net_local *local = conn->local;
    uint64_t limit = cor_clock_ns() + (uint64_t)patience_ms * 1000000;
    while (!net_load(&local->is_marked)) {
        struct pollfd one = {net_fd(conn, fd), POLLIN, 0};
        /* One at a time. Threads that sleep are woken by what is there, and leave it. */
        while (net_sys_ready(one.fd, POLLIN) && net_take(conn, fd, 1, 0) && !net_load(&local->is_marked))
            if (net_load(&local->in_end))
                return net_load(&conn->in->is_back) ? 0 : -1;
        if (net_load(&local->is_marked))
            break;
        uint32_t asked = NET_BACK_ASKED;
        if (cor_clock_ns() > limit && atomic_compare_exchange_strong(&conn->in->wants_back, &asked, NET_BACK_WISHED))
            return -1;
        net_answer_back(conn, fd); /* the peer may want the same of us, and wait for it */
        net_sys_poll(&one, net_sys_ready(one.fd, POLLIN) ? 0 : 1, BACK_NAP_MS);
    }
    return 0;
}

/* Ask for TCP. Under in_lock. 0: it is TCP and stays so; 1: a mark will come; -1: it cannot be had. */
static int back_ask(cor_conn *conn)
{
    net_local *local = conn->local;
    uint32_t early = NET_BACK_EARLY, none = NET_BACK_NONE, wished = NET_BACK_WISHED;
    if (net_load(&local->in_phase) == NET_AFTER)
        return 0;
    if (atomic_compare_exchange_strong(&conn->in->wants_back, &early, NET_BACK_NEVER))
        return 0;
    if (net_load(&local->in_phase) == NET_BEFORE) {
        /* The peer switches at this moment. Bytes that came by TCP before cannot be told from what follows the mark. */
        uint64_t limit = cor_clock_ns() + BACK_SWITCH_NS;
        while (!net_load(&conn->in->switched))
            if (cor_clock_ns() > limit)
                return -1;
        if (atomic_load_explicit(&local->tcp_taken, memory_order_relaxed) <
            atomic_load_explicit(&conn->in->tcp_bytes, memory_order_relaxed))
            return -1;
        net_store(&local->in_phase, NET_RING);
    }
    if (!net_load(&local->is_marked) && !atomic_compare_exchange_strong(&conn->in->wants_back, &none, NET_BACK_ASKED))
        atomic_compare_exchange_strong(&conn->in->wants_back, &wished, NET_BACK_ASKED);
    return 1;
}

static int back_return(cor_conn *conn, int fd, int patience_ms)
{
    net_local *local = conn->local;
    net_lock_acquire(&local->in_lock, conn->net->pid);
    /* A wish of an earlier call stands: the peer has made no call since. */
    int is_mute = net_load(&conn->in->wants_back) == NET_BACK_WISHED && !net_load(&local->is_marked);
    if (is_mute || patience_ms < BACK_LEAST_MS)
        patience_ms = BACK_LEAST_MS;
    /* Asked before the mark wakes the peer. */
    int rc = back_ask(conn);
    net_lock_acquire(&local->out_lock, conn->net->pid);
    if (net_load(&local->out_phase) == NET_RING)
        back_mark(conn, fd);
    net_lock_release(&local->out_lock);
    if (rc == 1)
        rc = net_load(&local->in_end) ? 0 : back_await_mark(conn, fd, patience_ms);
    /* Bytes that the peer had written before a mark of its own accord cannot be given back. */
    int is_taken = net_load(&conn->in->wants_back) == NET_BACK_BEGUN;
    /* What the peer has taken back comes by TCP; some may be in the stash by now, if another thread took the mark. Then
     * this connection goes on, and must not read the same from the ring. */
    if (rc == 0 && is_taken)
        atomic_store_explicit(&conn->in->head, atomic_load_explicit(&conn->in->tail, memory_order_acquire),
                              memory_order_release);
    if (rc == 0 && (is_taken || !net_ring_has_bytes(conn)) && local->stash_at == local->stash_end) {
        net_store(&local->in_phase, NET_AFTER);
        net_store(&local->is_plain, 1);
    } else {
        rc = is_mute ? -2 : -1;
    }
    net_lock_release(&local->in_lock);
    return rc;
}

int cor_conn_withdraw(cor_conn *conn, int fd, int patience_ms)
{
    net_local *local = conn->local;
    uint32_t expected = NET_OFFERED;
    int saved = errno, rc = 0;
    if (net_load(&local->is_plain) || cor_conn_keep_young(conn))
        return 0;
    if (atomic_compare_exchange_strong(&conn->segment->state, &expected, NET_WITHDRAWN)) {
        net_stay_plain(conn);
        net_store(&local->is_begun, 1);
    } else if (net_progress(conn, fd)) {
        rc = back_return(conn, fd, patience_ms);
        if (rc == 0)
            NET_COUNT(conn, returned, 1);
    }
    errno = saved;
    return rc;
}
