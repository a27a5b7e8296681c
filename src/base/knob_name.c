/* SPDX-License-Identifier: Apache-2.0 */
/* Unknown names of knobs, and the nearest known ones. */
#include "base/knob.h"
#include "base/knob_map.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

extern char **environ;

enum { KNOB_TEXT = 64 };

#define KNOB_PREFIX "CORUNNA_"

static int knob_same(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Edit distance without regard to case, a swap of two neighbours counting once; words longer than KNOB_TEXT are far
 * from everything. */
static size_t knob_distance(const char *a, const char *b)
{
    size_t height = strlen(a), width = strlen(b);
    size_t rows[3][KNOB_TEXT + 1];
    if (width > KNOB_TEXT || height > KNOB_TEXT)
        return KNOB_TEXT;
    for (size_t j = 0; j <= width; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= height; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *swapped = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= width; j++) {
            size_t best = above[j - 1] + !knob_same(a[i - 1], b[j - 1]);
            best = above[j] + 1 < best ? above[j] + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            if (i > 1 && j > 1 && knob_same(a[i - 1], b[j - 2]) && knob_same(a[i - 2], b[j - 1]))
                best = swapped[j - 2] + 1 < best ? swapped[j - 2] + 1 : best;
            row[j] = best;
        }
    }
    return rows[height % 3][width];
}

/* Near: at most about a third of the letters differ. */
static int knob_is_near(const char *word, size_t distance)
{
    return distance <= (strlen(word) + 2) / 3;
}

const char *cor_nearest(const char *word, const char *const *candidates, size_t count)
{
    const char *best = NULL;
    size_t best_distance = KNOB_TEXT;
    for (size_t i = 0; i < count; i++) {
        size_t distance = knob_distance(word, candidates[i]);
        if (distance < best_distance) {
            best_distance = distance;
            best = candidates[i];
        }
    }
    return best && knob_is_near(word, best_distance) ? best : NULL;
}

cor_hint cor_hint_at(const char *nearest)
{
    cor_hint hint = {""};
    if (nearest)
        snprintf(hint.text, sizeof hint.text, "; did you mean %.64s?", nearest);
    return hint;
}

/* The search for the knob that a word means, by its name or as its variable. */
typedef struct knob_search {
    const char *word;
    int is_variable;
    int is_exact;         /* the word is a knob's */
    size_t distance;      /* else: of the nearest */
    char near[KNOB_TEXT]; /* and how that is written; "": none is near */
} knob_search;

static void knob_compare(knob_search *search, const char *setting)
{
    char variable[KNOB_TEXT];
    cor_knob_variable(setting, variable);
    const char *name = search->is_variable ? variable : setting;
    /* The prefix is the same for all and does not count. */
    size_t prefix = search->is_variable ? strlen(KNOB_PREFIX) : 0;
    search->is_exact |= strcmp(search->word, name) == 0;
    size_t distance = knob_distance(search->word + prefix, name + prefix);
    if (distance < search->distance) {
        search->distance = distance;
        snprintf(search->near, sizeof search->near, "%s", knob_is_near(search->word + prefix, distance) ? name : "");
    }
}

/* All names by which a knob may be set. */
static void knob_compare_all(knob_search *search, const cor_knob *knob)
{
    char setting[KNOB_TEXT];
    const char *name;
    size_t length;
    knob_compare(search, knob->name);
    if (knob->type != COR_KNOB_MAP)
        return;
    for (size_t i = 0; (name = cor_knob_map_name(knob->choices, i, &length)) != NULL; i++) {
        cor_knob_map_setting(knob, name, length, setting);
        knob_compare(search, setting);
    }
}

static knob_search knob_find(const cor_knob_table *const *tables, size_t table_count, const char *word,
                             int is_variable)
{
    knob_search search = {.word = word, .is_variable = is_variable, .distance = KNOB_TEXT};
    for (size_t t = 0; t < table_count; t++)
        for (size_t i = 0; i < tables[t]->count; i++)
            knob_compare_all(&search, &tables[t]->rows[i]);
    return search;
}

int cor_knob_is_called(const cor_knob *knob, const char *name)
{
    knob_search search = {.word = name, .distance = KNOB_TEXT};
    knob_compare_all(&search, knob);
    return search.is_exact;
}

static int knob_check_override(const cor_knob_table *const *tables, size_t table_count, const char *override,
                               cor_fault *fault)
{
    const char *equals = strchr(override, '=');
    if (!equals)
        return cor_fault_set(fault, COR_ERR_KNOB, "the setting \"%.80s\" has no value; write name=value", override);
    char name[KNOB_TEXT + 1];
    size_t length = (size_t)(equals - override);
    snprintf(name, sizeof name, "%.*s", (int)(length < KNOB_TEXT ? length : KNOB_TEXT), override);
    knob_search search = knob_find(tables, table_count, name, 0);
    if (search.is_exact && length == strlen(name))
        return COR_OK;
    if (search.near[0])
        return cor_fault_set(fault, COR_ERR_KNOB, "unknown setting \"%s\"; did you mean %s?", name, search.near);
    return cor_fault_set(fault, COR_ERR_KNOB, "unknown setting \"%s\"; `corunna info` lists them all", name);
}

static void knob_check_variable(const cor_knob_table *const *tables, size_t table_count, const char *const *also,
                                const char *entry, const cor_log *log)
{
    char name[KNOB_TEXT + 1];
    size_t length = strcspn(entry, "=");
    snprintf(name, sizeof name, "%.*s", (int)(length < KNOB_TEXT ? length : KNOB_TEXT), entry);
    for (; also && *also; also++)
        if (strcmp(*also, name) == 0)
            return;
    knob_search search = knob_find(tables, table_count, name, 1);
    if (!search.is_exact)
        COR_LOG(log, WARN, "the variable %s is not a setting of this library and has no effect%s", name,
                cor_hint_at(search.near[0] ? search.near : NULL).text);
}

int cor_knobs_check(const cor_knob_table *const *tables, size_t table_count, const char *const *overrides,
                    const char *const *also, const cor_log *log, cor_fault *fault)
{
    for (; overrides && *overrides; overrides++) {
        int code = knob_check_override(tables, table_count, *overrides, fault);
        if (code != COR_OK)
            return code;
    }
    for (char **entry = environ; entry && *entry; entry++)
        if (strncmp(*entry, KNOB_PREFIX, strlen(KNOB_PREFIX)) == 0)
            knob_check_variable(tables, table_count, also, *entry, log);
    return COR_OK;
}
