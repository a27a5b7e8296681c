/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random views for tests of files: the datatype, and the bytes that it shows, found in a plain way from the same
 * numbers. The members' views of one shape do not overlap.
 */
#ifndef TESTS_UNIT_FILE_LAYOUTS_H
#define TESTS_UNIT_FILE_LAYOUTS_H

#include "file/file.h"

typedef enum layout_kind {
    LAYOUT_OWN,     /* each member a range of its own */
    LAYOUT_VECTOR,  /* blocks of the members in turn, perhaps with a gap behind them */
    LAYOUT_INDEXED, /* each element is some member's, or no one's */
    LAYOUT_RUNS,    /* the same with runs of random lengths, in bytes */
    LAYOUT_SUBARRAY,
    LAYOUT_DARRAY,
    LAYOUT_KINDS
} layout_kind;

/* What all members of one shape have in common, drawn from random numbers. */
typedef struct layout_shape {
    layout_kind kind;
    int members;
    size_t element; /* bytes */
    uint64_t seed;
    int64_t displacement;
} layout_shape;

typedef struct layout_block {
    int64_t at; /* from the displacement on */
    size_t bytes;
} layout_block;

/* The view of one member: blocks of a tile, repeated. */
typedef struct layout {
    layout_block *blocks;
    size_t count, bytes;
    int64_t extent, displacement;
    const cor_dtype *etype, *type;
} layout;

layout_shape layout_draw(uint64_t *random, int members);
const char *layout_name(layout_kind kind);
void layout_init(layout *l, const layout_shape *shape, int member);
void layout_fini(layout *l);
/* Where in the file byte `position` of the stream is. */
int64_t layout_at(const layout *l, uint64_t position);

#endif
