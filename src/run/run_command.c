/* `corunna run`, also as mpirun and mpiexec: options to a plan. */
#define _GNU_SOURCE
#include "base/knob.h"
#include "mp/config.h"
#include "run/commands.h"
#include "run/run_classpath.h"
#include "run/run_cluster.h"
#include "run/run_list.h"
#include "run/run_option.h"
#include "run/run_other.h"
#include "run/run_path.h"
#include "run/run_plan.h"
#include "run/run_sim.h"
#include "run/run_tuned.h"
#include "run/run_watch.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum run_option_id {
    RUN_SIZE,
    RUN_DEVICE,
    RUN_TUNE,
    RUN_TAG,
    RUN_TIMEOUT,
    RUN_EXPORT,
    RUN_EXPORT_PAIR,
    RUN_WDIR,
    RUN_TRACE,
    RUN_STATS,
    RUN_HTML,
    RUN_STALL,
    RUN_BIND,
    RUN_MAP,
    RUN_MAP_BY,
    RUN_PER_NODE,
    RUN_OVERSUBSCRIBE,
    RUN_KNOB_LAUNCHER,
    RUN_KNOB_PREFIX,
    RUN_KNOB_FAN,
    RUN_KNOB_HOST_TIMEOUT,
    RUN_HOST_FILE,
    RUN_HOST_LIST,
    RUN_IGNORED,
    RUN_OTHER_MPI,
    RUN_SIM,
    RUN_HELP,
    RUN_VERSION
};

static const run_option run_options[] = {
    {"n|np|c", RUN_SIZE, "N", "number of ranks (1, or one per slot of the hosts)"},
    {"dev", RUN_DEVICE, "DEVICE",
     "hybdev (default): shared memory inside a host, RDMA or TCP between\n"
     "                         hosts; smdev, ibvdev or tcpdev: one of them alone;\n"
     "                         mpidev: through Open MPI or MPICH, whose launcher starts the ranks;\n"
     "                         ucxdev, ofidev: through UCX, libfabric"},
    {"tune", RUN_TUNE, "NAME=VALUE", "change a setting; `corunna info` lists them"},
    {"tag-output|l", RUN_TAG, "", "begin every line with the rank, as in [2]"},
    {"timeout", RUN_TIMEOUT, "SECONDS", "end the job after this time, with status 124"},
    {"x", RUN_EXPORT, "VAR[=VALUE]", "set or pass on an environment variable"},
    {"env|genv", RUN_EXPORT_PAIR, "VAR=VALUE", "the same; also as two words"},
    {"wdir|wd", RUN_WDIR, "DIRECTORY", "working directory of the ranks"},
    {"trace", RUN_TRACE, "FILE", "write a timeline of all ranks at the end, for Perfetto (ui.perfetto.dev)"},
    {"stats", RUN_STATS, "", "print at the end how long the ranks communicated, and which with which"},
    {"html", RUN_HTML, "FILE", "with --stats: write them as a page, too"},
    {"stall", RUN_STALL, "SECONDS",
     "say what the ranks wait for once nothing has moved for this time (60);\n"
     "                         0: never. `corunna ps` says it at any time"},
    {"bind|bind-to", RUN_BIND, "none|core", "bind each rank to its own core (none)"},
    {"hosts|host|H", RUN_HOST_LIST, "NAMES", "hosts to run on, slots optional: a:4,b:4"},
    {"hostfile|machinefile|f|default-hostfile", RUN_HOST_FILE, "FILE", "file of hosts, one per line"},
    {"map", RUN_MAP, "slot|node", "fill a host before the next (slot), or one rank per host in turn"},
    {"ppn|npernode|perhost", RUN_PER_NODE, "N", "ranks per host"},
    {"oversubscribe", RUN_OVERSUBSCRIBE, "", "allow more ranks than slots"},
    {"launcher", RUN_KNOB_LAUNCHER, "COMMAND",
     "command that reaches a host, with {host} in it (ssh; srun under Slurm)"},
    {"prefix", RUN_KNOB_PREFIX, "DIRECTORY", "where Corunna is installed on other hosts (as here)"},
    {"fan", RUN_KNOB_FAN, "N", "most hosts reached from one host, which reach the rest (32)"},
    {"host-timeout", RUN_KNOB_HOST_TIMEOUT, "SECONDS", "a host that does not answer for this time is lost (10)"},
    {"sim", RUN_SIM, "CLUSTER", "run in virtual time, as on a cluster such as nodes=16,ppn=8,model=F"},
    {"allow-run-as-root|use-hwthread-cpus|q|quiet", RUN_IGNORED, "", NULL},
    {"map-by", RUN_MAP_BY, "WHAT", NULL},
    {"rank-by", RUN_IGNORED, "WHAT", NULL},
    {"mca|prtemca|gmca", RUN_OTHER_MPI, "NAME VALUE", NULL},
    {"help|h|?", RUN_HELP, "", "show this help"},
    {"version|V", RUN_VERSION, "", "show the version"},
};

static const run_option_table run_table = {"corunna run", run_options, sizeof run_options / sizeof run_options[0]};

/* The options so far. */
typedef struct run_request {
    run_plan plan;
    run_cluster cluster;
    run_list settings;  /* becomes plan.settings */
    run_list overrides; /* "name=value", to be checked before anything starts */
    run_list command;   /* the program, where it is not as it was given */
    run_sim sim;
    int has_stats, has_html;
    int is_answered; /* help or version was printed, there is nothing to run */
} run_request;

static int run_usage(void)
{
    puts("usage: corunna run [options] program [arguments]\n"
         "Starts the program as the ranks of one parallel job, on this host or on others.\n");
    cor_run_option_help(&run_table);
    cor_sim_spec_help();
    return 0;
}

/* ---- one option ------------------------------------------------------------------------------------------------- */

static int run_take_tune(run_request *request, const char *name, const char *text)
{
    const char *equals = strchr(text, '=');
    if (!name && (!equals || equals == text)) {
        fprintf(stderr, "corunna run: --tune is \"%s\"; it must be NAME=VALUE\n", text);
        return -1;
    }
    char variable[64], knob[64];
    snprintf(knob, sizeof knob, "%.*s", (int)(name ? strlen(name) : (size_t)(equals - text)), name ? name : text);
    const char *value = name ? text : equals + 1;
    cor_knob_variable(knob, variable);
    cor_run_list_add(&request->overrides, "%s=%s", knob, value);
    cor_run_list_add(&request->settings, "%s=%s", variable, value);
    return 0;
}

static int run_take_export(run_request *request, const char *text)
{
    if (*text == '=' || !*text) {
        fprintf(stderr, "corunna run: -x is \"%s\"; it must be VAR or VAR=VALUE\n", text);
        return -1;
    }
    /* Ranks of this host inherit our whole environment; for those of others a bare name needs its value. */
    const char *value = getenv(text);
    if (strchr(text, '='))
        cor_run_list_add(&request->settings, "%s", text);
    else if (value)
        cor_run_list_add(&request->settings, "%s=%s", text, value);
    else
        fprintf(stderr, "corunna run: -x %s: the variable is not set and not passed on\n", text);
    return 0;
}

static int run_take_timeout(run_request *request, const char *text)
{
    char *end;
    double seconds = strtod(text, &end);
    if (end == text || *end || !(seconds > 0) || seconds > 1e9) {
        fprintf(stderr, "corunna run: --timeout is \"%s\"; it must be a number of seconds above 0\n", text);
        return -1;
    }
    request->plan.timeout_s = seconds;
    return 0;
}

static int run_take_bind(run_request *request, const run_option_match *match)
{
    if (strcmp(match->values[0], "core") == 0)
        request->plan.bind = RUN_BIND_CORE;
    else if (strcmp(match->values[0], "none") == 0)
        request->plan.bind = RUN_BIND_NONE;
    else {
        fprintf(stderr, "corunna run: %s is \"%s\"; it must be core or none\n", match->word, match->values[0]);
        return -1;
    }
    return 0;
}

static int run_take_pair(run_request *request, const run_option_match *match)
{
    const char *name = match->values[0], *value = match->values[1];
    if (*name == '=' || (!value && !strchr(name, '='))) {
        fprintf(stderr, "corunna run: %s is \"%s\"; it must be VAR=VALUE or VAR VALUE\n", match->word, name);
        return -1;
    }
    cor_run_list_add(&request->settings, "%s%s%s", name, value ? "=" : "", value ? value : "");
    return 0;
}

static int run_take_map(run_request *request, const run_option_match *match, const char *word)
{
    if (cor_host_order_parse(word, &request->cluster.order) == 0)
        return 0;
    fprintf(stderr, "corunna run: %s is \"%s\"; it must be slot, node or round-robin\n", match->word,
            match->values[0]);
    return -1;
}

/* Open MPI's values: "node", "ppr:2:node", "core:OVERSUBSCRIBE". Inside a host only --bind applies. */
static int run_take_map_by(run_request *request, const run_option_match *match)
{
    static const char *const inside[] = {"socket", "package", "numa", "l1cache", "l2cache", "l3cache", "board", "seq"};
    const char *value = match->values[0];
    char word[32];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(value, ":"), value);
    request->cluster.may_oversubscribe |= strcasestr(value, ":oversubscribe") != NULL;
    if (strcmp(word, "ppr") == 0 && sscanf(value, "ppr:%d:node", &request->cluster.per_node) == 1 &&
        request->cluster.per_node > 0)
        return 0;
    for (size_t i = 0; i < sizeof inside / sizeof *inside; i++)
        if (strcmp(word, inside[i]) == 0)
            return 0;
    return run_take_map(request, match, word);
}

/* A setting of the launcher, which the ranks do not get. */
static int run_take_knob(run_request *request, const char *name, const char *value)
{
    cor_run_list_add(&request->overrides, "%s=%s", name, value);
    return 0;
}

/* The settings by which ranks are simulated. */
static int run_take_sim(run_request *request, const char *text)
{
    run_sim *sim = &request->sim;
    if (cor_run_sim_parse(sim, text) != 0)
        return -1;
    if (run_take_tune(request, "dev", "simdev") != 0 || run_take_tune(request, "sim.net", sim->net) != 0)
        return -1;
    return run_take_tune(request, "coll.node_ranks", sim->node_ranks);
}

static int run_take_file(run_request *request, const run_option_match *match, const char *name)
{
    if (*match->values[0])
        return run_take_knob(request, name, match->values[0]);
    fprintf(stderr, "corunna run: %s is empty; it must be the path of a file\n", match->word);
    return -1;
}

static int run_take_stall(run_request *request, const run_option_match *match)
{
    int seconds;
    if (cor_run_option_number(&run_table, match, 0, &seconds) != 0)
        return -1;
    return run_take_knob(request, "trace.stall", match->values[0]);
}

/* 0, or -1 after a message. */
static int run_apply(run_request *request, const run_option_match *match)
{
    const char *value = match->values[0];
    switch ((enum run_option_id)match->option->id) {
    case RUN_SIZE:
        return cor_run_option_number(&run_table, match, 1, &request->plan.size);
    case RUN_DEVICE:
        return run_take_tune(request, "dev", value);
    case RUN_TUNE:
        return run_take_tune(request, NULL, value);
    case RUN_TAG:
        request->plan.tag_output = 1;
        return 0;
    case RUN_TIMEOUT:
        return run_take_timeout(request, value);
    case RUN_EXPORT:
        return run_take_export(request, value);
    case RUN_EXPORT_PAIR:
        return run_take_pair(request, match);
    case RUN_WDIR:
        request->plan.wdir = value;
        return 0;
    case RUN_TRACE:
        return run_take_file(request, match, "trace.file");
    case RUN_STATS:
        request->has_stats = 1;
        return run_take_knob(request, "trace.stats", "yes");
    case RUN_HTML:
        request->has_html = 1;
        return run_take_file(request, match, "trace.html");
    case RUN_STALL:
        return run_take_stall(request, match);
    case RUN_BIND:
        return run_take_bind(request, match);
    case RUN_HOST_FILE:
        return cor_host_list_read(&request->cluster.list, run_table.command_name, value);
    case RUN_HOST_LIST:
        return cor_host_list_add(&request->cluster.list, run_table.command_name, value);
    case RUN_MAP:
        return run_take_map(request, match, value);
    case RUN_MAP_BY:
        return run_take_map_by(request, match);
    case RUN_PER_NODE:
        return cor_run_option_number(&run_table, match, 1, &request->cluster.per_node);
    case RUN_OVERSUBSCRIBE:
        request->cluster.may_oversubscribe = 1;
        return 0;
    case RUN_KNOB_LAUNCHER:
        return run_take_knob(request, "run.launcher", value);
    case RUN_KNOB_PREFIX:
        return run_take_knob(request, "run.prefix", value);
    case RUN_KNOB_FAN:
        return run_take_knob(request, "run.fan", value);
    case RUN_KNOB_HOST_TIMEOUT:
        return run_take_knob(request, "run.host_timeout", value);
    case RUN_IGNORED:
        return 0;
    case RUN_OTHER_MPI:
        fprintf(
            stderr,
            "corunna run: %s sets parameters of Open MPI; use --tune NAME=VALUE (`corunna info` lists the names)\n",
            match->word);
        return -1;
    case RUN_SIM:
        return run_take_sim(request, value);
    case RUN_HELP:
        request->is_answered = 1;
        return run_usage();
    case RUN_VERSION:
        request->is_answered = 1;
        return cor_command_version(0, NULL);
    }
    return 0;
}

/* ---- all options ------------------------------------------------------------------------------------------------ */

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

/* One program for all ranks. */
static int run_check_program(char **argv)
{
    if (!argv[0]) {
        fputs("corunna run: no program given; see `corunna run --help`\n", stderr);
        return -1;
    }
    for (char **word = argv; *word; word++)
        if (strcmp(*word, ":") == 0) {
            fputs("corunna run: several programs in one job (\":\") are not supported; all ranks run the same one\n",
                  stderr);
            return -1;
        }
    return 0;
}

static int run_parse(run_request *request, int argc, char **argv)
{
    int at = 1;
    while (at < argc && cor_run_option_is(argv[at])) {
        if (strcmp(argv[at], "--") == 0) {
            at++;
            break;
        }
        run_option_match match;
        int code = cor_run_option_take(&run_table, argv, &at, &match);
        if (code == -1)
            cor_run_option_unknown(&run_table, argv[at]);
        /* Both "-env A=1" and "-env A 1" are in use. */
        if (code == 0 && match.option->id == RUN_EXPORT_PAIR && !strchr(match.values[0], '=') && at < argc)
            match.values[1] = argv[at++];
        if (code != 0 || run_apply(request, &match) != 0)
            return -1;
        if (request->is_answered)
            return 0;
    }
    request->plan.argv = argv + at;
    if (run_check_program(request->plan.argv) != 0 || run_check_knobs(request) != 0)
        return -1;
    char jar[PATH_MAX];
    if (cor_run_path_jar(jar, sizeof jar))
        request->plan.argv = cor_run_class_path(request->plan.argv, jar, &request->command, &request->settings);
    if (request->has_html && !request->has_stats) {
        fputs("corunna run: --html writes the statistics as a page, so it needs --stats\n", stderr);
        return -1;
    }
    request->plan.settings = request->settings.items;
    return 0;
}

static int run_start(run_request *request)
{
    const char *const *overrides = (const char *const *)request->overrides.items;
    if (request->sim.is_asked)
        return cor_run_sim_start(&request->sim, &request->plan, request->cluster.list.count);
    if (cor_run_needs_other(overrides))
        return cor_run_exec_other(&request->plan, &request->cluster, overrides);
    if (cor_run_cluster_plan(&request->cluster, overrides, &request->plan) != 0)
        return RUN_STATUS_USAGE;
    if (cor_run_watch_load(&request->plan, overrides) != 0)
        return RUN_STATUS_USAGE;
    if (request->plan.host_count == 0)
        cor_run_use_tuned(request->plan.command_name, request->settings.items);
    return cor_run_plan(&request->plan);
}

int cor_command_run(int argc, char **argv)
{
    run_request request = {.plan = {.command_name = run_table.command_name}};
    char jar[PATH_MAX];
    if (!getenv("CORUNNA_JAR") && cor_run_path_jar(jar, sizeof jar))
        cor_run_list_add(&request.settings, "CORUNNA_JAR=%s", jar);
    int status = RUN_STATUS_USAGE;
    if (run_parse(&request, argc, argv) == 0)
        status = request.is_answered ? 0 : run_start(&request);
    cor_run_cluster_fini(&request.cluster);
    cor_run_list_fini(&request.settings);
    cor_run_list_fini(&request.overrides);
    cor_run_list_fini(&request.command);
    return status;
}
