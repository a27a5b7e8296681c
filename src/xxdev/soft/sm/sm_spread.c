/*
 * Ranks that share CPUs, evenly spread over them.
 *
 * Where ranks work in step the fullest CPU sets the pace: of 8 ranks on two CPUs, 5 on one and 3 on the other take a
 * quarter longer than 4 and 4. The kernel evens out load, which yielding ranks hardly show, and so leaves such a state
 * alone for long, above all among JVMs with their many threads. So every rank leaves word where it runs, and who waits
 * counts now and then. If another CPU has fewer ranks by two, one of the ranks goes there: the one with the highest
 * number on the CPU, so that not all of them go.
 *
 * A rank that has gone may run everywhere as before; the kernel can put it back if it knows better, because of other
 * programs, say. Then the rank waits longer before it goes again.
 *
 * Only if all ranks may run on the same CPUs, and nobody has given this thread others since.
 */
#include "xxdev/soft/sm/sm_state.h"

#include <string.h>

enum {
    SM_SPREAD_TURNS = 128, /* on the CPU, between two looks */
    SM_SPREAD_LOOKS = 2,   /* that must find the same */
    SM_SPREAD_REST = 2,    /* looks after a move; after the next twice as many, and so on */
    SM_SPREAD_REST_MAX = 32,
};

int sm_spread_target(const int32_t *cpus, int count, int me, const cor_cpu_set *allowed)
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

void sm_spread_init(sm_wire *wire)
{
    int can = wire->is_crowded && wire->config.spread && wire->peer_count <= SM_SPREAD_RANKS_MAX;
    for (int i = 0; i < wire->peer_count && can; i++)
        can = memcmp(&wire->peers[i].seat->allowed, &wire->seat->allowed, sizeof wire->seat->allowed) == 0;
    wire->spread = (sm_spread_state){.can_spread = can, .rest = SM_SPREAD_REST};
}

static void sm_spread_move(sm_wire *wire, int cpu)
{
    sm_spread_state *spread = &wire->spread;
    cor_cpu_set allowed;
    cor_cpu_allowed(&allowed);
    if (memcmp(&allowed, &wire->seat->allowed, sizeof allowed) != 0 || cor_cpu_move(cpu) < 0) {
        spread->can_spread = 0;
        return;
    }
    atomic_store_explicit(&wire->seat->cpu, cpu, memory_order_relaxed); /* relaxed: a hint, as below */
    COR_LOG(wire->options.log, DEBUG, "sm: moved to CPU %d, which has fewer ranks", cpu);
    spread->resting = spread->rest;
    spread->rest = spread->rest < SM_SPREAD_REST_MAX ? spread->rest * 2 : SM_SPREAD_REST_MAX;
}

void sm_spread_look(sm_wire *wire, int cpu)
{
    sm_spread_state *spread = &wire->spread;
    /* relaxed: hints that may be old. */
    atomic_store_explicit(&wire->seat->cpu, cpu, memory_order_relaxed);
    if (spread->resting > 0) {
        spread->resting--;
        return;
    }
    int32_t cpus[SM_SPREAD_RANKS_MAX];
    for (int i = 0; i < wire->peer_count; i++) {
        const sm_seat *seat = wire->peers[i].seat;
        int is_here = !wire->peers[i].is_lost && !atomic_load_explicit(&seat->has_left, memory_order_relaxed);
        cpus[i] = is_here ? atomic_load_explicit(&seat->cpu, memory_order_relaxed) : -1;
    }
    int target = sm_spread_target(cpus, wire->peer_count, wire->me, &wire->seat->allowed);
    spread->found = target < 0 ? 0 : spread->found + 1;
    if (spread->found >= SM_SPREAD_LOOKS) {
        spread->found = 0;
        sm_spread_move(wire, target);
    }
}

void sm_spread(cor_wire *base, int turns)
{
    sm_wire *wire = (sm_wire *)(void *)base;
    sm_spread_state *spread = &wire->spread;
    spread->turns += turns;
    if (COR_LIKELY(spread->turns < SM_SPREAD_TURNS) || !spread->can_spread)
        return;
    spread->turns = 0;
    sm_spread_look(wire, cor_cpu_current());
}
