/* What a user asks `corunna bench` for. */
#ifndef COR_TOOLS_BENCH_OPTIONS_H
#define COR_TOOLS_BENCH_OPTIONS_H

#include "tools/bench/bench.h"

typedef struct bench_options {
    const bench_test *tests[BENCH_LIST_MAX];
    int test_count;
    int ranks[BENCH_LIST_MAX], ranks_count;
    long sizes[BENCH_LIST_MAX];
    int size_count; /* 0: each test's own */
    long checks[BENCH_LIST_MAX];
    int check_count;
    const char *types; /* as given, or NULL: each test's first */
    const char *modes; /* as given, or NULL: all of the test */
    const bench_system *systems[BENCH_LIST_MAX];
    int system_count;
    const char *device;
    int rounds, ms, batches, agree, rotate, cpus, limit_s;
    const char *csv, *json, *targets;
    int is_quiet;
} bench_options;

/* 0; or an exit status after a message, or after help. */
int bench_options_parse(int argc, char **argv, bench_options *options_p, int *is_done_p);

/* The next word of a list with commas or spaces; 0 at its end. */
int bench_list_next(const char **list_p, char word[BENCH_NAME_MAX]);

#endif
