/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/tune/tune.h"

#include "base/clock.h"
#include "base/knob.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MEASURE_PASSES = 3, MEASURE_FIRST_MS = 10, MEASURE_MS = 40, MEASURE_LIMIT_S = 60, MEASURE_WORD_MAX = 600 };

/* Beyond this a candidate is not measured again. */
static const double measure_hopeless = 1.3;

static const bench_system *measure_system(void)
{
    return bench_system_find("corunna");
}

/* ---- what was measured ------------------------------------------------------------------------------------------ */

static bench_result measure_like(const tune_run *run, const tune_subject *subject, const char *variant, int size,
                                 const char *mode)
{
    bench_result like = {.ranks = subject->ranks, .bytes = subject->primitive == COR_BARRIER ? 0 : run->sizes[size]};
    snprintf(like.test, sizeof like.test, "%s", subject->test);
    snprintf(like.type, sizeof like.type, "%s", subject->primitive == COR_BARRIER ? "byte" : "double");
    snprintf(like.mode, sizeof like.mode, "%s", mode);
    snprintf(like.variant, sizeof like.variant, "%s", variant);
    return like;
}

const bench_result *tune_find(const tune_run *run, const tune_subject *subject, const char *variant, int size,
                              const char *mode)
{
    bench_result like = measure_like(run, subject, variant, size, mode);
    return bench_results_find(&run->results, measure_system(), &like);
}

double tune_time(const tune_run *run, const tune_subject *subject, const char *variant, int size, const char *mode)
{
    const bench_result *result = tune_find(run, subject, variant, size, mode);
    return result ? result->minimum : 0;
}

void tune_add(tune_run *run, const tune_subject *subject, const char *variant, int size, const char *mode, double us)
{
    char line[256];
    bench_result like = measure_like(run, subject, variant, size, mode);
    snprintf(line, sizeof line, "%s\t%s\t%s\t%ld\tus\t%.9g\t%.9g\t1", like.test, like.type, mode, like.bytes, us, us);
    bench_results_add(&run->results, measure_system(), subject->ranks, variant, line);
}

/* A line of the file: ranks, variant, and what the program printed. */
static int measure_restore_line(tune_run *run, char *line)
{
    char *variant = strchr(line, '\t'), *printed = variant ? strchr(variant + 1, '\t') : NULL;
    if (!printed)
        return 0;
    *variant++ = '\0';
    *printed++ = '\0';
    printed[strcspn(printed, "\n")] = '\0';
    return bench_results_add(&run->results, measure_system(), atoi(line), variant, printed);
}

/* The first line names what it was measured with; another file is begun anew. */
static int measure_restore(tune_run *run, const char *head)
{
    char line[1024];
    int count = 0;
    FILE *file = fopen(run->measured, "r");
    if (!file)
        return 0;
    if (fgets(line, sizeof line, file) && strcmp(line, head) == 0)
        while (fgets(line, sizeof line, file))
            count += measure_restore_line(run, line);
    else
        count = -1;
    fclose(file);
    return count;
}

int tune_open_log(tune_run *run)
{
    char head[256];
    snprintf(head, sizeof head, "corunna-tune 1, Corunna " COR_VERSION ", %d CPUs\n", run->cpus);
    int restored = measure_restore(run, head);
    run->log = fopen(run->measured, restored > 0 ? "a" : "w");
    if (!run->log) {
        fprintf(stderr, "corunna tune: %s cannot be written: %s\n", run->measured, strerror(errno));
        return -1;
    }
    if (restored > 0)
        fprintf(stderr, "corunna tune: goes on with %d figures of %s\n", restored, run->measured);
    else
        fputs(head, run->log);
    return 0;
}

/* ---- one start -------------------------------------------------------------------------------------------------- */

typedef struct measure_reader {
    tune_run *run;
    const tune_job *job;
} measure_reader;

static void measure_line(void *context, char *text)
{
    const measure_reader *reader = context;
    const tune_job *job = reader->job;
    if (reader->run->log)
        fprintf(reader->run->log, "%d\t%s\t%s\n", job->ranks, job->variant, text);
    bench_results_add(&reader->run->results, measure_system(), job->ranks, job->variant, text);
}

/* Both modes at all sizes that are not out. 0: none is left. */
static int measure_words(const tune_run *run, const tune_subject *subject, int candidate, bench_words *words)
{
    static const char *const modes[] = {"apart", "row"};
    int is_barrier = subject->primitive == COR_BARRIER, count = 0;
    for (int i = 0; i < 2; i++) {
        char word[MEASURE_WORD_MAX];
        int used = snprintf(word, sizeof word, "%s:%s:%s:", subject->test, is_barrier ? "byte" : "double", modes[i]);
        count = 0;
        for (int size = 0; size < subject->size_count; size++)
            if (!subject->is_out[candidate][size] && used < MEASURE_WORD_MAX - 24)
                used += snprintf(word + used, MEASURE_WORD_MAX - (size_t)used, "%s%ld", count++ ? "," : "",
                                 is_barrier ? 0 : run->sizes[size]);
        if (count > 0)
            bench_words_add(words, "%s", word);
    }
    return count;
}

static void measure_progress(const tune_run *run, const tune_job *job)
{
    if (run->is_terminal)
        fprintf(stderr, "\r\033[K%d of at most %d, %d s left: %s, %d ranks, %s", run->done + 1, run->all,
                (int)(run->end_ns > cor_clock_ns() ? (run->end_ns - cor_clock_ns()) / 1000000000u : 0), job->what,
                job->ranks, *job->variant ? job->variant : "as it is");
}

static void measure_add_settings(bench_words *environment, const char *settings)
{
    char word[BENCH_NAME_MAX], name[BENCH_NAME_MAX], variable[64];
    while (bench_list_next(&settings, word)) {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
        cor_knob_variable(name, variable);
        bench_words_add(environment, "%s=%s", variable, word + strcspn(word, "=") + 1);
    }
}

void tune_job_start(tune_run *run, const tune_job *job)
{
    char why[BENCH_WHY_MAX] = "";
    bench_words command = {0}, environment = {0};
    bench_launch launch = {.places = &run->places,
                           .ranks = job->ranks,
                           .cpus = run->cpus,
                           .device = job->device,
                           .test = job->what,
                           .hosts = run->hosts};
    measure_reader reader = {run, job};
    measure_progress(run, job);
    run->done++;
    for (int i = 0; i < run->environment.count; i++)
        bench_words_add(&environment, "%s", run->environment.words[i]);
    bench_words_add(&environment, "BENCH_MS=%d", job->ms);
    bench_words_add(&environment, "CORUNNA_COLL_RULES=%s", job->rules);
    measure_add_settings(&environment, job->settings);
    if (job->algorithm && *job->algorithm) {
        char name[BENCH_NAME_MAX], variable[64];
        snprintf(name, sizeof name, "coll.%s", job->what);
        cor_knob_variable(name, variable);
        bench_words_add(&environment, "%s=%s", variable, job->algorithm);
    }
    measure_system()->command(&launch, &command, why);
    for (int i = 0; i < job->words->count; i++)
        bench_words_add(&command, "%s", job->words->words[i]);
    if (!bench_job_run(&command, &environment, &run->interrupts, MEASURE_LIMIT_S, measure_line, &reader, why))
        snprintf(run->why, sizeof run->why, "%s", why);
    bench_words_free(&command);
    bench_words_free(&environment);
    if (run->log)
        fflush(run->log);
}

void tune_start(tune_run *run, const tune_subject *subject, int candidate, const char *variant, const char *rules,
                int ms)
{
    bench_words words = {0};
    tune_job job = {.what = subject->test,
                    .variant = variant,
                    .ranks = subject->ranks,
                    .device = "",
                    .settings = "",
                    .rules = rules,
                    .ms = ms,
                    .words = &words};
    if (!*rules)
        job.algorithm = subject->candidates[candidate];
    if (measure_words(run, subject, candidate, &words) > 0)
        tune_job_start(run, &job);
    bench_words_free(&words);
}

/* ---- passes ----------------------------------------------------------------------------------------------------- */

int tune_is_over(tune_run *run)
{
    return bench_interrupts_look(&run->interrupts) || cor_clock_ns() > run->end_ns;
}

/* In an earlier run: nothing to do for this pass. */
static int measure_has(const tune_run *run, const tune_subject *subject, int candidate, int pass)
{
    for (int size = 0; size < subject->size_count; size++) {
        const bench_result *result = tune_find(run, subject, subject->candidates[candidate], size, "row");
        if (!subject->is_out[candidate][size] && (!result || result->rounds <= pass))
            return 0;
    }
    return 1;
}

/* The library's own choice stays, to be compared with. */
static void measure_cut(const tune_run *run, tune_subject *subject)
{
    for (int candidate = 1; candidate < subject->candidate_count; candidate++)
        for (int size = 0; size < subject->size_count; size++) {
            double score = tune_score(run, subject, candidate, size);
            subject->is_out[candidate][size] = score == 0 || score > measure_hopeless;
        }
}

int tune_measure(tune_run *run)
{
    for (int i = 0; i < run->subject_count; i++)
        run->all += MEASURE_PASSES * run->subjects[i].candidate_count;
    for (int pass = 0; pass < MEASURE_PASSES; pass++)
        for (int i = 0; i < run->subject_count; i++) {
            tune_subject *subject = &run->subjects[i];
            for (int candidate = 0; candidate < subject->candidate_count; candidate++) {
                if (tune_is_over(run))
                    return 1;
                if (!measure_has(run, subject, candidate, pass))
                    tune_start(run, subject, candidate, subject->candidates[candidate], "",
                               pass == 0 ? MEASURE_FIRST_MS : MEASURE_MS);
            }
            measure_cut(run, subject);
        }
    return 0;
}
