/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "win_suite.h"

#include "corunna/threads.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void test_detail(test *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(t->detail, sizeof t->detail, format, arguments);
    va_end(arguments);
}

int test_class(int code)
{
    int class = -1;
    CHECK_OK(MPI_Error_class(code, &class));
    return class;
}

void test_check_class(const char *file, int line, const char *what, int class, int code)
{
    char text[MPI_MAX_ERROR_STRING] = "", call[64];
    int length;
    check_equal(file, line, what, class, test_class(code));
    CHECK_OK(MPI_Error_string(code, text, &length));
    snprintf(call, sizeof call, "%.*s: ", (int)strcspn(what, "("), what);
    if (!strstr(text, call))
        check_fail(file, line, "%s: the sentence is '%s'", what, text);
}

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

uint64_t test_mix(uint64_t value)
{
    value += 0x9e3779b97f4a7c15u;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}

uint64_t test_key(const test *t, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    return test_mix(test_mix(test_mix(test_mix(t->seed + a) + b) + c) + d);
}

uint64_t test_random(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15u;
    return test_mix(*state);
}

int test_below(uint64_t *state, int limit)
{
    return (int)(test_random(state) % (uint64_t)limit);
}

int test_volume(const test *t, int most)
{
    int count = t->size > 8 ? most / 4 : t->size > 4 ? most / 2 : most;
    if (test_is_slow())
        count /= 5;
    return count > 0 ? count : 1;
}

/* ---- bytes ------------------------------------------------------------------------------------------------------ */

void test_fill(void *buffer, size_t bytes, uint64_t key)
{
    char *to = buffer;
    for (size_t at = 0; at < bytes; at += 8) {
        uint64_t word = test_mix(key + at);
        memcpy(to + at, &word, bytes - at < 8 ? bytes - at : 8);
    }
}

void test_check_bytes(const char *file, int line, const void *buffer, size_t bytes, uint64_t key)
{
    unsigned char *expected = malloc(bytes + 1);
    test_fill(expected, bytes, key);
    test_check_same(file, line, "the buffer", expected, buffer, NULL, bytes);
    free(expected);
}

void test_check_same(const char *file, int line, const char *what, const void *expected, const void *got,
                     const unsigned char *mask, size_t bytes)
{
    const unsigned char *a = expected, *b = got;
    if (bytes == 0 || memcmp(a, b, bytes) == 0)
        return;
    for (size_t i = 0; i < bytes; i++)
        if (a[i] != b[i] && (!mask || mask[i]))
            check_fail(file, line, "byte %zu of %zu of %s: expected %d, got %d", i, bytes, what, a[i], b[i]);
}

/* Before the memory: length and canary; behind it: canary. */
enum { CANARY_BYTES = 64, CANARY = 0xc5 };

void *test_alloc(size_t bytes)
{
    char *memory = malloc(2 * CANARY_BYTES + bytes);
    if (!memory)
        CHECK_FAIL("no memory for %zu bytes", bytes);
    memset(memory, CANARY, 2 * CANARY_BYTES + bytes);
    memcpy(memory, &bytes, sizeof bytes);
    return memory + CANARY_BYTES;
}

void test_free(void *memory)
{
    unsigned char *at = memory;
    size_t bytes;
    if (!memory)
        return;
    memcpy(&bytes, at - CANARY_BYTES, sizeof bytes);
    for (size_t i = sizeof bytes; i < CANARY_BYTES; i++)
        if (at[i - CANARY_BYTES] != CANARY)
            CHECK_FAIL("%zu bytes before the memory: expected %d, got %d", CANARY_BYTES - i, CANARY,
                       at[i - CANARY_BYTES]);
    for (size_t i = 0; i < CANARY_BYTES; i++)
        if (at[bytes + i] != CANARY)
            CHECK_FAIL("%zu bytes behind memory of %zu: expected %d, got %d", i, bytes, CANARY, at[bytes + i]);
    free(at - CANARY_BYTES);
}

/* ---- windows ---------------------------------------------------------------------------------------------------- */

MPI_Win test_window(const test *t, void *memory, size_t bytes, int unit)
{
    MPI_Win win = MPI_WIN_NULL;
    CHECK_OK(MPI_Win_create(memory, (MPI_Aint)bytes, unit, MPI_INFO_NULL, t->comm, &win));
    CHECK_OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    return win;
}

MPI_Win test_allocated(const test *t, size_t bytes, int unit, void *base_p)
{
    MPI_Win win = MPI_WIN_NULL;
    CHECK_OK(MPI_Win_allocate((MPI_Aint)bytes, unit, MPI_INFO_NULL, t->comm, base_p, &win));
    CHECK_OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    return win;
}

int test_is_direct(MPI_Win win, int target)
{
    MPI_Aint bytes = 0;
    int unit = 0;
    void *base = NULL;
    return MPI_Win_shared_query(win, target, &bytes, &unit, &base) == MPI_SUCCESS && base != NULL;
}

MPI_Group test_group(const test *t, int count, const int *ranks)
{
    MPI_Group all, some;
    CHECK_OK(MPI_Comm_group(t->comm, &all));
    CHECK_OK(MPI_Group_incl(all, count, ranks, &some));
    CHECK_OK(MPI_Group_free(&all));
    return some;
}

void test_own_begin(const test *t, MPI_Win win)
{
    CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, t->rank, 0, win));
}

void test_own_end(const test *t, MPI_Win win)
{
    CHECK_OK(MPI_Win_unlock(t->rank, win));
}

/* ---- threads ---------------------------------------------------------------------------------------------------- */

typedef struct thread_start {
    void (*body)(void *context, int number);
    void *context;
    int number;
    corunna_thread_rank *rank; /* NULL: the process has but one */
    check_who who;
} thread_start;

static void *thread_main(void *argument)
{
    thread_start *start = argument;
    check_me = start->who;
    corunna_threads_adopt(start->rank);
    start->body(start->context, start->number);
    corunna_threads_adopt(NULL);
    return NULL;
}

void test_in_threads(int count, void (*body)(void *context, int number), void *context)
{
    enum { MOST = 16 };
    pthread_t threads[MOST];
    thread_start starts[MOST];
    CHECK(count <= MOST);
    for (int i = 0; i < count; i++) {
        starts[i] = (thread_start){body, context, i, corunna_threads_self(), check_me};
        CHECK_EQUAL(0, pthread_create(&threads[i], NULL, thread_main, &starts[i]));
    }
    for (int i = 0; i < count; i++)
        CHECK_EQUAL(0, pthread_join(threads[i], NULL));
}
