/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All interleavings of a small model of the lock of a window's target (win_lock.h): three ranks of one host that take
 * it twice each, shared or exclusive. Some of them wait for themselves (win_lock_take); the others are tickets that the
 * target's agent has drawn for ranks elsewhere (win_agent.c), and look only when a packet has come, or when the agent
 * itself has served another ticket. A step is what a rank does between two moments at which another may come between;
 * where the order of two steps depends on a fence, the rule is that fence.
 *
 * In walks with a death one of the ranks ends at any moment, and the others notice it at any moment after that: they
 * give their tickets up. The agent keeps the tickets of ranks that have ended or given up.
 *
 * In no state may a writer hold the lock beside another holder, may a rank be served out of turn, be woken before it is
 * served, or may all wait for ever. Without any one of its rules the model finds such a state.
 */
#include "check.h"
#include "model_walk.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The rules that can be left out. */
enum {
    RULE_CHANGE_FIRST = 1, /* a rank changes the counts before it looks who sleeps */
    RULE_ENTER_FIRST = 2,  /* a sleeper enters itself in the table before it looks at the lock for the last time */
    RULE_LOOK_AGAIN = 4,   /* a rank that waits looks at the lock again when its bell is armed */
    RULE_PACKET = 8,       /* a rank whose change serves a ticket of the agent sends it a packet */
    RULE_LET_IN = 16,      /* a reader that comes in lets the next one in */
    RULE_WAKE_NEXT = 32,   /* and wakes it */
    RULE_BOTH = 64,        /* a writer that leaves adds to both counts */
    RULE_TICKETS = 128,    /* a reader is served in its turn, not whenever no writer holds the lock */
    RULE_CLEAR = 256,      /* a ticket clears its place in the table before others can get on */
    RULE_SERVED = 512,     /* only a ticket that is served is woken */
    RULE_LOSS = 1024,      /* a loss wakes those that sleep */
    RULES = 2048,
};

enum { RANKS = 3, ROUNDS = 2 };

typedef enum place {
    OUT,
    LOOK,
    ENTER,
    ARM,
    AGAIN,
    ASLEEP,
    SERVED,
    CHANGE_IN,
    WAKE_IN,
    CLEAR, /* without RULE_CLEAR */
    HOLD,
    CHANGE_READ,
    CHANGE_WRITE,
    WAKE_OUT,
    NUDGE,    /* the one that was found in the table; then `after` */
    GIVEN_UP, /* or dead */
} place;

typedef struct state {
    uint8_t next, read, write;
    uint8_t sleepers[RANKS]; /* the table: rank + 1, at the place of its ticket */
    uint8_t place[RANKS], after[RANKS], ticket[RANKS], rounds[RANKS], reached[RANKS], saw[RANKS];
    uint8_t has_looked[RANKS]; /* without RULE_CHANGE_FIRST: too early */
    uint8_t bell[RANKS], packet[RANKS], entered[RANKS];
    uint8_t is_gone[RANKS]; /* of a ticket of the agent: its rank has ended or given up */
    uint8_t has_death;
} state;

static struct {
    model_states states;
    unsigned rules;
    unsigned exclusive, agents; /* one bit for each rank */
    int rounds, is_mortal;
    int is_together; /* readers leave when all have come in */
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
    return s->place[r] == HOLD || (s->place[r] == NUDGE && s->after[r] != OUT) || s->place[r] == WAKE_IN ||
           s->place[r] == CLEAR;
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

static uint8_t *sleeper(state *s, unsigned ticket)
{
    return &s->sleepers[ticket % RANKS];
}

/* Look who sleeps: the fence before it is what keeps it behind the change of the counts. */
static void look(state *s, int r, unsigned reached)
{
    s->has_looked[r] = 1;
    s->saw[r] = *sleeper(s, reached);
}

static void look_early(const state *now, int r, unsigned count)
{
    state next = *now;
    if (has(RULE_CHANGE_FIRST) || now->has_looked[r])
        return;
    look(&next, r, count + 1);
    push(now, &next);
}

static int waits(const state *s, int r)
{
    return s->place[r] >= LOOK && s->place[r] <= ASLEEP;
}

static void check_woken(const state *s, int r)
{
    if (waits(s, r) && !is_served(s, r))
        wrong("a rank is woken before it is served");
}

/* Of the agent all tickets look, so it matters less whom a packet is for. */
static void wake(state *s, int r, place after)
{
    if (!s->has_looked[r])
        look(s, r, s->reached[r]);
    int found = s->saw[r] - 1;
    s->place[r] = (uint8_t)after;
    s->has_looked[r] = 0;
    if (found >= 0 && has(RULE_SERVED) && waits(s, found) && !is_served(s, found))
        found = -1;
    s->saw[r] = 0;
    if (found < 0)
        return;
    check_woken(s, found);
    if (!is_agent(found)) {
        s->place[r] = NUDGE;
        s->after[r] = (uint8_t)after;
        s->saw[r] = (uint8_t)(found + 1);
    }
    for (int i = 0; i < RANKS && is_agent(found) && has(RULE_PACKET); i++)
        s->packet[i] = (uint8_t)is_agent(i); /* one packet: they are tickets of one agent */
}

/* ---- taking it -------------------------------------------------------------------------------------------------- */

/* After a look that came too soon; else there is one more, with the bell armed. */
static place after_look(int r)
{
    if (is_agent(r))
        return ASLEEP; /* its rank does anything else */
    return has(RULE_ENTER_FIRST) ? ENTER : ARM;
}

static void enter_table(state *s, int r)
{
    *sleeper(s, s->ticket[r]) = (uint8_t)(r + 1);
}

static void step_wait(const state *now, int r)
{
    state next = *now;
    switch ((place)now->place[r]) {
    case OUT:
        if (now->rounds[r] == model.rounds || now->is_gone[r])
            return;
        next.rounds[r]++;
        next.ticket[r] = next.next++;
        next.place[r] = LOOK;
        if (is_agent(r) && has(RULE_ENTER_FIRST)) /* no other step of this rank comes between */
            enter_table(&next, r);
        break;
    case LOOK:
        next.place[r] = (uint8_t)(is_served(now, r) ? SERVED : after_look(r));
        break;
    case ENTER:
        enter_table(&next, r);
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
        if (!has(RULE_ENTER_FIRST)) /* seen only now */
            enter_table(&next, r);
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

static void clear_table(state *s, int r)
{
    *sleeper(s, s->ticket[r]) = 0;
}

static void step_enter(const state *now, int r)
{
    state next = *now;
    switch ((place)now->place[r]) {
    case SERVED:
        if (has(RULE_CLEAR))
            clear_table(&next, r);
        next.packet[r] = 0; /* one that has come late changes nothing */
        next.entered[r]++;
        next.place[r] = is_exclusive(r) || !has(RULE_LET_IN) ? HOLD : CHANGE_IN;
        break;
    case CHANGE_IN:
        look_early(now, r, now->read);
        next.reached[r] = ++next.read;
        next.place[r] = !has(RULE_CLEAR) ? CLEAR : has(RULE_WAKE_NEXT) ? WAKE_IN : HOLD;
        break;
    case CLEAR:
        clear_table(&next, r);
        next.place[r] = WAKE_IN;
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
        if (!is_exclusive(i) && !s->is_gone[i] && s->entered[i] < s->entered[r])
            return 0;
    return !s->is_gone[r];
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
        look_early(now, r, now->write);
        next.reached[r] = ++next.write;
        next.place[r] = WAKE_OUT;
        break;
    case WAKE_OUT:
        wake(&next, r, OUT);
        break;
    case NUDGE:
        next.bell[now->saw[r] - 1] = 0;
        next.place[r] = now->after[r];
        next.after[r] = next.saw[r] = 0;
        break;
    default:
        return;
    }
    push(now, &next);
}

/* ---- deaths ----------------------------------------------------------------------------------------------------- */

/* The rank ends: it makes no further step. A ticket of the agent goes on up to where its rank would leave. */
static void end(state *s, int r)
{
    s->is_gone[r] = 1;
    if (!is_agent(r) && !holds(s, r))
        s->place[r] = GIVEN_UP;
    else if (!is_agent(r))
        s->place[r] = HOLD; /* for ever */
    s->has_looked[r] = s->saw[r] = s->after[r] = 0;
}

static void step_death(const state *now, int r)
{
    state next = *now;
    if (!model.is_mortal || now->is_gone[r])
        return;
    if (!now->has_death && (!is_agent(r) || waits(now, r) || now->place[r] == OUT || now->place[r] == HOLD)) {
        next.has_death = 1;
        end(&next, r);
        push(now, &next);
    } else if (now->has_death && waits(now, r) && (has(RULE_LOSS) || now->place[r] != ASLEEP)) {
        if (!is_agent(r))
            clear_table(&next, r);
        end(&next, r);
        push(now, &next);
    }
}

/* ---- the walk --------------------------------------------------------------------------------------------------- */

static int is_over(const state *s)
{
    for (int r = 0; r < RANKS; r++)
        if (!s->is_gone[r] && (s->place[r] != OUT || s->rounds[r] < model.rounds))
            return 0;
    return 1;
}

static void check_end(const state *s)
{
    static const uint8_t nobody[RANKS];
    if (!is_over(s))
        wrong("all wait for ever");
    else if (!s->has_death && (memcmp(s->sleepers, nobody, RANKS) != 0 || s->read != s->next || s->write != s->next))
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
            step_death(&now, r);
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
 * it. Each once with a death, which may come at so many moments that the ranks take the lock once. */
static const char *walk_all(unsigned rules, size_t *count_p)
{
    enum { WAYS = 1 << RANKS };
    const char *found = NULL;
    *count_p = 0;
    model.rules = rules;
    for (unsigned way = 0; way < 2 * (WAYS + 1) * WAYS && !found; way++) {
        model.is_mortal = way % 2;
        model.rounds = model.is_mortal ? 1 : ROUNDS;
        model.agents = way / 2 % WAYS;
        model.is_together = way / 2 / WAYS == WAYS;
        model.exclusive = model.is_together ? 0 : way / 2 / WAYS;
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
