/* SPDX-License-Identifier: Apache-2.0 */
/* PMI lines: parsing, gathering, escaping, and a long walk over random bytes. */
#include "check.h"
#include "pmi/pmi_line.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int parse(const char *text, char *copy, cor_pmi_line *line)
{
    cor_fault fault = {0};
    strcpy(copy, text);
    return cor_pmi_line_parse(copy, strlen(copy), line, &fault);
}

static void test_parse(void)
{
    char copy[1024];
    cor_pmi_line line;
    int number = 5;
    CHECK_OK(parse("rc=0 cmd=get_result  value=a=b msg=success", copy, &line));
    CHECK(line.count == 4);
    CHECK_TEXT("get_result", cor_pmi_line_get(&line, "cmd"));
    CHECK_TEXT("a=b", cor_pmi_line_get(&line, "value"));
    CHECK(cor_pmi_line_get(&line, "nothing") == NULL);
    CHECK(cor_pmi_line_int(&line, "rc", &number) == 1 && number == 0);
    CHECK(cor_pmi_line_int(&line, "msg", &number) == 0 && number == 0);
    CHECK(parse("", copy, &line) == COR_OK && line.count == 0);
    CHECK(parse("   ", copy, &line) == COR_OK && line.count == 0);
    CHECK_OK(parse("endcmd", copy, &line));
    CHECK_TEXT("", cor_pmi_line_get(&line, "endcmd"));
    CHECK_OK(parse("key= next=1", copy, &line));
    CHECK_TEXT("", cor_pmi_line_get(&line, "key"));
    CHECK_OK(parse("k=1 k=2", copy, &line));
    CHECK_TEXT("1", cor_pmi_line_get(&line, "k"));
    CHECK(parse("=value", copy, &line) == COR_ERR_BOOT);
    CHECK(parse("cmd=\tget", copy, &line) == COR_ERR_BOOT);
    CHECK(parse("cmd=\177", copy, &line) == COR_ERR_BOOT);
    char many[3 * COR_PMI_PAIRS_MAX + 4] = "", nul[] = "cmd=a\0b";
    cor_fault fault = {0};
    for (int i = 0; i < COR_PMI_PAIRS_MAX; i++)
        strcat(many, "a= ");
    CHECK(parse(many, copy, &line) == COR_OK && line.count == COR_PMI_PAIRS_MAX);
    strcat(many, "b=");
    CHECK(parse(many, copy, &line) == COR_ERR_BOOT);
    CHECK(cor_pmi_line_parse(nul, 7, &line, &fault) == COR_ERR_BOOT);
}

static void test_numbers(void)
{
    static const char *const bad[] = {"", "-", "x", "1x", " 1", "1 ", "+1", "2147483648", "-2147483649", "0x1", "1.0"};
    int number = 77;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        CHECK(cor_pmi_parse_int(bad[i], &number) == 0 && number == 77);
    CHECK(cor_pmi_parse_int("2147483647", &number) == 1 && number == 2147483647);
    CHECK(cor_pmi_parse_int("-2147483648", &number) == 1 && number == -2147483647 - 1);
}

static void feed(cor_pmi_reader *reader, const char *bytes, size_t length)
{
    size_t room;
    char *to = cor_pmi_reader_room(reader, &room);
    if (length <= room) {
        memcpy(to, bytes, length);
        cor_pmi_reader_filled(reader, length);
    }
}

static void test_reader(void)
{
    cor_pmi_reader *reader = calloc(1, sizeof *reader);
    cor_fault fault = {0};
    char *text = NULL;
    size_t length = 0, room;
    CHECK(cor_pmi_reader_next(reader, &text, &length, &fault) == COR_AGAIN);
    feed(reader, "cmd=a\ncmd", 9);
    CHECK(cor_pmi_reader_next(reader, &text, &length, &fault) == COR_OK && length == 5);
    CHECK_TEXT("cmd=a", text);
    CHECK(cor_pmi_reader_next(reader, &text, &length, &fault) == COR_AGAIN);
    feed(reader, "=b\n\n", 4);
    CHECK_OK(cor_pmi_reader_next(reader, &text, &length, &fault));
    CHECK_TEXT("cmd=b", text);
    CHECK(cor_pmi_reader_next(reader, &text, &length, &fault) == COR_OK && length == 0);
    CHECK(cor_pmi_reader_next(reader, &text, &length, &fault) == COR_AGAIN);
    /* The longest line there may be, then one more byte. */
    char *longest = malloc(COR_PMI_LINE_MAX + 1);
    memset(longest, 'x', COR_PMI_LINE_MAX + 1);
    longest[COR_PMI_LINE_MAX] = '\n';
    feed(reader, longest, COR_PMI_LINE_MAX + 1);
    CHECK(cor_pmi_reader_next(reader, &text, &length, &fault) == COR_OK && length == COR_PMI_LINE_MAX);
    longest[COR_PMI_LINE_MAX] = 'x';
    feed(reader, longest, COR_PMI_LINE_MAX + 1);
    CHECK(cor_pmi_reader_next(reader, &text, &length, &fault) == COR_ERR_BOOT);
    CHECK(cor_pmi_reader_room(reader, &room) != NULL && room == 0);
    free(longest);
    free(reader);
}

static void test_escape(void)
{
    char word[600], back[200];
    const char *text = "rank 3: 50% of =\nit\001, café";
    cor_pmi_escape(text, word, sizeof word);
    CHECK(strpbrk(word, " \n\001") == NULL);
    cor_pmi_unescape(word, back, sizeof back);
    CHECK_TEXT(text, back);
    cor_pmi_escape("abc def", word, 6);
    CHECK(strlen(word) <= 5);
    cor_pmi_unescape("%4", back, sizeof back);
    CHECK_TEXT("%4", back);
    cor_pmi_unescape("%zz%", back, sizeof back);
    CHECK_TEXT("%zz%", back);
    cor_pmi_unescape("abcdef", back, 4);
    CHECK_TEXT("abc", back);
}

/* Random bytes, mostly of the alphabet of the protocol: nothing may crash, every line that parses must be sane. */
static void test_random(void)
{
    static const char alphabet[] = "cmd=get key value \n\n= %az09\t\177\200\377";
    cor_pmi_reader *reader = calloc(1, sizeof *reader);
    uint32_t state = 12345;
    size_t lines = 0;
    for (int round = 0; round < 20000; round++) {
        char bytes[64];
        for (size_t i = 0; i < sizeof bytes; i++) {
            state = state * 1664525u + 1013904223u;
            bytes[i] = alphabet[(state >> 16) % (sizeof alphabet - 1)];
        }
        feed(reader, bytes, sizeof bytes);
        char *text;
        size_t length;
        cor_fault fault = {0};
        while (cor_pmi_reader_next(reader, &text, &length, &fault) == COR_OK) {
            cor_pmi_line line;
            lines++;
            if (cor_pmi_line_parse(text, length, &line, &fault) != COR_OK)
                continue;
            for (size_t i = 0; i < line.count; i++)
                CHECK(*line.pairs[i].key && !strpbrk(line.pairs[i].key, " =") && line.pairs[i].value);
        }
    }
    CHECK(lines > 1000);
    free(reader);
}

int main(void)
{
    test_parse();
    test_numbers();
    test_reader();
    test_escape();
    test_random();
    return 0;
}
