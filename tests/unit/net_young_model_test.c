/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All interleavings of a small model of how a young connection moves to memory (net.h, "Young connections"): two
 * threads of one side make calls on it, find it due and move it; others want it to stay, put it into an epoll set, or
 * close its descriptor, whose number another file may have then; a fork may come at any moment; the peer attaches once
 * there is an offer, and sends bells from then on. A step is what an actor does between two moments at which another
 * may come between.
 *
 * In no state may a thread in the kernel take a bell for data, the connection move twice, or move while another process
 * has it, or after it was to stay, or touch a number that is another file's; nor may a thread wait at the gate for
 * ever, nor a set have a member that does not understand bells. Without any one of its rules the model finds such a
 * state.
 */
#include "check.h"
#include "model_walk.h"

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
    RULE_STAY = 32,     /* one that is to stay closes the gate for ever, and not while a thread moves it */
    RULE_OPEN = 64,     /* the gate is opened again */
    RULE_TAG = 128,     /* it is tagged before its members are looked for */
    RULE_MEMBER = 256,  /* a thread that has made a member looks again whether it is tagged */
    RULE_SURE = 512,    /* behind the closed gate a thread looks whether the descriptor is still the connection's */
    RULE_SETTLE = 1024, /* a thread that closes the descriptor waits for one that moves the connection */
    RULES = 2048,
};

enum { THREADS = 2, CALLS = 2, BYTES_MAX = 2 };

typedef enum place {
    BEGIN,  /* of a call: is the connection young? */
    DUE,    /* it was: close the gate */
    INSIDE, /* the gate: look */
    TAG,
    MEMBERS,
    MOVE,
    OPEN,
    ENTER,
    LOOK,   /* entered: is it young still? */
    BACK,   /* it is not: leave, and begin anew */
    KERNEL, /* in a read */
    LEAVE,
    DONE,
} place;

/* Of the thread that puts the connection into a set, under the lock of the set. */
typedef enum adding { ADD_BEGIN, ADD_MEMBER, ADD_AGAIN, ADD_DONE } adding;

/* Of the thread that closes the descriptor. */
typedef enum closing { CLOSE_BEGIN, CLOSE_SETTLE, CLOSE_DONE } closing;

typedef enum member { MEMBER_NONE, MEMBER_PLAIN, MEMBER_FAST } member;

typedef struct state {
    uint8_t place[THREADS];
    uint8_t calls[THREADS];
    uint8_t entered; /* calls that are counted */
    uint8_t is_moving, is_never;
    uint8_t is_young, moves, has_forked, is_kept; /* kept: was to stay, and was young then */
    uint8_t is_attached, data, bells;             /* what waits on TCP */
    uint8_t stayers;
    uint8_t adding, is_added_fast, member, is_tagged, is_set_locked;
    uint8_t closing, has_descriptor, is_reused;
} state;

/* ---- what is seen of a state ------------------------------------------------------------------------------------ */

static struct {
    model_states states;
    unsigned rules;
    const char *found;
} model;

static void model_push(const state *next)
{
    model_states_add(&model.states, next);
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
    if (s->has_forked)
        wrong("it moves although another process has it");
    if (s->is_kept)
        wrong("it moves although it was to stay");
    if (s->moves > 0)
        wrong("it moves twice");
    if (s->is_reused)
        wrong("it moves by a number that is another file's");
    s->is_young = 0;
    s->moves++;
}

static int may_move(const state *s)
{
    return (!has(RULE_ONCE) || s->is_young) && !s->has_forked && (!has(RULE_SURE) || s->has_descriptor);
}

/* A thread's next step; 0: it waits. */
static int step_thread(state *s, int t)
{
    switch ((place)s->place[t]) {
    case BEGIN:
        s->place[t] = s->calls[t] == 0 || !s->has_descriptor ? DONE : s->is_young ? DUE : DONE;
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
        s->place[t] = !may_move(s) ? OPEN : has(RULE_TAG) ? TAG : MEMBERS;
        return 1;
    case TAG:
        s->is_tagged = 1;
        s->place[t] = has(RULE_TAG) ? MEMBERS : MOVE;
        return 1;
    case MEMBERS:
        if (s->member == MEMBER_PLAIN && s->is_set_locked)
            return 0;
        if (s->member == MEMBER_PLAIN)
            s->member = MEMBER_FAST;
        s->place[t] = has(RULE_TAG) ? MOVE : TAG;
        return 1;
    case MOVE:
        if (!has(RULE_ALONE) || !s->has_forked)
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

/* epoll_ctl, once. */
static int step_add(state *s)
{
    switch ((adding)s->adding) {
    case ADD_BEGIN:
        s->is_set_locked = 1;
        s->is_added_fast = s->is_tagged;
        s->adding = s->has_descriptor ? ADD_MEMBER : ADD_DONE;
        s->is_set_locked = s->has_descriptor;
        return 1;
    case ADD_MEMBER:
        s->member = s->is_added_fast ? MEMBER_FAST : MEMBER_PLAIN;
        s->adding = ADD_AGAIN;
        return 1;
    case ADD_AGAIN:
        if (has(RULE_MEMBER) && s->is_tagged)
            s->member = MEMBER_FAST;
        s->adding = ADD_DONE;
        s->is_set_locked = 0;
        return 1;
    case ADD_DONE:
        return 0;
    }
    return 0;
}

/* close, once; then the number may be another file's. */
static int step_close(state *s)
{
    switch ((closing)s->closing) {
    case CLOSE_BEGIN:
        s->has_descriptor = 0;
        s->closing = CLOSE_SETTLE;
        return 1;
    case CLOSE_SETTLE:
        if (has(RULE_SETTLE) && s->is_moving)
            return 0;
        s->is_reused = 1;
        s->closing = CLOSE_DONE;
        return 1;
    case CLOSE_DONE:
        return 0;
    }
    return 0;
}

static int is_stuck(const state *s)
{
    for (int t = 0; t < THREADS; t++)
        if (s->place[t] == ENTER && s->is_moving && s->is_young)
            return 1;
    return 0;
}

static int is_moving_now(const state *s)
{
    for (int t = 0; t < THREADS; t++)
        if (s->place[t] > DUE && s->place[t] < OPEN)
            return 1;
    return 0;
}

/* ---- the walk --------------------------------------------------------------------------------------------------- */

static void walk_once(const state *s, int (*step)(state *s), int *can_move_p)
{
    state next = *s;
    if (step(&next)) {
        *can_move_p = 1;
        model_push(&next);
    }
}

static void walk_from(const state *s)
{
    int can_move = 0, can_others = 0;
    for (int t = 0; t < THREADS; t++) {
        state next = *s;
        if (step_thread(&next, t)) {
            can_move = 1;
            model_push(&next);
        }
        next = *s;
        if (s->place[t] == BEGIN && s->calls[t] > 0 && s->is_young && s->has_descriptor) {
            next.place[t] = ENTER; /* it is not due yet */
            model_push(&next);
        }
    }
    walk_once(s, step_stay, &can_others);
    walk_once(s, step_add, s->is_set_locked ? &can_move : &can_others);
    walk_once(s, step_close, &can_others);
    state next = *s;
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
    if (s->moves > 0 && s->member == MEMBER_PLAIN && !s->is_set_locked && !is_moving_now(s))
        wrong("a set has a member that does not understand bells");
}

static const char *walk(unsigned rules, size_t *count_p)
{
    state first;
    memset(&model, 0, sizeof model);
    model.states.bytes = sizeof first;
    model.rules = rules;
    memset(&first, 0, sizeof first);
    first.calls[0] = first.calls[1] = CALLS;
    first.is_young = first.stayers = first.has_descriptor = 1;
    model_push(&first);
    for (size_t i = 0; i < model.states.count && !model.found; i++) {
        state now;
        model_states_get(&model.states, i, &now);
        walk_from(&now);
    }
    *count_p = model.states.count;
    model_states_free(&model.states);
    return model.found;
}

int main(void)
{
    size_t count;
    const char *found = walk(RULES - 1, &count);
    if (found)
        CHECK_FAIL("the rules do not hold: %s", found);
    printf("all rules: %zu states\n", count);
    CHECK(count > 1000);
    for (unsigned rule = 1; rule < RULES; rule *= 2) {
        found = walk((RULES - 1) & ~rule, &count);
        printf("without rule %u: %s\n", rule, found ? found : "nothing is found");
        CHECK(found != NULL);
    }
    return 0;
}
