/* SPDX-License-Identifier: Apache-2.0 */
/*
 * epoll: the rings cannot be in the kernel's sets, but the descriptors are. See sock_epoll.c for the idea; here is what
 * it shares with the waits (sock_epoll_wait.c).
 *
 * A set and its members are used under the set's lock.
 */
#ifndef COR_NET_SOCK_EPOLL_H
#define COR_NET_SOCK_EPOLL_H

#include "base/lock.h"
#include "net/preload/sock.h"

#include <stdatomic.h>

/* A lock of which a thread knows that it has it, or is about to: a signal's handler that closes a descriptor must not
 * wait for what it has interrupted. */
typedef struct sock_epoll_lock {
    cor_lock lock;
} sock_epoll_lock;

/* Those of this thread: of the process, then of a set. A fork takes all. */
typedef struct sock_epoll_locks {
    const sock_epoll_lock *of[2];
    int count;
} sock_epoll_locks;

/* initial-exec: the library is loaded with the program, and a handler must not allocate. */
extern _Thread_local sock_epoll_locks sock_epoll_mine __attribute__((visibility("hidden"), tls_model("initial-exec")));

static inline void sock_epoll_note(sock_epoll_lock *lock)
{
    sock_epoll_locks *mine = &sock_epoll_mine;
    if (mine->count < 2)
        mine->of[mine->count] = lock;
    mine->count++;
    atomic_signal_fence(memory_order_seq_cst); /* a handler finds it noted before the lock is taken */
}

static inline void sock_epoll_acquire(sock_epoll_lock *lock)
{
    sock_epoll_note(lock);
    cor_lock_acquire(&lock->lock);
}

static inline void sock_epoll_release(sock_epoll_lock *lock)
{
    cor_lock_release(&lock->lock);
    atomic_signal_fence(memory_order_seq_cst);
    sock_epoll_mine.count--;
}

/* By this thread, which a signal's handler has interrupted. */
static inline int sock_epoll_is_mine(const sock_epoll_lock *lock)
{
    const sock_epoll_locks *mine = &sock_epoll_mine;
    return mine->count > 2 || (mine->count > 0 && mine->of[0] == lock) || (mine->count > 1 && mine->of[1] == lock);
}

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
    int has_urgent; /* as the kernel has reported */
    int is_armed;
    int is_set;       /* itself a set: it has something when one of its members has */
    int quiet_sleeps; /* since it was last reported */
    int in_told, out_told;
    uint64_t arrivals; /* when it was last reported */
    uint32_t refusals;
} sock_epoll_member;

struct sock_epoll {
    struct sock_epoll *next; /* of all; never freed */
    sock_epoll_lock lock;
    int fd;                      /* one of its descriptors; -1: closed, for use by another */
    int descriptors;             /* under the lock of the process: how many it has */
    sock_epoll_member **members; /* by descriptor */
    int room;
    sock_epoll_member **hot;
    int hot_count, hot_room, hot_from;
    int fast_count;
    _Atomic int set_count;     /* of members that are sets */
    _Atomic unsigned upgrades; /* how often a member became fast */
    unsigned rounds;
    _Atomic int sleepers; /* threads in the kernel's wait of this set */
    _Atomic int untimed; /* threads that sleep on this set, or on one that has it as a member, and do not look again */
    _Atomic int is_forked;  /* other processes may have it: see sock_epoll_once.c */
    _Atomic int is_watched; /* threads may sleep on its descriptor: it is a member of a set, or was polled; for ever */
};

/* Threads rely on the kernel's events of this set. */
static inline int sock_epoll_is_relied_on(const sock_epoll *set)
{
    return atomic_load(&set->is_watched) || atomic_load(&set->sleepers) > 0;
}

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
/* A program may ask for EPOLLRDNORM alone, and for EPOLLWRNORM: TCP has no other bytes than normal ones. */
static inline uint32_t sock_epoll_normal(uint32_t events)
{
    return events | (events & EPOLLIN ? EPOLLRDNORM : 0) | (events & EPOLLOUT ? EPOLLWRNORM : 0);
}

/* POLLIN and EPOLLIN and their kin have the same values on Linux. EPOLLRDHUP is the kernel's: FIN goes by TCP. */
static inline uint32_t sock_epoll_wanted(const sock_epoll_member *member)
{
    return (member->events & (EPOLLIN | EPOLLRDNORM) ? EPOLLIN : 0) |
           (member->events & (EPOLLOUT | EPOLLWRNORM) ? EPOLLOUT : 0);
}

/* Since it was last reported. */
static inline int sock_epoll_has_new_bytes(const sock_epoll_member *member)
{
    return !member->in_told || member->arrivals != cor_conn_arrivals(member->conn);
}

static inline int sock_epoll_has_new_room(const sock_epoll_member *member)
{
    return !member->out_told || member->refusals != cor_conn_refusals(member->conn);
}

/* The next member from there on that is itself a set, or -1. */
int sock_epoll_next_set(sock_epoll *set, int fd, int *is_off_p);
/* This thread goes to work while others sleep, which must be woken by what comes meanwhile. */
void sock_epoll_pass_on(sock_epoll *set);
/* Threads may sleep on the descriptor from now on. `outer` has it as a member since a moment, or asks for it again. */
void sock_epoll_watch(int fd, const sock_epoll *outer);

/* A fast one-shot is about to be reported. 0: another process has reported it. */
int sock_epoll_claim(sock_epoll *set, const sock_epoll_member *member);
/* If it is one that is off, in a set of several processes, the kernel is to tell of it no more. */
void sock_epoll_claim_off(sock_epoll *set, const sock_epoll_member *member);
/* EPOLL_CTL_MOD of a member that may be off, and then is added. */
int sock_epoll_kernel_modify(sock_epoll *set, int fd, struct epoll_event *event);
/* A one-shot that the kernel had, and has told: it says so by a line for each member, without the events that it adds
 * to what any program asks for. */
int sock_epoll_is_over(const sock_epoll *set, const sock_epoll_member *member);

/* How the kernel has a fast member. */
struct epoll_event sock_epoll_tagged(int fd);

#endif
