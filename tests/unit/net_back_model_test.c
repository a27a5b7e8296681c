/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All interleavings of a small model of how a connection goes back to TCP (net_back.c): two ends with bytes in both
 * rings that were not read, of which one or both ask for TCP; two threads of each end, of which the first asks, writes
 * and reads, and the other takes bells, answers and reads beside it; a TCP that has room for two bytes; and patience,
 * which may end at any moment. An end that asks writes all it has to write before it reads, as another image may. A
 * step is what a thread does between two moments at which another may come between.
 *
 * In no state may a byte be read twice, lost or out of turn, the mark be read as data, or data be taken for a bell; nor
 * may both ends wait for ever. Without any one of its rules the model finds such a state.
 */
#include "check.h"
#include "model_walk.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The rules that can be left out. */
enum {
    RULE_SERVE = 1,      /* a call sends of the backlog what TCP takes, and goes on */
    RULE_DECIDE = 2,     /* reader and writer decide by one word whether the writer takes back what is in the ring */
    RULE_AFTER = 4,      /* the writer looks for the reader's position after that */
    RULE_FROZEN = 8,     /* while it has asked, no thread of the reader touches the ring */
    RULE_HEAD = 16,      /* what was taken back is not read from the ring any more */
    RULE_FIRST = 32,     /* what is written later follows the backlog */
    RULE_BACKLOG = 64,   /* an end with a backlog is not plain */
    RULE_STASH = 128,    /* nor is one with bytes that came with the mark */
    RULE_TOGETHER = 256, /* an end that asks leaves its own direction after its wait for the other one */
    RULES = 512,
};

enum { ENDS = 2, THREADS = 2, TCP_ROOM = 2, RING_BYTES = 2, MORE_BYTES = 2, ALL_BYTES = RING_BYTES + MORE_BYTES };
enum { TCP_MARK = 100 }; /* else the number of a byte */

typedef enum wants { NONE, ASKED, BEGUN, WISHED } wants;

/* Of the first thread. */
typedef enum place { ASK, EARLY, AWAIT, LEAVE, SETTLE, DRAIN, CALLS } place;

/* Of any thread, which has the lock of its output. */
typedef enum leaving { NOT, DECIDED, LOOKED, SENDING } leaving;

/* What one end writes, and the other reads. The number of a byte is its position. */
typedef struct direction {
    uint8_t wants, head, tail;                       /* shared memory */
    uint8_t tcp[TCP_ROOM], tcp_count;                /* the kernel's */
    uint8_t is_after, is_mark_due, at, end, written; /* the writer's */
    uint8_t is_in_after, is_marked, got;             /* the reader's */
    uint8_t stash[TCP_ROOM], stash_count;
} direction;

typedef struct state {
    direction dirs[ENDS]; /* by writer */
    uint8_t place[ENDS], asks[ENDS], is_plain[ENDS];
    uint8_t leaving[ENDS][THREADS], is_taken[ENDS], looked[ENDS];
    uint8_t in_lock[ENDS], reads[ENDS]; /* reads that the second thread makes still */
    uint8_t has_failed[ENDS];           /* to wait for the other end, or for all to be given back */
} state;

static struct {
    model_states states;
    unsigned rules;
    const char *found;
    int can_move, is_patient; /* is_patient: no wait for the other end is over too soon, and no thread is beside */
} model;

static int has(unsigned rule)
{
    return (model.rules & rule) != 0;
}

static void wrong(const char *what)
{
    if (!model.found)
        model.found = what;
}

static void push(const state *now, const state *next)
{
    if (memcmp(now, next, sizeof *now) == 0)
        return;
    model.can_move = 1;
    model_states_add(&model.states, next);
}

/* ---- bytes ------------------------------------------------------------------------------------------------------ */

static uint8_t tcp_take(direction *dir)
{
    uint8_t first = dir->tcp[0];
    dir->tcp[0] = dir->tcp[1];
    dir->tcp[1] = 0;
    dir->tcp_count--;
    return first;
}

static int tcp_put(direction *dir, uint8_t byte)
{
    if (dir->tcp_count == TCP_ROOM)
        return 0;
    dir->tcp[dir->tcp_count++] = byte;
    return 1;
}

static void got_byte(direction *dir, uint8_t byte)
{
    if (byte == TCP_MARK)
        wrong("the mark is read as data");
    else if (byte != dir->got)
        wrong(byte < dir->got ? "a byte is read twice" : "a byte is lost, or comes too early");
    dir->got++;
}

static int has_backlog(const direction *dir)
{
    return dir->is_mark_due || dir->at != dir->end;
}

/* As much as TCP takes. */
static void backlog_push(direction *dir)
{
    if (dir->is_mark_due && tcp_put(dir, TCP_MARK))
        dir->is_mark_due = 0;
    while (!dir->is_mark_due && dir->at != dir->end && tcp_put(dir, dir->at))
        dir->at++;
}

/* ---- the writer goes back --------------------------------------------------------------------------------------- */

static int out_is_locked(const state *s, int e)
{
    return s->leaving[e][0] || s->leaving[e][1];
}

static void leave_decide(state *s, int e)
{
    direction *dir = &s->dirs[e];
    s->is_taken[e] = dir->wants == ASKED || (!has(RULE_DECIDE) && dir->wants == WISHED);
    if (s->is_taken[e])
        dir->wants = BEGUN;
}

static void leave_begin(state *s, int e, int t)
{
    if (has(RULE_AFTER)) {
        leave_decide(s, e);
        s->leaving[e][t] = DECIDED;
    } else {
        s->looked[e] = s->dirs[e].head;
        s->leaving[e][t] = LOOKED;
    }
}

static void leave_go_on(state *s, int e, int t)
{
    direction *dir = &s->dirs[e];
    if (s->leaving[e][t] == SENDING) {
        backlog_push(dir);
    } else {
        if (s->leaving[e][t] == LOOKED)
            leave_decide(s, e);
        else
            s->looked[e] = dir->head;
        dir->end = dir->tail;
        dir->at = s->is_taken[e] ? s->looked[e] : dir->tail;
        dir->is_mark_due = dir->is_after = 1;
        s->looked[e] = s->is_taken[e] = 0;
        backlog_push(dir);
        s->leaving[e][t] = SENDING;
    }
    if (has(RULE_SERVE) || !has_backlog(dir))
        s->leaving[e][t] = NOT;
}

/* ---- calls ------------------------------------------------------------------------------------------------------ */

static void step_answer(const state *now, int e, int t)
{
    state next = *now;
    const direction *out = &now->dirs[e];
    if (out->is_after || (out->wants != ASKED && out->wants != WISHED) || out_is_locked(now, e))
        return;
    leave_begin(&next, e, t);
    push(now, &next);
}

static void step_progress(const state *now, int e, int t)
{
    state next = *now;
    direction *out = &next.dirs[e], *in = &next.dirs[!e];
    if (now->is_plain[e])
        return;
    step_answer(now, e, t);
    if (has_backlog(out) && !out_is_locked(now, e)) {
        backlog_push(out);
        push(now, &next);
    }
    next = *now;
    if (now->in_lock[e])
        return;
    if (in->is_marked && in->head == in->tail)
        in->is_in_after = 1;
    if (in->is_in_after && out->is_after && (!has(RULE_BACKLOG) || !has_backlog(out)) &&
        (!has(RULE_STASH) || in->stash_count == 0))
        next.is_plain[e] = 1;
    push(now, &next);
}

/* Some bytes, of which one may be the mark; what follows that goes to the stash. */
static void step_take(const state *now, int e, int most)
{
    state next = *now;
    direction *in = &next.dirs[!e];
    if (now->is_plain[e] || in->is_in_after || in->is_marked || in->tcp_count == 0)
        return;
    for (; most > 0 && in->tcp_count > 0; most--) {
        uint8_t byte = tcp_take(in);
        if (in->is_marked)
            in->stash[in->stash_count++] = byte;
        else if (byte == TCP_MARK)
            in->is_marked = 1;
        else
            wrong("data is taken for a bell");
    }
    push(now, &next);
}

static int read_one(state *s, int e)
{
    direction *in = &s->dirs[!e];
    if (!s->is_plain[e] && !in->is_in_after) {
        if (in->head == in->tail)
            return 0;
        got_byte(in, in->head++);
    } else if (!s->is_plain[e] && in->stash_count > 0) {
        got_byte(in, in->stash[0]);
        in->stash[0] = in->stash[1];
        in->stash[1] = 0;
        in->stash_count--;
    } else {
        if (in->tcp_count == 0)
            return 0;
        got_byte(in, tcp_take(in));
    }
    return 1;
}

static int write_one(state *s, int e)
{
    direction *out = &s->dirs[e];
    if (out->written == ALL_BYTES)
        return 0;
    if (!s->is_plain[e] && out_is_locked(s, e))
        return 0;
    if (!s->is_plain[e] && !out->is_after)
        out->tail++;
    else if ((!s->is_plain[e] && has(RULE_FIRST) && has_backlog(out)) || !tcp_put(out, out->written))
        return 0;
    out->written++;
    return 1;
}

static void step_calls(const state *now, int e)
{
    state next = *now;
    step_progress(now, e, 0);
    step_take(now, e, TCP_ROOM);
    if (write_one(&next, e))
        push(now, &next);
    next = *now;
    int may_read = e != 0 || now->dirs[e].written == ALL_BYTES;
    if (may_read && (now->is_plain[e] || !now->in_lock[e]) && read_one(&next, e))
        push(now, &next);
}

static void step_beside(const state *now, int e)
{
    state next = *now;
    step_progress(now, e, 1);
    step_take(now, e, TCP_ROOM);
    if (next.reads[e] > 0 && (!now->in_lock[e] || !has(RULE_FROZEN)) && read_one(&next, e)) {
        next.reads[e]--;
        push(now, &next);
    }
}

/* ---- the side that asks ----------------------------------------------------------------------------------------- */

static void step_await(const state *now, int e)
{
    state next = *now;
    direction *in = &next.dirs[!e];
    step_take(now, e, 1);
    step_answer(now, e, 0);
    if (in->is_marked)
        next.place[e] = LEAVE;
    push(now, &next);
    next = *now;
    if (has_backlog(&next.dirs[e]) && !out_is_locked(now, e))
        backlog_push(&next.dirs[e]);
    push(now, &next);
    next = *now;
    if (in->wants == ASKED && !model.is_patient) { /* it has waited for long enough */
        in->wants = WISHED;
        next.has_failed[e] = 1;
        next.place[e] = LEAVE;
        push(now, &next);
    }
}

static void settle(state *s, int e)
{
    direction *in = &s->dirs[!e];
    int is_taken = in->wants == BEGUN;
    if (is_taken && has(RULE_HEAD))
        in->head = in->tail;
    s->place[e] = CALLS;
    s->in_lock[e] = 0;
    if (s->has_failed[e])
        return;
    if ((is_taken || in->head == in->tail) && (!has(RULE_STASH) || in->stash_count == 0)) {
        in->is_in_after = 1;
        s->place[e] = DRAIN;
    } else if (model.is_patient) {
        wrong("an end cannot return although the other one asks, too");
    }
}

static void step_ask(const state *now, int e)
{
    state next = *now;
    direction *out = &next.dirs[e], *in = &next.dirs[!e];
    switch ((place)now->place[e]) {
    case ASK:
        if (now->in_lock[e])
            return;
        next.in_lock[e] = 1;
        if (!in->is_in_after && !in->is_marked && in->wants != BEGUN)
            in->wants = ASKED;
        next.place[e] = in->is_in_after ? LEAVE : has(RULE_TOGETHER) ? AWAIT : EARLY;
        push(now, &next);
        return;
    case EARLY:
    case LEAVE:
        if (out_is_locked(now, e))
            return;
        next.place[e] = now->place[e] == EARLY ? AWAIT : SETTLE;
        if (!out->is_after)
            leave_begin(&next, e, 0);
        push(now, &next);
        return;
    case AWAIT:
        step_await(now, e);
        return;
    case SETTLE:
        settle(&next, e);
        push(now, &next);
        return;
    case DRAIN:
        if (!out_is_locked(now, e))
            backlog_push(out);
        if (!has_backlog(out) || !has(RULE_BACKLOG))
            next.is_plain[e] = 1;
        next.place[e] = next.is_plain[e] ? CALLS : DRAIN;
        push(now, &next);
        next = *now;
        next.place[e] = CALLS; /* it has waited for long enough */
        push(now, &next);
        return;
    case CALLS:
        step_calls(now, e);
        return;
    }
}

/* ---- the walk --------------------------------------------------------------------------------------------------- */

static int is_over(const state *s)
{
    for (int e = 0; e < ENDS; e++)
        if (s->place[e] != CALLS || s->dirs[e].got != ALL_BYTES)
            return 0;
    return 1;
}

static void walk_from(const state *now)
{
    model.can_move = 0;
    for (int e = 0; e < ENDS; e++)
        for (int t = 0; t < THREADS; t++) {
            state next = *now;
            if (now->leaving[e][t]) {
                leave_go_on(&next, e, t);
                push(now, &next);
            } else if (t == 0) {
                step_ask(now, e);
            } else if (!model.is_patient) {
                step_beside(now, e);
            }
        }
    if (!model.can_move && !is_over(now))
        wrong("both ends wait for ever");
}

static const char *walk(unsigned rules, int both_ask, int is_patient, size_t *count_p)
{
    state first;
    memset(&model, 0, sizeof model);
    model.states.bytes = sizeof first;
    model.rules = rules;
    model.is_patient = is_patient;
    memset(&first, 0, sizeof first);
    for (int e = 0; e < ENDS; e++) {
        first.dirs[e].tail = first.dirs[e].written = RING_BYTES;
        first.asks[e] = (uint8_t)(e == 0 || both_ask);
        first.place[e] = first.asks[e] ? ASK : CALLS;
        first.reads[e] = 1;
    }
    model_states_add(&model.states, &first);
    for (size_t i = 0; i < model.states.count && !model.found; i++) {
        state now;
        model_states_get(&model.states, i, &now);
        walk_from(&now);
    }
    *count_p = model.states.count;
    model_states_free(&model.states);
    return model.found;
}

/* One end asks; both; both, and nothing comes between. */
static const char *walk_all(unsigned rules, size_t *count_p)
{
    size_t count;
    const char *found = NULL;
    *count_p = 0;
    for (int way = 0; way < 3 && !found; way++) {
        found = walk(rules, way > 0, way == 2, &count);
        *count_p += count;
    }
    return found;
}

int main(void)
{
    size_t count;
    const char *found = walk_all(RULES - 1, &count);
    if (found)
        CHECK_FAIL("the rules do not hold: %s", found);
    printf("all rules: %zu states\n", count);
    CHECK(count > 1000);
    for (unsigned rule = 1; rule < RULES; rule *= 2) {
        found = walk_all((RULES - 1) & ~rule, &count);
        printf("without rule %u: %s\n", rule, found ? found : "nothing is found");
        CHECK(found != NULL);
    }
    return 0;
}
