/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs of another MPI under our launcher.
 *
 * A program of MPICH and its kin speaks PMI-1 and runs as one job. One of Open MPI knows only PMIx: each of its
 * processes is a job of one rank, and nothing says so. A rank that has not spoken to the launcher is therefore looked
 * at, a few times after its start by the files that it has mapped, and at its end by the libraries that its program
 * names. The first that is found is told, once in the job.
 */
#ifndef COR_RUN_FOREIGN_H
#define COR_RUN_FOREIGN_H

#include "launch/job/run_job.h"

/* Look at the ranks of this host, if it is time; *when_ns is when to call again. */
void cor_run_foreign_time(run_job *job, uint64_t now_ns, uint64_t *when_ns);

/* A rank of this host has ended. */
void cor_run_foreign_ended(run_job *job, int rank);

/* A rank, here or below, runs with this library: tell it, or report it to the root. */
void cor_run_foreign_found(run_job *job, int rank, const char *library);

#endif
