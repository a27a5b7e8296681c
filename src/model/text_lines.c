/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "model/text_lines.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

int cor_text_refuse(const cor_text_lines *lines, const char *format, ...)
{
    char text[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return cor_fault_set(lines->fault, COR_ERR_ARG, "%s, line %d: %s", lines->name, lines->number, text);
}

int cor_text_lines_read(cor_text_lines *lines, FILE *stream, cor_text_line_fn take, void *context)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    int rc = COR_OK;
    while (rc == COR_OK && (length = getline(&line, &room, stream)) >= 0) {
        lines->number++;
        if (strlen(line) != (size_t)length) {
            rc = cor_text_refuse(lines, "there is a byte 0: this is no text");
            break;
        }
        line[strcspn(line, "\r\n")] = '\0';
        rc = take(context, line);
    }
    free(line);
    if (rc == COR_OK && ferror(stream))
        rc = cor_fault_set(lines->fault, COR_ERR_SYSTEM, "cannot read %s: %s", lines->name, strerror(errno));
    return rc;
}

FILE *cor_text_open(const char *path, cor_fault *fault)
{
    FILE *stream = fopen(path, "re");
    if (!stream)
        cor_fault_set(fault, COR_ERR_SYSTEM, "cannot read %s: %s", path, strerror(errno));
    return stream;
}
