/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "model/text_lines.h"

#include "base/lines.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

enum { TEXT_BYTES = 256 << 20 };

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
    cor_lines reader;
    int rc = COR_OK, more = 1;
    cor_lines_begin(&reader, stream, lines->name, TEXT_BYTES);
    while (rc == COR_OK && (more = cor_lines_next(&reader, lines->fault)) == 1) {
        lines->number = reader.number;
        reader.text[strcspn(reader.text, "\r")] = '\0';
        rc = take(context, reader.text);
    }
    cor_lines_end(&reader);
    return more < 0 ? more : rc;
}

FILE *cor_text_open(const char *path, cor_fault *fault)
{
    FILE *stream = fopen(path, "re");
    if (!stream)
        cor_fault_set(fault, COR_ERR_SYSTEM, "cannot read %s: %s", path, strerror(errno));
    return stream;
}
