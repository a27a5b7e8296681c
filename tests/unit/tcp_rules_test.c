/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of a link (tcp_rules.h), walked through: two ranks at the end of their job and the connection between them,
 * in every order in which a network that is cut and returns, a call and its answers, a clock, a packet that is still
 * needed and the last fence can follow each other.
 *
 * From every state in which the network is back for good both ranks must be able to come to an end, and to the same:
 * both well, or both with an error.
 */
#include "check.h"
#include "xxdev/soft/tcp/tcp_rules.h"

#include <stdlib.h>
#include <string.h>

enum { CUTS = 2, HEARTBEAT_S = 2, SLOTS = 1 << 23 };

typedef enum phase {
    WORKS,  /* waits for a packet of the other, or is about to enter the fence */
    FENCED, /* in the last fence */
    DONE,
    TOLD,   /* knows of the loss; its program may go on for as long as it likes */
    FAILED, /* has ended with an error; without a word to the launcher */
} phase;

typedef enum call {
    NO_CALL,
    CALLS_WITHOUT, /* on its way or before the other's program: it says that the packet has not come */
    CALLS_WITH,    /* likewise, that it has */
    IS_TAKEN,      /* the answer is on its way */
    IS_OTHERS,
    IS_GIVEN_UP,
} call;

typedef struct side {
    uint8_t phase, link, call;
    uint8_t is_pausing; /* after a call that failed */
    uint8_t silent_s, refused_s;
    uint8_t has_packet;      /* what it waits for has come */
    uint8_t is_acknowledged; /* of its own packet, as far as it knows */
} side;

typedef struct model {
    side sides[2];
    uint8_t is_up, cuts, is_connected; /* is_connected: both ends of one connection are open */
    uint8_t zero[5];
} model;

_Static_assert(sizeof(model) == 24, "a state is compared as bytes");

/* ---- what may happen -------------------------------------------------------------------------------------------- */

typedef struct steps {
    model next[24];
    int count;
} steps;

static model *step(steps *out, const model *from)
{
    out->next[out->count] = *from;
    return &out->next[out->count++];
}

static int is_ending(const side *one)
{
    return one->phase == FENCED;
}

static int has_ended(const side *one)
{
    return one->phase == DONE || one->phase == FAILED;
}

static int is_over(const side *one)
{
    return one->phase >= DONE;
}

static void side_ends(model *m, int i, phase how)
{
    m->sides[i] = (side){.phase = (uint8_t)how,
                         .link = TCP_LOST,
                         .has_packet = m->sides[i].has_packet,
                         .is_acknowledged = m->sides[i].is_acknowledged};
    m->is_connected = 0;
}

/* As link_end() does it: the packets are gone, so that none is unacknowledged. */
static void side_loses(model *m, int i, int is_bye)
{
    side *one = &m->sides[i];
    one->link = TCP_LOST;
    one->call = NO_CALL;
    one->is_acknowledged = 1;
    one->silent_s = one->refused_s = one->is_pausing = 0;
    m->is_connected = 0;
    if (tcp_rule_is_news(is_ending(one), is_bye))
        side_ends(m, i, TOLD);
}

static void side_opens(side *one)
{
    one->link = TCP_OPEN;
    one->call = NO_CALL;
    one->silent_s = one->refused_s = one->is_pausing = 0;
}

static void call_fails(side *one)
{
    one->call = NO_CALL;
    one->is_pausing = 1;
}

static void network_steps(const model *m, steps *out)
{
    if (m->is_up && m->cuts < CUTS) {
        model *next = step(out, m);
        next->is_up = next->is_connected = 0;
        next->cuts++;
        for (int i = 0; i < 2; i++)
            if (next->sides[i].call != NO_CALL)
                call_fails(&next->sides[i]);
    } else if (!m->is_up) {
        step(out, m)->is_up = 1;
    }
}

/* A second without a connection passes for this rank. */
static void clock_steps(const model *m, int i, steps *out)
{
    const side *one = &m->sides[i], *other = &m->sides[1 - i];
    if (one->link != TCP_BROKEN || one->call != NO_CALL)
        return;
    int is_refused = m->is_up && has_ended(other);
    if (m->is_up && !is_refused && !one->is_pausing)
        return; /* it is time to call */
    tcp_clock clock = {one->silent_s * TCP_SECOND_NS, one->refused_s * TCP_SECOND_NS};
    tcp_limits limits = tcp_rule_limits(HEARTBEAT_S, 0, 1, is_ending(one));
    model *next = step(out, m);
    tcp_clock_pass(&clock, TCP_SECOND_NS);
    if (is_refused)
        tcp_clock_refused(&clock);
    side *then = &next->sides[i];
    then->is_pausing = 0;
    if (tcp_rule_end(&clock, &limits) == TCP_GOES_ON) {
        /* Beyond what any limit is, time is all the same. */
        then->silent_s = (uint8_t)(clock.silent_ns / TCP_SECOND_NS > 15 ? 15 : clock.silent_ns / TCP_SECOND_NS);
        then->refused_s = (uint8_t)(clock.refused_ns / TCP_SECOND_NS);
        return;
    }
    /* The launcher's word does not take so long. */
    if (is_refused && is_ending(one) && other->phase == DONE)
        out->count--;
    else
        side_loses(next, i, 0);
}

static void call_steps(const model *m, int i, steps *out)
{
    const side *one = &m->sides[i], *other = &m->sides[1 - i];
    model *next;
    if (one->call == NO_CALL && one->link == TCP_BROKEN && !one->is_pausing && m->is_up && !has_ended(other)) {
        next = step(out, m);
        next->sides[i].call = one->has_packet ? CALLS_WITH : CALLS_WITHOUT;
        next->sides[i].silent_s = next->sides[i].refused_s = 0;
    }
    if (one->call == NO_CALL)
        return;
    next = step(out, m);
    side *then = &next->sides[i], *theirs = &next->sides[1 - i];
    if (one->call == IS_TAKEN) {
        side_opens(then);
        next->is_connected = other->link == TCP_OPEN;
    } else if (one->call == IS_GIVEN_UP) {
        side_loses(next, i, 0);
    } else if (one->call == IS_OTHERS || has_ended(other)) {
        call_fails(then);
    } else {
        tcp_caller caller = {.state = (tcp_link_state)other->link,
                             .is_stale = one->call == CALLS_WITHOUT && other->is_acknowledged,
                             .is_called = other->call != NO_CALL,
                             .is_higher = i == 0};
        switch (tcp_rule_answer(&caller)) {
        case COR_HELLO_TAKEN:
            side_opens(theirs);
            next->is_connected = 0;
            then->call = IS_TAKEN;
            break;
        case COR_HELLO_MINE_INSTEAD:
            then->call = IS_OTHERS;
            break;
        case COR_HELLO_GIVEN_UP:
            then->call = IS_GIVEN_UP;
            break;
        default:
            call_fails(then);
            break;
        }
    }
}

static void link_steps(const model *m, int i, steps *out)
{
    const side *one = &m->sides[i], *other = &m->sides[1 - i];
    if (one->link != TCP_OPEN)
        return;
    if (!m->is_connected && other->call != IS_TAKEN) {
        model *next = step(out, m); /* it finds that out, or the other end has gone */
        next->sides[i].link = TCP_BROKEN;
        if (m->is_up && other->phase == DONE)
            side_loses(step(out, m), i, 1); /* or its last word has come */
    }
    if (!m->is_connected)
        return;
    if (!one->has_packet)
        step(out, m)->sides[i].has_packet = 1;
    if (other->has_packet && !one->is_acknowledged)
        step(out, m)->sides[i].is_acknowledged = 1;
}

static void phase_steps(const model *m, int i, steps *out)
{
    const side *one = &m->sides[i], *other = &m->sides[1 - i];
    if (one->phase == WORKS && one->has_packet) {
        model *next = step(out, m);
        next->sides[i].phase = FENCED;
        next->sides[i].silent_s = next->sides[i].refused_s = 0;
    }
    if (one->phase == FENCED && (other->phase == FENCED || other->phase == DONE))
        side_ends(step(out, m), i, DONE);
}

/* Where nobody may wait for it, no program that was told ends. */
static void all_steps(const model *m, int may_programs_end, steps *out)
{
    out->count = 0;
    network_steps(m, out);
    for (int i = 0; i < 2; i++) {
        if (m->sides[i].phase == TOLD && may_programs_end)
            side_ends(step(out, m), i, FAILED);
        if (is_over(&m->sides[i]))
            continue;
        clock_steps(m, i, out);
        call_steps(m, i, out);
        link_steps(m, i, out);
        phase_steps(m, i, out);
    }
}

/* ---- all states ------------------------------------------------------------------------------------------------- */

typedef struct walk {
    model *states;
    uint8_t *can_end;
    int *slots; /* by hash: the number of a state and one */
    int count;
} walk;

static int walk_find(walk *w, const model *m)
{
    uint64_t words[3], hash = 0;
    memcpy(words, m, sizeof words);
    for (int i = 0; i < 3; i++)
        hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15u, hash ^= hash >> 29;
    int at = (int)(hash % SLOTS);
    for (; w->slots[at]; at = (at + 1) % SLOTS)
        if (memcmp(&w->states[w->slots[at] - 1], m, sizeof *m) == 0)
            return w->slots[at] - 1;
    CHECK(w->count < SLOTS / 2);
    w->states[w->count] = *m;
    w->slots[at] = ++w->count;
    return w->count - 1;
}

static void print_state(const model *m)
{
    static const char *const phases[] = {"works", "fenced", "done", "told", "failed"};
    static const char *const links[] = {"unused", "calling", "open", "broken", "lost"};
    fprintf(stderr, "network %s, %s;", m->is_up ? "up" : "down", m->is_connected ? "connected" : "not connected");
    for (int i = 0; i < 2; i++)
        fprintf(stderr, " rank %d: %s, link %s, call %d, %s its packet;", i, phases[m->sides[i].phase],
                links[m->sides[i].link], m->sides[i].call, m->sides[i].has_packet ? "has" : "lacks");
    fputs("\n", stderr);
}

/* Is the network back for good, and does no rank have to wait for more? */
static int walk_is_last(const model *m)
{
    return m->is_up && m->cuts == CUTS;
}

/* Mark all states from which both come to an end. From the last to the first, as most of them lead onwards. */
static void walk_mark(walk *w)
{
    for (int has_changed = 1; has_changed;) {
        has_changed = 0;
        for (int at = w->count - 1; at >= 0; at--) {
            const model *m = &w->states[at];
            steps next;
            if (w->can_end[at])
                continue;
            int can_end = is_over(&m->sides[0]) && is_over(&m->sides[1]);
            all_steps(m, 0, &next);
            for (int i = 0; i < next.count && !can_end; i++)
                can_end = w->can_end[walk_find(w, &next.next[i])];
            w->can_end[at] = (uint8_t)can_end;
            has_changed |= can_end;
        }
    }
}

static void test_ends(int first_has_packet)
{
    walk w = {.states = calloc(SLOTS / 2, sizeof(model)),
              .can_end = calloc(SLOTS / 2, 1),
              .slots = calloc(SLOTS, sizeof(int))};
    CHECK(w.states && w.can_end && w.slots);
    model begin = {.is_up = 1, .is_connected = 1};
    begin.sides[0].link = begin.sides[1].link = TCP_OPEN;
    begin.sides[0].has_packet = (uint8_t)first_has_packet;
    begin.sides[1].is_acknowledged = (uint8_t)first_has_packet;
    walk_find(&w, &begin);
    for (int at = 0; at < w.count; at++) {
        steps next;
        all_steps(&w.states[at], 1, &next);
        for (int i = 0; i < next.count; i++)
            walk_find(&w, &next.next[i]);
    }
    walk_mark(&w);
    int hangs = 0, splits = 0;
    for (int at = 0; at < w.count; at++) {
        const model *m = &w.states[at];
        int is_hang = walk_is_last(m) && !w.can_end[at];
        int is_split = is_over(&m->sides[0]) && is_over(&m->sides[1]) &&
                       (m->sides[0].phase == DONE) != (m->sides[1].phase == DONE);
        if ((is_hang && !hangs++) || (is_split && !splits++)) {
            fputs(is_hang ? "no end from here: " : "two different ends: ", stderr);
            print_state(m);
        }
    }
    printf("%d states, %d without an end, %d with two ends\n", w.count, hangs, splits);
    CHECK_EQUAL(0, hangs);
    CHECK_EQUAL(0, splits);
    free(w.states);
    free(w.can_end);
    free(w.slots);
}

/* ---- single rules ----------------------------------------------------------------------------------------------- */

static void test_refusals(void)
{
    tcp_clock clock = {0, 0};
    tcp_limits limits = tcp_rule_limits(10, 60, 1, 0);
    for (int i = 0; i < TCP_REFUSED_S + 60 - 1; i++) {
        tcp_clock_pass(&clock, TCP_SECOND_NS);
        tcp_clock_refused(&clock);
    }
    CHECK_EQUAL(TCP_GOES_ON, tcp_rule_end(&clock, &limits));
    tcp_clock_pass(&clock,
                   1000 * TCP_SECOND_NS); /* a long silence before a refusal counts as one second of refusals */
    CHECK_EQUAL(TCP_SILENT, tcp_rule_end(&clock, &limits));
    tcp_clock_refused(&clock);
    CHECK_EQUAL(TCP_REFUSED, tcp_rule_end(&clock, &limits));
    tcp_clock_taken(&clock);
    CHECK_EQUAL(TCP_GOES_ON, tcp_rule_end(&clock, &limits));
    limits = tcp_rule_limits(0, 0, 1, 0);
    clock.silent_ns = UINT64_MAX / 2;
    CHECK_EQUAL(TCP_GOES_ON, tcp_rule_end(&clock, &limits));
    clock.refused_ns = TCP_REFUSED_S * TCP_SECOND_NS;
    CHECK_EQUAL(TCP_REFUSED, tcp_rule_end(&clock, &limits));
}

int main(void)
{
    test_refusals();
    test_ends(1); /* only rank 1 still needs a packet */
    test_ends(0);
    return 0;
}
