/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All interleavings of a small model of how the threads of files wake the threads of a rank (file_worker.h, waiter.h):
 * one to three threads of a rank, each with a file of its own, which waits for its task again and again; the ranks'
 * threads sleep on the doorbell, or one of them, the leader, on descriptors, and the other follows it. A step is what
 * a thread does between two moments at which another may come between; where the order of two steps depends on a
 * fence, the rule is that fence.
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
    RULE_PUSH_FIRST = 1,  /* the worker makes the task visible before it counts the post */
    RULE_COUNT_FIRST = 2, /* and counts before it reads the bell */
    RULE_RING = 4,        /* it rings the bell if that is armed */
    RULE_ARM_FIRST = 8,   /* a thread arms the bell before it reads the count */
    RULE_STAY = 16,       /* it does not sleep if the count has grown */
    RULE_HELPERS = 32,    /* a rank that is alone arms its bell while a worker may ring */
    RULE_WAKE = 64,       /* a thread that takes finished tasks wakes the others */
    RULE_HAND_ON = 128,   /* a leader that comes back wakes a follower */
    RULES = 256,
};

enum { THREADS = 3 };

typedef enum place { OUT, ADD, POLL, CHECK_OWN, ARM, READ, REST, ASLEEP, FOLLOW, COME_BACK, GONE } place;
typedef enum work { IDLE, PUSH, COUNT, LOOK, RING } work;

typedef struct state {
    uint8_t lock; /* 0: free; else the thread + 1 */
    uint8_t place[THREADS], rounds[THREADS], is_done[THREADS], is_rung[THREADS], has_read[THREADS], may_sleep[THREADS];
    uint8_t work[THREADS], finished[THREADS], has_pushed[THREADS], has_looked[THREADS], saw_bell[THREADS];
    uint8_t posts, seen, bell, has_leader, helpers;
} state;

static struct {
    model_states states;
    unsigned rules;
    int threads, on_fds, rounds;
    const char *found;
    int can_move;
} model;

static int has(unsigned rule)
{
    return (model.rules & rule) != 0;
}

static void push(const state *now, const state *next)
{
    if (memcmp(now, next, sizeof *now) == 0)
        return;
    model.can_move = 1;
    model_states_add(&model.states, next);
}

/* ---- bells ------------------------------------------------------------------------------------------------------ */

/* Whoever has a ticket of before wakes, or does not sleep. */
static void ring(state *s)
{
    if (!s->bell)
        return;
    s->bell = 0;
    for (int t = 0; t < model.threads; t++)
        if (s->place[t] == READ || s->place[t] == REST || s->place[t] == ASLEEP)
            s->is_rung[t] = 1;
}

/* Only one, if there is one. */
static void wake_follower(state *s, int all)
{
    for (int t = 0; t < model.threads; t++)
        if (s->place[t] == FOLLOW && !s->is_rung[t]) {
            s->is_rung[t] = 1;
            if (!all)
                return;
        }
}

static void wake_all(state *s)
{
    wake_follower(s, 1);
    if (!model.on_fds || s->has_leader)
        ring(s);
}

/* ---- a thread of the rank --------------------------------------------------------------------------------------- */

static int is_rung_at_all(const state *s)
{
    return model.threads > 1 || (has(RULE_HELPERS) && s->helpers > 0);
}

static void take(state *s)
{
    int count = 0;
    for (int w = 0; w < model.threads; w++)
        if (s->finished[w]) {
            s->finished[w] = 0;
            s->is_done[w] = 1;
            s->helpers--;
            count++;
        }
    if (count > 0 && has(RULE_WAKE))
        wake_all(s);
}

static void read_count(state *s, int t)
{
    s->may_sleep[t] = !has(RULE_STAY) || s->posts == s->seen;
    s->seen = s->posts;
    s->has_read[t] = 1;
}

static void sleep_or_not(state *s, int t)
{
    s->has_read[t] = 0;
    if (!s->may_sleep[t]) {
        s->place[t] = POLL;
        return;
    }
    s->place[t] = ASLEEP;
    s->has_leader = model.on_fds ? 1 : s->has_leader;
    s->lock = 0;
}

/* With the lock. */
static void step_inside(const state *now, int t)
{
    state next = *now;
    switch ((place)now->place[t]) {
    case ADD:
        next.rounds[t]++;
        next.is_done[t] = 0;
        next.work[t] = PUSH;
        next.helpers++;
        next.place[t] = CHECK_OWN;
        break;
    case CHECK_OWN: /* while (!is_done) progress */
        next.place[t] = now->is_done[t] ? GONE : POLL;
        break;
    case POLL:
        take(&next);
        next.place[t] = next.is_done[t] ? CHECK_OWN : ARM;
        break;
    case ARM:
        if (model.on_fds && now->has_leader) {
            next.place[t] = FOLLOW;
            next.lock = 0;
            break;
        }
        if (!has(RULE_ARM_FIRST) && !now->has_read[t]) {
            read_count(&next, t);
            break;
        }
        next.bell |= (uint8_t)is_rung_at_all(now);
        next.place[t] = READ;
        break;
    case READ:
        if (!now->has_read[t])
            read_count(&next, t);
        next.place[t] = REST;
        break;
    case REST:
        sleep_or_not(&next, t);
        next.is_rung[t] = next.place[t] == POLL ? 0 : next.is_rung[t];
        break;
    case COME_BACK:
        if (model.on_fds && now->has_leader == 2 + t) {
            next.has_leader = 0;
            if (has(RULE_HAND_ON))
                wake_follower(&next, 0);
        }
        next.place[t] = CHECK_OWN;
        break;
    case GONE:
        next.lock = 0;
        next.place[t] = OUT;
        break;
    default:
        return;
    }
    push(now, &next);
}

static void step_thread(const state *now, int t)
{
    state next = *now;
    if (now->lock == t + 1) {
        step_inside(now, t);
        return;
    }
    switch ((place)now->place[t]) {
    case OUT:
        if (now->rounds[t] == model.rounds || now->lock || now->work[t] != IDLE)
            return;
        next.lock = (uint8_t)(t + 1);
        next.place[t] = ADD;
        break;
    case ASLEEP:
    case FOLLOW:
        if (!now->is_rung[t] || now->lock)
            return;
        next.lock = (uint8_t)(t + 1);
        if (now->place[t] == ASLEEP && model.on_fds)
            next.has_leader = (uint8_t)(2 + t); /* still, until it has the lock */
        next.is_rung[t] = 0;
        next.place[t] = COME_BACK;
        break;
    default:
        return;
    }
    push(now, &next);
}

/* ---- the thread of a file --------------------------------------------------------------------------------------- */

static void look(state *s, int w)
{
    s->has_looked[w] = 1;
    s->saw_bell[w] = s->bell;
}

static void step_worker(const state *now, int w)
{
    state next = *now;
    switch ((work)now->work[w]) {
    case PUSH:
        next.work[w] = COUNT;
        if (has(RULE_PUSH_FIRST)) {
            next.finished[w] = 1;
            next.has_pushed[w] = 1;
        }
        break;
    case COUNT:
        if (!has(RULE_COUNT_FIRST) && !now->has_looked[w]) {
            look(&next, w);
            break;
        }
        next.posts++;
        next.work[w] = LOOK;
        break;
    case LOOK:
        if (!now->has_looked[w])
            look(&next, w);
        next.work[w] = RING;
        break;
    case RING:
        if (!now->has_pushed[w]) /* too late */
            next.finished[w] = 1;
        if (now->saw_bell[w] && has(RULE_RING))
            ring(&next);
        next.work[w] = IDLE;
        next.has_pushed[w] = next.has_looked[w] = next.saw_bell[w] = 0;
        break;
    case IDLE:
        return;
    }
    push(now, &next);
}

/* ---- the walk --------------------------------------------------------------------------------------------------- */

static void check_end(const state *s)
{
    for (int t = 0; t < model.threads; t++)
        if (s->place[t] != OUT || s->rounds[t] < model.rounds)
            model.found = "all wait for ever";
    if (!model.found && s->helpers != 0)
        model.found = "a helper is left";
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
        for (int t = 0; t < model.threads; t++) {
            step_thread(&now, t);
            step_worker(&now, t);
        }
        if (!model.can_move)
            check_end(&now);
    }
    *count_p += model.states.count;
    model_states_free(&model.states);
    return model.found;
}

static const char *walk_all(unsigned rules, size_t *count_p)
{
    const char *found = NULL;
    model.rules = rules;
    for (model.threads = 1; model.threads <= THREADS && !found; model.threads++)
        for (model.on_fds = 0; model.on_fds < 2 && !found; model.on_fds++) {
            model.rounds = model.threads == THREADS ? 1 : 2;
            found = walk(count_p);
        }
    return found;
}

int main(void)
{
    size_t count = 0;
    const char *found = walk_all(RULES - 1, &count);
    if (found)
        CHECK_FAIL("with all rules: %s", found);
    printf("%zu states\n", count);
    for (unsigned rule = 1; rule < RULES; rule *= 2) {
        found = walk_all((RULES - 1) & ~rule, &count);
        if (!found)
            CHECK_FAIL("rule %u is not needed", rule);
        printf("without rule %u: %s\n", rule, found);
    }
    return 0;
}
