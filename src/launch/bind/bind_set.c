/* SPDX-License-Identifier: Apache-2.0 */
#include "launch/bind/bind_set.h"

#include <stdio.h>
#include <string.h>

/* A number at *at_p, before `end`. -1: there is none; of a number beyond `limit` only that matters. */
static int set_number(const char **at_p, const char *end, int limit)
{
    const char *at = *at_p;
    int number = at < end && *at >= '0' && *at <= '9' ? 0 : -1;
    for (; at < end && *at >= '0' && *at <= '9'; at++)
        number = number > limit ? number : 10 * number + (*at - '0');
    *at_p = at;
    return number;
}

int cor_bind_set_parse(const char *what, const char *text, int length, int limit, cor_cpu_set *set_p, cor_fault *fault)
{
    const char *at = text, *end = text + length;
    int shown = length > 60 ? 60 : length;
    cor_cpu_set set = {{0}};
    do {
        int first = set_number(&at, end, limit), last = first;
        if (first >= 0 && at < end && *at == '-') {
            at++;
            last = set_number(&at, end, limit);
        }
        if (first < 0 || last < first || (at < end && *at != ','))
            return cor_fault_set(fault, COR_ERR_ARG, "%s is \"%.*s\"; it must be a list such as 0-3,8", what, shown,
                                 text);
        if (last >= limit)
            return cor_fault_set(fault, COR_ERR_ARG, "%s is \"%.*s\", but the numbers end with %d", what, shown, text,
                                 limit - 1);
        for (int number = first; number <= last; number++)
            cor_bind_set_add(&set, number);
    } while (at++ < end);
    *set_p = set;
    return COR_OK;
}

void cor_bind_set_print(const cor_cpu_set *set, char *text)
{
    char *at = text;
    strcpy(text, "none");
    for (int cpu = 0; cpu < COR_CPU_MAX; cpu++) {
        int first = cpu;
        if (!cor_bind_set_has(set, cpu))
            continue;
        while (cpu + 1 < COR_CPU_MAX && cor_bind_set_has(set, cpu + 1))
            cpu++;
        at += sprintf(at, first == cpu ? "%s%d" : "%s%d-%d", at == text ? "" : ",", first, cpu);
    }
}
