/* SPDX-License-Identifier: Apache-2.0 */
/* "--threads 1,2,7": one run after the other, each on so many ranks. */
#ifndef COR_TESTS_RANK_COUNTS_H
#define COR_TESTS_RANK_COUNTS_H

#include <stdlib.h>
#include <string.h>

/* The first number of the list, which moves on behind it; 0 if there is none. While (**list_p) there are more. */
static inline int rank_counts_next(const char **list_p)
{
    char *end;
    long count = strtol(*list_p, &end, 10);
    int is_number = end != *list_p && (*end == ',' || *end == '\0');
    *list_p = is_number ? end + (*end == ',') : *list_p + strlen(*list_p);
    return is_number ? (int)count : 0;
}

#endif
