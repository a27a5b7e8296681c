/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The job that the command line describes; run_front.h runs it.
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

/* Where ranks run inside a host, in the words of the options of these names (bind_policy.h); NULL: not given. */
typedef struct run_binding {
    const char *bind_to, *map_by, *rank_by, *cpu_set, *rankfile;
    int report_bindings;
    int use_hwthreads; /* --use-hwthread-cpus */
    int counted;       /* objects of the launcher's host by which the ranks of all hosts were divided; 0: none were */
} run_binding;

/* Which variables a rank inherits. */
typedef enum run_pass {
    RUN_PASS_ALL,  /* all of the launcher here; on another host those of a login there and the plan's environment */
    RUN_PASS_NAMED /* PATH alone: all others are in the settings */
} run_pass;

/* One of the programs of a job. The ranks of the first are those from 0 on, the others follow. */
typedef struct run_program {
    int count;        /* of ranks; the last program has all that are left, whatever this says */
    char **argv;      /* the program and its arguments, NULL-terminated */
    const char *wdir; /* NULL: the current directory */
    char **settings;  /* NULL-terminated "NAME=value", on top of those of the plan; NULL: none */
    run_pass pass;
} run_program;

/* Where the ranks' output goes. Patterns are those of run_pattern.h. */
typedef struct run_output {
    int is_tagged, is_timed;
    const char *prefix;                /* a pattern before every line, NULL: none */
    const char *out_file, *error_file; /* patterns of paths, NULL: no files */
    int is_only_filed;                 /* output to files is not shown as well */
    int is_merged;                     /* stderr goes where stdout goes */
} run_output;

/* A host of the job and the ranks that run there. */
typedef struct run_host {
    const char *name;
    int *ranks; /* in rising order */
    int rank_count;
    const char *interface; /* where its ranks listen (tcp.interface); NULL or "": not given */
    char *const *slots;    /* the rank file's slots of each of them, NULL-terminated; NULL: no rank file */
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
    int universe; /* processes that the hosts have slots for, or that the user states; 0: unknown */
    const run_program *programs;
    int program_count;
    char **settings;     /* NULL-terminated "NAME=value" for the environment of all ranks */
    char **environment;  /* likewise, for ranks on other hosts only; those here inherit it; NULL: nothing */
    char **wrapper;      /* NULL-terminated words before the program's, "{rank}" replaced: a debugger; NULL: none */
    const char *wrapped; /* the ranks that have it, as in "0,2-3"; NULL: all */
    int input_rank;      /* which rank gets stdin, or RUN_INPUT_NONE, RUN_INPUT_ALL */
    run_output output;
    double timeout_s;       /* 0: none */
    int has_timeout_report; /* at the timeout, print what the ranks do */
    int has_exit_report;    /* print the exit status of every rank */
    run_binding binding;
    /* Several hosts: hosts[0] is the one this process runs on, perhaps without ranks. None: all ranks run here. One:
     * likewise, by a rank file. */
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

enum { RUN_INPUT_NONE = -1, RUN_INPUT_ALL = -2 };

/* The program of a rank: which of plan->programs. */
int cor_run_program_of(const run_plan *plan, int rank);

#endif
