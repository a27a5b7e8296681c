/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives in the background while the rank does something else: comes late, asks for messages, frees, computes. */
#include "flight.h"

#include <sched.h>
#include <stdlib.h>

/* ---- a rank comes late ------------------------------------------------------------------------------------------ */

/* All ranks but one have started; none may have got through, and starting has not waited for it either. */
void case_flight_late_rank(coll_rank *me, cor_comm *comm)
{
    int rank = cor_comm_rank(comm), size = cor_comm_size(comm);
    for (int late = 0; late < size; late++) {
        cor_call call = coll_call_barrier(comm);
        cor_request *request = NULL;
        int is_done = 0;
        if (rank == late)
            for (int other = 0; other < size; other++)
                if (other != late)
                    CHECK_EQUAL(0, coll_hear(comm, other, 1));
        CHECK_OK(cor_coll_start(&call, &request));
        if (rank != late) {
            for (int i = 0; i < 50 && !is_done; i++)
                CHECK_OK(cor_test(me->rank, &request, &is_done, NULL));
            coll_tell(comm, late, 1, is_done);
        }
        CHECK_OK(cor_wait(me->rank, &request, NULL));
        coll_turn(me);
    }
}

/* A rank that has started an operation and then only asks for messages still does its part of it. */
static void progress_once(coll_rank *me, cor_comm *comm, int idler, size_t count)
{
    int rank = cor_comm_rank(comm), size = cor_comm_size(comm), finished = 0;
    flight f;
    cor_request *request = NULL;
    flight_init(&f, comm, flight_key(coll_mix2(me->seed, count), FLIGHT_ALLREDUCE), count);
    CHECK_OK(cor_coll_start(&f.call, &request));
    if (rank != idler) {
        CHECK_OK(cor_wait(me->rank, &request, NULL));
        coll_tell(comm, idler, 2, rank);
    }
    while (rank == idler && finished < size - 1) {
        cor_status status;
        int is_there = 0;
        CHECK_OK(cor_iprobe(comm, COR_ANY_SOURCE, 2, &is_there, &status));
        if (is_there) {
            coll_hear(comm, status.source, 2);
            finished++;
        } else {
            sched_yield();
        }
    }
    CHECK_OK(cor_wait(me->rank, &request, NULL));
    flight_check(me, &f);
    flight_fini(&f);
}

/* The same with tests of a receive that nothing comes for. */
static void progress_by_test(coll_rank *me, cor_comm *comm, int idler, size_t count)
{
    int rank = cor_comm_rank(comm), is_done = 0, value = -1;
    cor_payload payload = cor_payload_plain(&value, sizeof value);
    flight f;
    cor_request *request = NULL, *receive = NULL;
    flight_init(&f, comm, flight_key(coll_mix2(me->seed + 1, count), FLIGHT_ALLREDUCE), count);
    CHECK_OK(cor_coll_start(&f.call, &request));
    if (rank == idler) {
        CHECK_OK(cor_irecv(comm, &payload, (idler + 1) % cor_comm_size(comm), 3, &receive));
        while (!is_done) {
            CHECK_OK(cor_test(me->rank, &receive, &is_done, NULL));
            sched_yield();
        }
    }
    CHECK_OK(cor_wait(me->rank, &request, NULL));
    /* The one who lets the idler go has the result, which was not to be had without the idler. */
    if (rank == (idler + 1) % cor_comm_size(comm))
        coll_tell(comm, idler, 3, 0);
    flight_check(me, &f);
    flight_fini(&f);
}

void case_flight_progress_from_elsewhere(coll_rank *me, cor_comm *comm)
{
    static const size_t counts[] = {1, 3000, 60001};
    int size = cor_comm_size(comm);
    for (int idler = 0; idler<size; idler += size> 4 ? 3 : 1)
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            progress_once(me, comm, idler, counts[i]);
            progress_by_test(me, comm, idler, counts[i]);
        }
}

/* ---- what is freed meanwhile ------------------------------------------------------------------------------------ */

void case_flight_communicator_freed(coll_rank *me, cor_comm *comm)
{
    enum { ROUNDS = 12, AT_ONCE = 6 };
    for (int round = 0; round < ROUNDS; round++) {
        flight flights[AT_ONCE];
        cor_request *requests[AT_ONCE];
        cor_comm *dup = NULL;
        CHECK_OK(cor_comm_dup(comm, &dup));
        for (int i = 0; i < AT_ONCE; i++) {
            flight_init(&flights[i], dup, coll_mix2(me->seed + 6, (uint64_t)(round * AT_ONCE + i)),
                        i == 0 ? 40000 / (size_t)me->size : 10);
            if (i % 3 == 2) {
                CHECK_OK(cor_coll_init(&flights[i].call, &requests[i]));
                CHECK_OK(cor_start(requests[i]));
            } else {
                CHECK_OK(cor_coll_start(&flights[i].call, &requests[i]));
            }
        }
        cor_comm_unref(dup);
        CHECK_OK(cor_waitall(me->rank, AT_ONCE, requests, NULL));
        for (int i = 0; i < AT_ONCE; i++) {
            flights[i].call.comm = comm; /* of the same ranks */
            flight_check(me, &flights[i]);
            if (requests[i])
                cor_request_free(&requests[i]);
            flight_fini(&flights[i]);
        }
    }
}

/* A started operation whose request the program does not keep goes on by itself. */
void case_flight_request_freed(coll_rank *me, cor_comm *comm)
{
    enum { AT_ONCE = 20 };
    flight flights[AT_ONCE];
    for (int i = 0; i < AT_ONCE; i++) {
        cor_request *request = NULL;
        flight_init(&flights[i], comm, coll_mix2(me->seed + 7, (uint64_t)i), i == 3 ? 30000 / (size_t)me->size : 9);
        CHECK_OK(cor_coll_start(&flights[i].call, &request));
        cor_request_free(&request);
        CHECK(request == NULL);
    }
    /* A rank's own part is over when nothing of it is left; that may take others' progress. */
    for (int i = 0; i < AT_ONCE; i++)
        for (size_t at = 0; at < flights[i].count * (size_t)me->size;) {
            int is_there = 0;
            if (*(volatile int *)&flights[i].out[at] == flight_expected(&flights[i], at))
                at++;
            else
                CHECK_OK(cor_iprobe(comm, COR_ANY_SOURCE, 9, &is_there, NULL));
        }
    /* The buffers may be read by others until these have all. */
    for (int i = 0; i < 2; i++)
        CHECK_OK(cor_barrier(comm));
    for (int i = 0; i < AT_ONCE; i++)
        flight_fini(&flights[i]);
}

/* ---- again and again -------------------------------------------------------------------------------------------- */

/* Persistent operations are told apart by the order in which they were made, whatever order they are started in. */
void case_flight_persistent_orders(coll_rank *me, cor_comm *comm)
{
    enum { OPERATIONS = 9, ROUNDS = TEST_IS_SANITIZED ? 15 : 60 };
    flight flights[OPERATIONS];
    cor_request *requests[OPERATIONS];
    for (int i = 0; i < OPERATIONS; i++) {
        uint64_t key = coll_mix2(me->seed + 8, (uint64_t)i);
        flight_init(&flights[i], comm, flight_key(key, (uint64_t)i % FLIGHT_KINDS),
                    i == 2 ? 5000 : 1 + (size_t)(key >> 40) % 100);
        CHECK_OK(cor_coll_init(&flights[i].call, &requests[i]));
        CHECK_EQUAL(1, cor_request_is_persistent(requests[i]));
    }
    for (int round = 0; round < ROUNDS; round++) {
        int order[OPERATIONS];
        flight_shuffle(coll_mix2(me->seed + (uint64_t)me->number, (uint64_t)round), order, OPERATIONS);
        for (int i = 0; i < OPERATIONS; i++) {
            flight *f = &flights[order[i]];
            int is_bcast_root = f->key % FLIGHT_KINDS == FLIGHT_BCAST && f->root == cor_comm_rank(comm);
            for (size_t at = is_bcast_root ? f->count : 0; at < f->count * (size_t)me->size; at++)
                f->out[at] = -1;
            CHECK_OK(cor_start(requests[order[i]]));
        }
        flight_run(me, comm, coll_mix2(me->seed, (uint64_t)round), 20);
        flight_shuffle(coll_mix2(me->seed + (uint64_t)me->number + 99, (uint64_t)round), order, OPERATIONS);
        for (int i = 0; i < OPERATIONS; i++) {
            CHECK_OK(cor_wait(me->rank, &requests[order[i]], NULL));
            flight_check(me, &flights[order[i]]);
        }
    }
    for (int i = 0; i < OPERATIONS; i++) {
        cor_request_free(&requests[i]);
        flight_fini(&flights[i]);
    }
}

/* ---- overlap ---------------------------------------------------------------------------------------------------- */

/* Some microseconds of work that the compiler cannot leave out. */
static unsigned overlap_compute(unsigned state)
{
    for (int i = 0; i < 5000; i++)
        state = state * 1664525u + 1013904223u;
    return state;
}

/* Long operations go on under computation with a test now and then: nothing is left for the wait. */
void case_flight_overlap(coll_rank *me, cor_comm *comm)
{
    static const uint64_t kinds[] = {FLIGHT_BCAST, FLIGHT_ALLREDUCE, FLIGHT_ALLGATHER};
    size_t count = (TEST_IS_SANITIZED ? (size_t)256 << 10 : (size_t)1 << 20) / sizeof(int);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        uint64_t key = coll_mix2(me->seed + 10, k);
        unsigned state = 1;
        unsigned long tests = 0;
        int is_done = 0;
        flight f;
        cor_request *request = NULL;
        flight_init(&f, comm, flight_key(key, kinds[k]), k == 2 ? count / (size_t)me->size : count);
        CHECK_OK(cor_barrier(comm));
        CHECK_OK(cor_coll_start(&f.call, &request));
        /* In a time that only a stall could take: a test makes the next piece of the way, whatever the others do. */
        while (!is_done && tests < 2000000) {
            state = overlap_compute(state);
            CHECK_OK(cor_test(me->rank, &request, &is_done, NULL));
            tests++;
            if (me->size > 2)
                sched_yield();
        }
        CHECK_EQUAL(1, is_done);
        CHECK(request == NULL);
        CHECK(state != 0);
        flight_check(me, &f);
        flight_fini(&f);
    }
}
