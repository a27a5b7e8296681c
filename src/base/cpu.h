/* SPDX-License-Identifier: Apache-2.0 */
/* Processor: cache lines, spin hints, CPU sets. */
#ifndef COR_BASE_CPU_H
#define COR_BASE_CPU_H

#include <stdint.h>

/* The unit of transfer between two cores. */
#define COR_CACHE_LINE 64

#define COR_LIKELY(x) __builtin_expect(!!(x), 1)
#define COR_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* Hint to the core that this is a spin loop. */
static inline void cor_cpu_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield" ::: "memory");
#else
    __asm__ volatile("" ::: "memory");
#endif
}

/* CPUs 0..COR_CPU_MAX-1 this thread may run on, as a bit set. CPUs beyond are left out. */
#define COR_CPU_MAX 1024
typedef struct cor_cpu_set {
    uint64_t bits[COR_CPU_MAX / 64];
} cor_cpu_set;

void cor_cpu_allowed(cor_cpu_set *set_p);
int cor_cpu_count(const cor_cpu_set *set);

/* The CPU this thread runs on now, or -1. */
int cor_cpu_current(void);
/* Move to a CPU now, without changing which CPUs the thread may use. Returns 0, or -1 if that is not possible. */
int cor_cpu_move(int cpu);

#endif
