/* SPDX-License-Identifier: Apache-2.0 */
/* Bells: bytes on TCP that are no data, while the ring carries those; and the threads that sleep until one comes. */
#define _GNU_SOURCE
#include "net/net_ring.h"

#include <string.h>

enum { BELL_TICK_MS = 1 }; /* a thread that cannot hear bells looks again after that */

/* No room on TCP for a byte: there are bells enough. */
void net_bell(cor_conn *conn, int fd)
{
    const char bell = NET_BELL;
    int saved = errno;
    net_sys_send(net_fd(conn, fd), &bell, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    errno = saved;
    NET_COUNT(conn, bells, 1);
}

static void bell_lock(cor_conn *conn)
{
    net_lock_acquire(&conn->local->bell_lock, conn->net->pid);
}

static void bell_unlock(cor_conn *conn)
{
    net_lock_release(&conn->local->bell_lock);
}

/* ---- who sleeps, under the lock --------------------------------------------------------------------------------- */

/* The place of a thread; 0: a free one. */
static net_sleeper *bell_find(cor_conn *conn, uint32_t thread)
{
    for (int i = 0; i < NET_SLEEPERS; i++)
        if (conn->local->sleepers[i].thread == thread)
            return &conn->local->sleepers[i];
    return NULL;
}

/* No thread sleeps but perhaps this one, which does not if it comes here: a signal's handler took it out by a jump. */
static int bell_is_alone(cor_conn *conn)
{
    uint32_t self = 0;
    for (int i = 0; i < NET_SLEEPERS; i++) {
        uint32_t thread = conn->local->sleepers[i].thread;
        if (thread && self == 0)
            self = net_self_thread(conn);
        if (thread && thread != self)
            return 0;
    }
    return 1;
}

static void bell_forget_dead(cor_conn *conn)
{
    for (int i = 0; i < NET_SLEEPERS; i++) {
        net_sleeper *one = &conn->local->sleepers[i];
        if (one->thread && net_is_gone(one->thread, conn->net->pid))
            *one = (net_sleeper){0};
    }
}

/* Bytes need no bell any more, unless a sleeper relies on one. */
static void bell_disarm(cor_conn *conn)
{
    net_local *local = conn->local;
    if (net_is_young(conn) ||
        !(atomic_load_explicit(&conn->in->reader_armed, memory_order_relaxed) & NET_ARMED_BELL) || local->watchers > 0)
        return;
    for (int i = 0; i < NET_SLEEPERS; i++)
        if (local->sleepers[i].thread && local->sleepers[i].is_reader)
            return;
    /* relaxed: the next sleeper arms under this lock, or after it, and looks at the ring then. */
    atomic_fetch_and_explicit(&conn->in->reader_armed, ~(uint32_t)NET_ARMED_BELL, memory_order_relaxed);
}

/* ---- taking, under the lock ------------------------------------------------------------------------------------- */

void net_got_bytes(cor_conn *conn, const char *bytes, size_t count)
{
    net_local *local = conn->local;
    const char *mark = memchr(bytes, NET_MARK, count);
    if (!mark)
        return;
    local->stash_at = 0;
    local->stash_end = (uint32_t)(bytes + count - (mark + 1));
    memcpy(local->stash, mark + 1, local->stash_end);
    net_store(&local->is_marked, 1);
    net_futex_wake(conn, conn->in);
}

static int bell_can_come(const cor_conn *conn)
{
    const net_local *local = conn->local;
    return net_load(&local->in_phase) == NET_RING && !net_load(&local->is_marked) && !net_load(&local->in_end);
}

/* At most so many bytes. */
static void bell_take_some(cor_conn *conn, int fd, size_t most, int has_ended)
{
    char bytes[NET_STASH_MAX];
    while (most > 0 && bell_can_come(conn)) {
        size_t wanted = most < sizeof bytes ? most : sizeof bytes;
        ssize_t got = net_sys_recv(net_fd(conn, fd), bytes, wanted, MSG_DONTWAIT);
        if (got > 0)
            net_got_bytes(conn, bytes, (size_t)got);
        else if (got == 0 || (errno != EAGAIN && errno != EINTR))
            net_note_end(conn, got == 0 ? 0 : errno);
        most -= got > 0 ? (size_t)got : 0;
        /* An end comes after the last bell. */
        if (got < (ssize_t)wanted && (got < 0 || !has_ended))
            break;
    }
}

/* Others sleep, who are woken while one bell is left. It is taken by the last of them. */
static void bell_leave_one(cor_conn *conn, int fd)
{
    int count = 0;
    if (net_sys_ioctl(net_fd(conn, fd), FIONREAD, &count) == 0 && count > 1)
        bell_take_some(conn, fd, (size_t)count - 1, 0);
}

int net_take(cor_conn *conn, int fd, size_t most, int has_ended)
{
    net_local *local = conn->local;
    bell_lock(conn);
    if (local->is_rung && !bell_is_alone(conn))
        bell_forget_dead(conn);
    /* A thread that sleeps until a byte comes is woken by the end, too, and that stays. */
    int is_taken = has_ended || bell_is_alone(conn);
    if (is_taken) {
        bell_take_some(conn, fd, most, has_ended);
        local->is_rung = most == 1 && local->is_rung;
    } else if (bell_can_come(conn)) {
        if (local->is_rung)
            bell_leave_one(conn, fd);
        local->is_rung = 1;
    }
    bell_unlock(conn);
    return is_taken;
}

short net_kernel_ready(cor_conn *conn, int fd, short events)
{
    bell_lock(conn);
    short found = net_sys_ready(net_fd(conn, fd), events);
    bell_unlock(conn);
    return found;
}

void cor_conn_take_bells(cor_conn *conn, int fd, int has_ended)
{
    int saved = errno;
    if (net_progress(conn, fd))
        net_take(conn, fd, SIZE_MAX, has_ended);
    errno = saved;
}

/* ---- sleeping --------------------------------------------------------------------------------------------------- */

/* To be counted among the sleepers; 0: bells that woke another are still there, or no place is. */
static int bell_enter(cor_conn *conn, int fd, int is_reader)
{
    net_local *local = conn->local;
    uint32_t self = net_self_thread(conn);
    int saved = errno;
    bell_lock(conn);
    if (local->is_rung && !bell_is_alone(conn))
        bell_forget_dead(conn);
    int is_deaf = local->is_rung && !bell_is_alone(conn);
    if (local->is_rung && !is_deaf) {
        bell_take_some(conn, fd, SIZE_MAX, 0);
        local->is_rung = 0;
    }
    net_sleeper *place = bell_find(conn, self);
    place = place ? place : bell_find(conn, 0);
    if (place && !is_deaf)
        *place = (net_sleeper){self, (uint32_t)is_reader};
    bell_unlock(conn);
    errno = saved;
    return place && !is_deaf;
}

int cor_conn_sleep_begin(cor_conn *conn, struct pollfd *one, int *limit_ms_p)
{
    const net_local *local = conn->local;
    unsigned wanted = (unsigned)one->events & (POLLIN | POLLOUT);
    one->events = cor_conn_kernel_events(conn, one->events);
    one->fd = net_fd(conn, one->fd);
    if (net_load(&local->is_plain) || !(one->events & POLLIN) || net_load(&local->in_phase) == NET_AFTER ||
        net_load(&local->is_marked) || net_load(&local->in_end))
        return cor_conn_arm(conn, wanted, limit_ms_p);
    if (bell_enter(conn, one->fd, (wanted & POLLIN) != 0))
        return cor_conn_arm(conn, wanted, limit_ms_p);
    one->events = (short)(one->events & ~(POLLIN | POLLRDNORM));
    if (limit_ms_p && (*limit_ms_p < 0 || *limit_ms_p > BELL_TICK_MS))
        *limit_ms_p = BELL_TICK_MS;
    return !net_has_news(conn, wanted);
}

/* is_rung: a bell, which stays for now. */
static void bell_leave(cor_conn *conn, int is_rung)
{
    net_sleeper *place = NULL;
    uint32_t self = net_self_thread(conn);
    bell_lock(conn);
    place = bell_find(conn, self);
    if (place)
        *place = (net_sleeper){0};
    bell_disarm(conn);
    if (is_rung && bell_can_come(conn))
        conn->local->is_rung = 1;
    bell_unlock(conn);
}

void net_sleep_end(cor_conn *conn, int is_rung)
{
    int saved = errno;
    bell_leave(conn, is_rung);
    errno = saved;
}

void cor_conn_sleep_end(cor_conn *conn, int fd, short found)
{
    int saved = errno;
    bell_leave(conn, 0);
    if (found & (POLLIN | POLLRDHUP | POLLHUP | POLLERR))
        cor_conn_take_bells(conn, fd, found & (POLLRDHUP | POLLHUP | POLLERR));
    errno = saved;
}

void net_watch_twice(cor_conn *conn)
{
    bell_lock(conn);
    conn->local->watchers += conn->watches;
    conn->forked_watches = conn->watches;
    bell_unlock(conn);
}

void net_watch_once(cor_conn *conn)
{
    bell_lock(conn);
    conn->local->watchers -= conn->forked_watches;
    bell_unlock(conn);
}

void cor_conn_watch(cor_conn *conn, int is_on)
{
    net_local *local = conn->local;
    bell_lock(conn);
    if (is_on) {
        conn->watches++;
        local->watchers++;
    } else {
        conn->watches--;
        local->watchers--;
        bell_disarm(conn);
    }
    bell_unlock(conn);
}
