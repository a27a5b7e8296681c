/* SPDX-License-Identifier: Apache-2.0 */
#include "launch/options/run_option.h"

#include "base/knob.h"
#include "pmi/pmi_line.h"

#include <stdio.h>
#include <string.h>

enum { OPTION_NAMES_MAX = 512, OPTION_NAME_BYTES = 40 };

int cor_run_option_is(const char *word)
{
    return word[0] == '-' && word[1] != '\0';
}

/* The name after one or two dashes. */
static const char *option_name(const char *word)
{
    return word + (word[1] == '-' ? 2 : 1);
}

static int option_has_name(const run_option *option, const char *name, size_t length)
{
    for (const char *at = option->names;; at++) {
        size_t here = strcspn(at, "|");
        if (here == length && strncmp(at, name, length) == 0)
            return 1;
        at += here;
        if (!*at)
            return 0;
    }
}

static int option_value_count(const run_option *option)
{
    return !*option->values || *option->values == '[' ? 0 : strchr(option->values, ' ') ? 2 : 1;
}

int cor_run_option_take(const run_option_table *table, char **argv, int *at, run_option_match *match_p)
{
    const char *name = option_name(argv[*at]);
    /* Only long options; a short one's value is the next word. */
    const char *equals = argv[*at][1] == '-' || (name[0] && name[1] != '=') ? strchr(name, '=') : NULL;
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    memset(match_p, 0, sizeof *match_p);
    match_p->word = argv[*at];
    for (size_t i = 0; i < table->count && !match_p->option; i++)
        if (option_has_name(&table->rows[i], name, length))
            match_p->option = &table->rows[i];
    if (!match_p->option)
        return -1;
    int wanted = option_value_count(match_p->option), got = 0;
    if (equals && wanted != 1 && *match_p->option->values != '[') {
        fprintf(stderr, "%s: %.*s takes %s\n", table->command_name, (int)(equals - argv[*at]), argv[*at],
                wanted ? match_p->option->values : "no value");
        return -2;
    }
    if (equals)
        match_p->values[got++] = equals + 1;
    for (; got < wanted; got++) {
        if (!argv[*at + 1]) {
            fprintf(stderr, "%s: %s needs the value %s\n", table->command_name, match_p->word,
                    match_p->option->values);
            return -2;
        }
        match_p->values[got] = argv[++*at];
    }
    ++*at;
    return 0;
}

void cor_run_option_unknown(const run_option_table *table, const char *word)
{
    /* cor_nearest takes single names: split the rows' lists of names. */
    char texts[OPTION_NAMES_MAX][OPTION_NAME_BYTES];
    const char *names[OPTION_NAMES_MAX];
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++)
        for (const char *at = table->rows[i].names; *at && count < OPTION_NAMES_MAX;) {
            size_t length = strcspn(at, "|");
            snprintf(texts[count], sizeof texts[count], "%.*s", (int)length, at);
            names[count] = texts[count];
            count++;
            at += length + (at[length] == '|');
        }
    const char *nearest = cor_nearest(option_name(word), names, count);
    fprintf(stderr, "%s: unknown option %s%s%s%s (`%s --help` lists them all)\n", table->command_name, word,
            nearest ? "; did you mean --" : "", nearest ? nearest : "", nearest ? "?" : "", table->command_name);
}

void cor_run_option_help(const run_option_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        const run_option *option = &table->rows[i];
        if (!option->help)
            continue;
        char left[64];
        size_t length = strcspn(option->names, "|");
        snprintf(left, sizeof left, "%s%.*s %s", length > 1 ? "--" : "-", (int)length, option->names, option->values);
        printf("  %-22s %s\n", left, option->help);
    }
}

int cor_run_option_number(const run_option_table *table, const run_option_match *match, int minimum, int *value_p)
{
    if (cor_pmi_parse_int(match->values[0], value_p) && *value_p >= minimum)
        return 0;
    fprintf(stderr, "%s: %s is \"%s\"; it must be a whole number of at least %d\n", table->command_name, match->word,
            match->values[0], minimum);
    return -1;
}

int cor_run_option_version(void)
{
    puts("Corunna " COR_VERSION);
    return 0;
}
