/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of datatypes, predefined ones included. */
#include "mpi/face_attribute.h"

/* ---- where they are --------------------------------------------------------------------------------------------- */

/* The attributes of a datatype, or NULL if the handle is invalid. */
static cor_attributes *type_attributes(face_rank *rank, MPI_Datatype handle)
{
    face_type *made = face_type_made(handle);
    if (made)
        return &made->attributes;
    return face_type_predefined(handle) ? &rank->type_attributes[(uintptr_t)handle - COR_DTYPE_FIRST] : NULL;
}

/* The attributes of a call's datatype, or NULL with the error reported in *error_p. */
static cor_attributes *type_ask(const char *call, MPI_Datatype handle, int *error_p)
{
    cor_attributes *attributes = type_attributes(face_open(call), handle);
    if (!attributes)
        *error_p = face_fail_type(call, NULL, "datatype", handle);
    return attributes;
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

COR_API(int, Type_create_keyval,
        (MPI_Type_copy_attr_function * type_copy_attr_fn, MPI_Type_delete_attr_function *type_delete_attr_fn,
         int *type_keyval, void *extra_state))
{
    return face_keyval_create("MPI_Type_create_keyval", COR_KEY_TYPE, &type_ops, (attribute_fn)type_copy_attr_fn,
                              (attribute_fn)type_delete_attr_fn, type_keyval, extra_state);
}

COR_API(int, Type_free_keyval, (int *type_keyval))
{
    return face_keyval_free("MPI_Type_free_keyval", COR_KEY_TYPE, type_keyval);
}

COR_API(int, Type_set_attr, (MPI_Datatype datatype, int type_keyval, void *attribute_val))
{
    int error = MPI_SUCCESS;
    cor_attributes *attributes = type_ask("MPI_Type_set_attr", datatype, &error);
    return attributes ? face_attribute_set("MPI_Type_set_attr", NULL, COR_KEY_TYPE, attributes, datatype, type_keyval,
                                           attribute_val)
                      : error;
}

COR_API(int, Type_get_attr, (MPI_Datatype datatype, int type_keyval, void *attribute_val, int *flag))
{
    int error = MPI_SUCCESS;
    cor_attributes *attributes = type_ask("MPI_Type_get_attr", datatype, &error);
    if (!attributes)
        return error;
    if (!attribute_val || !flag)
        return face_fail_null("MPI_Type_get_attr", NULL, attribute_val ? "flag" : "attribute_val");
    return face_attribute_get("MPI_Type_get_attr", NULL, COR_KEY_TYPE, attributes, type_keyval, attribute_val, flag);
}

COR_API(int, Type_delete_attr, (MPI_Datatype datatype, int type_keyval))
{
    int error = MPI_SUCCESS;
    cor_attributes *attributes = type_ask("MPI_Type_delete_attr", datatype, &error);
    return attributes
               ? face_attribute_delete("MPI_Type_delete_attr", NULL, COR_KEY_TYPE, attributes, datatype, type_keyval)
               : error;
}
