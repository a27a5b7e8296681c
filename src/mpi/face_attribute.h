/* SPDX-License-Identifier: Apache-2.0 */
/* Keys and attributes, for communicators, datatypes and windows. */
#ifndef COR_MPI_FACE_ATTRIBUTE_H
#define COR_MPI_FACE_ATTRIBUTE_H

#include "mpi/face_error.h"

/* A function of the program, of any type. */
typedef void (*attribute_fn)(void);

/* MPI's <object>_create_keyval and _free_keyval; `ops` are called with the key; its functions[] are the program's. */
int face_keyval_create(const char *call, cor_key_kind kind, const cor_key_ops *ops, attribute_fn copy,
                       attribute_fn discard, int *keyval, void *extra_state);
int face_keyval_free(const char *call, int *keyval, cor_key_kind kind);

/* Set and delete; `object` is what the key's functions are called with. Errors go to the handler of comm. */
int face_attribute_set(const char *call, face_comm *comm, cor_key_kind kind, cor_attributes *attributes, void *object,
                       int keyval, void *value);
int face_attribute_delete(const char *call, face_comm *comm, cor_key_kind kind, cor_attributes *attributes,
                          void *object, int keyval);
/* Get an attribute that the program set. */
int face_attribute_get(const char *call, face_comm *comm, cor_key_kind kind, const cor_attributes *attributes,
                       int keyval, void *value_p, int *flag);

/* Called when a datatype is copied, and when it is freed (face_attribute_type.c). MPI_SUCCESS, or the error, already
 * reported. Only derived datatypes are copied to and freed. */
int face_type_copy_attributes(const char *call, MPI_Datatype original, MPI_Datatype copy);
int face_type_discard_attributes(const char *call, MPI_Datatype datatype);

#endif
