/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long a wait has lasted while this process ran. A process that is stopped (Ctrl-Z), or whose host sleeps, must not
 * find all its time limits passed when it resumes. So a wait checks the clock often, and the time between two checks
 * counts for at most one step.
 */
#ifndef COR_BASE_PATIENCE_H
#define COR_BASE_PATIENCE_H

#include <stdint.h>

enum { COR_PATIENCE_STEP_MS = 500 }; /* the longest interval between two checks that counts fully */

typedef struct cor_patience {
    uint64_t looked_ns, passed_ns;
} cor_patience;

static inline cor_patience cor_patience_begin(uint64_t now_ns)
{
    return (cor_patience){.looked_ns = now_ns};
}

/* The time that has passed by now. */
static inline uint64_t cor_patience_passed_ns(cor_patience *patience, uint64_t now_ns)
{
    uint64_t step_ns = now_ns - patience->looked_ns, most_ns = (uint64_t)COR_PATIENCE_STEP_MS * 1000000;
    patience->looked_ns = now_ns;
    patience->passed_ns += step_ns < most_ns ? step_ns : most_ns;
    return patience->passed_ns;
}

#endif
