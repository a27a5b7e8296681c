/* SPDX-License-Identifier: Apache-2.0 */
/* Several collectives under way at once: beside each other, beside messages, from several threads. */
#include "flight.h"

#include "xxdev/xxdev.h"

#include <sched.h>
#include <stdlib.h>

/* ---- several threads -------------------------------------------------------------------------------------------- */

enum { THREADS = 4 };

typedef struct thread_case {
    coll_rank *me;
    cor_comm *comms[THREADS];
} thread_case;

/* Each thread has a communicator to itself and does blocking and started operations on it, several at once. */
static void threads_body(void *context, int number)
{
    enum { ROUNDS = TEST_IS_SANITIZED ? 8 : 30, AT_ONCE = 3 };
    thread_case *t = context;
    cor_comm *comm = t->comms[number];
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t key = coll_mix2(t->me->seed + (uint64_t)number, (uint64_t)round);
        flight flights[AT_ONCE];
        cor_request *requests[AT_ONCE];
        for (int i = 0; i < AT_ONCE; i++) {
            flight_init(&flights[i], comm, key + (uint64_t)i * 5, 1 + (size_t)(key >> 20) % 3000);
            CHECK_OK(cor_coll_start(&flights[i].call, &requests[i]));
        }
        flight_run(t->me, comm, key >> 3, 17);
        CHECK_OK(cor_waitall(t->me->rank, AT_ONCE, requests, NULL));
        for (int i = 0; i < AT_ONCE; i++) {
            flight_check(t->me, &flights[i]);
            flight_fini(&flights[i]);
        }
    }
}

void case_flight_threads_and_communicators(coll_rank *me, cor_comm *comm)
{
    thread_case t = {.me = me};
    for (int i = 0; i < THREADS; i++)
        CHECK_OK(cor_comm_dup(comm, &t.comms[i]));
    coll_in_threads(THREADS, threads_body, &t);
    for (int i = 0; i < THREADS; i++)
        cor_comm_unref(t.comms[i]);
}

/* ---- many at once ----------------------------------------------------------------------------------------------- */

enum { MANY = TEST_IS_SANITIZED ? 120 : 400 };

typedef struct many {
    flight flights[MANY];
    cor_request *requests[MANY];
} many;

/* Complete all, each rank in its own order and way. */
static void many_complete(coll_rank *me, many *all, int way)
{
    int order[MANY], left = MANY;
    flight_shuffle(coll_mix2(me->seed, (uint64_t)me->number), order, MANY);
    if (way == 0)
        for (int i = 0; i < MANY; i++)
            CHECK_OK(cor_wait(me->rank, &all->requests[order[i]], NULL));
    if (way == 1)
        CHECK_OK(cor_waitall(me->rank, MANY, all->requests, NULL));
    while (way == 2 && left > 0) {
        int index = -1;
        CHECK_OK(cor_waitany(me->rank, MANY, all->requests, &index, NULL));
        CHECK(index >= 0 && index < MANY && !all->requests[index]);
        flight_check(me, &all->flights[index]);
        left--;
    }
    while (way == 3 && left > 0) {
        int is_done = 0, at = order[left - 1];
        CHECK_OK(cor_test(me->rank, &all->requests[at], &is_done, NULL));
        left -= is_done;
        if (!is_done)
            sched_yield();
    }
    for (int i = 0; i < MANY; i++)
        CHECK(all->requests[i] == NULL);
}

void case_flight_many_outstanding(coll_rank *me, cor_comm *comm)
{
    many *all = coll_alloc(sizeof *all);
    for (int i = 0; i < MANY; i++) {
        uint64_t key = coll_mix2(me->seed + 3, (uint64_t)i);
        size_t count = i % 50 == 7 ? 20000 / (size_t)me->size : 1 + (size_t)(key >> 30) % 40;
        flight_init(&all->flights[i], comm, key, count);
        CHECK_OK(cor_coll_start(&all->flights[i].call, &all->requests[i]));
    }
    many_complete(me, all, me->number % 4);
    for (int i = 0; i < MANY; i++) {
        flight_check(me, &all->flights[i]);
        flight_fini(&all->flights[i]);
    }
    free(all);
}

/* Started, blocking and again started ones, in one row; the blocking ones complete while the others are under way. */
void case_flight_many_primitives(coll_rank *me, cor_comm *comm)
{
    many *all = coll_alloc(sizeof *all);
    for (int i = 0; i < MANY; i++) {
        uint64_t key = coll_mix2(me->seed + 4, (uint64_t)i);
        flight_init(&all->flights[i], comm, key, 1 + (size_t)(key >> 30) % 200);
        if (i % 4 == 3)
            CHECK_OK(cor_coll_run(&all->flights[i].call));
        else
            CHECK_OK(cor_coll_start(&all->flights[i].call, &all->requests[i]));
    }
    CHECK_OK(cor_waitall(me->rank, MANY, all->requests, NULL));
    for (int i = 0; i < MANY; i++) {
        flight_check(me, &all->flights[i]);
        flight_fini(&all->flights[i]);
    }
    free(all);
}

/* ---- beside messages -------------------------------------------------------------------------------------------- */

/* Receives for any tag from any rank are posted on the same communicator: they meet messages and nothing else. */
void case_flight_beside_messages(coll_rank *me, cor_comm *comm)
{
    enum { ROUNDS = TEST_IS_SANITIZED ? 20 : 80 };
    int rank = cor_comm_rank(comm), size = cor_comm_size(comm);
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t key = coll_mix2(me->seed + 5, (uint64_t)round);
        int value = -1, out = round * 100 + rank, to = (rank + 1) % size;
        cor_payload in_payload = cor_payload_plain(&value, sizeof value),
                    payload = cor_payload_plain(&out, sizeof out);
        cor_request *receive = NULL, *started = NULL;
        cor_status status;
        flight f;
        CHECK_OK(cor_irecv(comm, &in_payload, COR_ANY_SOURCE, COR_ANY_TAG, &receive));
        flight_init(&f, comm, key, 1 + (size_t)(key >> 33) % 3000);
        CHECK_OK(cor_coll_start(&f.call, &started));
        flight_run(me, comm, key >> 2, 5);
        CHECK_EQUAL(-1, value); /* no rank has sent yet, and this rank has not come to it */
        CHECK_OK(cor_barrier(comm));
        CHECK_OK(cor_send(comm, &payload, to, round, COR_STANDARD));
        flight_run(me, comm, key >> 4, 50);
        CHECK_OK(cor_wait(me->rank, &receive, &status));
        CHECK_EQUAL(round * 100 + (rank + size - 1) % size, value);
        CHECK_EQUAL(round, status.tag);
        CHECK_OK(cor_wait(me->rank, &started, NULL));
        flight_check(me, &f);
        flight_fini(&f);
    }
}
