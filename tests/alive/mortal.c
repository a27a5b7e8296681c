/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranks that start, meet and end, but for the last one, or that of MORTAL_RANK, which kills itself before its time.
 *
 *     mortal first              before anything else
 *     mortal barrier K          when it would come to its Kth meeting at the launcher, by PMI-1: 1 is the exchange of
 *                               addresses, 2 and 3 belong to MPI_Init, the last one to MPI_Finalize
 *     mortal halt K             there it stays
 *     mortal after MICROSECONDS so long after its start, wherever it is then
 *
 * Writes `done RANK` at the end.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

/* One direction between the rank and its launcher. */
typedef struct relay {
    int from, to;
    int barriers_left; /* the rank stays or dies when it asks for the last of them; 0: all pass */
    int is_halting;
} relay;

static _Noreturn void die(void)
{
    kill(getpid(), SIGKILL);
    abort();
}

static void die_by_signal(int number)
{
    (void)number;
    die();
}

/* Line by line, because only whole requests count. */
static void *relay_run(void *context)
{
    relay *self = context;
    char line[8192];
    size_t length = 0;
    while (length < sizeof line && read(self->from, line + length, 1) == 1) {
        if (line[length++] != '\n')
            continue;
        if (length >= 14 && memcmp(line, "cmd=barrier_in", 14) == 0 && self->barriers_left > 0 &&
            --self->barriers_left == 0) {
            while (self->is_halting)
                pause();
            die();
        }
        if (write(self->to, line, length) != (ssize_t)length)
            break;
        length = 0;
    }
    shutdown(self->to, SHUT_WR);
    return NULL;
}

/* Put ourselves between the rank and its launcher. */
static void relay_start(int barriers, int is_halting)
{
    static relay up, down;
    int ends[2], launcher = atoi(getenv("PMI_FD") ? getenv("PMI_FD") : "-1");
    char number[16];
    pthread_t thread;
    if (launcher < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        exit(2);
    up = (relay){ends[1], launcher, barriers, is_halting};
    down = (relay){launcher, ends[1], 0, 0};
    if (pthread_create(&thread, NULL, relay_run, &up) != 0 || pthread_create(&thread, NULL, relay_run, &down) != 0)
        exit(2);
    snprintf(number, sizeof number, "%d", ends[0]);
    setenv("PMI_FD", number, 1);
}

static int number_of(const char *pmi, const char *pmix, const char *slurm)
{
    const char *text = getenv(pmi);
    text = text ? text : getenv(pmix);
    text = text ? text : getenv(slurm);
    return text ? atoi(text) : -1;
}

static void prepare_death(const char *how, const char *when)
{
    if (strcmp(how, "first") == 0)
        die();
    if (strcmp(how, "barrier") == 0 || strcmp(how, "halt") == 0)
        relay_start(atoi(when), *how == 'h');
    if (strcmp(how, "after") == 0) {
        long microseconds = atol(when);
        struct itimerval timer = {.it_value = {.tv_sec = microseconds / 1000000, .tv_usec = microseconds % 1000000}};
        signal(SIGALRM, die_by_signal);
        setitimer(ITIMER_REAL, &timer, NULL);
    }
}

int main(int count, char **arguments)
{
    int rank = number_of("PMI_RANK", "PMIX_RANK", "SLURM_PROCID");
    int size = number_of("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS");
    const char *mortal = getenv("MORTAL_RANK");
    if (count > 1 && rank == (mortal ? atoi(mortal) : size - 1))
        prepare_death(arguments[1], count > 2 ? arguments[2] : "0");
    MPI_Init(&count, &arguments);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    printf("done %d\n", rank);
    return 0;
}
