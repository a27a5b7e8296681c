/* SPDX-License-Identifier: Apache-2.0 */
/* What comparators and sinks of DT compute. */
#ifndef DT_FILTER_H
#define DT_FILTER_H

#include "npb.h"

enum { DT_FIELDS = 4 }; /* numbers of a sample */

typedef struct dt_features {
    int length;
    double *values;
} dt_features;

/* Replaces each sample of a by the nearest of b's at, after and before its place, weighted. The shorter one is
 * stretched. */
void dt_filter_apply(const npb_job *job, dt_features *a, dt_features *b, int node);
double dt_filter_mean_square(const dt_features *a);

#endif
