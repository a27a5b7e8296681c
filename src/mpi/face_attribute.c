/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of communicators, and what they share with those of datatypes. */
#include "mpi/face_attribute.h"

#include "mpi/face_comm.h"

/* ---- keys ------------------------------------------------------------------------------------------------------- */

int face_keyval_create(const char *call, cor_key_kind kind, const cor_key_ops *ops, attribute_fn copy,
                       attribute_fn discard, int *keyval, void *extra_state)
{
    cor_key model = {.kind = kind, .ops = ops, .state = extra_state, .functions = {copy, discard}};
    if (cor_key_create(face_get()->keys, &model, keyval) != COR_OK)
        return face_fail(call, NULL, MPI_ERR_NO_MEM, "no memory for an attribute key");
    return MPI_SUCCESS;
}

static int attribute_is_predefined(int keyval)
{
    switch (keyval) {
    case MPI_TAG_UB:
    case MPI_IO:
    case MPI_HOST:
    case MPI_WTIME_IS_GLOBAL:
    case MPI_APPNUM:
    case MPI_LASTUSEDCODE:
    case MPI_UNIVERSE_SIZE:
    case MPI_WIN_BASE:
    case MPI_WIN_SIZE:
    case MPI_WIN_DISP_UNIT:
    case MPI_WIN_CREATE_FLAVOR:
    case MPI_WIN_MODEL:
        return 1;
    default:
        return 0;
    }
}

/* A key of this kind, or the error, already reported. A freed one is valid for the values that it still has. */
static int attribute_check_key(const char *call, face_comm *comm, cor_key_kind kind, int keyval, int is_new_value)
{
    cor_key_state state = cor_key_state_of(face_get()->keys, kind, keyval);
    if (state == COR_KEY_USABLE || (state == COR_KEY_FREED && !is_new_value))
        return MPI_SUCCESS;
    if (keyval == MPI_KEYVAL_INVALID)
        return face_fail(call, comm, MPI_ERR_KEYVAL, "the attribute key is MPI_KEYVAL_INVALID");
    if (attribute_is_predefined(keyval))
        return face_fail(call, comm, MPI_ERR_KEYVAL, "the attribute key %d is predefined and cannot be changed",
                         keyval);
    return face_fail(call, comm, MPI_ERR_KEYVAL,
                     "the attribute key is %d, which was freed or belongs to another kind of object", keyval);
}

int face_keyval_free(const char *call, int *keyval, cor_key_kind kind)
{
    int error = attribute_check_key(call, NULL, kind, *keyval, 0);
    if (error != MPI_SUCCESS)
        return error;
    cor_key_free(face_get()->keys, *keyval);
    *keyval = MPI_KEYVAL_INVALID;
    return MPI_SUCCESS;
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

static int attribute_outcome(const char *call, face_comm *comm, int code)
{
    if (code == COR_ERR_MEMORY)
        return face_fail(call, comm, MPI_ERR_NO_MEM, "no memory for an attribute");
    return code == 0 ? MPI_SUCCESS : face_fail_callback(call, comm, code, "the delete function of the attribute");
}

int face_attribute_set(const char *call, face_comm *comm, cor_key_kind kind, cor_attributes *attributes, void *object,
                       int keyval, void *value)
{
    int error = attribute_check_key(call, comm, kind, keyval, 1);
    if (error != MPI_SUCCESS)
        return error;
    return attribute_outcome(call, comm, cor_attribute_set(face_get()->keys, attributes, object, keyval, value));
}

int face_attribute_delete(const char *call, face_comm *comm, cor_key_kind kind, cor_attributes *attributes,
                          void *object, int keyval)
{
    int error = attribute_check_key(call, comm, kind, keyval, 0);
    if (error != MPI_SUCCESS)
        return error;
    return attribute_outcome(call, comm, cor_attribute_delete(face_get()->keys, attributes, object, keyval));
}

int face_attribute_get(const char *call, face_comm *comm, cor_key_kind kind, const cor_attributes *attributes,
                       int keyval, void *value_p, int *flag)
{
    int error = attribute_check_key(call, comm, kind, keyval, 0);
    if (error == MPI_SUCCESS)
        *flag = cor_attribute_get(face_get()->keys, attributes, keyval, value_p);
    return error;
}

/* ---- the program's functions ------------------------------------------------------------------------------------ */

/* A negative code would look like one of the engine's. */
static int attribute_code(int code)
{
    return code < 0 ? MPI_ERR_OTHER : code;
}

static int attribute_copy_comm(const cor_key *key, void *object, void *value, void **copy_p, int *is_copied_p)
{
    MPI_Comm_copy_attr_function *function = (MPI_Comm_copy_attr_function *)key->functions[0];
    if (function == MPI_COMM_NULL_COPY_FN)
        return MPI_SUCCESS;
    if (function == MPI_COMM_DUP_FN) {
        *copy_p = value;
        *is_copied_p = 1;
        return MPI_SUCCESS;
    }
    face_comm *comm = object;
    return attribute_code(function(comm->handle, key->number, key->state, value, copy_p, is_copied_p));
}

static int attribute_discard_comm(const cor_key *key, void *object, void *value)
{
    MPI_Comm_delete_attr_function *function = (MPI_Comm_delete_attr_function *)key->functions[1];
    if (function == MPI_COMM_NULL_DELETE_FN)
        return MPI_SUCCESS;
    face_comm *comm = object;
    return attribute_code(function(comm->handle, key->number, value, key->state));
}

static const cor_key_ops attribute_comm_ops = {attribute_copy_comm, attribute_discard_comm};

/* ---- of communicators ------------------------------------------------------------------------------------------- */

static int attribute_create_key(const char *call, MPI_Comm_copy_attr_function *copy,
                                MPI_Comm_delete_attr_function *discard, int *keyval, void *extra_state)
{
    return face_keyval_create(call, COR_KEY_COMM, &attribute_comm_ops, (attribute_fn)copy, (attribute_fn)discard,
                              keyval, extra_state);
}

FACE_API(Comm_create_keyval, attribute_create_key)
FACE_API(Keyval_create, attribute_create_key)

FACE_API(Comm_free_keyval, face_keyval_free, COR_KEY_COMM)
FACE_API(Keyval_free, face_keyval_free, COR_KEY_COMM)

static int attribute_set_comm(const char *call, face_comm *comm, int keyval, void *value)
{
    return face_attribute_set(call, comm, COR_KEY_COMM, &comm->attributes, comm, keyval, value);
}

FACE_API(Comm_set_attr, attribute_set_comm)
FACE_API(Attr_put, attribute_set_comm)

static int attribute_delete_comm(const char *call, face_comm *comm, int keyval)
{
    return face_attribute_delete(call, comm, COR_KEY_COMM, &comm->attributes, comm, keyval);
}

FACE_API(Comm_delete_attr, attribute_delete_comm)
FACE_API(Attr_delete, attribute_delete_comm)

/* ---- the predefined ones ---------------------------------------------------------------------------------------- */

/* The attribute, or NULL if it is not set; *known_p says whether it is a predefined one of communicators at all. */
static int *attribute_predefined(face_attributes *attributes, int keyval, int *known_p)
{
    *known_p = 1;
    switch (keyval) {
    case MPI_TAG_UB:
        return &attributes->tag_ub;
    case MPI_IO:
        return &attributes->io;
    case MPI_HOST:
        return &attributes->host;
    case MPI_WTIME_IS_GLOBAL:
        return &attributes->wtime_is_global;
    case MPI_UNIVERSE_SIZE: /* set only where the launcher knows it */
        return attributes->universe_size > 0 ? &attributes->universe_size : NULL;
    case MPI_LASTUSEDCODE:
        return &attributes->last_used_code;
    case MPI_APPNUM:
        return &attributes->appnum;
    default:
        *known_p = 0;
        return NULL;
    }
}

static int attribute_get_comm(const char *call, face_comm *comm, int keyval, void *value_p, int *flag)
{
    int is_known;
    int *value = attribute_predefined(&comm->owner->attributes, keyval, &is_known);
    if (!is_known)
        return face_attribute_get(call, comm, COR_KEY_COMM, &comm->attributes, keyval, value_p, flag);
    *flag = value != NULL;
    if (value)
        *(int **)value_p = value;
    return MPI_SUCCESS;
}

FACE_API(Comm_get_attr, attribute_get_comm)
FACE_API(Attr_get, attribute_get_comm)
