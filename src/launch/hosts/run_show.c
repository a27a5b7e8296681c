/* SPDX-License-Identifier: Apache-2.0 */
#include "launch/hosts/run_show.h"

#include <stdio.h>
#include <unistd.h>

void cor_run_show_hosts(const host_list *list)
{
    if (list->count == 0)
        puts("this host, with any number of slots");
    for (int i = 0; i < list->count; i++) {
        printf("%s: %d slot%s", list->items[i].name, list->items[i].slots, list->items[i].slots == 1 ? "" : "s");
        if (list->items[i].slots_max > 0)
            printf(", at most %d ranks", list->items[i].slots_max);
        puts("");
    }
    fflush(stdout);
}

/* The rank at place `at` of a host; a job without hosts has all of them here. */
static int show_rank(const run_host *host, int at)
{
    return host->ranks ? host->ranks[at] : at;
}

/* How many ranks from this one on follow each other and run the same program. */
static int show_run_length(const run_plan *plan, const run_host *host, int at)
{
    int length = 1, first = show_rank(host, at), program = cor_run_program_of(plan, first);
    while (at + length < host->rank_count && show_rank(host, at + length) == first + length &&
           cor_run_program_of(plan, first + length) == program)
        length++;
    return length;
}

static void show_host(const run_plan *plan, const run_host *host)
{
    printf("%s: rank%s", host->name, host->rank_count > 1 ? "s" : "");
    for (int at = 0, length; at < host->rank_count; at += length) {
        int first = show_rank(host, at);
        char **argv = plan->programs[cor_run_program_of(plan, first)].argv;
        length = show_run_length(plan, host, at);
        printf("%s %d", at > 0 ? "," : "", first);
        if (length > 1)
            printf("-%d", first + length - 1);
        printf(" %s%s", argv[0], argv[1] ? " ..." : "");
    }
    puts("");
}

void cor_run_show_map(const run_plan *plan)
{
    char name[65] = "";
    gethostname(name, sizeof name - 1);
    const run_host here = {.name = name, .rank_count = plan->size};
    if (plan->host_count == 0)
        show_host(plan, &here);
    for (int i = 0; i < plan->host_count; i++)
        if (plan->hosts[i].rank_count > 0)
            show_host(plan, &plan->hosts[i]);
    fflush(stdout);
}
