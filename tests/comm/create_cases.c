/* Communicators made from communicators. */
#include "comm_suite.h"

#include <stdlib.h>
#include <string.h>

void case_create_dup(const test *t)
{
    MPI_Comm dup, again;
    int result, flag;
    OK(t, MPI_Comm_dup(t->comm, &dup));
    OK(t, MPI_Comm_compare(t->comm, dup, &result));
    EXPECT(t, MPI_CONGRUENT, result);
    OK(t, MPI_Comm_test_inter(dup, &flag));
    EXPECT(t, 0, flag);
    OK(t, MPI_Comm_dup(dup, &again));
    /* A message of one is not received in the other. */
    int right = (t->rank + 1) % t->size, left = (t->rank + t->size - 1) % t->size, one = 1, two = 2, got = 0;
    MPI_Request request;
    OK(t, MPI_Isend(&two, 1, MPI_INT, right, 0, again, &request));
    OK(t, MPI_Sendrecv(&one, 1, MPI_INT, right, 0, &got, 1, MPI_INT, left, 0, dup, MPI_STATUS_IGNORE));
    EXPECT(t, 1, got);
    OK(t, MPI_Recv(&got, 1, MPI_INT, left, 0, again, MPI_STATUS_IGNORE));
    EXPECT(t, 2, got);
    OK(t, MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(t, MPI_Comm_free(&dup));
    test_ring(t, again);
    OK(t, MPI_Comm_free(&again));
    EXPECT(t, 1, again == MPI_COMM_NULL);
}

void case_create_from_groups(const test *t)
{
    MPI_Group all, odd;
    MPI_Comm made;
    int ranks[64], count = 0;
    for (int i = t->size - 1; i >= 0; i--)
        if (i % 2)
            ranks[count++] = i;
    OK(t, MPI_Comm_group(t->comm, &all));
    OK(t, MPI_Group_incl(all, count, ranks, &odd));
    OK(t, MPI_Comm_create(t->comm, odd, &made));
    EXPECT(t, t->rank % 2, made != MPI_COMM_NULL);
    if (made != MPI_COMM_NULL) {
        test_members(t, made, count, ranks);
        test_ring(t, made);
        OK(t, MPI_Comm_free(&made));
    }
    OK(t, MPI_Comm_create(t->comm, MPI_GROUP_EMPTY, &made));
    EXPECT(t, 1, made == MPI_COMM_NULL);
    OK(t, MPI_Comm_create(t->comm, all, &made));
    test_ring(t, made);
    OK(t, MPI_Comm_free(&made));
    OK(t, MPI_Group_free(&all));
    if (odd != MPI_GROUP_EMPTY)
        OK(t, MPI_Group_free(&odd));
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
    OK(t, MPI_Comm_group(t->comm, &all));
    OK(t, MPI_Group_incl(all, count, ranks, &pair));
    OK(t, MPI_Comm_create(t->comm, pair, &made));
    test_members(t, made, count, ranks);
    test_ring(t, made);
    OK(t, MPI_Comm_free(&made));
    OK(t, MPI_Group_free(&all));
    OK(t, MPI_Group_free(&pair));
}

void case_create_by_members_only(const test *t)
{
    MPI_Group all, part;
    MPI_Comm made;
    int ranks[64], count = 0;
    for (int i = 0; i < t->size; i += 3)
        ranks[count++] = i;
    OK(t, MPI_Comm_group(t->comm, &all));
    OK(t, MPI_Group_incl(all, count, ranks, &part));
    /* The others do something else meanwhile. */
    if (t->rank % 3 == 0) {
        for (int round = 0; round < 5; round++) {
            OK(t, MPI_Comm_create_group(t->comm, part, round * 1000, &made));
            test_members(t, made, count, ranks);
            test_ring(t, made);
            OK(t, MPI_Comm_free(&made));
        }
    } else {
        OK(t, MPI_Comm_create_group(t->comm, part, 0, &made));
        EXPECT(t, 1, made == MPI_COMM_NULL);
    }
    OK(t, MPI_Group_free(&all));
    OK(t, MPI_Group_free(&part));
}

void case_create_split(const test *t)
{
    MPI_Comm made;
    int rank, size, got;
    /* Three colours, backwards; one of them gets nothing. */
    int colour = t->rank % 3;
    OK(t, MPI_Comm_split(t->comm, colour == 2 ? MPI_UNDEFINED : colour, -t->rank, &made));
    EXPECT(t, colour == 2, made == MPI_COMM_NULL);
    if (made != MPI_COMM_NULL) {
        OK(t, MPI_Comm_rank(made, &rank));
        OK(t, MPI_Comm_size(made, &size));
        EXPECT(t, (t->size - 1 - colour) / 3 + 1, size);
        EXPECT(t, (t->size - 1 - colour) / 3 - t->rank / 3, rank);
        test_ring(t, made);
        OK(t, MPI_Comm_free(&made));
    }
    /* The same key for all keeps the order. */
    OK(t, MPI_Comm_split(t->comm, 2147483647, 5, &made));
    OK(t, MPI_Comm_compare(t->comm, made, &got));
    EXPECT(t, MPI_CONGRUENT, got);
    OK(t, MPI_Comm_free(&made));
    /* Turned round it is similar. */
    OK(t, MPI_Comm_split(t->comm, 0, -t->rank, &made));
    OK(t, MPI_Comm_compare(t->comm, made, &got));
    EXPECT(t, t->size == 1 ? MPI_CONGRUENT : MPI_SIMILAR, got);
    OK(t, MPI_Comm_free(&made));
}

void case_create_split_type(const test *t)
{
    MPI_Comm made;
    MPI_Info info;
    int result;
    /* All ranks of these tests are on one host. */
    OK(t, MPI_Comm_split_type(t->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made));
    OK(t, MPI_Comm_compare(t->comm, made, &result));
    EXPECT(t, MPI_CONGRUENT, result);
    test_ring(t, made);
    OK(t, MPI_Comm_free(&made));
    OK(t, MPI_Comm_split_type(t->comm, t->rank == 0 ? MPI_UNDEFINED : MPI_COMM_TYPE_SHARED, -t->rank, MPI_INFO_NULL,
                              &made));
    EXPECT(t, t->rank == 0, made == MPI_COMM_NULL);
    if (made != MPI_COMM_NULL) {
        OK(t, MPI_Comm_rank(made, &result));
        EXPECT(t, t->size - 1 - t->rank, result);
        OK(t, MPI_Comm_free(&made));
    }
    OK(t, MPI_Comm_split_type(t->comm, MPI_COMM_TYPE_HW_UNGUIDED, 0, MPI_INFO_NULL, &made));
    EXPECT(t, 1, made == MPI_COMM_NULL);
    OK(t, MPI_Info_create(&info));
    OK(t, MPI_Info_set(info, "mpi_hw_resource_type", "mpi_shared_memory"));
    OK(t, MPI_Comm_split_type(t->comm, MPI_COMM_TYPE_HW_GUIDED, 0, info, &made));
    test_ring(t, made);
    OK(t, MPI_Comm_free(&made));
    OK(t, MPI_Info_free(&info));
}

static void expect_hint(const test *t, MPI_Comm comm, const char *key, const char *value)
{
    char text[64];
    int flag, length = sizeof text;
    MPI_Info used;
    OK(t, MPI_Comm_get_info(comm, &used));
    OK(t, MPI_Info_get_string(used, key, &length, text, &flag));
    EXPECT(t, value != NULL, flag);
    if (value && strcmp(text, value) != 0)
        FAIL(t, "%s is \"%s\", not \"%s\"", key, text, value);
    OK(t, MPI_Info_free(&used));
}

void case_create_info(const test *t)
{
    MPI_Comm made, plain;
    MPI_Info info;
    OK(t, MPI_Info_create(&info));
    OK(t, MPI_Info_set(info, "mpi_assert_no_any_tag", "true"));
    OK(t, MPI_Info_set(info, "nobody_knows_this", "true"));
    OK(t, MPI_Comm_dup_with_info(t->comm, info, &made));
    expect_hint(t, made, "mpi_assert_no_any_tag", "true");
    expect_hint(t, made, "mpi_assert_exact_length", "false");
    expect_hint(t, made, "nobody_knows_this", NULL);
    expect_hint(t, t->comm, "mpi_assert_no_any_tag", "false");
    OK(t, MPI_Comm_dup(made, &plain));
    expect_hint(t, plain, "mpi_assert_no_any_tag", "false");
    OK(t, MPI_Info_set(info, "mpi_assert_no_any_tag", "false"));
    OK(t, MPI_Comm_set_info(made, info));
    expect_hint(t, made, "mpi_assert_no_any_tag", "false");
    OK(t, MPI_Info_free(&info));
    OK(t, MPI_Comm_free(&made));
    OK(t, MPI_Comm_free(&plain));
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
    OK(t, MPI_Comm_create_errhandler(note_error, &handler));
    OK(t, MPI_Comm_set_name(t->comm, "tested"));
    OK(t, MPI_Comm_set_errhandler(t->comm, handler));
    OK(t, MPI_Errhandler_free(&handler));
    /* The handler is inherited, the name is not. */
    OK(t, MPI_Comm_dup(t->comm, &made));
    OK(t, MPI_Comm_get_name(made, name, &length));
    EXPECT(t, 0, length);
    EXPECT(t, MPI_ERR_RANK, MPI_Send(&dummy, 1, MPI_INT, t->size, 0, made));
    OK(t, MPI_Comm_get_name(made, name, &length));
    EXPECT(t, 0, strcmp(name, "!"));
    OK(t, MPI_Comm_get_name(t->comm, name, &length));
    EXPECT(t, 0, strcmp(name, "tested"));
    OK(t, MPI_Comm_free(&made));
    OK(t, MPI_Comm_split(t->comm, 0, 0, &made));
    EXPECT(t, MPI_ERR_TAG, MPI_Send(&dummy, 1, MPI_INT, 0, -1, made));
    OK(t, MPI_Comm_get_name(made, name, &length));
    EXPECT(t, 0, strcmp(name, "!"));
    OK(t, MPI_Comm_free(&made));
    OK(t, MPI_Comm_set_errhandler(t->comm, MPI_ERRORS_RETURN));
}
