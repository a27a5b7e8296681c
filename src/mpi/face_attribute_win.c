/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of windows. A window is never copied, so the copy function of a key is never called. */
#include "mpi/face_attribute.h"
#include "mpi/face_win.h"

/* ---- the program's functions ------------------------------------------------------------------------------------ */

static int win_discard(const cor_key *key, void *object, void *value)
{
    MPI_Win_delete_attr_function *function = (MPI_Win_delete_attr_function *)key->functions[1];
    if (function == MPI_WIN_NULL_DELETE_FN)
        return MPI_SUCCESS;
    int code = function((MPI_Win)object, key->number, value, key->state);
    return code < 0 ? MPI_ERR_OTHER : code; /* a negative one would look like one of the engine's */
}

static const cor_key_ops win_ops = {.discard = win_discard};

/* ---- the calls -------------------------------------------------------------------------------------------------- */

static int win_create_key(const char *call, MPI_Win_copy_attr_function *copy, MPI_Win_delete_attr_function *discard,
                          int *keyval, void *extra_state)
{
    return face_keyval_create(call, COR_KEY_WIN, &win_ops, (attribute_fn)copy, (attribute_fn)discard, keyval,
                              extra_state);
}

FACE_API(Win_create_keyval, win_create_key)
FACE_API(Win_free_keyval, face_keyval_free, COR_KEY_WIN)

static int win_set(const char *call, face_win *win, int keyval, void *value)
{
    return face_attribute_set(call, &win->as, COR_KEY_WIN, &win->as.attributes, win, keyval, value);
}

FACE_API(Win_set_attr, win_set)

/* The base is the value itself, all others are pointed to. *is_known_p: is it a predefined one of windows? */
static void *win_predefined(face_win *win, int keyval, int *is_known_p)
{
    *is_known_p = 1;
    switch (keyval) {
    case MPI_WIN_BASE:
        return cor_win_base(win->win);
    case MPI_WIN_SIZE:
        return &win->size;
    case MPI_WIN_DISP_UNIT:
        return &win->unit;
    case MPI_WIN_CREATE_FLAVOR:
        return &win->flavour;
    case MPI_WIN_MODEL:
        return &win->model;
    default:
        *is_known_p = 0;
        return NULL;
    }
}

static int win_get(const char *call, face_win *win, int keyval, void *value_p, int *flag)
{
    int is_known;
    void *value = win_predefined(win, keyval, &is_known);
    if (!is_known)
        return face_attribute_get(call, &win->as, COR_KEY_WIN, &win->as.attributes, keyval, value_p, flag);
    *(void **)value_p = value;
    *flag = 1;
    return MPI_SUCCESS;
}

FACE_API(Win_get_attr, win_get)

static int win_delete(const char *call, face_win *win, int keyval)
{
    return face_attribute_delete(call, &win->as, COR_KEY_WIN, &win->as.attributes, win, keyval);
}

FACE_API(Win_delete_attr, win_delete)
