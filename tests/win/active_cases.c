/* SPDX-License-Identifier: Apache-2.0 */
/* Active targets: fences with their assertions, and post, start, complete and wait. */
#include "win_suite.h"

#include <stdlib.h>

/* ---- fence ------------------------------------------------------------------------------------------------------ */

/* All assertions that are true, at the beginning, between and at the end of epochs of puts and gets. */
void case_fence_asserts(test *t)
{
    enum { COUNT = 600 };
    int values[COUNT], got[COUNT], next = (t->rank + 1) % t->size, previous = (t->rank + t->size - 1) % t->size;
    int *base = NULL;
    MPI_Win win = test_allocated(t, COUNT * sizeof(int), sizeof(int), &base);
    for (int asserts = 0; asserts < 32; asserts++) {
        /* Bits: no stores before the first fence, none before the second; no puts after the second; and whether fences
         * say that nothing precedes or succeeds, where that is so. */
        int first = asserts & 1 ? MPI_MODE_NOSTORE : 0, second = asserts & 2 ? MPI_MODE_NOSTORE : 0;
        int third = (asserts & 2 ? MPI_MODE_NOSTORE : 0);
        first |= asserts & 8 ? MPI_MODE_NOPRECEDE : 0;
        second |= asserts & 4 ? MPI_MODE_NOPUT : 0;
        third |= asserts & 16 ? MPI_MODE_NOSUCCEED : 0;
        for (int i = 0; i < COUNT; i++) {
            values[i] = asserts * 1000 + t->rank * 100000 + i;
            got[i] = -1;
        }
        CHECK_OK(MPI_Win_fence(first, win));
        CHECK_OK(MPI_Put(values, COUNT, MPI_INT, next, 0, COUNT, MPI_INT, win));
        CHECK_OK(MPI_Win_fence(second, win));
        for (int i = 0; i < COUNT; i++)
            CHECK_EQUAL(asserts * 1000 + previous * 100000 + i, base[i]);
        CHECK_OK(MPI_Get(got, COUNT, MPI_INT, next, 0, COUNT, MPI_INT, win));
        CHECK_OK(MPI_Win_fence(third, win));
        for (int i = 0; i < COUNT; i++)
            CHECK_EQUAL(values[i], got[i]);
        /* If the last one says that nothing succeeds, the first one of the next round may say that nothing precedes;
         * NOPRECEDE after a fence without an operation is true as well. */
    }
    CHECK_OK(MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED | MPI_MODE_NOSTORE | MPI_MODE_NOPUT, win));
    CHECK_OK(MPI_Win_free(&win));
}

/* Very many, with one operation, some, or none between, from some ranks only. */
void case_fence_many(test *t)
{
    int *base = NULL, rounds = test_volume(t, 1000), one = 1, expected = 0;
    MPI_Win win = test_allocated(t, sizeof(int), sizeof(int), &base);
    CHECK_OK(MPI_Win_fence(MPI_MODE_NOPRECEDE, win));
    for (int i = 0; i < rounds; i++) {
        for (int k = 0; k < t->size; k++) {
            int count = (int)(test_key(t, (uint64_t)i, (uint64_t)k, 11, 0) % 4), target = (k + i) % t->size;
            for (int j = 0; j < count && k == t->rank; j++)
                CHECK_OK(MPI_Accumulate(&one, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_SUM, win));
            expected += target == t->rank ? count : 0;
        }
        CHECK_OK(MPI_Win_fence(i == rounds - 1 ? MPI_MODE_NOSUCCEED : 0, win));
        CHECK_EQUAL(expected, base[0]);
        /* Whoever is early must not change it before all have looked. */
        CHECK_OK(MPI_Barrier(t->comm));
    }
    CHECK_OK(MPI_Win_free(&win));
}

/* A fence is no end for a passive epoch of another window, nor the other way round. */
void case_fence_two_windows(test *t)
{
    int *a = NULL, *b = NULL, one = 1, next = (t->rank + 1) % t->size;
    MPI_Win first = test_allocated(t, sizeof(int), sizeof(int), &a);
    MPI_Win second = test_allocated(t, sizeof(int), sizeof(int), &b);
    CHECK_OK(MPI_Win_lock_all(0, second));
    CHECK_OK(MPI_Win_fence(0, first));
    CHECK_OK(MPI_Accumulate(&one, 1, MPI_INT, next, 0, 1, MPI_INT, MPI_SUM, second));
    CHECK_OK(MPI_Accumulate(&one, 1, MPI_INT, next, 0, 1, MPI_INT, MPI_SUM, first));
    CHECK_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, first));
    CHECK_EQUAL(1, a[0]);
    CHECK_OK(MPI_Win_unlock_all(second));
    CHECK_OK(MPI_Barrier(t->comm));
    test_own_begin(t, second);
    CHECK_EQUAL(1, b[0]);
    test_own_end(t, second);
    CHECK_OK(MPI_Win_free(&first));
    CHECK_OK(MPI_Win_free(&second));
}

/* ---- post, start, complete, wait -------------------------------------------------------------------------------- */

/* Each rank has origins and targets of its own, drawn at random, other ones in each round. */
typedef struct pscw {
    int *origins, *targets, origin_count, target_count;
} pscw;

static int pscw_has(const test *t, int round, int origin, int target)
{
    return test_key(t, (uint64_t)round, (uint64_t)origin, (uint64_t)target, 5) % 3 == 0;
}

static void pscw_draw(const test *t, int round, pscw *p)
{
    p->origin_count = p->target_count = 0;
    for (int i = 0; i < t->size; i++) {
        if (pscw_has(t, round, i, t->rank))
            p->origins[p->origin_count++] = i;
        if (pscw_has(t, round, t->rank, i))
            p->targets[p->target_count++] = i;
    }
}

static void pscw_wait(MPI_Win win, int is_polling)
{
    int flag = 0;
    if (!is_polling)
        CHECK_OK(MPI_Win_wait(win));
    else
        CHECK_UNTIL(flag, CHECK_OK(MPI_Win_test(win, &flag)));
}

void case_pscw_groups(test *t)
{
    pscw p = {.origins = calloc((size_t)t->size, sizeof(int)), .targets = calloc((size_t)t->size, sizeof(int))};
    int *base = NULL, value;
    MPI_Win win = test_allocated(t, (size_t)t->size * sizeof(int), sizeof(int), &base);
    for (int round = 0; round < test_volume(t, 200); round++) {
        test_detail(t, "round %d", round);
        pscw_draw(t, round, &p);
        for (int i = 0; i < t->size; i++)
            base[i] = -1;
        value = round;
        MPI_Group origins = test_group(t, p.origin_count, p.origins),
                  targets = test_group(t, p.target_count, p.targets);
        CHECK_OK(MPI_Win_post(origins, round % 4 == 1 ? MPI_MODE_NOSTORE : 0, win));
        CHECK_OK(MPI_Group_free(&origins));
        if (p.target_count || round % 2) {
            CHECK_OK(MPI_Win_start(targets, 0, win));
            for (int i = 0; i < p.target_count; i++)
                CHECK_OK(MPI_Put(&value, 1, MPI_INT, p.targets[i], t->rank, 1, MPI_INT, win));
            CHECK_OK(MPI_Win_complete(win));
        }
        CHECK_OK(MPI_Group_free(&targets));
        pscw_wait(win, round % 3 == 2);
        for (int i = 0; i < t->size; i++)
            CHECK_EQUAL(pscw_has(t, round, i, t->rank) ? round : -1, base[i]);
    }
    CHECK_OK(MPI_Win_free(&win));
    free(p.origins);
    free(p.targets);
}

/* Even ranks are origins, odd ones targets; now the one comes late, now the other. */
void case_pscw_late(test *t)
{
    int *base = NULL, partner = t->rank ^ 1, value, rounds = test_volume(t, 100);
    MPI_Win win = test_allocated(t, 1000 * sizeof(int), sizeof(int), &base);
    if (partner < t->size) {
        MPI_Group group = test_group(t, 1, &partner);
        for (int i = 0; i < rounds; i++) {
            int word = i, is_late = i % 2 == t->rank % 2;
            value = i + 1;
            /* A message says that the other one has begun, or is about to. */
            if (is_late)
                CHECK_OK(MPI_Recv(&word, 1, MPI_INT, partner, 1, t->comm, MPI_STATUS_IGNORE));
            if (t->rank % 2) {
                CHECK_OK(MPI_Win_post(group, 0, win));
                if (!is_late)
                    CHECK_OK(MPI_Send(&word, 1, MPI_INT, partner, 1, t->comm));
                pscw_wait(win, i % 3 == 0);
                CHECK_EQUAL(i + 1, base[i % 1000]);
            } else {
                if (!is_late)
                    CHECK_OK(MPI_Send(&word, 1, MPI_INT, partner, 1, t->comm));
                CHECK_OK(MPI_Win_start(group, 0, win));
                CHECK_OK(MPI_Put(&value, 1, MPI_INT, partner, i % 1000, 1, MPI_INT, win));
                CHECK_OK(MPI_Win_complete(win));
            }
        }
        CHECK_OK(MPI_Group_free(&group));
    }
    CHECK_OK(MPI_Win_free(&win));
}

/* The target does not wait while its origins still operate: MPI_Win_test says no until the last has completed. */
void case_pscw_test(test *t)
{
    int *base = NULL, flag = 1, word = 1, zero = 0;
    MPI_Win win = test_allocated(t, (size_t)t->size * sizeof(int), sizeof(int), &base);
    if (t->rank == 0) {
        int *others = malloc((size_t)t->size * sizeof *others);
        for (int i = 1; i < t->size; i++)
            others[i - 1] = i;
        MPI_Group group = test_group(t, t->size - 1, others);
        CHECK_OK(MPI_Win_post(group, 0, win));
        for (int i = 0; i < 20; i++) {
            CHECK_OK(MPI_Win_test(win, &flag));
            CHECK_EQUAL(0, flag);
        }
        for (int i = 1; i < t->size; i++)
            CHECK_OK(MPI_Send(&word, 1, MPI_INT, i, 1, t->comm));
        CHECK_UNTIL(flag, CHECK_OK(MPI_Win_test(win, &flag)));
        for (int i = 1; i < t->size; i++)
            CHECK_EQUAL(i, base[i]);
        CHECK_OK(MPI_Group_free(&group));
        free(others);
    } else {
        MPI_Group group = test_group(t, 1, &zero);
        CHECK_OK(MPI_Win_start(group, 0, win));
        CHECK_OK(MPI_Put(&t->rank, 1, MPI_INT, 0, t->rank, 1, MPI_INT, win));
        CHECK_OK(MPI_Recv(&word, 1, MPI_INT, 0, 1, t->comm, MPI_STATUS_IGNORE));
        CHECK_OK(MPI_Win_complete(win));
        CHECK_OK(MPI_Group_free(&group));
    }
    CHECK_OK(MPI_Win_free(&win));
}

/* Nobody is concerned. */
void case_pscw_empty(test *t)
{
    int memory = 7, flag = 0;
    MPI_Win win = test_window(t, &memory, sizeof memory, sizeof memory);
    for (int is_tested = 0; is_tested < 2; is_tested++) {
        CHECK_OK(MPI_Win_post(MPI_GROUP_EMPTY, 0, win));
        CHECK_OK(MPI_Win_start(MPI_GROUP_EMPTY, 0, win));
        CHECK_OK(MPI_Win_complete(win));
        CHECK_OK(is_tested ? MPI_Win_test(win, &flag) : MPI_Win_wait(win));
    }
    CHECK(flag);
    CHECK_EQUAL(7, memory);
    CHECK_OK(MPI_Win_free(&win));
}

/* NOCHECK at both ends, where all posts are before all starts. */
void case_pscw_nocheck(test *t)
{
    int *base = NULL, next = (t->rank + 1) % t->size, previous = (t->rank + t->size - 1) % t->size;
    MPI_Win win = test_allocated(t, sizeof(int), sizeof(int), &base);
    MPI_Group origins = test_group(t, 1, &previous), targets = test_group(t, 1, &next);
    for (int i = 0; i < test_volume(t, 50); i++) {
        int value = i * 100 + t->rank;
        CHECK_OK(MPI_Win_post(origins, MPI_MODE_NOCHECK, win));
        CHECK_OK(MPI_Barrier(t->comm));
        CHECK_OK(MPI_Win_start(targets, MPI_MODE_NOCHECK, win));
        CHECK_OK(MPI_Put(&value, 1, MPI_INT, next, 0, 1, MPI_INT, win));
        CHECK_OK(MPI_Win_complete(win));
        CHECK_OK(MPI_Win_wait(win));
        CHECK_EQUAL(i * 100 + previous, base[0]);
    }
    CHECK_OK(MPI_Group_free(&origins));
    CHECK_OK(MPI_Group_free(&targets));
    CHECK_OK(MPI_Win_free(&win));
}

/* An origin is one epoch ahead of a target: its second start waits for the second post. */
void case_pscw_ahead(test *t)
{
    int *base = NULL, zero = 0, rounds = test_volume(t, 50), *others = malloc((size_t)t->size * sizeof *others);
    MPI_Win win = test_allocated(t, (size_t)t->size * sizeof(int), sizeof(int), &base);
    for (int i = 1; i < t->size; i++)
        others[i - 1] = i;
    MPI_Group group = t->rank ? test_group(t, 1, &zero) : test_group(t, t->size - 1, others);
    for (int i = 0; i < rounds; i++) {
        int value = i + 1;
        if (t->rank) {
            CHECK_OK(MPI_Win_start(group, 0, win));
            CHECK_OK(MPI_Put(&value, 1, MPI_INT, 0, t->rank, 1, MPI_INT, win));
            CHECK_OK(MPI_Win_complete(win));
        } else {
            CHECK_OK(MPI_Win_post(group, 0, win));
            CHECK_OK(MPI_Win_wait(win));
            for (int k = 1; k < t->size; k++)
                CHECK_EQUAL(i + 1, base[k]);
        }
    }
    CHECK_OK(MPI_Group_free(&group));
    CHECK_OK(MPI_Win_free(&win));
    free(others);
}

/* What an origin gets is what the target's memory was in the epoch: the target stores as soon as its wait returns. */
void case_pscw_got(test *t)
{
    enum { BLOCKS = 1000, BLOCK = 100, COUNT = 2 * BLOCKS * BLOCK };
    int *memory = malloc(COUNT * sizeof *memory), *values = malloc(COUNT * sizeof *values), zero = 0;
    int *others = malloc((size_t)t->size * sizeof *others);
    MPI_Datatype blocks;
    CHECK_OK(MPI_Type_vector(BLOCKS, BLOCK, 2 * BLOCK, MPI_INT, &blocks));
    CHECK_OK(MPI_Type_commit(&blocks));
    for (int i = 1; i < t->size; i++)
        others[i - 1] = i;
    MPI_Win win = test_window(t, memory, COUNT * sizeof(int), sizeof(int));
    MPI_Group group = t->rank ? test_group(t, 1, &zero) : test_group(t, t->size - 1, others);
    for (int round = 1; round <= test_volume(t, 10); round++) {
        int is_whole = round % 2, count = is_whole ? COUNT : COUNT / 2;
        test_detail(t, "round %d, %s", round, is_whole ? "the whole memory" : "blocks of it");
        for (int i = 0; i < COUNT && t->rank == 0; i++)
            memory[i] = round;
        if (t->rank == 0) {
            CHECK_OK(MPI_Win_post(group, 0, win));
            pscw_wait(win, round % 3 == 0);
            for (int i = 0; i < COUNT; i++)
                memory[i] = -1;
            continue;
        }
        CHECK_OK(MPI_Win_start(group, 0, win));
        CHECK_OK(MPI_Get(values, count, MPI_INT, 0, 0, is_whole ? COUNT : 1, is_whole ? MPI_INT : blocks, win));
        CHECK_OK(MPI_Win_complete(win));
        for (int i = 0; i < count; i++)
            CHECK_EQUAL(round, values[i]);
    }
    CHECK_OK(MPI_Group_free(&group));
    CHECK_OK(MPI_Win_free(&win));
    CHECK_OK(MPI_Type_free(&blocks));
    free(memory);
    free(values);
    free(others);
}
