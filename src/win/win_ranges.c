/* SPDX-License-Identifier: Apache-2.0 */
#include "win/win_ranges.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* The first range that ends behind `low`. */
static size_t ranges_find(const win_ranges *set, uint64_t low)
{
    size_t first = 0, end = set->count;
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if (set->ranges[middle].high > low)
            end = middle;
        else
            first = middle + 1;
    }
    return first;
}

const win_range *win_ranges_find(const win_ranges *set, uint64_t low, uint64_t high)
{
    size_t at = ranges_find(set, low);
    return at < set->count && set->ranges[at].low < high ? &set->ranges[at] : NULL;
}

int win_ranges_reserve(win_ranges *set, size_t count)
{
    if (count <= set->room)
        return COR_OK;
    size_t room = set->room ? 2 * set->room : 16;
    room = room < count ? count : room;
    win_range *ranges = realloc(set->ranges, room * sizeof *ranges);
    if (!ranges)
        return COR_ERR_MEMORY;
    set->ranges = ranges;
    set->room = room;
    return COR_OK;
}

int win_ranges_add(win_ranges *set, win_range range)
{
    size_t first = ranges_find(set, range.low), end = first;
    for (; end < set->count && set->ranges[end].low < range.high; end++) {
        range.low = set->ranges[end].low < range.low ? set->ranges[end].low : range.low;
        range.high = set->ranges[end].high > range.high ? set->ranges[end].high : range.high;
    }
    if (end == first && win_ranges_reserve(set, set->count + 1) != COR_OK)
        return COR_ERR_MEMORY;
    memmove(set->ranges + first + 1, set->ranges + end, (set->count - end) * sizeof *set->ranges);
    set->ranges[first] = range;
    set->count = set->count + 1 - (end - first);
    return COR_OK;
}

static int ranges_order(const void *a, const void *b)
{
    const win_range *one = a, *other = b;
    return one->low < other->low ? -1 : one->low > other->low;
}

/* Behind all others, or a part of the last one. */
static void ranges_append(win_ranges *set, const win_range *range, int do_touching_join)
{
    win_range *last = set->count > 0 ? &set->ranges[set->count - 1] : NULL;
    if (last && (range->low < last->high || (do_touching_join && range->low == last->high)))
        last->high = range->high > last->high ? range->high : last->high;
    else
        set->ranges[set->count++] = *range;
}

int win_ranges_add_all(win_ranges *set, win_range *ranges, size_t count)
{
    win_ranges fresh = {.ranges = ranges}, merged = {0};
    if (count == 0)
        return COR_OK;
    qsort(ranges, count, sizeof *ranges, ranges_order);
    for (size_t i = 0; i < count; i++) {
        win_range range = ranges[i]; /* its place may be written */
        ranges_append(&fresh, &range, 1);
    }
    if (fresh.count == 1)
        return win_ranges_add(set, fresh.ranges[0]);
    if (win_ranges_reserve(&merged, set->count + fresh.count) != COR_OK)
        return COR_ERR_MEMORY;
    for (size_t i = 0, k = 0; i < set->count || k < fresh.count;) {
        int is_old = k == fresh.count || (i < set->count && set->ranges[i].low <= fresh.ranges[k].low);
        ranges_append(&merged, is_old ? &set->ranges[i++] : &fresh.ranges[k++], 0);
    }
    free(set->ranges);
    *set = merged;
    return COR_OK;
}
