/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments: which tests, with which types, in which modes, at which sizes. bench.h tells how they are written. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A transport that is no MPI library (bare/mpi.h) has two ranks and the calls of the pair tests alone. */
static const bench_test *const main_lists[] = {
    bench_pair_tests,
#ifndef BENCH_PAIR_ONLY
    bench_group_tests, bench_coll_tests,   bench_pack_tests,   bench_thread_tests,
    bench_part_tests,  bench_memory_tests, bench_window_tests, bench_file_tests,
#endif
};

/* ---- the environment -------------------------------------------------------------------------------------------- */

static double main_setting(const char *name, double fallback, double lowest)
{
    const char *text = getenv(name);
    char *end = NULL;
    if (!text || !*text)
        return fallback;
    double value = strtod(text, &end);
    if (*end || !(value >= lowest && value <= 1e9))
        bench_fail("%s is '%s'; it has to be a number of at least %g", name, text, lowest);
    return value;
}

static void main_open(bench *b)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &b->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &b->ranks);
    b->budget_s = main_setting("BENCH_MS", 200, 1) / 1e3;
    b->batches = (int)main_setting("BENCH_BATCHES", 20, 1);
    b->batches = b->batches > 1000 ? 1000 : b->batches;
    b->agree = main_setting("BENCH_AGREE", 0, 0);
    b->rotate = (int)main_setting("BENCH_ROTATE", 1, 1);
    b->cores = (int)main_setting("BENCH_CORES", (double)sysconf(_SC_NPROCESSORS_ONLN), 1);
}

/* ---- types ------------------------------------------------------------------------------------------------------ */

enum { MAIN_TYPES = 4 };

/* `column` is what a program with matrices sends: doubles with a gap after each. */
static void main_make_types(bench_type types[MAIN_TYPES])
{
    types[0] = (bench_type){"byte", 1, 1, MPI_BYTE};
    types[1] = (bench_type){"int", sizeof(int), sizeof(int), MPI_INT};
    types[2] = (bench_type){"double", sizeof(double), sizeof(double), MPI_DOUBLE};
    types[3] = (bench_type){"column", sizeof(double), 2 * sizeof(double), MPI_BYTE};
#ifndef BENCH_PAIR_ONLY
    MPI_Type_create_resized(MPI_DOUBLE, 0, 2 * (MPI_Aint)sizeof(double), &types[3].handle);
    MPI_Type_commit(&types[3].handle);
#endif
}

static void main_free_types(bench_type types[MAIN_TYPES])
{
#ifndef BENCH_PAIR_ONLY
    MPI_Type_free(&types[3].handle);
#endif
    (void)types;
}

/* ---- one word --------------------------------------------------------------------------------------------------- */

static const bench_test *main_find_test(const char *name)
{
    for (size_t i = 0; i < sizeof main_lists / sizeof main_lists[0]; i++)
        for (const bench_test *test = main_lists[i]; test->name; test++)
            if (strcmp(test->name, name) == 0)
                return test;
    bench_fail("'%s' is not a test", name);
}

static const bench_type *main_find_type(const bench_type types[MAIN_TYPES], const char *name)
{
    for (int i = 0; i < MAIN_TYPES; i++)
        if (strcmp(types[i].name, *name ? name : "byte") == 0)
            return &types[i];
    bench_fail("'%s' is not a type that is measured", name);
}

static int main_has_mode(const bench_test *test, const char *mode)
{
    size_t length = strlen(mode);
    for (const char *at = test->modes; length && (at = strstr(at, mode)); at++)
        if ((at == test->modes || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return 1;
    return length == 0 && !*test->modes;
}

static void main_run_size(bench_case *c, const char *text)
{
    char *end = NULL;
    unsigned long long bytes = strtoull(text, &end, 10);
    if (end == text || *end || bytes > INT32_MAX)
        bench_fail("'%s' is not a size", text);
    if (!c->test->is_any_size && bytes % c->type->bytes)
        bench_fail("%llu bytes are not a number of elements of type %s", bytes, c->type->name);
    c->bytes = (size_t)bytes;
    c->count = (int)(bytes / c->type->bytes);
    if (c->b->rank < c->ranks)
        c->test->run(c);
}

static void main_run_word(const bench *b, const bench_type types[MAIN_TYPES], char *word)
{
    char *parts[4] = {word, "", "", ""};
    for (int i = 1; i < 4 && (parts[i] = strchr(parts[i - 1], ':')); i++)
        *parts[i]++ = '\0';
    if (!parts[1] || !parts[2] || !parts[3])
        bench_fail("'%s' is not TEST:TYPE:MODE:SIZES", word);
    const bench_test *test = main_find_test(parts[0]);
    bench_case c = {.b = b, .test = test, .type = main_find_type(types, parts[1]), .mode = parts[2]};
    if (!main_has_mode(test, c.mode))
        bench_fail("test %s has no mode '%s'", test->name, c.mode);
    c.ranks = test->ranks ? test->ranks : b->ranks;
    if (b->ranks < c.ranks || b->ranks < 2)
        bench_fail("test %s needs %d ranks, there are %d", test->name, c.ranks < 2 ? 2 : c.ranks, b->ranks);
    if (!test->is_sized) {
        main_run_size(&c, "0");
        return;
    }
    char *rest = NULL;
    for (char *size = strtok_r(parts[3], ",", &rest); size; size = strtok_r(NULL, ",", &rest))
        main_run_size(&c, size);
}

int main(int argc, char **argv)
{
    bench b;
    bench_type types[MAIN_TYPES];
#ifdef BENCH_PAIR_ONLY
    MPI_Init(&argc, &argv);
#else
    int provided = 0; /* tests with several threads ask for it; a library is measured as such programs find it */
    int has_threads = argc > 1 && (strncmp(argv[1], "threads", 7) == 0 || strncmp(argv[1], "parts", 5) == 0);
    int wanted = has_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, wanted, &provided);
    if (provided < wanted)
        bench_fail("the library does not let several threads call it");
#endif
    main_open(&b);
    main_make_types(types);
    for (int i = 1; i < argc; i++)
        main_run_word(&b, types, argv[i]);
    main_free_types(types);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
