/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/tune/tune.h"

#include "base/clock.h"

#include <string.h>
#include <unistd.h>

enum { CHECK_ROUNDS = 4, CHECK_MS = 60 };

/* A rule is kept if it makes one mode faster by at least check_gain, and no mode slower by more than check_loss: what
 * lies between is noise. */
static const double check_gain = 1.05, check_loss = 0.98;

/* How many times faster a mode is with the rules, by the minimum or the median, whichever is less; 0: not compared. */
static double check_gained(const tune_run *run, const tune_subject *subject, int size, const char *mode)
{
    const bench_result *with = tune_find(run, subject, TUNE_WITH, size, mode);
    const bench_result *without = tune_find(run, subject, TUNE_WITHOUT, size, mode);
    if (!with || !without || with->minimum <= 0 || bench_result_median(with) <= 0)
        return 0;
    double by_minimum = without->minimum / with->minimum;
    double by_median = bench_result_median(without) / bench_result_median(with);
    return by_minimum < by_median ? by_minimum : by_median;
}

static int check_is_kept(const tune_run *run, const tune_subject *subject, int size)
{
    double apart = check_gained(run, subject, size, "apart"), row = check_gained(run, subject, size, "row");
    return apart >= check_loss && row >= check_loss && (apart >= check_gain || row >= check_gain);
}

int tune_has_rule(const tune_subject *subject)
{
    for (int size = 0; size < subject->size_count; size++)
        if (subject->winners[size] != TUNE_WON_BY_DEFAULT)
            return 1;
    return 0;
}

/* What is compared is what the rules choose, so nothing is forced; candidate 0 at all sizes. */
static void check_compare(tune_run *run, const char *rules)
{
    for (int round = 0; round < CHECK_ROUNDS; round++)
        for (int i = 0; i < run->subject_count; i++)
            for (int side = 0; side < 2 && tune_has_rule(&run->subjects[i]); side++) {
                int is_with = (side + round) % 2;
                if (bench_interrupts_look(&run->interrupts))
                    return;
                tune_start(run, &run->subjects[i], TUNE_WON_BY_DEFAULT, is_with ? TUNE_WITH : TUNE_WITHOUT,
                           is_with ? rules : "", CHECK_MS);
            }
}

void tune_drop_losses(tune_run *run)
{
    for (int i = 0; i < run->subject_count; i++)
        for (int size = 0; size < run->subjects[i].size_count; size++)
            if (!check_is_kept(run, &run->subjects[i], size))
                run->subjects[i].winners[size] = TUNE_WON_BY_DEFAULT;
}

void tune_check(tune_run *run)
{
    char rules[PATH_MAX];
    FILE *log = run->log;
    run->log = NULL; /* these figures are of these rules only */
    snprintf(rules, sizeof rules, "%.*s/tuned.rules", (int)sizeof rules - 16, run->places.work);
    if (tune_write(run, rules) == 0) {
        run->end_ns = cor_clock_ns();
        run->all = run->done;
        for (int i = 0; i < run->subject_count; i++)
            run->all += 2 * CHECK_ROUNDS * tune_has_rule(&run->subjects[i]);
        check_compare(run, rules);
    }
    run->log = log;
    tune_drop_losses(run);
}

void tune_print_gains(const tune_run *run, FILE *out)
{
    int count = 0;
    for (int i = 0; i < run->subject_count; i++) {
        const tune_subject *subject = &run->subjects[i];
        for (int size = 0; size < subject->size_count; size++) {
            char bytes[BENCH_NAME_MAX];
            if (subject->winners[size] == TUNE_WON_BY_DEFAULT)
                continue;
            if (count++ == 0)
                fprintf(out, "%-22s %5s %10s %26s %26s  %s\n", "", "ranks", "size", "apart, us before > after",
                        "in a row, us", "algorithm");
            bench_size_print(subject->primitive == COR_BARRIER ? 0 : run->sizes[size], bytes);
            fprintf(out, "%-22s %5d %10s %12.3f > %-11.3f %12.3f > %-11.3f  %s\n", subject->test, subject->ranks,
                    bytes, tune_time(run, subject, TUNE_WITHOUT, size, "apart"),
                    tune_time(run, subject, TUNE_WITH, size, "apart"),
                    tune_time(run, subject, TUNE_WITHOUT, size, "row"),
                    tune_time(run, subject, TUNE_WITH, size, "row"), subject->candidates[subject->winners[size]]);
        }
    }
    if (count == 0)
        fprintf(out, "The built-in rules are as good as any on this %s.\n", run->is_simulated ? "cluster" : "machine");
}
