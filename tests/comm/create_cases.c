/* SPDX-License-Identifier: Apache-2.0 */
/* Communicators made from communicators. */
#include "comm_suite.h"

#include <stdlib.h>
#include <string.h>

void case_create_dup(const test *t)
{
    MPI_Comm dup, again;
    int result, flag;
    CHECK_OK(MPI_Comm_dup(t->comm, &dup));
    CHECK_OK(MPI_Comm_compare(t->comm, dup, &result));
    CHECK_EQUAL(MPI_CONGRUENT, result);
    CHECK_OK(MPI_Comm_test_inter(dup, &flag));
    CHECK_EQUAL(0, flag);
    CHECK_OK(MPI_Comm_dup(dup, &again));
    /* A message of one is not received in the other. */
    int right = (t->rank + 1) % t->size, left = (t->rank + t->size - 1) % t->size, one = 1, two = 2, got = 0;
    MPI_Request request;
    CHECK_OK(MPI_Isend(&two, 1, MPI_INT, right, 0, again, &request));
    CHECK_OK(MPI_Sendrecv(&one, 1, MPI_INT, right, 0, &got, 1, MPI_INT, left, 0, dup, MPI_STATUS_IGNORE));
    CHECK_EQUAL(1, got);
    CHECK_OK(MPI_Recv(&got, 1, MPI_INT, left, 0, again, MPI_STATUS_IGNORE));
    CHECK_EQUAL(2, got);
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Comm_free(&dup));
    test_ring(again);
    CHECK_OK(MPI_Comm_free(&again));
    CHECK(again == MPI_COMM_NULL);
}

void case_create_from_groups(const test *t)
{
    MPI_Group all, odd;
    MPI_Comm made;
    int ranks[64], count = 0;
    for (int i = t->size - 1; i >= 0; i--)
        if (i % 2)
            ranks[count++] = i;
    CHECK_OK(MPI_Comm_group(t->comm, &all));
    CHECK_OK(MPI_Group_incl(all, count, ranks, &odd));
    CHECK_OK(MPI_Comm_create(t->comm, odd, &made));
    CHECK_EQUAL(t->rank % 2, made != MPI_COMM_NULL);
    if (made != MPI_COMM_NULL) {
        test_members(t, made, count, ranks);
        test_ring(made);
        CHECK_OK(MPI_Comm_free(&made));
    }
    CHECK_OK(MPI_Comm_create(t->comm, MPI_GROUP_EMPTY, &made));
    CHECK(made == MPI_COMM_NULL);
    CHECK_OK(MPI_Comm_create(t->comm, all, &made));
    test_ring(made);
    CHECK_OK(MPI_Comm_free(&made));
    CHECK_OK(MPI_Group_free(&all));
    if (odd != MPI_GROUP_EMPTY)
        CHECK_OK(MPI_Group_free(&odd));
}

/* Every two neighbours make a communicator of their own in one call. */
void case_create_disjoint_groups(const test *t)
{
    MPI_Group all, pair;
    MPI_Comm made;
    int first = t->rank / 2 * 2;
    int ranks[2] = {first + 1, first}, count = 2;
    if (first + 1 == t->size) {
        ranks[0] = first;
        count = 1;
    }
    CHECK_OK(MPI_Comm_group(t->comm, &all));
    CHECK_OK(MPI_Group_incl(all, count, ranks, &pair));
    CHECK_OK(MPI_Comm_create(t->comm, pair, &made));
    test_members(t, made, count, ranks);
    test_ring(made);
    CHECK_OK(MPI_Comm_free(&made));
    CHECK_OK(MPI_Group_free(&all));
    CHECK_OK(MPI_Group_free(&pair));
}

void case_create_by_members_only(const test *t)
{
    MPI_Group all, part;
    MPI_Comm made;
    int ranks[64], count = 0;
    for (int i = 0; i < t->size; i += 3)
        ranks[count++] = i;
    CHECK_OK(MPI_Comm_group(t->comm, &all));
    CHECK_OK(MPI_Group_incl(all, count, ranks, &part));
    /* The others do something else meanwhile. */
    if (t->rank % 3 == 0) {
        for (int round = 0; round < 5; round++) {
            CHECK_OK(MPI_Comm_create_group(t->comm, part, round * 1000, &made));
            test_members(t, made, count, ranks);
            test_ring(made);
            CHECK_OK(MPI_Comm_free(&made));
        }
    } else {
        CHECK_OK(MPI_Comm_create_group(t->comm, part, 0, &made));
        CHECK(made == MPI_COMM_NULL);
    }
    CHECK_OK(MPI_Group_free(&all));
    CHECK_OK(MPI_Group_free(&part));
}

void case_create_split(const test *t)
{
    MPI_Comm made;
    int rank, size, got;
    /* Three colours, backwards; one of them gets nothing. */
    int colour = t->rank % 3;
    CHECK_OK(MPI_Comm_split(t->comm, colour == 2 ? MPI_UNDEFINED : colour, -t->rank, &made));
    CHECK_EQUAL(colour == 2, made == MPI_COMM_NULL);
    if (made != MPI_COMM_NULL) {
        CHECK_OK(MPI_Comm_rank(made, &rank));
        CHECK_OK(MPI_Comm_size(made, &size));
        CHECK_EQUAL((t->size - 1 - colour) / 3 + 1, size);
        CHECK_EQUAL((t->size - 1 - colour) / 3 - t->rank / 3, rank);
        test_ring(made);
        CHECK_OK(MPI_Comm_free(&made));
    }
    /* The same key for all keeps the order. */
    CHECK_OK(MPI_Comm_split(t->comm, 2147483647, 5, &made));
    CHECK_OK(MPI_Comm_compare(t->comm, made, &got));
    CHECK_EQUAL(MPI_CONGRUENT, got);
    CHECK_OK(MPI_Comm_free(&made));
    /* Turned round it is similar. */
    CHECK_OK(MPI_Comm_split(t->comm, 0, -t->rank, &made));
    CHECK_OK(MPI_Comm_compare(t->comm, made, &got));
    CHECK_EQUAL(t->size == 1 ? MPI_CONGRUENT : MPI_SIMILAR, got);
    CHECK_OK(MPI_Comm_free(&made));
}

void case_create_split_type(const test *t)
{
    MPI_Comm made;
    MPI_Info info;
    int result, behind = 0;
    long long *places = malloc((size_t)t->size * sizeof *places);
    int together = test_places(t, places);
    CHECK_OK(MPI_Comm_split_type(t->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made));
    CHECK_OK(MPI_Comm_compare(t->comm, made, &result));
    CHECK_EQUAL(together == t->size ? MPI_CONGRUENT : MPI_UNEQUAL, result);
    CHECK_OK(MPI_Comm_size(made, &result));
    CHECK_EQUAL(together, result);
    test_ring(made);
    CHECK_OK(MPI_Comm_free(&made));
    CHECK_OK(MPI_Comm_split_type(t->comm, t->rank == 0 ? MPI_UNDEFINED : MPI_COMM_TYPE_SHARED, -t->rank, MPI_INFO_NULL,
                                 &made));
    CHECK_EQUAL(t->rank == 0, made == MPI_COMM_NULL);
    if (made != MPI_COMM_NULL) {
        for (int i = t->rank + 1; i < t->size; i++)
            behind += places[i] == places[t->rank];
        CHECK_OK(MPI_Comm_rank(made, &result));
        CHECK_EQUAL(behind, result);
        CHECK_OK(MPI_Comm_free(&made));
    }
    free(places);
    CHECK_OK(MPI_Comm_split_type(t->comm, MPI_COMM_TYPE_HW_UNGUIDED, 0, MPI_INFO_NULL, &made));
    CHECK(made == MPI_COMM_NULL);
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, "mpi_hw_resource_type", "mpi_shared_memory"));
    CHECK_OK(MPI_Comm_split_type(t->comm, MPI_COMM_TYPE_HW_GUIDED, 0, info, &made));
    test_ring(made);
    CHECK_OK(MPI_Comm_free(&made));
    CHECK_OK(MPI_Info_free(&info));
}

static void expect_hint(MPI_Comm comm, const char *key, const char *value)
{
    char text[64];
    int flag, length = sizeof text;
    MPI_Info used;
    CHECK_OK(MPI_Comm_get_info(comm, &used));
    CHECK_OK(MPI_Info_get_string(used, key, &length, text, &flag));
    CHECK_EQUAL(value != NULL, flag);
    if (value && strcmp(text, value) != 0)
        CHECK_FAIL("%s is \"%s\", not \"%s\"", key, text, value);
    CHECK_OK(MPI_Info_free(&used));
}

void case_create_info(const test *t)
{
    MPI_Comm made, plain;
    MPI_Info info;
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, "mpi_assert_no_any_tag", "true"));
    CHECK_OK(MPI_Info_set(info, "nobody_knows_this", "true"));
    CHECK_OK(MPI_Comm_dup_with_info(t->comm, info, &made));
    expect_hint(made, "mpi_assert_no_any_tag", "true");
    expect_hint(made, "mpi_assert_exact_length", "false");
    expect_hint(made, "mpi_memory_alloc_kinds", "mpi,system");
    expect_hint(made, "nobody_knows_this", NULL);
    expect_hint(t->comm, "mpi_assert_no_any_tag", "false");
    CHECK_OK(MPI_Comm_dup(made, &plain));
    expect_hint(plain, "mpi_assert_no_any_tag", "false");
    CHECK_OK(MPI_Info_set(info, "mpi_assert_no_any_tag", "false"));
    CHECK_OK(MPI_Comm_set_info(made, info));
    expect_hint(made, "mpi_assert_no_any_tag", "false");
    CHECK_OK(MPI_Info_free(&info));
    CHECK_OK(MPI_Comm_free(&made));
    CHECK_OK(MPI_Comm_free(&plain));
}

static void note_error(MPI_Comm *comm, int *code, ...)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    (void)code;
    MPI_Comm_get_name(*comm, name, &length);
    MPI_Comm_set_name(*comm, strcat(name, "!"));
}

void case_create_names_and_handlers(const test *t)
{
    MPI_Comm made;
    MPI_Errhandler handler;
    char name[MPI_MAX_OBJECT_NAME];
    int length, dummy;
    CHECK_OK(MPI_Comm_create_errhandler(note_error, &handler));
    CHECK_OK(MPI_Comm_set_name(t->comm, "tested"));
    CHECK_OK(MPI_Comm_set_errhandler(t->comm, handler));
    CHECK_OK(MPI_Errhandler_free(&handler));
    /* The handler is inherited, the name is not. */
    CHECK_OK(MPI_Comm_dup(t->comm, &made));
    CHECK_OK(MPI_Comm_get_name(made, name, &length));
    CHECK_EQUAL(0, length);
    CHECK_EQUAL(MPI_ERR_RANK, MPI_Send(&dummy, 1, MPI_INT, t->size, 0, made));
    CHECK_OK(MPI_Comm_get_name(made, name, &length));
    CHECK_EQUAL(0, strcmp(name, "!"));
    CHECK_OK(MPI_Comm_get_name(t->comm, name, &length));
    CHECK_EQUAL(0, strcmp(name, "tested"));
    CHECK_OK(MPI_Comm_free(&made));
    CHECK_OK(MPI_Comm_split(t->comm, 0, 0, &made));
    CHECK_EQUAL(MPI_ERR_TAG, MPI_Send(&dummy, 1, MPI_INT, 0, -1, made));
    CHECK_OK(MPI_Comm_get_name(made, name, &length));
    CHECK_EQUAL(0, strcmp(name, "!"));
    CHECK_OK(MPI_Comm_free(&made));
    CHECK_OK(MPI_Comm_set_errhandler(t->comm, MPI_ERRORS_RETURN));
}
