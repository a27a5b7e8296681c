/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs for the tests of collectives: ranks as threads of this process, or this process as a rank of the launcher's.
 *
 * A check that fails tells rank, what the rank was doing and how to do it again too (check_me). A job in which nothing
 * moves for a long time is ended as well: it tells where each rank stands.
 */
#ifndef TESTS_COLL_JOB_H
#define TESTS_COLL_JOB_H

#include "check.h"
#include "coll/coll.h"
#include "coll_kind.h"
#include "sanitized.h"

typedef struct coll_job coll_job;

/* One rank of a job. */
typedef struct coll_rank {
    const coll_job *job;
    cor_rank *rank;
    cor_comm *world;
    int number, size;
    uint64_t seed;
    coll_kinds kinds;
    char doing[320], again[200]; /* for the message of a failure */
    _Atomic unsigned long turns; /* grows while things move; read by the watch, of no other meaning */
} coll_rank;

struct coll_job {
    int threads; /* so many ranks as threads; 0: what the environment says, which is one rank here */
    int is_threaded;
    uint64_t seed; /* rank 0's counts */
    const char *const *overrides;
    void (*body)(coll_rank *me);
    void *context;
};

/* Open the ranks, run the body on each, close them. */
void coll_job_run(const coll_job *job);

/* Run body(context, number) in `count` more threads of a rank at once, and wait for them. */
void coll_in_threads(int count, void (*body)(void *context, int number), void *context);

/* CORUNNA_TEST_SEED, or the clock. */
uint64_t coll_seed(void);
/* CORUNNA_TEST_COUNT; UINT64_MAX for "all"; or the fallback. */
uint64_t coll_count(uint64_t fallback);

void coll_turn(coll_rank *me);

/* ---- checks ----------------------------------------------------------------------------------------------------- */

void *coll_alloc(size_t bytes); /* zeroed; free() */

#endif
