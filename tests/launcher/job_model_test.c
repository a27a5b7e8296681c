/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All interleavings of a small model of a job's start, stop and end (run/run_job.h): the front, the worker, two ranks
 * and a job that one of them starts, beside a user who sends signals at any moment, a rank that dies, and the time
 * limit.
 *
 * Whatever comes, the job ends once something asks for that, nothing of it is left then, its status names a cause that
 * there was, no rank that would obey is killed, and a stop reaches all and a continue wakes all. Without any one of its
 * rules the model finds the state in which one of these does not hold.
 */
#include "check.h"
#include "model_walk.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the model -------------------------------------------------------------------------------------------------- */

/* The rules of run_job.h that can be left out. */
enum {
    RULE_TELL_FIRST = 1,  /* the front tells of a stop before it stops itself */
    RULE_HEED = 2,        /* the front does not stop when it is to go on already */
    RULE_HOLD = 4,        /* no rank is started while the job is stopped */
    RULE_WAKE = 8,        /* a job that is to end goes on */
    RULE_NO_STOP = 16,    /* and is not stopped any more */
    RULE_COUNT = 32,      /* ranks that were not started count as ended */
    RULE_KILL = 64,       /* ranks that do not obey are killed */
    RULE_FIRST = 128,     /* the first cause of the end is the job's status */
    RULE_OWN_GROUP = 256, /* a launcher below a rank leads a group of its own */
    RULE_SWEEP = 512,     /* what is left at the end is killed */
    RULES = 1024,
};

enum { RANKS = 2, QUEUE = 12, INTS = 2, STOPS = 1 };

typedef enum sort { SIG_INT = 1, SIG_TERM = 2, SIG_CONT = 4, SIG_TSTP = 8 } sort;

/* What may end a job. */
enum { BY_INT = 1, BY_TERM = 2, BY_DEATH = 4, BY_TIME = 8 };

typedef enum rank_life { UNBORN, STARTING, RUNS, EXITED, DIED, OBEYED, REAPED } rank_life;
typedef enum below_life { BELOW_NONE, BELOW_BORN, BELOW_LEADS, BELOW_RUNS, BELOW_GONE } below_life;
typedef enum front_life { FRONT_AWAKE, FRONT_STOPPING, FRONT_STOPPED, FRONT_WOKEN, FRONT_ENDED } front_life;
typedef enum phase { RUNNING, ENDING, KILLED, OVER } phase;

typedef struct rank {
    uint8_t life, is_stopped, is_asked;
} rank;

typedef struct state {
    rank ranks[RANKS];
    /* A job that rank 0 has started: its launcher, and all its ranks as one. */
    uint8_t below, is_below_stopped, are_below_ranks_stopped;
    uint8_t front, pending;
    uint8_t queue[QUEUE], queued;
    uint8_t phase, is_stopped, has_timer, cause;              /* of the worker */
    uint8_t causes;                                           /* that there were */
    uint8_t wants_stop;                                       /* the user's last word about that */
    uint8_t ints, terms, stops, conts, deaths, times, spawns; /* how many have come */
} state;

typedef struct model {
    unsigned rules, deaf; /* deaf: a bit for each rank that ignores SIGTERM */
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

static int rank_is_alive(const rank *r)
{
    return r->life == STARTING || r->life == RUNS;
}

static int below_is_alive(const state *s)
{
    return s->below != BELOW_NONE && s->below != BELOW_GONE;
}

/* ---- the worker ------------------------------------------------------------------------------------------------- */

static void worker_stop(const model *m, state *s)
{
    s->is_stopped = 1;
    for (int i = 0; i < RANKS; i++)
        s->ranks[i].is_stopped |= (uint8_t)rank_is_alive(&s->ranks[i]);
    if (!below_is_alive(s))
        return;
    s->is_below_stopped = 1;
    s->are_below_ranks_stopped = s->below == BELOW_BORN || has_rule(m, RULE_OWN_GROUP);
}

static void worker_continue(state *s)
{
    s->is_stopped = s->is_below_stopped = s->are_below_ranks_stopped = 0;
    for (int i = 0; i < RANKS; i++)
        s->ranks[i].is_stopped = 0;
}

static void worker_count_unborn(state *s)
{
    for (int i = 0; i < RANKS; i++)
        if (s->ranks[i].life == UNBORN)
            s->ranks[i].life = REAPED;
}

static void worker_kill(const model *m, state *s)
{
    s->phase = KILLED;
    s->has_timer = 0;
    if (has_rule(m, RULE_COUNT))
        worker_count_unborn(s);
    for (int i = 0; i < RANKS; i++)
        if (rank_is_alive(&s->ranks[i]))
            s->ranks[i].life = OBEYED;
}

static void worker_end(const model *m, state *s, uint8_t cause)
{
    s->phase = ENDING;
    s->cause = cause;
    s->has_timer = has_rule(m, RULE_KILL);
    if (has_rule(m, RULE_COUNT))
        worker_count_unborn(s);
    for (int i = 0; i < RANKS; i++)
        s->ranks[i].is_asked = 1;
    if (s->is_stopped && has_rule(m, RULE_WAKE))
        worker_continue(s);
}

static void worker_take(const model *m, state *s)
{
    sort byte = (sort)s->queue[0];
    memmove(s->queue, s->queue + 1, QUEUE - 1);
    s->queue[--s->queued] = 0;
    if (byte == SIG_TSTP && (s->phase == RUNNING || !has_rule(m, RULE_NO_STOP)))
        worker_stop(m, s);
    else if (byte == SIG_CONT)
        worker_continue(s);
    else if (byte != SIG_TSTP && s->phase == RUNNING)
        worker_end(m, s, byte == SIG_INT ? BY_INT : BY_TERM);
    else if (byte != SIG_TSTP)
        worker_kill(m, s);
}

static void worker_reap(const model *m, state *s, int number)
{
    rank *r = &s->ranks[number];
    int has_failed = r->life == DIED || (!has_rule(m, RULE_FIRST) && r->life == OBEYED);
    r->life = REAPED;
    if (has_failed && s->phase == RUNNING)
        worker_end(m, s, BY_DEATH);
    else if (has_failed && !has_rule(m, RULE_FIRST))
        s->cause = BY_DEATH;
}

static int worker_has_all(const state *s)
{
    for (int i = 0; i < RANKS; i++)
        if (s->ranks[i].life != REAPED)
            return 0;
    return 1;
}

/* Time is long: before it ends, all have obeyed that can. */
static int worker_is_patient(const model *m, const state *s)
{
    for (int i = 0; i < RANKS; i++)
        if (rank_is_alive(&s->ranks[i]) && !(m->deaf >> i & 1) && !s->ranks[i].is_stopped)
            return 1;
    return 0;
}

static void model_kill_late(model *m, state *s)
{
    for (int i = 0; i < RANKS; i++)
        model_fail(m, rank_is_alive(&s->ranks[i]) && !(m->deaf >> i & 1), "a rank that would obey is killed");
    worker_kill(m, s);
}

/* All ranks have ended. */
static void worker_finish(const model *m, state *s)
{
    s->phase = OVER;
    s->queued = 0;
    memset(s->queue, 0, QUEUE);
    if (below_is_alive(s) && has_rule(m, RULE_SWEEP))
        s->below = BELOW_GONE;
    s->is_below_stopped = s->are_below_ranks_stopped = 0;
}

/* ---- steps ------------------------------------------------------------------------------------------------------ */

static void front_send(state *s, sort byte)
{
    CHECK(s->queued < QUEUE);
    s->queue[s->queued++] = (uint8_t)byte;
}

/* The kernel hands out the lowest signal first. */
static void front_take(const model *m, state *s)
{
    for (int one = SIG_INT; one <= SIG_TSTP; one <<= 1) {
        if (!(s->pending & one))
            continue;
        s->pending &= (uint8_t)~one;
        if (one != SIG_TSTP || has_rule(m, RULE_TELL_FIRST))
            front_send(s, (sort)one);
        if (one == SIG_TSTP)
            s->front = FRONT_STOPPING;
        return;
    }
}

static void front_stop(const model *m, state *s)
{
    if (has_rule(m, RULE_HEED) && (s->pending & SIG_CONT)) {
        s->front = FRONT_WOKEN;
        return;
    }
    s->front = FRONT_STOPPED;
    s->pending &= (uint8_t)~SIG_CONT; /* as the kernel does it */
}

static void front_wake(state *s)
{
    front_send(s, SIG_CONT);
    s->front = FRONT_AWAKE;
}

/* What may happen next. */
typedef struct steps {
    state next[32];
    int count;
} steps;

/* A further step from here, to be changed. */
static state *step(steps *out, const state *from)
{
    out->next[out->count] = *from;
    return &out->next[out->count++];
}

static void steps_of_front(const model *m, const state *s, steps *out)
{
    if (s->front == FRONT_AWAKE && s->phase == OVER)
        step(out, s)->front = FRONT_ENDED;
    else if (s->front == FRONT_AWAKE && s->pending)
        front_take(m, step(out, s));
    else if (s->front == FRONT_STOPPING)
        front_stop(m, step(out, s));
    else if (s->front == FRONT_WOKEN)
        front_wake(step(out, s));
}

static void steps_of_worker(model *m, const state *s, steps *out)
{
    if (s->phase == OVER)
        return;
    if (s->queued)
        worker_take(m, step(out, s));
    if (s->has_timer && s->phase == ENDING && !worker_is_patient(m, s))
        model_kill_late(m, step(out, s));
    if (worker_has_all(s))
        worker_finish(m, step(out, s));
}

static void steps_of_rank(const model *m, const state *s, int i, steps *out)
{
    const rank *r = &s->ranks[i];
    int may_start = s->phase == RUNNING && (!s->is_stopped || !has_rule(m, RULE_HOLD));
    if (r->life == UNBORN && may_start && (i == 0 || s->ranks[i - 1].life != UNBORN))
        step(out, s)->ranks[i].life = STARTING;
    if (r->life == STARTING && !r->is_stopped)
        step(out, s)->ranks[i].life = RUNS;
    if (rank_is_alive(r) && r->is_asked && !r->is_stopped && !(m->deaf >> i & 1))
        step(out, s)->ranks[i].life = OBEYED;
    if (r->life == EXITED || r->life == DIED || r->life == OBEYED)
        worker_reap(m, step(out, s), i);
}

/* What the processes of the job do by themselves. */
static void steps_of_job(model *m, const state *s, steps *out)
{
    steps_of_front(m, s, out);
    steps_of_worker(m, s, out);
    for (int i = 0; i < RANKS; i++)
        steps_of_rank(m, s, i, out);
    if (s->below == BELOW_BORN && !s->is_below_stopped)
        step(out, s)->below = BELOW_LEADS;
    if (s->below == BELOW_LEADS && !s->are_below_ranks_stopped)
        step(out, s)->below = BELOW_RUNS;
}

/* The user's signal, of which the kernel lets SIGTSTP and SIGCONT undo each other. */
static void user_send(state *s, sort one)
{
    if (one == SIG_TSTP)
        s->pending &= (uint8_t)~SIG_CONT;
    if (one == SIG_CONT)
        s->pending &= (uint8_t)~SIG_TSTP;
    s->pending |= (uint8_t)one;
    if (one == SIG_CONT && s->front == FRONT_STOPPED)
        s->front = FRONT_WOKEN;
    s->causes |= (one == SIG_INT ? BY_INT : 0) | (one == SIG_TERM ? BY_TERM : 0);
    if (one == SIG_TSTP || one == SIG_CONT)
        s->wants_stop = one == SIG_TSTP;
    s->ints += one == SIG_INT;
    s->terms += one == SIG_TERM;
    s->stops += one == SIG_TSTP;
    s->conts += one == SIG_CONT;
}

static void steps_of_user(const state *s, steps *out)
{
    if (s->front == FRONT_ENDED)
        return;
    if (s->ints < INTS && !(s->pending & SIG_INT))
        user_send(step(out, s), SIG_INT);
    if (s->terms < 1)
        user_send(step(out, s), SIG_TERM);
    if (s->stops < STOPS && !s->wants_stop)
        user_send(step(out, s), SIG_TSTP);
    if (s->conts < STOPS && s->wants_stop)
        user_send(step(out, s), SIG_CONT);
}

static void model_die(state *s, int i)
{
    s->deaths++;
    s->causes |= BY_DEATH;
    s->ranks[i].life = DIED;
}

static void model_time_out(const model *m, state *s)
{
    s->times++;
    s->causes |= BY_TIME;
    worker_end(m, s, BY_TIME);
}

static void model_spawn(state *s)
{
    s->spawns++;
    s->below = BELOW_BORN;
}

/* What comes from outside, at any moment or never. */
static void steps_of_others(const model *m, const state *s, steps *out)
{
    steps_of_user(s, out);
    if (s->times < 1 && s->phase == RUNNING && !s->is_stopped)
        model_time_out(m, step(out, s));
    for (int i = 0; i < RANKS; i++) {
        const rank *r = &s->ranks[i];
        if (rank_is_alive(r) && s->deaths < 1)
            model_die(step(out, s), i);
        if (r->life == RUNS && !r->is_stopped && (i > 0 || !below_is_alive(s)))
            step(out, s)->ranks[i].life = EXITED;
    }
    if (s->spawns < 1 && s->ranks[0].life == RUNS && !s->ranks[0].is_stopped)
        model_spawn(step(out, s));
    if (s->below == BELOW_RUNS && !s->is_below_stopped && !s->are_below_ranks_stopped)
        step(out, s)->below = BELOW_GONE;
}

/* ---- what must hold --------------------------------------------------------------------------------------------- */

/* Nothing more happens by itself. */
static void model_check_rest(model *m, const state *s)
{
    int is_stopped = 0, is_running = 0;
    for (int i = 0; i < RANKS; i++) {
        is_stopped |= rank_is_alive(&s->ranks[i]) && s->ranks[i].is_stopped;
        is_running |=
            s->ranks[i].life == UNBORN ? !s->is_stopped : rank_is_alive(&s->ranks[i]) && !s->ranks[i].is_stopped;
    }
    is_running |= below_is_alive(s) && !s->are_below_ranks_stopped;
    is_stopped |= below_is_alive(s) && (s->is_below_stopped || s->are_below_ranks_stopped);
    if (s->phase == OVER) {
        model_fail(m, s->front != FRONT_ENDED && !s->wants_stop, "the launcher does not end after its job");
        model_fail(m, below_is_alive(s), "a process is left");
        model_fail(m, s->cause & ~s->causes, "the status is of something that has not been");
        model_fail(m, !s->cause && s->causes & BY_DEATH, "a death is taken for success");
        return;
    }
    model_fail(m, s->phase != RUNNING, "the job does not end");
    model_fail(m, (s->front == FRONT_STOPPED) != s->wants_stop, "the launcher is not as the user wants it");
    model_fail(m, s->wants_stop && is_running, "a stop does not reach all");
    model_fail(m, !s->wants_stop && is_stopped, "a continue does not wake all");
}

/* ---- all states ------------------------------------------------------------------------------------------------- */

/* What is wrong in some interleaving; NULL: nothing in any. No step is undone by others, so that no state comes again:
 * what does not rest goes on, and ends. */
static const char *model_walk(unsigned rules, unsigned deaf, size_t *count_p)
{
    model m = {.rules = rules, .deaf = deaf, .states = {.bytes = sizeof(state)}};
    state first;
    memset(&first, 0, sizeof first);
    model_states_add(&m.states, &first);
    for (size_t i = 0; i < m.states.count && !m.wrong; i++) {
        state now;
        steps out = {.count = 0};
        model_states_get(&m.states, i, &now);
        steps_of_job(&m, &now, &out);
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
    for (unsigned deaf = 0; deaf < 1 << RANKS && !wrong; deaf++)
        wrong = model_walk(rules, deaf, states_p);
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
