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

COR_API(int, Comm_group, (MPI_Comm comm, MPI_Group *group))
{
    int error = MPI_SUCCESS;
    face_comm *face = face_comm_ask("MPI_Comm_group", comm, "group", group, &error);
    if (!face)
        return error;
    cor_group *members = cor_comm_group(face->comm);
    cor_group_ref(members);
    return face_group_handle("MPI_Comm_group", face, members, group);
}

COR_API(int, Group_free, (MPI_Group * group))
{
    face_rank *rank = face_open("MPI_Group_free");
    if (!group)
        return face_fail_null("MPI_Group_free", NULL, "group");
    if (!face_group_find(rank, *group))
        return face_fail_group("MPI_Group_free", "*group", *group);
    face_group *made = group_made(*group);
    if (made) {
        cor_group_unref(made->group);
        face_object_destroy(rank, made);
    }
    *group = MPI_GROUP_NULL;
    return MPI_SUCCESS;
}

/* ---- questions -------------------------------------------------------------------------------------------------- */

/* The group of a call that writes to `result`, or NULL with the error reported in *error_p. */
static cor_group *group_ask(const char *call, const char *argument, MPI_Group handle, const char *result_name,
                            const void *result, int *error_p)
{
    cor_group *group = face_group_find(face_open(call), handle);
    if (!group)
        *error_p = face_fail_group(call, argument, handle);
    else if (!result)
        *error_p = face_fail_null(call, NULL, result_name);
    return group && result ? group : NULL;
}

COR_API(int, Group_size, (MPI_Group group, int *size))
{
    int error = MPI_SUCCESS;
    cor_group *found = group_ask("MPI_Group_size", "group", group, "size", size, &error);
    if (found)
        *size = found->size;
    return error;
}

COR_API(int, Group_rank, (MPI_Group group, int *rank))
{
    int error = MPI_SUCCESS;
    cor_group *found = group_ask("MPI_Group_rank", "group", group, "rank", rank, &error);
    if (found)
        *rank = found->rank;
    return error;
}

COR_API(int, Group_compare, (MPI_Group group1, MPI_Group group2, int *result))
{
    static const int results[] = {
        [COR_IDENT] = MPI_IDENT,
        [COR_CONGRUENT] = MPI_CONGRUENT,
        [COR_SIMILAR] = MPI_SIMILAR,
        [COR_UNEQUAL] = MPI_UNEQUAL,
    };
    int error = MPI_SUCCESS;
    cor_group *first = group_ask("MPI_Group_compare", "group1", group1, "result", result, &error);
    cor_group *second = first ? group_ask("MPI_Group_compare", "group2", group2, "result", result, &error) : NULL;
    if (second)
        *result = results[cor_group_compare(first, second)];
    return error;
}

/* Ranks of a group; COR_PROC_NULL only where is_null_allowed. */
static int group_check_ranks(const char *call, const char *argument, const cor_group *group, int n, const int ranks[],
                             int is_null_allowed)
{
    if (n < 0)
        return face_fail(call, NULL, MPI_ERR_ARG, "n is %d, but must not be negative", n);
    if (n > 0 && !ranks)
        return face_fail_null(call, NULL, argument);
    for (int i = 0; i < n; i++)
        if ((ranks[i] < 0 || ranks[i] >= group->size) && !(is_null_allowed && ranks[i] == MPI_PROC_NULL))
            return face_fail(call, NULL, MPI_ERR_RANK, "%s[%d] is %d, but the group has %d members (0..%d)", argument,
                             i, ranks[i], group->size, group->size - 1);
    return MPI_SUCCESS;
}

COR_API(int, Group_translate_ranks, (MPI_Group group1, int n, const int ranks1[], MPI_Group group2, int ranks2[]))
{
    const char *call = "MPI_Group_translate_ranks";
    face_rank *rank = face_open(call);
    cor_group *from = face_group_find(rank, group1), *to = face_group_find(rank, group2);
    if (!from)
        return face_fail_group(call, "group1", group1);
    if (!to)
        return face_fail_group(call, "group2", group2);
    int error = group_check_ranks(call, "ranks1", from, n, ranks1, 1);
    if (error != MPI_SUCCESS)
        return error;
    if (n > 0 && !ranks2)
        return face_fail_null(call, NULL, "ranks2");
    cor_group_translate(from, n, ranks1, to, ranks2);
    return MPI_SUCCESS;
}

/* ---- set operations --------------------------------------------------------------------------------------------- */

typedef int (*group_operation_fn)(const cor_group *a, const cor_group *b, cor_group **group_p);

static int group_combine(const char *call, group_operation_fn operation, MPI_Group group1, MPI_Group group2,
                         MPI_Group *newgroup)
{
    int error = MPI_SUCCESS;
    cor_group *first = group_ask(call, "group1", group1, "newgroup", newgroup, &error), *made;
    cor_group *second = first ? group_ask(call, "group2", group2, "newgroup", newgroup, &error) : NULL;
    if (!second)
        return error;
    return operation(first, second, &made) == COR_OK ? face_group_handle(call, NULL, made, newgroup)
                                                     : group_no_memory(call);
}

COR_API(int, Group_union, (MPI_Group group1, MPI_Group group2, MPI_Group *newgroup))
{
    return group_combine("MPI_Group_union", cor_group_union, group1, group2, newgroup);
}

COR_API(int, Group_intersection, (MPI_Group group1, MPI_Group group2, MPI_Group *newgroup))
{
    return group_combine("MPI_Group_intersection", cor_group_intersection, group1, group2, newgroup);
}

COR_API(int, Group_difference, (MPI_Group group1, MPI_Group group2, MPI_Group *newgroup))
{
    return group_combine("MPI_Group_difference", cor_group_difference, group1, group2, newgroup);
}

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

static int group_pick(const char *call, group_pick_fn pick, MPI_Group group, int n, const int ranks[],
                      MPI_Group *newgroup)
{
    int error = MPI_SUCCESS;
    cor_group *from = group_ask(call, "group", group, "newgroup", newgroup, &error), *made;
    if (from)
        error = group_check_ranks(call, "ranks", from, n, ranks, 0);
    if (!from || error != MPI_SUCCESS)
        return error;
    int twice = group_find_twice(from, n, ranks);
    if (twice >= 0)
        return face_fail(call, NULL, MPI_ERR_RANK, "ranks[%d] is %d, which appears twice", twice, ranks[twice]);
    if (twice == -2 || pick(from, n, ranks, &made) != COR_OK)
        return group_no_memory(call);
    return face_group_handle(call, NULL, made, newgroup);
}

COR_API(int, Group_incl, (MPI_Group group, int n, const int ranks[], MPI_Group *newgroup))
{
    return group_pick("MPI_Group_incl", cor_group_incl, group, n, ranks, newgroup);
}

COR_API(int, Group_excl, (MPI_Group group, int n, const int ranks[], MPI_Group *newgroup))
{
    return group_pick("MPI_Group_excl", cor_group_excl, group, n, ranks, newgroup);
}

typedef int (*group_range_fn)(const cor_group *group, int count, const int (*ranges)[3], cor_group **group_p,
                              int *bad_p);

static int group_range(const char *call, group_range_fn pick, MPI_Group group, int n, int ranges[][3],
                       MPI_Group *newgroup)
{
    int error = MPI_SUCCESS, bad = 0;
    cor_group *from = group_ask(call, "group", group, "newgroup", newgroup, &error), *made;
    if (!from)
        return error;
    if (n < 0)
        return face_fail(call, NULL, MPI_ERR_ARG, "n is %d, but must not be negative", n);
    if (n > 0 && !ranges)
        return face_fail_null(call, NULL, "ranges");
    int code = pick(from, n, (const int(*)[3])ranges, &made, &bad);
    if (code == COR_ERR_ARG)
        return face_fail(call, NULL, MPI_ERR_ARG, "ranges[%d] has the stride 0", bad);
    if (code == COR_ERR_RANK)
        return face_fail(
            call, NULL, MPI_ERR_RANK,
            "ranges[%d] is (%d, %d, %d), which has a rank twice or a rank that is not in the group (0..%d)", bad,
            ranges[bad][0], ranges[bad][1], ranges[bad][2], from->size - 1);
    return code == COR_OK ? face_group_handle(call, NULL, made, newgroup) : group_no_memory(call);
}

COR_API(int, Group_range_incl, (MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup))
{
    return group_range("MPI_Group_range_incl", cor_group_range_incl, group, n, ranges, newgroup);
}

COR_API(int, Group_range_excl, (MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup))
{
    return group_range("MPI_Group_range_excl", cor_group_range_excl, group, n, ranges, newgroup);
}
