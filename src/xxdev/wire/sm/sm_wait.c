/* The doorbell: sleeping until a peer writes, and who may spin. */
#include "base/futex.h"
#include "xxdev/wire/sm/sm_state.h"

#include <limits.h>
#include <sched.h>

void sm_bell_ring(sm_inbox *inbox)
{
    /* Only the one who turns the bell from odd to even makes the system call. acq_rel: the sleeper that sees the
     * bell turned sees the packet it was turned for. */
    uint32_t bell = atomic_load_explicit(&inbox->bell, memory_order_relaxed);
    while (bell & 1)
        if (atomic_compare_exchange_weak_explicit(&inbox->bell, &bell, bell + 1, memory_order_acq_rel,
                                                  memory_order_relaxed)) {
            cor_futex_wake(&inbox->bell, INT_MAX);
            return;
        }
}

int sm_arm(cor_wire *base, uint32_t *ticket_p)
{
    sm_wire *wire = (sm_wire *)(void *)base;
    /* seq_cst: the bell is set before we look for packets; see sm_send for the other half. A bell left set by a
     * thread that did not sleep costs the next writer one system call, no more. */
    *ticket_p = atomic_fetch_or_explicit(&wire->inbox->bell, 1, memory_order_seq_cst) | 1;
    if (!wire->has_heavy_fence)
        atomic_thread_fence(memory_order_seq_cst);
    else if (!cor_fence_heavy())
        return 0; /* without it a packet could be missed: stay awake */
    return !sm_has_arrived(wire);
}

void sm_sleep(cor_wire *base, uint32_t ticket)
{
    sm_wire *wire = (sm_wire *)(void *)base;
    cor_futex_wait(&wire->inbox->bell, ticket, 0);
}

void sm_ring(cor_wire *base)
{
    sm_bell_ring(((sm_wire *)(void *)base)->inbox);
}

/* What was written before must be visible before we look whether the reader sleeps: see sm_send. */
void sm_nudge(cor_wire *base, int rank)
{
    sm_wire *wire = (sm_wire *)(void *)base;
    sm_inbox *inbox = wire->peers[wire->peer_of_rank[rank]].inbox;
    if (COR_LIKELY(wire->has_heavy_fence))
        atomic_signal_fence(memory_order_seq_cst);
    else
        atomic_thread_fence(memory_order_seq_cst);
    if (COR_UNLIKELY(atomic_load_explicit(&inbox->bell, memory_order_relaxed) & 1))
        sm_bell_ring(inbox);
}

int sm_is_crowded(const cor_wire *base)
{
    return ((const sm_wire *)(const void *)base)->is_crowded;
}

int sm_may_spin(cor_wire *base)
{
    sm_wire *wire = (sm_wire *)(void *)base;
    if (wire->is_crowded)
        return 0;
    int cpu = cor_cpu_current();
    /* relaxed: a hint that may be old. */
    atomic_store_explicit(&wire->inbox->cpu, cpu, memory_order_relaxed);
    for (int i = 0; i < wire->peer_count; i++)
        if (i != wire->me && atomic_load_explicit(&wire->peers[i].inbox->cpu, memory_order_relaxed) == cpu)
            return 0;
    return 1;
}

uint32_t sm_arrivals(const cor_wire *base)
{
    return ((const sm_wire *)(const void *)base)->arrivals_seen;
}

/* A turn on a crowded host is spent on this loop: it touches one line of memory, because after every switch of address
 * space the caches of addresses are cold. */
int sm_yield(cor_wire *base, uint32_t arrivals, int times, const cor_until *until)
{
    sm_wire *wire = (sm_wire *)(void *)base;
    if (!wire->is_crowded)
        times = 1;
    int done = 0;
    do {
        sched_yield();
        /* relaxed: only asked whether to go and poll, which acquires. */
    } while (++done < times && atomic_load_explicit(&wire->inbox->arrivals, memory_order_relaxed) == arrivals &&
             !cor_until_is_over(until));
    return done;
}
