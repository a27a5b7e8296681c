/* SPDX-License-Identifier: Apache-2.0 */
/* Receives from any source and with any tag, in MPI order with the exact ones. */
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rank 0 takes what comes; from each source in the order sent. */
void case_wildcard_any_source(suite *s)
{
    int count = s->size > 16 ? 50 : 300;
    MPI_Request *requests = malloc((size_t)count * sizeof *requests);
    int *numbers = malloc((size_t)count * sizeof *numbers);
    for (int i = 0; i < count; i++) {
        numbers[i] = i * 1000 + s->rank;
        CHECK_OK(MPI_Isend(&numbers[i], 1, MPI_INT, 0, 7, s->comm, &requests[i]));
    }
    int *next = calloc((size_t)s->size, sizeof *next);
    for (int i = 0; s->rank == 0 && i < count * s->size; i++) {
        int got = -1;
        MPI_Status status;
        CHECK_OK(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 7, s->comm, &status));
        int source = status.MPI_SOURCE;
        if (source < 0 || source >= s->size)
            CHECK_FAIL("status.MPI_SOURCE: expected a rank, got %d", source);
        CHECK_STATUS(&status, source, 7, sizeof got);
        CHECK_EQUAL(next[source] * 1000 + source, got);
        next[source]++;
    }
    CHECK_OK(MPI_Waitall(count, requests, MPI_STATUSES_IGNORE));
    free(next);
    free(requests);
    free(numbers);
}

/* One source, any tag: the order sent, whatever the tags. */
void case_wildcard_any_tag(suite *s)
{
    enum { COUNT = 100 };
    int dest = (s->rank + 1) % s->size, source = (s->rank - 1 + s->size) % s->size;
    MPI_Request requests[COUNT];
    int numbers[COUNT];
    for (int i = 0; i < COUNT; i++) {
        numbers[i] = i;
        CHECK_OK(MPI_Isend(&numbers[i], 1, MPI_INT, dest, i * 7 % 13, s->comm, &requests[i]));
    }
    for (int i = 0; i < COUNT; i++) {
        int got = -1;
        MPI_Status status;
        CHECK_OK(MPI_Recv(&got, 1, MPI_INT, source, MPI_ANY_TAG, s->comm, &status));
        CHECK_STATUS(&status, source, i * 7 % 13, sizeof got);
        CHECK_EQUAL(i, got);
    }
    CHECK_OK(MPI_Waitall(COUNT, requests, MPI_STATUSES_IGNORE));
}

/* All to all, received with both wildcards. */
void case_wildcard_any_both(suite *s)
{
    enum { COUNT = 10 };
    int total = COUNT * s->size;
    MPI_Request *requests = malloc((size_t)COUNT * (size_t)s->size * sizeof *requests);
    int(*numbers)[2] = malloc((size_t)COUNT * (size_t)s->size * sizeof *numbers);
    for (int i = 0; i < total; i++) {
        numbers[i][0] = s->rank;
        numbers[i][1] = i / s->size;
        CHECK_OK(MPI_Isend(numbers[i], 2, MPI_INT, i % s->size, i / s->size, s->comm, &requests[i]));
    }
    int *next = calloc((size_t)s->size, sizeof *next);
    for (int i = 0; i < total; i++) {
        int got[2] = {-1, -1};
        MPI_Status status;
        CHECK_OK(MPI_Recv(got, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, s->comm, &status));
        CHECK_EQUAL(status.MPI_SOURCE, got[0]);
        CHECK_EQUAL(status.MPI_TAG, got[1]);
        CHECK_EQUAL(next[got[0]], got[1]);
        next[got[0]]++;
    }
    CHECK_OK(MPI_Waitall(total, requests, MPI_STATUSES_IGNORE));
    free(next);
    free(requests);
    free(numbers);
}

/* ---- against a model ----------------------------------------------------------------------------------------------
 * One sender, so that the outcome is determined: the i-th message goes to the first posted receive that matches and
 * is still free; the i-th receive takes the first message that matches and is still there. */

enum { MODEL_COUNT = 400, MODEL_TAGS = 5 };

typedef struct model {
    int message_tag[MODEL_COUNT];
    int receive_source[MODEL_COUNT], receive_tag[MODEL_COUNT];
    int message_of[MODEL_COUNT]; /* by receive, -1: none */
} model;

static int model_matches(const model *m, int receive, int message)
{
    return m->receive_tag[receive] == MPI_ANY_TAG || m->receive_tag[receive] == m->message_tag[message];
}

/* A random set of messages and receives from one source. Receives that get nothing are cancelled in the end. */
static void model_make(model *m, uint64_t seed, int source, int receives_come_first)
{
    uint64_t random = seed;
    for (int i = 0; i < MODEL_COUNT; i++) {
        m->message_tag[i] = (int)(suite_random(&random) % MODEL_TAGS);
        m->receive_tag[i] = suite_random(&random) % 3 == 0 ? MPI_ANY_TAG : (int)(suite_random(&random) % MODEL_TAGS);
        m->receive_source[i] = suite_random(&random) % 2 == 0 ? MPI_ANY_SOURCE : source;
        m->message_of[i] = -1;
    }
    char is_taken[MODEL_COUNT] = {0};
    for (int outer = 0; outer < MODEL_COUNT; outer++)
        for (int inner = 0; inner < MODEL_COUNT; inner++) {
            int message = receives_come_first ? outer : inner, receive = receives_come_first ? inner : outer;
            if (m->message_of[receive] != -1 || is_taken[message] || !model_matches(m, receive, message))
                continue;
            m->message_of[receive] = message;
            is_taken[message] = 1;
            break;
        }
}

static void model_finish(const model *m, int source, int i, MPI_Request *request, const int *number)
{
    int is_cancelled = 0, message = m->message_of[i];
    MPI_Status status;
    if (message < 0)
        CHECK_OK(MPI_Cancel(request));
    CHECK_OK(MPI_Wait(request, &status));
    CHECK_OK(MPI_Test_cancelled(&status, &is_cancelled));
    if (is_cancelled != (message < 0) || *number != message)
        CHECK_FAIL("receive %d (source %d, tag %d): expected message %d, got %d%s", i, m->receive_source[i],
                   m->receive_tag[i], message, *number, is_cancelled ? " (cancelled)" : "");
    if (message >= 0)
        CHECK_STATUS(&status, source, m->message_tag[message], sizeof(int));
}

static void model_receive(suite *s, const model *m, int source, int receives_come_first)
{
    MPI_Request requests[MODEL_COUNT];
    int numbers[MODEL_COUNT];
    if (!receives_come_first) /* the sender's go-ahead comes behind all its messages, so these have arrived */
        CHECK_OK(MPI_Recv(NULL, 0, MPI_BYTE, source, 100, s->comm, MPI_STATUS_IGNORE));
    for (int i = 0; i < MODEL_COUNT; i++) {
        numbers[i] = -1;
        CHECK_OK(MPI_Irecv(&numbers[i], 1, MPI_INT, m->receive_source[i], m->receive_tag[i], s->comm, &requests[i]));
    }
    if (receives_come_first) {
        /* A token apart from the wildcards, which would swallow it: in the other communicator. */
        CHECK_OK(MPI_Ssend(NULL, 0, MPI_BYTE, source, 100, MPI_COMM_WORLD));
        CHECK_OK(MPI_Recv(NULL, 0, MPI_BYTE, source, 101, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }
    /* First those that the model gives a message, then the others, which by now nothing can match any more. */
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < MODEL_COUNT; i++)
            if ((m->message_of[i] < 0) == pass)
                model_finish(m, source, i, &requests[i], &numbers[i]);
    /* What no receive wanted is still there, in order. */
    char is_taken[MODEL_COUNT] = {0};
    for (int i = 0; i < MODEL_COUNT; i++)
        if (m->message_of[i] >= 0)
            is_taken[m->message_of[i]] = 1;
    for (int i = 0; i < MODEL_COUNT; i++) {
        int got = -1;
        if (is_taken[i])
            continue;
        CHECK_OK(MPI_Recv(&got, 1, MPI_INT, source, MPI_ANY_TAG, s->comm, MPI_STATUS_IGNORE));
        CHECK_EQUAL(i, got);
    }
}

static void model_send(suite *s, const model *m, int dest, int receives_come_first)
{
    MPI_Request requests[MODEL_COUNT];
    int numbers[MODEL_COUNT];
    if (receives_come_first)
        CHECK_OK(MPI_Recv(NULL, 0, MPI_BYTE, dest, 100, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int i = 0; i < MODEL_COUNT; i++) {
        numbers[i] = i;
        CHECK_OK(MPI_Isend(&numbers[i], 1, MPI_INT, dest, m->message_tag[i], s->comm, &requests[i]));
    }
    if (receives_come_first)
        CHECK_OK(MPI_Send(NULL, 0, MPI_BYTE, dest, 101, MPI_COMM_WORLD));
    else
        CHECK_OK(MPI_Send(NULL, 0, MPI_BYTE, dest, 100, s->comm));
    CHECK_OK(MPI_Waitall(MODEL_COUNT, requests, MPI_STATUSES_IGNORE));
}

static void model_run(suite *s, int receives_come_first)
{
    model *m = malloc(sizeof *m);
    for (int round = 0; round < 5; round++) {
        int sender = round % s->size, receiver = (round + 1) % s->size;
        model_make(m, s->seed + (uint64_t)round, sender, receives_come_first);
        if (s->rank == sender)
            model_send(s, m, receiver, receives_come_first);
        else if (s->rank == receiver)
            model_receive(s, m, sender, receives_come_first);
        suite_meet(s);
    }
    free(m);
}

void case_wildcard_posted_against_model(suite *s)
{
    model_run(s, 1);
}

void case_wildcard_arrived_against_model(suite *s)
{
    model_run(s, 0);
}

/* All ranks keep sending to rank 0 until it has received ENOUGH from each: a source that is never served hangs here,
 * and the limit tells which. */
void case_wildcard_nobody_starves(suite *s)
{
    enum { ENOUGH = 20, DATA = 1, STOP = 2, LAST = 3 };
    if (s->rank != 0) {
        int is_stopped = 0;
        while (!is_stopped) {
            CHECK_OK(MPI_Ssend(NULL, 0, MPI_BYTE, 0, DATA, s->comm));
            CHECK_OK(MPI_Iprobe(0, STOP, s->comm, &is_stopped, MPI_STATUS_IGNORE));
        }
        CHECK_OK(MPI_Recv(NULL, 0, MPI_BYTE, 0, STOP, s->comm, MPI_STATUS_IGNORE));
        CHECK_OK(MPI_Send(NULL, 0, MPI_BYTE, 0, LAST, s->comm));
        return;
    }
    double begin = suite_seconds(), limit_seconds = 30;
    int *heard = calloc((size_t)s->size, sizeof *heard);
    int hungry = s->size - 1, running = s->size - 1, has_stopped = 0;
    while (running > 0) {
        MPI_Status status;
        CHECK_OK(MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, s->comm, &status));
        if (status.MPI_TAG == LAST)
            running--;
        else if (++heard[status.MPI_SOURCE] == ENOUGH)
            hungry--;
        if (suite_seconds() - begin > limit_seconds &&
            suite_seconds() - begin > (limit_seconds = 1e-3 * check_patience_ms(60000)))
            for (int source = 1; source < s->size; source++)
                if (heard[source] < ENOUGH)
                    CHECK_FAIL("after %.0f s expected %d messages from rank %d, got %d", limit_seconds, ENOUGH, source,
                               heard[source]);
        if (hungry > 0 || has_stopped)
            continue;
        has_stopped = 1;
        for (int source = 1; source < s->size; source++) {
            MPI_Request request;
            CHECK_OK(MPI_Isend(NULL, 0, MPI_BYTE, source, STOP, s->comm, &request));
            CHECK_OK(MPI_Request_free(&request));
        }
    }
    free(heard);
}
