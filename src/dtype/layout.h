/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The layout of a datatype in elements of other datatypes, and of predefined ones.
 */
#ifndef COR_DTYPE_LAYOUT_H
#define COR_DTYPE_LAYOUT_H

#include "dtype/program.h"

/* The kind of a value: its form in "external32", and which others it is equivalent to (signature.h). */
typedef enum cor_value_kind {
    COR_VALUE_SIGNED,   /* an integer; grows and shrinks with its sign */
    COR_VALUE_UNSIGNED, /* an integer or a character */
    COR_VALUE_FLOATING, /* a floating-point number, or the two of a complex one */
    COR_VALUE_EXTENDED, /* a long double of this machine */
    COR_VALUE_LOGICAL,
    COR_VALUE_ANYTHING, /* an untyped byte */
} cor_value_kind;

/* A basic element: one value, or the two of a complex number. */
typedef struct cor_value {
    uint8_t kind;
    uint8_t parts;
    uint8_t bytes, external_bytes; /* of one part */
    uint16_t offset;
} cor_value;

/* The basic elements of a predefined type: one, or the two of a pair. */
typedef struct cor_basic {
    uint32_t count;
    cor_value values[2];
} cor_basic;

typedef enum cor_layout_kind { COR_LAYOUT_VECTOR, COR_LAYOUT_BLOCKS } cor_layout_kind;

/* `count` blocks of elements, in the order of the packed stream. */
typedef struct cor_layout {
    cor_layout_kind kind;
    size_t count;
    const cor_dtype *base; /* NULL: `bases` */
    size_t length;         /* elements of each block, unless `lengths` */
    ptrdiff_t stride;      /* VECTOR: from one block to the next */
    /* BLOCKS, each with `count` rows or NULL: */
    const ptrdiff_t *displacements;
    const size_t *lengths;
    const cor_dtype *const *bases;
} cor_layout;

static inline const cor_dtype *cor_layout_base(const cor_layout *layout, size_t block)
{
    return layout->base ? layout->base : layout->bases[block];
}

static inline size_t cor_layout_length(const cor_layout *layout, size_t block)
{
    return layout->lengths ? layout->lengths[block] : layout->length;
}

/* Only for layouts that a type was made of: there it cannot overflow. */
static inline ptrdiff_t cor_layout_displacement(const cor_layout *layout, size_t block)
{
    return layout->kind == COR_LAYOUT_VECTOR ? (ptrdiff_t)block * layout->stride : layout->displacements[block];
}

/* Bounds that were given and not derived. */
typedef struct cor_bounds {
    ptrdiff_t lb, extent;
} cor_bounds;

/* A type with this layout. Its arrays are copied; `bounds` may be NULL. Errors as in dtype.h. */
int cor_layout_make(const cor_layout *layout, const cor_bounds *bounds, const cor_dtype **type_p);

#endif
