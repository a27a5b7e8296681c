/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of datatypes, predefined ones included. */
#include "mpi/face_attribute.h"

/* ---- where they are --------------------------------------------------------------------------------------------- */

/* The attributes of a datatype. */
static cor_attributes *type_attributes(face_rank *rank, MPI_Datatype handle)
{
    face_type *made = face_type_made(handle);
    return made ? &made->attributes : &rank->type_attributes[(uintptr_t)handle - COR_DTYPE_FIRST];
}

/* ---- the program's functions ------------------------------------------------------------------------------------ */

static int type_code(int code)
{
    return code < 0 ? MPI_ERR_OTHER : code;
}

static int type_copy(const cor_key *key, void *object, void *value, void **copy_p, int *is_copied_p)
{
    MPI_Type_copy_attr_function *function = (MPI_Type_copy_attr_function *)key->functions[0];
    if (function == MPI_TYPE_NULL_COPY_FN)
        return MPI_SUCCESS;
    if (function == MPI_TYPE_DUP_FN) {
        *copy_p = value;
        *is_copied_p = 1;
        return MPI_SUCCESS;
    }
    return type_code(function((MPI_Datatype)object, key->number, key->state, value, copy_p, is_copied_p));
}

static int type_discard(const cor_key *key, void *object, void *value)
{
    MPI_Type_delete_attr_function *function = (MPI_Type_delete_attr_function *)key->functions[1];
    if (function == MPI_TYPE_NULL_DELETE_FN)
        return MPI_SUCCESS;
    return type_code(function((MPI_Datatype)object, key->number, value, key->state));
}

static const cor_key_ops type_ops = {type_copy, type_discard};

/* ---- dup and free ----------------------------------------------------------------------------------------------- */

int face_type_discard_attributes(const char *call, MPI_Datatype datatype)
{
    face_type *made = face_type_made(datatype);
    int code = cor_attributes_discard(face_get()->keys, &made->attributes, datatype);
    return code == 0 ? MPI_SUCCESS : face_fail_callback(call, NULL, code, "the delete function of an attribute");
}

int face_type_copy_attributes(const char *call, MPI_Datatype original, MPI_Datatype copy)
{
    face_rank *rank = face_get();
    cor_attributes *from = type_attributes(rank, original), *to = type_attributes(rank, copy);
    int code = cor_attributes_copy(rank->keys, to, from, original);
    if (code == 0)
        return MPI_SUCCESS;
    /* The error is already reported; the results of the delete functions change nothing. */
    cor_attributes_discard(rank->keys, to, copy);
    if (code == COR_ERR_MEMORY)
        return face_fail(call, NULL, MPI_ERR_NO_MEM, "no memory for an attribute");
    return face_fail_callback(call, NULL, code, "the copy function of an attribute");
}

/* ---- the calls -------------------------------------------------------------------------------------------------- */

static int type_create_key(const char *call, MPI_Type_copy_attr_function *copy, MPI_Type_delete_attr_function *discard,
                           int *keyval, void *extra_state)
{
    return face_keyval_create(call, COR_KEY_TYPE, &type_ops, (attribute_fn)copy, (attribute_fn)discard, keyval,
                              extra_state);
}

FACE_API(Type_create_keyval, type_create_key)
FACE_API(Type_free_keyval, face_keyval_free, COR_KEY_TYPE)

static int type_set(const char *call, MPI_Datatype datatype, int keyval, void *value)
{
    return face_attribute_set(call, NULL, COR_KEY_TYPE, type_attributes(face_get(), datatype), datatype, keyval,
                              value);
}

FACE_API(Type_set_attr, type_set)

static int type_get(const char *call, MPI_Datatype datatype, int keyval, void *value_p, int *flag)
{
    return face_attribute_get(call, NULL, COR_KEY_TYPE, type_attributes(face_get(), datatype), keyval, value_p, flag);
}

FACE_API(Type_get_attr, type_get)

static int type_delete(const char *call, MPI_Datatype datatype, int keyval)
{
    return face_attribute_delete(call, NULL, COR_KEY_TYPE, type_attributes(face_get(), datatype), datatype, keyval);
}

FACE_API(Type_delete_attr, type_delete)
