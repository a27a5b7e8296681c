/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Partitioned communication at its edges: many threads that mark while others wait or ask, one of which is in the lock
 * at the wrong moment; requests beside others, after their communicator, between two groups; thousands of starts; calls
 * that are wrong; and requests that are freed too early or never.
 */
#include "sanitized.h"
#include "wrong.h"

#include <corunna/threads.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local int rank, ranks;

typedef struct helper {
    pthread_t thread;
    corunna_thread_rank *rank;
    void (*work)(struct helper *h);
    MPI_Request request;
    int first, step, count;
} helper;

static void *helper_main(void *argument)
{
    helper *h = argument;
    corunna_threads_adopt(h->rank);
    h->work(h);
    corunna_threads_adopt(NULL);
    return NULL;
}

static void helper_start(helper *h, void (*work)(helper *h), MPI_Request request, int first, int step, int count)
{
    *h = (helper){.rank = corunna_threads_self(), .work = work, .request = request};
    h->first = first;
    h->step = step;
    h->count = count;
    CHECK_EQUAL(0, pthread_create(&h->thread, NULL, helper_main, h));
}

static void helper_join(helper *h)
{
    CHECK_EQUAL(0, pthread_join(h->thread, NULL));
}

static void mark(helper *h)
{
    for (int i = h->first; i < h->count; i += h->step)
        CHECK_OK(MPI_Pready(i, h->request));
}

static void ask(helper *h)
{
    for (int i = h->first; i < h->count; i += h->step)
        for (int flag = 0; !flag;)
            CHECK_OK(MPI_Parrived(h->request, i, &flag));
}

/* ---- a thread in the lock when another one marks ----------------------------------------------------------------- */

static atomic_int has_marked, has_arrived;

static void mark_one(helper *h)
{
    CHECK_OK(MPI_Pready(0, h->request));
    atomic_store(&has_marked, 1);
}

/* The main thread of rank 0 is in and out of the lock, by calls that make no progress, while a helper marks the first
 * of two partitions. Then neither calls MPI, until the partition has arrived. */
static void test_left_behind(void)
{
    enum { ROUNDS = 200, CELLS = 2 << 13 };
    static _Thread_local char cells[CELLS];
    MPI_Request request, never;
    helper h;
    if (rank == 0)
        MPI_Psend_init(cells, 2, CELLS / 2, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    else if (rank == 1)
        MPI_Precv_init(cells, 2, CELLS / 2, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int round = 0; round < ROUNDS && rank < 2; round++) {
        MPI_Start(&request);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 1) {
            int flag = 0;
            CHECK_WITHIN(20000, flag, MPI_Parrived(request, 0, &flag));
            atomic_store(&has_marked, 0);
            atomic_store(&has_arrived, 1);
        } else {
            MPI_Irecv(NULL, 0, MPI_INT, 0, 77, MPI_COMM_WORLD, &never);
            helper_start(&h, mark_one, request, 0, 1, 1);
            while (!atomic_load(&has_marked) && !atomic_load(&has_arrived))
                MPI_Cancel(&never);
            CHECK_WITHIN(20000, atomic_load(&has_arrived), check_nap());
            atomic_store(&has_arrived, 0);
            helper_join(&h);
            MPI_Cancel(&never);
            MPI_Wait(&never, MPI_STATUS_IGNORE);
            CHECK_OK(MPI_Pready(1, request));
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0)
            atomic_store(&has_marked, 0);
    }
    if (rank < 2)
        MPI_Request_free(&request);
}

/* ---- many threads ------------------------------------------------------------------------------------------------ */

/* All mark while the main thread waits already; all ask while the main thread of the receiver waits. */
static void test_threads(void)
{
    enum { THREADS = 6, PARTITIONS = 600, STARTS = 12 };
    static const int lengths[] = {1, 3000};
    helper helpers[THREADS];
    MPI_Request request;
    if (rank > 1)
        return;
    for (int k = 0; k < 2; k++) {
        int cells = PARTITIONS * lengths[k];
        int *buffer = calloc((size_t)cells, sizeof *buffer);
        if (rank == 0)
            MPI_Psend_init(buffer, PARTITIONS, lengths[k], MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        else
            MPI_Precv_init(buffer, PARTITIONS / 2, 2 * lengths[k], MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_INFO_NULL,
                           &request);
        for (int start = 0; start < STARTS; start++) {
            int threads = rank == 0 ? THREADS : 2;
            MPI_Request waited = request;
            for (int i = 0; i < cells && rank == 0; i++)
                buffer[i] = start + i;
            CHECK_OK(MPI_Start(&request));
            for (int i = 0; i < threads; i++)
                helper_start(&helpers[i], rank == 0 ? mark : ask, request, i, threads,
                             rank == 0 ? PARTITIONS : PARTITIONS / 2);
            CHECK_OK(MPI_Wait(&waited, MPI_STATUS_IGNORE));
            for (int i = 0; i < threads; i++)
                helper_join(&helpers[i]);
            for (int i = 0; i < cells; i++)
                CHECK_EQUAL(start + i, buffer[i]);
        }
        MPI_Request_free(&request);
        free(buffer);
    }
}

/* ---- many starts, long messages ---------------------------------------------------------------------------------- */

static void test_starts(void)
{
    enum { STARTS = 10000, LONG_STARTS = 5, LONG = 8 << 20 };
    int cells[2] = {-1, -1};
    char *buffer = malloc(LONG);
    MPI_Request request;
    if (rank == 0)
        MPI_Psend_init(cells, 2, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    else if (rank == 1)
        MPI_Precv_init(cells, 1, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int start = 0; start < STARTS && rank < 2; start++) {
        CHECK_OK(MPI_Start(&request));
        if (rank == 0) {
            cells[0] = start;
            CHECK_OK(MPI_Pready(0, request));
            cells[1] = -start;
            CHECK_OK(MPI_Pready(1, request));
        }
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK_EQUAL(start, cells[0]);
        CHECK_EQUAL(-start, cells[1]);
    }
    if (rank < 2)
        MPI_Request_free(&request);
    if (rank == 0)
        MPI_Psend_init(buffer, 64, LONG / 64, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    else if (rank == 1)
        MPI_Precv_init(buffer, 4, LONG / 4, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int start = 0; start < LONG_STARTS && rank < 2; start++) {
        memset(buffer, rank == 0 ? start + 1 : 0, LONG);
        CHECK_OK(MPI_Start(&request));
        for (int i = 63; i >= 0 && rank == 0; i--)
            CHECK_OK(MPI_Pready(i, request));
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        for (int i = 0; i < LONG; i += 4093)
            CHECK_EQUAL(start + 1, buffer[i]);
    }
    if (rank < 2)
        MPI_Request_free(&request);
    free(buffer);
}

/* A request that lives while others use up all numbers that pieces have, and the next one with so many that it comes to
 * those of the first. */
static void test_numbers_come_again(void)
{
    enum { BYTES = 8 << 10, PIECES = 4096, OTHERS = (1 << 26) / PIECES - 1 };
    char *buffers[2] = {malloc((size_t)BYTES * (1 + PIECES)), calloc(BYTES, 1 + PIECES)};
    MPI_Request first[2], many[2];
    memset(buffers[0], 1, BYTES);
    memset(buffers[0] + BYTES, 2, (size_t)BYTES * PIECES);
    MPI_Psend_init(buffers[0], 1, BYTES, MPI_CHAR, 0, 1, MPI_COMM_SELF, MPI_INFO_NULL, &first[0]);
    MPI_Precv_init(buffers[1], 1, BYTES, MPI_CHAR, 0, 1, MPI_COMM_SELF, MPI_INFO_NULL, &first[1]);
    for (int i = 0; i <= OTHERS; i++) {
        CHECK_OK(
            MPI_Psend_init(buffers[0] + BYTES, PIECES, BYTES, MPI_CHAR, 0, 2, MPI_COMM_SELF, MPI_INFO_NULL, &many[0]));
        CHECK_OK(MPI_Precv_init(buffers[1] + BYTES, 1, BYTES * PIECES, MPI_CHAR, 0, 2, MPI_COMM_SELF, MPI_INFO_NULL,
                                &many[1]));
        for (int k = 0; k < 2 && i < OTHERS; k++)
            CHECK_OK(MPI_Request_free(&many[k]));
    }
    CHECK_OK(MPI_Start(&many[0]));
    CHECK_OK(MPI_Pready_range(0, PIECES - 1, many[0]));
    CHECK_OK(MPI_Start(&first[0]));
    CHECK_OK(MPI_Pready(0, first[0]));
    CHECK_OK(MPI_Startall(2, (MPI_Request[]){first[1], many[1]}));
    CHECK_OK(MPI_Waitall(2, first, MPI_STATUSES_IGNORE));
    CHECK_OK(MPI_Waitall(2, many, MPI_STATUSES_IGNORE));
    CHECK(memcmp(buffers[0], buffers[1], (size_t)BYTES * (1 + PIECES)) == 0);
    for (int k = 0; k < 2; k++) {
        CHECK_OK(MPI_Request_free(&first[k]));
        CHECK_OK(MPI_Request_free(&many[k]));
        free(buffers[k]);
    }
}

/* ---- beside other requests --------------------------------------------------------------------------------------- */

/* Partitioned and other requests of one tag, in one array, by all calls that wait for several. */
static void test_mixed(void)
{
    enum { WAYS = 4 };
    int parts[2], plain = -1, other = 1 - rank;
    MPI_Request first[3], requests[3];
    if (rank > 1)
        return;
    if (rank == 0)
        MPI_Psend_init(parts, 2, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &first[0]);
    else
        MPI_Precv_init(parts, 2, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &first[0]);
    if (rank == 0)
        MPI_Send_init(&plain, 1, MPI_INT, other, 3, MPI_COMM_WORLD, &first[1]);
    else
        MPI_Recv_init(&plain, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &first[1]);
    first[2] = MPI_REQUEST_NULL;
    for (int way = 0; way < WAYS; way++) {
        MPI_Status statuses[3];
        int seen[3] = {0}, indices[3], count, index, done = 0;
        plain = rank == 0 ? way : -1;
        parts[0] = parts[1] = rank == 0 ? 10 + way : -1;
        memcpy(requests, first, sizeof first);
        CHECK_OK(MPI_Startall(2, requests));
        if (rank == 0)
            CHECK_OK(MPI_Pready_list(2, (int[]){1, 0}, requests[0]));
        while (done < 2) {
            count = 1;
            if (way == 0)
                CHECK_OK(MPI_Waitany(3, requests, &indices[0], &statuses[0]));
            else if (way == 1)
                CHECK_OK(MPI_Waitsome(3, requests, &count, indices, statuses));
            else if (way == 2)
                CHECK_OK(MPI_Testsome(3, requests, &count, indices, statuses));
            else {
                CHECK_OK(MPI_Testany(3, requests, &index, &count, &statuses[0]));
                indices[0] = index;
            }
            for (int i = 0; i < count; i++) {
                CHECK(indices[i] == 0 || indices[i] == 1);
                seen[indices[i]]++;
            }
            done += count;
        }
        CHECK(seen[0] == 1 && seen[1] == 1);
        CHECK_EQUAL(way, plain);
        CHECK_EQUAL(10 + way, parts[0]);
        CHECK_EQUAL(10 + way, parts[1]);
    }
    MPI_Request_free(&first[0]);
    MPI_Request_free(&first[1]);
}

/* Three of one tag match in their order, and keep their communicator, whose number must not be given to another. */
static void test_freed_communicator(void)
{
    enum { SAME = 3 };
    MPI_Comm comm, next;
    MPI_Request requests[SAME], more;
    int cells[SAME], cell = rank;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int i = 0; i < SAME && rank < 2; i++) {
        cells[i] = rank == 0 ? 50 + i : -1;
        if (rank == 0)
            MPI_Psend_init(&cells[i], 1, 1, MPI_INT, 1, 9, comm, MPI_INFO_NULL, &requests[i]);
        else
            MPI_Precv_init(&cells[i], 1, 1, MPI_INT, 0, 9, comm, MPI_INFO_NULL, &requests[i]);
    }
    MPI_Comm_free(&comm);
    MPI_Comm_dup(MPI_COMM_WORLD, &next);
    if (rank == 0)
        MPI_Psend_init(&cell, 1, 1, MPI_INT, 1, 9, next, MPI_INFO_NULL, &more);
    else if (rank == 1)
        MPI_Precv_init(&cell, 1, 1, MPI_INT, 0, 9, next, MPI_INFO_NULL, &more);
    for (int start = 0; start < 3 && rank < 2; start++) {
        cell = rank == 0 ? 7 : -1;
        MPI_Start(&more);
        for (int i = SAME - 1; i >= 0; i--)
            CHECK_OK(MPI_Start(&requests[i]));
        if (rank == 0) {
            MPI_Pready(0, more);
            for (int i = SAME - 1; i >= 0; i--)
                CHECK_OK(MPI_Pready(0, requests[i]));
        }
        CHECK_OK(MPI_Waitall(SAME, requests, MPI_STATUSES_IGNORE));
        CHECK_OK(MPI_Wait(&more, MPI_STATUS_IGNORE));
        CHECK_EQUAL(7, cell);
        for (int i = 0; i < SAME; i++)
            CHECK_EQUAL(50 + i, cells[i]);
    }
    for (int i = 0; i < SAME && rank < 2; i++)
        MPI_Request_free(&requests[i]);
    if (rank < 2)
        MPI_Request_free(&more);
    MPI_Comm_free(&next);
}

static void test_two_groups(void)
{
    MPI_Comm half, between;
    MPI_Request request;
    int cells[6] = {0};
    if (ranks < 2)
        return;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 4, &between);
    if (rank == 0)
        MPI_Psend_init(cells, 3, 2, MPI_INT, 0, 2, between, MPI_INFO_NULL, &request);
    else if (rank == 1)
        MPI_Precv_init(cells, 2, 3, MPI_INT, 0, 2, between, MPI_INFO_NULL, &request);
    for (int i = 0; i < 6; i++)
        cells[i] = rank == 0 ? i : -1;
    if (rank < 2) {
        MPI_Status status;
        MPI_Start(&request);
        if (rank == 0)
            MPI_Pready_range(0, 2, request);
        CHECK_OK(MPI_Wait(&request, &status));
        CHECK(rank == 0 || (status.MPI_SOURCE == 0 && status.MPI_TAG == 2));
        for (int i = 0; i < 6; i++)
            CHECK_EQUAL(i, cells[i]);
        MPI_Request_free(&request);
    }
    MPI_Comm_free(&between);
    MPI_Comm_free(&half);
}

/* ---- what is wrong, or ends early -------------------------------------------------------------------------------- */

static void test_wrong_calls(void)
{
    MPI_Request both[2];
    MPI_Status status;
    int out[3] = {1, 2, 3}, in[3] = {0}, flag;
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    WRONG(MPI_ERR_RANK, "source is -1",
          MPI_Precv_init(in, 1, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_SELF, MPI_INFO_NULL, &both[1]));
    WRONG(MPI_ERR_TAG, "tag is -",
          MPI_Precv_init(in, 1, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_SELF, MPI_INFO_NULL, &both[1]));
    CHECK_OK(MPI_Psend_init(out, 3, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_INFO_NULL, &both[0]));
    CHECK_OK(MPI_Precv_init(in, 3, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_INFO_NULL, &both[1]));
    flag = 0;
    CHECK_OK(MPI_Parrived(both[1], 2, &flag));
    CHECK(flag); /* not started */
    for (int start = 0; start < 2; start++) {
        in[0] = in[1] = in[2] = 0;
        CHECK_OK(MPI_Startall(2, both));
        WRONG(MPI_ERR_REQUEST, "is not complete yet", MPI_Start(&both[0]));
        WRONG(MPI_ERR_REQUEST, "is not complete yet", MPI_Start(&both[1]));
        CHECK_OK(MPI_Pready_range(2, 1, both[0])); /* none */
        CHECK_OK(MPI_Pready_list(0, NULL, both[0]));
        CHECK_OK(MPI_Pready_range(1, 1, both[0]));
        WRONG(MPI_ERR_ARG, "partition 1 was marked before", MPI_Pready_range(0, 2, both[0]));
        CHECK_OK(MPI_Test(&both[0], &flag, MPI_STATUS_IGNORE));
        CHECK(!flag);
        CHECK_OK(MPI_Request_get_status(both[1], &flag, &status));
        CHECK(!flag);
        CHECK_OK(MPI_Pready(2, both[0]));
        WRONG(MPI_ERR_ARG, "partition 2 was marked before", MPI_Pready(2, both[0]));
        CHECK_OK(MPI_Wait(&both[0], MPI_STATUS_IGNORE));
        WRONG(MPI_ERR_REQUEST, "request is not active", MPI_Pready(2, both[0]));
        do
            CHECK_OK(MPI_Request_get_status(both[1], &flag, &status));
        while (!flag);
        CHECK_OK(MPI_Parrived(both[1], 0, &flag)); /* complete, not waited for */
        CHECK(flag);
        CHECK_OK(MPI_Wait(&both[1], &status));
        CHECK(in[0] == 1 && in[1] == 2 && in[2] == 3);
    }
    CHECK_OK(MPI_Wait(&both[0], MPI_STATUS_IGNORE)); /* inactive */
    CHECK_OK(MPI_Request_free(&both[0]));
    CHECK_OK(MPI_Request_free(&both[1]));
    CHECK(both[0] == MPI_REQUEST_NULL);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

/* One that is active is not freed; and those that nobody ever meets stay behind, started or freed. */
static void test_left_over(void)
{
    static _Thread_local int never[4];
    MPI_Request lonely;
    if (rank > 1)
        return;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Psend_init(never, 2, 2, MPI_INT, 1 - rank, 60 + rank, MPI_COMM_WORLD, MPI_INFO_NULL, &lonely);
    MPI_Start(&lonely);
    WRONG(MPI_ERR_REQUEST, "that is active", MPI_Request_free(&lonely));
    MPI_Pready(1, lonely);
    MPI_Precv_init(never, 2, 2, MPI_INT, 1 - rank, 70 + rank, MPI_COMM_WORLD, MPI_INFO_NULL, &lonely);
    MPI_Start(&lonely);
    MPI_Precv_init(never, 2, 2, MPI_INT, 1 - rank, 80 + rank, MPI_COMM_WORLD, MPI_INFO_NULL, &lonely);
    CHECK_OK(MPI_Request_free(&lonely));
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static int body(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    CHECK_EQUAL(MPI_THREAD_MULTIPLE, provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    test_wrong_calls();
    if (ranks == 1 && !test_is_slow())
        test_numbers_come_again();
    if (ranks == 2)
        test_left_behind();
    if (ranks > 1) {
        test_threads();
        test_starts();
        test_mixed();
        test_freed_communicator();
        test_two_groups();
        test_left_over();
    }
    MPI_Finalize();
    return 0;
}

int main(int argc, char **argv)
{
    for (int count = 1; count <= 3; count++)
        CHECK(corunna_threads_run(count, body, argc, argv) == 0);
    puts("part_ends: passed");
    return 0;
}
