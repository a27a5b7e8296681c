/* SPDX-License-Identifier: Apache-2.0 */
/* The phases of a connection: attach, switch to the rings, and the end. The way back is in net_back.c. */
#define _GNU_SOURCE
#include "net/net_ring.h"

#include <netinet/in.h>
#include <netinet/tcp.h>

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

void net_stay_plain(cor_conn *conn)
{
    net_store(&conn->local->is_plain, 1);
    net_offer_close(conn);
    NET_COUNT(conn, plain, 1);
}

/* From here on this side writes to the ring; the peer takes what it has sent by TCP first. Under out_lock. */
static void begin_ring(cor_conn *conn)
{
    uint64_t sent = atomic_load_explicit(&conn->local->tcp_sent, memory_order_relaxed);
    atomic_store_explicit(&conn->out->tcp_bytes, sent, memory_order_relaxed);
    net_store(&conn->local->out_phase, NET_RING);
    net_store(&conn->out->switched, 1);
}

/* The server's first step: its direction is the ring from here on. */
static void begin_attach(cor_conn *conn, int fd)
{
    net_local *local = conn->local;
    begin_lock_out(conn);
    if (!net_load(&local->is_begun)) {
        uint32_t expected = NET_OFFERED, early = NET_BACK_EARLY;
        begin_hurry(net_fd(conn, fd));
        /* A client that withdraws at this moment has the one or the other. */
        if (atomic_compare_exchange_strong(&conn->segment->state, &expected, NET_ATTACHED) &&
            atomic_compare_exchange_strong(&conn->out->wants_back, &early, NET_BACK_NONE)) {
            begin_ring(conn);
            NET_COUNT(conn, attached, 1);
        } else {
            cor_net_note(conn->net, COR_NET_WHY_PEER);
            net_stay_plain(conn);
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
        begin_hurry(net_fd(conn, fd));
        begin_ring(conn);
        NET_COUNT(conn, switched, 1);
        net_offer_close(conn);
    }
    net_lock_release(&local->out_lock);
}

void net_begin_input(cor_conn *conn, int fd)
{
    net_store(&conn->local->in_phase, NET_RING);
    short found = net_kernel_ready(conn, fd, POLLIN | POLLRDHUP);
    if (found & (POLLIN | POLLRDHUP | POLLHUP | POLLERR))
        net_take(conn, fd, SIZE_MAX, found & (POLLRDHUP | POLLHUP | POLLERR));
}

/* Input: all bytes that went by TCP have been taken. */
static void begin_input(cor_conn *conn, int fd)
{
    net_local *local = conn->local;
    net_lock_acquire(&local->in_lock, conn->net->pid);
    if (net_load(&local->in_phase) == NET_BEFORE &&
        atomic_load_explicit(&local->tcp_taken, memory_order_relaxed) >=
            atomic_load_explicit(&conn->in->tcp_bytes, memory_order_relaxed)) {
        net_begin_input(conn, fd);
        if (conn->side == NET_SERVER)
            NET_COUNT(conn, switched, 1);
    }
    if (net_load(&local->in_phase) == NET_RING && net_load(&local->is_marked) && !net_ring_has_bytes(conn))
        net_store(&local->in_phase, NET_AFTER);
    if (net_load(&local->in_phase) == NET_AFTER && net_load(&local->out_phase) == NET_AFTER &&
        !net_has_backlog(conn) && local->stash_at == local->stash_end)
        net_store(&local->is_plain, 1);
    net_lock_release(&local->in_lock);
}

int net_progress_unasked(cor_conn *conn, int fd)
{
    net_local *local = conn->local;
    if (net_load(&local->is_plain))
        return 0;
    if (net_is_young(conn))
        return 1;
    if (!net_load(&local->is_begun))
        begin_attach(conn, fd);
    if (net_load(&local->is_plain))
        return 0;
    if (net_load(&local->out_phase) == NET_BEFORE && net_load(&conn->in->switched))
        begin_switch(conn, fd);
    net_back_go_on(conn, fd);
    uint32_t in_phase = net_load(&local->in_phase);
    if ((in_phase == NET_BEFORE && net_load(&conn->in->switched)) ||
        (in_phase != NET_BEFORE && net_load(&local->is_marked)))
        begin_input(conn, fd);
    return !net_load(&local->is_plain);
}

static int begin_progress(cor_conn *conn, int fd)
{
    if (net_progress_unasked(conn, fd) && !net_is_young(conn))
        net_answer_back(conn, fd);
    return !net_load(&conn->local->is_plain);
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
    /* seq_cst: after the caller's reference, so that a thread that finds the connection plain and not busy knows that
     * it is plain for this one, too. */
    return (int)atomic_load(&conn->local->is_plain);
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

/* ---- the end ---------------------------------------------------------------------------------------------------- */

/* A peer that left bytes unread resets the connection; one that took them all ends it. The kernel's own choice was made
 * by the bells in the peer's socket. */
void net_note_end(cor_conn *conn, int error)
{
    net_local *local = conn->local;
    if (net_load(&local->in_end))
        return;
    if (error != 0 || !net_is_half(conn)) {
        /* A FIN that the peer sent before it closed came before any reset. */
        int is_unread = net_load(&conn->in->is_shut) != NET_SHUT_CLOSED && net_load(&local->out_phase) == NET_RING &&
                        net_ring_used(conn, conn->out) != 0;
        if (is_unread || net_load(&conn->in->is_reset))
            atomic_store_explicit(&local->in_error, error ? error : ECONNRESET, memory_order_relaxed);
        else if (error && error != ECONNRESET && error != EPIPE)
            atomic_store_explicit(&local->in_error, error, memory_order_relaxed);
        net_store(&local->is_peer_gone, 1);
    }
    net_store(&local->in_end, 1);
    net_futex_wake(conn, conn->in);
}

void net_broken(cor_conn *conn)
{
    net_say_once(conn->net, COR_NET_WHY_BROKEN,
                 "the peer has destroyed a connection's memory, which ends the connection");
    atomic_store_explicit(&conn->local->in_error, ECONNRESET, memory_order_relaxed);
    net_store(&conn->local->is_peer_gone, 1);
    net_store(&conn->local->in_end, 1);
    net_futex_wake(conn, conn->in);
}

void net_look(cor_conn *conn, int fd)
{
    net_local *local = conn->local;
    short found = net_kernel_ready(conn, fd, POLLIN | POLLRDHUP);
    if (net_load(&local->in_phase) == NET_RING && (found & (POLLIN | POLLRDHUP | POLLHUP | POLLERR)))
        cor_conn_take_bells(conn, fd, found & (POLLRDHUP | POLLHUP | POLLERR));
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
