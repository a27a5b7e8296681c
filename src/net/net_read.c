/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "base/futex.h"
#include "net/net_ring.h"

#include <limits.h>
#include <string.h>

enum {
    READ_PARTS_MAX = 16,
    READ_CHUNK = 64 << 10, /* makes room for the writer so often */
};

/* ---- from the ring ---------------------------------------------------------------------------------------------- */

void net_room_made(cor_conn *conn, int fd)
{
    net_dir *in = conn->in;
    /* The new head before the look at the writer: a writer that sleeps set `armed`, then looked at the head. */
    atomic_thread_fence(memory_order_seq_cst);
    if (COR_LIKELY(atomic_load_explicit(&in->writer_armed, memory_order_relaxed) == 0))
        return;
    if (!net_ring_has_room(conn, in))
        return;
    uint32_t armed = atomic_exchange(&in->writer_armed, 0);
    if (armed & NET_ARMED_FUTEX) {
        atomic_fetch_add(&in->space, 1);
        cor_futex_wake(&in->space, INT_MAX);
    }
    if (armed & NET_ARMED_BELL) {
        net_lock_acquire(&conn->local->out_lock, conn->net->pid);
        if (net_load(&conn->local->out_phase) == NET_RING)
            net_bell(conn, fd);
        net_lock_release(&conn->local->out_lock);
    }
}

/* Copy from a position of the ring to the caller's parts; returns how much. */
static size_t read_copy(cor_conn *conn, uint64_t head, size_t used, net_cursor *cursor, int is_discarded)
{
    size_t done = 0;
    while (done < used) {
        size_t most, length;
        const char *bytes = net_ring_piece(conn, conn->in, head + done, used - done, &most);
        if (COR_UNLIKELY(!bytes)) {
            if (!net_far_is_unmapped(conn))
                net_broken(conn);
            break;
        }
        char *piece = net_cursor_piece(cursor, most, &length);
        if (length == 0)
            break;
        if (!is_discarded)
            cor_copy(piece, bytes, length);
        net_cursor_advance(cursor, length);
        done += length;
    }
    return done;
}

/* 0, or the error that is to be told once. */
static ssize_t read_end(net_local *local, int flags)
{
    int error = flags & MSG_PEEK ? atomic_load_explicit(&local->in_error, memory_order_relaxed)
                                 : atomic_exchange_explicit(&local->in_error, 0, memory_order_relaxed);
    if (error == 0)
        return 0;
    errno = error;
    return -1;
}

/* Under in_lock. Bytes, 0 for the end, -1 with errno. */
static ssize_t read_ring(cor_conn *conn, net_cursor *cursor, int flags)
{
    net_local *local = conn->local;
    uint64_t head = atomic_load_explicit(&conn->in->head, memory_order_relaxed);
    int64_t used = net_ring_used(conn, conn->in);
    if (COR_UNLIKELY(used < 0)) {
        net_broken(conn);
        used = 0;
    }
    if (used == 0) {
        if (!net_load(&local->in_end)) {
            errno = EAGAIN;
            return -1;
        }
        /* The peer may have written between our look at the ring and its end. */
        if (!atomic_load_explicit(&local->in_error, memory_order_relaxed))
            used = net_ring_used(conn, conn->in);
        if (used <= 0)
            return read_end(local, flags);
    }
    if (!(flags & MSG_PEEK) && used > READ_CHUNK)
        used = READ_CHUNK;
    size_t done = read_copy(conn, head, (size_t)used, cursor, flags & MSG_TRUNC);
    if (COR_UNLIKELY(done == 0 && net_far_is_unmapped(conn))) {
        errno = ENOMEM; /* as the kernel says it; the bytes stay */
        return -1;
    }
    if (COR_UNLIKELY(done == 0)) {
        errno = atomic_exchange_explicit(&local->in_error, 0, memory_order_relaxed);
        return -1;
    }
    if (!(flags & MSG_PEEK)) {
        /* release: the bytes have been copied before the writer may overwrite them. */
        atomic_store_explicit(&conn->in->head, head + done, memory_order_release);
        NET_COUNT(conn, ring_in, done);
    }
    return (ssize_t)done;
}

/* ---- from TCP --------------------------------------------------------------------------------------------------- */

static ssize_t read_kernel(int fd, net_cursor *cursor, size_t most, int flags)
{
    struct iovec rest[READ_PARTS_MAX];
    struct msghdr message = {.msg_iov = rest};
    message.msg_iovlen = (size_t)net_cursor_rest(cursor, rest, READ_PARTS_MAX, most);
    return net_sys_recvmsg(fd, &message, (flags & (MSG_PEEK | MSG_TRUNC)) | MSG_DONTWAIT);
}

/* Before the switch, under in_lock. What comes after the bytes that the peer has counted are bells, and then perhaps
 * the mark and what follows it: nothing of that is taken here. */
static ssize_t read_before(cor_conn *conn, int fd, net_cursor *cursor, int flags)
{
    net_local *local = conn->local;
    uint64_t taken = atomic_load_explicit(&local->tcp_taken, memory_order_relaxed);
    size_t most = SIZE_MAX;
    int is_counted = (int)net_load(&conn->in->switched);
    if (is_counted) {
        most = atomic_load_explicit(&conn->in->tcp_bytes, memory_order_relaxed) - taken;
        if (most == 0 || most > SIZE_MAX / 2) {
            net_begin_input(conn, fd);
            return read_ring(conn, cursor, flags);
        }
    }
    if (net_take_error(conn))
        return -1;
    ssize_t got = read_kernel(net_fd(conn, fd), cursor, most, is_counted ? flags : flags | MSG_PEEK);
    if (!is_counted) {
        if (net_load(&conn->in->switched))
            return read_before(conn, fd, cursor, flags);
        /* All that was seen was sent before the switch. */
        if (got > 0 && !(flags & MSG_PEEK))
            got = read_kernel(net_fd(conn, fd), cursor, (size_t)got, flags);
    }
    int error = errno;
    if (got > 0 && !(flags & MSG_PEEK)) {
        cor_conn_count(conn, got, 0);
        net_cursor_skip(cursor, (size_t)got);
    }
    if (got > 0 && !is_counted)
        net_young_give_up_late(conn);
    errno = error;
    return got;
}

static ssize_t read_after(cor_conn *conn, int fd, net_cursor *cursor, int flags)
{
    net_local *local = conn->local;
    ssize_t done = 0;
    while (local->stash_at + (uint32_t)done < local->stash_end) {
        size_t length;
        char *piece = net_cursor_piece(cursor, local->stash_end - local->stash_at - (size_t)done, &length);
        if (length == 0)
            break;
        memcpy(piece, local->stash + local->stash_at + done, length);
        net_cursor_advance(cursor, length);
        done += (ssize_t)length;
    }
    if (done > 0) {
        if (!(flags & MSG_PEEK))
            local->stash_at += (uint32_t)done;
        return done;
    }
    done = read_kernel(net_fd(conn, fd), cursor, SIZE_MAX, flags);
    if (done > 0 && !(flags & MSG_PEEK)) {
        net_cursor_skip(cursor, (size_t)done);
        NET_COUNT(conn, tcp_in, (uint64_t)done);
    }
    return done;
}

static ssize_t read_some(cor_conn *conn, int fd, net_cursor *cursor, int flags)
{
    net_local *local = conn->local;
    net_lock_acquire(&local->in_lock, conn->net->pid);
    uint32_t phase = net_load(&local->in_phase);
    ssize_t got = COR_LIKELY(phase == NET_RING) ? read_ring(conn, cursor, flags)
                  : phase == NET_BEFORE         ? read_before(conn, fd, cursor, flags)
                                                : read_after(conn, fd, cursor, flags);
    net_lock_release(&local->in_lock);
    return got;
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

static void read_tell_cpu(cor_conn *conn)
{
    int cpu = cor_cpu_current();
    if (COR_UNLIKELY(atomic_load_explicit(&conn->in->reader_cpu, memory_order_relaxed) != cpu))
        atomic_store_explicit(&conn->in->reader_cpu, cpu, memory_order_relaxed);
}

/* The connection is plain; `done` bytes came before it was, and then the others need not be waited for. */
static ssize_t read_plain(int fd, net_cursor *cursor, size_t done, int flags)
{
    struct iovec rest[READ_PARTS_MAX];
    struct msghdr message = {.msg_iov = rest};
    if (done > 0 && cursor->left == 0)
        return (ssize_t)done;
    if (done > 0 && !(flags & MSG_WAITALL))
        flags |= MSG_DONTWAIT;
    message.msg_iovlen = (size_t)net_cursor_rest(cursor, rest, READ_PARTS_MAX, SIZE_MAX);
    ssize_t got = net_sys_recvmsg(fd, &message, flags);
    return done > 0 ? (ssize_t)done + (got > 0 ? got : 0) : got;
}

ssize_t cor_conn_read(cor_conn *conn, int fd, const struct iovec *parts, int count, int flags)
{
    net_cursor cursor;
    net_limit limit = {0};
    size_t done = 0;
    ssize_t got;
    net_cursor_init(&cursor, parts, count);
    if (cursor.left == 0)
        return 0;
    if (COR_UNLIKELY(net_is_young(conn)) && net_young_call(conn, fd, parts, count, flags, 0, &got))
        return got;
    for (;;) {
        if (COR_UNLIKELY(!net_progress(conn, fd)))
            return read_plain(net_fd(conn, fd), &cursor, done, flags);
        got = read_some(conn, fd, &cursor, flags);
        if (got > 0) {
            done += (size_t)got;
            if (!(flags & MSG_PEEK)) {
                if (net_load(&conn->local->in_phase) == NET_RING)
                    net_room_made(conn, fd);
                /* More is there already, in the ring or behind the mark: fill the caller's buffer, without waiting. A
                 * program that waits for edges takes a short read for all that there is. */
                if (cursor.left > 0 && (net_ring_has_bytes(conn) || net_load(&conn->local->is_marked)))
                    continue;
            }
            if (cursor.left == 0 || !(flags & MSG_WAITALL) || (flags & MSG_PEEK)) {
                read_tell_cpu(conn);
                return (ssize_t)done;
            }
            continue;
        }
        if (got == 0)
            return (ssize_t)done;
        if (errno != EAGAIN)
            return done > 0 ? (ssize_t)done : -1;
        if (done > 0 && !(flags & MSG_WAITALL))
            return (ssize_t)done;
        if (net_read_wait(conn, fd, flags, &limit) < 0)
            return done > 0 ? (ssize_t)done : -1;
    }
}

int cor_conn_available(cor_conn *conn, int fd)
{
    net_local *local = conn->local;
    int waiting = 0;
    if (net_progress(conn, fd) && net_load(&local->in_phase) == NET_RING) {
        int64_t used = net_ring_used(conn, conn->in);
        return used <= 0 ? 0 : used < INT_MAX ? (int)used : INT_MAX;
    }
    if (net_sys_ioctl(fd, FIONREAD, &waiting) != 0)
        return -1;
    if (net_load(&local->is_plain) || net_is_young(conn))
        return waiting;
    if (net_load(&local->in_phase) == NET_AFTER)
        return waiting + (int)(local->stash_end - local->stash_at);
    if (net_load(&conn->in->switched)) {
        uint64_t left = atomic_load_explicit(&conn->in->tcp_bytes, memory_order_relaxed) -
                        atomic_load_explicit(&local->tcp_taken, memory_order_relaxed);
        return (uint64_t)waiting < left ? waiting : (int)left;
    }
    return waiting;
}
