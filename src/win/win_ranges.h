/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets of ranges of bytes that operations access (win_check.h).
 *
 * The memory of a set is the caller's to free; a set of zeros is empty. Functions that fail leave a set as it was, with
 * COR_ERR_MEMORY.
 */
#ifndef COR_WIN_RANGES_H
#define COR_WIN_RANGES_H

#include <stddef.h>
#include <stdint.h>

/* Bytes from `low` to before `high`. */
typedef struct win_range {
    uint64_t low, high;
    uint32_t kind; /* cor_win_kind of an operation that accesses them */
    uint32_t class;
    int32_t origin, target; /* where ranges are exchanged */
} win_range;

/* In their order, without overlap: ranges of one class that overlap become one. */
typedef struct win_ranges {
    win_range *ranges;
    size_t count, room;
} win_ranges;

/* A range of the set that overlaps [low, high); NULL: none does. */
const win_range *win_ranges_find(const win_ranges *set, uint64_t low, uint64_t high);
/* Room for `count` ranges, which the caller may also write itself. */
int win_ranges_reserve(win_ranges *set, size_t count);
int win_ranges_add(win_ranges *set, win_range range);
/* Those of one operation: they may be very many, in any order, and become few where they touch. `ranges` is sorted and
 * overwritten. */
int win_ranges_add_all(win_ranges *set, win_range *ranges, size_t count);

#endif
