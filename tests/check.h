/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The checks of all C tests.
 *
 * The first check that does not hold ends the test. It prints file, line, the expression, the values, and what check_me
 * says of the calling thread (rank, case, seed), and ends the process with status 1; other processes of the job are
 * the launcher's to end. A test has passed when main returns 0.
 *
 * The end is quick_exit(1), because other ranks of the process may still run: what was given to at_quick_exit runs,
 * what was given to atexit does not.
 *
 * Fuzz targets call abort() instead, which is what libFuzzer looks for.
 */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

#include <stdio.h>
#include <sys/types.h>

#define CHECK(condition) ((condition) ? (void)0 : check_fail(__FILE__, __LINE__, "not true: %s", #condition))
/* Two integers. */
#define CHECK_EQUAL(expected, got) check_equal(__FILE__, __LINE__, #got, (long long)(expected), (long long)(got))
/* A call that returns COR_OK or MPI_SUCCESS. */
#define CHECK_OK(call) check_equal(__FILE__, __LINE__, #call, 0, call)
/* Two strings; NULL equals none. */
#define CHECK_TEXT(expected, got) check_text(__FILE__, __LINE__, #got, expected, got)
/* What the test has found out for itself, as printf writes it. */
#define CHECK_FAIL(...) check_fail(__FILE__, __LINE__, __VA_ARGS__)

/* The rank that checks. A thread begins without one; a thread that is started by another takes over its check_me. */
typedef struct check_who {
    void (*tell)(FILE *to, const void *context); /* whole lines; NULL: none */
    const void *context;
} check_who;

extern _Thread_local check_who check_me;

/* ---- waiting ---------------------------------------------------------------------------------------------------- */

/*
 * A busy machine makes a test slow and never makes it fail: a test waits for the event that it needs, not for a time.
 * What limits there are end a wait that would never end. They are loose, and longer where CPUs are shared.
 */

/* Repeat the step until the condition holds. It fails after a minute on a quiet machine. */
#define CHECK_UNTIL(condition, step) CHECK_WITHIN(60000, condition, step)
/* The same with another limit, where what takes longer than these milliseconds on a quiet machine is wrong. */
#define CHECK_WITHIN(ms, condition, step)                                                                             \
    do {                                                                                                              \
        check_wait wait_ = {.patience_s = 1e-3 * (ms)};                                                               \
        while (!(condition)) {                                                                                        \
            step;                                                                                                     \
            check_wait_on(&wait_, __FILE__, __LINE__, #condition);                                                    \
        }                                                                                                             \
    } while (0)

/* A wait under way. */
typedef struct check_wait {
    double patience_s;       /* on a quiet machine */
    double begin_s, limit_s; /* of check_wait_on; begin as 0 */
} check_wait;

/* Once for each turn of a wait; fails when the patience is at an end. */
void check_wait_on(check_wait *wait, const char *file, int line, const char *what);
/* The step of a wait for what others do: a millisecond of sleep. */
void check_nap(void);
/* A time limit: these milliseconds on a quiet machine, and as many times more as processes want each CPU now. */
int check_patience_ms(int ms);
/* Wait until all threads of a process sleep, save the calling one: each waits for something, and has not moved between
 * two looks. The process may be this one. Where there is no /proc, or only another one, a pause takes its place. */
void check_asleep(pid_t process);

void check_fail(const char *file, int line, const char *format, ...) __attribute__((format(printf, 3, 4), noreturn));
void check_equal(const char *file, int line, const char *what, long long expected, long long got);
void check_text(const char *file, int line, const char *what, const char *expected, const char *got);

#endif
