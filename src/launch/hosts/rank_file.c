/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "launch/hosts/rank_file.h"

#include "launch/run_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANK_SLOT_MAX = 4096 };

/* One line. */
typedef struct rank_line {
    int rank;
    const char *host, *slots; /* not terminated */
    int host_length, slots_length;
} rank_line;

/* ---- a line ----------------------------------------------------------------------------------------------------- */

static int rank_refuse(const char *where, const char *text)
{
    fprintf(stderr, "%s: \"%.100s\" is not a line such as `rank 0=host slot=1:0-2`\n", where, text);
    return -1;
}

static const char *rank_skip(const char *at)
{
    return at + strspn(at, " \t");
}

/* "word" and what may stand between it and the next one. NULL: it is not there. */
static const char *rank_word(const char *at, const char *word)
{
    size_t length = strlen(word);
    return strncasecmp(at, word, length) == 0 ? rank_skip(at + length) : NULL;
}

/* 0, or -1: it is none. */
static int rank_split(const char *text, rank_line *line_p)
{
    const char *at = rank_word(rank_skip(text), "rank");
    int digits = at ? (int)strspn(at, "0123456789") : 0;
    if (digits == 0 || digits > 9)
        return -1;
    line_p->rank = atoi(at);
    at = rank_word(rank_skip(at + digits), "=");
    if (!at)
        return -1;
    line_p->host = at;
    line_p->host_length = (int)strcspn(at, " \t");
    at = rank_word(rank_skip(at + line_p->host_length), "slot");
    at = at && *at == 's' ? at + 1 : at; /* "slots" is written, too */
    at = at ? rank_word(rank_skip(at), "=") : NULL;
    if (!at)
        return -1;
    line_p->slots = at;
    line_p->slots_length = (int)strcspn(at, " \t");
    int is_whole = *rank_skip(at + line_p->slots_length) == '\0';
    return is_whole && line_p->slots_length > 0 && line_p->host_length > 0 ? 0 : -1;
}

/* Only digits and what stands between them; which sockets and cores there are the host itself knows. */
static int rank_is_slots(const rank_line *line)
{
    return line->slots_length < RANK_SLOT_MAX && strspn(line->slots, "0123456789,-:*") >= (size_t)line->slots_length;
}

/* "+n1" is the second host of the list. Returns which item it is, or -1 after a message. */
static int rank_relative(const char *where, const rank_line *line, const host_list *list)
{
    int digits = (int)strspn(line->host + 2, "0123456789");
    int number = digits > 0 && digits <= 9 && digits + 2 == line->host_length ? atoi(line->host + 2) : -1;
    if (number >= 0 && number < list->count)
        return number;
    fprintf(stderr, "%s: there is no host %.*s; the hosts that are given have %d names, from +n0 on\n", where,
            line->host_length > 100 ? 100 : line->host_length, line->host, list->count);
    return -1;
}

static int rank_host(const char *where, const rank_line *line, host_list *list, int may_add)
{
    if (line->host[0] == '+' && (line->host[1] == 'n' || line->host[1] == 'N'))
        return rank_relative(where, line, list);
    int item = cor_host_list_find(list, line->host, line->host_length);
    if (item >= 0 || !may_add) {
        if (item < 0)
            fprintf(stderr, "%s: host \"%.*s\" is not among those that --hosts or --hostfile give\n", where,
                    line->host_length > 100 ? 100 : line->host_length, line->host);
        return item;
    }
    const host_spec spec = {.name = line->host, .length = line->host_length};
    return cor_host_list_put(list, where, &spec) == 0 ? list->count - 1 : -1;
}

/* ---- a file ----------------------------------------------------------------------------------------------------- */

static int rank_grow(rank_file *file, int size)
{
    int *hosts = realloc(file->hosts, (size_t)size * sizeof *hosts);
    if (hosts)
        file->hosts = hosts;
    char **slots = realloc(file->slots, ((size_t)size + 1) * sizeof *slots);
    if (slots)
        file->slots = slots;
    if (!hosts || !slots)
        return -1;
    for (int rank = file->size; rank < size; rank++) {
        hosts[rank] = -1;
        slots[rank] = NULL;
    }
    slots[size] = NULL;
    file->size = size;
    return 0;
}

static int rank_take(rank_file *file, const char *where, const rank_line *line, int size, host_list *list, int may_add)
{
    int rank = line->rank;
    if (size > 0 && rank >= size) {
        fprintf(stderr, "%s: there is no rank %d; the job has %d ranks (-n)\n", where, rank, size);
        return -1;
    }
    if (rank >= RANK_FILE_MOST) {
        fprintf(stderr, "%s: rank %d is beyond %d, the last that a rank file may name\n", where, rank,
                RANK_FILE_MOST - 1);
        return -1;
    }
    if (rank < file->size && file->slots[rank]) {
        fprintf(stderr, "%s: rank %d has a line already\n", where, rank);
        return -1;
    }
    if (!rank_is_slots(line)) {
        fprintf(stderr, "%s: slot=%.*s is not a list of cores such as 0-2 or 1:0,3\n", where,
                line->slots_length > 100 ? 100 : line->slots_length, line->slots);
        return -1;
    }
    int host = rank_host(where, line, list, may_add);
    if (host < 0)
        return -1;
    if ((rank >= file->size && rank_grow(file, rank + 1) != 0) ||
        !(file->slots[rank] = strndup(line->slots, (size_t)line->slots_length))) {
        fprintf(stderr, "%s: out of memory\n", where);
        return -1;
    }
    file->hosts[rank] = host;
    return 0;
}

/* The file that is read, and what is known of the job. */
typedef struct rank_reader {
    rank_file *file;
    host_list *list;
    int size, may_add;
} rank_reader;

static int rank_take_line(void *context, const char *where, char *text, int number)
{
    const rank_reader *reader = context;
    rank_line line;
    (void)number;
    text[strcspn(text, "#\r")] = '\0';
    if (!*rank_skip(text))
        return 0;
    if (rank_split(text, &line) != 0)
        return rank_refuse(where, text);
    return rank_take(reader->file, where, &line, reader->size, reader->list, reader->may_add);
}

/* Every rank needs a line. */
static int rank_check(const rank_file *file, const char *command_name, const char *path, int size)
{
    int wanted = size > 0 ? size : file->size;
    for (int rank = 0; rank < wanted; rank++)
        if (rank >= file->size || !file->slots[rank]) {
            fprintf(stderr, "%s: the rank file %s has no line for rank %d\n", command_name, path, rank);
            return -1;
        }
    if (wanted > 0)
        return 0;
    fprintf(stderr, "%s: the rank file %s has no ranks\n", command_name, path);
    return -1;
}

int cor_rank_file_read(rank_file *file, const char *command_name, const char *path, int size, host_list *list)
{
    rank_reader reader = {file, list, size, list->count == 0};
    if (cor_run_lines_read(command_name, path, rank_take_line, &reader) != 0)
        return -1;
    return rank_check(file, command_name, path, size);
}

void cor_rank_file_fini(rank_file *file)
{
    for (int rank = 0; rank < file->size; rank++)
        free(file->slots[rank]);
    free(file->slots);
    free(file->hosts);
    *file = (rank_file){0};
}
