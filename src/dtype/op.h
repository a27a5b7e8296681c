/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reduction operators, and their kernels for datatypes.
 *
 * An operator works on packed streams (dtype.h): elements without gaps, count * type->size bytes. For the predefined
 * ones there is a kernel for every type the standard allows, which reads two streams and writes a third. A user's
 * operator gets elements in the layout of its datatype; where the type has gaps, pieces are unpacked for it into
 * scratch memory and packed again.
 *
 * Order: a op b with a from the lower ranks. A predefined operator is commutative, except the two that are only for
 * one-sided communication (MPI_REPLACE and MPI_NO_OP), which no reduction accepts.
 *
 * Operators are reference counted, atomically; predefined ones are constant data that ref and unref leave alone.
 */
#ifndef COR_DTYPE_OP_H
#define COR_DTYPE_OP_H

#include "dtype/dtype.h"

typedef struct cor_op cor_op;

/* A user's operator: inout[i] = in[i] op inout[i] for `count` elements of `type`. `handle` is the face's handle of the
 * type. It cannot fail. */
typedef void (*cor_op_apply_fn)(const cor_op *op, const void *in, void *inout, size_t count, const cor_dtype *type,
                                void *handle);

struct cor_op {
    const char *name; /* "MPI_SUM"; NULL: a user's */
    uint32_t number;  /* of a predefined one: its handle in the MPI ABI */
    int is_commutative;
    cor_op_apply_fn apply; /* NULL: predefined */
    void *context;         /* the face's */
    void (*free_fn)(void *context);
    /* Of a user's operator, both or neither: reference and release the face's handle of a type. */
    void (*hold_handle)(void *handle);
    void (*release_handle)(void *handle);
    _Atomic int references;
};

/* The predefined operator with this number in the MPI 5.0 ABI (0x20..0x3f), or NULL. Constant time. */
const cor_op *cor_op_predefined(uint32_t number);

/* A user's operator with one reference, or NULL: no memory (then free_fn, which may be NULL, is not called). */
cor_op *cor_op_create(cor_op_apply_fn apply, int is_commutative, void *context, void (*free_fn)(void *context));
void cor_op_ref(const cor_op *op);
void cor_op_unref(const cor_op *op);

/* ---- an operator on a datatype ---------------------------------------------------------------------------------- */

/* out[i] = a[i] op b[i] on packed elements, aligned or not. `out` may be `b` or `a`, or overlaps neither. */
typedef void (*cor_combine_fn)(const void *a, const void *b, void *out, size_t count);

/* A small value that owns nothing: the caller keeps operator, type and handle alive, or calls hold. */
typedef struct cor_reducer {
    const cor_op *op;
    const cor_dtype *type;
    void *handle;           /* the face's handle of the type, for a user's operator */
    cor_combine_fn combine; /* NULL: a user's operator */
} cor_reducer;

/* COR_ERR_TYPE: the operator is not defined for the type. A contiguous type made of one predefined type (dup,
 * contiguous) does not count as predefined: the standard allows predefined operators on predefined types only. */
int cor_reducer_init(cor_reducer *reducer, const cor_op *op, const cor_dtype *type, void *handle);

/* For a call that outlives its caller: operator, type and handle are referenced until released, whatever the program
 * frees. */
void cor_reducer_hold(const cor_reducer *reducer);
void cor_reducer_release(const cor_reducer *reducer);

/* out = a op b on `bytes` of packed stream, a whole number of elements. `out` may be `b`; it may be `a` if the operator
 * is commutative; else it overlaps neither. COR_ERR_MEMORY: no scratch memory for a type with gaps. */
int cor_reduce_packed(const cor_reducer *reducer, const void *a, const void *b, void *out, size_t bytes);

/* MPI_Reduce_local: inout = in op inout, both in the layout of the type. COR_ERR_MEMORY. */
int cor_reduce_local(const cor_reducer *reducer, const void *in, void *inout, size_t count);

#endif
