/* The list of algorithms, and the words for primitives and needs. */
#include "coll/algorithm.h"

#include "coll/algorithm_list.h"

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

const char *cor_primitive_name(cor_primitive primitive)
{
#define ALGORITHM_NAME(NAME, name) #name,
    static const char *const names[] = {COR_PRIMITIVE_LIST(ALGORITHM_NAME)};
#undef ALGORITHM_NAME
    return names[primitive];
}

const char *cor_need_word(cor_need_bit need)
{
#define ALGORITHM_NEED(NAME, word) word,
    static const char *const words[] = {COR_NEED_LIST(ALGORITHM_NEED)};
#undef ALGORITHM_NEED
    return words[need];
}
