/* SPDX-License-Identifier: Apache-2.0 */
/* The blocks of memory that a part of a packed stream lies in: a walk over the program that copies nothing. */
#include "dtype/layout.h"

/* What is left to pass over, and to list. */
typedef struct rows_list {
    cor_dtype_row *rows;
    size_t room, count;
    size_t skip, left;
} rows_list;

static int rows_is_done(const rows_list *list)
{
    return list->left == 0 || list->count > list->room;
}

/* A block of memory. One more row than there is room for is noticed, not written. */
static void rows_add(rows_list *list, ptrdiff_t at, size_t bytes)
{
    if (list->skip >= bytes) {
        list->skip -= bytes;
        return;
    }
    at += (ptrdiff_t)list->skip;
    bytes -= list->skip;
    list->skip = 0;
    if (bytes > list->left)
        bytes = list->left;
    cor_dtype_row *last = list->count > 0 ? &list->rows[list->count - 1] : NULL;
    if (last && last->at + (int64_t)last->bytes == at) {
        last->bytes += bytes;
    } else if (list->count == list->room) {
        list->count++;
        return;
    } else {
        list->rows[list->count++] = (cor_dtype_row){at, bytes};
    }
    list->left -= bytes;
}

static void rows_nest(rows_list *list, const cor_nest *nest, uint32_t level, ptrdiff_t at);

static void rows_body(rows_list *list, const cor_nest *nest, ptrdiff_t at)
{
    const cor_body *body = nest->body;
    if (!body) {
        rows_add(list, at, nest->body_bytes);
        return;
    }
    const cor_step *step = cor_body_find(body, list->skip);
    list->skip -= step->begin;
    for (; step < body->steps + body->count && !rows_is_done(list); step++) {
        size_t bytes = step[1].begin - step->begin;
        if (list->skip >= bytes)
            list->skip -= bytes;
        else if (step->nest)
            rows_nest(list, step->nest, 0, at + step->offset);
        else
            rows_add(list, at + step->offset, bytes);
    }
}

/* `count` units of `bytes` packed bytes each, `stride` apart: those before the part are passed over at once. */
static void rows_units(rows_list *list, const cor_nest *nest, uint32_t level, ptrdiff_t at, size_t count,
                       ptrdiff_t stride, size_t bytes)
{
    size_t first = list->skip / bytes;
    if (first >= count) {
        list->skip -= count * bytes;
        return;
    }
    list->skip -= first * bytes;
    if (level == nest->depth && !nest->body && stride == (ptrdiff_t)bytes) {
        rows_add(list, at + (ptrdiff_t)first * stride, (count - first) * bytes);
        return;
    }
    for (size_t i = first; i < count && !rows_is_done(list); i++)
        rows_nest(list, nest, level, at + (ptrdiff_t)i * stride);
}

static void rows_nest(rows_list *list, const cor_nest *nest, uint32_t level, ptrdiff_t at)
{
    if (level == nest->depth) {
        rows_body(list, nest, at);
        return;
    }
    const cor_loop *loop = &nest->loops[level];
    rows_units(list, nest, level + 1, at, loop->count, loop->stride, loop->bytes / loop->count);
}

size_t cor_dtype_rows(const cor_dtype *type, size_t count, size_t offset, size_t bytes, cor_dtype_row *rows,
                      size_t room, size_t *bytes_p)
{
    size_t whole = type->size * count;
    *bytes_p = 0;
    if (offset >= whole || bytes == 0 || room == 0)
        return 0;
    if (bytes > whole - offset)
        bytes = whole - offset;
    rows_list list = {.rows = rows, .room = room, .skip = offset, .left = bytes};
    if (type->is_contiguous) {
        rows_add(&list, 0, whole);
    } else {
        size_t unit = type->level < type->nest->depth ? type->nest->loops[type->level].bytes : type->nest->body_bytes;
        rows_units(&list, type->nest, type->level, type->first, count * type->whole, type->step, unit);
    }
    *bytes_p = bytes - list.left;
    return list.count > room ? room : list.count;
}

const cor_dtype *cor_dtype_only(const cor_dtype *type)
{
    while (!type->is_predefined) {
        const cor_layout *layout = type->layout;
        if (!layout->base) {
            const cor_dtype *only = NULL;
            for (size_t i = 0; i < layout->count; i++) {
                if (cor_layout_length(layout, i) == 0 || layout->bases[i]->size == 0)
                    continue;
                const cor_dtype *next = cor_dtype_only(layout->bases[i]);
                if (!next || (only && next != only))
                    return NULL;
                only = next;
            }
            return only;
        }
        type = layout->base;
    }
    return type->size > 0 ? type : NULL;
}
