/* SPDX-License-Identifier: Apache-2.0 */
#include "base/knob_map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAP_SETTING = 64, MAP_NAMES = 64, MAP_VALUE_MAX = 255, MAP_QUOTED = 40 };

const char *cor_knob_map_find(const char *map, const char *name, size_t *length_p)
{
    size_t name_length = strlen(name);
    while (*map) {
        size_t length = strcspn(map, ",");
        if (length > name_length && strncmp(map, name, name_length) == 0 && map[name_length] == ':') {
            *length_p = length - name_length - 1;
            return map + name_length + 1;
        }
        map += length + (map[length] == ',');
    }
    return NULL;
}

const char *cor_knob_map_name(const char *names, size_t i, size_t *length_p)
{
    for (; i > 0; i--) {
        names += strcspn(names, "|");
        if (!*names++)
            return NULL;
    }
    *length_p = strcspn(names, "|");
    return names;
}

void cor_knob_map_setting(const cor_knob *knob, const char *name, size_t length, char *out)
{
    const char *dot = strrchr(knob->name, '.');
    snprintf(out, MAP_SETTING, "%.*s%.*s", (int)(dot ? dot + 1 - knob->name : 0), knob->name, (int)length, name);
}

/* The name nearest to a word that is none; NULL: none is near. */
static const char *map_nearest(const cor_knob *knob, const char *word, char out[MAP_SETTING])
{
    char texts[MAP_NAMES][MAP_SETTING];
    const char *names[MAP_NAMES], *name;
    size_t count = 0, length;
    for (; count < MAP_NAMES && (name = cor_knob_map_name(knob->choices, count, &length)) != NULL; count++) {
        snprintf(texts[count], sizeof texts[count], "%.*s", (int)length, name);
        names[count] = texts[count];
    }
    const char *nearest = cor_nearest(word, names, count);
    return nearest ? strcpy(out, nearest) : NULL;
}

static int map_has_name(const cor_knob *knob, const char *word, size_t word_length)
{
    const char *name;
    size_t length;
    for (size_t i = 0; (name = cor_knob_map_name(knob->choices, i, &length)) != NULL; i++)
        if (length == word_length && strncmp(name, word, length) == 0)
            return 1;
    return 0;
}

/* An entry has no colon, a name that the knob does not have, or one that another entry has; `where` is what the
 * sentence calls the knob. */
static int map_check(const cor_knob *knob, const char *map, const char *where, cor_fault *fault)
{
    char word[40], nearest[MAP_SETTING];
    while (*map) {
        size_t length = strcspn(map, ","), name_length = strcspn(map, ":,"), other;
        const char *next = map + length + (map[length] == ',');
        if (name_length == length)
            return cor_fault_set(fault, COR_ERR_KNOB,
                                 "%s is \"%.40s\"; it must be NAME:VALUE, or several with commas between them", where,
                                 map);
        snprintf(word, sizeof word, "%.*s", (int)name_length, map);
        if (!map_has_name(knob, map, name_length))
            return cor_fault_set(fault, COR_ERR_KNOB, "%s has no value for \"%s\"%s", where, word,
                                 cor_hint_at(map_nearest(knob, word, nearest)).text);
        if (cor_knob_map_find(next, word, &other))
            return cor_fault_set(fault, COR_ERR_KNOB, "%s has two values for \"%s\"; leave one of them out", where,
                                 word);
        map = next;
    }
    return COR_OK;
}

/* What is said of one name, and by which means; NULL: nothing. `lists`: the values of the knob itself, by origin. */
static const char *map_said(const char *setting, const char *word, const char *const *lists,
                            const char *const *overrides, size_t *length_p, cor_knob_origin *origin_p)
{
    char variable[MAP_SETTING];
    cor_knob_variable(setting, variable);
    for (int origin = COR_KNOB_OVERRIDE; origin > COR_KNOB_DEFAULT; origin--) {
        const char *text = origin == COR_KNOB_OVERRIDE ? cor_knob_override(overrides, setting) : getenv(variable);
        *length_p = text ? strlen(text) : 0;
        if (!text && lists[origin])
            text = cor_knob_map_find(lists[origin], word, length_p);
        *origin_p = (cor_knob_origin)origin;
        if (text)
            return text;
    }
    return NULL;
}

int cor_knob_map_load(const cor_knob *knob, const char *const *overrides, void *config, cor_knob_origin *origin_p,
                      cor_fault *fault)
{
    char *field = (char *)config + knob->offset, variable[MAP_SETTING], setting[MAP_SETTING], word[MAP_SETTING];
    size_t room = (size_t)knob->maximum, at = 0, name_length, length;
    cor_knob_variable(knob->name, variable);
    const char *where[] = {"", variable, knob->name}, *name;
    const char *const lists[] = {NULL, getenv(variable), cor_knob_override(overrides, knob->name)};
    for (int origin = COR_KNOB_ENVIRONMENT; origin <= COR_KNOB_OVERRIDE; origin++) {
        int code = lists[origin] ? map_check(knob, lists[origin], where[origin], fault) : COR_OK;
        if (code != COR_OK)
            return code;
    }
    *field = '\0';
    *origin_p = COR_KNOB_DEFAULT;
    for (size_t i = 0; (name = cor_knob_map_name(knob->choices, i, &name_length)) != NULL; i++) {
        cor_knob_origin origin;
        snprintf(word, sizeof word, "%.*s", (int)name_length, name);
        cor_knob_map_setting(knob, name, name_length, setting);
        const char *text = map_said(setting, word, lists, overrides, &length, &origin);
        if (!text || length == 0)
            continue;
        if (length > MAP_VALUE_MAX || at + name_length + length + 3 > room || memchr(text, ',', length))
            return cor_fault_set(fault, COR_ERR_KNOB,
                                 "%s is \"%.*s\"; it must have no comma and at most %d characters, and there is room "
                                 "for %ld characters of %s",
                                 setting, (int)(length < MAP_QUOTED ? length : MAP_QUOTED), text, MAP_VALUE_MAX,
                                 knob->maximum - 1, knob->name);
        at += (size_t)snprintf(field + at, room - at, "%s%s:%.*s", at > 0 ? "," : "", word, (int)length, text);
        *origin_p = origin > *origin_p ? origin : *origin_p;
    }
    return COR_OK;
}
