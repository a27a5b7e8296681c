/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Partitioned communication: numbers of partitions that differ on both sides, marked by several threads in any order,
 * asked for one by one; types with gaps; requests of one tag that match in their order, also where one is freed before
 * it has met the other side; nothing to send, nobody to send to, and lengths that differ.
 */
#include "wrong.h"

#include <corunna/threads.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { STARTS = 30, MARKERS = 3, ROUNDS = 300 };

static _Thread_local int rank, ranks;

/* ---- marking by threads ------------------------------------------------------------------------------------------ */

typedef struct marker {
    pthread_t thread;
    corunna_thread_rank *rank;
    MPI_Request request;
    int first, count; /* every MARKERS-th partition from the first on */
} marker;

static void *mark(void *argument)
{
    marker *m = argument;
    corunna_threads_adopt(m->rank);
    for (int i = m->first; i < m->count; i += MARKERS)
        CHECK_OK(MPI_Pready(i, m->request));
    corunna_threads_adopt(NULL);
    return NULL;
}

static void mark_all(MPI_Request request, int count)
{
    marker markers[MARKERS];
    for (int i = 0; i < MARKERS; i++) {
        markers[i] = (marker){.rank = corunna_threads_self(), .request = request, .first = i, .count = count};
        CHECK(pthread_create(&markers[i].thread, NULL, mark, &markers[i]) == 0);
    }
    for (int i = 0; i < MARKERS; i++)
        CHECK(pthread_join(markers[i].thread, NULL) == 0);
}

/* ---- numbers of partitions --------------------------------------------------------------------------------------- */

static int value_of(int start, int i)
{
    return start * 1000003 + i;
}

static void send_starts(int *cells, int partitions, int length, int tag)
{
    MPI_Request request;
    CHECK_OK(MPI_Psend_init(cells, partitions, length, MPI_INT, 1, tag, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
    for (int start = 0; start < STARTS; start++) {
        for (int i = 0; i < partitions * length; i++)
            cells[i] = value_of(start, i);
        CHECK_OK(MPI_Start(&request));
        if (start % 3 == 0)
            mark_all(request, partitions);
        else
            CHECK_OK(MPI_Pready_range(0, partitions - 1, request));
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    CHECK_OK(MPI_Request_free(&request));
}

static void receive_starts(int *cells, int partitions, int length, int tag)
{
    MPI_Request request;
    MPI_Status status;
    int count;
    CHECK_OK(MPI_Precv_init_c(cells, partitions, length, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
    for (int start = 0; start < STARTS; start++) {
        memset(cells, 0xff, sizeof *cells * (size_t)(partitions * length));
        CHECK_OK(MPI_Start(&request));
        for (int p = 0; p < partitions && start % 2; p++) {
            for (int flag = 0; !flag;)
                CHECK_OK(MPI_Parrived(request, p, &flag));
            for (int i = p * length; i < (p + 1) * length; i++)
                CHECK_EQUAL(value_of(start, i), cells[i]);
        }
        CHECK_OK(MPI_Wait(&request, &status));
        for (int i = 0; i < partitions * length; i++)
            CHECK_EQUAL(value_of(start, i), cells[i]);
        CHECK_OK(MPI_Get_count(&status, MPI_INT, &count));
        CHECK_EQUAL(partitions * length, count);
        CHECK_EQUAL(0, status.MPI_SOURCE);
        CHECK_EQUAL(tag, status.MPI_TAG);
    }
    CHECK_OK(MPI_Request_free(&request));
}

static void test_numbers(void)
{
    static const int shapes[][3] = {/* of the sender, of the receiver, ints in all */
                                    {1, 5, 35},         {7, 1, 49},       {16, 4, 1 << 16},
                                    {1000, 10, 100000}, {3, 300, 300000}, {4099, 1, 4099 * 3}};
    for (int k = 0; k < (int)(sizeof shapes / sizeof *shapes); k++) {
        int *cells = malloc(sizeof *cells * (size_t)shapes[k][2]);
        CHECK(cells);
        if (rank == 0)
            send_starts(cells, shapes[k][0], shapes[k][2] / shapes[k][0], k);
        else if (rank == 1)
            receive_starts(cells, shapes[k][1], shapes[k][2] / shapes[k][1], k);
        free(cells);
    }
}

/* Every second int is sent, and comes without gaps. */
static void test_gaps(void)
{
    enum { PARTITIONS = 6, LENGTH = 700 };
    static _Thread_local int cells[2 * PARTITIONS * LENGTH];
    MPI_Datatype spread;
    MPI_Request request;
    MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &spread);
    MPI_Type_commit(&spread);
    for (int i = 0; i < 2 * PARTITIONS * LENGTH; i++)
        cells[i] = rank == 0 ? i : -1;
    if (rank == 0)
        MPI_Psend_init(cells, PARTITIONS, LENGTH, spread, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    else if (rank == 1)
        MPI_Precv_init(cells, 2 * PARTITIONS, LENGTH / 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Type_free(&spread);
    if (rank > 1)
        return;
    MPI_Start(&request);
    for (int i = PARTITIONS - 1; i >= 0 && rank == 0; i--)
        CHECK_OK(MPI_Pready_list(1, &i, request));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    for (int i = 0; i < PARTITIONS * LENGTH && rank == 1; i++)
        CHECK_EQUAL(2 * i, cells[i]);
}

/* ---- matching ---------------------------------------------------------------------------------------------------- */

/* The first request of a side is freed before the other side makes its own; the second ones meet each other. */
static void test_freed(void)
{
    MPI_Request request;
    int cell = rank;
    if (rank > 1)
        return;
    for (int first = 0; first < 2; first++) {
        for (int turn = 0; turn < 2; turn++) {
            if (turn == (rank == first)) {
                MPI_Sendrecv(NULL, 0, MPI_INT, !rank, 9, NULL, 0, MPI_INT, !rank, 9, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
                continue;
            }
            if (rank == 0)
                MPI_Psend_init(&cell, 1, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
            else
                MPI_Precv_init(&cell, 1, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
            CHECK_OK(MPI_Request_free(&request));
        }
        cell = rank == 0 ? 77 + first : -1;
        if (rank == 0)
            MPI_Psend_init(&cell, 1, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        else
            MPI_Precv_init(&cell, 1, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        if (rank == 0)
            MPI_Pready(0, request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK_EQUAL(77 + first, cell);
        MPI_Request_free(&request);
    }
}

static void test_nothing(void)
{
    MPI_Request request;
    MPI_Status status;
    int cell = 0, flag;
    MPI_Psend_init(&cell, 3, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Precv_init(&cell, 3, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Wait(&request, &status);
    CHECK_EQUAL(MPI_PROC_NULL, status.MPI_SOURCE);
    CHECK_OK(MPI_Parrived(request, 1, &flag));
    CHECK(flag);
    MPI_Request_free(&request);
    CHECK_OK(MPI_Parrived(MPI_REQUEST_NULL, 0, &flag));
    CHECK(flag);
    /* Partitions without elements, and no partitions; from the rank to itself. */
    for (int partitions = 0; partitions < 3; partitions += 2) {
        MPI_Request both[2];
        MPI_Psend_init(NULL, partitions, 0, MPI_INT, rank, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &both[0]);
        MPI_Precv_init(NULL, partitions, 0, MPI_INT, rank, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &both[1]);
        MPI_Startall(2, both);
        for (int i = 0; i < partitions; i++)
            CHECK_OK(MPI_Pready(i, both[0]));
        CHECK_OK(MPI_Waitall(2, both, MPI_STATUSES_IGNORE));
        MPI_Request_free(&both[0]);
        MPI_Request_free(&both[1]);
    }
}

/* Of `count` partitions that the sender has, each of two ints, to a receive of four. */
static void test_length(int count)
{
    enum { ROOM = 4 };
    MPI_Request both[2];
    MPI_Status status;
    int out[2 * ROOM], in[2 * ROOM], class, received, flag = -1;
    for (int i = 0; i < 2 * ROOM; i++) {
        out[i] = i + 1;
        in[i] = -1;
    }
    MPI_Psend_init(out, count, 2, MPI_INT, rank, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &both[0]);
    MPI_Precv_init(in, ROOM, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &both[1]);
    MPI_Startall(2, both);
    if (count > 1) {
        CHECK_OK(MPI_Parrived(both[1], ROOM - 1, &flag));
        CHECK_EQUAL(0, flag);
    }
    if (count > 0)
        MPI_Pready_range(0, count - 1, both[0]);
    for (flag = 0; !flag && 2 * count <= ROOM;)
        CHECK_OK(MPI_Parrived(both[1], ROOM - 1, &flag));
    MPI_Error_class(MPI_Wait(&both[1], &status), &class);
    CHECK_EQUAL(2 * count > ROOM ? MPI_ERR_TRUNCATE : MPI_SUCCESS, class);
    MPI_Wait(&both[0], MPI_STATUS_IGNORE);
    if (class == MPI_SUCCESS) {
        CHECK_OK(MPI_Get_count(&status, MPI_INT, &received));
        CHECK_EQUAL(2 * count, received);
    }
    for (int i = 0; i < 2 * ROOM; i++)
        CHECK_EQUAL(i < 2 * count && i < ROOM ? i + 1 : -1, in[i]);
    MPI_Request_free(&both[0]);
    MPI_Request_free(&both[1]);
}

static void test_lengths(void)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int count = 0; count < 4; count++)
        test_length(count);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/* ---- marking beside a wait --------------------------------------------------------------------------------------- */

/* The main thread sleeps in a receive for an answer that the other rank sends when all partitions but the last have
 * arrived; so none of these stays behind while nobody marks. */
static void test_asleep(void)
{
    enum { PARTITIONS = 4, LENGTH = 3000 };
    static _Thread_local int cells[PARTITIONS * LENGTH];
    MPI_Request request;
    if (rank > 1)
        return;
    if (rank == 0)
        MPI_Psend_init(cells, PARTITIONS, LENGTH, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    else
        MPI_Precv_init(cells, PARTITIONS, LENGTH, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int round = 0; round < ROUNDS; round++) {
        marker markers[MARKERS];
        MPI_Start(&request);
        for (int i = 0; i < MARKERS && rank == 0; i++) {
            markers[i] = (marker){.rank = corunna_threads_self(), .request = request, .first = i, .count = MARKERS};
            CHECK(pthread_create(&markers[i].thread, NULL, mark, &markers[i]) == 0);
        }
        if (rank == 0) {
            MPI_Recv(NULL, 0, MPI_INT, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (int i = 0; i < MARKERS; i++)
                CHECK(pthread_join(markers[i].thread, NULL) == 0);
            CHECK_OK(MPI_Pready(MARKERS, request));
        } else {
            for (int p = 0; p < MARKERS; p++)
                for (int flag = 0; !flag;)
                    CHECK_OK(MPI_Parrived(request, p, &flag));
            MPI_Send(NULL, 0, MPI_INT, 0, 4, MPI_COMM_WORLD);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
}

static int body(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    CHECK_EQUAL(MPI_THREAD_MULTIPLE, provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    test_nothing();
    test_lengths();
    if (ranks > 1) {
        test_numbers();
        test_gaps();
        test_freed();
        test_asleep();
    }
    MPI_Finalize();
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return body(argc, argv);
    for (int count = 1; count <= 3; count++)
        CHECK(corunna_threads_run(count, body, argc, argv) == 0);
    puts("part_calls: passed");
    return 0;
}
