/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the predefined operators should do, one value at a time and as plainly as it can be written: which types are
 * allowed, by the standard and beyond, random values for them, and the result.
 */
#ifndef TESTS_OP_REFERENCE_H
#define TESTS_OP_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

/* The numbers of the ABI. */
enum {
    REF_SUM = 0x21,
    REF_MIN = 0x22,
    REF_MAX = 0x23,
    REF_PROD = 0x24,
    REF_BAND = 0x28,
    REF_BOR = 0x29,
    REF_BXOR = 0x2a,
    REF_LAND = 0x30,
    REF_LOR = 0x31,
    REF_LXOR = 0x32,
    REF_MINLOC = 0x38,
    REF_MAXLOC = 0x39,
};

/* What a value is. */
typedef enum ref_kind {
    REF_SIGNED,
    REF_UNSIGNED,
    REF_HALF,
    REF_FLOAT,
    REF_DOUBLE,
    REF_LONG_DOUBLE,
    REF_QUAD
} ref_kind;

typedef struct ref_type {
    uint32_t number;
    const char *name;
    const char *group; /* "C integer", "Fortran integer", "floating", "logical", "complex", "byte", "multi", "pair" */
    ref_kind kind;
    size_t bytes;   /* of one value; two of them make a complex number */
    ref_kind index; /* of a pair */
    size_t index_bytes;
} ref_type;

/* All types that have an operator; the last row has number 0. */
extern const ref_type ref_types[];

/* The row of a number, or NULL. */
const ref_type *ref_type_find(uint32_t number);

/* Is the operator defined for the type? */
int ref_is_defined(uint32_t op, const ref_type *type);

/* Bytes of an element without gaps. */
size_t ref_element_bytes(const ref_type *type);

/* A random element; small numbers are likely, so that equal ones meet. */
void ref_fill(const ref_type *type, uint64_t *random, void *element);

/* out = a op b for one element, none of which need be aligned. */
void ref_combine(uint32_t op, const ref_type *type, const void *a, const void *b, void *out);

/* Do they mean the same? NaN is like any NaN, and 0 like -0. */
int ref_is_same(const ref_type *type, const void *a, const void *b);

#endif
