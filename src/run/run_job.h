/*
 * A job under way: what the worker process, or an agent's, knows of it. Private to the files that are named below.
 *
 * The root decides everything. An agent starts the ranks of its host, tells the root what becomes of them, and does
 * what the root says; frames between the root and the agents below it pass through.
 */
#ifndef COR_RUN_JOB_H
#define COR_RUN_JOB_H

#include "pmi/pmi_server.h"
#include "run/run_input.h"
#include "run/run_link.h"
#include "run/run_plan.h"
#include "run/run_sink.h"
#include "run/run_spawn.h"
#include "run/run_stream.h"

#include <stdint.h>

typedef struct run_rank {
    const char *host;
    int branch;    /* that leads to it, -1: this host */
    int is_alive;  /* it runs, here or below */
    pid_t pid;     /* of a rank of this host, 0 once it is reaped */
    int pmi_fd;    /* likewise, -1 once it is closed */
    int report_fd; /* likewise, while it is not known whether its program runs */
    run_stream output, error;
} run_rank;

typedef enum run_phase {
    RUN_RUNNING,
    RUN_ENDING, /* the ranks were asked to end; SIGKILL follows at kill_at_ns */
    RUN_KILLED
} run_phase;

/* Why the job is to be ended. When several causes come at once the gravest is the cause of the others; over hosts
 * "at once" is a little longer, because the graver one may have the longer way. */
typedef struct run_verdict {
    int gravity; /* 0: no complaint */
    int status;
    uint64_t due_ns;
    char text[900];
} run_verdict;

/* Gravities. */
enum { RUN_FAILED = 1, RUN_BROKEN = 2, RUN_DEADLY = 3 };

typedef enum run_branch_state {
    BRANCH_STARTING, /* the agent has not said hello */
    BRANCH_RUNNING,
    BRANCH_DONE, /* nothing is left there */
    BRANCH_LOST
} run_branch_state;

/* An agent below and all hosts below that: hosts[first] is where the agent runs. */
typedef struct run_branch {
    run_branch_state state;
    int first, count; /* of plan->hosts */
    pid_t pid;        /* of what reaches it (ssh), 0 once it is reaped */
    int wait_status;
    int has_arrived; /* in the barrier that is not over */
    int mute_ms;     /* so long no agent has said hello */
    run_link link;
    run_stream words; /* stderr of what reaches it */
} run_branch;

typedef struct run_job {
    const run_plan *plan;
    run_heritage heritage;
    char host[65];
    int control_fd; /* the front: one byte a signal, end of file when the front has died */
    int child_fd;   /* a signalfd for SIGCHLD */
    run_phase phase;
    int status;       /* of the job */
    int alive;        /* ranks here and below that have not ended */
    int is_finishing; /* all ranks of the job have ended */
    run_verdict verdict;
    uint64_t kill_at_ns, deadline_ns, drain_until_ns, give_up_ns; /* 0: not set */
    uint64_t watched_ns;                                          /* when silence was last measured */
    run_sink output, error, nowhere;
    run_sink *error_sink; /* &error, or &output when both lead to the same place */
    run_input input;
    cor_pmi_server *server;
    run_rank *ranks; /* all of the job, by rank */
    int *here;       /* the ranks of this host */
    int here_count;
    run_link *up; /* NULL at the root */
    run_branch *branches;
    int branch_count;
} run_job;

enum { RUN_GRACE_MS = 1000, RUN_SIGNAL_GRACE_MS = 2000, RUN_DRAIN_MS = 800, RUN_GIVE_UP_MS = 5000 };

/* ---- run_start.c ------------------------------------------------------------------------------------------------ */

/* Open everything and start every rank. 0, or -1 after one sentence with job->status set. */
int cor_run_job_open(run_job *job, const run_plan *plan, const run_heritage *heritage, int control_fd);
void cor_run_job_close(run_job *job);

/* ---- run_end.c -------------------------------------------------------------------------------------------------- */

/* Say one sentence on stderr, after what the ranks have written there. */
void cor_run_job_say(run_job *job, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Something is wrong that should end the job with this status; the sentence lacks only "; ending the job". An agent
 * tells the root. */
void cor_run_job_accuse(run_job *job, int gravity, int status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* End the job if there is reason to and it is time. */
void cor_run_job_judge(run_job *job);

/* The job has failed with this status: every rank gets `signal` now and SIGKILL after grace_ms. Only the first call
 * counts; 1 if it was this one. */
int cor_run_job_end(run_job *job, int status, int signal, int grace_ms);
void cor_run_job_kill(run_job *job);

/* The front passed on a signal, or has died (0). */
void cor_run_job_signal(run_job *job, int signal);

/* The PMI server's word that a rank wants to end the job. */
void cor_run_job_abort(void *job, int rank, int status, const char *reason);

/* Send a signal to all live ranks' process groups, here and below. */
void cor_run_job_forward(run_job *job, int signal);

/* Take every child that has ended, and judge. */
void cor_run_job_reap(run_job *job);

/* The end of a rank, here or below. */
void cor_run_job_ended(run_job *job, int rank, int wait_status, int is_early);

/* Nobody is left to wait for: clean up, here and below. */
void cor_run_job_finish(run_job *job);

/* Some rank waits for one that has ended well without ever coming: that would last forever. */
void cor_run_job_check_missing(run_job *job);

/* ---- run_branch.c ----------------------------------------------------------------------------------------------- */

/* Reach for the hosts below. -1 after a complaint. */
int cor_run_branches_open(run_job *job);
void cor_run_branches_close(run_job *job);

/* The same frame for all branches. */
void cor_run_branches_say(run_job *job, agent_kind kind, int number, const char *bytes, size_t length);

/* The ranks of `count` hosts from the `first` of ours on have ended or are beyond our reach. */
void cor_run_branch_forget(run_job *job, int first, int count);

/* Hosts cannot be started or are lost; `text` says why. */
void cor_run_branch_report(run_job *job, int first, int count, const char *text);

/* A branch is lost, because of `why` or, when that is NULL, because its pipe has ended. */
void cor_run_branch_lose(run_job *job, run_branch *branch, const char *why);

/* A process has ended that is no rank: perhaps what reaches a branch. */
void cor_run_branch_reaped(run_job *job, pid_t pid, int wait_status);

/* Is nothing left in any branch? */
int cor_run_branches_are_done(const run_job *job);

/* Whoever has not answered by now is not waited for. */
void cor_run_branches_give_up(run_job *job);

/* Say that we are still here, count silence, before the agent's hello and after it; *when_ns is when to come again. */
void cor_run_branches_time(run_job *job, uint64_t now_ns, int passed_ms, uint64_t *when_ns);

/* The branch to whose hosts a rank belongs, or NULL. */
run_branch *cor_run_branch_of(run_job *job, int rank);

/* ---- run_hear.c ------------------------------------------------------------------------------------------------- */

/* Bytes have come from a branch, or its end. */
void cor_run_branch_hear(run_job *job, run_branch *branch);

/* ---- run_up.c --------------------------------------------------------------------------------------------------- */

/* Bytes have come from the parent, or its end. */
void cor_run_up_hear(run_job *job);

/* Likewise. */
void cor_run_up_time(run_job *job, uint64_t now_ns, int passed_ms, uint64_t *when_ns);

/* A stream's bytes go up as they are. */
void cor_run_up_output(void *job, int rank, int is_error, const char *bytes, size_t length);

/* ---- run_pmi.c -------------------------------------------------------------------------------------------------- */

/* PMI bytes of a rank, both ways. */
void cor_run_job_pmi_read(run_job *job, int rank);
void cor_run_job_pmi_write(run_job *job, int rank);

/* Everybody here and below is in the barrier: pass that up, or, at the root, open it for all. */
void cor_run_job_fence(void *job, const char *news, size_t length);

/* ---- run_job.c -------------------------------------------------------------------------------------------------- */

/* Nobody takes the output fast enough: the ranks should wait. `sink`: where a stream of ours leads, NULL for any. */
int cor_run_job_is_full(const run_job *job, const run_sink *sink);

/* The whole life of a job: the worker's main function. Returns the exit status. */
int cor_run_job_main(const run_plan *plan, const run_heritage *heritage, int control_fd);

#endif
