/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of arrays. Each dimension, from the one that varies fastest to the slowest, makes a vector of the type of the
 * dimensions before it; strides are in bytes of the whole array, so that no type in between needs bounds.
 */
#include "dtype/layout.h"

#include "base/error.h"

/* One dimension at a time. */
typedef struct array_part {
    const cor_dtype *type;  /* of the dimensions so far, a reference */
    ptrdiff_t stride;       /* from one index of this dimension to the next */
    ptrdiff_t displacement; /* of our first element in the whole array */
} array_part;

static void array_begin(array_part *part, const cor_dtype *base)
{
    cor_dtype_ref(base);
    *part = (array_part){.type = base, .stride = base->extent};
}

/* Go on to the next dimension: `type` takes the place of the old one, the dimension has `size` indices and ours begin
 * at `start`. */
static int array_next(array_part *part, const cor_dtype *type, size_t size, size_t start)
{
    ptrdiff_t offset;
    cor_dtype_unref(part->type);
    part->type = type;
    if (__builtin_mul_overflow(start, part->stride, &offset) ||
        __builtin_add_overflow(part->displacement, offset, &part->displacement) ||
        __builtin_mul_overflow(size, part->stride, &part->stride))
        return COR_ERR_COUNT;
    return COR_OK;
}

/* The array's own type: ours at its place, with the bounds of the whole array. Drops the part's reference. */
static int array_end(array_part *part, int rc, const cor_dtype **type_p)
{
    if (rc == COR_OK) {
        cor_layout layout = {.kind = COR_LAYOUT_BLOCKS,
                             .count = 1,
                             .length = 1,
                             .displacements = &part->displacement,
                             .base = part->type};
        rc = cor_layout_make(&layout, &(cor_bounds){0, part->stride}, type_p);
    }
    cor_dtype_unref(part->type);
    return rc;
}

/* The dimension that varies i-th fastest. */
static size_t array_dimension(size_t i, size_t dimensions, int is_fortran)
{
    return is_fortran ? i : dimensions - 1 - i;
}

int cor_dtype_subarray(size_t dimensions, const size_t *sizes, const size_t *subsizes, const size_t *starts,
                       int is_fortran, const cor_dtype *base, const cor_dtype **type_p)
{
    array_part part;
    int rc = COR_OK;
    array_begin(&part, base);
    for (size_t i = 0; i < dimensions && rc == COR_OK; i++) {
        size_t d = array_dimension(i, dimensions, is_fortran);
        const cor_dtype *type;
        rc = cor_dtype_hvector(subsizes[d], 1, part.stride, part.type, &type);
        if (rc == COR_OK)
            rc = array_next(&part, type, sizes[d], starts[d]);
    }
    return array_end(&part, rc, type_p);
}

/* Our blocks in one dimension: `count` full ones, `every` indices apart, and a last one of `rest` indices. */
typedef struct array_deal {
    size_t start, count, length, every, rest;
} array_deal;

static array_deal array_share(const cor_share *share)
{
    array_deal deal = {.length = share->block, .every = share->block * share->processes};
    deal.start = share->place * share->block;
    if (deal.start >= share->size)
        return (array_deal){.length = 1};
    size_t left = share->size - deal.start;
    if (!share->is_cyclic) {
        deal.length = left < share->block ? left : share->block;
        deal.count = 1;
        return deal;
    }
    deal.count = left / deal.every;
    deal.rest = left % deal.every;
    if (deal.rest >= share->block) {
        deal.count++;
        deal.rest = 0;
    }
    return deal;
}

/* Our blocks as a type, relative to the first of them. */
static int array_deal_type(const array_deal *deal, const array_part *part, const cor_dtype **type_p)
{
    const cor_dtype *block, *full, *rest;
    ptrdiff_t every, last;
    if (__builtin_mul_overflow(deal->every, part->stride, &every) || __builtin_mul_overflow(deal->count, every, &last))
        return COR_ERR_COUNT;
    int rc = cor_dtype_hvector(deal->length, 1, part->stride, part->type, &block);
    if (rc != COR_OK)
        return rc;
    rc = cor_dtype_hvector(deal->count, 1, every, block, &full);
    cor_dtype_unref(block);
    if (rc != COR_OK || deal->rest == 0) {
        *type_p = full;
        return rc;
    }
    rc = cor_dtype_hvector(deal->rest, 1, part->stride, part->type, &rest);
    if (rc == COR_OK) {
        rc = cor_dtype_struct(2, (size_t[]){1, 1}, (ptrdiff_t[]){0, last}, (const cor_dtype *[]){full, rest}, type_p);
        cor_dtype_unref(rest);
    }
    cor_dtype_unref(full);
    return rc;
}

int cor_dtype_darray(size_t dimensions, const cor_share *shares, int is_fortran, const cor_dtype *base,
                     const cor_dtype **type_p)
{
    array_part part;
    int rc = COR_OK;
    array_begin(&part, base);
    for (size_t i = 0; i < dimensions && rc == COR_OK; i++) {
        const cor_share *share = &shares[array_dimension(i, dimensions, is_fortran)];
        array_deal deal = array_share(share);
        const cor_dtype *type;
        rc = array_deal_type(&deal, &part, &type);
        if (rc == COR_OK)
            rc = array_next(&part, type, share->size, deal.start);
    }
    return array_end(&part, rc, type_p);
}
