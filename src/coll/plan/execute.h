/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The executor: runs plans. One function moves an execution as far as it goes without waiting; blocking calls
 * alternate it with the device's progress, the others let the device's progress call it.
 *
 * Everything here is called with the rank's lock held.
 */
#ifndef COR_COLL_EXECUTE_H
#define COR_COLL_EXECUTE_H

#include "coll/plan/call.h"
#include "coll/plan/plan_step.h"

typedef struct cor_execution cor_execution;

/* Room to run the plan, one run at a time. Takes a reference to the plan. NULL: no memory. */
cor_execution *cor_execution_create(cor_plan *plan);
/* Also of one that is under way while its rank ends. */
void cor_execution_destroy(cor_execution *execution);
const cor_plan *cor_execution_plan(const cor_execution *execution);
cor_request *cor_execution_request(const cor_execution *execution);

/* The buffers it works on (binding.h). COR_ERR_MEMORY. A plan that touches no slot but TEMP runs without. */
int cor_execution_bind(cor_execution *execution, const cor_call *call, int is_kept);
void cor_execution_unbind(cor_execution *execution);

/* Run to the end. Messages carry `tag`. */
int cor_execution_run(cor_execution *execution, int tag);

/* Run in the background, once or again and again: at the end of each run `request` is complete, and then `done` is
 * called, which may destroy the execution. */
void cor_execution_set_request(cor_execution *execution, int tag, cor_request *request,
                               void (*done)(cor_execution *execution));
void cor_execution_start(cor_execution *execution);

#endif
