/* SPDX-License-Identifier: Apache-2.0 */
#include "fft.h"

#include <math.h>
#include <stdlib.h>

void fft_init(fft *f, const npb_job *job, int length, int rows)
{
    const double pi = 3.14159265358979323846;
    f->length = length;
    f->rows = rows;
    f->roots = npb_alloc(job, 2 * (size_t)length, sizeof(double));
    f->one = npb_alloc(job, 2 * (size_t)length * (size_t)rows, sizeof(double));
    f->two = npb_alloc(job, 2 * (size_t)length * (size_t)rows, sizeof(double));
    for (int k = 0; k < length; k++) {
        f->roots[2 * k] = cos(2 * pi * k / length);
        f->roots[2 * k + 1] = -sin(2 * pi * k / length);
    }
}

void fft_fini(fft *f)
{
    free(f->roots);
    free(f->one);
    free(f->two);
}

static void fft_load(const fft *f, const double *array, int width, size_t row_step, size_t step)
{
    for (int i = 0; i < width; i++) {
        const double *restrict from = array + 2 * (size_t)i * row_step;
        double *restrict to = f->one + 2 * i;
        for (int j = 0; j < f->length; j++) {
            to[0] = from[0];
            to[1] = from[1];
            from += 2 * step;
            to += 2 * width;
        }
    }
}

static void fft_store(const fft *f, const double *block, double *array, int width, size_t row_step, size_t step)
{
    for (int i = 0; i < width; i++) {
        double *restrict to = array + 2 * (size_t)i * row_step;
        const double *restrict from = block + 2 * i;
        for (int j = 0; j < f->length; j++) {
            to[0] = from[0];
            to[1] = from[1];
            to += 2 * step;
            from += 2 * width;
        }
    }
}

static void fft_half(const fft *f, const double *restrict x, double *restrict y, int m, int stride, int sign)
{
    int skip = 2 * stride;
    for (int p = 0; p < m; p++) {
        int root = 2 * p * (f->length / (2 * m));
        double wr = f->roots[root], wi = sign * f->roots[root + 1];
        const double *restrict a = x + skip * p, *restrict b = x + skip * (p + m);
        double *restrict to = y + 2 * skip * p;
        for (int i = 0; i < skip; i += 2) {
            double dr = a[i] - b[i], di = a[i + 1] - b[i + 1];
            to[i] = a[i] + b[i];
            to[i + 1] = a[i + 1] + b[i + 1];
            to[i + skip] = wr * dr - wi * di;
            to[i + skip + 1] = wr * di + wi * dr;
        }
    }
}

static void fft_four(const fft *f, const double *restrict x, double *restrict y, int m, int stride, int sign)
{
    int quarter = 2 * stride * m, skip = 2 * stride;
    for (int p = 0; p < m; p++) {
        int root = 2 * p * (f->length / (4 * m));
        double w1r = f->roots[root], w1i = sign * f->roots[root + 1];
        double w2r = w1r * w1r - w1i * w1i, w2i = 2 * w1r * w1i;
        double w3r = w1r * w2r - w1i * w2i, w3i = w1r * w2i + w1i * w2r;
        const double *restrict a = x + skip * p;
        double *restrict to = y + 4 * skip * p;
        for (int i = 0; i < skip; i += 2) {
            double ar = a[i], ai = a[i + 1];
            double br = a[i + quarter], bi = a[i + quarter + 1];
            double cr = a[i + 2 * quarter], ci = a[i + 2 * quarter + 1];
            double dr = a[i + 3 * quarter], di = a[i + 3 * quarter + 1];
            double acr = ar + cr, aci = ai + ci, amr = ar - cr, ami = ai - ci;
            double bdr = br + dr, bdi = bi + di;
            double jr = -sign * (bi - di), ji = sign * (br - dr); /* i (b - d), or its negative */
            to[i] = acr + bdr;
            to[i + 1] = aci + bdi;
            double tr = amr - jr, ti = ami - ji;
            to[i + skip] = w1r * tr - w1i * ti;
            to[i + skip + 1] = w1r * ti + w1i * tr;
            tr = acr - bdr;
            ti = aci - bdi;
            to[i + 2 * skip] = w2r * tr - w2i * ti;
            to[i + 2 * skip + 1] = w2r * ti + w2i * tr;
            tr = amr + jr;
            ti = ami + ji;
            to[i + 3 * skip] = w3r * tr - w3i * ti;
            to[i + 3 * skip + 1] = w3r * ti + w3i * tr;
        }
    }
}

/* Transforms the block in `one`; returns the one of the two that has the result. */
static const double *fft_run(const fft *f, int width, int sign)
{
    double *from = f->one, *to = f->two;
    int n = f->length, stride = width;
    while (n > 1) {
        int radix = n % 4 == 0 ? 4 : 2;
        if (radix == 4)
            fft_four(f, from, to, n / 4, stride, sign);
        else
            fft_half(f, from, to, n / 2, stride, sign);
        n /= radix;
        stride *= radix;
        double *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

void fft_transform(fft *f, double *array, size_t start, int count, size_t row_step, size_t step, int sign)
{
    for (int first = 0; first < count; first += f->rows) {
        int width = f->rows < count - first ? f->rows : count - first;
        double *from = array + 2 * (start + (size_t)first * row_step);
        fft_load(f, from, width, row_step, step);
        fft_store(f, fft_run(f, width, sign), from, width, row_step, step);
    }
}
