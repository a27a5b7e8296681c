/* SPDX-License-Identifier: Apache-2.0 */
/* Lines and other sums of given functions, fitted to small relative errors. */
#ifndef COR_MODEL_RELATIVE_H
#define COR_MODEL_RELATIVE_H

#include "model/model.h"

enum { COR_RELATIVE_MAX = 4 };

/* The functions at a point: row_p[0..dimension-1]. */
typedef void (*cor_relative_fn)(const cor_model_point *point, const void *context, double *row_p);

/* Coefficients of `dimension` functions with a small mean absolute relative error: least squares, repeated with the
 * weights that the errors left. Returns 0 if the points do not determine them. */
int cor_relative_fit(const cor_model_point *points, size_t count, cor_relative_fn functions, const void *context,
                     int dimension, double *coefficients_p);

/* Weighted least squares, sum by sum. */
typedef struct cor_normal {
    int dimension;
    double matrix[COR_RELATIVE_MAX][COR_RELATIVE_MAX], right[COR_RELATIVE_MAX];
} cor_normal;

void cor_normal_add(cor_normal *normal, const double *row, double value, double weight);
int cor_normal_solve(const cor_normal *normal, double *solution_p); /* 0: singular */

#endif
