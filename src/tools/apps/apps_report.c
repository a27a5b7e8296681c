/* SPDX-License-Identifier: Apache-2.0 */
/* What a matrix shows: for each application rates over ranks, speed-up over ranks, and Java over C. */
#include "base/output.h"
#include "tools/apps/apps_matrix.h"
#include "tools/page/page.h"

#include <string.h>

enum { REPORT_RANKS_MAX = 64 };

/* The numbers of ranks that an application has figures for, ascending. */
static int report_ranks(const apps_results *results, const apps_result *like, int ranks[REPORT_RANKS_MAX])
{
    int count = 0;
    for (int i = 0; i < results->count; i++) {
        const apps_result *row = &results->rows[i];
        int at = 0;
        if (strcmp(row->app, like->app) != 0 || strcmp(row->class_letter, like->class_letter) != 0)
            continue;
        while (at < count && ranks[at] < row->ranks)
            at++;
        if ((at < count && ranks[at] == row->ranks) || count == REPORT_RANKS_MAX)
            continue;
        memmove(ranks + at + 1, ranks + at, (size_t)(count - at) * sizeof *ranks);
        ranks[at] = row->ranks;
        count++;
    }
    return count;
}

static int report_has_system(const apps_results *results, const apps_result *like, const char *system)
{
    int ranks[REPORT_RANKS_MAX], count = report_ranks(results, like, ranks);
    for (int i = 0; i < count; i++)
        if (apps_results_best(results, like, system, ranks[i]) > 0)
            return 1;
    return 0;
}

/* The better of Java as processes and as threads, by C; 0: one of them is missing. */
static double report_java_over_c(const apps_results *results, const apps_result *like, int ranks)
{
    double c = apps_results_best(results, like, "corunna-c", ranks);
    double java = apps_results_best(results, like, "corunna-java", ranks);
    double threads = apps_results_best(results, like, "corunna-threads", ranks);
    return c > 0 ? (java > threads ? java : threads) / c : 0;
}

/* ---- on the screen ---------------------------------------------------------------------------------------------- */

static void report_print_app(const apps_results *results, const apps_result *like, FILE *out)
{
    int ranks[REPORT_RANKS_MAX], count = report_ranks(results, like, ranks);
    fprintf(out, "\n%s, class %s: Mop/s\n%8s", like->app, like->class_letter, "ranks");
    for (int s = 0; s < apps_system_count; s++)
        if (report_has_system(results, like, apps_systems[s].name))
            fprintf(out, " %15s", apps_systems[s].name);
    fputs("       java / c\n", out);
    for (int i = 0; i < count; i++) {
        double ratio = report_java_over_c(results, like, ranks[i]);
        fprintf(out, "%8d", ranks[i]);
        for (int s = 0; s < apps_system_count; s++) {
            double rate = apps_results_best(results, like, apps_systems[s].name, ranks[i]);
            if (!report_has_system(results, like, apps_systems[s].name))
                continue;
            if (rate > 0)
                fprintf(out, " %15.2f", rate);
            else
                fprintf(out, " %15s", "-");
        }
        if (ratio > 0)
            fprintf(out, " %14.2f\n", ratio);
        else
            fprintf(out, " %14s\n", "-");
    }
}

void apps_report_print(const apps_results *results, FILE *out)
{
    for (int row = 0; row < results->count; row++)
        if (apps_results_is_first(results, row))
            report_print_app(results, &results->rows[row], out);
}

/* ---- JSON ------------------------------------------------------------------------------------------------------- */

/* Names have no characters that JSON would escape: apps_results_parse lets none in. */
int apps_report_json(const apps_results *results, const char *path, char why[BENCH_WHY_MAX])
{
    cor_output output;
    cor_fault fault = {0};
    int rc = cor_output_open(&output, path, &fault);
    if (rc == COR_OK) {
        fputs("{\"results\": [\n", output.file);
        for (int i = 0; i < results->count; i++) {
            const apps_result *r = &results->rows[i];
            fprintf(output.file,
                    "  {\"app\": \"%s\", \"class\": \"%s\", \"ranks\": %d, \"system\": \"%s\", \"round\": %d, "
                    "\"seconds\": %.3f, \"mops\": %.6g, \"verified\": %s}%s\n",
                    r->app, r->class_letter, r->ranks, r->system, r->round, r->seconds, r->rate,
                    r->is_verified ? "true" : "false", i + 1 < results->count ? "," : "");
        }
        fputs("]}\n", output.file);
        rc = cor_output_commit(&output, &fault);
    }
    if (rc != COR_OK)
        snprintf(why, BENCH_WHY_MAX, "%s", fault.text);
    return rc == COR_OK;
}

/* ---- the page --------------------------------------------------------------------------------------------------- */

/* Rates, or rates by that of one rank, which systems without one do not have. */
static void report_chart(cor_page *page, const apps_results *results, const apps_result *like, int is_speed_up)
{
    int ranks[REPORT_RANKS_MAX], count = report_ranks(results, like, ranks);
    char title[128];
    snprintf(title, sizeof title, "%s, class %s: %s", like->app, like->class_letter,
             is_speed_up ? "speed-up over one rank" : "rate");
    cor_page_axes axes = {.title = title,
                          .x_label = "ranks",
                          .y_label = is_speed_up ? "times" : "Mop/s",
                          .x = COR_PAGE_LOG2,
                          .y = COR_PAGE_LINEAR};
    cor_page_chart(page, &axes);
    for (int s = 0; s < apps_system_count; s++) {
        const char *system = apps_systems[s].name;
        double one = apps_results_best(results, like, system, 1);
        if (!report_has_system(results, like, system) || (is_speed_up && one <= 0))
            continue;
        cor_page_curve(page, apps_systems[s].title, COR_PAGE_LINE, s);
        for (int i = 0; i < count; i++) {
            double rate = apps_results_best(results, like, system, ranks[i]);
            if (rate > 0)
                cor_page_point(page, ranks[i], is_speed_up ? rate / one : rate, NULL);
        }
    }
}

static void report_ratios(cor_page *page, const apps_results *results)
{
    static const char *const columns[] = {"application", "class", "ranks", "Java / C"};
    cor_page_table(page, "Java over C, both on Corunna", columns, 4);
    for (int row = 0; row < results->count; row++) {
        const apps_result *like = &results->rows[row];
        int ranks[REPORT_RANKS_MAX], count = report_ranks(results, like, ranks);
        for (int i = 0; apps_results_is_first(results, row) && i < count; i++) {
            double ratio = report_java_over_c(results, like, ranks[i]);
            char number[16], value[16];
            snprintf(number, sizeof number, "%d", ranks[i]);
            snprintf(value, sizeof value, "%.2f", ratio);
            if (ratio > 0)
                cor_page_row(page, (const char *const[]){like->app, like->class_letter, number, value});
        }
    }
}

int apps_report_html(const apps_results *results, const char *path, char why[BENCH_WHY_MAX])
{
    cor_fault fault = {0};
    cor_page *page = cor_page_create("Corunna: applications");
    if (!page) {
        snprintf(why, BENCH_WHY_MAX, "out of memory");
        return 0;
    }
    for (int row = 0; row < results->count; row++)
        if (apps_results_is_first(results, row)) {
            char heading[64];
            snprintf(heading, sizeof heading, "%s, class %s", results->rows[row].app, results->rows[row].class_letter);
            cor_page_heading(page, heading);
            report_chart(page, results, &results->rows[row], 0);
            if (apps_results_best(results, &results->rows[row], "corunna-java", 1) > 0 ||
                apps_results_best(results, &results->rows[row], "corunna-threads", 1) > 0 ||
                apps_results_best(results, &results->rows[row], "corunna-c", 1) > 0)
                report_chart(page, results, &results->rows[row], 1);
        }
    report_ratios(page, results);
    int rc = cor_page_write(page, path, &fault);
    cor_page_destroy(page);
    if (rc != COR_OK)
        snprintf(why, BENCH_WHY_MAX, "%s", fault.text);
    return rc == COR_OK;
}
