/* SPDX-License-Identifier: Apache-2.0 */
/* `corunna run --sim`: a job whose ranks run in virtual time (xxdev/sim/simdev.h). */
#ifndef COR_RUN_SIM_H
#define COR_RUN_SIM_H

#include "launch/run_plan.h"
#include "sim/sim_spec.h"

typedef struct run_sim {
    int is_asked;
    cor_sim_spec spec;
    char net[COR_SIM_NET_TEXT], node_ranks[16]; /* values of settings: sim.net, coll.node_ranks */
} run_sim;

/* Parse the option's value. 0, or -1 after a message. */
int cor_run_sim_parse(run_sim *sim, const char *text);

/* Run the job and return the launcher's exit status: a C program as one process for each rank, a Java program as
 * threads of one JVM, which replaces this process. `host_count`: number of hosts named; none may be. */
int cor_run_sim_start(const run_sim *sim, run_plan *plan, size_t host_count);

#endif
