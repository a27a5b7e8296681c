/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const log_names[] = {"error", "warning", "info", "debug", "trace"};

static void log_emit(const char *line, int length)
{
    /* One write per line; a failed write of a diagnostic cannot be reported. */
    ssize_t written = write(STDERR_FILENO, line, (size_t)length);
    (void)written;
}

void cor_log_write(const cor_log *log, cor_log_level level, const char *format, ...)
{
    char line[1024];
    int room = (int)sizeof line - 1;
    int at = log->rank >= 0 ? snprintf(line, (size_t)room, "corunna: rank %d: %s: ", log->rank, log_names[level])
                            : snprintf(line, (size_t)room, "corunna: %s: ", log_names[level]);
    va_list arguments;
    va_start(arguments, format);
    int more = vsnprintf(line + at, (size_t)(room - at), format, arguments);
    va_end(arguments);
    at = at + more < room ? at + more : room - 1;
    line[at++] = '\n';
    log_emit(line, at);
}

void cor_assert_failed(const char *condition, const char *file, int line)
{
    char text[512];
    int length =
        snprintf(text, sizeof text, "corunna: internal error: assertion %s failed at %s:%d\n", condition, file, line);
    log_emit(text, length < (int)sizeof text ? length : (int)sizeof text - 1);
    abort();
}
