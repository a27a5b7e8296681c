/* SPDX-License-Identifier: Apache-2.0 */
/* The file of rules and settings. */
#include "tools/tune/tune.h"

#include "base/machine.h"
#include "base/output.h"

#include <math.h>

/* Between two measured numbers of ranks the rule of the nearer one holds, as a ratio; beyond the last none. */
static void write_print_ranks(const tune_run *run, int ranks, FILE *out)
{
    for (int i = 0; i < run->rank_count; i++) {
        if (run->ranks[i] != ranks)
            continue;
        if (i > 0)
            fprintf(out, " ranks>%d", (int)sqrt((double)run->ranks[i - 1] * ranks));
        fprintf(out, " ranks<=%d", i + 1 < run->rank_count ? (int)sqrt((double)ranks * run->ranks[i + 1]) : ranks);
    }
    if (run->is_simulated)
        fprintf(out, " node_ranks=%d nodes>1", run->cluster.net.node_ranks);
    else if (run->host_count > 1)
        fprintf(out, " nodes=%d", run->host_count);
    else
        fputs(ranks > run->cpus ? " one_node oversubscribed" : " one_node !oversubscribed", out);
}

static long write_between(const tune_run *run, int size)
{
    return (long)sqrt((double)run->sizes[size] * (double)run->sizes[size + 1]);
}

static void write_print_rule(const tune_run *run, const tune_subject *subject, int first, int last, FILE *out)
{
    fprintf(out, "%s blocking", subject->test);
    write_print_ranks(run, subject->ranks, out);
    if (first > 0)
        fprintf(out, " bytes>%ld", write_between(run, first - 1));
    if (subject->primitive != COR_BARRIER)
        fprintf(out, " bytes<=%ld", last + 1 < subject->size_count ? write_between(run, last) : 2 * run->sizes[last]);
    fprintf(out, " %s\n", subject->candidates[subject->winners[first]]);
}

static void write_rules(const tune_run *run, FILE *out)
{
    for (int i = 0; i < run->subject_count; i++) {
        const tune_subject *subject = &run->subjects[i];
        for (int first = 0, last; first < subject->size_count; first = last + 1) {
            last = first;
            while (last + 1 < subject->size_count && subject->winners[last + 1] == subject->winners[first])
                last++;
            if (subject->winners[first] != TUNE_WON_BY_DEFAULT)
                write_print_rule(run, subject, first, last, out);
        }
    }
}

/* A line for each. */
static void write_settings(const tune_run *run, FILE *out)
{
    for (int i = 0; i < TUNE_DEVICES; i++) {
        const char *settings = run->devices[i].settings;
        char word[BENCH_NAME_MAX];
        while (bench_list_next(&settings, word))
            fprintf(out, "set %s\n", word);
    }
}

static void write_print_file(const tune_run *run, FILE *out)
{
    char machine[COR_MACHINE_MAX], cluster[256];
    cor_machine_print(machine);
    cor_rules_print_head(out, "corunna tune");
    if (run->is_simulated) {
        cor_sim_spec_describe(&run->cluster, run->ranks[run->rank_count - 1], cluster, sizeof cluster);
        fprintf(out, "# predicted for: %s\n", cluster);
    } else {
        fprintf(out, COR_MACHINE_LINE "%s\n", machine);
    }
    write_settings(run, out);
    write_rules(run, out);
    fputs(COR_RULES_END, out);
}

int tune_write(const tune_run *run, const char *path)
{
    cor_output output;
    cor_fault fault = {0};
    int rc = cor_output_open(&output, path, &fault);
    if (rc == COR_OK) {
        write_print_file(run, output.file);
        rc = cor_output_commit(&output, &fault);
    }
    if (rc == COR_OK)
        return 0;
    fprintf(stderr, "corunna tune: %s\n", fault.text);
    return -1;
}
