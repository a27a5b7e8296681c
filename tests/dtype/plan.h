/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Datatypes as the tests see them: a plan says how a type is made, the map of a plan says byte by byte where its data
 * lies, worked out in the plainest way. The library is asked to make the same type and compared with the map.
 */
#ifndef DTYPE_PLAN_H
#define DTYPE_PLAN_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { PLAN_BLOCKS_MAX = 8, PLAN_DIMENSIONS_MAX = 3 };

typedef enum plan_kind {
    PLAN_PREDEFINED,
    PLAN_CONTIGUOUS,
    PLAN_VECTOR,
    PLAN_HVECTOR,
    PLAN_INDEXED,
    PLAN_HINDEXED,
    PLAN_INDEXED_BLOCK,
    PLAN_HINDEXED_BLOCK,
    PLAN_STRUCT,
    PLAN_RESIZED,
    PLAN_DUP,
    PLAN_SUBARRAY,
    PLAN_DARRAY,
    PLAN_KINDS
} plan_kind;

/* A predefined type: its number in the ABI and its one or two values. */
typedef struct plan_basic {
    uint32_t number;
    size_t extent, alignment;
    size_t values;
    size_t bytes[2], offsets[2];
} plan_basic;

extern const plan_basic plan_basics[];
extern const size_t plan_basic_count;

typedef enum plan_share { PLAN_SHARE_NONE, PLAN_SHARE_BLOCK, PLAN_SHARE_CYCLIC } plan_share;

typedef struct plan {
    plan_kind kind;
    const plan_basic *basic;
    size_t count;                             /* elements, blocks or dimensions */
    size_t length;                            /* of every block */
    ptrdiff_t stride;                         /* elements or bytes, as the constructor has it */
    size_t lengths[PLAN_BLOCKS_MAX];          /* of single blocks */
    ptrdiff_t displacements[PLAN_BLOCKS_MAX]; /* elements or bytes */
    struct plan *bases[PLAN_BLOCKS_MAX];      /* PLAN_STRUCT: one a block; else the first */
    size_t sizes[PLAN_DIMENSIONS_MAX], subsizes[PLAN_DIMENSIONS_MAX], starts[PLAN_DIMENSIONS_MAX];
    plan_share shares[PLAN_DIMENSIONS_MAX];
    size_t dealt[PLAN_DIMENSIONS_MAX]; /* block sizes of the shares, 0: the default */
    size_t grid[PLAN_DIMENSIONS_MAX], place;
    int is_fortran;
    ptrdiff_t lb, extent;
} plan;

/* One basic element in memory. */
typedef struct plan_value {
    ptrdiff_t offset;
    size_t bytes;
} plan_value;

/* The data of one element. */
typedef struct plan_map {
    plan_value *values;
    size_t count, room;
    size_t size; /* all bytes */
    size_t alignment;
    int has_marks; /* bounds were set */
    ptrdiff_t lb, ub;
    ptrdiff_t true_lb, true_ub;
    ptrdiff_t end; /* of the elements it is made of, each with its padding; not looked at once there are marks */
} plan_map;

/* A random plan, at most `depth` types deep and with at most `bytes_max` bytes of data. */
plan *plan_random(unsigned *seed, int depth, size_t bytes_max);
void plan_free(plan *p);
/* Print it, so that a failure can be understood: for check_me. */
void plan_tell(FILE *to, const void *context);

void plan_map_make(const plan *p, plan_map *map);
void plan_map_free(plan_map *map);

/* `count` elements at `memory` to packed bytes and back. */
void plan_pack(const plan_map *map, const unsigned char *memory, size_t count, unsigned char *packed);
void plan_unpack(const plan_map *map, unsigned char *memory, size_t count, const unsigned char *packed);

/* The largest count up to `limit` that writes no byte twice. */
size_t plan_receive_max(const plan_map *map, size_t limit);

/* Where the data of `count` elements begins and ends, relative to the address of the first. */
void plan_reach(const plan_map *map, size_t count, ptrdiff_t *low_p, ptrdiff_t *high_p);

/* Memory with room for some elements, wherever they lie, and a margin around them; free(memory) ends it. */
typedef struct plan_field {
    unsigned char *memory, *element;
    size_t bytes;
} plan_field;

plan_field plan_field_make(const plan_map *map, size_t count);

/* Our place in a grid of processes, by dimension. */
void plan_coordinates(const plan *p, size_t *coordinates);
/* The block size a share really has. */
size_t plan_dealt(const plan *p, size_t dimension);

size_t plan_below(unsigned *seed, size_t limit);
/* From CORUNNA_TEST_SEED, or the clock; printed. */
unsigned plan_seed(void);

#endif
