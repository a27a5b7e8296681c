/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a rank waits: spin while that is faster, then yield, then sleep until something arrives. One policy for all
 * devices.
 *
 * Anything that a device polls (a wire, a library) is a source of events. A source that rings the host's doorbell
 * (host.h) needs only arm(); one that has descriptors provides them; with one that has neither the rank naps.
 *
 * A rank has one waiter, used by all its threads under the rank's lock. Of several threads that sleep on descriptors
 * one, the leader, polls them; it wakes the others, the followers.
 *
 * Threads of the library that work for a rank without its lock (helpers) post when there is something to be noticed by
 * progress. Nothing is lost between the two:
 *
 *   helper    makes the work visible; counts the post; reads the bell, and rings it if it is armed
 *   sleeper   makes progress; arms the bell; reads the count, and does not sleep if it has grown since it was read
 * last
 *
 * with a full fence in the middle of each (cor_host_nudge). So either the helper sees the bell armed, or the sleeper
 * sees the post, and looks once more. A thread that sleeps has made progress since it took the lock: what was posted
 * before the count was read last is known to it.
 */
#ifndef COR_WAIT_WAITER_H
#define COR_WAIT_WAITER_H

#include "base/lock.h"
#include "wait/host.h"

struct pollfd;

typedef struct cor_wait_source cor_wait_source;
struct cor_wait_source {
    /* The rank is about to sleep: make sure that it is woken from now on. Returns 0: something has arrived already. */
    int (*arm)(cor_wait_source *source);
    /* After arm(): write 1..room descriptors to poll, and how many milliseconds at most (-1: without limit); returns
     * how many. They become readable (or writable, as requested) when something arrives, and stay so until it was
     * polled. One thread at a time polls them. NULL: the source rings the doorbell instead. */
    int (*fds)(cor_wait_source *source, struct pollfd *fds, int room, int *timeout_ms_p);
    /* Both in one call, for a rank with only this source and one thread: wait until something arrives and process it,
     * no longer than cor_host_sleep_ms(). 0: that is not possible now. After arm(). Optional. */
    int (*wait_and_poll)(cor_wait_source *source);
};

enum { COR_WAIT_SOURCES_MAX = 4 };

typedef struct cor_wait_config {
    int spin_us;
    int yields;
} cor_wait_config;

extern const cor_knob_table cor_wait_knobs;

/* What a device still has to send while it waits. */
typedef enum cor_unsent {
    COR_UNSENT_NONE,
    COR_UNSENT_WAKES, /* a source wakes the rank when sending may continue */
    COR_UNSENT_POLLS, /* sending may continue without a wake-up: nap instead of sleeping */
} cor_unsent;

/* How a thread has waited so far; zero-initialise, and again (except `until`) after progress. */
typedef struct cor_idle_state {
    uint32_t rounds;
    uint32_t yields;
    uint64_t since_ns, looked_ns;
    int is_told;     /* set by the device: this wait was reported */
    cor_until until; /* do not sleep once this is true: the rank that changes it then nudges this one */
} cor_idle_state;

typedef struct cor_waiter {
    cor_host *host;
    cor_lock *lock; /* the rank's; NULL: one thread at a time */
    cor_wait_config config;
    cor_wait_source *sources[COR_WAIT_SOURCES_MAX];
    int source_count;
    int is_silent;     /* a polled device has no source: never sleep */
    int sleeps_on_fds; /* a source has descriptors */
    int has_slept;     /* since the device last cleared it: poll everything */
    uint32_t sleepers;
    _Atomic uint32_t bell;               /* followers sleep on this word */
    uint32_t followers, until_followers; /* of these wait for memory */
    uint32_t helpers;                    /* threads that may post; under the lock */
    _Atomic uint32_t posts;              /* counts what helpers have posted */
    uint32_t posts_seen;                 /* read before a look; under the lock */
    int has_leader;
    uint32_t preempted; /* number of waits for which the CPU still counts as contested */
    uint64_t polled_ns; /* when the program last polled and found nothing */
    uint32_t polls;     /* times in a row, one soon after the other */
    /* For tools; changed where the rank gives its CPU away, so that counting costs nothing. */
    uint64_t sleeps; /* naps too */
    uint64_t yields;
} cor_waiter;

void cor_waiter_init(cor_waiter *waiter, cor_host *host, cor_lock *lock, const cor_wait_config *config);
void cor_waiter_add(cor_waiter *waiter, cor_wait_source *source);

/* Check the clock and the other ranks. 1: continue spinning. */
int cor_waiter_may_spin_on(cor_waiter *waiter, cor_idle_state *state);

enum { COR_WAIT_ROUNDS_A_LOOK = 64 }; /* spin rounds between two reads of the clock */

/* Spin for a moment, without a system call and with the lock held. 0: do not spin any more, rest instead. The first
 * rounds do not read the clock: most waits end here. */
static inline int cor_waiter_spin(cor_waiter *waiter, cor_idle_state *state)
{
    if (state->yields > 0 || waiter->host->is_oversubscribed || waiter->config.spin_us == 0)
        return 0;
    if (COR_LIKELY(++state->rounds % COR_WAIT_ROUNDS_A_LOOK != 0)) {
        cor_cpu_relax();
        return 1;
    }
    return cor_waiter_may_spin_on(waiter, state);
}

/* Yield, nap or sleep. Releases the lock meanwhile. */
void cor_waiter_rest(cor_waiter *waiter, cor_idle_state *state, cor_unsent unsent);
/* A short nap without the lock. */
void cor_waiter_nap(cor_waiter *waiter);
/* The program polled, does not wait, and found nothing. Returns 1 if it polls in a loop while others may need the CPU;
 * then it should yield. */
int cor_waiter_polled(cor_waiter *waiter);
/* Yield the CPU once, without the lock. */
void cor_waiter_yield(cor_waiter *waiter);
/* Hand the lock to another thread of this rank that wants it, and take it back only after that thread had it. */
void cor_waiter_hand_over(cor_waiter *waiter);

void cor_waiter_wake_all(cor_waiter *waiter);

/* WITHOUT the rank's lock, by a helper, after its work has become visible: a thread of the rank that sleeps makes
 * progress now. The host stays open meanwhile. */
void cor_waiter_post(cor_waiter *waiter);

/* Something was completed: wake this rank's threads that sleep. */
static inline void cor_waiter_wake(cor_waiter *waiter)
{
    if (COR_UNLIKELY(waiter->sleepers))
        cor_waiter_wake_all(waiter);
}

#endif
