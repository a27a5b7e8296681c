/* SPDX-License-Identifier: Apache-2.0 */
/* A growing, NULL-terminated list of texts: to build command lines and environments. Zero-initialise it. */
#ifndef COR_RUN_LIST_H
#define COR_RUN_LIST_H

#include <stddef.h>

typedef struct run_list {
    char **items;
    size_t count, room;
} run_list;

/* Append a formatted text. Without memory it prints a message and exits. */
void cor_run_list_add(run_list *list, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Append the words of a text, which may be quoted as in a shell, by ' or ". 0, or -1: a quote is not closed. */
int cor_run_list_split(run_list *list, const char *text);

void cor_run_list_fini(run_list *list);

#endif
