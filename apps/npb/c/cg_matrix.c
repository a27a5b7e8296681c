/* SPDX-License-Identifier: Apache-2.0 */
#include "cg_matrix.h"

#include <math.h>
#include <stdlib.h>

static const double cg_condition = 0.1;

/* ---- the random vectors: each has so many elements at random places, all positive, and a half at its own place --- */

typedef struct cg_vectors {
    int *starts;
    int *places;
    double *values;
    uint64_t x;
} cg_vectors;

/* Where a place stands among these; their end if it does not. */
static int vectors_find(const cg_vectors *vectors, int first, int end, int place)
{
    int at = first;
    while (at < end && vectors->places[at] != place)
        at++;
    return at;
}

static int vectors_draw(cg_vectors *vectors, int n, int power, int first, int nonzeros)
{
    int end = first;
    while (end < first + nonzeros) {
        vectors->x = lcg_next(vectors->x);
        double value = lcg_number(vectors->x);
        vectors->x = lcg_next(vectors->x);
        int place = (int)(power * lcg_number(vectors->x));
        if (place < n && vectors_find(vectors, first, end, place) == end) {
            vectors->places[end] = place;
            vectors->values[end++] = value;
        }
    }
    return end;
}

static void vectors_init(cg_vectors *vectors, const npb_job *job, int n, int nonzeros)
{
    size_t room = (size_t)n * (size_t)(nonzeros + 1);
    int power = 1;
    while (power < n)
        power *= 2;
    vectors->starts = npb_alloc(job, (size_t)n + 1, sizeof *vectors->starts);
    vectors->places = npb_alloc(job, room, sizeof *vectors->places);
    vectors->values = npb_alloc(job, room, sizeof *vectors->values);
    vectors->x = lcg_next(LCG_SEED); /* the first number is not used */
    for (int vector = 0; vector < n; vector++) {
        int first = vectors->starts[vector];
        int end = vectors_draw(vectors, n, power, first, nonzeros);
        int own = vectors_find(vectors, first, end, vector);
        vectors->places[own] = vector;
        vectors->values[own] = 0.5;
        vectors->starts[vector + 1] = own < end ? end : own + 1;
    }
}

static void vectors_fini(cg_vectors *vectors)
{
    free(vectors->starts);
    free(vectors->places);
    free(vectors->values);
}

static int vectors_count(const cg_vectors *vectors, int vector, int first_place, int place_count)
{
    int count = 0;
    for (int at = vectors->starts[vector]; at < vectors->starts[vector + 1]; at++) {
        int place = vectors->places[at] - first_place;
        count += place >= 0 && place < place_count;
    }
    return count;
}

/* ---- the block --------------------------------------------------------------------------------------------------- */

/* The vectors' elements by row of the block: heads of the rows, the vectors, and their weights. */
typedef struct cg_elements {
    int *heads;
    int *owners;
    double *weights;
} cg_elements;

/* Returns an upper bound of how many elements the block has. */
static size_t elements_init(cg_elements *elements, const npb_job *job, const cg_vectors *vectors, int n, int first_row,
                            int rows, int first_column, int column_count)
{
    int *heads = npb_alloc(job, (size_t)rows + 1, sizeof *heads);
    for (int at = 0; at < vectors->starts[n]; at++) {
        int row = vectors->places[at] - first_row;
        if (row >= 0 && row < rows)
            heads[row + 1]++;
    }
    for (int row = 0; row < rows; row++)
        heads[row + 1] += heads[row];
    int *owners = npb_alloc(job, (size_t)heads[rows], sizeof *owners);
    double *weights = npb_alloc(job, (size_t)heads[rows], sizeof *weights);
    int *next = npb_alloc(job, (size_t)rows, sizeof *next);
    for (int row = 0; row < rows; row++)
        next[row] = heads[row];
    size_t room = (size_t)rows;
    double weight = 1, ratio = pow(cg_condition, 1.0 / n);
    for (int vector = 0; vector < n; vector++) {
        int in_columns = vectors_count(vectors, vector, first_column, column_count);
        for (int at = vectors->starts[vector]; at < vectors->starts[vector + 1]; at++) {
            int row = vectors->places[at] - first_row;
            if (row >= 0 && row < rows) {
                owners[next[row]] = vector;
                weights[next[row]++] = weight * vectors->values[at];
                room += (size_t)in_columns;
            }
        }
        weight *= ratio;
    }
    free(next);
    *elements = (cg_elements){heads, owners, weights};
    return room;
}

static int matrix_ascending(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* One row, added up in `row`, which is all 0 before and after. Returns where the next one begins. */
static int matrix_fill_row(cg_matrix *matrix, const cg_vectors *vectors, const cg_elements *elements, int i,
                           int first_column, int column_count, double *row)
{
    int filled = matrix->starts[i];
    for (int k = elements->heads[i]; k < elements->heads[i + 1]; k++) {
        int vector = elements->owners[k];
        for (int at = vectors->starts[vector]; at < vectors->starts[vector + 1]; at++) {
            int column = vectors->places[at] - first_column;
            if (column >= 0 && column < column_count) {
                if (row[column] == 0)
                    matrix->columns[filled++] = column;
                row[column] += elements->weights[k] * vectors->values[at];
            }
        }
    }
    return filled;
}

void cg_matrix_init(cg_matrix *matrix, const npb_job *job, int n, int nonzeros, double shift, int first_row, int rows,
                    int first_column, int column_count)
{
    cg_vectors vectors;
    cg_elements elements;
    vectors_init(&vectors, job, n, nonzeros);
    size_t room = elements_init(&elements, job, &vectors, n, first_row, rows, first_column, column_count);
    matrix->rows = rows;
    matrix->starts = npb_alloc(job, (size_t)rows + 1, sizeof *matrix->starts);
    matrix->columns = npb_alloc(job, room, sizeof *matrix->columns);
    matrix->values = npb_alloc(job, room, sizeof *matrix->values);
    double *row = npb_alloc(job, (size_t)column_count, sizeof *row);
    for (int i = 0; i < rows; i++) {
        int filled = matrix_fill_row(matrix, &vectors, &elements, i, first_column, column_count, row);
        int diagonal = first_row + i - first_column; /* each vector has its own place, so the element is there */
        if (diagonal >= 0 && diagonal < column_count)
            row[diagonal] += cg_condition - shift;
        qsort(matrix->columns + matrix->starts[i], (size_t)(filled - matrix->starts[i]), sizeof(int),
              matrix_ascending);
        for (int k = matrix->starts[i]; k < filled; k++) {
            matrix->values[k] = row[matrix->columns[k]];
            row[matrix->columns[k]] = 0;
        }
        matrix->starts[i + 1] = filled;
    }
    free(row);
    free(elements.heads);
    free(elements.owners);
    free(elements.weights);
    vectors_fini(&vectors);
}

void cg_matrix_fini(cg_matrix *matrix)
{
    free(matrix->starts);
    free(matrix->columns);
    free(matrix->values);
}

void cg_matrix_multiply(const cg_matrix *matrix, const double *restrict from, double *restrict to)
{
    const int *columns = matrix->columns;
    const double *values = matrix->values;
    int at = 0;
    for (int row = 0; row < matrix->rows; row++) {
        int end = matrix->starts[row + 1];
        double even = 0, odd = 0;
        for (; at < end - 1; at += 2) {
            even += values[at] * from[columns[at]];
            odd += values[at + 1] * from[columns[at + 1]];
        }
        if (at < end) {
            even += values[at] * from[columns[at]];
            at++;
        }
        to[row] = even + odd;
    }
}
