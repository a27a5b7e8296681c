/* SPDX-License-Identifier: Apache-2.0 */
/* Before and after, as a page: a chart for each collective and number of ranks that has a rule, and for the settings of
 * a device. */
#include "tools/tune/tune.h"

#include "base/machine.h"
#include "tools/page/page.h"

#include <string.h>

static void page_curve_of(cor_page *page, const tune_run *run, const tune_subject *subject, const char *variant,
                          const char *mode, int colour)
{
    char name[BENCH_NAME_MAX];
    snprintf(name, sizeof name, "%s, %s", strcmp(variant, TUNE_WITH) == 0 ? "after" : "before",
             strcmp(mode, "row") == 0 ? "in a row" : "apart");
    cor_page_curve(page, name, strcmp(mode, "row") == 0 ? COR_PAGE_DASHED : COR_PAGE_LINE, colour);
    for (int size = 0; size < subject->size_count; size++) {
        const char *algorithm = subject->candidates[subject->winners[size]];
        double us = tune_time(run, subject, variant, size, mode);
        if (us > 0)
            cor_page_point(page, (double)run->sizes[size], us, colour == 0 || !*algorithm ? "as it is" : algorithm);
    }
}

static void page_subject(cor_page *page, const tune_run *run, const tune_subject *subject)
{
    static const char *const modes[] = {"apart", "row"};
    char title[2 * BENCH_NAME_MAX];
    snprintf(title, sizeof title, "%s, %d ranks", subject->test, subject->ranks);
    cor_page_axes axes = {
        .title = title, .x_label = "bytes", .y_label = "us", .x = COR_PAGE_LOG2, .y = COR_PAGE_LOG10};
    cor_page_chart(page, &axes);
    for (int i = 0; i < 2; i++) {
        page_curve_of(page, run, subject, TUNE_WITHOUT, modes[i], 0);
        page_curve_of(page, run, subject, TUNE_WITH, modes[i], 1);
    }
}

static void page_rules(cor_page *page, const tune_run *run)
{
    static const char *const columns[] = {
        "collective",      "ranks",           "size",          "algorithm", "apart, us before",
        "apart, us after", "in a row before", "in a row after"};
    cor_page_table(page, "Rules", columns, 8);
    for (int i = 0; i < run->subject_count; i++) {
        const tune_subject *subject = &run->subjects[i];
        for (int size = 0; size < subject->size_count; size++) {
            char ranks[16], bytes[BENCH_NAME_MAX], times[4][24];
            if (subject->winners[size] == TUNE_WON_BY_DEFAULT)
                continue;
            snprintf(ranks, sizeof ranks, "%d", subject->ranks);
            bench_size_print(subject->primitive == COR_BARRIER ? 0 : run->sizes[size], bytes);
            for (int k = 0; k < 4; k++)
                snprintf(times[k], sizeof times[k], "%.3f",
                         tune_time(run, subject, k % 2 ? TUNE_WITH : TUNE_WITHOUT, size, k < 2 ? "apart" : "row"));
            cor_page_row(page, (const char *const[]){subject->test, ranks, bytes,
                                                     subject->candidates[subject->winners[size]], times[0], times[1],
                                                     times[2], times[3]});
        }
    }
}

/* One side of one test of a device's settings. */
typedef struct page_side {
    cor_page *page;
    const char *test;
    int is_after;
} page_side;

static void page_settings_point(void *context, const char *test, long bytes, double before_us, double after_us)
{
    const page_side *side = context;
    if (strcmp(test, side->test) == 0)
        cor_page_point(side->page, (double)bytes, side->is_after ? after_us : before_us, NULL);
}

static void page_settings(cor_page *page, const tune_run *run, int device)
{
    static const char *const tests[] = {"pingpong", "stream"};
    for (int i = 0; i < 2; i++) {
        char title[TUNE_SETTINGS_MAX + BENCH_NAME_MAX];
        snprintf(title, sizeof title, "%s, %s", tests[i], run->devices[device].settings);
        cor_page_axes axes = {
            .title = title, .x_label = "bytes", .y_label = "us", .x = COR_PAGE_LOG2, .y = COR_PAGE_LOG10};
        cor_page_chart(page, &axes);
        for (int is_after = 0; is_after < 2; is_after++) {
            page_side side = {page, tests[i], is_after};
            cor_page_curve(page, is_after ? "after" : "before", COR_PAGE_LINE, is_after);
            tune_settings_each(run, device, page_settings_point, &side);
        }
    }
}

int tune_page_write(const tune_run *run, const char *path)
{
    char machine[COR_MACHINE_MAX];
    cor_fault fault = {0};
    int count = 0;
    cor_page *page = cor_page_create("corunna tune");
    if (!page) {
        fputs("corunna tune: out of memory\n", stderr);
        return -1;
    }
    cor_machine_print(machine);
    if (run->is_simulated)
        cor_sim_spec_describe(&run->cluster, run->ranks[run->rank_count - 1], machine, sizeof machine);
    cor_page_text(page, machine);
    for (int i = 0; i < TUNE_DEVICES; i++)
        if (*run->devices[i].settings) {
            page_settings(page, run, i);
            count++;
        }
    for (int i = 0; i < run->subject_count; i++)
        if (tune_has_rule(&run->subjects[i])) {
            if (run->subjects[i].size_count > 1)
                page_subject(page, run, &run->subjects[i]);
            count++;
        }
    if (count > 0)
        page_rules(page, run);
    else
        cor_page_text(page, "The built-in rules and the default settings are as good as any on this machine.");
    int rc = cor_page_write(page, path, &fault);
    cor_page_destroy(page);
    if (rc == COR_OK)
        return 0;
    fprintf(stderr, "corunna tune: %s\n", fault.text);
    return -1;
}
