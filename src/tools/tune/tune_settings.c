/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Settings of the devices. A group is a question, such as how large a ring is, with a few answers; each is compared
 * with the default by messages of many sizes between two ranks. An answer must be better on the mean and nowhere worse.
 */
#include "tools/tune/tune.h"

#include <math.h>
#include <string.h>

enum { SETTINGS_RANKS = 2, SETTINGS_PASSES = 3, SETTINGS_FIRST_MS = 10, SETTINGS_MS = 40, SETTINGS_CASES_MAX = 64 };
enum { SETTINGS_ROUNDS = 4, SETTINGS_CHECK_MS = 60, SETTINGS_ANSWERS = 5 };

static const double settings_gain = 1.03, settings_hopeless = 0.95, settings_noise = 0.03;
/* The last comparison. */
static const double settings_checked_gain = 1.02;

const char *const tune_device_names[TUNE_DEVICES] = {"sm", "tcp"};
static const char *const settings_devices[TUNE_DEVICES] = {"smdev", "tcpdev"};

typedef struct settings_group {
    int device;
    const char *answers[SETTINGS_ANSWERS]; /* NULL behind the last */
} settings_group;

static const settings_group settings_groups[] = {
    {0, {"sm.eager_max=4k", "sm.eager_max=8k", "sm.eager_max=32k sm.chunk=32k"}},
    {0, {"sm.ring=128k", "sm.ring=512k", "sm.ring=1M sm.memory=12M"}},
    {0, {"sm.single_copy=never", "sm.single_copy=always"}},
    {1, {"tcp.eager_max=32k", "tcp.eager_max=64k", "tcp.eager_max=256k", "tcp.eager_max=512k"}},
    {1, {"tcp.packet=256k", "tcp.packet=1M tcp.retain=4M"}},
};

enum { SETTINGS_GROUPS = sizeof settings_groups / sizeof settings_groups[0] };

/* ---- cases ------------------------------------------------------------------------------------------------------ */

/* A test at one size. */
typedef struct settings_case {
    const char *test;
    long bytes;
} settings_case;

typedef struct settings_cases {
    settings_case rows[SETTINGS_CASES_MAX];
    int count;
} settings_cases;

/* The sizes that the user names, or those at which protocols change. */
static void settings_list(const tune_run *run, settings_cases *cases)
{
    static const char *const tests[] = {"pingpong", "stream"};
    static const long usual[] = {512, 4096, 8192, 16384, 32768, 65536, 262144, 1048576, 4194304};
    const long *sizes = run->has_sizes ? run->sizes : usual;
    int count = run->has_sizes ? run->size_count : (int)(sizeof usual / sizeof usual[0]);
    cases->count = 0;
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
        for (int k = 0; k < count && cases->count < SETTINGS_CASES_MAX; k++)
            cases->rows[cases->count++] = (settings_case){tests[i], sizes[k]};
}

/* TEST:TYPE:MODE:SIZES, a word for each test. */
static void settings_words(const settings_cases *cases, bench_words *words)
{
    for (int i = 0; i < cases->count;) {
        char word[1024];
        const char *test = cases->rows[i].test;
        int used = snprintf(word, sizeof word, "%s:byte::", test);
        for (int first = i; i < cases->count && cases->rows[i].test == test; i++)
            used +=
                snprintf(word + used, sizeof word - (size_t)used, "%s%ld", i > first ? "," : "", cases->rows[i].bytes);
        bench_words_add(words, "%s", word);
    }
}

static const bench_result *settings_find(const tune_run *run, const settings_case *one, const char *variant)
{
    bench_result like = {.ranks = SETTINGS_RANKS, .bytes = one->bytes};
    snprintf(like.test, sizeof like.test, "%s", one->test);
    snprintf(like.type, sizeof like.type, "byte");
    snprintf(like.variant, sizeof like.variant, "%s", variant);
    return bench_results_find(&run->results, bench_system_find("corunna"), &like);
}

/* Variants of the results. */
static void settings_variant(int device, const char *answer, char out[BENCH_NAME_MAX])
{
    snprintf(out, BENCH_NAME_MAX, "%s %.40s", tune_device_names[device], answer);
}

static void settings_start(tune_run *run, int device, const char *answer, const char *variant, int ms)
{
    settings_cases cases;
    bench_words words = {0};
    tune_job job = {.what = tune_device_names[device],
                    .variant = variant,
                    .ranks = SETTINGS_RANKS,
                    .device = settings_devices[device],
                    .settings = answer,
                    .rules = "",
                    .ms = ms,
                    .words = &words};
    settings_list(run, &cases);
    settings_words(&cases, &words);
    tune_job_start(run, &job);
    bench_words_free(&words);
}

/* How many times faster `with` is than `without` on the mean; 0: not all was measured. *worst_p: in the case that is
 * worst, what is within the noise of both not counted. */
static double settings_compare(const tune_run *run, const char *without, const char *with, double *worst_p)
{
    settings_cases cases;
    double sum = 0;
    settings_list(run, &cases);
    *worst_p = INFINITY;
    for (int i = 0; i < cases.count; i++) {
        const bench_result *before = settings_find(run, &cases.rows[i], without);
        const bench_result *after = settings_find(run, &cases.rows[i], with);
        if (!before || !after || before->minimum <= 0 || after->minimum <= 0)
            return 0;
        double gain = fmin(before->minimum / after->minimum, bench_result_median(before) / bench_result_median(after));
        double noise = fmax(settings_noise, fmax(bench_result_spread(before), bench_result_spread(after)));
        sum += log(gain);
        *worst_p = fmin(*worst_p, gain * (1 + noise));
    }
    return exp(sum / cases.count);
}

/* ---- measuring -------------------------------------------------------------------------------------------------- */

static int settings_rounds(const tune_run *run, const char *variant)
{
    settings_cases cases;
    int rounds = BENCH_LIST_MAX;
    settings_list(run, &cases);
    for (int i = 0; i < cases.count; i++) {
        const bench_result *result = settings_find(run, &cases.rows[i], variant);
        rounds = !result ? 0 : result->rounds < rounds ? result->rounds : rounds;
    }
    return rounds;
}

/* One answer, or the default for "", unless an earlier run has done it, or it has no chance. */
static void settings_measure_one(tune_run *run, int device, const char *answer, int pass)
{
    char variant[BENCH_NAME_MAX], usual[BENCH_NAME_MAX];
    double worst;
    settings_variant(device, answer, variant);
    settings_variant(device, "", usual);
    if (settings_rounds(run, variant) > pass)
        return;
    if (pass > 0 && *answer && settings_compare(run, usual, variant, &worst) < settings_hopeless)
        return;
    settings_start(run, device, answer, variant, pass == 0 ? SETTINGS_FIRST_MS : SETTINGS_MS);
}

/* Starts of the program, at most. */
static int settings_starts(const tune_run *run)
{
    int count = 0;
    for (int device = 0; device < TUNE_DEVICES; device++)
        count += run->devices[device].is_asked;
    for (int group = 0; group < SETTINGS_GROUPS; group++)
        for (int i = 0; i < SETTINGS_ANSWERS && settings_groups[group].answers[i]; i++)
            count += run->devices[settings_groups[group].device].is_asked;
    return SETTINGS_PASSES * count;
}

int tune_settings_measure(tune_run *run)
{
    run->all += settings_starts(run);
    for (int pass = 0; pass < SETTINGS_PASSES; pass++)
        for (int device = 0; device < TUNE_DEVICES; device++) {
            if (!run->devices[device].is_asked)
                continue;
            settings_measure_one(run, device, "", pass);
            for (int group = 0; group < SETTINGS_GROUPS; group++)
                for (int i = 0; i < SETTINGS_ANSWERS && settings_groups[group].answers[i]; i++) {
                    if (tune_is_over(run))
                        return 1;
                    if (settings_groups[group].device == device)
                        settings_measure_one(run, device, settings_groups[group].answers[i], pass);
                }
        }
    return 0;
}

/* ---- choosing --------------------------------------------------------------------------------------------------- */

/* The best answer of a group, or NULL: the default. */
static const char *settings_choose(const tune_run *run, const settings_group *group, double *gain_p)
{
    const char *best = NULL;
    char usual[BENCH_NAME_MAX], variant[BENCH_NAME_MAX];
    *gain_p = settings_gain;
    settings_variant(group->device, "", usual);
    for (int i = 0; i < SETTINGS_ANSWERS && group->answers[i]; i++) {
        double worst, gain;
        settings_variant(group->device, group->answers[i], variant);
        gain = settings_compare(run, usual, variant, &worst);
        if (gain > *gain_p && worst >= 1) {
            *gain_p = gain;
            best = group->answers[i];
        }
    }
    return best;
}

static void settings_check_variants(int device, int attempt, char without[BENCH_NAME_MAX], char with[BENCH_NAME_MAX])
{
    snprintf(without, BENCH_NAME_MAX, "%s before, %d", tune_device_names[device], attempt);
    snprintf(with, BENCH_NAME_MAX, "%s after, %d", tune_device_names[device], attempt);
}

/* In turns with and without. Do these settings pay? */
static int settings_pay(tune_run *run, int device, const char *settings, int attempt)
{
    char without[BENCH_NAME_MAX], with[BENCH_NAME_MAX];
    double worst;
    settings_check_variants(device, attempt, without, with);
    run->all = run->done + 2 * SETTINGS_ROUNDS;
    for (int round = 0; round < SETTINGS_ROUNDS; round++)
        for (int side = 0; side < 2; side++) {
            int is_with = (side + round) % 2;
            if (bench_interrupts_look(&run->interrupts))
                return 0;
            settings_start(run, device, is_with ? settings : "", is_with ? with : without, SETTINGS_CHECK_MS);
        }
    double gain = settings_compare(run, without, with, &worst);
    if (gain < settings_checked_gain || worst < 1)
        return 0;
    tune_device *found = &run->devices[device];
    snprintf(found->settings, sizeof found->settings, "%s", settings);
    found->gain = gain;
    found->attempt = attempt;
    return 1;
}

/* All answers together; if these do not pay, the best one alone. */
static void settings_check_device(tune_run *run, int device)
{
    char all[TUNE_SETTINGS_MAX] = "";
    const char *best = NULL;
    double best_gain = 0, gain;
    int count = 0;
    for (int group = 0; group < SETTINGS_GROUPS; group++) {
        const char *answer =
            settings_groups[group].device == device ? settings_choose(run, &settings_groups[group], &gain) : NULL;
        if (!answer)
            continue;
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", used ? " " : "", answer);
        count++;
        if (gain > best_gain) {
            best_gain = gain;
            best = answer;
        }
    }
    if (count > 0 && !settings_pay(run, device, all, 0) && count > 1)
        settings_pay(run, device, best, 1);
}

void tune_settings_check(tune_run *run)
{
    FILE *log = run->log;
    run->log = NULL; /* these figures are of this comparison only */
    for (int device = 0; device < TUNE_DEVICES; device++)
        if (run->devices[device].is_asked)
            settings_check_device(run, device);
    run->log = log;
}

/* ---- telling ---------------------------------------------------------------------------------------------------- */

void tune_settings_each(const tune_run *run, int device, tune_settings_fn each, void *context)
{
    char without[BENCH_NAME_MAX], with[BENCH_NAME_MAX];
    settings_cases cases;
    settings_check_variants(device, run->devices[device].attempt, without, with);
    settings_list(run, &cases);
    for (int i = 0; i < cases.count && *run->devices[device].settings; i++) {
        const bench_result *before = settings_find(run, &cases.rows[i], without);
        const bench_result *after = settings_find(run, &cases.rows[i], with);
        if (before && after)
            each(context, cases.rows[i].test, cases.rows[i].bytes, before->minimum, after->minimum);
    }
}

static void settings_print_case(void *context, const char *test, long bytes, double before_us, double after_us)
{
    char size[BENCH_NAME_MAX];
    bench_size_print(bytes, size);
    fprintf(context, "%-22s %5d %10s %12.3f > %-11.3f\n", test, SETTINGS_RANKS, size, before_us, after_us);
}

void tune_settings_print(const tune_run *run, FILE *out)
{
    for (int device = 0; device < TUNE_DEVICES; device++) {
        const tune_device *found = &run->devices[device];
        if (!found->is_asked)
            continue;
        char usual[BENCH_NAME_MAX];
        settings_variant(device, "", usual);
        if (settings_rounds(run, usual) == 0) {
            fprintf(out, "%s: was not measured%s%s\n", tune_device_names[device], *run->why ? ": " : "", run->why);
            continue;
        }
        if (!*found->settings) {
            fprintf(out, "%s: the default settings are as good as any.\n", tune_device_names[device]);
            continue;
        }
        fprintf(out, "%s: %s, %.1f %% faster on the mean; us before > after\n", tune_device_names[device],
                found->settings, 100 * (found->gain - 1));
        tune_settings_each(run, device, settings_print_case, out);
    }
}
