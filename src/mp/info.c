/* SPDX-License-Identifier: Apache-2.0 */
#include "mp/info.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

typedef struct info_pair {
    char *key, *value;
} info_pair;

struct cor_info {
    info_pair *pairs;
    int count, capacity;
};

cor_info *cor_info_create(void)
{
    return calloc(1, sizeof(cor_info));
}

void cor_info_destroy(cor_info *info)
{
    if (!info)
        return;
    for (int i = 0; i < info->count; i++) {
        free(info->pairs[i].key);
        free(info->pairs[i].value);
    }
    free(info->pairs);
    free(info);
}

cor_info *cor_info_dup(const cor_info *info)
{
    cor_info *copy = cor_info_create();
    for (int i = 0; copy && i < info->count; i++)
        if (cor_info_set(copy, info->pairs[i].key, info->pairs[i].value) != COR_OK) {
            cor_info_destroy(copy);
            copy = NULL;
        }
    return copy;
}

static int info_find(const cor_info *info, const char *key)
{
    for (int i = 0; i < info->count; i++)
        if (strcmp(info->pairs[i].key, key) == 0)
            return i;
    return -1;
}

static int info_grow(cor_info *info)
{
    int capacity = info->capacity ? 2 * info->capacity : 8;
    info_pair *pairs = realloc(info->pairs, (size_t)capacity * sizeof *pairs);
    if (!pairs)
        return COR_ERR_MEMORY;
    info->pairs = pairs;
    info->capacity = capacity;
    return COR_OK;
}

int cor_info_set(cor_info *info, const char *key, const char *value)
{
    int at = info_find(info, key);
    char *new_value = strdup(value), *new_key = at < 0 ? strdup(key) : NULL;
    if (!new_value || (at < 0 && !new_key) || (at < 0 && info->count == info->capacity && info_grow(info) != COR_OK)) {
        free(new_value);
        free(new_key);
        return COR_ERR_MEMORY;
    }
    if (at < 0) {
        info->pairs[info->count++] = (info_pair){new_key, new_value};
    } else {
        free(info->pairs[at].value);
        info->pairs[at].value = new_value;
    }
    return COR_OK;
}

int cor_info_delete(cor_info *info, const char *key)
{
    int at = info_find(info, key);
    if (at < 0)
        return 0;
    free(info->pairs[at].key);
    free(info->pairs[at].value);
    info->count--;
    memmove(&info->pairs[at], &info->pairs[at + 1], (size_t)(info->count - at) * sizeof *info->pairs);
    return 1;
}

const char *cor_info_get(const cor_info *info, const char *key)
{
    int at = info_find(info, key);
    return at < 0 ? NULL : info->pairs[at].value;
}

int cor_info_count(const cor_info *info)
{
    return info->count;
}

const char *cor_info_key(const cor_info *info, int index)
{
    return info->pairs[index].key;
}

/* ---- how the program was started -------------------------------------------------------------------------------- */

/* The command and its arguments, as far as they fit; arguments are written with spaces between them. */
static int info_set_command(cor_info *info)
{
    char line[1024];
    FILE *file = fopen("/proc/self/cmdline", "r");
    if (!file)
        return COR_OK;
    size_t length = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    line[length] = '\0';
    size_t command = strlen(line);
    for (size_t i = command + 1; i + 1 < length; i++)
        if (line[i] == '\0')
            line[i] = ' ';
    int rc = length ? cor_info_set(info, "command", line) : COR_OK;
    if (rc == COR_OK && command + 1 < length)
        rc = cor_info_set(info, "argv", line + command + 1);
    return rc;
}

int cor_info_fill_env(cor_info *info, int size, const char *thread_level)
{
    char number[16], folder[PATH_MAX];
    struct utsname machine;
    snprintf(number, sizeof number, "%d", size);
    int rc = info_set_command(info);
    if (rc == COR_OK && size > 0)
        rc = cor_info_set(info, "maxprocs", number);
    if (rc == COR_OK && uname(&machine) == 0) {
        rc = cor_info_set(info, "host", machine.nodename);
        if (rc == COR_OK)
            rc = cor_info_set(info, "arch", machine.machine);
    }
    if (rc == COR_OK && getcwd(folder, sizeof folder))
        rc = cor_info_set(info, "wdir", folder);
    if (rc == COR_OK)
        rc = cor_info_set(info, "thread_level", thread_level);
    return rc;
}
