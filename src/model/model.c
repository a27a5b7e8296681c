/* SPDX-License-Identifier: Apache-2.0 */
#include "model/form.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- keys -------------------------------------------------------------------------------------------------------- */

const char *cor_model_key_name(cor_model_key_id id)
{
#define MODEL_KEY(NAME, name) #name,
    static const char *const names[] = {COR_MODEL_KEY_LIST(MODEL_KEY)};
#undef MODEL_KEY
    return names[id];
}

int cor_model_key_is_equal(const cor_model_key *a, const cor_model_key *b)
{
    for (int i = 0; i < COR_MODEL_KEYS; i++)
        if (strcmp(a->words[i], b->words[i]) != 0)
            return 0;
    return 1;
}

int cor_model_is_word(const char *text)
{
    size_t length = 0;
    for (; text[length]; length++)
        if (!isalnum((unsigned char)text[length]) && !strchr("+-._/:", text[length]))
            return 0;
    return length < COR_MODEL_WORD;
}

/* ---- evaluation -------------------------------------------------------------------------------------------------- */

double cor_model_shape_at(cor_model_shape shape, int ranks)
{
    if (shape != COR_MODEL_LOG)
        return shape == COR_MODEL_LINEAR ? ranks : 0;
    int bits = 0;
    while (bits < 31 && (1L << bits) < ranks)
        bits++;
    return bits;
}

double cor_model_law_at(const cor_model_law *law, int ranks)
{
    return law->constant + law->slope * cor_model_shape_at(law->shape, ranks);
}

void cor_model_values(const cor_model_fit *fit, double bytes, int ranks, double values_p[COR_MODEL_VALUES])
{
    int at = fit->piece_count - 1;
    while (at > 0 && bytes < fit->pieces[at].from_bytes)
        at--;
    for (int i = 0; i < COR_MODEL_VALUES; i++)
        values_p[i] = cor_model_law_at(&fit->pieces[at].laws[i], ranks);
}

double cor_model_time(const cor_model_fit *fit, double bytes, int ranks)
{
    double values[COR_MODEL_VALUES];
    cor_model_values(fit, bytes, ranks, values);
    double us = fit->form->evaluate(values, bytes);
    return us > 0 ? us : 0;
}

double cor_model_error(const cor_model_fit *fit, const cor_model_point *points, size_t count, int is_held_out)
{
    double sum = 0;
    size_t judged = 0;
    for (size_t i = 0; i < count; i++) {
        if (!points[i].is_held_out != !is_held_out)
            continue;
        sum += fabs(cor_model_time(fit, points[i].bytes, points[i].ranks) / points[i].us - 1);
        judged++;
    }
    return judged ? sum / (double)judged : -1;
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

static int model_order(const void *left, const void *right)
{
    const cor_model_point *a = left, *b = right;
    if (a->ranks != b->ranks)
        return a->ranks < b->ranks ? -1 : 1;
    if (a->bytes != b->bytes)
        return a->bytes < b->bytes ? -1 : 1;
    return a->us < b->us ? -1 : a->us > b->us;
}

/* Note what was measured. The points rise by ranks. */
static int model_describe(cor_model *model, const cor_model_point *points, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (model->rank_count == 0 || model->ranks[model->rank_count - 1] != points[i].ranks) {
            if (model->rank_count == COR_MODEL_RANKS)
                return 0;
            model->ranks[model->rank_count++] = points[i].ranks;
        }
        model->bytes_low = i == 0 || points[i].bytes < model->bytes_low ? points[i].bytes : model->bytes_low;
        model->bytes_high = points[i].bytes > model->bytes_high ? points[i].bytes : model->bytes_high;
    }
    return 1;
}

/* Six digits are more than measurements have, and are read more easily. */
static double model_round(double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.6g", value);
    return strtod(text, NULL);
}

static void model_round_fit(cor_model_fit *fit)
{
    for (int piece = 0; piece < fit->piece_count; piece++)
        for (int i = 0; i < COR_MODEL_VALUES; i++) {
            cor_model_law *law = &fit->pieces[piece].laws[i];
            law->constant = model_round(law->constant);
            law->slope = model_round(law->slope);
        }
}

static int model_fit_all(cor_model *model, const cor_model_point *points, size_t count)
{
    int rc = COR_OK;
    for (size_t i = 0; i < cor_model_form_count && rc == COR_OK; i++) {
        cor_model_fit *fit = &model->fits[model->fit_count++];
        rc = cor_model_forms[i]->fit(cor_model_forms[i], points, count, fit);
        if (rc == COR_OK)
            model_round_fit(fit);
    }
    return rc;
}

int cor_model_make(cor_model *model_p, const cor_model_key *key, const cor_model_point *points, size_t count,
                   cor_fault *fault)
{
    cor_model_point *fitted = malloc((count + 1) * sizeof *fitted);
    if (!fitted)
        return cor_fault_set(fault, COR_ERR_MEMORY, "out of memory");
    size_t fitted_count = 0;
    for (size_t i = 0; i < count; i++)
        if (!points[i].is_held_out)
            fitted[fitted_count++] = points[i];
    qsort(fitted, fitted_count, sizeof *fitted, model_order);
    memset(model_p, 0, sizeof *model_p);
    model_p->key = *key;
    model_p->point_count = (int)fitted_count;
    model_p->held_out_count = (int)(count - fitted_count);
    int rc = COR_OK;
    if (fitted_count == 0)
        rc = cor_fault_set(fault, COR_ERR_ARG, "%s has no points to fit", key->words[COR_MODEL_TEST]);
    else if (!model_describe(model_p, fitted, fitted_count))
        rc = cor_fault_set(fault, COR_ERR_ARG, "%s was measured on more than %d numbers of ranks",
                           key->words[COR_MODEL_TEST], COR_MODEL_RANKS);
    else if (model_fit_all(model_p, fitted, fitted_count) != COR_OK)
        rc = cor_fault_set(fault, COR_ERR_MEMORY, "out of memory");
    for (int i = 0; i < model_p->fit_count && rc == COR_OK; i++) {
        cor_model_fit *fit = &model_p->fits[i];
        fit->fitted_error = model_round(cor_model_error(fit, points, count, 0));
        fit->held_out_error = model_round(cor_model_error(fit, points, count, 1));
    }
    free(fitted);
    return rc;
}

const cor_model_fit *cor_model_find_fit(const cor_model *model, const char *form)
{
    for (int i = 0; i < model->fit_count; i++)
        if (strcmp(model->fits[i].form->name, form) == 0)
            return &model->fits[i];
    return NULL;
}

const cor_model_fit *cor_model_best_fit(const cor_model *model)
{
    const cor_model_fit *pieces = cor_model_find_fit(model, cor_model_form_piecewise.name);
    const cor_model_fit *papers = cor_model_find_fit(model, cor_model_form_papers.name);
    if (pieces && (pieces->piece_count > 1 || !papers))
        return pieces;
    return papers ? papers : &model->fits[0];
}
