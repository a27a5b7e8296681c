/* SPDX-License-Identifier: Apache-2.0 */
#include "dt_filter.h"

#include <stdlib.h>

static double filter_distance(const double *a, const double *b)
{
    double d0 = a[0] - b[0], d1 = a[1] - b[1], d2 = a[2] - b[2], d3 = a[3] - b[3];
    return d0 * d0 + d1 * d1 + d2 * d2 + d3 * d3;
}

/* Spreads an array over a longer one. The specification's ratio is that of whole numbers. */
static void filter_stretch(const npb_job *job, dt_features *a, int length)
{
    double *longer = npb_alloc(job, (size_t)length, sizeof(double));
    int ratio = length / a->length;
    for (int i = 1; i < a->length - 1; i++) {
        int low = (int)(0.5 * (2 * i - 1) * ratio), high = (int)(0.5 * (2 * i + 1) * ratio);
        double share = a->values[i] / (high - low + 1);
        for (int j = low; j <= high; j++)
            longer[j] += share;
    }
    longer[0] = a->values[0];
    longer[length - 1] = a->values[a->length - 1];
    free(a->values);
    a->values = longer;
    a->length = length;
}

void dt_filter_apply(const npb_job *job, dt_features *a, dt_features *b, int node)
{
    double weight = (node + 1.0) / (node + 2);
    if (a->length < b->length)
        filter_stretch(job, a, b->length);
    else if (b->length < a->length)
        filter_stretch(job, b, a->length);
    for (int i = DT_FIELDS; i < a->length - DT_FIELDS; i += DT_FIELDS) {
        double *to = a->values + i;
        const double *at = b->values + i, *from = at;
        double best = filter_distance(to, at);
        double after = filter_distance(to + DT_FIELDS, at + DT_FIELDS);
        if (after < best) {
            best = after;
            from = at + DT_FIELDS;
        }
        if (filter_distance(to - DT_FIELDS, at - DT_FIELDS) < best)
            from = at - DT_FIELDS;
        for (int k = 0; k < DT_FIELDS; k++)
            to[k] = weight * from[k];
    }
}

double dt_filter_mean_square(const dt_features *a)
{
    double sum = 0;
    for (int i = 0; i < a->length; i++)
        sum += a->values[i] * a->values[i] / a->length;
    return sum;
}
