/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ranks of a job that share this host: their addresses, shared memory, doorbells by which one wakes another, and
 * which of them have died. Devices, wires and boards use it.
 *
 * Ranks share memory if they run on one kernel and in one PID namespace; these are the *local* ranks, numbered by rank.
 * Threads of one process are local ranks like any others, with plain memory instead of a segment. A host that is opened
 * `is_apart` has no local rank but this one.
 *
 * Life: open() makes this rank's end, address() writes its address. connect() gets every rank's addresses and finds the
 * local ranks. reserve() reserves memory, the same on every local rank; make() creates it. After a fence over all ranks
 * attach() maps it; after one more fence settle() frees what only the set-up needed. close() frees everything, after
 * any of the steps; no local rank may use its memory any more.
 *
 * Memory. The local ranks have one segment, which the first of them makes: a memfd that the others map through
 * /proc/<pid>/fd, or, where that is impossible, a 0600 file that is unlinked as soon as all have mapped it. A memfd
 * never outlives the processes. A file is created only when all have published their addresses; if its maker is killed
 * before all have mapped it, the surviving ranks or the launcher remove it (base/segment.h). The segment has the seats
 * of all ranks side by side, then an area for each, of the size reserved. Pages of a memfd are allocated when they are
 * touched. A file is allocated completely at the start, because a process that touches a page which a full file system
 * cannot allocate is killed.
 *
 * Doorbells. A rank that is about to sleep arms its bell and then polls once more; a rank that has written something
 * for another reads that bell afterwards (cor_host_nudge). Each side has a fence between its two steps: the sleeper's
 * is the heavy one (membarrier) where ranks have CPUs of their own, so that the writer's costs nothing.
 *
 * Deaths. Shared memory does not report a death, so a waiting rank checks whether the processes of the local ranks
 * still run:
 *
 *   When    in a wait, or in a loop of the program that polls, while nothing arrives: device.c checks at most every 200
 *           ms. A sleeping rank wakes twice a second for it. Threads of one process, which end together and have no
 *           launcher, never check and sleep without limit. One check covers 16 ranks, the next one the 16 after them:
 *           on a host with very many ranks, checks of all others by each took half of its time. So the death of one of
 *           256 ranks is seen by some of them with their next check, and by the last after 16.
 *   How     by one pidfd for each process, opened with the first check; without pidfd, or with few descriptors, by the
 *           state and the start time in /proc/<pid>/stat, since a process id may be reused.
 *   Costs   measured on two ARM cores: 0.20 us for each rank and check, 4.3 us by /proc. A wake-up with its check takes
 *           30 us of CPU time, all others asleep as well: 64 sleeping ranks take 0.4 % of one CPU together, a single
 *           one 0.007 %.
 *
 * Locking: every function is called under the rank's lock, except sleep and yield.
 */
#ifndef COR_WAIT_HOST_H
#define COR_WAIT_HOST_H

#include "base/cpu.h"
#include "base/error.h"
#include "base/futex.h"
#include "base/knob.h"
#include "base/log.h"
#include "base/process.h"
#include "base/until.h"

#include <stdatomic.h>
#include <stdint.h>

enum { COR_HOST_ADDRESS_MAX = 240, COR_HOST_PATH_MAX = 96 };

typedef struct cor_host_config {
    int segment; /* memfd|file */
    int spread;  /* ranks that share CPUs spread evenly over them */
} cor_host_config;

extern const cor_knob_table cor_host_knobs;

/* What a rank publishes to all others of its host. The seats are side by side: a starting rank reads them all, and
 * inside the areas each would cost every reader a page and a page table. */
typedef struct cor_host_seat {
    /* Written by the owner at set-up, read by the others when all have done that. */
    _Alignas(COR_CACHE_LINE) uint32_t has_heavy_fence; /* the owner's kernel and sandbox allow it */
    cor_cpu_set allowed;                               /* CPUs the owner may run on */
    uint64_t started; /* start time of the owner's process, as the kernel counts; 0: unknown */

    /* Written by the owner before it ends, read by ranks that find it ended. */
    _Atomic uint32_t has_left; /* it has closed its end */
    _Atomic int32_t has_lost;  /* the first rank that it found lost, plus one */

    /* Where the owner last waited, for ranks that share its CPU. */
    _Alignas(COR_CACHE_LINE) _Atomic int32_t cpu;

    /* The doorbell: odd while a thread of the owner sleeps or is about to. Every ring adds one. */
    _Alignas(COR_CACHE_LINE) _Atomic uint32_t bell;
    /* How the owner sleeps: 0 on the bell itself, else on a pipe, whose writing end has this number less one in its
     * process. Written by the owner before it first sleeps. */
    _Atomic int32_t bell_pipe;
    /* Counts things written for the owner, only on an oversubscribed host: one word to read between two turns. */
    _Atomic uint32_t arrivals;
} cor_host_seat;

/* A local rank. */
typedef struct cor_host_peer {
    int rank; /* in the job */
    pid_t pid;
    int is_same_memory;      /* a thread of this process */
    struct cor_host *thread; /* the peer's cor_host, when it is a thread of this process */
    cor_host_seat *seat;
    void *area;
    int bell_fd;    /* the pipe it sleeps on, once opened; -1 */
    int is_watched; /* process_fd was determined */
    int process_fd; /* becomes readable when the process ends; -1 */
    int is_lost;
} cor_host_peer;

typedef struct cor_host_options {
    int rank, size; /* in the job */
    int is_apart;
    const cor_log *log;
    const cor_host_config *config;
    /* Called with each check of the other processes, even if there are none: the launcher may end, too. NULL: none. */
    void (*look)(void *subject);
    void *look_subject;
} cor_host_options;

/* When this rank checks whether it shares its CPU with more ranks than necessary: host_spread.c. */
typedef struct cor_host_spread_state {
    int can_spread;
    int turns;         /* since the last check */
    int found;         /* checks that found a better CPU */
    int resting, rest; /* checks until the next move, and after it */
} cor_host_spread_state;

typedef struct cor_host {
    int is_oversubscribed;     /* fewer CPUs than ranks of the job on this host */
    int is_job_oversubscribed; /* and all ranks of the job are on it: the same on all of them */
    int has_heavy_fence;       /* sleepers use the heavy fence, writers need none */
    cor_host_peer *peers;      /* the local ranks, by rank; `me` among them */
    int *index_of;             /* rank of the job -> index in peers, -1: not local */
    int count, me;
    cor_host_seat *seat; /* this rank's, as is `area` */
    void *area;
    uint32_t arrivals_seen; /* before the last poll: cor_host_note_arrivals */

    cor_host_options options;
    char host[COR_PROCESS_HOST_MAX], pid_space[COR_PROCESS_SPACE_MAX];
    int rank_count, cpu_count; /* of the job on this host, according to the addresses */
    int process_count;         /* local ranks that are processes of their own, to be watched */
    int next_watched;          /* the next one to be checked */
    /* A local rank has died, and all that it wrote is visible; `why` names it. Called from cor_host_look only. */
    void (*ended)(void *subject, int rank, const cor_fault *why);
    void *subject;

    int fd;                             /* of the segment that this rank made; -1: plain memory, or settled */
    char path[COR_HOST_PATH_MAX];       /* of its file */
    int is_file;                        /* the segment is a file: others cannot open this rank's descriptors */
    int maker_fd;                       /* descriptor number of the memfd that all map, in the first local rank */
    char maker_path[COR_HOST_PATH_MAX]; /* of the maker's file, when there is no memfd */
    int is_settled;                     /* all have mapped it */
    void *segment;
    size_t segment_bytes, area_bytes;
    int bell_pipe[2]; /* to sleep on together with other descriptors: reading end, writing end; -1 */
    int is_armed;     /* armed since the pipe was last emptied */
    cor_host_spread_state spread;
} cor_host;

/* ---- host.c: life ----------------------------------------------------------------------------------------------- */

int cor_host_open(const cor_host_options *options, cor_host **host_p, cor_fault *fault);
/* Printable characters without spaces or semicolons. */
void cor_host_address(const cor_host *host, char text[COR_HOST_ADDRESS_MAX]);
/* Are ranks with these addresses local to each other? Such ranks are a node. */
int cor_host_is_one_node(const char *address, const char *other);
int cor_host_connect(cor_host *host, const char *const *addresses, cor_fault *fault);
/* Bytes of every local rank's area; once, between connect and make. */
void cor_host_reserve(cor_host *host, size_t bytes);
/* The size of the segment of this many local ranks with areas of this size. */
size_t cor_host_segment_bytes(int ranks, size_t area_bytes);
int cor_host_make(cor_host *host, cor_fault *fault);
/* Return whole pages of this part of the rank's own area, which no rank needs any more, to the system; they are zero
 * when they are touched again. A file keeps its pages, for the reason above. */
void cor_host_give_back(const cor_host *host, void *memory, size_t bytes);
int cor_host_attach(cor_host *host, cor_fault *fault);
void cor_host_settle(cor_host *host);
void cor_host_close(cor_host *host);
/* This process is going to end without close(): remove what would outlive it. */
void cor_host_abandon(const cor_host *host);

/* ---- host_watch.c: deaths --------------------------------------------------------------------------------------- */

/* Check some of the local ranks; returns how many have ended. */
int cor_host_look(cor_host *host);
/* Treat this local rank as ended, whatever its process does: it is neither rung nor checked. */
void cor_host_forget(cor_host *host, int index);
/* The memory of other ranks may be freed from now on: none of them is checked or rung any more. With the rank's lock,
 * when no other thread of it polls. */
void cor_host_forget_all(cor_host *host);

/* ---- host_bell.c: sleeping -------------------------------------------------------------------------------------- */

/* Arm the bell: from now on this rank is woken. Writes a ticket; returns 0: do not sleep. After this the caller polls
 * once more. */
int cor_host_arm(cor_host *host, uint32_t *ticket_p);
/* WITHOUT the rank's lock: returns at once if the bell was rung since the ticket was written, else when it is rung; may
 * also return spuriously. */
void cor_host_sleep(cor_host *host, uint32_t ticket);
/* How many milliseconds this rank may sleep before it has to check other processes; -1: without limit. */
int cor_host_sleep_ms(const cor_host *host);
/* Sleep on descriptors instead, from now on. */
void cor_host_use_fds(cor_host *host);
/* The descriptor that becomes readable when the bell is rung, until cor_host_clear_wakeup; -1: there is none, poll for
 * at most *timeout_ms_p. -1: without limit. */
int cor_host_fd(const cor_host *host, int *timeout_ms_p);
void cor_host_clear_wakeup(cor_host *host);
void cor_host_ring(cor_host *host, int index); /* the bell of a local rank, if it is armed */

/* ---- host_cpu.c ------------------------------------------------------------------------------------------------- */

/* May this rank spin while it waits: are there enough CPUs for every rank, and is no local rank known to run on this
 * CPU? Called rarely (once a microsecond at most). */
int cor_host_may_spin(cor_host *host);
/* WITHOUT the rank's lock: yield the CPU up to `times` times, until something arrives or `until` is true; returns how
 * often. `arrivals` is arrivals_seen, read under the lock. */
int cor_host_yield(cor_host *host, uint32_t arrivals, int times, const cor_until *until);
/* Count `turns` yields of the CPU: ranks that share CPUs spread evenly over them. */
void cor_host_spread(cor_host *host, int turns);

/* ---- on every message ------------------------------------------------------------------------------------------- */

/* Memory that a local rank waits for has changed: wake it if it sleeps. Budget: one read of a word that hardly ever
 * changes. `seat` is that of the local rank `index`. */
static inline void cor_host_nudge_seat(cor_host *host, const cor_host_seat *seat, int index)
{
    /* The data written must be visible before the reader's bell is read; a reader that is about to sleep sets its bell
     * and then polls. With the heavy fence the reader pays for this order, else the writer. */
    if (COR_LIKELY(host->has_heavy_fence))
        atomic_signal_fence(memory_order_seq_cst);
    else
        atomic_thread_fence(memory_order_seq_cst);
    if (COR_UNLIKELY(atomic_load_explicit(&seat->bell, memory_order_relaxed) & 1))
        cor_host_ring(host, index);
}

static inline void cor_host_nudge(cor_host *host, int index)
{
    cor_host_nudge_seat(host, host->peers[index].seat, index);
}

/* The same after something was written that the local rank polls for. */
static inline void cor_host_notify(cor_host *host, cor_host_seat *seat, int index)
{
    if (COR_UNLIKELY(host->is_oversubscribed))
        /* release: a reader that sees the count sees what it counts. */
        atomic_fetch_add_explicit(&seat->arrivals, 1, memory_order_release);
    cor_host_nudge_seat(host, seat, index);
}

/* Before this rank polls: the poll sees everything counted up to here. */
static inline void cor_host_note_arrivals(cor_host *host)
{
    if (COR_UNLIKELY(host->is_oversubscribed))
        host->arrivals_seen = atomic_load_explicit(&host->seat->arrivals, memory_order_acquire);
}

#endif
