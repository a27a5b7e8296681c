/* SPDX-License-Identifier: Apache-2.0 */
/* `corunna bench --sim`: predictions for a cluster that is not there, in the same tables and files as measurements. */
#include "coll/choose/algorithms.h"
#include "launch/run_plan.h"
#include "mp/coll_config.h"
#include "sim/sim_predict.h"
#include "tools/bench/bench_options.h"

#include "base/knob.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct sim_job {
    const bench_options *options;
    cor_sim_spec spec;
    cor_coll_config config;
    cor_rules rules;
    bench_results results;
    bench_words notes;
    uint64_t events;
    double seconds;       /* of CPU time in which they were handled: other programs may run meanwhile */
    size_t memory_a_rank; /* the most */
    int is_told;          /* progress */
} sim_job;

/* What the figures are shown as: no library that could be started. */
static const bench_system sim_system = {.name = "simulated", .title = "simulated", .is_ours = 1};

static int sim_fail(const cor_fault *fault)
{
    fprintf(stderr, "corunna bench: %s\n", fault->text);
    return RUN_STATUS_USAGE;
}

static void sim_note(sim_job *job, const char *text)
{
    for (int i = 0; i < job->notes.count; i++)
        if (strcmp(job->notes.words[i], text) == 0)
            return;
    if (job->notes.count < BENCH_WORDS_MAX - 1)
        bench_words_add(&job->notes, "%s", text);
}

/* One test of one size among so many ranks. */
typedef struct sim_case {
    const bench_test *test;
    char type[BENCH_NAME_MAX];
    int ranks;
    size_t bytes;
    const char *modes; /* that are asked for */
} sim_case;

static size_t sim_element_bytes(const char *type)
{
    return strcmp(type, "double") == 0 ? 8 : strcmp(type, "int") == 0 ? 4 : 1;
}

/* ---- tests between pairs
 * -------------------------------------------------------------------------------------------- */

/* Rank 0 and the first rank of the next node, or of its own if there is but one, send to and fro; others do nothing. */
static int sim_build_pingpong(cor_sim_program *program, const cor_sim_net *net, size_t bytes, cor_fault *fault)
{
    int other = net->ranks > net->node_ranks ? net->node_ranks : 1;
    int rc = cor_sim_program_begin(program, net->ranks, fault);
    for (int rank = 0; rank < net->ranks && rc == COR_OK; rank++) {
        cor_sim_program_rank(program, rank);
        for (int k = 0; k < 2 && rc == COR_OK && (rank == 0 || rank == other); k++) {
            rc = cor_sim_program_transfer(program, (rank == 0) == (k == 0), rank == 0 ? other : 0, bytes, fault);
            if (rc == COR_OK)
                rc = cor_sim_program_add(program, COR_SIM_WAIT, (uint64_t)k, fault);
        }
    }
    return rc == COR_OK ? cor_sim_program_join(program, fault) : rc;
}

/* Each rank with both neighbours in a ring. */
static int sim_build_exchange(cor_sim_program *program, const cor_sim_net *net, size_t bytes, cor_fault *fault)
{
    int ranks = net->ranks, rc = cor_sim_program_begin(program, ranks, fault);
    for (int rank = 0; rank < ranks && rc == COR_OK; rank++) {
        int before = (rank + ranks - 1) % ranks, after = (rank + 1) % ranks;
        cor_sim_program_rank(program, rank);
        for (int k = 0; k < 4 && rc == COR_OK; k++) /* of two ranks, which are neighbours twice, in one order */
            rc = cor_sim_program_transfer(program, k >= 2, k == 0 || k == 3 ? before : after, bytes, fault);
    }
    return rc == COR_OK ? cor_sim_program_join(program, fault) : rc;
}

static const struct {
    const char *test;
    int (*build)(cor_sim_program *program, const cor_sim_net *net, size_t bytes, cor_fault *fault);
    double parts; /* of its time that are shown */
} sim_pairs[] = {{"pingpong", sim_build_pingpong, 2}, {"exchange", sim_build_exchange, 1}};

enum { SIM_PAIRS = sizeof sim_pairs / sizeof *sim_pairs };

static int sim_pair_find(const char *test)
{
    int at = 0;
    while (at < SIM_PAIRS && strcmp(sim_pairs[at].test, test) != 0)
        at++;
    return at;
}

/* ---- running
 * -------------------------------------------------------------------------------------------------------- */

static void sim_progress(const sim_job *job, const sim_case *c, const char *variant)
{
    if (job->is_told)
        fprintf(stderr, "\r\033[K%s, %d ranks, %zu bytes%s%s", c->test->name, c->ranks, c->bytes, *variant ? ", " : "",
                variant);
}

static void sim_add(sim_job *job, const sim_case *c, const char *variant, const char *mode, double us)
{
    char line[256];
    snprintf(line, sizeof line, "%s\t%s\t%s\t%zu\tus\t%.9g\t%.9g\t1", c->test->name, c->type, mode, c->bytes, us, us);
    bench_results_add(&job->results, &sim_system, c->ranks, variant, line);
}

static int sim_has_mode(const sim_case *c, const char *mode)
{
    char word[BENCH_NAME_MAX];
    const char *list = c->modes;
    while (bench_list_next(&list, word))
        if (strcmp(word, mode) == 0)
            return 1;
    return 0;
}

static double sim_cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int sim_run(sim_job *job, const sim_case *c, const cor_sim_program *program, const char *variant, double parts,
                   cor_fault *fault)
{
    cor_sim_prediction result;
    int is_row = sim_has_mode(c, "row");
    double start = sim_cpu_seconds();
    int rc = cor_sim_predict(&job->spec, program, is_row, NULL, &result, fault);
    if (rc != COR_OK)
        return rc;
    job->seconds += sim_cpu_seconds() - start;
    job->events += result.events;
    size_t memory = result.memory_bytes / (size_t)c->ranks;
    if (memory > job->memory_a_rank)
        job->memory_a_rank = memory;
    if (!*c->test->modes)
        sim_add(job, c, variant, "", result.apart_us / parts);
    if (sim_has_mode(c, "apart"))
        sim_add(job, c, variant, "apart", result.apart_us);
    if (is_row)
        sim_add(job, c, variant, "row", result.row_us);
    return COR_OK;
}

/* ---- collectives
 * ---------------------------------------------------------------------------------------------------- */

static int sim_collective(sim_job *job, const sim_case *c, const cor_rule *rule, const char *variant, cor_fault *fault)
{
    cor_sim_program program;
    cor_sim_call call = {.primitive = rule->primitive,
                         .ranks = c->ranks,
                         .node_ranks = job->spec.net.node_ranks,
                         .bytes = c->bytes,
                         .element_bytes = sim_element_bytes(c->type),
                         .rule = rule,
                         .memory_max = job->spec.memory_max};
    sim_progress(job, c, variant);
    int rc = cor_sim_program_make(&program, &call, fault);
    if (rc == COR_OK)
        rc = sim_run(job, c, &program, variant, 1, fault);
    cor_sim_program_free(&program);
    return rc;
}

/* What is forced for the primitive, or what the rules choose. */
static int sim_choose(sim_job *job, const sim_case *c, cor_primitive primitive, const cor_situation *situation,
                      cor_rule *rule_p, cor_fault *fault)
{
    size_t element = sim_element_bytes(c->type);
    char forced[COR_COLL_TEXT_MAX];
    if (*cor_coll_forced(&job->config, primitive, forced)) {
        int rc = cor_rule_parse_choice(primitive, forced, rule_p, fault);
        if (rc == COR_OK && !cor_sim_can_run(rule_p->algorithm, situation, c->bytes, element))
            rc = cor_fault_set(fault, COR_ERR_KNOB, "%s of %s, which coll.%s asks for, cannot be simulated here",
                               rule_p->algorithm->name, c->test->name, c->test->name);
        return rc;
    }
    const cor_rule *rule = cor_sim_choose(&job->rules, primitive, situation, c->bytes, element);
    if (!rule)
        return cor_fault_set(fault, COR_ERR_KNOB, "no rule that builds a plan fits a %s of %zu bytes on %d ranks",
                             c->test->name, c->bytes, c->ranks);
    *rule_p = *rule;
    return COR_OK;
}

static void sim_tell_choice(sim_job *job, const sim_case *c, const cor_rule *rule)
{
    char text[160], size[BENCH_NAME_MAX];
    bench_size_print((long)c->bytes, size);
    snprintf(text, sizeof text, "%s, %d ranks, %s: %s", c->test->name, c->ranks, size, rule->algorithm->name);
    sim_note(job, text);
}

static int sim_collective_case(sim_job *job, const sim_case *c, cor_primitive primitive, cor_fault *fault)
{
    cor_situation situation = cor_sim_situation(c->ranks, job->spec.net.node_ranks);
    cor_rule rule;
    int rc = sim_choose(job, c, primitive, &situation, &rule, fault);
    if (rc == COR_OK)
        rc = sim_collective(job, c, &rule, "simdev", fault);
    if (rc == COR_OK)
        sim_tell_choice(job, c, &rule);
    for (size_t i = 0; i < cor_algorithm_count && rc == COR_OK && job->options->has_all; i++) {
        char variant[BENCH_NAME_MAX];
        if (cor_algorithms[i]->primitive != primitive ||
            !cor_sim_can_run(cor_algorithms[i], &situation, c->bytes, sim_element_bytes(c->type)))
            continue;
        cor_rule plain = cor_sim_rule_of(cor_algorithms[i]);
        snprintf(variant, sizeof variant, "simdev:%.40s", cor_algorithms[i]->name);
        rc = sim_collective(job, c, &plain, variant, fault);
    }
    return rc;
}

static int sim_one(sim_job *job, const sim_case *c, cor_fault *fault)
{
    char text[160];
    cor_primitive primitive = cor_primitive_find(c->test->name);
    int pair = sim_pair_find(c->test->name);
    if (primitive < COR_PRIMITIVES)
        return sim_collective_case(job, c, primitive, fault);
    if (pair == SIM_PAIRS) {
        snprintf(text, sizeof text, "%s is not simulated; pingpong, exchange and the collectives are", c->test->name);
        sim_note(job, text);
        return COR_OK;
    }
    cor_sim_program program = {0};
    cor_sim_net net = job->spec.net;
    net.ranks = c->ranks;
    sim_progress(job, c, "");
    int rc = sim_pairs[pair].build(&program, &net, c->bytes, fault);
    if (rc == COR_OK)
        rc = sim_run(job, c, &program, "simdev", sim_pairs[pair].parts, fault);
    cor_sim_program_free(&program);
    return rc;
}

/* ---- what is asked for
 * ------------------------------------------------------------------------------------------------ */

static int sim_sizes(sim_job *job, const bench_selection *selection, sim_case *c, cor_fault *fault)
{
    char size[BENCH_NAME_MAX];
    int rc = COR_OK;
    if (!*c->test->sizes)
        return sim_one(job, c, fault);
    for (int i = 0; i < selection->size_count && rc == COR_OK; i++) {
        c->bytes = (size_t)selection->sizes[i];
        rc = sim_one(job, c, fault);
    }
    const char *sizes = selection->size_count > 0 ? "" : c->test->sizes;
    while (rc == COR_OK && bench_list_next(&sizes, size))
        if (cor_knob_parse_size(size, &c->bytes))
            rc = sim_one(job, c, fault);
    return rc;
}

/* Types do not matter but for where a stream is cut: the first one that is asked for and that the test has. */
static void sim_type(const bench_selection *selection, const bench_test *test, char type[BENCH_NAME_MAX])
{
    char word[BENCH_NAME_MAX], own[BENCH_NAME_MAX];
    for (const char *asked = selection->types; bench_list_next(&asked, word);)
        for (const char *types = test->types; bench_list_next(&types, own);)
            if (strcmp(word, own) == 0) {
                snprintf(type, BENCH_NAME_MAX, "%s", word);
                return;
            }
    const char *types = test->types;
    bench_list_next(&types, type);
}

static int sim_selection(sim_job *job, const bench_selection *selection, cor_fault *fault)
{
    int rc = COR_OK, whole = job->spec.net.ranks, count = selection->ranks_count;
    if (count == 0 && whole < 2)
        return cor_fault_set(fault, COR_ERR_ARG,
                             whole == 0 ? "--sim: nodes is not given; it must be nodes=N, or -n tells the ranks"
                                        : "--sim: one rank has none to talk to; nodes=2 or ppn=2 at least");
    for (int i = 0; i < selection->test_count && rc == COR_OK; i++)
        for (int k = 0; k < (count ? count : 1) && rc == COR_OK; k++) {
            sim_case c = {.test = selection->tests[i], .ranks = count ? selection->ranks[k] : whole};
            c.modes = *c.test->modes && *selection->modes ? selection->modes : c.test->modes;
            sim_type(selection, c.test, c.type);
            rc = sim_sizes(job, selection, &c, fault);
        }
    return rc;
}

static int sim_report(sim_job *job)
{
    bench_report report = {.results = &job->results,
                           .systems = {&sim_system},
                           .system_count = 1,
                           .notes = job->notes.words,
                           .note_count = job->notes.count};
    int ranks = job->results.count > 0 ? job->results.rows[0].ranks : job->spec.net.ranks;
    cor_sim_spec_describe(&job->spec, ranks, report.machine, sizeof report.machine);
    snprintf(report.measured, sizeof report.measured, "predicted: Corunna " COR_VERSION ", %llu events, seed %llu",
             (unsigned long long)job->events, (unsigned long long)job->spec.seed);
    bench_table_print(&report, stdout);
    /* Not with the figures, which are the same every time. */
    if (!job->options->is_quiet)
        fprintf(stderr,
                "%llu events in %.2f s of CPU time: %.2f million a second; %zu bytes a simulated rank at most\n",
                (unsigned long long)job->events, job->seconds,
                job->seconds > 0 ? (double)job->events / job->seconds / 1e6 : 0, job->memory_a_rank);
    return bench_report_write_files(&report, job->options);
}

int bench_sim(const bench_options *options)
{
    sim_job job = {.options = options, .is_told = isatty(STDERR_FILENO) && !options->is_quiet};
    cor_fault fault = {0};
    int rc = cor_sim_spec_parse(options->sim, &job.spec, &fault);
    if (rc == COR_OK)
        rc = cor_knobs_load(&cor_coll_knobs, NULL, &job.config, NULL, &fault);
    if (rc == COR_OK)
        rc = cor_rules_load(&job.rules, job.config.rules, &fault);
    for (int i = 0; i < options->selection_count && rc == COR_OK; i++)
        rc = sim_selection(&job, &options->selections[i], &fault);
    if (job.is_told)
        fputs("\r\033[K", stderr);
    int status = rc == COR_OK ? sim_report(&job) : sim_fail(&fault);
    cor_rules_free(&job.rules);
    bench_results_free(&job.results);
    bench_words_free(&job.notes);
    return status;
}
