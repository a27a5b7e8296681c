/* SPDX-License-Identifier: Apache-2.0 */
/* The least value of a function of a few variables, without derivatives: the simplex of Nelder and Mead. */
#ifndef COR_MODEL_MINIMIZE_H
#define COR_MODEL_MINIMIZE_H

enum { COR_MINIMIZE_MAX = 6 };

/* May return HUGE_VAL where the function is not defined. */
typedef double (*cor_minimize_fn)(const double *x, const void *context);

/* Begin at x with these steps, improve x, return the function's value there. Deterministic, and never worse than the
 * start. */
double cor_minimize(cor_minimize_fn function, const void *context, int dimension, double *x, const double *steps);

#endif
