/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "launch/options/run_take.h"

#include "base/knob.h"
#include "base/knob_map.h"
#include "launch/agent/run_reach.h"
#include "launch/options/run_option_text.h"
#include "mp/config.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* ---- any field or setting ---------------------------------------------------------------------------------------- */

static void *take_field(run_request *request, const run_option_match *match)
{
    return (char *)request + cor_run_meaning(match->option)->at;
}

int cor_take_flag(run_request *request, const run_option_match *match)
{
    int *flag = take_field(request, match);
    *flag = 1;
    return 0;
}

int cor_take_text(run_request *request, const run_option_match *match)
{
    const char **text = take_field(request, match);
    const char *detail = cor_run_meaning(match->option)->detail;
    *text = detail ? detail : match->values[0];
    if (**text)
        return 0;
    fprintf(stderr, "%s: %s is empty\n", cor_run_options.command_name, match->word);
    return -1;
}

int cor_take_knob(run_request *request, const run_option_match *match)
{
    cor_run_list_add(&request->overrides, "%s=%s", cor_run_meaning(match->option)->detail, match->values[0]);
    return 0;
}

/* A setting of the ranks, which the launcher checks. */
static void take_rank_setting(run_request *request, const char *name, const char *value)
{
    char variable[64];
    cor_knob_variable(name, variable);
    cor_run_list_add(&request->overrides, "%s=%s", name, value);
    cor_run_list_add(&request->settings, "%s=%s", variable, value);
}

int cor_take_setting(run_request *request, const run_option_match *match)
{
    take_rank_setting(request, cor_run_meaning(match->option)->detail, match->values[0]);
    return 0;
}

int cor_take_tune(run_request *request, const run_option_match *match)
{
    const char *text = match->values[0], *equals = strchr(text, '=');
    char name[64];
    if (!equals || equals == text) {
        fprintf(stderr, "%s: --tune is \"%s\"; it must be NAME=VALUE\n", cor_run_options.command_name, text);
        return -1;
    }
    snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
    take_rank_setting(request, name, equals + 1);
    return 0;
}

static void take_map(run_request *request, const cor_knob *knob)
{
    const char *const *overrides = (const char *const *)request->overrides.items;
    const char *list = cor_knob_override(overrides, knob->name), *name, *value;
    char word[64], setting[64], variable[64];
    size_t length;
    for (size_t i = 0; list && (name = cor_knob_map_name(knob->choices, i, &length)) != NULL; i++) {
        cor_knob_map_setting(knob, name, length, setting);
        snprintf(word, sizeof word, "%.*s", (int)length, name);
        value = cor_knob_map_find(list, word, &length);
        if (!value || cor_knob_override(overrides, setting))
            continue;
        cor_knob_variable(setting, variable);
        cor_run_list_add(&request->settings, "%s=%.*s", variable, (int)length, value);
    }
}

void cor_take_maps(run_request *request)
{
    for (size_t part = 0; part < COR_CONFIG_PARTS; part++) {
        const cor_knob_table *table = cor_config_part_at(part).table;
        for (size_t i = 0; i < table->count; i++)
            if (table->rows[i].type == COR_KNOB_MAP)
                take_map(request, &table->rows[i]);
    }
}

/* ---- ranks and hosts --------------------------------------------------------------------------------------------- */

int cor_take_size(run_request *request, const run_option_match *match)
{
    int *count = &cor_run_request_part(request)->count, number;
    if (cor_run_option_number(&cor_run_options, match, 1, &number) != 0)
        return -1;
    if (*count > 0 && *count != number) {
        fprintf(stderr,
                "%s: the number of ranks is given twice, as %d and by %s %d; srun's -c, the CPUs of a rank, is "
                "--cpus-per-task here\n",
                cor_run_options.command_name, *count, match->word, number);
        return -1;
    }
    *count = number;
    return 0;
}

/* Hosts are those of the whole job. */
static int take_is_late(const run_request *request, const run_option_match *match)
{
    if (request->part_count < 2)
        return 0;
    fprintf(stderr,
            "%s: %s stands before a later program, but hosts are those of the whole job: name them before the first, "
            "as in --hosts a:1,b:2; ranks are dealt to them in order\n",
            cor_run_options.command_name, match->word);
    return 1;
}

int cor_take_hosts(run_request *request, const run_option_match *match)
{
    if (take_is_late(request, match))
        return -1;
    return cor_host_list_add(&request->cluster.list, cor_run_options.command_name, match->values[0]);
}

int cor_take_host_file(run_request *request, const run_option_match *match)
{
    if (take_is_late(request, match))
        return -1;
    return cor_host_list_read(&request->cluster.list, cor_run_options.command_name, match->values[0]);
}

int cor_take_per_node(run_request *request, const run_option_match *match)
{
    return cor_run_option_number(&cor_run_options, match, 1, &request->cluster.per_node);
}

int cor_take_universe(run_request *request, const run_option_match *match)
{
    int *universe = &request->plan.universe;
    if (strcmp(match->values[0], "SYSTEM") == 0)
        *universe = 0;
    else if (strcmp(match->values[0], "INFINITE") == 0)
        *universe = INT_MAX;
    else
        return cor_run_option_number(&cor_run_options, match, 1, universe);
    return 0;
}

int cor_take_one_per_node(run_request *request, const run_option_match *match)
{
    (void)match;
    request->cluster.per_node = 1;
    return 0;
}

/* Hydra names what reaches hosts by words of its own. */
int cor_take_launcher(run_request *request, const run_option_match *match)
{
    static const struct {
        const char *word, *command;
    } known[] = {{"ssh", RUN_REACH_SSH}, {"rsh", "rsh {host}"}, {"slurm", RUN_REACH_SRUN}, {"srun", RUN_REACH_SRUN}};
    static const char *const unknown[] = {"fork", "manual", "persist", "ll", "lsf", "sge", "pbs", "pbsdsh", "jmi"};
    const char *command = match->values[0];
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(command, known[i].word) == 0)
            command = known[i].command;
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        if (strcmp(command, unknown[i]) == 0) {
            fprintf(stderr,
                    "%s: %s is \"%s\"; it must be ssh, rsh, slurm, or a command such as 'ssh -p 2222 {host}'\n",
                    cor_run_options.command_name, match->word, command);
            return -1;
        }
    cor_run_list_add(&request->overrides, "run.launcher=%s", command);
    return 0;
}

int cor_take_manager(run_request *request, const run_option_match *match)
{
    const char *word = match->values[0];
    request->cluster.ignores_slurm = strcmp(word, "user") == 0;
    if (request->cluster.ignores_slurm || strcmp(word, "slurm") == 0)
        return 0;
    fprintf(stderr, "%s: %s is \"%s\"; it must be user or slurm; for others, write the hosts into a --hostfile\n",
            cor_run_options.command_name, match->word, word);
    return -1;
}

/* ---- the rest ---------------------------------------------------------------------------------------------------- */

/* The settings by which ranks are simulated. */
int cor_take_sim(run_request *request, const run_option_match *match)
{
    run_sim *sim = &request->sim;
    if (cor_run_sim_parse(sim, match->values[0]) != 0)
        return -1;
    take_rank_setting(request, "dev", "simdev");
    take_rank_setting(request, "sim.net", sim->net);
    take_rank_setting(request, "coll.node_ranks", sim->node_ranks);
    return 0;
}

int cor_take_help(run_request *request, const run_option_match *match)
{
    (void)match;
    request->is_answered = 1;
    cor_run_option_text_help();
    cor_sim_spec_help();
    return 0;
}

int cor_take_version(run_request *request, const run_option_match *match)
{
    (void)match;
    request->is_answered = 1;
    return cor_run_option_version();
}
