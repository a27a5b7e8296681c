/* SPDX-License-Identifier: Apache-2.0 */
#include "model/form.h"

#include "model/relative.h"

#include <math.h>
#include <string.h>

const cor_model_form *const cor_model_forms[] = {&cor_model_form_papers, &cor_model_form_hockney,
                                                 &cor_model_form_loggp, &cor_model_form_piecewise};
const size_t cor_model_form_count = sizeof cor_model_forms / sizeof *cor_model_forms;

const cor_model_form *cor_model_form_find(const char *name)
{
    for (size_t i = 0; i < cor_model_form_count; i++)
        if (strcmp(cor_model_forms[i]->name, name) == 0)
            return cor_model_forms[i];
    return NULL;
}

/* ---- how good ---------------------------------------------------------------------------------------------------- */

/* Two measurements of the same thing differ by more than this. */
static const double form_noise = 2e-3;

double cor_model_criterion(size_t points, double error, int parameters)
{
    return 2 * (double)points * log(fmax(error, form_noise)) + parameters * log((double)points + 1);
}

int cor_model_parameters(const cor_model_fit *fit)
{
    int count = 4 * (fit->piece_count - 1);
    for (int piece = 0; piece < fit->piece_count; piece++)
        for (int i = 0; i < COR_MODEL_VALUES; i++) {
            const cor_model_law *law = &fit->pieces[piece].laws[i];
            count += (law->constant != 0 || law->slope != 0) + (law->shape != COR_MODEL_CONSTANT);
        }
    return count;
}

/* ---- a line: Hockney's form, and a piece ------------------------------------------------------------------------- */

static double hockney_evaluate(const double *values, double bytes)
{
    return values[0] + values[1] * bytes;
}

static double hockney_burden(const double *values)
{
    return values[0] > 0 && values[1] >= 0 ? 0 : HUGE_VAL;
}

static double line_burden(const double *values)
{
    return values[1] >= 0 ? 0 : HUGE_VAL;
}

static void line_functions(const cor_model_point *point, const void *context, double *row_p)
{
    (void)context;
    row_p[0] = 1;
    row_p[1] = point->bytes;
}

static double mean_time(const cor_model_point *points, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += points[i].us;
    return sum / (double)count;
}

static void line_start(const cor_model_point *points, size_t count, double *values_p)
{
    if (!cor_relative_fit(points, count, line_functions, NULL, 2, values_p) || values_p[1] < 0) {
        values_p[0] = mean_time(points, count); /* one size only, or longer messages are not slower */
        values_p[1] = 0;
    }
}

static void hockney_start(const cor_model_point *points, size_t count, double *values_p)
{
    line_start(points, count, values_p);
    if (!(values_p[0] > 0))
        values_p[0] = points[0].us / 2;
}

const cor_model_form cor_model_form_hockney = {
    .name = "hockney",
    .formula = "t0 + tb n",
    .values = {"t0", "tb"},
    .value_count = 2,
    .pieces_max = 1,
    .evaluate = hockney_evaluate,
    .burden = hockney_burden,
    .start = hockney_start,
    .fit = cor_model_fit_laws,
};

const cor_model_form cor_model_form_line = {
    .name = "line",
    .formula = "t0 + tb n",
    .values = {"t0", "tb"},
    .value_count = 2,
    .pieces_max = 1,
    .evaluate = hockney_evaluate,
    .burden = line_burden,
    .start = line_start,
    .fit = cor_model_fit_laws,
};

/* ---- LogGP ------------------------------------------------------------------------------------------------------- */

static double loggp_evaluate(const double *values, double bytes)
{
    return values[0] + values[1] * (bytes > 1 ? bytes - 1 : 0);
}

static double loggp_burden(const double *values)
{
    return values[0] > 0 ? 0 : HUGE_VAL;
}

/* The shortest message takes L + 2o; among messages of the last factor 16 a byte takes G. */
static void loggp_start(const cor_model_point *points, size_t count, double *values_p)
{
    size_t first = count - 1;
    while (first > 0 && points[first - 1].bytes >= points[count - 1].bytes / 16)
        first--;
    double line[2], bytes = points[count - 1].bytes;
    values_p[0] = points[0].us;
    if (cor_relative_fit(points + first, count - first, line_functions, NULL, 2, line) && line[1] > 0)
        values_p[1] = line[1];
    else
        values_p[1] = bytes > 1 ? fmax((points[count - 1].us - points[0].us) / (bytes - 1), 0) : 0;
}

const cor_model_form cor_model_form_loggp = {
    .name = "loggp",
    .formula = "L + 2o + (n - 1) G",
    .values = {"L+2o", "G"},
    .value_count = 2,
    .pieces_max = 1,
    .evaluate = loggp_evaluate,
    .burden = loggp_burden,
    .start = loggp_start,
    .fit = cor_model_fit_start,
};
