/* SPDX-License-Identifier: Apache-2.0 */
/* Options about the environment and the directory of the ranks. Those of a program are stored in its part, the others
 * in the request. */
#define _GNU_SOURCE
#include "launch/options/run_take.h"

#include "launch/run_abi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

static run_list *environment_list(run_request *request, const run_option_match *match)
{
    return cor_run_meaning(match->option)->is_per_program ? &cor_run_request_part(request)->settings
                                                          : &request->settings;
}

/* A bare name takes its value from here: ranks of this host inherit it, those of others do not. */
static void environment_pass_on(run_list *list, const run_option_match *match, const char *name)
{
    const char *value = getenv(name);
    if (value)
        cor_run_list_add(list, "%s=%s", name, value);
    else
        fprintf(stderr, "%s: %s %s: the variable is not set and not passed on\n", cor_run_options.command_name,
                match->word, name);
}

/* All variables that begin so: Open MPI's -x NAME*. */
static void environment_pass_family(run_list *list, const char *begin, size_t length)
{
    for (char **entry = environ; *entry; entry++)
        if (strncmp(*entry, begin, length) == 0)
            cor_run_list_add(list, "%s", *entry);
}

static int environment_put(run_list *list, const run_option_match *match, const char *text)
{
    if (*text == '=' || !*text) {
        fprintf(stderr, "%s: %s is \"%s\"; it must be VAR or VAR=VALUE\n", cor_run_options.command_name, match->word,
                text);
        return -1;
    }
    if (strchr(text, '='))
        cor_run_list_add(list, "%s", text);
    else if (text[strlen(text) - 1] == '*')
        environment_pass_family(list, text, strlen(text) - 1);
    else
        environment_pass_on(list, match, text);
    return 0;
}

int cor_take_export(run_request *request, const run_option_match *match)
{
    return environment_put(environment_list(request, match), match, match->values[0]);
}

/* Both "-env A=1" and "-env A 1" are in use; the parser has taken the second word. */
int cor_take_env(run_request *request, const run_option_match *match)
{
    const char *name = match->values[0], *value = match->values[1];
    if (*name == '=' || (!value && !strchr(name, '='))) {
        fprintf(stderr, "%s: %s is \"%s\"; it must be VAR=VALUE or VAR VALUE\n", cor_run_options.command_name,
                match->word, name);
        return -1;
    }
    cor_run_list_add(environment_list(request, match), "%s%s%s", name, value ? "=" : "", value ? value : "");
    return 0;
}

int cor_take_env_all(run_request *request, const run_option_match *match)
{
    (void)match;
    request->cluster.carries_all = 1;
    return 0;
}

int cor_take_env_none(run_request *request, const run_option_match *match)
{
    if (cor_run_meaning(match->option)->is_per_program)
        cor_run_request_part(request)->pass = RUN_PASS_NAMED;
    else
        request->pass = RUN_PASS_NAMED;
    return 0;
}

/* Names, or names with values, separated by commas. */
static int environment_put_names(run_request *request, const run_option_match *match, const char *names)
{
    int code = 0;
    for (const char *at = names; code == 0 && *at;) {
        size_t length = strcspn(at, ",");
        if (length > 0)
            code = environment_put(environment_list(request, match), match,
                                   cor_run_request_text(request, "%.*s", (int)length, at));
        at += length + (at[length] == ',');
    }
    return code;
}

int cor_take_env_list(run_request *request, const run_option_match *match)
{
    cor_take_env_none(request, match);
    return environment_put_names(request, match, match->values[0]);
}

/* srun's --export: ALL may be followed by more. */
int cor_take_env_slurm(run_request *request, const run_option_match *match)
{
    const char *names = match->values[0];
    if (strcmp(names, "NONE") == 0)
        return cor_take_env_none(request, match);
    if (strncmp(names, "ALL", 3) != 0 || (names[3] && names[3] != ','))
        return cor_take_env_list(request, match);
    request->cluster.carries_all = 1;
    return environment_put_names(request, match, names + 3);
}

int cor_take_wdir(run_request *request, const run_option_match *match)
{
    cor_run_request_part(request)->wdir = match->values[0];
    return 0;
}

int cor_take_abi(run_request *request, const run_option_match *match)
{
    (void)match;
    request->has_abi = 1;
    cor_run_list_add(&request->settings, RUN_ABI_VARIABLE "=yes");
    return 0;
}

int cor_take_path(run_request *request, const run_option_match *match)
{
    const char *path = getenv("PATH");
    cor_run_list_add(environment_list(request, match), "PATH=%s%s%s", match->values[0], path ? ":" : "",
                     path ? path : "");
    return 0;
}
