/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Targets: what a project asks of its own figures, judged after a run. A file of lines, # begins a comment:
 *
 *   name | ours | against | how | limit
 *
 *   ours      system test type mode ranks sizes [device], as in: corunna pingpong byte - 2 8,1k tcpdev
 *             A test may be a list with commas, or `collectives`; sizes a list, a range like 1-4095, or *; -: none.
 *   against   best: the better peer of the same language. Else a system, and a test if it is another one.
 *   how       worst or mean (geometric) of our time divided by the other's, over all rows that match
 *   limit     at most this. -: only show what was reached
 */
#define _GNU_SOURCE
#include "tools/bench/bench.h"

#include "base/knob.h"
#include "base/lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TARGET_FIELDS = 5, TARGET_WORDS = 7, TARGET_BYTES = 1 << 20 };

typedef struct target {
    char name[128];
    const bench_system *ours;
    char tests[128], type[BENCH_NAME_MAX], mode[BENCH_NAME_MAX], sizes[64], device[BENCH_NAME_MAX];
    int ranks;
    const bench_system *against;     /* NULL: the better peer */
    char other_test[BENCH_NAME_MAX]; /* "": the same */
    int is_mean;
    double limit; /* 0: none */
} target;

/* ---- reading ---------------------------------------------------------------------------------------------------- */

static char *target_trim(char *text)
{
    text += strspn(text, " \t");
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t\r\n", text[length - 1]))
        text[--length] = '\0';
    return text;
}

static void target_word(const char *word, char *out, size_t room)
{
    snprintf(out, room, "%s", strcmp(word, "-") == 0 ? "" : word);
}

static const char *target_parse_ours(target *t, char *text)
{
    char *words[TARGET_WORDS] = {[TARGET_WORDS - 1] = "-"};
    char *rest = NULL, *word = strtok_r(text, " \t", &rest);
    int count = 0;
    for (; word && count < TARGET_WORDS; word = strtok_r(NULL, " \t", &rest))
        words[count++] = word;
    if (count < TARGET_WORDS - 1 || word)
        return "the second field has six words, and perhaps a device: system test type mode ranks sizes";
    if (!(t->ours = bench_system_find(words[0])))
        return "the second field begins with the name of a system";
    target_word(words[1], t->tests, sizeof t->tests);
    target_word(words[2], t->type, sizeof t->type);
    target_word(words[3], t->mode, sizeof t->mode);
    t->ranks = atoi(words[4]);
    target_word(words[5], t->sizes, sizeof t->sizes);
    target_word(words[6], t->device, sizeof t->device);
    return t->ranks < 2 ? "the number of ranks is at least 2" : NULL;
}

static const char *target_parse(target *t, char *line)
{
    char *fields[TARGET_FIELDS];
    char *at = line, *end = NULL;
    for (int i = 0; i < TARGET_FIELDS; i++) {
        if (!at)
            return "a target has five fields with | between";
        fields[i] = strsep(&at, "|");
        fields[i] = target_trim(fields[i]);
    }
    snprintf(t->name, sizeof t->name, "%s", fields[0]);
    char *other_test = fields[2];
    const char *against = strsep(&other_test, " ");
    snprintf(t->other_test, sizeof t->other_test, "%s", other_test ? target_trim(other_test) : "");
    t->against = bench_system_find(against);
    if (!t->against && strcmp(against, "best") != 0)
        return "the third field is `best` or the name of a system";
    t->is_mean = strcmp(fields[3], "mean") == 0;
    if (!t->is_mean && strcmp(fields[3], "worst") != 0)
        return "the fourth field is worst or mean";
    t->limit = strcmp(fields[4], "-") == 0 ? 0 : strtod(fields[4], &end);
    if (end && (*end || !(t->limit > 0)))
        return "the limit is a number above 0, or -";
    return at ? "a target has five fields with | between" : target_parse_ours(t, fields[1]);
}

/* ---- judging ---------------------------------------------------------------------------------------------------- */

static int target_has_test(const target *t, const char *name)
{
    const bench_test *test = bench_test_find(name);
    if (strcmp(t->tests, "collectives") == 0)
        return test && strncmp(test->modes, "apart", 5) == 0;
    const char *names = t->tests;
    char one[BENCH_NAME_MAX];
    while (bench_list_next(&names, one))
        if (strcmp(one, name) == 0)
            return 1;
    return 0;
}

static int target_has_size(const target *t, long bytes)
{
    long first = 0, last = 0;
    if (strcmp(t->sizes, "*") == 0 || !*t->sizes)
        return 1;
    if (sscanf(t->sizes, "%ld-%ld", &first, &last) == 2)
        return bytes >= first && bytes <= last;
    const char *sizes = t->sizes;
    char one[BENCH_NAME_MAX];
    while (bench_list_next(&sizes, one)) {
        size_t size = 0;
        if (cor_knob_parse_size(one, &size) && (long)size == bytes)
            return 1;
    }
    return 0;
}

static int target_has(const target *t, const bench_result *result)
{
    return result->system == t->ours && result->ranks == t->ranks && strcmp(result->type, t->type) == 0 &&
           strcmp(result->mode, t->mode) == 0 && strcmp(result->variant, t->device) == 0 &&
           target_has_test(t, result->test) && target_has_size(t, result->bytes);
}

/* The other's time; 0: there is none. */
static double target_other(const target *t, const bench_report *report, const bench_result *ours)
{
    double best = 0;
    bench_result like = *ours;
    if (*t->other_test)
        snprintf(like.test, sizeof like.test, "%s", t->other_test);
    for (int i = 0; i < report->system_count; i++) {
        const bench_system *system = report->systems[i];
        int counts = t->against ? system == t->against : bench_system_is_peer(system, ours->system->is_java);
        const bench_result *other = counts ? bench_results_find(report->results, system, &like) : NULL;
        if (other && other->minimum > 0 && (best == 0 || other->minimum < best))
            best = other->minimum;
    }
    return best;
}

static void target_judge(const target *t, const bench_report *report, FILE *out)
{
    double worst = 0, logs = 0;
    int rows = 0, lacking = 0;
    const bench_result *where = NULL;
    for (int i = 0; i < report->results->count; i++) {
        const bench_result *ours = &report->results->rows[i];
        if (!target_has(t, ours))
            continue;
        double other = target_other(t, report, ours), ratio = other > 0 ? ours->minimum / other : 0;
        rows++;
        lacking += other <= 0;
        logs += other > 0 ? log(ratio) : 0;
        if (ratio > worst) {
            worst = ratio;
            where = ours;
        }
    }
    double reached = t->is_mean && rows > lacking ? exp(logs / (rows - lacking)) : worst;
    char size[BENCH_NAME_MAX] = "";
    if (where)
        bench_size_print(where->bytes, size);
    /* A row that lacks a figure cannot help to meet a target. */
    const char *verdict = !where               ? "not measured"
                          : t->limit == 0      ? "-"
                          : reached > t->limit ? "missed"
                          : lacking            ? "incomplete"
                                               : "met";
    if (where)
        fprintf(out, "  %-12s %7.3f", verdict, reached);
    else
        fprintf(out, "  %-12s %7s", verdict, "-");
    if (t->limit > 0)
        fprintf(out, "  at most %-6.3g", t->limit);
    else
        fprintf(out, "  %-14s", "");
    fprintf(out, " %s (%s of %d", t->name, t->is_mean ? "mean" : "worst", rows);
    if (where)
        fprintf(out, "; worst %s %s", where->test, size);
    fputs(")\n", out);
}

/* 1; or 0 and why. Without a report the line is checked alone. */
static int target_line(char *line, int number, const char *path, const bench_report *report, FILE *out,
                       char why[BENCH_WHY_MAX])
{
    target t = {0};
    line[strcspn(line, "#\r")] = '\0';
    if (!*target_trim(line))
        return 1;
    const char *fault = target_parse(&t, line);
    if (fault)
        snprintf(why, BENCH_WHY_MAX, "%.300s, line %d: %s", path, number, fault);
    else if (report)
        target_judge(&t, report, out);
    return !fault;
}

static int targets_read(const bench_report *report, const char *path, FILE *out, char why[BENCH_WHY_MAX])
{
    cor_lines lines;
    cor_fault fault = {0};
    int is_fine = 1, more = cor_lines_open(&lines, path, TARGET_BYTES, &fault);
    if (more == COR_OK) {
        if (report)
            fputs("\ntargets: our time divided by the other's\n", out);
        while (is_fine && (more = cor_lines_next(&lines, &fault)) == 1)
            is_fine = target_line(lines.text, lines.number, path, report, out, why);
        cor_lines_close(&lines);
    }
    if (more < 0)
        snprintf(why, BENCH_WHY_MAX, "%s", fault.text);
    return is_fine && more >= 0;
}

int bench_targets_check(const char *path, char why[BENCH_WHY_MAX])
{
    return targets_read(NULL, path, NULL, why);
}

int bench_targets_print(const bench_report *report, const char *path, FILE *out, char why[BENCH_WHY_MAX])
{
    return targets_read(report, path, out, why);
}
