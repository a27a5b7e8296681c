/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

_Thread_local check_who check_me;

void check_fail(const char *file, int line, const char *format, ...)
{
    const char *slash = strrchr(file, '/');
    va_list arguments;
    flockfile(stderr); /* a failure of another rank is told before or after, not in between */
    fprintf(stderr, "FAILED %s:%d: ", slash ? slash + 1 : file, line);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    if (check_me.tell)
        check_me.tell(stderr, check_me.context);
    funlockfile(stderr);
    fflush(NULL);
    quick_exit(1);
}

void check_equal(const char *file, int line, const char *what, long long expected, long long got)
{
    if (expected != got)
        check_fail(file, line, "%s: expected %lld, got %lld", what, expected, got);
}

void check_text(const char *file, int line, const char *what, const char *expected, const char *got)
{
    if (!got || strcmp(expected, got) != 0)
        check_fail(file, line, "%s: expected \"%s\", got \"%s\"", what, expected, got ? got : "(null)");
}
