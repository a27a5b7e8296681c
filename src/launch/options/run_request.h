/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of `corunna run`, as it becomes a plan. */
#ifndef COR_RUN_REQUEST_H
#define COR_RUN_REQUEST_H

#include "launch/hosts/run_cluster.h"
#include "launch/job/run_sim.h"
#include "launch/run_list.h"
#include "launch/run_plan.h"

/* A program, as the part of the command line that ends with it describes it. */
typedef struct run_part {
    int count;         /* of ranks, 0: not given */
    const char *wdir;  /* NULL: not given */
    run_list settings; /* "NAME=value" */
    run_pass pass;
    run_list words;   /* the program and its arguments */
    run_list command; /* the same, with corunna.jar added to the class path if missing */
} run_part;

/* Zero-initialise it. Texts are those of the command line, or in one of the lists. */
typedef struct run_request {
    run_plan plan;
    run_cluster cluster;
    run_part *parts; /* the last one is being read */
    int part_count;
    run_program *programs; /* becomes plan.programs */
    run_list settings;     /* becomes plan.settings */
    run_list overrides;    /* "name=value", to be checked before anything starts */
    run_list wrapper;      /* becomes plan.wrapper */
    run_list texts;        /* generated texts */
    run_list notices;      /* about options without effect */
    run_list file;         /* the words of app_file */
    const char *app_file;  /* the programs are there, NULL: on the command line */
    const char *wdir;      /* of all programs that have none */
    run_pass pass;         /* of all programs */
    const char *report_pid;
    run_sim sim;
    int is_quiet, is_verbose, is_dry;
    int is_called; /* by a program that starts processes, not by a user */
    int shows_map, shows_hosts;
    int has_stats, has_html;
    int has_abi;
    int is_answered; /* help or version was printed, there is nothing to run */
} run_request;

/* Read the command line, without argv[0]. 0, or -1 after a message. End the request in either case. */
int cor_run_request_parse(run_request *request, char **argv);
void cor_run_request_fini(run_request *request);

/* The part that is being read. */
run_part *cor_run_request_part(run_request *request);

/* Print a notice once, after all options are read, unless --quiet is among them. */
void cor_run_request_notice(run_request *request, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A text that lives as long as the request. */
const char *cor_run_request_text(run_request *request, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
