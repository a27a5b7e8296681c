/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Learning while a program runs: the knob coll.learn. Blocking calls of a communicator fall into classes: a primitive,
 * a power of two of bytes, an operator that is commutative or not. In each class the algorithms that can run there, and
 * whose cost (cost.h) is not far above the least, are tried now and then (trials.h); the fastest one then runs.
 *
 * All ranks choose the same, because they decide by numbers that all of them have: the number of the call, and what
 * they have agreed on. They agree by one small allreduce before a trial, which also makes them begin it together. It
 * uses messages, since memory that the members share may hold data that the caller sends or has received (cor_zcopy).
 * Learning begins with the 100th call on a communicator.
 *
 * Left to the rules: calls whose bytes not every rank knows (gatherv and the like), neighbourhoods, intercommunicators,
 * forced algorithms, calls that do not block. What is learnt on one communicator is not used on another.
 *
 * Everything here is called with the rank's lock held.
 */
#ifndef COR_COLL_LEARN_H
#define COR_COLL_LEARN_H

#include "coll/choose/choices.h"

#include <stdint.h>

enum {
    COR_LEARN_FIRST_CALL = 100, /* of a communicator */
    COR_LEARN_SHARE = 100,      /* trials take 1/100 of the run */
    COR_LEARN_VALUES = 4,       /* that the ranks agree on */
};

typedef struct cor_learn cor_learn;             /* of a communicator */
typedef struct cor_learn_class cor_learn_class; /* of its calls */

/* The state that the communicators of a rank share, if the knob is set. It is freed with the rules. COR_ERR_MEMORY. */
int cor_learn_open(cor_rank *rank, cor_coll_rank *coll);

/* *learn_p stays NULL where there is nothing to learn. COR_ERR_MEMORY. */
int cor_learn_create(cor_comm *comm, cor_coll_rank *rank, cor_learn **learn_p);
void cor_learn_destroy(cor_learn *learn);

/* The rule for this call. *due_p is set if the ranks agree first, and cor_learn_begin then returns the rule; else it is
 * NULL. Returns NULL as cor_choose does, or if there is no memory. */
const cor_rule *cor_learn_choose(cor_learn *learn, const cor_call *call, cor_learn_class **due_p);

/* A step: the values of this rank for the agreement; then, from the largest of all ranks' values, the rule that runs.
 * *is_trial_p: the caller passes the call's time to cor_learn_end. */
void cor_learn_bring(const cor_learn *learn, const cor_learn_class *due, uint64_t values[COR_LEARN_VALUES]);
const cor_rule *cor_learn_begin(cor_learn *learn, cor_learn_class *due, const cor_call *call,
                                const uint64_t values[COR_LEARN_VALUES], uint64_t agreeing_ns, const cor_rule *usual,
                                int *is_trial_p);
void cor_learn_end(cor_learn *learn, cor_learn_class *due, uint64_t call_ns);

/* The ranks could not agree: learn nothing more here. */
void cor_learn_stop(cor_learn *learn);
/* Shared memory is not available: leave out the algorithms that need it. All ranks find that at the same call. */
void cor_learn_without_board(cor_learn *learn);

/* What was learnt on all communicators of the rank, those that are freed too, as a rules file. COR_ERR_SYSTEM,
 * COR_ERR_MEMORY. */
int cor_learn_write(const cor_coll_rank *rank, const char *path, cor_fault *fault);

/* For the log, at the end. */
void cor_learn_tell(const cor_coll_rank *rank, const cor_log *log);

#endif
