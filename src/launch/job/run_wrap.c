/* SPDX-License-Identifier: Apache-2.0 */
#include "launch/job/run_wrap.h"

#include <stdlib.h>
#include <string.h>

int cor_run_ranks_have(const char *ranks, int rank)
{
    int is_among = !*ranks || strcmp(ranks, "-1") == 0;
    if (is_among)
        return 1;
    for (const char *at = ranks;; at++) {
        char *end;
        long first = strtol(at, &end, 10), last = first;
        if (end == at || *at < '0' || *at > '9')
            return -1;
        at = end;
        if (*at == '-') {
            last = strtol(at + 1, &end, 10);
            if (end == at + 1 || last < first)
                return -1;
            at = end;
        }
        is_among |= rank >= first && rank <= last;
        if (!*at)
            return is_among;
        if (*at != ',')
            return -1;
    }
}

char **cor_run_wrap(const run_plan *plan, const run_program *program, int rank, run_list *command)
{
    static const char place[] = "{rank}";
    if (!plan->wrapper || !*plan->wrapper || (plan->wrapped && cor_run_ranks_have(plan->wrapped, rank) != 1))
        return program->argv;
    for (char **word = plan->wrapper; *word; word++) {
        const char *found = strstr(*word, place);
        if (found)
            cor_run_list_add(command, "%.*s%d%s", (int)(found - *word), *word, rank, found + strlen(place));
        else
            cor_run_list_add(command, "%s", *word);
    }
    for (char **word = program->argv; *word; word++)
        cor_run_list_add(command, "%s", *word);
    return command->items;
}
