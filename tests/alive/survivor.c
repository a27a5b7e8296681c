/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranks that wait while the last one of them dies.
 *
 *     survivor CASE fatal|return
 *
 * The last rank kills itself when all others are about to wait in the call of the case, or, in cases that repeat, in
 * the middle of them. With `fatal` the library is to end them; with `return` each writes `told RANK
 * SENTENCE`, goes on to work with the other survivors, finalizes and exits with 0.
 *
 * SURVIVOR_SIGNAL=mine: each has a handler of its own for SIGUSR1, which writes `signalled`; SURVIVOR_SIGNAL=raise: all
 * send themselves that signal once they have met. SURVIVOR_ROOM: an empty folder for this job, by which the victim
 * knows that all others are about to wait, and they that it is dead; they shall not need MPI for that.
 */
#define _GNU_SOURCE
#include "survivor.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

static const survivor_case *find_case(const char *name)
{
    for (int i = 0; i < survivor_case_count; i++)
        if (strcmp(survivor_cases[i].name, name) == 0)
            return &survivor_cases[i];
    return NULL;
}

/* ---- the room --------------------------------------------------------------------------------------------------- */

static void room_enter(survivor *m)
{
    char path[PATH_MAX];
    m->room = getenv("SURVIVOR_ROOM");
    if (!m->room)
        return;
    snprintf(path, sizeof path, "%s/life", m->room);
    m->life = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (m->life < 0) {
        perror(path);
        exit(2);
    }
}

/* A folder, because a file would need a descriptor, of which some jobs have too few. */
void survivor_say(const survivor *m, const char *what)
{
    char path[PATH_MAX];
    if (m->room && snprintf(path, sizeof path, "%s/%s.%d", m->room, what, m->rank) > 0 && mkdir(path, 0700) != 0)
        perror(path);
}

void survivor_await(const survivor *m, const char *what, int rank, int limit_ms, int is_progressing)
{
    char path[PATH_MAX];
    int flag;
    snprintf(path, sizeof path, "%s/%s.%d", m->room ? m->room : "", what, rank);
    for (int i = 0; i < limit_ms && (!m->room || access(path, F_OK) != 0); i++) {
        if (is_progressing)
            MPI_Iprobe(0, 99, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
        usleep(1000);
    }
}

/* The kernel takes the lock from the victim when that has ended; then there is some time for those that take notice.
 * Not for ever: there are wires by which the victim cannot speak its last words while no peer makes progress. */
void survivor_await_death(const survivor *m)
{
    for (int i = 0; i < SURVIVOR_LONGEST_MS && (!m->room || flock(m->life, LOCK_SH | LOCK_NB) != 0); i++)
        usleep(1000);
    usleep(SURVIVOR_DEATH_MS * 1000);
}

/* ---- the ranks -------------------------------------------------------------------------------------------------- */

/* The error by which the waiting ends. */
static int wait_in(survivor *m, const survivor_case *which)
{
    int rc = which->wait(m);
    for (m->turn = 1; which->is_loop && rc == MPI_SUCCESS; m->turn++)
        rc = which->wait(m);
    return rc;
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
    /* They may still be on their way out of the barrier, and need us. */
    for (int peer = 0; peer < m->victim; peer++)
        survivor_await(m, "waits", peer, m->room ? INT_MAX : SURVIVOR_PAUSE_MS / m->victim, 1);
    if (which->is_loop) {
        struct itimerval timer = {.it_value = {.tv_usec = SURVIVOR_DEATH_MS * 1000}};
        signal(SIGALRM, die);
        setitimer(ITIMER_REAL, &timer, NULL);
        wait_in(m, which);
    }
    /* They do wait by then. On a busy machine one may come later, and its call has to end as well. */
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
    survivor m = {0};
    const char *way = getenv("SURVIVOR_SIGNAL") ? getenv("SURVIVOR_SIGNAL") : "";
    const survivor_case *which = count == 3 ? find_case(arguments[1]) : NULL;
    if (!which) {
        for (int i = 0; i < survivor_case_count; i++)
            printf("%s\n", survivor_cases[i].name);
        return 2;
    }
    setenv("CORUNNA_COLL_GATHERV", "mst", 0);
    if (strcmp(way, "mine") == 0)
        signal(SIGUSR1, on_signal);
    room_enter(&m);
    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &m.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &m.size);
    m.victim = m.size - 1;
    m.data = calloc((size_t)m.size, SURVIVOR_LONG);
    m.more = calloc((size_t)m.size, SURVIVOR_LONG);
    MPI_Comm_split(MPI_COMM_WORLD, m.rank == m.victim, 0, &m.survivors);
    survivor_prepare(&m);
    if (m.room && m.rank == m.victim)
        flock(m.life, LOCK_EX);
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(way, "raise") == 0)
        raise(SIGUSR1);
    if (m.rank == m.victim)
        be_victim(&m, which);
    int is_told = strcmp(arguments[2], "return") == 0;
    if (is_told)
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    survivor_say(&m, "waits");
    int rc = wait_in(&m, which);
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
