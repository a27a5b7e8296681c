/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "base/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_FIRST_ROOM = 256 };

int cor_lines_open(cor_lines *lines, const char *path, size_t most, cor_fault *fault)
{
    FILE *file = fopen(path, "re");
    if (!file)
        return cor_fault_set(fault, COR_ERR_SYSTEM, "cannot read %s: %s", path, strerror(errno));
    cor_lines_begin(lines, file, path, most);
    return COR_OK;
}

void cor_lines_begin(cor_lines *lines, FILE *stream, const char *name, size_t most)
{
    *lines = (cor_lines){.file = stream, .name = name, .left = most};
}

/* Room for a byte more than `length`, and a zero. */
static int lines_grow(cor_lines *lines, size_t length)
{
    size_t room = lines->room ? 2 * lines->room : LINES_FIRST_ROOM;
    if (length + 2 <= lines->room)
        return 1;
    char *grown = realloc(lines->text, room);
    if (!grown)
        return 0;
    lines->text = grown;
    lines->room = room;
    return 1;
}

int cor_lines_next(cor_lines *lines, cor_fault *fault)
{
    size_t length = 0;
    int byte;
    lines->number++;
    if (!lines_grow(lines, 0))
        return cor_fault_set(fault, COR_ERR_MEMORY, "out of memory");
    while ((byte = getc_unlocked(lines->file)) != EOF) {
        if (lines->left-- == 0)
            return cor_fault_set(fault, COR_ERR_ARG, "%s, line %d: the file is too long", lines->name, lines->number);
        if (byte == '\n')
            break;
        if (byte == '\0')
            return cor_fault_set(fault, COR_ERR_ARG, "%s, line %d: contains a zero byte; the file must be text",
                                 lines->name, lines->number);
        if (length == COR_LINE_MAX)
            return cor_fault_set(fault, COR_ERR_ARG, "%s, line %d: has more than %d bytes", lines->name, lines->number,
                                 COR_LINE_MAX);
        if (!lines_grow(lines, length))
            return cor_fault_set(fault, COR_ERR_MEMORY, "out of memory");
        lines->text[length++] = (char)byte;
    }
    if (ferror(lines->file))
        return cor_fault_set(fault, COR_ERR_SYSTEM, "cannot read %s: %s", lines->name, strerror(errno));
    if (byte == EOF && length == 0)
        return 0;
    lines->text[length] = '\0';
    return 1;
}

void cor_lines_end(cor_lines *lines)
{
    free(lines->text);
    lines->text = NULL;
}

void cor_lines_close(cor_lines *lines)
{
    cor_lines_end(lines);
    fclose(lines->file);
    lines->file = NULL;
}
