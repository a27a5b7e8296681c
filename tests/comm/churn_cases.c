/* SPDX-License-Identifier: Apache-2.0 */
/* Many communicators: made and freed over and over, all at once, by several threads. */
#include "comm_suite.h"

#include <stdlib.h>

/* CORUNNA_TEST_COUNT sets how many; memory must not grow with them. */
static long churn_count(const test *t, long usual)
{
    const char *text = getenv("CORUNNA_TEST_COUNT");
    long count = text ? atol(text) : usual;
    if (!text && test_is_slow())
        count /= 20;
    /* Where ranks share CPUs every agreement waits for turns. */
    return !text && t->size > 2 ? count / 20 : count;
}

void case_churn_dup_and_free(const test *t)
{
    long count = churn_count(t, 50000);
    MPI_Comm comms[2];
    long before = 0;
    for (long i = 0; i < count; i++) {
        CHECK_OK(MPI_Comm_dup(t->comm, &comms[0]));
        CHECK_OK(i % 16 ? MPI_Comm_dup(comms[0], &comms[1]) : MPI_Comm_split(comms[0], 0, 0, &comms[1]));
        CHECK_OK(MPI_Comm_free(&comms[0]));
        if (i % 1000 == 0)
            test_ring(comms[1]);
        CHECK_OK(MPI_Comm_free(&comms[1]));
        if (i == count / 10)
            before = test_resident_kib();
    }
    long grown = test_resident_kib() - before;
    /* An emulator keeps the code that it has translated, and UCX over verbs makes a pool larger by 4 MiB at once. */
    long most = TEST_IS_EMULATED || getenv("CORUNNA_TEST_SLOW") ? 8192 : 2048;
    if (!TEST_IS_SANITIZED && grown > most)
        CHECK_FAIL("memory grew by %ld KiB over %ld communicators", grown, count);
}

/* Until there are no more, which all are told; freeing one makes room for one. */
void case_churn_all_contexts(const test *t)
{
    enum { MOST = 5000 };
    MPI_Comm *comms = malloc(MOST * sizeof *comms), one;
    int count = 0, code = MPI_SUCCESS;
    while (count < MOST && (code = MPI_Comm_dup(t->comm, &comms[count])) == MPI_SUCCESS)
        count++;
    CHECK(count > 1000 && count < MOST);
    CHECK_EQUAL(MPI_ERR_OTHER, code);
    test_ring(comms[count - 1]);
    CHECK_OK(MPI_Comm_free(&comms[17]));
    CHECK_OK(MPI_Comm_dup(t->comm, &comms[17]));
    CHECK_EQUAL(MPI_ERR_OTHER, MPI_Comm_dup(t->comm, &one));
    MPI_Request request;
    CHECK_OK(MPI_Comm_idup(t->comm, &one, &request));
    CHECK_EQUAL(MPI_ERR_OTHER, MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Comm_free(&one));
    test_ring(comms[17]);
    for (int i = 0; i < count; i++)
        CHECK_OK(MPI_Comm_free(&comms[i]));
    free(comms);
}

enum { THREADS = 4 };

typedef struct churn {
    const test *t;
    MPI_Comm comms[THREADS];
    long count;
} churn;

static void churn_thread(void *context, int number)
{
    const churn *c = context;
    const test *t = c->t;
    MPI_Comm made[2];
    for (long i = 0; i < c->count; i++) {
        CHECK_OK(MPI_Comm_dup(c->comms[number], &made[0]));
        CHECK_OK(MPI_Comm_split(made[0], t->rank % 2, t->rank, &made[1]));
        if (i % 16 == 0) {
            test_ring(made[0]);
            test_ring(made[1]);
        }
        CHECK_OK(MPI_Comm_free(&made[i % 2]));
        CHECK_OK(MPI_Comm_free(&made[!(i % 2)]));
    }
}

/* Threads of every rank make communicators at the same time, each from one of its own. */
void case_churn_threads(const test *t)
{
    churn c = {.t = t, .count = churn_count(t, 400)};
    if (c.count > 1000)
        c.count = 1000;
    for (int i = 0; i < THREADS; i++)
        CHECK_OK(MPI_Comm_dup(t->comm, &c.comms[i]));
    test_in_threads(t, THREADS, churn_thread, &c);
    for (int i = 0; i < THREADS; i++)
        CHECK_OK(MPI_Comm_free(&c.comms[i]));
}

static void crossed_thread(void *context, int number)
{
    const churn *c = context;
    MPI_Comm made;
    CHECK_OK(MPI_Comm_dup(c->comms[number], &made));
    test_ring(made);
    CHECK_OK(MPI_Comm_free(&made));
}

/* Rank 0 begins all at once in threads; rank 1 does one after the other, from either end. No thread may wait for an
 * agreement of another thread: rank 1 comes to it only later. */
void case_churn_crossed_threads(const test *t)
{
    churn c = {.t = t};
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < THREADS; i++)
            CHECK_OK(MPI_Comm_split(t->comm, t->rank < 2 ? 0 : MPI_UNDEFINED, 0, &c.comms[i]));
        if (t->rank == 0)
            test_in_threads(t, THREADS, crossed_thread, &c);
        else if (t->rank == 1)
            for (int i = 0; i < THREADS; i++)
                crossed_thread(&c, round % 2 ? i : THREADS - 1 - i);
        for (int i = 0; i < THREADS; i++)
            if (c.comms[i] != MPI_COMM_NULL)
                CHECK_OK(MPI_Comm_free(&c.comms[i]));
    }
}
