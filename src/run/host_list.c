#define _GNU_SOURCE
#include "run/host_list.h"

#include "run/host_here.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOST_NAME_MAX_LENGTH = 255, HOST_SLOTS_MAX = 1 << 20, HOST_WHERE_MAX = PATH_MAX + 64 };

/* ---- one machine ------------------------------------------------------------------------------------------------ */

/* Names and addresses, with a user before them for ssh. A dash in front would be an option of the launcher's. */
static int host_is_name(const char *name, int length)
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

static host_entry *host_find(host_list *list, const char *name, int length, int is_here)
{
    for (int i = 0; i < list->count; i++) {
        host_entry *entry = &list->items[i];
        int is_named = (int)strlen(entry->name) == length && strncasecmp(entry->name, name, (size_t)length) == 0;
        if (is_named || (is_here && entry->is_here))
            return entry;
    }
    return NULL;
}

static host_entry *host_append(host_list *list, const char *name, int length, int is_here)
{
    host_entry *grown = realloc(list->items, (size_t)(list->count + 1) * sizeof *grown);
    char *copy = strndup(name, (size_t)length);
    if (grown)
        list->items = grown;
    if (!grown || !copy) {
        free(copy);
        return NULL;
    }
    host_entry *entry = &list->items[list->count++];
    *entry = (host_entry){.name = copy, .is_here = is_here};
    return entry;
}

int cor_host_list_put(host_list *list, const char *where, const char *name, int length, int slots, int slots_max)
{
    if (!host_is_name(name, length)) {
        fprintf(stderr, "%s: \"%.*s\" is no name of a machine\n", where, length > 200 ? 200 : length, name);
        return -1;
    }
    int is_here = cor_host_is_here(name, length);
    host_entry *entry = host_find(list, name, length, is_here);
    if (!entry)
        entry = host_append(list, name, length, is_here);
    if (!entry) {
        fprintf(stderr, "%s: out of memory\n", where);
        return -1;
    }
    entry->slots += slots > 0 ? slots : 1;
    entry->is_stated |= slots > 0;
    if (entry->slots > HOST_SLOTS_MAX)
        entry->slots = HOST_SLOTS_MAX;
    if (slots_max > 0)
        entry->slots_max = slots_max;
    return 0;
}

void cor_host_list_fini(host_list *list)
{
    for (int i = 0; i < list->count; i++)
        free(list->items[i].name);
    free(list->items);
    *list = (host_list){0};
}

/* ---- a list ----------------------------------------------------------------------------------------------------- */

/* A number of slots, or -1 after one sentence. */
static int host_slots(const char *where, const char *text, int length)
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
    fprintf(stderr, "%s: \"%.*s\" is no number of slots\n", where, length > 200 ? 200 : length, text);
    return -1;
}

/* Leave only the name of "name:4" or "[::1]:4"; *slots_p is 0 without a number. "::1" is all name. 0, or -1 after one
 * sentence. */
static int host_cut(const char *where, const char **word, size_t *length_p, int *slots_p)
{
    const char *name = *word, *end = name + *length_p, *colon = NULL, *name_end = end;
    *slots_p = 0;
    if (name < end && *name == '[') {
        const char *close = memchr(name, ']', *length_p);
        if (!close || (close + 1 < end && close[1] != ':')) {
            fprintf(stderr, "%s: \"%.*s\" is no name of a machine\n", where, (int)*length_p, name);
            return -1;
        }
        *word = name + 1;
        name_end = close;
        colon = close + 1 < end ? close + 1 : NULL;
    } else {
        colon = memchr(name, ':', *length_p);
        if (colon && memchr(colon + 1, ':', (size_t)(end - colon) - 1))
            colon = NULL;
        name_end = colon ? colon : end;
    }
    *length_p = (size_t)(name_end - *word);
    if (colon)
        *slots_p = host_slots(where, colon + 1, (int)(end - colon) - 1);
    return *slots_p < 0 ? -1 : 0;
}

int cor_host_list_add(host_list *list, const char *speaker, const char *names)
{
    char where[HOST_WHERE_MAX];
    snprintf(where, sizeof where, "%s: list of hosts", speaker);
    while (*names) {
        size_t whole = strcspn(names, ","), length = whole;
        int slots;
        const char *name = names;
        if (host_cut(where, &name, &length, &slots) != 0 ||
            cor_host_list_put(list, where, name, (int)length, slots, 0) != 0)
            return -1;
        names += whole + (names[whole] == ',');
    }
    return 0;
}

/* ---- a file ----------------------------------------------------------------------------------------------------- */

/* The value behind '=', spaces or not, and *at behind it; -1 after one sentence. */
static int host_value(const char *where, const char *key, int key_length, const char **at)
{
    const char *value = *at + strspn(*at, " \t");
    if (*value != '=') {
        fprintf(stderr, "%s: \"%.*s\" means nothing here; after the name come slots=N and max_slots=N\n", where,
                key_length, key);
        return -1;
    }
    value += 1 + strspn(value + 1, " \t");
    int length = (int)strcspn(value, " \t");
    *at = value + length;
    return host_slots(where, value, length);
}

static int host_read_words(const char *where, const char *at, int *slots_p, int *slots_max_p)
{
    while (*(at += strspn(at, " \t"))) {
        const char *key = at;
        int length = (int)strcspn(at, " \t=");
        at += length;
        int is_most = (length == 9 && (strncmp(key, "max_slots", 9) == 0 || strncmp(key, "max-slots", 9) == 0));
        int is_slots = length == 5 && strncmp(key, "slots", 5) == 0;
        if (!is_most && !is_slots) {
            fprintf(stderr, "%s: \"%.*s\" means nothing here; after the name come slots=N and max_slots=N\n", where,
                    length > 200 ? 200 : length, key);
            return -1;
        }
        int value = host_value(where, key, length, &at);
        if (value < 0)
            return -1;
        *(is_most ? slots_max_p : slots_p) = value;
    }
    return 0;
}

static int host_read_line(host_list *list, const char *where, char *line)
{
    line[strcspn(line, "#\r\n")] = '\0';
    const char *name = line + strspn(line, " \t");
    size_t length = strcspn(name, " \t");
    int slots, slots_max = 0;
    if (length == 0)
        return 0;
    const char *rest = name + length;
    if (host_cut(where, &name, &length, &slots) != 0 || host_read_words(where, rest, &slots, &slots_max) != 0)
        return -1;
    return cor_host_list_put(list, where, name, (int)length, slots, slots_max);
}

int cor_host_list_read(host_list *list, const char *speaker, const char *path)
{
    FILE *file = fopen(path, "re");
    if (!file) {
        fprintf(stderr, "%s: cannot read the list of machines %s: %s\n", speaker, path, strerror(errno));
        return -1;
    }
    char *line = NULL, where[HOST_WHERE_MAX];
    size_t room = 0;
    int code = 0;
    ssize_t length;
    for (int number = 1; code == 0 && (length = getline(&line, &room, file)) >= 0; number++) {
        snprintf(where, sizeof where, "%s: %s, line %d", speaker, path, number);
        if (memchr(line, '\0', (size_t)length)) {
            fprintf(stderr, "%s: there is a zero byte; this is no list of machines\n", where);
            code = -1;
        } else {
            code = host_read_line(list, where, line);
        }
    }
    if (code == 0 && ferror(file)) {
        fprintf(stderr, "%s: cannot read the list of machines %s: %s\n", speaker, path, strerror(errno));
        code = -1;
    }
    free(line);
    fclose(file);
    if (code == 0 && list->count == 0) {
        fprintf(stderr, "%s: the list of machines %s names none\n", speaker, path);
        code = -1;
    }
    return code;
}
