/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All interleavings of a small model of how the input of a fast socket switches from TCP to the ring (net.h, "Switch"):
 * a peer that sends a byte by TCP, switches, writes to the ring, and ends; and a thread that waits in an epoll set and
 * reads one thing for each report. The set is told once of what comes to the kernel.
 *
 * In no state may the thread sleep though there is something to read, the end too. The protocol holds; without any one
 * of its rules the model finds the state in which it does not.
 */
#include "check.h"
#include "model_walk.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
    RULE_SWITCH = 1, /* the thread with which the input switches takes what is in the kernel */
    RULE_TAKE = 2,   /* a thread that was woken takes bells, and finds the end */
    RULE_LOOK = 4,   /* arm, then look once more */
    RULES = 8,
};

typedef enum place { LOOK, READ, ARM, AGAIN, ASLEEP, TAKE, DONE } place;

typedef enum peer { SEND, SWITCH, STORE, RING, STORE_MORE, RING_MORE, END, GONE } peer;

typedef struct state {
    uint8_t place, peer;
    uint8_t is_ring;     /* the input's phase */
    uint8_t is_switched; /* the peer's word */
    uint8_t tcp, ring;   /* bytes to read */
    uint8_t bells, fin;  /* in the kernel, after the bytes */
    uint8_t edge;        /* of the set */
    uint8_t is_armed, is_ended;
} state;

static void take(state *s)
{
    s->bells = 0;
    s->is_ended |= s->fin;
}

/* As every call does first. */
static void progress(state *s, unsigned rules)
{
    if (s->is_ring || !s->is_switched || s->tcp)
        return;
    s->is_ring = 1;
    if (rules & RULE_SWITCH)
        take(s);
}

static int has_something(const state *s)
{
    return s->is_ring ? s->ring || s->is_ended : s->tcp || s->bells || s->fin;
}

/* One step of the thread; 0: it cannot take one. */
static int reader_step(state *s, unsigned rules)
{
    switch ((place)s->place) {
    case LOOK:
        progress(s, rules);
        s->place = has_something(s) ? READ : ARM;
        return 1;
    case READ:
        progress(s, rules);
        if (s->is_ring && s->ring)
            s->ring--;
        else if (s->is_ring && s->is_ended)
            s->place = DONE;
        else if (!s->is_ring && s->tcp)
            s->tcp--;
        if (s->place != DONE)
            s->place = LOOK;
        return 1;
    case ARM:
        s->is_armed = 1;
        s->place = rules & RULE_LOOK ? AGAIN : ASLEEP;
        return 1;
    case AGAIN:
        progress(s, rules);
        s->place = has_something(s) ? READ : ASLEEP;
        return 1;
    case ASLEEP:
        if (!s->edge)
            return 0;
        s->edge = 0;
        s->place = TAKE;
        return 1;
    case TAKE:
        progress(s, rules);
        if (s->is_ring && (rules & RULE_TAKE))
            take(s);
        s->place = LOOK;
        return 1;
    case DONE:
        break;
    }
    return 0;
}

static int peer_step(state *s)
{
    switch ((peer)s->peer++) {
    case SEND:
        s->tcp = s->edge = 1;
        return 1;
    case SWITCH:
        s->is_switched = 1;
        return 1;
    case STORE:
    case STORE_MORE:
        s->ring++;
        return 1;
    case RING:
    case RING_MORE:
        if (s->is_armed)
            s->bells = s->edge = 1;
        s->is_armed = 0;
        return 1;
    case END:
        s->fin = s->edge = 1;
        return 1;
    case GONE:
        break;
    }
    s->peer = GONE;
    return 0;
}

static int is_wrong(unsigned rules, size_t *count_p)
{
    model_states states = {.bytes = sizeof(state)};
    state first;
    int wrong = 0;
    memset(&first, 0, sizeof first);
    first.is_armed = 1; /* until both know of the rings */
    model_states_add(&states, &first);
    for (size_t i = 0; i < states.count && !wrong; i++) {
        state now, next[2];
        model_states_get(&states, i, &now);
        next[0] = next[1] = now;
        int has_read = reader_step(&next[0], rules), has_sent = peer_step(&next[1]);
        if (has_read)
            model_states_add(&states, &next[0]);
        if (has_sent)
            model_states_add(&states, &next[1]);
        if (now.peer == END) { /* or it never ends */
            next[1] = now;
            next[1].peer = GONE;
            model_states_add(&states, &next[1]);
        }
        wrong = !has_read && !has_sent && now.place != DONE && (now.tcp || now.ring || now.fin);
    }
    *count_p = states.count;
    model_states_free(&states);
    return wrong;
}

int main(void)
{
    size_t count;
    CHECK(is_wrong(0, &count));
    for (unsigned rule = 1; rule < RULES; rule *= 2) {
        printf("without rule %u\n", rule);
        CHECK(is_wrong((RULES - 1) & ~rule, &count));
    }
    CHECK(!is_wrong(RULES - 1, &count));
    printf("%zu states, and the protocol holds in all\n", count);
    return 0;
}
