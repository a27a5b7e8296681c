/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "mp/settings.h"

#include "mp/compat.h"
#include "mp/mp_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t cor_setting_count(void)
{
    size_t count = 0;
    for (size_t i = 0; i < COR_CONFIG_PARTS; i++)
        count += cor_config_part_at(i).table->count;
    return count;
}

cor_setting cor_setting_at(size_t index)
{
    for (size_t i = 0; i < COR_CONFIG_PARTS; i++) {
        const cor_knob_table *table = cor_config_part_at(i).table;
        if (index < table->count) {
            const cor_knob *knob = &table->rows[index];
            return (cor_setting){knob, (int)i, cor_compat_is_common(knob->name)};
        }
        index -= table->count;
    }
    return (cor_setting){.knob = NULL};
}

int cor_setting_topic_count(void)
{
    return COR_CONFIG_PARTS;
}

const char *cor_setting_topic(int topic)
{
    return cor_config_part_at((size_t)topic).title;
}

size_t cor_setting_bytes(const cor_knob *knob)
{
    switch (knob->type) {
    case COR_KNOB_SIZE:
        return sizeof(size_t);
    case COR_KNOB_TEXT:
    case COR_KNOB_MAP:
        return (size_t)knob->maximum;
    default:
        return sizeof(int);
    }
}

int cor_setting_read(const cor_rank *rank, size_t index, const char *const *overrides, void *value, cor_fault *fault)
{
    cor_setting setting = cor_setting_at(index);
    cor_config_part part = cor_config_part_at((size_t)setting.topic);
    cor_config *loaded = NULL;
    if (!rank) {
        loaded = calloc(1, sizeof *loaded);
        if (!loaded)
            return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for the settings");
        int rc = cor_knobs_load(part.table, overrides, (char *)loaded + part.offset, NULL, fault);
        if (rc != COR_OK) {
            free(loaded);
            return rc;
        }
    }
    const cor_config *config = rank ? &rank->config : loaded;
    memcpy(value, (const char *)config + part.offset + setting.knob->offset, cor_setting_bytes(setting.knob));
    free(loaded);
    return COR_OK;
}

char *cor_setting_override(const cor_knob *knob, const void *value)
{
    char *text = NULL;
    int length;
    if (knob->type == COR_KNOB_TEXT || knob->type == COR_KNOB_MAP) {
        length = asprintf(&text, "%s=%s", knob->name, (const char *)value);
    } else if (knob->type == COR_KNOB_SIZE) {
        size_t bytes;
        memcpy(&bytes, value, sizeof bytes);
        length = asprintf(&text, "%s=%zu", knob->name, bytes);
    } else {
        char printed[64];
        cor_knob alone = *knob;
        alone.offset = 0;
        cor_knob_print(&alone, value, printed);
        length = asprintf(&text, "%s=%s", knob->name, printed);
    }
    return length < 0 ? NULL : text;
}
