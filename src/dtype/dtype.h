/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Datatypes: the layout of memory described by an MPI datatype, and its payload.
 *
 * A datatype has two descriptions. Its layout describes which elements of which other types are where; counts of
 * elements, "external32" and the bounds are computed from it. Its program (program.h) describes how to copy it: a few
 * nests of loops over contiguous blocks, made when the type is made. Packing can begin at any byte of the packed stream
 * and continue for any number of bytes.
 *
 * Types are immutable and reference counted; a type keeps the types it is made of, a held payload (payload.h) keeps
 * its type. Reference counts are atomic: a type may be used by several threads and requests at once. Predefined types
 * are constant data that ref and unref leave alone.
 *
 * Committing is done by the faces: here every type is ready when it is made.
 *
 * Constructors. All displacements, strides and bounds count bytes, except where a function says "elements", which
 * counts extents of the base. On success *type_p has one reference. Nothing is changed on failure:
 *   COR_ERR_COUNT   size, extent or a displacement would not fit a signed 64-bit number
 *   COR_ERR_MEMORY  no memory
 *   COR_ERR_ARG     only where stated
 */
#ifndef COR_DTYPE_DTYPE_H
#define COR_DTYPE_DTYPE_H

#include "dtype/payload.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cor_dtype {
    /* Used by every message. */
    size_t size;       /* bytes of data in one element */
    ptrdiff_t extent;  /* from one element to the next */
    int is_contiguous; /* one block at 0, size == extent */
    int is_predefined;

    /* The program, for elements at address base: the nest at base + first + i * step, from level `level` on. */
    const struct cor_nest *nest; /* NULL: no data */
    ptrdiff_t first, step;
    uint32_t level;
    size_t whole; /* iterations of that level in one element */

    /* Bounds. */
    int has_bounds;             /* lb and ub were given by a user (MPI's markers), and override those of the data */
    ptrdiff_t lb;               /* ub is lb + extent */
    ptrdiff_t true_lb, true_ub; /* where the data begins and ends; both 0 if there is none */
    size_t alignment;

    size_t basic_count;    /* basic elements in one, for Get_elements */
    size_t external_bytes; /* of one element in "external32" */
    const char *name;
    uint32_t number;                 /* of a predefined one: its handle in the MPI ABI */
    const struct cor_basic *basic;   /* of a predefined one: its values */
    const struct cor_layout *layout; /* of all others */
    const struct cor_recipe *recipe; /* its envelope and contents, or NULL */
    _Atomic int references;
    _Atomic size_t receive_max; /* see cor_dtype_receive_max; 0: not known yet, else the answer plus 1 */
} cor_dtype;

/* The predefined datatype with this number in the MPI 5.0 ABI (0x200..0x2ff), or NULL. Constant time. */
const cor_dtype *cor_dtype_predefined(uint32_t number);

void cor_dtype_ref(const cor_dtype *type);
void cor_dtype_unref(const cor_dtype *type);

/* ---- constructors ----------------------------------------------------------------------------------------------- */

/* `count` elements in a row. */
int cor_dtype_contiguous(size_t count, const cor_dtype *base, const cor_dtype **type_p);
/* `count` blocks of `length` elements, one every `stride` bytes; or elements. */
int cor_dtype_hvector(size_t count, size_t length, ptrdiff_t stride, const cor_dtype *base, const cor_dtype **type_p);
int cor_dtype_vector(size_t count, size_t length, ptrdiff_t stride_elements, const cor_dtype *base,
                     const cor_dtype **type_p);
/* Block i has lengths[i] elements and begins at displacements[i] bytes; or elements. The arrays are copied. */
int cor_dtype_hindexed(size_t count, const size_t *lengths, const ptrdiff_t *displacements, const cor_dtype *base,
                       const cor_dtype **type_p);
int cor_dtype_indexed(size_t count, const size_t *lengths, const ptrdiff_t *displacements_elements,
                      const cor_dtype *base, const cor_dtype **type_p);
/* The same with blocks of one length. */
int cor_dtype_hindexed_block(size_t count, size_t length, const ptrdiff_t *displacements, const cor_dtype *base,
                             const cor_dtype **type_p);
int cor_dtype_indexed_block(size_t count, size_t length, const ptrdiff_t *displacements_elements,
                            const cor_dtype *base, const cor_dtype **type_p);
/* Block i has lengths[i] elements of types[i] and begins at displacements[i] bytes. */
int cor_dtype_struct(size_t count, const size_t *lengths, const ptrdiff_t *displacements,
                     const cor_dtype *const *types, const cor_dtype **type_p);
/* The same data with other bounds. */
int cor_dtype_resized(const cor_dtype *base, ptrdiff_t lb, ptrdiff_t extent, const cor_dtype **type_p);
int cor_dtype_dup(const cor_dtype *base, const cor_dtype **type_p);

/* A box of subsizes[] elements at starts[] inside an array of sizes[]. Each has `dimensions` values, with
 * 0 <= starts and starts + subsizes <= sizes. is_fortran: the first dimension varies fastest, else the last. */
int cor_dtype_subarray(size_t dimensions, const size_t *sizes, const size_t *subsizes, const size_t *starts,
                       int is_fortran, const cor_dtype *base, const cor_dtype **type_p);

/* How one dimension of an array is distributed over one dimension of a process grid. */
typedef struct cor_share {
    size_t size;      /* of the array */
    size_t block;     /* elements per block, at least 1 */
    size_t processes; /* of the grid */
    size_t place;     /* this process's place in the grid, below processes */
    int is_cyclic;    /* cyclic: start again with the first process after the last; else block * processes >= size */
} cor_share;

/* This process's part of an array; `shares` has one row per dimension. */
int cor_dtype_darray(size_t dimensions, const cor_share *shares, int is_fortran, const cor_dtype *base,
                     const cor_dtype **type_p);

/* ---- envelope and contents ---------------------------------------------------------------------------------------
 */

/* What MPI_Type_get_contents returns. The numbers of the combiners are those of the MPI ABI. */
typedef struct cor_recipe {
    int combiner;
    size_t integer_count, address_count, large_count, type_count;
    const int *integers;
    const ptrdiff_t *addresses;
    const int64_t *larges; /* arguments of constructors with large counts */
    const cor_dtype *const *types;
} cor_recipe;

/* Set the recipe of a new type that no other thread uses yet; all is copied, the types in it are referenced.
 * COR_ERR_MEMORY. */
int cor_dtype_set_recipe(const cor_dtype *type, const cor_recipe *recipe);

/* ---- data ------------------------------------------------------------------------------------------------------- */

/* The payload of `count` elements at `base`. Plain if they have no gaps. Otherwise hold references the type; until then
 * the caller does. */
cor_payload cor_dtype_payload(const cor_dtype *type, const void *base, size_t count);

/* Copy bytes [offset, offset + length) of the packed stream of `count` elements at `base` to or from plain memory.
 * offset + length is at most count * size. */
void cor_dtype_pack(const cor_dtype *type, const void *base, size_t count, size_t offset, void *to, size_t length);
void cor_dtype_unpack(const cor_dtype *type, void *base, size_t count, size_t offset, const void *from, size_t length);

/* How many elements can be received at once without writing a byte twice: 0 if one element already does, SIZE_MAX if
 * there is no limit, or none that is cheap to find (types of very many scattered blocks). Cached after the first call.
 */
size_t cor_dtype_receive_max(const cor_dtype *type);

/* A contiguous block of an element's data: where it begins, from the element's address, and its length. */
typedef struct cor_dtype_row {
    int64_t at;
    uint64_t bytes;
} cor_dtype_row;

/* The blocks of memory that bytes [offset, ...) of the packed stream of `count` elements lie in, in the order of the
 * stream: at most `room` blocks, or fewer where they hold `bytes` bytes together. Adjacent blocks become one. Returns
 * how many; *bytes_p is how many bytes they hold. */
size_t cor_dtype_rows(const cor_dtype *type, size_t count, size_t offset, size_t bytes, cor_dtype_row *rows,
                      size_t room, size_t *bytes_p);

/* The predefined type that all elements of this one have; NULL: there are several, or no data. */
const cor_dtype *cor_dtype_only(const cor_dtype *type);

/* The basic elements in the first `bytes` bytes of the packed stream, or -1 if the last one is incomplete. */
int64_t cor_dtype_elements(const cor_dtype *type, uint64_t bytes);
/* The reverse: bytes of the first `elements` basic elements. COR_ERR_COUNT. A type without data has only 0. */
int cor_dtype_element_bytes(const cor_dtype *type, uint64_t elements, uint64_t *bytes_p);

/* `count` elements to and from "external32" (big endian, the sizes of the standard): count * external_bytes bytes at
 * `external`. Integers that are shorter there lose their upper bytes, as the standard says. */
void cor_dtype_pack_external(const cor_dtype *type, const void *base, size_t count, void *external);
void cor_dtype_unpack_external(const cor_dtype *type, void *base, size_t count, const void *external);

#endif
