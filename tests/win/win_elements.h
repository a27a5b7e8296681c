/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The elements of one-sided operations: predefined types, values of them that all operators treat exactly, which
 * operators they have, and which of their bytes mean something.
 */
#ifndef TESTS_WIN_ELEMENTS_H
#define TESTS_WIN_ELEMENTS_H

#include "../dtype/plan.h"

#include <mpi.h>

typedef enum element_class {
    ELEMENT_INTEGER,
    ELEMENT_SHARED_INTEGER, /* of Fortran or of several languages: without logical operators */
    ELEMENT_FLOAT,
    ELEMENT_COMPLEX,
    ELEMENT_LOGICAL,
    ELEMENT_BYTE,
    ELEMENT_TEXT, /* no operators but REPLACE and NO_OP */
    ELEMENT_PAIR,
    ELEMENT_CLASSES
} element_class;

typedef struct element {
    const char *name;
    plan_basic basic;
    element_class class;
    element_class value_class; /* of a pair's value */
} element;

extern const element elements[];
extern const int element_count;
const element *element_named(const char *name);
MPI_Datatype element_type(const element *e);

typedef struct operator_row {
    const char *name;
    MPI_Op op;
    unsigned classes; /* bits: 1 << class */
    int is_bitwise;
} operator_row;

extern const operator_row operators[];
extern const int operator_count;
int operator_is_for(const operator_row *op, const element *e);
/* May the element be compared and swapped? */
int element_is_swappable(const element *e);

/* `count` values, with their gaps, that follow from the key. is_raw: any bytes; otherwise small numbers, with which all
 * operators are exact. The caller frees it. */
unsigned char *element_values(const element *e, uint64_t key, size_t count, int is_raw);
/* Clear the mask, of one element, where its bytes mean nothing: the padding of a long double. */
void element_mask(const element *e, unsigned char *mask);
/* target = target op origin, for arrays made by element_values. */
void element_combine(const element *e, MPI_Op op, const unsigned char *origin, unsigned char *target, size_t count);

#endif
