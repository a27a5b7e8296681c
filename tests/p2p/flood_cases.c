/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A receiver that does not receive while all others send to it: its memory stays bounded, because beyond a limit the
 * messages stay with their senders, and the order stays as it was.
 *
 * All messages are slices of one pattern, so that the test's own memory does not grow with their number.
 */
#include "suite.h"

#include <stdlib.h>

enum {
    FLOOD_PATTERN_BYTES = 1 << 16,
    FLOOD_MAX_BYTES = 8192,
    FLOOD_DATA = 1,
    FLOOD_NEVER = 2,
    /* 10^5 messages of 4 KiB on average are 400 MiB. What the receiver may keep of it: for each sender what
     * soft.unexpected_max allows (4 MiB) and a ring. Where the ranks are threads, the senders' requests are in the same
     * process. */
    FLOOD_FIXED_KIB = 8 * 1024,
    FLOOD_SENDER_KIB = 6 * 1024,
    FLOOD_REQUEST_BYTES = 400
};

/* Messages of all senders. */
static int flood_total(void)
{
    return test_is_slow() ? 5000 : 100000;
}

typedef struct flood_slice {
    size_t offset, bytes;
} flood_slice;

static flood_slice flood_slice_of(const suite *s, int source, int number)
{
    uint64_t h = suite_key(s, (uint64_t)source, (uint64_t)number, 0, 0);
    flood_slice slice = {.bytes = 8 + (h & 0xffffffff) % (FLOOD_MAX_BYTES - 7)};
    slice.offset = (h >> 32) % (FLOOD_PATTERN_BYTES - slice.bytes) & ~(size_t)7;
    return slice;
}

static void flood_send(const suite *s, const char *pattern, int count, int is_blocking)
{
    MPI_Request *requests = malloc((size_t)count * sizeof *requests);
    for (int i = 0; i < count; i++) {
        flood_slice slice = flood_slice_of(s, s->rank, i);
        if (is_blocking)
            CHECK_OK(MPI_Send(pattern + slice.offset, (int)slice.bytes, MPI_BYTE, 0, FLOOD_DATA, s->comm));
        else
            CHECK_OK(
                MPI_Isend(pattern + slice.offset, (int)slice.bytes, MPI_BYTE, 0, FLOOD_DATA, s->comm, &requests[i]));
    }
    if (!is_blocking)
        CHECK_OK(MPI_Waitall(count, requests, MPI_STATUSES_IGNORE));
    free(requests);
}

static long flood_allowed_kib(const suite *s, int is_blocking)
{
    long requests = s->ranks_are_threads && !is_blocking ? flood_total() : 0;
    return FLOOD_FIXED_KIB + (s->size - 1) * FLOOD_SENDER_KIB + requests * FLOOD_REQUEST_BYTES / 1024;
}

static void flood_receive(const suite *s, int count, long before_kib, uint64_t pattern_key, int is_blocking)
{
    char *in = suite_alloc(FLOOD_MAX_BYTES);
    int *next = calloc((size_t)s->size, sizeof *next);
    /* Make progress without receiving: ask for what never comes. */
    for (double begin = suite_seconds(); suite_seconds() - begin < 1.5;) {
        int is_here = -1;
        CHECK_OK(MPI_Iprobe(MPI_ANY_SOURCE, FLOOD_NEVER, s->comm, &is_here, MPI_STATUS_IGNORE));
        CHECK_EQUAL(0, is_here);
    }
    long growth_kib = suite_resident_kib() - before_kib;
    long allowed_kib = flood_allowed_kib(s, is_blocking);
    if (!TEST_IS_SANITIZED && growth_kib > allowed_kib)
        CHECK_FAIL("memory of a flooded receiver: expected a growth below %ld KiB, got %ld KiB", allowed_kib,
                   growth_kib);
    for (int i = 0; i < count * (s->size - 1); i++) {
        MPI_Status status;
        int source = i % 3 ? MPI_ANY_SOURCE : 1 + i % (s->size - 1);
        while (source != MPI_ANY_SOURCE && next[source] == count)
            source = 1 + source % (s->size - 1);
        CHECK_OK(MPI_Recv(in, FLOOD_MAX_BYTES, MPI_BYTE, source, FLOOD_DATA, s->comm, &status));
        source = status.MPI_SOURCE;
        flood_slice slice = flood_slice_of(s, source, next[source]++);
        CHECK_STATUS(&status, source, FLOOD_DATA, slice.bytes);
        CHECK_BYTES(in, slice.bytes, pattern_key + slice.offset);
    }
    suite_free(in);
    free(next);
}

static void flood_run(suite *s, int is_blocking)
{
    char *pattern = malloc(FLOOD_PATTERN_BYTES);
    uint64_t pattern_key = suite_key(s, 0, 0, 0, 3);
    int count = flood_total() / (s->size - 1);
    suite_fill(pattern, FLOOD_PATTERN_BYTES, pattern_key);
    long before_kib = suite_resident_kib();
    suite_meet(s);
    if (s->rank == 0)
        flood_receive(s, count, before_kib, pattern_key, is_blocking);
    else
        flood_send(s, pattern, count, is_blocking);
    suite_meet(s);
    free(pattern);
}

void case_flood_blocking(suite *s)
{
    flood_run(s, 1);
}

void case_flood_pending(suite *s)
{
    flood_run(s, 0);
}
