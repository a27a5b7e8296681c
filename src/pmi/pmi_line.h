/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of the PMI-1 protocol, for both ends of it.
 *
 * A line is fields separated by spaces and ended by a newline; a field is key=value. Peers differ in the order of the
 * fields, so everything is found by key. The input is not trusted: a malformed line is rejected.
 */
#ifndef COR_PMI_LINE_H
#define COR_PMI_LINE_H

#include "base/error.h"

#include <stddef.h>

enum { COR_PMI_LINE_MAX = 8192, COR_PMI_PAIRS_MAX = 64 };

typedef struct cor_pmi_pair {
    const char *key, *value;
} cor_pmi_pair;

typedef struct cor_pmi_line {
    size_t count;
    cor_pmi_pair pairs[COR_PMI_PAIRS_MAX];
} cor_pmi_line;

/* Split `text` (zero-terminated, without its newline; it is written to and must live as long as the line) into pairs.
 * A field without '=' has the empty value. COR_ERR_BOOT for control characters, a field without key, too many fields.
 */
int cor_pmi_line_parse(char *text, size_t length, cor_pmi_line *line_p, cor_fault *fault);

/* The value of the first pair of this key, or NULL. */
const char *cor_pmi_line_get(const cor_pmi_line *line, const char *key);

/* Likewise as a number. 1 if it exists and is one, else 0 and *value_p is not changed. */
int cor_pmi_line_int(const cor_pmi_line *line, const char *key, int *value_p);

/* A whole decimal int, possibly negative, and nothing else. */
int cor_pmi_parse_int(const char *text, int *value_p);

/* Collects bytes and returns them as lines. Zero-initialise it. */
typedef struct cor_pmi_reader {
    size_t start, filled;
    char bytes[COR_PMI_LINE_MAX + 1];
} cor_pmi_reader;

/* Space for the next bytes, and how much; then how many were read. The space is never 0 after cor_pmi_reader_next has
 * returned COR_AGAIN. */
char *cor_pmi_reader_room(cor_pmi_reader *reader, size_t *room_p);
void cor_pmi_reader_filled(cor_pmi_reader *reader, size_t count);

/* The next whole line, zero-terminated without its newline, valid until cor_pmi_reader_room. COR_AGAIN when there is
 * none yet, COR_ERR_BOOT when one is longer than COR_PMI_LINE_MAX. */
int cor_pmi_reader_next(cor_pmi_reader *reader, char **text_p, size_t *length_p, cor_fault *fault);

/* Any text as one PMI word and back: bytes that could break a line become %XX. `out` is always terminated; a text that
 * does not fit is truncated. */
void cor_pmi_escape(const char *text, char *out, size_t room);
void cor_pmi_unescape(const char *word, char *out, size_t room);

#endif
