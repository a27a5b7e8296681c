/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The papers' form. With r = tb / t0 given, it is a sum of two known functions:
 *
 *     T(n) = t0 (1 + r n) + ti (r n / (1 + r n))
 *
 * so the search for a start has one dimension, and least squares do the rest.
 */
#include "model/form.h"
#include "model/relative.h"

#include <math.h>

enum { PAPERS_STEPS = 96 };

/* Added to the error for each t0 that ti has, and for each beyond what clusters of all kinds have had. */
static const double papers_little = 1e-4, papers_much = 2e-3, papers_usual = 8;

static double papers_evaluate(const double *values, double bytes)
{
    double transfer = values[2] * bytes;
    double share = values[1] != 0 && transfer > 0 ? transfer / (values[0] + transfer) : 0;
    return values[0] + values[1] * share + transfer;
}

/*
 * From ti = -t0 on, a longer message takes longer. A curve that is nearly a line is also described by a ti of thousands
 * of t0 and a tb that means nothing; one that begins with a step, by a t0 of nearly 0. Neither is a start-up time or a
 * bandwidth, so a large ti must be worth it.
 */
static double papers_burden(const double *values)
{
    if (!(values[0] > 0 && values[2] >= 0 && values[1] >= -values[0]))
        return HUGE_VAL;
    double ratio = fabs(values[1]) / values[0];
    return papers_little * ratio + papers_much * fmax(ratio - papers_usual, 0);
}

static void papers_functions(const cor_model_point *point, const void *context, double *row_p)
{
    double transfer = *(const double *)context * point->bytes;
    row_p[0] = 1 + transfer;
    row_p[1] = transfer / (1 + transfer);
}

static double papers_error(const cor_model_point *points, size_t count, const double *values)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += fabs(papers_evaluate(values, points[i].bytes) / points[i].us - 1);
    return sum / (double)count + papers_burden(values);
}

void cor_model_search_papers(const cor_model_point *points, size_t count, int steps, double *values_p)
{
    double line[COR_MODEL_VALUES], largest = points[count - 1].bytes, smallest = largest;
    cor_model_form_hockney.start(points, count, line);
    values_p[0] = line[0];
    values_p[1] = 0;
    values_p[2] = line[1];
    for (size_t i = 0; i < count; i++)
        if (points[i].bytes > 0 && points[i].bytes < smallest)
            smallest = points[i].bytes;
    if (!(smallest < largest))
        return;
    double best = papers_error(points, count, values_p);
    double low = 1 / (largest * 16), high = 4 / smallest;
    for (int step = 0; step < steps; step++) {
        double ratio = low * pow(high / low, (double)step / (steps - 1)), found[2];
        if (!cor_relative_fit(points, count, papers_functions, &ratio, 2, found))
            continue;
        double values[COR_MODEL_VALUES] = {found[0], found[1], found[0] * ratio};
        double error = papers_error(points, count, values);
        if (error < best) {
            best = error;
            for (int i = 0; i < COR_MODEL_VALUES; i++)
                values_p[i] = values[i];
        }
    }
}

static void papers_start(const cor_model_point *points, size_t count, double *values_p)
{
    cor_model_search_papers(points, count, PAPERS_STEPS, values_p);
}

/* Hockney's line is this form with ti = 0: where the search ends above it, the line it is. */
static int papers_fit(const cor_model_form *form, const cor_model_point *points, size_t count, cor_model_fit *fit_p)
{
    cor_model_fit line;
    cor_model_fit_laws(form, points, count, fit_p);
    cor_model_fit_laws(&cor_model_form_hockney, points, count, &line);
    if (line.fitted_error < fit_p->fitted_error) {
        const cor_model_law *laws = line.pieces[0].laws;
        fit_p->pieces[0] = (cor_model_piece){.laws = {laws[0], {0}, laws[1]}};
        fit_p->fitted_error = line.fitted_error;
    }
    return COR_OK;
}

const cor_model_form cor_model_form_papers = {
    .name = "papers",
    .formula = "t0 + ti tb n / (t0 + tb n) + tb n",
    .values = {"t0", "ti", "tb"},
    .value_count = 3,
    .pieces_max = 1,
    .evaluate = papers_evaluate,
    .burden = papers_burden,
    .start = papers_start,
    .fit = papers_fit,
};
