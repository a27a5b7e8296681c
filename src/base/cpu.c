/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "base/cpu.h"

#include <sched.h>
#include <string.h>
#include <unistd.h>

void cor_cpu_allowed(cor_cpu_set *set_p)
{
    memset(set_p, 0, sizeof *set_p);
    cpu_set_t *allowed = CPU_ALLOC(COR_CPU_MAX);
    size_t bytes = CPU_ALLOC_SIZE(COR_CPU_MAX);
    if (allowed && sched_getaffinity(0, bytes, allowed) == 0) {
        for (int cpu = 0; cpu < COR_CPU_MAX; cpu++)
            if (CPU_ISSET_S((size_t)cpu, bytes, allowed))
                set_p->bits[cpu / 64] |= (uint64_t)1 << cpu % 64;
    } else {
        long online = sysconf(_SC_NPROCESSORS_ONLN);
        for (int cpu = 0; cpu < online && cpu < COR_CPU_MAX; cpu++)
            set_p->bits[cpu / 64] |= (uint64_t)1 << cpu % 64;
    }
    if (allowed)
        CPU_FREE(allowed);
}

int cor_cpu_count(const cor_cpu_set *set)
{
    int count = 0;
    for (int i = 0; i < COR_CPU_MAX / 64; i++)
        count += __builtin_popcountll(set->bits[i]);
    return count;
}

int cor_cpu_current(void)
{
    return sched_getcpu();
}

int cor_cpu_move(int cpu)
{
    cpu_set_t *before = CPU_ALLOC(COR_CPU_MAX), *only = CPU_ALLOC(COR_CPU_MAX);
    size_t bytes = CPU_ALLOC_SIZE(COR_CPU_MAX);
    int rc = -1;
    if (before && only && sched_getaffinity(0, bytes, before) == 0) {
        CPU_ZERO_S(bytes, only);
        CPU_SET_S((size_t)cpu, bytes, only);
        rc = sched_setaffinity(0, bytes, only);
        if (rc == 0)
            rc = sched_setaffinity(0, bytes, before);
    }
    if (before)
        CPU_FREE(before);
    if (only)
        CPU_FREE(only);
    return rc;
}
