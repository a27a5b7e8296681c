/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranks that wait while the last one of them dies.
 *
 *     survivor CASE fatal|return
 *
 * The last rank kills itself shortly after the barrier, or, in cases that repeat, in the middle of them. All others
 * wait in the call of the case. With `fatal` the library is to end them; with `return` each writes `told RANK
 * SENTENCE`, goes on to work with the other survivors, finalizes and exits with 0.
 *
 * SURVIVOR_SIGNAL=mine: each has a handler of its own for SIGUSR1, which writes `signalled`; SURVIVOR_SIGNAL=raise: all
 * send themselves that signal once they have met.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum {
    SURVIVOR_DEATH_MS = 300,
    SURVIVOR_LONG = 1 << 20, /* bytes: beyond every eager limit, several pieces on a board */
    SURVIVOR_WORDS = 100,
};

typedef struct survivor {
    int rank, size, victim;
    MPI_Comm survivors;
    char *data, *more; /* SURVIVOR_LONG for each rank */
} survivor;

/* ---- point to point --------------------------------------------------------------------------------------------- */

static int wait_recv(survivor *m)
{
    return MPI_Recv(m->data, 8, MPI_BYTE, m->victim, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static int wait_recv_any(survivor *m)
{
    return MPI_Recv(m->data, 8, MPI_BYTE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static int wait_send(survivor *m)
{
    return MPI_Send(m->data, SURVIVOR_LONG, MPI_BYTE, m->victim, 1, MPI_COMM_WORLD);
}

/* Short messages, until nothing more fits. */
static int wait_full(survivor *m)
{
    int rc = MPI_SUCCESS;
    while (rc == MPI_SUCCESS)
        rc = MPI_Send(m->data, 64, MPI_BYTE, m->victim, 1, MPI_COMM_WORLD);
    return rc;
}

static int wait_ssend(survivor *m)
{
    return MPI_Ssend(m->data, 8, MPI_BYTE, m->victim, 1, MPI_COMM_WORLD);
}

static int wait_wait(survivor *m)
{
    MPI_Request request;
    int rc = MPI_Irecv(m->data, SURVIVOR_LONG, MPI_BYTE, m->victim, 1, MPI_COMM_WORLD, &request);
    return rc == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : rc;
}

static int wait_test(survivor *m)
{
    MPI_Request request;
    int done = 0, rc = MPI_Irecv(m->data, 8, MPI_BYTE, m->victim, 1, MPI_COMM_WORLD, &request);
    while (rc == MPI_SUCCESS && !done)
        rc = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    return rc;
}

static int wait_probe(survivor *m)
{
    MPI_Status status;
    return MPI_Probe(m->victim, 1, MPI_COMM_WORLD, &status);
}

static int wait_probe_any(survivor *m)
{
    MPI_Status status;
    (void)m;
    return MPI_Probe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
}

/* What the victim has sent before its end can be received after it; the next receive cannot be answered. */
static int wait_words(survivor *m)
{
    usleep((SURVIVOR_DEATH_MS + 500) * 1000);
    for (int i = 0; i < SURVIVOR_WORDS; i++) {
        int word = -1, rc = MPI_Recv(&word, 1, MPI_INT, m->victim, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rc != MPI_SUCCESS || word != i) {
            fprintf(stderr, "survivor: rank %d: word %d of the dead rank: %d, code %d\n", m->rank, i, word, rc);
            exit(4);
        }
    }
    return wait_recv(m);
}

static void say_words(survivor *m)
{
    for (int peer = 0; peer < m->victim; peer++)
        for (int i = 0; i < SURVIVOR_WORDS; i++)
            MPI_Send(&i, 1, MPI_INT, peer, 2, MPI_COMM_WORLD);
}

/* ---- collectives ------------------------------------------------------------------------------------------------ */

static int wait_barrier(survivor *m)
{
    (void)m;
    return MPI_Barrier(MPI_COMM_WORLD);
}

static int wait_bcast(survivor *m)
{
    return MPI_Bcast(m->data, 8, MPI_BYTE, m->victim, MPI_COMM_WORLD);
}

static int wait_bcast_long(survivor *m)
{
    int rc = MPI_Bcast(m->data, SURVIVOR_LONG, MPI_BYTE, 0, MPI_COMM_WORLD);
    /* A rank that only reads may have all it needs without the dead one. */
    return rc == MPI_SUCCESS ? MPI_Barrier(MPI_COMM_WORLD) : rc;
}

static int wait_allreduce(survivor *m)
{
    return MPI_Allreduce(m->data, m->more, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static int wait_allreduce_long(survivor *m)
{
    return MPI_Allreduce(m->data, m->more, SURVIVOR_LONG / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static int wait_reduce_long(survivor *m)
{
    int rc = MPI_Reduce(m->data, m->more, SURVIVOR_LONG / 8, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    return rc == MPI_SUCCESS ? MPI_Barrier(MPI_COMM_WORLD) : rc;
}

static int wait_gather_long(survivor *m)
{
    int rc = MPI_Gather(m->data, SURVIVOR_LONG, MPI_BYTE, m->more, SURVIVOR_LONG, MPI_BYTE, 0, MPI_COMM_WORLD);
    return rc == MPI_SUCCESS ? MPI_Barrier(MPI_COMM_WORLD) : rc;
}

static int wait_scatter_long(survivor *m)
{
    return MPI_Scatter(m->data, SURVIVOR_LONG, MPI_BYTE, m->more, SURVIVOR_LONG, MPI_BYTE, m->victim, MPI_COMM_WORLD);
}

static int wait_allgather_long(survivor *m)
{
    return MPI_Allgather(m->data, SURVIVOR_LONG, MPI_BYTE, m->more, SURVIVOR_LONG, MPI_BYTE, MPI_COMM_WORLD);
}

static int wait_alltoall_long(survivor *m)
{
    return MPI_Alltoall(m->data, SURVIVOR_LONG, MPI_BYTE, m->more, SURVIVOR_LONG, MPI_BYTE, MPI_COMM_WORLD);
}

static int wait_scan_long(survivor *m)
{
    int rc = MPI_Scan(m->data, m->more, SURVIVOR_LONG / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return rc == MPI_SUCCESS ? MPI_Barrier(MPI_COMM_WORLD) : rc;
}

static int wait_ibarrier(survivor *m)
{
    MPI_Request request;
    (void)m;
    int rc = MPI_Ibarrier(MPI_COMM_WORLD, &request);
    return rc == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : rc;
}

static int wait_iallreduce(survivor *m)
{
    MPI_Request request;
    int rc = MPI_Iallreduce(m->data, m->more, SURVIVOR_LONG / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    return rc == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : rc;
}

/* By a tree (see main): inner ranks first receive the lengths of the blocks. */
static int igatherv(survivor *m, int root)
{
    MPI_Request request;
    int *counts = calloc((size_t)m->size * 2, sizeof *counts), *places = counts + m->size;
    for (int i = 0; i < m->size; i++) {
        counts[i] = SURVIVOR_LONG / (i + 1);
        places[i] = i * SURVIVOR_LONG;
    }
    int rc = MPI_Igatherv(m->data, counts[m->rank], MPI_BYTE, m->more, counts, places, MPI_BYTE, root, MPI_COMM_WORLD,
                          &request);
    if (rc == MPI_SUCCESS)
        rc = MPI_Wait(&request, MPI_STATUS_IGNORE);
    free(counts);
    return rc;
}

static int wait_igatherv(survivor *m)
{
    int rc = igatherv(m, 0);
    return rc == MPI_SUCCESS ? MPI_Barrier(MPI_COMM_WORLD) : rc;
}

/* A persistent one, started again after it has failed. */
static int wait_persistent(survivor *m)
{
    MPI_Request request;
    int rc = MPI_Allreduce_init(m->data, m->more, 16, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int i = 0; i < 2; i++) {
        rc = MPI_Start(&request);
        if (rc == MPI_SUCCESS)
            rc = MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (rc == MPI_SUCCESS)
            return rc;
    }
    MPI_Request_free(&request);
    return rc;
}

static int wait_dup(survivor *m)
{
    MPI_Comm copy;
    (void)m;
    return MPI_Comm_dup(MPI_COMM_WORLD, &copy);
}

static int wait_split(survivor *m)
{
    MPI_Comm part;
    return MPI_Comm_split(MPI_COMM_WORLD, m->rank % 2, 0, &part);
}

/* The library's own end: it may say what it has found, and ends the rank. */
static int wait_finalize(survivor *m)
{
    (void)m;
    MPI_Finalize();
    exit(5);
}

/* ---- on and on, until one dies in the midst --------------------------------------------------------------------- */

static int loop_allreduce(survivor *m)
{
    int rc = MPI_SUCCESS;
    while (rc == MPI_SUCCESS)
        rc = wait_allreduce(m);
    return rc;
}

static int loop_allreduce_long(survivor *m)
{
    int rc = MPI_SUCCESS;
    while (rc == MPI_SUCCESS)
        rc = wait_allreduce_long(m);
    return rc;
}

static int loop_bcast_long(survivor *m)
{
    int rc = MPI_SUCCESS;
    for (int root = 0; rc == MPI_SUCCESS; root = (root + 1) % m->size)
        rc = MPI_Bcast(m->data, SURVIVOR_LONG, MPI_BYTE, root, MPI_COMM_WORLD);
    return rc;
}

static int loop_alltoall_long(survivor *m)
{
    int rc = MPI_SUCCESS;
    while (rc == MPI_SUCCESS)
        rc = wait_alltoall_long(m);
    return rc;
}

static int loop_scatter_long(survivor *m)
{
    int rc = MPI_SUCCESS;
    for (int root = 0; rc == MPI_SUCCESS; root = (root + 1) % m->size)
        rc = MPI_Scatter(m->data, SURVIVOR_LONG, MPI_BYTE, m->more, SURVIVOR_LONG, MPI_BYTE, root, MPI_COMM_WORLD);
    return rc;
}

static int loop_iallreduce(survivor *m)
{
    int rc = MPI_SUCCESS;
    while (rc == MPI_SUCCESS)
        rc = wait_iallreduce(m);
    return rc;
}

static int loop_igatherv(survivor *m)
{
    int rc = MPI_SUCCESS;
    for (int root = 0; rc == MPI_SUCCESS; root = (root + 1) % m->size)
        rc = igatherv(m, root);
    return rc;
}

/* Long ones with the one that dies, both ways at once. It takes the others in turn. */
static int loop_sendrecv(survivor *m)
{
    int rc = MPI_SUCCESS;
    for (int turn = 0; rc == MPI_SUCCESS; turn = (turn + 1) % m->victim) {
        int peer = m->rank == m->victim ? turn : m->victim;
        rc = MPI_Sendrecv(m->data, SURVIVOR_LONG, MPI_BYTE, peer, 1, m->more, SURVIVOR_LONG, MPI_BYTE, peer, 1,
                          MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return rc;
}

/* ---- the cases -------------------------------------------------------------------------------------------------- */

typedef struct survivor_case {
    const char *name;
    int (*wait)(survivor *m);
    void (*last_words)(survivor *m);
    int is_loop;
} survivor_case;

static const survivor_case cases[] = {
    {"recv", wait_recv, NULL, 0},
    {"recv_any", wait_recv_any, NULL, 0},
    {"send", wait_send, NULL, 0},
    {"full", wait_full, NULL, 0},
    {"ssend", wait_ssend, NULL, 0},
    {"wait", wait_wait, NULL, 0},
    {"test", wait_test, NULL, 0},
    {"probe", wait_probe, NULL, 0},
    {"probe_any", wait_probe_any, NULL, 0},
    {"words", wait_words, say_words, 0},
    {"barrier", wait_barrier, NULL, 0},
    {"bcast", wait_bcast, NULL, 0},
    {"bcast_long", wait_bcast_long, NULL, 0},
    {"allreduce", wait_allreduce, NULL, 0},
    {"allreduce_long", wait_allreduce_long, NULL, 0},
    {"reduce_long", wait_reduce_long, NULL, 0},
    {"gather_long", wait_gather_long, NULL, 0},
    {"scatter_long", wait_scatter_long, NULL, 0},
    {"allgather_long", wait_allgather_long, NULL, 0},
    {"alltoall_long", wait_alltoall_long, NULL, 0},
    {"scan_long", wait_scan_long, NULL, 0},
    {"ibarrier", wait_ibarrier, NULL, 0},
    {"iallreduce", wait_iallreduce, NULL, 0},
    {"igatherv", wait_igatherv, NULL, 0},
    {"persistent", wait_persistent, NULL, 0},
    {"dup", wait_dup, NULL, 0},
    {"split", wait_split, NULL, 0},
    {"finalize", wait_finalize, NULL, 0},
    {"loop_allreduce", loop_allreduce, NULL, 1},
    {"loop_allreduce_long", loop_allreduce_long, NULL, 1},
    {"loop_bcast_long", loop_bcast_long, NULL, 1},
    {"loop_alltoall_long", loop_alltoall_long, NULL, 1},
    {"loop_scatter_long", loop_scatter_long, NULL, 1},
    {"loop_iallreduce", loop_iallreduce, NULL, 1},
    {"loop_igatherv", loop_igatherv, NULL, 1},
    {"loop_sendrecv", loop_sendrecv, NULL, 1},
};

static const survivor_case *find_case(const char *name)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (strcmp(cases[i].name, name) == 0)
            return &cases[i];
    return NULL;
}

static void die(int signal_number)
{
    (void)signal_number;
    kill(getpid(), SIGKILL);
}

static void be_victim(survivor *m, const survivor_case *which)
{
    if (which->last_words)
        which->last_words(m);
    if (which->is_loop) {
        struct itimerval timer = {.it_value = {.tv_usec = SURVIVOR_DEATH_MS * 1000}};
        signal(SIGALRM, die);
        setitimer(ITIMER_REAL, &timer, NULL);
        which->wait(m);
    }
    usleep(SURVIVOR_DEATH_MS * 1000);
    die(0);
}

/* Those that are left can still work together; what all did together cannot be done any more. */
static void go_on(survivor *m)
{
    int one = 1, sum = 0, rc = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, m->survivors);
    if (rc != MPI_SUCCESS || sum != m->size - 1) {
        fprintf(stderr, "survivor: rank %d: %d of %d survivors met, code %d\n", m->rank, sum, m->size - 1, rc);
        exit(4);
    }
    rc = MPI_Barrier(MPI_COMM_WORLD);
    if (rc == MPI_SUCCESS) {
        fprintf(stderr, "survivor: rank %d: a barrier with a dead rank succeeded\n", m->rank);
        exit(4);
    }
}

static void on_signal(int signal)
{
    static const char word[] = "signalled\n";
    (void)signal;
    if (write(1, word, sizeof word - 1) < 0)
        abort();
}

int main(int count, char **arguments)
{
    survivor m;
    const char *way = getenv("SURVIVOR_SIGNAL") ? getenv("SURVIVOR_SIGNAL") : "";
    const survivor_case *which = count == 3 ? find_case(arguments[1]) : NULL;
    if (!which) {
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
            printf("%s\n", cases[i].name);
        return 2;
    }
    setenv("CORUNNA_COLL_GATHERV", "mst", 0);
    if (strcmp(way, "mine") == 0)
        signal(SIGUSR1, on_signal);
    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &m.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &m.size);
    m.victim = m.size - 1;
    m.data = calloc((size_t)m.size, SURVIVOR_LONG);
    m.more = calloc((size_t)m.size, SURVIVOR_LONG);
    MPI_Comm_split(MPI_COMM_WORLD, m.rank == m.victim, 0, &m.survivors);
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(way, "raise") == 0)
        raise(SIGUSR1);
    if (m.rank == m.victim)
        be_victim(&m, which);
    int is_told = strcmp(arguments[2], "return") == 0;
    if (is_told)
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int rc = which->wait(&m);
    char text[MPI_MAX_ERROR_STRING] = "no error";
    int length;
    if (rc != MPI_SUCCESS)
        MPI_Error_string(rc, text, &length);
    printf("told %d %s\n", m.rank, text);
    fflush(stdout);
    if (rc == MPI_SUCCESS)
        return 3;
    go_on(&m);
    MPI_Finalize();
    free(m.data);
    free(m.more);
    return 0;
}
