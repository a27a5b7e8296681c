/* SPDX-License-Identifier: Apache-2.0 */
/* The datatypes of one-sided operations: shapes with elements of one kind only, which accumulating needs. */
#ifndef TESTS_WIN_SHAPES_H
#define TESTS_WIN_SHAPES_H

#include "win_elements.h"

typedef enum shape {
    SHAPE_ONE,
    SHAPE_CONTIGUOUS,
    SHAPE_VECTOR,
    SHAPE_HVECTOR,
    SHAPE_INDEXED,
    SHAPE_HINDEXED,
    SHAPE_UNALIGNED, /* blocks at odd addresses */
    SHAPE_STRUCT,
    SHAPE_RESIZED,
    SHAPE_SUBARRAY,
    SHAPE_BACKWARDS, /* a negative stride, and its first element last */
    SHAPE_MANY,      /* hundreds of irregular blocks */
    SHAPE_RANDOM,
    SHAPES
} shape;

extern const char *const shape_names[];

/* The layout of a datatype, the type itself, and its bytes; per: elements in one of it. */
typedef struct layout {
    plan *plan;
    plan_map map;
    MPI_Datatype type;
    size_t per;
} layout;

/* No element twice; with data. The seed is for SHAPE_RANDOM, and advances. */
layout layout_make(shape which, const element *e, unsigned *seed);
void layout_free(layout *l);
/* The largest number of them, up to `limit`, that writes no byte twice. */
size_t layout_repeats(const layout *l, size_t limit);
/* Element i of memory at `base`. */
ptrdiff_t layout_offset(const layout *l, const element *e, size_t i);
/* Copy `count` values between memory and an array. */
void layout_scatter(const layout *l, const element *e, unsigned char *base, const unsigned char *values, size_t count);
void layout_gather(const layout *l, const element *e, const unsigned char *base, unsigned char *values, size_t count);
/* Clear the mask of memory where the bytes of the elements mean nothing. */
void layout_mask(const layout *l, const element *e, unsigned char *base, size_t count);

#endif
