/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two libraries that do not know each other, in a program that knows nothing of MPI: each has a session of its own. One
 * counts hits of a quarter of a circle on all ranks, the other gathers the slowest rank's time within each host.
 *
 *     mpicc -O2 sessions.c -o sessions && mpirun -n 4 ./sessions 100000
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What both would do: a session, and a communicator of the processes of one set. The tag is the library's name. */
static void open_library(const char *tag, const char *set, MPI_Session *session, MPI_Comm *comm)
{
    MPI_Group group;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, session);
    MPI_Group_from_session_pset(*session, set, &group);
    MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, comm);
    MPI_Group_free(&group);
}

static void close_library(MPI_Session *session, MPI_Comm *comm)
{
    MPI_Comm_free(comm);
    MPI_Session_finalize(session);
}

/* ---- a library that counts -------------------------------------------------------------------------------------- */

static double estimate_pi(long tries, int *is_first)
{
    MPI_Session session;
    MPI_Comm comm;
    int rank, size;
    long hits = 0, all = 0;
    open_library("example.pi", "mpi://WORLD", &session, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    unsigned short seed[3] = {1, 2, (unsigned short)rank};
    for (long i = 0; i < tries; i++) {
        double x = erand48(seed), y = erand48(seed);
        hits += x * x + y * y < 1;
    }
    MPI_Allreduce(&hits, &all, 1, MPI_LONG, MPI_SUM, comm);
    close_library(&session, &comm);
    *is_first = rank == 0;
    return 4.0 * (double)all / ((double)tries * size);
}

/* ---- a library that measures ------------------------------------------------------------------------------------ */

typedef struct watch {
    MPI_Session session;
    MPI_Comm comm;
    char set[MPI_MAX_PSET_NAME_LEN];
    double begin;
} watch;

/* The set of this process's host: the one among all sets of hosts that has it as a member. */
static void find_host(MPI_Session session, char set[MPI_MAX_PSET_NAME_LEN])
{
    int count, rank = MPI_UNDEFINED;
    MPI_Session_get_num_psets(session, MPI_INFO_NULL, &count);
    for (int n = 0; n < count && rank == MPI_UNDEFINED; n++) {
        MPI_Group group;
        int length = MPI_MAX_PSET_NAME_LEN;
        MPI_Session_get_nth_pset(session, MPI_INFO_NULL, n, &length, set);
        if (strncmp(set, "corunna://host/", 15) != 0)
            continue;
        MPI_Group_from_session_pset(session, set, &group);
        MPI_Group_rank(group, &rank);
        MPI_Group_free(&group);
    }
}

static void watch_start(watch *self)
{
    MPI_Session probe;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &probe);
    find_host(probe, self->set);
    open_library("example.watch", self->set, &self->session, &self->comm);
    MPI_Session_finalize(&probe);
    self->begin = MPI_Wtime();
}

/* The slowest of this host. */
static double watch_stop(watch *self)
{
    double mine = MPI_Wtime() - self->begin, slowest;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, self->comm);
    close_library(&self->session, &self->comm);
    return slowest;
}

/* ---- the program ------------------------------------------------------------------------------------------------ */

int main(int argc, char **argv)
{
    int is_first;
    watch timer;
    watch_start(&timer);
    double pi = estimate_pi(argc > 1 ? atol(argv[1]) : 100000, &is_first);
    double seconds = watch_stop(&timer);
    if (is_first)
        printf("pi is about %.2f, after %.3f s on %s\n", pi, seconds, timer.set + strlen("corunna://host/"));
    return 0;
}
