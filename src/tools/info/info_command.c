/* SPDX-License-Identifier: Apache-2.0 */
/* `corunna info`: version, parts, settings, memory and functions. */
#define _GNU_SOURCE
#include "base/cpu.h"
#include "base/machine.h"
#include "launch/hosts/run_cluster.h"
#include "launch/options/run_option.h"
#include "launch/options/run_tuned.h"
#include "launch/run_plan.h"
#include "mp/config.h"
#include "tools/info/function_list.h"
#include "tools/info/info_coll.h"
#include "tools/info/info_file.h"
#include "tools/info/info_knobs.h"
#include "tools/info/info_parts.h"
#include "tools/info/info_routes.h"
#include "tools/info/info_variables.h"
#include "tools/tools.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum info_option_id {
    INFO_SIZE,
    INFO_FUNCTIONS,
    INFO_CVARS,
    INFO_PVARS,
    INFO_COLL,
    INFO_ROUTES,
    INFO_FILE,
    INFO_HELP
};

static const run_option info_options[] = {
    {"n|np", INFO_SIZE, "N", "number of ranks on this host (4)"},
    {"functions", INFO_FUNCTIONS, "", "the functions of MPI"},
    {"cvars", INFO_CVARS, "", "the control variables of MPI_T"},
    {"pvars", INFO_PVARS, "", "the performance variables of MPI_T: what each rank counts"},
    {"coll", INFO_COLL, "NAME", "the algorithms of a collective operation (or all), and when each runs"},
    {"routes", INFO_ROUTES, "",
     "the wire and protocol to each rank: of the job that corunna run started this in,\n"
     "                         or of a job of -n ranks"},
    {"file", INFO_FILE, "PATH",
     "the file system of a file or folder, how -n ranks (2, 8 and 64) would access it together, and hints"},
    {"help|h", INFO_HELP, "", "show this help"},
};

static const run_option_table info_table = {"corunna info", info_options,
                                            sizeof info_options / sizeof info_options[0]};

/* ---- host and memory -------------------------------------------------------------------------------------------- */

/* What corunna tune has left, with the line that says when. */
static void info_tuned(void)
{
    char path[PATH_MAX], other[COR_MACHINE_MAX], line[256] = "";
    cor_tuned found = cor_machine_find_tuned(path, sizeof path, other);
    FILE *file = found == COR_TUNED_HERE ? fopen(path, "r") : NULL;
    if (file && fgets(line, sizeof line, file))
        line[strcspn(line, "\n")] = '\0';
    if (file)
        fclose(file);
    if (found == COR_TUNED_HERE)
        printf("tuned: %s: %s\n", path, line + strspn(line, "# "));
    if (found == COR_TUNED_OTHER)
        printf("tuned: %s was made on another machine and is left out: %s\n", path, other);
    if (found == COR_TUNED_CUT)
        printf("tuned: %s was cut short and is left out\n", path);
}

static void info_host(void)
{
    struct utsname system;
    char host[256] = "";
    cor_cpu_set allowed;
    gethostname(host, sizeof host - 1);
    cor_cpu_allowed(&allowed);
    printf("Corunna %s\n", COR_VERSION);
    if (uname(&system) == 0)
        printf("host %s: %s %s on %s, %d of %ld processors usable\n", host, system.sysname, system.release,
               system.machine, cor_cpu_count(&allowed), sysconf(_SC_NPROCESSORS_ONLN));
    info_tuned();
}

static void info_bytes(const char *what, size_t bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    int unit = 0;
    for (; value >= 1024 && unit < 4; unit++)
        value /= 1024;
    printf("  %-40s %.*f %s\n", what, unit ? 1 : 0, value, units[unit]);
}

static void info_memory(const cor_config *config, int ranks)
{
    char what[64];
    cor_device_memory memory = cor_device_memory_of(config->mp.device, &config->devices, ranks);
    if (memory.host_bytes == 0)
        return;
    printf("\nShared memory, at most; pages are used only when two ranks communicate\n");
    info_bytes("one rank writing to another", memory.pair_bytes);
    snprintf(what, sizeof what, "%d ranks on this machine, all pairs", ranks);
    info_bytes(what, memory.host_bytes);
}

static int info_fail(const cor_fault *fault)
{
    fflush(stdout);
    fprintf(stderr, "corunna info: %s\n", fault->text);
    return 1;
}

static int info_all(int ranks)
{
    cor_config config;
    cor_fault fault = {0};
    info_host();
    if (cor_config_load(NULL, &config, &fault) == COR_OK)
        cor_info_parts(&config, NULL);
    if (cor_info_knobs(NULL, &fault) < 0)
        return info_fail(&fault);
    fflush(stdout);
    const cor_log log = {.level = COR_LOG_WARN, .rank = -1};
    if (cor_config_check(NULL, &log, &fault) != COR_OK || cor_config_load(NULL, &config, &fault) != COR_OK)
        return info_fail(&fault);
    info_memory(&config, ranks);
    return 0;
}

/* What a word names: settings, a device, another part. */
static int info_named(const char *word)
{
    cor_config config;
    cor_fault fault = {0};
    int count = cor_info_knobs(word, &fault);
    if (count < 0 || (count == 0 && cor_config_load(NULL, &config, &fault) != COR_OK))
        return info_fail(&fault);
    if (count > 0 || cor_info_parts(&config, word) > 0)
        return 0;
    fprintf(stderr, "corunna info: \"%s\" is no setting, topic or device%s\n", word, cor_info_knob_hint(word).text);
    return RUN_STATUS_USAGE;
}

/* ---- functions -------------------------------------------------------------------------------------------------- */

static int info_functions(void)
{
    for (size_t i = 0; i < cor_function_count; i++)
        printf("  %s\n", cor_functions[i]);
    printf("%zu functions: all of MPI 5.0\n", cor_function_count);
    return 0;
}

int cor_command_info(int argc, char **argv)
{
    int at = 1, ranks = 4, is_asked = 0, functions = 0, routes = 0, cvars = 0, pvars = 0;
    const char *coll = NULL, *file = NULL, *word = NULL;
    while (at < argc) {
        run_option_match match;
        if (!word && *argv[at] && !cor_run_option_is(argv[at])) {
            word = argv[at++];
            continue;
        }
        int code = cor_run_option_is(argv[at]) ? cor_run_option_take(&info_table, argv, &at, &match) : -1;
        if (code == -1)
            cor_run_option_unknown(&info_table, argv[at]);
        if (code != 0)
            return RUN_STATUS_USAGE;
        if (match.option->id == INFO_SIZE && cor_run_option_number(&info_table, &match, 1, &ranks) != 0)
            return RUN_STATUS_USAGE;
        is_asked |= match.option->id == INFO_SIZE;
        functions |= match.option->id == INFO_FUNCTIONS;
        routes |= match.option->id == INFO_ROUTES;
        cvars |= match.option->id == INFO_CVARS;
        pvars |= match.option->id == INFO_PVARS;
        if (match.option->id == INFO_COLL)
            coll = match.values[0];
        if (match.option->id == INFO_FILE)
            file = match.values[0];
        if (match.option->id == INFO_HELP) {
            puts("usage: corunna info [options] [NAME]\n\n"
                 "Prints the version, devices and what is missing for one, and every setting; with NAME only that "
                 "setting\n"
                 "(tcp.ports), topic (tcp, coll, waiting) or device (ucxdev).\n");
            cor_run_option_help(&info_table);
            return 0;
        }
    }
    /* As a job here would find them; inside of one, corunna run has done it. */
    if (!getenv("PMI_FD") && !getenv("PMIX_RANK"))
        cor_run_use_tuned("corunna info", NULL);
    if (cvars)
        cor_info_cvars();
    if (pvars)
        cor_info_pvars();
    if (cvars || pvars)
        return 0;
    if (routes)
        return cor_info_routes(ranks, is_asked);
    if (coll)
        return cor_info_coll(coll, ranks);
    if (file)
        return cor_info_file(file, is_asked ? ranks : 0);
    if (word && !functions)
        return info_named(word);
    return functions ? info_functions() : info_all(ranks);
}
