/* SPDX-License-Identifier: Apache-2.0 */
/* The settings of a rank, one by one and in the order of all tables (config.h), for tools. */
#ifndef COR_MP_SETTINGS_H
#define COR_MP_SETTINGS_H

#include "base/knob.h"
#include "mp/mp.h"

typedef struct cor_setting {
    const cor_knob *knob;
    int topic;     /* cor_setting_topic */
    int is_common; /* all ranks must have the same value */
} cor_setting;

/* Settings 0 .. cor_setting_count() - 1, and their topics likewise. */
size_t cor_setting_count(void);
cor_setting cor_setting_at(size_t index);
int cor_setting_topic_count(void);
const char *cor_setting_topic(int topic);

/* How many bytes a value has: a size_t, an int, or the text with its end, by the type. */
size_t cor_setting_bytes(const cor_knob *knob);

/* The value that a rank has; with rank NULL the one that a rank opened now with these overrides would have, where
 * COR_ERR_KNOB is one that cannot be parsed, of this or of another setting of its topic. */
int cor_setting_read(const cor_rank *rank, size_t index, const char *const *overrides, void *value, cor_fault *fault);

/* The value as an override, "name=value"; the caller frees it. NULL: no memory. COR_KNOB_CHOICE: it is in range. */
char *cor_setting_override(const cor_knob *knob, const void *value);

#endif
