/* SPDX-License-Identifier: Apache-2.0 */
/* Groups, against lists of ranks. */
#include "comm_suite.h"

#include <stdlib.h>

enum { MOST = 64 };

typedef struct ranks {
    int count, at[MOST];
} ranks;

/* The members of a group as ranks of the case's communicator. */
static ranks members(const test *t, MPI_Group group)
{
    ranks found = {0};
    MPI_Group all;
    CHECK_OK(MPI_Comm_group(t->comm, &all));
    CHECK_OK(MPI_Group_size(group, &found.count));
    for (int i = 0; i < found.count; i++)
        CHECK_OK(MPI_Group_translate_ranks(group, 1, &i, all, &found.at[i]));
    CHECK_OK(MPI_Group_free(&all));
    return found;
}

static void expect_members(const test *t, MPI_Group group, const ranks *expected)
{
    int rank, my_place = MPI_UNDEFINED;
    ranks found = members(t, group);
    CHECK_EQUAL(expected->count, found.count);
    for (int i = 0; i < expected->count; i++) {
        CHECK_EQUAL(expected->at[i], found.at[i]);
        if (expected->at[i] == t->rank)
            my_place = i;
    }
    CHECK_OK(MPI_Group_rank(group, &rank));
    CHECK_EQUAL(my_place, rank);
    CHECK_EQUAL(expected->count == 0, group == MPI_GROUP_EMPTY);
}

static int has(const ranks *list, int rank)
{
    for (int i = 0; i < list->count; i++)
        if (list->at[i] == rank)
            return 1;
    return 0;
}

/* Some of the ranks, in a random order that is the same everywhere. */
static ranks some(const test *t, unsigned long long *state)
{
    ranks list = {0};
    for (int i = 0; i < t->size; i++)
        if (test_random(state) % 2) {
            int at = (int)(test_random(state) % (unsigned)(list.count + 1));
            list.at[list.count++] = list.at[at];
            list.at[at] = i;
        }
    return list;
}

static MPI_Group make(const test *t, const ranks *list)
{
    MPI_Group all, made;
    CHECK_OK(MPI_Comm_group(t->comm, &all));
    CHECK_OK(MPI_Group_incl(all, list->count, list->at, &made));
    CHECK_OK(MPI_Group_free(&all));
    CHECK(all == MPI_GROUP_NULL);
    return made;
}

void case_group_sets(const test *t)
{
    unsigned long long state = 11;
    for (int round = 0; round < 50; round++) {
        ranks a = some(t, &state), b = some(t, &state), expected;
        MPI_Group first = make(t, &a), second = make(t, &b), made;
        expect_members(t, first, &a);

        CHECK_OK(MPI_Group_union(first, second, &made));
        expected = a;
        for (int i = 0; i < b.count; i++)
            if (!has(&a, b.at[i]))
                expected.at[expected.count++] = b.at[i];
        expect_members(t, made, &expected);
        CHECK_OK(MPI_Group_free(&made));

        CHECK_OK(MPI_Group_intersection(first, second, &made));
        expected.count = 0;
        for (int i = 0; i < a.count; i++)
            if (has(&b, a.at[i]))
                expected.at[expected.count++] = a.at[i];
        expect_members(t, made, &expected);
        CHECK_OK(MPI_Group_free(&made));

        CHECK_OK(MPI_Group_difference(first, second, &made));
        expected.count = 0;
        for (int i = 0; i < a.count; i++)
            if (!has(&b, a.at[i]))
                expected.at[expected.count++] = a.at[i];
        expect_members(t, made, &expected);
        CHECK_OK(MPI_Group_free(&made));
        CHECK_OK(MPI_Group_free(&first));
        CHECK_OK(MPI_Group_free(&second));
    }
}

void case_group_picks(const test *t)
{
    unsigned long long state = 12;
    for (int round = 0; round < 50; round++) {
        ranks a = some(t, &state), picked = {0}, chosen = {0}, rest = {0};
        MPI_Group from = make(t, &a), made;
        for (int i = a.count - 1; i >= 0; i--)
            if (test_random(&state) % 2) {
                picked.at[picked.count++] = i;
                chosen.at[chosen.count++] = a.at[i];
            }
        for (int i = 0; i < a.count; i++)
            if (!has(&chosen, a.at[i]))
                rest.at[rest.count++] = a.at[i];
        CHECK_OK(MPI_Group_incl(from, picked.count, picked.at, &made));
        expect_members(t, made, &chosen);
        CHECK_OK(MPI_Group_free(&made));
        CHECK_OK(MPI_Group_excl(from, picked.count, picked.at, &made));
        expect_members(t, made, &rest);
        CHECK_OK(MPI_Group_free(&made));
        CHECK_OK(MPI_Group_free(&from));
    }
    MPI_Group empty;
    CHECK_OK(MPI_Group_incl(MPI_GROUP_EMPTY, 0, NULL, &empty));
    CHECK(empty == MPI_GROUP_EMPTY);
}

void case_group_ranges(const test *t)
{
    MPI_Group all, made;
    ranks expected = {0};
    CHECK_OK(MPI_Comm_group(t->comm, &all));
    /* Every second from the end, then what is left from the start. */
    int down[2][3] = {{t->size - 1, 0, -2}, {t->size % 2, t->size - 1, 2}};
    int both = t->size > 1;
    CHECK_OK(MPI_Group_range_incl(all, 1 + both, down, &made));
    for (int i = t->size - 1; i >= 0; i -= 2)
        expected.at[expected.count++] = i;
    for (int i = t->size % 2; i < t->size && both; i += 2)
        expected.at[expected.count++] = i;
    expect_members(t, made, &expected);
    CHECK_OK(MPI_Group_free(&made));
    CHECK_OK(MPI_Group_range_excl(all, 1, down, &made));
    expected.count = 0;
    for (int i = 0; i < t->size; i++)
        if ((t->size - 1 - i) % 2)
            expected.at[expected.count++] = i;
    expect_members(t, made, &expected);
    CHECK_OK(MPI_Group_free(&made));
    /* Nothing between first and last is no error. */
    int nothing[1][3] = {{0, -1, 1}};
    CHECK_OK(MPI_Group_range_incl(all, 1, nothing, &made));
    CHECK(made == MPI_GROUP_EMPTY);
    CHECK_OK(MPI_Group_free(&all));
}

void case_group_compare_and_translate(const test *t)
{
    MPI_Group all, same, turned, fewer;
    ranks backwards = {0};
    int result;
    for (int i = t->size - 1; i >= 0; i--)
        backwards.at[backwards.count++] = i;
    CHECK_OK(MPI_Comm_group(t->comm, &all));
    CHECK_OK(MPI_Comm_group(MPI_COMM_WORLD, &same));
    turned = make(t, &backwards);
    backwards.count--;
    fewer = make(t, &backwards);
    CHECK_OK(MPI_Group_compare(all, same, &result));
    CHECK_EQUAL(MPI_IDENT, result);
    CHECK_OK(MPI_Group_compare(all, turned, &result));
    CHECK_EQUAL(t->size == 1 ? MPI_IDENT : MPI_SIMILAR, result);
    CHECK_OK(MPI_Group_compare(all, fewer, &result));
    CHECK_EQUAL(MPI_UNEQUAL, result);
    CHECK_OK(MPI_Group_compare(MPI_GROUP_EMPTY, MPI_GROUP_EMPTY, &result));
    CHECK_EQUAL(MPI_IDENT, result);
    for (int i = 0; i < t->size; i++) {
        int in[2] = {i, MPI_PROC_NULL}, out[2];
        CHECK_OK(MPI_Group_translate_ranks(all, 2, in, turned, out));
        CHECK_EQUAL(t->size - 1 - i, out[0]);
        CHECK_EQUAL(MPI_PROC_NULL, out[1]);
        CHECK_OK(MPI_Group_translate_ranks(all, 1, in, fewer, out));
        CHECK_EQUAL(i == 0 ? MPI_UNDEFINED : t->size - 1 - i, out[0]);
    }
    /* Handles survive being numbers. */
    CHECK(MPI_Group_fromint(MPI_Group_toint(turned)) == turned);
    CHECK_OK(MPI_Group_free(&all));
    CHECK_OK(MPI_Group_free(&same));
    CHECK_OK(MPI_Group_free(&turned));
    CHECK_OK(MPI_Group_free(&fewer));
}
