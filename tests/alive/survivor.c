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
#include "survivor.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static const survivor_case *find_case(const char *name)
{
    for (int i = 0; i < survivor_case_count; i++)
        if (strcmp(survivor_cases[i].name, name) == 0)
            return &survivor_cases[i];
    return NULL;
}

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
    if (which->is_loop) {
        struct itimerval timer = {.it_value = {.tv_usec = SURVIVOR_DEATH_MS * 1000}};
        signal(SIGALRM, die);
        setitimer(ITIMER_REAL, &timer, NULL);
        wait_in(m, which);
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
