/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline_check FILE [SECONDS]: reads a timeline as strictly as JSON is defined, checks that it is what Perfetto
 * takes, and prints what it holds, a line each, sorted by name:
 *
 *     MPI_Send 15 bytes 1500           calls of this name, and the sum of their bytes
 *     algorithm NAME                   of collective calls, each once
 *     hosts 2                          of ranks
 *     ranks 4
 *
 * Spans of one rank must lie in each other or beside each other, and all within so many seconds. Anything wrong is a
 * sentence and status 1.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 128, NAMES_MAX = 64, SPANS_MAX = 1 << 20 };

static const char *start, *at;

static _Noreturn void wrong(const char *what)
{
    fprintf(stderr, "byte %ld: %s\n", (long)(at - start), what);
    exit(1);
}

static void space(void)
{
    while (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t')
        at++;
}

static void expect(char c, const char *what)
{
    space();
    if (*at++ != c)
        wrong(what);
}

static void string(char *out)
{
    size_t length = 0;
    expect('"', "a string must begin here");
    while (*at != '"') {
        if ((unsigned char)*at < ' ')
            wrong("a control character in a string");
        if (*at == '\\' && !strchr("\"\\/bfnrtu", *++at))
            wrong("an unknown escape");
        if (length + 1 < TEXT_MAX)
            out[length++] = *at;
        at++;
    }
    at++;
    out[length] = '\0';
}

static double number(void)
{
    const char *first = at;
    if (*at == '-')
        at++;
    if (*at == '0' && isdigit((unsigned char)at[1]))
        wrong("a number begins with 0");
    if (!isdigit((unsigned char)*at))
        wrong("a value must begin here");
    while (isdigit((unsigned char)*at))
        at++;
    if (*at == '.') {
        at++;
        if (!isdigit((unsigned char)*at))
            wrong("a digit must follow the point");
        while (isdigit((unsigned char)*at))
            at++;
    }
    if (*at == 'e' || *at == 'E') {
        at++;
        at += *at == '+' || *at == '-';
        if (!isdigit((unsigned char)*at))
            wrong("an exponent has no digit");
        while (isdigit((unsigned char)*at))
            at++;
    }
    return strtod(first, NULL);
}

/* ---- events ----------------------------------------------------------------------------------------------------- */

typedef struct event {
    char name[TEXT_MAX], phase[TEXT_MAX], category[TEXT_MAX], algorithm[TEXT_MAX], value[TEXT_MAX];
    double ts, dur, bytes, waiting;
    int pid, tid, has_ts, has_pid, has_tid;
} event;

static void member(event *e, const char *key, int depth)
{
    char text[TEXT_MAX];
    space();
    if (*at == '{') {
        at++;
        space();
        while (*at != '}') {
            char inner[TEXT_MAX];
            string(inner);
            expect(':', "a colon must be here");
            member(e, inner, depth + 1);
            space();
            if (*at == ',')
                at++, space();
            else if (*at != '}')
                wrong("a comma or a brace must be here");
        }
        at++;
    } else if (*at == '"') {
        string(text);
        if (depth == 0 && strcmp(key, "name") == 0)
            strcpy(e->name, text);
        if (depth == 0 && strcmp(key, "ph") == 0)
            strcpy(e->phase, text);
        if (depth == 0 && strcmp(key, "cat") == 0)
            strcpy(e->category, text);
        if (depth == 1 && strcmp(key, "algorithm") == 0)
            strcpy(e->algorithm, text);
        if (depth == 1 && strcmp(key, "name") == 0)
            strcpy(e->value, text);
    } else {
        double value = number();
        if (strcmp(key, "ts") == 0)
            e->ts = value, e->has_ts = 1;
        if (strcmp(key, "dur") == 0)
            e->dur = value;
        if (strcmp(key, "pid") == 0)
            e->pid = (int)value, e->has_pid = 1;
        if (strcmp(key, "tid") == 0)
            e->tid = (int)value, e->has_tid = 1;
        if (strcmp(key, "bytes") == 0)
            e->bytes = value;
        if (strcmp(key, "waiting_us") == 0)
            e->waiting = value;
    }
}

/* ---- what they hold --------------------------------------------------------------------------------------------- */

static struct {
    char name[TEXT_MAX];
    long count;
    double bytes;
} names[NAMES_MAX];
static int name_count;

static int name_of(const char *name)
{
    for (int i = 0; i < name_count; i++)
        if (strcmp(names[i].name, name) == 0)
            return i;
    if (name_count == NAMES_MAX)
        wrong("too many names");
    strcpy(names[name_count].name, name);
    return name_count++;
}

typedef struct span {
    double begin, end;
    int tid;
} span;
static span *spans;
static size_t span_count;

static int compare_spans(const void *left, const void *right)
{
    const span *a = left, *b = right;
    if (a->tid != b->tid)
        return a->tid < b->tid ? -1 : 1;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    return a->end > b->end ? -1 : a->end < b->end;
}

/* Times have three digits after the point, so two that are the same may differ by one of the last. */
static void check_spans(void)
{
    const double tolerance = 0.0025;
    span stack[8];
    int depth = 0;
    qsort(spans, span_count, sizeof *spans, compare_spans);
    for (size_t i = 0; i < span_count; i++) {
        while (depth > 0 &&
               (stack[depth - 1].tid != spans[i].tid || stack[depth - 1].end <= spans[i].begin + tolerance))
            depth--;
        if (depth > 0 && spans[i].end > stack[depth - 1].end + tolerance) {
            fprintf(stderr, "rank %d: a span from %.3f to %.3f us overlaps one that ends at %.3f\n", spans[i].tid,
                    spans[i].begin, spans[i].end, stack[depth - 1].end);
            exit(1);
        }
        if (depth == 8)
            wrong("spans are nested too deeply");
        stack[depth++] = spans[i];
    }
}

static double limit_us = 1e15;

static void take(const event *e)
{
    char key[2 * TEXT_MAX];
    if (!e->name[0] || !e->phase[0] || !e->has_pid)
        wrong("the event before lacks a name, a phase or a pid");
    if (strcmp(e->phase, "X") == 0) {
        if (!e->has_ts || !e->has_tid || e->ts < -0.001 || e->ts + e->dur > limit_us || e->dur < 0 ||
            e->waiting > e->dur + 0.002)
            wrong("the span before has no time, or an impossible one");
        if (span_count == SPANS_MAX)
            wrong("too many spans");
        spans[span_count++] = (span){e->ts, e->ts + e->dur, e->tid};
        int name = name_of(e->name);
        names[name].count++;
        names[name].bytes += e->bytes;
        if (e->algorithm[0]) {
            snprintf(key, sizeof key, "algorithm %.100s", e->algorithm);
            name_of(key);
        }
    } else if (strcmp(e->name, "process_name") == 0) {
        names[name_of("hosts")].count++;
    } else if (strcmp(e->name, "thread_name") == 0) {
        names[name_of("ranks")].count++;
    }
}

static int compare_names(const void *left, const void *right)
{
    return strcmp(left, right);
}

int main(int argc, char **argv)
{
    FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
    size_t room = 256 << 20;
    char *text = malloc(room), key[TEXT_MAX];
    spans = malloc(SPANS_MAX * sizeof *spans);
    if (!file || !text || !spans)
        return 2;
    if (argc > 2)
        limit_us = 1e6 * atof(argv[2]);
    text[fread(text, 1, room - 1, file)] = '\0';
    start = at = text;
    expect('{', "the file must be an object");
    for (;;) {
        string(key);
        expect(':', "a colon must be here");
        if (strcmp(key, "traceEvents") == 0) {
            expect('[', "the events must be an array");
            do {
                event e;
                memset(&e, 0, sizeof e);
                space();
                if (*at != '{')
                    wrong("an event must begin here");
                member(&e, "", -1);
                take(&e);
                space();
            } while (*at == ',' && at++);
            expect(']', "the array must end here");
        } else {
            string(key);
        }
        space();
        if (*at == '}')
            break;
        expect(',', "a comma must be here");
    }
    at++;
    space();
    if (*at)
        wrong("something follows the end");
    check_spans();
    qsort(names, (size_t)name_count, sizeof names[0], compare_names);
    for (int i = 0; i < name_count; i++)
        if (strncmp(names[i].name, "algorithm ", 10) == 0)
            puts(names[i].name);
        else if (strcmp(names[i].name, "hosts") == 0 || strcmp(names[i].name, "ranks") == 0)
            printf("%s %ld\n", names[i].name, names[i].count);
        else
            printf("%s %ld bytes %.0f\n", names[i].name, names[i].count, names[i].bytes);
    return 0;
}
