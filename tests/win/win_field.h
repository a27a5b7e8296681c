/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A window for trials (win_trial.h): of one of the flavours, with different displacement units, and with a copy of what
 * must be in it.
 */
#ifndef TESTS_WIN_FIELD_H
#define TESTS_WIN_FIELD_H

#include "win_suite.h"

typedef enum field_flavour {
    FIELD_CREATED,
    FIELD_ALLOCATED,
    FIELD_SHARED,
    FIELD_DYNAMIC,
    FIELD_FLAVOURS
} field_flavour;

extern const char *const field_flavour_names[];

typedef struct field {
    field_flavour flavour;
    MPI_Win win;
    size_t bytes;            /* the same everywhere */
    int *units;              /* displacement units, by rank */
    MPI_Aint *bases;         /* what a displacement of 0 bytes is: the addresses of dynamic windows, else 0 */
    unsigned char *memory;   /* mine */
    unsigned char *expected; /* what must be in it */
    unsigned char *mask;     /* 0: of no meaning */
} field;

/* Collective. SHARED: not all ranks may be on one host; then returns 0, everywhere. */
int field_make(const test *t, field_flavour flavour, size_t bytes, field *f);
void field_free(field *f);
/* Fill the copy with new bytes. */
void field_reset(field *f, uint64_t key);
/* The copy becomes the contents. */
void field_load(const test *t, field *f);
/* The contents are those of the copy. */
void field_check(const test *t, field *f);
/* The displacement of a byte at a rank; the byte must be a multiple of its unit. */
MPI_Aint field_displacement(const field *f, int rank, size_t byte);

#endif
