/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All interleavings of a small model of the lock of a window's target (win_lock.h): three ranks of one host that take
 * it twice each, shared or exclusive. Some of them wait for themselves (win_lock_take); the others are tickets that the
 * target's agent has drawn for ranks elsewhere (win_agent.c), and look only when a packet has come. A step is what a
 * rank does between two moments at which another may come between; where the order of two steps depends on a fence, the
 * rule is that fence.
 *
 * In no state may a writer hold the lock beside another holder, may a rank be served out of turn, or may all wait for
 * ever. Without any one of its rules the model finds such a state.
 */
#include "check.h"
#include "model_walk.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The rules that can be left out. */
enum {
    RULE_CHANGE_FIRST = 1, /* a rank changes the counts before it looks for sleepers */
    RULE_COUNT_FIRST = 2,  /* a sleeper counts itself before it looks at the lock for the last time */
    RULE_LOOK_AGAIN = 4,   /* a rank that waits looks at the lock again when its bell is armed */
    RULE_PACKET = 8,       /* a rank that has changed the counts sends the agent a packet if it has tickets */
    RULE_LET_IN = 16,      /* a reader that comes in lets the next one in */
    RULE_WAKE_NEXT = 32,   /* and wakes it */
    RULE_BOTH = 64,        /* a writer that leaves adds to both counts */
    RULE_TICKETS = 128,    /* a reader is served in its turn, not whenever no writer holds the lock */
    RULES = 256,
};

enum { RANKS = 3, ROUNDS = 2 };

typedef enum place {
    OUT,
    LOOK,
    COUNT,
    ARM,
    AGAIN,
    ASLEEP,
    SERVED,
    CHANGE_IN,
    WAKE_IN,
    HOLD,
    CHANGE_READ,
    CHANGE_WRITE,
    WAKE_OUT,
    NUDGE, /* the others, one after the other; then `after` */
} place;

typedef struct state {
    uint8_t next, read, write, sleepers, agents;
    uint8_t place[RANKS], after[RANKS], ticket[RANKS], rounds[RANKS], is_counted[RANKS], nudged[RANKS];
    uint8_t has_looked[RANKS], saw_sleepers[RANKS], saw_agents[RANKS]; /* without RULE_CHANGE_FIRST: too early */
    uint8_t bell[RANKS], packet[RANKS], entered[RANKS];
} state;

static struct {
    model_states states;
    unsigned rules;
    unsigned exclusive, agents; /* one bit for each rank */
    int is_together;            /* readers leave when all have come in */
    const char *found;
    int can_move;
} model;

static int has(unsigned rule)
{
    return (model.rules & rule) != 0;
}

static int is_exclusive(int r)
{
    return model.exclusive >> r & 1;
}

static int is_agent(int r)
{
    return model.agents >> r & 1;
}

static void wrong(const char *what)
{
    if (!model.found)
        model.found = what;
}

static void push(const state *now, const state *next)
{
    if (memcmp(now, next, sizeof *now) == 0)
        return;
    model.can_move = 1;
    model_states_add(&model.states, next);
}

/* ---- the lock --------------------------------------------------------------------------------------------------- */

static int holds(const state *s, int r)
{
    return s->place[r] == HOLD || (s->place[r] == NUDGE && s->after[r] == HOLD) || s->place[r] == WAKE_IN;
}

static int is_served(const state *s, int r)
{
    if (is_exclusive(r))
        return s->write == s->ticket[r];
    if (has(RULE_TICKETS))
        return s->read == s->ticket[r];
    for (int i = 0; i < RANKS; i++)
        if (is_exclusive(i) && holds(s, i))
            return 0;
    return 1;
}

static void check_holders(const state *s)
{
    for (int i = 0; i < RANKS; i++)
        for (int k = 0; k < i; k++)
            if (holds(s, i) && holds(s, k) && (is_exclusive(i) || is_exclusive(k)))
                wrong("a writer is not alone");
}

/* Look for tickets that wait: the fence before it is what keeps it behind the change of the counts. */
static void look(state *s, int r)
{
    s->has_looked[r] = 1;
    s->saw_sleepers[r] = s->sleepers > 0;
    s->saw_agents[r] = s->agents > 0;
}

static void look_early(const state *now, int r)
{
    state next = *now;
    if (has(RULE_CHANGE_FIRST) || now->has_looked[r])
        return;
    look(&next, r);
    push(now, &next);
}

static void wake(state *s, int r, place after)
{
    if (!s->has_looked[r])
        look(s, r);
    s->place[r] = (uint8_t)after;
    if (s->saw_sleepers[r]) {
        s->place[r] = NUDGE;
        s->after[r] = (uint8_t)after;
        s->nudged[r] = 0;
    }
    for (int i = 0; i < RANKS && s->saw_agents[r] && has(RULE_PACKET); i++)
        s->packet[i] = (uint8_t)is_agent(i); /* one packet: they are tickets of one agent */
    s->has_looked[r] = s->saw_sleepers[r] = s->saw_agents[r] = 0;
}

/* ---- taking it -------------------------------------------------------------------------------------------------- */

/* After a look that came too soon; else there is one more, with the bell armed. */
static place after_look(int r)
{
    if (is_agent(r))
        return ASLEEP; /* its rank does anything else */
    return has(RULE_COUNT_FIRST) ? COUNT : ARM;
}

static void count(state *s, int r)
{
    uint8_t *counted = is_agent(r) ? &s->agents : &s->sleepers;
    *counted = (uint8_t)(*counted + !s->is_counted[r]);
    s->is_counted[r] = 1;
}

static void uncount(state *s, int r)
{
    uint8_t *counted = is_agent(r) ? &s->agents : &s->sleepers;
    *counted = (uint8_t)(*counted - s->is_counted[r]);
    s->is_counted[r] = 0;
}

static void step_wait(const state *now, int r)
{
    state next = *now;
    switch ((place)now->place[r]) {
    case OUT:
        if (now->rounds[r] == ROUNDS)
            return;
        next.rounds[r]++;
        next.ticket[r] = next.next++;
        next.place[r] = LOOK;
        if (is_agent(r) && has(RULE_COUNT_FIRST)) /* no other step of this rank comes between */
            count(&next, r);
        break;
    case LOOK:
        next.place[r] = (uint8_t)(is_served(now, r) ? SERVED : after_look(r));
        break;
    case COUNT:
        count(&next, r);
        next.place[r] = ARM;
        break;
    case ARM:
        next.bell[r] = 1;
        next.place[r] = has(RULE_LOOK_AGAIN) ? AGAIN : ASLEEP;
        break;
    case AGAIN:
        next.place[r] = (uint8_t)(is_served(now, r) ? SERVED : ASLEEP);
        break;
    case ASLEEP:
        count(&next, r); /* without RULE_COUNT_FIRST: seen only now */
        if (is_agent(r) ? now->packet[r] : !now->bell[r])
            next.place[r] = LOOK;
        next.packet[r] = 0;
        break;
    default:
        return;
    }
    push(now, &next);
}

/* ---- holding it, and giving it back ------------------------------------------------------------------------------ */

static void step_enter(const state *now, int r)
{
    state next = *now;
    switch ((place)now->place[r]) {
    case SERVED:
        uncount(&next, r);
        next.packet[r] = 0; /* one that has come late changes nothing */
        next.entered[r]++;
        next.place[r] = is_exclusive(r) || !has(RULE_LET_IN) ? HOLD : CHANGE_IN;
        break;
    case CHANGE_IN:
        look_early(now, r);
        next.read++;
        next.place[r] = has(RULE_WAKE_NEXT) ? WAKE_IN : HOLD;
        break;
    case WAKE_IN:
        wake(&next, r, HOLD);
        break;
    default:
        return;
    }
    push(now, &next);
}

static int may_leave(const state *s, int r)
{
    for (int i = 0; i < RANKS && model.is_together && !is_exclusive(r); i++)
        if (!is_exclusive(i) && s->entered[i] < s->entered[r])
            return 0;
    return 1;
}

static void step_leave(const state *now, int r)
{
    state next = *now;
    switch ((place)now->place[r]) {
    case HOLD:
        if (!may_leave(now, r))
            return;
        next.place[r] = is_exclusive(r) && has(RULE_BOTH) ? CHANGE_READ : CHANGE_WRITE;
        break;
    case CHANGE_READ:
        next.read++;
        next.place[r] = CHANGE_WRITE;
        break;
    case CHANGE_WRITE:
        look_early(now, r);
        next.write++;
        next.place[r] = WAKE_OUT;
        break;
    case WAKE_OUT:
        wake(&next, r, OUT);
        break;
    case NUDGE:
        next.bell[now->nudged[r]] = 0;
        if (++next.nudged[r] == RANKS) {
            next.place[r] = now->after[r];
            next.after[r] = next.nudged[r] = 0;
        }
        break;
    default:
        return;
    }
    push(now, &next);
}

/* ---- the walk --------------------------------------------------------------------------------------------------- */

static int is_over(const state *s)
{
    for (int r = 0; r < RANKS; r++)
        if (s->place[r] != OUT || s->rounds[r] < ROUNDS)
            return 0;
    return 1;
}

static void check_end(const state *s)
{
    if (!is_over(s))
        wrong("all wait for ever");
    else if (s->sleepers != 0 || s->agents != 0 || s->read != s->next || s->write != s->next)
        wrong("the counts are not even at the end");
}

static const char *walk(size_t *count_p)
{
    state first;
    model.found = NULL;
    model.states = (model_states){.bytes = sizeof first};
    memset(&first, 0, sizeof first);
    model_states_add(&model.states, &first);
    for (size_t i = 0; i < model.states.count && !model.found; i++) {
        state now;
        model_states_get(&model.states, i, &now);
        model.can_move = 0;
        check_holders(&now);
        for (int r = 0; r < RANKS; r++) {
            step_wait(&now, r);
            step_enter(&now, r);
            step_leave(&now, r);
        }
        if (!model.can_move)
            check_end(&now);
    }
    *count_p += model.states.count;
    model_states_free(&model.states);
    return model.found;
}

/* Ranks that do the same may change places: of such ways only the first is walked. */
static int is_first_way(void)
{
    for (int r = 1; r < RANKS; r++)
        if (2 * is_exclusive(r) + is_agent(r) < 2 * is_exclusive(r - 1) + is_agent(r - 1))
            return 0;
    return 1;
}

/* Readers and writers, origins and agents, in all ways; and readers only, which wait for each other while they hold
 * it. */
static const char *walk_all(unsigned rules, size_t *count_p)
{
    enum { WAYS = 1 << RANKS };
    const char *found = NULL;
    *count_p = 0;
    model.rules = rules;
    for (unsigned way = 0; way < (WAYS + 1) * WAYS && !found; way++) {
        model.agents = way % WAYS;
        model.is_together = way / WAYS == WAYS;
        model.exclusive = model.is_together ? 0 : way / WAYS;
        found = is_first_way() ? walk(count_p) : NULL;
    }
    return found;
}

int main(void)
{
    size_t count;
    const char *found = walk_all(RULES - 1, &count);
    if (found)
        CHECK_FAIL("the rules do not hold: %s", found);
    printf("all rules: %zu states\n", count);
    CHECK(count > 1000);
    for (unsigned rule = 1; rule < RULES; rule *= 2) {
        found = walk_all((RULES - 1) & ~rule, &count);
        printf("without rule %u: %s\n", rule, found ? found : "nothing is found");
        CHECK(found != NULL);
    }
    return 0;
}
