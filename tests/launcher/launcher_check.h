/* Checks of the launcher's unit tests: each failure is told, all are counted, main returns the verdict. */
#ifndef LAUNCHER_CHECK_H
#define LAUNCHER_CHECK_H

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

typedef struct check_log {
    atomic_int checks, failures; /* threads may check too; only counted, so relaxed would do */
} check_log;

static inline void check_that(check_log *log, int holds, const char *what, const char *file, int line)
{
    atomic_fetch_add(&log->checks, 1);
    if (holds)
        return;
    atomic_fetch_add(&log->failures, 1);
    fprintf(stderr, "%s:%d: %s does not hold\n", file, line, what);
}

static inline void check_text(check_log *log, const char *is, const char *should, const char *file, int line)
{
    atomic_fetch_add(&log->checks, 1);
    if (is && strcmp(is, should) == 0)
        return;
    atomic_fetch_add(&log->failures, 1);
    fprintf(stderr, "%s:%d: \"%s\" should be \"%s\"\n", file, line, is ? is : "(null)", should);
}

static inline int check_verdict(check_log *log)
{
    printf("%d checks, %d failed\n", atomic_load(&log->checks), atomic_load(&log->failures));
    return atomic_load(&log->failures) > 0 || atomic_load(&log->checks) == 0;
}

#define CHECK(log, condition) check_that(log, !!(condition), #condition, __FILE__, __LINE__)
#define CHECK_TEXT(log, is, should) check_text(log, is, should, __FILE__, __LINE__)

#endif
