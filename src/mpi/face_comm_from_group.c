/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Communicators from groups, without another communicator: their members find each other by a string that all of them
 * pass. Errors go to the error handler that the new communicator would have.
 */
#include "mpi/face_comm.h"
#include "mpi/face_errhandler.h"
#include "mpi/face_session.h"

#include "mp/create/comm.h"
#include "mp/create/intercomm.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* What both calls have in common. */
typedef struct from_call {
    const char *name;
    face_rank *rank;
    MPI_Errhandler errhandler;
} from_call;

static int from_fail(const from_call *call, int error_class, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static int from_fail(const from_call *call, int error_class, const char *format, ...)
{
    char sentence[FACE_SENTENCE_BYTES];
    MPI_Comm nothing = MPI_COMM_NULL;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return face_run_handler(call->errhandler, &nothing, face_note(call->name, error_class, "%s", sentence));
}

static int from_fail_engine(const from_call *call, int code)
{
    cor_fault fault;
    cor_rank_copy_fault(call->rank->rank, &fault);
    return from_fail(call, face_class_of(code), "%s",
                     fault.code == code && fault.text[0] ? fault.text : cor_error_text(code));
}

/* The arguments beside the groups. */
static int from_begin(from_call *call, const char *name, const char *stringtag, MPI_Info info,
                      MPI_Errhandler errhandler, const char *result_name, const void *result)
{
    char room[96];
    *call = (from_call){name, face_open(name), errhandler};
    if (!face_errhandler_is_for(errhandler, FACE_FOR_COMM))
        return face_fail(name, NULL, MPI_ERR_ERRHANDLER, "errhandler is %s",
                         face_errhandler_describe(errhandler, FACE_FOR_COMM, room, sizeof room));
    if (!stringtag)
        return from_fail(call, MPI_ERR_ARG, "stringtag is a NULL pointer");
    if (strnlen(stringtag, MPI_MAX_STRINGTAG_LEN) == MPI_MAX_STRINGTAG_LEN)
        return from_fail(call, MPI_ERR_ARG, "stringtag is longer than %d characters", MPI_MAX_STRINGTAG_LEN - 1);
    if (info != MPI_INFO_NULL && !face_info_find(call->rank, info))
        return from_fail(call, MPI_ERR_INFO, "info is %p, which is not an info", (void *)info);
    if (!result)
        return from_fail(call, MPI_ERR_ARG, "%s is a NULL pointer", result_name);
    return MPI_SUCCESS;
}

/* A group that this rank is a member of, or that is empty; NULL with the error reported in *error_p. */
static cor_group *from_ask_group(const from_call *call, const char *argument, MPI_Group handle, int *error_p)
{
    cor_group *group = face_group_find(call->rank, handle);
    if (!group)
        *error_p = from_fail(call, MPI_ERR_GROUP, "%s is %s", argument,
                             handle == MPI_GROUP_NULL ? "MPI_GROUP_NULL" : "not a group");
    else if (group->size > 0 && cor_group_find_number(group, cor_rank_number(call->rank->rank)) == COR_UNDEFINED)
        *error_p = from_fail(call, MPI_ERR_GROUP, "this rank is not in %s", argument);
    else
        return group;
    return NULL;
}

/* What the new communicator ends with: the session of the group, or the world; NULL with the error reported in
 * *error_p. */
static face_scope *from_find_scope(const from_call *call, const char *argument, const cor_group *group, int *error_p)
{
    face_scope *scope = face_scope_of(call->rank, group);
    if (!scope)
        *error_p = from_fail(call, MPI_ERR_GROUP, "%s is of %s", argument,
                             group->session ? "a session that was finalised" : "MPI_COMM_WORLD, which is not open");
    return scope;
}

static int from_check_leader(const from_call *call, const char *argument, int leader, const cor_group *group)
{
    if (leader >= 0 && leader < group->size)
        return MPI_SUCCESS;
    return from_fail(call, MPI_ERR_RANK, "%s is %d, but its group has %d ranks (0..%d)", argument, leader, group->size,
                     group->size - 1);
}

/* Two concurrent strings get different numbers, except in one case in 2^28 or less (FNV-1a). */
static uint32_t from_name(const char *stringtag)
{
    uint32_t hash = 0x811c9dc5;
    for (; *stringtag; stringtag++)
        hash = (hash ^ (unsigned char)*stringtag) * 0x01000193;
    return hash;
}

static int from_finish(const from_call *call, face_scope *scope, cor_comm *made, MPI_Info info, MPI_Comm *handle_p)
{
    int error = face_comm_handle_in(call->name, &call->rank->self_comm, scope, made, handle_p);
    if (error != MPI_SUCCESS || *handle_p == MPI_COMM_NULL)
        return error;
    face_comm *comm = (face_comm *)*handle_p;
    MPI_Errhandler old = comm->errhandler;
    face_errhandler_ref(call->rank, call->errhandler);
    comm->errhandler = call->errhandler;
    face_errhandler_unref(call->rank, old);
    if (info != MPI_INFO_NULL && face_comm_take_hints(comm, face_info_find(call->rank, info)) != COR_OK)
        return from_fail(call, MPI_ERR_NO_MEM, "no memory for the hints");
    return MPI_SUCCESS;
}

static int from_group(const char *name, MPI_Group group, const char *stringtag, MPI_Info info,
                      MPI_Errhandler errhandler, MPI_Comm *newcomm)
{
    from_call call;
    int error = from_begin(&call, name, stringtag, info, errhandler, "newcomm", newcomm);
    cor_group *members = error == MPI_SUCCESS ? from_ask_group(&call, "group", group, &error) : NULL;
    if (!members)
        return error;
    if (members->size == 0) {
        *newcomm = MPI_COMM_NULL;
        return MPI_SUCCESS;
    }
    face_scope *scope = from_find_scope(&call, "group", members, &error);
    if (!scope)
        return error;
    cor_comm *made = NULL;
    int code = cor_comm_create_from_group(call.rank->rank, members, from_name(stringtag), &made);
    return code == COR_OK ? from_finish(&call, scope, made, info, newcomm) : from_fail_engine(&call, code);
}

FACE_API(Comm_create_from_group, from_group)

static int from_groups(const char *name, MPI_Group local_group, int local_leader, MPI_Group remote_group,
                       int remote_leader, const char *stringtag, MPI_Info info, MPI_Errhandler errhandler,
                       MPI_Comm *newintercomm)
{
    from_call call;
    int error = from_begin(&call, name, stringtag, info, errhandler, "newintercomm", newintercomm);
    cor_group *local = error == MPI_SUCCESS ? from_ask_group(&call, "local_group", local_group, &error) : NULL;
    if (!local)
        return error;
    if (local->size == 0 || remote_group == MPI_GROUP_EMPTY) {
        *newintercomm = MPI_COMM_NULL;
        return MPI_SUCCESS;
    }
    face_scope *scope = from_find_scope(&call, "local_group", local, &error);
    if (!scope)
        return error;
    error = from_check_leader(&call, "local_leader", local_leader, local);
    if (error != MPI_SUCCESS)
        return error;
    /* Only the leader's remote arguments are significant. */
    cor_group *remote = NULL;
    if (cor_group_find_number(local, cor_rank_number(call.rank->rank)) == local_leader) {
        remote = face_group_find(call.rank, remote_group);
        error = remote ? from_check_leader(&call, "remote_leader", remote_leader, remote)
                       : from_fail(&call, MPI_ERR_GROUP, "remote_group is %s",
                                   remote_group == MPI_GROUP_NULL ? "MPI_GROUP_NULL" : "not a group");
        if (error != MPI_SUCCESS)
            return error;
    }
    cor_comm *made = NULL;
    int code = cor_intercomm_create_from_groups(call.rank->rank, local, local_leader, remote, remote_leader,
                                                from_name(stringtag), &made);
    return code == COR_OK ? from_finish(&call, scope, made, info, newintercomm) : from_fail_engine(&call, code);
}

FACE_API(Intercomm_create_from_groups, from_groups)
