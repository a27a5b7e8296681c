/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One line to stderr per event, each starting with `corunna:` and the rank. The level is a knob (CORUNNA_LOG); a line
 * that is not logged costs one comparison. A cor_log belongs to one rank and is read-only once the rank is open, so it
 * needs no lock; a line is one write(2) and lines of several threads do not mix.
 */
#ifndef COR_BASE_LOG_H
#define COR_BASE_LOG_H

typedef enum cor_log_level { COR_LOG_ERROR, COR_LOG_WARN, COR_LOG_INFO, COR_LOG_DEBUG, COR_LOG_TRACE } cor_log_level;

#define COR_LOG_LEVELS "error|warn|info|debug|trace"

typedef struct cor_log {
    int level; /* cor_log_level: this level and all more severe ones are written */
    int rank;  /* -1 while unknown */
} cor_log;

void cor_log_write(const cor_log *log, cor_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#define COR_LOG(log, LEVEL, ...)                                                                                      \
    do {                                                                                                              \
        if ((log)->level >= COR_LOG_##LEVEL)                                                                          \
            cor_log_write(log, COR_LOG_##LEVEL, __VA_ARGS__);                                                         \
    } while (0)

/* For our own bugs, never for user input: prints the place and aborts. */
#define COR_ASSERT(condition)                                                                                         \
    do {                                                                                                              \
        if (__builtin_expect(!(condition), 0))                                                                        \
            cor_assert_failed(#condition, __FILE__, __LINE__);                                                        \
    } while (0)

_Noreturn void cor_assert_failed(const char *condition, const char *file, int line);

#endif
