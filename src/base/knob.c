/* SPDX-License-Identifier: Apache-2.0 */
#include "base/knob.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

extern char **environ;

enum { KNOB_TEXT = 64 };

#define KNOB_PREFIX "CORUNNA_"

/* ---- text to value ---------------------------------------------------------------------------------------------- */

/* A whole number of digits only: no sign, no space, no other base. Returns what follows it, or NULL. */
static const char *knob_digits(const char *text, unsigned long long *value_p)
{
    if (!isdigit((unsigned char)*text))
        return NULL;
    char *end;
    errno = 0;
    *value_p = strtoull(text, &end, 10);
    return errno ? NULL : end;
}

int cor_knob_parse_size(const char *text, size_t *value_p)
{
    unsigned long long number;
    const char *unit = knob_digits(text, &number);
    if (!unit)
        return 0;
    int shift = 0;
    if (*unit) {
        const char *at = memchr("kmg", tolower((unsigned char)*unit), 3);
        if (!at)
            return 0;
        shift = at[0] == 'k' ? 10 : at[0] == 'm' ? 20 : 30;
        unit++;
        if (*unit == 'i')
            unit++;
        if (*unit == 'B' || (*unit == 'b' && unit[-1] != 'i'))
            unit++;
        else if (unit[-1] == 'i')
            return 0;
        if (*unit)
            return 0;
    }
    if (number > (unsigned long long)SIZE_MAX >> shift)
        return 0;
    *value_p = (size_t)number << shift;
    return 1;
}

static int knob_parse_int(const char *text, int *value_p)
{
    unsigned long long number;
    int negative = *text == '-';
    const char *end = knob_digits(text + negative, &number);
    if (!end || *end || number > (unsigned long long)INT_MAX + (unsigned)negative)
        return 0;
    *value_p = negative ? (int)-(long long)number : (int)number;
    return 1;
}

/* The index of `word` in "auto|never|always", or -1. */
static int knob_parse_choice(const char *choices, const char *word)
{
    size_t length = strlen(word);
    for (int index = 0; length > 0; index++) {
        size_t here = strcspn(choices, "|");
        if (here == length && strncasecmp(choices, word, here) == 0)
            return index;
        if (!choices[here])
            break;
        choices += here + 1;
    }
    return -1;
}

static int knob_parse_bool(const char *text, int *value_p)
{
    int yes = knob_parse_choice("yes|on|true|1", text) >= 0;
    if (!yes && knob_parse_choice("no|off|false|0", text) < 0)
        return 0;
    *value_p = yes;
    return 1;
}

static int knob_in_range(const cor_knob *knob, int is_size, size_t size, int number)
{
    if (knob->minimum == 0 && knob->maximum == 0)
        return 1;
    if (is_size)
        return size >= (size_t)knob->minimum && size <= (size_t)knob->maximum;
    return number >= knob->minimum && number <= knob->maximum;
}

/* The accepted values, for the message about a rejected one. */
static void knob_accepts(const cor_knob *knob, char *out, size_t room)
{
    const char *kind = knob->type == COR_KNOB_SIZE ? "a size such as 512, 8k, 4M or 1G" : "a whole number";
    if (knob->type == COR_KNOB_BOOL)
        snprintf(out, room, "yes, no, on, off, true, false, 1 or 0");
    else if (knob->type == COR_KNOB_CHOICE)
        snprintf(out, room, "one of %s", knob->choices);
    else if (knob->type == COR_KNOB_TEXT)
        snprintf(out, room, "%s, of fewer than %ld characters", knob->choices, knob->maximum);
    else if (knob->minimum == 0 && knob->maximum == 0)
        snprintf(out, room, "%s", kind);
    else
        snprintf(out, room, "%s from %ld to %ld", kind, knob->minimum, knob->maximum);
}

/* Write the field only if the value is valid. */
static int knob_store(const cor_knob *knob, const char *text, const char *where, void *config, cor_fault *fault)
{
    void *field = (char *)config + knob->offset;
    size_t size = 0;
    int number = 0;
    int good = 0;
    switch (knob->type) {
    case COR_KNOB_SIZE:
        good = cor_knob_parse_size(text, &size) && knob_in_range(knob, 1, size, 0);
        break;
    case COR_KNOB_INT:
        good = knob_parse_int(text, &number) && knob_in_range(knob, 0, 0, number);
        break;
    case COR_KNOB_BOOL:
        good = knob_parse_bool(text, &number);
        break;
    case COR_KNOB_CHOICE:
        number = knob_parse_choice(knob->choices, text);
        good = number >= 0;
        break;
    case COR_KNOB_TEXT:
        good = strlen(text) < (size_t)knob->maximum;
        break;
    }
    if (!good) {
        char accepts[120];
        knob_accepts(knob, accepts, sizeof accepts);
        return cor_fault_set(fault, COR_ERR_KNOB, "%s is \"%.40s\"; it must be %s", where, text, accepts);
    }
    if (knob->type == COR_KNOB_SIZE)
        memcpy(field, &size, sizeof size);
    else if (knob->type == COR_KNOB_TEXT)
        memcpy(field, text, strlen(text) + 1);
    else
        memcpy(field, &number, sizeof number);
    return COR_OK;
}

/* ---- loading ---------------------------------------------------------------------------------------------------- */

void cor_knob_variable(const char *name, char *out)
{
    size_t at = (size_t)snprintf(out, KNOB_TEXT, "%s", KNOB_PREFIX);
    for (; *name && at < KNOB_TEXT - 1; name++)
        out[at++] = isalnum((unsigned char)*name) ? (char)toupper((unsigned char)*name) : '_';
    out[at] = '\0';
}

/* The value of the last override of this name. */
static const char *knob_override(const char *const *overrides, const char *name)
{
    const char *value = NULL;
    size_t length = strlen(name);
    for (; overrides && *overrides; overrides++)
        if (strncmp(*overrides, name, length) == 0 && (*overrides)[length] == '=')
            value = *overrides + length + 1;
    return value;
}

int cor_knobs_load(const cor_knob_table *table, const char *const *overrides, void *config, cor_knob_origin *origins,
                   cor_fault *fault)
{
    for (size_t i = 0; i < table->count; i++) {
        const cor_knob *knob = &table->rows[i];
        char variable[KNOB_TEXT];
        cor_knob_variable(knob->name, variable);
        cor_knob_origin origin = COR_KNOB_OVERRIDE;
        const char *where = knob->name;
        const char *text = knob_override(overrides, knob->name);
        if (!text) {
            origin = COR_KNOB_ENVIRONMENT;
            where = variable;
            text = getenv(variable);
        }
        if (!text) {
            origin = COR_KNOB_DEFAULT;
            text = knob->fallback;
        }
        int code = knob_store(knob, text, where, config, fault);
        if (code != COR_OK)
            return code;
        if (origins)
            origins[i] = origin;
    }
    return COR_OK;
}

int cor_knob_is_default(const cor_knob *knob, const void *config)
{
    const char *field = (const char *)config + knob->offset;
    if (knob->type == COR_KNOB_TEXT)
        return strcmp(field, knob->fallback) == 0;
    cor_knob alone = *knob;
    size_t fallback = 0; /* space for a size or an int */
    alone.offset = 0;
    return knob_store(&alone, knob->fallback, knob->name, &fallback, NULL) == COR_OK &&
           memcmp(field, &fallback, knob->type == COR_KNOB_SIZE ? sizeof(size_t) : sizeof(int)) == 0;
}

/* ---- unknown names ---------------------------------------------------------------------------------------------- */

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

/* The knob called `word`, by its name or as its variable; *is_exact_p: whether it is that knob or only the nearest.
 * NULL when none is near. */
static const cor_knob *knob_find(const cor_knob_table *const *tables, size_t table_count, const char *word,
                                 int as_variable, int *is_exact_p)
{
    const cor_knob *best = NULL;
    size_t best_distance = KNOB_TEXT;
    /* The prefix is the same for all and does not count. */
    size_t prefix = as_variable ? strlen(KNOB_PREFIX) : 0;
    for (size_t t = 0; t < table_count; t++) {
        for (size_t i = 0; i < tables[t]->count; i++) {
            char variable[KNOB_TEXT];
            cor_knob_variable(tables[t]->rows[i].name, variable);
            const char *name = as_variable ? variable : tables[t]->rows[i].name;
            *is_exact_p = strcmp(word, name) == 0;
            if (*is_exact_p)
                return &tables[t]->rows[i];
            size_t distance = knob_distance(word + prefix, name + prefix);
            if (distance < best_distance) {
                best_distance = distance;
                best = &tables[t]->rows[i];
            }
        }
    }
    *is_exact_p = 0;
    return best && knob_is_near(word + prefix, best_distance) ? best : NULL;
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
    int is_exact;
    const cor_knob *knob = knob_find(tables, table_count, name, 0, &is_exact);
    if (is_exact && length == strlen(knob->name))
        return COR_OK;
    if (knob)
        return cor_fault_set(fault, COR_ERR_KNOB, "unknown setting \"%s\"; did you mean %s?", name, knob->name);
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
    int is_exact;
    const cor_knob *knob = knob_find(tables, table_count, name, 1, &is_exact);
    if (is_exact)
        return;
    char variable[KNOB_TEXT] = "";
    if (knob)
        cor_knob_variable(knob->name, variable);
    COR_LOG(log, WARN, "the variable %s is not a setting of this library and has no effect%s", name,
            cor_hint_at(knob ? variable : NULL).text);
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

/* ---- value to text ---------------------------------------------------------------------------------------------- */

static void knob_print_size(size_t size, char *out)
{
    static const char *const units[] = {"", "k", "M", "G"};
    int unit = 0;
    while (unit < 3 && size > 0 && size % 1024 == 0) {
        size /= 1024;
        unit++;
    }
    snprintf(out, KNOB_TEXT, "%zu%s", size, units[unit]);
}

static void knob_print_choice(const char *choices, int index, char *out)
{
    for (; index > 0; index--)
        choices += strcspn(choices, "|") + 1;
    snprintf(out, KNOB_TEXT, "%.*s", (int)strcspn(choices, "|"), choices);
}

static void knob_print_text(const char *text, char *out)
{
    size_t length = strlen(text);
    if (length < KNOB_TEXT)
        snprintf(out, KNOB_TEXT, "%s", text);
    else
        snprintf(out, KNOB_TEXT, "...%s", text + length - (KNOB_TEXT - 4));
}

void cor_knob_print(const cor_knob *knob, const void *config, char *out)
{
    const void *field = (const char *)config + knob->offset;
    size_t size;
    int number;
    if (knob->type == COR_KNOB_SIZE) {
        memcpy(&size, field, sizeof size);
        knob_print_size(size, out);
        return;
    }
    if (knob->type == COR_KNOB_TEXT) {
        knob_print_text(field, out);
        return;
    }
    memcpy(&number, field, sizeof number);
    if (knob->type == COR_KNOB_BOOL)
        snprintf(out, KNOB_TEXT, "%s", number ? "yes" : "no");
    else if (knob->type == COR_KNOB_CHOICE)
        knob_print_choice(knob->choices, number, out);
    else
        snprintf(out, KNOB_TEXT, "%d", number);
}
