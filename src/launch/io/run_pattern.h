/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Patterns for file names and line prefixes: %r is the rank, %R the rank with as many digits as the highest one has, %h
 * the rank's host, %% a percent sign; %t and %N are srun's letters for rank and host.
 */
#ifndef COR_RUN_PATTERN_H
#define COR_RUN_PATTERN_H

#include <stddef.h>

/* A rank, as patterns see it. */
typedef struct run_pattern_rank {
    int rank, size;
    const char *host;
} run_pattern_rank;

/* The first unknown letter; 0: none; '%' if nothing follows the last percent sign. */
int cor_run_pattern_check(const char *pattern);

/* Write the pattern for a rank; a result that does not fit is truncated. Unknown letters stay as they are. */
void cor_run_pattern_write(const char *pattern, const run_pattern_rank *of, char *out, size_t room);

#endif
