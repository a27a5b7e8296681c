/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the values of a form depend on the number of ranks.
 *
 * The form is fitted for each number of ranks alone. Each value then is a constant, grows with ceil(log2 p), or with p:
 * all combinations are tried, and the best of them are refined on all points together.
 */
#include "model/form.h"
#include "model/minimize.h"
#include "model/relative.h"

#include <math.h>
#include <string.h>

enum { LAWS_REFINED = 4, LAWS_COMBINATIONS = 27 };

/* The points of one number of ranks, and the values that were found for it. */
typedef struct laws_group {
    int ranks;
    size_t first, count;
    double values[COR_MODEL_VALUES];
} laws_group;

typedef struct laws_job {
    const cor_model_form *form;
    const cor_model_point *points;
    size_t count;
    int group_count;
    laws_group groups[COR_MODEL_RANKS];
    int has_sizes; /* more than one, so that all values mean something */
    double bytes_high;
    double typical[COR_MODEL_VALUES]; /* mean of the absolute values over the groups */
} laws_job;

typedef struct laws_try {
    cor_model_law laws[COR_MODEL_VALUES];
    double error, criterion;
} laws_try;

/* ---- values for each number of ranks ----------------------------------------------------------------------------- */

static void laws_group_points(laws_job *job)
{
    for (size_t i = 0; i < job->count; i++) {
        if (i == 0 || job->points[i].ranks != job->points[i - 1].ranks) {
            if (job->group_count == COR_MODEL_RANKS) /* refused when the model is made */
                break;
            job->groups[job->group_count++] = (laws_group){.ranks = job->points[i].ranks, .first = i};
        }
        job->groups[job->group_count - 1].count++;
        job->has_sizes |= job->points[i].bytes != job->points[0].bytes;
        job->bytes_high = fmax(job->bytes_high, job->points[i].bytes);
    }
}

static void laws_start(laws_job *job)
{
    laws_group_points(job);
    for (int g = 0; g < job->group_count; g++) {
        laws_group *group = &job->groups[g];
        job->form->start(job->points + group->first, group->count, group->values);
        for (int i = 0; i < job->form->value_count; i++)
            job->typical[i] += fabs(group->values[i]) / job->group_count;
    }
}

/* ---- laws -------------------------------------------------------------------------------------------------------- */

/* Values of one sign are compared by their ratio; those on both sides of 0 by their difference as well. */
static double laws_least(const laws_job *job, int value)
{
    for (int g = 1; g < job->group_count; g++)
        if (job->groups[g].values[value] * job->groups[0].values[value] <= 0)
            return 0.1 * job->typical[value];
    return 1e-6 * job->typical[value];
}

/* The law of this shape that is nearest to one value of all groups. 0: there is none. */
static int laws_nearest(const laws_job *job, int value, cor_model_shape shape, cor_model_law *law_p)
{
    cor_normal normal = {.dimension = shape == COR_MODEL_CONSTANT ? 1 : 2};
    double solution[COR_RELATIVE_MAX] = {0}, least = laws_least(job, value);
    if (job->typical[value] == 0) { /* always 0, which a constant says */
        *law_p = (cor_model_law){0};
        return shape == COR_MODEL_CONSTANT;
    }
    for (int g = 0; g < job->group_count; g++) {
        double row[2] = {1, cor_model_shape_at(shape, job->groups[g].ranks)};
        double scale = fabs(job->groups[g].values[value]) + least;
        cor_normal_add(&normal, row, job->groups[g].values[value], 1 / (scale * scale));
    }
    if (!cor_normal_solve(&normal, solution))
        return 0;
    *law_p = (cor_model_law){shape, solution[0], shape == COR_MODEL_CONSTANT ? 0 : solution[1]};
    return 1;
}

/* The mean absolute relative error, and the burden of the values; HUGE_VAL where they cannot be. */
static double laws_error(const laws_job *job, const cor_model_law *laws)
{
    double sum = 0, burden = 0;
    for (int g = 0; g < job->group_count; g++) {
        const laws_group *group = &job->groups[g];
        double values[COR_MODEL_VALUES] = {0};
        for (int i = 0; i < job->form->value_count; i++)
            values[i] = cor_model_law_at(&laws[i], group->ranks);
        burden += job->form->burden(values) / job->group_count;
        if (!(burden < HUGE_VAL))
            return HUGE_VAL;
        for (size_t i = group->first; i < group->first + group->count; i++) {
            double us = job->form->evaluate(values, job->points[i].bytes);
            if (!(us > 0))
                return HUGE_VAL;
            sum += fabs(us / job->points[i].us - 1);
        }
    }
    return sum / (double)job->count + burden;
}

static void laws_judge(const laws_job *job, laws_try *candidate)
{
    cor_model_fit fit = {.piece_count = 1};
    memcpy(fit.pieces[0].laws, candidate->laws, sizeof candidate->laws);
    candidate->error = laws_error(job, candidate->laws);
    candidate->criterion = cor_model_criterion(job->count, candidate->error, cor_model_parameters(&fit));
}

/* ---- all together ------------------------------------------------------------------------------------------------ */

typedef struct laws_refinement {
    const laws_job *job;
    const laws_try *candidate; /* for the shapes */
} laws_refinement;

static int laws_free(const laws_job *job)
{
    return job->has_sizes ? job->form->value_count : 1;
}

static void laws_unpack(const laws_refinement *refinement, const double *x, cor_model_law *laws_p)
{
    memcpy(laws_p, refinement->candidate->laws, sizeof refinement->candidate->laws);
    for (int i = 0, at = 0; i < laws_free(refinement->job); i++) {
        laws_p[i].constant = x[at++];
        if (laws_p[i].shape != COR_MODEL_CONSTANT)
            laws_p[i].slope = x[at++];
    }
}

static double laws_function(const double *x, const void *context)
{
    const laws_refinement *refinement = context;
    cor_model_law laws[COR_MODEL_VALUES];
    laws_unpack(refinement, x, laws);
    return laws_error(refinement->job, laws);
}

/* How large a value is, or might be where it was found to be 0. The last value is the time of a byte. */
static double laws_scale(const laws_job *job, int value)
{
    if (job->typical[value] > 0)
        return job->typical[value];
    return value == job->form->value_count - 1 ? job->typical[0] / job->bytes_high : job->typical[0];
}

static void laws_refine(const laws_job *job, laws_try *candidate)
{
    double x[COR_MINIMIZE_MAX], steps[COR_MINIMIZE_MAX];
    int dimension = 0, largest = job->groups[job->group_count - 1].ranks;
    for (int i = 0; i < laws_free(job); i++) {
        const cor_model_law *law = &candidate->laws[i];
        double scale = 0.2 * laws_scale(job, i);
        x[dimension] = law->constant;
        steps[dimension++] = 0.1 * fmax(fabs(law->constant), scale);
        if (law->shape != COR_MODEL_CONSTANT) {
            x[dimension] = law->slope;
            steps[dimension++] = 0.1 * fmax(fabs(law->slope), scale / cor_model_shape_at(law->shape, largest));
        }
    }
    const laws_refinement refinement = {job, candidate};
    cor_minimize(laws_function, &refinement, dimension, x, steps);
    cor_model_law laws[COR_MODEL_VALUES];
    laws_unpack(&refinement, x, laws);
    memcpy(candidate->laws, laws, sizeof laws);
    laws_judge(job, candidate);
}

/* All combinations of shapes, the best first. */
static int laws_combine(const laws_job *job, laws_try *tries_p)
{
    int count = 0, shapes = job->group_count > 1 ? COR_MODEL_SHAPES : 1, combinations = 1;
    for (int i = 0; i < laws_free(job); i++)
        combinations *= shapes;
    for (int combination = 0; combination < combinations; combination++) {
        laws_try candidate = {0};
        int is_there = 1;
        for (int i = 0, rest = combination; i < job->form->value_count; i++, rest /= shapes)
            is_there &= laws_nearest(job, i, (cor_model_shape)(rest % shapes), &candidate.laws[i]);
        if (!is_there)
            continue;
        laws_judge(job, &candidate);
        int at = count++;
        for (; at > 0 && candidate.criterion < tries_p[at - 1].criterion; at--)
            tries_p[at] = tries_p[at - 1];
        tries_p[at] = candidate;
    }
    return count;
}

static int laws_fit(const cor_model_form *form, const cor_model_point *points, size_t count, int is_refined,
                    cor_model_fit *fit_p)
{
    laws_job job = {.form = form, .points = points, .count = count};
    laws_try tries[LAWS_COMBINATIONS];
    laws_start(&job);
    int found = laws_combine(&job, tries), best = 0;
    for (int i = 0; i < found && i < LAWS_REFINED && is_refined; i++) {
        laws_refine(&job, &tries[i]);
        if (tries[i].criterion < tries[best].criterion)
            best = i;
    }
    if (!(tries[best].error < HUGE_VAL)) { /* nothing sound was found: one time for everything */
        tries[best] = (laws_try){.laws = {{.constant = points[0].us}}};
        laws_judge(&job, &tries[best]);
    }
    *fit_p = (cor_model_fit){.form = form, .piece_count = 1};
    memcpy(fit_p->pieces[0].laws, tries[best].laws, sizeof tries[best].laws);
    fit_p->fitted_error = tries[best].error;
    return COR_OK;
}

int cor_model_fit_laws(const cor_model_form *form, const cor_model_point *points, size_t count, cor_model_fit *fit_p)
{
    return laws_fit(form, points, count, 1, fit_p);
}

int cor_model_fit_start(const cor_model_form *form, const cor_model_point *points, size_t count, cor_model_fit *fit_p)
{
    return laws_fit(form, points, count, 0, fit_p);
}
