/* SPDX-License-Identifier: Apache-2.0 */
#include "base/knob.h"

#include "base/knob_map.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { KNOB_TEXT = 64 };

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

static int knob_is_text(const cor_knob *knob)
{
    return knob->type == COR_KNOB_TEXT || knob->type == COR_KNOB_MAP;
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
    case COR_KNOB_MAP:
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
    else if (knob_is_text(knob))
        memcpy(field, text, strlen(text) + 1);
    else
        memcpy(field, &number, sizeof number);
    return COR_OK;
}

/* ---- loading ---------------------------------------------------------------------------------------------------- */

void cor_knob_variable(const char *name, char *out)
{
    size_t at = (size_t)snprintf(out, KNOB_TEXT, "%s", "CORUNNA_");
    for (; *name && at < KNOB_TEXT - 1; name++)
        out[at++] = isalnum((unsigned char)*name) ? (char)toupper((unsigned char)*name) : '_';
    out[at] = '\0';
}

const char *cor_knob_override(const char *const *overrides, const char *name)
{
    const char *value = NULL;
    size_t length = strlen(name);
    for (; overrides && *overrides; overrides++)
        if (strncmp(*overrides, name, length) == 0 && (*overrides)[length] == '=')
            value = *overrides + length + 1;
    return value;
}

static int knob_load(const cor_knob *knob, const char *const *overrides, void *config, cor_knob_origin *origin_p,
                     cor_fault *fault)
{
    char variable[KNOB_TEXT];
    cor_knob_variable(knob->name, variable);
    *origin_p = COR_KNOB_OVERRIDE;
    const char *where = knob->name;
    const char *text = cor_knob_override(overrides, knob->name);
    if (!text) {
        *origin_p = COR_KNOB_ENVIRONMENT;
        where = variable;
        text = getenv(variable);
    }
    if (!text) {
        *origin_p = COR_KNOB_DEFAULT;
        text = knob->fallback;
    }
    return knob_store(knob, text, where, config, fault);
}

int cor_knobs_load(const cor_knob_table *table, const char *const *overrides, void *config, cor_knob_origin *origins,
                   cor_fault *fault)
{
    for (size_t i = 0; i < table->count; i++) {
        const cor_knob *knob = &table->rows[i];
        cor_knob_origin origin;
        int code = knob->type == COR_KNOB_MAP ? cor_knob_map_load(knob, overrides, config, &origin, fault)
                                              : knob_load(knob, overrides, config, &origin, fault);
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
    if (knob_is_text(knob))
        return strcmp(field, knob->fallback) == 0;
    cor_knob alone = *knob;
    size_t fallback = 0; /* space for a size or an int */
    alone.offset = 0;
    return knob_store(&alone, knob->fallback, knob->name, &fallback, NULL) == COR_OK &&
           memcmp(field, &fallback, knob->type == COR_KNOB_SIZE ? sizeof(size_t) : sizeof(int)) == 0;
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
    if (knob_is_text(knob)) {
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
