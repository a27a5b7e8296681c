/* SPDX-License-Identifier: Apache-2.0 */
#include "coll/learn/trials.h"

static const double trials_slow = 1.5, trials_hopeless = 4, trials_at_once = 16, trials_gain = 1.05;

void cor_trials_init(cor_trials *trials, int count, uint32_t share)
{
    *trials = (cor_trials){.count = count, .share = share, .next = COR_TRIALS_FIRST};
}

/* ---- time ------------------------------------------------------------------------------------------------------- */

/* What a way is expected to take longer than the winner. */
static uint64_t trials_excess(const cor_trials *trials, int number)
{
    const cor_trial *way = &trials->of[number], *winner = &trials->of[trials->winner];
    if (way == winner)
        return 0;
    if (way->best_ns > 0)
        return way->best_ns > winner->best_ns ? way->best_ns - winner->best_ns : 0;
    double ratio = way->estimate > 0 && winner->estimate > 0 ? way->estimate / winner->estimate : 2;
    return (uint64_t)((double)winner->best_ns * (ratio > 2 ? ratio - 1 : 1));
}

/* How long the job has run by this call, if calls come as they did. */
static uint64_t trials_elapsed(const cor_trials *trials, const cor_trials_agreed *last)
{
    uint64_t expected =
        trials->seen_calls ? trials->seen_elapsed_ns + (trials->calls - trials->seen_calls) * trials->period_ns : 0;
    return expected > last->elapsed_ns ? expected : last->elapsed_ns;
}

/* Does the bound have room for this much more? If not, the next step is postponed until it does. */
static int trials_has_room(cor_trials *trials, const cor_trials_agreed *last, uint64_t more_ns)
{
    uint64_t needed = (last->spent_ns + more_ns) * trials->share, elapsed = trials_elapsed(trials, last);
    if (needed <= elapsed)
        return 1;
    if (trials->period_ns > 0) {
        trials->next = trials->calls + (needed - elapsed) / trials->period_ns + 1;
    } else {
        trials->next = trials->calls + COR_TRIALS_PUT_OFF;
        trials->is_put_off = 1;
    }
    return 0;
}

static void trials_note_period(cor_trials *trials, const cor_trials_agreed *agreed)
{
    if (trials->seen_calls && agreed->elapsed_ns > trials->seen_elapsed_ns)
        trials->period_ns =
            (agreed->elapsed_ns - trials->seen_elapsed_ns) / (trials->calls - trials->seen_calls) / 2 + 1;
    trials->seen_calls = trials->calls;
    trials->seen_elapsed_ns = agreed->elapsed_ns;
}

/* ---- ways ------------------------------------------------------------------------------------------------------- */

static int trials_is_in(const cor_trials *trials, int way)
{
    return trials->of[way].state == COR_TRIAL_IN;
}

/* The fastest of those that were tried in this look, or -1. */
static int trials_fastest(const cor_trials *trials)
{
    int best = -1;
    for (int i = 0; i < trials->count; i++)
        if (trials_is_in(trials, i) && trials->of[i].samples > 0 &&
            (best < 0 || trials->of[i].best_ns < trials->of[best].best_ns))
            best = i;
    return best;
}

/* The rules' own way stays, to be compared with. Returns how many others do. */
static int trials_cut(cor_trials *trials)
{
    int best = trials_fastest(trials), left = 0;
    for (int i = 1; i < trials->count && best >= 0; i++) {
        cor_trial *way = &trials->of[i];
        if (way->state != COR_TRIAL_IN)
            continue;
        double times = (double)way->best_ns / (double)(trials->of[best].best_ns ? trials->of[best].best_ns : 1);
        if (way->samples == 0 || times > trials_slow)
            way->state = way->samples > 0 && times > trials_hopeless ? COR_TRIAL_OUT : COR_TRIAL_SLOW;
        left += way->state == COR_TRIAL_IN;
    }
    return left;
}

static void trials_settle(cor_trials *trials)
{
    int best = trials_fastest(trials);
    uint64_t wait = trials->calls * COR_TRIALS_AGAIN_TIMES;
    if (best > 0 && trials->of[0].samples > 0 &&
        (double)trials->of[best].best_ns * trials_gain > (double)trials->of[0].best_ns)
        best = 0;
    if (best >= 0)
        trials->winner = best;
    trials->is_settled = 1;
    trials->looks++;
    trials->next = trials->calls + (wait > COR_TRIALS_AGAIN_CALLS ? wait : COR_TRIALS_AGAIN_CALLS);
}

/* To the next way that is in; behind the last one a pass ends. */
static void trials_advance(cor_trials *trials)
{
    do {
        if (++trials->current < trials->count)
            continue;
        trials->current = 0;
        trials->pass++;
        int left = trials->pass < COR_TRIALS_CUT_PASS ? trials->count : trials_cut(trials);
        if (left == 0 || trials->pass == COR_TRIALS_PASSES)
            trials_settle(trials);
    } while (!trials->is_settled && !trials_is_in(trials, trials->current));
}

static void trials_look_again(cor_trials *trials)
{
    trials->is_settled = trials->pass = trials->current = 0;
    for (int i = 0; i < trials->count; i++) {
        trials->of[i].samples = 0;
        if (trials->of[i].state == COR_TRIAL_SLOW)
            trials->of[i].state = COR_TRIAL_IN;
    }
}

static void trials_take(cor_trials *trials, uint64_t time_ns)
{
    cor_trial *way = &trials->of[trials->current];
    if (time_ns == 0)
        time_ns = 1;
    if (way->samples++ == 0 || time_ns < way->best_ns)
        way->best_ns = time_ns;
    trials->is_pending = 0;
    int best = trials_fastest(trials);
    if (trials->current > 0 && (double)way->best_ns > trials_at_once * (double)trials->of[best].best_ns)
        way->state = COR_TRIAL_SLOW;
    trials_advance(trials);
}

/* The way that the next step is going to try. */
static int trials_coming(const cor_trials *trials)
{
    int way = trials->current;
    if (trials->is_settled)
        return 0;
    if (trials->is_pending)
        do
            way = (way + 1) % trials->count;
        while (!trials_is_in(trials, way));
    return way;
}

/* ---- calls ------------------------------------------------------------------------------------------------------ */

int cor_trials_is_due(cor_trials *trials, const cor_trials_agreed *last)
{
    if (++trials->calls < trials->next)
        return 0;
    int must = last->elapsed_ns == 0 || trials->is_put_off;
    trials->is_put_off = 0;
    return must || trials_has_room(trials, last, last->step_ns + trials_excess(trials, trials_coming(trials)));
}

int cor_trials_step(cor_trials *trials, cor_trials_agreed *agreed)
{
    trials_note_period(trials, agreed);
    agreed->spent_ns += agreed->step_ns;
    if (trials->is_pending)
        trials_take(trials, agreed->time_ns);
    else if (trials->is_settled)
        trials_look_again(trials);
    if (trials->is_settled)
        return -1;
    trials->next = trials->calls + 1;
    uint64_t excess_ns = trials_excess(trials, trials->current);
    if (!trials_has_room(trials, agreed, excess_ns))
        return -1;
    agreed->spent_ns += excess_ns;
    trials->is_pending = 1;
    return trials->current;
}

void cor_trials_skip(cor_trials *trials)
{
    trials->is_pending = 0;
    trials->of[trials->current].state = COR_TRIAL_SLOW;
    trials_advance(trials);
}

void cor_trials_rule_out(cor_trials *trials, int way)
{
    trials->of[way].state = COR_TRIAL_OUT;
    if (trials->winner == way)
        trials->winner = 0;
    if (trials->current == way && !trials->is_settled) {
        trials->is_pending = 0;
        trials_advance(trials);
    }
}
