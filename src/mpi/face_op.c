/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators of reductions: making and freeing them, finding them for a call, and reducing without communication.
 */
#include "mpi/face_op.h"

#include "dtype/layout.h"
#include "mpi/face_p2p.h"
#include "mpi/face_type.h"

#include <limits.h>
#include <stdlib.h>

/* ---- a program's functions -------------------------------------------------------------------------------------- */

/* The context of an operator that a program made. */
typedef struct op_function {
    MPI_User_function *plain; /* or NULL: */
    MPI_User_function_c *large;
} op_function;

static void op_call_large(const op_function *function, const void *in, void *inout, size_t count, MPI_Datatype handle)
{
    MPI_Count length = (MPI_Count)count;
    function->large((void *)(uintptr_t)in, inout, &length, &handle);
}

/* In pieces that an int can count. The function gets copies of the arguments that it could change. */
static void op_call_plain(const op_function *function, const char *in, char *inout, size_t count, ptrdiff_t extent,
                          MPI_Datatype handle)
{
    while (count > 0) {
        int piece = count < INT_MAX ? (int)count : INT_MAX, length = piece;
        MPI_Datatype datatype = handle;
        function->plain((void *)(uintptr_t)in, inout, &length, &datatype);
        count -= (size_t)piece;
        if (count > 0) {
            in += piece * extent;
            inout += piece * extent;
        }
    }
}

static void op_apply(const cor_op *op, const void *in, void *inout, size_t count, const cor_dtype *type, void *handle)
{
    const op_function *function = op->context;
    if (function->plain)
        op_call_plain(function, in, inout, count, type->extent, handle);
    else
        op_call_large(function, in, inout, count, handle);
}

/* A non-blocking call may outlive the program's handle of the datatype, which its function still gets. */
static void op_hold_handle(void *handle)
{
    face_type_ref(face_get(), handle);
}

static void op_release_handle(void *handle)
{
    face_type_unref(face_get(), handle);
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

static int op_make(const char *call, op_function function, int commute, MPI_Op *op)
{
    face_rank *rank = face_get();
    face_op *made = face_object_create(rank, FACE_OP, call);
    op_function *kept = malloc(sizeof *kept);
    cor_op *created = made && kept ? cor_op_create(op_apply, commute != 0, kept, free) : NULL;
    if (!created) {
        free(kept);
        if (made)
            face_object_destroy(rank, made);
        return face_fail(call, NULL, MPI_ERR_NO_MEM, "no memory for an operator");
    }
    created->hold_handle = op_hold_handle;
    created->release_handle = op_release_handle;
    *kept = function;
    made->op = created;
    *op = (MPI_Op)made;
    return MPI_SUCCESS;
}

/* MPI_Op_create has one type of functions and MPI_Op_create_c another. */
static int op_create(const face_form *form, void (*user_fn)(void), int commute, MPI_Op *op)
{
    op_function function = {0};
    if (form->is_large)
        function.large = (MPI_User_function_c *)user_fn;
    else
        function.plain = (MPI_User_function *)user_fn;
    return op_make(form->name, function, commute, op);
}

FACE_API(Op_create, op_create)

static int op_free(const char *call, MPI_Op *op)
{
    const cor_op *found = face_op_find(*op);
    if (found->name)
        return face_fail(call, NULL, MPI_ERR_OP, "*op is %s, which cannot be freed", found->name);
    /* Active reductions have their own references. */
    face_object_destroy(face_get(), *op);
    cor_op_unref(found);
    *op = MPI_OP_NULL;
    return MPI_SUCCESS;
}

FACE_API(Op_free, op_free)

static int op_commutative(const char *call, const cor_op *op, int *commute)
{
    *commute = op->is_commutative;
    return MPI_SUCCESS;
}

FACE_API(Op_commutative, op_commutative)

/* ---- use -------------------------------------------------------------------------------------------------------- */

const cor_dtype *face_op_type(const cor_dtype *type)
{
    if (type->is_predefined || !type->recipe)
        return type;
    switch (type->recipe->combiner) {
    case MPI_COMBINER_F90_INTEGER:
    case MPI_COMBINER_F90_REAL:
    case MPI_COMBINER_F90_COMPLEX:
        return type->layout->base;
    default:
        return type;
    }
}

int face_op_check(const char *call, face_comm *comm, MPI_Op handle, MPI_Datatype datatype, cor_reducer *reducer_p)
{
    const cor_op *op = face_op_find(handle);
    const cor_dtype *type = face_type_find(datatype);
    if (COR_UNLIKELY(!type))
        return face_fail_type(call, comm, "datatype", datatype);
    if (COR_UNLIKELY(!op))
        return face_fail_op(call, comm, "op", handle);
    if (COR_LIKELY(cor_reducer_init(reducer_p, op, type, datatype) == COR_OK))
        return MPI_SUCCESS;
    const cor_dtype *meant = face_op_type(type);
    if (meant != type && cor_reducer_init(reducer_p, op, meant, datatype) == COR_OK)
        return MPI_SUCCESS;
    if (handle == MPI_REPLACE || handle == MPI_NO_OP)
        return face_fail(call, comm, MPI_ERR_OP, "op is %s, which is only for one-sided communication", op->name);
    return face_fail(call, comm, MPI_ERR_OP, "op is %s, which is not defined for %s", op->name,
                     meant->is_predefined ? meant->name : "a derived datatype");
}

static int op_reduce_local(const char *call, const void *inbuf, void *inoutbuf, MPI_Count count, MPI_Datatype datatype,
                           MPI_Op op)
{
    static const p2p_names in = {"inbuf", "count", "datatype", NULL, NULL};
    static const p2p_names inout = {"inoutbuf", "count", "datatype", NULL, NULL};
    face_open(call);
    cor_reducer reducer;
    int error = p2p_explain_buffer(call, &in, NULL, inbuf, count, datatype)
                    ?: p2p_explain_buffer(call, &inout, NULL, inoutbuf, count, datatype)
                    ?: p2p_explain_overlap(call, &inout, NULL, count, datatype)
                    ?: face_op_check(call, NULL, op, datatype, &reducer);
    if (error != MPI_SUCCESS)
        return error;
    if (inbuf == inoutbuf && count > 0 && reducer.type->size > 0)
        return face_fail(call, NULL, MPI_ERR_BUFFER, "inbuf and inoutbuf are the same memory");
    int code = cor_reduce_local(&reducer, inbuf, inoutbuf, (size_t)count);
    return code == COR_OK ? MPI_SUCCESS : face_fail_engine(call, NULL, code, NULL);
}

FACE_API(Reduce_local, op_reduce_local)
