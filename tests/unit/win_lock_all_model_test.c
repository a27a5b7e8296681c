/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All interleavings of a small model of MPI_Win_lock_all (passive_take_all in win_passive.c) beside ranks that lock
 * one target exclusively, or several in their order. The lock of each target is as in win_lock.h; that one is modelled
 * in win_lock_model_test.c, so here to ask for it is one step. Requests of one rank to several targets arrive in any
 * order, those to one target in the order in which they were sent.
 *
 * In no state may all wait for ever. Without any one of its rules the model finds such a state.
 */
#include "check.h"
#include "model_walk.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The rules that can be left out. */
enum {
    RULE_IF_FREE = 1,   /* of several locks at once a rank asks only for those that are free, and waits for none */
    RULE_GIVE_BACK = 2, /* it gives those behind the first that is not free back before it waits */
    RULES = 4,
};

enum { TARGETS = 3, RANKS = 4 };

typedef enum role {
    ALL,  /* lock_all */
    LOW,  /* the first target, exclusively */
    HIGH, /* the last one */
    UP,   /* all of them, one after the other, exclusively */
} role;

typedef enum held {
    NONE,
    ASKED,   /* only if it is free: the packet is under way */
    BUSY,    /* it was not */
    WAITING, /* a ticket */
    HELD,
    UNDOING, /* the packet that gives it back is under way */
} held;

typedef struct state {
    uint8_t next[TARGETS], read[TARGETS], write[TARGETS];
    uint8_t held[RANKS][TARGETS], ticket[RANKS][TARGETS];
    /* Of ALL: targets from `first` on are still to be had, those before `end` have been asked for, and the one before
     * `waits` is waited for. Of the others: `first` is the target. */
    uint8_t first[RANKS], end[RANKS], batch[RANKS], waits[RANKS];
    uint8_t is_leaving[RANKS];
} state;

static struct {
    model_states states;
    unsigned rules;
    const role *roles;
    int ranks, targets;
    int can_move;
} model;

static int has(unsigned rule)
{
    return (model.rules & rule) != 0;
}

static void push(const state *next)
{
    model.can_move = 1;
    model_states_add(&model.states, next);
}

/* ---- the lock of a target --------------------------------------------------------------------------------------- */

static int is_exclusive(int r)
{
    return model.roles[r] != ALL;
}

static void draw(state *s, int r, int t)
{
    s->ticket[r][t] = s->next[t]++;
    s->held[r][t] = WAITING;
}

static void enter(state *s, int r, int t)
{
    s->held[r][t] = HELD;
    s->read[t] = (uint8_t)(s->read[t] + !is_exclusive(r));
}

static void leave(state *s, int r, int t)
{
    s->held[r][t] = NONE;
    s->read[t] = (uint8_t)(s->read[t] + is_exclusive(r));
    s->write[t]++;
}

/* What happens at a target, whatever its origin does meanwhile. */
static void step_target(const state *now, int r, int t)
{
    state next = *now;
    switch ((held)now->held[r][t]) {
    case ASKED:
        next.held[r][t] = BUSY;
        if (now->read[t] == now->next[t]) {
            next.ticket[r][t] = next.next[t]++;
            enter(&next, r, t);
        }
        break;
    case WAITING:
        if ((is_exclusive(r) ? now->write[t] : now->read[t]) != now->ticket[r][t])
            return;
        enter(&next, r, t);
        break;
    case UNDOING:
        leave(&next, r, t);
        break;
    default:
        return;
    }
    push(&next);
}

/* ---- the ranks -------------------------------------------------------------------------------------------------- */

static void step_leave(const state *now, int r)
{
    for (int t = 0; t < model.targets; t++) {
        state next = *now;
        if (now->held[r][t] != HELD)
            continue;
        leave(&next, r, t);
        push(&next);
    }
}

static void step_in_order(const state *now, int r, int last)
{
    state next = *now;
    int t = now->first[r];
    if (now->held[r][t] == WAITING)
        return;
    if (now->held[r][t] == NONE)
        draw(&next, r, t);
    else if (t == last)
        next.is_leaving[r] = 1;
    else
        next.first[r]++;
    push(&next);
}

static int is_any(const state *s, int r, held what)
{
    for (int t = 0; t < model.targets; t++)
        if (s->held[r][t] == what)
            return 1;
    return 0;
}

/* The next batch. */
static void ask(state *s, int r)
{
    int left = model.targets - s->first[r];
    s->end[r] = (uint8_t)(s->first[r] + (s->batch[r] < left ? s->batch[r] : left));
    for (int t = s->first[r]; t < s->end[r]; t++) {
        if (s->held[r][t] == HELD) /* without RULE_GIVE_BACK */
            continue;
        if (has(RULE_IF_FREE))
            s->held[r][t] = ASKED;
        else
            draw(s, r, t);
    }
}

/* Some are not free: wait for one. */
static void wait_for_busy(state *s, int r)
{
    int busy = -1;
    for (int t = s->end[r] - 1; t >= s->first[r]; t--)
        if (s->held[r][t] == BUSY)
            busy = t;
    for (int t = s->first[r]; t < s->end[r]; t++) {
        if (s->held[r][t] == BUSY)
            s->held[r][t] = NONE;
        if (s->held[r][t] == HELD && t > busy && has(RULE_GIVE_BACK))
            s->held[r][t] = UNDOING;
    }
    draw(s, r, busy);
    s->waits[r] = (uint8_t)(busy + 1);
}

static void step_all(const state *now, int r)
{
    state next = *now;
    if (is_any(now, r, ASKED) || is_any(now, r, WAITING))
        return;
    if (now->waits[r]) { /* it has come */
        next.first[r] = now->waits[r];
        next.end[r] = next.first[r];
        next.waits[r] = 0;
        next.batch[r] = 1;
    } else if (is_any(now, r, BUSY)) {
        wait_for_busy(&next, r);
    } else if (now->first[r] < now->end[r]) {
        next.first[r] = now->end[r];
        next.batch[r] = (uint8_t)(2 * now->batch[r]);
    } else if (now->first[r] == model.targets) {
        next.is_leaving[r] = 1;
    } else if (!is_any(now, r, UNDOING)) {
        ask(&next, r);
    } else {
        return;
    }
    push(&next);
}

static void step_rank(const state *now, int r)
{
    if (now->is_leaving[r])
        step_leave(now, r);
    else if (model.roles[r] == ALL)
        step_all(now, r);
    else
        step_in_order(now, r, model.roles[r] == LOW ? 0 : model.targets - 1);
}

/* ---- the walk --------------------------------------------------------------------------------------------------- */

static int is_over(const state *s)
{
    for (int t = 0; t < model.targets; t++)
        if (s->next[t] != s->write[t] || s->read[t] != s->write[t])
            return 0;
    for (int r = 0; r < model.ranks; r++)
        if (!s->is_leaving[r])
            return 0;
    return 1;
}

static int walk(size_t *count_p)
{
    state first;
    int is_found = 0;
    model.states = (model_states){.bytes = sizeof first};
    memset(&first, 0, sizeof first);
    for (int r = 0; r < model.ranks; r++) {
        first.batch[r] = model.targets;
        first.first[r] = model.roles[r] == HIGH ? model.targets - 1 : 0;
        first.end[r] = first.first[r];
    }
    model_states_add(&model.states, &first);
    for (size_t i = 0; i < model.states.count && !is_found; i++) {
        state now;
        model_states_get(&model.states, i, &now);
        model.can_move = 0;
        for (int r = 0; r < model.ranks; r++) {
            step_rank(&now, r);
            for (int t = 0; t < model.targets; t++)
                step_target(&now, r, t);
        }
        is_found = !model.can_move && !is_over(&now);
    }
    *count_p += model.states.count;
    model_states_free(&model.states);
    return is_found;
}

/* What the ranks do, and beside how many targets. */
static const struct {
    int targets, ranks;
    role roles[RANKS];
} sets[] = {
    {2, 4, {ALL, ALL, LOW, HIGH}}, {2, 3, {ALL, ALL, UP}}, {2, 3, {ALL, UP, LOW}},
    {2, 3, {ALL, UP, HIGH}},       {3, 2, {ALL, UP}},      {3, 3, {ALL, ALL, HIGH}},
    {3, 3, {ALL, UP, LOW}},
};

static int walk_all(unsigned rules, size_t *count_p)
{
    int is_found = 0;
    *count_p = 0;
    model.rules = rules;
    for (size_t i = 0; i < sizeof sets / sizeof *sets && !is_found; i++) {
        model.targets = sets[i].targets;
        model.ranks = sets[i].ranks;
        model.roles = sets[i].roles;
        is_found = walk(count_p);
    }
    return is_found;
}

int main(void)
{
    size_t count;
    if (walk_all(RULES - 1, &count))
        CHECK_FAIL("all wait for ever");
    printf("all rules: %zu states\n", count);
    CHECK(count > 1000);
    for (unsigned rule = 1; rule < RULES; rule *= 2) {
        int is_found = walk_all((RULES - 1) & ~rule, &count);
        printf("without rule %u: %s\n", rule, is_found ? "all wait for ever" : "nothing is found");
        CHECK(is_found);
    }
    return 0;
}
