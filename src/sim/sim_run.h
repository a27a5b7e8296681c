/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a program of all ranks in one thread, in virtual time (sim_net.h).
 *
 * Every rank has a clock: the time when its CPU is free. A step advances the clock; a message that arrives is handled
 * as soon as the clock allows, and takes the overhead of its link. A rank runs steps, as the executor of the library
 * does (coll/plan/execute.c), until it must wait; the event that ends its wait continues it, without touching other
 * ranks. So the cost of a run is a few events for each message: it leaves its node, its head arrives, it has arrived;
 * for a long one also: it is announced, its data have left.
 */
#ifndef COR_SIM_RUN_H
#define COR_SIM_RUN_H

#include "sim/sim_program.h"
#include "xxdev/sim/sim_net.h"

enum { COR_SIM_CALLS_MAX = 64 };

/* Called now and then: is the result no longer needed? */
typedef struct cor_sim_stop {
    int (*is_asked)(void *subject);
    void *subject;
} cor_sim_stop;

typedef struct cor_sim_options {
    int calls;                /* of the program, in a row without a barrier; at least 1 */
    const cor_sim_stop *stop; /* NULL: never */
    /* Ranks begin at random times from 0 to skew_us, which depend on the seed alone. */
    double skew_us;
    uint64_t seed;
} cor_sim_options;

typedef struct cor_sim_result {
    double us; /* from when the last rank began to when the last one had ended */
    uint64_t events;
    size_t memory_bytes; /* of all ranks, the program included */
} cor_sim_result;

/* COR_AGAIN: stopped, and no result. COR_ERR_MEMORY; COR_ERR_ARG: a deadlock, with a sentence that names the ranks. */
int cor_sim_run(const cor_sim_net *net, const cor_sim_program *program, const cor_sim_options *options,
                cor_sim_result *result_p, cor_fault *fault);

#endif
