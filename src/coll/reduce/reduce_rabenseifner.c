/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recursive halving of the vector: partners at decreasing distance exchange halves, each combines the half it keeps,
 * until every rank has one block of the result. The blocks then go up a binomial tree.
 *
 * Ranks are counted from the root on. If their number is not a power of two, in the first few pairs the second rank
 * sends its values to the first and takes no part; so the root always takes part, as number 0.
 */
#include "coll/pattern/pattern.h"
#include "coll/plan/algorithm.h"

typedef struct halving {
    cor_plan *plan;
    int power;  /* ranks that take part: the largest power of two */
    int folded; /* pairs of which one takes no part */
    int number; /* of this rank, among those that take part */
    const size_t *starts;
    cor_ref value; /* what is combined so far */
    cor_ref work;  /* where results go: value's place, but for the beginning */
    cor_ref room;  /* for what arrives */
} halving;

static int halving_rank(const halving *state, int number)
{
    int from_root = number < state->folded ? 2 * number : number + state->folded;
    return (state->plan->root + from_root) % state->plan->size;
}

static cor_ref halving_blocks(const halving *state, cor_ref whole, int low, int high)
{
    return cor_ref_part(whole, state->starts[low], state->starts[high] - state->starts[low]);
}

/* Returns 0 if this rank takes no part. */
static int halving_fold(halving *state, int from_root)
{
    cor_plan *plan = state->plan;
    if (from_root >= 2 * state->folded)
        return 1;
    if (from_root % 2 == 1) {
        cor_plan_send(plan, &plan->everyone, (plan->rank + plan->size - 1) % plan->size, state->value);
        return 0;
    }
    cor_plan_wait(plan, cor_plan_recv(plan, &plan->everyone, (plan->rank + 1) % plan->size, state->room));
    cor_plan_reduce(plan, state->room, state->value, state->work);
    state->value = state->work;
    return 1;
}

static void halving_scatter(halving *state)
{
    cor_plan *plan = state->plan;
    int low = 0, high = state->power;
    for (int distance = state->power / 2; distance > 0; distance /= 2) {
        int middle = low + distance, is_low = state->number < middle;
        int partner = halving_rank(state, state->number ^ distance);
        cor_ref given = is_low ? halving_blocks(state, state->value, middle, high)
                               : halving_blocks(state, state->value, low, middle);
        low = is_low ? low : middle;
        high = is_low ? middle : high;
        cor_ref kept = halving_blocks(state, state->value, low, high);
        cor_ref theirs = cor_ref_part(state->room, 0, kept.bytes);
        cor_plan_exchange(plan, &plan->everyone, partner, given, partner, theirs);
        cor_plan_reduce(plan, theirs, kept, halving_blocks(state, state->work, low, high));
        state->value = state->work;
    }
}

static void halving_gather(halving *state)
{
    cor_plan *plan = state->plan;
    int distance = 1;
    for (; distance < state->power && !(state->number & distance); distance *= 2) {
        int low = state->number + distance;
        cor_plan_recv(plan, &plan->everyone, halving_rank(state, low),
                      halving_blocks(state, state->work, low, low + distance));
    }
    cor_plan_wait_all(plan);
    if (distance < state->power)
        cor_plan_send(plan, &plan->everyone, halving_rank(state, state->number - distance),
                      halving_blocks(state, state->work, state->number, state->number + distance));
}

static void reduce_build(cor_plan *plan)
{
    int from_root = (plan->rank - plan->root + plan->size) % plan->size;
    cor_ref in = cor_ref_slot(COR_SLOT_SEND, plan->bytes), out = cor_ref_slot(COR_SLOT_RECV, plan->bytes);
    halving state = {.plan = plan, .power = 1, .value = in};
    if (plan->size == 1) {
        cor_plan_copy(plan, in, out);
        return;
    }
    while (2 * state.power <= plan->size)
        state.power *= 2;
    state.folded = plan->size - state.power;
    state.number = from_root < 2 * state.folded ? from_root / 2 : from_root - state.folded;
    state.starts = cor_even_starts(plan, plan->bytes, state.power);
    if (!state.starts)
        return;
    state.work = plan->rank == plan->root ? out : cor_plan_temp(plan, plan->bytes);
    state.room = cor_plan_temp(plan, plan->bytes);
    if (!halving_fold(&state, from_root))
        return;
    halving_scatter(&state);
    halving_gather(&state);
}

const cor_algorithm cor_reduce_rabenseifner_row = {
    .primitive = COR_REDUCE,
    .name = "rabenseifner",
    .summary = "reduce_scatter by recursive halving, then a binomial gather of the blocks of the result",
    .cost = "2 lg p a + (p - 1)/p n (2 b + g)",
    .needs = COR_NEEDS_COMMUTATIVE | COR_NEEDS_ELEMENTS,
    .build = reduce_build,
};
