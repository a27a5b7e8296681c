/* SPDX-License-Identifier: Apache-2.0 */
/* Variables that a library reads when it is loaded. */
#include "xxdev/soft/fabric/fabric.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

/* Ranks may be threads of a process in which others read the environment at any time, and setenv() frees the list that
 * they read. Here a new list takes the place of the old one, which stays for those that are in it. Readers see the one
 * or the other; ranks that do it at the same time, too. */
typedef struct environment_list {
    char **before; /* the old list */
    char *variables[];
} environment_list;

static environment_list *environment_with(char **before, char *variable)
{
    size_t count = 0;
    while (before && before[count])
        count++;
    environment_list *list = malloc(sizeof *list + (count + 2) * sizeof list->variables[0]);
    if (!list)
        return NULL;
    list->before = before;
    if (count > 0)
        memcpy(list->variables, before, count * sizeof list->variables[0]);
    list->variables[count] = variable;
    list->variables[count + 1] = NULL;
    return list;
}

void cor_fabric_set_default(const char *name, const char *value)
{
    char **before = __atomic_load_n(&environ, __ATOMIC_ACQUIRE);
    size_t length = strlen(name) + strlen(value) + 2;
    char *variable = malloc(length);
    if (!variable)
        return;
    snprintf(variable, length, "%s=%s", name, value);
    while (!getenv(name)) {
        environment_list *list = environment_with(before, variable);
        if (!list)
            break;
        if (__atomic_compare_exchange_n(&environ, &before, list->variables, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            return;
        free(list);
    }
    free(variable);
}
