/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that sleep on a set while another works in it: in a wait of the same set, in that of an outer set, which has
 * it as a member, or in poll.
 *
 * What comes to the kernel wakes them. But the thread at work may take an event of the kernel that they were woken by
 * before they run, and one that leaves has looked after the bells for them. So it makes an event for what they have not
 * seen, when it goes.
 *
 * Time. Of some things no bell tells, as of room where the peer has ended its half: a sleeper looks again after some
 * milliseconds. One that has fallen asleep before there was such a thing does not, and is counted (`untimed`) in the
 * set and in all that are in it. As long as there is one, a thread that leaves, or that puts the set into an outer one,
 * makes an event for the thing, so that the sleeper wakes and counts the time from then on.
 * tests/unit/net_sets_model_test.c walks through all interleavings of this.
 */
#define _GNU_SOURCE
#include "net/preload/sock_epoll.h"

enum { OTHERS_TICK_MS = 5 };

int sock_epoll_next_set(sock_epoll *set, int fd, int *is_off_p)
{
    if (COR_LIKELY(atomic_load_explicit(&set->set_count, memory_order_relaxed) == 0))
        return -1;
    sock_epoll_acquire(&set->lock);
    while (fd < set->room && (!set->members[fd] || !set->members[fd]->is_set))
        fd++;
    int is_over = fd >= set->room;
    if (!is_over && is_off_p)
        *is_off_p = set->members[fd]->is_off;
    sock_epoll_release(&set->lock);
    return is_over ? -1 : fd;
}

/* ---- sleeping ---------------------------------------------------------------------------------------------------- */

int sock_epoll_rely(sock_epoll_sleeper *me, sock_epoll *set)
{
    if (me->count == SOCK_EPOLL_RELIES)
        return OTHERS_TICK_MS;
    me->sets[me->count++] = set;
    atomic_fetch_add(&set->untimed, 1);
    int limit_ms = -1;
    for (int fd = 0; limit_ms < 0 && (fd = sock_epoll_next_set(set, fd, NULL)) >= 0; fd++) {
        sock_epoll *inner = sock_epoll_find(fd);
        if (inner)
            limit_ms = sock_epoll_rely(me, inner);
    }
    return limit_ms;
}

void sock_epoll_rely_no_more(sock_epoll_sleeper *me)
{
    while (me->count > 0)
        atomic_fetch_sub(&me->sets[--me->count]->untimed, 1);
}

/* ---- leaving ----------------------------------------------------------------------------------------------------- */

/* What another thread that relies on the set must be woken by. An edge, or a one-shot, was the report's; what else was
 * reported is still ready for a thread that sleeps on the descriptor. */
static int others_have_news(const sock_epoll *set, const sock_epoll_member *member)
{
    return sock_epoll_has_new_bytes(member) || (atomic_load(&set->is_watched) && !(member->events & EPOLLET));
}

/* What others have not seen is there, or only time will tell of it, and there are such as do not count it. */
static int others_must_wake(const sock_epoll *set, sock_epoll_member *member, int has_untimed)
{
    int tick = -1;
    sock_epoll_arm(member, 1);
    if (member->is_off)
        return 0;
    int is_quiet = cor_conn_arm(member->conn, sock_epoll_wanted(member), &tick);
    return (!is_quiet && others_have_news(set, member)) || (tick >= 0 && has_untimed);
}

/* Bells for all of its members, and an event of the kernel for what others must learn. has_untimed: also those that
 * sleep in a set which has just got this one. */
static void others_tell(sock_epoll *set, int has_untimed)
{
    has_untimed |= atomic_load(&set->untimed) > 0;
    sock_epoll_acquire(&set->lock);
    for (int i = 0; i < set->hot_count; i++) {
        int fd = set->hot[i]->fd;
        struct epoll_event event = sock_epoll_tagged(fd); /* the socket is writable: that makes an event */
        if (others_must_wake(set, set->hot[i], has_untimed))
            sock_real()->epoll_ctl(set->fd, EPOLL_CTL_MOD, fd, &event);
    }
    sock_epoll_release(&set->lock);
    for (int fd = 0; has_untimed && (fd = sock_epoll_next_set(set, fd, NULL)) >= 0; fd++) {
        sock_epoll *inner = sock_epoll_find(fd);
        if (inner)
            others_tell(inner, 1);
    }
}

void sock_epoll_pass_on(sock_epoll *set)
{
    if (sock_epoll_is_relied_on(set))
        others_tell(set, 0);
}

void sock_epoll_watch(int fd, const sock_epoll *outer)
{
    sock_epoll *set = sock_epoll_find(fd);
    if (!set)
        return;
    atomic_store(&set->is_watched, 1);
    others_tell(set, atomic_load(&outer->untimed) > 0);
}
