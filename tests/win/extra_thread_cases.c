/* SPDX-License-Identifier: Apache-2.0 */
/* Several threads of a rank operate on one window, under the lock that one of them took for all. */
#include "win_suite.h"

#include <stdlib.h>

enum { THREADS = 4, PART = 64 };

typedef struct crew {
    test *t;
    MPI_Win win;
    int rounds;
    MPI_Win *own;
} crew;

static int crew_rounds(const test *t)
{
    return test_volume(t, 200);
}

/* Each thread has a part of every window for itself, and all add to one element. */
static void crew_operate(void *context, int number)
{
    const crew *c = context;
    const test *t = c->t;
    int out[PART], in[PART], one = 1, seen = -1, last = -1;
    for (int i = 0; i < c->rounds; i++) {
        int target = (t->rank + i + number) % t->size, place = 1 + (t->rank * THREADS + number) * PART;
        for (int k = 0; k < PART; k++)
            out[k] = i * 1000 + number * 100 + k;
        CHECK_OK(MPI_Put(out, PART, MPI_INT, target, place, PART, MPI_INT, c->win));
        CHECK_OK(MPI_Win_flush(target, c->win));
        if (i % 2) {
            MPI_Request request;
            CHECK_OK(MPI_Rget(in, PART, MPI_INT, target, place, PART, MPI_INT, c->win, &request));
            CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        } else {
            CHECK_OK(MPI_Get(in, PART, MPI_INT, target, place, PART, MPI_INT, c->win));
            CHECK_OK(MPI_Win_flush_local(target, c->win));
        }
        for (int k = 0; k < PART; k++)
            CHECK_EQUAL(out[k], in[k]);
        CHECK_OK(MPI_Fetch_and_op(&one, &seen, MPI_INT, 0, 0, MPI_SUM, c->win));
        CHECK_OK(i % 3 ? MPI_Win_flush(0, c->win) : MPI_Win_flush_all(c->win));
        CHECK(seen > last);
        last = seen;
    }
}

void case_threads_one_window(test *t)
{
    int *base = NULL;
    if (!t->is_threaded)
        return;
    size_t bytes = (1 + (size_t)t->size * THREADS * PART) * sizeof(int);
    for (int flavour = 0; flavour < 2; flavour++) {
        base = flavour ? NULL : calloc(1, bytes);
        crew c = {.t = t, .rounds = crew_rounds(t)};
        c.win = flavour ? test_allocated(t, bytes, sizeof(int), &base) : test_window(t, base, bytes, sizeof(int));
        CHECK_OK(MPI_Barrier(t->comm));
        CHECK_OK(MPI_Win_lock_all(0, c.win));
        test_in_threads(THREADS, crew_operate, &c);
        CHECK_OK(MPI_Win_unlock_all(c.win));
        CHECK_OK(MPI_Barrier(t->comm));
        test_own_begin(t, c.win);
        CHECK_EQUAL(t->rank ? 0 : c.rounds * THREADS * t->size, base[0]);
        test_own_end(t, c.win);
        CHECK_OK(MPI_Win_free(&c.win));
        if (!flavour)
            free(base);
    }
}

/* A thread flushes everything while its sisters put, flush, and look whether the value has come. */
static void crew_flush(void *context, int number)
{
    const crew *c = context;
    const test *t = c->t;
    int next = (t->rank + 1) % t->size, answer = -1;
    for (int i = 1; i <= c->rounds; i++) {
        CHECK_OK(MPI_Put(&i, 1, MPI_INT, next, number, 1, MPI_INT, c->win));
        if (number == 0) {
            CHECK_OK(MPI_Win_flush_all(c->win));
            continue;
        }
        CHECK_OK(MPI_Win_flush(next, c->win));
        CHECK_OK(MPI_Get(&answer, 1, MPI_INT, next, number, 1, MPI_INT, c->win));
        CHECK_OK(MPI_Win_flush_local(next, c->win));
        CHECK_EQUAL(i, answer);
    }
}

void case_threads_flushes(test *t)
{
    int memory[THREADS] = {0};
    if (!t->is_threaded)
        return;
    crew c = {.t = t, .rounds = crew_rounds(t)};
    c.win = test_window(t, memory, sizeof memory, sizeof(int));
    CHECK_OK(MPI_Win_lock_all(0, c.win));
    test_in_threads(THREADS, crew_flush, &c);
    CHECK_OK(MPI_Win_unlock_all(c.win));
    CHECK_OK(MPI_Barrier(t->comm));
    for (int i = 0; i < THREADS; i++)
        CHECK_EQUAL(c.rounds, memory[i]);
    CHECK_OK(MPI_Win_free(&c.win));
}

/* Each thread locks targets of a window of its own, while its sisters do the same. */
static void crew_lock(void *context, int number)
{
    const crew *c = context;
    const test *t = c->t;
    int64_t value;
    for (int i = 0; i < c->rounds; i++) {
        int target = (t->rank + i) % t->size;
        CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, c->own[number]));
        CHECK_OK(MPI_Get(&value, 1, MPI_INT64_T, target, 0, 1, MPI_INT64_T, c->own[number]));
        CHECK_OK(MPI_Win_flush(target, c->own[number]));
        value++;
        CHECK_OK(MPI_Put(&value, 1, MPI_INT64_T, target, 0, 1, MPI_INT64_T, c->own[number]));
        CHECK_OK(MPI_Win_unlock(target, c->own[number]));
    }
}

void case_threads_own_windows(test *t)
{
    MPI_Win wins[THREADS];
    int64_t memory[THREADS] = {0}, mine = 0, all = 0;
    if (!t->is_threaded)
        return;
    for (int i = 0; i < THREADS; i++)
        wins[i] = test_window(t, &memory[i], sizeof memory[i], 1);
    crew c = {.t = t, .rounds = crew_rounds(t) / 2 + 1, .own = wins};
    test_in_threads(THREADS, crew_lock, &c);
    CHECK_OK(MPI_Barrier(t->comm));
    for (int i = 0; i < THREADS; i++) {
        test_own_begin(t, wins[i]);
        mine += memory[i];
        test_own_end(t, wins[i]);
        CHECK_OK(MPI_Win_free(&wins[i]));
    }
    CHECK_OK(MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, t->comm));
    CHECK_EQUAL((int64_t)c.rounds * THREADS * t->size, all);
}

/* One thread operates, the others exchange messages: nobody hinders anybody. */
static void crew_mixed(void *context, int number)
{
    const crew *c = context;
    const test *t = c->t;
    int next = (t->rank + 1) % t->size, previous = (t->rank + t->size - 1) % t->size, in = -1, one = 1;
    for (int i = 0; i < c->rounds; i++)
        if (number == 0) {
            CHECK_OK(MPI_Accumulate(&one, 1, MPI_INT, next, 0, 1, MPI_INT, MPI_SUM, c->win));
            CHECK_OK(MPI_Win_flush(next, c->win));
        } else {
            CHECK_OK(MPI_Sendrecv(&i, 1, MPI_INT, next, number, &in, 1, MPI_INT, previous, number, t->comm,
                                  MPI_STATUS_IGNORE));
            CHECK_EQUAL(i, in);
        }
}

void case_threads_with_messages(test *t)
{
    int memory = 0;
    if (!t->is_threaded)
        return;
    crew c = {.t = t, .win = test_window(t, &memory, sizeof memory, 1), .rounds = crew_rounds(t)};
    CHECK_OK(MPI_Win_lock_all(0, c.win));
    test_in_threads(THREADS, crew_mixed, &c);
    CHECK_OK(MPI_Win_unlock_all(c.win));
    CHECK_OK(MPI_Barrier(t->comm));
    test_own_begin(t, c.win);
    CHECK_EQUAL(c.rounds, memory);
    test_own_end(t, c.win);
    CHECK_OK(MPI_Win_free(&c.win));
}
