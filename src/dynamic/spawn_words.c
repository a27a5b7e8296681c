/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "dynamic/spawn_words.h"

#include "pmi/boot.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

/* ---- the launcher's path ---------------------------------------------------------------------------------------- */

/* In the folder `bin` beside the folder of this file; 1: it is there. */
static int words_beside(const char *file, char path[PATH_MAX])
{
    char real[PATH_MAX];
    if (!file || !realpath(file, real))
        return 0;
    char *slash = strrchr(real, '/');
    *slash = 0;
    int length = snprintf(path, PATH_MAX, "%s/../bin/corunna", real);
    return length < PATH_MAX && access(path, X_OK) == 0;
}

static int words_on_path(char path[PATH_MAX])
{
    const char *at = getenv("PATH");
    while (at && *at) {
        int length = (int)strcspn(at, ":");
        int written = snprintf(path, PATH_MAX, "%.*s/corunna", length, at);
        if (length > 0 && written < PATH_MAX && access(path, X_OK) == 0)
            return 1;
        at += length + (at[length] == ':');
    }
    return 0;
}

/* Beside the library; beside the jar that our launcher has named, if the library came out of that; else as a shell
 * would. */
static int words_launcher(char path[PATH_MAX], cor_fault *fault)
{
    Dl_info here = {0};
    if (dladdr((void *)(uintptr_t)&spawn_words_make, &here) && words_beside(here.dli_fname, path))
        return COR_OK;
    if (words_beside(getenv("CORUNNA_JAR"), path) || words_on_path(path))
        return COR_OK;
    return cor_fault_set(fault, COR_ERR_SPAWN,
                         "the command corunna, which starts processes, is neither beside the library nor in PATH");
}

/* ---- words ------------------------------------------------------------------------------------------------------ */

static int words_add(spawn_words *words, const char *word)
{
    char **list = realloc(words->list, ((size_t)words->count + 2) * sizeof *list);
    if (!list)
        return 0;
    words->list = list;
    list[words->count] = strdup(word);
    list[words->count + 1] = NULL;
    return list[words->count++] != NULL;
}

/* A colon alone stands between two programs, unless there are backslashes before it, of which the launcher takes
 * one. */
static int words_add_literal(spawn_words *words, const char *word)
{
    char *escaped = NULL;
    if (strcmp(word + strspn(word, "\\"), ":") != 0)
        return words_add(words, word);
    int is_fine = asprintf(&escaped, "\\%s", word) > 0 && words_add(words, escaped);
    free(escaped);
    return is_fine;
}

/* Keys of an info that are options of `corunna run`. The first four are MPI's, the others Open MPI's. */
static const struct {
    const char *key, *option;
} words_options[] = {
    {"host", "--host"},     {"wdir", "--wdir"},       {"path", "--path"},         {"hostfile", "--hostfile"},
    {"map_by", "--map-by"}, {"bind_to", "--bind-to"}, {"npernode", "--npernode"},
};

static int words_add_program(spawn_words *words, const cor_spawn_program *program)
{
    char number[16];
    snprintf(number, sizeof number, "%d", program->count);
    int is_fine = words_add(words, "-n") && words_add(words, number);
    for (size_t i = 0; program->info && i < sizeof words_options / sizeof *words_options; i++) {
        const char *value = cor_info_get(program->info, words_options[i].key);
        if (value)
            is_fine = is_fine && words_add(words, words_options[i].option) && words_add(words, value);
    }
    is_fine = is_fine && words_add(words, "--") && words_add_literal(words, program->command);
    for (char *const *argument = program->arguments; argument && *argument; argument++)
        is_fine = is_fine && words_add_literal(words, *argument);
    return is_fine;
}

int spawn_words_make(spawn_words *words, const cor_spawn_program *programs, int count, const char *port,
                     cor_fault *fault)
{
    char path[PATH_MAX];
    int rc = words_launcher(path, fault);
    if (rc != COR_OK)
        return rc;
    int is_fine = words_add(words, path) && words_add(words, "run");
    for (int i = 0; i < count; i++) {
        if (i > 0)
            is_fine = is_fine && words_add(words, ":");
        is_fine = is_fine && words_add_program(words, &programs[i]);
    }
    is_fine = is_fine && asprintf(&words->parent, "%s=%s", COR_PARENT_VARIABLE, port) > 0;
    return is_fine ? COR_OK : cor_fault_set(fault, COR_ERR_MEMORY, "no memory for a command line");
}

void spawn_words_free(spawn_words *words)
{
    for (int i = 0; i < words->count; i++)
        free(words->list[i]);
    free(words->list);
    free(words->parent);
}

/* ---- settings --------------------------------------------------------------------------------------------------- */

char **spawn_settings(const spawn_words *words, const char *leash)
{
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    char **settings = calloc(count + 3, sizeof *settings);
    char *own = NULL;
    if (!settings || asprintf(&own, "%s=%s", COR_LEASH_VARIABLE, leash) < 0) {
        free(settings);
        return NULL;
    }
    settings[kept++] = own;
    settings[kept++] = words->parent;
    for (size_t i = 0; i < count; i++)
        if (strncmp(environ[i], COR_PARENT_VARIABLE "=", sizeof COR_PARENT_VARIABLE) != 0)
            settings[kept++] = environ[i];
    return settings;
}

void spawn_settings_free(char **settings)
{
    if (settings)
        free(settings[0]);
    free(settings);
}
