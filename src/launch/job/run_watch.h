/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The record of the job (trace/record.h), as used by the launcher and its agents.
 *
 * The root checks it for a stall, prints it on SIGQUIT, and at the end writes timeline and statistics. An agent sends
 * what its ranks do, when that has changed, and all that they have recorded at the end. Times are those of the sender's
 * host; every receiver converts them to its own clock, so that at the root all times are by one clock. For that a
 * parent exchanges CLOCK frames with its agents.
 */
#ifndef COR_RUN_WATCH_H
#define COR_RUN_WATCH_H

#include "launch/job/run_job.h"

/* The settings trace.*, from the command line's overrides and the environment; which files can be written is checked.
 * 0, or -1 after a message. */
int cor_run_watch_load(run_plan *plan, const char *const *overrides);

/* Make the record. Without one the job still runs, unless the user has requested what it records: then -1 after a
 * message. */
int cor_run_watch_open(run_job *job);

/* A rank of this host was started, or has ended; a rank below has ended. */
void cor_run_watch_started(run_job *job, int rank);
void cor_run_watch_ended(run_job *job, int rank);

/* Check for a stall, send what has changed, exchange the time; *when_ns is when to call again. */
void cor_run_watch_time(run_job *job, uint64_t now_ns, uint64_t *when_ns);

/* The ranks continue after they were stopped: restart the measurement of a stall. */
void cor_run_watch_continued(run_job *job);

/* Print what every rank is doing. */
void cor_run_watch_picture(run_job *job);

/* Frames of an agent, about one of its ranks or about its clock; CLOCK also begins the exchange, with NULL. -1: it is
 * invalid. */
int cor_run_watch_receive(run_job *job, run_branch *branch, const agent_frame *frame);
void cor_run_watch_ask_clock(run_branch *branch);
/* The parent asks for the time. */
void cor_run_watch_answer_clock(run_job *job, const agent_frame *frame);

/* An agent: send all that its ranks have recorded. They have ended. */
void cor_run_watch_send_all(run_job *job);

/* The root: write the requested files. `status` is the job's; returns it, or 1 if it is 0 and something failed. */
int cor_run_watch_report(run_job *job, int status);
void cor_run_watch_close(run_job *job);

#endif
