/* SPDX-License-Identifier: Apache-2.0 */
/* Bells: bytes on TCP that are no data, while the ring carries those. */
#define _GNU_SOURCE
#include "net/net_ring.h"

#include <string.h>

/* No room on TCP for a byte: there are bells enough. */
void net_bell(cor_conn *conn, int fd)
{
    const char bell = NET_BELL;
    int saved = errno;
    net_sys_send(fd, &bell, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    errno = saved;
    NET_COUNT(conn, bells, 1);
}

/* ---- one thread takes them -------------------------------------------------------------------------------------- */

/* A thread that has died, or that a signal's handler took out of recv by a jump, takes no bell any more. */
static int bell_is_left(uint32_t taker, uint32_t self)
{
    return taker == self || net_who_is_gone(taker, self);
}

int net_is_taken(cor_conn *conn)
{
    uint32_t taker = net_load(&conn->local->taker);
    return taker != 0 && !bell_is_left(taker, net_self_thread(conn));
}

int net_sleep_begin(cor_conn *conn)
{
    _Atomic uint32_t *taker = &conn->local->taker;
    uint32_t self = net_self_thread(conn), found = 0;
    return atomic_compare_exchange_strong(taker, &found, self) ||
           (bell_is_left(found, self) && atomic_compare_exchange_strong(taker, &found, self));
}

int net_take_begin(cor_conn *conn)
{
    if (!net_sleep_begin(conn))
        return 0;
    /* Another thread may have taken the mark since the caller looked. */
    if (net_load(&conn->local->in_phase) == NET_RING && !net_load(&conn->local->is_marked))
        return 1;
    net_take_end(conn);
    return 0;
}

void net_take_end(cor_conn *conn)
{
    net_store(&conn->local->taker, 0);
}

/* ---- taking ----------------------------------------------------------------------------------------------------- */

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
}

/* All that is there, or up to the mark. */
static void bell_take_all(cor_conn *conn, int fd, int has_ended)
{
    char bytes[NET_STASH_MAX];
    ssize_t got = 1;
    while (got > 0 && !net_load(&conn->local->is_marked) && !net_load(&conn->local->in_end)) {
        got = net_sys_recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
        if (got > 0)
            net_got_bytes(conn, bytes, (size_t)got);
        else if (got == 0 || (errno != EAGAIN && errno != EINTR))
            net_note_end(conn, got == 0 ? 0 : errno);
        /* An end comes after the last bell. */
        if (got < (ssize_t)sizeof bytes && !has_ended)
            break;
    }
}

void cor_conn_take_bells(cor_conn *conn, int fd, int has_ended)
{
    net_local *local = conn->local;
    int saved = errno;
    if (!net_progress(conn, fd))
        return;
    net_lock_acquire(&local->in_lock, conn->net->pid);
    if (!net_load(&local->in_end) && net_take_begin(conn)) {
        bell_take_all(conn, fd, has_ended);
        net_take_end(conn);
    }
    net_lock_release(&local->in_lock);
    errno = saved;
}
