/* SPDX-License-Identifier: Apache-2.0 */
/*
 * epoll: the rings cannot be in the kernel's sets, but the descriptors are. See sock_epoll.c for the idea; here is what it
 * shares with the waits (sock_epoll_wait.c).
 *
 * A set and its members are used under the set's lock.
 */
#ifndef COR_NET_SOCK_EPOLL_H
#define COR_NET_SOCK_EPOLL_H

#include "base/lock.h"
#include "net/preload/sock.h"

#include <stdatomic.h>

/* The upper half of the data of a fast member: no pointer, and no small number. */
#define SOCK_EPOLL_TAG 0xc0c5a5e7ull

typedef struct sock_epoll_member {
    int fd;
    uint32_t events;
    epoll_data_t data;
    cor_conn *conn; /* NULL: plain; with a reference */
    int hot_at;     /* place among the hot; -1: cold */
    int is_off;     /* a one-shot that was reported */
    int has_edge;   /* the kernel reported it since */
    int is_armed;
    int quiet_sleeps; /* since it was last reported */
    int in_told, out_told;
    uint64_t arrivals; /* when it was last reported */
    uint32_t refusals;
} sock_epoll_member;

typedef struct sock_epoll {
    struct sock_epoll *next; /* of all; never freed */
    cor_lock lock;
    int fd;                      /* -1: closed, for use by another */
    sock_epoll_member **members; /* by descriptor */
    int room;
    sock_epoll_member **hot;
    int hot_count, hot_room, hot_from;
    int fast_count;
    unsigned rounds;
    _Atomic int sleepers;
} sock_epoll;

/* The set of an epoll descriptor; NULL: nothing was put into it yet. */
sock_epoll *sock_epoll_find(int fd);
/* NULL: no memory, or the descriptor is too large a number. */
sock_epoll *sock_epoll_find_or_make(int fd);

/* NULL: it is not in the set. */
sock_epoll_member *sock_epoll_member_find(const sock_epoll *set, int fd);
/* A fast member has become busy, or has been quiet for long. */
void sock_epoll_heat(sock_epoll *set, sock_epoll_member *member);
void sock_epoll_cool(sock_epoll *set, sock_epoll_member *member);
/* It relies on bells from now on, or no longer. */
void sock_epoll_arm(sock_epoll_member *member, int is_armed);
/* Its connection goes by TCP from here on: the kernel reports it. */
void sock_epoll_downgrade_member(sock_epoll *set, sock_epoll_member *member);
/* How the kernel has a fast member. */
struct epoll_event sock_epoll_tagged(int fd);

#endif
