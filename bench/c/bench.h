/*
 * What the benchmarks share: how long to measure, when to stop, how to print.
 *
 * A benchmark is a function that does n iterations and returns the seconds they took. bench_measure() calls it on
 * every rank with the same n: first with a growing n, which warms up and finds out how many iterations fill a batch,
 * then for a fixed number of batches. So a library that needs milliseconds for one barrier is measured in the same
 * time as one that needs microseconds.
 *
 * Only point-to-point calls are used to steer, so that a library without collectives can be measured too.
 */
#ifndef COR_BENCH_H
#define COR_BENCH_H

#include <stddef.h>

/* The timed part: n iterations on this rank. The seconds that rank 0 returns count, those of the others do not. */
typedef double (*bench_batch_fn)(void *state, long iterations);

/* How to measure, the same for every library; read from the environment by bench_open(). */
typedef struct {
    int rank;
    int ranks;
    double budget_s; /* time for all batches of one row: BENCH_MS */
    int batches;     /* the budget is spent in this many batches: BENCH_BATCHES */
    int rotate;      /* this many buffers are used in turn: BENCH_ROTATE, usually 1 */
    int cores;       /* the ranks share this many cores: BENCH_CORES, usually all there are */
} bench;

/* MPI_Init, then the settings; ends the job with a sentence when there are fewer than min_ranks ranks. */
void bench_open(bench *b, int *argc_p, char ***argv_p, int min_ranks);

/* MPI_Finalize. */
void bench_close(bench *b);

/* Seconds an iteration took in the best batch. Valid on rank 0; the others get 0. Called by every rank. */
double bench_measure(const bench *b, bench_batch_fn run, void *state);

/* Seconds on a clock that only moves forward. */
double bench_now(void);

/* One result: name, size, value and unit with tabs between, on rank 0 only. */
void bench_print(const bench *b, const char *name, size_t size, double value, const char *unit);

/* b->rotate buffers of size bytes, one after another, page aligned and filled; ends the job when memory is short. */
char *bench_buffers(const bench *b, size_t size, char fill);

/* Buffers start on a page of their own. */
static inline size_t bench_stride(size_t size)
{
    return (size + 4095) / 4096 * 4096;
}

/* The buffer that the i-th message uses. In the timed loop, so the usual single buffer costs no division. */
static inline char *bench_buffer(const bench *b, char *buffers, size_t size, long i)
{
    return b->rotate == 1 ? buffers : buffers + bench_stride(size) * (size_t)(i % b->rotate);
}

/* Ends the job with a sentence unless every byte that was received is the one that was sent. */
void bench_verify(const bench *b, const char *name, const char *buffer, size_t size, char fill);

/* A size from the command line; ends the job with a sentence when it is none. */
size_t bench_size(const bench *b, const char *text);

#endif
