/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "base/clock.h"
#include "base/knob.h"
#include "base/machine.h"
#include "base/output.h"
#include "launch/options/run_option.h"
#include "launch/run_plan.h"
#include "tools/tools.h"
#include "tools/tune/tune.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum tune_option_id {
    TUNE_RANKS,
    TUNE_SIZES,
    TUNE_MINUTES,
    TUNE_HOSTS,
    TUNE_SIM,
    TUNE_OUTPUT,
    TUNE_HTML,
    TUNE_FRESH,
    TUNE_QUIET,
    TUNE_HELP
};

static const run_option tune_options[] = {
    {"n|np", TUNE_RANKS, "LIST", "numbers of ranks (2, as many as CPUs, twice as many)"},
    {"sizes", TUNE_SIZES, "LIST", "message sizes (8 to 4m)"},
    {"minutes", TUNE_MINUTES, "M", "measure for at most M minutes (10), and then compare once more"},
    {"hosts", TUNE_HOSTS, "LIST", "collectives of ranks on these hosts, as for corunna run; with -n and -o"},
    {"sim", TUNE_SIM, "CLUSTER", "collectives by prediction, for a cluster such as nodes=64,ppn=4,model=F; with -o"},
    {"o|output", TUNE_OUTPUT, "FILE", "the rules file (the one that corunna run reads)"},
    {"html", TUNE_HTML, "FILE", "before and after, as a page with charts"},
    {"fresh", TUNE_FRESH, "", "ignore the measurements of an earlier run"},
    {"quiet|q", TUNE_QUIET, "", "no progress"},
    {"help|h", TUNE_HELP, "", "show this help"},
};

static const run_option_table tune_table = {"corunna tune", tune_options,
                                            sizeof tune_options / sizeof tune_options[0]};

typedef struct tune_asked {
    char names[256], output[PATH_MAX];
    const char *html, *sim;
    int minutes, is_fresh, is_done;
} tune_asked;

/* ---- options ---------------------------------------------------------------------------------------------------- */

static int tune_add_ranks(tune_run *run, const char *word)
{
    char *end = NULL;
    long ranks = strtol(word, &end, 10);
    if (end == word || *end || ranks < 2 || ranks > 4096) {
        fprintf(stderr, "corunna tune: \"%s\" is not a number of ranks from 2 to 4096\n", word);
        return -1;
    }
    int at = run->rank_count;
    while (at > 0 && run->ranks[at - 1] >= ranks)
        if (run->ranks[--at] == ranks)
            return 0;
    if (run->rank_count == TUNE_RANKS_MAX) {
        fprintf(stderr, "corunna tune: at most %d numbers of ranks\n", TUNE_RANKS_MAX);
        return -1;
    }
    memmove(&run->ranks[at + 1], &run->ranks[at], (size_t)(run->rank_count - at) * sizeof run->ranks[0]);
    run->ranks[at] = (int)ranks;
    run->rank_count++;
    return 0;
}

static int tune_add_size(tune_run *run, const char *word)
{
    size_t bytes = 0;
    if (!cor_knob_parse_size(word, &bytes) || bytes % 8 || bytes == 0 || bytes > 1 << 30 ||
        (run->size_count > 0 && (long)bytes <= run->sizes[run->size_count - 1])) {
        fprintf(stderr, "corunna tune: \"%s\": sizes are multiples of 8 in rising order, like 8,1k,1m\n", word);
        return -1;
    }
    if (run->size_count == TUNE_SIZES_MAX) {
        fprintf(stderr, "corunna tune: at most %d sizes\n", TUNE_SIZES_MAX);
        return -1;
    }
    run->sizes[run->size_count++] = (long)bytes;
    return 0;
}

static int tune_add_list(tune_run *run, const char *list, int (*add)(tune_run *, const char *))
{
    char word[BENCH_NAME_MAX];
    while (bench_list_next(&list, word))
        if (add(run, word) != 0)
            return -1;
    return 0;
}

static void tune_help(void)
{
    puts("usage: corunna tune [options] [COLLECTIVE|sm|tcp...]\n\n"
         "Finds the fastest algorithm of each collective on this machine, and the best settings of shared memory (sm) "
         "and "
         "TCP (tcp),\nand writes them to a file, which corunna run uses from then on. Nothing else should run "
         "meanwhile.\n");
    cor_run_option_help(&tune_table);
}

static int tune_take_hosts(tune_run *run, const char *list)
{
    char name[BENCH_NAME_MAX];
    if ((size_t)snprintf(run->hosts, sizeof run->hosts, "%s", list) >= sizeof run->hosts) {
        fprintf(stderr, "corunna tune: --hosts: the list has more than %zu characters\n", sizeof run->hosts - 1);
        return -1;
    }
    run->host_count = 0;
    while (bench_list_next(&list, name))
        run->host_count++;
    if (run->host_count > 1)
        return 0;
    fputs("corunna tune: --hosts needs two hosts or more, as in a:4,b:4\n", stderr);
    return -1;
}

static int tune_take(tune_run *run, tune_asked *asked, const run_option_match *match)
{
    switch (match->option->id) {
    case TUNE_RANKS:
        return tune_add_list(run, match->values[0], tune_add_ranks);
    case TUNE_SIZES:
        return tune_add_list(run, match->values[0], tune_add_size);
    case TUNE_MINUTES:
        return cor_run_option_number(&tune_table, match, 1, &asked->minutes);
    case TUNE_HOSTS:
        return tune_take_hosts(run, match->values[0]);
    case TUNE_SIM:
        asked->sim = match->values[0];
        return 0;
    case TUNE_OUTPUT:
        snprintf(asked->output, sizeof asked->output, "%s", match->values[0]);
        return 0;
    case TUNE_HTML:
        asked->html = match->values[0];
        return 0;
    case TUNE_FRESH:
        asked->is_fresh = 1;
        return 0;
    case TUNE_QUIET:
        run->is_terminal = 0;
        return 0;
    default:
        tune_help();
        asked->is_done = 1;
        return 0;
    }
}

static int tune_parse(tune_run *run, tune_asked *asked, int argc, char **argv)
{
    for (int at = 1; at < argc && !asked->is_done;) {
        run_option_match match;
        if (!cor_run_option_is(argv[at])) {
            size_t used = strlen(asked->names);
            snprintf(asked->names + used, sizeof asked->names - used, "%s%s", used ? "," : "", argv[at++]);
            continue;
        }
        int code = cor_run_option_take(&tune_table, argv, &at, &match);
        if (code == -1)
            cor_run_option_unknown(&tune_table, argv[at]);
        if (code != 0 || tune_take(run, asked, &match) != 0)
            return -1;
    }
    return 0;
}

/* ---- defaults --------------------------------------------------------------------------------------------------- */

static int tune_complete(tune_run *run, tune_asked *asked)
{
    static const char sizes[] = "8,64,512,2k,4k,8k,16k,32k,128k,512k,2m";
    cpu_set_t allowed;
    sched_getaffinity(0, sizeof allowed, &allowed);
    run->cpus = CPU_COUNT(&allowed);
    if (run->host_count > 1 && (run->rank_count == 0 || !*asked->output)) {
        fputs("corunna tune: with --hosts name the numbers of ranks (-n) and the file (-o) too\n", stderr);
        return -1;
    }
    if (asked->sim && (run->host_count > 1 || !*asked->output)) {
        fputs("corunna tune: --sim goes without --hosts, and with -o: the file is not for this machine\n", stderr);
        return -1;
    }
    if (asked->sim && tune_sim_open(run, asked->sim) != 0)
        return -1;
    if (run->rank_count == 0) {
        char usual[64];
        snprintf(usual, sizeof usual, "2,%d,%d", run->cpus > 2 ? run->cpus : 4, run->cpus > 2 ? 2 * run->cpus : 8);
        tune_add_list(run, usual, tune_add_ranks);
    }
    run->has_sizes = run->size_count > 0;
    if (run->size_count == 0)
        tune_add_list(run, sizes, tune_add_size);
    if (!*asked->output && cor_machine_tuned_path(asked->output, sizeof asked->output, 1) != 0) {
        fputs("corunna tune: there is no home folder for the rules; name a file with -o\n", stderr);
        return -1;
    }
    cor_fault fault = {0};
    if (cor_output_check(asked->output, &fault) != COR_OK ||
        (asked->html && cor_output_check(asked->html, &fault) != COR_OK)) {
        fprintf(stderr, "corunna tune: %s\n", fault.text);
        return -1;
    }
    run->output = asked->output;
    snprintf(run->measured, sizeof run->measured, "%.*s.measured", (int)sizeof run->measured - 16, run->output);
    if (asked->is_fresh)
        unlink(run->measured);
    return tune_subjects_make(run, asked->names);
}

/* Settings, which take few starts, have at most a third of the time. 0, 1: as tune_measure. */
static int tune_measure_all(tune_run *run, int minutes)
{
    uint64_t all_ns = (uint64_t)minutes * 60000000000u, start_ns = cor_clock_ns();
    run->end_ns = start_ns + (run->subject_count > 0 ? all_ns / 3 : all_ns);
    int code = tune_settings_measure(run);
    run->end_ns = start_ns + all_ns;
    return code | tune_measure(run);
}

/* The rules and the page. Returns the exit status. */
static int tune_finish(const tune_run *run, const tune_asked *asked, int is_early)
{
    tune_settings_print(run, stdout);
    if (run->subject_count > 0)
        tune_print_gains(run, stdout);
    if (tune_write(run, run->output) != 0 || (asked->html && tune_page_write(run, asked->html) != 0))
        return 1;
    printf("rules: %s%s\n", run->output,
           !is_early           ? ""
           : run->is_simulated ? " (the time was up before all was predicted)"
                               : " (the time was up before all was measured; run it again to go on)");
    return 0;
}

static int tune_predict(tune_run *run, const tune_asked *asked)
{
    run->end_ns = cor_clock_ns() + (uint64_t)asked->minutes * 60000000000u;
    int code = tune_sim_measure(run);
    if (run->is_terminal)
        fputs("\r\033[K", stderr);
    if (code < 0)
        return 1;
    if (run->interrupts.number) {
        fprintf(stderr, "corunna tune: interrupted; %s is as it was\n", run->output);
        return 128 + run->interrupts.number;
    }
    tune_choose(run);
    tune_sim_check(run);
    return tune_finish(run, asked, code);
}

static int tune_all(tune_run *run, const tune_asked *asked)
{
    bench_words_add(&run->environment, "BENCH_BATCHES=10");
    bench_words_add(&run->environment, "BENCH_AGREE=2");
    bench_words_add(&run->environment, "BENCH_CORES=%d", run->cpus);
    bench_words_add(&run->environment, "TMPDIR=%s", run->places.work);
    if (tune_open_log(run) != 0)
        return 1;
    int code = tune_measure_all(run, asked->minutes);
    if (!run->interrupts.number) {
        tune_settings_check(run);
        tune_choose(run);
        tune_check(run);
    }
    if (run->is_terminal)
        fputs("\r\033[K", stderr);
    if (run->interrupts.number) {
        fprintf(stderr, "corunna tune: interrupted; %s is as it was, and the next run goes on with %s\n", run->output,
                run->measured);
        return 128 + run->interrupts.number;
    }
    return tune_finish(run, asked, code);
}

int cor_command_tune(int argc, char **argv)
{
    tune_run run = {.is_terminal = isatty(STDERR_FILENO), .host_count = 1};
    tune_asked asked = {.minutes = 10};
    char why[BENCH_WHY_MAX];
    int status = RUN_STATUS_USAGE;
    if (tune_parse(&run, &asked, argc, argv) == 0 &&
        (asked.is_done ||
         (tune_complete(&run, &asked) == 0 && bench_places_open(&run.places, &run.interrupts, "corunna tune") == 0))) {
        status = 0;
        if (!asked.is_done && !bench_system_find("corunna")->prepare(&run.places, why)) {
            fprintf(stderr, "corunna tune: %s\n", why);
            status = 1;
        } else if (!asked.is_done) {
            status = run.is_simulated ? tune_predict(&run, &asked) : tune_all(&run, &asked);
        }
        if (!asked.is_done)
            bench_places_close(&run.places);
    }
    if (run.log)
        fclose(run.log);
    bench_results_free(&run.results);
    bench_words_free(&run.environment);
    free(run.subjects);
    return status;
}
