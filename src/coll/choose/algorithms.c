/* SPDX-License-Identifier: Apache-2.0 */
#include "coll/choose/algorithms.h"

#include "coll/choose/algorithm_list.h"

#include <strings.h>

#define ALGORITHM_DECLARE(row) extern const cor_algorithm row;
COR_ALGORITHM_LIST(ALGORITHM_DECLARE)
#undef ALGORITHM_DECLARE

#define ALGORITHM_ADDRESS(row) &row,
const cor_algorithm *const cor_algorithms[] = {COR_ALGORITHM_LIST(ALGORITHM_ADDRESS) NULL};
#undef ALGORITHM_ADDRESS

const size_t cor_algorithm_count = sizeof cor_algorithms / sizeof *cor_algorithms - 1;

const cor_algorithm *cor_algorithm_find(cor_primitive primitive, const char *name)
{
    for (size_t i = 0; i < cor_algorithm_count; i++)
        if (cor_algorithms[i]->primitive == primitive && strcasecmp(cor_algorithms[i]->name, name) == 0)
            return cor_algorithms[i];
    return NULL;
}
