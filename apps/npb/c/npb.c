/* SPDX-License-Identifier: Apache-2.0 */
#include "npb.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char npb_classes[] = "SWABC";

void npb_start(npb_job *job, const char *name, int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    memset(job, 0, sizeof *job);
    MPI_Comm_rank(MPI_COMM_WORLD, &job->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &job->size);
    const char *wanted = *argc > 1 ? (*argv)[1] : "S";
    const char *found = strlen(wanted) == 1 ? strchr(npb_classes, toupper((unsigned char)*wanted)) : NULL;
    job->name = name;
    job->index = found ? (int)(found - npb_classes) : -1;
    job->letter = found ? *found : '?';
    job->words = *argv + 2;
    job->word_count = *argc > 2 ? *argc - 2 : 0;
    job->is_fine = 1;
    npb_accepts(job, job->index >= 0, "class is '%s'; classes are S, W, A, B and C", wanted);
}

int npb_end(npb_job *job)
{
    MPI_Finalize();
    return job->rank == 0 && !(job->is_fine && job->is_verified);
}

int npb_accepts(npb_job *job, int holds, const char *format, ...)
{
    if (job->is_fine && !holds && job->rank == 0) {
        va_list values;
        va_start(values, format);
        fprintf(stderr, "npb %s: ", job->name);
        vfprintf(stderr, format, values);
        fputc('\n', stderr);
        va_end(values);
    }
    job->is_fine = job->is_fine && holds;
    return job->is_fine;
}

int npb_accepts_power_of_two(npb_job *job, int most)
{
    return npb_accepts(job, (job->size & (job->size - 1)) == 0 && job->size <= most,
                       "the number of ranks is %d; with class %c it is a power of two up to %d", job->size,
                       job->letter, most);
}

int npb_accepts_square(npb_job *job, int most_a_side)
{
    int side = 1;
    while (side * side < job->size)
        side++;
    return npb_accepts(job, side * side == job->size && side <= most_a_side,
                       "the number of ranks is %d; with class %c it is a square, 1, 4, 9, up to %d", job->size,
                       job->letter, most_a_side * most_a_side);
}

void *npb_alloc(const npb_job *job, size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (memory)
        return memory;
    fprintf(stderr, "npb %s: rank %d: no memory for %zu MB; more ranks need less each\n", job->name, job->rank,
            count * size >> 20);
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

/* ---- output ----------------------------------------------------------------------------------------------------- */

void npb_title(const npb_job *job, const char *size, int iterations)
{
    npb_say(job, "\n\n NAS Parallel Benchmarks (C) -- %s Benchmark\n", job->name);
    npb_say(job, " Size: %s  (class %c)", size, job->letter);
    npb_say(job, " Iterations: %d", iterations);
    npb_say(job, " Number of processes: %d\n", job->size);
}

void npb_say(const npb_job *job, const char *format, ...)
{
    if (job->rank != 0)
        return;
    va_list values;
    va_start(values, format);
    vprintf(format, values);
    putchar('\n');
    va_end(values);
}

/* ---- time ------------------------------------------------------------------------------------------------------- */

void npb_timer_start(npb_job *job)
{
    MPI_Barrier(MPI_COMM_WORLD);
    job->started = MPI_Wtime();
}

double npb_timer_stop(const npb_job *job)
{
    double own = MPI_Wtime() - job->started, most = 0;
    MPI_Reduce(&own, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    return most;
}

/* ---- report ----------------------------------------------------------------------------------------------------- */

void npb_report(npb_job *job, const char *size, int iterations, double seconds, double operations, const char *type,
                int is_right)
{
    double mops = seconds > 0 ? operations / seconds / 1e6 : 0;
    job->is_verified = is_right;
    npb_say(job, "\n\n %s Benchmark Completed.", job->name);
    npb_say(job, " Class           =             %12c", job->letter);
    npb_say(job, " Size            =             %12s", size);
    npb_say(job, " Iterations      =             %12d", iterations);
    npb_say(job, " Time in seconds =             %12.2f", seconds);
    npb_say(job, " Total processes =             %12d", job->size);
    npb_say(job, " Mop/s total     =             %12.2f", mops);
    npb_say(job, " Mop/s/process   =             %12.2f", mops / job->size);
    npb_say(job, " Operation type  = %24s", type);
    npb_say(job, " Verification    =             %12s", is_right ? "SUCCESSFUL" : "UNSUCCESSFUL");
    fflush(stdout);
}

int npb_matches(const npb_job *job, const char *what, double value, double reference, double tolerance)
{
    double error = fabs((value - reference) / reference);
    int is_right = error <= tolerance; /* never if it is no number */
    npb_say(job, " %s %-12s %21.13e   reference %21.13e   error %9.2e", is_right ? " " : "FAILURE:", what, value,
            reference, error);
    return is_right;
}

/* ---- random numbers --------------------------------------------------------------------------------------------- */

uint64_t lcg_power(uint64_t a, uint64_t n)
{
    uint64_t result = 1;
    for (uint64_t square = a; n > 0; n >>= 1) {
        if (n & 1)
            result = lcg_times(result, square);
        square = lcg_times(square, square);
    }
    return result;
}
