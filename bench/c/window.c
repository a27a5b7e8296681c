/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of one-sided communication. The mode says whose memory the windows have: `allocated` with the window, or
 * `created` over memory of the program.
 *
 * Between pairs of ranks, i and i + half of them, all at once; the second waits for a message meanwhile, so that a
 * library that needs its help has it:
 *
 *   put, get, accumulate   one operation and a flush, after which it is complete at the target.
 *   putstream, getstream   windows of 16 operations and a flush: the time of one operation.
 *
 * By all ranks on the last one, which waits likewise:
 *
 *   fetch_and_op           1 is added to an integer of 8 bytes, and a flush.
 *   compare_and_swap       the same integer is replaced, and a flush.
 *   lock                   an exclusive lock, a put, an unlock.
 *
 * Around a ring, each rank puts to the next one:
 *
 *   fence                  a put and a fence.
 *   post                   post and start, a put, complete and wait.
 */
#include "bench.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* No window is smaller than a page: MPICH 4.0 takes the wrong rank's memory then. */
enum { WINDOW_TAG = 11, WINDOW_STREAM = 16, WINDOW_FILL = 5, WINDOW_PAGE = 4096 };

typedef struct window window;

struct window {
    const bench_case *c;
    void (*step)(window *w, int target, long i); /* the timed one, by an origin */
    int target;                                  /* of this origin; -1: this rank is none */
    int first, end;                              /* the origins that a target waits for */
    MPI_Win win;
    char *memory; /* of the window */
    size_t bytes;
    char *mine; /* what is put, or got */
    size_t stride;
    int64_t done, seen; /* operations that have had an effect; the last value seen */
    MPI_Group before, after;
};

static int window_is_allocated(const window *w)
{
    return strcmp(w->c->mode, "allocated") == 0;
}

/* Collective. The memory is filled before anyone accesses it. */
static void window_open(window *w, const bench_case *c, size_t bytes, char fill, char mine)
{
    *w = (window){.c = c, .target = -1, .bytes = bytes, .stride = bench_stride(c, 1)};
    w->mine = bench_buffers(c, 1, mine);
    if (window_is_allocated(w)) {
        MPI_Win_allocate((MPI_Aint)bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w->memory, &w->win);
    } else {
        w->memory = bench_memory(bytes);
        MPI_Win_create(w->memory, (MPI_Aint)bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w->win);
    }
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, c->b->rank, 0, w->win);
    memset(w->memory, fill, bytes);
    MPI_Win_unlock(c->b->rank, w->win);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void window_close(window *w)
{
    char *created = window_is_allocated(w) ? NULL : w->memory;
    MPI_Win_free(&w->win);
    free(created);
    free(w->mine);
}

/* Rank i and rank i + half of them; one is left over if their number is odd. */
static void window_pair(window *w)
{
    int rank = w->c->b->rank, half = w->c->ranks / 2;
    if (rank < half)
        w->target = rank + half;
    else if (rank < 2 * half)
        w->first = rank - half;
    w->end = rank >= half && rank < 2 * half ? w->first + 1 : 0;
}

static void window_gather(window *w)
{
    int last = w->c->ranks - 1;
    if (w->c->b->rank < last)
        w->target = last;
    else
        w->end = last;
}

/* Where the i-th operation finds its data in the target's memory, and in its own. */
static MPI_Aint window_at(const window *w, long i)
{
    return (MPI_Aint)(bench_buffer(w->c, w->mine, w->stride, i) - w->mine);
}

static char *window_mine(const window *w, long i)
{
    return bench_buffer(w->c, w->mine, w->stride, i);
}

/* Steps of the origins, while the targets wait in the library. One untimed step first, so that all are there. */
static double window_batch(void *state, long steps)
{
    window *w = state;
    double start = 0, took = 0;
    if (w->target >= 0) {
        w->step(w, w->target, 0);
        start = bench_now();
        for (long i = 0; i < steps; i++)
            w->step(w, w->target, i);
        took = bench_now() - start;
        MPI_Send(NULL, 0, MPI_BYTE, w->target, WINDOW_TAG, MPI_COMM_WORLD);
    }
    for (int origin = w->first; origin < w->end; origin++)
        MPI_Recv(NULL, 0, MPI_BYTE, origin, WINDOW_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return took;
}

/* Measure steps by passive targets, all of which are locked. */
static void window_measure(window *w, double parts)
{
    MPI_Win_lock_all(0, w->win);
    bench_time time = bench_measure(w->c, window_batch, w);
    MPI_Win_unlock_all(w->win);
    MPI_Barrier(MPI_COMM_WORLD);
    bench_print_time(w->c, w->c->test->name, time, parts);
}

/* ---- between pairs ---------------------------------------------------------------------------------------------- */

static void window_put(const window *w, int target, long i)
{
    MPI_Datatype type = w->c->type->handle;
    MPI_Put(window_mine(w, i), w->c->count, type, target, window_at(w, i), w->c->count, type, w->win);
}

static void window_get(const window *w, int target, long i)
{
    MPI_Datatype type = w->c->type->handle;
    MPI_Get(window_mine(w, i), w->c->count, type, target, window_at(w, i), w->c->count, type, w->win);
}

static void put_step(window *w, int target, long i)
{
    window_put(w, target, i);
    MPI_Win_flush(target, w->win);
}

static void get_step(window *w, int target, long i)
{
    window_get(w, target, i);
    MPI_Win_flush(target, w->win);
}

static void putstream_step(window *w, int target, long i)
{
    for (int k = 0; k < WINDOW_STREAM; k++)
        window_put(w, target, i * WINDOW_STREAM + k);
    MPI_Win_flush(target, w->win);
}

static void getstream_step(window *w, int target, long i)
{
    for (int k = 0; k < WINDOW_STREAM; k++)
        window_get(w, target, i * WINDOW_STREAM + k);
    MPI_Win_flush(target, w->win);
}

static void window_run_puts(const bench_case *c, void (*step)(window *, int, long), double parts)
{
    window w;
    window_open(&w, c, bench_stride(c, 1) * (size_t)c->b->rotate, 0, WINDOW_FILL);
    window_pair(&w);
    w.step = step;
    window_measure(&w, parts);
    if (w.end > 0)
        bench_verify(c, w.memory, 1, WINDOW_FILL);
    window_close(&w);
}

static void window_run_gets(const bench_case *c, void (*step)(window *, int, long), double parts)
{
    window w;
    window_open(&w, c, bench_stride(c, 1) * (size_t)c->b->rotate, WINDOW_FILL, 0);
    window_pair(&w);
    w.step = step;
    window_measure(&w, parts);
    if (w.target >= 0)
        bench_verify(c, w.mine, 1, WINDOW_FILL);
    window_close(&w);
}

static void put_run(const bench_case *c)
{
    window_run_puts(c, put_step, 1);
}

static void get_run(const bench_case *c)
{
    window_run_gets(c, get_step, 1);
}

static void putstream_run(const bench_case *c)
{
    window_run_puts(c, putstream_step, WINDOW_STREAM);
}

static void getstream_run(const bench_case *c)
{
    window_run_gets(c, getstream_step, WINDOW_STREAM);
}

/* ---- accumulate ------------------------------------------------------------------------------------------------- */

static int accumulate_is_int(const bench_case *c)
{
    return strcmp(c->type->name, "int") == 0;
}

static void accumulate_step(window *w, int target, long i)
{
    MPI_Datatype type = w->c->type->handle;
    MPI_Accumulate(window_mine(w, i), w->c->count, type, target, window_at(w, i), w->c->count, type, MPI_SUM, w->win);
    MPI_Win_flush(target, w->win);
    w->done++;
}

static void accumulate_fill(const bench_case *c, char *buffers, size_t bytes)
{
    for (size_t i = 0; i < bytes / c->type->bytes; i++)
        if (accumulate_is_int(c))
            ((int *)(void *)buffers)[i] = 1;
        else
            ((double *)(void *)buffers)[i] = 1;
}

/* Each element of the target is how often something was added to its block; the blocks together are all operations. */
static void accumulate_verify(const window *w, int64_t done)
{
    const bench_case *c = w->c;
    double sum = 0;
    for (int block = 0; block < c->b->rotate; block++) {
        const char *at = w->memory + (size_t)block * w->stride;
        double first = 0, value = 0;
        for (int i = 0; i < c->count; i++) {
            value = accumulate_is_int(c) ? ((const int *)(const void *)at)[i] : ((const double *)(const void *)at)[i];
            if (i == 0)
                first = value;
            if (value != first)
                bench_fail("accumulate of %zu bytes: element %d is %g, others are %g", c->bytes, i, value, first);
        }
        sum += first;
    }
    if (c->count > 0 && sum != (double)done)
        bench_fail("accumulate of %zu bytes: %g operations have arrived instead of %g", c->bytes, sum, (double)done);
}

static void accumulate_run(const bench_case *c)
{
    window w;
    size_t bytes = bench_stride(c, 1) * (size_t)c->b->rotate;
    int64_t done = 0;
    window_open(&w, c, bytes, 0, 0);
    accumulate_fill(c, w.mine, bytes);
    window_pair(&w);
    w.step = accumulate_step;
    window_measure(&w, 1);
    if (w.target >= 0)
        MPI_Send(&w.done, 1, MPI_INT64_T, w.target, WINDOW_TAG, MPI_COMM_WORLD);
    for (int origin = w.first; origin < w.end; origin++) {
        MPI_Recv(&done, 1, MPI_INT64_T, origin, WINDOW_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        accumulate_verify(&w, done);
    }
    window_close(&w);
}

/* ---- one word of the last rank ----------------------------------------------------------------------------------- */

static void fetch_step(window *w, int target, long i)
{
    const int64_t one = 1;
    (void)i;
    MPI_Fetch_and_op(&one, &w->seen, MPI_INT64_T, target, 0, MPI_SUM, w->win);
    MPI_Win_flush(target, w->win);
    w->done++;
}

static void swap_step(window *w, int target, long i)
{
    int64_t next = w->seen + 1, old = -1;
    (void)i;
    MPI_Compare_and_swap(&next, &w->seen, &old, MPI_INT64_T, target, 0, w->win);
    MPI_Win_flush(target, w->win);
    w->done += old == w->seen;
    w->seen = old == w->seen ? next : old;
}

/* What all have added is what is there. */
static void window_run_word(const bench_case *c, void (*step)(window *, int, long))
{
    window w;
    int64_t all = 0, word = 0;
    window_open(&w, c, WINDOW_PAGE, 0, 0);
    window_gather(&w);
    w.step = step;
    window_measure(&w, 1);
    MPI_Reduce(&w.done, &all, 1, MPI_INT64_T, MPI_SUM, c->ranks - 1, MPI_COMM_WORLD);
    memcpy(&word, w.memory, sizeof word);
    if (w.target < 0 && word != all)
        bench_fail("%s: the word is %lld instead of %lld", c->test->name, (long long)word, (long long)all);
    window_close(&w);
}

static void fetch_run(const bench_case *c)
{
    window_run_word(c, fetch_step);
}

static void swap_run(const bench_case *c)
{
    window_run_word(c, swap_step);
}

/* ---- locks ------------------------------------------------------------------------------------------------------ */

/* Each rank has a place of its own. */
static void lock_step(window *w, int target, long i)
{
    MPI_Datatype type = w->c->type->handle;
    MPI_Aint at = (MPI_Aint)(w->stride * (size_t)w->c->b->rank);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, w->win);
    MPI_Put(window_mine(w, i), w->c->count, type, target, at, w->c->count, type, w->win);
    MPI_Win_unlock(target, w->win);
}

static void lock_run(const bench_case *c)
{
    window w;
    window_open(&w, c, bench_stride(c, 1) * (size_t)c->ranks, 0, WINDOW_FILL);
    window_gather(&w);
    w.step = lock_step;
    bench_time time = bench_measure(c, window_batch, &w);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int origin = w.first; origin < w.end; origin++)
        bench_verify(c, w.memory + w.stride * (size_t)origin, 1, WINDOW_FILL);
    bench_print_time(c, "lock", time, 1);
    window_close(&w);
}

/* ---- active targets --------------------------------------------------------------------------------------------- */

static double fence_batch(void *state, long steps)
{
    window *w = state;
    int right = (w->c->b->rank + 1) % w->c->ranks;
    MPI_Win_fence(0, w->win);
    double start = bench_now();
    for (long i = 0; i < steps; i++) {
        window_put(w, right, i);
        MPI_Win_fence(0, w->win);
    }
    double took = bench_now() - start;
    MPI_Win_fence(MPI_MODE_NOSUCCEED, w->win);
    return took;
}

static void post_steps(window *w, int right, long steps)
{
    for (long i = 0; i < steps; i++) {
        MPI_Win_post(w->before, 0, w->win);
        MPI_Win_start(w->after, 0, w->win);
        window_put(w, right, i);
        MPI_Win_complete(w->win);
        MPI_Win_wait(w->win);
    }
}

static double post_batch(void *state, long steps)
{
    window *w = state;
    int right = (w->c->b->rank + 1) % w->c->ranks;
    post_steps(w, right, 1);
    double start = bench_now();
    post_steps(w, right, steps);
    return bench_now() - start;
}

static void window_run_ring(const bench_case *c, bench_batch_fn batch)
{
    window w;
    MPI_Group all;
    int left = (c->b->rank + c->ranks - 1) % c->ranks, right = (c->b->rank + 1) % c->ranks;
    window_open(&w, c, bench_stride(c, 1) * (size_t)c->b->rotate, 0, WINDOW_FILL);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &left, &w.before);
    MPI_Group_incl(all, 1, &right, &w.after);
    bench_print_time(c, c->test->name, bench_measure(c, batch, &w), 1);
    bench_verify(c, w.memory, 1, WINDOW_FILL);
    MPI_Group_free(&w.before);
    MPI_Group_free(&w.after);
    MPI_Group_free(&all);
    window_close(&w);
}

static void fence_run(const bench_case *c)
{
    window_run_ring(c, fence_batch);
}

static void post_run(const bench_case *c)
{
    window_run_ring(c, post_batch);
}

#define WINDOW_MODES "allocated created"

const bench_test bench_window_tests[] = {
    {"put", WINDOW_MODES, 0, 1, 0, put_run},
    {"get", WINDOW_MODES, 0, 1, 0, get_run},
    {"putstream", WINDOW_MODES, 0, 1, 0, putstream_run},
    {"getstream", WINDOW_MODES, 0, 1, 0, getstream_run},
    {"accumulate", WINDOW_MODES, 0, 1, 0, accumulate_run},
    {"fetch_and_op", WINDOW_MODES, 0, 0, 0, fetch_run},
    {"compare_and_swap", WINDOW_MODES, 0, 0, 0, swap_run},
    {"lock", WINDOW_MODES, 0, 1, 0, lock_run},
    {"fence", WINDOW_MODES, 0, 1, 0, fence_run},
    {"post", WINDOW_MODES, 0, 1, 0, post_run},
    {0},
};
