/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/info/info_knobs.h"

#include "launch/hosts/run_cluster.h"
#include "launch/options/run_tuned.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A table, and a struct for its values, of which nothing else is needed. */
typedef struct info_topic {
    const char *title;
    const cor_knob_table *table;
    void *fields;
} info_topic;

typedef struct info_fields {
    cor_config config;
    run_knobs launching;
} info_fields;

enum { INFO_TOPICS = COR_CONFIG_PARTS + 1 };

static info_topic info_topic_at(size_t index, info_fields *fields)
{
    if (index == COR_CONFIG_PARTS)
        return (info_topic){"launching on other hosts", &cor_run_knobs, &fields->launching};
    cor_config_part part = cor_config_part_at(index);
    return (info_topic){part.title, part.table, (char *)&fields->config + part.offset};
}

static int info_is_named(const info_topic *topic, const cor_knob *knob, const char *word)
{
    char variable[64];
    size_t length = word ? strlen(word) : 0;
    cor_knob_variable(knob->name, variable);
    return !word || strcasecmp(topic->title, word) == 0 || cor_knob_is_called(knob, word) ||
           strcasecmp(variable, word) == 0 ||
           (strncasecmp(knob->name, word, length) == 0 && (knob->name[length] == '\0' || knob->name[length] == '.'));
}

static const char *info_origin(cor_knob_origin origin, const char *name)
{
    if (origin == COR_KNOB_ENVIRONMENT)
        return cor_run_is_tuned(name) ? "tuned" : "environment";
    return origin == COR_KNOB_DEFAULT ? "default" : "override";
}

static void info_knob(const cor_knob *knob, const void *fields, cor_knob_origin origin)
{
    char value[64], variable[64];
    cor_knob_print(knob, fields, value);
    cor_knob_variable(knob->name, variable);
    int is_default = origin == COR_KNOB_DEFAULT;
    printf("  %-24s %-10s (%s%s%s)\n", knob->name, value, info_origin(origin, knob->name),
           is_default ? "" : ", default ", is_default ? "" : knob->fallback);
    const char *choices = knob->type == COR_KNOB_CHOICE ? knob->choices : NULL;
    printf("      %s%s%s\n      %s\n", knob->help, choices ? "; one of " : "", choices ? choices : "", variable);
}

/* Those of a topic that the word names: how many, or negative. */
static int info_topic_print(const info_topic *topic, const char *word, int is_first, cor_fault *fault)
{
    const cor_knob_table *table = topic->table;
    int count = 0;
    for (size_t i = 0; i < table->count; i++)
        count += info_is_named(topic, &table->rows[i], word);
    if (count == 0)
        return 0;
    cor_knob_origin *origins = calloc(table->count, sizeof *origins);
    if (!origins)
        return cor_fault_set(fault, COR_ERR_MEMORY, "out of memory");
    int code = cor_knobs_load(table, NULL, topic->fields, origins, fault);
    if (code == COR_OK)
        printf("%s%s\n", is_first ? "" : "\n", topic->title);
    for (size_t i = 0; code == COR_OK && i < table->count; i++)
        if (info_is_named(topic, &table->rows[i], word))
            info_knob(&table->rows[i], topic->fields, origins[i]);
    free(origins);
    return code == COR_OK ? count : code;
}

int cor_info_knobs(const char *word, cor_fault *fault)
{
    info_fields fields;
    int all = 0;
    if (!word)
        printf("\nSettings: --tune NAME=VALUE, -Dcorunna.NAME=VALUE or the variable below each\n");
    for (size_t i = 0; i < INFO_TOPICS; i++) {
        info_topic topic = info_topic_at(i, &fields);
        int count = info_topic_print(&topic, word, word && all == 0, fault);
        if (count < 0)
            return count;
        all += count;
    }
    return all;
}

cor_hint cor_info_knob_hint(const char *word)
{
    enum { NAMES_MAX = 1024 };
    const char *names[NAMES_MAX];
    size_t count = 0;
    info_fields fields;
    for (size_t i = 0; i < INFO_TOPICS; i++) {
        info_topic topic = info_topic_at(i, &fields);
        for (size_t k = 0; k < topic.table->count && count < NAMES_MAX; k++)
            names[count++] = topic.table->rows[k].name;
    }
    for (size_t i = 0; i < cor_device_kind_count && count < NAMES_MAX; i++)
        names[count++] = cor_device_kinds[i].name;
    return cor_hint_at(cor_nearest(word, names, count));
}
