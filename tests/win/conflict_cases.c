/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accesses that conflict inside an epoch. With CORUNNA_CHECK they are told; without it nothing is, and where no
 * conflict is, nothing ever. The window still works after an error.
 */
#include "win_suite.h"

#include <stdlib.h>
#include <string.h>

enum { COUNT = 64 };

#define CHECK_TOLD(is_conflict, call) conflict_check(t, __LINE__, is_conflict, call)

static void conflict_check(const test *t, int line, int is_conflict, int code)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0, expected = t->is_checked && is_conflict ? MPI_ERR_RMA_CONFLICT : MPI_SUCCESS;
    if (code != MPI_SUCCESS)
        CHECK_OK(MPI_Error_string(code, text, &length));
    if (test_class(code) != expected)
        CHECK_FAIL("line %d: expected class %d, got %d: %s", line, expected, test_class(code), text);
    if (expected != MPI_SUCCESS && !strstr(text, " conflicts with ") && !strstr(text, " overlaps "))
        CHECK_FAIL("line %d: the sentence is '%s'", line, text);
}

/* ---- two operations of one rank --------------------------------------------------------------------------------- */

typedef enum sort { PUT, GET, ACCUMULATE, GET_ACCUMULATE, FETCH, SWAP, RPUT, RACCUMULATE, SORTS } sort;

static const char *const sort_names[SORTS] = {"put",   "get",  "accumulate", "get_accumulate",
                                              "fetch", "swap", "rput",       "raccumulate"};

static int is_put(sort what)
{
    return what == PUT || what == RPUT;
}

static int does_update(sort what)
{
    return what == ACCUMULATE || what == GET_ACCUMULATE || what == SWAP || what == RACCUMULATE;
}

static int do_conflict(sort a, sort b)
{
    return is_put(a) || is_put(b) || (a == GET && does_update(b)) || (b == GET && does_update(a));
}

/* `count` elements, or one, at a displacement; the buffers are its own. */
static int operate(sort what, int *origin, int *result, int count, int target, MPI_Aint at, MPI_Win win)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int rc = MPI_SUCCESS;
    switch (what) {
    case PUT:
        return MPI_Put(origin, count, MPI_INT, target, at, count, MPI_INT, win);
    case GET:
        return MPI_Get(result, count, MPI_INT, target, at, count, MPI_INT, win);
    case ACCUMULATE:
        return MPI_Accumulate(origin, count, MPI_INT, target, at, count, MPI_INT, MPI_SUM, win);
    case GET_ACCUMULATE:
        return MPI_Get_accumulate(origin, count, MPI_INT, result, count, MPI_INT, target, at, count, MPI_INT, MPI_SUM,
                                  win);
    case FETCH:
        return MPI_Fetch_and_op(NULL, result, MPI_INT, target, at, MPI_NO_OP, win);
    case SWAP:
        return MPI_Compare_and_swap(origin, origin, result, MPI_INT, target, at, win);
    case RPUT:
        rc = MPI_Rput(origin, count, MPI_INT, target, at, count, MPI_INT, win, &request);
        break;
    default:
        rc = MPI_Raccumulate(origin, count, MPI_INT, target, at, count, MPI_INT, MPI_SUM, win, &request);
        break;
    }
    return rc == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : rc;
}

/* Each pair of operations, on bytes that overlap and on others, to a target of any way. */
void case_conflict_pairs(test *t)
{
    int *base = NULL, target = (t->rank + 1) % t->size, origins[2][COUNT] = {{0}}, results[4][COUNT];
    int *memory = calloc((size_t)COUNT * (size_t)t->size, sizeof *memory);
    for (int kind = 0; kind < 2; kind++) {
        MPI_Win win = kind ? test_window(t, memory, COUNT * sizeof(int), sizeof(int))
                           : test_allocated(t, COUNT * sizeof(int), sizeof(int), &base);
        for (int pair = 0; pair < SORTS * SORTS; pair++) {
            sort a = (sort)(pair / SORTS), b = (sort)(pair % SORTS);
            test_detail(t, "%s and %s, %s", sort_names[a], sort_names[b], kind ? "created" : "allocated");
            CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win));
            CHECK_OK(operate(a, origins[0], results[0], 4, target, 8, win));
            CHECK_OK(operate(b, origins[1], results[1], 4, target, 12, win)); /* just behind */
            CHECK_OK(MPI_Win_flush(target, win));
            CHECK_OK(operate(a, origins[0], results[0], 4, target, 8, win));
            CHECK_TOLD(do_conflict(a, b), operate(b, origins[1], results[1], 4, target, 8, win));
            CHECK_OK(MPI_Win_flush(target, win));
            CHECK_OK(operate(b, origins[1], results[1], 4, target, 8, win)); /* after the flush */
            CHECK_OK(MPI_Win_unlock(target, win));
        }
        CHECK_OK(MPI_Win_free(&win));
    }
    free(memory);
}

/* Blocks of datatypes: those between each other do not overlap. */
void case_conflict_blocks(test *t)
{
    int *base = NULL, target = (t->rank + 1) % t->size, values[COUNT] = {0};
    MPI_Datatype column;
    MPI_Win win = test_allocated(t, COUNT * sizeof(int), sizeof(int), &base);
    CHECK_OK(MPI_Type_vector(8, 1, 8, MPI_INT, &column));
    CHECK_OK(MPI_Type_commit(&column));
    CHECK_OK(MPI_Win_lock_all(0, win));
    for (int i = 0; i < 7; i++)
        CHECK_OK(MPI_Put(values + 8 * i, 8, MPI_INT, target, i, 1, column, win));
    CHECK_TOLD(1, MPI_Put(values, 8, MPI_INT, target, 6, 1, column, win));
    CHECK_TOLD(1, MPI_Get(values + 56, 1, MPI_INT, target, 8, 1, MPI_INT, win));
    CHECK_OK(MPI_Put(values, 8, MPI_INT, target, 7, 1, column, win));
    CHECK_OK(MPI_Win_unlock_all(win));
    CHECK_OK(MPI_Type_free(&column));
    CHECK_OK(MPI_Win_free(&win));
}

/* Buffers of this rank: what is read may be read again, what is written may not be touched. */
void case_conflict_buffers(test *t)
{
    int *base = NULL, target = (t->rank + 1) % t->size, mine[COUNT] = {0};
    MPI_Win win = test_allocated(t, COUNT * sizeof(int), sizeof(int), &base);
    CHECK_OK(MPI_Win_lock_all(0, win));
    CHECK_OK(MPI_Put(mine, 4, MPI_INT, target, 0, 4, MPI_INT, win));
    CHECK_OK(MPI_Put(mine, 4, MPI_INT, target, 4, 4, MPI_INT, win));
    CHECK_TOLD(1, MPI_Get(mine + 3, 4, MPI_INT, t->rank, 16, 4, MPI_INT, win));
    CHECK_OK(MPI_Win_flush_local_all(win));
    CHECK_OK(MPI_Get(mine, 4, MPI_INT, t->rank, 16, 4, MPI_INT, win));
    CHECK_TOLD(1, MPI_Get(mine + 2, 4, MPI_INT, target, 24, 4, MPI_INT, win));
    CHECK_TOLD(1, MPI_Put(mine + 3, 1, MPI_INT, target, 32, 1, MPI_INT, win));
    CHECK_OK(MPI_Put(mine + 4, 1, MPI_INT, target, 32, 1, MPI_INT, win));
    CHECK_OK(MPI_Win_flush_local(t->rank, win));
    CHECK_OK(MPI_Get(mine, 4, MPI_INT, t->rank, 16, 4, MPI_INT, win));
    CHECK_OK(MPI_Win_unlock_all(win));
    CHECK_OK(MPI_Win_free(&win));
}

/* ---- epochs ----------------------------------------------------------------------------------------------------- */

/* The other epochs begin anew as well. */
void case_conflict_epochs(test *t)
{
    int *base = NULL, target = (t->rank + 1) % t->size, from = (t->rank + t->size - 1) % t->size, mine[COUNT] = {0};
    MPI_Win win = test_allocated(t, COUNT * sizeof(int), sizeof(int), &base);
    MPI_Group targets = test_group(t, 1, &target), origins = test_group(t, 1, &from);
    for (int i = 0; i < 3; i++) {
        CHECK_OK(MPI_Win_post(origins, 0, win));
        CHECK_OK(MPI_Win_start(targets, 0, win));
        CHECK_OK(MPI_Put(mine, 4, MPI_INT, target, 0, 4, MPI_INT, win));
        CHECK_TOLD(1, MPI_Put(mine, 4, MPI_INT, target, 3, 4, MPI_INT, win));
        CHECK_OK(MPI_Win_complete(win));
        CHECK_OK(MPI_Win_wait(win));
    }
    CHECK_OK(MPI_Win_fence(0, win));
    for (int i = 0; i < 3; i++) {
        CHECK_OK(MPI_Put(mine, 4, MPI_INT, target, 0, 4, MPI_INT, win));
        CHECK_TOLD(1, MPI_Put(mine, 4, MPI_INT, target, 3, 4, MPI_INT, win));
        CHECK_OK(MPI_Win_fence(0, win));
    }
    CHECK_OK(MPI_Group_free(&targets));
    CHECK_OK(MPI_Group_free(&origins));
    CHECK_OK(MPI_Win_free(&win));
}

/* Of two ranks in one epoch of fences: all are told, by the same sentence, when it ends. */
void case_conflict_ranks(test *t)
{
    int *base = NULL, target = t->size / 2, other = t->size - 1, origin[COUNT] = {0}, result[COUNT];
    char text[MPI_MAX_ERROR_STRING], first[MPI_MAX_ERROR_STRING];
    MPI_Win win = test_allocated(t, COUNT * sizeof(int), sizeof(int), &base);
    CHECK_OK(MPI_Win_fence(0, win));
    for (int pair = 0; pair < 2 * SORTS * SORTS; pair++) {
        sort a = (sort)(pair / 2 / SORTS), b = (sort)(pair / 2 % SORTS);
        /* Between threads a conflict is a race, of which a sanitizer tells with good reason. */
        int is_raced = TEST_IS_SANITIZED && t->ranks_are_threads && do_conflict(a, b);
        int does_overlap = pair % 2 && !is_raced, length = 0;
        test_detail(t, "%s by rank 0 and %s by rank %d, overlap: %d", sort_names[a], sort_names[b], other,
                    does_overlap);
        if (t->rank == 0)
            CHECK_OK(operate(a, origin, result, 4, target, 8, win));
        if (t->rank == other)
            CHECK_OK(operate(b, origin, result, 4, target, does_overlap ? 8 : 12, win));
        int rc = MPI_Win_fence(0, win), is_told = t->is_checked && does_overlap && do_conflict(a, b);
        CHECK_EQUAL(is_told ? MPI_ERR_RMA_CONFLICT : MPI_SUCCESS, test_class(rc));
        if (!is_told)
            continue;
        memset(text, 0, sizeof text);
        CHECK_OK(MPI_Error_string(rc, text, &length));
        const char *sentence = strstr(text, "MPI_Win_fence: ");
        if (!sentence || !strstr(sentence, "by rank 0") || !strstr(sentence, "conflicts with"))
            CHECK_FAIL("the sentence is: %s", text);
        memset(first, 0, sizeof first);
        strcpy(first, sentence);
        CHECK_OK(MPI_Bcast(first, sizeof first, MPI_CHAR, 0, t->comm));
        CHECK_TEXT(first, sentence);
    }
    CHECK_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    CHECK_OK(MPI_Win_free(&win));
}

/* Very many small blocks, which come in an order that is not that of their addresses: a matrix is put by columns. */
void case_conflict_columns(test *t)
{
    enum { SIDE = 250, ALL = SIDE * SIDE };
    int *base = NULL, *values = calloc(ALL, sizeof *values), next = (t->rank + 1) % t->size, other = -1, old = -1;
    MPI_Datatype column, columns;
    CHECK_OK(MPI_Type_vector(SIDE, 1, SIDE, MPI_INT, &column));
    CHECK_OK(MPI_Type_create_resized(column, 0, sizeof(int), &columns));
    CHECK_OK(MPI_Type_commit(&columns));
    MPI_Win win = test_allocated(t, (ALL + 1) * sizeof(int), sizeof(int), &base);
    for (int i = 0; i < ALL; i++)
        values[i] = i;
    CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, win));
    CHECK_OK(MPI_Put(values, ALL, MPI_INT, next, 0, SIDE, columns, win));
    CHECK_TOLD(1, MPI_Get(&old, 1, MPI_INT, next, 0, 1, MPI_INT, win));
    CHECK_TOLD(1, MPI_Get(&old, 1, MPI_INT, next, ALL / 2, 1, MPI_INT, win));
    CHECK_TOLD(1, MPI_Get(&old, 1, MPI_INT, next, ALL - 1, 1, MPI_INT, win));
    CHECK_TOLD(0, MPI_Put(&other, 1, MPI_INT, next, ALL, 1, MPI_INT, win));
    CHECK_OK(MPI_Win_flush(next, win));
    /* Every second column, then those between. */
    MPI_Datatype second;
    CHECK_OK(MPI_Type_create_resized(column, 0, 2 * sizeof(int), &second));
    CHECK_OK(MPI_Type_commit(&second));
    CHECK_TOLD(0, MPI_Put(values, ALL / 2, MPI_INT, next, 0, SIDE / 2, second, win));
    CHECK_TOLD(0, MPI_Put(values + ALL / 2, ALL / 2, MPI_INT, next, 1, SIDE / 2, second, win));
    CHECK_TOLD(1, MPI_Put(&other, 1, MPI_INT, next, 7, 1, MPI_INT, win));
    CHECK_TOLD(1, MPI_Put(&other, 1, MPI_INT, next, ALL - 2, 1, MPI_INT, win));
    CHECK_OK(MPI_Win_unlock(next, win));
    CHECK_OK(MPI_Type_free(&column));
    CHECK_OK(MPI_Type_free(&columns));
    CHECK_OK(MPI_Type_free(&second));
    CHECK_OK(MPI_Win_free(&win));
    free(values);
}

/* ---- assertions of fences --------------------------------------------------------------------------------------- */

static void assert_check(const test *t, int line, const char *sentence, int code)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0, expected = t->is_checked && sentence ? MPI_ERR_ASSERT : MPI_SUCCESS;
    if (code != MPI_SUCCESS)
        CHECK_OK(MPI_Error_string(code, text, &length));
    if (test_class(code) != expected || (expected != MPI_SUCCESS && !strstr(text, sentence)))
        CHECK_FAIL("line %d: expected class %d and '%s', got %d: %s", line, expected, sentence ? sentence : "",
                   test_class(code), text);
}

/* All ranks are told of what is not true of one of them; nobody of what is. */
#define CHECK_ASSERT(sentence, call) assert_check(t, __LINE__, sentence, call)

void case_conflict_asserts(test *t)
{
    int *base = NULL, value = 1, got = 0, last = t->size - 1, is_one = t->size == 1;
    MPI_Win win = test_allocated(t, COUNT * sizeof(int), sizeof(int), &base);
    CHECK_ASSERT(NULL, MPI_Win_fence(MPI_MODE_NOPRECEDE, win));
    if (t->rank == 0)
        CHECK_OK(MPI_Put(&value, 1, MPI_INT, last, 3, 1, MPI_INT, win));
    CHECK_ASSERT("rank 0 says MPI_MODE_NOPRECEDE, but has started operations", MPI_Win_fence(MPI_MODE_NOPRECEDE, win));
    CHECK_ASSERT(NULL, MPI_Win_fence(MPI_MODE_NOPRECEDE, win));
    CHECK_ASSERT(NULL, MPI_Win_fence(t->rank == last ? MPI_MODE_NOPUT : 0, win));
    if (t->rank == 0)
        CHECK_OK(MPI_Accumulate(&value, 1, MPI_INT, last, 3, 1, MPI_INT, MPI_SUM, win));
    CHECK_ASSERT("said MPI_MODE_NOPUT in the fence before it", MPI_Win_fence(0, win));
    CHECK_ASSERT(NULL, MPI_Win_fence(t->rank == last ? MPI_MODE_NOPUT : 0, win));
    CHECK_OK(MPI_Get(&got, 1, MPI_INT, last, 3, 1, MPI_INT, win));
    if (t->rank == 0 && !is_one)
        CHECK_OK(MPI_Put(&value, 1, MPI_INT, 0, 4, 1, MPI_INT, win));
    CHECK_ASSERT(NULL, MPI_Win_fence(0, win));
    CHECK_EQUAL(2, got);
    CHECK_ASSERT(is_one ? NULL : "says MPI_MODE_NOPRECEDE and rank",
                 MPI_Win_fence(t->rank == last ? MPI_MODE_NOPRECEDE : 0, win));
    CHECK_ASSERT(is_one ? NULL : "says MPI_MODE_NOSUCCEED and rank",
                 MPI_Win_fence(t->rank == 0 ? MPI_MODE_NOSUCCEED : 0, win));
    CHECK_ASSERT(NULL, MPI_Win_fence(0, win));
    CHECK_OK(MPI_Put(&value, 1, MPI_INT, (t->rank + 1) % t->size, 5, 1, MPI_INT, win));
    CHECK_ASSERT(NULL, MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    CHECK_EQUAL(1, base[5]);
    CHECK_OK(MPI_Win_free(&win));
}
