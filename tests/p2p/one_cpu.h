/* SPDX-License-Identifier: Apache-2.0 */
/* Before MPI_Init, on every rank: all ranks share the first CPU that they may use. Needs _GNU_SOURCE. */
#ifndef COR_TESTS_P2P_ONE_CPU_H
#define COR_TESTS_P2P_ONE_CPU_H

#include <sched.h>

static inline void go_to_one_cpu(void)
{
    cpu_set_t all, one;
    int cpu = 0;
    sched_getaffinity(0, sizeof all, &all);
    while (!CPU_ISSET((size_t)cpu, &all))
        cpu++;
    CPU_ZERO(&one);
    CPU_SET((size_t)cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
}

#endif
