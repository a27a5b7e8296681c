/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"
#include "coll/choose/choose.h"
#include "coll/learn/cost.h"
#include "coll/learn/learn_state.h"
#include "mp/collective.h"
#include "mp/nodes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An algorithm whose estimate exceeds the least one by this factor is not tried. Estimates are rough, so the factor is
 * large. */
static const double learn_cost_limit = 4;

/* To agree takes about as long before it was done for the first time. */
enum { LEARN_STEP_INSIDE_NS = 20000, LEARN_STEP_BETWEEN_NS = 200000 };

/* ---- life ------------------------------------------------------------------------------------------------------- */

static void learn_free_rank(struct cor_learn_rank *rank)
{
    free(rank->freed.rows);
    free(rank);
}

int cor_learn_open(cor_rank *rank, cor_coll_rank *coll)
{
    const cor_coll_config *config = cor_rank_coll_config(rank);
    if (config->learn == COR_LEARN_NO || coll->learn)
        return COR_OK;
    coll->learn = calloc(1, sizeof *coll->learn);
    if (!coll->learn)
        return cor_choice_no_memory(rank);
    coll->learn_free = learn_free_rank;
    coll->learn->opened_ns = cor_clock_ns();
    coll->learn->is_kept = config->learn_file[0] && cor_rank_number(rank) == 0;
    cor_list_init(&coll->learn->learns);
    return COR_OK;
}

int cor_learn_create(cor_comm *comm, cor_coll_rank *rank, cor_learn **learn_p)
{
    *learn_p = NULL;
    if (!rank->learn || cor_comm_is_inter(comm) || cor_comm_size(comm) == 1)
        return COR_OK;
    cor_learn *learn = calloc(1, sizeof *learn);
    if (!learn)
        return cor_choice_no_memory(cor_comm_owner(comm));
    int is_bounded = cor_rank_coll_config(cor_comm_owner(comm))->learn != COR_LEARN_UNBOUNDED;
    learn->comm = comm;
    learn->rank = rank;
    learn->share = is_bounded ? COR_LEARN_SHARE : 0;
    learn->first_call = is_bounded ? COR_LEARN_FIRST_CALL : 1;
    learn->step_ns = cor_comm_is_one_node(comm) ? LEARN_STEP_INSIDE_NS : LEARN_STEP_BETWEEN_NS;
    cor_list_append(&rank->learn->learns, &learn->link);
    *learn_p = learn;
    return COR_OK;
}

void cor_learn_destroy(cor_learn *learn)
{
    if (learn->rank->learn->is_kept)
        cor_learnt_collect(&learn->rank->learn->freed, learn); /* without memory it is lost, and no harm is done */
    cor_list_remove(&learn->link);
    for (int i = 0; i < COR_PRIMITIVES; i++)
        for (cor_learn_class *class = learn->classes[i], *next; class; class = next) {
            next = class->next;
            free(class);
        }
    free(learn);
}

/* ---- classes ---------------------------------------------------------------------------------------------------- */

static int learn_bits(size_t bytes)
{
    int bits = 0;
    for (; bytes; bytes >>= 1)
        bits++;
    return bits;
}

/* Of short messages inside a node, and of TCP between nodes: what counts is how many bytes a message is worth. */
static cor_cost_terms learn_terms(const cor_situation *situation, int bits)
{
    int is_inside = situation->nodes == 1;
    return (cor_cost_terms){.p = situation->ranks,
                            .n = bits > 0 ? 1.5 * (double)((size_t)1 << (bits - 1)) : 0,
                            .nodes = situation->nodes,
                            .a = is_inside ? 1000 : 20000,
                            .b = is_inside ? 0.1 : 0.5,
                            .g = 0.1};
}

static void learn_usual_parameters(const cor_algorithm *algorithm, size_t parameters[COR_PARAMETERS_MAX])
{
    for (int i = 0; i < COR_PARAMETERS_MAX; i++)
        parameters[i] = algorithm->parameters[i].fallback;
}

/* All that can run; [0] is what the rules say. Returns how many. */
static int learn_candidates(cor_learn_class *class, const cor_situation *situation, const cor_rule *usual)
{
    int count = 0;
    class->rules[count++] = *usual;
    for (size_t i = 0; i < cor_algorithm_count && count < COR_TRIALS_MAX; i++) {
        const cor_algorithm *algorithm = cor_algorithms[i];
        cor_rule rule = {.primitive = class->primitive, .algorithm = algorithm};
        if (algorithm->primitive != class->primitive || algorithm->needs & COR_NEEDS_INTER)
            continue;
        learn_usual_parameters(algorithm, rule.parameters);
        if (algorithm == usual->algorithm && memcmp(rule.parameters, usual->parameters, sizeof rule.parameters) == 0)
            continue;
        if (cor_unmet_needs(algorithm, situation) == 0)
            class->rules[count++] = rule;
        else
            class->by_needs++;
    }
    return count;
}

static void learn_estimate(cor_learn_class *class, const cor_situation *situation)
{
    cor_trials *trials = &class->trials;
    cor_cost_terms terms = learn_terms(situation, class->bits);
    double least = 0;
    for (int i = 0; i < trials->count; i++) {
        double cost = cor_cost_of(class->rules[i].algorithm, class->rules[i].parameters, &terms);
        trials->of[i].estimate = cost;
        if (cost > 0 && (least == 0 || cost < least))
            least = cost;
    }
    for (int i = 1; i < trials->count; i++)
        if (trials->of[i].estimate > learn_cost_limit * least) {
            cor_trials_rule_out(trials, i);
            class->by_cost++;
        }
}

static cor_learn_class *learn_make_class(cor_learn *learn, const cor_call *call, int bits, const cor_rule *usual)
{
    cor_learn_class *class = calloc(1, sizeof *class);
    cor_situation situation;
    int is_commutative = cor_call_is_commutative(call);
    if (!class || cor_situation_of(learn->comm, is_commutative, 1, &situation) != COR_OK) {
        free(class);
        cor_choice_no_memory(cor_comm_owner(learn->comm));
        return NULL;
    }
    class->primitive = call->primitive;
    class->is_commutative = is_commutative;
    class->bits = bits;
    cor_trials_init(&class->trials, learn_candidates(class, &situation, usual), learn->share);
    learn_estimate(class, &situation);
    if (class->by_cost == class->trials.count - 1)
        class->trials.next = UINT64_MAX; /* there is nothing to compare with */
    class->next = learn->classes[call->primitive];
    learn->classes[call->primitive] = class;
    return class;
}

static cor_learn_class *learn_class_of(cor_learn *learn, const cor_call *call, const cor_rule *usual)
{
    int bits = learn_bits(cor_choose_bytes(call)), is_commutative = cor_call_is_commutative(call);
    for (cor_learn_class *class = learn->classes[call->primitive]; class; class = class->next)
        if (class->bits == bits && class->is_commutative == is_commutative)
            return class;
    return learn_make_class(learn, call, bits, usual);
}

/* ---- choosing --------------------------------------------------------------------------------------------------- */

static int learn_is_for(const cor_learn *learn, const cor_call *call)
{
    return !learn->is_stopped && !call->is_unforced && !learn->rank->is_forced[call->primitive] &&
           cor_primitive_has_bytes(call->primitive) && call->primitive < COR_NEIGHBOR_ALLGATHER;
}

/* A way of the class; what the rules say where it cannot do this call. */
static const cor_rule *learn_rule(const cor_learn_class *class, int way, const cor_call *call, const cor_rule *usual)
{
    return way > 0 && cor_choose_lacks(call, class->rules[way].algorithm) == 0 ? &class->rules[way] : usual;
}

const cor_rule *cor_learn_choose(cor_learn *learn, const cor_call *call, cor_learn_class **due_p)
{
    const cor_rule *usual = cor_choose(call, 1);
    *due_p = NULL;
    if (!usual || !learn_is_for(learn, call) || ++learn->calls < learn->first_call)
        return usual;
    cor_learn_class *class = learn_class_of(learn, call, usual);
    if (!class)
        return NULL;
    learn->rank->learn->calls++;
    if (cor_trials_is_due(&class->trials, &learn->last)) {
        *due_p = class;
        return usual;
    }
    return learn_rule(class, class->trials.winner, call, usual);
}

/* ---- telling ---------------------------------------------------------------------------------------------------- */

static void learn_tell_settled(const cor_learn *learn, const cor_learn_class *class)
{
    const cor_log *log = cor_rank_log(cor_comm_owner(learn->comm));
    const cor_trials *trials = &class->trials;
    const char *usual = class->rules[0].algorithm->name, *won = class->rules[trials->winner].algorithm->name;
    char bytes[64] = "", instead[96] = "";
    if (log->level < COR_LOG_DEBUG)
        return;
    if (class->bits > 0)
        snprintf(bytes, sizeof bytes, " of %zu to %zu bytes", (size_t)1 << (class->bits - 1),
                 ((size_t)1 << class->bits) - 1);
    if (trials->winner > 0)
        snprintf(instead, sizeof instead, " instead of %s, %.2f us", usual, (double)trials->of[0].best_ns / 1e3);
    COR_LOG(
        log, DEBUG,
        "%s%s on communicator %u of %d ranks: learnt %s, %.2f us%s, by call %llu, look %u; of %d more %d were ruled "
        "out by what they need, %d by their cost",
        cor_primitive_name(class->primitive), bytes, cor_comm_coll_context(learn->comm) - 1,
        cor_comm_size(learn->comm), won, (double)trials->of[trials->winner].best_ns / 1e3, instead,
        (unsigned long long)trials->calls, trials->looks, trials->count - 1 + class->by_needs, class->by_needs,
        class->by_cost);
}

void cor_learn_tell(const cor_coll_rank *rank, const cor_log *log)
{
    const struct cor_learn_rank *learn = rank->learn;
    double run_ns = (double)(cor_clock_ns() - learn->opened_ns);
    COR_LOG(log, INFO,
            "learning: %llu trials and %llu agreements in %llu calls took %.3f %% of %.3f s, the longest %.3f ms",
            (unsigned long long)learn->trials, (unsigned long long)learn->steps, (unsigned long long)learn->calls,
            100 * (double)learn->spent_ns / run_ns, run_ns / 1e9, (double)learn->longest_ns / 1e6);
}

/* ---- a step ----------------------------------------------------------------------------------------------------- */

/* The last step has taken so long, and more if its trial does. */
static void learn_spend(struct cor_learn_rank *rank, uint64_t ns)
{
    rank->spent_ns += ns;
    rank->step_ns += ns;
    if (rank->step_ns > rank->longest_ns)
        rank->longest_ns = rank->step_ns;
}

void cor_learn_bring(const cor_learn *learn, const cor_learn_class *due, uint64_t values[COR_LEARN_VALUES])
{
    const struct cor_learn_rank *rank = learn->rank->learn;
    values[0] = due->trials.is_pending ? due->mine_ns : 0;
    values[1] = rank->spent_ns;
    values[2] = UINT64_MAX - (cor_clock_ns() - rank->opened_ns); /* the largest is that of the rank that came last */
    values[3] = learn->step_ns;
}

const cor_rule *cor_learn_begin(cor_learn *learn, cor_learn_class *due, const cor_call *call,
                                const uint64_t values[COR_LEARN_VALUES], uint64_t agreeing_ns, const cor_rule *usual,
                                int *is_trial_p)
{
    struct cor_learn_rank *rank = learn->rank->learn;
    cor_trials *trials = &due->trials;
    uint32_t looks = trials->looks;
    learn->last = (cor_trials_agreed){values[0], values[1], UINT64_MAX - values[2], values[3]};
    learn->step_ns = agreeing_ns;
    rank->step_ns = 0;
    learn_spend(rank, agreeing_ns);
    rank->steps++;
    int way = cor_trials_step(trials, &learn->last);
    const cor_rule *rule = way >= 0 ? learn_rule(due, way, call, usual) : NULL;
    if (way > 0 && rule == usual) {
        cor_trials_skip(trials);
        way = -1;
    }
    if (trials->looks != looks)
        learn_tell_settled(learn, due);
    *is_trial_p = way >= 0;
    rank->trials += way >= 0;
    return way >= 0 ? rule : learn_rule(due, trials->winner, call, usual);
}

void cor_learn_end(cor_learn *learn, cor_learn_class *due, uint64_t call_ns)
{
    const cor_trials *trials = &due->trials;
    uint64_t usual_ns = trials->of[trials->winner].best_ns;
    due->mine_ns = call_ns;
    if (trials->current != trials->winner && call_ns > usual_ns)
        learn_spend(learn->rank->learn, call_ns - usual_ns);
}

void cor_learn_stop(cor_learn *learn)
{
    learn->is_stopped = 1;
}

void cor_learn_without_board(cor_learn *learn)
{
    for (int i = 0; i < COR_PRIMITIVES; i++)
        for (cor_learn_class *class = learn->classes[i]; class; class = class->next)
            for (int way = 1; way < class->trials.count; way++)
                if (class->rules[way].algorithm->needs & COR_NEEDS_ONE_NODE)
                    cor_trials_rule_out(&class->trials, way);
}
