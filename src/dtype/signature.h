/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Type signatures: which basic elements a stream consists of, in their order, wherever they are in memory. MPI requires
 * that send and receive have the same one; this file compares and prints signatures.
 *
 * Equal sequences have equal signatures, however the datatypes were constructed: a signature is a hash that is
 * computed from those of the parts, in time that does not depend on counts.
 *
 * Equivalence. The standard requires the same basic types. Here two elements are equivalent if they have the same size
 * and are both integers (signed or not, characters too), both floating-point numbers or both logical values; a complex
 * number is two floating-point numbers, and a pair is its two values. A stream with MPI_BYTE or MPI_PACKED in it
 * matches every other one. So does one whose datatype is not known, or takes too long to walk through.
 */
#ifndef COR_DTYPE_SIGNATURE_H
#define COR_DTYPE_SIGNATURE_H

#include "dtype/dtype.h"

enum { COR_SIGNATURE_RUNS = 3, COR_SIGNATURE_WORDS = 90 };

/* `count` elements of a predefined datatype in a row. */
typedef struct cor_signature_run {
    uint64_t count;
    uint64_t number;
} cor_signature_run;

/* No padding: it may be sent, and compared, as bytes. */
typedef struct cor_signature {
    uint64_t hash, elements; /* of the whole sequence */
    uint8_t is_open;         /* matches every other one */
    uint8_t run_count;       /* runs in `runs`: the beginning */
    uint8_t is_longer;       /* there are more runs */
    uint8_t unused[5];
    cor_signature_run runs[COR_SIGNATURE_RUNS];
} cor_signature;

/* The first `bytes` bytes, whole elements, of a stream of this type. NULL: not known. */
cor_signature cor_signature_of(const cor_dtype *type, size_t bytes);

int cor_signature_fits(const cor_signature *a, const cor_signature *b);

/* "4 of MPI_INT and 1 of MPI_DOUBLE", or how it begins; room for COR_SIGNATURE_WORDS bytes. */
void cor_signature_print(const cor_signature *signature, char *out);

#endif
