/* SPDX-License-Identifier: Apache-2.0 */
/* How a read waits for bytes. */
#define _GNU_SOURCE
#include "base/clock.h"
#include "base/futex.h"
#include "net/net_ring.h"

#include <pthread.h>

enum {
    READ_SPINS_A_LOOK = 32,
    READ_LOOK_NS = 50 * 1000, /* a thread that does not block asks the kernel for the end so often */
    READ_BACKLOG_MS = 1,
    READ_NS_A_MS = 1000 * 1000,
    READ_LONG_MS = 1000 * 1000,
};

static int read_spin(cor_conn *conn)
{
    uint64_t limit = 0;
    for (uint32_t round = 1;; round++) {
        if (net_ring_has_bytes(conn)) {
            cor_conn_spun(conn, 1);
            return 1;
        }
        cor_cpu_relax();
        if (round % READ_SPINS_A_LOOK == 0) {
            uint64_t now = cor_clock_ns();
            if (limit == 0)
                limit = now + (uint64_t)conn->net->config.spin_us * 1000;
            else if (now > limit)
                break;
        }
    }
    cor_conn_spun(conn, 0);
    return 0;
}

/* A bell would not be heard, because another thread is still to be woken by the last one, or there is something to send
 * meanwhile: look again soon. */
static int read_tick(cor_conn *conn, int fd, int tick_ms, net_limit *limit)
{
    if (net_sys_fcntl(net_fd(conn, fd), F_GETFL, 0) & O_NONBLOCK) {
        errno = EAGAIN;
        return -1;
    }
    net_limit_find(limit, net_fd(conn, fd), SO_RCVTIMEO);
    _Atomic uint32_t nothing = 0;
    cor_futex_wait_as_call(&nothing, 0, (uint64_t)tick_ms * READ_NS_A_MS);
    if (errno == EINTR)
        return -1;
    net_look(conn, fd);
    return net_limit_check(limit);
}

/* Waits as the descriptor says: O_NONBLOCK, SO_RCVTIMEO, signals. A thread that is cancelled ends here, as in any
 * recv. */
static ssize_t read_blocked(int fd, char *byte, int flags)
{
    int type;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &type);
    ssize_t got = net_sys_recv(fd, byte, 1, flags);
    pthread_setcanceltype(type, &type);
    return got;
}

/* The same for what is left of the time, if that has a limit. */
static ssize_t read_blocked_again(int fd, char *byte, const net_limit *limit)
{
    struct pollfd one = {fd, POLLIN, 0};
    uint64_t now = cor_clock_ns();
    int type;
    if (limit->at_ns == 0)
        return read_blocked(fd, byte, MSG_PEEK);
    uint64_t left_ms = now < limit->at_ns ? (limit->at_ns - now + READ_NS_A_MS - 1) / READ_NS_A_MS : 0;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &type);
    int found = net_sys_poll(&one, 1, left_ms < READ_LONG_MS ? (int)left_ms : READ_LONG_MS);
    pthread_setcanceltype(type, &type);
    if (found < 0)
        return -1;
    if (found == 0)
        return net_limit_check(limit) < 0 ? -1 : 1;
    ssize_t got = net_sys_recv(fd, byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return got < 0 && errno == EAGAIN ? 1 : got; /* another thread has taken it */
}

/* The byte that wakes it is left: it may be data of before the switch, or wake others too. */
static int read_sleep(cor_conn *conn, int fd, net_limit *limit)
{
    struct pollfd one = {fd, POLLIN, 0};
    int rc = 0, tick_ms = -1, is_rung = 0;
    char byte;
    net_limit_begin(limit, net_fd(conn, fd), SO_RCVTIMEO);
    if (cor_conn_sleep_begin(conn, &one, &tick_ms)) {
        NET_COUNT(conn, sleeps, 1);
        if (one.events & POLLIN) {
            ssize_t got = read_blocked_again(one.fd, &byte, limit);
            if (got < 0 && (errno == EAGAIN || errno == EINTR || errno == EBADF)) /* this process's own */
                rc = -1;
            else if (got <= 0 && net_load(&conn->local->in_phase) == NET_RING)
                net_note_end(conn, got == 0 ? 0 : errno);
            else
                rc = got < 0 ? -1 : 0;
            is_rung = got > 0;
        } else {
            rc = read_tick(conn, fd, tick_ms, limit);
        }
    }
    net_sleep_end(conn, is_rung);
    return rc;
}

/* A reader that does not block. The end comes with an event where there is a wait for it; a program that only reads
 * again and again finds it here. */
static int read_refuse(cor_conn *conn, int fd)
{
    uint64_t now = cor_clock_ns();
    if (now - atomic_load_explicit(&conn->looked_ns, memory_order_relaxed) > READ_LOOK_NS) {
        atomic_store_explicit(&conn->looked_ns, now, memory_order_relaxed);
        net_look(conn, fd);
        if (net_load(&conn->local->in_end) || net_load(&conn->local->is_marked) || net_ring_has_bytes(conn))
            return 0;
    }
    errno = EAGAIN;
    return -1;
}

/* Before the switch the descriptor itself says it. */
static int read_is_nonblocking(const cor_conn *conn, int fd)
{
    return net_load(&conn->local->is_nonblocking) && net_sys_fcntl(net_fd(conn, fd), F_GETFL, 0) & O_NONBLOCK;
}

int net_read_wait(cor_conn *conn, int fd, int flags, net_limit *limit)
{
    char byte;
    net_local *local = conn->local;
    uint32_t phase = net_load(&local->in_phase);
    /* The peer may answer what it does not have yet. */
    if (net_has_backlog(conn) && !(flags & MSG_DONTWAIT))
        return read_tick(conn, fd, READ_BACKLOG_MS, limit);
    if (phase == NET_BEFORE && !net_load(&local->is_plain)) {
        if (!(flags & MSG_DONTWAIT) && !read_is_nonblocking(conn, fd))
            return read_sleep(conn, fd, limit);
        flags |= MSG_DONTWAIT; /* also if another thread makes the descriptor blocking now: no bell is armed */
    }
    if (phase == NET_AFTER && local->stash_at != local->stash_end)
        return 0;
    if (phase != NET_RING || net_load(&local->is_plain))
        return read_blocked(net_fd(conn, fd), &byte, MSG_PEEK | (flags & MSG_DONTWAIT)) < 0 ? -1 : 0;
    if (net_load(&local->is_marked))
        return 0;
    if ((flags & MSG_DONTWAIT) || net_load(&local->is_nonblocking))
        return read_refuse(conn, fd);
    if (cor_conn_may_spin(conn) && read_spin(conn))
        return 0;
    int rc = net_futex_sleep(conn, limit);
    return rc <= 0 ? rc : read_sleep(conn, fd, limit);
}
