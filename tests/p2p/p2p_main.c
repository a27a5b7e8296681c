/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The suite's program.
 *
 *   corunna run -n 4 p2p [group | group.case]...     ranks are processes
 *   p2p --threads 2,4 [group | group.case]...        ranks are threads of this process, first 2, then 4
 *   p2p --list                                       print the table
 *   ... -flood                                       all but these; case_words.h
 *   ... --single                                     without threads beside MPI: MPI_THREAD_SINGLE
 *   ... --verbose                                    tell the time of every case
 *
 * CORUNNA_TEST_SEED sets the seed; otherwise it is printed, and with every failure. CORUNNA_TEST_SLOW makes cases of
 * volume do less.
 */
#include "suite.h"

#include "case_words.h"
#include "corunna/threads.h"
#include "rank_counts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* One seed for all: rank 0's. */
static uint64_t main_agree_on_seed(int rank)
{
    const char *text = getenv("CORUNNA_TEST_SEED");
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t seed = text ? strtoull(text, NULL, 0) : ((uint64_t)now.tv_sec * 1000000007u + (uint64_t)now.tv_nsec) >> 8;
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int other = 1; rank == 0 && other < size; other++)
        MPI_Send(&seed, 1, MPI_UINT64_T, other, 0, MPI_COMM_WORLD);
    if (rank != 0)
        MPI_Recv(&seed, 1, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return seed;
}

static void main_run_case(const suite_case *c, suite *s, int is_verbose)
{
    char name[128];
    snprintf(name, sizeof name, "%s.%s", c->group, c->name);
    s->case_name = name;
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &s->comm));
    CHECK_OK(MPI_Comm_set_errhandler(s->comm, MPI_ERRORS_RETURN));
    double begin = suite_seconds();
    c->run(s);
    suite_meet(s);
    /* Whatever was sent to this rank has been received: a message that is still there came twice, or from nowhere. */
    int is_left = 0;
    MPI_Status status;
    CHECK_OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, s->comm, &is_left, &status));
    if (is_left)
        CHECK_FAIL("a message from %d with tag %d is left over", status.MPI_SOURCE, status.MPI_TAG);
    CHECK_OK(MPI_Comm_free(&s->comm));
    if (s->rank == 0 && is_verbose)
        printf("  %-36s %8.3f s\n", name, suite_seconds() - begin);
    s->case_name = "between cases";
}

/* What every rank does, be it a process or a thread. */
static int main_rank(int argc, char **argv)
{
    int wanted = MPI_THREAD_MULTIPLE, provided = -1, cases = 0, is_verbose = 0;
    suite s = {.case_name = "start"};
    for (int i = 1; i < argc; i++) {
        s.ranks_are_threads |= strcmp(argv[i], "--threads") == 0;
        is_verbose |= strcmp(argv[i], "--verbose") == 0;
        if (strcmp(argv[i], "--single") == 0)
            wanted = MPI_THREAD_SINGLE;
    }
    check_me = (check_who){suite_tell, &s};
    if (MPI_Init_thread(NULL, NULL, wanted, &provided) != MPI_SUCCESS)
        return 1;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &s.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &s.size);
    s.seed = main_agree_on_seed(s.rank);
    CHECK_EQUAL(wanted, provided);
    for (size_t i = 0; i < suite_case_count; i++) {
        const suite_case *c = &suite_cases[i];
        if (s.size < c->min_ranks || (c->max_ranks && s.size > c->max_ranks) ||
            !case_is_wanted(c->group, c->name, argc, argv))
            continue;
        main_run_case(c, &s, is_verbose);
        cases++;
    }
    if (cases == 0)
        CHECK_FAIL("no case of that name runs on %d ranks", s.size);
    CHECK_OK(MPI_Finalize());
    if (s.rank == 0)
        printf("p2p: %d cases on %d ranks as %s passed, seed %llu\n", cases, s.size,
               s.ranks_are_threads ? "threads" : "processes", (unsigned long long)s.seed);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--list") == 0) {
        for (size_t i = 0; i < suite_case_count; i++)
            printf("%s.%s %d %d\n", suite_cases[i].group, suite_cases[i].name, suite_cases[i].min_ranks,
                   suite_cases[i].max_ranks);
        return 0;
    }
    if (argc > 2 && strcmp(argv[1], "--threads") == 0) {
        int status = 0;
        for (const char *counts = argv[2]; *counts && status == 0;)
            status = corunna_threads_run(rank_counts_next(&counts), main_rank, argc, argv);
        return status;
    }
    return main_rank(argc, argv);
}
