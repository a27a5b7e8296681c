/* SPDX-License-Identifier: Apache-2.0 */
#include "model/minimize.h"

#include <math.h>
#include <string.h>

/* A simplex that has collapsed short of the minimum is built anew, smaller each time. */
enum { MINIMIZE_STARTS = 8, MINIMIZE_STEPS = 250 };

typedef struct simplex {
    cor_minimize_fn function;
    const void *context;
    int dimension;
    double corners[COR_MINIMIZE_MAX + 1][COR_MINIMIZE_MAX]; /* the best first, the worst last */
    double values[COR_MINIMIZE_MAX + 1];
} simplex;

static void simplex_sort(simplex *s)
{
    for (int i = 1; i <= s->dimension; i++)
        for (int j = i; j > 0 && s->values[j] < s->values[j - 1]; j--) {
            double corner[COR_MINIMIZE_MAX], value = s->values[j];
            memcpy(corner, s->corners[j], sizeof corner);
            memcpy(s->corners[j], s->corners[j - 1], sizeof corner);
            memcpy(s->corners[j - 1], corner, sizeof corner);
            s->values[j] = s->values[j - 1];
            s->values[j - 1] = value;
        }
}

/* The worst corner, moved along the line through the middle of the others: 1 is that middle's other side. */
static double simplex_move(const simplex *s, double factor, double moved_p[COR_MINIMIZE_MAX])
{
    for (int k = 0; k < s->dimension; k++) {
        double middle = 0;
        for (int i = 0; i < s->dimension; i++)
            middle += s->corners[i][k];
        middle /= s->dimension;
        moved_p[k] = middle + factor * (middle - s->corners[s->dimension][k]);
    }
    return s->function(moved_p, s->context);
}

static void simplex_shrink(simplex *s)
{
    for (int i = 1; i <= s->dimension; i++) {
        for (int k = 0; k < s->dimension; k++)
            s->corners[i][k] = (s->corners[i][k] + s->corners[0][k]) / 2;
        s->values[i] = s->function(s->corners[i], s->context);
    }
}

static void simplex_step(simplex *s)
{
    int worst = s->dimension;
    double moved[COR_MINIMIZE_MAX], further[COR_MINIMIZE_MAX];
    double value = simplex_move(s, 1, moved);
    if (value < s->values[0]) {
        double far = simplex_move(s, 2, further);
        if (far < value) {
            value = far;
            memcpy(moved, further, sizeof moved);
        }
    } else if (value >= s->values[worst - 1]) {
        double near = simplex_move(s, value < s->values[worst] ? 0.5 : -0.5, further);
        if (near < value) {
            value = near;
            memcpy(moved, further, sizeof moved);
        }
    }
    if (value < s->values[worst]) {
        s->values[worst] = value;
        memcpy(s->corners[worst], moved, sizeof moved);
    } else {
        simplex_shrink(s);
    }
    simplex_sort(s);
}

static void simplex_begin(simplex *s, const double *x, const double *steps, double scale)
{
    for (int i = 0; i <= s->dimension; i++) {
        for (int k = 0; k < s->dimension; k++)
            s->corners[i][k] = x[k] + (i == k + 1 ? scale * steps[k] : 0);
        s->values[i] = s->function(s->corners[i], s->context);
    }
    simplex_sort(s);
}

double cor_minimize(cor_minimize_fn function, const void *context, int dimension, double *x, const double *steps)
{
    simplex s = {.function = function, .context = context, .dimension = dimension};
    double best = function(x, context), scale = 1;
    memset(s.corners, 0, sizeof s.corners);
    for (int start = 0; start < MINIMIZE_STARTS; start++) {
        simplex_begin(&s, x, steps, scale);
        for (int i = 0; i < MINIMIZE_STEPS; i++) {
            simplex_step(&s);
            if (s.values[dimension] - s.values[0] <= 1e-10 * fabs(s.values[0]))
                break;
        }
        if (s.values[0] < best) {
            best = s.values[0];
            memcpy(x, s.corners[0], (size_t)dimension * sizeof *x);
        }
        scale *= start % 2 ? -0.7 : -0.5; /* both sides of the best corner in turn */
    }
    return best;
}
