/* SPDX-License-Identifier: Apache-2.0 */
#include "mp/group.h"

#include "mp/session.h"

#include <stdlib.h>
#include <string.h>

/* ---- life ------------------------------------------------------------------------------------------------------- */

/* Fill in the way back, and find the maker. */
static void group_index(cor_group *group, int me, int *ranks)
{
    for (int peer = 0; peer < group->job_size; peer++)
        ranks[peer] = COR_UNDEFINED;
    for (int rank = 0; rank < group->size; rank++)
        ranks[group->peers[rank]] = rank;
    group->ranks = ranks;
    group->rank = me < group->job_size ? ranks[me] : COR_UNDEFINED;
}

cor_group *cor_group_make(cor_job *job, int job_size, int me, int size, const int *peers)
{
    /* One block: the struct, the members, the way back. */
    size_t numbers = peers ? (size_t)size + (size_t)job_size : 0;
    cor_group *group = malloc(sizeof *group + numbers * sizeof(int));
    if (!group)
        return NULL;
    *group = (cor_group){.size = size, .job_size = job_size, .rank = me < size ? me : COR_UNDEFINED};
    atomic_init(&group->references, 1);
    group->job = job;
    if (job) /* relaxed: the caller holds a reference already. */
        atomic_fetch_add_explicit(&job->references, 1, memory_order_relaxed);
    if (peers) {
        int *copy = (int *)(void *)(group + 1);
        memcpy(copy, peers, (size_t)size * sizeof *copy);
        group->peers = copy;
        group_index(group, me, copy + size);
    }
    return group;
}

void cor_group_ref(cor_group *group)
{
    /* relaxed: the caller holds a reference already. */
    atomic_fetch_add_explicit(&group->references, 1, memory_order_relaxed);
}

void cor_group_unref(cor_group *group)
{
    /* acq_rel: all uses of the group come before the free. */
    if (atomic_fetch_sub_explicit(&group->references, 1, memory_order_acq_rel) == 1) {
        cor_job_unref(group->job);
        cor_session_unref(group->session);
        free(group);
    }
}

static void group_set_session(cor_group *group, cor_session *session)
{
    cor_session_ref(session);
    group->session = session;
}

cor_group *cor_group_in_session(cor_group *group, cor_session *session)
{
    if (group->session == session) {
        cor_group_ref(group);
        return group;
    }
    cor_group *copy = cor_group_make(group->job, group->job_size, 0, group->size, group->peers);
    if (copy) {
        copy->rank = group->rank;
        group_set_session(copy, session);
    }
    return copy;
}

void cor_job_unref(cor_job *job)
{
    /* acq_rel: as above. */
    if (job && atomic_fetch_sub_explicit(&job->references, 1, memory_order_acq_rel) == 1)
        free(job);
}

/* ---- making groups from groups ---------------------------------------------------------------------------------- */

static int group_me(const cor_group *group)
{
    return group->rank == COR_UNDEFINED ? -1 : cor_group_peer(group, group->rank);
}

/* A list of members under construction. */
typedef struct group_list {
    int *peers;
    int size;
    int me; /* the maker's rank in the job, where a source group knows it */
} group_list;

static int group_list_init(group_list *list, int capacity, const cor_group *a, const cor_group *b)
{
    list->peers = malloc(((size_t)capacity + 1) * sizeof *list->peers);
    list->size = 0;
    list->me = group_me(a) >= 0 || !b || b->job != a->job ? group_me(a) : group_me(b);
    return list->peers ? COR_OK : COR_ERR_MEMORY;
}

/* In the job of `like`. */
static int group_from_list(group_list *list, const cor_group *like, cor_session *session, cor_group **group_p)
{
    cor_group *group = cor_group_make(like->job, like->job_size, list->me < 0 ? 0 : list->me, list->size, list->peers);
    if (group && list->me < 0)
        group->rank = COR_UNDEFINED;
    free(list->peers);
    if (!group)
        return COR_ERR_MEMORY;
    group_set_session(group, session);
    *group_p = group;
    return COR_OK;
}

/* Add the members of `from` that are (is_wanted) or are not in `other`. */
static void group_list_filter(group_list *list, const cor_group *from, const cor_group *other, int is_wanted)
{
    for (int rank = 0; rank < from->size; rank++) {
        if ((cor_group_find(other, from, rank) != COR_UNDEFINED) == is_wanted)
            list->peers[list->size++] = cor_group_peer(from, rank);
    }
}

/* Groups of two jobs have a union by numbers. */
static int group_unite_numbers(const cor_group *a, const cor_group *b, cor_group **group_p)
{
    int *numbers = malloc(((size_t)a->size + (size_t)b->size + 1) * sizeof *numbers);
    if (!numbers)
        return COR_ERR_MEMORY;
    int size = 0, largest = 0;
    for (int rank = 0; rank < a->size; rank++)
        numbers[size++] = cor_group_number(a, rank);
    for (int rank = 0; rank < b->size; rank++)
        if (cor_group_find(a, b, rank) == COR_UNDEFINED)
            numbers[size++] = cor_group_number(b, rank);
    for (int i = 0; i < size; i++)
        largest = numbers[i] > largest ? numbers[i] : largest;
    const cor_group *mine = a->rank != COR_UNDEFINED ? a : b;
    cor_group *group = cor_group_make(NULL, largest + 1, 0, size, numbers);
    if (group)
        group->rank =
            mine->rank == COR_UNDEFINED ? COR_UNDEFINED : cor_group_rank_of(group, cor_group_number(mine, mine->rank));
    free(numbers);
    if (!group)
        return COR_ERR_MEMORY;
    group_set_session(group, a->session ? a->session : b->session);
    *group_p = group;
    return COR_OK;
}

int cor_group_union(const cor_group *a, const cor_group *b, cor_group **group_p)
{
    group_list list;
    if (a->job != b->job)
        return group_unite_numbers(a, b, group_p);
    if (group_list_init(&list, a->size + b->size, a, b) != COR_OK)
        return COR_ERR_MEMORY;
    group_list_filter(&list, a, a, 1);
    group_list_filter(&list, b, a, 0);
    return group_from_list(&list, a->job_size > b->job_size ? a : b, a->session ? a->session : b->session, group_p);
}

int cor_group_intersection(const cor_group *a, const cor_group *b, cor_group **group_p)
{
    group_list list;
    if (group_list_init(&list, a->size, a, b) != COR_OK)
        return COR_ERR_MEMORY;
    group_list_filter(&list, a, b, 1);
    return group_from_list(&list, a, a->session, group_p);
}

int cor_group_difference(const cor_group *a, const cor_group *b, cor_group **group_p)
{
    group_list list;
    if (group_list_init(&list, a->size, a, b) != COR_OK)
        return COR_ERR_MEMORY;
    group_list_filter(&list, a, b, 0);
    return group_from_list(&list, a, a->session, group_p);
}

int cor_group_incl(const cor_group *group, int count, const int *ranks, cor_group **group_p)
{
    group_list list;
    if (group_list_init(&list, count, group, NULL) != COR_OK)
        return COR_ERR_MEMORY;
    for (int i = 0; i < count; i++)
        list.peers[list.size++] = cor_group_peer(group, ranks[i]);
    return group_from_list(&list, group, group->session, group_p);
}

int cor_group_excl(const cor_group *group, int count, const int *ranks, cor_group **group_p)
{
    cor_group *listed;
    int rc = cor_group_incl(group, count, ranks, &listed);
    if (rc != COR_OK)
        return rc;
    rc = cor_group_difference(group, listed, group_p);
    cor_group_unref(listed);
    return rc;
}

/* ---- ranges ----------------------------------------------------------------------------------------------------- */

/* Write out the ranks of the triplets; each must be a new one of the group. */
static int group_expand(const cor_group *group, int count, const int (*ranges)[3], int *ranks, int *length_p,
                        int *bad_p)
{
    unsigned char *is_seen = calloc((size_t)group->size + 1, 1);
    int rc = is_seen ? COR_OK : COR_ERR_MEMORY;
    int length = 0;
    for (int i = 0; i < count && rc == COR_OK; i++) {
        long first = ranges[i][0], last = ranges[i][1], stride = ranges[i][2];
        *bad_p = i;
        if (stride == 0)
            rc = COR_ERR_ARG;
        for (long rank = first; rc == COR_OK && (stride > 0 ? rank <= last : rank >= last); rank += stride) {
            if (rank < 0 || rank >= group->size || is_seen[rank]) {
                rc = COR_ERR_RANK;
            } else {
                is_seen[rank] = 1;
                ranks[length++] = (int)rank;
            }
        }
    }
    free(is_seen);
    *length_p = length;
    return rc;
}

typedef int (*group_pick_fn)(const cor_group *group, int count, const int *ranks, cor_group **group_p);

static int group_range(const cor_group *group, int count, const int (*ranges)[3], group_pick_fn pick,
                       cor_group **group_p, int *bad_p)
{
    int *ranks = malloc(((size_t)group->size + 1) * sizeof *ranks);
    if (!ranks)
        return COR_ERR_MEMORY;
    int length;
    int rc = group_expand(group, count, ranges, ranks, &length, bad_p);
    if (rc == COR_OK)
        rc = pick(group, length, ranks, group_p);
    free(ranks);
    return rc;
}

int cor_group_range_incl(const cor_group *group, int count, const int (*ranges)[3], cor_group **group_p, int *bad_p)
{
    return group_range(group, count, ranges, cor_group_incl, group_p, bad_p);
}

int cor_group_range_excl(const cor_group *group, int count, const int (*ranges)[3], cor_group **group_p, int *bad_p)
{
    return group_range(group, count, ranges, cor_group_excl, group_p, bad_p);
}

/* ---- questions -------------------------------------------------------------------------------------------------- */

int cor_group_find_number(const cor_group *group, int number)
{
    if (!group->job)
        return cor_group_rank_of(group, number);
    for (int i = 0; i < group->size; i++)
        if (cor_group_number(group, i) == number)
            return i;
    return COR_UNDEFINED;
}

int cor_group_find(const cor_group *group, const cor_group *of, int rank)
{
    if (group->job == of->job)
        return cor_group_rank_of(group, cor_group_peer(of, rank));
    return cor_group_find_number(group, cor_group_number(of, rank));
}

int cor_group_move(const cor_group *group, const cor_group *like, cor_group **group_p)
{
    group_list list;
    if (group_list_init(&list, group->size, like, NULL) != COR_OK)
        return COR_ERR_MEMORY;
    for (int i = 0; i < group->size; i++) {
        int place = cor_group_find(like, group, i);
        if (place == COR_UNDEFINED) {
            free(list.peers);
            return COR_ERR_ARG;
        }
        list.peers[list.size++] = cor_group_peer(like, place);
    }
    return group_from_list(&list, like, group->session, group_p);
}

void cor_group_translate(const cor_group *a, int count, const int *in, const cor_group *b, int *out)
{
    for (int i = 0; i < count; i++)
        out[i] = in[i] == COR_PROC_NULL ? COR_PROC_NULL : cor_group_find(b, a, in[i]);
}

cor_comparison cor_group_compare(const cor_group *a, const cor_group *b)
{
    if (a == b)
        return COR_IDENT;
    if (a->size != b->size)
        return COR_UNEQUAL;
    int is_same_order = 1;
    for (int rank = 0; rank < a->size; rank++) {
        int there = cor_group_find(b, a, rank);
        if (there == COR_UNDEFINED)
            return COR_UNEQUAL;
        is_same_order = is_same_order && there == rank;
    }
    return is_same_order ? COR_IDENT : COR_SIMILAR;
}
