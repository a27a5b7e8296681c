/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All interleavings of a small model of how threads sleep on a fast socket and are woken (net.h, "Sleeping"): up to
 * three threads or processes that wait to read or to write, in poll, in recv, which leaves its bell, or in an epoll
 * set, and that may look at the kernel and take bells before they wait; the peer, which writes and makes room; waits
 * that end for another reason; and the death of one sleeper, or its being stopped for ever, at any moment. A step is
 * what an actor does between two moments at which another may come between.
 *
 * In no state may a thread sleep though there is what it waits for, with no bell under way; nor loop without sleeping
 * while the others do not run; nor look again and again because of a dead one. The protocol holds; without any one of
 * its rules the model finds the state in which it does not, and first of all without all of them, as fast sockets once
 * were.
 */
#include "check.h"
#include "model_walk.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the model -------------------------------------------------------------------------------------------------- */

/* The rules that can be left out. */
enum {
    RULE_COUNT = 1,  /* bells are taken only while no sleeper is counted */
    RULE_LOCK = 2,   /* to look who is counted and to take bells is one step, and so is to look and to be counted */
    RULE_RELY = 4,   /* `reader_armed` is cleared only if no other relies on it */
    RULE_TICK = 8,   /* no thread falls asleep on bells that cannot be taken: it looks again after a while */
    RULE_DEATH = 16, /* the dead are not counted */
    RULE_EDGE = 32,  /* a set is woken by every bell, taken or not */
    RULE_LOOK = 64,  /* arm, then look once more */
    RULES = 128,
    /* What fast sockets did before. */
    OLD_RULES = RULE_EDGE | RULE_LOOK,
};

typedef enum role { NOBODY, READER, WRITER, RECEIVER, SET_READER, SET_WRITER } role;

enum { SLEEPERS = 3, STORES = 2, BELLS_MAX = 2, ALONE_STEPS = 24 };

typedef enum place {
    LOOK,  /* what is in memory? */
    ENTER, /* about to sleep */
    COUNT, /* without RULE_LOCK: is counted only now */
    ARM,
    AGAIN,  /* armed: look once more */
    ASLEEP, /* in the kernel */
    LEAVE,  /* awake */
    TAKE,   /* and not counted any more */
    DRAIN,  /* without RULE_LOCK: take bells only now */
    TICK,   /* asleep without bells, for a short time */
} place;

typedef enum peer_place { PEER_STORE, PEER_LOOK, PEER_RING } peer_place;

typedef struct state {
    _Alignas(8) uint8_t place[SLEEPERS], is_dead[SLEEPERS], is_stopped[SLEEPERS];
    uint8_t is_counted[SLEEPERS]; /* asleep in poll or recv */
    uint8_t relies[SLEEPERS];     /* on reader_armed */
    uint8_t edge[SLEEPERS];       /* of a set */
    uint8_t has_seen[SLEEPERS];   /* the kernel woke it because of a bell */
    uint8_t has_ended;            /* a wait, for another reason; once */
    uint8_t is_killed;            /* or stopped; once */
    uint8_t bytes, room;          /* what is waited for */
    uint8_t stored;               /* how often the peer has changed one of them */
    uint8_t bells;                /* in the kernel's queue */
    uint8_t is_rung, reader_armed, writer_armed;
    uint8_t writer, reader; /* places of the peer's two threads */
} state;

typedef struct model {
    role roles[SLEEPERS];
    unsigned rules;
    const char *wrong;
    model_states states;
} model;

static int has_rule(const model *m, unsigned rule)
{
    return (m->rules & rule) != 0;
}

static int is_set(const model *m, int me)
{
    return m->roles[me] == SET_READER || m->roles[me] == SET_WRITER;
}

static int is_reader(const model *m, int me)
{
    return m->roles[me] == READER || m->roles[me] == RECEIVER || m->roles[me] == SET_READER;
}

static int has_what_it_wants(const model *m, const state *s, int me)
{
    return is_reader(m, me) ? s->bytes > 0 : s->room > 0;
}

/* Another than this one is counted, as far as it can tell. */
static int others_are_counted(const model *m, const state *s, int me)
{
    for (int i = 0; i < SLEEPERS; i++)
        if (i != me && s->is_counted[i] && !(s->is_dead[i] && has_rule(m, RULE_DEATH)))
            return 1;
    return 0;
}

static int others_rely(const state *s, int me)
{
    for (int i = 0; i < SLEEPERS; i++)
        if (i != me && s->relies[i])
            return 1;
    return 0;
}

static void model_take(const model *m, state *s, int me)
{
    if (has_rule(m, RULE_COUNT) && others_are_counted(m, s, me)) {
        s->is_rung = 1;
        return;
    }
    s->bells = 0;
    s->is_rung = 0;
}

static void model_count(const model *m, state *s, int me)
{
    s->is_counted[me] = (uint8_t)!is_set(m, me);
    s->relies[me] = (uint8_t)is_reader(m, me);
    s->place[me] = ARM;
}

static void model_arm(const model *m, state *s, int me)
{
    if (is_reader(m, me))
        s->reader_armed = 1;
    else
        s->writer_armed = 1;
    s->place[me] = has_rule(m, RULE_LOOK) ? AGAIN : ASLEEP;
}

static void model_enter(model *m, state *s, int me)
{
    if (!is_set(m, me) && s->is_rung && has_rule(m, RULE_TICK)) {
        if (others_are_counted(m, s, me)) {
            s->place[me] = TICK;
            int is_for_living = 0;
            for (int i = 0; i < SLEEPERS; i++)
                is_for_living |= i != me && s->is_counted[i] && !s->is_dead[i];
            if (!is_for_living)
                m->wrong = "a thread looks again and again because of a dead one";
            return;
        }
        s->bells = 0;
        s->is_rung = 0;
    }
    if (has_rule(m, RULE_LOCK))
        model_count(m, s, me);
    else
        s->place[me] = COUNT;
}

static void model_leave(const model *m, state *s, int me)
{
    s->is_counted[me] = s->relies[me] = 0;
    if (!has_rule(m, RULE_RELY) || !others_rely(s, me))
        s->reader_armed = 0;
    int has_seen = s->has_seen[me];
    s->has_seen[me] = 0;
    s->place[me] = LOOK;
    if (has_seen && m->roles[me] == RECEIVER)
        s->is_rung = 1;
    else if (has_seen && has_rule(m, RULE_LOCK))
        s->place[me] = TAKE;
    else if (has_seen && has_rule(m, RULE_COUNT) && others_are_counted(m, s, me))
        model_take(m, s, me);
    else if (has_seen)
        s->place[me] = DRAIN;
}

/* One step of a sleeper; 0: it cannot take one. */
static int model_step(model *m, state *s, int me)
{
    switch ((place)s->place[me]) {
    case LOOK:
        if (!has_what_it_wants(m, s, me))
            s->place[me] = ENTER;
        else if (is_reader(m, me))
            s->bytes--;
        else
            s->room--;
        return 1;
    case ENTER:
        model_enter(m, s, me);
        return 1;
    case COUNT:
        model_count(m, s, me);
        return 1;
    case ARM:
        model_arm(m, s, me);
        return 1;
    case AGAIN:
        s->place[me] = has_what_it_wants(m, s, me) ? LEAVE : ASLEEP;
        return 1;
    case ASLEEP:
        if (is_set(m, me) && has_rule(m, RULE_EDGE) ? !s->edge[me] : s->bells == 0)
            return 0;
        s->edge[me] = 0;
        s->has_seen[me] = 1;
        s->place[me] = LEAVE;
        return 1;
    case LEAVE:
        model_leave(m, s, me);
        return 1;
    case TAKE:
        model_take(m, s, me);
        s->place[me] = LOOK;
        return 1;
    case DRAIN:
        s->bells = 0;
        s->is_rung = 0;
        s->place[me] = LOOK;
        return 1;
    case TICK:
        s->place[me] = LOOK;
        return 1;
    }
    return 0;
}

/* One step of a thread of the peer: store, look whether the sleeper is armed, ring. */
static int peer_step(const model *m, state *s, uint8_t *where, uint8_t *what, uint8_t *armed)
{
    if (*where == PEER_STORE) {
        if (s->stored == STORES)
            return 0;
        s->stored++;
        ++*what;
        *where = PEER_LOOK;
    } else if (*where == PEER_LOOK) {
        *where = *armed ? PEER_RING : PEER_STORE;
        *armed = 0;
    } else {
        s->bells += s->bells < BELLS_MAX;
        for (int i = 0; i < SLEEPERS; i++)
            s->edge[i] = (uint8_t)is_set(m, i);
        *where = PEER_STORE;
    }
    return 1;
}

/* ---- what must be so in every state ----------------------------------------------------------------------------- */

static int can_wake(const model *m, const state *s, int me)
{
    model copy = *m;
    state next = *s;
    return model_step(&copy, &next, me);
}

static void check_lost(model *m, const state *s)
{
    if (s->writer != PEER_STORE || s->reader != PEER_STORE)
        return;
    for (int i = 0; i < SLEEPERS; i++)
        if (m->roles[i] != NOBODY && !s->is_dead[i] && !s->is_stopped[i] && s->place[i] == ASLEEP &&
            has_what_it_wants(m, s, i) && !can_wake(m, s, i))
            m->wrong = is_reader(m, i) ? "a reader sleeps though there are bytes, and no bell is under way"
                                       : "a writer sleeps though there is room, and no bell is under way";
}

/* This thread alone runs: it comes to sleep. */
static void check_alone(model *m, const state *s, int me)
{
    model copy = *m;
    state next = *s;
    for (int i = 0; i < ALONE_STEPS; i++)
        if (next.place[me] == TICK || !model_step(&copy, &next, me))
            return;
    m->wrong = "a thread loops without sleeping";
}

/* ---- all states ------------------------------------------------------------------------------------------------- */

/* Add what may follow on a state. */
static void model_expand(model *m, const state *s)
{
    state next = *s;
    if (peer_step(m, &next, &next.writer, &next.bytes, &next.reader_armed))
        model_states_add(&m->states, &next);
    next = *s;
    if (peer_step(m, &next, &next.reader, &next.room, &next.writer_armed))
        model_states_add(&m->states, &next);
    for (int me = 0; me < SLEEPERS; me++) {
        if (m->roles[me] == NOBODY || s->is_dead[me] || s->is_stopped[me])
            continue;
        next = *s;
        if (s->place[me] == LOOK && s->bells > 0 && has_rule(m, RULE_LOCK)) { /* what is ready now, as poll asks */
            model_take(m, &next, me);
            model_states_add(&m->states, &next);
        }
        next = *s;
        if (model_step(m, &next, me))
            model_states_add(&m->states, &next);
        next = *s;
        if (s->place[me] == ASLEEP && !s->has_ended) {
            next.has_ended = 1;
            next.place[me] = LEAVE;
            model_states_add(&m->states, &next);
        }
        next = *s;
        if (!s->is_killed) {
            next.is_killed = next.is_dead[me] = 1;
            model_states_add(&m->states, &next);
            next.is_dead[me] = 0;
            next.is_stopped[me] = 1;
            model_states_add(&m->states, &next);
        }
    }
}

/* What is wrong in some interleaving; NULL: nothing in any. */
static const char *model_walk(const role roles[SLEEPERS], unsigned rules, size_t *count_p)
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
        for (int me = 0; me < SLEEPERS; me++)
            if (m.roles[me] != NOBODY && !now.is_dead[me] && !now.is_stopped[me])
                check_alone(&m, &now, me);
        model_expand(&m, &now);
    }
    *count_p = m.states.count;
    model_states_free(&m.states);
    return m.wrong;
}

/* ---- what is checked -------------------------------------------------------------------------------------------- */

static const role casts[][SLEEPERS] = {
    {READER, WRITER, NOBODY},         {SET_READER, WRITER, NOBODY},   {READER, SET_WRITER, NOBODY},
    {READER, READER, NOBODY},         {SET_READER, READER, NOBODY},   {SET_READER, SET_WRITER, NOBODY},
    {READER, WRITER, WRITER},         {READER, WRITER, SET_READER},   {READER, WRITER, SET_WRITER},
    {SET_READER, SET_WRITER, WRITER}, {READER, READER, SET_READER},   {RECEIVER, WRITER, NOBODY},
    {RECEIVER, RECEIVER, NOBODY},     {RECEIVER, SET_READER, NOBODY}, {RECEIVER, READER, WRITER},
};
enum { CASTS = sizeof casts / sizeof *casts };

static const char *walk_casts(unsigned rules, size_t *states_p)
{
    const char *wrong = NULL;
    *states_p = 0;
    for (int i = 0; i < CASTS && !wrong; i++) {
        size_t count;
        wrong = model_walk(casts[i], rules, &count);
        *states_p += count;
    }
    return wrong;
}

int main(void)
{
    /* The pairs that once hung, each by itself. */
    static const role pairs[][SLEEPERS] = {
        {READER, WRITER, NOBODY}, {SET_READER, WRITER, NOBODY}, {READER, SET_WRITER, NOBODY}};
    size_t states;
    const char *wrong;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        wrong = model_walk(pairs[i], OLD_RULES, &states);
        printf("pair %zu by the old rules: %s\n", i, wrong ? wrong : "nothing is wrong");
        CHECK(wrong != NULL);
    }
    for (unsigned rule = 1; rule < RULES; rule *= 2) {
        wrong = walk_casts((RULES - 1) & ~rule, &states);
        printf("without rule %u: %s\n", rule, wrong ? wrong : "nothing is wrong");
        CHECK(wrong != NULL);
    }
    wrong = walk_casts(RULES - 1, &states);
    if (wrong)
        CHECK_FAIL("the protocol does not hold: %s", wrong);
    printf("%zu states, and the protocol holds in all\n", states);
    return 0;
}
