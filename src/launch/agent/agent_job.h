/* SPDX-License-Identifier: Apache-2.0 */
/* A plan as bytes: the job that an agent receives. */
#ifndef COR_RUN_AGENT_JOB_H
#define COR_RUN_AGENT_JOB_H

#include "base/error.h"
#include "launch/run_plan.h"

#include <stddef.h>

/* The part of a plan for `count` hosts from hosts[first] on, of which the first is the agent's own. The caller frees
 * *bytes_p. COR_ERR_MEMORY, or COR_ERR_ARG when it is too long for a frame. */
int cor_agent_job_encode(const run_plan *plan, const char *name, int first, int count, char **bytes_p,
                         size_t *length_p, cor_fault *fault);

/* A decoded plan, and all memory it points to. */
typedef struct agent_job {
    run_plan plan;
    void *memory;
} agent_job;

/* COR_ERR_PROTOCOL names the invalid field. */
int cor_agent_job_decode(const char *bytes, size_t length, agent_job *job_p, cor_fault *fault);
void cor_agent_job_fini(agent_job *job);

#endif
