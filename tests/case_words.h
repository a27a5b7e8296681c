/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words by which a suite's program is told which cases to run: GROUP or GROUP.CASE, and the same with a dash in
 * front for those to leave out; * and ? stand for any text. Without a word to include any, all are meant but those left
 * out. Words that begin with -- are options and not looked at; --threads has a value.
 */
#ifndef COR_TESTS_CASE_WORDS_H
#define COR_TESTS_CASE_WORDS_H

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

static inline int case_has_name(const char *group, const char *name, const char *word)
{
    char full_name[128];
    snprintf(full_name, sizeof full_name, "%s.%s", group, name);
    return fnmatch(word, group, 0) == 0 || fnmatch(word, full_name, 0) == 0;
}

/* Is the case wanted by argv[1] to argv[argc - 1]? */
static inline int case_is_wanted(const char *group, const char *name, int argc, char **argv)
{
    int has_names = 0, is_named = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--threads") == 0) {
            i++;
        } else if (strncmp(argv[i], "--", 2) == 0) {
            continue;
        } else if (argv[i][0] == '-') {
            if (case_has_name(group, name, argv[i] + 1))
                return 0;
        } else {
            has_names = 1;
            is_named |= case_has_name(group, name, argv[i]);
        }
    }
    return is_named || !has_names;
}

#endif
