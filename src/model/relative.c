/* SPDX-License-Identifier: Apache-2.0 */
#include "model/relative.h"

#include <math.h>

enum { RELATIVE_ROUNDS = 6 };

/* An error of less than this has the weight of this. */
static const double relative_least = 1e-3;

void cor_normal_add(cor_normal *normal, const double *row, double value, double weight)
{
    for (int i = 0; i < normal->dimension; i++) {
        for (int j = 0; j < normal->dimension; j++)
            normal->matrix[i][j] += weight * row[i] * row[j];
        normal->right[i] += weight * row[i] * value;
    }
}

/* Gauss, with the largest pivot of each column, on a matrix whose diagonal is scaled to 1. */
int cor_normal_solve(const cor_normal *normal, double *solution_p)
{
    int dimension = normal->dimension;
    double a[COR_RELATIVE_MAX][COR_RELATIVE_MAX + 1], scale[COR_RELATIVE_MAX];
    for (int i = 0; i < dimension; i++) {
        if (!(normal->matrix[i][i] > 0))
            return 0;
        scale[i] = 1 / sqrt(normal->matrix[i][i]);
    }
    for (int i = 0; i < dimension; i++) {
        for (int j = 0; j < dimension; j++)
            a[i][j] = normal->matrix[i][j] * scale[i] * scale[j];
        a[i][dimension] = normal->right[i] * scale[i];
    }
    for (int column = 0; column < dimension; column++) {
        int pivot = column;
        for (int i = column + 1; i < dimension; i++)
            if (fabs(a[i][column]) > fabs(a[pivot][column]))
                pivot = i;
        if (fabs(a[pivot][column]) < 1e-13)
            return 0;
        for (int j = column; j <= dimension && pivot != column; j++) {
            double kept = a[pivot][j];
            a[pivot][j] = a[column][j];
            a[column][j] = kept;
        }
        for (int i = 0; i < dimension; i++) {
            double factor = i == column ? 0 : a[i][column] / a[column][column];
            for (int j = column; j <= dimension && factor != 0; j++)
                a[i][j] -= factor * a[column][j];
        }
    }
    for (int i = 0; i < dimension; i++)
        solution_p[i] = a[i][dimension] / a[i][i] * scale[i];
    return 1;
}

static double relative_residual(const cor_model_point *point, const double *row, const double *coefficients,
                                int dimension)
{
    double sum = 0;
    for (int i = 0; i < dimension; i++)
        sum += coefficients[i] * row[i];
    return fabs(sum / point->us - 1);
}

int cor_relative_fit(const cor_model_point *points, size_t count, cor_relative_fn functions, const void *context,
                     int dimension, double *coefficients_p)
{
    double solution[COR_RELATIVE_MAX] = {0};
    for (int round = 0; round < RELATIVE_ROUNDS; round++) {
        cor_normal normal = {.dimension = dimension};
        for (size_t i = 0; i < count; i++) {
            double row[COR_RELATIVE_MAX], weight = 1 / (points[i].us * points[i].us);
            functions(&points[i], context, row);
            if (round > 0)
                weight /= fmax(relative_residual(&points[i], row, solution, dimension), relative_least);
            cor_normal_add(&normal, row, points[i].us, weight);
        }
        if (!cor_normal_solve(&normal, solution))
            return 0;
    }
    for (int i = 0; i < dimension; i++)
        coefficients_p[i] = solution[i];
    return 1;
}
