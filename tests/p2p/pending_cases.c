/* SPDX-License-Identifier: Apache-2.0 */
/* Very many requests under way at once, and the time it takes to match them. */
#include "suite.h"

#include <stdlib.h>

enum {
    /* Few enough to stay in the caches, and to be stored whole by the receiver: each takes some 512 bytes of
     * soft.unexpected_max, which is 4 MiB. Beyond that messages go by another protocol. */
    PENDING_TIMED = 8000,
    /* How much longer messages with a tag each may take than as many with one tag, for which no list is too long. Both
     * go by the same protocol and cost the same system calls. 1 to 2 where a match is O(1); where it was made O(n) for
     * a try, 56 in shared memory and 7 over TCP, where system calls take most of the time. */
    PENDING_RATIO = 6
};

static int pending_many(void)
{
    return test_is_slow() ? 10000 : 100000;
}

/* Which tag the message of a number has, and in which order they are sent or asked for. */
typedef enum pending_order { PENDING_ONE_TAG, PENDING_BACKWARD } pending_order;

typedef struct pending {
    int count;
    MPI_Request *requests;
    int *numbers;
} pending;

static pending pending_make(int count)
{
    pending p = {.count = count};
    p.requests = malloc((size_t)count * sizeof *p.requests);
    p.numbers = malloc((size_t)count * sizeof *p.numbers);
    if (!p.requests || !p.numbers)
        CHECK_FAIL("no memory for %d requests", count);
    for (int i = 0; i < count; i++)
        p.numbers[i] = -1;
    return p;
}

static void pending_free(pending *p)
{
    free(p->requests);
    free(p->numbers);
}

static void pending_check(const pending *p)
{
    for (int i = 0; i < p->count; i++)
        if (p->numbers[i] != i)
            CHECK_FAIL("receive with tag %d: expected %d, got %d", i, i, p->numbers[i]);
}

static int pending_tag(pending_order order, int number)
{
    return order == PENDING_ONE_TAG ? 0 : number;
}

/* The number of the message that is dealt with at this step. */
static int pending_at(pending_order order, int count, int step)
{
    return order == PENDING_ONE_TAG ? step : count - 1 - step;
}

/* Receives are posted, then the messages come. Returns this thread's seconds for both. */
static double pending_posted(const suite *s, int count, pending_order order)
{
    int dest = (s->rank + 1) % s->size, source = (s->rank - 1 + s->size) % s->size;
    pending in = pending_make(count), out = pending_make(count);
    double begin = suite_thread_seconds();
    for (int i = 0; i < count; i++)
        CHECK_OK(MPI_Irecv(&in.numbers[i], 1, MPI_INT, source, pending_tag(order, i), s->comm, &in.requests[i]));
    double seconds = suite_thread_seconds() - begin;
    suite_meet(s);
    begin = suite_thread_seconds();
    for (int step = 0; step < count; step++) {
        int i = pending_at(order, count, step);
        out.numbers[i] = i;
        CHECK_OK(MPI_Isend(&out.numbers[i], 1, MPI_INT, dest, pending_tag(order, i), s->comm, &out.requests[i]));
    }
    CHECK_OK(MPI_Waitall(count, out.requests, MPI_STATUSES_IGNORE));
    CHECK_OK(MPI_Waitall(count, in.requests, MPI_STATUSES_IGNORE));
    seconds += suite_thread_seconds() - begin;
    pending_check(&in);
    pending_free(&in);
    pending_free(&out);
    suite_meet(s);
    return seconds;
}

/* The messages are there first, then they are received. Returns this thread's seconds for both. */
static double pending_arrived(const suite *s, int count, pending_order order)
{
    int dest = (s->rank + 1) % s->size, source = (s->rank - 1 + s->size) % s->size;
    pending in = pending_make(count), out = pending_make(count);
    double begin = suite_thread_seconds();
    for (int i = 0; i < count; i++) {
        out.numbers[i] = i;
        CHECK_OK(MPI_Isend(&out.numbers[i], 1, MPI_INT, dest, pending_tag(order, i), s->comm, &out.requests[i]));
    }
    /* Tag `count` comes last; asking for it takes in all that was sent before. */
    CHECK_OK(
        MPI_Sendrecv(NULL, 0, MPI_BYTE, dest, count, NULL, 0, MPI_BYTE, source, count, s->comm, MPI_STATUS_IGNORE));
    for (int step = 0; step < count; step++) {
        int i = pending_at(order, count, step);
        CHECK_OK(MPI_Irecv(&in.numbers[i], 1, MPI_INT, source, pending_tag(order, i), s->comm, &in.requests[i]));
    }
    CHECK_OK(MPI_Waitall(count, in.requests, MPI_STATUSES_IGNORE));
    double seconds = suite_thread_seconds() - begin;
    CHECK_OK(MPI_Waitall(count, out.requests, MPI_STATUSES_IGNORE));
    pending_check(&in);
    pending_free(&in);
    pending_free(&out);
    suite_meet(s);
    return seconds;
}

void case_pending_receives(suite *s)
{
    pending_posted(s, pending_many(), PENDING_BACKWARD);
}

void case_pending_sends(suite *s)
{
    pending_arrived(s, pending_many(), PENDING_BACKWARD);
}

typedef double (*pending_fn)(const suite *s, int count, pending_order order);

/* The least of five of either order, so that what waiting costs hardly counts; of more where a busy machine spoils
 * these. */
static void pending_compare(const suite *s, pending_fn measure)
{
    enum { USUAL = 5, MOST = 30 };
    double one = 1e9, backward = 1e9;
    for (int i = 0, is_slow = 1; i < MOST && is_slow; i++) {
        double seconds = measure(s, PENDING_TIMED, PENDING_ONE_TAG);
        one = seconds < one ? seconds : one;
        seconds = measure(s, PENDING_TIMED, PENDING_BACKWARD);
        backward = seconds < backward ? seconds : backward;
        is_slow = i + 1 < USUAL || backward > PENDING_RATIO * one;
        if (i + 1 >= USUAL)
            CHECK_OK(MPI_Allreduce(MPI_IN_PLACE, &is_slow, 1, MPI_INT, MPI_MAX, s->comm));
    }
    if (backward > PENDING_RATIO * one)
        CHECK_FAIL("time for %d tags over time for one: expected below %d, got %.1f (%.1f ms and %.1f ms)",
                   PENDING_TIMED, PENDING_RATIO, backward / one, 1e3 * backward, 1e3 * one);
}

void case_pending_posted_time(suite *s)
{
    pending_compare(s, pending_posted);
}

void case_pending_arrived_time(suite *s)
{
    pending_compare(s, pending_arrived);
}
