/* SPDX-License-Identifier: Apache-2.0 */
/* A block of CG's matrix, by rows. The matrix is a weighted sum of outer products of n sparse random vectors, whose
 * weights fall from 1 to about a tenth, and a tenth less the shift on the diagonal. Every rank draws all vectors, which
 * are few numbers, and computes the elements of its own block. */
#ifndef CG_MATRIX_H
#define CG_MATRIX_H

#include "npb.h"

typedef struct cg_matrix {
    int rows;
    int *starts; /* of rows in the two below */
    int *columns;
    double *values;
} cg_matrix;

void cg_matrix_init(cg_matrix *matrix, const npb_job *job, int n, int nonzeros, double shift, int first_row, int rows,
                    int first_column, int column_count);
void cg_matrix_fini(cg_matrix *matrix);
void cg_matrix_multiply(const cg_matrix *matrix, const double *restrict from, double *restrict to);

#endif
