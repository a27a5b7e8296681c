/* SPDX-License-Identifier: Apache-2.0 */
/* Windows come and go: of all flavours, sizes and units, many, over all kinds of communicators. */
#include "win_suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Every rank puts its number into its place at each, and all are there. */
static void life_use(MPI_Win win, MPI_Comm comm, int *base)
{
    int rank, size;
    CHECK_OK(MPI_Comm_rank(comm, &rank));
    CHECK_OK(MPI_Comm_size(comm, &size));
    CHECK_OK(MPI_Win_fence(0, win));
    for (int i = 0; i < size; i++)
        base[i] = -1;
    CHECK_OK(MPI_Win_fence(0, win));
    for (int i = 0; i < size; i++)
        CHECK_OK(MPI_Put(&rank, 1, MPI_INT, i, rank, 1, MPI_INT, win));
    CHECK_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    for (int i = 0; i < size; i++)
        CHECK_EQUAL(i, base[i]);
}

/* ---- properties ------------------------------------------------------------------------------------------------- */

static void life_check_attribute(MPI_Win win, int keyval, long long expected)
{
    void *value = NULL;
    int is_set = 0;
    CHECK_OK(MPI_Win_get_attr(win, keyval, &value, &is_set));
    CHECK(is_set && value);
    CHECK_EQUAL(expected, keyval == MPI_WIN_SIZE ? (long long)*(MPI_Aint *)value : *(int *)value);
}

static void life_check(const test *t, MPI_Win win, int flavour, const void *base, MPI_Aint bytes, int unit)
{
    MPI_Group mine, all;
    void *value = NULL;
    int is_set = 0, relation = -1;
    life_check_attribute(win, MPI_WIN_CREATE_FLAVOR, flavour);
    life_check_attribute(win, MPI_WIN_SIZE, bytes);
    life_check_attribute(win, MPI_WIN_DISP_UNIT, unit);
    CHECK_OK(MPI_Win_get_attr(win, MPI_WIN_BASE, &value, &is_set));
    CHECK(is_set && (value == base || bytes == 0));
    CHECK_OK(MPI_Win_get_attr(win, MPI_WIN_MODEL, &value, &is_set));
    CHECK(is_set && (*(int *)value == MPI_WIN_UNIFIED || *(int *)value == MPI_WIN_SEPARATE));
    CHECK_OK(MPI_Win_get_group(win, &mine));
    CHECK_OK(MPI_Comm_group(t->comm, &all));
    CHECK_OK(MPI_Group_compare(mine, all, &relation));
    CHECK_EQUAL(MPI_IDENT, relation);
    CHECK_OK(MPI_Group_free(&mine));
    CHECK_OK(MPI_Group_free(&all));
}

void case_life_properties(test *t)
{
    MPI_Win win;
    char memory[200];
    void *base = NULL;
    CHECK_OK(MPI_Win_create(memory, sizeof memory, 8, MPI_INFO_NULL, t->comm, &win));
    life_check(t, win, MPI_WIN_FLAVOR_CREATE, memory, sizeof memory, 8);
    CHECK_OK(MPI_Win_free(&win));
    CHECK(win == MPI_WIN_NULL);
    CHECK_OK(MPI_Win_allocate(1000 + t->rank, 1 + t->rank, MPI_INFO_NULL, t->comm, &base, &win));
    life_check(t, win, MPI_WIN_FLAVOR_ALLOCATE, base, 1000 + t->rank, 1 + t->rank);
    CHECK_OK(MPI_Win_free(&win));
    CHECK_OK(MPI_Win_create_dynamic(MPI_INFO_NULL, t->comm, &win));
    life_check(t, win, MPI_WIN_FLAVOR_DYNAMIC, MPI_BOTTOM, 0, 1);
    CHECK_OK(MPI_Win_free(&win));
}

/* The name, the info and the error handler of a window. */
void case_life_names(test *t)
{
    int memory = 0, length = -1;
    char name[MPI_MAX_OBJECT_NAME] = "?";
    MPI_Info info = MPI_INFO_NULL;
    MPI_Errhandler handler;
    MPI_Win win;
    CHECK_OK(MPI_Win_create(&memory, sizeof memory, 4, MPI_INFO_NULL, t->comm, &win));
    CHECK_OK(MPI_Win_get_name(win, name, &length));
    CHECK_TEXT("", name);
    CHECK_OK(MPI_Win_set_name(win, "the matrix"));
    CHECK_OK(MPI_Win_get_name(win, name, &length));
    CHECK_TEXT("the matrix", name);
    CHECK_EQUAL(10, length);
    CHECK_OK(MPI_Win_get_info(win, &info));
    CHECK(info != MPI_INFO_NULL);
    CHECK_OK(MPI_Info_set(info, "no_locks", "false"));
    CHECK_OK(MPI_Win_set_info(win, info));
    CHECK_OK(MPI_Info_free(&info));
    CHECK_OK(MPI_Win_get_errhandler(win, &handler));
    CHECK(handler == MPI_ERRORS_ARE_FATAL);
    CHECK_OK(MPI_Errhandler_free(&handler));
    CHECK_OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Win_get_errhandler(win, &handler));
    CHECK(handler == MPI_ERRORS_RETURN);
    CHECK_OK(MPI_Errhandler_free(&handler));
    CHECK_OK(MPI_Win_free(&win));
}

/* New memory is zero and aligned, and lasts as long as the window. */
void case_life_memory(test *t)
{
    for (int round = 0; round < test_volume(t, 50); round++) {
        size_t bytes = (size_t)(test_key(t, (uint64_t)t->rank, (uint64_t)round, 0, 0) % 100000);
        unsigned char *base = NULL;
        MPI_Win win = test_allocated(t, bytes, 1, &base);
        CHECK_EQUAL(0, (uintptr_t)base % 16);
        for (size_t i = 0; i < bytes; i++)
            if (base[i])
                CHECK_FAIL("byte %zu of new memory is %d", i, base[i]);
        if (bytes)
            memset(base, 0xab, bytes);
        CHECK_OK(MPI_Win_free(&win));
    }
}

/* A window whose hint asks for this alignment. MPI_WIN_NULL: there is no such window here. */
static MPI_Win life_aligned(const test *t, size_t alignment, int is_shared, void *base_p)
{
    MPI_Win win = MPI_WIN_NULL;
    MPI_Info info;
    char text[32];
    int code;
    snprintf(text, sizeof text, "%zu", alignment);
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, "mpi_minimum_memory_alignment", text));
    CHECK_OK(MPI_Info_set(info, "alloc_shared_noncontig", "true"));
    code = is_shared ? MPI_Win_allocate_shared(100, 1, info, t->comm, base_p, &win)
                     : MPI_Win_allocate(100, 1, info, t->comm, base_p, &win);
    CHECK_OK(MPI_Info_free(&info));
    if (!is_shared || code == MPI_SUCCESS)
        CHECK_OK(code);
    else
        CHECK_EQUAL(MPI_ERR_RMA_SHARED, test_class(code));
    return win;
}

/* As the hint wants it, which may differ between ranks, also where a rank sees the memory of another one. */
void case_life_alignment(test *t)
{
    static const size_t alignments[] = {1, 64, 4096, 64 << 10, 2 << 20, 8 << 20};
    enum { ALIGNMENTS = sizeof alignments / sizeof *alignments };
    for (int i = 0; i < 2 * ALIGNMENTS; i++) {
        unsigned char *base = NULL;
        MPI_Win win = life_aligned(t, alignments[(i / 2 + t->rank) % ALIGNMENTS], i % 2, &base);
        for (int member = 0; member < t->size && win != MPI_WIN_NULL; member++) {
            size_t alignment = alignments[(i / 2 + member) % ALIGNMENTS];
            MPI_Aint bytes = 0;
            int unit = 0;
            void *at = NULL;
            CHECK_OK(MPI_Win_shared_query(win, member, &bytes, &unit, &at));
            if ((uintptr_t)at % alignment != 0)
                CHECK_FAIL("the memory of rank %d is at %p, which is no multiple of %zu", member, at, alignment);
            if (member == t->rank)
                CHECK(at == base);
        }
        if (win == MPI_WIN_NULL)
            continue;
        for (int k = 0; k < 100; k++)
            CHECK_EQUAL(0, base[k]);
        memset(base, 1, 100);
        CHECK_OK(MPI_Win_free(&win));
    }
    /* More than there is address space: a hint that nothing can follow. */
    unsigned char *base = NULL;
    MPI_Win win = life_aligned(t, (size_t)1 << 58, 0, &base);
    CHECK(base != NULL);
    CHECK_OK(MPI_Win_free(&win));
}

/* ---- sizes ------------------------------------------------------------------------------------------------------ */

/* Ranks with different sizes and units, zero among them; each writes to the end of the window of each. */
static void life_write_ends(const test *t, MPI_Win win, char *mine, const int *bytes, const int *units)
{
    char value = (char)(t->rank + 1);
    CHECK_OK(MPI_Win_fence(0, win));
    for (int i = 0; i < t->size; i++) {
        int last = bytes[i] / units[i] - 1 - t->rank;
        if (last >= 0)
            CHECK_OK(MPI_Put(&value, 1, MPI_CHAR, i, last, 1, MPI_CHAR, win));
        CHECK_OK(MPI_Put(&value, 0, MPI_CHAR, i, 0, 0, MPI_CHAR, win));
    }
    CHECK_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    for (int i = 0; i < bytes[t->rank]; i++) {
        int unit = units[t->rank], place = bytes[t->rank] / unit - 1 - i / unit;
        CHECK_EQUAL(i % unit == 0 && place >= 0 && place < t->size ? place + 1 : 0, mine[i]);
    }
}

void case_life_different_sizes(test *t)
{
    int *bytes = calloc((size_t)t->size, sizeof *bytes), *units = calloc((size_t)t->size, sizeof *units);
    for (int round = 0; round < 8; round++) {
        uint64_t random = test_key(t, (uint64_t)round, 0, 0, 0);
        for (int i = 0; i < t->size; i++) {
            bytes[i] = (i + round) % 3 == 0 ? 0 : test_below(&random, 3000);
            units[i] = 1 + test_below(&random, 20);
        }
        MPI_Win win;
        char *base = NULL, *memory = test_alloc((size_t)bytes[t->rank]);
        memset(memory, 0, (size_t)bytes[t->rank]);
        win = test_window(t, memory, (size_t)bytes[t->rank], units[t->rank]);
        life_write_ends(t, win, memory, bytes, units);
        CHECK_OK(MPI_Win_free(&win));
        test_free(memory);
        win = test_allocated(t, (size_t)bytes[t->rank], units[t->rank], &base);
        life_write_ends(t, win, base, bytes, units);
        CHECK_OK(MPI_Win_free(&win));
    }
    free(bytes);
    free(units);
}

/* Nobody has any memory. */
void case_life_empty(test *t)
{
    MPI_Win win = test_window(t, NULL, 0, 1);
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_OK(MPI_Put(NULL, 0, MPI_INT, (t->rank + 1) % t->size, 0, 0, MPI_INT, win));
    CHECK_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    CHECK_OK(MPI_Win_lock_all(0, win));
    CHECK_OK(MPI_Win_flush_all(win));
    CHECK_OK(MPI_Win_sync(win));
    CHECK_OK(MPI_Win_unlock_all(win));
    CHECK_OK(MPI_Win_free(&win));
}

/* ---- many ------------------------------------------------------------------------------------------------------- */

/* One after the other, each used. */
void case_life_one_after_the_other(test *t)
{
    int *memory = calloc((size_t)t->size, sizeof *memory), rounds = test_volume(t, 2000);
    for (int i = 0; i < rounds; i++) {
        int *base = memory;
        MPI_Win win = i % 2 ? test_allocated(t, (size_t)t->size * sizeof(int), sizeof(int), &base)
                            : test_window(t, memory, (size_t)t->size * sizeof(int), sizeof(int));
        if (i % 16 < 2)
            life_use(win, t->comm, base);
        CHECK_OK(MPI_Win_free(&win));
    }
    free(memory);
}

/* Several at a time, freed in another order, with epochs that are open together. */
void case_life_several(test *t)
{
    enum { SEVERAL = 12 };
    MPI_Win wins[SEVERAL];
    int *bases[SEVERAL], *memory = calloc((size_t)t->size * SEVERAL, sizeof *memory), value = t->rank;
    for (int i = 0; i < SEVERAL; i++) {
        bases[i] = memory + i * t->size;
        wins[i] = i % 2 ? test_allocated(t, (size_t)t->size * sizeof(int), sizeof(int), &bases[i])
                        : test_window(t, bases[i], (size_t)t->size * sizeof(int), sizeof(int));
    }
    for (int i = 0; i < SEVERAL; i++)
        CHECK_OK(MPI_Win_lock_all(0, wins[i]));
    for (int target = 0; target < t->size; target++)
        for (int i = 0; i < SEVERAL; i++)
            CHECK_OK(MPI_Put(&value, 1, MPI_INT, target, t->rank, 1, MPI_INT, wins[i]));
    for (int i = SEVERAL; i-- > 0;)
        CHECK_OK(MPI_Win_unlock_all(wins[i]));
    CHECK_OK(MPI_Barrier(t->comm));
    for (int i = 0; i < SEVERAL; i++) {
        test_own_begin(t, wins[i]);
        for (int k = 0; k < t->size; k++)
            CHECK_EQUAL(k, bases[i][k]);
        test_own_end(t, wins[i]);
    }
    for (int i = 0; i < SEVERAL; i++)
        CHECK_OK(MPI_Win_free(&wins[(i * 5) % SEVERAL]));
    free(memory);
}

/* ---- communicators ---------------------------------------------------------------------------------------------- */

static void life_over(MPI_Comm comm)
{
    int size, *base = NULL;
    MPI_Win win;
    CHECK_OK(MPI_Comm_size(comm, &size));
    int *memory = calloc((size_t)size, sizeof *memory);
    CHECK_OK(MPI_Win_create(memory, size * (MPI_Aint)sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &win));
    life_use(win, comm, memory);
    CHECK_OK(MPI_Win_free(&win));
    CHECK_OK(MPI_Win_allocate(size * (MPI_Aint)sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &base, &win));
    life_use(win, comm, base);
    CHECK_OK(MPI_Win_free(&win));
    free(memory);
}

/* The window outlives its communicator. */
void case_life_communicators(test *t)
{
    MPI_Comm comm;
    CHECK_OK(MPI_Comm_dup(t->comm, &comm));
    int *base = NULL;
    MPI_Win win;
    CHECK_OK(MPI_Win_allocate(t->size * (MPI_Aint)sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &base, &win));
    CHECK_OK(MPI_Comm_free(&comm));
    life_use(win, t->comm, base);
    CHECK_OK(MPI_Win_free(&win));
    life_over(MPI_COMM_SELF);
    CHECK_OK(MPI_Comm_split(t->comm, t->rank % 2, -t->rank, &comm)); /* backwards */
    life_over(comm);
    CHECK_OK(MPI_Comm_free(&comm));
    CHECK_OK(MPI_Comm_split(t->comm, t->rank == 0 ? MPI_UNDEFINED : 1, t->rank, &comm));
    if (comm != MPI_COMM_NULL) {
        life_over(comm);
        CHECK_OK(MPI_Comm_free(&comm));
    }
    life_over(t->comm);
}

/* ---- shared ----------------------------------------------------------------------------------------------------- */

/* Every member writes into the part of the next with stores; the parts are adjacent unless the info says otherwise. */
static void life_share(MPI_Comm comm, MPI_Info info, int is_contiguous)
{
    int rank, size, unit = -1, *base = NULL, *other = NULL, *first = NULL;
    MPI_Aint bytes = -1, before = 0;
    MPI_Win win;
    CHECK_OK(MPI_Comm_rank(comm, &rank));
    CHECK_OK(MPI_Comm_size(comm, &size));
    int count = rank % 3 == 1 ? 0 : 10 + rank, next = (rank + 1) % size, of_next = next % 3 == 1 ? 0 : 10 + next;
    CHECK_OK(MPI_Win_allocate_shared(count * (MPI_Aint)sizeof(int), sizeof(int), info, comm, &base, &win));
    CHECK_OK(MPI_Win_lock_all(MPI_MODE_NOCHECK, win));
    CHECK_OK(MPI_Win_shared_query(win, next, &bytes, &unit, &other));
    CHECK_EQUAL(of_next * (MPI_Aint)sizeof(int), bytes);
    CHECK_EQUAL(sizeof(int), unit);
    for (int i = 0; i < of_next; i++)
        other[i] = next * 1000 + i;
    CHECK_OK(MPI_Win_sync(win));
    CHECK_OK(MPI_Barrier(comm));
    CHECK_OK(MPI_Win_sync(win));
    for (int i = 0; i < count; i++)
        CHECK_EQUAL(rank * 1000 + i, base[i]);
    CHECK_OK(MPI_Win_shared_query(win, MPI_PROC_NULL, &bytes, &unit, &first));
    CHECK(first);
    CHECK_EQUAL(0, first[0]);
    for (int i = 0; i < size && is_contiguous; i++) {
        CHECK_OK(MPI_Win_shared_query(win, i, &bytes, &unit, &other));
        CHECK(bytes == 0 || (char *)other == (char *)first + before);
        before += bytes;
    }
    CHECK_OK(MPI_Win_unlock_all(win));
    CHECK_OK(MPI_Win_free(&win));
}

void case_life_shared(test *t)
{
    MPI_Comm host;
    MPI_Info info;
    CHECK_OK(MPI_Comm_split_type(t->comm, MPI_COMM_TYPE_SHARED, t->rank, MPI_INFO_NULL, &host));
    life_share(host, MPI_INFO_NULL, 1);
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, "alloc_shared_noncontig", "true"));
    life_share(host, info, 0);
    CHECK_OK(MPI_Info_free(&info));
    CHECK_OK(MPI_Comm_free(&host));
}

/* ---- dynamic ---------------------------------------------------------------------------------------------------- */

/* Several areas are attached, and used by their addresses; one goes, and the others stay. */
void case_life_dynamic(test *t)
{
    enum { AREAS = 5, COUNT = 40 };
    int *areas[AREAS], next = (t->rank + 1) % t->size, previous = (t->rank + t->size - 1) % t->size, value;
    MPI_Aint addresses[AREAS], theirs[AREAS];
    MPI_Win win;
    CHECK_OK(MPI_Win_create_dynamic(MPI_INFO_NULL, t->comm, &win));
    CHECK_OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    for (int i = 0; i < AREAS; i++) {
        areas[i] = test_alloc(COUNT * sizeof(int));
        memset(areas[i], 0, COUNT * sizeof(int));
        CHECK_OK(MPI_Win_attach(win, areas[i], COUNT * sizeof(int)));
        CHECK_OK(MPI_Get_address(areas[i], &addresses[i]));
    }
    CHECK_OK(MPI_Sendrecv(addresses, AREAS, MPI_AINT, previous, 1, theirs, AREAS, MPI_AINT, next, 1, t->comm,
                          MPI_STATUS_IGNORE));
    for (int gone = 0; gone < AREAS; gone++) {
        CHECK_OK(MPI_Win_fence(0, win));
        for (int i = gone; i < AREAS; i++)
            for (int k = 0; k < COUNT; k += COUNT - 1) {
                value = gone * 10000 + i * 100 + k;
                CHECK_OK(MPI_Accumulate(&value, 1, MPI_INT, next, theirs[i] + k * (MPI_Aint)sizeof(int), 1, MPI_INT,
                                        MPI_REPLACE, win));
                CHECK_OK(MPI_Win_fence(0, win));
            }
        CHECK_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
        for (int i = gone; i < AREAS; i++) {
            CHECK_EQUAL(gone * 10000 + i * 100, areas[i][0]);
            CHECK_EQUAL(gone * 10000 + i * 100 + COUNT - 1, areas[i][COUNT - 1]);
        }
        CHECK_OK(MPI_Win_detach(win, areas[gone]));
    }
    /* Attached again, and left to the end of the window. */
    CHECK_OK(MPI_Win_attach(win, areas[0], COUNT * sizeof(int)));
    CHECK_OK(MPI_Win_free(&win));
    for (int i = 0; i < AREAS; i++)
        test_free(areas[i]);
}

/* One operation on several attached areas, by a datatype of addresses. Between the first and the second is memory that
 * is not attached; the third begins where the second ends. */
void case_life_attached_apart(test *t)
{
    enum { AREAS = 3, PART = 20, COUNT = AREAS * PART, GAP = 7, FIRST = PART + GAP, ALL = COUNT + GAP };
    int *memory = calloc(ALL, sizeof *memory), *own[AREAS] = {memory, memory + FIRST, memory + FIRST + PART},
        lengths[AREAS], values[COUNT], seen[COUNT];
    int next = (t->rank + 1) % t->size, previous = (t->rank + t->size - 1) % t->size;
    MPI_Aint addresses[AREAS], theirs[AREAS];
    MPI_Datatype parts;
    MPI_Win win;
    CHECK_OK(MPI_Win_create_dynamic(MPI_INFO_NULL, t->comm, &win));
    CHECK_OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    for (int i = 0; i < AREAS; i++) {
        lengths[i] = PART;
        CHECK_OK(MPI_Win_attach(win, own[i], PART * sizeof(int)));
        CHECK_OK(MPI_Get_address(own[i], &addresses[i]));
    }
    CHECK_OK(MPI_Sendrecv(addresses, AREAS, MPI_AINT, previous, 1, theirs, AREAS, MPI_AINT, next, 1, t->comm,
                          MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Type_create_hindexed(AREAS, lengths, theirs, MPI_INT, &parts));
    CHECK_OK(MPI_Type_commit(&parts));
    for (int i = 0; i < COUNT; i++)
        values[i] = t->rank * 1000 + i;
    CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, win));
    CHECK_OK(MPI_Put(values, COUNT, MPI_INT, next, 0, 1, parts, win));
    CHECK_OK(MPI_Win_flush(next, win));
    CHECK_OK(MPI_Accumulate(values, COUNT, MPI_INT, next, 0, 1, parts, MPI_SUM, win));
    CHECK_OK(MPI_Win_flush(next, win));
    CHECK_OK(MPI_Get(seen, COUNT, MPI_INT, next, 0, 1, parts, win));
    CHECK_OK(MPI_Win_unlock(next, win));
    for (int i = 0; i < COUNT; i++)
        CHECK_EQUAL(2 * values[i], seen[i]);
    CHECK_OK(MPI_Barrier(t->comm));
    test_own_begin(t, win);
    for (int i = 0; i < ALL; i++)
        CHECK_EQUAL(i < PART ? 2 * (previous * 1000 + i) : i < FIRST ? 0 : 2 * (previous * 1000 + i - GAP), memory[i]);
    test_own_end(t, win);
    /* A part that is not attached any more. */
    CHECK_OK(MPI_Barrier(t->comm));
    CHECK_OK(MPI_Win_detach(win, own[1]));
    CHECK_OK(MPI_Barrier(t->comm));
    CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win));
    int code = MPI_Get(seen, COUNT, MPI_INT, next, 0, 1, parts, win), ended = MPI_Win_unlock(next, win);
    CHECK_EQUAL(MPI_ERR_RMA_RANGE, test_class(code != MPI_SUCCESS ? code : ended));
    CHECK_OK(MPI_Type_free(&parts));
    CHECK_OK(MPI_Win_free(&win));
    free(memory);
}

/* No lock is ever taken: the program says so. */
void case_life_without_locks(test *t)
{
    MPI_Info info;
    int *memory = calloc((size_t)t->size, sizeof *memory);
    MPI_Win win;
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, "no_locks", "true"));
    CHECK_OK(MPI_Win_create(memory, t->size * (MPI_Aint)sizeof(int), sizeof(int), info, t->comm, &win));
    CHECK_OK(MPI_Info_free(&info));
    life_use(win, t->comm, memory);
    CHECK_OK(MPI_Win_free(&win));
    free(memory);
}
