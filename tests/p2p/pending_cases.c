/* Very many requests under way at once, and the time it takes to match them. */
#include "suite.h"

#include <stdlib.h>

enum {
    PENDING_MANY = SUITE_IS_SANITIZED ? 10000 : 100000,
    /* Few enough to stay in the caches, and to be stored whole by who receives them: each takes some 512 bytes of
     * soft.unexpected_max, which is 4 MiB. Beyond that messages go by another protocol, and the times would tell one
     * protocol from the other instead of few from many; over TCP, where asking is a system call, tenfold. */
    PENDING_TIMED = 8000,
    /* Ten times as many take about ten times as long if a match is O(1), a hundred times if it is O(n). */
    PENDING_RATIO = 40
};

typedef struct pending {
    int count;
    MPI_Request *requests;
    int *numbers;
} pending;

static pending pending_make(const suite *s, int count)
{
    pending p = {.count = count};
    p.requests = malloc((size_t)count * sizeof *p.requests);
    p.numbers = malloc((size_t)count * sizeof *p.numbers);
    if (!p.requests || !p.numbers)
        FAIL(s, "no memory for %d requests", count);
    for (int i = 0; i < count; i++)
        p.numbers[i] = -1;
    return p;
}

static void pending_free(pending *p)
{
    free(p->requests);
    free(p->numbers);
}

static void pending_check(const suite *s, const pending *p)
{
    for (int i = 0; i < p->count; i++)
        if (p->numbers[i] != i)
            FAIL(s, "receive with tag %d: expected %d, got %d", i, i, p->numbers[i]);
}

/* Receives with distinct tags are posted, then the messages come in the opposite order. */
static double pending_posted(const suite *s, int count)
{
    int dest = (s->rank + 1) % s->size, source = (s->rank - 1 + s->size) % s->size;
    pending in = pending_make(s, count), out = pending_make(s, count);
    for (int i = 0; i < count; i++)
        OK(s, MPI_Irecv(&in.numbers[i], 1, MPI_INT, source, i, s->comm, &in.requests[i]));
    suite_meet(s);
    double begin = suite_thread_seconds();
    for (int i = count - 1; i >= 0; i--) {
        out.numbers[i] = i;
        OK(s, MPI_Isend(&out.numbers[i], 1, MPI_INT, dest, i, s->comm, &out.requests[i]));
    }
    OK(s, MPI_Waitall(count, out.requests, MPI_STATUSES_IGNORE));
    OK(s, MPI_Waitall(count, in.requests, MPI_STATUSES_IGNORE));
    double seconds = suite_thread_seconds() - begin;
    pending_check(s, &in);
    pending_free(&in);
    pending_free(&out);
    suite_meet(s);
    return seconds;
}

/* The messages are there first and are received in the opposite order. */
static double pending_arrived(const suite *s, int count)
{
    int dest = (s->rank + 1) % s->size, source = (s->rank - 1 + s->size) % s->size;
    pending in = pending_make(s, count), out = pending_make(s, count);
    for (int i = 0; i < count; i++) {
        out.numbers[i] = i;
        OK(s, MPI_Isend(&out.numbers[i], 1, MPI_INT, dest, i, s->comm, &out.requests[i]));
    }
    /* Tag `count` comes last; asking for it takes in all that was sent before. */
    OK(s, MPI_Sendrecv(NULL, 0, MPI_BYTE, dest, count, NULL, 0, MPI_BYTE, source, count, s->comm, MPI_STATUS_IGNORE));
    double begin = suite_thread_seconds();
    for (int i = count - 1; i >= 0; i--)
        OK(s, MPI_Irecv(&in.numbers[i], 1, MPI_INT, source, i, s->comm, &in.requests[i]));
    OK(s, MPI_Waitall(count, in.requests, MPI_STATUSES_IGNORE));
    double seconds = suite_thread_seconds() - begin;
    OK(s, MPI_Waitall(count, out.requests, MPI_STATUSES_IGNORE));
    pending_check(s, &in);
    pending_free(&in);
    pending_free(&out);
    suite_meet(s);
    return seconds;
}

void case_pending_receives(suite *s)
{
    pending_posted(s, PENDING_MANY);
}

void case_pending_sends(suite *s)
{
    pending_arrived(s, PENDING_MANY);
}

/* The least of five of either size, so that what waiting costs hardly counts. */
static void pending_compare(const suite *s, double (*measure)(const suite *s, int count), int count)
{
    double few = 1e9, many = 1e9;
    for (int i = 0; i < 5; i++) {
        double seconds = measure(s, count / 10);
        few = seconds < few ? seconds : few;
        seconds = measure(s, count);
        many = seconds < many ? seconds : many;
    }
    if (many > PENDING_RATIO * few)
        FAIL(s, "time for %d over time for %d: expected below %d, got %.1f (%.1f ms and %.1f ms)", count, count / 10,
             PENDING_RATIO, many / few, 1e3 * many, 1e3 * few);
}

void case_pending_posted_time(suite *s)
{
    pending_compare(s, pending_posted, PENDING_TIMED);
}

void case_pending_arrived_time(suite *s)
{
    pending_compare(s, pending_arrived, PENDING_TIMED);
}
