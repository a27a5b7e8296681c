/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranks that share CPUs, evenly spread over them.
 *
 * Where ranks work in step the CPU with most ranks limits all: of 8 ranks on two CPUs, 5 on one and 3 on the other take
 * a quarter longer than 4 and 4. The kernel balances load, which yielding ranks hardly show, and so such a state lasts
 * long, above all among JVMs with their many threads. So every rank publishes its CPU, and waiting ranks count now and
 * then. If another CPU has at least two ranks fewer, one of the ranks moves there: the one with the highest number on
 * the CPU, so that not all of them move.
 *
 * This is enabled only by the knob sm.spread: the kernel often comes to the same result, and a program that places its
 * own threads must not be moved.
 *
 * A rank that has moved may still run on all its CPUs; the kernel can move it back, for example because of other
 * programs. Then the rank waits longer before it moves again.
 *
 * It is done only if all ranks may run on the same CPUs, and nothing has moved this thread since.
 */
#include "wait/host_state.h"

#include <string.h>

enum {
    HOST_SPREAD_TURNS = 128, /* on the CPU, between two looks */
    HOST_SPREAD_LOOKS = 2,   /* that must find the same */
    HOST_SPREAD_REST = 2,    /* looks after a move; after the next twice as many, and so on */
    HOST_SPREAD_REST_MAX = 32,
};

int host_spread_target(const int32_t *cpus, int count, int me, const cor_cpu_set *allowed)
{
    uint16_t ranks_on[COR_CPU_MAX] = {0};
    int own = cpus[me], target = own;
    if (own < 0 || own >= COR_CPU_MAX)
        return -1;
    for (int i = 0; i < count; i++) {
        if (i > me && cpus[i] == own)
            return -1;
        if (cpus[i] >= 0 && cpus[i] < COR_CPU_MAX)
            ranks_on[cpus[i]]++;
    }
    for (int word = 0; word < COR_CPU_MAX / 64; word++)
        for (uint64_t left = allowed->bits[word]; left; left &= left - 1) {
            int cpu = word * 64 + __builtin_ctzll(left);
            if (ranks_on[cpu] < ranks_on[target])
                target = cpu;
        }
    return ranks_on[own] - ranks_on[target] >= 2 ? target : -1;
}

void host_spread_init(cor_host *host)
{
    int can = host->is_oversubscribed && host->options.config->spread && host->count <= HOST_SPREAD_RANKS_MAX;
    for (int i = 0; i < host->count && can; i++)
        can = memcmp(&host->peers[i].seat->allowed, &host->seat->allowed, sizeof host->seat->allowed) == 0;
    host->spread = (cor_host_spread_state){.can_spread = can, .rest = HOST_SPREAD_REST};
}

static void host_spread_move(cor_host *host, int cpu)
{
    cor_host_spread_state *spread = &host->spread;
    cor_cpu_set allowed;
    cor_cpu_allowed(&allowed);
    if (memcmp(&allowed, &host->seat->allowed, sizeof allowed) != 0 || cor_cpu_move(cpu) < 0) {
        spread->can_spread = 0;
        return;
    }
    atomic_store_explicit(&host->seat->cpu, cpu, memory_order_relaxed); /* relaxed: a hint, as below */
    COR_LOG(host->options.log, DEBUG, "host: moved to CPU %d, which has fewer ranks", cpu);
    spread->resting = spread->rest;
    spread->rest = spread->rest < HOST_SPREAD_REST_MAX ? spread->rest * 2 : HOST_SPREAD_REST_MAX;
}

void host_spread_look(cor_host *host, int cpu)
{
    cor_host_spread_state *spread = &host->spread;
    /* relaxed: hints that may be old. */
    atomic_store_explicit(&host->seat->cpu, cpu, memory_order_relaxed);
    if (spread->resting > 0) {
        spread->resting--;
        return;
    }
    int32_t cpus[HOST_SPREAD_RANKS_MAX];
    for (int i = 0; i < host->count; i++) {
        const cor_host_seat *seat = host->peers[i].seat;
        int is_here = !host->peers[i].is_lost && !atomic_load_explicit(&seat->has_left, memory_order_relaxed);
        cpus[i] = is_here ? atomic_load_explicit(&seat->cpu, memory_order_relaxed) : -1;
    }
    int target = host_spread_target(cpus, host->count, host->me, &host->seat->allowed);
    spread->found = target < 0 ? 0 : spread->found + 1;
    if (spread->found >= HOST_SPREAD_LOOKS) {
        spread->found = 0;
        host_spread_move(host, target);
    }
}

void cor_host_spread(cor_host *host, int turns)
{
    cor_host_spread_state *spread = &host->spread;
    spread->turns += turns;
    if (COR_LIKELY(spread->turns < HOST_SPREAD_TURNS) || !spread->can_spread)
        return;
    spread->turns = 0;
    host_spread_look(host, cor_cpu_current());
}
