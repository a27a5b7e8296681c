/* SPDX-License-Identifier: Apache-2.0 */
/* All ranks update the same elements at once: nothing is lost, nothing is seen half. */
#include "win_shapes.h"
#include "win_suite.h"

#include <stdlib.h>
#include <string.h>

/* ---- sums ------------------------------------------------------------------------------------------------------- */

/* All ranks add one to elements of every window, `rounds` times; a layout says to which. */
typedef struct sum {
    test *t;
    const element *e;
    layout layout;
    MPI_Win win;
    unsigned char *memory, *ones;
    size_t bytes, count;
    int place, unit; /* displacement and unit of all */
    int rounds;
} sum;

static void sum_add(sum *s, int sync)
{
    unsigned char *old = malloc(s->count * s->e->basic.extent + 1);
    MPI_Datatype type = element_type(s->e);
    CHECK_OK(sync ? MPI_Win_lock_all(0, s->win) : MPI_Win_fence(0, s->win));
    for (int round = 0; round < s->rounds; round++)
        for (int i = 0; i < s->t->size; i++) {
            int target = (s->t->rank + i + round) % s->t->size;
            if (sync && round % 3 == 2)
                CHECK_OK(MPI_Get_accumulate(s->ones, (int)s->count, type, old, (int)s->count, type, target, s->place,
                                            1, s->layout.type, MPI_SUM, s->win));
            else
                CHECK_OK(MPI_Accumulate(s->ones, (int)s->count, type, target, s->place, 1, s->layout.type, MPI_SUM,
                                        s->win));
            if (sync && round % 3 == 2)
                CHECK_OK(MPI_Win_flush(target, s->win));
        }
    CHECK_OK(sync ? MPI_Win_unlock_all(s->win) : MPI_Win_fence(MPI_MODE_NOSUCCEED, s->win));
    free(old);
}

static void set_one(const element *e, unsigned char *at, int number)
{
    double real = number;
    long double extended = number;
    float single = (float)number;
    int64_t whole = number;
    size_t bytes = e->class == ELEMENT_COMPLEX ? e->basic.bytes[0] / 2 : e->basic.bytes[0];
    int is_real = e->value_class == ELEMENT_FLOAT || e->class == ELEMENT_COMPLEX;
    const void *from = !is_real                 ? (const void *)&whole
                       : bytes == sizeof single ? (const void *)&single
                       : bytes == sizeof real   ? (const void *)&real
                                                : (const void *)&extended;
    for (size_t part = 0; part + bytes <= e->basic.bytes[0]; part += bytes)
        memcpy(at + part, from, bytes);
}

static void sum_element(test *t, const element *e, shape which, int unit, int place, int flavour)
{
    unsigned seed = 1;
    ptrdiff_t low, high;
    sum s = {.t = t, .e = e, .unit = unit, .place = place, .rounds = test_volume(t, 60)};
    if (e->basic.extent == 1)
        s.rounds = s.rounds > 100 / t->size ? 100 / t->size + 1 : s.rounds;
    s.layout = layout_make(which, e, &seed);
    s.count = s.layout.per;
    plan_reach(&s.layout.map, 1, &low, &high);
    while ((ptrdiff_t)s.place * unit + low < 0)
        s.place++;
    s.bytes = (size_t)((ptrdiff_t)s.place * unit + high) + 40;
    test_detail(t, "%s, %s, unit %d, displacement %d, window %d", e->name, shape_names[which], unit, s.place, flavour);
    s.memory = flavour ? NULL : test_alloc(s.bytes);
    s.win = flavour ? test_allocated(t, s.bytes, unit, &s.memory) : test_window(t, s.memory, s.bytes, unit);
    unsigned char *expected = malloc(s.bytes), *mask = malloc(s.bytes);
    s.ones = calloc(s.count, e->basic.extent);
    memset(expected, 0x5a, s.bytes);
    memset(mask, 1, s.bytes);
    for (int sync = 0; sync < 2; sync++) {
        for (size_t i = 0; i < s.count; i++) {
            set_one(e, s.ones + i * e->basic.extent, 1);
            memset(expected + s.place * unit + layout_offset(&s.layout, e, i), 0, e->basic.bytes[0]);
        }
        test_own_begin(t, s.win);
        memcpy(s.memory, expected, s.bytes);
        test_own_end(t, s.win);
        CHECK_OK(MPI_Barrier(t->comm));
        sum_add(&s, sync);
        CHECK_OK(MPI_Barrier(t->comm));
        for (size_t i = 0; i < s.count; i++)
            set_one(e, expected + s.place * unit + layout_offset(&s.layout, e, i), s.rounds * t->size);
        layout_mask(&s.layout, e, mask + s.place * unit, s.count);
        test_own_begin(t, s.win);
        CHECK_SAME("the sums", expected, s.memory, mask, s.bytes);
        test_own_end(t, s.win);
    }
    CHECK_OK(MPI_Win_free(&s.win));
    if (!flavour)
        test_free(s.memory);
    layout_free(&s.layout);
    free(s.ones);
    free(expected);
    free(mask);
}

/* Aligned elements, plain and in derived types; then those at addresses that fit no atomic instruction. */
void case_atomic_sums(test *t)
{
    static const char *const names[] = {
        "INT8_T", "INT16_T",     "INT32_T",         "INT64_T",          "FLOAT",
        "DOUBLE", "LONG_DOUBLE", "C_FLOAT_COMPLEX", "C_DOUBLE_COMPLEX", "C_LONG_DOUBLE_COMPLEX"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const element *e = element_named(names[i]);
        int flavour = (int)i % 2;
        sum_element(t, e, SHAPE_CONTIGUOUS, (int)e->basic.extent, 2, flavour);
        sum_element(t, e, SHAPE_STRUCT, 8, 4, !flavour);
        sum_element(t, e, SHAPE_UNALIGNED, 1, 3, flavour);
        sum_element(t, e, SHAPE_ONE, 3, 5, !flavour);
        sum_element(t, e, SHAPE_HVECTOR, 5, 7, flavour);
    }
}

/* The value and the index of a pair belong together, though both change all the time. */
static void pairs_of(test *t, const char *name, int is_max)
{
    enum { COUNT = 3 };
    const element *e = element_named(name);
    MPI_Datatype type = element_type(e);
    size_t bytes = COUNT * e->basic.extent;
    unsigned char *base = NULL, *mine = calloc(COUNT, e->basic.extent), *seen = calloc(COUNT, e->basic.extent);
    MPI_Win win = test_allocated(t, bytes, (int)e->basic.extent, &base);
    int rounds = test_volume(t, 300), most = rounds * t->size;
    test_detail(t, "%s", name);
    test_own_begin(t, win);
    for (int k = 0; k < COUNT; k++) {
        int number = is_max ? -1 : most, index = number;
        set_one(e, base + (size_t)k * e->basic.extent, number);
        memcpy(base + (size_t)k * e->basic.extent + e->basic.offsets[1], &index, sizeof index);
    }
    test_own_end(t, win);
    CHECK_OK(MPI_Barrier(t->comm));
    CHECK_OK(MPI_Win_lock_all(0, win));
    for (int i = 0; i < rounds; i++) {
        int number = (int)(test_key(t, (uint64_t)i, (uint64_t)t->rank, 7, 0) % (uint64_t)rounds) * t->size + t->rank;
        for (int k = 0; k < COUNT; k++) {
            set_one(e, mine + (size_t)k * e->basic.extent, number);
            memcpy(mine + (size_t)k * e->basic.extent + e->basic.offsets[1], &number, sizeof number);
        }
        CHECK_OK(MPI_Get_accumulate(mine, COUNT, type, seen, COUNT, type, i % t->size, 0, COUNT, type,
                                    is_max ? MPI_MAXLOC : MPI_MINLOC, win));
        CHECK_OK(MPI_Win_flush(i % t->size, win));
        for (int k = 0; k < COUNT; k++) {
            unsigned char expected[64] = {0};
            int index;
            memcpy(&index, seen + (size_t)k * e->basic.extent + e->basic.offsets[1], sizeof index);
            set_one(e, expected, index);
            size_t used = e->basic.bytes[0] > 10 ? 10 : e->basic.bytes[0];
            CHECK_SAME("a value with this index", expected, seen + (size_t)k * e->basic.extent, NULL, used);
        }
    }
    CHECK_OK(MPI_Win_unlock_all(win));
    CHECK_OK(MPI_Barrier(t->comm));
    CHECK_OK(MPI_Win_free(&win));
    free(mine);
    free(seen);
}

void case_atomic_pairs(test *t)
{
    static const char *const names[] = {"2INT", "SHORT_INT", "FLOAT_INT", "DOUBLE_INT", "LONG_INT", "LONG_DOUBLE_INT"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        pairs_of(t, names[i], i % 2 == 0);
}

/* Replacing an element, wide ones too, never shows a mixture. */
void case_atomic_replaced(test *t)
{
    static const char *const names[] = {"INT64_T", "DOUBLE", "C_DOUBLE_COMPLEX", "C_LONG_DOUBLE_COMPLEX"};
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        const element *e = element_named(names[n]);
        MPI_Datatype type = element_type(e);
        size_t bytes = e->basic.extent, part = e->class == ELEMENT_COMPLEX ? bytes / 2 : bytes;
        unsigned char *base = NULL, mine[64] = {0}, seen[64] = {0};
        /* A displacement of 12 bytes: aligned to 4 only. */
        MPI_Win win = test_allocated(t, bytes + 12, 1, &base);
        test_detail(t, "%s", names[n]);
        CHECK_OK(MPI_Win_lock_all(0, win));
        for (int i = 0; i < test_volume(t, 1000); i++) {
            set_one(e, mine, i + 1);
            CHECK_OK(MPI_Get_accumulate(mine, 1, type, seen, 1, type, 0, 12, 1, type, MPI_REPLACE, win));
            CHECK_OK(MPI_Win_flush(0, win));
            if (part < bytes)
                CHECK_SAME("the other half", seen, seen + part, NULL, part > 10 ? 10 : part);
        }
        CHECK_OK(MPI_Win_unlock_all(win));
        CHECK_OK(MPI_Barrier(t->comm));
        CHECK_OK(MPI_Win_free(&win));
    }
}

/* ---- counters --------------------------------------------------------------------------------------------------- */

/* Each ticket is given out once. */
void case_atomic_tickets(test *t)
{
    int rounds = test_volume(t, 400), total = rounds * t->size;
    int64_t *counter = NULL, one = 1;
    MPI_Win win = test_allocated(t, sizeof *counter, sizeof *counter, &counter);
    int *taken = calloc((size_t)total, sizeof *taken), *all = calloc((size_t)total, sizeof *all);
    int64_t last = -1;
    CHECK_OK(MPI_Win_lock_all(0, win));
    for (int i = 0; i < rounds; i++) {
        int64_t ticket = -1;
        CHECK_OK(MPI_Fetch_and_op(&one, &ticket, MPI_INT64_T, t->size - 1, 0, MPI_SUM, win));
        CHECK_OK(MPI_Win_flush(t->size - 1, win));
        CHECK(ticket > last && ticket < total);
        last = ticket;
        taken[ticket]++;
    }
    CHECK_OK(MPI_Win_unlock_all(win));
    CHECK_OK(MPI_Allreduce(taken, all, total, MPI_INT, MPI_SUM, t->comm));
    for (int i = 0; i < total; i++)
        CHECK_EQUAL(1, all[i]);
    CHECK_OK(MPI_Win_free(&win));
    free(taken);
    free(all);
}

/* A counter that is read and written by put and get, which only an exclusive lock protects. */
void case_atomic_exclusive(test *t)
{
    enum { COUNT = 50 }; /* numbers that are all the same */
    int64_t *memory = calloc(COUNT, sizeof *memory), values[COUNT];
    int rounds = test_volume(t, 100);
    MPI_Win win = test_window(t, memory, COUNT * sizeof *memory, sizeof *memory);
    for (int i = 0; i < rounds; i++)
        for (int k = 0; k < t->size; k++) {
            int target = (t->rank + k) % t->size;
            CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win));
            CHECK_OK(MPI_Get(values, COUNT, MPI_INT64_T, target, 0, COUNT, MPI_INT64_T, win));
            CHECK_OK(MPI_Win_flush(target, win));
            for (int j = COUNT; j-- > 0;) {
                CHECK_EQUAL(values[0], values[j]);
                values[j]++;
            }
            CHECK_OK(MPI_Put(values, COUNT, MPI_INT64_T, target, 0, COUNT, MPI_INT64_T, win));
            CHECK_OK(MPI_Win_unlock(target, win));
        }
    CHECK_OK(MPI_Barrier(t->comm));
    test_own_begin(t, win);
    for (int j = 0; j < COUNT; j++)
        CHECK_EQUAL(rounds * t->size, memory[j]);
    test_own_end(t, win);
    CHECK_OK(MPI_Win_free(&win));
    free(memory);
}

/* ---- compare and swap ------------------------------------------------------------------------------------------- */

/* A spin lock at rank 0 protects a number at the last rank. */
void case_atomic_spin_lock(test *t)
{
    int *base = NULL, zero = 0, one = 1, rounds = test_volume(t, 60);
    MPI_Win win = test_allocated(t, 2 * sizeof(int), sizeof(int), &base);
    CHECK_OK(MPI_Win_lock_all(0, win));
    for (int i = 0; i < rounds; i++) {
        int old, number = -1;
        do {
            CHECK_OK(MPI_Compare_and_swap(&one, &zero, &old, MPI_INT, 0, 0, win));
            CHECK_OK(MPI_Win_flush(0, win));
        } while (old != 0);
        CHECK_OK(MPI_Get(&number, 1, MPI_INT, t->size - 1, 1, 1, MPI_INT, win));
        CHECK_OK(MPI_Win_flush(t->size - 1, win));
        number++;
        CHECK_OK(MPI_Put(&number, 1, MPI_INT, t->size - 1, 1, 1, MPI_INT, win));
        CHECK_OK(MPI_Win_flush(t->size - 1, win));
        CHECK_OK(MPI_Accumulate(&zero, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_REPLACE, win));
        CHECK_OK(MPI_Win_flush(0, win));
    }
    CHECK_OK(MPI_Win_unlock_all(win));
    CHECK_OK(MPI_Barrier(t->comm));
    test_own_begin(t, win);
    CHECK_EQUAL(t->rank == t->size - 1 ? rounds * t->size : 0, base[1]);
    test_own_end(t, win);
    CHECK_OK(MPI_Win_free(&win));
}

/* A list through the memory of all: the head at rank 0, a node a rank and round. All push at once; each walks it. */
void case_atomic_list(test *t)
{
    int rounds = test_volume(t, 40), count = rounds * t->size, old;
    int *base = NULL; /* the head, and then whom each of my nodes is followed by; 0: nothing, else 1 + the node */
    MPI_Win win = test_allocated(t, ((size_t)rounds + 1) * sizeof(int), sizeof(int), &base);
    CHECK_OK(MPI_Win_lock_all(0, win));
    for (int i = 0; i < rounds; i++) {
        int node = 1 + i * t->size + t->rank, head = 0;
        for (;;) {
            CHECK_OK(MPI_Accumulate(&head, 1, MPI_INT, t->rank, 1 + i, 1, MPI_INT, MPI_REPLACE, win));
            CHECK_OK(MPI_Win_flush(t->rank, win));
            CHECK_OK(MPI_Compare_and_swap(&node, &head, &old, MPI_INT, 0, 0, win));
            CHECK_OK(MPI_Win_flush(0, win));
            if (old == head)
                break;
            head = old;
        }
    }
    CHECK_OK(MPI_Win_flush_all(win));
    CHECK_OK(MPI_Barrier(t->comm));
    char *is_found = calloc((size_t)count, 1);
    int found = 0, at, none = 0;
    CHECK_OK(MPI_Fetch_and_op(&none, &at, MPI_INT, 0, 0, MPI_NO_OP, win));
    CHECK_OK(MPI_Win_flush(0, win));
    for (; at; found++) {
        int node = at - 1;
        CHECK(node >= 0 && node < count && !is_found[node]);
        is_found[node] = 1;
        CHECK_OK(MPI_Fetch_and_op(&none, &at, MPI_INT, node % t->size, 1 + node / t->size, MPI_NO_OP, win));
        CHECK_OK(MPI_Win_flush(node % t->size, win));
    }
    CHECK_EQUAL(count, found);
    CHECK_OK(MPI_Win_unlock_all(win));
    CHECK_OK(MPI_Barrier(t->comm));
    CHECK_OK(MPI_Win_free(&win));
    free(is_found);
}
