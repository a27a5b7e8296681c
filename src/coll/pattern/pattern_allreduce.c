/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recursive doubling. If the number of members is not a power of two, the first few are folded: a member with an even
 * number sends its values to its right neighbour, takes no part and gets the result at the end. They are neighbours, so
 * that the order of the ranks is kept. Both partners combine the same values in the same order: all results are the
 * same bit by bit.
 */
#include "coll/pattern/pattern.h"

/* The sum so far, room for what arrives, and where the first sum goes while the caller's `in` may not be written. */
typedef struct bde_state {
    cor_ref sum, room, out;
    int is_mine; /* the sum may be written over */
} bde_state;

/* Take in what has arrived. A result may be written over the second operand, but over the first only if the operator
 * is commutative: where it is not, sum and room change roles. */
static void bde_add(cor_plan *plan, bde_state *state, int is_higher)
{
    cor_ref sum = state->sum, room = state->room;
    cor_ref a = is_higher ? sum : room, b = is_higher ? room : sum;
    if (!state->is_mine) {
        state->sum = state->out;
        state->is_mine = 1;
    } else if (is_higher && !plan->is_commutative) {
        state->sum = room;
        state->room = sum;
    }
    cor_plan_reduce(plan, a, b, state->sum);
}

/* The member with this number among those that take part in the doubling. */
static int bde_member(int number, int folded)
{
    return number < folded ? 2 * number + 1 : number + folded;
}

static void bde_double(cor_plan *plan, const cor_party *party, bde_state *state, int number, int folded, int power)
{
    for (int distance = 1; distance < power; distance *= 2) {
        int partner = number ^ distance, member = bde_member(partner, folded);
        cor_plan_exchange(plan, party, member, state->sum, member, state->room);
        bde_add(plan, state, partner > number);
    }
}

void cor_allreduce_bde(cor_plan *plan, const cor_party *party, cor_ref in, cor_ref out)
{
    int me = party->me, power = 1;
    if (me < 0)
        return;
    while (2 * power <= party->size)
        power *= 2;
    int folded = party->size - power, is_folded = me < 2 * folded;
    if (party->size == 1) {
        cor_plan_copy(plan, in, out);
        return;
    }
    if (is_folded && me % 2 == 0) {
        cor_plan_wait(plan, cor_plan_send(plan, party, me + 1, in));
        cor_plan_wait(plan, cor_plan_recv(plan, party, me + 1, out));
        return;
    }
    bde_state state = {in, cor_plan_temp(plan, in.bytes), out, cor_plan_is_same(plan, in, out)};
    if (is_folded) {
        cor_plan_wait(plan, cor_plan_recv(plan, party, me - 1, state.room));
        bde_add(plan, &state, 0);
    }
    bde_double(plan, party, &state, is_folded ? me / 2 : me - folded, folded, power);
    cor_plan_copy(plan, state.sum, out);
    if (is_folded)
        cor_plan_wait(plan, cor_plan_send(plan, party, me - 1, out));
}
