/* SPDX-License-Identifier: Apache-2.0 */
/* Options for where ranks run: on which host, in which order, and on which processors. */
#define _GNU_SOURCE
#include "launch/options/run_take.h"

#include <stdio.h>
#include <string.h>

int cor_take_map(run_request *request, const run_option_match *match)
{
    if (cor_host_order_parse(match->values[0], &request->cluster.order) == 0)
        return 0;
    fprintf(stderr, "%s: %s is \"%s\"; it must be slot, node or round-robin\n", cor_run_options.command_name,
            match->word, match->values[0]);
    return -1;
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

/* The policy stays in plan.binding, as it is; only which hosts there are is taken from it here. */
static int place_take_policy(run_request *request, const char *value)
{
    request->cluster.is_elsewhere |= strcasestr(value, ":nolocal") != NULL;
    request->plan.binding.map_by = value;
    return 0;
}

int cor_take_map_by(run_request *request, const run_option_match *match)
{
    return place_take_policy(request, match->values[0]);
}

/* Older options that are written as --map-by: "ppr:%s" and the like. */
int cor_take_ppr(run_request *request, const run_option_match *match)
{
    const char *pattern = cor_run_meaning(match->option)->detail, *place = strstr(pattern, "%s");
    return place_take_policy(request, cor_run_request_text(request, "%.*s%s%s", (int)(place - pattern), pattern,
                                                           match->values[0], place + 2));
}
