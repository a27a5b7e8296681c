/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time for traces: ticks of the processor's counter, which cost a third of reading the clock.
 *
 * Two readings of both, at the beginning and at the end, convert ticks to nanoseconds (cor_ticks_pair). The counter
 * must be constant-rate and synchronised across the processors of the host; where that is not known, ticks are
 * nanoseconds of the clock.
 */
#ifndef COR_TRACE_TICKS_H
#define COR_TRACE_TICKS_H

#include "base/clock.h"

/* The same moment by counter and clock. */
typedef struct cor_ticks_pair {
    uint64_t ticks, ns;
} cor_ticks_pair;

/* May the counter of this host be used? Reads /proc/cpuinfo: call it once. */
int cor_ticks_has_counter(void);

static inline uint64_t cor_ticks(int has_counter)
{
#if defined(__x86_64__)
    if (has_counter)
        return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    if (has_counter) {
        uint64_t ticks;
        __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
        return ticks;
    }
#endif
    (void)has_counter;
    return cor_clock_ns();
}

static inline cor_ticks_pair cor_ticks_look(int has_counter)
{
    return (cor_ticks_pair){cor_ticks(has_counter), cor_clock_ns()};
}

/* The clock at `ticks`, on the line through both pairs; any numbers are allowed. */
static inline double cor_ticks_ns(uint64_t ticks, cor_ticks_pair first, cor_ticks_pair last)
{
    double span = (double)(int64_t)(last.ticks - first.ticks);
    double scale = span > 0 ? (double)(int64_t)(last.ns - first.ns) / span : 1;
    return (double)first.ns + (double)(int64_t)(ticks - first.ticks) * scale;
}

#endif
