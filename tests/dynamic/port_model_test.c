/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All interleavings of a small model of the protocol of ports (dynamic/port.h): a port with a place or two, two callers
 * that know the secret, one of which may die, and a stranger that is silent or says something wrong, beside a program
 * that accepts now and then and closes the port at any moment.
 *
 * Nobody is accepted without a proof, nor out of turn; nobody who has proved itself is dropped while the port is open;
 * no caller waits for a stranger, nor for ever; and no stranger stays. Without any one of its rules the model finds the
 * state in which one of these does not hold.
 */
#include "check.h"
#include "model_walk.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the model -------------------------------------------------------------------------------------------------- */

/* The rules of port.h that can be left out. */
enum {
    RULE_LIMIT = 1,        /* a stage has a limit */
    RULE_READ_FIRST = 2,   /* what has come is read before the limit is looked at */
    RULE_ROOM = 4,         /* a silent one makes room for others */
    RULE_DROP_WRONG = 8,   /* one that says something wrong is dropped */
    RULE_KEEP_PROVEN = 16, /* one that has proved itself is not */
    RULE_TURN = 32,        /* they are accepted in the order of their proofs */
    RULE_LOOK_AFTER = 64,  /* one that goes away frees its place */
    RULE_CLOSE_ALL = 128,  /* with the port its connections are closed */
    RULE_AGAIN = 256,      /* a caller whose connection was closed tries again */
    RULES = 512,
};

enum { CALLERS = 3, STRANGER = 2, PLACES = 2, ACCEPTS = 2, TRIES = 1 };

/* Of a connection. Those between are at the port, which reads them while its program is in accept. */
typedef enum stage { IDLE, IN_KERNEL, AWAITS_HELLO, AWAITS_PROOF, PROVEN, TAKEN, CLOSED, TOLD } stage;

typedef struct caller {
    uint8_t stage;
    uint8_t said;    /* messages: the hello, the proof */
    uint8_t is_gone; /* it has died, and the connection with it */
    uint8_t tries;   /* further ones */
    uint8_t turn;    /* of a proven one */
} caller;

typedef struct state {
    caller callers[CALLERS];
    uint8_t is_closed, is_accepting, accepts, proofs, deaths;
} state;

typedef struct model {
    unsigned rules;
    int places;
    const char *wrong;
    model_states states;
} model;

static int has_rule(const model *m, unsigned rule)
{
    return (m->rules & rule) != 0;
}

static void model_fail(model *m, int is_wrong, const char *what)
{
    if (is_wrong && !m->wrong)
        m->wrong = what;
}

static int is_honest(int i)
{
    return i != STRANGER;
}

static int has_place(const caller *c)
{
    return c->stage >= AWAITS_HELLO && c->stage <= PROVEN;
}

/* Nothing has come that the port has not read. */
static int is_silent(const caller *c)
{
    return (c->stage == AWAITS_HELLO && c->said == 0) || (c->stage == AWAITS_PROOF && c->said == 1);
}

/* An honest one that has a connection, or wants one. */
static int is_waiting(const state *s, int i)
{
    const caller *c = &s->callers[i];
    return is_honest(i) && !c->is_gone && c->stage != TAKEN && c->stage != TOLD;
}

static void close_connection(caller *c)
{
    c->stage = CLOSED;
    c->said = 0;
}

/* ---- steps ------------------------------------------------------------------------------------------------------ */

typedef struct steps {
    state next[32];
    int count;
} steps;

/* A further step from here, to be changed. */
static state *step(steps *out, const state *from)
{
    CHECK(out->count < 32);
    out->next[out->count] = *from;
    return &out->next[out->count++];
}

static void steps_of_talking(const state *s, int i, steps *out)
{
    const caller *c = &s->callers[i];
    if (c->is_gone)
        return;
    if (c->stage == IDLE)
        step(out, s)->callers[i].stage = s->is_closed ? TOLD : IN_KERNEL;
    if ((c->stage == IN_KERNEL || c->stage == AWAITS_HELLO) && c->said == 0)
        step(out, s)->callers[i].said = 1;
    if (c->stage == AWAITS_PROOF && c->said == 1)
        step(out, s)->callers[i].said = 2;
}

static void steps_of_caller(model *m, const state *s, int i, steps *out)
{
    const caller *c = &s->callers[i];
    steps_of_talking(s, i, out);
    if (c->stage != CLOSED || c->is_gone)
        return;
    int goes_on = has_rule(m, RULE_AGAIN) && c->tries < TRIES;
    model_fail(m, !goes_on && c->tries < TRIES && !s->is_closed, "a caller gives up beside an open port");
    caller *next = &step(out, s)->callers[i];
    next->stage = goes_on ? IDLE : TOLD;
    next->tries += (uint8_t)goes_on;
}

/* The port drops it to make room, or by its limit. */
static void port_drop(model *m, state *s, int i)
{
    model_fail(m, s->callers[i].stage == PROVEN && !s->callers[i].is_gone, "one that has proved itself is dropped");
    model_fail(m, !is_silent(&s->callers[i]) && s->callers[i].stage != PROVEN, "one that has answered is dropped");
    close_connection(&s->callers[i]);
}

static void port_read(const model *m, state *s, int i)
{
    caller *c = &s->callers[i];
    if (c->stage == AWAITS_HELLO) {
        c->stage = AWAITS_PROOF;
    } else if (is_honest(i) || !has_rule(m, RULE_DROP_WRONG)) {
        c->stage = PROVEN;
        c->turn = s->proofs++;
    } else {
        close_connection(c);
    }
}

/* Those that are silent when there is no place, and others wait. */
static void steps_of_room(model *m, const state *s, steps *out)
{
    for (int i = 0; i < CALLERS; i++) {
        const caller *c = &s->callers[i];
        if (has_rule(m, RULE_ROOM) && has_place(c) && is_silent(c))
            port_drop(m, step(out, s), i);
        if (!has_rule(m, RULE_KEEP_PROVEN) && c->stage == PROVEN)
            port_drop(m, step(out, s), i);
    }
}

/* Take from the kernel what there is a place for. */
static void steps_of_taking(model *m, const state *s, steps *out)
{
    int places = 0, callers = 0;
    for (int i = 0; i < CALLERS; i++) {
        places += has_place(&s->callers[i]);
        callers += s->callers[i].stage == IN_KERNEL;
    }
    for (int i = 0; i < CALLERS && places < m->places; i++)
        if (s->callers[i].stage == IN_KERNEL)
            step(out, s)->callers[i].stage = AWAITS_HELLO;
    if (callers > 0 && places == m->places)
        steps_of_room(m, s, out);
}

static void port_accept(model *m, state *s, int i)
{
    caller *c = &s->callers[i];
    for (int other = 0; other < CALLERS; other++) {
        const caller *o = &s->callers[other];
        model_fail(m, o->stage == PROVEN && !o->is_gone && o->turn < c->turn, "one is accepted out of turn");
    }
    model_fail(m, !is_honest(i), "a stranger is accepted");
    model_fail(m, c->is_gone, "one that had gone is accepted");
    c->stage = TAKEN;
    s->is_accepting = 0;
}

static void steps_of_accepting(model *m, const state *s, steps *out)
{
    int first = -1;
    for (int i = 0; i < CALLERS; i++) {
        const caller *c = &s->callers[i];
        if (c->stage != PROVEN || (c->is_gone && has_rule(m, RULE_LOOK_AFTER)))
            continue;
        if (!has_rule(m, RULE_TURN))
            port_accept(m, step(out, s), i);
        else if (first < 0 || c->turn < s->callers[first].turn)
            first = i;
    }
    if (first >= 0)
        port_accept(m, step(out, s), first);
}

static void steps_of_port(model *m, const state *s, steps *out)
{
    if (s->is_closed || !s->is_accepting)
        return;
    for (int i = 0; i < CALLERS; i++) {
        const caller *c = &s->callers[i];
        if (has_place(c) && c->is_gone && (c->stage != PROVEN || has_rule(m, RULE_LOOK_AFTER)))
            close_connection(&step(out, s)->callers[i]);
        else if (has_place(c) && c->stage != PROVEN && !is_silent(c))
            port_read(m, step(out, s), i);
        if (!has_rule(m, RULE_READ_FIRST) && has_place(c) && c->stage != PROVEN && !is_silent(c))
            port_drop(m, step(out, s), i);
    }
    steps_of_taking(m, s, out);
    steps_of_accepting(m, s, out);
}

/* A limit comes when nothing else does. */
static void steps_of_time(model *m, const state *s, steps *out)
{
    int callers = 0;
    for (int i = 0; i < CALLERS; i++)
        callers += s->callers[i].stage == IN_KERNEL && is_waiting(s, i);
    for (int i = 0; i < CALLERS && s->is_accepting && !s->is_closed; i++)
        if (has_rule(m, RULE_LIMIT) && has_place(&s->callers[i]) && is_silent(&s->callers[i])) {
            model_fail(m, callers > 0, "a caller waits until a stranger's time is over");
            port_drop(m, step(out, s), i);
        }
}

static void port_close(const model *m, state *s)
{
    s->is_closed = 1;
    s->is_accepting = 0;
    for (int i = 0; i < CALLERS; i++)
        if (has_rule(m, RULE_CLOSE_ALL) && (has_place(&s->callers[i]) || s->callers[i].stage == IN_KERNEL))
            close_connection(&s->callers[i]);
}

static void program_accept(state *s)
{
    s->is_accepting = 1;
    s->accepts++;
}

static void caller_die(state *s, int i)
{
    s->callers[i].is_gone = 1;
    s->deaths++;
}

/* What comes from outside, at any moment or never: so is what the stranger says, whose second message is no proof. */
static void steps_of_others(const model *m, const state *s, steps *out)
{
    if (s->is_closed)
        return;
    steps_of_talking(s, STRANGER, out);
    port_close(m, step(out, s));
    if (!s->is_accepting && s->accepts < ACCEPTS)
        program_accept(step(out, s));
    for (int i = 0; i < CALLERS; i++)
        if (s->deaths < 1 && s->callers[i].stage > IDLE && s->callers[i].stage < TAKEN)
            caller_die(step(out, s), i);
}

/* ---- all states ------------------------------------------------------------------------------------------------- */

/* Nothing more happens by itself. */
static void model_check_rest(model *m, const state *s)
{
    for (int i = 0; i < CALLERS; i++) {
        const caller *c = &s->callers[i];
        model_fail(m, is_waiting(s, i) && s->is_accepting, "a caller and an accept wait for each other");
        model_fail(m, is_waiting(s, i) && s->is_closed, "a caller waits for a port that is closed");
        model_fail(m, !is_honest(i) && has_place(c) && s->is_accepting, "a stranger stays");
    }
}

/* What is wrong in some interleaving; NULL: nothing in any. Tries and accepts are counted, so that no state comes
 * again: what does not rest goes on, and ends. */
static const char *model_walk(unsigned rules, int places, size_t *count_p)
{
    model m = {.rules = rules, .places = places, .states = {.bytes = sizeof(state)}};
    state first;
    memset(&first, 0, sizeof first);
    model_states_add(&m.states, &first);
    for (size_t i = 0; i < m.states.count && !m.wrong; i++) {
        state now;
        steps out = {.count = 0};
        model_states_get(&m.states, i, &now);
        for (int at = 0; at < CALLERS; at++)
            if (is_honest(at))
                steps_of_caller(&m, &now, at, &out);
        steps_of_port(&m, &now, &out);
        if (out.count == 0)
            steps_of_time(&m, &now, &out);
        if (out.count == 0)
            model_check_rest(&m, &now);
        steps_of_others(&m, &now, &out);
        for (int next = 0; next < out.count; next++)
            model_states_add(&m.states, &out.next[next]);
    }
    *count_p += m.states.count;
    model_states_free(&m.states);
    return m.wrong;
}

static const char *walk_all(unsigned rules, size_t *states_p)
{
    const char *wrong = NULL;
    *states_p = 0;
    for (int places = 1; places <= PLACES && !wrong; places++)
        wrong = model_walk(rules, places, states_p);
    return wrong;
}

int main(void)
{
    size_t states;
    for (unsigned rule = 1; rule < RULES; rule *= 2) {
        const char *wrong = walk_all((RULES - 1) & ~rule, &states);
        printf("without rule %u: %s (%zu states)\n", rule, wrong ? wrong : "nothing is wrong", states);
        CHECK(wrong != NULL);
    }
    const char *wrong = walk_all(RULES - 1, &states);
    if (wrong)
        CHECK_FAIL("the rules do not hold: %s", wrong);
    printf("%zu states, and the rules hold in all\n", states);
    return 0;
}
