/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program of a datatype: how its elements are copied.
 *
 * A nest is a nest of loops over a body: a contiguous block, or a list of steps, each a block or a nest of its own.
 * Most types are one nest over one block (vectors, subarrays) or one list of blocks (indexed, struct). A list inside
 * of a loop is at least two steps done at least twice, so that nests are never deeper than an address has bits.
 *
 * Everything here is immutable once made, and may be shared by several types: a type references those it shares with.
 */
#ifndef COR_DTYPE_PROGRAM_H
#define COR_DTYPE_PROGRAM_H

#include "dtype/dtype.h"

enum { COR_NEST_DEPTH = 4 }; /* loops of one nest; more make a nest of a nest */

typedef struct cor_loop {
    size_t count;
    ptrdiff_t stride;
    size_t bytes; /* packed, all iterations */
} cor_loop;

typedef struct cor_nest {
    size_t bytes;                /* packed, the whole nest */
    size_t body_bytes;           /* packed, one body */
    const struct cor_body *body; /* NULL: a contiguous block */
    uint32_t depth;
    uint32_t kernel;                /* of a block: which loop copies it (kernel.h) */
    cor_loop loops[COR_NEST_DEPTH]; /* the outermost first */
} cor_nest;

typedef struct cor_step {
    ptrdiff_t offset;     /* from the address of the body */
    size_t begin;         /* packed bytes of the body before this step */
    const cor_nest *nest; /* NULL: a contiguous block up to the next step's begin */
} cor_step;

typedef struct cor_body {
    size_t count;
    size_t bytes;
    size_t uniform;        /* bytes of each step if all are blocks of one size, else 0 */
    int is_flat;           /* all steps are blocks */
    const cor_step *steps; /* count of them, and one more for its begin */
} cor_body;

/* A nest and where it begins: the program of one element. */
typedef struct cor_root {
    ptrdiff_t first;
    const cor_nest *nest; /* NULL: no data */
} cor_root;

/* The step that holds the packed byte at `offset`. */
static inline const cor_step *cor_body_find(const cor_body *body, size_t offset)
{
    size_t low = 0, high = body->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (body->steps[middle].begin <= offset)
            low = middle;
        else
            high = middle;
    }
    return &body->steps[low];
}

/* ---- making (program.c) ----------------------------------------------------------------------------------------- */

/* Memory of a program: everything made for one type, freed together. Zero-initialised when empty. */
typedef struct cor_program_memory {
    struct program_chunk *chunks;
} cor_program_memory;

void *cor_program_alloc(cor_program_memory *memory, size_t bytes);
void cor_program_free(cor_program_memory *memory);

/* A list of steps that grows. Adjacent blocks become one; finish() finds the loops in it. */
typedef struct cor_program_list {
    cor_program_memory *memory;
    cor_step *steps; /* begin holds the bytes of the step until the list is finished */
    size_t count, room;
    int is_out_of_memory;
    cor_root last_of; /* the last loop that was made, since the next is often the same */
    size_t last_count;
    ptrdiff_t last_stride;
    const cor_nest *last_nest;
} cor_program_list;

void cor_program_open(cor_program_list *list, cor_program_memory *memory);
/* Append `count` elements of a root, `stride` bytes apart, the first at `offset`. */
void cor_program_add(cor_program_list *list, ptrdiff_t offset, cor_root root, size_t count, ptrdiff_t stride);
/* The root of all that was added, or COR_ERR_MEMORY; the list is freed either way. */
int cor_program_finish(cor_program_list *list, cor_root *root_p);

/* ---- running (walk.c) ------------------------------------------------------------------------------------------- */

/* Bytes [offset, offset + length) of the stream of elements whose first nest is at `memory`. */
void cor_program_pack(const cor_dtype *type, const char *memory, size_t offset, char *packed, size_t length);
void cor_program_unpack(const cor_dtype *type, char *memory, size_t offset, const char *packed, size_t length);

#endif
