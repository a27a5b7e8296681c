/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers of the unit tests, with a seed that is told. */
#ifndef TESTS_UNIT_RANDOM_H
#define TESTS_UNIT_RANDOM_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* CORUNNA_TEST_SEED, or the clock; printed, so that a failure can be run again. */
static inline uint64_t unit_seed(void)
{
    const char *text = getenv("CORUNNA_TEST_SEED");
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t seed = text ? strtoull(text, NULL, 0) : ((uint64_t)now.tv_sec * 1000000007u + (uint64_t)now.tv_nsec) >> 8;
    printf("seed %llu\n", (unsigned long long)seed);
    fflush(stdout);
    return seed;
}

static inline uint64_t unit_random(uint64_t *state)
{
    uint64_t value = *state += 0x9e3779b97f4a7c15u;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}

#endif
