/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which of several ways is fastest, found by trying them now and then. This is the bookkeeping alone: it knows neither
 * clock nor messages, so ranks that are given the same numbers come to the same end.
 *
 * At some calls, which all ranks can count, the ranks agree on the figures of a cor_trials_agreed: a step. Then they
 * know how long the last trial took, and whether the next one may be made in this call.
 *
 * What it may take. All that trials take, the agreeing included and of a trial what it takes longer than the way that
 * is used otherwise, is to stay below 1/share of the time that the job has run. A step is put off until there is room
 * for it and for what the trial is expected to take. A trial that takes longer than expected is paid back before the
 * next one. So the bound is exceeded at no step by more than that step.
 *
 * Each way is tried twice, but for one that is 16 times slower at once; those that are 1.5 times slower than the best
 * are left out then, and the others are tried twice more. A way must be 5 % better than way 0, what the rules say.
 * After many calls all is looked at again, but for what was 4 times slower.
 */
#ifndef COR_COLL_TRIALS_H
#define COR_COLL_TRIALS_H

#include <stdint.h>

enum {
    COR_TRIALS_MAX = 24,
    COR_TRIALS_FIRST = 2,           /* the first call that may be a step: what is called once teaches nothing */
    COR_TRIALS_AGAIN_CALLS = 10000, /* before the next look, at least; and so many times the calls so far: */
    COR_TRIALS_AGAIN_TIMES = 4,
    COR_TRIALS_PASSES = 4,
    COR_TRIALS_CUT_PASS = 2,
    COR_TRIALS_PUT_OFF = 1000, /* by so many calls, as long as it is not known how often they come */
};

typedef enum cor_trial_state { COR_TRIAL_IN, COR_TRIAL_SLOW, COR_TRIAL_OUT } cor_trial_state;

typedef struct cor_trial {
    double estimate;       /* in any unit; 0: none */
    uint64_t best_ns;      /* 0: not tried yet */
    uint32_t samples;      /* of this look */
    cor_trial_state state; /* SLOW: until the next look; OUT: for ever */
} cor_trial;

typedef struct cor_trials {
    cor_trial of[COR_TRIALS_MAX]; /* [0]: what the rules say */
    int count;
    uint32_t share; /* 0: no bound */
    int winner;     /* what is used */
    int current;    /* what is tried next */
    int is_pending; /* it was tried, and its time is not agreed on yet */
    int is_settled;
    int pass;
    uint32_t looks;
    uint64_t calls, next;                 /* so far; the call that is the next step */
    uint64_t seen_calls, seen_elapsed_ns; /* at the last step */
    uint64_t period_ns; /* from call to call, half of what it was; 0: not known before the second step */
    int is_put_off;     /* the next step is to tell how often it is called, so it is made at any rate */
} cor_trials;

/* What the ranks agree on: the largest of each but `elapsed_ns`, of which the smallest. */
typedef struct cor_trials_agreed {
    uint64_t time_ns;    /* of the last trial */
    uint64_t spent_ns;   /* on all trials of the rank */
    uint64_t elapsed_ns; /* since the rank was opened; 0: they have not agreed yet */
    uint64_t step_ns;    /* of the last step without the call */
} cor_trials_agreed;

/* With `count` ways; estimates and states are the caller's to set after that. */
void cor_trials_init(cor_trials *trials, int count, uint32_t share);

/* Count a call. 1: the ranks agree now, and cor_trials_step follows. `last`: what was agreed on last, maybe for other
 * trials. */
int cor_trials_is_due(cor_trials *trials, const cor_trials_agreed *last);

/* Take what was agreed on. Returns the way to try in this call; or -1: none, the winner is used. What this step is
 * expected to take is added to what was spent, for trials whose turn comes before the next agreement. */
int cor_trials_step(cor_trials *trials, cor_trials_agreed *agreed);

/* The way that was to be tried cannot do this call: leave it out of this look. */
void cor_trials_skip(cor_trials *trials);

/* A way cannot be used any more. */
void cor_trials_rule_out(cor_trials *trials, int way);

#endif
