/* SPDX-License-Identifier: Apache-2.0 */
#include "launch/options/run_options.h"

#include "launch/options/run_take.h"

#include <stdio.h>

/* What an option does: which function, and on what. */
#define CALL(function) function, 0, NULL
#define VALUE(function, value) function, 0, value
#define FLAG(field) cor_take_flag, offsetof(run_request, field), NULL
#define TEXT(field) cor_take_text, offsetof(run_request, field), NULL
#define SET(field, value) cor_take_text, offsetof(run_request, field), value
#define KNOB(name) cor_take_knob, 0, name
#define SETTING(name) cor_take_setting, 0, name
#define ANYWAY NULL, 0, NULL

enum { OPTIONS_OF_JOB, OPTIONS_OF_PROGRAM };

#define OPTION(names, values, section, from, effect, whose, does, help) {names, 0, values, help},
static const run_option options_rows[] = {
#include "launch/options/run_options.def"
};
#undef OPTION

#define OPTION(names, values, section, from, effect, whose, does, help)                                               \
    {RUN_SECTION_##section, from, RUN_##effect, OPTIONS_OF_##whose, does},
static const run_meaning options_meanings[] = {
#include "launch/options/run_options.def"
};
#undef OPTION

const run_option_table cor_run_options = {"corunna run", options_rows, sizeof options_rows / sizeof *options_rows};

const run_meaning *cor_run_meaning(const run_option *option)
{
    return &options_meanings[option - options_rows];
}

const char *cor_run_section_title(run_section section)
{
    static const char *const titles[RUN_SECTIONS] = {"Ranks and programs",  "Hosts",
                                                     "Mapping and binding", "Environment and directory",
                                                     "Output and input",    "Watching and debugging",
                                                     "Device and settings", "General"};
    return titles[section];
}

int cor_run_options_take(run_request *request, const run_option_match *match)
{
    const run_meaning *meaning = cor_run_meaning(match->option);
    switch (meaning->effect) {
    case RUN_WORKS:
        return meaning->take ? meaning->take(request, match) : 0;
    case RUN_NOTICE:
        cor_run_request_notice(request, "%s changes nothing: %s", match->word, match->option->help);
        return 0;
    case RUN_REFUSED:
        fprintf(stderr, "%s: %s is not supported: %s\n", cor_run_options.command_name, match->word,
                match->option->help);
        return -1;
    }
    return 0;
}
