/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sessions, in every order with MPI_Init and MPI_Finalize. Each case is a program; sessions.sh runs them in all ways.
 *
 *   cface_sessions CASE [RANKS]    as threads, if RANKS are given; else alone, or as a rank of a launcher
 */
#define _GNU_SOURCE
#include "sessions.h"

#include <corunna/threads.h>
#include <dirent.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

static int is_in_threads;

/* ---- tools ------------------------------------------------------------------------------------------------------ */

void expect_error(int code, int error_class, const char *fragment)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;
    CHECK_EQUAL(error_class, code);
    CHECK_OK(MPI_Error_string(code, text, &length));
    if (!strstr(text, fragment))
        CHECK_FAIL("the sentence is \"%s\", without \"%s\"", text, fragment);
}

MPI_Session session_open(void)
{
    MPI_Session session = MPI_SESSION_NULL;
    CHECK_OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
    CHECK(session != MPI_SESSION_NULL);
    return session;
}

MPI_Comm session_comm(MPI_Session session, const char *pset, const char *tag)
{
    MPI_Group group;
    MPI_Comm comm;
    CHECK_OK(MPI_Group_from_session_pset(session, pset, &group));
    CHECK_OK(MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    CHECK_OK(MPI_Group_free(&group));
    return comm;
}

int job_size(MPI_Session session)
{
    MPI_Info info;
    char value[16];
    int length = sizeof value, flag;
    CHECK_OK(MPI_Session_get_pset_info(session, "mpi://WORLD", &info));
    CHECK_OK(MPI_Info_get_string(info, "mpi_size", &length, value, &flag));
    CHECK(flag);
    CHECK_OK(MPI_Info_free(&info));
    return atoi(value);
}

library library_open(const char *tag)
{
    library self = {.session = session_open(), .tag = tag};
    self.comm = session_comm(self.session, "mpi://WORLD", tag);
    CHECK_OK(MPI_Comm_rank(self.comm, &self.rank));
    CHECK_OK(MPI_Comm_size(self.comm, &self.ranks));
    return self;
}

static void use_comm(MPI_Comm comm)
{
    int rank, ranks, sum = 0, got = -1;
    CHECK_OK(MPI_Comm_rank(comm, &rank));
    CHECK_OK(MPI_Comm_size(comm, &ranks));
    CHECK_OK(MPI_Allreduce(&(int){rank + 1}, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK_EQUAL(ranks * (ranks + 1) / 2, sum);
    CHECK_OK(MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % ranks, 3, &got, 1, MPI_INT, (rank + ranks - 1) % ranks, 3,
                          comm, MPI_STATUS_IGNORE));
    CHECK_EQUAL((rank + ranks - 1) % ranks, got);
}

void library_use(const library *self)
{
    MPI_Comm dup, half, again;
    MPI_Group group;
    use_comm(self->comm);
    CHECK_OK(MPI_Comm_dup(self->comm, &dup));
    CHECK_OK(MPI_Comm_split(dup, self->rank % 2, 0, &half));
    use_comm(dup);
    use_comm(half);
    /* A group of a communicator is of its session, too. */
    CHECK_OK(MPI_Comm_group(half, &group));
    CHECK_OK(MPI_Comm_create_from_group(group, self->tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &again));
    CHECK_OK(MPI_Group_free(&group));
    CHECK_OK(MPI_Comm_free(&half));
    use_comm(again);
    CHECK_OK(MPI_Comm_free(&again));
    CHECK_OK(MPI_Comm_free(&dup));
}

void library_close(library *self)
{
    CHECK_OK(MPI_Comm_free(&self->comm));
    CHECK_OK(MPI_Session_finalize(&self->session));
    CHECK(self->session == MPI_SESSION_NULL);
}

static void check_world(int is_initialized, int is_finalized)
{
    int flag;
    CHECK(MPI_Initialized(&flag) == MPI_SUCCESS && flag == is_initialized);
    CHECK(MPI_Finalized(&flag) == MPI_SUCCESS && flag == is_finalized);
}

/* ---- orders ----------------------------------------------------------------------------------------------------- */

static int case_plain(void)
{
    library one = library_open("one");
    check_world(0, 0);
    library_use(&one);
    library_close(&one);
    check_world(0, 0);
    return 0;
}

/* Two at once, and the same tag in both, one after the other. */
static int case_two(void)
{
    for (int is_same = 0; is_same < 2; is_same++) {
        library one = library_open("one"), other = library_open(is_same ? "one" : "other");
        int result;
        library_use(&one);
        library_use(&other);
        CHECK_OK(MPI_Comm_compare(one.comm, other.comm, &result));
        CHECK_EQUAL(MPI_CONGRUENT, result);
        library_close(&one);
        library_use(&other);
        library_close(&other);
    }
    return 0;
}

static void init_world(void)
{
    CHECK_OK(MPI_Init(NULL, NULL));
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    use_comm(MPI_COMM_WORLD);
    use_comm(MPI_COMM_SELF);
    check_world(1, 0);
}

/* MPI_Init and MPI_Finalize within a session. */
static int case_within(void)
{
    library one = library_open("one");
    MPI_Comm left;
    init_world();
    library_use(&one);
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &left)); /* ends with the world */
    use_comm(left);
    CHECK_OK(MPI_Finalize());
    check_world(1, 1);
    library_use(&one);
    library other = library_open("other");
    library_use(&other);
    library_close(&other);
    library_close(&one);
    return 0;
}

/* A session within MPI_Init and MPI_Finalize. */
static int case_around(void)
{
    init_world();
    library one = library_open("one");
    library_use(&one);
    use_comm(MPI_COMM_WORLD);
    library_close(&one);
    use_comm(MPI_COMM_WORLD);
    CHECK_OK(MPI_Finalize());
    return 0;
}

/* MPI_Init first, the session last; and one more after both. */
static int case_across(void)
{
    init_world();
    library one = library_open("one");
    CHECK_OK(MPI_Finalize());
    library_use(&one);
    library_close(&one);
    library other = library_open("one");
    library_use(&other);
    library_close(&other);
    return 0;
}

/* Sessions before, and after. */
static int case_apart(void)
{
    library one = library_open("one");
    library_use(&one);
    library_close(&one);
    init_world();
    CHECK_OK(MPI_Finalize());
    check_world(1, 1);
    one = library_open("one");
    library_use(&one);
    library_close(&one);
    return 0;
}

/* Rank 0 has sessions only, the others the world only; a communicator of both. */
static int case_mixed(void)
{
    library probe = {.session = MPI_SESSION_NULL};
    const char *rank = getenv("PMI_RANK");
    MPI_Group group;
    if (rank && atoi(rank) > 0) {
        CHECK_OK(MPI_Init(NULL, NULL));
        CHECK_OK(MPI_Comm_group(MPI_COMM_WORLD, &group));
        CHECK_OK(MPI_Comm_create_from_group(group, "mixed", MPI_INFO_NULL, MPI_ERRORS_RETURN, &probe.comm));
        CHECK_OK(MPI_Group_free(&group));
        use_comm(probe.comm);
        CHECK_OK(MPI_Comm_free(&probe.comm));
        return MPI_Finalize();
    }
    probe = library_open("mixed");
    use_comm(probe.comm);
    library_close(&probe);
    return 0;
}

/* After a MPI_Finalize without sessions: only a process without a launcher may begin again. */
static int case_reopen(void)
{
    init_world();
    MPI_Comm left;
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &left));
    CHECK_OK(MPI_Finalize());
    if (is_in_threads || getenv("PMI_FD")) {
        MPI_Session session;
        expect_error(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session), MPI_ERR_OTHER,
                     "MPI_Session_init: MPI_Finalize has ended");
        return 0;
    }
    for (int i = 0; i < 3; i++) {
        library one = library_open("one");
        library_use(&one);
        library_close(&one);
    }
    return 0;
}

/* ---- many ------------------------------------------------------------------------------------------------------- */

static int count_descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int count = 0;
    CHECK(folder);
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

static void cycle(int i)
{
    MPI_Session session = session_open();
    MPI_Group group;
    CHECK_OK(MPI_Group_from_session_pset(session, "mpi://WORLD", &group));
    if (i % 50 == 0) {
        MPI_Comm comm;
        CHECK_OK(MPI_Comm_create_from_group(group, "cycle", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
        CHECK_OK(MPI_Barrier(comm));
        if (i % 100 == 0)
            CHECK_OK(MPI_Comm_free(&comm));
    }
    CHECK_OK(MPI_Group_free(&group));
    CHECK_OK(MPI_Session_finalize(&session));
}

/* Ten thousand sessions need no more memory and no more descriptors than the first thousand. */
static int case_cycles(void)
{
    enum { CYCLES = 10000, WARM = 1000, SLACK_BYTES = 64 << 10, SLACK_DESCRIPTORS = 4 };
    size_t bytes = 0;
    int descriptors = 0;
    for (int i = 0; i < CYCLES; i++) {
        cycle(i);
        if (i == WARM) {
            bytes = mallinfo2().uordblks;
            descriptors = count_descriptors();
        }
    }
    if (is_in_threads) /* the others are in the middle of something */
        return 0;
    /* A rank opens some when it first sleeps, whenever that is. */
    if (count_descriptors() > descriptors + SLACK_DESCRIPTORS)
        CHECK_FAIL("%d descriptors after the first %d sessions, %d after all", descriptors, WARM, count_descriptors());
    if (mallinfo2().uordblks > bytes + SLACK_BYTES)
        CHECK_FAIL("%zu bytes after the first %d sessions, %zu after all", bytes, WARM, mallinfo2().uordblks);
    return 0;
}

/* ---- all -------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    int (*body)(void);
} cases[] = {
    {"plain", case_plain},
    {"two", case_two},
    {"within", case_within},
    {"around", case_around},
    {"across", case_across},
    {"apart", case_apart},
    {"mixed", case_mixed},
    {"reopen", case_reopen},
    {"cycles", case_cycles},
    {"psets", case_psets},
    {"subgroups", case_subgroups},
    {"handlers", case_handlers},
    {"buffers", case_buffers},
    {"windows", case_windows},
    {"left", case_left},
    {"many_left", case_many_left},
    {"levels", case_levels},
    {"several_threads", case_several_threads},
    {"waiting_thread", case_waiting_thread},
    {"fork", case_fork},
    {"world", case_world},
    {"abort", case_abort},
    {"open", case_open},
    {"death", case_death},
    {"status", case_status},
    {"early", case_early},
    {"check", case_check},
};

static int body(int argc, char **argv)
{
    (void)argc;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (strcmp(cases[i].name, argv[1]) == 0)
            return cases[i].body();
    CHECK_FAIL("there is no case %s", argv[1]);
}

int main(int argc, char **argv)
{
    CHECK(argc > 1);
    is_in_threads = argc > 2;
    return is_in_threads ? corunna_threads_run(atoi(argv[2]), body, argc, argv) : body(argc, argv);
}
