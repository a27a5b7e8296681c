/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which of several ways is fastest, found by trying them now and then. This is the bookkeeping alone: it uses neither
 * clock nor messages, so ranks that get the same numbers come to the same result.
 *
 * A step is a call before which the ranks agree on the figures of a cor_trials_agreed; all ranks count calls, so all
 * know which. Then they know how long the last trial took, and whether the next one may be made in this call.
 *
 * The time bound. The time of agreements, and of each trial the excess over the way used otherwise, together stay below
 * 1/share of the time that the job has run. A step is postponed until the bound has room for it and for the expected
 * time of the trial. If a trial takes longer than expected, the next one is postponed accordingly. So the bound is
 * exceeded at no step by more than that step.
 *
 * Each way is tried twice, except one that is 16 times slower at once; those that are 1.5 times slower than the best
 * are then left out, and the others are tried twice more. A way must be 5 % better than way 0, the choice of the rules.
 * After many calls all ways are tried again, except those that were 4 times slower.
 */
#ifndef COR_COLL_TRIALS_H
#define COR_COLL_TRIALS_H

#include <stdint.h>

enum {
    COR_TRIALS_MAX = 24,
    COR_TRIALS_FIRST = 2,           /* the first call that may be a step: one made once is not worth it */
    COR_TRIALS_AGAIN_CALLS = 10000, /* at least, before ways are tried again; and by this factor: */
    COR_TRIALS_AGAIN_TIMES = 4,
    COR_TRIALS_PASSES = 4,
    COR_TRIALS_CUT_PASS = 2,
    COR_TRIALS_PUT_OFF = 1000, /* by this many calls, as long as their rate is unknown */
};

typedef enum cor_trial_state { COR_TRIAL_IN, COR_TRIAL_SLOW, COR_TRIAL_OUT } cor_trial_state;

typedef struct cor_trial {
    double estimate;       /* in any unit; 0: none */
    uint64_t best_ns;      /* 0: not tried yet */
    uint32_t samples;      /* in this series of trials */
    cor_trial_state state; /* SLOW: until the next series; OUT: for ever */
} cor_trial;

typedef struct cor_trials {
    cor_trial of[COR_TRIALS_MAX]; /* [0]: the choice of the rules */
    int count;
    uint32_t share; /* 0: no bound */
    int winner;     /* the way that is used */
    int current;    /* the way that is tried next */
    int is_pending; /* it was tried, and its time is not agreed on yet */
    int is_settled;
    int pass;
    uint32_t looks;
    uint64_t calls, next;                 /* so far; the number of the call that is the next step */
    uint64_t seen_calls, seen_elapsed_ns; /* at the last step */
    uint64_t period_ns; /* from call to call, half of what it was; 0: not known before the second step */
    int is_put_off;     /* the next step measures the rate of calls, so it is made in any case */
} cor_trials;

/* What the ranks agree on: the largest of each but `elapsed_ns`, of which the smallest. */
typedef struct cor_trials_agreed {
    uint64_t time_ns;    /* of the last trial */
    uint64_t spent_ns;   /* on all trials of the rank */
    uint64_t elapsed_ns; /* since the rank was opened; 0: they have not agreed yet */
    uint64_t step_ns;    /* of the last step without the call */
} cor_trials_agreed;

/* With `count` ways; the caller then sets estimates and states. */
void cor_trials_init(cor_trials *trials, int count, uint32_t share);

/* Count a call. Returns 1 if the ranks agree now; cor_trials_step follows. `last`: the last agreement, maybe for other
 * trials. */
int cor_trials_is_due(cor_trials *trials, const cor_trials_agreed *last);

/* Process an agreement. Returns the way to try in this call, or -1: the winner is used. The expected time of this step
 * is added to the time spent, for other trials that come before the next agreement. */
int cor_trials_step(cor_trials *trials, cor_trials_agreed *agreed);

/* The way that was to be tried cannot do this call: leave it out of this series. */
void cor_trials_skip(cor_trials *trials);

/* A way cannot be used any more. */
void cor_trials_rule_out(cor_trials *trials, int way);

#endif
