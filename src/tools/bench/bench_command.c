/* SPDX-License-Identifier: Apache-2.0 */
/* `corunna bench`: what is measured, in which order. Each start of the program measures one test at all its sizes; in
 * every round the libraries take turns, and the first of them is another one each time. */
#define _GNU_SOURCE
#include "base/clock.h"
#include "base/cpu.h"
#include "launch/bind/bind_set.h"
#include "launch/bind/run_bind.h"
#include "launch/run_plan.h"
#include "tools/bench/bench_plan.h"
#include "tools/bench/bench_system.h"
#include "tools/tools.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COMMAND_WORD_MAX = 2048, COMMAND_FAILURES_MAX = 2 /* of a system, then an item is left out */ };

typedef struct command_run {
    bench_options options;
    bench_interrupts interrupts;
    bench_places places;
    bench_results results;
    bench_words environment;
    bench_words notes;
    int cpus;
    bench_plan plan;
    const bench_system *current; /* whose output is read, for so many ranks */
    const bench_item *current_item;
    int lines;
    uint64_t started_ns;
    int starts_done, starts_all;
    int is_terminal;
    int has_netns; /* bench_netns_up */
} command_run;

static void command_note(command_run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void command_note(command_run *run, const char *format, ...)
{
    char text[2 * BENCH_WHY_MAX];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    for (int i = 0; i < run->notes.count; i++)
        if (strcmp(run->notes.words[i], text) == 0)
            return;
    if (run->notes.count < BENCH_WORDS_MAX - 1)
        bench_words_add(&run->notes, "%s", text);
}

/* ---- CPUs ------------------------------------------------------------------------------------------------------- */

/* Bind this process, and so all that it starts, to some CPUs; first of different cores, then of the same. */
static int command_choose_cpus(command_run *run)
{
    cor_cpu_set allowed, chosen = {{0}};
    bind_machine machine;
    cor_cpu_allowed(&allowed);
    run->cpus = cor_cpu_count(&allowed);
    if (run->options.cpus == 0)
        return 0;
    if (run->options.cpus > run->cpus) {
        fprintf(stderr, "corunna bench: --cpus %d: only %d CPUs may be used\n", run->options.cpus, run->cpus);
        return -1;
    }
    cor_bind_machine_read(&machine);
    for (int with_siblings = 0; with_siblings < 2; with_siblings++)
        for (int i = 0, core = -1; i < machine.count && cor_cpu_count(&chosen) < run->options.cpus; i++) {
            int is_sibling = machine.of[BIND_CORE][i] == core;
            if (!machine.is_usable[i])
                continue;
            core = machine.of[BIND_CORE][i];
            if (with_siblings || !is_sibling)
                cor_bind_set_add(&chosen, machine.cpu[i]);
        }
    run->cpus = run->options.cpus;
    return cor_run_bind_apply(&chosen);
}

/* ---- running ---------------------------------------------------------------------------------------------------- */

static void command_line(void *context, char *text)
{
    command_run *run = context;
    run->lines += bench_results_add(&run->results, run->current, run->current_item->ranks,
                                    run->current_item->selection->variant, text);
}

/* TEST:TYPE:MODE:SIZES. Returns how many sizes there are. */
static int command_word(const command_run *run, const bench_item *item, char word[COMMAND_WORD_MAX])
{
    long sizes[BENCH_SIZES_MAX];
    int count = bench_sizes(&run->options, item->selection, item->test, sizes);
    int used = snprintf(word, COMMAND_WORD_MAX, "%s:%s:%s:", item->test->name, item->type, item->mode);
    for (int i = 0; i < count; i++)
        used += snprintf(word + used, COMMAND_WORD_MAX - (size_t)used, "%s%ld", i ? "," : "", sizes[i]);
    return count ? count : 1;
}

static void command_progress(const command_run *run, const bench_system *system, const bench_item *item)
{
    char left[48] = "";
    if (!run->is_terminal)
        return;
    if (run->starts_done > 0) {
        double spent_s = (double)(cor_clock_ns() - run->started_ns) / 1e9;
        double left_s = spent_s / run->starts_done * (run->starts_all - run->starts_done);
        snprintf(left, sizeof left, left_s < 90 ? ", about %.0f s left" : ", about %.0f min left",
                 left_s < 90 ? left_s : left_s / 60);
    }
    fprintf(stderr, "\r\033[K%d of %d%s: %s, %s, %d ranks", run->starts_done + 1, run->starts_all, left, system->title,
            item->test->name, item->ranks);
}

/* The whole command from its start to its end, by ranks that do nothing. */
static int command_startup(command_run *run, const bench_words *words, char why[BENCH_WHY_MAX])
{
    char line[128];
    uint64_t start = cor_clock_ns();
    if (!bench_job_run(words, &run->environment, &run->interrupts, run->options.limit_s, command_line, run, why))
        return 0;
    double ms = (double)(cor_clock_ns() - start) / 1e6;
    snprintf(line, sizeof line, "startup\t\t\t0\tms\t%.6g\t%.6g\t1", ms, ms);
    command_line(run, line);
    return 1;
}

static int command_start(command_run *run, const bench_system *system, bench_item *item, char why[BENCH_WHY_MAX])
{
    char word[COMMAND_WORD_MAX];
    bench_words words = {0};
    bench_launch launch = {.places = &run->places,
                           .ranks = item->ranks,
                           .cpus = run->cpus,
                           .device = item->selection->device,
                           .test = item->test->name,
                           .hosts = item->selection->hosts,
                           .is_netns = item->selection->is_netns,
                           .is_asleep = item->selection->is_asleep,
                           .threads =
                               strcmp(item->test->name, "threads") == 0 || strncmp(item->test->name, "parts", 5) == 0};
    int is_fine = system->command(&launch, &words, why);
    run->current = system;
    run->current_item = item;
    run->lines = 0;
    if (is_fine && strcmp(item->test->name, "startup") == 0) {
        is_fine = command_startup(run, &words, why);
    } else if (is_fine) {
        int wanted = command_word(run, item, word);
        bench_words_add(&words, "%s", word);
        is_fine =
            bench_job_run(&words, &run->environment, &run->interrupts, run->options.limit_s, command_line, run, why);
        if (is_fine && run->lines < wanted) { /* not every launcher tells a crash by its status */
            snprintf(why, BENCH_WHY_MAX, "it printed %d of %d figures", run->lines, wanted);
            is_fine = 0;
        }
    }
    bench_words_free(&words);
    return is_fine;
}

static int command_takes_part(const bench_item *item, const bench_system *system)
{
    for (int i = 0; i < item->selection->without_count; i++)
        if (item->selection->without[i] == system)
            return 0;
    return system->is_java ? item->test->in_java
                           : item->test->in_java != BENCH_JAVA_ALONE && !bench_type_is_java(item->type);
}

static int command_count_starts(const command_run *run)
{
    int starts = 0;
    for (int j = 0; j < run->plan.count; j++)
        for (int i = 0; i < run->options.system_count; i++)
            starts += command_takes_part(&run->plan.items[j], run->options.systems[i]);
    return starts * run->options.rounds;
}

static void command_round(command_run *run, int round)
{
    for (int j = 0; j < run->plan.count; j++)
        for (int i = 0; i < run->options.system_count && !run->interrupts.number; i++) {
            bench_item *item = &run->plan.items[j];
            int k = (i + round) % run->options.system_count;
            const bench_system *system = run->options.systems[k];
            char why[BENCH_WHY_MAX] = "";
            if (!command_takes_part(item, system))
                continue;
            command_progress(run, system, item);
            run->starts_done++;
            if (item->failures[k] >= COMMAND_FAILURES_MAX)
                continue;
            int is_fine = command_start(run, system, item, why);
            item->is_measured[k] |= is_fine;
            if (is_fine || run->interrupts.number || !*why)
                continue;
            item->failures[k]++;
            command_note(run, "%s, %s%s%s, %d ranks: %s", system->title, item->test->name, *item->mode ? " " : "",
                         item->mode, item->ranks, why);
        }
}

/* Libraries that cannot be measured are left out with a note; without ours there is nothing to say. */
static int command_prepare(command_run *run)
{
    bench_options *options = &run->options;
    int kept = 0;
    for (int i = 0; i < options->system_count; i++) {
        const bench_system *system = options->systems[i];
        char why[BENCH_WHY_MAX] = "";
        if (run->is_terminal)
            fprintf(stderr, "\r\033[Kpreparing %s", system->title);
        if (system->prepare(&run->places, why))
            options->systems[kept++] = system;
        else
            command_note(run, "%s is left out: %s", system->title, why);
    }
    options->system_count = kept;
    if (kept > 0 && options->systems[0]->is_ours)
        return 0;
    fprintf(stderr, "corunna bench: %s\n", run->notes.count ? run->notes.words[0] : "nothing to measure");
    return -1;
}

/* Two namespaces, if they are asked for. Without them their rows are left out. */
static void command_make_netns(command_run *run)
{
    char why[BENCH_WHY_MAX] = "";
    int is_asked = 0;
    for (int i = 0; i < run->options.selection_count; i++)
        is_asked |= run->options.selections[i].is_netns;
    if (!is_asked || (run->has_netns = bench_netns_up(&run->places, why)))
        return;
    command_note(run, "rows between two hosts (--netns) are left out: %s", why);
    for (int j = 0; j < run->plan.count; j++)
        for (int k = 0; k < run->options.system_count && run->plan.items[j].selection->is_netns; k++)
            run->plan.items[j].failures[k] = COMMAND_FAILURES_MAX;
}

static void command_environment(command_run *run)
{
    const bench_options *options = &run->options;
    bench_words_add(&run->environment, "BENCH_MS=%d", options->ms);
    bench_words_add(&run->environment, "BENCH_BATCHES=%d", options->batches);
    bench_words_add(&run->environment, "BENCH_AGREE=%d", options->agree);
    bench_words_add(&run->environment, "BENCH_ROTATE=%d", options->rotate);
    bench_words_add(&run->environment, "BENCH_CORES=%d", run->cpus);
    bench_words_add(&run->environment, "TMPDIR=%s", run->places.work);
    bench_words_add(&run->environment, "OMPI_ALLOW_RUN_AS_ROOT=1");
    bench_words_add(&run->environment, "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1");
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

static int command_report(command_run *run)
{
    bench_report report = {.results = &run->results,
                           .system_count = run->options.system_count,
                           .notes = run->notes.words,
                           .note_count = run->notes.count,
                           .check_count = run->options.check_count};
    memcpy(report.systems, run->options.systems, sizeof report.systems);
    memcpy(report.checks, run->options.checks, sizeof report.checks);
    bench_report_describe(&report, &run->options, run->cpus, (double)(cor_clock_ns() - run->started_ns) / 1e9);
    return bench_report_print(&report, &run->options);
}

/* 1 if one of our own figures is missing: not one start of the program brought it. */
static int command_lacks_own(const command_run *run)
{
    for (int j = 0; j < run->plan.count; j++)
        for (int k = 0; k < run->options.system_count; k++) {
            const bench_item *item = &run->plan.items[j];
            if (run->options.systems[k]->is_ours && item->failures[k] > 0 && !item->is_measured[k])
                return 1;
        }
    return 0;
}

/* What was asked for to compare with, and measures no row of this plan: a floor has few tests, and its own device. */
static void command_note_idle(command_run *run)
{
    for (int k = 0; k < run->options.system_count; k++) {
        const bench_system *system = run->options.systems[k];
        int has_row = system->is_ours;
        for (int j = 0; j < run->plan.count; j++)
            has_row |= run->plan.items[j].is_measured[k] || run->plan.items[j].failures[k] > 0;
        if (!has_row)
            command_note(
                run, "%s measures none of these; `corunna bench --help` and docs/benchmarking.md say what it measures",
                system->title);
    }
}

static int command_measure(command_run *run)
{
    command_environment(run);
    if (command_prepare(run) != 0)
        return 1;
    run->starts_all = command_count_starts(run);
    if (run->starts_all == 0) {
        fputs("corunna bench: none of the libraries has these tests and types; --java and --threads measure Java\n",
              stderr);
        return RUN_STATUS_USAGE;
    }
    command_make_netns(run);
    run->started_ns = cor_clock_ns();
    int rounds = 0;
    while (rounds < run->options.rounds && !run->interrupts.number)
        command_round(run, rounds++);
    if (run->is_terminal)
        fputs("\r\033[K", stderr);
    if (run->has_netns)
        bench_netns_down(&run->places);
    if (run->interrupts.number)
        command_note(run, "interrupted in round %d: the figures are those measured so far", rounds);
    else
        command_note_idle(run);
    int status = command_report(run) | command_lacks_own(run);
    return run->interrupts.number ? 128 + run->interrupts.number : status;
}

int cor_command_bench(int argc, char **argv)
{
    command_run run = {.is_terminal = isatty(STDERR_FILENO)};
    int is_done = 0;
    int status = bench_options_parse(argc, argv, &run.options, &is_done);
    if (status != 0 || is_done) {
        bench_options_free(&run.options);
        return status;
    }
    if (bench_report_check_files(&run.options) != 0) {
        bench_options_free(&run.options);
        return RUN_STATUS_USAGE;
    }
    if (run.options.sim) {
        status = bench_sim(&run.options);
        bench_options_free(&run.options);
        return status;
    }
    run.is_terminal &= !run.options.is_quiet;
    if (command_choose_cpus(&run) != 0)
        return RUN_STATUS_USAGE;
    status = RUN_STATUS_USAGE;
    if (bench_plan_make(&run.plan, &run.options) == 0 &&
        bench_places_open(&run.places, &run.interrupts, "corunna bench") == 0) {
        status = command_measure(&run);
        bench_places_close(&run.places);
    }
    bench_options_free(&run.options);
    bench_results_free(&run.results);
    bench_words_free(&run.environment);
    bench_words_free(&run.notes);
    bench_plan_free(&run.plan);
    return status;
}
