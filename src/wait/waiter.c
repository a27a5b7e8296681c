/* SPDX-License-Identifier: Apache-2.0 */
#include "wait/waiter.h"

#include "base/clock.h"

#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <time.h>

#define WAIT_FIELD(field) offsetof(cor_wait_config, field)

static const cor_knob wait_knob_rows[] = {
    {"wait.spin_us", COR_KNOB_INT, WAIT_FIELD(spin_us), "1000", NULL, 0, 1 << 30,
     "microseconds to spin before yielding, where every rank has a CPU; 0: not at all"},
    {"wait.yields", COR_KNOB_INT, WAIT_FIELD(yields), "100", NULL, 0, 1 << 30,
     "number of times to yield the CPU before sleeping; 0: sleep at once"},
};

const cor_knob_table cor_wait_knobs = {wait_knob_rows, sizeof wait_knob_rows / sizeof *wait_knob_rows};

enum {
    WAIT_YIELDS_A_LOOK = 20,
    WAIT_HAND_OVER_SPINS = 500,
    WAIT_NAP_NS = 50 * 1000,
    WAIT_PREEMPTED_NS = 300 * 1000,     /* between two looks: another program had the CPU meanwhile */
    WAIT_PREEMPTED_WAITS = 100,         /* number of waits for which the CPU counts as contested */
    WAIT_PREEMPTED_SPIN_NS = 20 * 1000, /* then spinning ends here */
    WAIT_PREEMPTED_YIELDS = 1000,       /* the same for a rank that yields: to find out again costs a slice of time */
    WAIT_LOOP_NS = 5 * 1000,            /* a program that polls again within this time is in a loop */
    WAIT_LOOP_POLLS = 16,               /* and surely is after so many times */
    WAIT_FDS_MAX = 16,                  /* to sleep on */
};

void cor_waiter_init(cor_waiter *waiter, cor_host *host, cor_lock *lock, const cor_wait_config *config)
{
    *waiter = (cor_waiter){.host = host, .lock = lock, .config = *config};
}

void cor_waiter_add(cor_waiter *waiter, cor_wait_source *source)
{
    COR_ASSERT(waiter->source_count < COR_WAIT_SOURCES_MAX);
    waiter->sources[waiter->source_count++] = source;
    if (source->fds && !waiter->sleeps_on_fds) {
        waiter->sleeps_on_fds = 1;
        cor_host_use_fds(waiter->host);
    }
}

static void waiter_leave(cor_waiter *waiter)
{
    if (waiter->lock)
        cor_lock_release(waiter->lock);
}

static void waiter_enter(cor_waiter *waiter)
{
    if (waiter->lock)
        cor_lock_acquire(waiter->lock);
}

void cor_waiter_hand_over(cor_waiter *waiter)
{
    waiter_leave(waiter);
    for (int i = 0; i < WAIT_HAND_OVER_SPINS; i++) {
        /* relaxed: a hint. */
        if (atomic_load_explicit(&waiter->lock->state, memory_order_relaxed) != 0)
            break;
        cor_cpu_relax();
    }
    waiter_enter(waiter);
}

/* ---- spinning --------------------------------------------------------------------------------------------------- */

/* Where other programs want the CPUs as well, a rank that spins keeps the CPU from the very peer it waits for, and one
 * that yields gives a whole slice of time away; one that sleeps comes back as soon as it is woken. So spin only
 * briefly there, and then sleep. Returns 1: spin on. */
int cor_waiter_may_spin_on(cor_waiter *waiter, cor_idle_state *state)
{
    uint64_t now = cor_clock_ns(), limit = (uint64_t)waiter->config.spin_us * 1000;
    if (state->since_ns == 0)
        state->since_ns = state->looked_ns = now;
    if (COR_UNLIKELY(now - state->looked_ns > WAIT_PREEMPTED_NS))
        waiter->preempted = WAIT_PREEMPTED_WAITS;
    state->looked_ns = now;
    if (waiter->preempted && limit > WAIT_PREEMPTED_SPIN_NS)
        limit = WAIT_PREEMPTED_SPIN_NS;
    if (now - state->since_ns < limit && cor_host_may_spin(waiter->host))
        return 1;
    if (waiter->preempted) {
        waiter->preempted--;
        state->yields = (uint32_t)waiter->config.yields;
    }
    return 0;
}

/* ---- yielding --------------------------------------------------------------------------------------------------- */

/* Returns how many times the CPU was given away. */
static uint32_t waiter_yield(cor_waiter *waiter, const cor_until *until, cor_unsent unsent)
{
    cor_host *host = waiter->host;
    /* Unsent packets move only when we look, and so does what comes by descriptors; otherwise nothing does until the
     * doorbell's count grows. */
    int is_told = waiter->source_count > 0 && !waiter->sources[0]->fds && unsent == COR_UNSENT_NONE;
    uint32_t arrivals = host->arrivals_seen;
    waiter_leave(waiter);
    int done = cor_host_yield(host, arrivals, is_told ? WAIT_YIELDS_A_LOOK : 1, until);
    waiter_enter(waiter);
    waiter->yields += (uint64_t)done;
    cor_host_spread(host, done);
    return (uint32_t)done;
}

/* Ranks that share CPUs yield while they wait. Beside another program each yield is a slice of its time, some
 * milliseconds: then a rank that waits for a message sleeps at once instead. Not one that waits for memory that several
 * ranks read: to wake all of those would take longer than their turns. Two ranks and another program on one CPU: 2 us a
 * hop instead of 680. */
static void waiter_yield_or_not(cor_waiter *waiter, cor_idle_state *state, cor_unsent unsent)
{
    if (state->until.is_over || !waiter->host->is_oversubscribed) {
        state->yields += waiter_yield(waiter, &state->until, unsent);
    } else if (COR_UNLIKELY(waiter->preempted) && state->yields == 0) {
        waiter->preempted--;
        state->yields = (uint32_t)waiter->config.yields;
    } else {
        uint64_t begin_ns = cor_clock_ns();
        uint32_t done = waiter_yield(waiter, &state->until, unsent);
        if (COR_UNLIKELY(cor_clock_ns() - begin_ns > (uint64_t)done * WAIT_PREEMPTED_NS))
            waiter->preempted = WAIT_PREEMPTED_YIELDS;
        state->yields += done;
    }
}

/* A program that does something else between two polls keeps the CPU; one that polls again at once is in a loop, which
 * might keep the CPU from the very peer it waits for. */
int cor_waiter_polled(cor_waiter *waiter)
{
    uint64_t now = cor_clock_ns(), gap = now - waiter->polled_ns;
    if (gap > WAIT_PREEMPTED_NS && waiter->polls > WAIT_LOOP_POLLS)
        waiter->preempted = WAIT_PREEMPTED_WAITS;
    waiter->polls = gap < WAIT_LOOP_NS ? waiter->polls + 1 : 0;
    waiter->polled_ns = now;
    return waiter->polls > 0 && (waiter->host->is_oversubscribed || waiter->preempted);
}

void cor_waiter_yield(cor_waiter *waiter)
{
    waiter->preempted -= waiter->preempted > 0;
    waiter_leave(waiter);
    sched_yield();
    waiter_enter(waiter);
    waiter->yields++;
    waiter->polled_ns = cor_clock_ns();
}

/* ---- sleeping --------------------------------------------------------------------------------------------------- */

void cor_waiter_nap(cor_waiter *waiter)
{
    struct timespec moment = {0, WAIT_NAP_NS};
    waiter_leave(waiter);
    nanosleep(&moment, NULL);
    waiter_enter(waiter);
    waiter->sleeps++;
}

/* A rank alone on its host is rung by other threads of its own only. */
static int waiter_is_rung(const cor_waiter *waiter)
{
    return waiter->host->count > 1 || waiter->lock || waiter->helpers > 0;
}

void cor_waiter_post(cor_waiter *waiter)
{
    /* release: a thread that reads the count sees what was made visible before. */
    atomic_fetch_add_explicit(&waiter->posts, 1, memory_order_release);
    cor_host_nudge(waiter->host, waiter->host->me);
}

/* Since the last time; the caller looks at all of them now. */
static int waiter_has_posts(cor_waiter *waiter)
{
    uint32_t posts = atomic_load_explicit(&waiter->posts, memory_order_acquire);
    int has_posts = posts != waiter->posts_seen;
    waiter->posts_seen = posts;
    return has_posts;
}

/* Arm all sources. 0: something has arrived already. */
static int waiter_arm(cor_waiter *waiter, const cor_until *until, uint32_t *ticket_p)
{
    cor_host *host = waiter->host;
    if (until->before_sleep)
        until->before_sleep(until->subject);
    if (waiter->sleeps_on_fds)
        cor_host_clear_wakeup(host);
    if (waiter_is_rung(waiter) && !cor_host_arm(host, ticket_p))
        return 0;
    if (COR_UNLIKELY(waiter_has_posts(waiter)))
        return 0;
    for (int i = 0; i < waiter->source_count; i++)
        if (!waiter->sources[i]->arm(waiter->sources[i]))
            return 0;
    /* The rank that changes the awaited memory reads the bell afterwards, and finds it set from here on. */
    return !cor_until_is_over(until);
}

/* All sources ring the doorbell. */
static void waiter_sleep_on_bell(cor_waiter *waiter, const cor_until *until)
{
    uint32_t ticket = 0;
    if (!waiter_arm(waiter, until, &ticket))
        return;
    waiter->sleepers++;
    waiter_leave(waiter);
    cor_host_sleep(waiter->host, ticket);
    waiter_enter(waiter);
    waiter->sleepers--;
    waiter->sleeps++;
}

static void waiter_wake_followers(cor_waiter *waiter, int count)
{
    /* relaxed: changed under the lock, and a thread that sleeps took its ticket under the lock. */
    atomic_fetch_add_explicit(&waiter->bell, 1, memory_order_relaxed);
    cor_futex_wake(&waiter->bell, count);
}

/* Another thread of this rank polls the descriptors; it wakes this one when a transfer of this thread is done, or to
 * take its place. */
static void waiter_follow(cor_waiter *waiter, const cor_until *until)
{
    uint32_t ticket = atomic_load_explicit(&waiter->bell, memory_order_relaxed);
    if (until->before_sleep)
        until->before_sleep(until->subject);
    if (cor_until_is_over(until))
        return;
    waiter->sleepers++;
    waiter->followers++;
    waiter->until_followers += until->is_over != NULL;
    waiter_leave(waiter);
    cor_futex_wait(&waiter->bell, ticket, 0);
    waiter_enter(waiter);
    waiter->sleeps++;
    waiter->until_followers -= until->is_over != NULL;
    waiter->followers--;
    waiter->sleepers--;
}

static void waiter_lead(cor_waiter *waiter, struct pollfd *fds, int count, int timeout_ms)
{
    waiter->sleepers++;
    waiter->has_leader = 1;
    waiter_leave(waiter);
    poll(fds, (nfds_t)count, timeout_ms);
    waiter_enter(waiter);
    waiter->sleeps++;
    waiter->has_leader = 0;
    waiter->sleepers--;
    waiter->has_slept = 1;
    /* We may have what we waited for and not come back: another thread must look after the descriptors. Memory that
     * changed may be what any of them waits for. */
    if (COR_UNLIKELY(waiter->followers))
        waiter_wake_followers(waiter, waiter->until_followers ? INT_MAX : 1);
}

static void waiter_limit(int *timeout_ms, int limit_ms)
{
    if (limit_ms >= 0 && (*timeout_ms < 0 || limit_ms < *timeout_ms))
        *timeout_ms = limit_ms;
}

static void waiter_sleep_on_fds(cor_waiter *waiter, const cor_until *until)
{
    struct pollfd fds[WAIT_FDS_MAX];
    int count = 0, timeout_ms = cor_host_sleep_ms(waiter->host), limit_ms = -1;
    uint32_t ticket;
    if (waiter->has_leader) {
        waiter_follow(waiter, until);
        return;
    }
    if (!waiter_arm(waiter, until, &ticket))
        return;
    cor_wait_source *only = waiter->source_count == 1 && !waiter_is_rung(waiter) ? waiter->sources[0] : NULL;
    if (only && only->wait_and_poll && only->wait_and_poll(only)) {
        waiter->sleeps++;
        return;
    }
    if (waiter_is_rung(waiter)) {
        int fd = cor_host_fd(waiter->host, &limit_ms);
        waiter_limit(&timeout_ms, limit_ms);
        if (fd >= 0)
            fds[count++] = (struct pollfd){.fd = fd, .events = POLLIN};
    }
    for (int i = 0; i < waiter->source_count; i++) {
        cor_wait_source *source = waiter->sources[i];
        if (!source->fds)
            continue;
        /* Of several threads one may close what another sleeps on, so they get the one that stays. */
        int room = waiter->lock ? 1 : WAIT_FDS_MAX - count - (waiter->source_count - 1 - i);
        count += source->fds(source, fds + count, room, &limit_ms);
        waiter_limit(&timeout_ms, limit_ms);
    }
    waiter_lead(waiter, fds, count, timeout_ms);
}

void cor_waiter_wake_all(cor_waiter *waiter)
{
    if (waiter->followers)
        waiter_wake_followers(waiter, INT_MAX);
    if (!waiter->sleeps_on_fds || waiter->has_leader)
        cor_host_ring(waiter->host, waiter->host->me);
}

void cor_waiter_rest(cor_waiter *waiter, cor_idle_state *state, cor_unsent unsent)
{
    if (state->yields < (uint32_t)waiter->config.yields)
        waiter_yield_or_not(waiter, state, unsent);
    else if (unsent == COR_UNSENT_POLLS || waiter->is_silent)
        cor_waiter_nap(waiter);
    else if (waiter->sleeps_on_fds)
        waiter_sleep_on_fds(waiter, &state->until);
    else
        waiter_sleep_on_bell(waiter, &state->until);
}
