/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the benchmarks share. A job is one benchmark on this rank, from its arguments to its report; the class is the
 * first argument, S if there is none. What does not fit, a class or a number of ranks, gets a sentence of rank 0 before
 * any work; the job then ends with status 1, as it does when the result is not verified.
 *
 *   main: npb_start, npb_accepts_..., the benchmark if job.is_fine, return npb_end
 *
 * Names and order are those of the Java versions.
 */
#ifndef NPB_H
#define NPB_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

typedef struct npb_job {
    const char *name;
    int rank, size;
    char letter; /* the class, and its place in tables: S, W, A, B, C; -1 if there is no such class */
    int index;
    char **words; /* arguments after the class */
    int word_count;
    int is_fine;
    int is_verified;
    double started;
} npb_job;

void npb_start(npb_job *job, const char *name, int *argc, char ***argv);
int npb_end(npb_job *job); /* the status to end with */

/* 0 once a condition did not hold; the sentence of the first one that did not is told. */
int npb_accepts(npb_job *job, int holds, const char *format, ...) __attribute__((format(printf, 3, 4)));
int npb_accepts_power_of_two(npb_job *job, int most);
int npb_accepts_square(npb_job *job, int most_a_side);

/* Zeroed memory, or the end of the job after a sentence. */
void *npb_alloc(const npb_job *job, size_t count, size_t size);

void npb_title(const npb_job *job, const char *size, int iterations);
void npb_say(const npb_job *job, const char *format, ...) __attribute__((format(printf, 2, 3))); /* a line of rank 0 */

void npb_timer_start(npb_job *job);
double npb_timer_stop(const npb_job *job); /* seconds of the slowest rank; valid on rank 0 */

/* The summary in NPB's form; is_right counts on rank 0. */
void npb_report(npb_job *job, const char *size, int iterations, double seconds, double operations, const char *type,
                int is_right);
/* Is a value the reference, to so large a relative error? Tells on rank 0. */
int npb_matches(const npb_job *job, const char *what, double value, double reference, double tolerance);

/* ---- random numbers: x' = a x mod 2^46, a = 5^13, and x / 2^46 is the number
 * ---------------------------------------- */

#define LCG_A UINT64_C(1220703125)
#define LCG_SEED UINT64_C(314159265)
#define LCG_MASK ((UINT64_C(1) << 46) - 1)
#define LCG_SCALE (1.0 / (double)(UINT64_C(1) << 46))

/* Only the low 46 bits of the product are wanted, and those a 64-bit product has right. */
static inline uint64_t lcg_times(uint64_t a, uint64_t x)
{
    return a * x & LCG_MASK;
}

static inline uint64_t lcg_next(uint64_t x)
{
    return lcg_times(LCG_A, x);
}

/* As int64_t, which converts to a double in one instruction. */
static inline double lcg_number(uint64_t x)
{
    return (double)(int64_t)x * LCG_SCALE;
}

/* a to the n-th: a seed times this is n numbers further on. */
uint64_t lcg_power(uint64_t a, uint64_t n);

#endif
