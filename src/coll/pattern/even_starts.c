/* SPDX-License-Identifier: Apache-2.0 */
/* Cutting a stream into one block for each member. */
#include "base/cpu.h"
#include "coll/pattern/pattern.h"
#include "coll/plan/plan_table.h"

/* Bytes that are no elements of a reduction can be cut anywhere. Whole words, and whole cache lines, are copied
 * faster; where blocks are long the difference in their lengths does not show. */
static size_t even_unit(const cor_plan *plan, size_t block_bytes)
{
    if (plan->element_bytes > 1)
        return plan->element_bytes;
    if (block_bytes >= 16 * COR_CACHE_LINE)
        return COR_CACHE_LINE;
    return block_bytes >= 16 * sizeof(uint64_t) ? sizeof(uint64_t) : 1;
}

const size_t *cor_even_starts(cor_plan *plan, size_t bytes, int members)
{
    int is_made;
    size_t *starts = cor_plan_table(plan, "cut", bytes, ((size_t)members + 1) * sizeof *starts, &is_made);
    if (!starts || is_made)
        return starts;
    size_t count = (size_t)members, unit = even_unit(plan, bytes / count);
    size_t each = bytes / unit / count, more = bytes / unit % count; /* the first `more` get one unit more */
    for (size_t i = 0; i <= count; i++)
        starts[i] = (i * each + (i < more ? i : more)) * unit;
    starts[count] = bytes;
    return starts;
}
