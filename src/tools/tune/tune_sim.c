/* SPDX-License-Identifier: Apache-2.0 */
/* Predictions in place of measurements: every candidate of every subject on the simulated cluster. */
#include "tools/tune/tune.h"

#include "sim/sim_predict.h"

static int sim_fail(const cor_fault *fault)
{
    fprintf(stderr, "corunna tune: %s\n", fault->text);
    return -1;
}

int tune_sim_open(tune_run *run, const char *text)
{
    cor_fault fault = {0};
    if (cor_sim_spec_parse(text, &run->cluster, &fault) != COR_OK)
        return sim_fail(&fault);
    run->is_simulated = 1;
    if (run->rank_count == 0 && run->cluster.net.ranks == 0) {
        fputs("corunna tune: --sim: nodes is not given; it must be nodes=N, or -n tells the ranks\n", stderr);
        return -1;
    }
    if (run->rank_count == 0)
        run->ranks[run->rank_count++] = run->cluster.net.ranks;
    if (run->ranks[0] <= run->cluster.net.node_ranks) {
        fprintf(stderr,
                "corunna tune: --sim: %d ranks are on one node, whose shared memory is not simulated; "
                "nodes=2 at least\n",
                run->ranks[0]);
        return -1;
    }
    return 0;
}

/* The rule that a candidate stands for, or what the library's rules choose; 0: none that can run. */
static int sim_rule(const tune_run *run, const cor_rules *rules, const tune_subject *subject, int candidate,
                    size_t bytes, size_t element_bytes, cor_rule *rule_p)
{
    cor_situation situation = cor_sim_situation(subject->ranks, run->cluster.net.node_ranks);
    cor_fault fault = {0};
    if (candidate != TUNE_WON_BY_DEFAULT)
        return cor_rule_parse_choice(subject->primitive, subject->candidates[candidate], rule_p, &fault) == COR_OK &&
               cor_sim_can_run(rule_p->algorithm, &situation, bytes, element_bytes);
    const cor_rule *own = cor_sim_choose(rules, subject->primitive, &situation, bytes, element_bytes);
    if (own)
        *rule_p = *own;
    return own != NULL;
}

static int sim_is_over(void *run)
{
    return tune_is_over(run);
}

/* What takes longer than there is time for is left out. */
static int sim_predict(tune_run *run, const cor_rules *rules, const tune_subject *subject, int candidate, int size,
                       cor_fault *fault)
{
    int is_barrier = subject->primitive == COR_BARRIER;
    cor_rule rule;
    cor_sim_program program = {0};
    cor_sim_prediction result;
    const cor_sim_stop stop = {sim_is_over, run};
    cor_sim_call call = {.primitive = subject->primitive,
                         .ranks = subject->ranks,
                         .node_ranks = run->cluster.net.node_ranks,
                         .bytes = is_barrier ? 0 : (size_t)run->sizes[size],
                         .element_bytes = is_barrier ? 1 : sizeof(double),
                         .rule = &rule,
                         .memory_max = run->cluster.memory_max};
    if (!sim_rule(run, rules, subject, candidate, call.bytes, call.element_bytes, &rule))
        return COR_OK;
    int rc = cor_sim_program_make(&program, &call, fault);
    if (rc == COR_OK)
        rc = cor_sim_predict(&run->cluster, &program, 1, &stop, &result, fault);
    cor_sim_program_free(&program);
    if (rc == COR_OK) {
        tune_add(run, subject, subject->candidates[candidate], size, "apart", result.apart_us);
        tune_add(run, subject, subject->candidates[candidate], size, "row", result.row_us);
    }
    return rc == COR_AGAIN ? COR_OK : rc;
}

static void sim_progress(const tune_run *run, const tune_subject *subject, int candidate)
{
    if (run->is_terminal)
        fprintf(stderr, "\r\033[K%s, %d ranks, %s", subject->test, subject->ranks,
                candidate == TUNE_WON_BY_DEFAULT ? "as it is" : subject->candidates[candidate]);
}

/* A subject that does not fit into memory is told of and left out. */
static int sim_subject(tune_run *run, const cor_rules *rules, const tune_subject *subject, cor_fault *fault)
{
    int rc = COR_OK;
    for (int candidate = 0; candidate < subject->candidate_count && rc == COR_OK; candidate++) {
        sim_progress(run, subject, candidate);
        for (int size = 0; size < subject->size_count && rc == COR_OK && !tune_is_over(run); size++)
            rc = sim_predict(run, rules, subject, candidate, size, fault);
    }
    if (rc != COR_ERR_MEMORY)
        return rc;
    fprintf(stderr, "%scorunna tune: %s, %d ranks: %s\n", run->is_terminal ? "\r\033[K" : "", subject->test,
            subject->ranks, fault->text);
    return COR_OK;
}

int tune_sim_measure(tune_run *run)
{
    cor_rules rules = {0};
    cor_fault fault = {0};
    int rc = cor_rules_load(&rules, "", &fault);
    for (int i = 0; i < run->subject_count && rc == COR_OK && !tune_is_over(run); i++)
        rc = sim_subject(run, &rules, &run->subjects[i], &fault);
    cor_rules_free(&rules);
    return rc != COR_OK ? sim_fail(&fault) : tune_is_over(run);
}

void tune_sim_check(tune_run *run)
{
    static const char *const modes[] = {"apart", "row"};
    for (int i = 0; i < run->subject_count; i++) {
        const tune_subject *subject = &run->subjects[i];
        for (int size = 0; size < subject->size_count; size++)
            for (int k = 0; k < 2; k++) {
                const char *winner = subject->candidates[subject->winners[size]];
                tune_add(run, subject, TUNE_WITHOUT, size, modes[k], tune_time(run, subject, "", size, modes[k]));
                tune_add(run, subject, TUNE_WITH, size, modes[k], tune_time(run, subject, winner, size, modes[k]));
            }
    }
    tune_drop_losses(run);
}
