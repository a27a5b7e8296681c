/* SPDX-License-Identifier: Apache-2.0 */
/* Dups in the background. */
#include "comm_suite.h"

void case_idup_one(const test *t)
{
    MPI_Comm dup;
    MPI_Request request;
    MPI_Info info;
    int result, flag = 0;
    CHECK_OK(MPI_Comm_idup(t->comm, &dup, &request));
    while (!flag)
        CHECK_OK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
    CHECK(request == MPI_REQUEST_NULL);
    CHECK_OK(MPI_Comm_compare(t->comm, dup, &result));
    CHECK_EQUAL(MPI_CONGRUENT, result);
    test_ring(dup);
    CHECK_OK(MPI_Comm_free(&dup));
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, "mpi_assert_no_any_source", "true"));
    CHECK_OK(MPI_Comm_idup_with_info(t->comm, info, &dup, &request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Info_free(&info));
    CHECK_OK(MPI_Comm_get_info(dup, &info));
    char value[8];
    CHECK_OK(MPI_Info_get(info, "mpi_assert_no_any_source", 7, value, &flag));
    CHECK_EQUAL('t', value[0]);
    CHECK_OK(MPI_Info_free(&info));
    test_ring(dup);
    CHECK_OK(MPI_Comm_free(&dup));
}

/* Several of one communicator and of another, all under way before the first is waited for. */
void case_idup_many_at_once(const test *t)
{
    enum { MANY = 24 };
    MPI_Comm other, dups[MANY];
    MPI_Request requests[MANY];
    CHECK_OK(MPI_Comm_split(t->comm, 0, -t->rank, &other));
    for (int i = 0; i < MANY; i++)
        CHECK_OK(MPI_Comm_idup(i % 3 ? t->comm : other, &dups[i], &requests[i]));
    CHECK_OK(MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE));
    for (int i = MANY - 1; i >= 0; i--) {
        int expected, rank;
        CHECK_OK(MPI_Comm_rank(i % 3 ? t->comm : other, &expected));
        CHECK_OK(MPI_Comm_rank(dups[i], &rank));
        CHECK_EQUAL(expected, rank);
        test_ring(dups[i]);
    }
    for (int i = 0; i < MANY; i++)
        CHECK_OK(MPI_Comm_free(&dups[i]));
    CHECK_OK(MPI_Comm_free(&other));
}

/* Blocking calls on the same communicator meanwhile; the originals may be freed before the dups are there. */
void case_idup_among_other_calls(const test *t)
{
    MPI_Comm original, dup, blocking, split;
    MPI_Request request;
    for (int round = 0; round < 20; round++) {
        CHECK_OK(MPI_Comm_dup(t->comm, &original));
        CHECK_OK(MPI_Comm_idup(original, &dup, &request));
        CHECK_OK(MPI_Comm_dup(original, &blocking));
        CHECK_OK(MPI_Comm_split(original, t->rank % 2, 0, &split));
        CHECK_OK(MPI_Barrier(original));
        CHECK_OK(MPI_Comm_free(&original));
        test_ring(blocking);
        test_ring(split);
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        test_ring(dup);
        CHECK_OK(MPI_Comm_free(&dup));
        CHECK_OK(MPI_Comm_free(&blocking));
        CHECK_OK(MPI_Comm_free(&split));
    }
}
