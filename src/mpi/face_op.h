/* SPDX-License-Identifier: Apache-2.0 */
/* Operators of reductions. */
#ifndef COR_MPI_FACE_OP_H
#define COR_MPI_FACE_OP_H

#include "mpi/face_error.h"

#include "dtype/op.h"

/* The operator behind a handle, or NULL. */
static inline const cor_op *face_op_find(MPI_Op handle)
{
    if ((uintptr_t)handle <= FACE_RESERVED_MAX)
        return cor_op_predefined((uint32_t)(uintptr_t)handle);
    face_op *made = (face_op *)handle;
    return face_is_object(face_get(), made) && made->kind == FACE_OP ? made->op : NULL;
}

/* The type a predefined operator works on: types that MPI_Type_create_f90_* made count as predefined ones. */
const cor_dtype *face_op_type(const cor_dtype *type);

/* The arguments `op` and `datatype` of a call that reduces: on MPI_SUCCESS *reducer_p is set, while both live. Else
 * the error, already reported: MPI_ERR_TYPE for an invalid datatype, MPI_ERR_OP for an invalid operator or one that is
 * not defined for the datatype. `comm` NULL: the call has no communicator. */
int face_op_check(const char *call, face_comm *comm, MPI_Op handle, MPI_Datatype datatype, cor_reducer *reducer_p);

#endif
