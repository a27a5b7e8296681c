/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/tune/tune.h"

/* So much better than the library's own choice must a candidate be. */
static const double choose_gain = 1.05;

static double choose_best(const tune_run *run, const tune_subject *subject, int size, const char *mode)
{
    double best = 0;
    for (int candidate = 0; candidate < subject->candidate_count; candidate++) {
        double time = tune_time(run, subject, subject->candidates[candidate], size, mode);
        if (time > 0 && (best == 0 || time < best))
            best = time;
    }
    return best;
}

double tune_score(const tune_run *run, const tune_subject *subject, int candidate, int size)
{
    double apart = tune_time(run, subject, subject->candidates[candidate], size, "apart");
    double row = tune_time(run, subject, subject->candidates[candidate], size, "row");
    if (apart <= 0 || row <= 0)
        return 0;
    apart /= choose_best(run, subject, size, "apart");
    row /= choose_best(run, subject, size, "row");
    return apart > row ? apart : row;
}

void tune_choose(tune_run *run)
{
    for (int i = 0; i < run->subject_count; i++) {
        tune_subject *subject = &run->subjects[i];
        for (int size = 0; size < subject->size_count; size++) {
            double own = tune_score(run, subject, TUNE_WON_BY_DEFAULT, size), best = own / choose_gain;
            subject->winners[size] = TUNE_WON_BY_DEFAULT;
            for (int candidate = 1; candidate < subject->candidate_count; candidate++) {
                double score = tune_score(run, subject, candidate, size);
                if (score > 0 && score < best) {
                    best = score;
                    subject->winners[size] = candidate;
                }
            }
        }
    }
}
