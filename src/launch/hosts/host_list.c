/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "launch/hosts/host_list.h"

#include "launch/hosts/host_here.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOST_NAME_MAX_LENGTH = 255, HOST_SLOTS_MAX = 1 << 20 };

/* ---- one machine ------------------------------------------------------------------------------------------------ */

/* A leading dash would be an option of the launcher's command. */
int cor_host_is_name(const char *name, int length)
{
    if (length < 1 || length > HOST_NAME_MAX_LENGTH || name[0] == '-')
        return 0;
    for (int i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)name[i];
        int is_alphanumeric = (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
                              (byte >= 'A' && byte <= 'Z') || byte >= 128;
        if (!is_alphanumeric && !strchr("._:@%-", byte))
            return 0;
    }
    return 1;
}

/* Node lists may be long, so names are hashed. Returns the bucket that holds the name, or the free one for it. */
static int *host_bucket(const host_list *list, const char *name, int length)
{
    uint32_t hash = 2166136261u, mask = 2 * (uint32_t)list->room - 1;
    for (int i = 0; i < length; i++)
        hash = (hash ^ (uint32_t)tolower((unsigned char)name[i])) * 16777619u;
    for (hash &= mask;; hash = (hash + 1) & mask) {
        int *bucket = &list->buckets[hash];
        const char *known = *bucket ? list->items[*bucket - 1].name : NULL;
        if (!known || ((int)strlen(known) == length && strncasecmp(known, name, (size_t)length) == 0))
            return bucket;
    }
}

/* Which item it is, from 1; 0: none. */
static int host_find(const host_list *list, const char *name, int length, int is_here)
{
    int item = is_here ? list->here : 0;
    return item || list->count == 0 ? item : *host_bucket(list, name, length);
}

int cor_host_list_find(const host_list *list, const char *name, int length)
{
    return host_find(list, name, length, cor_host_is_here(name, length)) - 1;
}

static int host_grow(host_list *list)
{
    int room = list->room ? 2 * list->room : 16;
    host_entry *items = realloc(list->items, (size_t)room * sizeof *items);
    if (items)
        list->items = items;
    int *buckets = calloc(2 * (size_t)room, sizeof *buckets);
    if (!items || !buckets) {
        free(buckets);
        return -1;
    }
    free(list->buckets);
    list->buckets = buckets;
    list->room = room;
    for (int i = 0; i < list->count; i++)
        *host_bucket(list, items[i].name, (int)strlen(items[i].name)) = i + 1;
    return 0;
}

static host_entry *host_append(host_list *list, const char *name, int length, int is_here)
{
    char *copy = strndup(name, (size_t)length);
    if (!copy || (list->count == list->room && host_grow(list) != 0)) {
        free(copy);
        return NULL;
    }
    int *bucket = host_bucket(list, name, length);
    host_entry *entry = &list->items[list->count++];
    *bucket = list->count;
    if (is_here)
        list->here = list->count;
    *entry = (host_entry){.name = copy, .is_here = is_here};
    return entry;
}

static int host_set_interface(host_entry *entry, const char *interface)
{
    char *copy = strdup(interface);
    if (!copy)
        return -1;
    free(entry->interface);
    entry->interface = copy;
    return 0;
}

int cor_host_list_put(host_list *list, const char *where, const host_spec *spec)
{
    const char *name = spec->name;
    int length = spec->length;
    if (!cor_host_is_name(name, length)) {
        fprintf(stderr, "%s: \"%.*s\" is not a valid host name\n", where, length > 200 ? 200 : length, name);
        return -1;
    }
    int is_here = cor_host_is_here(name, length);
    int item = host_find(list, name, length, is_here);
    host_entry *entry = item ? &list->items[item - 1] : host_append(list, name, length, is_here);
    if (!entry || (spec->interface && host_set_interface(entry, spec->interface) != 0)) {
        fprintf(stderr, "%s: out of memory\n", where);
        return -1;
    }
    entry->slots += spec->slots > 0 ? spec->slots : 1;
    entry->is_stated |= spec->slots > 0;
    if (entry->slots > HOST_SLOTS_MAX)
        entry->slots = HOST_SLOTS_MAX;
    if (spec->slots_max > 0)
        entry->slots_max = spec->slots_max;
    return 0;
}

void cor_host_list_fini(host_list *list)
{
    for (int i = 0; i < list->count; i++) {
        free(list->items[i].name);
        free(list->items[i].interface);
    }
    free(list->items);
    free(list->buckets);
    *list = (host_list){0};
}

/* ---- a list ----------------------------------------------------------------------------------------------------- */

int cor_host_slots(const char *where, const char *text, int length)
{
    int slots = 0;
    for (int i = 0; i < length && slots <= HOST_SLOTS_MAX; i++) {
        if (text[i] < '0' || text[i] > '9') {
            slots = -1;
            break;
        }
        slots = 10 * slots + (text[i] - '0');
    }
    if (slots >= 1 && slots <= HOST_SLOTS_MAX)
        return slots;
    fprintf(stderr, "%s: \"%.*s\" is not a valid number of slots\n", where, length > 200 ? 200 : length, text);
    return -1;
}

int cor_host_parse(const char *where, const char *word, int length, host_spec *spec_p)
{
    const char *name = word, *end = word + length, *colon, *name_end;
    *spec_p = (host_spec){0};
    if (word < end && *word == '[') {
        const char *close = memchr(word, ']', (size_t)length);
        if (!close || (close + 1 < end && close[1] != ':')) {
            fprintf(stderr, "%s: \"%.*s\" is not a valid host name\n", where, length, word);
            return -1;
        }
        name = word + 1;
        name_end = close;
        colon = close + 1 < end ? close + 1 : NULL;
    } else {
        colon = memchr(word, ':', (size_t)length);
        if (colon && memchr(colon + 1, ':', (size_t)(end - colon) - 1))
            colon = NULL;
        name_end = colon ? colon : end;
    }
    spec_p->name = name;
    spec_p->length = (int)(name_end - name);
    if (colon)
        spec_p->slots = cor_host_slots(where, colon + 1, (int)(end - colon) - 1);
    return spec_p->slots < 0 ? -1 : 0;
}

int cor_host_list_add(host_list *list, const char *command_name, const char *names)
{
    char where[64];
    snprintf(where, sizeof where, "%s: host list", command_name);
    while (*names) {
        size_t length = strcspn(names, ",");
        host_spec spec;
        if (cor_host_parse(where, names, (int)length, &spec) != 0 || cor_host_list_put(list, where, &spec) != 0)
            return -1;
        names += length + (names[length] == ',');
    }
    return 0;
}
