/* A job under way: what the worker process knows of it. Private to run_job.c, run_end.c and run_start.c. */
#ifndef COR_RUN_JOB_H
#define COR_RUN_JOB_H

#include "pmi/pmi_server.h"
#include "run/run_input.h"
#include "run/run_plan.h"
#include "run/run_sink.h"
#include "run/run_spawn.h"
#include "run/run_stream.h"

#include <stdint.h>

typedef struct run_rank {
    pid_t pid; /* 0 once it is reaped */
    int wait_status;
    int pmi_fd; /* -1 once it is closed */
    run_stream output, error;
} run_rank;

typedef enum run_phase {
    RUN_RUNNING,
    RUN_ENDING, /* the ranks were asked to end; SIGKILL follows at kill_at_ns */
    RUN_KILLED
} run_phase;

typedef struct run_job {
    const run_plan *plan;
    run_heritage heritage;
    char host[65];
    int control_fd; /* the front: one byte a signal, end of file when the front has died */
    int child_fd;   /* a signalfd for SIGCHLD */
    run_phase phase;
    int status;                                       /* of the job */
    int alive;                                        /* ranks not reaped */
    uint64_t kill_at_ns, deadline_ns, drain_until_ns; /* 0: not set */
    run_sink output, error;
    run_sink *error_sink; /* &error, or &output when both lead to the same place */
    run_input input;
    cor_pmi_server *server;
    run_rank *ranks;
} run_job;

enum { RUN_GRACE_MS = 1000, RUN_SIGNAL_GRACE_MS = 2000, RUN_DRAIN_MS = 800 };

/* ---- run_start.c ------------------------------------------------------------------------------------------------ */

/* Open everything and start every rank. 0, or -1 after one sentence with job->status set. */
int cor_run_job_open(run_job *job, const run_plan *plan, const run_heritage *heritage, int control_fd);
void cor_run_job_close(run_job *job);

/* ---- run_end.c -------------------------------------------------------------------------------------------------- */

/* Say one sentence on stderr, after what the ranks have written there. */
void cor_run_job_say(run_job *job, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The job has failed with this status: every rank gets `signal` now and SIGKILL after grace_ms. Only the first call
 * counts; 1 if it was this one. */
int cor_run_job_end(run_job *job, int status, int signal, int grace_ms);
void cor_run_job_kill(run_job *job);

/* The front passed on a signal, or has died (0). */
void cor_run_job_signal(run_job *job, int signal);

/* The PMI server's word that a rank wants to end the job. */
void cor_run_job_abort(void *job, int rank, int status, const char *reason);

/* Send a signal to all live ranks' process groups. */
void cor_run_job_forward(run_job *job, int signal);

/* Take every child that has ended, and judge. */
void cor_run_job_reap(run_job *job);

/* Some rank waits for one that has ended well without ever coming: that would last forever. */
void cor_run_job_check_missing(run_job *job);

/* ---- run_job.c -------------------------------------------------------------------------------------------------- */

/* PMI bytes of a rank, both ways. */
void cor_run_job_pmi_read(run_job *job, int rank);
void cor_run_job_pmi_write(run_job *job, int rank);

/* The whole life of a job: the worker's main function. Returns the exit status. */
int cor_run_job_main(const run_plan *plan, const run_heritage *heritage, int control_fd);

#endif
