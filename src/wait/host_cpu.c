/* SPDX-License-Identifier: Apache-2.0 */
/* Yielding the CPU, and when to keep it. */
#include "wait/host_state.h"

#include <sched.h>

int cor_host_may_spin(cor_host *host)
{
    if (host->is_oversubscribed)
        return 0;
    int cpu = cor_cpu_current();
    /* relaxed: a hint that may be old. */
    atomic_store_explicit(&host->seat->cpu, cpu, memory_order_relaxed);
    for (int i = 0; i < host->count; i++)
        if (i != host->me && atomic_load_explicit(&host->peers[i].seat->cpu, memory_order_relaxed) == cpu)
            return 0;
    return 1;
}

/* A turn on an oversubscribed host is spent on this loop: it touches one line of memory, because after every switch of
 * address space the caches of addresses are cold. */
int cor_host_yield(cor_host *host, uint32_t arrivals, int times, const cor_until *until)
{
    if (!host->is_oversubscribed)
        times = 1;
    int done = 0;
    do {
        sched_yield();
        /* relaxed: only a hint whether to poll, which acquires. */
    } while (++done < times && atomic_load_explicit(&host->seat->arrivals, memory_order_relaxed) == arrivals &&
             !cor_until_is_over(until));
    return done;
}
