/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ranks of a job that share this host: who they are, memory that all of them see, doorbells by which one wakes
 * another, and which of them have died. A device and its wires stand on it, and so do boards.
 *
 * Ranks share memory if they run on one kernel and count processes in one space of process ids; these are the *local*
 * ranks, numbered by rank. Threads of one process are local ranks like any others, with plain memory instead of a
 * segment. A host that is opened `is_apart` has no local rank but this one.
 *
 * Life: open() makes this rank's end, address() writes what the others must know. connect() is given every rank's
 * addresses and finds the local ranks. reserve() asks for memory, the same on every local rank; make() makes it. After
 * a fence over all ranks attach() maps it; after one more fence settle() drops what only the set-up needed. close()
 * gives everything back, after any of the steps; no local rank may use its memory any more.
 *
 * Memory. The local ranks have one segment, which the first of them makes: a memfd that the others map through
 * /proc/<pid>/fd, or, where that cannot be, a 0600 file that is unlinked as soon as all have mapped it. A memfd never
 * outlives the processes. A file is made only when all have told their addresses; if its maker is killed before all
 * have mapped it, those that live remove it, or the launcher does (base/segment.h). In the segment lie the seats of all
 * ranks side by side, then an area for each, of the size reserved. Pages of a memfd are taken when they are touched. A
 * file has all its room from the start, because a process that touches a page which a full file system does not have is
 * killed.
 *
 * Doorbells. A rank that is about to sleep arms its bell and then looks once more whether something has come; a rank
 * that has written something for another looks at that bell afterwards (cor_host_nudge). Between the two stands a fence
 * on each side: the sleeper's is the heavy one (membarrier) where ranks have CPUs of their own, so that the writer's
 * costs nothing.
 *
 * Deaths. Shared memory tells of nothing, so a rank that waits looks whether the processes of the local ranks still
 * run:
 *
 *   When    from a wait, or a loop of the program that asks for progress, that finds nothing: device.c asks for a look
 *           at most every 200 ms. A rank that sleeps wakes twice a second for it. Threads of one process, which end
 *           together and have no launcher, never look and sleep without limit.
 *           One look is at 16 ranks, the next at those behind them: the looks of a host with very many ranks, each at
 *           all others, took half of its time. So the death of one of 256 ranks is seen by some of them with their
 *           next look, and by the last after 16.
 *   How     by one pidfd a process, opened with the first look; where the kernel has none, or descriptors are few, by
 *           the state and the time of start in /proc/<pid>/stat, since a number may be given to another process.
 *   Costs   measured on two ARM cores: 0.20 us a rank and look, 4.3 us by /proc. A wake-up with its look takes 30 us
 *           of CPU time, all others asleep as well: 64 sleeping ranks take 0.4 % of one CPU together, a single one
 *           0.007 %.
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

/* What a rank tells of itself to all others of its host. The seats of all lie side by side: a rank that starts reads
 * them all, and in the areas they would take a page, and a page table, each of every reader. */
typedef struct cor_host_seat {
    /* Written by the owner at set-up, read by the others when all have done that. */
    _Alignas(COR_CACHE_LINE) uint32_t has_heavy_fence; /* the owner's kernel and sandbox allow it */
    cor_cpu_set allowed;                               /* CPUs the owner may run on */
    uint64_t started; /* when the owner's process was, as the kernel counts; 0: it does not say */

    /* The owner's last words, read by ranks that find it gone. */
    _Atomic uint32_t has_left; /* it has closed its end */
    _Atomic int32_t has_lost;  /* the first rank that it found lost, plus one */

    /* Where the owner last waited, for ranks that share its CPU. */
    _Alignas(COR_CACHE_LINE) _Atomic int32_t cpu;

    /* The doorbell: odd while a thread of the owner sleeps or is about to. Every ring adds one. */
    _Alignas(COR_CACHE_LINE) _Atomic uint32_t bell;
    /* How the owner sleeps: 0 on the bell itself, else on a pipe, whose writing end has this number less one in its
     * process. Written by the owner before it first sleeps. */
    _Atomic int32_t bell_pipe;
    /* Things written for the owner, counted only on an oversubscribed host: one word to look at between two turns. */
    _Atomic uint32_t arrivals;
} cor_host_seat;

/* A local rank. */
typedef struct cor_host_peer {
    int rank; /* in the job */
    pid_t pid;
    int is_same_memory;      /* a thread of this process */
    struct cor_host *thread; /* the peer's own, when it is a thread of this process */
    cor_host_seat *seat;
    void *area;
    int bell_fd;    /* the pipe it sleeps on, once opened; -1 */
    int is_watched; /* process_fd is settled */
    int process_fd; /* becomes readable when the process ends; -1 */
    int is_lost;
} cor_host_peer;

typedef struct cor_host_options {
    int rank, size; /* in the job */
    int is_apart;
    const cor_log *log;
    const cor_host_config *config;
    /* Called with each look at the other processes, whether there are any or not: the launcher's may end, too. NULL:
     * none. */
    void (*look)(void *subject);
    void *look_subject;
} cor_host_options;

/* When this rank looks whether it shares its CPU with more ranks than it need: host_spread.c. */
typedef struct cor_host_spread_state {
    int can_spread;
    int turns;         /* since the last look */
    int found;         /* looks that found a better CPU */
    int resting, rest; /* looks until the next move, and after it */
} cor_host_spread_state;

typedef struct cor_host {
    int is_oversubscribed;     /* fewer CPUs than ranks of the job on this host */
    int is_job_oversubscribed; /* and all ranks of the job are on it: the same on all of them */
    int has_heavy_fence;       /* a sleeper makes the writers' fence for them */
    cor_host_peer *peers;      /* the local ranks, by rank; `me` among them */
    int *index_of;             /* rank of the job -> index in peers, -1: not local */
    int count, me;
    cor_host_seat *seat; /* ours; and so */
    void *area;
    uint32_t arrivals_seen; /* before the last poll: cor_host_note_arrivals */

    cor_host_options options;
    char host[COR_PROCESS_HOST_MAX], pid_space[COR_PROCESS_SPACE_MAX];
    int rank_count, cpu_count; /* of the job on this host, as far as the addresses tell */
    int process_count;         /* local ranks that are processes of their own, to be watched */
    int next_watched;          /* whose turn it is */
    /* A local rank has died, what it wrote is complete; `why` names it. Called from cor_host_look only. */
    void (*ended)(void *subject, int rank, const cor_fault *why);
    void *subject;

    int fd;                       /* of the segment we have made, -1 when plain memory or settled */
    char path[COR_HOST_PATH_MAX]; /* of its file */
    int is_file;                  /* it is one: others cannot reach our descriptors */
    int maker_fd;                 /* the number of the memfd that all map, in the process of the first local rank */
    char maker_path[COR_HOST_PATH_MAX]; /* of its file, when there is no memfd */
    int is_settled;                     /* all have mapped it */
    void *segment;
    size_t segment_bytes, area_bytes;
    int bell_pipe[2]; /* to sleep on together with other descriptors: reading end, writing end; -1 */
    int is_armed;     /* we have asked to be woken since the pipe was last emptied */
    cor_host_spread_state spread;
} cor_host;

/* ---- host.c: life ----------------------------------------------------------------------------------------------- */

int cor_host_open(const cor_host_options *options, cor_host **host_p, cor_fault *fault);
/* Printable characters without spaces or semicolons. */
void cor_host_address(const cor_host *host, char text[COR_HOST_ADDRESS_MAX]);
/* Are ranks with these addresses local to each other? That is what a node is. */
int cor_host_is_one_node(const char *address, const char *other);
int cor_host_connect(cor_host *host, const char *const *addresses, cor_fault *fault);
/* Bytes of every local rank's area; once, between connect and make. */
void cor_host_reserve(cor_host *host, size_t bytes);
/* The memory that local ranks of this number take with such areas. */
size_t cor_host_segment_bytes(int ranks, size_t area_bytes);
int cor_host_make(cor_host *host, cor_fault *fault);
/* Nothing in this part of the rank's own area is needed any more, by any rank: whole pages of it go back to the system,
 * and are zero when they are touched again. A file keeps its room, for the reason above. */
void cor_host_give_back(const cor_host *host, void *memory, size_t bytes);
int cor_host_attach(cor_host *host, cor_fault *fault);
void cor_host_settle(cor_host *host);
void cor_host_close(cor_host *host);
/* This process is going to end without close(): remove what would outlive it. */
void cor_host_abandon(const cor_host *host);

/* ---- host_watch.c: deaths --------------------------------------------------------------------------------------- */

/* Look at some of the local ranks; returns how many have ended. */
int cor_host_look(cor_host *host);
/* This local rank counts as ended, whatever its process does: it is neither rung nor watched. */
void cor_host_forget(cor_host *host, int index);
/* The memory of other ranks may go from here on: none of them is looked at or rung any more. With the rank's lock, when
 * no other thread of it polls. */
void cor_host_forget_all(cor_host *host);

/* ---- host_bell.c: sleeping -------------------------------------------------------------------------------------- */

/* From here on this rank is to be woken. Writes a ticket; returns 0: do not sleep. The caller looks, after this,
 * whether something has come. */
int cor_host_arm(cor_host *host, uint32_t *ticket_p);
/* WITHOUT the rank's lock: returns at once if the bell was rung since the ticket was drawn, otherwise when it is; may
 * also return for no reason. */
void cor_host_sleep(cor_host *host, uint32_t ticket);
/* How many milliseconds this rank may sleep before it has to look at other processes; -1: as long as it likes. */
int cor_host_sleep_ms(const cor_host *host);
/* Sleep on descriptors instead, from now on. */
void cor_host_use_fds(cor_host *host);
/* The descriptor that becomes readable when the bell is rung, until cor_host_clear_wakeup; -1: there is none, poll for
 * at most *timeout_ms_p. -1 for that: without limit. */
int cor_host_fd(const cor_host *host, int *timeout_ms_p);
void cor_host_clear_wakeup(cor_host *host);
void cor_host_ring(cor_host *host, int index); /* the bell of a local rank, if it is armed */

/* ---- host_cpu.c ------------------------------------------------------------------------------------------------- */

/* May this rank spin while it waits: are there CPUs enough for every rank, and is no local rank known to sit on this
 * very CPU? Asked rarely (once a microsecond at most). */
int cor_host_may_spin(cor_host *host);
/* WITHOUT the rank's lock: give the CPU away up to `times` times, until something arrives or that is over; returns how
 * often. `arrivals` is arrivals_seen, read under the lock. */
int cor_host_yield(cor_host *host, uint32_t arrivals, int times, const cor_until *until);
/* So many turns on the CPU were given away: ranks that share CPUs spread evenly over them. */
void cor_host_spread(cor_host *host, int turns);

/* ---- on every message ------------------------------------------------------------------------------------------- */

/* Memory that a local rank waits for has changed: wake it if it sleeps. Budget: one read of a word that hardly ever
 * changes. `seat` is that of the local rank `index`. */
static inline void cor_host_nudge_seat(cor_host *host, const cor_host_seat *seat, int index)
{
    /* What was written must be visible before we look whether the reader sleeps; a reader that is about to sleep sets
     * its bell and then looks. With the heavy fence the reader pays for the order, else we do. */
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

/* Before this rank polls: what is counted up to here is seen by the poll. */
static inline void cor_host_note_arrivals(cor_host *host)
{
    if (COR_UNLIKELY(host->is_oversubscribed))
        host->arrivals_seen = atomic_load_explicit(&host->seat->arrivals, memory_order_acquire);
}

#endif
