/* SPDX-License-Identifier: Apache-2.0 */
/* The parsed command line of MPJ Express's mpjrun and FastMPJ's fmpjrun. */
#ifndef COR_RUN_MPJRUN_OPTIONS_H
#define COR_RUN_MPJRUN_OPTIONS_H

#include "launch/hosts/run_cluster.h"
#include "launch/options/run_option.h"
#include "launch/run_list.h"

typedef struct mpjrun_request {
    const char *command_name;
    int size;                /* 0: cluster.per_node on every host */
    int is_multicore;        /* ranks are threads of one JVM */
    const char *device;      /* as given, or NULL */
    const char *device_knob; /* Corunna's device for it, or NULL: the default */
    const char *wdir;
    const char *class_path;  /* NULL: $CLASSPATH, else "." */
    const char *jar;         /* -jar, or NULL */
    const char *main_class;  /* when there is no jar */
    const char *module;      /* -m: MODULE/CLASS, whose class is main_class; or NULL */
    const char *module_path; /* NULL: not given */
    int has_plain_args;      /* main gets the program's arguments alone */
    char **arguments;        /* the program's own, NULL-terminated */
    run_list jvm;            /* options for the JVM, in the order they came */
    run_cluster cluster;     /* which machines */
    int is_answered;         /* help or version was printed */
} mpjrun_request;

/* The options that are not the JVM's, for help and documentation. */
const run_option_table *cor_mpjrun_options(void);

/* 0, or -1 after a message. The request points into argv. End it with fini in either case. */
int cor_mpjrun_parse(mpjrun_request *request, int argc, char **argv);
void cor_mpjrun_fini(mpjrun_request *request);

#endif
