/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a plan as they are stored: for plan.c, which appends them, and execute.c, which runs them. */
#ifndef COR_COLL_PLAN_STEP_H
#define COR_COLL_PLAN_STEP_H

#include "coll/plan/plan.h"
#include "dtype/op.h"

typedef enum cor_step_kind {
    COR_STEP_SEND,
    COR_STEP_RECV,
    COR_STEP_WAIT,
    COR_STEP_WAIT_ALL, /* every transfer with a lower number */
    COR_STEP_COPY,
    COR_STEP_REDUCE,
    COR_STEP_CALL,
} cor_step_kind;

/* The function of a call step; `memory` is the bytes that the step names, in plain memory. An error ends the plan at
 * this step; all ranks must find the same error, or the others wait for ever. The function writes the sentence. */
typedef int (*cor_step_fn)(cor_rank *rank, void *memory, const void *note);

struct cor_step {
    uint8_t kind;
    int peer;          /* send, recv: rank in the job */
    int transfer;      /* send, recv: its number; wait: the one waited for; wait all: the first that is not */
    cor_ref a, b, out; /* send, copy: from a; recv, copy: to out; reduce: all; call: a, in TEMP */
    cor_step_fn call;
    const void *note;
};

/* Append: call `fn` with these bytes of TEMP. */
void cor_plan_call(cor_plan *plan, cor_ref memory, cor_step_fn fn, const void *note);

/* An empty plan with one reference; of the call only the communicator and the primitive are set. NULL: no memory. */
cor_plan *cor_plan_create(cor_comm *comm, cor_primitive primitive);
void cor_plan_unref(cor_plan *plan);

/* The rest of a plan whose steps are done: the same call, with these starts, built; valid as long as the plan. NULL: no
 * memory. */
cor_plan *cor_plan_create_rest(const cor_plan *plan, const size_t *starts);

#endif
