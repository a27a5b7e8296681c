/* SPDX-License-Identifier: Apache-2.0 */
/* What is said, and where: see cor_net_log in net.h. */
#define _GNU_SOURCE
#include "net/net_state.h"

#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>

enum { LOG_LINE_MAX = 512 };

cor_net_log cor_net_log_begin(int level)
{
    struct stat facts;
    int saved = errno;
    cor_net_log log = {.level = level, .is_open = fstat(STDERR_FILENO, &facts) == 0};
    if (log.is_open) {
        log.device = facts.st_dev;
        log.number = facts.st_ino;
    }
    errno = saved;
    return log;
}

static int log_is_same(const cor_net_log *log)
{
    cor_net_log now = cor_net_log_begin(0);
    return log->is_open && now.is_open && now.device == log->device && now.number == log->number;
}

void cor_net_log_write(const cor_net_log *log, cor_log_level level, const char *format, ...)
{
    const cor_log lines = {.level = log->level, .rank = -1};
    char text[LOG_LINE_MAX];
    if (log->level < (int)level || !log_is_same(log))
        return;
    int saved = errno;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    cor_log_write(&lines, level, "fast sockets%s", text);
    errno = saved;
}

const cor_net_log *cor_net_get_log(const cor_net *net)
{
    return &net->log;
}

void cor_net_set_log(cor_net *net, const cor_net_log *log)
{
    int level = net->log.level;
    net->log = *log;
    net->log.level = level;
}

void net_say_once(cor_net *net, cor_net_why why, const char *format, ...)
{
    uint32_t bit = 1u << why;
    cor_net_note(net, why);
    if (atomic_fetch_or_explicit(&net->said, bit, memory_order_relaxed) & bit)
        return;
    char text[LOG_LINE_MAX / 2];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const char *what =
        why == COR_NET_WHY_BROKEN || why == COR_NET_WHY_ANNOUNCE ? "" : "; this connection stays on TCP";
    cor_net_log_write(&net->log, why == COR_NET_WHY_BROKEN ? COR_LOG_ERROR : COR_LOG_WARN, ": %s%s (said once)", text,
                      what);
}
