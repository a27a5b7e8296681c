/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One rank ends before its time; the others wait for it, and would notice.
 *
 *     follower WAY CALL VICTIM
 *
 * WAY     kill: by SIGKILL; exit: with status 3; abort: by abort(); none: it does not end, but its connections do
 *
 * STALL_MS in the environment: the launcher stands still so long meanwhile; 0: until the other ranks have ended.
 *
 * CALL    recv: a message of the victim; ring: of the rank before; barrier; finalize; own: as recv, with an error
 *         handler that returns, and MPI_Abort with error 5 because of it
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void end(const char *way)
{
    if (strcmp(way, "kill") == 0)
        kill(getpid(), SIGKILL);
    if (strcmp(way, "abort") == 0)
        abort();
    if (strcmp(way, "exit") == 0)
        _exit(3);
    /* To the others it looks dead, to the launcher it does not. */
    struct sockaddr_storage name;
    for (int fd = 3; fd < 256; fd++) {
        socklen_t length = sizeof name;
        if (getsockname(fd, (struct sockaddr *)&name, &length) == 0 && name.ss_family != AF_UNIX)
            close(fd);
    }
    for (;;)
        pause();
}

/* Are all children of the launcher but this process dead, and wait to be reaped? */
static int are_dead(pid_t launcher)
{
    char path[64], state;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)launcher, (int)launcher);
    FILE *children = fopen(path, "r");
    int pid, dead = children != NULL;
    while (children && fscanf(children, "%d", &pid) == 1) {
        snprintf(path, sizeof path, "/proc/%d/stat", pid);
        FILE *stat = pid == (int)getpid() ? NULL : fopen(path, "r");
        if (stat && fscanf(stat, "%*d (%*[^)]) %c", &state) == 1)
            dead &= state == 'Z';
        if (stat)
            fclose(stat);
    }
    if (children)
        fclose(children);
    return dead;
}

/* The launcher is slow: it stands still while the rank dies and the others notice. */
static void stall(int milliseconds)
{
    pid_t launcher = getppid();
    int closed[2];
    char none;
    if (pipe(closed) != 0)
        exit(2);
    kill(launcher, SIGSTOP);
    if (fork() == 0) {
        for (int fd = 0; fd < 256; fd++)
            if (fd != closed[1])
                close(fd);
        close(closed[1]);
        usleep((useconds_t)milliseconds * 1000);
        for (int looks = 0; milliseconds == 0 && looks < 30000 && !are_dead(launcher); looks++)
            usleep(20000);
        kill(launcher, SIGCONT);
        _exit(0);
    }
    close(closed[1]);
    if (read(closed[0], &none, 1) != 0) /* the child has none of our descriptors */
        exit(2);
    close(closed[0]);
}

static void wait_for(const char *call, int rank, int size, int victim)
{
    int word = 0;
    if (strcmp(call, "own") == 0) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        if (MPI_Recv(&word, 1, MPI_INT, victim, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            MPI_Abort(MPI_COMM_WORLD, 5);
    } else if (strcmp(call, "recv") == 0) {
        MPI_Recv(&word, 1, MPI_INT, victim, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (strcmp(call, "ring") == 0) {
        MPI_Recv(&word, 1, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (strcmp(call, "barrier") == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    int rank, size, word = 7;
    if (argc != 4)
        return 2;
    int victim = atoi(argv[3]);
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    /* All have a connection with the victim. */
    if (rank == victim) {
        for (int other = 0; other < size; other++)
            if (other != rank)
                MPI_Send(&word, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        if (getenv("STALL_MS"))
            stall(atoi(getenv("STALL_MS")));
        end(argv[1]);
    } else {
        MPI_Recv(&word, 1, MPI_INT, victim, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
        wait_for(argv[2], rank, size, victim);
    }
    MPI_Finalize();
    return 0;
}
