/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/bench/bench_options.h"

#include "base/knob.h"
#include "run/run_option.h"
#include "run/run_plan.h"
#include "sim/sim_spec.h"
#include "tools/bench/bench_system.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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
    {"modes", OPTION_MODES, "LIST", "of collectives apart and row, of threads their number (all)"},
    {"java", OPTION_JAVA, "", "measure Java too, a process for each rank"},
    {"threads", OPTION_THREADS, "", "measure Java too, a thread for each rank"},
    {"against", OPTION_AGAINST, "LIST",
     "other libraries, in the same run: openmpi, mpich, mpjexpress,\n"
     "                         mpjexpress-nio; and floors: socket, a bare TCP connection;\n"
     "                         cacheline, memory alone; hydra, our ranks by another launcher"},
    {"dev", OPTION_DEVICE, "DEVICE", "the device, as for corunna run; tcpdev sends the others by TCP too"},
    {"hosts", OPTION_HOSTS, "LIST", "ranks on these hosts, as for corunna run; programs have the same path there"},
    {"netns", OPTION_NETNS, "", "ranks on two hosts that are network namespaces, over TCP; needs root"},
    {"asleep", OPTION_ASLEEP, "", "ranks that wait sleep at once instead of looking for messages"},
    {"without", OPTION_WITHOUT, "LIST", "leave out libraries; for lines of a plan"},
    {"plan", OPTION_PLAN, "FILE", "lines of tests with options from -n to --without, instead of the command line's"},
    {"rounds", OPTION_ROUNDS, "R", "the best of so many rounds, in which the libraries take turns (3)"},
    {"ms", OPTION_MS, "N", "milliseconds for one figure of one round (200)"},
    {"agree", OPTION_AGREE, "P", "enough, once median and minimum of a round differ by at most P percent (2)"},
    {"rotate", OPTION_ROTATE, "N", "use N buffers in turn instead of one"},
    {"cpus", OPTION_CPUS, "N", "use only N CPUs, of different cores where there are enough"},
    {"limit", OPTION_LIMIT, "S", "seconds after which a start of the program is given up (120)"},
    {"check", OPTION_CHECK, "N", "measure N random sizes more, by which a model is judged"},
    {"seed", OPTION_SEED, "S", "of the random sizes (1)"},
    {"csv", OPTION_CSV, "FILE", "write all figures to a file, see corunna model"},
    {"json", OPTION_JSON, "FILE", "the same in JSON"},
    {"html", OPTION_HTML, "FILE", "a page with charts that needs nothing else"},
    {"targets", OPTION_TARGETS, "FILE", "judge the figures by a list of targets"},
    {"sim", OPTION_SIM, "CLUSTER", "predict instead, for a cluster such as nodes=256,ppn=16,model=F"},
    {"all-algorithms", OPTION_ALL, "", "with --sim: each algorithm, beside the one that the rules choose"},
    {"quiet|q", OPTION_QUIET, "", "no progress"},
    {"help|h", OPTION_HELP, "", "show this help"},
};

static const run_option_table options_table = {"corunna bench", options_rows,
                                               sizeof options_rows / sizeof options_rows[0]};

int bench_list_next(const char **list_p, char word[BENCH_NAME_MAX])
{
    const char *at = *list_p + strspn(*list_p, ", ");
    size_t length = strcspn(at, ", ");
    *list_p = at + length;
    snprintf(word, BENCH_NAME_MAX, "%.*s", (int)(length < BENCH_NAME_MAX ? length : BENCH_NAME_MAX - 1), at);
    return length > 0;
}

static int options_unknown(const char *what, const char *word, const char *const *names, size_t count)
{
    const char *nearest = cor_nearest(word, names, count);
    fprintf(stderr, "corunna bench: unknown %s \"%s\"%s%s%s\n", what, word, nearest ? "; did you mean " : "",
            nearest ? nearest : "", nearest ? "?" : "");
    return -1;
}

static int options_full(const char *what)
{
    fprintf(stderr, "corunna bench: at most %d %s\n", BENCH_LIST_MAX, what);
    return -1;
}

/* The one that is being read. */
static bench_selection *options_selection(bench_options *options)
{
    return &options->selections[options->selection_count - 1];
}

static int options_next_selection(bench_options *options)
{
    bench_selection *all = realloc(options->selections, (size_t)(options->selection_count + 1) * sizeof *all);
    if (!all) {
        fputs("corunna bench: out of memory\n", stderr);
        return -1;
    }
    options->selections = all;
    all[options->selection_count++] = (bench_selection){0};
    return 0;
}

void bench_options_free(bench_options *options)
{
    free(options->selections);
}

/* ---- lists ------------------------------------------------------------------------------------------------------ */

static int options_add_test(bench_options *options, const char *name)
{
    bench_selection *selection = options_selection(options);
    const char *names[BENCH_LIST_MAX];
    const bench_test *test = bench_test_find(name);
    if (test && selection->test_count == BENCH_LIST_MAX)
        return options_full("tests");
    if (test) {
        selection->tests[selection->test_count++] = test;
        return 0;
    }
    for (int i = 0; i < bench_test_count; i++)
        names[i] = bench_tests[i].name;
    return options_unknown("test", name, names, (size_t)bench_test_count);
}

static const bench_system *options_find_system(const char *name)
{
    const char *names[BENCH_LIST_MAX];
    const bench_system *system = bench_system_find(name);
    for (int i = 0; i < bench_system_count; i++)
        names[i] = bench_systems[i].name;
    if (!system)
        options_unknown("library", name, names, (size_t)bench_system_count);
    return system;
}

static int options_add_without(bench_options *options, const char *name)
{
    bench_selection *selection = options_selection(options);
    const bench_system *system = options_find_system(name);
    if (!system || selection->without_count == BENCH_LIST_MAX)
        return -1;
    selection->without[selection->without_count++] = system;
    return 0;
}

static int options_add_system(bench_options *options, const char *name)
{
    const bench_system *system = options_find_system(name);
    if (!system)
        return -1;
    for (int i = 0; i < options->system_count; i++)
        if (options->systems[i] == system)
            return 0;
    options->systems[options->system_count++] = system;
    return 0;
}

static int options_add_ranks(bench_options *options, const char *word)
{
    bench_selection *selection = options_selection(options);
    char *end = NULL;
    long ranks = strtol(word, &end, 10);
    if (end == word || *end || ranks < 2 || ranks > 65536) {
        fprintf(stderr, "corunna bench: -n: \"%s\" is not a number of ranks from 2 to 65536\n", word);
        return -1;
    }
    if (selection->ranks_count == BENCH_LIST_MAX)
        return options_full("numbers of ranks");
    selection->ranks[selection->ranks_count++] = (int)ranks;
    return 0;
}

static int options_add_size(bench_options *options, const char *word)
{
    bench_selection *selection = options_selection(options);
    size_t bytes = 0;
    if (!cor_knob_parse_size(word, &bytes) || bytes > INT32_MAX) {
        fprintf(stderr, "corunna bench: --sizes: \"%s\" is not a size, like 8, 1k or 1m\n", word);
        return -1;
    }
    if (selection->size_count == BENCH_LIST_MAX)
        return options_full("sizes");
    selection->sizes[selection->size_count++] = (long)bytes;
    return 0;
}

static int options_add_list(bench_options *options, const char *list, int (*add)(bench_options *, const char *))
{
    char word[BENCH_NAME_MAX];
    while (bench_list_next(&list, word))
        if (add(options, word) != 0)
            return -1;
    return 0;
}

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
    bench_selection *selection = options_selection(options);
    const char *value = match->values[0];
    switch (match->option->id) {
    case OPTION_RANKS:
        return options_add_list(options, value, options_add_ranks);
    case OPTION_SIZES:
        return options_add_list(options, value, options_add_size);
    case OPTION_WITHOUT:
        return options_add_list(options, value, options_add_without);
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
        return options_add_list(options, match->values[0], options_add_system);
    case OPTION_JAVA:
        return options_add_system(options, "corunna-java");
    case OPTION_THREADS:
        return options_add_system(options, "corunna-threads");
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
    if (options_next_selection(options) != 0)
        return -1;
    for (int at = 0; words[at];) {
        run_option_match match;
        if (!cor_run_option_is(words[at])) {
            if (options_add_test(options, words[at++]) != 0)
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

static int options_read_plan(bench_options *options)
{
    char line[1024], *words[BENCH_WORDS_MAX];
    FILE *file = fopen(options->plan, "r");
    if (!file) {
        fprintf(stderr, "corunna bench: %s cannot be read: %s\n", options->plan, strerror(errno));
        return -1;
    }
    options->selection_count = 0;
    for (int number = 1; fgets(line, sizeof line, file); number++) {
        char *rest = NULL;
        int count = 0;
        line[strcspn(line, "#\n")] = '\0';
        for (char *word = strtok_r(line, " \t", &rest); word && count < BENCH_WORDS_MAX - 1;
             word = strtok_r(NULL, " \t", &rest))
            words[count++] = word;
        words[count] = NULL;
        if (count > 0 && options_read_line(options, words) != 0) {
            fprintf(stderr, "corunna bench: in line %d of %s\n", number, options->plan);
            fclose(file);
            return -1;
        }
    }
    fclose(file);
    if (options->selection_count > 0)
        return 0;
    fprintf(stderr, "corunna bench: %s names no tests\n", options->plan);
    return -1;
}

/* ---- what is left open ------------------------------------------------------------------------------------------ */

/* Random sizes, evenly over the exponents, multiples of 8 so that every type has them. */
static void options_draw_checks(bench_options *options)
{
    uint64_t state = (uint64_t)options->seed * 2654435761u + 88172645463325252u;
    int wanted = options->check_count < BENCH_LIST_MAX / 2 ? options->check_count : BENCH_LIST_MAX / 2;
    const bench_selection *first = &options->selections[0];
    long largest = first->size_count > 0 ? 64 : 1 << 20;
    for (int i = 0; i < first->size_count; i++)
        largest = first->sizes[i] > largest ? first->sizes[i] : largest;
    for (options->check_count = 0; options->check_count < wanted;) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        double part = (double)(state >> 11) / (double)(1ull << 53);
        options->checks[options->check_count++] = (long)(exp(log(8) + part * log((double)largest / 8)) / 8) * 8;
    }
}

/* A peer of another language brings our own of that language. Ours come first. */
static int options_order_systems(bench_options *options)
{
    const bench_system *asked[BENCH_LIST_MAX];
    int count = options->system_count, has_java_peer = 0, has_own_java = 0;
    memcpy(asked, options->systems, sizeof asked);
    options->system_count = 0;
    for (int i = 0; i < count; i++) {
        has_java_peer |= asked[i]->is_java && !asked[i]->is_ours;
        has_own_java |= asked[i]->is_java && asked[i]->is_ours;
    }
    if (options_add_system(options, "corunna") != 0 ||
        (has_java_peer && !has_own_java && options_add_system(options, "corunna-java") != 0))
        return -1;
    for (int ours = 1; ours >= 0; ours--)
        for (int i = 0; i < count; i++)
            if (asked[i]->is_ours == ours && options_add_system(options, asked[i]->name) != 0)
                return -1;
    return 0;
}

/* Between namespaces there is TCP only. */
static int options_complete_place(bench_selection *selection)
{
    if (selection->is_netns && *selection->hosts) {
        fputs("corunna bench: --netns makes hosts of its own; it does not go with --hosts\n", stderr);
        return -1;
    }
    if (selection->is_netns) {
        snprintf(selection->hosts, sizeof selection->hosts, "%s", BENCH_NETNS_FIRST "," BENCH_NETNS_SECOND);
        if (!*selection->device)
            snprintf(selection->device, sizeof selection->device, "tcpdev");
    }
    const char *place = selection->is_netns ? "netns" : *selection->hosts ? "hosts" : "";
    const char *parts[] = {selection->device, place, selection->is_asleep ? "asleep" : ""};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        size_t used = strlen(selection->variant);
        snprintf(selection->variant + used, sizeof selection->variant - used, "%s%s", used && *parts[i] ? "-" : "",
                 parts[i]);
    }
    return 0;
}

static void options_complete_selection(bench_selection *selection, int is_measured)
{
    static const char *const usual[] = {"pingpong", "stream", "bcast", "allreduce"};
    if (selection->ranks_count == 0 && is_measured)
        selection->ranks[selection->ranks_count++] = 2;
    if (selection->test_count > 0)
        return;
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++)
        selection->tests[selection->test_count++] = bench_test_find(usual[i]);
}

static int options_complete(bench_options *options)
{
    if (options->plan && options_read_plan(options) != 0)
        return -1;
    for (int i = 0; i < options->selection_count; i++) {
        if (options_complete_place(&options->selections[i]) != 0)
            return -1;
        options_complete_selection(&options->selections[i], !options->sim);
    }
    if (options->check_count > 0)
        options_draw_checks(options);
    return options_order_systems(options);
}

int bench_options_parse(int argc, char **argv, bench_options *options_p, int *is_done_p)
{
    *options_p =
        (bench_options){.rounds = 3, .ms = 200, .batches = 20, .agree = 2, .rotate = 1, .limit_s = 120, .seed = 1};
    *is_done_p = 0;
    if (options_next_selection(options_p) != 0)
        return 1;
    for (int at = 1; at < argc;) {
        run_option_match match;
        if (!cor_run_option_is(argv[at])) {
            if (options_add_test(options_p, argv[at++]) != 0)
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
    return options_complete(options_p) == 0 ? 0 : RUN_STATUS_USAGE;
}
