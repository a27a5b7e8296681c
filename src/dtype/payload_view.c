/* SPDX-License-Identifier: Apache-2.0 */
#include "dtype/payload_view.h"

/* ---- in a row --------------------------------------------------------------------------------------------------- */

/* The part that holds this byte. Empty parts hold none. */
static size_t row_find(const cor_payload_row *row, size_t offset)
{
    size_t low = 0, high = row->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (row->starts[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void row_read(const cor_payload *p, size_t offset, void *to, size_t length)
{
    const cor_payload_row *row = p->owner;
    char *at = to;
    for (size_t i = row_find(row, offset); length > 0; i++) {
        size_t left = row->starts[i + 1] - offset, piece = left < length ? left : length;
        if (piece > 0) /* an empty part may have no memory */
            cor_payload_read(&row->parts[i], offset - row->starts[i], at, piece);
        at += piece;
        offset += piece;
        length -= piece;
    }
}

static void row_write(const cor_payload *p, size_t offset, const void *from, size_t length)
{
    const cor_payload_row *row = p->owner;
    const char *at = from;
    for (size_t i = row_find(row, offset); length > 0; i++) {
        size_t left = row->starts[i + 1] - offset, piece = left < length ? left : length;
        if (piece > 0)
            cor_payload_write(&row->parts[i], offset - row->starts[i], at, piece);
        at += piece;
        offset += piece;
        length -= piece;
    }
}

static void row_hold(cor_payload *p)
{
    const cor_payload_row *row = p->owner;
    for (size_t i = 0; i < row->count; i++)
        cor_payload_hold(&row->parts[i]);
}

static void row_release(cor_payload *p)
{
    const cor_payload_row *row = p->owner;
    for (size_t i = 0; i < row->count; i++)
        cor_payload_release(&row->parts[i]);
}

static const cor_payload_ops row_ops = {
    .read = row_read,
    .write = row_write,
    .hold = row_hold,
    .release = row_release,
};

cor_payload cor_payload_join(cor_payload_row *row)
{
    return (cor_payload){.ops = &row_ops, .owner = row, .bytes = row->count ? row->starts[row->count] : 0};
}

/* ---- a piece ---------------------------------------------------------------------------------------------------- */

/* owner is the whole, base the offset in it. */
static inline size_t slice_offset(const cor_payload *p)
{
    return (size_t)(uintptr_t)p->base;
}

static void slice_read(const cor_payload *p, size_t offset, void *to, size_t length)
{
    cor_payload_read(p->owner, slice_offset(p) + offset, to, length);
}

static void slice_write(const cor_payload *p, size_t offset, const void *from, size_t length)
{
    cor_payload_write(p->owner, slice_offset(p) + offset, from, length);
}

static void *slice_map(const cor_payload *p)
{
    const cor_payload *whole = p->owner;
    return (char *)whole->ops->map(whole) + slice_offset(p);
}

static void slice_unmap(const cor_payload *p, void *memory, int is_written)
{
    const cor_payload *whole = p->owner;
    whole->ops->unmap(whole, (char *)memory - slice_offset(p), is_written);
}

static void slice_hold(cor_payload *p)
{
    cor_payload_hold(p->owner);
}

/* Other pieces may be in use. */
static void slice_release(cor_payload *p)
{
    (void)p;
}

static const cor_payload_ops slice_ops = {
    .read = slice_read,
    .write = slice_write,
    .hold = slice_hold,
    .release = slice_release,
};

static const cor_payload_ops slice_ops_mapped = {
    .read = slice_read,
    .write = slice_write,
    .map = slice_map,
    .unmap = slice_unmap,
    .hold = slice_hold,
    .release = slice_release,
};

cor_payload cor_payload_slice(cor_payload *whole, size_t offset, size_t bytes)
{
    if (!whole->ops || bytes == 0)
        return cor_payload_plain((void *)((uintptr_t)whole->base + (whole->ops ? 0 : offset)), bytes);
    if (whole->ops == &slice_ops || whole->ops == &slice_ops_mapped)
        return cor_payload_slice(whole->owner, slice_offset(whole) + offset, bytes);
    if (whole->ops == &row_ops) {
        cor_payload_row *row = whole->owner;
        size_t part = row_find(row, offset);
        if (offset + bytes <= row->starts[part + 1])
            return cor_payload_slice(&row->parts[part], offset - row->starts[part], bytes);
    }
    return (cor_payload){
        .ops = whole->ops->map ? &slice_ops_mapped : &slice_ops,
        .owner = whole,
        .base = (void *)(uintptr_t)offset,
        .bytes = bytes,
    };
}
