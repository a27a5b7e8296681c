/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The suite's program.
 *
 *   corunna run -n 4 win_suite [group | group.case]...     ranks are processes
 *   win_suite --threads 2,4 [group | group.case]...        ranks are threads of this process, first 2, then 4
 *   corunna run -n 2 win_suite --spawn=2 [...]             ranks are these and as many children that they start
 *   win_suite --list                                       print the table
 *   ... -random                                            all but these; case_words.h
 *   ... --single                                           without threads beside MPI: MPI_THREAD_SINGLE
 *   ... --verbose                                          print the time of every case
 *
 * CORUNNA_TEST_SEED sets the seed; it is printed otherwise, and with every failure. CORUNNA_TEST_COUNT: operations of
 * the random program.
 */
#define _GNU_SOURCE
#include "win_suite.h"

#include "case_words.h"
#include "corunna/threads.h"
#include "rank_counts.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct suite_row {
    const char *group, *name;
    void (*run)(test *t);
    int min_ranks, max_ranks; /* max 0: no limit */
} suite_row;

static const suite_row suite_rows[] = {
#define WIN_CASE(group, name, min_ranks, max_ranks) {#group, #name, case_##group##_##name, min_ranks, max_ranks},
#include "win_cases.def"
#undef WIN_CASE
};
enum { SUITE_ROWS = sizeof suite_rows / sizeof suite_rows[0] };

static void suite_tell(FILE *to, const void *context)
{
    const test *t = context;
    fprintf(to, "  rank %d of %d, case %s, CORUNNA_TEST_SEED=%llu\n", t->rank, t->size, t->name,
            (unsigned long long)t->seed);
    if (*t->detail)
        fprintf(to, "  %s\n", t->detail);
}

/* One seed for all: rank 0's. */
static uint64_t suite_agree_on_seed(const test *t)
{
    const char *text = getenv("CORUNNA_TEST_SEED");
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t seed = text ? strtoull(text, NULL, 0) : ((uint64_t)now.tv_sec * 1000000007u + (uint64_t)now.tv_nsec) >> 8;
    CHECK_OK(MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, t->world));
    return seed;
}

static void suite_run_case(const suite_row *row, test *t, int is_verbose)
{
    char name[128];
    snprintf(name, sizeof name, "%s.%s", row->group, row->name);
    t->name = name;
    CHECK_OK(MPI_Comm_dup(t->world, &t->comm));
    CHECK_OK(MPI_Comm_set_errhandler(t->comm, MPI_ERRORS_RETURN));
    double begin = MPI_Wtime();
    row->run(t);
    t->detail[0] = '\0';
    CHECK_OK(MPI_Barrier(t->comm));
    CHECK_OK(MPI_Comm_free(&t->comm));
    if (t->rank == 0 && is_verbose)
        printf("  %-36s %8.3f s\n", name, MPI_Wtime() - begin), fflush(stdout);
    t->name = "between cases";
}

/* With --spawn=N the world is that of the job and of N more processes, which it starts with the same arguments. */
static void suite_meet(test *t, int argc, char **argv)
{
    MPI_Comm parent = MPI_COMM_NULL;
    char program[PATH_MAX];
    int children = 0;
    t->world = MPI_COMM_WORLD;
    t->family = MPI_COMM_NULL;
    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], "--spawn=", 8) == 0)
            children = atoi(argv[i] + 8);
    if (children == 0)
        return;
    CHECK_OK(MPI_Comm_get_parent(&parent));
    t->family = parent;
    if (parent == MPI_COMM_NULL) {
        ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
        CHECK(length > 0);
        program[length] = '\0';
        CHECK_OK(MPI_Comm_spawn(program, argv + 1, children, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &t->family,
                                MPI_ERRCODES_IGNORE));
    }
    CHECK_OK(MPI_Intercomm_merge(t->family, parent != MPI_COMM_NULL, &t->world));
    CHECK_OK(MPI_Comm_set_errhandler(t->world, MPI_ERRORS_RETURN));
}

static void suite_part(test *t)
{
    if (t->family == MPI_COMM_NULL)
        return;
    CHECK_OK(MPI_Comm_disconnect(&t->world));
    CHECK_OK(MPI_Comm_disconnect(&t->family));
}

/* What every rank does, be it a process or a thread. */
static int suite_rank(int argc, char **argv)
{
    int wanted = MPI_THREAD_MULTIPLE, provided = -1, cases = 0, is_verbose = 0;
    test t = {.name = "start"};
    for (int i = 1; i < argc; i++) {
        t.ranks_are_threads |= strcmp(argv[i], "--threads") == 0;
        is_verbose |= strcmp(argv[i], "--verbose") == 0;
        if (strcmp(argv[i], "--single") == 0)
            wanted = MPI_THREAD_SINGLE;
    }
    t.is_threaded = wanted == MPI_THREAD_MULTIPLE;
    const char *checked = getenv("CORUNNA_CHECK");
    t.is_checked = checked && (*checked == 'y' || *checked == '1');
    check_me = (check_who){suite_tell, &t};
    if (MPI_Init_thread(NULL, NULL, wanted, &provided) != MPI_SUCCESS)
        return 1;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    suite_meet(&t, argc, argv);
    MPI_Comm_rank(t.world, &t.rank);
    MPI_Comm_size(t.world, &t.size);
    t.seed = suite_agree_on_seed(&t);
    CHECK_EQUAL(wanted, provided);
    for (size_t i = 0; i < SUITE_ROWS; i++) {
        const suite_row *row = &suite_rows[i];
        if (t.size < row->min_ranks || (row->max_ranks && t.size > row->max_ranks) ||
            !case_is_wanted(row->group, row->name, argc, argv))
            continue;
        suite_run_case(row, &t, is_verbose);
        cases++;
    }
    if (cases == 0)
        CHECK_FAIL("no case of that name runs on %d ranks", t.size);
    int is_family = t.family != MPI_COMM_NULL;
    suite_part(&t);
    CHECK_OK(MPI_Finalize());
    if (t.rank == 0)
        printf("win: %d cases on %d ranks as %s passed, seed %llu\n", cases, t.size,
               t.ranks_are_threads ? "threads"
               : is_family         ? "parents and children"
                                   : "processes",
               (unsigned long long)t.seed);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--list") == 0) {
        for (size_t i = 0; i < SUITE_ROWS; i++)
            printf("%s.%s %d %d\n", suite_rows[i].group, suite_rows[i].name, suite_rows[i].min_ranks,
                   suite_rows[i].max_ranks);
        return 0;
    }
    if (argc > 2 && strcmp(argv[1], "--threads") == 0) {
        int status = 0;
        for (const char *counts = argv[2]; *counts && status == 0;)
            status = corunna_threads_run(rank_counts_next(&counts), suite_rank, argc, argv);
        return status;
    }
    return suite_rank(argc, argv);
}
