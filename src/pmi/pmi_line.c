/* SPDX-License-Identifier: Apache-2.0 */
#include "pmi/pmi_line.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cor_pmi_line_parse(char *text, size_t length, cor_pmi_line *line_p, cor_fault *fault)
{
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] < ' ' || text[i] == 127)
            return cor_fault_set(fault, COR_ERR_BOOT, "byte %zu of a PMI line is the control character %d", i,
                                 (unsigned char)text[i]);
    line_p->count = 0;
    for (char *at = text + strspn(text, " "); *at; at += strspn(at, " ")) {
        if (line_p->count == COR_PMI_PAIRS_MAX)
            return cor_fault_set(fault, COR_ERR_BOOT, "a PMI line has more than %d fields", COR_PMI_PAIRS_MAX);
        char *word = at;
        at += strcspn(at, " ");
        if (*at)
            *at++ = '\0';
        if (*word == '=')
            return cor_fault_set(fault, COR_ERR_BOOT, "a field of a PMI line has no key: \"%.40s\"", word);
        char *equals = strchr(word, '=');
        if (equals)
            *equals = '\0';
        line_p->pairs[line_p->count].key = word;
        line_p->pairs[line_p->count].value = equals ? equals + 1 : "";
        line_p->count++;
    }
    return COR_OK;
}

const char *cor_pmi_line_get(const cor_pmi_line *line, const char *key)
{
    for (size_t i = 0; i < line->count; i++)
        if (strcmp(line->pairs[i].key, key) == 0)
            return line->pairs[i].value;
    return NULL;
}

int cor_pmi_parse_int(const char *text, int *value_p)
{
    if (!isdigit((unsigned char)text[*text == '-']))
        return 0;
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno || *end || value < INT_MIN || value > INT_MAX)
        return 0;
    *value_p = (int)value;
    return 1;
}

int cor_pmi_line_int(const cor_pmi_line *line, const char *key, int *value_p)
{
    const char *text = cor_pmi_line_get(line, key);
    return text && cor_pmi_parse_int(text, value_p);
}

char *cor_pmi_reader_room(cor_pmi_reader *reader, size_t *room_p)
{
    memmove(reader->bytes, reader->bytes + reader->start, reader->filled - reader->start);
    reader->filled -= reader->start;
    reader->start = 0;
    *room_p = sizeof reader->bytes - reader->filled;
    return reader->bytes + reader->filled;
}

void cor_pmi_reader_filled(cor_pmi_reader *reader, size_t count)
{
    reader->filled += count;
}

int cor_pmi_reader_next(cor_pmi_reader *reader, char **text_p, size_t *length_p, cor_fault *fault)
{
    char *text = reader->bytes + reader->start;
    size_t there = reader->filled - reader->start;
    char *newline = memchr(text, '\n', there);
    if (!newline) {
        if (there < sizeof reader->bytes)
            return COR_AGAIN;
        return cor_fault_set(fault, COR_ERR_BOOT, "a PMI line is longer than %d bytes", COR_PMI_LINE_MAX);
    }
    *newline = '\0';
    *text_p = text;
    *length_p = (size_t)(newline - text);
    reader->start += *length_p + 1;
    return COR_OK;
}

void cor_pmi_escape(const char *text, char *out, size_t room)
{
    for (; *text && room > 3; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte > ' ' && byte != '%' && byte != 127) {
            *out++ = *text;
            room--;
        } else {
            snprintf(out, 4, "%%%02X", byte);
            out += 3;
            room -= 3;
        }
    }
    *out = '\0';
}

static int pmi_hex(char digit)
{
    if (isdigit((unsigned char)digit))
        return digit - '0';
    return isxdigit((unsigned char)digit) ? toupper((unsigned char)digit) - 'A' + 10 : -1;
}

void cor_pmi_unescape(const char *word, char *out, size_t room)
{
    for (; *word && room > 1; room--) {
        if (word[0] == '%' && pmi_hex(word[1]) >= 0 && pmi_hex(word[2]) >= 0) {
            *out++ = (char)(pmi_hex(word[1]) * 16 + pmi_hex(word[2]));
            word += 3;
        } else {
            *out++ = *word++;
        }
    }
    *out = '\0';
}
