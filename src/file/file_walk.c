/* SPDX-License-Identifier: Apache-2.0 */
/* The pieces of a view: a walk over the blocks of its filetype, repeated. */
#include "file/file_state.h"

enum { WALK_ROWS = 64 };

/* Where the element `number` of the filetype begins. */
static int64_t walk_base(const file_view *view, uint64_t number)
{
    return view->given.displacement + (int64_t)number * view->tile_extent;
}

int file_walk_fits(const file_view *view, uint64_t position, uint64_t bytes)
{
    int64_t base;
    uint64_t end;
    if (bytes == 0)
        return 1;
    if (__builtin_add_overflow(position, bytes - 1, &end))
        return 0;
    if (view->is_contiguous)
        return end < INT64_MAX && !__builtin_add_overflow(view->given.displacement, (int64_t)end + 1, &base);
    if (view->tile_bytes == 0)
        return 0;
    uint64_t number = end / view->tile_bytes;
    return number <= INT64_MAX && !__builtin_mul_overflow((int64_t)number, view->tile_extent, &base) &&
           !__builtin_add_overflow(base, view->given.displacement, &base) &&
           !__builtin_add_overflow(base, (int64_t)view->tile->true_ub, &base);
}

/* Add a block to the pieces. 0: there is no room for it. */
static int walk_add(file_piece *pieces, size_t room, size_t *count_p, int64_t at, size_t bytes)
{
    file_piece *last = *count_p > 0 ? &pieces[*count_p - 1] : NULL;
    if (last && last->at + (int64_t)last->bytes == at) {
        last->bytes += bytes;
        return 1;
    }
    if (*count_p == room)
        return 0;
    pieces[(*count_p)++] = (file_piece){at, bytes};
    return 1;
}

static size_t walk_contiguous(file_walk *walk, file_piece *pieces, size_t bytes, size_t *bytes_p)
{
    *pieces = (file_piece){walk->view->given.displacement + (int64_t)walk->position, bytes};
    walk->position += bytes;
    *bytes_p = bytes;
    return 1;
}

size_t file_walk_next(file_walk *walk, file_piece *pieces, size_t room, size_t bytes, size_t *bytes_p)
{
    const file_view *view = walk->view;
    cor_dtype_row rows[WALK_ROWS];
    size_t count = 0, done = 0;
    *bytes_p = 0;
    if (bytes == 0 || room == 0)
        return 0;
    if (view->is_contiguous)
        return walk_contiguous(walk, pieces, bytes, bytes_p);
    if (view->tile_bytes == 0)
        return 0;
    for (int is_full = 0; done < bytes && !is_full;) {
        uint64_t rest = walk->position % view->tile_bytes;
        int64_t base = walk_base(view, walk->position / view->tile_bytes);
        size_t tiles = (rest + (bytes - done) - 1) / view->tile_bytes + 1, moved;
        size_t found = cor_dtype_rows(view->tile, tiles, rest, bytes - done, rows, WALK_ROWS, &moved);
        for (size_t i = 0; i < found && !is_full; i++) {
            is_full = !walk_add(pieces, room, &count, base + rows[i].at, rows[i].bytes);
            if (is_full)
                break;
            done += rows[i].bytes;
            walk->position += rows[i].bytes;
        }
    }
    *bytes_p = done;
    return count;
}

int64_t file_walk_offset(const file_view *view, uint64_t position)
{
    file_walk walk = {view, position};
    file_piece piece = {.at = view->given.displacement};
    size_t bytes;
    file_walk_next(&walk, &piece, 1, 1, &bytes);
    return piece.at;
}

uint64_t file_walk_position(const file_view *view, int64_t at)
{
    int64_t inside = at - view->given.displacement;
    if (inside <= 0 || (!view->is_contiguous && view->tile_bytes == 0))
        return 0;
    if (view->is_contiguous)
        return (uint64_t)inside;
    /* Offsets rise with positions. The one looked for is at most in the element that begins at `at`. */
    uint64_t low = 0, high;
    if (__builtin_mul_overflow((uint64_t)(inside / view->tile_extent) + 1, view->tile_bytes, &high))
        high = INT64_MAX;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (file_walk_offset(view, middle) >= at)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}
