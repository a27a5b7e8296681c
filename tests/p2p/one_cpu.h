/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks that share one CPU, and what a rank takes of it. Needs _GNU_SOURCE. */
#ifndef COR_TESTS_P2P_ONE_CPU_H
#define COR_TESTS_P2P_ONE_CPU_H

#include <sched.h>
#include <sys/resource.h>

/* Before MPI_Init, on every rank: all ranks share the first CPU that they may use, wherever the launcher has bound
 * them. */
static inline void go_to_one_cpu(void)
{
    cpu_set_t all, one;
    int cpu = 0;
    CPU_ZERO(&all);
    for (size_t i = 0; i < CPU_SETSIZE; i++)
        CPU_SET(i, &all);
    sched_setaffinity(0, sizeof all, &all); /* the kernel leaves out those that may not be used */
    sched_getaffinity(0, sizeof all, &all);
    while (!CPU_ISSET((size_t)cpu, &all))
        cpu++;
    CPU_ZERO(&one);
    CPU_SET((size_t)cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
}

/* What a process has taken so far. Other programs make it wait longer, but change neither of these much. */
typedef struct cpu_use {
    double us;     /* of CPU time */
    double sleeps; /* how often it gave the CPU up until something woke it; a yield is none */
} cpu_use;

static inline cpu_use cpu_use_now(void)
{
    struct rusage now;
    getrusage(RUSAGE_SELF, &now);
    return (cpu_use){.us = 1e6 * (double)(now.ru_utime.tv_sec + now.ru_stime.tv_sec) +
                           (double)(now.ru_utime.tv_usec + now.ru_stime.tv_usec),
                     .sleeps = (double)now.ru_nvcsw};
}

static inline cpu_use cpu_use_since(cpu_use begin)
{
    cpu_use now = cpu_use_now();
    return (cpu_use){now.us - begin.us, now.sleeps - begin.sleeps};
}

#endif
