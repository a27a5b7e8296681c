/* SPDX-License-Identifier: Apache-2.0 */
/* Monotonic time. */
#ifndef COR_BASE_CLOCK_H
#define COR_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds since an arbitrary moment, the same for all processes of one host; about 20 ns a call. */
static inline uint64_t cor_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#endif
