/* Dups in the background. */
#include "comm_suite.h"

void case_idup_one(const test *t)
{
    MPI_Comm dup;
    MPI_Request request;
    MPI_Info info;
    int result, flag = 0;
    OK(t, MPI_Comm_idup(t->comm, &dup, &request));
    while (!flag)
        OK(t, MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
    EXPECT(t, 1, request == MPI_REQUEST_NULL);
    OK(t, MPI_Comm_compare(t->comm, dup, &result));
    EXPECT(t, MPI_CONGRUENT, result);
    test_ring(t, dup);
    OK(t, MPI_Comm_free(&dup));
    OK(t, MPI_Info_create(&info));
    OK(t, MPI_Info_set(info, "mpi_assert_no_any_source", "true"));
    OK(t, MPI_Comm_idup_with_info(t->comm, info, &dup, &request));
    OK(t, MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(t, MPI_Info_free(&info));
    OK(t, MPI_Comm_get_info(dup, &info));
    char value[8];
    OK(t, MPI_Info_get(info, "mpi_assert_no_any_source", 7, value, &flag));
    EXPECT(t, 't', value[0]);
    OK(t, MPI_Info_free(&info));
    test_ring(t, dup);
    OK(t, MPI_Comm_free(&dup));
}

/* Several of one communicator and of another, all under way before the first is waited for. */
void case_idup_many_at_once(const test *t)
{
    enum { MANY = 24 };
    MPI_Comm other, dups[MANY];
    MPI_Request requests[MANY];
    OK(t, MPI_Comm_split(t->comm, 0, -t->rank, &other));
    for (int i = 0; i < MANY; i++)
        OK(t, MPI_Comm_idup(i % 3 ? t->comm : other, &dups[i], &requests[i]));
    OK(t, MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE));
    for (int i = MANY - 1; i >= 0; i--) {
        int expected, rank;
        OK(t, MPI_Comm_rank(i % 3 ? t->comm : other, &expected));
        OK(t, MPI_Comm_rank(dups[i], &rank));
        EXPECT(t, expected, rank);
        test_ring(t, dups[i]);
    }
    for (int i = 0; i < MANY; i++)
        OK(t, MPI_Comm_free(&dups[i]));
    OK(t, MPI_Comm_free(&other));
}

/* Blocking calls on the same communicator meanwhile; the originals may be freed before the dups are there. */
void case_idup_among_other_calls(const test *t)
{
    MPI_Comm original, dup, blocking, split;
    MPI_Request request;
    for (int round = 0; round < 20; round++) {
        OK(t, MPI_Comm_dup(t->comm, &original));
        OK(t, MPI_Comm_idup(original, &dup, &request));
        OK(t, MPI_Comm_dup(original, &blocking));
        OK(t, MPI_Comm_split(original, t->rank % 2, 0, &split));
        OK(t, MPI_Barrier(original));
        OK(t, MPI_Comm_free(&original));
        test_ring(t, blocking);
        test_ring(t, split);
        OK(t, MPI_Wait(&request, MPI_STATUS_IGNORE));
        test_ring(t, dup);
        OK(t, MPI_Comm_free(&dup));
        OK(t, MPI_Comm_free(&blocking));
        OK(t, MPI_Comm_free(&split));
    }
}
