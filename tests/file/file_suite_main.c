/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The suite's program.
 *
 *   corunna run -n 4 file_suite [group | group.case]...     ranks are processes
 *   file_suite --threads 2,4 [group | group.case]...        ranks are threads of this process, first 2, then 4
 *   file_suite --list                                       print the table
 *   ... -random                                             all but these; case_words.h
 *   ... --single                                            without threads beside MPI: MPI_THREAD_SINGLE
 *   ... --verbose                                           print the time of every case
 *
 * CORUNNA_TEST_SEED sets the seed; it is printed otherwise, and with every failure. CORUNNA_TEST_COUNT: accesses of the
 * random program. FILE_TEST_FOLDER: where the folder of the files is made, else TMPDIR, else /tmp.
 */
#define _GNU_SOURCE
#include "file_suite.h"

#include "case_words.h"
#include "rank_counts.h"

#if __has_include("corunna/threads.h")
#include "corunna/threads.h"
#endif

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct suite_row {
    const char *group, *name;
    void (*run)(test *t);
    int min_ranks, max_ranks; /* max 0: no limit */
} suite_row;

static const suite_row suite_rows[] = {
#define FILE_CASE(group, name, min_ranks, max_ranks) {#group, #name, case_##group##_##name, min_ranks, max_ranks},
#include "file_cases.def"
#undef FILE_CASE
};
enum { SUITE_ROWS = sizeof suite_rows / sizeof suite_rows[0] };

/* ---- the folder -------------------------------------------------------------------------------------------------- */

static char suite_folder[PATH_MAX]; /* in the process that made it */

static void suite_folder_remove(void)
{
    if (*suite_folder)
        test_folder_remove(suite_folder, 1);
    suite_folder[0] = '\0';
}

/* Rank 0 makes it. A check that fails there ends the process by quick_exit; one that fails elsewhere lets the launcher
 * end it by SIGTERM, or file_folder.sh, which all tests have around them, removes it. */
static void suite_folder_make(test *t)
{
    const char *base = getenv("FILE_TEST_FOLDER") ? getenv("FILE_TEST_FOLDER") : getenv("TMPDIR");
    if (t->rank == 0) {
        snprintf(suite_folder, sizeof suite_folder, "%s/file_suite.XXXXXX", base && *base ? base : "/tmp");
        if (!mkdtemp(suite_folder)) {
            int reason = errno;
            suite_folder[0] = '\0';
            CHECK_FAIL("no folder in %s: %s", base && *base ? base : "/tmp", strerror(reason));
        }
        strcpy(t->folder, suite_folder);
        at_quick_exit(suite_folder_remove);
    }
    CHECK_OK(MPI_Bcast(t->folder, sizeof t->folder, MPI_CHAR, 0, MPI_COMM_WORLD));
}

/* A case deletes its files or leaves them; what it has not made itself, hidden files say, must not be there. */
static void suite_folder_empty(test *t)
{
    const struct dirent *entry;
    DIR *files = opendir(t->folder);
    CHECK(files);
    while ((entry = readdir(files)) != NULL)
        if (entry->d_name[0] == '.' && strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            CHECK_FAIL("the library has left '%s'", entry->d_name);
    closedir(files);
    test_folder_remove(t->folder, 0);
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

/* One seed for all: rank 0's. */
static uint64_t suite_agree_on_seed(void)
{
    const char *text = getenv("CORUNNA_TEST_SEED");
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t seed = text ? strtoull(text, NULL, 0) : ((uint64_t)now.tv_sec * 1000000007u + (uint64_t)now.tv_nsec) >> 8;
    CHECK_OK(MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD));
    return seed;
}

static void suite_run_case(const suite_row *row, test *t, int is_verbose)
{
    char name[128];
    snprintf(name, sizeof name, "%s.%s", row->group, row->name);
    t->name = name;
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &t->comm));
    CHECK_OK(MPI_Comm_set_errhandler(t->comm, MPI_ERRORS_RETURN));
    double begin = MPI_Wtime();
    row->run(t);
    t->detail[0] = '\0';
    CHECK_OK(MPI_Barrier(t->comm));
    if (t->rank == 0)
        suite_folder_empty(t);
    CHECK_OK(MPI_Barrier(t->comm));
    CHECK_OK(MPI_Comm_free(&t->comm));
    if (t->rank == 0 && is_verbose)
        printf("  %-36s %8.3f s\n", name, MPI_Wtime() - begin), fflush(stdout);
    t->name = "between cases";
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
    check_me = (check_who){test_tell, &t};
    if (MPI_Init_thread(NULL, NULL, wanted, &provided) != MPI_SUCCESS)
        return 1;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &t.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &t.size);
    t.seed = suite_agree_on_seed();
    suite_folder_make(&t);
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
    if (t.rank == 0)
        suite_folder_remove();
    CHECK_OK(MPI_Finalize());
    if (t.rank == 0)
        printf("file: %d cases on %d ranks as %s passed, seed %llu\n", cases, t.size,
               t.ranks_are_threads ? "threads" : "processes", (unsigned long long)t.seed);
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
#if __has_include("corunna/threads.h")
    if (argc > 2 && strcmp(argv[1], "--threads") == 0) {
        int status = 0;
        for (const char *counts = argv[2]; *counts && status == 0;)
            status = corunna_threads_run(rank_counts_next(&counts), suite_rank, argc, argv);
        return status;
    }
#endif
    return suite_rank(argc, argv);
}
