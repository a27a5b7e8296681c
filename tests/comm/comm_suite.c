/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "comm_suite.h"

#include "case_words.h"
#include "corunna/threads.h"
#include "rank_counts.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- checks ----------------------------------------------------------------------------------------------------- */

static void test_tell(FILE *to, const void *context)
{
    const test *t = context;
    fprintf(to, "  rank %d of %d, case %s\n", t->rank, t->size, t->name);
}

int test_places(const test *t, long long *places)
{
    struct stat space;
    int together = 0;
    long long mine = stat("/proc/self/ns/pid", &space) == 0 ? (long long)space.st_ino : -(long long)getpid();
    CHECK_OK(MPI_Allgather(&mine, 1, MPI_LONG_LONG, places, 1, MPI_LONG_LONG, t->comm));
    for (int i = 0; i < t->size; i++)
        together += places[i] == mine;
    return together;
}

void test_ring(MPI_Comm comm)
{
    int rank, size, got[2] = {-1, -1}, context;
    MPI_Status status;
    CHECK_OK(MPI_Comm_rank(comm, &rank));
    CHECK_OK(MPI_Comm_size(comm, &size));
    /* All members say the same here if they are in the same communicator. */
    context = size * 1000 + 7;
    int out[2] = {rank, context};
    CHECK_OK(MPI_Sendrecv(out, 2, MPI_INT, (rank + 1) % size, 3, got, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm,
                          &status));
    CHECK_EQUAL((rank + size - 1) % size, got[0]);
    CHECK_EQUAL((rank + size - 1) % size, status.MPI_SOURCE);
    CHECK_EQUAL(context, got[1]);
    CHECK_OK(MPI_Barrier(comm));
}

void test_members(const test *t, MPI_Comm comm, int count, const int *ranks)
{
    MPI_Group mine, all;
    int size, found;
    CHECK_OK(MPI_Comm_group(comm, &mine));
    CHECK_OK(MPI_Comm_group(t->comm, &all));
    CHECK_OK(MPI_Group_size(mine, &size));
    CHECK_EQUAL(count, size);
    for (int i = 0; i < count; i++) {
        CHECK_OK(MPI_Group_translate_ranks(mine, 1, &i, all, &found));
        CHECK_EQUAL(ranks[i], found);
    }
    CHECK_OK(MPI_Group_free(&mine));
    CHECK_OK(MPI_Group_free(&all));
}

/* ---- threads ---------------------------------------------------------------------------------------------------- */

typedef struct thread_start {
    void (*body)(void *context, int number);
    void *context;
    int number;
    corunna_thread_rank *rank; /* NULL: the process has but one */
    check_who who;
} thread_start;

static void *thread_main(void *argument)
{
    thread_start *start = argument;
    check_me = start->who;
    corunna_threads_adopt(start->rank);
    start->body(start->context, start->number);
    corunna_threads_adopt(NULL);
    return NULL;
}

void test_in_threads(const test *t, int count, void (*body)(void *context, int number), void *context)
{
    (void)t;
    enum { MOST = 16 };
    pthread_t threads[MOST];
    thread_start starts[MOST];
    CHECK(count <= MOST);
    for (int i = 0; i < count; i++) {
        starts[i] = (thread_start){body, context, i, corunna_threads_self(), check_me};
        CHECK_EQUAL(0, pthread_create(&threads[i], NULL, thread_main, &starts[i]));
    }
    for (int i = 0; i < count; i++)
        CHECK_EQUAL(0, pthread_join(threads[i], NULL));
}

/* ---- this and that ---------------------------------------------------------------------------------------------- */

unsigned test_random(unsigned long long *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(*state >> 33);
}

long test_resident_kib(void)
{
    long pages = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file) {
        if (fscanf(file, "%ld %ld", &pages, &resident) != 2)
            resident = 0;
        fclose(file);
    }
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

/* ---- the program ------------------------------------------------------------------------------------------------ */

typedef struct suite_row {
    const char *group, *name;
    void (*run)(const test *t);
    int min_ranks;
} suite_row;

static const suite_row suite_rows[] = {
#define COMM_CASE(group, name, min_ranks) {#group, #name, case_##group##_##name, min_ranks},
#include "comm_cases.def"
#undef COMM_CASE
};

static void suite_run_case(const suite_row *row, test *t, int is_verbose)
{
    char name[128];
    snprintf(name, sizeof name, "%s.%s", row->group, row->name);
    t->name = name;
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &t->comm));
    CHECK_OK(MPI_Comm_set_errhandler(t->comm, MPI_ERRORS_RETURN));
    double begin = MPI_Wtime();
    row->run(t);
    CHECK_OK(MPI_Barrier(t->comm));
    CHECK_OK(MPI_Comm_free(&t->comm));
    if (t->rank == 0 && is_verbose)
        printf("  %-36s %8.3f s\n", name, MPI_Wtime() - begin);
    t->name = "between cases";
}

/* What every rank does, be it a process or a thread. */
static int suite_rank(int argc, char **argv)
{
    int provided = -1, cases = 0, is_verbose = 0, level = MPI_THREAD_MULTIPLE;
    test t = {.name = "start"};
    for (int i = 1; i < argc; i++) {
        is_verbose |= strcmp(argv[i], "--verbose") == 0;
        if (strcmp(argv[i], "--single") == 0)
            level = MPI_THREAD_SINGLE;
    }
    check_me = (check_who){test_tell, &t};
    if (MPI_Init_thread(NULL, NULL, level, &provided) != MPI_SUCCESS)
        return 1;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &t.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &t.size);
    CHECK_EQUAL(level, provided);
    for (size_t i = 0; i < sizeof suite_rows / sizeof *suite_rows; i++) {
        const suite_row *row = &suite_rows[i];
        if (t.size < row->min_ranks || !case_is_wanted(row->group, row->name, argc, argv))
            continue;
        /* Without threads of its own a rank cannot run these. */
        if (level == MPI_THREAD_SINGLE && strstr(row->name, "thread"))
            continue;
        suite_run_case(row, &t, is_verbose);
        cases++;
    }
    if (cases == 0)
        CHECK_FAIL("no case of that name runs on %d ranks", t.size);
    CHECK_OK(MPI_Finalize());
    if (t.rank == 0)
        printf("comm: %d cases on %d ranks passed\n", cases, t.size);
    return 0;
}

int main(int argc, char **argv)
{
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], "--threads") == 0) {
            int status = 0;
            for (const char *counts = argv[i + 1]; *counts && status == 0;)
                status = corunna_threads_run(rank_counts_next(&counts), suite_rank, argc, argv);
            return status;
        }
    return suite_rank(argc, argv);
}
