/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spawning CASE [COUNT]: starts COUNT copies of itself, by the case `child-CASE`, and works with them.
 */
#define _GNU_SOURCE
#include "check.h"

#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LONG = 300000 };

static char self[4096];
static int rank, size;

static MPI_Comm spawn_children(const char *name, int count, MPI_Comm comm)
{
    char child[64];
    char *arguments[] = {child, "two words", NULL};
    int codes[64];
    MPI_Comm children;
    snprintf(child, sizeof child, "child-%s", name);
    memset(codes, 0xff, sizeof codes);
    CHECK_OK(MPI_Comm_spawn(self, arguments, count, MPI_INFO_NULL, 0, comm, &children, codes));
    for (int i = 0; i < count; i++)
        CHECK_EQUAL(MPI_SUCCESS, codes[i]);
    return children;
}

static MPI_Comm parent_of(void)
{
    MPI_Comm parent;
    CHECK_OK(MPI_Comm_get_parent(&parent));
    CHECK(parent != MPI_COMM_NULL);
    return parent;
}

/* ---- messages and collective calls across, then one communicator of all
 * ------------------------------------------- */

/* Every member of both sides does this: messages of all lengths, to every rank of the other side. */
static void talk(MPI_Comm inter)
{
    static const int lengths[] = {0, 1, 100, 5000, LONG};
    int here, there, me;
    CHECK_OK(MPI_Comm_rank(inter, &me));
    CHECK_OK(MPI_Comm_size(inter, &here));
    CHECK_OK(MPI_Comm_remote_size(inter, &there));
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        int length = lengths[l];
        MPI_Request requests[128];
        int *out = malloc((size_t)(length + 1) * sizeof *out),
            *in = malloc((size_t)there * (size_t)(length + 1) * sizeof *in);
        for (int i = 0; i < length; i++)
            out[i] = me * LONG + i;
        for (int i = 0; i < there; i++) {
            CHECK_OK(MPI_Irecv(in + (size_t)i * (size_t)length, length, MPI_INT, i, 7, inter, &requests[i]));
            CHECK_OK(MPI_Isend(out, length, MPI_INT, i, 7, inter, &requests[there + i]));
        }
        CHECK_OK(MPI_Waitall(2 * there, requests, MPI_STATUSES_IGNORE));
        for (int i = 0; i < there; i++)
            for (int k = 0; k < length; k++)
                CHECK_EQUAL(i * LONG + k, in[(size_t)i * (size_t)length + (size_t)k]);
        free(out);
        free(in);
    }
}

/* Requests of both jobs are waited for together, and one job answers while a rank waits in the other. */
static void mix(MPI_Comm all)
{
    int me, count, token = 0, value[2] = {0, 0}, index;
    MPI_Request requests[2];
    CHECK_OK(MPI_Comm_rank(all, &me));
    CHECK_OK(MPI_Comm_size(all, &count));
    CHECK_OK(MPI_Irecv(&value[0], 1, MPI_INT, (me + count - 1) % count, 1, all, &requests[0]));
    CHECK_OK(MPI_Irecv(&value[1], 1, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &requests[1]));
    int to_all = me + 1000, to_world = rank + 2000;
    CHECK_OK(MPI_Ssend(&to_all, 0, MPI_INT, me == 0 ? MPI_PROC_NULL : 0, 9, all));
    for (int i = 1; me == 0 && i < count; i++)
        CHECK_OK(MPI_Recv(&token, 1, MPI_INT, MPI_ANY_SOURCE, 9, all, MPI_STATUS_IGNORE));
    MPI_Request sends[2];
    CHECK_OK(MPI_Isend(&to_all, 1, MPI_INT, (me + 1) % count, 1, all, &sends[0]));
    CHECK_OK(MPI_Isend(&to_world, 1, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD, &sends[1]));
    CHECK_OK(MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Wait(&requests[!index], MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Waitall(2, sends, MPI_STATUSES_IGNORE));
    CHECK_EQUAL((me + count - 1) % count + 1000, value[0]);
    CHECK_EQUAL((rank + size - 1) % size + 2000, value[1]);
}

static void together(MPI_Comm inter, int is_child)
{
    MPI_Comm all, half;
    int me, count, sum, root_value = 42, there;
    talk(inter);
    CHECK_OK(MPI_Comm_remote_size(inter, &there));
    CHECK_OK(MPI_Barrier(inter));
    if (is_child)
        CHECK_OK(MPI_Bcast(&root_value, 1, MPI_INT, 0, inter));
    else
        CHECK_OK(MPI_Bcast(&root_value, 1, MPI_INT, rank == 0 ? MPI_ROOT : MPI_PROC_NULL, inter));
    CHECK_EQUAL(42, root_value);
    CHECK_OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, inter));
    CHECK_EQUAL(there * (there - 1) / 2, sum);
    CHECK_OK(MPI_Intercomm_merge(inter, is_child, &all));
    CHECK_OK(MPI_Comm_rank(all, &me));
    CHECK_OK(MPI_Comm_size(all, &count));
    CHECK_EQUAL(size + there, count);
    CHECK_EQUAL(is_child ? there + rank : rank, me);
    for (int i = 0; i < 20; i++) {
        CHECK_OK(MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, all));
        CHECK_EQUAL(count * (count - 1) / 2, sum);
    }
    mix(all);
    char buffer[1000 + MPI_BSEND_OVERHEAD];
    void *detached;
    int bytes, got = 0;
    CHECK_OK(MPI_Buffer_attach(buffer, sizeof buffer));
    CHECK_OK(MPI_Bsend(&me, 1, MPI_INT, (me + 1) % count, 2, all));
    CHECK_OK(MPI_Recv(&got, 1, MPI_INT, (me + count - 1) % count, 2, all, MPI_STATUS_IGNORE));
    CHECK_EQUAL((me + count - 1) % count, got);
    CHECK_OK(MPI_Buffer_detach(&detached, &bytes));
    CHECK_OK(MPI_Comm_split(all, me % 2, me, &half));
    CHECK_OK(MPI_Barrier(half));
    CHECK_OK(MPI_Comm_disconnect(&half));
    CHECK_OK(MPI_Comm_disconnect(&all));
}

static void run_whole(int count)
{
    MPI_Comm children = spawn_children("whole", count, MPI_COMM_WORLD);
    together(children, 0);
    CHECK_OK(MPI_Comm_disconnect(&children));
    CHECK(children == MPI_COMM_NULL);
    /* Both jobs go on by themselves. */
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void child_whole(void)
{
    MPI_Comm parent = parent_of();
    together(parent, 1);
    CHECK_OK(MPI_Comm_disconnect(&parent));
    CHECK_OK(MPI_Comm_get_parent(&parent));
    CHECK(parent == MPI_COMM_NULL);
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* ---- the end without disconnect; children of children; several programs
 * ------------------------------------------- */

static void run_connected(int count)
{
    MPI_Comm children = spawn_children("connected", count, MPI_COMM_WORLD);
    talk(children);
}

static void child_connected(void)
{
    talk(parent_of());
}

static void run_family(int count)
{
    int sum = 0;
    MPI_Comm children = spawn_children("family", count, MPI_COMM_SELF);
    for (int i = 0; i < count; i++) {
        int one;
        CHECK_OK(MPI_Recv(&one, 1, MPI_INT, i, 3, children, MPI_STATUS_IGNORE));
        sum += one;
    }
    CHECK_EQUAL(count * 7, sum);
    CHECK_OK(MPI_Comm_disconnect(&children));
}

static void child_family(void)
{
    int seven = 0;
    MPI_Comm parent = parent_of(), grandchildren = spawn_children("leaf", 1, MPI_COMM_SELF);
    CHECK_OK(MPI_Recv(&seven, 1, MPI_INT, 0, 4, grandchildren, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Comm_disconnect(&grandchildren));
    CHECK_OK(MPI_Send(&seven, 1, MPI_INT, 0, 3, parent));
    CHECK_OK(MPI_Comm_disconnect(&parent));
}

static void child_leaf(void)
{
    int seven = 7;
    MPI_Comm parent = parent_of();
    CHECK_OK(MPI_Send(&seven, 1, MPI_INT, 0, 4, parent));
    CHECK_OK(MPI_Comm_disconnect(&parent));
}

static void run_several(int count)
{
    char *one[] = {"child-several", "1", NULL}, *two[] = {"child-several", "2", NULL};
    char *commands[] = {self, self}, **arguments[] = {one, two};
    int counts[] = {count, 1}, codes[64];
    MPI_Info infos[2] = {MPI_INFO_NULL, MPI_INFO_NULL};
    MPI_Comm children;
    CHECK_OK(MPI_Info_create(&infos[1]));
    CHECK_OK(MPI_Info_set(infos[1], "wdir", "/"));
    CHECK_OK(MPI_Comm_spawn_multiple(2, commands, arguments, counts, infos, 0, MPI_COMM_WORLD, &children, codes));
    CHECK_OK(MPI_Info_free(&infos[1]));
    for (int i = 0; rank == 0 && i < count + 1; i++) {
        int which;
        CHECK_OK(MPI_Recv(&which, 1, MPI_INT, i, 5, children, MPI_STATUS_IGNORE));
        CHECK_EQUAL(i < count ? 1 : 2, which);
    }
    CHECK_OK(MPI_Comm_disconnect(&children));
}

static void child_several(int which)
{
    char where[4096];
    MPI_Comm parent = parent_of();
    CHECK(getcwd(where, sizeof where) != NULL);
    CHECK_EQUAL(which == 2, strcmp(where, "/") == 0);
    CHECK_OK(MPI_Send(&which, 1, MPI_INT, 0, 5, parent));
    CHECK_OK(MPI_Comm_disconnect(&parent));
}

/* A launcher that has ended is forgotten when the next one starts: the program keeps no zombie of it. */
static void run_again(int count)
{
    siginfo_t ended;
    MPI_Comm children = spawn_children("again", count, MPI_COMM_SELF);
    CHECK_OK(MPI_Comm_disconnect(&children));
    CHECK_EQUAL(0, waitid(P_ALL, 0, &ended, WEXITED | WNOWAIT));
    children = spawn_children("again", count, MPI_COMM_SELF);
    CHECK_EQUAL(-1, kill(ended.si_pid, 0));
    CHECK_OK(MPI_Comm_disconnect(&children));
}

static void child_again(void)
{
    MPI_Comm parent = parent_of();
    CHECK_OK(MPI_Comm_disconnect(&parent));
}

/* ---- what goes wrong
 * ---------------------------------------------------------------------------------------------- */

static void run_absent(int count)
{
    MPI_Comm children;
    int codes[64], class = 0;
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    int error = MPI_Comm_spawn("/nonexistent/program", MPI_ARGV_NULL, count, MPI_INFO_NULL, 0, MPI_COMM_WORLD,
                               &children, codes);
    MPI_Error_class(error, &class);
    CHECK_EQUAL(MPI_ERR_SPAWN, class);
    for (int i = 0; i < count; i++)
        CHECK_EQUAL(MPI_ERR_SPAWN, codes[i]);
    /* A program that is no MPI program ends, and is never met. */
    error = MPI_Comm_spawn("/bin/true", MPI_ARGV_NULL, count, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                           MPI_ERRCODES_IGNORE);
    MPI_Error_class(error, &class);
    CHECK_EQUAL(MPI_ERR_SPAWN, class);
    /* The launcher would read it as an option. */
    error = MPI_Comm_spawn("--help", MPI_ARGV_NULL, count, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                           MPI_ERRCODES_IGNORE);
    MPI_Error_class(error, &class);
    CHECK_EQUAL(MPI_ERR_SPAWN, class);
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void check_sentence(int error, const char *expected)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;
    CHECK_OK(MPI_Error_string(error, text, &length));
    if (!strstr(text, expected))
        fprintf(stderr, "\"%s\" lacks \"%s\"\n", text, expected);
    CHECK(strstr(text, expected) != NULL);
}

/* A child dies: a message that waits for it fails, and the program hears of it. */
static void run_killed(int count)
{
    int nothing, class = 0;
    MPI_Request request;
    MPI_Status status;
    MPI_Comm all, children = spawn_children("killed", count, MPI_COMM_WORLD);
    CHECK_OK(MPI_Intercomm_merge(children, 1, &all));
    CHECK_OK(MPI_Comm_set_errhandler(all, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Irecv(&nothing, 1, MPI_INT, 0, 1, all, &request));
    CHECK_OK(MPI_Barrier(all));
    CHECK_OK(MPI_Comm_set_errhandler(children, MPI_ERRORS_RETURN));
    int error = MPI_Recv(&nothing, 1, MPI_INT, 0, 1, children, MPI_STATUS_IGNORE);
    MPI_Error_class(error, &class);
    CHECK_EQUAL(MPI_ERR_PROC_ABORTED, class);
    check_sentence(error, "rank 0 of the remote group is lost");
    /* In a communicator of all, where the children come first, a request that was started before. */
    check_sentence(MPI_Wait(&request, &status), "rank 0 of the communicator is lost");
    check_sentence(MPI_Recv(&nothing, 1, MPI_INT, 0, 1, all, &status), "rank 0 of the communicator is lost");
    check_sentence(MPI_Barrier(all), "rank 0 of the communicator is lost");
    fprintf(stderr, "noticed\n");
    MPI_Abort(MPI_COMM_WORLD, 9);
}

static void child_killed(void)
{
    MPI_Comm all;
    CHECK_OK(MPI_Intercomm_merge(parent_of(), 0, &all));
    CHECK_OK(MPI_Barrier(all));
    if (rank == 0)
        kill(getpid(), SIGKILL);
    for (;;)
        pause();
}

/* The parent is killed from outside: its children end with it. */
static void run_stay(int count)
{
    spawn_children("stay", count, MPI_COMM_WORLD);
    fprintf(stderr, "started\n");
    for (;;)
        pause();
}

static void child_stay(void)
{
    parent_of();
    for (;;)
        pause();
}

/* Two threads in two jobs at once. */
static void *thread_talk(void *inter)
{
    talk(*(MPI_Comm *)inter);
    return NULL;
}

static void both_at_once(MPI_Comm inter)
{
    pthread_t thread;
    CHECK_EQUAL(0, pthread_create(&thread, NULL, thread_talk, &inter));
    for (int i = 0; i < 200; i++) {
        int sum;
        CHECK_OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
        CHECK_EQUAL(size * (size - 1) / 2, sum);
    }
    CHECK_EQUAL(0, pthread_join(thread, NULL));
    CHECK_OK(MPI_Comm_disconnect(&inter));
}

static void run_threads(int count)
{
    both_at_once(spawn_children("threads", count, MPI_COMM_WORLD));
}

static void child_threads(void)
{
    both_at_once(parent_of());
}

/* ---- */

static const struct {
    const char *name;
    void (*run)(int count);
    void (*child)(void);
} cases[] = {
    {"whole", run_whole, child_whole},    {"connected", run_connected, child_connected},
    {"family", run_family, child_family}, {"several", run_several, NULL},
    {"again", run_again, child_again},    {"absent", run_absent, NULL},
    {"killed", run_killed, child_killed}, {"threads", run_threads, child_threads},
    {"leaf", NULL, child_leaf},           {"stay", run_stay, child_stay},
};

int main(int argc, char **argv)
{
    int provided, is_child = argc > 1 && strncmp(argv[1], "child-", 6) == 0;
    const char *name = argc > 1 ? argv[1] + (is_child ? 6 : 0) : "";
    CHECK(realpath("/proc/self/exe", self) != NULL);
    int wanted = strcmp(name, "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
    CHECK_OK(MPI_Init_thread(&argc, &argv, wanted, &provided));
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (is_child && strcmp(name, "several") == 0) {
        child_several(atoi(argv[2]));
    } else {
        size_t i = 0;
        while (i < sizeof cases / sizeof *cases && strcmp(cases[i].name, name) != 0)
            i++;
        CHECK(i < sizeof cases / sizeof *cases);
        if (is_child) {
            CHECK_TEXT("two words", argv[2]);
            cases[i].child();
        } else {
            cases[i].run(argc > 2 ? atoi(argv[2]) : 2);
        }
    }
    MPI_Finalize();
    return 0;
}
