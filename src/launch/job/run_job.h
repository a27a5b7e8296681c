/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of a running job in the worker process, or in an agent's. Private to the files that are named below.
 *
 * The root decides everything. An agent starts the ranks of its host, reports their state to the root, obeys the root,
 * and forwards frames between the root and the agents below it.
 *
 * Start, stop and end of a job. The front (run_front.c) gets the user's signals and sends them to the worker, a byte
 * each. The worker:
 *
 *   RUNNING  starts ranks and serves them; it may be stopped (stopped_ns)
 *   ENDING   the ranks got a signal; SIGKILL follows at kill_at_ns
 *   KILLED   they got SIGKILL
 *   and then, when the last rank is reaped, the job is over.
 *
 *   RUNNING -> ENDING   SIGINT, SIGTERM or SIGHUP, the time limit, a rank that fails or cannot be started: the cause
 *   ENDING  -> KILLED   kill_at_ns has come, or a second signal; any -> KILLED: the front has died
 *   RUNNING <-> stopped SIGTSTP and SIGCONT
 *
 *  1. The front sends the byte of a stop before it stops itself: a stopped front sends none. When it continues, it
 *     sends the byte of a continue.
 *  2. It does not stop while a SIGCONT is pending, which came later and which the kernel would discard.
 *  3. No rank is started while the job is stopped. A started rank whose program does not run yet is stopped like any
 *     other.
 *  4. A stopped job is continued before it is ended: stopped ranks could not handle a signal.
 *  5. After that it is not stopped any more; only the front stops. Else ranks that handle the signal would be killed.
 *  6. Ranks that have not been started when the job ends count as ended.
 *  7. Ranks that ignore the signal are killed at kill_at_ns, or by a second signal.
 *  8. The first cause sets the job's status; how ranks end afterwards is caused by the launcher.
 *  9. A launcher started by a rank leads a process group of its own, and gets its own signals; a stop as SIGTSTP, by
 *     these rules. In the rank's group it would be stopped before it has stopped its ranks.
 * 10. At the end all descendants are killed.
 *
 * tests/launcher/job_model_test.c walks through all interleavings, with these rules and without any one of them.
 */
#ifndef COR_RUN_JOB_H
#define COR_RUN_JOB_H

#include "launch/agent/run_clock.h"
#include "launch/agent/run_link.h"
#include "launch/bind/run_bind.h"
#include "launch/io/run_input.h"
#include "launch/io/run_sink.h"
#include "launch/io/run_stream.h"
#include "launch/job/run_ready.h"
#include "launch/job/run_spawn.h"
#include "launch/run_limit.h"
#include "launch/run_plan.h"
#include "pmi/pmi_server.h"

#include <stdint.h>

typedef struct run_rank {
    const char *host;
    int branch;     /* the branch it is in, -1: this host */
    int is_alive;   /* it runs, here or below */
    pid_t pid;      /* of a rank of this host, 0 once it is reaped */
    int pmi_fd;     /* likewise, -1 once it is closed */
    int report_fd;  /* likewise, until it is known whether its program runs */
    int has_spoken; /* likewise, it has used PMI */
    run_stream output, error;
    run_hint hint; /* what its stderr says about a failure */
} run_rank;

/* run_foreign.c: how often ranks were checked, and since when. */
typedef struct run_foreign {
    uint64_t start_ns;
    int looks, is_told;
} run_foreign;

/* run_begin.c: the ranks of this host on their way. */
typedef struct run_begin {
    int none_fd;                     /* stdin of ranks that do not read that of the job */
    int started;                     /* places whose ranks have been started, or never will be */
    int confirmed;                   /* the first of these, whose programs run */
    int is_broken;                   /* a rank cannot be started */
    uint64_t told_ns;                /* when progress was last printed */
    char doubt[RUN_LIMIT_DOUBT_MAX]; /* a limit for which the ranks may be too many, "": none */
} run_begin;

typedef enum run_phase {
    RUN_RUNNING,
    RUN_ENDING, /* the ranks got a signal; SIGKILL follows at kill_at_ns */
    RUN_KILLED
} run_phase;

/* Why the job is to be ended. Of several failures at once the most severe is the cause of the others. With several
 * hosts, failures within a short time count as one, because messages take different times. */
typedef struct run_failure {
    int severity; /* 0: no failure */
    int status;
    uint64_t due_ns;
    char text[900];
} run_failure;

/* Severities. */
enum { RUN_FAILED = 1, RUN_BROKEN = 2, RUN_FATAL = 3 };

typedef enum run_branch_state {
    BRANCH_STARTING, /* the agent has not sent its hello */
    BRANCH_RUNNING,
    BRANCH_DONE, /* all its processes have ended */
    BRANCH_LOST
} run_branch_state;

/* An agent below and all hosts below it: the agent runs on hosts[first]. */
typedef struct run_branch {
    run_branch_state state;
    int first, count; /* of plan->hosts */
    pid_t pid;        /* of the command that reaches it (ssh), 0 once it is reaped */
    int wait_status;
    int has_arrived;   /* at the current barrier */
    int reader_count;  /* ranks in it that may read stdin */
    int is_fed;        /* it has not acknowledged the last piece of stdin */
    int unanswered_ms; /* time without a hello */
    run_link link;
    run_clock clock;  /* of its host */
    run_stream words; /* stderr of the command that reaches it */
} run_branch;

typedef struct run_job {
    const run_plan *plan;
    run_inherited inherited;
    char host[65];
    int control_fd; /* the front: one byte per signal, end of file when the front has died */
    int child_fd;   /* a signalfd for SIGCHLD */
    run_phase phase;
    int status;       /* of the job */
    int alive;        /* ranks here and below that have not ended */
    int is_finishing; /* all ranks of the job have ended */
    run_failure failure;
    uint64_t kill_at_ns, deadline_ns, drain_until_ns, give_up_ns; /* 0: not set */
    uint64_t stopped_ns;                                          /* when the ranks were stopped, 0: they run */
    uint64_t watched_ns; /* when the time without messages was last measured */
    run_sink output, error, null_sink;
    run_sink *error_sink; /* &error, or &output when both are the same file */
    run_stream_files files;
    run_foreign foreign;
    run_input input;
    int is_input_inherited; /* the only reader inherits this process's stdin */
    cor_pmi_server *server;
    run_rank *ranks; /* all of the job, by rank */
    int *here;       /* the ranks of this host */
    int here_count;
    run_begin begin;
    run_ready ready; /* their descriptors */
    run_bound bound; /* the CPUs of the ranks of this host, until they run */
    run_link *up;    /* NULL at the root */
    run_branch *branches;
    int branch_count;
    /* run_watch.c */
    cor_record record;          /* of the ranks of this host; at the root, of all */
    uint64_t stall_ns, send_ns; /* when to look for a stall, and to send what has changed */
    int is_stall_told;
    uint64_t *versions_sent; /* by place in `here` */
} run_job;

enum { RUN_GRACE_MS = 1000, RUN_SIGNAL_GRACE_MS = 2000, RUN_DRAIN_MS = 800, RUN_GIVE_UP_MS = 5000 };

/* ---- run_start.c ------------------------------------------------------------------------------------------------ */

/* Open everything; the ranks of this host are started by turns of the loop. 0, or -1 after a message with job->status
 * set. */
int cor_run_job_open(run_job *job, const run_plan *plan, const run_inherited *inherited, int control_fd);
void cor_run_job_close(run_job *job);

/* The job cannot start: print a message, or, in an agent, report it to the root. Returns -1. */
int cor_run_start_fail(run_job *job, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* At the root: the prefix of a rank's lines, and its files. 0, or -1 after a message. */
int cor_run_start_dress(run_job *job, int rank);

/* A line on stderr, which an agent sends as one of this rank's. */
void cor_run_start_tell(run_job *job, int rank, const char *text);

/* Where stderr of the ranks goes. */
run_sink *cor_run_start_error_sink(run_job *job);

/* ---- run_begin.c ------------------------------------------------------------------------------------------------ */

/* Before all else: is there room for the ranks of this host? 0, or -1 after a message. */
int cor_run_begin_check(run_job *job);

/* After all else is open. 0, or -1 after a message. */
int cor_run_begin_open(run_job *job);
void cor_run_begin_close(run_job *job);

/* Start some of them, for a short time. 1: more can be started at once. After a failure, which is reported,
 * begin.is_broken is set and the job is over. */
int cor_run_begin_turn(run_job *job);

/* The descriptor to poll for whether the next program runs, or -1; then check it. */
int cor_run_begin_report(const run_job *job);
void cor_run_begin_confirm(run_job *job);

/* Likewise for one rank, before its end is processed. 0: its program runs, or ran; 1: not known yet; -1: it cannot, and
 * begin.is_broken is set. */
int cor_run_begin_test(run_job *job, int rank);

/* The ranks that have not been started count as ended by this signal. */
void cor_run_begin_stop(run_job *job, int signal);

/* ---- run_end.c -------------------------------------------------------------------------------------------------- */

/* Print a message on stderr, after the ranks' output there. */
void cor_run_job_print(run_job *job, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A failure that ends the job with this status; "; ending the job" is appended to the message. An agent reports it to
 * the root. */
void cor_run_job_fail(run_job *job, int severity, int status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* End the job if a failure is due. */
void cor_run_job_end_if_failed(run_job *job);

/* The job has failed with this status: every rank gets `signal` now and SIGKILL after grace_ms. Only the first call
 * counts; 1 if it was this one. */
int cor_run_job_end(run_job *job, int status, int signal, int grace_ms);
void cor_run_job_kill(run_job *job);

/* The front forwarded a signal, or has died (0). */
void cor_run_job_signal(run_job *job, int signal);

/* Callback of the PMI server: a rank aborts the job. */
void cor_run_job_abort(void *job, int rank, int status, const char *reason);

/* Send a signal to all live ranks' process groups, here and below. */
void cor_run_job_forward(run_job *job, int signal);

/* Reap every child that has ended, and check for failures. */
void cor_run_job_reap(run_job *job);

/* The end of a rank, here or below. */
void cor_run_job_ended(run_job *job, int rank, int wait_status, int is_early);

/* All ranks have ended: clean up, here and below. */
void cor_run_job_finish(run_job *job);

/* Fail if a rank waits at a barrier for one that has exited with status 0 and never entered it. */
void cor_run_job_check_missing(run_job *job);

/* ---- run_feed.c ------------------------------------------------------------------------------------------------- */

/* Find the readers of stdin, after the branches and before the first rank is started. 0, or -1 with errno. */
int cor_run_feed_open(run_job *job);

/* The stdin of the rank at a place of this host: this process's (0), a pipe, which the caller closes after the start,
 * or `none_fd`. -1 with errno. */
int cor_run_feed_stdin(run_job *job, int place, int none_fd);

/* A rank, here or below, reads no more. */
void cor_run_feed_ended(run_job *job, int rank);

/* The descriptor of stdin, if the next piece may be read, or -1; then read it. */
int cor_run_feed_source(const run_job *job);
void cor_run_feed_read(run_job *job);

/* Accept the next piece from the parent. 0, or -1 if none is allowed now or is too long. */
int cor_run_feed_receive(run_job *job, const agent_frame *frame);

/* A branch has taken its piece; is_wanted: a rank there wants more. */
void cor_run_feed_acknowledged(run_branch *branch, int is_wanted);

/* Acknowledge the piece to the parent, once, when it was consumed. */
void cor_run_feed_acknowledge(run_job *job);

/* ---- run_branch.c ----------------------------------------------------------------------------------------------- */

/* Start the agents below. -1 after a failure was reported. */
int cor_run_branches_open(run_job *job);
void cor_run_branches_close(run_job *job);

/* The same frame for all branches. */
void cor_run_branches_send(run_job *job, agent_kind kind, int number, const char *bytes, size_t length);

/* The ranks of `count` hosts, from hosts[first] of this job's part on, have ended or cannot be reached. */
void cor_run_branch_forget(run_job *job, int first, int count);

/* Hosts cannot be started or are lost; `text` says why. */
void cor_run_branch_report(run_job *job, int first, int count, const char *text);

/* A branch is lost, because of `why` or, when that is NULL, because its pipe was closed. */
void cor_run_branch_lose(run_job *job, run_branch *branch, const char *why);

/* A process that is not a rank has ended: perhaps the command that reaches a branch. */
void cor_run_branch_reaped(run_job *job, pid_t pid, int wait_status);

/* Have all branches ended? */
int cor_run_branches_are_done(const run_job *job);

/* Stop waiting for the branches that have not answered. */
void cor_run_branches_give_up(run_job *job);

/* Send PING when it is due and count the time without messages, before the agent's hello and after it; *when_ns is
 * when to call again. */
void cor_run_branches_time(run_job *job, uint64_t now_ns, int passed_ms, uint64_t *when_ns);

/* ---- run_receive.c ---------------------------------------------------------------------------------------------- */

/* A branch has sent bytes, or closed its pipe. */
void cor_run_branch_receive(run_job *job, run_branch *branch);

/* ---- run_up.c --------------------------------------------------------------------------------------------------- */

/* The parent has sent bytes, or closed its pipe. */
void cor_run_up_receive(run_job *job);

/* Likewise. */
void cor_run_up_time(run_job *job, uint64_t now_ns, int passed_ms, uint64_t *when_ns);

/* Send a stream's bytes up unchanged. */
void cor_run_up_output(void *job, int rank, int is_error, const char *bytes, size_t length);

/* ---- run_pmi.c -------------------------------------------------------------------------------------------------- */

/* PMI bytes of a rank, in both directions. */
void cor_run_job_pmi_read(run_job *job, int rank);
void cor_run_job_pmi_write(run_job *job, int rank);

/* All ranks here and below are in the barrier: report that up, or, at the root, open it for all. */
void cor_run_job_fence(void *job, const char *updates, size_t length);

/* ---- run_job.c -------------------------------------------------------------------------------------------------- */

/* The output is not read fast enough: the ranks should wait. `sink`: of one stream, NULL for any. */
int cor_run_job_is_full(const run_job *job, const run_sink *sink);

/* Run a job from start to end: the worker's main function. Returns the exit status. */
int cor_run_job_main(const run_plan *plan, const run_inherited *inherited, int control_fd);

#endif
