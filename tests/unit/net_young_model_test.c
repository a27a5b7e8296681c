/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All interleavings of a small model of how a young connection moves to memory (net.h, "Young connections"): two threads of one
 * side make calls on it, find it due and move it, or want it to stay; a fork may come at any moment; the peer attaches once there
 * is an offer, and sends bells from then on. A step is what an actor does between two moments at which another may come between.
 *
 * In no state may a thread in the kernel take a bell for data, the connection move twice, or move while another process has it,
 * or after it was to stay; nor may a thread wait at the gate for ever. Without any one of its rules the model finds such a state.
 */
#include "check.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The rules that can be left out. */
enum {
    RULE_GATE = 1,   /* no call enters while a thread moves the connection */
    RULE_INSIDE = 2, /* it moves only while no call is inside */
    RULE_ONCE = 4,   /* behind the closed gate a thread looks again whether it is young */
    RULE_AGAIN = 8,  /* a call that has entered looks again whether it is young */
    RULE_ALONE =
        16, /* whether another process has it is looked at together with the move, which no fork comes between */
    RULE_STAY = 32, /* one that is to stay closes the gate for ever, and not while a thread moves it */
    RULE_OPEN = 64, /* the gate is opened again */
    RULES = 128,
};

enum { THREADS = 2, CALLS = 2, BYTES_MAX = 2 };

typedef enum place {
    BEGIN,  /* of a call: is the connection young? */
    DUE,    /* it was: close the gate */
    INSIDE, /* the gate: move */
    ALONE,  /* without RULE_ALONE: found alone, and moves only now */
    OPEN,
    ENTER,
    LOOK,   /* entered: is it young still? */
    BACK,   /* it is not: leave, and begin anew */
    KERNEL, /* in a read */
    LEAVE,
    DONE,
} place;

typedef struct state {
    _Alignas(8) uint8_t place[THREADS];
    uint8_t calls[THREADS];
    uint8_t entered; /* calls that are counted */
    uint8_t is_moving, is_never;
    uint8_t is_young, moves, has_forked, is_kept; /* kept: was to stay, and was young then */
    uint8_t is_attached, data, bells;             /* what waits on TCP */
    uint8_t stayers, unused;
} state;

_Static_assert(sizeof(state) == 2 * sizeof(uint64_t), "two words");

/* ---- what is seen of a state ------------------------------------------------------------------------------------ */

enum { SEEN = 1 << 20 };

static struct {
    state table[SEEN], stack[SEEN];
    uint8_t is_used[SEEN];
    unsigned rules, stacked, count;
    const char *found;
} model;

static void model_push(const state *next)
{
    uint64_t words[2];
    memcpy(words, next, sizeof words);
    uint64_t hash = (words[0] ^ words[1] * 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    for (unsigned at = (unsigned)(hash >> 40) % SEEN;; at = (at + 1) % SEEN) {
        if (model.is_used[at] && memcmp(&model.table[at], next, sizeof *next) == 0)
            return;
        if (!model.is_used[at]) {
            model.is_used[at] = 1;
            model.table[at] = *next;
            break;
        }
    }
    CHECK(++model.count < SEEN / 2);
    model.stack[model.stacked++] = *next;
}

static int has(unsigned rule)
{
    return (model.rules & rule) != 0;
}

static void wrong(const char *what)
{
    model.found = what;
}

/* ---- steps ------------------------------------------------------------------------------------------------------ */

static void step_move(state *s)
{
    if (s->has_forked && !has(RULE_ALONE))
        wrong("it moves although another process has it");
    if (s->is_kept)
        wrong("it moves although it was to stay");
    if (s->moves > 0)
        wrong("it moves twice");
    s->is_young = 0;
    s->moves++;
}

/* A thread's next step; 0: it waits. */
static int step_thread(state *s, int t)
{
    switch ((place)s->place[t]) {
    case BEGIN:
        s->place[t] = s->calls[t] == 0 ? DONE : s->is_young ? DUE : DONE;
        return 1;
    case DUE:
        if (s->is_moving || s->is_never || (has(RULE_INSIDE) && s->entered > 0)) {
            s->place[t] = ENTER; /* another time */
            return 1;
        }
        s->is_moving = 1;
        s->place[t] = INSIDE;
        return 1;
    case INSIDE:
        if ((has(RULE_ONCE) && !s->is_young) || s->has_forked)
            s->place[t] = OPEN;
        else if (has(RULE_ALONE))
            step_move(s), s->place[t] = OPEN;
        else
            s->place[t] = ALONE;
        return 1;
    case ALONE:
        step_move(s);
        s->place[t] = OPEN;
        return 1;
    case OPEN:
        if (has(RULE_OPEN))
            s->is_moving = 0;
        s->place[t] = ENTER;
        return 1;
    case ENTER:
        if (has(RULE_GATE) && s->is_moving)
            return 0;
        s->entered++;
        s->place[t] = LOOK;
        return 1;
    case LOOK:
        s->place[t] = has(RULE_AGAIN) && !s->is_young ? BACK : KERNEL;
        return 1;
    case BACK:
        s->entered--;
        s->place[t] = BEGIN;
        return 1;
    case KERNEL:
        if (s->data > 0) {
            s->data--;
        } else if (s->bells > 0) {
            wrong("a bell is taken for data");
            s->bells--;
        } else {
            return 0; /* asleep; bytes of the program may come at any time, as the peer's steps say */
        }
        s->place[t] = LEAVE;
        return 1;
    case LEAVE:
        s->entered--;
        s->calls[t]--;
        s->place[t] = BEGIN;
        return 1;
    case DONE:
        return 0;
    }
    return 0;
}

/* A thread that wants the connection to stay on TCP, once. */
static int step_stay(state *s)
{
    if (s->stayers == 0 || (has(RULE_STAY) && s->is_moving && s->is_young))
        return 0;
    s->stayers = 0;
    if (s->is_young) {
        s->is_never = has(RULE_STAY) ? 1 : s->is_never;
        s->is_kept = 1;
    }
    return 1;
}

static int is_stuck(const state *s)
{
    for (int t = 0; t < THREADS; t++)
        if (s->place[t] == ENTER && s->is_moving && s->is_young)
            return 1;
    return 0;
}

/* ---- the walk --------------------------------------------------------------------------------------------------- */

static void walk_from(const state *s)
{
    int can_move = 0;
    for (int t = 0; t < THREADS; t++) {
        state next = *s;
        if (step_thread(&next, t)) {
            can_move = 1;
            model_push(&next);
        }
    }
    for (int t = 0; t < THREADS; t++) {
        state next = *s;
        if (s->place[t] == BEGIN && s->calls[t] > 0 && s->is_young) {
            next.place[t] = ENTER; /* it is not due yet */
            model_push(&next);
        }
    }
    state next = *s;
    if (step_stay(&next))
        model_push(&next);
    next = *s;
    if (!s->has_forked && (s->moves == 0 || !has(RULE_ALONE))) { /* afterwards both processes have the memory, too */
        next.has_forked = 1;
        model_push(&next);
    }
    next = *s;
    if (s->has_forked) { /* the other process closes its descriptor */
        next.has_forked = 0;
        model_push(&next);
    }
    next = *s;
    if (!s->is_attached && s->data < BYTES_MAX) { /* before it attaches, the peer sends data by TCP */
        next.data++;
        model_push(&next);
    }
    next = *s;
    if (s->moves > 0 && !s->is_attached) {
        next.is_attached = 1;
        model_push(&next);
    }
    next = *s;
    if (s->is_attached && s->bells < 1) {
        next.bells++;
        model_push(&next);
    }
    if (!can_move && is_stuck(s))
        wrong("a thread waits at the gate for ever");
}

static const char *walk(unsigned rules)
{
    memset(&model, 0, sizeof model);
    model.rules = rules;
    state first = {.calls = {CALLS, CALLS}, .is_young = 1, .stayers = 1};
    model_push(&first);
    while (model.stacked > 0 && !model.found) {
        state s = model.stack[--model.stacked];
        walk_from(&s);
    }
    return model.found;
}

int main(void)
{
    const char *found = walk(RULES - 1);
    if (found)
        CHECK_FAIL("the rules do not hold: %s", found);
    printf("all rules: %u states\n", model.count);
    CHECK(model.count > 1000);
    for (unsigned rule = 1; rule < RULES; rule *= 2) {
        found = walk((RULES - 1) & ~rule);
        printf("without rule %u: %s\n", rule, found ? found : "nothing is found");
        CHECK(found != NULL);
    }
    return 0;
}
