/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "base/clock.h"
#include "base/futex.h"
#include "net/net_ring.h"

#include <limits.h>
#include <pthread.h>
#include <signal.h>

enum {
    WRITE_PARTS_MAX = 16,
    WRITE_CHUNK = 32 << 10, /* the reader begins to copy while the writer goes on */
    WRITE_SPINS_A_LOOK = 32,
    WRITE_LOOK_NS = 1000 * 1000, /* while the peer lags behind, ask so often whether it lives */
    /* And while asleep. Timers of programs do not come at multiples of this, where their signals would find it
     * awake. */
    WRITE_SLEEP_NS = 97 * 1000 * 1000,
};

/* ---- to the ring ------------------------------------------------------------------------------------------------ */

static void write_tell_cpu(cor_conn *conn)
{
    int cpu = cor_cpu_current();
    if (COR_UNLIKELY(atomic_load_explicit(&conn->out->writer_cpu, memory_order_relaxed) != cpu))
        atomic_store_explicit(&conn->out->writer_cpu, cpu, memory_order_relaxed);
}

static void write_wake_reader(cor_conn *conn, int fd)
{
    /* The new tail before the look at the reader: a reader that sleeps set `armed`, then looked at the tail. */
    atomic_thread_fence(memory_order_seq_cst);
    if (COR_LIKELY(atomic_load_explicit(&conn->out->reader_armed, memory_order_relaxed) == 0))
        return;
    uint32_t armed = atomic_exchange(&conn->out->reader_armed, 0);
    if (armed & NET_ARMED_FUTEX)
        net_futex_ring(conn, conn->out);
    if (armed & NET_ARMED_BELL)
        net_bell(conn, fd);
}

/* One chunk, under out_lock; returns its length. */
static size_t write_chunk(cor_conn *conn, uint64_t tail, size_t room, net_cursor *cursor)
{
    size_t done = 0;
    room = room < WRITE_CHUNK ? room : WRITE_CHUNK;
    while (done < room) {
        size_t most, length;
        char *place = net_ring_piece(conn, conn->out, tail + done, room - done, &most);
        const char *piece = place ? net_cursor_piece(cursor, most, &length) : NULL;
        if (!piece || length == 0)
            break;
        cor_copy(place, piece, length);
        net_cursor_advance(cursor, length);
        done += length;
    }
    /* release: the bytes are there before the reader is told of them. */
    atomic_store_explicit(&conn->out->tail, tail + done, memory_order_release);
    return done;
}

/* A peer that closed takes one more write, which is lost and makes the kernel send a reset; later ones fail. One that
 * left bytes unread has sent its reset already. */
static ssize_t write_to_nobody(cor_conn *conn, int fd, net_cursor *cursor)
{
    const char bell = NET_BELL;
    fd = net_fd(conn, fd);
    if (net_load(&conn->local->is_peer_gone) && net_ring_used(conn, conn->out) != 0) {
        int error = atomic_exchange_explicit(&conn->local->in_error, 0, memory_order_relaxed);
        if (error != 0) {
            errno = error;
            return -1;
        }
        net_sys_shutdown(fd, SHUT_WR); /* so that the kernel refuses it */
    }
    ssize_t sent = net_sys_send(fd, &bell, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN)
        return -1;
    size_t lost = cursor->left;
    net_cursor_skip(cursor, lost);
    return (ssize_t)lost;
}

/* While the peer lags behind, is it still there? */
static void write_look(cor_conn *conn, int fd)
{
    uint64_t now = cor_clock_ns();
    if (now - atomic_load_explicit(&conn->looked_ns, memory_order_relaxed) < WRITE_LOOK_NS)
        return;
    atomic_store_explicit(&conn->looked_ns, now, memory_order_relaxed);
    net_look(conn, fd);
}

/* Under out_lock. Bytes, or -1 with errno; EAGAIN: there is no room. */
static ssize_t write_ring(cor_conn *conn, int fd, net_cursor *cursor)
{
    net_local *local = conn->local;
    uint64_t tail = atomic_load_explicit(&conn->out->tail, memory_order_relaxed);
    int64_t used = net_ring_used(conn, conn->out);
    if (COR_UNLIKELY(used < 0))
        net_broken(conn);
    else
        net_ring_tidy(conn, (size_t)used);
    if (COR_UNLIKELY(net_load(&local->is_peer_gone) || net_load(&local->out_shut)))
        return write_to_nobody(conn, fd, cursor);
    size_t done = 0;
    for (size_t room = net_ring_room(conn, conn->out); room > 0 && cursor->left > 0;) {
        size_t length = write_chunk(conn, tail + done, room, cursor);
        if (COR_UNLIKELY(length == 0 && net_far_is_unmapped(conn))) { /* another process has turned to it */
            errno = ENOMEM;
            return done > 0 ? (ssize_t)done : -1;
        }
        if (COR_UNLIKELY(length == 0)) { /* the turn is nonsense */
            net_broken(conn);
            break;
        }
        write_wake_reader(conn, fd);
        done += length;
        room -= length;
    }
    if (done == 0) {
        errno = EAGAIN;
        return -1;
    }
    write_tell_cpu(conn);
    NET_COUNT(conn, ring_out, done);
    return (ssize_t)done;
}

/* ---- to TCP ----------------------------------------------------------------------------------------------------- */

static ssize_t write_kernel(cor_conn *conn, int fd, net_cursor *cursor, int flags)
{
    struct iovec rest[WRITE_PARTS_MAX];
    struct msghdr message = {.msg_iov = rest};
    if (net_take_error(conn))
        return -1;
    if (net_has_backlog(conn) && !net_back_push(conn, fd)) {
        errno = net_load(&conn->local->out_shut) ? EPIPE : EAGAIN;
        return -1;
    }
    message.msg_iovlen = (size_t)net_cursor_rest(cursor, rest, WRITE_PARTS_MAX, SIZE_MAX);
    ssize_t sent = net_sys_sendmsg(net_fd(conn, fd), &message, (flags & MSG_MORE) | MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
        net_cursor_skip(cursor, (size_t)sent);
        if (net_load(&conn->local->out_phase) == NET_BEFORE) {
            cor_conn_count(conn, sent, 1);
            net_young_give_up_late(conn);
        } else
            NET_COUNT(conn, tcp_out, (uint64_t)sent);
    }
    return sent;
}

static ssize_t write_some(cor_conn *conn, int fd, net_cursor *cursor, int flags)
{
    net_local *local = conn->local;
    net_lock_acquire(&local->out_lock, conn->net->pid);
    ssize_t done = COR_LIKELY(net_load(&local->out_phase) == NET_RING) ? write_ring(conn, fd, cursor)
                                                                       : write_kernel(conn, fd, cursor, flags);
    net_lock_release(&local->out_lock);
    return done;
}

/* ---- waiting ---------------------------------------------------------------------------------------------------- */

static int write_is_full(const cor_conn *conn)
{
    return net_ring_room(conn, conn->out) == 0;
}

static int write_spin(cor_conn *conn)
{
    if (!net_may_spin_to_write(conn))
        return 0;
    uint64_t limit = cor_clock_ns() + (uint64_t)conn->net->config.spin_us * 1000;
    int has_paid = 1;
    for (uint32_t round = 1; has_paid && write_is_full(conn); round++) {
        cor_cpu_relax();
        has_paid = round % WRITE_SPINS_A_LOOK != 0 || cor_clock_ns() <= limit;
    }
    net_spun_to_write(conn, has_paid);
    return has_paid;
}

/* Not to block: a bell will tell when there is room. */
static int write_refuse(cor_conn *conn)
{
    atomic_fetch_or(&conn->out->writer_armed, NET_ARMED_BELL);
    atomic_thread_fence(memory_order_seq_cst);
    if (!write_is_full(conn))
        return 0;
    atomic_fetch_add_explicit(&conn->local->refusals, 1, memory_order_relaxed);
    errno = EAGAIN;
    return -1;
}

static int write_sleep(cor_conn *conn, int fd, const net_limit *limit)
{
    net_dir *out = conn->out;
    uint32_t space = net_load(&out->space);
    atomic_fetch_or(&out->writer_armed, NET_ARMED_FUTEX);
    /* As in read_sleep. */
    atomic_thread_fence(memory_order_seq_cst);
    if (!write_is_full(conn))
        return 0;
    NET_COUNT(conn, sleeps, 1);
    pthread_testcancel(); /* a thread that is cancelled ends here, as in any send */
    errno = 0;
    if (limit->at_ns == 0)
        cor_futex_wait_as_call(&out->space, space, WRITE_SLEEP_NS);
    else /* any handler ends a call that has a limit */
        cor_futex_wait(&out->space, space, WRITE_SLEEP_NS);
    if (errno == EINTR)
        return -1;
    if (write_is_full(conn)) {
        net_probe(conn, fd);
        net_look(conn, fd);
    }
    return net_limit_check(limit);
}

/* Rather than wait: the far ring. */
static int write_grow(cor_conn *conn)
{
    if (!net_ring_may_grow(conn, conn->out))
        return 0;
    net_lock_acquire(&conn->local->out_lock, conn->net->pid);
    int has_grown = net_load(&conn->local->out_phase) == NET_RING && net_ring_grow(conn);
    net_lock_release(&conn->local->out_lock);
    return has_grown;
}

static int write_wait(cor_conn *conn, int fd, int flags, net_limit *limit)
{
    net_local *local = conn->local;
    int waits = !(flags & MSG_DONTWAIT) && !net_load(&local->is_nonblocking);
    if (net_load(&local->out_phase) != NET_RING) {
        struct pollfd one = {net_fd(conn, fd), POLLOUT, 0};
        if (!waits) {
            errno = EAGAIN;
            return -1;
        }
        pthread_testcancel();
        /* Meanwhile the other side may attach: look now and then. */
        if (net_sys_poll(&one, 1, 100) < 0)
            return -1;
        net_limit_find(limit, net_fd(conn, fd), SO_SNDTIMEO);
        return one.revents == 0 ? net_limit_check(limit) : 0;
    }
    if ((waits && write_spin(conn)) || write_grow(conn))
        return 0;
    if (!waits)
        return write_refuse(conn);
    net_limit_find(limit, net_fd(conn, fd), SO_SNDTIMEO);
    return write_sleep(conn, fd, limit);
}

/* ---- writing ---------------------------------------------------------------------------------------------------- */

/* The signal that comes with EPIPE, when no lock is held any more: its handler may use the connection, or never
 * return. */
static ssize_t write_fail(int flags)
{
    int saved = errno;
    if (saved == EPIPE && !(flags & MSG_NOSIGNAL))
        raise(SIGPIPE);
    errno = saved;
    return -1;
}

/* The connection is plain; `done` bytes went before it was. */
static ssize_t write_plain(cor_conn *conn, int fd, net_cursor *cursor, size_t done, int flags)
{
    struct iovec rest[WRITE_PARTS_MAX];
    struct msghdr message = {.msg_iov = rest};
    for (;;) {
        message.msg_iovlen = (size_t)net_cursor_rest(cursor, rest, WRITE_PARTS_MAX, SIZE_MAX);
        ssize_t sent = net_sys_sendmsg(net_fd(conn, fd), &message, flags);
        if (sent < 0)
            return done > 0 ? (ssize_t)done : -1;
        net_cursor_skip(cursor, (size_t)sent);
        done += (size_t)sent;
        /* A call that blocks takes all; one that does not says when there is no room. */
        if (sent == 0 || cursor->left == 0)
            return (ssize_t)done;
    }
}

ssize_t cor_conn_write(cor_conn *conn, int fd, const struct iovec *parts, int count, int flags)
{
    net_cursor cursor;
    net_limit limit = {0};
    size_t done = 0;
    ssize_t sent;
    if (COR_UNLIKELY(net_is_young(conn)) && net_young_call(conn, fd, parts, count, flags, 1, &sent))
        return sent;
    net_cursor_init(&cursor, parts, count);
    for (;;) {
        if (COR_UNLIKELY(!net_progress(conn, fd)))
            return write_plain(conn, fd, &cursor, done, flags);
        if (cursor.left == 0)
            return (ssize_t)done;
        if (net_load(&conn->local->out_phase) == NET_RING && net_ring_used(conn, conn->out) > 0)
            write_look(conn, fd);
        sent = write_some(conn, fd, &cursor, flags);
        if (sent >= 0) {
            done += (size_t)sent;
            if (COR_LIKELY(cursor.left == 0))
                return (ssize_t)done;
        } else if (errno != EAGAIN || write_wait(conn, fd, flags, &limit) < 0) {
            if (done > 0 && errno == ECONNRESET) /* the next call tells */
                atomic_store_explicit(&conn->local->in_error, errno, memory_order_relaxed);
            return done > 0 ? (ssize_t)done : write_fail(flags);
        }
    }
}

size_t cor_conn_room(cor_conn *conn)
{
    if (net_load(&conn->local->out_phase) != NET_RING)
        return SIZE_MAX;
    return net_ring_used(conn, conn->out) < 0 ? SIZE_MAX : net_ring_room(conn, conn->out);
}
