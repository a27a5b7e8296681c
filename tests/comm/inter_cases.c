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
    OK(t, MPI_Comm_split(t->comm, s->side, t->rank, &s->local));
    OK(t, MPI_Intercomm_create(s->local, 0, t->comm, !s->side, 77, &s->inter));
    OK(t, MPI_Comm_rank(s->inter, &s->rank));
    OK(t, MPI_Comm_size(s->inter, &s->size));
    OK(t, MPI_Comm_remote_size(s->inter, &s->remote_size));
}

static void free_sides(const test *t, sides *s)
{
    OK(t, MPI_Comm_free(&s->local));
    OK(t, MPI_Comm_free(&s->inter));
}

/* Everybody sends to everybody of the other side and receives from anybody. */
static void exchange(const test *t, MPI_Comm inter, int (*whom)(int their_rank, const void *context),
                     const void *context)
{
    int rank, remote_size, numbers[2], is_seen[64] = {0};
    MPI_Request requests[64];
    MPI_Status status;
    OK(t, MPI_Comm_rank(inter, &rank));
    OK(t, MPI_Comm_remote_size(inter, &remote_size));
    int mine[2] = {t->rank, rank};
    for (int i = 0; i < remote_size; i++)
        OK(t, MPI_Isend(mine, 2, MPI_INT, i, 9, inter, &requests[i]));
    for (int i = 0; i < remote_size; i++) {
        OK(t, MPI_Probe(MPI_ANY_SOURCE, 9, inter, &status));
        OK(t, MPI_Recv(numbers, 2, MPI_INT, status.MPI_SOURCE, 9, inter, &status));
        EXPECT(t, status.MPI_SOURCE, numbers[1]);
        EXPECT(t, whom(status.MPI_SOURCE, context), numbers[0]);
        EXPECT(t, 0, is_seen[status.MPI_SOURCE]++);
    }
    OK(t, MPI_Waitall(remote_size, requests, MPI_STATUSES_IGNORE));
    OK(t, MPI_Barrier(inter));
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
    OK(t, MPI_Comm_test_inter(s.inter, &flag));
    EXPECT(t, 1, flag);
    EXPECT(t, t->rank / 2, s.rank);
    EXPECT(t, (t->size + 1 - s.side) / 2, s.size);
    EXPECT(t, (t->size + s.side) / 2, s.remote_size);
    /* The remote group, and errors about it. */
    MPI_Group all, theirs;
    OK(t, MPI_Comm_remote_group(s.inter, &theirs));
    OK(t, MPI_Comm_group(t->comm, &all));
    for (int i = 0; i < s.remote_size; i++) {
        OK(t, MPI_Group_translate_ranks(theirs, 1, &i, all, &dummy));
        EXPECT(t, remote(&s, i), dummy);
    }
    OK(t, MPI_Group_rank(theirs, &dummy));
    EXPECT(t, MPI_UNDEFINED, dummy);
    OK(t, MPI_Group_free(&all));
    OK(t, MPI_Group_free(&theirs));
    EXPECT(t, MPI_ERR_RANK, MPI_Send(&dummy, 1, MPI_INT, s.remote_size, 0, s.inter));
    EXPECT(t, MPI_ERR_COMM, MPI_Comm_create_group(s.inter, MPI_GROUP_EMPTY, 0, &s.local));
    EXPECT(t, MPI_ERR_COMM, MPI_Comm_remote_size(t->comm, &dummy));
    EXPECT(t, MPI_ERR_COMM, MPI_Comm_remote_group(t->comm, &all));
    EXPECT(t, MPI_ERR_COMM, MPI_Intercomm_merge(t->comm, 0, &s.local));
    EXPECT(t, MPI_ERR_COMM, MPI_Cart_create(s.inter, 0, NULL, NULL, 0, &s.local));
    EXPECT(t, MPI_ERR_COMM, MPI_Intercomm_create(s.inter, 0, t->comm, 0, 0, &s.local));
    free_sides(t, &s);
}

void case_inter_messages(const test *t)
{
    sides s;
    make_sides(t, &s);
    for (int round = 0; round < 5; round++)
        exchange(t, s.inter, whom_plain, &s);
    /* Large ones, both ways at once, and nobody's. */
    int count = 100000, partner = s.rank % s.remote_size, dummy = 0;
    MPI_Status status;
    if (t->rank < 2) {
        int *out = malloc((size_t)count * sizeof *out), *in = malloc((size_t)count * sizeof *in);
        for (int i = 0; i < count; i++)
            out[i] = i * (t->rank + 1);
        OK(t, MPI_Sendrecv(out, count, MPI_INT, partner, 1, in, count, MPI_INT, partner, 1, s.inter, &status));
        EXPECT(t, partner, status.MPI_SOURCE);
        for (int i = 0; i < count; i++)
            EXPECT(t, i * (2 - t->rank), in[i]);
        free(out);
        free(in);
    }
    OK(t, MPI_Sendrecv(&dummy, 1, MPI_INT, MPI_PROC_NULL, 1, &dummy, 1, MPI_INT, MPI_PROC_NULL, 1, s.inter, &status));
    EXPECT(t, MPI_PROC_NULL, status.MPI_SOURCE);
    free_sides(t, &s);
}

void case_inter_dup_and_compare(const test *t)
{
    sides s;
    MPI_Comm dup, background;
    MPI_Request request;
    int result;
    make_sides(t, &s);
    OK(t, MPI_Comm_dup(s.inter, &dup));
    OK(t, MPI_Comm_idup(s.inter, &background, &request));
    OK(t, MPI_Comm_compare(s.inter, dup, &result));
    EXPECT(t, MPI_CONGRUENT, result);
    OK(t, MPI_Comm_compare(s.inter, s.inter, &result));
    EXPECT(t, MPI_IDENT, result);
    OK(t, MPI_Comm_compare(s.inter, s.local, &result));
    EXPECT(t, MPI_UNEQUAL, result);
    exchange(t, dup, whom_plain, &s);
    OK(t, MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(t, MPI_Comm_free(&dup));
    exchange(t, background, whom_plain, &s);
    OK(t, MPI_Comm_free(&background));
    free_sides(t, &s);
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
    OK(t, MPI_Comm_split(s.inter, s.rank % 2, -s.rank, &made));
    /* A colour that only one side has gives nothing. */
    int has_partner = s.remote_size > s.rank % 2;
    EXPECT(t, has_partner, made != MPI_COMM_NULL);
    if (made != MPI_COMM_NULL) {
        OK(t, MPI_Comm_test_inter(made, &flag));
        EXPECT(t, 1, flag);
        int count = (s.size + 1 - s.rank % 2) / 2;
        OK(t, MPI_Comm_rank(made, &rank));
        EXPECT(t, count - 1 - s.rank / 2, rank);
        exchange(t, made, whom_split, &s);
        OK(t, MPI_Comm_free(&made));
    }
    OK(t, MPI_Comm_split(s.inter, s.side, 0, &made));
    EXPECT(t, 1, made == MPI_COMM_NULL);
    OK(t, MPI_Comm_split(s.inter, MPI_UNDEFINED, 0, &made));
    EXPECT(t, 1, made == MPI_COMM_NULL);
    free_sides(t, &s);
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
    OK(t, MPI_Comm_group(s.inter, &all));
    int backwards[1][3] = {{s.size - 1, 0, -1}};
    OK(t, MPI_Group_range_incl(all, 1, backwards, &turned));
    OK(t, MPI_Comm_create(s.inter, turned, &made));
    exchange(t, made, whom_last, &s);
    OK(t, MPI_Comm_free(&made));
    /* One side names nobody. */
    OK(t, MPI_Comm_create(s.inter, s.side ? all : MPI_GROUP_EMPTY, &made));
    EXPECT(t, 1, made == MPI_COMM_NULL);
    OK(t, MPI_Group_free(&all));
    OK(t, MPI_Group_free(&turned));
    free_sides(t, &s);
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
        OK(t, MPI_Intercomm_merge(s.inter, s.side != first, &made));
        count = 0;
        for (int i = first; i < t->size; i += 2)
            ranks[count++] = i;
        for (int i = !first; i < t->size; i += 2)
            ranks[count++] = i;
        test_members(t, made, count, ranks);
        test_ring(t, made);
        OK(t, MPI_Comm_free(&made));
    }
    /* Both say the same: any order, but one. */
    OK(t, MPI_Intercomm_merge(s.inter, 1, &made));
    test_ring(t, made);
    OK(t, MPI_Comm_rank(made, &rank));
    OK(t, MPI_Comm_size(made, &count));
    EXPECT(t, t->size, count);
    EXPECT(t, 1, rank == s.rank || rank == s.rank + s.remote_size);
    OK(t, MPI_Comm_free(&made));
    /* Members of one side that do not agree are told, all of them. */
    if (t->size >= 3)
        EXPECT(t, MPI_ERR_ARG, MPI_Intercomm_merge(s.inter, t->rank == 0, &made));
    free_sides(t, &s);
}

/* Leaders that are not the first, a bridge that only they know, and several tags at once. */
void case_inter_leaders_anywhere(const test *t)
{
    MPI_Comm local, bridge, inter[2], merged;
    int side = t->rank >= t->size / 2, size, rank;
    OK(t, MPI_Comm_split(t->comm, side, t->rank, &local));
    OK(t, MPI_Comm_size(local, &size));
    OK(t, MPI_Comm_rank(local, &rank));
    /* The last of the first half and the last of all meet in a communicator of two. */
    int is_leader = rank == size - 1;
    OK(t, MPI_Comm_split(t->comm, is_leader ? 1 : MPI_UNDEFINED, 0, &bridge));
    for (int i = 0; i < 2; i++)
        OK(t, MPI_Intercomm_create(local, size - 1, bridge, !side, 5 + i, &inter[i]));
    for (int i = 0; i < 2; i++) {
        OK(t, MPI_Intercomm_merge(inter[i], side, &merged));
        int result;
        OK(t, MPI_Comm_compare(merged, t->comm, &result));
        EXPECT(t, MPI_CONGRUENT, result);
        OK(t, MPI_Comm_free(&merged));
        OK(t, MPI_Comm_free(&inter[i]));
    }
    if (bridge != MPI_COMM_NULL)
        OK(t, MPI_Comm_free(&bridge));
    OK(t, MPI_Comm_free(&local));
}

/* Both sides are the same group: told on both sides, and everything goes on. */
void case_inter_overlap(const test *t)
{
    MPI_Comm dup, inter;
    OK(t, MPI_Comm_dup(t->comm, &dup));
    EXPECT(t, MPI_ERR_COMM, MPI_Intercomm_create(dup, 0, t->comm, 0, 1, &inter));
    OK(t, MPI_Comm_free(&dup));
    test_ring(t, t->comm);
}

/* All ranks of these tests are on one host: the sides stay as they are, but for those that do not want to. */
void case_inter_split_type(const test *t)
{
    sides s;
    MPI_Comm made;
    int result;
    make_sides(t, &s);
    OK(t, MPI_Comm_split_type(s.inter, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made));
    OK(t, MPI_Comm_compare(s.inter, made, &result));
    EXPECT(t, MPI_CONGRUENT, result);
    exchange(t, made, whom_plain, &s);
    OK(t, MPI_Comm_free(&made));
    OK(t, MPI_Comm_split_type(s.inter, MPI_COMM_TYPE_SHARED, -s.rank, MPI_INFO_NULL, &made));
    exchange(t, made, whom_last, &s);
    OK(t, MPI_Comm_free(&made));
    OK(t, MPI_Comm_split_type(s.inter, s.side ? MPI_UNDEFINED : MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made));
    EXPECT(t, 1, made == MPI_COMM_NULL);
    OK(t, MPI_Comm_split_type(s.inter, MPI_COMM_TYPE_HW_UNGUIDED, 0, MPI_INFO_NULL, &made));
    EXPECT(t, 1, made == MPI_COMM_NULL);
    free_sides(t, &s);
}

/* From two groups and a string; of the other side only the leaders, here the last ones, know. */
void case_inter_from_groups(const test *t)
{
    sides s = {.side = t->rank % 2};
    MPI_Group all, groups[2];
    MPI_Errhandler handler;
    OK(t, MPI_Comm_group(t->comm, &all));
    for (int side = 0; side < 2; side++) {
        int every_other[1][3] = {{side, t->size - 1, 2}};
        OK(t, MPI_Group_range_incl(all, 1, every_other, &groups[side]));
    }
    OK(t, MPI_Group_size(groups[s.side], &s.size));
    OK(t, MPI_Group_size(groups[!s.side], &s.remote_size));
    OK(t, MPI_Group_rank(groups[s.side], &s.rank));
    int is_leader = s.rank == s.size - 1;
    OK(t, MPI_Intercomm_create_from_groups(groups[s.side], s.size - 1, is_leader ? groups[!s.side] : MPI_GROUP_NULL,
                                           is_leader ? s.remote_size - 1 : -5, "halves", MPI_INFO_NULL,
                                           MPI_ERRORS_RETURN, &s.inter));
    OK(t, MPI_Comm_get_errhandler(s.inter, &handler));
    EXPECT(t, 1, handler == MPI_ERRORS_RETURN);
    exchange(t, s.inter, whom_plain, &s);
    OK(t, MPI_Comm_disconnect(&s.inter));
    OK(t, MPI_Intercomm_create_from_groups(groups[s.side], 0, MPI_GROUP_EMPTY, 0, "halves", MPI_INFO_NULL,
                                           MPI_ERRORS_RETURN, &s.inter));
    EXPECT(t, 1, s.inter == MPI_COMM_NULL);
    /* The two sides share a member, which only the other's leader could see. */
    EXPECT(t, MPI_ERR_COMM,
           MPI_Intercomm_create_from_groups(groups[s.side], 0, groups[s.side], 0, s.side ? "odd" : "even",
                                            MPI_INFO_NULL, MPI_ERRORS_RETURN, &s.inter));
    for (int side = 0; side < 2; side++)
        OK(t, MPI_Group_free(&groups[side]));
    OK(t, MPI_Group_free(&all));
}
