/* All algorithms there are. */
#ifndef COR_COLL_ALGORITHMS_H
#define COR_COLL_ALGORITHMS_H

#include "coll/plan/algorithm.h"

extern const cor_algorithm *const cor_algorithms[]; /* by primitive */
extern const size_t cor_algorithm_count;

/* By its name, in small letters or capitals. NULL: none. */
const cor_algorithm *cor_algorithm_find(cor_primitive primitive, const char *name);

#endif
