/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Knobs: every setting of the library is one row of one table, owned by the module that uses it.
 *
 * A table describes the fields of a plain config struct. Loading fills the struct from, in falling priority:
 *   1. overrides, "sm.eager_max=8k" (Java's -Dcorunna.sm.eager_max, or set by the program)
 *   2. the environment, CORUNNA_SM_EAGER_MAX=8k (`corunna run --tune sm.eager_max=8k` sets it)
 *   3. the row's default
 * and records the origin of each value, for `corunna info`. A value that does not parse, or an unknown name, is an
 * error with the nearest name; nothing is silently ignored.
 */
#ifndef COR_BASE_KNOB_H
#define COR_BASE_KNOB_H

#include "base/error.h"
#include "base/log.h"

#include <stddef.h>

typedef enum cor_knob_type {
    COR_KNOB_SIZE,   /* size_t; 8k, 4M, 1G */
    COR_KNOB_INT,    /* int */
    COR_KNOB_BOOL,   /* int 0/1; yes|no|on|off|true|false|1|0 */
    COR_KNOB_CHOICE, /* int, index into `choices` ("auto|never|always") */
    COR_KNOB_TEXT,   /* char[maximum]: fewer characters than that */
    COR_KNOB_MAP,    /* likewise: a value for each of the names in `choices`, which are settings, too (knob_map.h) */
} cor_knob_type;

typedef enum cor_knob_origin { COR_KNOB_DEFAULT, COR_KNOB_ENVIRONMENT, COR_KNOB_OVERRIDE } cor_knob_origin;

typedef struct cor_knob {
    const char *name; /* "sm.eager_max" */
    cor_knob_type type;
    size_t offset; /* of the field in the table's config struct */
    const char *fallback;
    const char *choices;   /* COR_KNOB_CHOICE: the words; COR_KNOB_TEXT: the valid form, for messages */
    long minimum, maximum; /* SIZE and INT; both 0: unchecked */
    const char *help;
} cor_knob;

typedef struct cor_knob_table {
    const cor_knob *rows;
    size_t count;
} cor_knob_table;

/* Fill `config` from the table. `overrides` is a NULL-terminated list of "name=value" or NULL; entries of other tables
 * are ignored (cor_knobs_check finds unknown ones). `origins`, if not NULL, receives table->count origins. On failure
 * the fault names knob, value and what would be accepted. */
int cor_knobs_load(const cor_knob_table *table, const char *const *overrides, void *config, cor_knob_origin *origins,
                   cor_fault *fault);

/* The value of the last override of this name, or NULL. */
const char *cor_knob_override(const char *const *overrides, const char *name);

/* Report unknown names: overrides are an error, a CORUNNA_* variable of no table is a warning through `log`, both with
 * the nearest known name. `also` is a NULL-terminated list of variables that are not knobs (CORUNNA_JAR...). */
int cor_knobs_check(const cor_knob_table *const *tables, size_t table_count, const char *const *overrides,
                    const char *const *also, const cor_log *log, cor_fault *fault);

/* Parse a size: 512, 8k, 4M, 1G. Returns 0, and leaves *value_p unchanged, if it is not a size. */
int cor_knob_parse_size(const char *text, size_t *value_p);

/* "sm.eager_max" -> "CORUNNA_SM_EAGER_MAX". `out` has room for 64 bytes. */
void cor_knob_variable(const char *name, char *out);

/* The value in `config` as a user could have typed it. `out` has room for 64 bytes; of a longer text, its end. */
void cor_knob_print(const cor_knob *knob, const void *config, char *out);

/* Is this the knob's name, or, for a COR_KNOB_MAP, the setting of one of its names? */
int cor_knob_is_called(const cor_knob *knob, const char *name);

/* Is the value in `config` the default, wherever it came from? */
int cor_knob_is_default(const cor_knob *knob, const void *config);

/* The candidate nearest to `word` by edit distance, or NULL when none is near. */
const char *cor_nearest(const char *word, const char *const *candidates, size_t count);
/* The end of a message about an unknown word: "; did you mean NEAREST?", or nothing if `nearest` is NULL. */
typedef struct cor_hint {
    char text[96];
} cor_hint;
cor_hint cor_hint_at(const char *nearest);

#endif
