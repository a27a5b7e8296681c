/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All interleavings of a small model of how threads that block in recv sleep on a fast socket's futex (net.h, "Futex"),
 * beside others that sleep until a bell: up to three threads that wait for bytes or the end; the peer, one thread of
 * which writes, and another closes; and waits whose time is over, or that a signal ends, at any moment. A step is what
 * an actor does between two moments at which another may come between. How bells are taken is net_bell_model_test.c's.
 *
 * In no state may a thread sleep though there is what it waits for, and nothing is under way that wakes it. The
 * protocol holds; without any one of its rules the model finds the state in which it does not.
 */
#include "check.h"
#include "model_walk.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The rules that can be left out. */
enum {
    RULE_LOOK = 1,  /* arm, then look once more */
    RULE_OWN = 2,   /* who needs no bell any more takes back the bit of bells alone */
    RULE_ALL = 4,   /* all sleepers of the futex are woken: the first may leave bytes for the second */
    RULE_KEEP = 8,  /* a sleep whose time is over leaves the bit: another thread may rely on it */
    RULE_END = 16,  /* a peer that closes stores that, then wakes */
    RULE_SEEN = 32, /* and a thread that has seen it does not sleep on the futex */
    /* The futex is a count, read before the bit is set, which each wake changes; not the word with the bits, which
     * another thread may set again before this one sleeps. */
    RULE_COUNT = 64,
    RULES = 128,
};

enum { THREADS = 3, STORES = 2 };

enum { ON_FUTEX = 1, ON_BELL = 2 }; /* bits of the word */

typedef enum role { NOBODY, SLEEPER, BELL_SLEEPER } role;

typedef enum place {
    LOOK,
    COUNT, /* read the futex */
    ARM,
    AGAIN,  /* armed: look once more */
    ENTER,  /* the kernel compares it */
    ASLEEP, /* on the futex */
    BELL_ARM,
    BELL_AGAIN,
    BELL_ASLEEP, /* on the descriptor */
    BELL_LEAVE,
    DONE, /* it has seen the end */
} place;

typedef enum peer_place { PEER_STORE, PEER_EXCHANGE, PEER_WAKE, PEER_RING } peer_place;
typedef enum closer_place { CLOSER_STORE, CLOSER_WAKE, CLOSER_FIN, CLOSER_GONE } closer_place;

typedef struct state {
    uint8_t place[THREADS], expected[THREADS];
    uint8_t word, count;
    uint8_t bytes, stored;
    uint8_t peer, taken; /* by the peer, of the word */
    uint8_t closer, is_ending;
    uint8_t bells, fin; /* in the kernel */
} state;

typedef struct model {
    role roles[THREADS];
    unsigned rules;
    const char *wrong;
    model_states states;
} model;

static int has_rule(const model *m, unsigned rule)
{
    return (m->rules & rule) != 0;
}

/* No other sleeps, or is about to, until a bell comes. */
static int is_last_for_bells(const state *s, int me)
{
    for (int i = 0; i < THREADS; i++)
        if (i != me && s->place[i] >= BELL_ARM && s->place[i] <= BELL_ASLEEP)
            return 0;
    return 1;
}

static void bell_leave(const model *m, state *s, int me)
{
    if (is_last_for_bells(s, me)) {
        s->bells = 0;
        s->word = has_rule(m, RULE_OWN) ? s->word & ON_FUTEX : 0;
    }
    s->place[me] = LOOK;
}

/* One step of a thread; 0: it cannot take one. */
static int thread_step(const model *m, state *s, int me)
{
    int is_told = s->is_ending && has_rule(m, RULE_SEEN);
    switch ((place)s->place[me]) {
    case LOOK:
        if (s->bytes > 0)
            s->bytes--;
        else
            s->place[me] = m->roles[me] == SLEEPER && !is_told ? COUNT : BELL_ARM;
        return 1;
    case COUNT:
        s->expected[me] = s->count;
        s->place[me] = ARM;
        return 1;
    case ARM:
        s->word |= ON_FUTEX;
        if (!has_rule(m, RULE_COUNT))
            s->expected[me] = s->word;
        s->place[me] = has_rule(m, RULE_LOOK) ? AGAIN : ENTER;
        return 1;
    case AGAIN:
        s->place[me] = s->bytes > 0 || is_told ? LOOK : ENTER;
        return 1;
    case ENTER:
        s->place[me] = (has_rule(m, RULE_COUNT) ? s->count : s->word) == s->expected[me] ? ASLEEP : LOOK;
        return 1;
    case ASLEEP:
        return 0;
    case BELL_ARM:
        s->word |= ON_BELL;
        s->place[me] = BELL_AGAIN;
        return 1;
    case BELL_AGAIN:
        s->place[me] = s->bytes > 0 ? BELL_LEAVE : BELL_ASLEEP;
        return 1;
    case BELL_ASLEEP:
        if (s->bells == 0 && !s->fin)
            return 0;
        s->place[me] = BELL_LEAVE;
        return 1;
    case BELL_LEAVE:
        if (s->fin && s->bytes == 0)
            s->place[me] = DONE;
        else
            bell_leave(m, s, me);
        return 1;
    case DONE:
        return 0;
    }
    return 0;
}

static void wake(const model *m, state *s)
{
    s->count++;
    for (int i = 0; i < THREADS; i++)
        if (s->place[i] == ASLEEP) {
            s->place[i] = LOOK;
            if (!has_rule(m, RULE_ALL))
                return;
        }
}

/* The peer's writer: store, take the word, wake, ring. */
static int peer_step(const model *m, state *s)
{
    switch ((peer_place)s->peer) {
    case PEER_STORE:
        if (s->stored == STORES || s->closer != CLOSER_STORE)
            return 0;
        s->stored++;
        s->bytes++;
        s->peer = PEER_EXCHANGE;
        return 1;
    case PEER_EXCHANGE:
        s->taken = s->word;
        s->word = 0;
        s->peer = PEER_WAKE;
        return 1;
    case PEER_WAKE:
        if (s->taken & ON_FUTEX)
            wake(m, s);
        s->peer = PEER_RING;
        return 1;
    case PEER_RING:
        s->bells = s->bells || (s->taken & ON_BELL);
        s->taken = 0;
        s->peer = PEER_STORE;
        return 1;
    }
    return 0;
}

static void closer_wake(const model *m, state *s)
{
    if (s->word & ON_FUTEX) {
        s->word &= ON_BELL;
        wake(m, s);
    }
}

/* It closes at any moment between writes. */
static int closer_step(const model *m, state *s)
{
    int is_first = has_rule(m, RULE_END);
    switch ((closer_place)s->closer) {
    case CLOSER_STORE:
        if (s->peer != PEER_STORE)
            return 0;
        if (is_first)
            s->is_ending = 1;
        else
            closer_wake(m, s);
        s->closer = CLOSER_WAKE;
        return 1;
    case CLOSER_WAKE:
        if (is_first)
            closer_wake(m, s);
        else
            s->is_ending = 1;
        s->closer = CLOSER_FIN;
        return 1;
    case CLOSER_FIN:
        s->fin = 1;
        s->closer = CLOSER_GONE;
        return 1;
    case CLOSER_GONE:
        return 0;
    }
    return 0;
}

/* ---- what must be so in every state ----------------------------------------------------------------------------- */

static void check_lost(model *m, const state *s)
{
    if (s->peer != PEER_STORE || s->closer == CLOSER_WAKE)
        return;
    for (int i = 0; i < THREADS; i++) {
        int is_asleep = s->place[i] == ASLEEP || (s->place[i] == BELL_ASLEEP && s->bells == 0 && !s->fin);
        if (m->roles[i] != NOBODY && is_asleep && s->bytes > 0)
            m->wrong = s->place[i] == ASLEEP ? "a thread sleeps on the futex though there are bytes"
                                             : "a thread sleeps until a bell though there are bytes";
        if (m->roles[i] != NOBODY && s->place[i] == ASLEEP && s->fin)
            m->wrong = "a thread sleeps on the futex though the peer has closed";
    }
}

/* ---- all states ------------------------------------------------------------------------------------------------- */

/* A wait ends without having been woken: by a signal, or because its time is over. */
static void model_expire(model *m, const state *s, int me)
{
    state next = *s;
    if (s->place[me] == BELL_ASLEEP) {
        next.place[me] = BELL_LEAVE;
        model_states_add(&m->states, &next);
    } else if (s->place[me] == ASLEEP) {
        if (!has_rule(m, RULE_KEEP))
            next.word &= ON_BELL;
        next.place[me] = BELL_ARM;
        model_states_add(&m->states, &next);
        next.place[me] = LOOK;
        model_states_add(&m->states, &next);
    }
}

static void model_expand(model *m, const state *s)
{
    state next = *s;
    if (peer_step(m, &next))
        model_states_add(&m->states, &next);
    next = *s;
    if (closer_step(m, &next))
        model_states_add(&m->states, &next);
    for (int me = 0; me < THREADS; me++) {
        if (m->roles[me] == NOBODY)
            continue;
        next = *s;
        if (thread_step(m, &next, me))
            model_states_add(&m->states, &next);
        model_expire(m, s, me);
    }
}

/* What is wrong in some interleaving; NULL: nothing in any. */
static const char *model_walk(const role roles[THREADS], unsigned rules, size_t *count_p)
{
    model m = {.rules = rules, .states = {.bytes = sizeof(state)}};
    state first;
    memcpy(m.roles, roles, sizeof m.roles);
    memset(&first, 0, sizeof first);
    model_states_add(&m.states, &first);
    for (size_t i = 0; i < m.states.count && !m.wrong; i++) {
        state now;
        model_states_get(&m.states, i, &now);
        check_lost(&m, &now);
        model_expand(&m, &now);
    }
    *count_p = m.states.count;
    model_states_free(&m.states);
    return m.wrong;
}

static const char *walk_casts(unsigned rules, size_t *states_p)
{
    static const role casts[][THREADS] = {
        {SLEEPER, NOBODY, NOBODY},
        {SLEEPER, SLEEPER, NOBODY},
        {SLEEPER, BELL_SLEEPER, NOBODY},
        {SLEEPER, SLEEPER, BELL_SLEEPER},
        {SLEEPER, BELL_SLEEPER, BELL_SLEEPER},
    };
    const char *wrong = NULL;
    *states_p = 0;
    for (size_t i = 0; i < sizeof casts / sizeof *casts && !wrong; i++) {
        size_t count;
        wrong = model_walk(casts[i], rules, &count);
        *states_p += count;
    }
    return wrong;
}

int main(void)
{
    size_t states;
    for (unsigned rule = 1; rule < RULES; rule *= 2) {
        const char *wrong = walk_casts((RULES - 1) & ~rule, &states);
        printf("without rule %u: %s\n", rule, wrong ? wrong : "nothing is wrong");
        CHECK(wrong != NULL);
    }
    const char *wrong = walk_casts(RULES - 1, &states);
    if (wrong)
        CHECK_FAIL("the protocol does not hold: %s", wrong);
    printf("%zu states, and the protocol holds in all\n", states);
    return 0;
}
