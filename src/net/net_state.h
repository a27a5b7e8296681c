/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a connection, for the files of this folder. */
#ifndef COR_NET_NET_STATE_H
#define COR_NET_NET_STATE_H

#include "base/lock.h"
#include "net/net.h"
#include "net/net_lock.h"
#include "net/net_segment.h"
#include "net/net_sys.h"

/* Where the bytes of a direction are: by TCP until the switch, then in the ring, and by TCP again after the way
 * back. */
enum { NET_BEFORE, NET_RING, NET_AFTER };

enum { NET_CLIENT, NET_SERVER };

enum { NET_BELL = 0, NET_MARK = 1 }; /* bytes on TCP; what follows a mark is data */

enum { NET_STASH_MAX = 64 };

enum { NET_BACK_CLOSE_MS = 60 * 1000 }; /* a peer that takes nothing for so long is waited for no more by a close */

enum { NET_OWN_FD = -1, NET_NO_FD = -2 }; /* cor_conn.kept_fd: the caller's still is; no copy could be had */

enum { NET_SLEEPERS = 6 }; /* threads that sleep on a connection at once and hear bells; others look now and then */

/* A thread in the kernel until a byte comes. */
typedef struct net_sleeper {
    uint32_t thread; /* 0: none */
    uint32_t is_reader;
} net_sleeper;

/* What forked processes share of one end. */
typedef struct net_local {
    _Alignas(COR_CACHE_LINE) _Atomic uint32_t users; /* processes; 0: free */
    net_lock in_lock, out_lock, bell_lock;           /* taken in this order */
    _Atomic uint32_t in_phase, out_phase;            /* written under their locks */
    _Atomic uint32_t is_begun, is_plain;
    _Atomic uint32_t is_marked;         /* the peer's mark has come: once the ring is empty, TCP */
    _Atomic uint32_t in_end;            /* no more bytes after those in the ring */
    _Atomic uint32_t is_peer_gone;      /* nor will it read any */
    _Atomic int32_t in_error;           /* reported once, instead of the end */
    _Atomic uint32_t in_shut, out_shut; /* by shutdown() here */
    _Atomic uint32_t is_nonblocking;    /* O_NONBLOCK */
    _Atomic uint32_t has_limit;         /* SO_RCVTIMEO */
    _Atomic uint32_t refusals;          /* writes that found no room */
    _Atomic int32_t spin_score;         /* how well spinning for bytes has paid */
    _Atomic int32_t write_score;        /* and for room */
    _Atomic uint64_t tcp_sent;          /* under out_lock, but for a young one: before the switch */
    _Atomic uint64_t tcp_taken;         /* under in_lock, likewise */
    _Atomic uint32_t turns;             /* of a young one: reads of bytes after a write */
    _Atomic uint32_t has_written;       /* since the last turn */
    uint64_t far_top;                   /* under out_lock: how much of the far ring may have memory */
    _Atomic uint32_t has_backlog;       /* written under out_lock: what follows is to go by TCP, in this order */
    uint32_t is_mark_due;               /* under out_lock: the mark */
    uint64_t backlog_at, backlog_end;   /* likewise: bytes of the ring, by position */
    uint32_t is_fin_due;                /* likewise: the end, after a shutdown */
    uint32_t is_rung;                   /* under bell_lock: bells that were not taken, because of sleepers */
    uint32_t watchers;                  /* under bell_lock: epoll sets that rely on `reader_armed` */
    net_sleeper sleepers[NET_SLEEPERS]; /* under bell_lock */
    uint32_t stash_at, stash_end;       /* data that came with the mark: until then under bell_lock, then in_lock */
    char stash[NET_STASH_MAX];
} net_local;

struct cor_conn {
    _Atomic int refs; /* 0: free */
    cor_conn *next;   /* in cor_net.conns; a free one stays there */
    cor_conn *next_free;
    cor_net *net;
    int side;
    _Atomic int is_young;   /* no segment, and what comes after it is not set */
    _Atomic uint32_t gate;  /* of a young one: calls inside; see net_young.c */
    _Atomic uint64_t due;   /* at this age it moves, or looks again */
    _Atomic int has_looked; /* the acceptor, and found no offer */
    _Atomic int is_tagged;  /* see cor_conn_set_tagged */
    cor_net_segment *segment;
    uint64_t ring_bytes, far_bytes;
    net_dir *in, *out;
    _Atomic(char *) far_map; /* the whole segment once more; NULL: no far ring was needed yet */
    _Atomic int has_no_far;  /* it cannot be had */
    net_local *local;
    struct net_slab *slab; /* of the place */
    _Atomic int offer_fd;  /* the client's memfd, until the acceptor has it; -1: none */
    pid_t offer_pid;       /* the process that created the link */
    uint64_t offered_ns;   /* when */
    cor_conn *next_offer;  /* under the lock of the net */
    int is_in_offers;      /* likewise */
    _Atomic int held;      /* references that are no call's: of descriptors and sets */
    _Atomic int kept_fd;   /* NET_OWN_FD, or the descriptor of calls that outlive the caller's; see cor_conn_closing */
    char path[COR_NET_PATH_MAX];
    _Atomic uint64_t looked_ns; /* when the kernel was last asked whether the peer is there */
    uint32_t watches;           /* under bell_lock: this process's part of the watchers */
    uint64_t forked;            /* under the lock of the net: the last fork that counted it; 0: none */
    uint32_t forked_watches;    /* and how many watchers it added */
};

typedef struct net_slab {
    struct net_slab *next;
    net_local *locals;
    _Atomic int conns; /* of this process, which have places in it */
} net_slab;

/* A listener, and the socket that announces its port. */
typedef struct net_announced {
    struct net_announced *next;
    int listener, fd;
    uint16_t port;
    uid_t user;
} net_announced;

struct cor_net {
    cor_net_config config;
    cor_net_log log;
    cor_lock lock; /* conns, slabs, announced */
    cor_conn *conns;
    _Atomic int kept;               /* of conns, those with a descriptor in kept_fd */
    _Atomic(cor_conn *) free_conns; /* any thread adds, and one takes under the lock */
    net_slab *slabs;                /* of this process */
    net_announced *announced;
    uint64_t forks;   /* under the lock */
    cor_conn *offers; /* that may still have a descriptor, by next_offer */
    uint32_t pid;     /* this process, as net_who */
    pid_t process;
    uint32_t pids; /* its namespace, as in cor_net_name */
    net_spaces *spaces;
    cor_net_move_fn on_move;
    _Atomic uint64_t announced_ns; /* when the port was last found to be announced */
    _Atomic uint32_t announced_port;
    int can_spin;
    int can_sleep_on_futex;
    _Atomic int maps; /* of segments, by this process */
    int maps_most;
    int is_strict; /* see net_own_memory_is_strict */
    _Atomic int is_stopped;
    _Atomic uint32_t said; /* reasons that the log has told */
    cor_net_counters *counters;
    cor_net_counters own_counters;
};

#define NET_COUNT(conn, name, by) atomic_fetch_add_explicit(&(conn)->net->counters->name, (by), memory_order_relaxed)

_Static_assert(COR_NET_WHYS <= 32, "cor_net.said has a bit for each");

/* Counts the reason, and tells of it the first time. */
void net_say_once(cor_net *net, cor_net_why why, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* A connection that could have been fast stays on TCP. */
void net_count_plain(cor_net *net, cor_net_why why);

/* A new connection without segment; NULL: no memory. */
cor_conn *net_conn_new(cor_net *net, int side);
/* It has a segment now, with the sizes that it has been given. */
void net_conn_map(cor_conn *conn, cor_net_segment *segment);
/* Bytes of a segment that are mapped at first, and all. */
size_t net_near_bytes(uint64_t ring_bytes);
size_t net_all_bytes(uint64_t ring_bytes, uint64_t far_bytes);
/* Is a server announced that takes offers for this destination? */
int net_is_announced(cor_net *net, const struct sockaddr *to);
/* Nothing is announced any more. Under the lock. */
void net_announce_end(cor_net *net);
/* The descriptor, among those of the library's own, and no longer where it was. -1: errno. */
int net_move_up(int fd);
/* How many offers, and how many announced ports, may have one, so that a program hardly misses them. */
int net_own_most(void);
/* How many mappings may be of segments: the rest of what a process can have is the program's, for memory and stacks. */
int net_own_maps_most(void);
/* The system promises no more memory than it has (vm.overcommit_memory is 2): shared memory that was not allocated
 * before may end a process when it is touched. So that of rings is allocated first, and in whole. */
int net_own_memory_is_strict(void);
static inline int net_has_maps(const cor_net *net)
{
    return atomic_load_explicit(&net->maps, memory_order_relaxed) < net->maps_most;
}
/* The connection was offered, or found, and not begun: TCP for good. */
void net_stay_plain(cor_conn *conn);
/* A young one that is due, with its gate closed: what the client prepares, and what the acceptor finds. A reason: it
 * stays on TCP. COR_NET_WHYS: it has moved, or is looked at again later. */
cor_net_why net_offer(cor_conn *conn, int fd);
cor_net_why net_find(cor_conn *conn, int fd);
/* It has this segment now, with the sizes that it has been given. 0: it has not, because another process has the
 * connection, too, since a moment, or cor_net_on_move's function refuses. */
int net_young_grown(cor_conn *conn, int fd, cor_net_segment *segment);
/* Look again when it has counted more. */
void net_young_later(cor_conn *conn);
/* The client's offer was not taken, and so much has been counted since that the peer must have looked: it is
 * withdrawn. */
void net_young_give_up_late(cor_conn *conn);
/* Return when no thread moves the connection. */
void net_young_settle(cor_conn *conn);
/* Learn O_NONBLOCK and SO_RCVTIMEO of a descriptor that moves. */
void net_young_learn(cor_conn *conn, int fd);
/* In the child of a fork: calls that are inside are the parent's. */
void net_young_forked(cor_conn *conn);
/* recvmsg and sendmsg of a young one. 0: it is not young any more, and nothing was done. */
int net_young_call(cor_conn *conn, int fd, const struct iovec *parts, int count, int flags, int is_write,
                   ssize_t *done_p);
/* The offer with this descriptor, if one has it, is given up. Under the lock. */
void net_offer_make_way(cor_net *net, int fd);
/* Remove the link and close the memfd of an offer, if there still are. */
void net_offer_close(cor_conn *conn);

/* Do what the phases allow: attach, switch, go back. Called before anything else, and cheap when there is nothing to
 * do. Returns 0 if the connection is plain. */
int net_progress(cor_conn *conn, int fd);
/* The same, but for what the peer has asked for. */
int net_progress_unasked(cor_conn *conn, int fd);
/* The input is in the ring from here on. A bell, the mark or the end may have come while bytes by TCP were before them:
 * an epoll set has had the kernel's event for that, and gets no other, so they are taken now. Under in_lock. */
void net_begin_input(cor_conn *conn, int fd);
/* Under out_lock, with the ring in use: wake the peer. */
void net_bell(cor_conn *conn, int fd);
/* If the peer wants its input by TCP, it goes there. */
void net_answer_back(cor_conn *conn, int fd);
/* Under out_lock, with has_backlog: send of it what TCP takes now. 1: nothing is left. */
int net_back_push(cor_conn *conn, int fd);
/* The same by itself, if there is a backlog. */
void net_back_go_on(cor_conn *conn, int fd);
/* The last descriptor of this process is about to be closed, so that no call would send the rest of a backlog: send it.
 * patience_ms: how long to wait while the peer takes nothing. is_over: nobody reads this end any more, so what comes is
 * thrown away, and a peer that does the same goes on. */
void net_back_flush(cor_conn *conn, int fd, int patience_ms, int is_over);
/* The caller has taken these. */
void net_got_bytes(cor_conn *conn, const char *bytes, size_t count);
/* The kernel reported the end: 0, or errno. */
void net_note_end(cor_conn *conn, int error);
/* The peer has stored nonsense. */
void net_broken(cor_conn *conn);
/* What the kernel says of the descriptor now. */
short net_kernel_ready(cor_conn *conn, int fd, short events);
/* Ask the kernel whether the peer is still there. */
void net_look(cor_conn *conn, int fd);
/* Take the bells that are there, at most so many, unless another thread sleeps until one comes; see net.h. has_ended:
 * as in cor_conn_take_bells. 0: they are left. */
int net_take(cor_conn *conn, int fd, size_t most, int has_ended);
/* Before a fork: the other process's epoll sets rely on the same. */
void net_watch_twice(cor_conn *conn);
/* There is none. */
void net_watch_once(cor_conn *conn);
/* As cor_conn_sleep_end, but what woke the thread is left for the next that goes to sleep. */
void net_sleep_end(cor_conn *conn, int is_rung);
/* Is there any of these events (POLLIN, POLLOUT), or something for net_progress to do? By memory alone. */
int net_has_news(const cor_conn *conn, unsigned events);
/* A peer that has closed one half says nothing more when it dies, unless it is sent something: do that. */
void net_probe(cor_conn *conn, int fd);
/* When a call's time is over. */
typedef struct net_limit {
    int is_known;
    uint64_t begin_ns; /* 0: with the look for it */
    uint64_t at_ns;    /* 0: never */
} net_limit;
/* By SO_RCVTIMEO or SO_SNDTIMEO, unless it is known already. */
void net_limit_find(net_limit *limit, int fd, int option);
/* A wait begins, which may be one of several: the time of all of them counts. Costs a system call from the second
 * on. */
void net_limit_begin(net_limit *limit, int fd, int option);
/* 0, or -1 with EAGAIN. */
int net_limit_check(const net_limit *limit);
/* There is nothing to read: wait as the flags and the descriptor say. 0: look again; -1: errno. */
int net_read_wait(cor_conn *conn, int fd, int flags, net_limit *limit);
/* The first sleep of a read that blocks. 0: look again; 1: it is over, or cannot be: sleep until a bell comes; -1:
 * errno. */
int net_futex_sleep(cor_conn *conn, net_limit *limit);
/* Readers of a direction that sleep so are to look again, at something that the caller has stored before. Keeps
 * errno. */
void net_futex_wake(cor_conn *conn, net_dir *dir);
/* The caller has taken their bit. */
void net_futex_ring(cor_conn *conn, net_dir *dir);
/* As cor_conn_may_spin and cor_conn_spun, for room. */
int net_may_spin_to_write(cor_conn *conn);
void net_spun_to_write(cor_conn *conn, int has_paid);
/* The last descriptor of this side is about to be closed: a reader of the peer's that sleeps on a futex goes where the
 * kernel tells of the end. */
void net_ends(cor_conn *conn);
/* The reader has made room: wake a writer that waits for it. */
void net_room_made(cor_conn *conn, int fd);

static inline uint32_t net_load(const _Atomic uint32_t *word)
{
    /* acquire: what was written before the word is seen. */
    return atomic_load_explicit(word, memory_order_acquire);
}

static inline int net_has_backlog(const cor_conn *conn)
{
    return COR_UNLIKELY(net_load(&conn->local->has_backlog));
}

static inline int net_is_young(const cor_conn *conn)
{
    /* acquire: one that is not has its segment. */
    return atomic_load_explicit(&conn->is_young, memory_order_acquire);
}

/* A FIN is, or would be, no sign that the peer is gone: it has closed its output only, or our input is closed. */
static inline int net_is_half(const cor_conn *conn)
{
    return net_load(&conn->in->is_shut) == NET_SHUT_HALF || net_load(&conn->local->in_shut);
}

/* This thread, as net_who. */
static inline uint32_t net_self_thread(const cor_conn *conn)
{
    return (conn->net->pid & NET_WHO_SPACE) | net_sys_thread();
}

/* The descriptor to use for that of a call, which another thread may have closed since. It stays right while the caller
 * holds a lock of the connection. */
static inline int net_fd(const cor_conn *conn, int fd)
{
    /* acquire: as in net_load. */
    int kept = atomic_load_explicit(&conn->kept_fd, memory_order_acquire);
    return COR_LIKELY(kept == NET_OWN_FD) ? fd : kept;
}

/* An error that is to be told once, in errno; 0: there is none. */
static inline int net_take_error(const cor_conn *conn)
{
    if (COR_LIKELY(atomic_load_explicit(&conn->local->in_error, memory_order_relaxed) == 0))
        return 0;
    errno = atomic_exchange_explicit(&conn->local->in_error, 0, memory_order_relaxed);
    return errno != 0;
}

static inline void net_store(_Atomic uint32_t *word, uint32_t value)
{
    /* release: the other side of net_load. */
    atomic_store_explicit(word, value, memory_order_release);
}

#endif
