/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kinds of elements the tests move and combine: a datatype each, and for a reduction an operator and what it does,
 * written down a second time in the plainest way. Everything is about packed elements; the datatypes say where these
 * lie.
 *
 * The values of a stream follow from a key and the place in the stream, so every rank knows what the others pass.
 */
#ifndef TESTS_COLL_KIND_H
#define TESTS_COLL_KIND_H

#include "dtype/op.h"

typedef enum coll_kind {
    /* To move. A packed element of each divides KIND_MOVED_BYTES. */
    KIND_CHAR,
    KIND_DOUBLE,
    KIND_VECTOR, /* blocks with gaps, and a gap behind */
    KIND_STRUCT, /* different types with gaps */
    KIND_MIXED,  /* each rank and block one of the four */
    KIND_MOVED_END,
    /* To combine. */
    KIND_INT_SUM = KIND_MOVED_END,
    KIND_CHAR_MAX,
    KIND_DOUBLE_SUM,
    KIND_WORD_XOR,
    KIND_PAIR,   /* a user's commutative operator on a struct with gaps */
    KIND_AFFINE, /* maps x -> a x + b, one after the other: keeps the order or is wrong */
    KIND_MATRIX, /* products of 2 x 2 matrices on a vector with gaps */
    KINDS
} coll_kind;

enum { KIND_MOVED_BYTES = 24 };

/* The datatypes and operators of one rank. */
typedef struct coll_kinds {
    const cor_dtype *types[KINDS]; /* KIND_MIXED has none */
    const cor_op *ops[KINDS];      /* NULL for those that are moved */
} coll_kinds;

/* 0: no memory. */
int coll_kinds_init(coll_kinds *kinds);
void coll_kinds_fini(coll_kinds *kinds);

const char *coll_kind_name(coll_kind kind);
int coll_kind_is_commutative(coll_kind kind);
size_t coll_kind_bytes(coll_kind kind); /* packed; of KIND_MIXED: KIND_MOVED_BYTES */

/* The packed elements with this key, from the element `first` on. */
void coll_kind_fill(coll_kind kind, uint64_t key, size_t first, size_t count, void *packed);
/* into = into op next */
void coll_kind_combine(coll_kind kind, void *into, const void *next, size_t count);

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

static inline uint64_t coll_mix(uint64_t value)
{
    value += 0x9e3779b97f4a7c15u;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}

static inline uint64_t coll_mix2(uint64_t a, uint64_t b)
{
    return coll_mix(coll_mix(a) + b);
}

#endif
