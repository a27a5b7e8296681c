/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All interleavings of a small model of xxdev/closing.h: threads of a rank that wait, that wait inside a call of
 * several calls, or that come late, beside the one that closes. A step is what a thread does between two moments at
 * which another may come between: it takes or releases the lock, sleeps, or reads memory without the lock.
 *
 * In no state may a thread touch memory that has gone, nor may all that are not done wait for each other. The protocol
 * holds; without any one of its rules the model finds the state in which it does not, and first of all without all of
 * them, as the end of a rank once was.
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
    RULE_WAIT_PARKED = 1,    /* close when all that are away are parked */
    RULE_WAKE = 2,           /* wake those that sleep, once closing */
    RULE_QUIET_FIRST = 4,    /* that is before the last fence, after which memory of other ranks goes */
    RULE_WAIT_OUT = 8,       /* all that are away have left before calls' memory goes */
    RULE_COUNT_OUTSIDE = 16, /* and all that are outside */
    RULE_LOOK = 32,          /* who comes back and finds it closed ends the call */
    RULE_KEEP = 64,          /* the lock and what leads to it stay */
    RULE_REFUSE = 128,       /* a start on a closed device fails */
    RULES = 256,
};

typedef enum role { NOBODY, CLOSER, SLEEPER, YIELDER, NESTED } role;

enum { THREADS = 3, NONE = -1 };

typedef enum life { OPEN, CLOSING, CLOSED } life;

/* Where a thread is. Before LEFT it has not ended. */
typedef enum place {
    START,    /* has read a handle, takes nothing yet */
    ENTER,    /* wants the lock, to begin a call */
    INSIDE,   /* has the lock, in the call, nothing has come */
    ASLEEP,   /* away, without the lock, until woken */
    YIELDED,  /* away, without the lock, comes back by itself */
    BACK,     /* away, wants the lock */
    RETURNED, /* away, has the lock again */
    PARKED,   /* parked, without the lock, until woken */
    UNPARK,   /* parked, wants the lock */
    AFTER,    /* has released the lock, reads what its error says */
    BETWEEN,  /* outside, without the lock, reads what its call has made */
    CLOSE_ENTER,
    CLOSE_WAIT_PARKED, /* has the lock */
    CLOSE_SLEEP_PARKED,
    CLOSE_FENCE,    /* wants the lock, to end the device */
    CLOSE_WAIT_OUT, /* has the lock */
    CLOSE_SLEEP_OUT,
    CLOSE_FREE,
    LEFT,
} place;

typedef struct state {
    uint8_t place[THREADS];
    uint8_t woken[THREADS]; /* of one that sleeps */
    uint8_t round[THREADS]; /* NESTED: 0 before, 1 in, 2 after the further call */
    int8_t owner;           /* of the lock */
    uint8_t life, away, parked, outside;
    uint8_t is_peer_gone, is_device_gone, is_call_gone, is_lock_gone;
} state;

typedef struct model {
    role roles[THREADS];
    unsigned rules;
    const char *wrong; /* what was found */
    model_states states;
} model;

static int has_rule(const model *m, unsigned rule)
{
    return (m->rules & rule) != 0;
}

static void model_touch(model *m, int is_gone, const char *what)
{
    if (is_gone && !m->wrong)
        m->wrong = what;
}

/* Wake those that sleep at this place. */
static void model_wake(state *s, place where)
{
    for (int i = 0; i < THREADS; i++)
        if (s->place[i] == where)
            s->woken[i] = 1;
}

static void model_ring(state *s)
{
    model_wake(s, PARKED);
    model_wake(s, CLOSE_SLEEP_PARKED);
    model_wake(s, CLOSE_SLEEP_OUT);
}

static int model_lock(model *m, state *s, int me)
{
    model_touch(m, s->is_lock_gone, "a thread takes a lock that has gone");
    if (s->owner != NONE)
        return 0;
    s->owner = (int8_t)me;
    return 1;
}

static void model_sleep(state *s, int me, place where)
{
    s->owner = NONE;
    s->woken[me] = 0;
    s->place[me] = where;
}

/* The call, or the further call, ends, with the lock held. */
static void model_end_call(const model *m, state *s, int me)
{
    s->owner = NONE;
    if (m->roles[me] == NESTED && s->round[me] == 1) {
        s->round[me] = 2;
        s->place[me] = BETWEEN;
    } else {
        s->place[me] = AFTER;
    }
}

/* With the lock held, and nothing has come: wait. */
static void model_wait(const model *m, state *s, int me)
{
    s->away++;
    model_sleep(s, me, m->roles[me] == YIELDER ? YIELDED : ASLEEP);
}

static void model_inside(model *m, state *s, int me)
{
    if (m->roles[me] == NESTED && s->round[me] != 1) {
        model_touch(m, s->round[me] == 2 && s->is_call_gone,
                    "a call of several calls uses what it has made, which has gone");
        if (s->round[me] == 0 && s->life == OPEN) {
            s->round[me] = 1;
            s->outside += has_rule(m, RULE_COUNT_OUTSIDE);
            s->owner = NONE;
            s->place[me] = BETWEEN;
            return;
        }
        if (s->round[me] == 2 && has_rule(m, RULE_COUNT_OUTSIDE)) {
            s->outside--;
            model_ring(s);
        }
        model_end_call(m, s, me);
        return;
    }
    if (s->life != OPEN && has_rule(m, RULE_REFUSE)) {
        model_end_call(m, s, me);
        return;
    }
    model_touch(m, s->is_device_gone, "a call starts a transfer on a device that has gone");
    model_touch(m, s->is_peer_gone, "a call polls memory of another rank, which has gone");
    model_wait(m, s, me);
}

/* Has the lock again, in a wait. */
static void model_returned(model *m, state *s, int me)
{
    if (s->life == CLOSING) {
        s->parked++;
        model_ring(s);
        model_sleep(s, me, PARKED);
        return;
    }
    s->away--;
    model_ring(s);
    model_touch(m, s->is_call_gone, "a thread that waited uses what its call has made, which has gone");
    if (s->life == CLOSED && has_rule(m, RULE_LOOK)) {
        model_end_call(m, s, me);
        return;
    }
    model_touch(m, s->is_device_gone, "a thread that waited polls a device that has gone");
    model_touch(m, s->is_peer_gone, "a thread that waited polls memory of another rank, which has gone");
    model_wait(m, s, me);
}

static void model_close_parked(model *m, state *s, int me)
{
    if (has_rule(m, RULE_WAIT_PARKED) && s->parked < s->away) {
        model_sleep(s, me, CLOSE_SLEEP_PARKED);
        return;
    }
    if (!s->is_peer_gone) {
        s->owner = NONE;
        s->place[me] = CLOSE_FENCE;
        return;
    }
    s->is_device_gone = 1;
    for (int i = 0; i < THREADS; i++)
        model_touch(m, s->place[i] == ASLEEP, "a thread sleeps on descriptors of a device that goes");
    s->life = CLOSED;
    model_ring(s);
    s->place[me] = CLOSE_WAIT_OUT;
}

static void model_close_out(const model *m, state *s, int me)
{
    if (has_rule(m, RULE_WAIT_OUT) && s->away + s->outside > 0) {
        model_sleep(s, me, CLOSE_SLEEP_OUT);
        return;
    }
    s->is_call_gone = 1;
    s->owner = NONE;
    s->place[me] = CLOSE_FREE;
}

/* One step of a thread; 0: it cannot take one. */
static int model_step(model *m, state *s, int me)
{
    switch ((place)s->place[me]) {
    case START:
        s->place[me] = m->roles[me] == CLOSER ? CLOSE_ENTER : ENTER;
        return 1;
    case ENTER:
        if (!model_lock(m, s, me))
            return 0;
        s->place[me] = INSIDE;
        return 1;
    case INSIDE:
        model_inside(m, s, me);
        return 1;
    case ASLEEP:
        if (!s->woken[me])
            return 0;
        s->place[me] = BACK;
        return 1;
    case YIELDED:
        s->place[me] = BACK;
        return 1;
    case BACK:
        if (!model_lock(m, s, me))
            return 0;
        s->place[me] = RETURNED;
        return 1;
    case RETURNED:
        model_returned(m, s, me);
        return 1;
    case PARKED:
        if (!s->woken[me])
            return 0;
        s->place[me] = UNPARK;
        return 1;
    case UNPARK:
        if (!model_lock(m, s, me))
            return 0;
        s->parked--;
        s->place[me] = RETURNED;
        return 1;
    case BETWEEN:
        model_touch(m, s->is_call_gone, "a call of several calls uses what it has made, which has gone");
        s->place[me] = ENTER;
        return 1;
    case AFTER:
        model_touch(m, s->is_lock_gone, "a call that has failed reads why, which has gone");
        s->place[me] = LEFT;
        return 1;
    case CLOSE_FENCE:
        if (!model_lock(m, s, me))
            return 0;
        s->is_peer_gone = 1;
        s->place[me] = CLOSE_WAIT_PARKED;
        return 1;
    case CLOSE_ENTER:
        if (!has_rule(m, RULE_QUIET_FIRST) && !s->is_peer_gone) {
            s->is_peer_gone = 1;
            return 1;
        }
        if (!model_lock(m, s, me))
            return 0;
        s->life = CLOSING;
        if (has_rule(m, RULE_WAKE))
            model_wake(s, ASLEEP);
        s->place[me] = CLOSE_WAIT_PARKED;
        return 1;
    case CLOSE_WAIT_PARKED:
        model_close_parked(m, s, me);
        return 1;
    case CLOSE_SLEEP_PARKED:
    case CLOSE_SLEEP_OUT:
        if (!s->woken[me] || !model_lock(m, s, me))
            return 0;
        s->place[me] = s->place[me] == CLOSE_SLEEP_PARKED ? CLOSE_WAIT_PARKED : CLOSE_WAIT_OUT;
        return 1;
    case CLOSE_WAIT_OUT:
        model_close_out(m, s, me);
        return 1;
    case CLOSE_FREE:
        s->is_lock_gone = !has_rule(m, RULE_KEEP);
        s->place[me] = LEFT;
        return 1;
    case LEFT:
        return 0;
    }
    return 0;
}

/* ---- all states ------------------------------------------------------------------------------------------------- */

static int state_is_end(const model *m, const state *s)
{
    for (int i = 0; i < THREADS; i++)
        if (m->roles[i] != NOBODY && s->place[i] != LEFT)
            return 0;
    return 1;
}

/* What is wrong in some interleaving; NULL: nothing in any. */
static const char *model_walk(const role roles[THREADS], unsigned rules, size_t *count_p)
{
    model m = {.rules = rules, .states = {.bytes = sizeof(state)}};
    state first;
    memcpy(m.roles, roles, sizeof m.roles);
    memset(&first, 0, sizeof first);
    first.owner = NONE;
    model_states_add(&m.states, &first);
    for (size_t i = 0; i < m.states.count && !m.wrong; i++) {
        state now;
        int steps = 0;
        model_states_get(&m.states, i, &now);
        for (int me = 0; me < THREADS; me++) {
            state next = now;
            if (m.roles[me] != NOBODY && model_step(&m, &next, me)) {
                steps++;
                model_states_add(&m.states, &next);
            }
        }
        if (steps == 0 && !state_is_end(&m, &now) && !m.wrong)
            m.wrong = "all wait for each other";
    }
    *count_p = m.states.count;
    model_states_free(&m.states);
    return m.wrong;
}

/* ---- what is checked -------------------------------------------------------------------------------------------- */

/* Without a closer a sleeper waits for ever, so there always is one. */
static const role casts[][THREADS] = {
    {CLOSER, SLEEPER, NOBODY},  {CLOSER, YIELDER, NOBODY},  {CLOSER, NESTED, NOBODY},
    {CLOSER, SLEEPER, SLEEPER}, {CLOSER, SLEEPER, YIELDER}, {CLOSER, SLEEPER, NESTED},
    {CLOSER, YIELDER, YIELDER}, {CLOSER, YIELDER, NESTED},  {CLOSER, NESTED, NESTED},
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
    size_t states;
    const char *wrong = walk_casts(0, &states);
    printf("without any rule: %s\n", wrong ? wrong : "nothing is wrong");
    CHECK(wrong != NULL);
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
