#include "tools/tune/tune.h"

#include "base/machine.h"
#include "base/output.h"

#include <math.h>
#include <time.h>

/* So much better than the library's own choice must a candidate be. */
static const double choose_gain = 1.05;

static double choose_best(const tune_run *run, const tune_subject *subject, int size, const char *mode)
{
    double best = 0;
    for (int candidate = 0; candidate < subject->candidate_count; candidate++) {
        double time = tune_time(run, subject, subject->candidates[candidate], size, mode);
        if (time > 0 && (best == 0 || time < best))
            best = time;
    }
    return best;
}

double tune_score(const tune_run *run, const tune_subject *subject, int candidate, int size)
{
    double apart = tune_time(run, subject, subject->candidates[candidate], size, "apart");
    double row = tune_time(run, subject, subject->candidates[candidate], size, "row");
    if (apart <= 0 || row <= 0)
        return 0;
    apart /= choose_best(run, subject, size, "apart");
    row /= choose_best(run, subject, size, "row");
    return apart > row ? apart : row;
}

void tune_choose(tune_run *run)
{
    for (int i = 0; i < run->subject_count; i++) {
        tune_subject *subject = &run->subjects[i];
        for (int size = 0; size < subject->size_count; size++) {
            double own = tune_score(run, subject, TUNE_WON_BY_DEFAULT, size), best = own / choose_gain;
            subject->winners[size] = TUNE_WON_BY_DEFAULT;
            for (int candidate = 1; candidate < subject->candidate_count; candidate++) {
                double score = tune_score(run, subject, candidate, size);
                if (score > 0 && score < best) {
                    best = score;
                    subject->winners[size] = candidate;
                }
            }
        }
    }
}

/* ---- rules ------------------------------------------------------------------------------------------------------ */

/* Between two measured numbers of ranks the rule of the nearer one holds, as a ratio; beyond the last none. */
static void choose_print_ranks(const tune_run *run, int ranks, FILE *out)
{
    for (int i = 0; i < run->rank_count; i++) {
        if (run->ranks[i] != ranks)
            continue;
        if (i > 0)
            fprintf(out, " ranks>%d", (int)sqrt((double)run->ranks[i - 1] * ranks));
        fprintf(out, " ranks<=%d", i + 1 < run->rank_count ? (int)sqrt((double)ranks * run->ranks[i + 1]) : ranks);
    }
    fputs(ranks > run->cpus ? " oversubscribed" : " !oversubscribed", out);
}

static long choose_between(const tune_run *run, int size)
{
    return (long)sqrt((double)run->sizes[size] * (double)run->sizes[size + 1]);
}

static void choose_print_rule(const tune_run *run, const tune_subject *subject, int first, int last, FILE *out)
{
    fprintf(out, "%s blocking one_node", subject->test);
    choose_print_ranks(run, subject->ranks, out);
    if (first > 0)
        fprintf(out, " bytes>%ld", choose_between(run, first - 1));
    if (subject->primitive != COR_BARRIER)
        fprintf(out, " bytes<=%ld", last + 1 < subject->size_count ? choose_between(run, last) : 2 * run->sizes[last]);
    fprintf(out, " %s\n", subject->candidates[subject->winners[first]]);
}

int tune_print_rules(const tune_run *run, FILE *out)
{
    int count = 0;
    for (int i = 0; i < run->subject_count; i++) {
        const tune_subject *subject = &run->subjects[i];
        for (int first = 0, last; first < subject->size_count; first = last + 1) {
            last = first;
            while (last + 1 < subject->size_count && subject->winners[last + 1] == subject->winners[first])
                last++;
            if (subject->winners[first] == TUNE_WON_BY_DEFAULT)
                continue;
            choose_print_rule(run, subject, first, last, out);
            count++;
        }
    }
    return count;
}

static void choose_print_file(const tune_run *run, FILE *out)
{
    char machine[COR_MACHINE_MAX], when[32] = "";
    time_t now = time(NULL);
    struct tm parts;
    cor_machine_print(machine);
    if (gmtime_r(&now, &parts))
        strftime(when, sizeof when, "%Y-%m-%d", &parts);
    fprintf(out, "# Written by corunna tune on %s, Corunna " COR_VERSION ". The built-in rules follow after these.\n",
            when);
    fprintf(out, COR_MACHINE_LINE "%s\n", machine);
    tune_print_rules(run, out);
}

int tune_write(const tune_run *run, const char *path)
{
    cor_output output;
    cor_fault fault = {0};
    int rc = cor_output_open(&output, path, &fault);
    if (rc == COR_OK) {
        choose_print_file(run, output.file);
        rc = cor_output_commit(&output, &fault);
    }
    if (rc == COR_OK)
        return 0;
    fprintf(stderr, "corunna tune: %s\n", fault.text);
    return -1;
}
