/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The forms that a model may have, one row each: the names of its values, how it is evaluated, how it is fitted.
 *
 * Every form is fitted to the smallest mean absolute relative error, by which it is judged, except LogGP, whose values
 * are measured as its authors do.
 */
#ifndef COR_MODEL_FORM_H
#define COR_MODEL_FORM_H

#include "model/model.h"

typedef struct cor_model_form {
    const char *name;
    const char *formula;
    const char *values[COR_MODEL_VALUES]; /* names; NULL: no such value */
    int value_count;
    int pieces_max;
    double (*evaluate)(const double *values, double bytes);
    /* A penalty added to the error of these values: HUGE_VAL for invalid values, a small one for implausible values. */
    double (*burden)(const double *values);
    /* First values for points of one number of ranks, rising by size; NULL: `fit` needs none. */
    void (*start)(const cor_model_point *points, size_t count, double *values_p);
    /* Fit points that rise by ranks and then by size, none of them held out. Fills form and pieces. COR_ERR_MEMORY. */
    int (*fit)(const struct cor_model_form *form, const cor_model_point *points, size_t count, cor_model_fit *fit_p);
} cor_model_form;

/* papers, hockney, loggp, piecewise. */
extern const cor_model_form *const cor_model_forms[];
extern const size_t cor_model_form_count;

extern const cor_model_form cor_model_form_papers, cor_model_form_hockney, cor_model_form_loggp,
    cor_model_form_piecewise;

/* A piece of a function in pieces that is a line: Hockney's, but it may begin below 0. */
extern const cor_model_form cor_model_form_line;

const cor_model_form *cor_model_form_find(const char *name);

/* ---- shared by the forms
 * -------------------------------------------------------------------------------------------- */

/* Fit one piece: the values for each number of ranks, then the laws that describe them best, then everything
 * together. */
int cor_model_fit_laws(const cor_model_form *form, const cor_model_point *points, size_t count, cor_model_fit *fit_p);

/* Only the first of these steps, the values for each number of ranks. */
int cor_model_fit_start(const cor_model_form *form, const cor_model_point *points, size_t count, cor_model_fit *fit_p);

/* First values of the papers' form by a search over t0 / tb in `steps` steps. */
void cor_model_search_papers(const cor_model_point *points, size_t count, int steps, double *values_p);

/* How badly a fit with `parameters` parameters and this mean error describes `points` points: the Bayesian information
 * criterion for Laplace-distributed errors. Errors below the repeatability of measurements are not rewarded. */
double cor_model_criterion(size_t points, double error, int parameters);

/* The constants and slopes of a fit, and four for each limit between pieces, which is chosen among many. */
int cor_model_parameters(const cor_model_fit *fit);

#endif
