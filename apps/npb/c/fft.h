/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Complex Fourier transforms of many rows of one length at a time, a power of two, by the method of Stockham: no bits
 * are reversed, and the innermost loop runs over the rows. An array has real and imaginary parts in turn; element j of
 * row i of a block is number j * rows + i.
 */
#ifndef NPB_FFT_H
#define NPB_FFT_H

#include "npb.h"

typedef struct fft {
    int length, rows;
    double *roots; /* exp(-2 pi i k / length) */
    double *one, *two;
} fft;

void fft_init(fft *f, const npb_job *job, int length, int rows);
void fft_fini(fft *f);

/* Transforms count rows in place. Element j of row i is number start + i * row_step + j * step, in complex numbers. A
 * sign of 1 is forward, -1 backward, neither of them scaled. */
void fft_transform(fft *f, double *array, size_t start, int count, size_t row_step, size_t step, int sign);

#endif
