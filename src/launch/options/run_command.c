/* SPDX-License-Identifier: Apache-2.0 */
/* `corunna run`, also as mpirun and mpiexec: from the command line to a plan, and the start. */
#define _GNU_SOURCE
#include "base/knob.h"
#include "launch/hosts/run_show.h"
#include "launch/job/run_front.h"
#include "launch/job/run_other.h"
#include "launch/job/run_watch.h"
#include "launch/options/launcher.h"
#include "launch/options/run_classpath.h"
#include "launch/options/run_options.h"
#include "launch/options/run_request.h"
#include "launch/options/run_take.h"
#include "launch/options/run_theirs.h"
#include "launch/options/run_tuned.h"
#include "launch/run_abi.h"
#include "launch/run_path.h"
#include "mp/config.h"
#include "pmi/boot.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- checks ------------------------------------------------------------------------------------------------------ */

/* Misspelt knobs and invalid values are reported here, once, and not by every rank. */
static int run_check_knobs(const run_request *request)
{
    const char *const *overrides = (const char *const *)request->overrides.items;
    const cor_log quiet = {.level = COR_LOG_ERROR, .rank = -1};
    cor_config config;
    cor_fault fault = {0};
    int code = COR_OK;
    const cor_knob_table *tables[COR_CONFIG_PARTS + 1];
    for (size_t i = 0; code == COR_OK && i < COR_CONFIG_PARTS; i++) {
        cor_config_part part = cor_config_part_at(i);
        tables[i] = part.table;
        code = cor_knobs_load(part.table, overrides, (char *)&config + part.offset, NULL, &fault);
    }
    tables[COR_CONFIG_PARTS] = &cor_run_knobs;
    if (code == COR_OK)
        code = cor_knobs_check(tables, COR_CONFIG_PARTS + 1, overrides, NULL, &quiet, &fault);
    if (code != COR_OK)
        fprintf(stderr, "corunna run: %s\n", fault.text);
    return code == COR_OK ? 0 : -1;
}

static int run_check(const run_request *request)
{
    if (run_check_knobs(request) != 0)
        return -1;
    if (request->has_html && !request->has_stats) {
        fputs("corunna run: --html writes the statistics as a page, so it needs --stats\n", stderr);
        return -1;
    }
    return 0;
}

/* Open MPI and Hydra take a time limit from the environment, too. */
static int run_take_limit(run_request *request)
{
    const char *text = getenv("MPIEXEC_TIMEOUT");
    char *end;
    if (!text || !*text || request->plan.timeout_s > 0)
        return 0;
    request->plan.timeout_s = strtod(text, &end);
    if (!*end && request->plan.timeout_s > 0 && request->plan.timeout_s <= 1e9)
        return 0;
    fprintf(stderr, "corunna run: MPIEXEC_TIMEOUT is \"%s\"; it must be a number of seconds above 0\n", text);
    return -1;
}

/* Hydra takes its file of hosts from the environment, too. */
static int run_take_host_file(run_request *request)
{
    const char *path = getenv("HYDRA_HOST_FILE");
    if (!path || !*path || request->is_called || request->cluster.list.count > 0 || request->plan.binding.rankfile)
        return 0;
    return cor_host_list_read(&request->cluster.list, "corunna run: HYDRA_HOST_FILE", path);
}

/* ---- programs ---------------------------------------------------------------------------------------------------- */

static const char *run_class_path_of(const run_list *settings)
{
    const char *found = NULL;
    for (size_t i = 0; i < settings->count; i++)
        if (strncmp(settings->items[i], "CLASSPATH=", 10) == 0)
            found = settings->items[i];
    return found;
}

/* A job of one program has its settings in one list; others begin with what all programs have. */
static run_list *run_settings_of(run_request *request, run_part *part)
{
    if (request->part_count > 1) {
        const char *path = run_class_path_of(&request->settings);
        if (path && !run_class_path_of(&part->settings))
            cor_run_list_add(&part->settings, "%s", path);
        return &part->settings;
    }
    for (size_t i = 0; i < part->settings.count; i++)
        cor_run_list_add(&request->settings, "%s", part->settings.items[i]);
    cor_run_list_fini(&part->settings);
    return &request->settings;
}

static int run_make_programs(run_request *request)
{
    char jar[PATH_MAX];
    int has_jar = cor_run_path_jar(jar, sizeof jar);
    request->programs = calloc((size_t)request->part_count, sizeof *request->programs);
    if (!request->programs) {
        fputs("corunna run: out of memory\n", stderr);
        return -1;
    }
    long size = 0;
    for (int i = 0; i < request->part_count; i++) {
        run_part *part = &request->parts[i];
        run_list *settings = run_settings_of(request, part);
        run_program *program = &request->programs[i];
        program->count = request->part_count > 1 && part->count == 0 ? 1 : part->count;
        program->argv = part->words.items;
        if (has_jar)
            program->argv = cor_run_class_path(program->argv, jar, &part->command, settings);
        program->wdir = part->wdir ? part->wdir : request->wdir;
        program->settings = part->settings.items;
        program->pass = request->pass == RUN_PASS_NAMED ? RUN_PASS_NAMED : part->pass;
        size += program->count;
    }
    if (size > INT_MAX) {
        fprintf(stderr, "corunna run: %ld ranks are too many\n", size);
        return -1;
    }
    request->plan.size = (int)size;
    request->plan.programs = request->programs;
    request->plan.program_count = request->part_count;
    return 0;
}

/* What --abi cannot do is said before anything starts. */
static int run_check_abi(const run_request *request)
{
    char folder[PATH_MAX], joined[2 * PATH_MAX], why[RUN_ABI_WHY_MAX];
    if (!request->has_abi)
        return 0;
    if (!cor_run_path_abi(folder)) {
        fputs("corunna run: --abi: there is no folder corunna/abi among the libraries of this installation\n", stderr);
        return -1;
    }
    if (cor_run_needs_other((const char *const *)request->overrides.items)) {
        fputs("corunna run: --abi: the launcher of another MPI starts the ranks of mpidev; put " RUN_ABI_FOLDER
              " into LD_LIBRARY_PATH instead\n",
              stderr);
        return -1;
    }
    for (int i = 0; i < request->plan.program_count; i++) {
        const run_program *program = &request->programs[i];
        const char *file = program->argv[0];
        if (strchr(file, '/') && file[0] != '/' && program->wdir) {
            snprintf(joined, sizeof joined, "%s/%s", program->wdir, file);
            file = joined;
        }
        if (cor_run_abi_may_run(file, why))
            continue;
        fprintf(stderr,
                "corunna run: --abi: %s needs %s; compile it with Corunna's mpicc, or with the mpicc_abi of its own "
                "library\n",
                program->argv[0], why);
        return -1;
    }
    return 0;
}

/* ---- the start --------------------------------------------------------------------------------------------------- */

/* With mpidev they are for the MPI that starts the ranks. */
static void run_notice_theirs(run_request *request)
{
    char names[RUN_THEIRS_MAX];
    if (request->is_called || cor_run_needs_other((const char *const *)request->overrides.items))
        return;
    int count = cor_run_theirs_list(names);
    if (count > 0)
        cor_run_request_notice(request,
                               "%s change%s nothing: %s of another MPI; corunna info lists the settings of Corunna",
                               names, count == 1 ? "s" : "", count == 1 ? "it is a variable" : "they are variables");
}

static void run_print_notices(const run_request *request)
{
    for (size_t i = 0; !request->is_quiet && i < request->notices.count; i++)
        fprintf(stderr, "corunna run: notice: %s\n", request->notices.items[i]);
}

static int run_report_pid(const run_request *request)
{
    const char *where = request->report_pid;
    if (!where)
        return 0;
    FILE *file = strcmp(where, "-") == 0 ? stdout : strcmp(where, "+") == 0 ? stderr : fopen(where, "we");
    int is_written = file && fprintf(file, "%d\n", (int)getpid()) > 0 && fflush(file) == 0;
    int error = errno;
    if (file && file != stdout && file != stderr)
        is_written = fclose(file) == 0 && is_written;
    if (!is_written)
        fprintf(stderr, "corunna run: cannot write %s: %s\n", where, strerror(error));
    return is_written ? 0 : -1;
}

/* What all options together mean. 0, or -1 after a message. */
static int run_prepare(run_request *request)
{
    run_plan *plan = &request->plan;
    if (run_check(request) != 0)
        return -1;
    cor_take_maps(request);
    if (run_take_limit(request) != 0 || run_take_host_file(request) != 0 || run_make_programs(request) != 0 ||
        run_check_abi(request) != 0)
        return -1;
    if (request->is_verbose) {
        request->shows_map = 1;
        if (!getenv("CORUNNA_LOG"))
            cor_run_list_add(&request->settings, "CORUNNA_LOG=info");
    }
    if (plan->output.is_merged && plan->output.out_file)
        plan->output.error_file = plan->output.out_file;
    plan->settings = request->settings.items;
    plan->wrapper = request->wrapper.items;
    run_notice_theirs(request);
    run_print_notices(request);
    return 0;
}

static int run_start_here(run_request *request, const char *const *overrides)
{
    run_plan *plan = &request->plan;
    if (cor_run_cluster_plan(&request->cluster, overrides, plan) != 0)
        return RUN_STATUS_USAGE;
    if (plan->input_rank >= plan->size) {
        fprintf(stderr, "corunna run: --stdin is %d; the job has the ranks 0 to %d\n", plan->input_rank,
                plan->size - 1);
        return RUN_STATUS_USAGE;
    }
    if (cor_run_watch_load(plan, overrides) != 0 || run_report_pid(request) != 0)
        return RUN_STATUS_USAGE;
    if (request->shows_hosts)
        cor_run_show_hosts(&request->cluster.list);
    if (request->shows_map || request->is_dry)
        cor_run_show_map(plan);
    if (request->is_dry)
        return 0;
    if (plan->host_count <= 1)
        cor_run_use_tuned(plan->command_name, request->settings.items);
    return cor_run_plan(plan);
}

static int run_start(run_request *request)
{
    const char *const *overrides = (const char *const *)request->overrides.items;
    if (request->sim.is_asked)
        return cor_run_sim_start(&request->sim, &request->plan, (size_t)request->cluster.list.count);
    if (cor_run_needs_other(overrides))
        return cor_run_exec_other(&request->plan, &request->cluster, overrides);
    return run_start_here(request, overrides);
}

/*
 * A program that starts processes (MPI_Comm_spawn) starts this command for it. It leaves a descriptor, the leash, which
 * is closed when that program ends: then the kernel sends SIGTERM, by which the job ends too. And it names a port, for
 * the ranks; a rank that itself calls this command does not mean its own one.
 */
static int run_take_leash(run_request *request)
{
    const char *leash = getenv(COR_LEASH_VARIABLE), *port = getenv(COR_PARENT_VARIABLE);
    if (!leash || !port) {
        unsetenv(COR_PARENT_VARIABLE);
        return 0;
    }
    int fd = atoi(leash);
    request->is_called = 1;
    struct pollfd end = {.fd = fd};
    cor_run_list_add(&request->settings, COR_PARENT_VARIABLE "=%s", port);
    unsetenv(COR_LEASH_VARIABLE);
    if (fd <= STDERR_FILENO || fcntl(fd, F_SETFD, FD_CLOEXEC) != 0 || fcntl(fd, F_SETOWN, getpid()) != 0 ||
        fcntl(fd, F_SETSIG, SIGTERM) != 0 || fcntl(fd, F_SETFL, O_ASYNC) != 0) {
        fprintf(stderr, "corunna run: " COR_LEASH_VARIABLE ": %s\n", strerror(errno));
        return -1;
    }
    return poll(&end, 1, 0) == 1 && end.revents & POLLHUP ? -1 : 0; /* it has ended already */
}

int cor_command_run(int argc, char **argv)
{
    run_request request = {.plan = {.command_name = cor_run_options.command_name}};
    char jar[PATH_MAX];
    if (!getenv("CORUNNA_JAR") && cor_run_path_jar(jar, sizeof jar))
        cor_run_list_add(&request.settings, "CORUNNA_JAR=%s", jar);
    int status = RUN_STATUS_USAGE;
    if (run_take_leash(&request) == 0 && cor_run_request_parse(&request, argv + (argc > 0)) == 0) {
        if (request.is_answered)
            status = 0;
        else if (run_prepare(&request) == 0)
            status = run_start(&request);
    }
    cor_run_request_fini(&request);
    return status;
}
