/* SPDX-License-Identifier: Apache-2.0 */
/* Intercommunicators. The ranks of a case are two sides: the even and the odd ones. */
#include "comm_suite.h"

#include <stdlib.h>

typedef struct sides {
    MPI_Comm local, inter;
    int side;                    /* 0: even, 1: odd */
    int rank, size, remote_size; /* in inter */
} sides;

/* Which rank of the case has this one of the other side. */
static int remote(const sides *s, int rank)
{
    return 2 * rank + !s->side;
}

static void make_sides(const test *t, sides *s)
{
    s->side = t->rank % 2;
    CHECK_OK(MPI_Comm_split(t->comm, s->side, t->rank, &s->local));
    CHECK_OK(MPI_Intercomm_create(s->local, 0, t->comm, !s->side, 77, &s->inter));
    CHECK_OK(MPI_Comm_rank(s->inter, &s->rank));
    CHECK_OK(MPI_Comm_size(s->inter, &s->size));
    CHECK_OK(MPI_Comm_remote_size(s->inter, &s->remote_size));
}

static void free_sides(sides *s)
{
    CHECK_OK(MPI_Comm_free(&s->local));
    CHECK_OK(MPI_Comm_free(&s->inter));
}

/* Every rank sends to every rank of the other side and receives from any source. */
static void exchange(const test *t, MPI_Comm inter, int (*whom)(int their_rank, const void *context),
                     const void *context)
{
    int rank, remote_size, numbers[2], is_seen[64] = {0};
    MPI_Request requests[64];
    MPI_Status status;
    CHECK_OK(MPI_Comm_rank(inter, &rank));
    CHECK_OK(MPI_Comm_remote_size(inter, &remote_size));
    int mine[2] = {t->rank, rank};
    for (int i = 0; i < remote_size; i++)
        CHECK_OK(MPI_Isend(mine, 2, MPI_INT, i, 9, inter, &requests[i]));
    for (int i = 0; i < remote_size; i++) {
        CHECK_OK(MPI_Probe(MPI_ANY_SOURCE, 9, inter, &status));
        CHECK_OK(MPI_Recv(numbers, 2, MPI_INT, status.MPI_SOURCE, 9, inter, &status));
        CHECK_EQUAL(status.MPI_SOURCE, numbers[1]);
        CHECK_EQUAL(whom(status.MPI_SOURCE, context), numbers[0]);
        CHECK_EQUAL(0, is_seen[status.MPI_SOURCE]++);
    }
    CHECK_OK(MPI_Waitall(remote_size, requests, MPI_STATUSES_IGNORE));
    CHECK_OK(MPI_Barrier(inter));
}

static int whom_plain(int rank, const void *context)
{
    return remote(context, rank);
}

void case_inter_create(const test *t)
{
    sides s;
    int flag, dummy;
    make_sides(t, &s);
    CHECK_OK(MPI_Comm_test_inter(s.inter, &flag));
    CHECK_EQUAL(1, flag);
    CHECK_EQUAL(t->rank / 2, s.rank);
    CHECK_EQUAL((t->size + 1 - s.side) / 2, s.size);
    CHECK_EQUAL((t->size + s.side) / 2, s.remote_size);
    /* The remote group, and errors about it. */
    MPI_Group all, theirs;
    CHECK_OK(MPI_Comm_remote_group(s.inter, &theirs));
    CHECK_OK(MPI_Comm_group(t->comm, &all));
    for (int i = 0; i < s.remote_size; i++) {
        CHECK_OK(MPI_Group_translate_ranks(theirs, 1, &i, all, &dummy));
        CHECK_EQUAL(remote(&s, i), dummy);
    }
    CHECK_OK(MPI_Group_rank(theirs, &dummy));
    CHECK_EQUAL(MPI_UNDEFINED, dummy);
    CHECK_OK(MPI_Group_free(&all));
    CHECK_OK(MPI_Group_free(&theirs));
    CHECK_EQUAL(MPI_ERR_RANK, MPI_Send(&dummy, 1, MPI_INT, s.remote_size, 0, s.inter));
    CHECK_EQUAL(MPI_ERR_COMM, MPI_Comm_create_group(s.inter, MPI_GROUP_EMPTY, 0, &s.local));
    CHECK_EQUAL(MPI_ERR_COMM, MPI_Comm_remote_size(t->comm, &dummy));
    CHECK_EQUAL(MPI_ERR_COMM, MPI_Comm_remote_group(t->comm, &all));
    CHECK_EQUAL(MPI_ERR_COMM, MPI_Intercomm_merge(t->comm, 0, &s.local));
    CHECK_EQUAL(MPI_ERR_COMM, MPI_Cart_create(s.inter, 0, NULL, NULL, 0, &s.local));
    CHECK_EQUAL(MPI_ERR_COMM, MPI_Intercomm_create(s.inter, 0, t->comm, 0, 0, &s.local));
    free_sides(&s);
}

void case_inter_messages(const test *t)
{
    sides s;
    make_sides(t, &s);
    for (int round = 0; round < 5; round++)
        exchange(t, s.inter, whom_plain, &s);
    /* Large ones, in both directions at once, and of MPI_PROC_NULL. */
    int count = 100000, partner = s.rank % s.remote_size, dummy = 0;
    MPI_Status status;
    if (t->rank < 2) {
        int *out = malloc((size_t)count * sizeof *out), *in = malloc((size_t)count * sizeof *in);
        for (int i = 0; i < count; i++)
            out[i] = i * (t->rank + 1);
        CHECK_OK(MPI_Sendrecv(out, count, MPI_INT, partner, 1, in, count, MPI_INT, partner, 1, s.inter, &status));
        CHECK_EQUAL(partner, status.MPI_SOURCE);
        for (int i = 0; i < count; i++)
            CHECK_EQUAL(i * (2 - t->rank), in[i]);
        free(out);
        free(in);
    }
    CHECK_OK(
        MPI_Sendrecv(&dummy, 1, MPI_INT, MPI_PROC_NULL, 1, &dummy, 1, MPI_INT, MPI_PROC_NULL, 1, s.inter, &status));
    CHECK_EQUAL(MPI_PROC_NULL, status.MPI_SOURCE);
    free_sides(&s);
}

void case_inter_dup_and_compare(const test *t)
{
    sides s;
    MPI_Comm dup, background;
    MPI_Request request;
    int result;
    make_sides(t, &s);
    CHECK_OK(MPI_Comm_dup(s.inter, &dup));
    CHECK_OK(MPI_Comm_idup(s.inter, &background, &request));
    CHECK_OK(MPI_Comm_compare(s.inter, dup, &result));
    CHECK_EQUAL(MPI_CONGRUENT, result);
    CHECK_OK(MPI_Comm_compare(s.inter, s.inter, &result));
    CHECK_EQUAL(MPI_IDENT, result);
    CHECK_OK(MPI_Comm_compare(s.inter, s.local, &result));
    CHECK_EQUAL(MPI_UNEQUAL, result);
    exchange(t, dup, whom_plain, &s);
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Comm_free(&dup));
    exchange(t, background, whom_plain, &s);
    CHECK_OK(MPI_Comm_free(&background));
    free_sides(&s);
}

/* Members of the other side by colour (rank there modulo 2), backwards. */
static int whom_split(int rank, const void *context)
{
    const sides *s = context;
    int colour = s->rank % 2, count = (s->remote_size + 1 - colour) / 2;
    return remote(s, 2 * (count - 1 - rank) + colour);
}

void case_inter_split(const test *t)
{
    sides s;
    MPI_Comm made;
    int rank, flag;
    make_sides(t, &s);
    CHECK_OK(MPI_Comm_split(s.inter, s.rank % 2, -s.rank, &made));
    /* A colour that only one side has gives nothing. */
    int has_partner = s.remote_size > s.rank % 2;
    CHECK_EQUAL(has_partner, made != MPI_COMM_NULL);
    if (made != MPI_COMM_NULL) {
        CHECK_OK(MPI_Comm_test_inter(made, &flag));
        CHECK_EQUAL(1, flag);
        int count = (s.size + 1 - s.rank % 2) / 2;
        CHECK_OK(MPI_Comm_rank(made, &rank));
        CHECK_EQUAL(count - 1 - s.rank / 2, rank);
        exchange(t, made, whom_split, &s);
        CHECK_OK(MPI_Comm_free(&made));
    }
    CHECK_OK(MPI_Comm_split(s.inter, s.side, 0, &made));
    CHECK(made == MPI_COMM_NULL);
    CHECK_OK(MPI_Comm_split(s.inter, MPI_UNDEFINED, 0, &made));
    CHECK(made == MPI_COMM_NULL);
    free_sides(&s);
}

static int whom_last(int rank, const void *context)
{
    const sides *s = context;
    return remote(s, s->remote_size - 1 - rank);
}

void case_inter_create_from_groups(const test *t)
{
    sides s;
    MPI_Group all, turned;
    MPI_Comm made;
    make_sides(t, &s);
    CHECK_OK(MPI_Comm_group(s.inter, &all));
    int backwards[1][3] = {{s.size - 1, 0, -1}};
    CHECK_OK(MPI_Group_range_incl(all, 1, backwards, &turned));
    CHECK_OK(MPI_Comm_create(s.inter, turned, &made));
    exchange(t, made, whom_last, &s);
    CHECK_OK(MPI_Comm_free(&made));
    /* One side passes an empty group. */
    CHECK_OK(MPI_Comm_create(s.inter, s.side ? all : MPI_GROUP_EMPTY, &made));
    CHECK(made == MPI_COMM_NULL);
    CHECK_OK(MPI_Group_free(&all));
    CHECK_OK(MPI_Group_free(&turned));
    free_sides(&s);
}

void case_inter_merge(const test *t)
{
    sides s;
    MPI_Comm made;
    int ranks[64], count, rank;
    make_sides(t, &s);
    for (int high = 0; high < 2; high++) {
        /* The odd side is high, then low. */
        int first = high ? 1 : 0;
        CHECK_OK(MPI_Intercomm_merge(s.inter, s.side != first, &made));
        count = 0;
        for (int i = first; i < t->size; i += 2)
            ranks[count++] = i;
        for (int i = !first; i < t->size; i += 2)
            ranks[count++] = i;
        test_members(t, made, count, ranks);
        test_ring(made);
        CHECK_OK(MPI_Comm_free(&made));
    }
    /* Both say the same: any order, but one. */
    CHECK_OK(MPI_Intercomm_merge(s.inter, 1, &made));
    test_ring(made);
    CHECK_OK(MPI_Comm_rank(made, &rank));
    CHECK_OK(MPI_Comm_size(made, &count));
    CHECK_EQUAL(t->size, count);
    CHECK(rank == s.rank || rank == s.rank + s.remote_size);
    CHECK_OK(MPI_Comm_free(&made));
    /* Members of one side that do not agree are told, all of them. */
    if (t->size >= 3)
        CHECK_EQUAL(MPI_ERR_ARG, MPI_Intercomm_merge(s.inter, t->rank == 0, &made));
    free_sides(&s);
}

/* Leaders that are not the first, a bridge that only they know, and several tags at once. */
void case_inter_leaders_anywhere(const test *t)
{
    MPI_Comm local, bridge, inter[2], merged;
    int side = t->rank >= t->size / 2, size, rank;
    CHECK_OK(MPI_Comm_split(t->comm, side, t->rank, &local));
    CHECK_OK(MPI_Comm_size(local, &size));
    CHECK_OK(MPI_Comm_rank(local, &rank));
    /* The last of the first half and the last of all meet in a communicator of two. */
    int is_leader = rank == size - 1;
    CHECK_OK(MPI_Comm_split(t->comm, is_leader ? 1 : MPI_UNDEFINED, 0, &bridge));
    for (int i = 0; i < 2; i++)
        CHECK_OK(MPI_Intercomm_create(local, size - 1, bridge, !side, 5 + i, &inter[i]));
    for (int i = 0; i < 2; i++) {
        CHECK_OK(MPI_Intercomm_merge(inter[i], side, &merged));
        int result;
        CHECK_OK(MPI_Comm_compare(merged, t->comm, &result));
        CHECK_EQUAL(MPI_CONGRUENT, result);
        CHECK_OK(MPI_Comm_free(&merged));
        CHECK_OK(MPI_Comm_free(&inter[i]));
    }
    if (bridge != MPI_COMM_NULL)
        CHECK_OK(MPI_Comm_free(&bridge));
    CHECK_OK(MPI_Comm_free(&local));
}

/* Both sides are the same group: told on both sides, and everything goes on. */
void case_inter_overlap(const test *t)
{
    MPI_Comm dup, inter;
    CHECK_OK(MPI_Comm_dup(t->comm, &dup));
    CHECK_EQUAL(MPI_ERR_COMM, MPI_Intercomm_create(dup, 0, t->comm, 0, 1, &inter));
    CHECK_OK(MPI_Comm_free(&dup));
    test_ring(t->comm);
}

/* Where all ranks can share memory the sides stay as they are, but for those that do not want to. */
void case_inter_split_type(const test *t)
{
    sides s;
    MPI_Comm made;
    int result, size;
    long long *places = malloc((size_t)t->size * sizeof *places);
    int together = test_places(t, places);
    free(places);
    make_sides(t, &s);
    CHECK_OK(MPI_Comm_split_type(s.inter, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made));
    if (together == t->size) {
        CHECK_OK(MPI_Comm_compare(s.inter, made, &result));
        CHECK_EQUAL(MPI_CONGRUENT, result);
        exchange(t, made, whom_plain, &s);
        CHECK_OK(MPI_Comm_free(&made));
        CHECK_OK(MPI_Comm_split_type(s.inter, MPI_COMM_TYPE_SHARED, -s.rank, MPI_INFO_NULL, &made));
        exchange(t, made, whom_last, &s);
        CHECK_OK(MPI_Comm_free(&made));
    } else if (made != MPI_COMM_NULL) {
        CHECK_OK(MPI_Comm_size(made, &result));
        CHECK_OK(MPI_Comm_remote_size(made, &size));
        CHECK_EQUAL(together, result + size);
        CHECK_OK(MPI_Comm_free(&made));
    }
    CHECK_OK(MPI_Comm_split_type(s.inter, s.side ? MPI_UNDEFINED : MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made));
    CHECK(made == MPI_COMM_NULL);
    CHECK_OK(MPI_Comm_split_type(s.inter, MPI_COMM_TYPE_HW_UNGUIDED, 0, MPI_INFO_NULL, &made));
    CHECK(made == MPI_COMM_NULL);
    free_sides(&s);
}

/* From two groups and a string; of the other side only the leaders, here the last ones, know. */
void case_inter_from_groups(const test *t)
{
    sides s = {.side = t->rank % 2};
    MPI_Group all, groups[2];
    MPI_Errhandler handler;
    CHECK_OK(MPI_Comm_group(t->comm, &all));
    for (int side = 0; side < 2; side++) {
        int every_other[1][3] = {{side, t->size - 1, 2}};
        CHECK_OK(MPI_Group_range_incl(all, 1, every_other, &groups[side]));
    }
    CHECK_OK(MPI_Group_size(groups[s.side], &s.size));
    CHECK_OK(MPI_Group_size(groups[!s.side], &s.remote_size));
    CHECK_OK(MPI_Group_rank(groups[s.side], &s.rank));
    int is_leader = s.rank == s.size - 1;
    CHECK_OK(MPI_Intercomm_create_from_groups(groups[s.side], s.size - 1, is_leader ? groups[!s.side] : MPI_GROUP_NULL,
                                              is_leader ? s.remote_size - 1 : -5, "halves", MPI_INFO_NULL,
                                              MPI_ERRORS_RETURN, &s.inter));
    CHECK_OK(MPI_Comm_get_errhandler(s.inter, &handler));
    CHECK(handler == MPI_ERRORS_RETURN);
    exchange(t, s.inter, whom_plain, &s);
    CHECK_OK(MPI_Comm_disconnect(&s.inter));
    CHECK_OK(MPI_Intercomm_create_from_groups(groups[s.side], 0, MPI_GROUP_EMPTY, 0, "halves", MPI_INFO_NULL,
                                              MPI_ERRORS_RETURN, &s.inter));
    CHECK(s.inter == MPI_COMM_NULL);
    /* The two sides share a member, which only the other's leader could see. */
    CHECK_EQUAL(MPI_ERR_COMM,
                MPI_Intercomm_create_from_groups(groups[s.side], 0, groups[s.side], 0, s.side ? "odd" : "even",
                                                 MPI_INFO_NULL, MPI_ERRORS_RETURN, &s.inter));
    for (int side = 0; side < 2; side++)
        CHECK_OK(MPI_Group_free(&groups[side]));
    CHECK_OK(MPI_Group_free(&all));
}
