/* SPDX-License-Identifier: Apache-2.0 */
#include "mpi/face_file.h"
#include "mpi/face_session.h"
#include "mpi/face_win.h"

void face_scope_init(face_scope *scope, cor_session *session)
{
    cor_list_init(&scope->members);
    scope->session = session;
}

static void scope_move(face_comm *comm, cor_list *list)
{
    pthread_mutex_lock(&comm->owner->lock);
    cor_list_remove(&comm->in_scope);
    cor_list_append(list, &comm->in_scope);
    pthread_mutex_unlock(&comm->owner->lock);
}

void face_scope_add(face_scope *scope, face_comm *made)
{
    made->scope = scope;
    cor_list_init(&made->in_scope);
    scope_move(made, &scope->members);
}

face_scope *face_scope_of(face_rank *rank, const cor_group *group)
{
    if (!group->session)
        return atomic_load_explicit(&rank->world, memory_order_relaxed) ? &rank->world_scope : NULL;
    face_session *session = cor_session_face(group->session);
    return session ? &session->scope : NULL;
}

/* ---- the end ---------------------------------------------------------------------------------------------------- */

static face_comm *scope_first(face_rank *rank, const cor_list *list)
{
    pthread_mutex_lock(&rank->lock);
    face_comm *first = cor_list_is_empty(list) ? NULL : COR_OWNER(list->next, face_comm, in_scope);
    pthread_mutex_unlock(&rank->lock);
    return first;
}

/* The handle is invalid from now on; the struct stays as long as the engine's communicator. */
static void scope_retire(face_comm *comm)
{
    face_rank *rank = comm->owner;
    comm->kind = FACE_FREE;
    face_check_forget(rank, comm);
    comm->scope = &rank->world_scope;
    scope_move(comm, &rank->retired);
}

/* A communicator. A thread that waits in it uses its memory; others cannot begin to. */
static void scope_release(face_comm *comm)
{
    face_rank *rank = comm->owner;
    scope_retire(comm);
    if (rank->parent == comm->handle)
        rank->parent = MPI_COMM_NULL;
    comm->is_retired = 1;
}

/* Release the communicators of scopes that have ended, unless a thread is in a call that may use one. */
static void scope_sweep(face_rank *rank)
{
    if (cor_rank_is_entered(rank->rank))
        return;
    for (;;) {
        face_comm *found = NULL;
        pthread_mutex_lock(&rank->lock);
        for (cor_link *link = rank->retired.next; link != &rank->retired && !found; link = link->next)
            found = COR_OWNER(link, face_comm, in_scope)->is_retired ? COR_OWNER(link, face_comm, in_scope) : NULL;
        if (found)
            found->is_retired = 0;
        pthread_mutex_unlock(&rank->lock);
        if (!found)
            return;
        cor_comm_unref(found->comm);
    }
}

/* A window or file whose closing failed is as before. */
static int scope_close(const char *call, face_scope *scope, face_comm *subject)
{
    MPI_Win win = (MPI_Win)(void *)subject;
    MPI_File file = (MPI_File)(void *)subject;
    int is_win = subject->kind == FACE_WIN;
    /* Once it is closed the struct may be gone, or stay as long as requests do. */
    scope_move(subject, &subject->owner->retired);
    int error = is_win ? face_win_free(call, &win) : face_file_close(call, &file);
    if (is_win ? win != MPI_WIN_NULL : file != MPI_FILE_NULL)
        scope_move(subject, &scope->members);
    return error;
}

static int scope_end_one(const char *call, face_scope *scope, face_comm *comm)
{
    face_rank *rank = comm->owner;
    if (comm->kind == FACE_FREE) { /* requests keep it alive */
        scope_retire(comm);
        return MPI_SUCCESS;
    }
    if (comm->kind != FACE_COMM)
        return scope_close(call, scope, comm);
    int code = cor_attributes_discard(rank->keys, &comm->attributes, comm);
    if (code != MPI_SUCCESS)
        return face_fail_callback(call, comm, code, "the delete function of an attribute");
    cor_buffer_end(rank->rank, comm->comm);
    scope_release(comm);
    return MPI_SUCCESS;
}

static void scope_end_one_of_world(face_comm *comm)
{
    cor_attributes_drop(comm->owner->keys, &comm->attributes);
    if (comm->kind == FACE_COMM) {
        cor_buffer_end(comm->owner->rank, comm->comm);
        scope_release(comm);
    } else {
        scope_retire(comm);
    }
}

int face_scope_end(const char *call, face_rank *rank, face_scope *scope)
{
    int error = MPI_SUCCESS;
    face_comm *first;
    while (error == MPI_SUCCESS && (first = scope_first(rank, &scope->members)) != NULL) {
        if (scope->session)
            error = scope_end_one(call, scope, first);
        else
            scope_end_one_of_world(first);
    }
    scope_sweep(rank);
    return error;
}
