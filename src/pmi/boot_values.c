/* SPDX-License-Identifier: Apache-2.0 */
#include "pmi/boot_values.h"

#include <stdlib.h>
#include <string.h>

int cor_boot_is_token(const char *text, size_t maximum)
{
    size_t length = strlen(text);
    for (size_t i = 0; i < length; i++)
        if (text[i] <= ' ' || text[i] >= 127)
            return 0;
    return length >= 1 && length <= maximum;
}

static boot_values *boot_values_create(int size, boot_values **list)
{
    size_t count = (size_t)size;
    boot_values *values = calloc(1, sizeof *values + count * (sizeof(char *) + BOOT_TEXT_MAX + 1));
    if (!values)
        return NULL;
    values->by_rank = (const char **)(values + 1);
    char *texts = (char *)(values->by_rank + count);
    for (size_t rank = 0; rank < count; rank++)
        values->by_rank[rank] = texts + rank * (BOOT_TEXT_MAX + 1);
    values->next = *list;
    *list = values;
    return values;
}

void cor_boot_values_set(boot_values *values, int rank, const char *value)
{
    size_t length = strnlen(value, BOOT_TEXT_MAX);
    char *text = (char *)values->by_rank[rank];
    memcpy(text, value, length);
    text[length] = '\0';
}

int cor_boot_values_append(boot_values *values, int rank, const char *more)
{
    char *text = (char *)values->by_rank[rank];
    size_t there = strlen(text), length = strlen(more);
    if (there + length > BOOT_TEXT_MAX)
        return 0;
    memcpy(text + there, more, length + 1);
    return 1;
}

/* Are there so many texts, each with its mark? */
static int boot_values_are_in(const char *block, size_t bytes, int size, const char *mark)
{
    const char *at = block, *end = block + bytes;
    int rank = 0;
    for (; rank < size && at < end && strncmp(at, mark, strlen(mark)) == 0; rank++)
        at += strlen(at) + 1;
    return rank == size && at == end;
}

int cor_boot_values_adopt(boot_values *values, int size, char *block, size_t bytes, const char *mark)
{
    if (!boot_values_are_in(block, bytes, size, mark))
        return 0;
    char *at = block;
    for (int rank = 0; rank < size; rank++) {
        values->by_rank[rank] = at + strlen(mark);
        at += strlen(at) + 1;
    }
    values->block = block;
    return 1;
}

void cor_boot_values_destroy(boot_values **list)
{
    while (*list) {
        boot_values *values = *list;
        *list = values->next;
        free(values->block);
        free(values);
    }
}

static int boot_check_value(const char *key, const char *value, cor_fault *fault)
{
    if (!cor_boot_is_token(key, 32) || strchr(key, '='))
        return cor_fault_set(fault, COR_ERR_ARG, "\"%.40s\" cannot be a key of an exchange", key);
    if (!cor_boot_is_token(value, COR_BOOT_VALUE_MAX))
        return cor_fault_set(fault, COR_ERR_ARG, "\"%.80s\" cannot be exchanged as the value of %s", value, key);
    return COR_OK;
}

int cor_boot_values_begin(const cor_boot *boot, const char *key, const char *value, boot_values **list,
                          boot_values **values_p, cor_fault *fault)
{
    int code = boot_check_value(key, value, fault);
    if (code != COR_OK)
        return code;
    *values_p = boot_values_create(boot->size, list);
    return *values_p
               ? COR_OK
               : cor_fault_set(fault, COR_ERR_MEMORY, "rank %d: no memory for the exchange of %s", boot->rank, key);
}
