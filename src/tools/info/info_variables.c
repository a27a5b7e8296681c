/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/info/info_variables.h"

#include "mp/counters.h"
#include "mp/settings.h"

#include <stdio.h>
#include <string.h>

static void info_cvar(const cor_setting *setting)
{
    static const char *const types[] = {
        [COR_KNOB_SIZE] = "MPI_UNSIGNED_LONG", [COR_KNOB_INT] = "MPI_INT",   [COR_KNOB_BOOL] = "MPI_INT",
        [COR_KNOB_CHOICE] = "MPI_INT",         [COR_KNOB_TEXT] = "MPI_CHAR", [COR_KNOB_MAP] = "MPI_CHAR"};
    const cor_knob *knob = setting->knob;
    printf("  %-24s %s%s\n      %s%s%s\n", knob->name, types[knob->type],
           setting->is_common ? ", the same on all ranks" : "", knob->help,
           knob->type == COR_KNOB_CHOICE ? "; one of " : "", knob->type == COR_KNOB_CHOICE ? knob->choices : "");
}

void cor_info_cvars(void)
{
    int topic = -1;
    printf("Control variables of MPI_T, which can be written before MPI_Init: the settings, by the same names\n");
    for (size_t i = 0; i < cor_setting_count(); i++) {
        cor_setting setting = cor_setting_at(i);
        if (setting.topic != topic)
            printf("\n%s\n", cor_setting_topic(setting.topic));
        topic = setting.topic;
        info_cvar(&setting);
    }
}

static void info_pvar(const cor_counter *counter)
{
    static const char *const classes[] = {[COR_COUNTER_COUNT] = "counter",
                                          [COR_COUNTER_SUM] = "aggregate",
                                          [COR_COUNTER_TIME] = "timer",
                                          [COR_COUNTER_LEVEL] = "level",
                                          [COR_COUNTER_PEAK] = "high watermark"};
    printf("  %-26s %s, %s%s\n      %s\n", counter->name, classes[counter->class], counter->unit,
           counter->is_per_peer ? ", one value for each rank" : "", counter->help);
}

/* Is it the first one of its topic? */
static int info_is_first(size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (strcmp(cor_counters[i].topic, cor_counters[index].topic) == 0)
            return 0;
    return 1;
}

void cor_info_pvars(void)
{
    printf("Performance variables of MPI_T\n");
    for (size_t i = 0; i < cor_counter_count; i++) {
        if (!info_is_first(i))
            continue;
        printf("\n%s\n", cor_counters[i].topic);
        for (size_t k = i; k < cor_counter_count; k++)
            if (strcmp(cor_counters[k].topic, cor_counters[i].topic) == 0)
                info_pvar(&cor_counters[k]);
    }
}
