/* SPDX-License-Identifier: Apache-2.0 */
/* Learning without ranks: the bound on what trials take and what they come to, in made-up time; and the estimates. */
#include "coll/choose/algorithms.h"
#include "coll/learn/cost.h"
#include "coll/learn/learn.h"
#include "coll/learn/trials.h"

#include "check.h"

#include <string.h>

enum { WAYS = 5, CLASSES_MAX = 16 };

/* ---- a program in made-up time ---------------------------------------------------------------------------------- */

typedef struct made_up {
    int classes, ways;
    uint64_t times_ns[WAYS]; /* of a call */
    uint64_t computes_ns;    /* between two calls */
    uint64_t agrees_ns;      /* to agree takes */
    double estimates[WAYS];
    cor_trials trials[CLASSES_MAX];
    cor_trials_agreed last;
    uint64_t now_ns, spent_ns, largest_ns; /* the largest step */
    uint64_t steps, tries;
} made_up;

static void begin(made_up *program, uint64_t started_ns)
{
    program->now_ns = started_ns;
    for (int i = 0; i < program->classes; i++) {
        cor_trials_init(&program->trials[i], program->ways, COR_LEARN_SHARE);
        for (int way = 0; way < program->ways; way++)
            program->trials[i].of[way].estimate = program->estimates[way];
    }
}

static void step(made_up *program, cor_trials *trials)
{
    uint64_t before_ns = program->spent_ns;
    uint64_t time_ns = trials->is_pending ? program->times_ns[trials->current] : 0;
    program->now_ns += program->agrees_ns;
    program->last = (cor_trials_agreed){time_ns, program->spent_ns, program->now_ns, program->agrees_ns};
    program->spent_ns += program->agrees_ns;
    program->steps++;
    int way = cor_trials_step(trials, &program->last);
    program->tries += way >= 0;
    uint64_t used_ns = program->times_ns[way >= 0 ? way : trials->winner], best_ns = program->times_ns[trials->winner];
    program->now_ns += used_ns;
    if (way >= 0 && used_ns > best_ns)
        program->spent_ns += used_ns - best_ns;
    if (program->spent_ns - before_ns > program->largest_ns)
        program->largest_ns = program->spent_ns - before_ns;
}

/* So many calls, each class in turn. At no moment has learning taken more than its share and one step. */
static void calls(made_up *program, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        cor_trials *trials = &program->trials[i % (uint64_t)program->classes];
        program->now_ns += program->computes_ns;
        if (cor_trials_is_due(trials, &program->last))
            step(program, trials);
        else
            program->now_ns += program->times_ns[trials->winner];
        if (program->spent_ns > program->now_ns / COR_LEARN_SHARE + program->largest_ns)
            CHECK_FAIL("call %llu: trials took %llu ns of %llu, the longest step %llu", (unsigned long long)i,
                       (unsigned long long)program->spent_ns, (unsigned long long)program->now_ns,
                       (unsigned long long)program->largest_ns);
    }
}

static void expect_winner(const made_up *program, int way)
{
    for (int i = 0; i < program->classes; i++) {
        CHECK(program->trials[i].looks > 0);
        CHECK_EQUAL(way, program->trials[i].winner);
    }
}

/* Calls in a row, one class and many. */
static void test_winner(void)
{
    for (int classes = 1; classes <= CLASSES_MAX; classes *= 4) {
        made_up program = {.classes = classes,
                           .ways = WAYS,
                           .times_ns = {10000, 9000, 50000, 4000, 30000},
                           .estimates = {1, 1, 3, 1, 0},
                           .agrees_ns = 3000};
        begin(&program, 20000000);
        calls(&program, 20000 * (uint64_t)classes);
        expect_winner(&program, 3);
        CHECK(program.spent_ns * COR_LEARN_SHARE <= program.now_ns);
        /* Two samples of each way, two more of the one that is left beside the rules' own; one step to hear of the
         * last. */
        CHECK(program.tries >= (2 * WAYS + 2) * (uint64_t)classes);
        CHECK(program.trials[0].of[2].state == COR_TRIAL_OUT && program.trials[0].of[1].state == COR_TRIAL_SLOW);
    }
}

/* A gain below 5 % is none. */
static void test_small_gain(void)
{
    made_up program = {.classes = 1, .ways = 2, .times_ns = {1000, 970}, .agrees_ns = 500};
    begin(&program, 1000000);
    calls(&program, 100000);
    expect_winner(&program, 0);
}

/* An algorithm that takes a thousand times as long as its estimate is tried, and paid back before anything else is. */
static void test_surprise(void)
{
    made_up program = {
        .classes = 2, .ways = 3, .times_ns = {10000, 10000000, 5000}, .estimates = {1, 1, 1}, .agrees_ns = 2000};
    begin(&program, 1000000);
    calls(&program, 300000);
    CHECK(program.largest_ns > 9000000);
    CHECK(program.tries >= 2);
    CHECK(program.spent_ns * COR_LEARN_SHARE <= program.now_ns + program.largest_ns * COR_LEARN_SHARE);
    calls(&program, 3000000);
    expect_winner(&program, 2);
}

/* Where calls are far apart, a few are enough. */
static void test_far_apart(void)
{
    made_up program = {.classes = 1,
                       .ways = 3,
                       .times_ns = {10000, 20000, 5000},
                       .estimates = {1, 1, 1},
                       .computes_ns = 10000000,
                       .agrees_ns = 20000};
    begin(&program, 50000000);
    calls(&program, 300);
    expect_winner(&program, 2);
}

/* A program that has just begun and makes short calls has no time for trials yet. */
static void test_short_run(void)
{
    made_up program = {
        .classes = 1, .ways = 3, .times_ns = {200, 400, 100}, .estimates = {1, 1, 1}, .agrees_ns = 1000};
    begin(&program, 10000);
    calls(&program, 200);
    CHECK_EQUAL(1, program.steps);
}

/* What was true is not true for ever. */
static void test_look_again(void)
{
    made_up program = {
        .classes = 1, .ways = 3, .times_ns = {10000, 9000, 5000}, .estimates = {1, 1, 1}, .agrees_ns = 1000};
    begin(&program, 10000000);
    calls(&program, 9000);
    expect_winner(&program, 2);
    uint32_t looks = program.trials[0].looks;
    program.times_ns[2] = 20000;
    calls(&program, 400000);
    CHECK(program.trials[0].looks > looks);
    expect_winner(&program, 1);
}

/* No bound: every call is a step until it is settled. */
static void test_unbounded(void)
{
    cor_trials trials;
    cor_trials_agreed agreed = {0};
    int call = 0;
    cor_trials_init(&trials, 3, 0);
    for (; call < 100 && !trials.is_settled; call++)
        if (cor_trials_is_due(&trials, &agreed)) {
            agreed =
                (cor_trials_agreed){.time_ns = 100u + (uint64_t)trials.current, .elapsed_ns = 1, .spent_ns = 1000};
            cor_trials_step(&trials, &agreed);
        }
    CHECK_EQUAL(1 + 3 * COR_TRIALS_PASSES + 1, call);
}

/* A way that cannot do a call, or that is gone, is left out. */
static void test_left_out(void)
{
    cor_trials trials;
    cor_trials_agreed agreed = {.elapsed_ns = 1};
    cor_trials_init(&trials, 3, 0);
    for (int call = 0; call < 100 && !trials.is_settled; call++) {
        if (!cor_trials_is_due(&trials, &agreed))
            continue;
        agreed.time_ns = trials.current == 2 ? 10 : 100;
        int way = cor_trials_step(&trials, &agreed);
        CHECK(way != 1 || trials.pass == 0);
        if (way == 1)
            cor_trials_skip(&trials);
    }
    CHECK(trials.is_settled);
    CHECK_EQUAL(2, trials.winner);
    cor_trials_rule_out(&trials, 2);
    CHECK_EQUAL(0, trials.winner);
}

/* ---- estimates -------------------------------------------------------------------------------------------------- */

static void expect_cost(double expected, const char *formula)
{
    const cor_algorithm algorithm = {.cost = formula,
                                     .parameters = {{"segment", 100, 0, 0, ""}, {"radix", 4, 0, 0, ""}}};
    const size_t parameters[COR_PARAMETERS_MAX] = {100, 4};
    const cor_cost_terms terms = {.p = 9, .n = 1000, .nodes = 3, .a = 10, .b = 0.5, .g = 0.25};
    double got = cor_cost_of(&algorithm, parameters, &terms);
    if (got < expected * 0.999999 || got > expected * 1.000001)
        CHECK_FAIL("%s is %f, not %f", formula, got, expected);
}

static void test_formulas(void)
{
    expect_cost(10, "a");
    expect_cost(4 * (10 + 500), "lg p (a + n b)");
    expect_cost(8 * 510, "(p - 1) (a + n b), overlapped");
    expect_cost(8 * 10 + 8.0 / 9 * 1000 * 1.25, "(p - 1) a + (p - 1)/p n (2 b + g)");
    expect_cost((7 + 10) * (10 + 50), "(p - 2 + n/s) (a + s b)");
    expect_cost(3 * 2 * 510, "(k - 1) log_k p (a + n b)");
    expect_cost((2 + 2) * 10, "(lg nodes + lg (p / nodes)) a");
    expect_cost(4 * 760, "lg p (a + n b + n g) between nodes, inside as mst");
    expect_cost(1250, "a + n b + (p - 1) n g; long: n (2 b + g)");
    expect_cost(0, "a + (b");
    expect_cost(0, "x a");
    expect_cost(0, "");
}

/* Every row can be estimated, on 2 ranks and on many, and grows neither with fewer bytes nor with fewer ranks. */
static void test_all_rows(void)
{
    for (size_t i = 0; i < cor_algorithm_count; i++) {
        const cor_algorithm *algorithm = cor_algorithms[i];
        size_t parameters[COR_PARAMETERS_MAX];
        double last = 0;
        for (int k = 0; k < COR_PARAMETERS_MAX; k++)
            parameters[k] = algorithm->parameters[k].fallback;
        for (int ranks = 2; ranks <= 1024; ranks *= 2) {
            cor_cost_terms terms = {.p = ranks, .n = 1000, .nodes = ranks, .a = 1000, .b = 1, .g = 1};
            double cost = cor_cost_of(algorithm, parameters, &terms);
            terms.n = 10;
            double shorter = cor_cost_of(algorithm, parameters, &terms);
            if (!(cost > 0) || shorter > cost || cost < last)
                CHECK_FAIL("%s %s, %d ranks: \"%s\" is %f, of fewer bytes %f, on fewer ranks %f",
                           cor_primitive_name(algorithm->primitive), algorithm->name, ranks, algorithm->cost, cost,
                           shorter, last);
            last = cost;
        }
    }
}

int main(void)
{
    test_winner();
    test_small_gain();
    test_surprise();
    test_far_apart();
    test_short_run();
    test_look_again();
    test_unbounded();
    test_left_out();
    test_formulas();
    test_all_rows();
    printf("learn: passed\n");
    return 0;
}
