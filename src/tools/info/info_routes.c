/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "tools/info/info_routes.h"

#include "launch/options/launcher.h"
#include "launch/run_plan.h"
#include "mp/mp.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void routes_print(cor_rank *rank)
{
    int me = cor_rank_number(rank), size = cor_rank_size(rank);
    for (int peer = 0, last; peer < size; peer = last + 1) {
        char line[COR_ROUTE_MAX];
        last = cor_rank_route(rank, peer, line, sizeof line);
        if (peer == last)
            printf("rank %d on %s to rank %d: %s\n", me, cor_rank_host(rank), peer, line);
        else
            printf("rank %d on %s to ranks %d-%d: %s\n", me, cor_rank_host(rank), peer, last, line);
    }
    fflush(stdout);
}

/* As a rank of the job this is started in. 0 ranks: of any size. */
static int routes_ask(int ranks)
{
    cor_rank *rank;
    cor_fault fault = {0};
    if (cor_rank_open(&(cor_rank_options){0}, &rank, &fault) != COR_OK) {
        fprintf(stderr, "corunna info: %s\n", fault.text);
        return 1;
    }
    int size = cor_rank_size(rank), is_other = ranks > 0 && ranks != size;
    if (!is_other)
        routes_print(rank);
    else if (cor_rank_number(rank) == 0)
        fprintf(stderr, "corunna info: -n is %d, but this job has %d ranks\n", ranks, size);
    if (cor_rank_close(rank, &fault) != COR_OK) {
        fprintf(stderr, "corunna info: %s\n", fault.text);
        return 1;
    }
    return is_other ? RUN_STATUS_USAGE : 0;
}

/* Start a job of this program. */
static int routes_start(int ranks)
{
    char program[PATH_MAX + 1], number[16];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0) {
        fputs("corunna info: cannot find the path of this program; use `corunna run corunna info --routes`\n", stderr);
        return 1;
    }
    program[length] = '\0';
    snprintf(number, sizeof number, "%d", ranks);
    char *command[] = {"run", "-n", number, program, "info", "--routes", NULL};
    return cor_command_run((int)(sizeof command / sizeof *command) - 1, command);
}

int cor_info_routes(int ranks, int is_asked)
{
    int is_in_job = getenv("PMI_FD") || getenv("PMIX_RANK");
    return is_in_job ? routes_ask(is_asked ? ranks : 0) : routes_start(ranks);
}
