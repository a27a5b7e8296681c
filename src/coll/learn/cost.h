/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cost of an algorithm by the formula of its row, "lg p (a + n b)". Text behind a comma, and words, are not
 * counted, so the result is a lower bound; "; long:" precedes the formula for long data, used if it is less.
 */
#ifndef COR_COLL_COST_H
#define COR_COLL_COST_H

#include "coll/plan/algorithm.h"

/* The values of the letters. */
typedef struct cor_cost_terms {
    double p, n, nodes;
    double a, b, g; /* of a message, a byte, a byte that is combined */
} cor_cost_terms;

/* 0: the formula cannot be parsed. */
double cor_cost_of(const cor_algorithm *algorithm, const size_t *parameters, const cor_cost_terms *terms);

#endif
