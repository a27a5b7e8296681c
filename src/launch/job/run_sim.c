/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "launch/job/run_sim.h"

#include "launch/bind/run_bind.h"
#include "launch/job/run_front.h"
#include "launch/run_list.h"
#include "launch/run_path.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cor_run_sim_parse(run_sim *sim, const char *text)
{
    cor_fault fault = {0};
    if (cor_sim_spec_parse(text, &sim->spec, &fault) != COR_OK) {
        fprintf(stderr, "corunna run: %s\n", fault.text);
        return -1;
    }
    if (sim->spec.net.call_us > 0) {
        fputs("corunna run: --sim: call is for predictions, not for a program that runs\n", stderr);
        return -1;
    }
    sim->is_asked = 1;
    cor_sim_net_print(&sim->spec.net, sim->net);
    snprintf(sim->node_ranks, sizeof sim->node_ranks, "%d", sim->spec.net.node_ranks);
    return 0;
}

/* ---- Java: the same command, as threads of one JVM
 * --------------------------------------------------------------------- */

static int sim_is_java(const char *program)
{
    const char *slash = strrchr(program, '/');
    return strcmp(slash ? slash + 1 : program, "java") == 0;
}

/* Options of a JVM whose value is the next word. */
static int sim_has_value(const char *word)
{
    static const char *const options[] = {"--module-path",        "-p",          "--add-modules",   "--add-opens",
                                          "--add-exports",        "--add-reads", "--limit-modules", "--patch-module",
                                          "--upgrade-module-path"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (strcmp(options[i], word) == 0)
            return 1;
    return 0;
}

static int sim_is_class_path(const char *word)
{
    return strcmp(word, "-cp") == 0 || strcmp(word, "-classpath") == 0 || strcmp(word, "--class-path") == 0;
}

/* java OPTIONS -cp PATH Class ARGUMENTS becomes java OPTIONS -jar corunna.jar -np N -cp PATH Class ARGUMENTS. */
static int sim_java_command(run_list *command, const run_plan *plan, const char *jar)
{
    const char *class_path = NULL;
    char **at = plan->programs[0].argv + 1;
    cor_run_list_add(command, "%s", plan->programs[0].argv[0]);
    for (; *at && **at == '-' && strcmp(*at, "-jar") != 0; at++) {
        if ((sim_is_class_path(*at) || sim_has_value(*at)) && !at[1]) {
            fprintf(stderr, "corunna run: %s has no value\n", *at);
            return -1;
        }
        if (sim_is_class_path(*at)) {
            class_path = *++at;
        } else {
            cor_run_list_add(command, "%s", *at);
            if (sim_has_value(*at))
                cor_run_list_add(command, "%s", *++at);
        }
    }
    if (!*at) {
        fputs("corunna run: --sim: java has no class to run\n", stderr);
        return -1;
    }
    cor_run_list_add(command, "-jar");
    cor_run_list_add(command, "%s", jar);
    cor_run_list_add(command, "-np");
    cor_run_list_add(command, "%d", plan->size);
    if (class_path) {
        cor_run_list_add(command, "-cp");
        cor_run_list_add(command, "%s", class_path);
    }
    for (; *at; at++)
        cor_run_list_add(command, "%s", *at);
    return 0;
}

/* The JVM takes this process's place: no launcher is left to do these. */
static const char *sim_unfit_option(const run_plan *plan)
{
    if (plan->timeout_s > 0)
        return "--timeout";
    if (plan->output.is_tagged)
        return "--tag-output";
    if (plan->output.is_timed || plan->output.prefix || plan->output.out_file || plan->output.is_merged)
        return "an option about output";
    if (plan->wrapper)
        return "a debugger";
    if (plan->program_count > 1)
        return "a second program";
    return cor_run_bind_is_asked(&plan->binding) ? "--bind-to" : NULL;
}

static int sim_exec_java(const run_plan *plan)
{
    run_list command = {0};
    char jar[PATH_MAX];
    int status = RUN_STATUS_USAGE;
    const char *unfit = sim_unfit_option(plan);
    if (unfit)
        fprintf(stderr, "corunna run: %s does not go with --sim and java, whose ranks are threads of one JVM\n",
                unfit);
    else if (!cor_run_path_jar(jar, sizeof jar))
        fprintf(stderr, "corunna run: cannot read %s; CORUNNA_JAR can name another jar\n", jar);
    else if (plan->programs[0].wdir && chdir(plan->programs[0].wdir) != 0)
        fprintf(stderr, "corunna run: cannot change to the directory %s: %s\n", plan->programs[0].wdir,
                strerror(errno));
    else if (sim_java_command(&command, plan, jar) == 0) {
        for (char **setting = plan->settings; setting && *setting; setting++)
            putenv(*setting);
        execvp(command.items[0], command.items);
        status = errno == ENOENT ? RUN_STATUS_NOT_FOUND : RUN_STATUS_NOT_EXECUTABLE;
        fprintf(stderr, "corunna run: cannot run %s: %s\n", command.items[0], strerror(errno));
    }
    cor_run_list_fini(&command);
    return status;
}

/* ---- starting
 * ----------------------------------------------------------------------------------------------------------- */

int cor_run_sim_start(const run_sim *sim, run_plan *plan, size_t host_count)
{
    int ranks = sim->spec.net.ranks;
    if (host_count > 0) {
        fputs("corunna run: --sim runs all ranks on this host; other hosts cannot be named with it\n", stderr);
        return RUN_STATUS_USAGE;
    }
    if (plan->size == 0 && ranks == 0) {
        fputs("corunna run: --sim: nodes is not given; it must be nodes=N, or -n tells the ranks\n", stderr);
        return RUN_STATUS_USAGE;
    }
    if (plan->size > 0 && ranks > 0 && plan->size > ranks) {
        fprintf(stderr, "corunna run: -n is %d, but %d nodes of %d ranks hold %d\n", plan->size, sim->spec.nodes,
                sim->spec.net.node_ranks, ranks);
        return RUN_STATUS_USAGE;
    }
    if (plan->size == 0)
        plan->size = ranks;
    return sim_is_java(plan->programs[0].argv[0]) ? sim_exec_java(plan) : cor_run_plan(plan);
}
