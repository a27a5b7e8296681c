/* SPDX-License-Identifier: Apache-2.0 */
#include "launch/agent/run_clock.h"

void cor_run_clock_add(run_clock *clock, uint64_t sent_ns, uint64_t theirs_ns, uint64_t now_ns)
{
    if (now_ns < sent_ns)
        return;
    uint64_t way_ns = now_ns - sent_ns;
    int at = clock->count % RUN_CLOCK_SAMPLES, best = 0;
    clock->recent[at].way_ns = way_ns;
    clock->recent[at].ahead_ns = (int64_t)(theirs_ns - (sent_ns + way_ns / 2));
    clock->count = clock->count < 2 * RUN_CLOCK_SAMPLES ? clock->count + 1 : RUN_CLOCK_SAMPLES + 1;
    int known = clock->count < RUN_CLOCK_SAMPLES ? clock->count : RUN_CLOCK_SAMPLES;
    for (int i = 1; i < known; i++)
        if (clock->recent[i].way_ns < clock->recent[best].way_ns)
            best = i;
    clock->last_ns = clock->recent[best].ahead_ns;
    if (clock->count <= RUN_CLOCK_SAMPLES)
        clock->first_ns = clock->last_ns;
}

int cor_run_clock_is_set(const run_clock *clock)
{
    return clock->count >= RUN_CLOCK_SAMPLES;
}

uint64_t cor_run_clock_ours(uint64_t theirs_ns, int64_t ahead_ns)
{
    return theirs_ns == 0 ? 0 : theirs_ns - (uint64_t)ahead_ns;
}
