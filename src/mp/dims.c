/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Balanced dimensions. Of all ways to write the number as a product of that many non-increasing factors, the one whose
 * largest and smallest factor are closest; of several, the one with the smaller first factors. The search tries the
 * divisors from the root upwards, and stops where the first factor alone is too far from the root.
 */
#include "mp/topology.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { DIMS_DIVISORS_MAX = 1600 }; /* 2095133040 has that many, and no 31-bit number more */

typedef struct dims_search {
    int divisors[DIMS_DIVISORS_MAX]; /* ascending */
    int divisor_count;
    int factor_count;
    int *best, *trial; /* factor_count each */
    int best_spread;   /* of the largest and the smallest; INT_MAX: nothing found yet */
    int root;          /* the largest number whose power is not above the product */
} dims_search;

static void dims_find_divisors(dims_search *search, int number)
{
    int count = 0;
    for (int i = 1; (long)i * i <= number; i++)
        if (number % i == 0)
            search->divisors[count++] = i;
    /* The other half mirrors the first. */
    int low = count;
    for (int i = low - 1; i >= 0; i--)
        if (number / search->divisors[i] != search->divisors[i])
            search->divisors[count++] = number / search->divisors[i];
    search->divisor_count = count;
}

/* base^exponent, or something above `enough`. */
static long dims_power(int base, int exponent, int enough)
{
    long power = 1;
    for (int i = 0; i < exponent && power <= enough; i++)
        power *= base;
    return power;
}

/* Choose factor `at` and the following ones, none above the one before, so that their product is `rest`. */
static void dims_choose(dims_search *search, int at, int rest)
{
    int left = search->factor_count - at;
    int limit = at ? search->trial[at - 1] : INT_MAX;
    if (left == 1) {
        int spread = at ? search->trial[0] - rest : 0;
        if (rest <= limit && spread < search->best_spread) {
            search->trial[at] = rest;
            search->best_spread = spread;
            memcpy(search->best, search->trial, (size_t)search->factor_count * sizeof *search->best);
        }
        return;
    }
    for (int i = 0; i < search->divisor_count && search->divisors[i] <= limit; i++) {
        int factor = search->divisors[i];
        /* Too small for the rest to fit under it, or so far from the first that it cannot win. */
        if (rest % factor != 0 || dims_power(factor, left, rest) < rest)
            continue;
        if (at > 0 && search->best_spread != INT_MAX && search->trial[0] - factor >= search->best_spread)
            continue;
        /* The smallest factor is at most the root. */
        if (at == 0 && search->best_spread != INT_MAX && factor - search->root >= search->best_spread)
            return;
        search->trial[at] = factor;
        dims_choose(search, at + 1, rest / factor);
        if (search->best_spread == 0)
            return;
    }
}

int cor_dims_create(int nodes, int dim_count, int *dims)
{
    int rest = nodes, free_count = 0;
    for (int i = 0; i < dim_count; i++) {
        if (dims[i] == 0) {
            free_count++;
        } else {
            if (rest % dims[i] != 0)
                return COR_ERR_ARG;
            rest /= dims[i];
        }
    }
    if (free_count == 0)
        return rest == 1 || dim_count == 0 ? COR_OK : COR_ERR_ARG;
    dims_search search = {.factor_count = free_count, .best_spread = INT_MAX};
    search.best = malloc(2 * (size_t)free_count * sizeof *search.best);
    if (!search.best)
        return COR_ERR_MEMORY;
    search.trial = search.best + free_count;
    dims_find_divisors(&search, rest);
    search.root = free_count == 1 ? rest : 1;
    while (free_count > 1 && dims_power(search.root + 1, free_count, rest) <= rest)
        search.root++;
    dims_choose(&search, 0, rest);
    for (int i = 0, next = 0; i < dim_count; i++)
        if (dims[i] == 0)
            dims[i] = search.best[next++];
    free(search.best);
    return COR_OK;
}
