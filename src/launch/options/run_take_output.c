/* SPDX-License-Identifier: Apache-2.0 */
/* Options for output and input, and for watching ranks. */
#define _GNU_SOURCE
#include "launch/options/run_take.h"

#include "launch/io/run_pattern.h"
#include "launch/job/run_wrap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- output ------------------------------------------------------------------------------------------------------ */

static int output_check_pattern(const run_option_match *match, const char *pattern)
{
    int letter = cor_run_pattern_check(pattern);
    if (!letter && *pattern)
        return 0;
    if (*pattern)
        fprintf(stderr,
                "%s: %s has \"%%%c\"; %%r is the rank, %%R the rank with leading zeros, %%h its host, %%%% a percent "
                "sign\n",
                cor_run_options.command_name, match->word, letter);
    else
        fprintf(stderr, "%s: %s is empty\n", cor_run_options.command_name, match->word);
    return -1;
}

int cor_take_prefix(run_request *request, const run_option_match *match)
{
    request->plan.output.prefix = match->values[0];
    return output_check_pattern(match, match->values[0]);
}

int cor_take_out_file(run_request *request, const run_option_match *match)
{
    request->plan.output.out_file = match->values[0];
    request->plan.output.is_only_filed = 1;
    return output_check_pattern(match, match->values[0]);
}

int cor_take_error_file(run_request *request, const run_option_match *match)
{
    request->plan.output.error_file = match->values[0];
    request->plan.output.is_only_filed = 1;
    return output_check_pattern(match, match->values[0]);
}

/* A path of the user is no pattern: its percent signs are doubled. */
static const char *output_literal(run_request *request, const char *path, size_t length)
{
    char *text = malloc(2 * length + 1), *at = text;
    for (size_t i = 0; text && i < length; i++) {
        *at++ = path[i];
        if (path[i] == '%')
            *at++ = '%';
    }
    if (text)
        *at = '\0';
    const char *kept = cor_run_request_text(request, "%s", text ? text : "");
    free(text);
    return kept;
}

/* Open MPI's files: one folder a rank. */
static void output_use_folder(run_request *request, const char *folder, size_t length)
{
    const char *path = output_literal(request, folder, length);
    request->plan.output.out_file = cor_run_request_text(request, "%s/1/rank.%%R/stdout", path);
    request->plan.output.error_file = cor_run_request_text(request, "%s/1/rank.%%R/stderr", path);
}

static void output_use_name(run_request *request, const char *name, size_t length)
{
    const char *path = output_literal(request, name, length);
    request->plan.output.out_file = cor_run_request_text(request, "%s.%%R.out", path);
    request->plan.output.error_file = cor_run_request_text(request, "%s.%%R.err", path);
}

/* Where a value ends that ":nocopy" may follow. */
static size_t output_path_length(run_request *request, const char *text, size_t length)
{
    static const char tail[] = ":nocopy";
    size_t bytes = sizeof tail - 1;
    if (length <= bytes || strncasecmp(text + length - bytes, tail, bytes) != 0)
        return length;
    request->plan.output.is_only_filed = 1;
    return length - bytes;
}

int cor_take_folder(run_request *request, const run_option_match *match)
{
    size_t length = output_path_length(request, match->values[0], strlen(match->values[0]));
    if (length == 0)
        return output_check_pattern(match, "");
    output_use_folder(request, match->values[0], length);
    return 0;
}

static int output_is(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && strncasecmp(text, word, length) == 0;
}

/* One word of --output. 0, or -1: it is unknown. */
static int output_take_word(run_request *request, const char *text, size_t length)
{
    run_output *output = &request->plan.output;
    size_t kept = output_path_length(request, text, length);
    if (output_is(text, length, "tag") || output_is(text, length, "tag-detailed") ||
        output_is(text, length, "tag-fullname") || output_is(text, length, "rank"))
        output->is_tagged = 1;
    else if (output_is(text, length, "timestamp"))
        output->is_timed = 1;
    else if (output_is(text, length, "merge-stderr-to-stdout") || output_is(text, length, "merge"))
        output->is_merged = 1;
    else if (kept > 4 && strncasecmp(text, "dir=", 4) == 0)
        output_use_folder(request, text + 4, kept - 4);
    else if (kept > 5 && strncasecmp(text, "file=", 5) == 0)
        output_use_name(request, text + 5, kept - 5);
    else
        return output_is(text, length, "raw") ? 0 : -1;
    return 0;
}

int cor_take_output(run_request *request, const run_option_match *match)
{
    for (const char *at = match->values[0]; *at;) {
        size_t length = strcspn(at, ",");
        if (output_take_word(request, at, length) != 0) {
            fprintf(stderr,
                    "%s: %s has \"%.*s\"; it must be tag, timestamp, merge-stderr-to-stdout, dir=FOLDER or file=NAME; "
                    "-outfile-pattern takes srun's names of files\n",
                    cor_run_options.command_name, match->word, (int)length, at);
            return -1;
        }
        at += length + (at[length] == ',');
    }
    return 0;
}

int cor_take_display(run_request *request, const run_option_match *match)
{
    for (const char *at = match->values[0]; *at;) {
        size_t length = strcspn(at, ",");
        if (output_is(at, length, "map") || output_is(at, length, "map-devel"))
            request->shows_map = 1;
        else if (output_is(at, length, "allocation") || output_is(at, length, "alloc"))
            request->shows_hosts = 1;
        else if (output_is(at, length, "bind") || output_is(at, length, "bindings"))
            request->plan.binding.report_bindings = 1;
        else {
            fprintf(stderr,
                    "%s: %s has \"%.*s\"; it must be map, allocation or bind; lstopo of hwloc draws the machine\n",
                    cor_run_options.command_name, match->word, (int)length, at);
            return -1;
        }
        at += length + (at[length] == ',');
    }
    return 0;
}

/* ---- input ------------------------------------------------------------------------------------------------------- */

int cor_take_stdin(run_request *request, const run_option_match *match)
{
    const char *word = match->values[0];
    if (strcmp(word, "none") == 0) {
        request->plan.input_rank = RUN_INPUT_NONE;
        return 0;
    }
    if (strcmp(word, "all") == 0) {
        request->plan.input_rank = RUN_INPUT_ALL;
        return 0;
    }
    if (word[0] >= '0' && word[0] <= '9')
        return cor_run_option_number(&cor_run_options, match, 0, &request->plan.input_rank);
    fprintf(stderr, "%s: %s is \"%s\"; it must be a rank, all or none\n", cor_run_options.command_name, match->word,
            word);
    return -1;
}

/* ---- watching ---------------------------------------------------------------------------------------------------- */

int cor_take_timeout(run_request *request, const run_option_match *match)
{
    const char *text = match->values[0];
    char *end;
    double seconds = strtod(text, &end);
    if (end == text || *end || !(seconds > 0) || seconds > 1e9) {
        fprintf(stderr, "%s: %s is \"%s\"; it must be a number of seconds above 0\n", cor_run_options.command_name,
                match->word, text);
        return -1;
    }
    request->plan.timeout_s = seconds;
    return 0;
}

static int watch_take_file(run_request *request, const run_option_match *match, const char *knob)
{
    if (*match->values[0]) {
        cor_run_list_add(&request->overrides, "%s=%s", knob, match->values[0]);
        return 0;
    }
    fprintf(stderr, "%s: %s is empty; it must be the path of a file\n", cor_run_options.command_name, match->word);
    return -1;
}

int cor_take_trace(run_request *request, const run_option_match *match)
{
    return watch_take_file(request, match, "trace.file");
}

int cor_take_html(run_request *request, const run_option_match *match)
{
    request->has_html = 1;
    return watch_take_file(request, match, "trace.html");
}

int cor_take_stats(run_request *request, const run_option_match *match)
{
    (void)match;
    request->has_stats = 1;
    cor_run_list_add(&request->overrides, "trace.stats=yes");
    return 0;
}

int cor_take_stall(run_request *request, const run_option_match *match)
{
    int seconds;
    if (cor_run_option_number(&cor_run_options, match, 0, &seconds) != 0)
        return -1;
    cor_run_list_add(&request->overrides, "trace.stall=%s", match->values[0]);
    return 0;
}

/* ---- debuggers --------------------------------------------------------------------------------------------------- */

/* Without a terminal of its own a debugger is not interactive: it runs the program and prints where it failed. */
int cor_take_gdb(run_request *request, const run_option_match *match)
{
    const char *display = getenv("DISPLAY");
    (void)match;
    if (display && *display)
        return cor_run_list_split(&request->wrapper, "xterm -T 'rank {rank}' -e gdb -q --args");
    return cor_run_list_split(&request->wrapper,
                              "gdb -q -batch -return-child-result -ex run -ex 'thread apply all -s bt' --args");
}

int cor_take_debugger(run_request *request, const run_option_match *match)
{
    if (cor_run_list_split(&request->wrapper, match->values[0]) == 0 && request->wrapper.count > 0)
        return 0;
    fprintf(stderr, "%s: %s is \"%s\"; it must be a command, whose quotes are closed\n", cor_run_options.command_name,
            match->word, match->values[0]);
    return -1;
}

/* Open MPI writes "0,1!" for windows that stay open. */
int cor_take_xterm(run_request *request, const run_option_match *match)
{
    const char *ranks = match->values[0];
    size_t length = strlen(ranks);
    int stays = length > 0 && ranks[length - 1] == '!';
    request->plan.wrapped = cor_run_request_text(request, "%.*s", (int)(length - (size_t)stays), ranks);
    if (!*request->plan.wrapped || cor_run_ranks_have(request->plan.wrapped, 0) < 0) {
        fprintf(stderr, "%s: %s is \"%s\"; it must be ranks such as 0,2-3, or -1 for all\n",
                cor_run_options.command_name, match->word, ranks);
        return -1;
    }
    return cor_run_list_split(&request->wrapper,
                              stays ? "xterm -hold -T 'rank {rank}' -e" : "xterm -T 'rank {rank}' -e");
}
