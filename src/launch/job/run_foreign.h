/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs of another MPI under Corunna's launcher.
 *
 * Programs of MPICH and its derivatives use PMI-1 and run as one job. Those of Open MPI use only PMIx: each of their
 * processes silently becomes a job of one rank. So a rank that has not used PMI is checked: a few times after its start
 * the files that it has mapped, and at its end the libraries that its program needs. The first one found is reported,
 * once in the job.
 */
#ifndef COR_RUN_FOREIGN_H
#define COR_RUN_FOREIGN_H

#include "launch/job/run_job.h"

/* Check the ranks of this host, if it is time; *when_ns is when to call again. */
void cor_run_foreign_time(run_job *job, uint64_t now_ns, uint64_t *when_ns);

/* A rank of this host has ended. */
void cor_run_foreign_ended(run_job *job, int rank);

/* A rank, here or below, runs with this library: print a message, or report it to the root. */
void cor_run_foreign_found(run_job *job, int rank, const char *library);

#endif
