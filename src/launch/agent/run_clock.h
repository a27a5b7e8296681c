/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far the clock of another host is ahead of this one's, measured by round trips of messages.
 *
 * The error is half the round trip, so the fastest of the last messages counts. Clocks drift: the first difference is
 * kept with the last one, for a linear interpolation.
 */
#ifndef COR_RUN_CLOCK_H
#define COR_RUN_CLOCK_H

#include <stdint.h>

enum { RUN_CLOCK_SAMPLES = 8 };

typedef struct run_clock {
    int count; /* messages so far */
    struct {
        uint64_t way_ns; /* round trip */
        int64_t ahead_ns;
    } recent[RUN_CLOCK_SAMPLES];
    int64_t first_ns, last_ns; /* how far ahead, by the first and by the last messages */
} run_clock;

/* A message that left at sent_ns was answered by the other host when its clock was theirs_ns, and the answer has
 * arrived now. */
void cor_run_clock_add(run_clock *clock, uint64_t sent_ns, uint64_t theirs_ns, uint64_t now_ns);

/* Were there enough messages? */
int cor_run_clock_is_set(const run_clock *clock);

/* Convert a time of the other clock to this one's; 0 stays 0, which means none. */
uint64_t cor_run_clock_ours(uint64_t theirs_ns, int64_t ahead_ns);

#endif
