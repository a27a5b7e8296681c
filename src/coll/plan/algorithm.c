/* SPDX-License-Identifier: Apache-2.0 */
/* The words for primitives and for the needs of algorithms. */
#include "coll/plan/algorithm.h"

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
