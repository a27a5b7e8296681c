/* SPDX-License-Identifier: Apache-2.0 */
#include "launch/run_list.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *list_or_die(void *memory)
{
    if (!memory) {
        fputs("corunna: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

void cor_run_list_add(run_list *list, const char *format, ...)
{
    if (list->count + 2 > list->room) {
        list->room = 2 * list->room + 8;
        list->items = list_or_die(realloc(list->items, list->room * sizeof *list->items));
    }
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = list_or_die(malloc((size_t)length + 1));
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    list->items[list->count++] = text;
    list->items[list->count] = NULL;
}

/* One word of `*at` without quotes; it is not longer than the source. -1: a quote is not closed. */
static int list_take_word(const char **at, char *word)
{
    char quote = '\0';
    for (; **at && (quote || !strchr(" \t\r\n", **at)); ++*at) {
        if (quote ? **at == quote : **at == '\'' || **at == '"')
            quote = quote ? '\0' : **at;
        else
            *word++ = **at;
    }
    *word = '\0';
    return quote ? -1 : 0;
}

int cor_run_list_split(run_list *list, const char *text)
{
    char *word = list_or_die(malloc(strlen(text) + 1));
    int code = 0;
    for (const char *at = text + strspn(text, " \t\r\n"); code == 0 && *at; at += strspn(at, " \t\r\n")) {
        code = list_take_word(&at, word);
        if (code == 0)
            cor_run_list_add(list, "%s", word);
    }
    free(word);
    return code;
}

void cor_run_list_fini(run_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i]);
    free(list->items);
    list->items = NULL;
    list->count = list->room = 0;
}
