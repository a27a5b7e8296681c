/*
 * The job that the command line describes, and the function that runs it.
 *
 * Two processes launch a job. The front is the one the user started: it waits for signals and forwards them. The
 * worker is its child: it starts the ranks, serves PMI, forwards output. Whichever of the two is killed, even with
 * SIGKILL, the other ends every process of the job.
 *
 * A job over several hosts is a tree. Its root is the worker on the user's host; on every other host an agent, again
 * two processes, does what the worker does, for the ranks of its host and for the agents below it.
 */
#ifndef COR_RUN_PLAN_H
#define COR_RUN_PLAN_H

#include "trace/record.h"

struct run_link;

enum { RUN_INTERFACE_MAX = 128 }; /* of a value of tcp.interface */

typedef enum run_bind { RUN_BIND_NONE, RUN_BIND_CORE } run_bind;

/* A host of the job and the ranks that run there. */
typedef struct run_host {
    const char *name;
    int *ranks; /* in rising order */
    int rank_count;
    const char *interface; /* where its ranks listen (tcp.interface); NULL or "": not given */
} run_host;

/* How agents on other hosts are started and watched. */
typedef struct run_reach {
    const char *launcher; /* a command with {host} in it; the agent's command line follows it */
    const char *program;  /* `corunna`, as the other hosts find it */
    int fan;              /* most agents started from one host; these start the rest */
    int timeout_s;        /* a host without messages for this time is lost; 0: never */
} run_reach;

typedef struct run_plan {
    const char *command_name; /* prefix of every message: "corunna run" */
    int size;
    char **argv;        /* the program and its arguments, NULL-terminated */
    const char *wdir;   /* NULL: the current directory */
    char **settings;    /* NULL-terminated "NAME=value" for the ranks' environment */
    char **environment; /* likewise, for ranks on other hosts only; those here inherit it; NULL: nothing */
    int tag_output;
    double timeout_s; /* 0: none */
    run_bind bind;
    /* Several hosts: hosts[0] is the one this process runs on, perhaps without ranks. None: all ranks run here. */
    const run_host *hosts;
    int host_count;
    int first_host; /* number of hosts[0] in the whole job */
    run_reach reach;
    cor_trace_config trace; /* of an agent only `events` */
    int record_flags;       /* what the ranks record: COR_RECORD_STATS, COR_RECORD_EVENTS */
    const char *name;       /* of the job, for an agent; NULL: make one */
    struct run_link *up;    /* an agent's link to its parent; NULL at the root */
} run_plan;

/* Exit statuses of the launcher itself; those of a job are passed through. */
enum { RUN_STATUS_USAGE = 2, RUN_STATUS_TIMEOUT = 124, RUN_STATUS_NOT_EXECUTABLE = 126, RUN_STATUS_NOT_FOUND = 127 };

/* Run the job to its end and return the launcher's exit status. No process of the job is left. */
int cor_run_plan(const run_plan *plan);

#endif
