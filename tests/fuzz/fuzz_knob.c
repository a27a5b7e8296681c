/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a user may set: names and values of any bytes, by the command line or by the environment. What is taken is
 * within its limits, and what is printed of it is taken again as the same.
 *
 * FUZZ_SOURCES: src/base/knob.c src/base/knob_map.c src/base/knob_name.c src/base/log.c src/base/error.c
 */
#define _GNU_SOURCE
#include "base/knob.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

enum { FUZZ_TEXT_MAX = 24, FUZZ_SETTINGS = 8 };

typedef struct fuzz_config {
    size_t bytes, any_bytes;
    int count, is_on, choice;
    char text[FUZZ_TEXT_MAX];
} fuzz_config;

#define FUZZ_FIELD(field) offsetof(fuzz_config, field)

static const cor_knob fuzz_rows[] = {
    {"f.bytes", COR_KNOB_SIZE, FUZZ_FIELD(bytes), "4k", NULL, 64, 1L << 40, ""},
    {"f.any_bytes", COR_KNOB_SIZE, FUZZ_FIELD(any_bytes), "0", NULL, 0, 0, ""},
    {"f.count", COR_KNOB_INT, FUZZ_FIELD(count), "1", NULL, -5, 1000, ""},
    {"f.is_on", COR_KNOB_BOOL, FUZZ_FIELD(is_on), "yes", NULL, 0, 0, ""},
    {"f.choice", COR_KNOB_CHOICE, FUZZ_FIELD(choice), "auto", "auto|never|always", 0, 0, ""},
    {"f.text", COR_KNOB_TEXT, FUZZ_FIELD(text), "", "a text", 0, FUZZ_TEXT_MAX, ""},
};

static const cor_knob_table fuzz_table = {fuzz_rows, sizeof fuzz_rows / sizeof *fuzz_rows};

/* Told once more by what is printed of it, it is the same. */
static void fuzz_again(const fuzz_config *config)
{
    for (size_t i = 0; i < fuzz_table.count; i++) {
        char value[64], setting[128];
        fuzz_config again = {0};
        cor_fault fault = {0};
        cor_knob_print(&fuzz_rows[i], config, value);
        snprintf(setting, sizeof setting, "%s=%s", fuzz_rows[i].name, value);
        const char *const settings[] = {setting, NULL};
        if (cor_knobs_load(&fuzz_table, settings, &again, NULL, &fault) != COR_OK)
            abort();
        char told[64];
        cor_knob_print(&fuzz_rows[i], &again, told);
        if (strcmp(value, told) != 0)
            abort();
    }
}

static void fuzz_check(const fuzz_config *config)
{
    if (config->bytes < 64 || config->bytes > (size_t)1 << 40 || config->count < -5 || config->count > 1000 ||
        config->is_on < 0 || config->is_on > 1 || config->choice < 0 || config->choice > 2 ||
        !memchr(config->text, '\0', sizeof config->text))
        abort();
    fuzz_again(config);
}

static void fuzz_load(const char *const *settings)
{
    const cor_knob_table *const tables[] = {&fuzz_table};
    const cor_log log = {.level = -1};
    fuzz_config config = {0};
    cor_knob_origin origins[sizeof fuzz_rows / sizeof *fuzz_rows];
    cor_fault fault = {0};
    if (cor_knobs_check(tables, 1, settings, NULL, &log, &fault) != COR_OK && !fault.text[0])
        abort();
    if (cor_knobs_load(&fuzz_table, settings, &config, origins, &fault) == COR_OK)
        fuzz_check(&config);
    else if (!fault.text[0])
        abort();
}

/* Lines are settings; what follows the first '=' of the first one is a value for the environment too. */
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    const char *settings[FUZZ_SETTINGS + 1] = {NULL};
    char *text = calloc(1, size + 1), *at = NULL;
    size_t bytes, count = 0;
    if (!text)
        abort();
    memcpy(text, data, size);
    for (char *line = strtok_r(text, "\n", &at); line && count < FUZZ_SETTINGS; line = strtok_r(NULL, "\n", &at))
        settings[count++] = line;
    fuzz_load(settings);
    const char *value = count ? strchr(settings[0], '=') : NULL;
    if (value) {
        const char *const none[] = {NULL};
        for (size_t i = 0; i < fuzz_table.count; i++) {
            char name[64];
            cor_knob_variable(fuzz_rows[i].name, name);
            setenv(name, value + 1, 1);
            fuzz_load(none);
            unsetenv(name);
        }
        cor_knob_parse_size(value + 1, &bytes);
    }
    free(text);
    return 0;
}
