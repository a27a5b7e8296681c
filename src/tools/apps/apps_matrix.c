/* SPDX-License-Identifier: Apache-2.0 */
/* `corunna apps matrix`: in every round the libraries take turns at each application and number of ranks. */
#include "tools/apps/apps_matrix.h"

#include "base/clock.h"
#include "base/knob.h"
#include "base/output.h"
#include "launch/options/run_option.h"
#include "launch/run_plan.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const apps_system apps_systems[] = {
    {"corunna-c", "Corunna C", "corunna", APPS_C},
    {"corunna-java", "Corunna Java", "corunna", APPS_JAVA},
    {"corunna-threads", "Corunna threads", "corunna", APPS_THREADS},
    {"openmpi", "Open MPI", "openmpi", APPS_C},
    {"mpich", "MPICH", "mpich", APPS_C},
    {"mpjexpress", "MPJ Express", "mpjexpress", APPS_THREADS},
    {"mpjexpress-nio", "MPJ niodev", "mpjexpress", APPS_JAVA},
};

const int apps_system_count = sizeof apps_systems / sizeof apps_systems[0];

const apps_system *apps_system_find(const char *name)
{
    for (int i = 0; i < apps_system_count; i++)
        if (strcmp(apps_systems[i].name, name) == 0)
            return &apps_systems[i];
    return NULL;
}

/* ---- options ---------------------------------------------------------------------------------------------------- */

enum matrix_option {
    MATRIX_RANKS,
    MATRIX_CLASS,
    MATRIX_WITH,
    MATRIX_ROUNDS,
    MATRIX_LIMIT,
    MATRIX_CSV,
    MATRIX_FRESH,
    MATRIX_JSON,
    MATRIX_HTML,
    MATRIX_QUIET,
    MATRIX_HELP
};

static const run_option matrix_rows[] = {
    {"n|np", MATRIX_RANKS, "LIST",
     "numbers of ranks (1,2,4); those that an application does not support are left out"},
    {"class", MATRIX_CLASS, "LETTER",
     "size of the problem (of each application, one that ends in seconds);\n"
     "                         applications that do not have it are left out"},
    {"with", MATRIX_WITH, "LIST",
     "libraries: corunna-c, corunna-java, corunna-threads (these three), openmpi,\n"
     "                         mpich, mpjexpress (threads), mpjexpress-nio (processes)"},
    {"rounds", MATRIX_ROUNDS, "R", "number of rounds, in which the libraries take turns; the best counts (3)"},
    {"limit", MATRIX_LIMIT, "S", "seconds after which a run is ended (600)"},
    {"csv", MATRIX_CSV, "FILE", "file of all figures, from which an interrupted run continues"},
    {"fresh", MATRIX_FRESH, "", "ignore the figures in that file"},
    {"json", MATRIX_JSON, "FILE", "write all figures in JSON"},
    {"html", MATRIX_HTML, "FILE", "write a self-contained page with charts"},
    {"quiet|q", MATRIX_QUIET, "", "no progress"},
    {"help|h", MATRIX_HELP, "", "show this help"},
};

static const run_option_table matrix_table = {"corunna apps matrix", matrix_rows,
                                              sizeof matrix_rows / sizeof matrix_rows[0]};

typedef struct matrix {
    const apps_app *apps[BENCH_LIST_MAX];
    const apps_system *systems[BENCH_LIST_MAX];
    int ranks[BENCH_LIST_MAX];
    int app_count, system_count, rank_count;
    const char *class_letter, *csv, *json, *html;
    int rounds, limit_s, is_fresh, is_quiet, wants_help;
    bench_interrupts interrupts;
    bench_places places;
    apps_results results;
    uint64_t started_ns;
    int runs_done, runs_all, runs_failed;
} matrix;

static int matrix_unknown(const char *what, const char *word, const char *const *names, int count)
{
    fprintf(stderr, "corunna apps matrix: unknown %s \"%s\"%s\n", what, word,
            cor_hint_at(cor_nearest(word, names, (size_t)count)).text);
    return RUN_STATUS_USAGE;
}

static int matrix_add_app(matrix *m, const char *name)
{
    const char *names[BENCH_LIST_MAX];
    const apps_app *app = apps_app_find(name);
    for (int i = 0; i < apps_app_count; i++)
        names[i] = apps_apps[i].name;
    if (!app)
        return matrix_unknown("application", name, names, apps_app_count);
    if (m->app_count < BENCH_LIST_MAX)
        m->apps[m->app_count++] = app;
    return 0;
}

static int matrix_add_system(matrix *m, const char *name)
{
    const char *names[BENCH_LIST_MAX];
    const apps_system *system = apps_system_find(name);
    for (int i = 0; i < apps_system_count; i++)
        names[i] = apps_systems[i].name;
    if (!system)
        return matrix_unknown("library", name, names, apps_system_count);
    if (m->system_count < BENCH_LIST_MAX)
        m->systems[m->system_count++] = system;
    return 0;
}

static int matrix_add_ranks(matrix *m, const char *word)
{
    char *end = NULL;
    long ranks = strtol(word, &end, 10);
    if (end == word || *end || ranks < 1 || ranks > 65536) {
        fprintf(stderr, "corunna apps matrix: -n: \"%s\" is not a number of ranks from 1 to 65536\n", word);
        return RUN_STATUS_USAGE;
    }
    if (m->rank_count < BENCH_LIST_MAX)
        m->ranks[m->rank_count++] = (int)ranks;
    return 0;
}

static int matrix_add_list(matrix *m, const char *list, int (*add)(matrix *, const char *))
{
    char word[BENCH_NAME_MAX];
    int status = 0;
    while (status == 0 && bench_list_next(&list, word))
        status = add(m, word);
    return status;
}

static int matrix_number(const run_option_match *match, int *value_p)
{
    return cor_run_option_number(&matrix_table, match, 1, value_p) == 0 ? 0 : RUN_STATUS_USAGE;
}

static int matrix_take_class(matrix *m, const char *letter)
{
    if (strlen(letter) != 1 || !strchr("SWABC", letter[0])) {
        fprintf(stderr, "corunna apps matrix: class is \"%s\"; classes are S, W, A, B and C\n", letter);
        return RUN_STATUS_USAGE;
    }
    m->class_letter = letter;
    return 0;
}

static int matrix_take_option(matrix *m, char **argv, int *at)
{
    run_option_match match;
    int found = cor_run_option_take(&matrix_table, argv, at, &match);
    if (found == -1)
        cor_run_option_unknown(&matrix_table, argv[*at]);
    if (found != 0)
        return RUN_STATUS_USAGE;
    const char *value = match.values[0];
    switch (match.option->id) {
    case MATRIX_RANKS:
        return matrix_add_list(m, value, matrix_add_ranks);
    case MATRIX_CLASS:
        return matrix_take_class(m, value);
    case MATRIX_WITH:
        return matrix_add_list(m, value, matrix_add_system);
    case MATRIX_ROUNDS:
        return matrix_number(&match, &m->rounds);
    case MATRIX_LIMIT:
        return matrix_number(&match, &m->limit_s);
    case MATRIX_CSV:
        m->csv = value;
        return 0;
    case MATRIX_JSON:
        m->json = value;
        return 0;
    case MATRIX_HTML:
        m->html = value;
        return 0;
    case MATRIX_FRESH:
        m->is_fresh = 1;
        return 0;
    case MATRIX_QUIET:
        m->is_quiet = 1;
        return 0;
    default:
        m->wants_help = 1;
        return 0;
    }
}

static int matrix_read_options(matrix *m, int argc, char **argv)
{
    int status = 0;
    for (int at = 2; at < argc && status == 0;)
        status = cor_run_option_is(argv[at]) ? matrix_take_option(m, argv, &at) : matrix_add_app(m, argv[at++]);
    for (int i = 0; m->app_count == 0 && i < apps_app_count; i++)
        m->apps[i] = &apps_apps[i];
    m->app_count = m->app_count ? m->app_count : apps_app_count;
    if (m->rank_count == 0)
        matrix_add_list(m, "1,2,4", matrix_add_ranks);
    if (m->system_count == 0)
        matrix_add_list(m, "corunna-c,corunna-java,corunna-threads", matrix_add_system);
    return status;
}

/* ---- one run ---------------------------------------------------------------------------------------------------- */

static void matrix_line(void *context, char *text)
{
    apps_result *result = context;
    char word[APPS_WORD_MAX];
    double value;
    if (sscanf(text, " Time in seconds = %lf", &value) == 1)
        result->seconds = value;
    else if (sscanf(text, " Mop/s total = %lf", &value) == 1)
        result->rate = value;
    else if (sscanf(text, " Verification = %23s", word) == 1)
        result->is_verified = strcmp(word, "SUCCESSFUL") == 0;
}

static void matrix_progress(const matrix *m, const apps_result *next)
{
    double spent = (double)(cor_clock_ns() - m->started_ns) / 1e9;
    if (m->is_quiet)
        return;
    fprintf(stderr, "%d of %d", m->runs_done + 1, m->runs_all);
    if (m->runs_done > 0)
        fprintf(stderr, ", about %.0f s left", spent / m->runs_done * (m->runs_all - m->runs_done));
    fprintf(stderr, ": %s %s, %d ranks, %s\n", next->app, next->class_letter, next->ranks, next->system);
}

/* 0, or -1 if a figure cannot be kept. A run that fails is told, and counted. */
static int matrix_run_one(matrix *m, const apps_app *app, const apps_system *system, apps_result *result)
{
    char why[BENCH_WHY_MAX] = "";
    bench_words command = {0};
    apps_run run = {.app = app,
                    .places = &m->places,
                    .as = system->as,
                    .ranks = result->ranks,
                    .device = "",
                    .class_letter = result->class_letter};
    matrix_progress(m, result);
    int is_fine = apps_library_find(system->library)->command(&run, &command, why) &&
                  bench_job_run(&command, NULL, &m->interrupts, m->limit_s, matrix_line, result, why);
    bench_words_free(&command);
    m->runs_done++;
    if (m->interrupts.number)
        return 0;
    result->is_verified = result->is_verified && is_fine;
    if (!result->is_verified) {
        fprintf(stderr, "corunna apps matrix: %s %s on %d ranks with %s: %s\n", app->name, result->class_letter,
                result->ranks, system->name, *why ? why : "the result is not verified");
        m->runs_failed++;
    }
    if (!apps_results_add(&m->results, result) || (m->csv && !apps_results_append(result, m->csv, why))) {
        fprintf(stderr, "corunna apps matrix: %s\n", *why ? why : "out of memory");
        return -1;
    }
    return 0;
}

/* Each that is to be run, in order, or only how many there are. In every round another library begins. */
static int matrix_run_all(matrix *m, int is_count_only)
{
    for (int round = 1; round <= m->rounds; round++)
        for (int a = 0; a < m->app_count; a++)
            for (int r = 0; r < m->rank_count; r++)
                for (int s = 0; s < m->system_count; s++) {
                    const apps_app *app = m->apps[a];
                    const apps_system *system = m->systems[(s + round - 1) % m->system_count];
                    apps_result result = {.ranks = m->ranks[r], .round = round};
                    snprintf(result.app, sizeof result.app, "%s", app->name);
                    snprintf(result.class_letter, sizeof result.class_letter, "%s",
                             m->class_letter ? m->class_letter : app->class_letter);
                    snprintf(result.system, sizeof result.system, "%s", system->name);
                    if (!strstr(app->classes, result.class_letter) || !apps_app_takes(app, m->ranks[r]) ||
                        (system->as == APPS_C && !app->c_program) || apps_results_has(&m->results, &result))
                        continue;
                    if (is_count_only)
                        m->runs_all++;
                    else if (bench_interrupts_look(&m->interrupts) || matrix_run_one(m, app, system, &result) != 0)
                        return -1;
                }
    return 0;
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

static int matrix_write(const matrix *m)
{
    char why[BENCH_WHY_MAX] = "";
    apps_report_print(&m->results, stdout);
    if ((!m->json || apps_report_json(&m->results, m->json, why)) &&
        (!m->html || apps_report_html(&m->results, m->html, why)))
        return 0;
    fprintf(stderr, "corunna apps matrix: %s\n", why);
    return 1;
}

static int matrix_measure(matrix *m)
{
    char why[BENCH_WHY_MAX] = "";
    cor_fault fault = {0};
    if ((m->json && cor_output_check(m->json, &fault) != COR_OK) ||
        (m->html && cor_output_check(m->html, &fault) != COR_OK)) {
        fprintf(stderr, "corunna apps matrix: %s\n", fault.text);
        return RUN_STATUS_USAGE;
    }
    if (m->csv && m->is_fresh)
        unlink(m->csv);
    if (m->csv && !apps_results_read(&m->results, m->csv, why)) {
        fprintf(stderr, "corunna apps matrix: %s\n", why);
        return 1;
    }
    matrix_run_all(m, 1);
    if (m->runs_all == 0 && m->results.count == 0) {
        fputs("corunna apps matrix: no application has this class, takes these numbers of ranks and is written for "
              "these "
              "libraries\n",
              stderr);
        return 1;
    }
    m->started_ns = cor_clock_ns();
    if (matrix_run_all(m, 0) != 0 && !m->interrupts.number)
        return 1;
    int status = matrix_write(m);
    return m->interrupts.number ? 128 + m->interrupts.number : status || m->runs_failed > 0;
}

int cor_apps_matrix(int argc, char **argv)
{
    matrix m = {.rounds = 3, .limit_s = 600};
    int status = matrix_read_options(&m, argc, argv);
    if (status != 0)
        return status;
    if (m.wants_help) {
        puts("usage: corunna apps matrix [options] [NAME ...]\n\n"
             "Runs applications (all of them) with several libraries on several numbers of ranks. Status 0: all were "
             "verified.\n");
        cor_run_option_help(&matrix_table);
        return 0;
    }
    if (bench_places_open(&m.places, &m.interrupts, "corunna apps matrix") != 0)
        return 1;
    status = matrix_measure(&m);
    bench_places_close(&m.places);
    apps_results_free(&m.results);
    return status;
}
