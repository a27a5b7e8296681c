/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The executor: runs plans. One function runs an execution as far as possible without waiting. Blocking calls alternate
 * it with the device's progress; for the others it is a progress hook of the device.
 *
 * Everything here is called with the rank's lock held.
 */
#ifndef COR_COLL_EXECUTE_H
#define COR_COLL_EXECUTE_H

#include "coll/plan/call.h"
#include "coll/plan/plan_step.h"

typedef struct cor_execution cor_execution;

/* The state to run the plan, one run at a time. Takes a reference to the plan. NULL: no memory. */
cor_execution *cor_execution_create(cor_plan *plan);
/* Also for one that is under way while its rank ends. */
void cor_execution_destroy(cor_execution *execution);
const cor_plan *cor_execution_plan(const cor_execution *execution);
cor_request *cor_execution_request(const cor_execution *execution);

/* Bind it to the buffers of a call (binding.h). COR_ERR_MEMORY. A plan that uses no slot but TEMP needs no binding. */
int cor_execution_bind(cor_execution *execution, const cor_call *call, int is_kept);
void cor_execution_unbind(cor_execution *execution);

/* Run to the end. Messages carry `tag`. */
int cor_execution_run(cor_execution *execution, int tag);

/* Run in the background, once or repeatedly: at the end of each run `request` is complete, and then `done` is called,
 * which may destroy the execution. */
void cor_execution_set_request(cor_execution *execution, int tag, cor_request *request,
                               void (*done)(cor_execution *execution));
void cor_execution_start(cor_execution *execution);

#endif
