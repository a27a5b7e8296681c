/* SPDX-License-Identifier: Apache-2.0 */
/* The tables on the screen: one for each test, type, mode and number of ranks, a line for each size. */
#include "tools/bench/bench.h"

#include <stdlib.h>
#include <string.h>

double bench_shown_value(const bench_result *result, const char **unit_p)
{
    const bench_test *test = bench_test_find(result->test);
    double us = result->minimum;
    *unit_p = result->unit;
    if (!test || strcmp(result->unit, "us") != 0)
        return us;
    if (test->shown == BENCH_BANDWIDTH && us > 0) {
        *unit_p = "GB/s";
        return (double)result->bytes / us / 1e3;
    }
    if (test->shown == BENCH_RATE && us > 0) {
        *unit_p = "M/s";
        return 1 / us;
    }
    return us;
}

void bench_size_print(long bytes, char out[BENCH_NAME_MAX])
{
    if (bytes >= 1048576 && bytes % 1048576 == 0)
        snprintf(out, BENCH_NAME_MAX, "%ld MiB", bytes / 1048576);
    else if (bytes >= 1024 && bytes % 1024 == 0)
        snprintf(out, BENCH_NAME_MAX, "%ld KiB", bytes / 1024);
    else
        snprintf(out, BENCH_NAME_MAX, "%ld", bytes);
}

static int table_is_first(const bench_results *results, int row,
                          int (*is_alike)(const bench_result *, const bench_result *))
{
    for (int i = 0; i < row; i++)
        if (is_alike(&results->rows[i], &results->rows[row]))
            return 0;
    return 1;
}

static void table_figure(double value, char out[BENCH_NAME_MAX])
{
    snprintf(out, BENCH_NAME_MAX, value < 10 ? "%.3f" : value < 1000 ? "%.2f" : "%.0f", value);
}

/* ---- ratios ----------------------------------------------------------------------------------------------------- */

/* The smallest time of ours or of the others in a language; 0: there is none. */
static double table_best(const bench_report *report, const bench_result *like, int is_ours, int is_java)
{
    double best = 0;
    for (int i = 0; i < report->system_count; i++) {
        const bench_system *system = report->systems[i];
        const bench_result *result = bench_results_find(report->results, system, like);
        int counts = is_ours ? system->is_ours && system->is_java == is_java : bench_system_is_peer(system, is_java);
        if (result && counts && (best == 0 || result->minimum < best))
            best = result->minimum;
    }
    return best;
}

static void table_ratio(double ours, double others, FILE *out)
{
    if (ours > 0 && others > 0)
        fprintf(out, " %9.2f", ours / others);
    else
        fprintf(out, " %9s", "-");
}

typedef struct table_columns {
    int has_c_peers, has_java_peers, has_both;
} table_columns;

static table_columns table_columns_of(const bench_report *report)
{
    table_columns columns = {0};
    int has_c = 0, has_java = 0;
    for (int i = 0; i < report->system_count; i++) {
        const bench_system *system = report->systems[i];
        columns.has_c_peers |= bench_system_is_peer(system, 0);
        columns.has_java_peers |= bench_system_is_peer(system, 1);
        has_c |= system->is_ours && !system->is_java;
        has_java |= system->is_ours && system->is_java;
    }
    columns.has_both = has_c && has_java;
    return columns;
}

/* ---- one table -------------------------------------------------------------------------------------------------- */

static void table_head(const bench_report *report, const bench_result *first, const table_columns *columns, FILE *out)
{
    const char *unit;
    bench_shown_value(first, &unit);
    fprintf(out, "\n%s, %d ranks%s%s%s%s%s%s (%s)\n%12s", first->test, first->ranks, *first->type ? ", " : "",
            first->type, *first->mode ? ", " : "", first->mode, *first->variant ? ", " : "", first->variant, unit,
            "size");
    for (int i = 0; i < report->system_count; i++)
        fprintf(out, " %12s", report->systems[i]->title);
    if (columns->has_c_peers)
        fprintf(out, " %9s", "C ratio");
    if (columns->has_java_peers)
        fprintf(out, " %9s", "J ratio");
    if (columns->has_both)
        fprintf(out, " %9s", "Java/C");
    fprintf(out, " %7s\n", "spread");
}

/* A median of twice the minimum: something else took its share of the CPUs, or of the network. */
static int table_is_unsteady(double spread)
{
    return spread >= 1;
}

/* Returns 1 if it is unsteady. */
static int table_line(const bench_report *report, const bench_result *like, const table_columns *columns, FILE *out)
{
    char text[BENCH_NAME_MAX];
    double spread = 0;
    bench_size_print(like->bytes, text);
    fprintf(out, "%12s", text);
    for (int i = 0; i < report->system_count; i++) {
        const bench_result *result = bench_results_find(report->results, report->systems[i], like);
        const char *unit;
        if (result)
            table_figure(bench_shown_value(result, &unit), text);
        fprintf(out, " %12s", result ? text : "-");
        if (result && bench_result_spread(result) > spread)
            spread = bench_result_spread(result);
    }
    double ours_c = table_best(report, like, 1, 0), ours_java = table_best(report, like, 1, 1);
    if (columns->has_c_peers)
        table_ratio(ours_c, table_best(report, like, 0, 0), out);
    if (columns->has_java_peers)
        table_ratio(ours_java, table_best(report, like, 0, 1), out);
    if (columns->has_both)
        table_ratio(ours_java, ours_c, out);
    fprintf(out, " %6.0f%%%s\n", 100 * spread, table_is_unsteady(spread) ? "  unsteady" : "");
    return table_is_unsteady(spread);
}

static int table_is_same_line(const bench_result *a, const bench_result *b)
{
    return bench_result_is_of_table(a, b) && a->bytes == b->bytes;
}

void bench_table_print(const bench_report *report, FILE *out)
{
    const bench_results *results = report->results;
    table_columns columns = table_columns_of(report);
    int unsteady = 0;
    fprintf(out, "%s\n%s\n", report->machine, report->measured);
    for (int first = 0; first < results->count; first++) {
        if (!table_is_first(results, first, bench_result_is_of_table) || bench_results_are_empty(results, first))
            continue;
        table_head(report, &results->rows[first], &columns, out);
        for (int row = first; row < results->count; row++)
            if (bench_result_is_of_table(&results->rows[first], &results->rows[row]) &&
                table_is_first(results, row, table_is_same_line))
                unsteady += table_line(report, &results->rows[row], &columns, out);
    }
    if (columns.has_c_peers || columns.has_java_peers)
        fputs("\nratio: our time divided by the better peer's of the same language; below 1 we are faster\n", out);
    if (unsteady > 0)
        fprintf(out,
                "\nunsteady: a median of twice the minimum or more, in %d line%s; something else was running, or "
                "there are "
                "more ranks than CPUs\n",
                unsteady, unsteady == 1 ? "" : "s");
    for (int i = 0; i < report->note_count; i++)
        fprintf(out, "note: %s\n", report->notes[i]);
}
