/* SPDX-License-Identifier: Apache-2.0 */
#include "launch/options/run_tuned.h"

#include "base/machine.h"
#include "mp/config.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

/* "name=value" of all settings that come from the file, with spaces between. */
#define TUNED_LIST "CORUNNA_TUNED"

enum { TUNED_MAX = 32, TUNED_WORD = 64 };

typedef struct tuned {
    char words[TUNED_MAX][TUNED_WORD]; /* "sm.ring=512k" */
    int count;
} tuned;

static int tuned_is_told(void)
{
    const char *level = getenv("CORUNNA_LOG");
    return level && (strcmp(level, "info") == 0 || strcmp(level, "debug") == 0 || strcmp(level, "trace") == 0);
}

/* ---- the user --------------------------------------------------------------------------------------------------- */

static int tuned_has(char *const *variables, const char *begin)
{
    for (; variables && *variables; variables++)
        if (strncmp(*variables, begin, strlen(begin)) == 0)
            return 1;
    return 0;
}

static int tuned_is_user_s(char *const *settings, const char *begin)
{
    return tuned_has(environ, begin) || tuned_has(settings, begin);
}

/* "sm.ring=512k" -> "CORUNNA_SM_RING". */
static void tuned_variable(const char *word, char variable[TUNED_WORD])
{
    char name[TUNED_WORD];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    cor_knob_variable(name, variable);
}

/* "sm.ring=512k" -> "CORUNNA_SM_". */
static void tuned_module(const char *word, char begin[TUNED_WORD])
{
    char module[TUNED_WORD];
    snprintf(module, sizeof module, "%.*s.", (int)strcspn(word, ".="), word);
    cor_knob_variable(module, begin);
}

/* ---- the file --------------------------------------------------------------------------------------------------- */

static void tuned_read(tuned *all, const char *path)
{
    char line[512];
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file) && all->count < TUNED_MAX)
        if (strncmp(line, "set ", 4) == 0)
            all->count += sscanf(line + 4, "%63s", all->words[all->count]) == 1;
    if (file)
        fclose(file);
}

/* What the user has not touched. */
static void tuned_filter(tuned *all, char *const *settings)
{
    int kept = 0;
    for (int i = 0; i < all->count; i++) {
        char begin[TUNED_WORD];
        tuned_module(all->words[i], begin);
        if (!tuned_is_user_s(settings, begin))
            memmove(all->words[kept++], all->words[i], TUNED_WORD);
    }
    all->count = kept;
}

/* COR_ERR_KNOB: one of them is wrong. */
static int tuned_check(const tuned *all, cor_fault *fault)
{
    cor_config config;
    const char *overrides[TUNED_MAX + 1] = {0};
    const cor_log quiet = {.level = COR_LOG_ERROR, .rank = -1};
    for (int i = 0; i < all->count; i++)
        overrides[i] = all->words[i];
    int rc = cor_config_check(overrides, &quiet, fault);
    return rc == COR_OK ? cor_config_load(overrides, &config, fault) : rc;
}

static void tuned_apply(const tuned *all, const char *path)
{
    static const char first[] = "coll.rules=";
    char list[sizeof first + PATH_MAX + TUNED_MAX * (TUNED_WORD + 1)];
    size_t used = (size_t)snprintf(list, sizeof list, "%s%s", first, path);
    setenv("CORUNNA_COLL_RULES", path, 1);
    for (int i = 0; i < all->count; i++) {
        char variable[TUNED_WORD];
        tuned_variable(all->words[i], variable);
        setenv(variable, strchr(all->words[i], '=') + 1, 1);
        used += (size_t)snprintf(list + used, sizeof list - used, " %s", all->words[i]);
    }
    setenv(TUNED_LIST, list, 1);
}

void cor_run_use_tuned(const char *command_name, char *const *settings)
{
    char path[PATH_MAX], other[COR_MACHINE_MAX];
    cor_fault fault = {0};
    tuned all = {.count = 0};
    if (tuned_is_user_s(settings, "CORUNNA_COLL_RULES="))
        return;
    cor_tuned found = cor_machine_find_tuned(path, sizeof path, other);
    if (found == COR_TUNED_CUT)
        fprintf(stderr, "%s: %s is left out: it was cut short; `corunna tune` writes it anew\n", command_name, path);
    if (found == COR_TUNED_OTHER && tuned_is_told())
        fprintf(stderr, "%s: %s is left out: it was made on another machine (%s)\n", command_name, path,
                *other ? other : "which it does not name");
    if (found != COR_TUNED_HERE)
        return;
    tuned_read(&all, path);
    tuned_filter(&all, settings);
    if (tuned_check(&all, &fault) != COR_OK) {
        fprintf(stderr, "%s: %s is left out: %s\n", command_name, path, fault.text);
        return;
    }
    tuned_apply(&all, path);
    if (tuned_is_told())
        fprintf(stderr, "%s: rules and %d settings of %s\n", command_name, all.count, path);
}

int cor_run_is_tuned(const char *name)
{
    char variable[TUNED_WORD], word[PATH_MAX];
    const char *list = getenv(TUNED_LIST), *value;
    cor_knob_variable(name, variable);
    value = getenv(variable);
    if (!list || !value || (size_t)snprintf(word, sizeof word, "%s=%s", name, value) >= sizeof word)
        return 0;
    size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)) != NULL; at++)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return 1;
    return 0;
}
