/* SPDX-License-Identifier: Apache-2.0 */
/* Ends of this side's making: shutdown, and close, beside which calls of other threads may go on. */
#define _GNU_SOURCE
#include "base/futex.h"
#include "net/net_state.h"

#include <limits.h>
#include <sys/stat.h>

/* The end comes after the backlog. Under out_lock. */
static int closing_put_off(cor_conn *conn, int how)
{
    if (how == SHUT_RD || !net_has_backlog(conn))
        return 0;
    conn->local->is_fin_due = 1;
    return 1;
}

int cor_conn_shutdown(cor_conn *conn, int fd, int how)
{
    net_local *local = conn->local;
    if (cor_conn_keep_young(conn) || !net_progress(conn, fd))
        return net_sys_shutdown(fd, how);
    net_lock_acquire(&local->out_lock, conn->net->pid);
    if (how == SHUT_RD || how == SHUT_RDWR)
        net_store(&local->in_shut, 1);
    if (how == SHUT_WR || how == SHUT_RDWR)
        net_store(&local->out_shut, 1);
    /* The peer tells a FIN of one half from one of a process that will not read either, whatever is unread here. */
    if (net_load(&local->out_shut))
        net_store(&conn->out->is_shut, net_load(&local->in_shut) ? NET_SHUT_CLOSED : NET_SHUT_HALF);
    int is_later = closing_put_off(conn, how);
    net_lock_release(&local->out_lock);
    net_futex_wake(conn, conn->in);
    net_futex_wake(conn, conn->out);
    if (is_later && how == SHUT_WR)
        return 0;
    return net_sys_shutdown(fd, is_later ? SHUT_RD : how);
}

void cor_conn_finish(cor_conn *conn, int fd)
{
    net_local *local = conn->local;
    int saved = errno, is_later = 0;
    if (!cor_conn_keep_young(conn) && net_progress(conn, fd)) {
        net_lock_acquire(&local->out_lock, conn->net->pid);
        net_store(&conn->out->is_shut, NET_SHUT_CLOSED);
        net_store(&local->out_shut, 1);
        is_later = closing_put_off(conn, SHUT_WR);
        net_lock_release(&local->out_lock);
        net_futex_wake(conn, conn->out);
        atomic_fetch_add(&conn->out->space, 1);
        cor_futex_wake(&conn->out->space, INT_MAX);
    }
    if (!is_later)
        net_sys_shutdown(fd, SHUT_WR);
    errno = saved;
}

/* A thread that has read the number under a lock has done with it when the lock is free. */
static void closing_pass(cor_conn *conn, net_lock *lock)
{
    net_lock_acquire(lock, conn->net->pid);
    net_lock_release(lock);
}

/* This process has one thread, as far as /proc tells: no call goes on beside this one. What looks like one was left by
 * a jump out of a signal's handler, or is the call that a handler has interrupted to close its descriptor. */
static int closing_is_alone(void)
{
    struct stat facts;
    return stat("/proc/self/task", &facts) == 0 && facts.st_nlink == 2 + 1;
}

/* References of calls, this one's too. seq_cst: the caller has taken the connection from its table, then looks at the
 * references; a call takes a reference, then looks at the table again. One of them sees the other. */
static int closing_calls(const cor_conn *conn)
{
    int refs, held;
    do {
        held = atomic_load(&conn->held);
        refs = atomic_load(&conn->refs);
    } while (held != atomic_load(&conn->held));
    return refs - held;
}

int cor_conn_is_busy(cor_conn *conn)
{
    return closing_calls(conn) > 1;
}

/* Calls of other threads are inside, perhaps with this descriptor: they get a copy of it. */
static void closing_keep(cor_conn *conn, int fd)
{
    net_local *local = conn->local;
    if (!cor_conn_is_busy(conn) || atomic_load_explicit(&conn->kept_fd, memory_order_relaxed) != NET_OWN_FD)
        return;
    int is_alone = closing_is_alone();
    if (is_alone && atomic_load_explicit(&conn->held, memory_order_relaxed) > 0) /* another descriptor goes on */
        return;
    int copy = is_alone ? -1 : net_sys_fcntl(fd, F_DUPFD_CLOEXEC, cor_net_own_base());
    int expected = NET_OWN_FD;
    if (copy >= 0)
        atomic_fetch_add_explicit(&conn->net->kept, 1, memory_order_relaxed);
    if (!atomic_compare_exchange_strong(&conn->kept_fd, &expected, copy < 0 ? NET_NO_FD : copy) && copy >= 0) {
        atomic_fetch_sub_explicit(&conn->net->kept, 1, memory_order_relaxed);
        net_sys_close(copy);
    }
    closing_pass(conn, &local->in_lock);
    closing_pass(conn, &local->out_lock);
    closing_pass(conn, &local->bell_lock);
}

void net_ends(cor_conn *conn)
{
    if (net_load(&conn->local->out_phase) != NET_RING || net_load(&conn->local->users) != 1)
        return;
    net_store(&conn->out->is_ending, 1);
    net_futex_wake(conn, conn->out);
}

void cor_conn_closing(cor_conn *conn, int fd, int is_abort)
{
    net_local *local = conn->local;
    int saved = errno;
    net_young_settle(conn);
    if (!net_is_young(conn)) /* else the kernel's calls know the socket */
        closing_keep(conn, fd);
    if (!is_abort && !net_is_young(conn) && atomic_load_explicit(&conn->refs, memory_order_relaxed) == 1)
        net_back_flush(conn, fd, NET_BACK_CLOSE_MS, 1);
    errno = saved;
    if (net_load(&local->is_plain) || net_load(&local->out_phase) != NET_RING)
        return;
    if (is_abort)
        net_store(&conn->out->is_reset, 1);
    if (atomic_load_explicit(&conn->held, memory_order_relaxed) == 0)
        net_ends(conn);
    if (is_abort)
        return;
    /* Bells left unread would make the kernel reset the connection, and destroy bytes that still go by TCP. A bell may
     * be for another process or thread, where there is one. */
    if (net_load(&local->users) == 1 && atomic_load_explicit(&conn->refs, memory_order_relaxed) == 1)
        cor_conn_take_bells(conn, fd, 0);
}
