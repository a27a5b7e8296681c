/* SPDX-License-Identifier: Apache-2.0 */
/* The tests of all selections, each with type, mode and number of ranks. */
#ifndef COR_TOOLS_BENCH_PLAN_H
#define COR_TOOLS_BENCH_PLAN_H

#include "tools/bench/bench_options.h"

/* One test with one type, mode and number of ranks: a start of the program for each library and round. */
typedef struct bench_item {
    const bench_selection *selection;
    const bench_test *test;
    char type[BENCH_NAME_MAX], mode[BENCH_NAME_MAX];
    int ranks;
    int failures[BENCH_LIST_MAX];    /* of each system */
    int is_measured[BENCH_LIST_MAX]; /* in one round at least, by each system */
} bench_item;

typedef struct bench_plan {
    bench_item *items;
    int count, room;
} bench_plan;

/* Make the items of all selections, which must outlive the plan. 0, or -1 after a message. */
int bench_plan_make(bench_plan *plan, const bench_options *options);
void bench_plan_free(bench_plan *plan);

#endif
