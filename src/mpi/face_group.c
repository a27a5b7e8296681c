/* SPDX-License-Identifier: Apache-2.0 */
/* Groups. */
#include "mpi/face_comm.h"

#include <stdlib.h>

/* ---- life ------------------------------------------------------------------------------------------------------- */

static face_group *group_made(MPI_Group handle)
{
    face_group *made = (face_group *)handle;
    return face_is_object(face_get(), handle) && made->kind == FACE_GROUP ? made : NULL;
}

cor_group *face_group_find(face_rank *rank, MPI_Group handle)
{
    face_group *made = group_made(handle);
    return made ? made->group : handle == MPI_GROUP_EMPTY ? rank->empty_group : NULL;
}

int face_group_handle(const char *call, face_comm *comm, cor_group *group, MPI_Group *handle_p)
{
    if (group->size == 0) {
        cor_group_unref(group);
        *handle_p = MPI_GROUP_EMPTY;
        return MPI_SUCCESS;
    }
    face_group *made = face_object_create(face_get(), FACE_GROUP, call);
    if (!made) {
        cor_group_unref(group);
        return face_fail(call, comm, MPI_ERR_NO_MEM, "no memory for a group handle");
    }
    made->group = group;
    *handle_p = (MPI_Group)made;
    return MPI_SUCCESS;
}

static int group_no_memory(const char *call)
{
    return face_fail(call, NULL, MPI_ERR_NO_MEM, "no memory for a group");
}

int face_group_handle_of(const char *call, face_comm *comm, cor_group *group, MPI_Group *handle_p)
{
    cor_group *members = cor_group_in_session(group, comm->scope->session);
    return members ? face_group_handle(call, comm, members, handle_p)
                   : face_fail(call, comm, MPI_ERR_NO_MEM, "no memory for a group");
}

static int group_of_comm(const char *call, face_comm *comm, MPI_Group *group)
{
    return face_group_handle_of(call, comm, cor_comm_group(comm->comm), group);
}

FACE_API(Comm_group, group_of_comm)

int face_group_check(const char *call, face_comm *comm, const cor_group *group)
{
    const cor_group *all = cor_comm_group(comm->comm);
    for (int i = 0; i < group->size; i++)
        if (cor_group_find(all, group, i) == COR_UNDEFINED)
            return face_fail(call, comm, MPI_ERR_GROUP, "rank %d of group is not in the %s", i,
                             comm->kind == FACE_WIN ? "window" : "communicator");
    return MPI_SUCCESS;
}

static int group_free(const char *call, MPI_Group *group)
{
    face_group *made = group_made(*group);
    if (made) {
        cor_group_unref(made->group);
        face_object_destroy(face_get(), made);
    }
    *group = MPI_GROUP_NULL;
    return MPI_SUCCESS;
}

FACE_API(Group_free, group_free)

/* ---- questions -------------------------------------------------------------------------------------------------- */

static int group_size(const char *call, cor_group *group, int *size)
{
    *size = group->size;
    return MPI_SUCCESS;
}

FACE_API(Group_size, group_size)

static int group_rank(const char *call, cor_group *group, int *rank)
{
    *rank = group->rank;
    return MPI_SUCCESS;
}

FACE_API(Group_rank, group_rank)

static int group_compare(const char *call, cor_group *group1, cor_group *group2, int *result)
{
    static const int results[] = {
        [COR_IDENT] = MPI_IDENT,
        [COR_CONGRUENT] = MPI_CONGRUENT,
        [COR_SIMILAR] = MPI_SIMILAR,
        [COR_UNEQUAL] = MPI_UNEQUAL,
    };
    *result = results[cor_group_compare(group1, group2)];
    return MPI_SUCCESS;
}

FACE_API(Group_compare, group_compare)

/* Ranks of a group; COR_PROC_NULL only where is_null_allowed. */
static int group_check_ranks(const char *call, const char *argument, const cor_group *group, int n, const int ranks[],
                             int is_null_allowed)
{
    for (int i = 0; i < n; i++)
        if ((ranks[i] < 0 || ranks[i] >= group->size) && !(is_null_allowed && ranks[i] == MPI_PROC_NULL))
            return face_fail(call, NULL, MPI_ERR_RANK, "%s[%d] is %d, but the group has %d members (0..%d)", argument,
                             i, ranks[i], group->size, group->size - 1);
    return MPI_SUCCESS;
}

static int group_translate(const char *call, cor_group *group1, int n, const int ranks1[], cor_group *group2,
                           int ranks2[])
{
    int error = group_check_ranks(call, "ranks1", group1, n, ranks1, 1);
    if (error == MPI_SUCCESS)
        cor_group_translate(group1, n, ranks1, group2, ranks2);
    return error;
}

FACE_API(Group_translate_ranks, group_translate)

/* ---- set operations --------------------------------------------------------------------------------------------- */

typedef int (*group_operation_fn)(const cor_group *a, const cor_group *b, cor_group **group_p);

static int group_combine(const char *call, cor_group *group1, cor_group *group2, MPI_Group *newgroup,
                         group_operation_fn operation)
{
    cor_group *made;
    return operation(group1, group2, &made) == COR_OK ? face_group_handle(call, NULL, made, newgroup)
                                                      : group_no_memory(call);
}

FACE_API(Group_union, group_combine, cor_group_union)

FACE_API(Group_intersection, group_combine, cor_group_intersection)

FACE_API(Group_difference, group_combine, cor_group_difference)

/* ---- picking members -------------------------------------------------------------------------------------------- */

/* The index of a rank that appears a second time, -1 if there is none, -2 when memory is out. */
static int group_find_twice(const cor_group *group, int n, const int ranks[])
{
    char *is_seen = calloc((size_t)group->size + 1, 1);
    int twice = is_seen ? -1 : -2;
    for (int i = 0; i < n && twice == -1; i++) {
        if (is_seen[ranks[i]])
            twice = i;
        is_seen[ranks[i]] = 1;
    }
    free(is_seen);
    return twice;
}

typedef int (*group_pick_fn)(const cor_group *group, int count, const int *ranks, cor_group **group_p);

static int group_pick(const char *call, cor_group *group, int n, const int ranks[], MPI_Group *newgroup,
                      group_pick_fn pick)
{
    cor_group *made;
    int error = group_check_ranks(call, "ranks", group, n, ranks, 0);
    if (error != MPI_SUCCESS)
        return error;
    int twice = group_find_twice(group, n, ranks);
    if (twice >= 0)
        return face_fail(call, NULL, MPI_ERR_RANK, "ranks[%d] is %d, which appears twice", twice, ranks[twice]);
    if (twice == -2 || pick(group, n, ranks, &made) != COR_OK)
        return group_no_memory(call);
    return face_group_handle(call, NULL, made, newgroup);
}

FACE_API(Group_incl, group_pick, cor_group_incl)

FACE_API(Group_excl, group_pick, cor_group_excl)

typedef int (*group_range_fn)(const cor_group *group, int count, const int (*ranges)[3], cor_group **group_p,
                              int *bad_p);

static int group_range(const char *call, cor_group *group, int n, int ranges[][3], MPI_Group *newgroup,
                       group_range_fn pick)
{
    int bad = 0;
    cor_group *made;
    int code = pick(group, n, (const int(*)[3])ranges, &made, &bad);
    if (code == COR_ERR_ARG)
        return face_fail(call, NULL, MPI_ERR_ARG, "ranges[%d] has the stride 0", bad);
    if (code == COR_ERR_RANK)
        return face_fail(
            call, NULL, MPI_ERR_RANK,
            "ranges[%d] is (%d, %d, %d), which has a rank twice or a rank that is not in the group (0..%d)", bad,
            ranges[bad][0], ranges[bad][1], ranges[bad][2], group->size - 1);
    return code == COR_OK ? face_group_handle(call, NULL, made, newgroup) : group_no_memory(call);
}

FACE_API(Group_range_incl, group_range, cor_group_range_incl)

FACE_API(Group_range_excl, group_range, cor_group_range_excl)
