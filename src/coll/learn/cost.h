/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an algorithm costs by the formula of its row, "lg p (a + n b)". Behind a comma, or words, stands what is not
 * counted, so the result is a bound from below; behind "; long:" what holds for long data, if that is less.
 */
#ifndef COR_COLL_COST_H
#define COR_COLL_COST_H

#include "coll/plan/algorithm.h"

/* What the letters stand for. */
typedef struct cor_cost_terms {
    double p, n, nodes;
    double a, b, g; /* of a message, a byte, a byte that is combined */
} cor_cost_terms;

/* 0: the formula cannot be read. */
double cor_cost_of(const cor_algorithm *algorithm, const size_t *parameters, const cor_cost_terms *terms);

#endif
