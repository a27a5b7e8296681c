/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of CPUs as text, as the kernel writes them: "0-3,8". */
#ifndef COR_RUN_BIND_SET_H
#define COR_RUN_BIND_SET_H

#include "base/cpu.h"
#include "base/error.h"

enum { BIND_SET_TEXT_MAX = 6 * COR_CPU_MAX };

static inline void cor_bind_set_add(cor_cpu_set *set, int cpu)
{
    set->bits[cpu / 64] |= (uint64_t)1 << cpu % 64;
}

static inline int cor_bind_set_has(const cor_cpu_set *set, int cpu)
{
    return (int)(set->bits[cpu / 64] >> cpu % 64 & 1);
}

/* Numbers and ranges from 0 to `limit` - 1, which is at most COR_CPU_MAX, of the first `length` characters.
 * COR_ERR_ARG: the fault begins with `what`. */
int cor_bind_set_parse(const char *what, const char *text, int length, int limit, cor_cpu_set *set_p,
                       cor_fault *fault);

/* At most BIND_SET_TEXT_MAX bytes; an empty set is "none". */
void cor_bind_set_print(const cor_cpu_set *set, char *text);

#endif
