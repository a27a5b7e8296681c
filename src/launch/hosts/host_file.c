/* SPDX-License-Identifier: Apache-2.0 */
/* Host files in the formats of Open MPI, Hydra and MPJ Express, whose lines begin the same way. */
#define _GNU_SOURCE
#include "launch/hosts/host_list.h"
#include "launch/run_lines.h"
#include "launch/run_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOST_WORD_MAX = 128 };

/* ---- the words behind a name ------------------------------------------------------------------------------------ */

typedef enum host_word_kind { HOST_SLOTS, HOST_SLOTS_MOST, HOST_USER, HOST_INTERFACE, HOST_IGNORED } host_word_kind;

/* Open MPI allows '-' for '_' and has three words for slots. user, ifhn and binding are Hydra's. */
static const struct host_word {
    const char *name;
    host_word_kind kind;
    const char *instead; /* the option to use instead of an ignored word */
} host_words[] = {
    {"slots", HOST_SLOTS, NULL},
    {"cpu", HOST_SLOTS, NULL},
    {"count", HOST_SLOTS, NULL},
    {"max_slots", HOST_SLOTS_MOST, NULL},
    {"slots_max", HOST_SLOTS_MOST, NULL},
    {"max_cpu", HOST_SLOTS_MOST, NULL},
    {"cpu_max", HOST_SLOTS_MOST, NULL},
    {"max_count", HOST_SLOTS_MOST, NULL},
    {"count_max", HOST_SLOTS_MOST, NULL},
    {"user", HOST_USER, NULL},
    {"username", HOST_USER, NULL},
    {"user_name", HOST_USER, NULL},
    {"ifhn", HOST_INTERFACE, NULL},
    {"binding", HOST_IGNORED, "use --bind-to"},
    {"port", HOST_IGNORED, "use --launcher 'ssh -p N'"},
};

enum { HOST_WORD_COUNT = sizeof host_words / sizeof *host_words };

/* A line, and the state from the lines before it. */
typedef struct host_line {
    host_list *list;
    const char *where; /* prefix of every message */
    host_spec spec;
    char user[HOST_WORD_MAX], interface[RUN_INTERFACE_MAX];
    char is_reported[HOST_WORD_COUNT]; /* of the whole file: that this word is ignored was reported */
} host_line;

static int host_word_is(const char *name, const char *key, int length)
{
    for (int i = 0; i < length; i++)
        if (name[i] != (key[i] == '-' ? '_' : key[i]))
            return 0;
    return name[length] == '\0';
}

static int host_word_unknown(const host_line *line, const char *key, int length)
{
    fprintf(stderr, "%s: unknown word \"%.*s\"; after the name, slots=, max_slots=, user= and ifhn= are allowed\n",
            line->where, length > 200 ? 200 : length, key);
    return -1;
}

/* Copy a name. */
static int host_take_name(const host_line *line, const char *what, const char *value, int length, char *out, int room)
{
    if (length >= room || !cor_host_is_name(value, length)) {
        fprintf(stderr, "%s: \"%.*s\" is not %s\n", line->where, length > 200 ? 200 : length, value, what);
        return -1;
    }
    snprintf(out, (size_t)room, "%.*s", length, value);
    return 0;
}

static int host_take_word(host_line *line, int number, const char *value, int length)
{
    const struct host_word *word = &host_words[number];
    int *slots_p = word->kind == HOST_SLOTS ? &line->spec.slots : &line->spec.slots_max;
    switch (word->kind) {
    case HOST_SLOTS:
    case HOST_SLOTS_MOST:
        *slots_p = cor_host_slots(line->where, value, length);
        return *slots_p < 0 ? -1 : 0;
    case HOST_USER:
        return host_take_name(line, "a valid user name", value, length, line->user, sizeof line->user);
    case HOST_INTERFACE:
        return host_take_name(line, "a valid interface name", value, length, line->interface, sizeof line->interface);
    case HOST_IGNORED:
        if (!line->is_reported[number])
            fprintf(stderr, "%s: \"%s\" is ignored, here and in the lines below; %s\n", line->where, word->name,
                    word->instead);
        line->is_reported[number] = 1;
        return 0;
    }
    return 0;
}

/* Each is key=value, with spaces around the '=' or without. */
static int host_read_words(host_line *line, const char *at)
{
    while (*(at += strspn(at, " \t"))) {
        const char *key = at;
        int length = (int)strcspn(key, " \t="), number = 0;
        while (number < HOST_WORD_COUNT && !host_word_is(host_words[number].name, key, length))
            number++;
        at = key + length + strspn(key + length, " \t");
        if (number == HOST_WORD_COUNT || *at != '=')
            return host_word_unknown(line, key, length);
        at += 1 + strspn(at + 1, " \t");
        int value_length = (int)strcspn(at, " \t");
        if (host_take_word(line, number, at, value_length) != 0)
            return -1;
        at += value_length;
    }
    return 0;
}

/* ---- lines ------------------------------------------------------------------------------------------------------ */

static int host_read_line(host_line *line, char *text)
{
    text[strcspn(text, "#\r\n")] = '\0';
    const char *name = text + strspn(text, " \t");
    int length = (int)strcspn(name, " \t");
    if (length == 0)
        return 0;
    line->user[0] = line->interface[0] = '\0';
    if (cor_host_parse(line->where, name, length, &line->spec) != 0 || host_read_words(line, name + length) != 0)
        return -1;
    host_spec spec = line->spec;
    spec.interface = line->interface[0] ? line->interface : NULL;
    /* As in Open MPI. */
    if (spec.slots == 0)
        spec.slots = spec.slots_max;
    char full_name[HOST_WORD_MAX + 256];
    if (line->user[0] && !memchr(spec.name, '@', (size_t)spec.length)) {
        spec.length = snprintf(full_name, sizeof full_name, "%s@%.*s", line->user,
                               spec.length < 255 ? spec.length : 255, spec.name);
        spec.name = full_name;
    }
    return cor_host_list_put(line->list, line->where, &spec);
}

static int host_take_line(void *context, const char *where, char *text, int number)
{
    host_line *line = context;
    /* Some editors write a byte order mark. */
    size_t mark = number == 1 && strncmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    line->where = where;
    return host_read_line(line, text + mark);
}

int cor_host_list_read(host_list *list, const char *command_name, const char *path)
{
    host_line line = {.list = list};
    if (cor_run_lines_read(command_name, path, host_take_line, &line) != 0)
        return -1;
    if (list->count > 0)
        return 0;
    fprintf(stderr, "%s: the machines file %s has no hosts\n", command_name, path);
    return -1;
}
