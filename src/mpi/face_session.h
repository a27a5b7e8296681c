/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sessions, and what ends with one, or with the world: its scope.
 *
 * Every communicator, window and file is in the scope of what it was derived from: the world, or the session whose
 * group it was made of. Scopes are inherited: by a duplicate from the original, by a group from groups and from
 * communicators. The end of a scope ends what the program has left in it: its handles become invalid, and the engine's
 * objects are released once no other thread can be in a call that uses them, at the latest when the engine closes.
 */
#ifndef COR_MPI_FACE_SESSION_H
#define COR_MPI_FACE_SESSION_H

#include "mpi/face_error.h"

/* NULL for anything but an open session. */
static inline face_session *face_session_find(const face_rank *rank, MPI_Session handle)
{
    face_session *session = (face_session *)handle;
    if (!face_is_open(rank) || !face_is_object(rank, handle))
        return NULL;
    return session->as.kind == FACE_SESSION ? session : NULL;
}

/* Where the errors of a session go (face_error.h). */
static inline face_comm *face_session_hearer(face_session *session)
{
    return &session->as;
}

/* ---- scopes ------------------------------------------------------------------------------------------------------ */

void face_scope_init(face_scope *scope, cor_session *session);
/* A communicator, window or file is new; it leaves the scope in face_comm_free. */
void face_scope_add(face_scope *scope, face_comm *made);
/* The scope of what is made of this group: that of an open session or of the open world, or NULL. */
face_scope *face_scope_of(face_rank *rank, const cor_group *group);
/*
 * End what is left. A session ends as if communicators had been freed, windows freed and files closed in the order in
 * which they were made: collective over the members of windows and files; other jobs stay connected. An error, already
 * reported, of a delete function, a window or a file leaves these, and all that is younger, as they were. The world
 * ends without calls of the program's functions; its windows and files are closed with the engine. Always MPI_SUCCESS
 * then.
 */
int face_scope_end(const char *call, face_rank *rank, face_scope *scope);

#endif
