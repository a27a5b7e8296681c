/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "launch/job/run_other.h"

#include "launch/run_list.h"
#include "launch/run_nested.h"
#include "mp/config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

/* The launchers, by the device's name for their MPI. */
typedef struct other_launcher {
    const char *mpi, *title, *package; /* Debian's */
    const char *programs[3];           /* names that no other launcher has; mpirun and mpiexec may be ours */
    void (*write)(run_list *command, const run_plan *plan, const run_cluster *cluster);
    void (*set)(run_list *command, const char *entry); /* a variable of a program's own, "NAME=value" */
} other_launcher;

/* ---- what carries over ------------------------------------------------------------------------------------------ */

static int other_size(const run_plan *plan, const run_cluster *cluster)
{
    int size = 0;
    for (int i = 0; i < cluster->list.count; i++)
        size += cluster->per_node ? cluster->per_node : cluster->list.items[i].slots;
    if (size == 0)
        size = cluster->per_node > 0 ? cluster->per_node : 1;
    return plan->size > 0 ? plan->size : size;
}

/* "a:4,b": both launchers write it so. */
static void other_write_hosts(run_list *command, const char *option, const host_list *list)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = list->count > 0 ? open_memstream(&text, &bytes) : NULL;
    if (!out)
        return;
    for (int i = 0; i < list->count; i++) {
        fprintf(out, "%s%s", i > 0 ? "," : "", list->items[i].name);
        if (list->items[i].is_stated || list->items[i].slots > 1)
            fprintf(out, ":%d", list->items[i].slots);
    }
    fclose(out);
    cor_run_list_add(command, "%s", option);
    cor_run_list_add(command, "%s", text);
    free(text);
}

/* Ranks of other hosts get only the named variables. */
static void other_export(run_list *command, const char *entry)
{
    cor_run_list_add(command, "-x");
    cor_run_list_add(command, "%.*s", (int)strcspn(entry, "="), entry);
}

/* An option with a value, if it is given. */
static void other_write_option(run_list *command, const char *option, const char *value)
{
    if (!value)
        return;
    cor_run_list_add(command, "%s", option);
    cor_run_list_add(command, "%s", value);
}

/* NULL: not given. Our own default is not theirs. */
static const char *other_bind_to(const run_binding *binding)
{
    return binding->bind_to && strcmp(binding->bind_to, "auto") != 0 ? binding->bind_to : NULL;
}

/* The words of our options are Open MPI's. */
static void other_write_binding(run_list *command, const run_binding *binding)
{
    const char *bind_to = other_bind_to(binding);
    other_write_option(command, "--bind-to", bind_to ? bind_to : "none");
    other_write_option(command, "--map-by", binding->map_by);
    other_write_option(command, "--rank-by", binding->rank_by);
    other_write_option(command, "--cpu-set", binding->cpu_set);
    other_write_option(command, "--rankfile", binding->rankfile);
    if (binding->report_bindings)
        cor_run_list_add(command, "--report-bindings");
    if (binding->use_hwthreads)
        cor_run_list_add(command, "--use-hwthread-cpus");
}

static void other_write_openmpi(run_list *command, const run_plan *plan, const run_cluster *cluster)
{
    if (geteuid() == 0)
        cor_run_list_add(command, "--allow-run-as-root");
    if (cluster->list.count == 0 || cluster->may_oversubscribe)
        cor_run_list_add(command, "--oversubscribe");
    other_write_binding(command, &plan->binding);
    other_write_hosts(command, "--host", &cluster->list);
    if (!plan->binding.map_by && (cluster->per_node || cluster->order == HOST_BY_NODE)) {
        cor_run_list_add(command, "--map-by");
        if (cluster->per_node)
            cor_run_list_add(command, "ppr:%d:node", cluster->per_node);
        else
            cor_run_list_add(command, "node");
    }
    if (plan->output.is_tagged)
        cor_run_list_add(command, "--tag-output");
    for (char **entry = environ; *entry; entry++)
        if (strncmp(*entry, "CORUNNA_", strlen("CORUNNA_")) == 0)
            other_export(command, *entry);
    for (char **entry = plan->settings; entry && *entry; entry++)
        if (strncmp(*entry, "CORUNNA_", strlen("CORUNNA_")) != 0)
            other_export(command, *entry);
}

/* Its ranks get the whole environment on all hosts, and it has no limit of slots. */
static void other_write_mpich(run_list *command, const run_plan *plan, const run_cluster *cluster)
{
    other_write_hosts(command, "-hosts", &cluster->list);
    if (cluster->per_node || cluster->order == HOST_BY_NODE) {
        cor_run_list_add(command, "-ppn");
        cor_run_list_add(command, "%d", cluster->per_node ? cluster->per_node : 1);
    }
    other_write_option(command, "-bind-to", other_bind_to(&plan->binding));
    other_write_option(command, "-map-by", plan->binding.map_by);
    if (plan->output.is_tagged)
        cor_run_list_add(command, "-prepend-rank");
}

/* One variable of a program. */
static void other_set_openmpi(run_list *command, const char *entry)
{
    cor_run_list_add(command, "-x");
    cor_run_list_add(command, "%s", entry);
}

static void other_set_mpich(run_list *command, const char *entry)
{
    cor_run_list_add(command, "-env");
    cor_run_list_add(command, "%.*s", (int)strcspn(entry, "="), entry);
    cor_run_list_add(command, "%s", strchr(entry, '=') + 1);
}

static const other_launcher other_launchers[] = {
    {"openmpi",
     "Open MPI",
     "openmpi-bin",
     {"mpirun.openmpi", "orterun", "prterun"},
     other_write_openmpi,
     other_set_openmpi},
    {"mpich", "MPICH", "mpich", {"mpiexec.hydra", "mpiexec.mpich", NULL}, other_write_mpich, other_set_mpich},
};

/* What their launchers do in other ways, or not at all; NULL: nothing of that is asked for. */
static const char *other_unfit(const run_plan *plan)
{
    const run_output *output = &plan->output;
    if (output->is_timed || output->prefix || output->out_file || output->error_file || output->is_merged)
        return "an option about output other than --tag-output";
    if (plan->wrapper)
        return "a debugger";
    if (plan->input_rank != 0)
        return "--stdin";
    for (int i = 0; i < plan->program_count; i++) {
        if (plan->programs[i].pass != RUN_PASS_ALL)
            return "an environment of named variables only";
        for (char *const *word = plan->programs[i].argv; *word; word++)
            if (strcmp(*word, ":") == 0)
                return "an argument that is a colon alone";
    }
    return plan->has_exit_report ? "--print-all-exitcodes" : NULL;
}

/* An option on binding that this launcher has not; NULL: none. */
static const char *other_unfit_binding(const run_binding *binding, const other_launcher *launcher)
{
    if (launcher->write == other_write_openmpi)
        return NULL;
    return binding->rank_by           ? "--rank-by"
           : binding->cpu_set         ? "--cpu-set"
           : binding->rankfile        ? "--rankfile"
           : binding->report_bindings ? "--report-bindings"
           : binding->use_hwthreads   ? "--use-hwthread-cpus"
                                      : NULL;
}

/* 0, or -1 after a message about what is not supported. */
static int other_check(const run_plan *plan, const char *const *overrides, const other_launcher *launcher)
{
    const char *unfit = other_unfit_binding(&plan->binding, launcher);
    if (unfit) {
        fprintf(stderr, "%s: %s is not supported with mpidev through %s, whose launcher starts the ranks\n",
                plan->command_name, unfit, launcher->title);
        return -1;
    }
    if (plan->timeout_s > 0) {
        fprintf(
            stderr,
            "%s: --timeout is not supported with mpidev, whose ranks are started by %s's launcher; use timeout(1)\n",
            plan->command_name, launcher->title);
        return -1;
    }
    if (other_unfit(plan)) {
        fprintf(stderr, "%s: %s is not supported with mpidev; use %s's launcher itself, with its own option\n",
                plan->command_name, other_unfit(plan), launcher->title);
        return -1;
    }
    for (const char *const *each = overrides; each && *each; each++)
        if (strncmp(*each, "trace.", strlen("trace.")) == 0) {
            fprintf(
                stderr,
                "%s: %.*s is not supported with mpidev: %s's launcher starts the ranks, and does not record them\n",
                plan->command_name, (int)strcspn(*each, "="), *each, launcher->title);
            return -1;
        }
    for (; overrides && *overrides; overrides++)
        if (strncmp(*overrides, "run.", strlen("run.")) == 0) {
            fprintf(stderr,
                    "%s: the setting %.*s is not supported with mpidev: %s's launcher reaches the other hosts\n",
                    plan->command_name, (int)strcspn(*overrides, "="), *overrides, launcher->title);
            return -1;
        }
    return 0;
}

/* ---- becoming it ------------------------------------------------------------------------------------------------ */

static int other_exec(const run_plan *plan, const other_launcher *launcher, run_list *command)
{
    enum { PROGRAMS = sizeof launcher->programs / sizeof *launcher->programs };
    fflush(NULL);
    for (int i = 0; i < PROGRAMS && launcher->programs[i]; i++) {
        execvp(launcher->programs[i], command->items);
        if (errno != ENOENT) {
            fprintf(stderr, "%s: cannot run %s: %s\n", plan->command_name, launcher->programs[i], strerror(errno));
            return RUN_STATUS_NOT_EXECUTABLE;
        }
    }
    fprintf(stderr, "%s: mpidev needs the launcher of %s, but %s is not in PATH (Debian package %s)\n",
            plan->command_name, launcher->title, launcher->programs[0], launcher->package);
    return RUN_STATUS_NOT_FOUND;
}

int cor_run_needs_other(const char *const *overrides)
{
    cor_config config;
    cor_fault fault;
    return cor_config_load(overrides, &config, &fault) == COR_OK && cor_device_kinds[config.mp.device].start != NULL;
}

/* Both launchers separate programs by ":". */
static void other_write_programs(run_list *command, const run_plan *plan, int size, const other_launcher *launcher)
{
    for (int i = 0; i < plan->program_count; i++) {
        const run_program *program = &plan->programs[i];
        if (i > 0)
            cor_run_list_add(command, ":");
        cor_run_list_add(command, "-n");
        cor_run_list_add(command, "%d", plan->program_count > 1 ? program->count : size);
        if (program->wdir) {
            cor_run_list_add(command, "-wdir");
            cor_run_list_add(command, "%s", program->wdir);
        }
        for (char **entry = program->settings; entry && *entry; entry++)
            launcher->set(command, *entry);
        for (char **word = program->argv; *word; word++)
            cor_run_list_add(command, "%s", *word);
    }
}

int cor_run_exec_other(const run_plan *plan, const run_cluster *cluster, const char *const *overrides)
{
    cor_config config;
    cor_fault fault = {0};
    const char *mpi = NULL;
    if (cor_config_load(overrides, &config, &fault) == COR_OK)
        mpi = cor_device_launcher(config.mp.device, &config.devices, &fault);
    if (!mpi) {
        fprintf(stderr, "%s: %s\n", plan->command_name, fault.text);
        return RUN_STATUS_USAGE;
    }
    const other_launcher *launcher = other_launchers;
    while (strcmp(launcher->mpi, mpi) != 0)
        launcher++;
    if (other_check(plan, overrides, launcher) != 0)
        return RUN_STATUS_USAGE;
    run_list command = {0};
    cor_run_forget_surrounding();
    for (char **entry = plan->settings; entry && *entry; entry++)
        putenv(*entry);
    cor_run_list_add(&command, "%s", launcher->programs[0]);
    launcher->write(&command, plan, cluster);
    other_write_programs(&command, plan, other_size(plan, cluster), launcher);
    int status = other_exec(plan, launcher, &command);
    cor_run_list_fini(&command);
    return status;
}
