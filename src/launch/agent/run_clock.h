/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far the clock of another host is ahead of ours, by messages that go there and come back.
 *
 * Half the time on the way is the error, so the fastest of the last messages counts. Clocks drift: the difference at
 * the beginning is kept beside the last one, and both together make a line.
 */
#ifndef COR_RUN_CLOCK_H
#define COR_RUN_CLOCK_H

#include <stdint.h>

enum { RUN_CLOCK_SAMPLES = 8 };

typedef struct run_clock {
    int count; /* messages so far */
    struct {
        uint64_t way_ns; /* there and back */
        int64_t ahead_ns;
    } recent[RUN_CLOCK_SAMPLES];
    int64_t first_ns, last_ns; /* ahead by so much, after the first messages and by the last ones */
} run_clock;

/* A message that left at sent_ns was answered by the other host when its clock was theirs_ns, and is back now. */
void cor_run_clock_add(run_clock *clock, uint64_t sent_ns, uint64_t theirs_ns, uint64_t now_ns);

/* Are there enough messages to go by? */
int cor_run_clock_is_set(const run_clock *clock);

/* A time of theirs by our clock; 0 stays 0, which means none. */
uint64_t cor_run_clock_ours(uint64_t theirs_ns, int64_t ahead_ns);

#endif
