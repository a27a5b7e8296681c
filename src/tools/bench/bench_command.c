/* SPDX-License-Identifier: Apache-2.0 */
/* `corunna bench`: what is measured, in which order. Each start of the program measures one test at all its sizes; in every round
 * the libraries take turns, and the first of them is another one each time. */
#define _GNU_SOURCE
#include "base/clock.h"
#include "base/cpu.h"
#include "base/knob.h"
#include "run/bind_set.h"
#include "run/commands.h"
#include "run/run_bind.h"
#include "run/run_plan.h"
#include "tools/bench/bench_options.h"
#include "tools/bench/bench_system.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum { COMMAND_WORD_MAX = 1200, COMMAND_FAILURES_MAX = 2 };

/* One test with one type and mode among so many ranks. */
typedef struct command_job {
    const bench_selection *selection;
    const bench_test *test;
    char type[BENCH_NAME_MAX], mode[BENCH_NAME_MAX];
    int ranks;
    int failures[BENCH_LIST_MAX]; /* of each system: after two it is left out */
} command_job;

typedef struct command_run {
    bench_options options;
    bench_interrupts interrupts;
    bench_places places;
    bench_results results;
    bench_words environment;
    bench_words notes;
    int cpus;
    command_job *jobs;
    int job_count, job_room;
    const bench_system *current; /* whose output is read, for so many ranks */
    const command_job *current_job;
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

/* ---- the plan --------------------------------------------------------------------------------------------------- */

static int command_has_word(const char *list, const char *word)
{
    char one[BENCH_NAME_MAX];
    while (bench_list_next(&list, one))
        if (strcmp(one, word) == 0)
            return 1;
    return 0;
}

static int command_add_job(command_run *run, const command_job *job, const char *type, const char *mode)
{
    if (run->job_count == run->job_room) {
        int room = run->job_room ? 2 * run->job_room : 64;
        command_job *jobs = realloc(run->jobs, (size_t)room * sizeof *jobs);
        if (!jobs)
            return -1;
        run->jobs = jobs;
        run->job_room = room;
    }
    command_job *added = &run->jobs[run->job_count++];
    *added = *job;
    snprintf(added->type, sizeof added->type, "%s", type);
    snprintf(added->mode, sizeof added->mode, "%s", mode);
    return 0;
}

/* All types and modes that are asked for and that the test has. */
static int command_plan_test(command_run *run, const command_job *job)
{
    char type[BENCH_NAME_MAX], mode[BENCH_NAME_MAX];
    const bench_test *test = job->test;
    const char *types = *job->selection->types ? job->selection->types : test->types;
    while (bench_list_next(&types, type)) {
        const char *modes = *job->selection->modes && *test->modes ? job->selection->modes : test->modes;
        if (!command_has_word(test->types, type))
            continue;
        if (!*test->modes && command_add_job(run, job, type, "") != 0)
            return -1;
        while (bench_list_next(&modes, mode))
            if (command_has_word(test->modes, mode) && command_add_job(run, job, type, mode) != 0)
                return -1;
        if (!*job->selection->types)
            break;
    }
    return 0;
}

/* A test between two ranks is measured with two, whatever other numbers are asked for. */
static int command_plan_selection(command_run *run, const bench_selection *selection)
{
    for (int i = 0; i < selection->test_count; i++) {
        const bench_test *test = selection->tests[i];
        for (int k = 0; k < (test->ranks ? 1 : selection->ranks_count); k++) {
            command_job job = {
                .selection = selection, .test = test, .ranks = test->ranks ? test->ranks : selection->ranks[k]};
            if (command_plan_test(run, &job) != 0)
                return -1;
        }
    }
    return 0;
}

static int command_plan(command_run *run)
{
    for (int i = 0; i < run->options.selection_count; i++)
        if (command_plan_selection(run, &run->options.selections[i]) != 0) {
            fputs("corunna bench: out of memory\n", stderr);
            return -1;
        }
    if (run->job_count > 0)
        return 0;
    fputs("corunna bench: no test has the types and modes that are asked for\n", stderr);
    return -1;
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
    run->lines += bench_results_add(&run->results, run->current, run->current_job->ranks,
                                    run->current_job->selection->variant, text);
}

/* TEST:TYPE:MODE:SIZES. Returns how many sizes there are. */
static int command_word(const command_run *run, const command_job *job, char word[COMMAND_WORD_MAX])
{
    const bench_options *options = &run->options;
    const bench_selection *selection = job->selection;
    int has_sizes = *job->test->sizes && job->test->shown != BENCH_SHAPE;
    int count = 0;
    int used = snprintf(word, COMMAND_WORD_MAX, "%s:%s:%s:", job->test->name, job->type, job->mode);
    if (selection->size_count > 0 && has_sizes) {
        for (int i = 0; i < selection->size_count; i++, count++)
            used +=
                snprintf(word + used, COMMAND_WORD_MAX - (size_t)used, "%s%ld", count ? "," : "", selection->sizes[i]);
    } else {
        char size[BENCH_NAME_MAX];
        size_t bytes = 0;
        for (const char *sizes = job->test->sizes; bench_list_next(&sizes, size); count++)
            if (cor_knob_parse_size(size, &bytes))
                used += snprintf(word + used, COMMAND_WORD_MAX - (size_t)used, "%s%zu", count ? "," : "", bytes);
    }
    for (int i = 0; has_sizes && i < options->check_count; i++, count++)
        used += snprintf(word + used, COMMAND_WORD_MAX - (size_t)used, "%s%ld", count ? "," : "", options->checks[i]);
    return count ? count : 1;
}

static void command_progress(const command_run *run, const bench_system *system, const command_job *job)
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
            job->test->name, job->ranks);
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

static int command_start(command_run *run, const bench_system *system, command_job *job, char why[BENCH_WHY_MAX])
{
    char word[COMMAND_WORD_MAX];
    bench_words words = {0};
    bench_launch launch = {.places = &run->places,
                           .ranks = job->ranks,
                           .cpus = run->cpus,
                           .device = job->selection->device,
                           .test = job->test->name,
                           .hosts = job->selection->hosts,
                           .is_netns = job->selection->is_netns,
                           .is_asleep = job->selection->is_asleep,
                           .threads = strcmp(job->test->name, "threads") == 0};
    int is_fine = system->command(&launch, &words, why);
    run->current = system;
    run->current_job = job;
    run->lines = 0;
    if (is_fine && strcmp(job->test->name, "startup") == 0) {
        is_fine = command_startup(run, &words, why);
    } else if (is_fine) {
        int wanted = command_word(run, job, word);
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

static int command_takes_part(const command_job *job, const bench_system *system)
{
    for (int i = 0; i < job->selection->without_count; i++)
        if (job->selection->without[i] == system)
            return 0;
    return system->is_java ? job->test->in_java : !bench_type_is_java(job->type);
}

static int command_count_starts(const command_run *run)
{
    int starts = 0;
    for (int j = 0; j < run->job_count; j++)
        for (int i = 0; i < run->options.system_count; i++)
            starts += command_takes_part(&run->jobs[j], run->options.systems[i]);
    return starts * run->options.rounds;
}

static void command_round(command_run *run, int round)
{
    for (int j = 0; j < run->job_count; j++)
        for (int i = 0; i < run->options.system_count && !run->interrupts.number; i++) {
            command_job *job = &run->jobs[j];
            int k = (i + round) % run->options.system_count;
            const bench_system *system = run->options.systems[k];
            char why[BENCH_WHY_MAX] = "";
            if (!command_takes_part(job, system))
                continue;
            command_progress(run, system, job);
            run->starts_done++;
            if (job->failures[k] >= COMMAND_FAILURES_MAX || command_start(run, system, job, why) ||
                run->interrupts.number || !*why)
                continue;
            job->failures[k]++;
            command_note(run, "%s, %s%s%s, %d ranks: %s", system->title, job->test->name, *job->mode ? " " : "",
                         job->mode, job->ranks, why);
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
    for (int j = 0; j < run->job_count; j++)
        for (int k = 0; k < run->options.system_count && run->jobs[j].selection->is_netns; k++)
            run->jobs[j].failures[k] = COMMAND_FAILURES_MAX;
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

/* ---- the report ------------------------------------------------------------------------------------------------- */

static void command_describe(const command_run *run, bench_report *report)
{
    struct utsname machine;
    char when[32] = "";
    time_t now = time(NULL);
    struct tm parts;
    uname(&machine);
    if (gmtime_r(&now, &parts))
        strftime(when, sizeof when, "%Y-%m-%d %H:%M UTC", &parts);
    snprintf(report->machine, sizeof report->machine, "machine: %s, %d CPUs used, %s %.60s", machine.machine,
             run->cpus, machine.sysname, machine.release);
    snprintf(report->measured, sizeof report->measured,
             "measured: %s, Corunna " COR_VERSION ", best of %d rounds, %d ms a figure, %d buffer(s) in turn, %.0f s",
             when, run->options.rounds, run->options.ms, run->options.rotate,
             (double)(cor_clock_ns() - run->started_ns) / 1e9);
}

int bench_write_files(const bench_options *options, const bench_report *report)
{
    char why[BENCH_WHY_MAX];
    int status = 0;
    const struct {
        const char *path;
        int (*write)(const bench_report *report, const char *path, char why[BENCH_WHY_MAX]);
    } files[] = {{options->csv, bench_file_csv}, {options->json, bench_file_json}, {options->html, bench_file_html}};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        if (files[i].path && !files[i].write(report, files[i].path, why))
            status = fprintf(stderr, "corunna bench: %s\n", why) >= 0;
    return status;
}

static int command_report(command_run *run)
{
    bench_report report = {.results = &run->results,
                           .system_count = run->options.system_count,
                           .notes = run->notes.words,
                           .note_count = run->notes.count,
                           .check_count = run->options.check_count};
    char why[BENCH_WHY_MAX];
    int status = 0;
    memcpy(report.systems, run->options.systems, sizeof report.systems);
    memcpy(report.checks, run->options.checks, sizeof report.checks);
    command_describe(run, &report);
    bench_table_print(&report, stdout);
    if (run->options.targets && !bench_targets_print(&report, run->options.targets, stdout, why))
        status = fprintf(stderr, "corunna bench: %s\n", why) >= 0;
    return status | bench_write_files(&run->options, &report);
}

/* 1 if one of our own figures is missing. */
static int command_lacks_own(const command_run *run)
{
    for (int j = 0; j < run->job_count; j++)
        for (int k = 0; k < run->options.system_count; k++)
            if (run->options.systems[k]->is_ours && run->jobs[j].failures[k] >= COMMAND_FAILURES_MAX)
                return 1;
    return 0;
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
    for (int round = 0; round < run->options.rounds && !run->interrupts.number; round++)
        command_round(run, round);
    if (run->is_terminal)
        fputs("\r\033[K", stderr);
    if (run->has_netns)
        bench_netns_down(&run->places);
    if (run->interrupts.number)
        command_note(run, "interrupted: the figures are those of the rounds so far");
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
    if (run.options.sim) {
        status = bench_sim(&run.options);
        bench_options_free(&run.options);
        return status;
    }
    run.is_terminal &= !run.options.is_quiet;
    if (command_choose_cpus(&run) != 0)
        return RUN_STATUS_USAGE;
    status = RUN_STATUS_USAGE;
    if (command_plan(&run) == 0 && bench_places_open(&run.places, &run.interrupts, "corunna bench") == 0) {
        status = command_measure(&run);
        bench_places_close(&run.places);
    }
    bench_options_free(&run.options);
    bench_results_free(&run.results);
    bench_words_free(&run.environment);
    bench_words_free(&run.notes);
    free(run.jobs);
    return status;
}
