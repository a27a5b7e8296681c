/* Waiting: spin while it pays, then yield, then sleep. */
#include "base/clock.h"
#include "base/futex.h"
#include "xxdev/soft/soft_state.h"

#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <time.h>

enum {
    SOFT_ROUNDS_A_LOOK = 64, /* spin rounds between two looks at the clock */
    SOFT_YIELDS_A_LOOK = 20,
    SOFT_HAND_OVER_SPINS = 500,
    SOFT_NAP_NS = 50 * 1000,
    SOFT_OUSTED_NS = 300 * 1000,     /* between two looks: somebody else had the CPU meanwhile */
    SOFT_OUSTED_WAITS = 100,         /* for so many waits it is taken for contested */
    SOFT_OUSTED_SPIN_NS = 20 * 1000, /* then spinning ends here */
    SOFT_OUSTED_YIELDS_WAITS = 1000, /* the same for who yields: to find out again costs a slice of time */
    SOFT_LOOP_NS = 5 * 1000,         /* who asks again within this time is in a loop */
    SOFT_LOOP_VAIN = 16,             /* and surely is after so many times */
    SOFT_MAX_FDS = 16,               /* to sleep on */
};

/* Somebody else of this rank wants the lock: let it in, and do not snatch the lock back before it has come. */
static void soft_hand_over(cor_device *device)
{
    cor_device_leave(device);
    for (int i = 0; i < SOFT_HAND_OVER_SPINS; i++) {
        /* relaxed: a hint. */
        if (atomic_load_explicit(&device->lock->state, memory_order_relaxed) != 0)
            break;
        cor_cpu_relax();
    }
    cor_device_enter(device);
}

/* Returns how many times the CPU was given away. */
static uint32_t soft_yield(cor_soft *soft, const cor_until *until)
{
    /* Packets in the outbox move only when we look; otherwise nothing does until a packet comes. */
    int times = cor_list_is_empty(&soft->busy) ? SOFT_YIELDS_A_LOOK : 1;
    cor_wire *wire = soft->wires[0];
    uint32_t arrivals = wire->ops->arrivals ? wire->ops->arrivals(wire) : 0;
    cor_device_leave(&soft->base);
    int done = wire->ops->yield(wire, arrivals, times, until);
    cor_device_enter(&soft->base);
    if (wire->ops->spread)
        wire->ops->spread(wire, done);
    return (uint32_t)done;
}

static void soft_nap(cor_device *device)
{
    struct timespec moment = {0, SOFT_NAP_NS};
    cor_device_leave(device);
    nanosleep(&moment, NULL);
    cor_device_enter(device);
}

/* Ranks that share CPUs yield while they wait. Beside another program each yield is a slice of its time, some
 * milliseconds: then who waits for a message sleeps at once instead. Not who waits for memory that several ranks read:
 * to wake all of those would take longer than their turns. Two ranks and another program on one CPU: 2 us a hop instead
 * of 680. */
static void soft_yield_or_not(cor_soft *soft, cor_idle_state *state)
{
    if (state->until.is_over || !soft->base.is_crowded) {
        state->yields += soft_yield(soft, &state->until);
    } else if (COR_UNLIKELY(soft->ousted) && state->yields == 0) {
        soft->ousted--;
        state->yields = (uint32_t)soft->config.yields;
    } else {
        uint64_t begin_ns = cor_clock_ns();
        uint32_t done = soft_yield(soft, &state->until);
        if (COR_UNLIKELY(cor_clock_ns() - begin_ns > (uint64_t)done * SOFT_OUSTED_NS))
            soft->ousted = SOFT_OUSTED_YIELDS_WAITS;
        state->yields += done;
    }
}

/* One wire, which knows how to sleep. */
static void soft_sleep_on_wire(cor_soft *soft, const cor_until *until)
{
    cor_wire *wire = soft->wires[0];
    uint32_t ticket;
    if (until->before_sleep)
        until->before_sleep(until->subject);
    /* Whoever changes what is waited for looks at the bell afterwards, and finds it set from here on. */
    if (!wire->ops->arm(wire, &ticket) || cor_until_is_over(until))
        return;
    soft->sleepers++;
    cor_device_leave(&soft->base);
    wire->ops->sleep(wire, ticket);
    cor_device_enter(&soft->base);
    soft->sleepers--;
}

/* ---- sleeping on descriptors: several wires, or one that cannot sleep otherwise --------------------------------- */

void soft_wake_followers(cor_soft *soft, int count)
{
    /* relaxed: changed under the lock, and whoever sleeps took its ticket under the lock. */
    atomic_fetch_add_explicit(&soft->bell, 1, memory_order_relaxed);
    cor_futex_wake(&soft->bell, count);
}

/* Another thread of this rank looks after the descriptors; it wakes us when something of ours is done, or to take its
 * place. */
static void soft_follow(cor_soft *soft, const cor_until *until)
{
    uint32_t ticket = atomic_load_explicit(&soft->bell, memory_order_relaxed);
    soft->sleepers++;
    soft->followers++;
    soft->until_followers += until->is_over != NULL;
    cor_device_leave(&soft->base);
    cor_futex_wait(&soft->bell, ticket, 0);
    cor_device_enter(&soft->base);
    soft->until_followers -= until->is_over != NULL;
    soft->followers--;
    soft->sleepers--;
}

static void soft_lead(cor_soft *soft, struct pollfd *fds, int count, int timeout_ms)
{
    soft->sleepers++;
    soft->has_leader = 1;
    cor_device_leave(&soft->base);
    poll(fds, (nfds_t)count, timeout_ms);
    cor_device_enter(&soft->base);
    soft->has_leader = 0;
    soft->sleepers--;
    soft->must_poll_all = 1;
    /* We may have what we waited for and not come back: somebody else must look after the descriptors. Memory that
     * changed may be what any of them waits for. */
    if (COR_UNLIKELY(soft->followers))
        soft_wake_followers(soft, soft->until_followers ? INT_MAX : 1);
}

static void soft_sleep_on_fds(cor_soft *soft, const cor_until *until)
{
    struct pollfd fds[SOFT_MAX_FDS];
    int count = 0, timeout_ms = -1;
    if (until->before_sleep)
        until->before_sleep(until->subject);
    for (int i = 0; i < soft->wire_count && !soft->has_leader; i++) {
        cor_wire *wire = soft->wires[i];
        uint32_t ticket;
        if (wire->ops->hush)
            wire->ops->hush(wire);
        if (!wire->ops->arm(wire, &ticket))
            return;
    }
    if (cor_until_is_over(until))
        return;
    if (soft->wire_count == 1 && !soft->base.lock && soft->wires[0]->ops->linger &&
        soft->wires[0]->ops->linger(soft->wires[0]))
        return;
    if (soft->has_leader) {
        soft_follow(soft, until);
        return;
    }
    for (int i = 0; i < soft->wire_count; i++) {
        cor_wire *wire = soft->wires[i];
        /* Of several threads one may close what another sleeps on, so they get the one that stays. */
        int room = soft->base.lock ? 1 : SOFT_MAX_FDS - count - (soft->wire_count - 1 - i), limit_ms = -1;
        count += wire->ops->wait_fds(wire, fds + count, room, &limit_ms);
        if (limit_ms >= 0 && (timeout_ms < 0 || limit_ms < timeout_ms))
            timeout_ms = limit_ms;
    }
    soft_lead(soft, fds, count, timeout_ms);
}

/* Does whoever makes room for our unsent packets wake us? */
static int soft_is_rung_for_room(const cor_soft *soft)
{
    for (const cor_link *link = soft->busy.next; link != &soft->busy; link = link->next)
        if (!COR_OWNER((cor_link *)(uintptr_t)link, soft_peer, busy)->rings_for_room)
            return 0;
    return 1;
}

/* Where other programs want the CPUs as well, a rank that spins keeps the CPU from the very peer it waits for, and one
 * that yields gives a whole slice of time away; one that sleeps comes back as soon as it is woken. So spin only
 * briefly there, and then sleep. Returns 1: spin on. */
static int soft_may_spin_on(cor_soft *soft, cor_idle_state *state)
{
    uint64_t now = cor_clock_ns(), limit = (uint64_t)soft->config.spin_us * 1000;
    if (state->since_ns == 0)
        state->since_ns = state->looked_ns = now;
    if (COR_UNLIKELY(now - state->looked_ns > SOFT_OUSTED_NS))
        soft->ousted = SOFT_OUSTED_WAITS;
    state->looked_ns = now;
    if (soft->ousted && limit > SOFT_OUSTED_SPIN_NS)
        limit = SOFT_OUSTED_SPIN_NS;
    if (now - state->since_ns < limit && soft->wires[0]->ops->may_spin(soft->wires[0]))
        return 1;
    if (soft->ousted) {
        soft->ousted--;
        state->yields = (uint32_t)soft->config.yields;
    }
    return 0;
}

void soft_idle(cor_device *device, cor_idle_state *state)
{
    cor_soft *soft = soft_of(device);
    if (device->lock && COR_UNLIKELY(cor_lock_is_wanted(device->lock))) {
        soft_hand_over(device);
        return;
    }
    /* The first rounds cost no system call and no clock: most waits end here. */
    if (state->yields == 0 && !device->is_crowded && soft->config.spin_us > 0) {
        if (++state->rounds % SOFT_ROUNDS_A_LOOK != 0) {
            cor_cpu_relax();
            return;
        }
        if (soft_may_spin_on(soft, state))
            return;
    }
    soft->patience = 1; /* beside a turn of these a look at the clock costs little: soft_look.c */
    if (state->yields < (uint32_t)soft->config.yields) {
        soft_yield_or_not(soft, state);
        return;
    }
    /* Unsent packets wait for the peer to make room, and over some wires no doorbell tells of that. */
    if (!soft_is_rung_for_room(soft))
        soft_nap(device);
    else if (soft->sleeps_on_fds)
        soft_sleep_on_fds(soft, &state->until);
    else
        soft_sleep_on_wire(soft, &state->until);
}

/* Who does something else between two questions keeps the CPU; who asks again at once is in a loop, which might keep the
 * CPU from the very peer it waits for. */
void soft_vain(cor_device *device)
{
    cor_soft *soft = soft_of(device);
    uint64_t gap = cor_clock_ns() - soft->vain_ns;
    if (gap > SOFT_OUSTED_NS && soft->vain > SOFT_LOOP_VAIN)
        soft->ousted = SOFT_OUSTED_WAITS;
    soft->vain = gap < SOFT_LOOP_NS ? soft->vain + 1 : 0;
    if (soft->vain > 0 && (device->is_crowded || soft->ousted)) {
        soft->ousted -= soft->ousted > 0;
        cor_device_leave(device);
        sched_yield();
        cor_device_enter(device);
    }
    soft->vain_ns = cor_clock_ns();
}
