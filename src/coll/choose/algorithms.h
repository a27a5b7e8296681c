/* SPDX-License-Identifier: Apache-2.0 */
/* The table of all algorithms. */
#ifndef COR_COLL_ALGORITHMS_H
#define COR_COLL_ALGORITHMS_H

#include "coll/plan/algorithm.h"

#include <strings.h>

extern const cor_algorithm *const cor_algorithms[]; /* by primitive */
extern const size_t cor_algorithm_count;

/* Find an algorithm by name, in any case. NULL: none. */
const cor_algorithm *cor_algorithm_find(cor_primitive primitive, const char *name);

/* Is it one that runs at once, and does its name begin with this word, up to a '_'? */
static inline int cor_algorithm_begins(const cor_algorithm *algorithm, const char *word, size_t length)
{
    return algorithm->run && strncasecmp(algorithm->name, word, length) == 0 && algorithm->name[length] == '_';
}

#endif
