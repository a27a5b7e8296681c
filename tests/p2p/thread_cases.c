/* SPDX-License-Identifier: Apache-2.0 */
/* Several threads of a rank call at once (MPI_THREAD_MULTIPLE). */
#include "extra_threads.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { THREADS = 4 };

static int threads_rounds(const suite *s)
{
    return test_is_slow() || s->size > 4 ? 100 : 1000;
}

/* Every thread has its tag and exchanges with the same thread of the next and of the previous rank. */
static void threads_ping_pong(const extra_thread *me)
{
    const suite *s = me->s;
    int dest = (s->rank + 1) % s->size, source = (s->rank - 1 + s->size) % s->size, rounds = threads_rounds(s);
    size_t max_bytes = 40000;
    char *out = suite_alloc(max_bytes), *in = suite_alloc(max_bytes);
    for (int i = 0; i < rounds; i++) {
        size_t bytes = i % 20 == 19 ? max_bytes - (size_t)i % 7 : (size_t)(i * 31 % 300);
        MPI_Request request;
        MPI_Status status;
        suite_fill(out, bytes, suite_key(s, (uint64_t)s->rank, (uint64_t)me->number, (uint64_t)i, 0));
        if (i % 2) {
            CHECK_OK(MPI_Sendrecv(out, (int)bytes, MPI_BYTE, dest, me->number, in, (int)max_bytes, MPI_BYTE, source,
                                  me->number, s->comm, &status));
        } else {
            CHECK_OK(MPI_Isend(out, (int)bytes, MPI_BYTE, dest, me->number, s->comm, &request));
            CHECK_OK(MPI_Recv(in, (int)max_bytes, MPI_BYTE, source, me->number, s->comm, &status));
            CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        }
        CHECK_STATUS(&status, source, me->number, bytes);
        CHECK_BYTES(in, bytes, suite_key(s, (uint64_t)source, (uint64_t)me->number, (uint64_t)i, 0));
    }
    suite_free(out);
    suite_free(in);
}

void case_threads_ping_pong(suite *s)
{
    extra_threads_run(s, THREADS, threads_ping_pong, NULL);
}

/* A thread that waits for a message does not keep the others from working: the one it waits for is sent by its own
 * sister, last of all. */
static void threads_blocked(const extra_thread *me)
{
    enum { LAST = 50, WORK = 51 };
    const suite *s = me->s;
    int in = -1, value = 7;
    MPI_Status status;
    if (me->number == 0) {
        CHECK_OK(MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, LAST, s->comm, &status));
        CHECK_STATUS(&status, s->rank, LAST, sizeof in);
        CHECK_EQUAL(7, in);
    } else if (me->number == 1) {
        for (int i = 0; i < threads_rounds(s); i++) {
            int dest = (s->rank + 1) % s->size, source = (s->rank - 1 + s->size) % s->size;
            CHECK_OK(MPI_Sendrecv(&i, 1, MPI_INT, dest, WORK, &in, 1, MPI_INT, source, WORK, s->comm, &status));
            CHECK_EQUAL(i, in);
        }
        suite_sleep_ms(5); /* the waiting thread sleeps by then, or has yet to come: both must work */
        CHECK_OK(MPI_Send(&value, 1, MPI_INT, s->rank, LAST, s->comm));
    }
}

void case_threads_blocked_receiver(suite *s)
{
    extra_threads_run(s, 2, threads_blocked, NULL);
}

/* All threads probe for anything and receive what they matched: each message comes exactly once. Thread 0 of every
 * rank sends, the others receive until they get a message with the tag that ends it. */
typedef struct shared_probe {
    _Atomic int received, from_each;
} shared_probe;

enum { PROBE_DATA = 60, PROBE_END = 61 };

static void threads_probe_send(const extra_thread *me, const shared_probe *shared)
{
    const suite *s = me->s;
    int dest = (s->rank + 1) % s->size, from_each = atomic_load(&shared->from_each);
    for (int i = 0; i < from_each; i++) {
        size_t bytes = i % 50 == 49 ? 30000 : (size_t)i % 200;
        char *out = suite_alloc(bytes);
        suite_fill(out, bytes, suite_key(s, bytes, 0, 0, 5));
        CHECK_OK(MPI_Send(out, (int)bytes, MPI_BYTE, dest, PROBE_DATA, s->comm));
        suite_free(out);
    }
    for (int i = 1; i < THREADS; i++)
        CHECK_OK(MPI_Send(NULL, 0, MPI_BYTE, dest, PROBE_END, s->comm));
}

static void threads_probe(const extra_thread *me)
{
    const suite *s = me->s;
    shared_probe *shared = me->context;
    if (me->number == 0) {
        threads_probe_send(me, shared);
        return;
    }
    for (int tag = PROBE_DATA; tag != PROBE_END;) {
        MPI_Message message = MPI_MESSAGE_NULL;
        MPI_Status status;
        int bytes = -1, is_here = 1;
        if (me->number % 2) {
            CHECK_OK(MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, s->comm, &message, &status));
        } else {
            CHECK_OK(MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, s->comm, &is_here, &message, &status));
            if (!is_here) {
                suite_sleep_ms(0);
                continue;
            }
        }
        tag = status.MPI_TAG;
        CHECK_OK(MPI_Get_count(&status, MPI_BYTE, &bytes));
        char *in = suite_alloc((size_t)bytes);
        CHECK_OK(MPI_Mrecv(in, bytes, MPI_BYTE, &message, &status));
        CHECK_BYTES(in, (size_t)bytes, suite_key(s, (uint64_t)bytes, 0, 0, 5));
        suite_free(in);
        if (tag == PROBE_DATA)
            atomic_fetch_add(&shared->received, 1);
    }
}

void case_threads_shared_probe(suite *s)
{
    shared_probe shared;
    atomic_init(&shared.received, 0);
    atomic_init(&shared.from_each, threads_rounds(s));
    extra_threads_run(s, THREADS, threads_probe, &shared);
    CHECK_EQUAL(threads_rounds(s), atomic_load(&shared.received));
}

/* One thread sleeps for an answer that comes only after its sister's sends have arrived; the sister starts more of
 * them than find room and then stays out of the library, so that the sleeper has to see them off. */
static void threads_sleeping_sister(const extra_thread *me)
{
    enum { SENDS = 2000, DATA = 70, ANSWER = 71 };
    const suite *s = me->s;
    int partner = s->rank ^ 1, answer = -1;
    _Atomic int *is_answered = me->context;
    if (partner >= s->size || (s->rank % 2 && me->number))
        return;
    if (s->rank % 2) {
        suite_sleep_ms(100);
        for (int i = 0; i < SENDS; i++) {
            double value = -1;
            CHECK_OK(MPI_Recv(&value, 1, MPI_DOUBLE, partner, DATA, s->comm, MPI_STATUS_IGNORE));
            CHECK_EQUAL(i, value);
        }
        CHECK_OK(MPI_Send(&partner, 1, MPI_INT, partner, ANSWER, s->comm));
    } else if (me->number) {
        CHECK_OK(MPI_Recv(&answer, 1, MPI_INT, partner, ANSWER, s->comm, MPI_STATUS_IGNORE));
        CHECK_EQUAL(s->rank, answer);
        atomic_store(is_answered, 1);
    } else {
        MPI_Request *requests = malloc(SENDS * sizeof *requests);
        double *values = malloc(SENDS * sizeof *values);
        suite_sleep_ms(50);
        for (int i = 0; i < SENDS; i++) {
            values[i] = i;
            CHECK_OK(MPI_Isend(&values[i], 1, MPI_DOUBLE, partner, DATA, s->comm, &requests[i]));
        }
        while (!atomic_load(is_answered))
            suite_sleep_ms(1);
        CHECK_OK(MPI_Waitall(SENDS, requests, MPI_STATUSES_IGNORE));
        free(requests);
        free(values);
    }
}

void case_threads_sleeping_sister(suite *s)
{
    _Atomic int is_answered;
    atomic_init(&is_answered, 0);
    extra_threads_run(s, 2, threads_sleeping_sister, &is_answered);
}

/* Every thread makes communicators out of its own one, at the same time as its sisters. */
static void threads_communicators(const extra_thread *me)
{
    const suite *s = me->s;
    const MPI_Comm *own = me->context;
    int dest = (s->rank + 1) % s->size, source = (s->rank - 1 + s->size) % s->size;
    for (int i = 0; i < 30; i++) {
        MPI_Comm dup;
        int value = me->number * 1000 + i, in = -1;
        CHECK_OK(MPI_Comm_dup(own[me->number], &dup));
        CHECK_OK(MPI_Sendrecv(&value, 1, MPI_INT, dest, 1, &in, 1, MPI_INT, source, 1, dup, MPI_STATUS_IGNORE));
        CHECK_EQUAL(value, in);
        CHECK_OK(MPI_Barrier(dup));
        CHECK_OK(MPI_Comm_free(&dup));
    }
}

void case_threads_own_communicators(suite *s)
{
    MPI_Comm own[THREADS];
    for (int i = 0; i < THREADS; i++)
        CHECK_OK(MPI_Comm_dup(s->comm, &own[i]));
    extra_threads_run(s, THREADS, threads_communicators, own);
    for (int i = 0; i < THREADS; i++)
        CHECK_OK(MPI_Comm_free(&own[i]));
}
