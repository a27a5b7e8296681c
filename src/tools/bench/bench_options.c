/* SPDX-License-Identifier: Apache-2.0 */
/* The options of `corunna bench`, on the command line and in the lines of a plan. */
#include "tools/bench/bench_options.h"

#include "base/lines.h"
#include "launch/options/run_option.h"
#include "launch/run_plan.h"
#include "sim/sim_spec.h"

#include <string.h>

enum { OPTIONS_PLAN_BYTES = 1 << 20 };

enum options_id {
    OPTION_RANKS,
    OPTION_SIZES,
    OPTION_TYPES,
    OPTION_MODES,
    OPTION_JAVA,
    OPTION_THREADS,
    OPTION_AGAINST,
    OPTION_DEVICE,
    OPTION_HOSTS,
    OPTION_NETNS,
    OPTION_ASLEEP,
    OPTION_WITHOUT,
    OPTION_PLAN,
    OPTION_ROUNDS,
    OPTION_MS,
    OPTION_AGREE,
    OPTION_ROTATE,
    OPTION_CPUS,
    OPTION_LIMIT,
    OPTION_CHECK,
    OPTION_SEED,
    OPTION_CSV,
    OPTION_JSON,
    OPTION_HTML,
    OPTION_TARGETS,
    OPTION_SIM,
    OPTION_ALL,
    OPTION_QUIET,
    OPTION_HELP,
};

static const run_option options_rows[] = {
    {"n|np", OPTION_RANKS, "LIST", "numbers of ranks (2)"},
    {"sizes", OPTION_SIZES, "LIST", "message sizes, as in 8,1k,1m (each test has its own)"},
    {"types", OPTION_TYPES, "LIST", "element types (the first that the test has)"},
    {"modes", OPTION_MODES, "LIST",
     "apart and row for collectives, allocated and created for windows,\n"
     "                         block, rows, gap, cube for files, numbers of threads (all)"},
    {"java", OPTION_JAVA, "", "measure Java too, a process for each rank"},
    {"threads", OPTION_THREADS, "", "measure Java too, a thread for each rank"},
    {"against", OPTION_AGAINST, "LIST",
     "other libraries, in the same run: openmpi, mpich, mpjexpress,\n"
     "                         mpjexpress-nio; and floors: socket, a bare TCP connection,\n"
     "                         with --dev tcpdev; cacheline, memory alone, of pingpong;\n"
     "                         hydra, Corunna's ranks by another launcher, of startup"},
    {"dev", OPTION_DEVICE, "DEVICE", "the device, as for corunna run; tcpdev sends the others by TCP too"},
    {"hosts", OPTION_HOSTS, "LIST", "ranks on these hosts, as for corunna run; programs have the same path there"},
    {"netns", OPTION_NETNS, "", "ranks on two hosts that are network namespaces, over TCP; needs root"},
    {"asleep", OPTION_ASLEEP, "", "waiting ranks sleep at once instead of polling"},
    {"without", OPTION_WITHOUT, "LIST", "leave out libraries; for lines of a plan"},
    {"plan", OPTION_PLAN, "FILE", "lines of tests with options from -n to --without, instead of the command line's"},
    {"rounds", OPTION_ROUNDS, "R", "number of rounds, in which the libraries take turns; the best counts (3)"},
    {"ms", OPTION_MS, "N", "milliseconds for one figure of one round (200)"},
    {"agree", OPTION_AGREE, "P", "stop a round once its median and minimum differ by at most P percent (2)"},
    {"rotate", OPTION_ROTATE, "N", "use N buffers in turn instead of one"},
    {"cpus", OPTION_CPUS, "N", "use only N CPUs, of different cores where there are enough"},
    {"limit", OPTION_LIMIT, "S", "seconds after which a run of the program is ended (120; 600 with --check)"},
    {"check", OPTION_CHECK, "N", "measure N extra random sizes, held out to judge a model"},
    {"seed", OPTION_SEED, "S", "seed of the random sizes (1)"},
    {"csv", OPTION_CSV, "FILE", "write all figures to a file, see corunna model"},
    {"json", OPTION_JSON, "FILE", "write all figures to a file, in JSON"},
    {"html", OPTION_HTML, "FILE", "write a self-contained page with charts"},
    {"targets", OPTION_TARGETS, "FILE", "compare the figures with the targets in a file"},
    {"sim", OPTION_SIM, "CLUSTER", "predict instead, for a cluster such as nodes=256,ppn=16,model=F"},
    {"all-algorithms", OPTION_ALL, "", "with --sim: every algorithm, besides the one that the rules choose"},
    {"quiet|q", OPTION_QUIET, "", "no progress"},
    {"help|h", OPTION_HELP, "", "show this help"},
};

static const run_option_table options_table = {"corunna bench", options_rows,
                                               sizeof options_rows / sizeof options_rows[0]};

/* ---- options ---------------------------------------------------------------------------------------------------- */

static int options_number(const run_option_match *match, bench_options *options)
{
    static const struct {
        int id, minimum;
        size_t offset;
    } numbers[] = {
        {OPTION_ROUNDS, 1, offsetof(bench_options, rounds)},     {OPTION_MS, 1, offsetof(bench_options, ms)},
        {OPTION_AGREE, 0, offsetof(bench_options, agree)},       {OPTION_ROTATE, 1, offsetof(bench_options, rotate)},
        {OPTION_CPUS, 1, offsetof(bench_options, cpus)},         {OPTION_LIMIT, 1, offsetof(bench_options, limit_s)},
        {OPTION_CHECK, 1, offsetof(bench_options, check_count)}, {OPTION_SEED, 0, offsetof(bench_options, seed)},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (numbers[i].id == match->option->id)
            return cor_run_option_number(&options_table, match, numbers[i].minimum,
                                         (int *)(void *)((char *)options + numbers[i].offset));
    return 1;
}

static int options_text(const run_option_match *match, char *out, size_t room)
{
    if ((size_t)snprintf(out, room, "%s", match->values[0]) < room)
        return 0;
    fprintf(stderr, "corunna bench: %s: \"%s\" is too long\n", match->word, match->values[0]);
    return -1;
}

/* What a line of a plan may have, too. 1: it is another option. */
static int options_take_selection(const run_option_match *match, bench_options *options)
{
    bench_selection *selection = bench_options_selection(options);
    const char *value = match->values[0];
    switch (match->option->id) {
    case OPTION_RANKS:
        return bench_options_add_list(options, value, bench_options_add_ranks);
    case OPTION_SIZES:
        return bench_options_add_list(options, value, bench_options_add_size);
    case OPTION_WITHOUT:
        return bench_options_add_list(options, value, bench_options_add_without);
    case OPTION_TYPES:
        return options_text(match, selection->types, sizeof selection->types);
    case OPTION_MODES:
        return options_text(match, selection->modes, sizeof selection->modes);
    case OPTION_DEVICE:
        return options_text(match, selection->device, sizeof selection->device);
    case OPTION_HOSTS:
        return options_text(match, selection->hosts, sizeof selection->hosts);
    case OPTION_NETNS:
    case OPTION_ASLEEP:
        *(match->option->id == OPTION_NETNS ? &selection->is_netns : &selection->is_asleep) = 1;
        return 0;
    default:
        return 1;
    }
}

/* 0, or -1 after a message. */
static int options_take(const run_option_match *match, bench_options *options)
{
    int code = options_take_selection(match, options);
    if (code != 1)
        return code;
    switch (match->option->id) {
    case OPTION_AGAINST:
        return bench_options_add_list(options, match->values[0], bench_options_add_system);
    case OPTION_JAVA:
        return bench_options_add_system(options, "corunna-java");
    case OPTION_THREADS:
        return bench_options_add_system(options, "corunna-threads");
    case OPTION_CSV:
        options->csv = match->values[0];
        return 0;
    case OPTION_JSON:
        options->json = match->values[0];
        return 0;
    case OPTION_HTML:
        options->html = match->values[0];
        return 0;
    case OPTION_TARGETS:
        options->targets = match->values[0];
        return 0;
    case OPTION_PLAN:
        options->plan = match->values[0];
        return 0;
    case OPTION_SIM:
        options->sim = match->values[0];
        return 0;
    case OPTION_ALL:
        options->has_all = 1;
        return 0;
    case OPTION_QUIET:
        options->is_quiet = 1;
        return 0;
    default:
        return options_number(match, options);
    }
}

static void options_help(void)
{
    puts("usage: corunna bench [options] [TEST...]\n\n"
         "Measures Corunna on this machine, beside other libraries if asked to. Nothing else should run meanwhile.\n");
    cor_run_option_help(&options_table);
    puts("\ntests (pingpong, stream, bcast and allreduce if none is named):");
    for (int i = 0; i < bench_test_count; i++)
        printf("  %-22s %s%s%s\n", bench_tests[i].name, bench_tests[i].summary, *bench_tests[i].modes ? "; " : "",
               bench_tests[i].modes);
    cor_sim_spec_help();
}

/* ---- a plan ----------------------------------------------------------------------------------------------------- */

static int options_read_line(bench_options *options, char **words)
{
    if (bench_options_add_selection(options) != 0)
        return -1;
    for (int at = 0; words[at];) {
        run_option_match match;
        if (!cor_run_option_is(words[at])) {
            if (bench_options_add_test(options, words[at++]) != 0)
                return -1;
            continue;
        }
        int code = cor_run_option_take(&options_table, words, &at, &match);
        if (code == -1)
            cor_run_option_unknown(&options_table, words[at]);
        else if (code == 0)
            code = options_take_selection(&match, options);
        if (code == 1)
            fprintf(stderr, "corunna bench: %s does not belong into a plan\n", match.word);
        if (code != 0)
            return -1;
    }
    return 0;
}

/* 0, or -1 after a message. */
static int options_take_line(bench_options *options, char *line, int number)
{
    char *words[BENCH_WORDS_MAX], *rest = NULL;
    int count = 0;
    line[strcspn(line, "#\r")] = '\0';
    for (char *word = strtok_r(line, " \t", &rest); word && count < BENCH_WORDS_MAX - 1;
         word = strtok_r(NULL, " \t", &rest))
        words[count++] = word;
    words[count] = NULL;
    if (count == 0 || options_read_line(options, words) == 0)
        return 0;
    fprintf(stderr, "corunna bench: in line %d of %s\n", number, options->plan);
    return -1;
}

static int options_read_plan(bench_options *options)
{
    cor_lines lines;
    cor_fault fault = {0};
    int code = 0, more = cor_lines_open(&lines, options->plan, OPTIONS_PLAN_BYTES, &fault);
    options->selection_count = 0;
    if (more == COR_OK) {
        while (code == 0 && (more = cor_lines_next(&lines, &fault)) == 1)
            code = options_take_line(options, lines.text, lines.number);
        cor_lines_close(&lines);
    }
    if (more < 0)
        fprintf(stderr, "corunna bench: %s\n", fault.text);
    if (more < 0 || code != 0)
        return -1;
    if (options->selection_count > 0)
        return 0;
    fprintf(stderr, "corunna bench: %s names no tests\n", options->plan);
    return -1;
}

/* ---- the command line ------------------------------------------------------------------------------------------- */

int bench_options_parse(int argc, char **argv, bench_options *options_p, int *is_done_p)
{
    *options_p = (bench_options){.rounds = 3, .ms = 200, .batches = 20, .agree = 2, .rotate = 1, .seed = 1};
    *is_done_p = 0;
    if (bench_options_add_selection(options_p) != 0)
        return 1;
    for (int at = 1; at < argc;) {
        run_option_match match;
        if (!cor_run_option_is(argv[at])) {
            if (bench_options_add_test(options_p, argv[at++]) != 0)
                return RUN_STATUS_USAGE;
            continue;
        }
        int code = cor_run_option_take(&options_table, argv, &at, &match);
        if (code == -1)
            cor_run_option_unknown(&options_table, argv[at]);
        if (code != 0)
            return RUN_STATUS_USAGE;
        if (match.option->id == OPTION_HELP) {
            options_help();
            *is_done_p = 1;
            return 0;
        }
        if (options_take(&match, options_p) != 0)
            return RUN_STATUS_USAGE;
    }
    if (options_p->plan && options_read_plan(options_p) != 0)
        return RUN_STATUS_USAGE;
    return bench_options_complete(options_p) == 0 ? 0 : RUN_STATUS_USAGE;
}
