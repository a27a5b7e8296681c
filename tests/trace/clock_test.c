/* SPDX-License-Identifier: Apache-2.0 */
/* The clock of another host, from messages that take their time. */
#include "check.h"
#include "launch/agent/run_clock.h"

int main(void)
{
    run_clock clock = {0};
    const uint64_t ahead = 5000000;
    uint64_t now = 1000000000;
    CHECK(!cor_run_clock_is_set(&clock));
    /* The third message is the fastest, and goes there as fast as back; the others are late on the way back. */
    for (int i = 0; i < RUN_CLOCK_SAMPLES; i++, now += 1000000) {
        uint64_t there = 1000, back = i == 2 ? 1000 : 50000;
        cor_run_clock_add(&clock, now, now + there + ahead, now + there + back);
    }
    CHECK(cor_run_clock_is_set(&clock));
    CHECK_EQUAL(ahead, clock.first_ns);
    CHECK_EQUAL(ahead, clock.last_ns);
    /* It drifts; the difference at the beginning stays. */
    for (int i = 0; i < 100; i++, now += 1000000)
        cor_run_clock_add(&clock, now, now + 1000 + ahead + 700, now + 2000);
    CHECK_EQUAL(ahead, clock.first_ns);
    CHECK_EQUAL(ahead + 700, clock.last_ns);
    CHECK_EQUAL(1000, cor_run_clock_ours(1000 + ahead, (int64_t)ahead));
    CHECK_EQUAL(0, cor_run_clock_ours(0, (int64_t)ahead));
    /* A clock that is behind, and an answer from before the question. */
    run_clock other = {0};
    cor_run_clock_add(&other, 2000, 1100, 2200);
    CHECK_EQUAL(-1000, other.last_ns);
    cor_run_clock_add(&other, 2000, 1100, 1000);
    CHECK_EQUAL(1, other.count);
    return 0;
}
