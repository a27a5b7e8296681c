/* SPDX-License-Identifier: Apache-2.0 */
/* The figures as one page: for each test a chart of times over sizes, and where it says something one of bandwidths. */
#include "tools/bench/bench.h"

#include "tools/page/page.h"

#include <string.h>

static int page_is_first(const bench_results *results, int row)
{
    for (int i = 0; i < row; i++)
        if (bench_result_is_of_table(&results->rows[i], &results->rows[row]))
            return 0;
    return 1;
}

/* More than one size, all of them bytes. */
static int page_is_curve(const bench_results *results, int first)
{
    int sizes = 0;
    const bench_result *like = &results->rows[first];
    for (int row = first; row < results->count; row++)
        sizes += bench_result_is_of_table(&results->rows[row], like) && results->rows[row].system == like->system &&
                 results->rows[row].bytes > 0;
    return sizes > 1;
}

static void page_title(const bench_result *like, char *out, size_t room)
{
    snprintf(out, room, "%s, %d ranks%s%s%s%s%s%s", like->test, like->ranks, *like->type ? ", " : "", like->type,
             *like->mode ? ", " : "", like->mode, *like->variant ? ", " : "", like->variant);
}

/* A curve for each library. */
static void page_curves(cor_page *page, const bench_report *report, int first, int is_bandwidth)
{
    const bench_results *results = report->results;
    for (int i = 0; i < report->system_count; i++) {
        int has_begun = 0;
        for (int row = 0; row < results->count; row++) {
            const bench_result *result = &results->rows[row];
            char note[64];
            if (result->system != report->systems[i] || !bench_result_is_of_table(result, &results->rows[first]) ||
                result->bytes == 0)
                continue;
            if (!has_begun++)
                cor_page_curve(page, report->systems[i]->title, COR_PAGE_LINE, i);
            snprintf(note, sizeof note, "median %.4g, %d samples", bench_result_median(result), result->samples);
            cor_page_point(page, (double)result->bytes,
                           is_bandwidth ? (double)result->bytes / result->minimum / 1e3 : result->minimum, note);
        }
    }
}

static void page_chart(cor_page *page, const bench_report *report, int first, int is_bandwidth)
{
    const bench_result *like = &report->results->rows[first];
    char title[256];
    page_title(like, title, sizeof title);
    cor_page_axes axes = {.title = title,
                          .x_label = "bytes",
                          .y_label = is_bandwidth ? "GB/s" : like->unit,
                          .x = COR_PAGE_LOG2,
                          .y = COR_PAGE_LOG10};
    cor_page_chart(page, &axes);
    page_curves(page, report, first, is_bandwidth);
}

/* What has one size only, as the start of a job. */
static void page_singles(cor_page *page, const bench_report *report)
{
    static const char *const columns[] = {"test", "library", "value", "unit"};
    const bench_results *results = report->results;
    int has_begun = 0;
    for (int row = 0; row < results->count; row++) {
        const bench_result *result = &results->rows[row];
        char title[256], size[BENCH_NAME_MAX] = "", what[320], value[32];
        if (page_is_curve(results, row) || bench_results_are_empty(results, row))
            continue;
        if (!has_begun++)
            cor_page_table(page, "Single figures", columns, 4);
        page_title(result, title, sizeof title);
        if (result->bytes > 0)
            bench_size_print(result->bytes, size);
        snprintf(what, sizeof what, "%s%s%s", title, *size ? ", " : "", size);
        snprintf(value, sizeof value, "%.4g", result->minimum);
        cor_page_row(page, (const char *const[]){what, result->system->title, value, result->unit});
    }
}

int bench_file_html(const bench_report *report, const char *path, char why[BENCH_WHY_MAX])
{
    const bench_results *results = report->results;
    cor_fault fault = {0};
    cor_page *page = cor_page_create("corunna bench");
    if (!page) {
        snprintf(why, BENCH_WHY_MAX, "out of memory");
        return 0;
    }
    cor_page_text(page, report->machine);
    cor_page_text(page, report->measured);
    for (int row = 0; row < results->count; row++) {
        if (!page_is_first(results, row) || !page_is_curve(results, row) || bench_results_are_empty(results, row))
            continue;
        page_chart(page, report, row, 0);
        if (strcmp(results->rows[row].unit, "us") == 0)
            page_chart(page, report, row, 1);
    }
    page_singles(page, report);
    for (int i = 0; i < report->note_count; i++)
        cor_page_text(page, report->notes[i]);
    int rc = cor_page_write(page, path, &fault);
    if (rc != COR_OK)
        snprintf(why, BENCH_WHY_MAX, "%s", fault.text);
    cor_page_destroy(page);
    return rc == COR_OK;
}
