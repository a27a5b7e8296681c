/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of all rounds. */
#include "tools/bench/bench.h"

#include <stdlib.h>
#include <string.h>

int bench_result_is_of_table(const bench_result *a, const bench_result *b)
{
    return a->ranks == b->ranks && strcmp(a->test, b->test) == 0 && strcmp(a->type, b->type) == 0 &&
           strcmp(a->mode, b->mode) == 0 && strcmp(a->variant, b->variant) == 0;
}

static int result_is_alike(const bench_result *a, const bench_result *b)
{
    return a->bytes == b->bytes && bench_result_is_of_table(a, b);
}

int bench_results_are_empty(const bench_results *results, int first)
{
    for (int row = 0; row < results->count; row++)
        if (bench_result_is_of_table(&results->rows[first], &results->rows[row]) &&
            results->rows[row].minimum >= 0.001)
            return 0;
    return 1;
}

static bench_result *results_find(const bench_results *results, const bench_system *system, const bench_result *like)
{
    for (int i = 0; i < results->count; i++)
        if (results->rows[i].system == system && result_is_alike(&results->rows[i], like))
            return &results->rows[i];
    return NULL;
}

const bench_result *bench_results_find(const bench_results *results, const bench_system *system,
                                       const bench_result *like)
{
    return results_find(results, system, like);
}

static bench_result *results_append(bench_results *results, const bench_result *result)
{
    if (results->count == results->room) {
        int room = results->room ? 2 * results->room : 256;
        bench_result *rows = realloc(results->rows, (size_t)room * sizeof *rows);
        if (!rows)
            return NULL;
        results->rows = rows;
        results->room = room;
    }
    results->rows[results->count] = *result;
    return &results->rows[results->count++];
}

/* The next column of a line; NULL at its end. */
static char *result_column(char **line_p)
{
    char *column = *line_p, *end = column ? strchr(column, '\t') : NULL;
    if (end)
        *end++ = '\0';
    *line_p = end;
    return column;
}

/* test, type, mode, size, unit, minimum, median, samples */
static int result_parse(bench_result *result, double *median_p, char *line)
{
    char *columns[8];
    char *end = NULL;
    for (int i = 0; i < 8; i++)
        if (!(columns[i] = result_column(&line)))
            return 0;
    snprintf(result->test, sizeof result->test, "%s", columns[0]);
    snprintf(result->type, sizeof result->type, "%s", columns[1]);
    snprintf(result->mode, sizeof result->mode, "%s", columns[2]);
    result->bytes = strtol(columns[3], &end, 10);
    if (line || end == columns[3] || *end || result->bytes < 0)
        return 0;
    snprintf(result->unit, sizeof result->unit, "%s", columns[4]);
    result->minimum = strtod(columns[5], &end);
    if (end == columns[5] || *end)
        return 0;
    *median_p = strtod(columns[6], &end);
    if (end == columns[6] || *end)
        return 0;
    result->samples = atoi(columns[7]);
    return result->samples > 0;
}

int bench_results_add(bench_results *results, const bench_system *system, int ranks, const char *variant, char *line)
{
    bench_result parsed = {.system = system, .ranks = ranks};
    double median = 0;
    snprintf(parsed.variant, sizeof parsed.variant, "%s", variant);
    if (!result_parse(&parsed, &median, line))
        return 0;
    bench_result *result = results_find(results, system, &parsed);
    if (!result)
        result = results_append(results, &parsed);
    else
        result->samples += parsed.samples;
    if (!result)
        return 0;
    if (parsed.minimum < result->minimum)
        result->minimum = parsed.minimum;
    if (result->rounds < BENCH_LIST_MAX) {
        int at = result->rounds++;
        for (; at > 0 && result->medians[at - 1] > median; at--)
            result->medians[at] = result->medians[at - 1];
        result->medians[at] = median;
    }
    return 1;
}

double bench_result_median(const bench_result *result)
{
    return result->rounds > 0 ? result->medians[result->rounds / 2] : result->minimum;
}

double bench_result_spread(const bench_result *result)
{
    return result->minimum > 0 ? bench_result_median(result) / result->minimum - 1 : 0;
}

void bench_results_free(bench_results *results)
{
    free(results->rows);
    *results = (bench_results){0};
}
