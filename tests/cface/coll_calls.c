/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every collective function of the C face with a right answer, in all forms: on intra- and intercommunicators, in
 * place where that is allowed, with and without gaps between the elements; and what requests of theirs allow.
 *
 *   coll_calls                as a rank of a job
 *   coll_calls --threads N,M  as N ranks that are threads of this process, and then as M
 */
#include "coll_calls.h"

#include "rank_counts.h"

#include <corunna/threads.h>
#include <stdlib.h>

/* ---- requests --------------------------------------------------------------------------------------------------- */

/* Several at once, completed in another order, datatype and communicator gone before. */
static void test_several(MPI_Comm comm)
{
    enum { SEVERAL = 5 };
    int rank, size, root_value, sums[2] = {0}, all[COLL_RANKS * 2], own[4], scanned = 0, flag = 0;
    MPI_Request requests[SEVERAL];
    MPI_Datatype every_other;
    MPI_Comm copy;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    CHECK_OK(MPI_Comm_dup(comm, &copy));
    CHECK_OK(MPI_Type_vector(2, 1, 2, MPI_INT, &every_other));
    CHECK_OK(MPI_Type_commit(&every_other));
    for (int i = 0; i < 4; i++)
        own[i] = rank * 10 + i;
    root_value = rank == 0 ? 4711 : 0;
    CHECK_OK(MPI_Ibarrier(copy, &requests[0]));
    CHECK_OK(MPI_Ibcast(&root_value, 1, MPI_INT, 0, copy, &requests[1]));
    CHECK_OK(MPI_Iallreduce(own, sums, 2, MPI_INT, MPI_SUM, copy, &requests[2]));
    CHECK_OK(MPI_Iallgather(own, 1, every_other, all, 2, MPI_INT, copy, &requests[3]));
    CHECK_OK(MPI_Iscan(&rank, &scanned, 1, MPI_INT, MPI_SUM, copy, &requests[4]));
    CHECK(MPI_Type_free(&every_other) == MPI_SUCCESS && MPI_Comm_free(&copy) == MPI_SUCCESS);
    CHECK(MPI_Wait(&requests[4], MPI_STATUS_IGNORE) == MPI_SUCCESS && scanned == rank * (rank + 1) / 2);
    while (!flag)
        CHECK_OK(MPI_Test(&requests[2], &flag, MPI_STATUS_IGNORE));
    CHECK(sums[0] == 10 * size * (size - 1) / 2 && sums[1] == sums[0] + size);
    CHECK(MPI_Waitall(SEVERAL, requests, MPI_STATUSES_IGNORE) == MPI_SUCCESS && root_value == 4711);
    for (int i = 0; i < size; i++)
        CHECK(all[2 * i] == i * 10 && all[2 * i + 1] == i * 10 + 2);
}

/* Does the last error of this class say so? */
static int says(int error_class, const char *fragment)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;
    MPI_Error_string(error_class, text, &length);
    return strstr(text, fragment) != NULL;
}

/* What must not be done with an active collective operation. No rank completes it before the last rank has come, which
 * waits for rank 0's leave. */
static void test_active_request(MPI_Comm comm)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int sum = 0, one = 1, rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int is_persistent = 0; is_persistent < 2; is_persistent++) {
        if (is_persistent)
            CHECK_OK(MPI_Allreduce_init(&one, &sum, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request));
        if (rank == size - 1 && rank > 0)
            MPI_Recv(NULL, 0, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
        CHECK((is_persistent ? MPI_Start(&request) : MPI_Ibarrier(comm, &request)) == MPI_SUCCESS);
        CHECK(MPI_Cancel(&request) == MPI_ERR_REQUEST && says(MPI_ERR_REQUEST, "cannot be cancelled"));
        if (rank == 0 && size > 1) {
            CHECK(MPI_Request_free(&request) == MPI_ERR_REQUEST && says(MPI_ERR_REQUEST, "that is active"));
            MPI_Send(NULL, 0, MPI_INT, size - 1, 0, comm);
        }
        CHECK(MPI_Start(&request) == MPI_ERR_REQUEST &&
              says(MPI_ERR_REQUEST, is_persistent ? "not complete yet" : "not persistent"));
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK((request != MPI_REQUEST_NULL) == is_persistent);
    }
    CHECK(sum == size);
    CHECK(MPI_Request_free(&request) == MPI_SUCCESS && request == MPI_REQUEST_NULL);
}

static void test_request_rules(MPI_Comm comm)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int sum = 0, one = 1, size, flag = 0;
    MPI_Comm_size(comm, &size);
    /* Made and never started. */
    CHECK_OK(MPI_Allreduce_init(&one, &sum, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request));
    CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS && sum == 0 && request != MPI_REQUEST_NULL);
    CHECK_OK(MPI_Start(&request));
    while (!flag)
        CHECK_OK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
    CHECK(sum == size);
    CHECK(MPI_Request_free(&request) == MPI_SUCCESS && request == MPI_REQUEST_NULL);
    CHECK_OK(MPI_Barrier_init(comm, MPI_INFO_ENV, &request));
    CHECK_OK(MPI_Request_free(&request));
    /* Known to be complete, though no call has completed the request. */
    CHECK_OK(MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm, &request));
    for (flag = 0; !flag;)
        CHECK_OK(MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE));
    CHECK(MPI_Request_free(&request) == MPI_SUCCESS && request == MPI_REQUEST_NULL && sum == size);
}

/* The sum of two ints with a gap between them, by what the datatype itself tells. */
static void add_pairs(void *in, void *inout, int *length, MPI_Datatype *type)
{
    int bytes = 0, combiner = MPI_UNDEFINED, integers, addresses, types;
    MPI_Aint lb = -1, extent = 0;
    CHECK(MPI_Type_size(*type, &bytes) == MPI_SUCCESS && bytes == 2 * sizeof(int));
    CHECK(MPI_Type_get_extent(*type, &lb, &extent) == MPI_SUCCESS && lb == 0 && extent == 3 * sizeof(int));
    CHECK(MPI_Type_get_envelope(*type, &integers, &addresses, &types, &combiner) == MPI_SUCCESS &&
          combiner == MPI_COMBINER_VECTOR);
    for (int i = 0; i < *length; i++)
        for (int j = 0; j < 3; j += 2)
            ((int *)inout)[3 * i + j] += ((const int *)in)[3 * i + j];
}

/* Handles that come after take the place of those that were freed. */
static void use_handles_again(void)
{
    enum { HANDLES = 200 };
    MPI_Datatype others[HANDLES];
    for (int i = 0; i < HANDLES; i++)
        CHECK_OK(MPI_Type_contiguous(7, MPI_CHAR, &others[i]));
    for (int i = 0; i < HANDLES; i++)
        CHECK_OK(MPI_Type_free(&others[i]));
}

/* An operator of the program's still sees the datatype when the program has freed it, and the operator, long ago. */
static void test_freed_type(MPI_Comm comm)
{
    enum { ELEMENTS = 2, INTS = 3 * ELEMENTS, STARTED = 3, ALL = STARTED + 1 };
    int rank, size, own[INTS], results[ALL][INTS];
    MPI_Request requests[ALL];
    MPI_Datatype pair;
    MPI_Op add;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    CHECK(MPI_Type_vector(2, 1, 2, MPI_INT, &pair) == MPI_SUCCESS && MPI_Type_commit(&pair) == MPI_SUCCESS);
    CHECK_OK(MPI_Op_create(add_pairs, 1, &add));
    for (int i = 0; i < INTS; i++)
        own[i] = rank * 10 + i;
    memset(results, 0, sizeof results);
    CHECK_OK(MPI_Iallreduce(own, results[0], ELEMENTS, pair, add, comm, &requests[0]));
    CHECK_OK(MPI_Ireduce(own, results[1], ELEMENTS, pair, add, 0, comm, &requests[1]));
    CHECK_OK(MPI_Iscan(own, results[2], ELEMENTS, pair, add, comm, &requests[2]));
    CHECK(MPI_Allreduce_init(own, results[3], ELEMENTS, pair, add, comm, MPI_INFO_NULL, &requests[STARTED]) ==
          MPI_SUCCESS);
    CHECK(MPI_Type_free(&pair) == MPI_SUCCESS && pair == MPI_DATATYPE_NULL && MPI_Op_free(&add) == MPI_SUCCESS);
    use_handles_again();
    CHECK_OK(MPI_Waitall(STARTED, requests, MPI_STATUSES_IGNORE));
    for (int again = 0; again < 2; again++)
        CHECK(MPI_Start(&requests[STARTED]) == MPI_SUCCESS &&
              MPI_Wait(&requests[STARTED], MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK_OK(MPI_Request_free(&requests[STARTED]));
    for (int i = 0; i < INTS; i++) {
        int before = 10 * rank * (rank + 1) / 2 + i * (rank + 1), sum = 10 * size * (size - 1) / 2 + i * size;
        CHECK(results[0][i] == (i % 3 == 1 ? 0 : sum) && results[3][i] == results[0][i]);
        CHECK(results[1][i] == (rank == 0 ? results[0][i] : 0));
        CHECK(results[2][i] == (i % 3 == 1 ? 0 : before));
    }
}

/* ---- all functions ---------------------------------------------------------------------------------------------- */

static void try_forms(coll_try *t, MPI_Datatype spread)
{
    for (t->form = 0; t->form < COLL_FORMS; t->form++)
        for (t->is_in_place = 0; t->is_in_place < (t->is_inter ? 1 : 2); t->is_in_place++)
            for (t->stride = 1; t->stride <= 2; t->stride++) {
                t->type = t->stride == 1 ? MPI_INT : spread;
                coll_try_rooted(t);
                coll_try_all(t);
                if (t->stride == 1)
                    coll_try_reductions(t);
                if (!t->is_inter && !t->is_in_place)
                    coll_try_neighbors(t);
            }
}

static void test_comm(MPI_Comm comm, int is_inter, int side, MPI_Datatype spread)
{
    coll_try *t = calloc(1, sizeof *t);
    CHECK(t != NULL);
    t->comm = comm;
    t->is_inter = is_inter;
    t->side = side;
    MPI_Comm_rank(comm, &t->rank);
    MPI_Comm_size(comm, &t->size);
    t->remote = t->size;
    if (is_inter)
        MPI_Comm_remote_size(comm, &t->remote);
    try_forms(t, spread);
    free(t);
}

static int body(int argc, char **argv)
{
    int rank, size;
    MPI_Datatype spread;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK(size <= COLL_RANKS);
    CHECK_OK(MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &spread));
    CHECK_OK(MPI_Type_commit(&spread));
    test_several(MPI_COMM_WORLD);
    test_active_request(MPI_COMM_WORLD);
    test_request_rules(MPI_COMM_WORLD);
    test_freed_type(MPI_COMM_WORLD);
    coll_try_wrong(MPI_COMM_WORLD);
    test_comm(MPI_COMM_WORLD, 0, 0, spread);
    test_comm(MPI_COMM_SELF, 0, 0, spread);
    if (size > 1) {
        /* The first third, and the others. */
        int first = (size + 2) / 3, side = rank >= first;
        MPI_Comm half, inter;
        CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, side, rank, &half));
        CHECK_OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, side ? 0 : first, 5, &inter));
        coll_try_wrong(inter);
        test_comm(inter, 1, side, spread);
        MPI_Comm_free(&inter);
        MPI_Comm_free(&half);
    }
    MPI_Type_free(&spread);
    MPI_Finalize();
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--threads") == 0) {
        for (const char *counts = argv[2]; *counts;)
            CHECK(corunna_threads_run(rank_counts_next(&counts), body, argc, argv) == 0);
    } else {
        CHECK(body(argc, argv) == 0);
    }
    puts("coll_calls: passed");
    return 0;
}
