/* SPDX-License-Identifier: Apache-2.0 */
/* Making the handles of new communicators, and the info and groups that go into it. */
#ifndef COR_MPI_FACE_COMM_H
#define COR_MPI_FACE_COMM_H

#include "mpi/face_error.h"

/* A handle for a new communicator with the error handler of its parent. `made` NULL gives MPI_COMM_NULL. Frees `made`
 * when memory is out. */
int face_comm_handle(const char *call, face_comm *parent, cor_comm *made, MPI_Comm *handle_p);

/* The same in another scope than the parent's. */
int face_comm_handle_in(const char *call, face_comm *parent, face_scope *scope, cor_comm *made, MPI_Comm *handle_p);

/* The engine has freed the communicator that this face_comm, or this face_win, is attached to. */
void face_comm_free(void *data);

/* Copy the attributes with the copy functions of their keys; frees the copy when one of them fails. */
int face_comm_copy_attributes(const char *call, face_comm *original, MPI_Comm *copy_p);

/* The group behind a handle (face_group.c), or NULL. */
cor_group *face_group_find(face_rank *rank, MPI_Group handle);
/* A handle for a new group, which takes over the reference. */
int face_group_handle(const char *call, face_comm *comm, cor_group *group, MPI_Group *handle_p);

/* The same for the group of a communicator, window or file, which stays: as one of its scope. */
int face_group_handle_of(const char *call, face_comm *comm, cor_group *group, MPI_Group *handle_p);

/* The info behind a handle (face_info.c), or NULL. */
cor_info *face_info_find(face_rank *rank, MPI_Info handle);
/* Is it an info, or MPI_INFO_NULL? Else the error is reported in *error_p. */
int face_info_is_usable(const char *call, face_comm *comm, MPI_Info handle, int *error_p);
int face_info_handle(const char *call, cor_info *info, MPI_Info *handle_p); /* takes over the info */
/* The same for what an object says of itself: with the kinds of memory that its buffers may be in. */
int face_info_used(const char *call, cor_info *info, MPI_Info *handle_p);
/* MPI_SUCCESS if all members of the group are in the communicator, or window; else the error, already reported. */
int face_group_check(const char *call, face_comm *comm, const cor_group *group);
/* Copy the known hints from an info (face_comm_info.c); COR_OK or COR_ERR_MEMORY. */
int face_comm_take_hints(face_comm *comm, const cor_info *info);

#endif
