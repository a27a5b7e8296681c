/* SPDX-License-Identifier: Apache-2.0 */
/* What poll would say. */
#define _GNU_SOURCE
#include "net/net_ring.h"

enum { READY_TICK_MS = 5 };

unsigned cor_conn_ready(cor_conn *conn, int fd, int may_ask_kernel)
{
    net_local *local = conn->local;
    if (!net_progress(conn, fd))
        return (unsigned)net_sys_ready(net_fd(conn, fd), POLLIN | POLLOUT | POLLRDHUP | POLLPRI);
    int in_ring = net_load(&local->in_phase) == NET_RING, out_ring = net_load(&local->out_phase) == NET_RING;
    unsigned ready = 0, kernel = 0;
    if (!in_ring || !out_ring || may_ask_kernel)
        kernel = (unsigned)net_kernel_ready(conn, fd, POLLIN | POLLOUT | POLLRDHUP);
    if (in_ring) {
        if (kernel & (POLLIN | POLLRDHUP | POLLHUP | POLLERR))
            cor_conn_take_bells(conn, fd, (kernel & (POLLRDHUP | POLLHUP | POLLERR)) != 0);
        if (net_load(&local->in_end))
            ready |= POLLIN | POLLRDHUP;
        else if (net_ring_has_bytes(conn))
            ready |= POLLIN;
        if (atomic_load_explicit(&local->in_error, memory_order_relaxed))
            ready |= POLLERR | POLLHUP;
        if (net_load(&local->in_end) && net_load(&local->out_shut))
            ready |= POLLHUP;
    } else {
        ready |= kernel & (POLLIN | POLLRDHUP | POLLHUP | POLLERR);
        if (local->stash_at != local->stash_end)
            ready |= POLLIN;
    }
    if (out_ring) {
        if (net_ring_has_room(conn, conn->out) || net_load(&local->is_peer_gone) || net_load(&local->out_shut))
            ready |= POLLOUT;
        else if (may_ask_kernel)
            net_probe(conn, fd);
        if (kernel & (POLLHUP | POLLERR)) {
            net_look(conn, fd);
            ready |= net_load(&local->is_peer_gone) ? POLLOUT : 0;
        }
    } else if (!net_has_backlog(conn)) {
        ready |= kernel & POLLOUT;
    }
    return ready;
}

int net_has_news(const cor_conn *conn, unsigned events)
{
    const net_local *local = conn->local;
    uint32_t in_phase = net_load(&local->in_phase);
    if (net_is_young(conn))
        return 0; /* all is the kernel's to report */
    /* The switch has come, or the way back: progress finds out. Bytes that went by TCP before it are the kernel's to
     * report. */
    if (in_phase == NET_BEFORE && net_load(&conn->in->switched) &&
        (net_load(&local->out_phase) == NET_BEFORE ||
         atomic_load_explicit(&local->tcp_taken, memory_order_relaxed) >=
             atomic_load_explicit(&conn->in->tcp_bytes, memory_order_relaxed)))
        return 1;
    if (in_phase == NET_RING && net_load(&local->is_marked) && !net_ring_has_bytes(conn))
        return 1;
    if ((events & POLLIN) && in_phase == NET_RING && (net_ring_has_bytes(conn) || net_load(&local->in_end)))
        return 1;
    /* Bytes that came with the mark, which another thread took: the kernel has them no more. */
    if ((events & POLLIN) && in_phase == NET_AFTER && local->stash_at != local->stash_end)
        return 1;
    return (events & POLLOUT) && net_load(&local->out_phase) == NET_RING &&
           (net_ring_has_room(conn, conn->out) || net_load(&local->is_peer_gone));
}

int cor_conn_arm(cor_conn *conn, unsigned events, int *limit_ms_p)
{
    net_local *local = conn->local;
    if (net_load(&local->is_plain) || net_is_young(conn))
        return 1;
    int is_mute = 0;
    if (events & POLLIN)
        atomic_fetch_or_explicit(&conn->in->reader_armed, NET_ARMED_BELL, memory_order_relaxed);
    else if (net_load(&local->in_phase) == NET_BEFORE)
        is_mute = 1; /* bytes by TCP hide a bell from a caller that does not take them */
    if ((events & POLLOUT) && net_load(&local->out_phase) == NET_RING) {
        atomic_fetch_or(&conn->out->writer_armed, NET_ARMED_BELL);
        /* No bell comes from a peer that has shut its half, or sends data by TCP. */
        is_mute |= net_load(&conn->in->is_shut) || net_load(&local->in_phase) != NET_RING ||
                   net_load(&local->is_marked) || net_load(&local->in_end);
    }
    if (is_mute && limit_ms_p && (*limit_ms_p < 0 || *limit_ms_p > READY_TICK_MS))
        *limit_ms_p = READY_TICK_MS;
    /* As in read_sleep and write_sleep. */
    atomic_thread_fence(memory_order_seq_cst);
    return !net_has_news(conn, events);
}

short cor_conn_kernel_events(cor_conn *conn, short events)
{
    net_local *local = conn->local;
    if (net_load(&local->is_plain))
        return events;
    short asked = (short)(events & (POLLIN | POLLRDHUP | POLLPRI));
    if (((events & POLLOUT) && net_load(&local->out_phase) != NET_RING) || net_has_backlog(conn))
        asked |= POLLOUT;
    /* Bells also say that there is room, and a mark must be seen whatever is waited for. */
    if (net_load(&local->in_phase) == NET_RING && !net_load(&local->in_end) && !net_load(&local->is_marked))
        asked |= POLLIN | POLLRDHUP;
    return asked;
}

int cor_conn_has_bytes(cor_conn *conn)
{
    return !net_is_young(conn) && net_ring_has_bytes(conn);
}

uint64_t cor_conn_arrivals(cor_conn *conn)
{
    uint64_t tail = net_is_young(conn) ? 0 : atomic_load_explicit(&conn->in->tail, memory_order_relaxed);
    return tail + net_load(&conn->local->in_end);
}

uint32_t cor_conn_refusals(cor_conn *conn)
{
    return atomic_load_explicit(&conn->local->refusals, memory_order_relaxed);
}

cor_net_segment *cor_conn_segment(cor_conn *conn)
{
    return conn->segment;
}
