/* Options that say where ranks run: on which host, in which order, and on which processors. */
#define _GNU_SOURCE
#include "run/run_take.h"

#include <stdio.h>
#include <string.h>

static int place_order(run_request *request, const run_option_match *match, const char *word)
{
    if (cor_host_order_parse(word, &request->cluster.order) == 0)
        return 0;
    fprintf(stderr, "%s: %s is \"%s\"; it must be slot, node or round-robin\n", cor_run_options.command_name,
            match->word, match->values[0]);
    return -1;
}

int cor_take_map(run_request *request, const run_option_match *match)
{
    return place_order(request, match, match->values[0]);
}

int cor_take_order(run_request *request, const run_option_match *match)
{
    return cor_host_order_parse(cor_run_meaning(match->option)->detail, &request->cluster.order);
}

int cor_take_distribution(run_request *request, const run_option_match *match)
{
    const char *word = match->values[0];
    size_t length = strcspn(word, ":,");
    if (length == 5 && strncmp(word, "block", length) == 0)
        request->cluster.order = HOST_BY_SLOT;
    else if (length == 6 && strncmp(word, "cyclic", length) == 0)
        request->cluster.order = HOST_BY_NODE;
    else {
        fprintf(stderr, "%s: %s is \"%s\"; it must be block or cyclic\n", cor_run_options.command_name, match->word,
                word);
        return -1;
    }
    return 0;
}

/* What follows the object: ":OVERSUBSCRIBE", ":NOLOCAL" and others. */
static void place_take_modifiers(run_request *request, const char *value)
{
    request->cluster.may_oversubscribe |= strcasestr(value, ":oversubscribe") != NULL;
    request->cluster.is_elsewhere |= strcasestr(value, ":nolocal") != NULL;
}

/* What lies inside a host is left in plan.binding for the binding. */
static int place_take_policy(run_request *request, const run_option_match *match, const char *value)
{
    static const char *const inside[] = {"socket", "package", "numa", "l1cache", "l2cache",  "l3cache", "l1", "l2",
                                         "l3",     "board",   "seq",  "core",    "hwthread", "ppr",     ""};
    int per_node = 0, used = 0;
    char word[32];
    place_take_modifiers(request, value);
    request->plan.binding.map_by = value;
    if (sscanf(value, "ppr:%d:%n", &per_node, &used) == 1 && used > 0 && per_node > 0 &&
        strncmp(value + used, "node", 4) == 0) {
        request->cluster.per_node = per_node;
        return 0;
    }
    snprintf(word, sizeof word, "%.*s", (int)strcspn(value, ":"), value);
    for (size_t i = 0; i < sizeof inside / sizeof *inside; i++)
        if (strcmp(word, inside[i]) == 0)
            return 0;
    return place_order(request, match, word);
}

int cor_take_map_by(run_request *request, const run_option_match *match)
{
    return place_take_policy(request, match, match->values[0]);
}

/* Older options that are written as --map-by: "ppr:%s" and the like. */
int cor_take_ppr(run_request *request, const run_option_match *match)
{
    const char *pattern = cor_run_meaning(match->option)->detail, *place = strstr(pattern, "%s");
    return place_take_policy(
        request, match,
        cor_run_request_text(request, "%.*s%s%s", (int)(place - pattern), pattern, match->values[0], place + 2));
}

/* ---- inside a host ----------------------------------------------------------------------------------------------- */

/* Does the policy say more than on which host a rank runs? */
static int place_is_inside(const char *map_by)
{
    static const char *const known[] = {"slot", "node", "core", "hwthread"};
    size_t length = strcspn(map_by, ":");
    if (strcasestr(map_by, ":pe="))
        return 1;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (length == 0 || (strlen(known[i]) == length && strncmp(map_by, known[i], length) == 0))
            return 0;
    int per_node, used = 0;
    return sscanf(map_by, "ppr:%d:node%n", &per_node, &used) != 1 || used == 0;
}

int cor_take_place_end(run_request *request)
{
    const run_binding *binding = &request->plan.binding;
    const char *bind_to = binding->bind_to ? binding->bind_to : "none";
    if (strcmp(bind_to, "core") == 0)
        request->plan.bind = RUN_BIND_CORE;
    else if (strcmp(bind_to, "none") != 0) {
        fprintf(stderr, "%s: --bind-to is \"%s\"; it must be core or none\n", cor_run_options.command_name, bind_to);
        return -1;
    }
    if (binding->map_by && place_is_inside(binding->map_by))
        cor_run_request_notice(request,
                               "--map-by %s changes nothing inside a host; --bind-to core binds ranks in order",
                               binding->map_by);
    if (binding->rank_by && strcmp(binding->rank_by, "slot") != 0)
        cor_run_request_notice(request, "--rank-by changes nothing: ranks are numbered as they are mapped (--map)");
    if (binding->cpu_set || binding->rankfile)
        cor_run_request_notice(request, "%s changes nothing; --bind-to core binds ranks, taskset limits the launcher",
                               binding->cpu_set ? "--cpu-set" : "--rankfile");
    if (binding->report_bindings)
        cor_run_request_notice(request, "--report-bindings changes nothing; --bind-to says what ranks are bound to");
    return 0;
}
