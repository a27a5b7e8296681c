/* SPDX-License-Identifier: Apache-2.0 */
/* What `corunna model fit` says of a model. */
#include "model/form.h"
#include "model/metrics.h"
#include "tools/model/model_request.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The papers' model was off by so much on average. */
static const double report_aim = 0.07;

void cor_model_title(const cor_model *model, char out[MODEL_TITLE])
{
    size_t used = 0;
    for (int i = 0; i < COR_MODEL_KEYS; i++)
        if (model->key.words[i][0])
            used += (size_t)snprintf(out + used, MODEL_TITLE - used, "%s%s", used ? ", " : "", model->key.words[i]);
    int low = model->ranks[0], high = model->ranks[model->rank_count - 1];
    if (low == high)
        snprintf(out + used, MODEL_TITLE - used, ", %d rank%s", low, low == 1 ? "" : "s");
    else
        snprintf(out + used, MODEL_TITLE - used, ", %d to %d ranks", low, high);
}

const char *cor_model_number(double value, char out[MODEL_NUMBER])
{
    snprintf(out, MODEL_NUMBER, value >= 1000 && value < 1e12 ? "%.0f" : "%.4g", value);
    return out;
}

/* "0.5 + 0.2 p", in units that are so many times smaller. */
static void report_law(const cor_model_law *law, double factor)
{
    if (law->shape == COR_MODEL_CONSTANT)
        printf("%.4g", law->constant * factor);
    else
        printf("%.4g %c %.4g %s", law->constant * factor, law->slope < 0 ? '-' : '+', fabs(law->slope * factor),
               law->shape == COR_MODEL_LOG ? "ceil(log2 p)" : "p");
}

/* Times in microseconds; the last value of a form is the time of a byte. */
static void report_piece(const cor_model_form *form, const cor_model_piece *piece)
{
    for (int i = 0; i < form->value_count; i++) {
        int is_byte = i == form->value_count - 1;
        printf("%s%s = ", i ? ", " : "", form->values[i]);
        report_law(&piece->laws[i], is_byte ? 1e3 : 1);
        printf(is_byte ? " ns/byte" : " us");
    }
    printf("\n");
}

static void report_metrics(const cor_model *model, const cor_model_fit *papers)
{
    int ranks = model->ranks[model->rank_count - 1];
    cor_model_metrics metrics = cor_model_measure(papers, ranks);
    char number[MODEL_NUMBER];
    printf("  on %d ranks: ", ranks);
    if (isfinite(metrics.bandwidth))
        printf("asymptotic bandwidth %s MB/s, half of it at %.0f bytes; ", cor_model_number(metrics.bandwidth, number),
               metrics.half_power_bytes);
    printf("specific performance %s /us\n", cor_model_number(metrics.specific, number));
    const cor_model_primitive *primitive = cor_model_primitive_find(model->key.words[COR_MODEL_TEST]);
    if (!primitive)
        return;
    cor_model_peaks peaks = cor_model_measure_peaks(papers, primitive, model->ranks, model->rank_count);
    printf("  peak aggregated:");
    if (isfinite(peaks.bandwidth) && peaks.bandwidth_ranks)
        printf(" bandwidth %s MB/s (p = %d),", cor_model_number(peaks.bandwidth, number), peaks.bandwidth_ranks);
    printf(" specific performance %s /us (p = %d)\n", cor_model_number(peaks.specific, number), peaks.specific_ranks);
}

/* The error to judge by: of the points held out, where there are any. */
static double report_error(const cor_model_fit *fit)
{
    return fit->held_out_error >= 0 ? fit->held_out_error : fit->fitted_error;
}

static void report_errors(const cor_model *model)
{
    printf("  mean absolute relative error   held out   fitted\n");
    for (int i = 0; i < model->fit_count; i++) {
        const cor_model_fit *fit = &model->fits[i];
        printf("    %-26s ", fit->form->name);
        if (fit->held_out_error < 0)
            printf("%10s", "-");
        else
            printf("%8.1f %%", 100 * fit->held_out_error);
        printf(" %6.1f %%\n", 100 * fit->fitted_error);
    }
}

static void report_pieces(const cor_model_fit *papers, const cor_model_fit *pieces)
{
    if (pieces->piece_count < 2) {
        printf("  piecewise: no break describes these points better\n");
        return;
    }
    printf("  piecewise: %d pieces", pieces->piece_count);
    double gain = 100 * (report_error(papers) - report_error(pieces));
    printf(gain >= 0 ? ", whose error is %.1f percentage points lower than the papers'\n"
                     : ", but their error is %.1f percentage points higher than the papers'\n",
           fabs(gain));
    for (int i = 0; i < pieces->piece_count; i++) {
        printf("    from %.0f bytes: ", pieces->pieces[i].from_bytes);
        report_piece(pieces->form, &pieces->pieces[i]);
    }
}

void cor_model_report(const cor_model *model)
{
    char title[MODEL_TITLE];
    const cor_model_fit *papers = cor_model_find_fit(model, cor_model_form_papers.name);
    const cor_model_fit *pieces = cor_model_find_fit(model, cor_model_form_piecewise.name);
    cor_model_title(model, title);
    printf("%s\n  %d points of %.0f to %.0f bytes", title, model->point_count, model->bytes_low, model->bytes_high);
    if (model->held_out_count)
        printf(", %d held out", model->held_out_count);
    printf("\n");
    if (papers) {
        printf("  ");
        report_piece(papers->form, &papers->pieces[0]);
        report_metrics(model, papers);
    }
    report_errors(model);
    if (papers && pieces)
        report_pieces(papers, pieces);
    printf("\n");
}

void cor_model_report_all(const cor_model_set *set)
{
    size_t held_out = 0;
    for (size_t i = 0; i < set->count; i++)
        held_out += set->models[i].held_out_count > 0;
    printf("%zu curve%s, errors of %s points\n", set->count, set->count == 1 ? "" : "s",
           held_out == set->count ? "held-out"
           : held_out             ? "held-out, or else fitted,"
                                  : "fitted");
    for (size_t form = 0; form < cor_model_form_count; form++) {
        double sum = 0, worst = 0;
        size_t count = 0, good = 0;
        for (size_t i = 0; i < set->count; i++) {
            const cor_model_fit *fit = cor_model_find_fit(&set->models[i], cor_model_forms[form]->name);
            if (!fit)
                continue;
            sum += report_error(fit);
            worst = fmax(worst, report_error(fit));
            good += report_error(fit) <= report_aim;
            count++;
        }
        if (count)
            printf("  %-10s mean %5.1f %%, worst %5.1f %%, at most %.0f %% on %zu of %zu\n",
                   cor_model_forms[form]->name, 100 * sum / (double)count, 100 * worst, 100 * report_aim, good, count);
    }
}
