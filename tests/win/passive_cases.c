/* SPDX-License-Identifier: Apache-2.0 */
/* Locks, and origins that get on while their target does something else. */
#include "win_suite.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- progress --------------------------------------------------------------------------------------------------- */

/* Rank 0 makes no call until every other rank is done, which it sees in its memory alone. */
enum { ALONE_ROUNDS = 20, ALONE_COUNT = 3000 };

static void passive_leave(const test *t, int *base)
{
    _Atomic int *done = (_Atomic int *)(void *)&base[ALONE_COUNT];
    CHECK_UNTIL(atomic_load(done) == t->size - 1, check_nap());
}

/* Do all ranks reach the memory of rank 0 without its help? */
static int passive_all_direct(const test *t, MPI_Win win)
{
    int is_direct = test_is_direct(win, 0), all_direct = 0;
    CHECK_OK(MPI_Allreduce(&is_direct, &all_direct, 1, MPI_INT, MPI_MIN, t->comm));
    return all_direct;
}

/* In an epoch that is open before: every operation, and flushes. */
static void passive_serve(const test *t, MPI_Win win, int *base, int is_served)
{
    int values[ALONE_COUNT], one = 1, old, last = -1;
    CHECK_OK(MPI_Win_lock_all(0, win));
    if (t->rank > 0) { /* the epoch has begun at rank 0 as well */
        CHECK_OK(MPI_Get(&old, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
        CHECK_OK(MPI_Win_flush(0, win));
    }
    CHECK_OK(MPI_Barrier(t->comm));
    if (is_served && t->rank == 0) {
        passive_leave(t, base);
    } else if (is_served) {
        int rest = ALONE_COUNT - t->size; /* what nobody puts */
        for (int i = 0; i < ALONE_ROUNDS; i++) {
            CHECK_OK(MPI_Get(values, rest, MPI_INT, 0, t->size, rest, MPI_INT, win));
            CHECK_OK(MPI_Win_flush_local(0, win));
            CHECK_OK(MPI_Put(values + 1, 1, MPI_INT, 0, t->rank, 1, MPI_INT, win));
            CHECK_OK(MPI_Fetch_and_op(&one, &old, MPI_INT, 0, ALONE_COUNT + 1, MPI_SUM, win));
            CHECK_OK(MPI_Win_flush(0, win));
            CHECK(old > last && old < ALONE_ROUNDS * (t->size - 1));
            last = old;
        }
        CHECK_OK(MPI_Accumulate(&one, 1, MPI_INT, 0, ALONE_COUNT, 1, MPI_INT, MPI_SUM, win));
        CHECK_OK(MPI_Win_flush(0, win));
    }
    CHECK_OK(MPI_Barrier(t->comm));
    CHECK_OK(MPI_Win_unlock_all(win));
}

void case_passive_without_target(test *t)
{
    int *base = NULL;
    MPI_Win win = test_allocated(t, (ALONE_COUNT + 2) * sizeof(int), sizeof(int), &base);
    passive_serve(t, win, base, passive_all_direct(t, win));
    CHECK_OK(MPI_Win_free(&win));
}

/* The same over memory of the program, where some of the operations go by messages: only with win.progress=thread. */
void case_passive_served(test *t)
{
    const char *progress = getenv("CORUNNA_WIN_PROGRESS");
    int *memory = calloc(ALONE_COUNT + 2, sizeof *memory);
    MPI_Win win = test_window(t, memory, (ALONE_COUNT + 2) * sizeof(int), sizeof(int));
    passive_serve(t, win, memory, progress && strcmp(progress, "thread") == 0);
    CHECK_OK(MPI_Win_free(&win));
    free(memory);
}

/* With locks. */
void case_passive_locks_without_target(test *t)
{
    int *base = NULL, values[ALONE_COUNT], one = 1, old;
    MPI_Win win = test_allocated(t, (ALONE_COUNT + 2) * sizeof(int), sizeof(int), &base);
    int is_direct = passive_all_direct(t, win);
    if (is_direct && t->rank == 0) {
        passive_leave(t, base);
    } else if (is_direct) {
        for (int i = 0; i < ALONE_COUNT; i++)
            values[i] = t->rank;
        for (int i = 0; i < ALONE_ROUNDS; i++) {
            CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
            CHECK_OK(MPI_Put(values, ALONE_COUNT, MPI_INT, 0, 0, ALONE_COUNT, MPI_INT, win));
            CHECK_OK(MPI_Win_flush(0, win));
            CHECK_OK(MPI_Fetch_and_op(&one, &old, MPI_INT, 0, ALONE_COUNT + 1, MPI_SUM, win));
            CHECK_OK(MPI_Win_unlock(0, win));
            CHECK(old >= i && old < ALONE_ROUNDS * (t->size - 1));
        }
        CHECK_OK(MPI_Win_lock_all(0, win));
        CHECK_OK(MPI_Fetch_and_op(&one, &old, MPI_INT, 0, ALONE_COUNT, MPI_SUM, win));
        CHECK_OK(MPI_Win_unlock_all(win));
    }
    CHECK_OK(MPI_Barrier(t->comm));
    CHECK_OK(MPI_Win_free(&win));
}

/* A target that waits in something else, a receive or a barrier, serves its origins. */
void case_passive_busy_target(test *t)
{
    enum { COUNT = 20000 };
    int *memory = calloc(COUNT, sizeof *memory), *values = malloc(COUNT * sizeof *values), word = 0, one = 1;
    MPI_Win win = test_window(t, memory, COUNT * sizeof(int), sizeof(int));
    for (int i = 0; i < COUNT; i++)
        values[i] = 1;
    if (t->rank == 0) {
        for (int i = 1; i < t->size; i++)
            CHECK_OK(MPI_Recv(&word, 1, MPI_INT, i, 1, t->comm, MPI_STATUS_IGNORE));
    } else {
        CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
        CHECK_OK(MPI_Accumulate(values, COUNT, MPI_INT, 0, 0, COUNT, MPI_INT, MPI_SUM, win));
        CHECK_OK(MPI_Win_flush(0, win));
        CHECK_OK(MPI_Accumulate(values, COUNT, MPI_INT, 0, 0, COUNT, MPI_INT, MPI_SUM, win));
        CHECK_OK(MPI_Win_unlock(0, win));
        CHECK_OK(MPI_Send(&one, 1, MPI_INT, 0, 1, t->comm));
    }
    CHECK_OK(MPI_Barrier(t->comm));
    test_own_begin(t, win);
    for (int i = 0; i < COUNT && t->rank == 0; i++)
        CHECK_EQUAL(2 * (t->size - 1), memory[i]);
    test_own_end(t, win);
    CHECK_OK(MPI_Win_free(&win));
    free(memory);
    free(values);
}

/* A target that only looks at its own memory, by calls that need nobody, serves its origins meanwhile. */
static int polling_look(const test *t, MPI_Win win, int *memory, int how)
{
    int seen = -1;
    if (how == 2) {
        CHECK_OK(MPI_Win_sync(win));
        return atomic_load_explicit((_Atomic int *)(void *)memory, memory_order_relaxed);
    }
    CHECK_OK(how == 0 ? MPI_SUCCESS : MPI_Win_lock(MPI_LOCK_SHARED, t->rank, 0, win));
    CHECK_OK(MPI_Fetch_and_op(NULL, &seen, MPI_INT, t->rank, 0, MPI_NO_OP, win));
    CHECK_OK(how == 0 ? MPI_Win_flush(t->rank, win) : MPI_Win_unlock(t->rank, win));
    return seen;
}

void case_passive_polling_target(test *t)
{
    int memory = 0, one = 1;
    MPI_Win win = test_window(t, &memory, sizeof memory, sizeof memory);
    for (int how = 0; how < 3; how++) {
        test_detail(t, "rank 0 looks by %s", how == 0 ? "flushes" : how == 1 ? "locks" : "MPI_Win_sync");
        if (t->rank == 0) {
            CHECK_OK(how == 1 ? MPI_SUCCESS : MPI_Win_lock_all(0, win));
            CHECK_UNTIL(polling_look(t, win, &memory, how) == (how + 1) * (t->size - 1), (void)0);
            CHECK_OK(how == 1 ? MPI_SUCCESS : MPI_Win_unlock_all(win));
        } else {
            CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
            CHECK_OK(MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win));
            CHECK_OK(MPI_Win_unlock(0, win));
        }
        CHECK_OK(MPI_Barrier(t->comm));
    }
    CHECK_OK(MPI_Win_free(&win));
}

/* What a rank polls in its own memory comes, with MPI_Win_sync or a flush between looks, though it is in an epoch. */
void case_passive_polled(test *t)
{
    int *base = NULL, next = (t->rank + 1) % t->size, one = 1, seen = 0;
    MPI_Win win = test_allocated(t, sizeof(int), sizeof(int), &base);
    CHECK_OK(MPI_Win_lock_all(0, win));
    CHECK_OK(MPI_Accumulate(&one, 1, MPI_INT, next, 0, 1, MPI_INT, MPI_REPLACE, win));
    CHECK_OK(MPI_Win_flush(next, win));
    CHECK_UNTIL(seen == 1, CHECK_OK(MPI_Fetch_and_op(NULL, &seen, MPI_INT, t->rank, 0, MPI_NO_OP, win));
                CHECK_OK(MPI_Win_flush(t->rank, win)));
    CHECK_OK(MPI_Win_sync(win));
    CHECK_EQUAL(1, base[0]);
    CHECK_OK(MPI_Win_unlock_all(win));
    CHECK_OK(MPI_Win_free(&win));
}

/* ---- locks ------------------------------------------------------------------------------------------------------ */

/* Shared ones together: each holds one until all do. An exclusive one alone: nobody else is seen. */
void case_passive_kinds(test *t)
{
    int *base = NULL, one = 1, minus = -1, seen = 0;
    MPI_Win win = test_allocated(t, sizeof(int), sizeof(int), &base);
    CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
    CHECK_OK(MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win));
    CHECK_UNTIL(seen == t->size, CHECK_OK(MPI_Fetch_and_op(NULL, &seen, MPI_INT, 0, 0, MPI_NO_OP, win));
                CHECK_OK(MPI_Win_flush(0, win)));
    CHECK_OK(MPI_Win_unlock(0, win));
    CHECK_OK(MPI_Barrier(t->comm));
    for (int i = 0; i < test_volume(t, 40); i++) {
        CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
        CHECK_OK(MPI_Fetch_and_op(&one, &seen, MPI_INT, 0, 0, MPI_SUM, win));
        CHECK_OK(MPI_Win_flush(0, win));
        CHECK_EQUAL(t->size, seen);
        CHECK_OK(MPI_Accumulate(&minus, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win));
        CHECK_OK(MPI_Win_unlock(0, win));
    }
    CHECK_OK(MPI_Barrier(t->comm));
    CHECK_OK(MPI_Win_free(&win));
}

/* Others take shared locks of the target again and again, always one after the other at once; the exclusive one comes
 * through all the same. They stop when it has. */
void case_passive_fair(test *t)
{
    int *base = NULL, one = 1, stop = 0;
    MPI_Win win = test_allocated(t, sizeof(int), sizeof(int), &base);
    for (int target = 0; target<t->size; target += t->size> 4 ? 5 : 1) {
        int exclusive = (target + 1) % t->size;
        stop = 0;
        CHECK_OK(MPI_Barrier(t->comm));
        if (t->rank == exclusive) {
            for (int i = 0; i < 10; i++) {
                CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win));
                CHECK_OK(MPI_Win_unlock(target, win));
            }
            CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win));
            CHECK_OK(MPI_Accumulate(&one, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_REPLACE, win));
            CHECK_OK(MPI_Win_unlock(target, win));
        }
        while (!stop) {
            CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win));
            CHECK_OK(MPI_Fetch_and_op(NULL, &stop, MPI_INT, target, 0, MPI_NO_OP, win));
            CHECK_OK(MPI_Win_flush(target, win));
            CHECK_OK(MPI_Win_unlock(target, win));
        }
    }
    CHECK_OK(MPI_Barrier(t->comm));
    CHECK_OK(MPI_Win_free(&win));
}

/* Locks on all, shared and exclusive ones, mixed: what an exclusive one protects is whole. */
void case_passive_mixed(test *t)
{
    enum { COUNT = 40 };
    int64_t *base = NULL, values[COUNT];
    int rounds = test_volume(t, 60);
    MPI_Win win = test_allocated(t, (COUNT + 1) * sizeof *base, sizeof *base, &base);
    for (int i = 0; i < rounds; i++) {
        uint64_t choice = test_key(t, (uint64_t)t->rank, (uint64_t)i, 3, 0);
        int target = (int)(choice / 16 % (uint64_t)t->size), kind = (int)(choice % 4);
        int64_t one = 1, seen;
        if (kind == 0) {
            CHECK_OK(MPI_Win_lock_all(0, win));
        } else {
            CHECK_OK(MPI_Win_lock(kind == 1 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, target, 0, win));
        }
        CHECK_OK(MPI_Get(values, COUNT, MPI_INT64_T, target, 0, COUNT, MPI_INT64_T, win));
        CHECK_OK(MPI_Fetch_and_op(&one, &seen, MPI_INT64_T, target, COUNT, MPI_SUM, win));
        CHECK_OK(MPI_Win_flush(target, win));
        for (int k = 0; k < COUNT; k++)
            CHECK_EQUAL(values[0], values[k]);
        for (int k = 0; k < COUNT; k++)
            values[k] = (int64_t)choice;
        if (kind >= 2)
            CHECK_OK(MPI_Put(values, COUNT, MPI_INT64_T, target, 0, COUNT, MPI_INT64_T, win));
        CHECK_OK(kind == 0 ? MPI_Win_unlock_all(win) : MPI_Win_unlock(target, win));
    }
    int64_t total = 0, all = 0;
    CHECK_OK(MPI_Barrier(t->comm));
    test_own_begin(t, win);
    total = base[COUNT];
    test_own_end(t, win);
    CHECK_OK(MPI_Allreduce(&total, &all, 1, MPI_INT64_T, MPI_SUM, t->comm));
    CHECK_EQUAL((int64_t)rounds * t->size, all);
    CHECK_OK(MPI_Win_free(&win));
}

/* What is got under a lock is what the memory was while the lock was held: others write it as soon as they have it. */
void case_passive_got(test *t)
{
    enum { BLOCKS = 1000, BLOCK = 100, COUNT = 2 * BLOCKS * BLOCK };
    int *memory = calloc(COUNT, sizeof *memory), *values = malloc(COUNT * sizeof *values);
    MPI_Datatype blocks;
    CHECK_OK(MPI_Type_vector(BLOCKS, BLOCK, 2 * BLOCK, MPI_INT, &blocks));
    CHECK_OK(MPI_Type_commit(&blocks));
    MPI_Win win = test_window(t, memory, COUNT * sizeof(int), sizeof(int));
    for (int round = 1; round <= test_volume(t, 20); round++) {
        int is_whole = round % 2, count = is_whole ? COUNT : COUNT / 2;
        test_detail(t, "round %d, %s", round, is_whole ? "the whole memory" : "blocks of it");
        CHECK_OK(MPI_Win_lock(t->rank % 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, 0, 0, win));
        CHECK_OK(MPI_Get(values, count, MPI_INT, 0, 0, is_whole ? COUNT : 1, is_whole ? MPI_INT : blocks, win));
        CHECK_OK(MPI_Win_unlock(0, win));
        for (int i = 1; i < count; i++)
            CHECK_EQUAL(values[0], values[i]);
        for (int i = 0; i < COUNT; i++)
            values[i] = t->rank * 1000 + round;
        CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
        CHECK_OK(MPI_Put(values, COUNT, MPI_INT, 0, 0, COUNT, MPI_INT, win));
        CHECK_OK(MPI_Win_unlock(0, win));
    }
    CHECK_OK(MPI_Win_free(&win));
    CHECK_OK(MPI_Type_free(&blocks));
    free(memory);
    free(values);
}

/* Locks of several targets, held together by each rank in the same order. */
void case_passive_several(test *t)
{
    int *base = NULL, rounds = test_volume(t, 20), one = 1;
    MPI_Win win = test_allocated(t, sizeof(int), sizeof(int), &base);
    for (int i = 0; i < rounds; i++) {
        for (int target = 0; target < t->size; target++)
            CHECK_OK(MPI_Win_lock((i + target) % 2 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, target, 0, win));
        for (int target = 0; target < t->size; target++)
            CHECK_OK(MPI_Accumulate(&one, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_SUM, win));
        for (int target = 0; target < t->size; target++)
            CHECK_OK(MPI_Win_unlock((target + i) % t->size, win));
    }
    CHECK_OK(MPI_Barrier(t->comm));
    test_own_begin(t, win);
    CHECK_EQUAL(rounds * t->size, base[0]);
    test_own_end(t, win);
    CHECK_OK(MPI_Win_free(&win));
}

/* NOCHECK where it is true: only one rank at a time has anything to do with the target. */
void case_passive_nocheck(test *t)
{
    int *base = NULL, number = t->rank + 1;
    MPI_Win win = test_allocated(t, sizeof(int), sizeof(int), &base);
    for (int turn = 0; turn < t->size; turn++) {
        if (turn == t->rank) {
            CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, MPI_MODE_NOCHECK, win));
            CHECK_OK(MPI_Put(&number, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
            CHECK_OK(MPI_Win_unlock(0, win));
        }
        CHECK_OK(MPI_Barrier(t->comm));
    }
    test_own_begin(t, win);
    CHECK_EQUAL(t->rank == 0 ? t->size : 0, base[0]);
    test_own_end(t, win);
    CHECK_OK(MPI_Win_lock_all(MPI_MODE_NOCHECK, win));
    CHECK_OK(MPI_Win_unlock_all(win));
    CHECK_OK(MPI_Win_free(&win));
}

/* Very many epochs. */
void case_passive_many(test *t)
{
    int *base = NULL, one = 1, rounds = test_volume(t, 3000);
    MPI_Win win = test_allocated(t, sizeof(int), sizeof(int), &base);
    for (int i = 0; i < rounds; i++) {
        int target = (t->rank + i) % t->size;
        CHECK_OK(MPI_Win_lock(i % 5 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, target, 0, win));
        CHECK_OK(MPI_Accumulate(&one, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_SUM, win));
        CHECK_OK(MPI_Win_unlock(target, win));
    }
    int mine = 0, all = 0;
    CHECK_OK(MPI_Barrier(t->comm));
    test_own_begin(t, win);
    mine = base[0];
    test_own_end(t, win);
    CHECK_OK(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, t->comm));
    CHECK_EQUAL(rounds * t->size, all);
    CHECK_OK(MPI_Win_free(&win));
}
