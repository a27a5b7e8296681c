#include "tools/bench/bench_options.h"

#include "base/knob.h"
#include "run/run_option.h"
#include "run/run_plan.h"

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
    OPTION_TARGETS,
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
     "other libraries, in the same run: openmpi, mpich, mpjexpress, mpjexpress-nio"},
    {"dev", OPTION_DEVICE, "DEVICE", "the device, as for corunna run; tcpdev sends the others by TCP too"},
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
    {"targets", OPTION_TARGETS, "FILE", "judge the figures by a list of targets"},
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

/* ---- lists ------------------------------------------------------------------------------------------------------ */

static int options_add_test(bench_options *options, const char *name)
{
    const char *names[BENCH_LIST_MAX];
    const bench_test *test = bench_test_find(name);
    if (test && options->test_count == BENCH_LIST_MAX)
        return options_full("tests");
    if (test) {
        options->tests[options->test_count++] = test;
        return 0;
    }
    for (int i = 0; i < bench_test_count; i++)
        names[i] = bench_tests[i].name;
    return options_unknown("test", name, names, (size_t)bench_test_count);
}

static int options_add_system(bench_options *options, const char *name)
{
    const char *names[BENCH_LIST_MAX];
    const bench_system *system = bench_system_find(name);
    for (int i = 0; i < bench_system_count; i++)
        names[i] = bench_systems[i].name;
    if (!system)
        return options_unknown("library", name, names, (size_t)bench_system_count);
    for (int i = 0; i < options->system_count; i++)
        if (options->systems[i] == system)
            return 0;
    options->systems[options->system_count++] = system;
    return 0;
}

static int options_add_ranks(bench_options *options, const char *word)
{
    char *end = NULL;
    long ranks = strtol(word, &end, 10);
    if (end == word || *end || ranks < 2 || ranks > 65536) {
        fprintf(stderr, "corunna bench: -n: \"%s\" is not a number of ranks from 2 to 65536\n", word);
        return -1;
    }
    if (options->ranks_count == BENCH_LIST_MAX)
        return options_full("numbers of ranks");
    options->ranks[options->ranks_count++] = (int)ranks;
    return 0;
}

static int options_add_size(bench_options *options, const char *word)
{
    size_t bytes = 0;
    if (!cor_knob_parse_size(word, &bytes) || bytes > INT32_MAX) {
        fprintf(stderr, "corunna bench: --sizes: \"%s\" is not a size, like 8, 1k or 1m\n", word);
        return -1;
    }
    if (options->size_count == BENCH_LIST_MAX)
        return options_full("sizes");
    options->sizes[options->size_count++] = (long)bytes;
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
        {OPTION_CHECK, 1, offsetof(bench_options, check_count)},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (numbers[i].id == match->option->id)
            return cor_run_option_number(&options_table, match, numbers[i].minimum,
                                         (int *)(void *)((char *)options + numbers[i].offset));
    return 1;
}

/* 0, or -1 after a message. */
static int options_take(const run_option_match *match, bench_options *options, int *seed_p)
{
    const char *value = match->values[0];
    switch (match->option->id) {
    case OPTION_RANKS:
        return options_add_list(options, value, options_add_ranks);
    case OPTION_SIZES:
        return options_add_list(options, value, options_add_size);
    case OPTION_AGAINST:
        return options_add_list(options, value, options_add_system);
    case OPTION_JAVA:
        return options_add_system(options, "corunna-java");
    case OPTION_THREADS:
        return options_add_system(options, "corunna-threads");
    case OPTION_TYPES:
        options->types = value;
        return 0;
    case OPTION_MODES:
        options->modes = value;
        return 0;
    case OPTION_DEVICE:
        options->device = value;
        return 0;
    case OPTION_CSV:
        options->csv = value;
        return 0;
    case OPTION_JSON:
        options->json = value;
        return 0;
    case OPTION_TARGETS:
        options->targets = value;
        return 0;
    case OPTION_QUIET:
        options->is_quiet = 1;
        return 0;
    case OPTION_SEED:
        return cor_run_option_number(&options_table, match, 0, seed_p);
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
}

/* ---- what is left open ------------------------------------------------------------------------------------------ */

/* Random sizes, evenly over the exponents, multiples of 8 so that every type has them. */
static void options_draw_checks(bench_options *options, int seed)
{
    uint64_t state = (uint64_t)seed * 2654435761u + 88172645463325252u;
    int wanted = options->check_count < BENCH_LIST_MAX / 2 ? options->check_count : BENCH_LIST_MAX / 2;
    long largest = 1 << 20;
    for (int i = 0; i < options->size_count; i++)
        largest = options->sizes[i] > largest ? options->sizes[i] : largest;
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

static int options_complete(bench_options *options, int seed)
{
    static const char *const usual[] = {"pingpong", "stream", "bcast", "allreduce"};
    if (options->ranks_count == 0)
        options->ranks[options->ranks_count++] = 2;
    for (size_t i = 0; options->test_count == 0 && i < sizeof usual / sizeof usual[0]; i++)
        options->tests[i] = bench_test_find(usual[i]);
    if (options->test_count == 0)
        options->test_count = sizeof usual / sizeof usual[0];
    if (options->check_count > 0)
        options_draw_checks(options, seed);
    return options_order_systems(options);
}

int bench_options_parse(int argc, char **argv, bench_options *options_p, int *is_done_p)
{
    int seed = 1;
    *options_p =
        (bench_options){.device = "", .rounds = 3, .ms = 200, .batches = 20, .agree = 2, .rotate = 1, .limit_s = 120};
    *is_done_p = 0;
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
        if (options_take(&match, options_p, &seed) != 0)
            return RUN_STATUS_USAGE;
    }
    return options_complete(options_p, seed) == 0 ? 0 : RUN_STATUS_USAGE;
}
