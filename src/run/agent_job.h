/* A plan as bytes: what an agent is told to run. */
#ifndef COR_RUN_AGENT_JOB_H
#define COR_RUN_AGENT_JOB_H

#include "base/error.h"
#include "run/run_plan.h"

#include <stddef.h>

/* The part of a plan for `count` hosts from hosts[first] on, of which the first is the agent's own. The caller frees
 * *bytes_p. COR_ERR_MEMORY, or COR_ERR_ARG when it is too much to tell. */
int cor_agent_job_encode(const run_plan *plan, const char *name, int first, int count, char **bytes_p,
                         size_t *length_p, cor_fault *fault);

/* A plan taken from bytes, and all memory it points to. */
typedef struct agent_job {
    run_plan plan;
    void *memory;
} agent_job;

/* COR_ERR_PROTOCOL names the field that cannot be. */
int cor_agent_job_decode(const char *bytes, size_t length, agent_job *job_p, cor_fault *fault);
void cor_agent_job_fini(agent_job *job);

#endif
