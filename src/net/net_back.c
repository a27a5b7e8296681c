/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way back to TCP: of what this side writes by a mark, of what it reads with the peer's help.
 *
 * The states of a direction: RING; then the writer leaves, of its own accord or because the reader has asked
 * (net_dir.wants_back), and has a backlog: the mark, what it has taken back from the ring, and the end, if it was shut
 * down meanwhile; when TCP has had all of that, AFTER. For the reader it is the ring until the mark has come and the
 * ring is empty. What came with the mark is in the stash, and read first.
 *   Serve    No call waits until TCP has taken the backlog: each sends what there is room for and goes on with its own
 *            work, also to read, without which a peer that writes would never read. Waits look for room on TCP
 *            meanwhile. Only a close waits, and reads and drops what comes: a peer that closes, too, goes on.
 *   Decide   By one word, wants_back: ASKED becomes BEGUN by the writer, which takes back what was not read, or WISHED
 *            by the reader, which goes on to read the ring.
 *   After    The writer looks for the reader's position after that.
 *   Together An end that asks leaves its own direction after its wait: if both ask at once, each takes back what the
 *            other has not read.
 *   Frozen   Between, no thread of the reader touches the ring (in_lock).
 *   Head     What was taken back is not read from the ring any more.
 *   First    What is written later follows the backlog.
 *   Plain    An end that has a backlog, or something in its stash, is not plain: calls must come here.
 * tests/unit/net_back_model_test.c walks through all interleavings of these rules, and of those without one of them.
 */
#define _GNU_SOURCE
#include "base/clock.h"
#include "net/net_ring.h"

#include <linux/sockios.h>

enum {
    BACK_LEAST_MS = 10, /* a peer that waits in a call answers within that */
    BACK_NAP_MS = 1,
    BACK_SWITCH_NS = 1000 * 1000 * 1000,
    BACK_MOST = 1 << 30,
};

/* ---- the backlog ------------------------------------------------------------------------------------------------ */

/* What TCP takes now, which may be nothing; -1: no more goes there. */
static ssize_t back_send(int fd, const char *bytes, size_t length)
{
    ssize_t sent;
    do
        sent = net_sys_send(fd, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent < 0 && errno == EAGAIN ? 0 : sent;
}

int net_back_push(cor_conn *conn, int fd)
{
    const char mark = NET_MARK;
    net_local *local = conn->local;
    ssize_t sent = 1;
    fd = net_fd(conn, fd);
    if (local->is_mark_due && (sent = back_send(fd, &mark, 1)) > 0) {
        local->is_mark_due = 0;
        net_store(&conn->out->is_back, 1);
        net_futex_wake(conn, conn->out);
    }
    while (sent > 0 && local->backlog_at != local->backlog_end) {
        size_t length, left = (size_t)(local->backlog_end - local->backlog_at);
        const char *bytes = net_ring_piece(conn, conn->out, local->backlog_at, left, &length);
        /* A forked process may have no place for the far ring as yet. */
        sent = bytes ? back_send(fd, bytes, length) : net_far_is_unmapped(conn) ? 0 : -1;
        local->backlog_at += sent > 0 ? (uint64_t)sent : 0;
    }
    if (sent == 0)
        return 0;
    if (local->is_fin_due)
        net_sys_shutdown(fd, SHUT_WR);
    local->is_mark_due = local->is_fin_due = 0;
    local->backlog_at = local->backlog_end;
    net_store(&local->has_backlog, 0);
    return 1;
}

void net_back_go_on(cor_conn *conn, int fd)
{
    net_local *local = conn->local;
    int saved = errno;
    if (!net_has_backlog(conn))
        return;
    net_lock_acquire(&local->out_lock, conn->net->pid);
    if (net_has_backlog(conn))
        net_back_push(conn, fd);
    net_lock_release(&local->out_lock);
    errno = saved;
}

/* As long as the peer takes something, and so long after that. 0: nothing is left. */
static int back_await_backlog(cor_conn *conn, int fd, int patience_ms, int is_over)
{
    uint64_t limit = 0;
    for (int waiting = 0, last = -1; net_back_go_on(conn, fd), net_has_backlog(conn); last = waiting) {
        struct pollfd one = {net_fd(conn, fd), (short)(is_over ? POLLOUT | POLLIN : POLLOUT), 0};
        uint64_t now = cor_clock_ns();
        net_sys_ioctl(one.fd, SIOCOUTQ, &waiting);
        if (waiting != last)
            limit = now + (uint64_t)patience_ms * 1000000;
        else if (now > limit)
            return -1;
        if (!is_over || net_sys_recv(one.fd, NULL, BACK_MOST, MSG_DONTWAIT | MSG_TRUNC) <= 0) /* thrown away */
            net_sys_poll(&one, is_over && net_sys_ready(one.fd, POLLIN) ? 0 : 1, BACK_NAP_MS);
    }
    return 0;
}

void net_back_flush(cor_conn *conn, int fd, int patience_ms, int is_over)
{
    int saved = errno;
    int is_last = net_load(&conn->local->users) == 1; /* else other processes may read, and send the rest */
    if (net_has_backlog(conn))
        back_await_backlog(conn, fd, is_last ? patience_ms : BACK_LEAST_MS, is_last && is_over);
    errno = saved;
}

void cor_conn_flush(cor_conn *conn, int fd, int is_over)
{
    if (net_is_young(conn))
        return;
    if (is_over)
        net_ends(conn);
    net_back_flush(conn, fd, is_over ? NET_BACK_CLOSE_MS : COR_NET_PATIENCE_MS, is_over);
}

/* This direction goes by TCP from here on. A reader that has asked for that does not touch the ring any more: what it
 * has not read goes by TCP, too. Under out_lock. */
static void back_leave(cor_conn *conn, int fd)
{
    net_local *local = conn->local;
    uint32_t asked = NET_BACK_ASKED;
    /* The position is looked at after that. */
    int is_taken = atomic_compare_exchange_strong(&conn->out->wants_back, &asked, NET_BACK_BEGUN);
    int64_t used = is_taken ? net_ring_used(conn, conn->out) : 0;
    local->is_mark_due = 1;
    local->backlog_end = atomic_load_explicit(&conn->out->tail, memory_order_relaxed);
    local->backlog_at = local->backlog_end - (used > 0 ? (uint64_t)used : 0);
    net_store(&local->has_backlog, 1);
    net_store(&local->out_phase, NET_AFTER);
    net_back_push(conn, fd);
}

/* ---- the side that is asked ------------------------------------------------------------------------------------- */

/* 1: it has asked, and this direction goes by TCP now. */
static int back_answer(cor_conn *conn, int fd)
{
    net_local *local = conn->local;
    uint32_t wanted = net_load(&conn->out->wants_back);
    int saved = errno;
    if ((wanted != NET_BACK_ASKED && wanted != NET_BACK_WISHED) || net_load(&local->out_phase) != NET_RING)
        return 0;
    net_lock_acquire(&local->out_lock, conn->net->pid);
    int is_first = net_load(&local->out_phase) == NET_RING;
    if (is_first)
        back_leave(conn, fd);
    net_lock_release(&local->out_lock);
    errno = saved;
    return is_first;
}

void net_answer_back(cor_conn *conn, int fd)
{
    if (back_answer(conn, fd))
        NET_COUNT(conn, returned, 1);
}

/* ---- the side that asks ----------------------------------------------------------------------------------------- */

/* Wake the peer, wait for its mark, and leave what follows that on TCP. Under in_lock. */
static int back_await_mark(cor_conn *conn, int fd, int patience_ms)
{
    net_local *local = conn->local;
    uint64_t limit = cor_clock_ns() + (uint64_t)patience_ms * 1000000;
    net_lock_acquire(&local->out_lock, conn->net->pid);
    if (net_load(&local->out_phase) == NET_RING)
        net_bell(conn, fd);
    net_lock_release(&local->out_lock);
    net_futex_wake(conn, conn->out);
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
        back_answer(conn, fd); /* the peer may want the same of us, and wait for it */
        net_back_go_on(conn, fd);
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
    int rc = back_ask(conn);
    if (rc == 1)
        rc = net_load(&local->in_end) ? 0 : back_await_mark(conn, fd, patience_ms);
    /* After the wait, in which a peer that wants TCP, too, has asked for what it has not read. */
    net_lock_acquire(&local->out_lock, conn->net->pid);
    if (net_load(&local->out_phase) == NET_RING)
        back_leave(conn, fd);
    net_lock_release(&local->out_lock);
    /* Bytes that the peer had written before a mark of its own accord cannot be given back. */
    int is_taken = net_load(&conn->in->wants_back) == NET_BACK_BEGUN;
    /* What the peer has taken back comes by TCP; some may be in the stash by now, if another thread took the mark. Then
     * this connection goes on, and must not read the same from the ring. */
    if (rc == 0 && is_taken)
        atomic_store_explicit(&conn->in->head, atomic_load_explicit(&conn->in->tail, memory_order_acquire),
                              memory_order_release);
    if (rc == 0 && (is_taken || !net_ring_has_bytes(conn)) && local->stash_at == local->stash_end) {
        net_store(&local->in_phase, NET_AFTER);
    } else {
        rc = is_mute ? -2 : -1;
    }
    net_lock_release(&local->in_lock);
    /* Without the lock: the peer may take no more until another thread of this process has read. */
    if (rc == 0 && back_await_backlog(conn, fd, patience_ms, 0) != 0)
        return -1;
    if (rc == 0)
        net_store(&local->is_plain, 1);
    net_futex_wake(conn, conn->in); /* threads of this side */
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
    } else if (net_progress_unasked(conn, fd)) { /* a peer that asks is answered when it can be asked, too */
        rc = back_return(conn, fd, patience_ms);
        if (rc == 0)
            NET_COUNT(conn, returned, 1);
    }
    errno = saved;
    return rc;
}
