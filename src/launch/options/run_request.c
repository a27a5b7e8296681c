/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "launch/options/run_request.h"

#include "launch/options/run_options.h"
#include "launch/options/run_take.h"
#include "launch/run_lines.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- texts ------------------------------------------------------------------------------------------------------- */

const char *cor_run_request_text(run_request *request, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    cor_run_list_add(&request->texts, "%s", length >= 0 ? text : "");
    if (length >= 0)
        free(text);
    return request->texts.items[request->texts.count - 1];
}

void cor_run_request_notice(run_request *request, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (size_t i = 0; i < request->notices.count; i++)
        if (strcmp(request->notices.items[i], text) == 0)
            return;
    cor_run_list_add(&request->notices, "%s", text);
}

/* ---- programs ---------------------------------------------------------------------------------------------------- */

run_part *cor_run_request_part(run_request *request)
{
    return &request->parts[request->part_count - 1];
}

static int request_add_part(run_request *request)
{
    run_part *grown = realloc(request->parts, ((size_t)request->part_count + 1) * sizeof *grown);
    if (!grown) {
        fprintf(stderr, "%s: out of memory\n", cor_run_options.command_name);
        return -1;
    }
    request->parts = grown;
    memset(&grown[request->part_count++], 0, sizeof *grown);
    return 0;
}

/* A line of a file of programs: '#' begins a comment, and ":" stands between programs, as on a command line. */
static int request_take_line(void *context, const char *where, char *line, int number)
{
    run_list *words = context;
    const char *start = line + strspn(line, " \t\r");
    (void)number;
    if (!*start || *start == '#')
        return 0;
    if (words->count > 0 && strcmp(words->items[words->count - 1], ":") != 0)
        cor_run_list_add(words, ":");
    if (cor_run_list_split(words, start) == 0)
        return 0;
    fprintf(stderr, "%s: a quote is not closed\n", where);
    return -1;
}

static int request_read_file(run_request *request)
{
    const char *name = cor_run_options.command_name;
    int code = cor_run_lines_read(name, request->app_file, request_take_line, &request->file);
    if (code == 0 && request->file.count == 0) {
        fprintf(stderr, "%s: %s has no program\n", name, request->app_file);
        code = -1;
    }
    /* Hydra's files have a colon at the end of each line. */
    if (code == 0 && strcmp(request->file.items[request->file.count - 1], ":") == 0) {
        free(request->file.items[--request->file.count]);
        request->file.items[request->file.count] = NULL;
    }
    return code;
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

/* Options of one program, up to the program itself or a file of programs. */
static int request_take_options(run_request *request, char **words, int *at)
{
    while (words[*at] && cor_run_option_is(words[*at])) {
        run_option_match match;
        if (strcmp(words[*at], "--") == 0) {
            ++*at;
            return 0;
        }
        int code = cor_run_option_take(&cor_run_options, words, at, &match);
        if (code == -1)
            cor_run_option_unknown(&cor_run_options, words[*at]);
        /* Both "-env A=1" and "-env A 1" are in use. */
        if (code == 0 && cor_run_meaning(match.option)->take == cor_take_env && !strchr(match.values[0], '=') &&
            words[*at])
            match.values[1] = words[(*at)++];
        if (code != 0 || cor_run_options_take(request, &match) != 0)
            return -1;
        if (request->is_answered || request->app_file)
            return 0;
    }
    return 0;
}

/* A colon alone ends a program. Backslashes before it make it an argument, which has one of them less. */
static const char *request_unescape(const char *word)
{
    return word[0] == '\\' && strcmp(word + strspn(word, "\\"), ":") == 0 ? word + 1 : word;
}

static int request_take_program(run_request *request, char **words, int *at)
{
    run_part *part = cor_run_request_part(request);
    for (; words[*at] && strcmp(words[*at], ":") != 0; ++*at)
        cor_run_list_add(&part->words, "%s", request_unescape(words[*at]));
    if (part->words.count > 0)
        return 0;
    if (words[*at] || request->part_count > 1)
        fprintf(stderr, "%s: there is no program %s a \":\"\n", cor_run_options.command_name,
                words[*at] ? "before" : "after");
    else
        fprintf(stderr, "%s: no program given; see `corunna run --help`\n", cor_run_options.command_name);
    return -1;
}

static int request_take_words(run_request *request, char **words);

/* The file takes the place of the option, which must be the last. */
static int request_take_file(run_request *request, const char *next)
{
    const char *path = request->app_file;
    if (next || request->file.count > 0) {
        fprintf(stderr, "%s: %s must be the last option, and have no program after it\n", cor_run_options.command_name,
                request->file.count > 0 ? "--app in a file" : "--app FILE");
        return -1;
    }
    if (request_read_file(request) != 0)
        return -1;
    request->app_file = NULL;
    int code = request_take_words(request, request->file.items);
    request->app_file = path;
    return code;
}

/* Programs and their options; the part of the first has begun. */
static int request_take_words(run_request *request, char **words)
{
    for (int at = 0;; at++) {
        if (request_take_options(request, words, &at) != 0)
            return -1;
        if (request->is_answered)
            return 0;
        if (request->app_file)
            return request_take_file(request, words[at]);
        if (request_take_program(request, words, &at) != 0)
            return -1;
        if (!words[at])
            return 0;
        if (request_add_part(request) != 0)
            return -1;
    }
}

int cor_run_request_parse(run_request *request, char **argv)
{
    return request_add_part(request) != 0 || request_take_words(request, argv) != 0 ? -1 : 0;
}

void cor_run_request_fini(run_request *request)
{
    for (int i = 0; i < request->part_count; i++) {
        cor_run_list_fini(&request->parts[i].settings);
        cor_run_list_fini(&request->parts[i].words);
        cor_run_list_fini(&request->parts[i].command);
    }
    free(request->parts);
    free(request->programs);
    cor_run_list_fini(&request->settings);
    cor_run_list_fini(&request->overrides);
    cor_run_list_fini(&request->wrapper);
    cor_run_list_fini(&request->texts);
    cor_run_list_fini(&request->notices);
    cor_run_list_fini(&request->file);
    cor_run_cluster_fini(&request->cluster);
    memset(request, 0, sizeof *request);
}
