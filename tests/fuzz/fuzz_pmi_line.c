/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a launcher, or another process at the end of the socket, may send in the PMI-1 protocol: any bytes, in any
 * pieces. The first byte says how they are cut.
 *
 * FUZZ_SOURCES: src/pmi/pmi_line.c src/base/error.c
 */
#include "pmi/pmi_line.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static size_t fuzz_line(char *text, size_t length)
{
    cor_pmi_line line;
    cor_fault fault;
    size_t sum = 0;
    int number = 0;
    if (cor_pmi_line_parse(text, length, &line, &fault) != COR_OK)
        return 0;
    if (line.count > COR_PMI_PAIRS_MAX)
        abort();
    for (size_t i = 0; i < line.count; i++) {
        char plain[64], word[256], again[64];
        sum += strlen(line.pairs[i].key) + strlen(line.pairs[i].value);
        if (!cor_pmi_line_get(&line, line.pairs[i].key))
            abort();
        cor_pmi_line_int(&line, line.pairs[i].key, &number);
        /* Any text survives the way through a word. */
        cor_pmi_unescape(line.pairs[i].value, plain, sizeof plain);
        cor_pmi_escape(plain, word, sizeof word);
        cor_pmi_unescape(word, again, sizeof again);
        if (strcmp(plain, again) != 0)
            abort();
    }
    return sum + (size_t)number;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    cor_pmi_reader *reader = calloc(1, sizeof *reader);
    volatile size_t sum = 0;
    int code = COR_AGAIN;
    size_t piece = size ? 1 + (size_t)data[0] : 1;
    for (size_t at = 1; at < size && code == COR_AGAIN;) {
        size_t room, length = size - at < piece ? size - at : piece;
        char *into = cor_pmi_reader_room(reader, &room);
        if (room == 0)
            abort();
        length = length < room ? length : room;
        memcpy(into, data + at, length);
        cor_pmi_reader_filled(reader, length);
        at += length;
        char *text;
        size_t text_length;
        cor_fault fault;
        while ((code = cor_pmi_reader_next(reader, &text, &text_length, &fault)) == COR_OK)
            sum += fuzz_line(text, text_length);
    }
    free(reader);
    return 0;
}
