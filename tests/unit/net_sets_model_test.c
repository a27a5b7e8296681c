/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All interleavings of a small model of what only time tells (preload/sock_epoll_others.c): a thread sleeps on an outer
 * set, or on an inner one; another makes a member of the inner set one of which no bell tells, takes the kernel's
 * events of that, some times, and may put the inner set into the outer one only then, or ask for it again as for a
 * one-shot, which the outer one tells of once. At the end the thing comes, and nothing tells.
 *
 * The sleeper must find it: it looks again after a while, or the kernel wakes it. The protocol holds; without any one
 * of its rules the model finds the state in which the sleeper sleeps for ever.
 */
#include "check.h"
#include "model_walk.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
    RULE_COUNT = 1,  /* a sleeper without a limit is counted, and then looks for such members */
    RULE_INSIDE = 2, /* also in the sets that are in its own */
    RULE_LEAVE = 4,  /* who leaves makes an event while one is counted */
    RULE_JOIN = 8,   /* so does who puts a set into one in which one is counted */
    RULES = 16,
};

typedef enum place { LOOK, ENTER, COUNT, SEE, ASLEEP, FOUND } place;

typedef enum work { NEED, TAKE, PASS, JOIN, TELL, COME, OVER } work;

enum { TAKES = 2 };

/* How the inner set is in the outer one. */
typedef enum way { ALREADY, LATER, ONCE, ALONE, WAYS } way;

typedef struct state {
    uint8_t place, work, takes;
    uint8_t is_needy, has_come;
    uint8_t event;        /* of the kernel, in the inner set */
    uint8_t is_in;        /* the outer set has the inner one */
    uint8_t is_on;        /* and tells of it */
    uint8_t has_limit;    /* the sleeper looks again */
    uint8_t outer, inner; /* counts of such as do not */
} state;

static void sleeper_see(state *s)
{
    s->has_limit = s->is_in && s->is_needy;
    if (s->has_limit)
        s->outer = s->inner = 0;
}

/* One step of the sleeper; 0: it cannot take one. */
static int sleeper_step(state *s, unsigned rules)
{
    switch ((place)s->place) {
    case LOOK:
        s->place = s->is_in && s->is_on && s->has_come ? FOUND : ENTER;
        return 1;
    case ENTER:
        if (!(rules & RULE_COUNT))
            sleeper_see(s);
        s->place = COUNT;
        return 1;
    case COUNT:
        s->outer = !s->has_limit;
        s->inner = !s->has_limit && s->is_in && (rules & RULE_INSIDE);
        s->place = SEE;
        return 1;
    case SEE:
        if (rules & RULE_COUNT)
            sleeper_see(s);
        s->place = ASLEEP;
        return 1;
    case ASLEEP:
        /* The kernel looks whether the inner set has something, when it runs. */
        if (!(s->is_in && s->is_on && s->event) && !(s->has_limit && s->has_come))
            return 0;
        s->outer = s->inner = s->has_limit = 0;
        s->place = LOOK;
        return 1;
    case FOUND:
        break;
    }
    return 0;
}

static int worker_step(state *s, unsigned rules, way how)
{
    switch ((work)s->work) {
    case NEED:
        s->is_needy = s->event = 1;
        s->work = TAKE;
        return 1;
    case TAKE:
        s->event = 0;
        s->work = PASS;
        return 1;
    case PASS:
        s->event |= (rules & RULE_LEAVE) && s->inner;
        s->work = ++s->takes < TAKES ? TAKE : JOIN;
        return 1;
    case JOIN:
        s->is_in = s->is_on = 1;
        s->work = TELL;
        return 1;
    case TELL:
        s->event |= (rules & RULE_JOIN) && (how == LATER || how == ONCE) && s->outer;
        s->work = COME;
        return 1;
    case COME:
        s->has_come = 1;
        s->work = OVER;
        return 1;
    case OVER:
        break;
    }
    return 0;
}

static int is_wrong(unsigned rules, way how, size_t *count_p)
{
    model_states states = {.bytes = sizeof(state)};
    state first;
    int wrong = 0;
    memset(&first, 0, sizeof first);
    first.is_in = how != LATER;
    first.is_on = how == ALREADY || how == ALONE;
    model_states_add(&states, &first);
    for (size_t i = 0; i < states.count && !wrong; i++) {
        state now, next[2];
        model_states_get(&states, i, &now);
        next[0] = next[1] = now;
        int has_slept = sleeper_step(&next[0], rules), has_worked = worker_step(&next[1], rules, how);
        if (has_slept)
            model_states_add(&states, &next[0]);
        if (has_worked)
            model_states_add(&states, &next[1]);
        wrong = !has_slept && !has_worked && now.place != FOUND;
    }
    *count_p += states.count;
    model_states_free(&states);
    return wrong;
}

static int is_wrong_somewhere(unsigned rules, size_t *count_p)
{
    *count_p = 0;
    for (way how = ALREADY; how < WAYS; how++)
        if (is_wrong(rules, how, count_p))
            return 1;
    return 0;
}

int main(void)
{
    size_t count;
    CHECK(is_wrong_somewhere(0, &count));
    for (unsigned rule = 1; rule < RULES; rule *= 2) {
        printf("without rule %u\n", rule);
        CHECK(is_wrong_somewhere((RULES - 1) & ~rule, &count));
    }
    CHECK(!is_wrong_somewhere(RULES - 1, &count));
    printf("%zu states, and the protocol holds in all\n", count);
    return 0;
}
