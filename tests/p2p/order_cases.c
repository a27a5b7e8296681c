/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of one sender that match the same receive arrive in the order sent. */
#include "suite.h"

#include <stdlib.h>

enum { ORDER_MESSAGES = 200, ORDER_TAGS = 16 };

/* Every rank to every rank, itself included, one tag. */
void case_order_one_tag(suite *s)
{
    int count = s->size > 16 ? 10 : ORDER_MESSAGES;
    size_t total = (size_t)count * (size_t)s->size;
    MPI_Request *requests = malloc(total * sizeof *requests);
    int *numbers = malloc(total * sizeof *numbers);
    for (int i = 0; i < count; i++)
        for (int dest = 0; dest < s->size; dest++) {
            size_t at = (size_t)i * (size_t)s->size + (size_t)dest;
            numbers[at] = i * 1000 + s->rank;
            CHECK_OK(MPI_Isend(&numbers[at], 1, MPI_INT, dest, 5, s->comm, &requests[at]));
        }
    for (int source = s->size - 1; source >= 0; source--)
        for (int i = 0; i < count; i++) {
            int got = -1;
            MPI_Status status;
            CHECK_OK(MPI_Recv(&got, 1, MPI_INT, source, 5, s->comm, &status));
            CHECK_STATUS(&status, source, 5, sizeof got);
            CHECK_EQUAL(i * 1000 + source, got);
        }
    CHECK_OK(MPI_Waitall((int)total, requests, MPI_STATUSES_IGNORE));
    free(requests);
    free(numbers);
}

/* Tags are received in another order than they were sent; within a tag the order stays. */
void case_order_many_tags(suite *s)
{
    enum { ROUNDS = 20 };
    int dest = (s->rank + 1) % s->size, source = (s->rank - 1 + s->size) % s->size;
    MPI_Request requests[ROUNDS * ORDER_TAGS];
    int numbers[ROUNDS * ORDER_TAGS];
    for (int i = 0; i < ROUNDS * ORDER_TAGS; i++) {
        numbers[i] = i;
        CHECK_OK(MPI_Isend(&numbers[i], 1, MPI_INT, dest, i % ORDER_TAGS, s->comm, &requests[i]));
    }
    uint64_t random = s->seed; /* the same order everywhere is fine */
    int next[ORDER_TAGS] = {0};
    for (int left = ROUNDS * ORDER_TAGS; left > 0; left--) {
        int tag = (int)(suite_random(&random) % ORDER_TAGS), got = -1;
        while (next[tag] == ROUNDS)
            tag = (tag + 1) % ORDER_TAGS;
        CHECK_OK(MPI_Recv(&got, 1, MPI_INT, source, tag, s->comm, MPI_STATUS_IGNORE));
        CHECK_EQUAL(next[tag] * ORDER_TAGS + tag, got);
        next[tag]++;
    }
    CHECK_OK(MPI_Waitall(ROUNDS * ORDER_TAGS, requests, MPI_STATUSES_IGNORE));
}

/* Tiny messages sent behind large ones do not overtake them, although they travel by another protocol. */
void case_order_mixed_protocols(suite *s)
{
    enum { COUNT = 60 };
    size_t largest = s->size > 16 ? 40000 : 300000;
    int dest = (s->rank + 1) % s->size, source = (s->rank - 1 + s->size) % s->size;
    MPI_Request requests[COUNT];
    void *out[COUNT];
    size_t bytes[COUNT];
    uint64_t random = s->seed;
    for (int i = 0; i < COUNT; i++)
        bytes[i] = suite_random(&random) % (i % 3 == 0 ? largest : i % 3 == 1 ? 64 : 5000);
    for (int i = 0; i < COUNT; i++) {
        out[i] = suite_alloc(bytes[i]);
        suite_fill(out[i], bytes[i], suite_key(s, (uint64_t)s->rank, (uint64_t)i, 0, 0));
        CHECK_OK(MPI_Isend(out[i], (int)bytes[i], MPI_BYTE, dest, 9, s->comm, &requests[i]));
    }
    char *in = suite_alloc(largest);
    for (int i = 0; i < COUNT; i++) {
        MPI_Status status;
        CHECK_OK(MPI_Recv(in, (int)largest, MPI_BYTE, source, 9, s->comm, &status));
        CHECK_STATUS(&status, source, 9, bytes[i]);
        CHECK_BYTES(in, bytes[i], suite_key(s, (uint64_t)source, (uint64_t)i, 0, 0));
    }
    CHECK_OK(MPI_Waitall(COUNT, requests, MPI_STATUSES_IGNORE));
    for (int i = 0; i < COUNT; i++)
        suite_free(out[i]);
    suite_free(in);
}

/* Even ranks send in every mode but ready, one after the other, blocking; odd ones receive. */
void case_order_mixed_modes(suite *s)
{
    enum { COUNT = 120 };
    int partner = s->rank ^ 1, number = -1;
    if (partner >= s->size)
        return;
    static const suite_mode rota[] = {MODE_SEND,   MODE_SSEND,  MODE_BSEND,     MODE_ISEND,
                                      MODE_ISSEND, MODE_IBSEND, MODE_SEND_INIT, MODE_SSEND_INIT};
    size_t room = COUNT * (sizeof number + MPI_BSEND_OVERHEAD);
    void *attached = malloc(room);
    CHECK_OK(MPI_Buffer_attach(attached, (int)room));
    for (int i = 0; i < COUNT; i++) {
        if (s->rank % 2 == 0) {
            number = i;
            suite_send(s, rota[i % (int)(sizeof rota / sizeof rota[0])], &number, sizeof number, partner, 3);
        } else {
            CHECK_OK(MPI_Recv(&number, 1, MPI_INT, partner, 3, s->comm, MPI_STATUS_IGNORE));
            CHECK_EQUAL(i, number);
        }
    }
    void *detached;
    int detached_bytes;
    CHECK_OK(MPI_Buffer_detach(&detached, &detached_bytes));
    free(attached);
}
