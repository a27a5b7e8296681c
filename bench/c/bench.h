/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One benchmark program for every MPI library: its tests, how long they are measured, how a result is printed.
 *
 *   mpibench TEST:TYPE:MODE:SIZES ...     e.g. pingpong:byte::8,1024  allreduce:double:row:8,65536
 *
 * A test does n iterations and returns the seconds they took. bench_measure() calls it on every rank that takes part
 * with the same n: first with a growing n, which warms up and finds out how many iterations fill a batch, then batch
 * after batch until they agree or the time is up. So a library that needs milliseconds for a barrier is measured in the
 * same time as one that needs microseconds. Only point-to-point calls steer, so that a library without collectives can
 * be measured too.
 *
 * Every result is a time, a share of it, or memory, and less is better; the time of one message or one call, whatever
 * the test. What people like to read (bandwidth, messages a second) follows from it, and the reader of the output
 * computes it.
 */
#ifndef COR_BENCH_H
#define COR_BENCH_H

#include <mpi.h>
#include <stddef.h>

/* How to measure, the same for every library; read from the environment by bench_open(). */
typedef struct bench {
    int rank, ranks;
    double budget_s; /* time for all batches of one result: BENCH_MS */
    int batches;     /* the budget is spent in at most so many: BENCH_BATCHES */
    double agree;    /* enough, once the median is so close to the minimum: BENCH_AGREE, in percent; 0: all batches */
    int rotate;      /* so many buffers are used in turn: BENCH_ROTATE, usually 1 */
    int cores;       /* the ranks share this many cores: BENCH_CORES, usually all there are */
} bench;

/* What a message is made of. */
typedef struct bench_type {
    const char *name;
    size_t bytes;  /* of data in an element */
    size_t extent; /* of an element in memory */
    MPI_Datatype handle;
} bench_type;

typedef struct bench_test bench_test;

/* One test at one size. */
typedef struct bench_case {
    const bench *b;
    const bench_test *test;
    const bench_type *type;
    const char *mode; /* "", or one of the test's */
    size_t bytes;     /* of data in a message, or a block of a collective */
    int count;        /* elements of the type in it */
    int ranks;        /* that take part: 0 .. ranks - 1 */
} bench_case;

struct bench_test {
    const char *name;
    const char *modes; /* with spaces between; "": there are none */
    int ranks;         /* that take part; 0: all */
    int is_sized;      /* 0: at size 0 alone */
    int is_any_size;   /* the size is not one of a message (pack.c); the type does not matter */
    void (*run)(const bench_case *c);
};

/* The tests, with an empty name behind the last. */
extern const bench_test bench_pair_tests[], bench_group_tests[], bench_coll_tests[], bench_pack_tests[],
    bench_thread_tests[], bench_part_tests[], bench_memory_tests[], bench_window_tests[], bench_file_tests[];

/* ---- measuring -------------------------------------------------------------------------------------------------- */

/* The timed part: n iterations on this rank. The seconds that rank 0 returns count, those of the others do not. */
typedef double (*bench_batch_fn)(void *state, long iterations);

/* Of one iteration, in seconds. Valid on rank 0. */
typedef struct bench_time {
    double minimum, median;
    int samples;
} bench_time;

/* Called by every rank that takes part. */
bench_time bench_measure(const bench_case *c, bench_batch_fn run, void *state);

/* Print a time, scaled: `parts` messages or calls are in one iteration. Rank 0 prints, the others need not call. */
void bench_print_time(const bench_case *c, const char *name, bench_time time, double parts);
void bench_print(const bench_case *c, const char *name, const char *unit, double minimum, double median, int samples);

/* Seconds on a clock that only moves forward. */
double bench_now(void);

/* ---- memory ----------------------------------------------------------------------------------------------------- */

/* b->rotate buffers for `blocks` messages of the case each, page aligned and filled; ends the job when memory is
 * short. */
char *bench_buffers(const bench_case *c, int blocks, char fill);
size_t bench_stride(const bench_case *c, int blocks);

/* The buffer that the i-th message uses. In the timed loop, so the usual single buffer costs no division. */
static inline char *bench_buffer(const bench_case *c, char *buffers, size_t stride, long i)
{
    return c->b->rotate == 1 ? buffers : buffers + stride * (size_t)(i % c->b->rotate);
}

/* Ends the job with a sentence unless every byte of data that was received is the one that was sent. */
void bench_verify(const bench_case *c, const char *buffer, int blocks, char fill);

void *bench_memory(size_t bytes);

/* ---- the end of a job ------------------------------------------------------------------------------------------- */

void bench_fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

#endif
