/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Datatypes as places of bytes. A shape is a datatype made of cells; it knows where each cell of one element lies,
 * worked out beside MPI in the plainest way. A layout is a shape repeated: as the view of a file, or as elements in
 * memory. The data of either are a stream of bytes; layout_at says where byte number i of it lies.
 */
#ifndef TESTS_FILE_LAYOUT_H
#define TESTS_FILE_LAYOUT_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#define SHAPES                                                                                                        \
    X(ONE)                                                                                                            \
    X(CONTIGUOUS)                                                                                                     \
    X(VECTOR)                                                                                                         \
    X(HVECTOR)                                                                                                        \
    X(INDEXED)                                                                                                        \
    X(HINDEXED)                                                                                                       \
    X(INDEXED_BLOCK)                                                                                                  \
    X(HINDEXED_BLOCK)                                                                                                 \
    X(STRUCT)                                                                                                         \
    X(LINE)                                                                                                           \
    X(AREA)                                                                                                           \
    X(SPACE)                                                                                                          \
    X(HYPERSPACE)                                                                                                     \
    X(DARRAY_BLOCK)                                                                                                   \
    X(DARRAY_CYCLIC)                                                                                                  \
    X(HOLES)                                                                                                          \
    X(NESTED)                                                                                                         \
    X(BACKWARDS)

/* The last only in memory: places in a view rise. LINE to HYPERSPACE are subarrays of 1 to 4 dimensions. */
typedef enum shape_kind {
#define X(name) SHAPE_##name,
    SHAPES
#undef X
        SHAPE_KINDS,
    SHAPE_FILE_KINDS = SHAPE_BACKWARDS
} shape_kind;
extern const char *const shape_names[];

enum { SHAPE_CELLS_MAX = 96 };

/* What a stream is made of. */
typedef struct cell {
    MPI_Datatype type;
    size_t bytes; /* size and extent */
    const char *name;
} cell;

typedef struct shape {
    shape_kind kind;
    MPI_Datatype type;
    int cells;
    MPI_Aint at[SHAPE_CELLS_MAX]; /* of each cell, in the order of the stream */
    MPI_Aint end;                 /* behind the last of them */
    MPI_Aint extent;
} shape;

typedef struct layout {
    MPI_Offset displacement;
    cell of;
    shape shape;
} layout;

/* A predefined type, or one made for the purpose, of up to 24 bytes; cell_free ends it. */
cell cell_make(int number);
enum { CELL_KINDS = 8 };
void cell_free(cell *of);

/* A random shape of this kind. `spread` makes room for others: elements are at least that many bytes apart; 0: as the
 * datatype's own extent has it. The datatype is committed. */
void layout_make(layout *l, shape_kind kind, cell of, uint64_t *random);
void layout_spread(layout *l, MPI_Aint extent);
void layout_free(layout *l);

/* Where the byte `position` of the stream lies. */
MPI_Offset layout_at(const layout *l, uint64_t position);
/* Bytes of the stream in one element. */
size_t layout_bytes(const layout *l);
/* From the first byte to behind the last of `count` elements in memory. */
size_t layout_reach(const layout *l, size_t count);

/* Between elements in memory and a stream. */
void layout_pack(const layout *l, const unsigned char *memory, size_t bytes, unsigned char *stream);
void layout_unpack(const layout *l, unsigned char *memory, size_t bytes, const unsigned char *stream);

#endif
