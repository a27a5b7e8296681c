/* The few words the C face's tests are written in: a check that tells where it failed and counts. */
#ifndef CFACE_CHECK_H
#define CFACE_CHECK_H

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* Ranks that are threads check at the same time. Weak: one for all files of a program. */
__attribute__((weak)) atomic_int check_failures;

#define CHECK(condition)                                                                                              \
    do {                                                                                                              \
        if (!(condition)) {                                                                                           \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                                 \
            atomic_fetch_add(&check_failures, 1);                                                                     \
        }                                                                                                             \
    } while (0)

/* The exit status of a test program. */
static inline int check_end(const char *name)
{
    int failures = atomic_load(&check_failures);
    printf("%s: %s (%d failed checks)\n", name, failures ? "FAILED" : "passed", failures);
    return failures != 0;
}

#endif
