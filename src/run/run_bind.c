#define _GNU_SOURCE
#include "run/run_bind.h"

#include "base/cpu.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>

static int bind_is_allowed(const cor_cpu_set *set, int cpu)
{
    return (int)(set->bits[cpu / 64] >> cpu % 64 & 1);
}

/* The lowest processor of this one's core; itself if that is not known. */
static int bind_first_sibling(int cpu)
{
    char path[96];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
    FILE *file = fopen(path, "re");
    int first = cpu;
    if (file) {
        if (fscanf(file, "%d", &first) != 1)
            first = cpu;
        fclose(file);
    }
    return first;
}

/* Allowed processors in the order in which ranks take them. Returns how many. */
static int bind_order(const cor_cpu_set *allowed, int *order)
{
    int count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int cpu = 0; cpu < COR_CPU_MAX; cpu++) {
            if (!bind_is_allowed(allowed, cpu))
                continue;
            int first = bind_first_sibling(cpu);
            /* The first sibling that we may use represents the core. */
            int is_leader = first == cpu || first < 0 || first >= COR_CPU_MAX || !bind_is_allowed(allowed, first);
            if (is_leader == (pass == 0))
                order[count++] = cpu;
        }
    return count;
}

int cor_run_bind_core(int place)
{
    cor_cpu_set allowed;
    int order[COR_CPU_MAX];
    cor_cpu_allowed(&allowed);
    int count = bind_order(&allowed, order);
    if (count == 0) {
        errno = ENODEV;
        return -1;
    }
    cpu_set_t *set = CPU_ALLOC(COR_CPU_MAX);
    if (!set)
        return -1;
    size_t bytes = CPU_ALLOC_SIZE(COR_CPU_MAX);
    CPU_ZERO_S(bytes, set);
    CPU_SET_S((size_t)order[place % count], bytes, set);
    int code = sched_setaffinity(0, bytes, set);
    CPU_FREE(set);
    return code;
}
