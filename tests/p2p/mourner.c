/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranks that wait for one that dies: rank 1 says `pid NUMBER` and waits to be killed. Errors are returned; a rank that
 * gets one says `rank R: TIME TEXT`, TIME in milliseconds since 1970, and ends well. Rank 0 says `begun` when
 * everybody waits. What they wait with is the argument.
 *
 *   receive     by name, in a receive                      first       the same, without ever having talked
 *   any         in a receive from any source               any_first   the same, without ever having talked
 *   probe       in a probe for any source                  test        in a loop of MPI_Test
 *   wait        in MPI_Waitall                             send        in a long send that rank 1 does not take
 *   barrier     in a barrier                               finalize    in MPI_Finalize
 *   fatal       as receive, but errors end the job         gone_first  the last one in a barrier; the others, as in
 *                                                          first, are told and finalize, and never come to it
 *   groups      from any source in the world and in a communicator without rank 1, whose receive must not fail
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { VICTIM = 1, LONG_BYTES = 64 << 20, WAIT_S = 3600 /* for ever: the test ends it */ };

static int mourner_rank, mourner_size;

static void mourner_tell(int code)
{
    char text[MPI_MAX_ERROR_STRING] = "no error";
    int length = 0;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (code != MPI_SUCCESS)
        MPI_Error_string(code, text, &length);
    printf("rank %d: %lld %s\n", mourner_rank, (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000, text);
    fflush(stdout);
}

static void mourner_fail(const char *what)
{
    printf("FAILED rank %d: %s\n", mourner_rank, what);
    fflush(stdout);
    _exit(1);
}

static int wait_in_test(void)
{
    int value, is_done = 0, code = MPI_SUCCESS;
    MPI_Request request;
    MPI_Irecv(&value, 1, MPI_INT, VICTIM, 9, MPI_COMM_WORLD, &request);
    for (double limit = MPI_Wtime() + WAIT_S; !is_done && code == MPI_SUCCESS && MPI_Wtime() < limit;)
        code = MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
    return code;
}

static int wait_in_waitall(void)
{
    int values[2];
    MPI_Request requests[2];
    MPI_Status statuses[2];
    for (int i = 0; i < 2; i++)
        MPI_Irecv(&values[i], 1, MPI_INT, VICTIM, 9 + i, MPI_COMM_WORLD, &requests[i]);
    int code = MPI_Waitall(2, requests, statuses);
    return code == MPI_ERR_IN_STATUS ? statuses[0].MPI_ERROR : code;
}

/* A communicator of the survivors goes on as if nothing had happened; the world is told once, and goes on as well. */
static int wait_in_groups(MPI_Comm survivors, MPI_Comm twin)
{
    int alone = 0, flag = 0, last = mourner_size - 1, value = 0;
    MPI_Request request;
    MPI_Status status;
    if (mourner_rank == last) { /* answers what rank 0 asks for */
        MPI_Recv(&value, 1, MPI_INT, 0, 5, survivors, MPI_STATUS_IGNORE);
        MPI_Send(&value, 1, MPI_INT, 0, 6, survivors);
        MPI_Recv(&value, 1, MPI_INT, 0, 5, survivors, MPI_STATUS_IGNORE);
        MPI_Send(&value, 1, MPI_INT, 0, 9, MPI_COMM_WORLD);
    }
    if (mourner_rank != 0)
        return MPI_SUCCESS;
    MPI_Irecv(&alone, 1, MPI_INT, MPI_ANY_SOURCE, 6, survivors, &request);
    int code = MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &status);
    if (code == MPI_SUCCESS)
        mourner_fail("a receive from any source of the world was not told of the loss");
    if (MPI_Test(&request, &flag, MPI_STATUS_IGNORE) != MPI_SUCCESS || flag)
        mourner_fail("a receive among the survivors has ended");
    if (MPI_Iprobe(MPI_ANY_SOURCE, 6, survivors, &flag, MPI_STATUS_IGNORE) != MPI_SUCCESS)
        mourner_fail("a probe among the survivors has failed");
    if (MPI_Iprobe(MPI_ANY_SOURCE, 9, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE) != MPI_SUCCESS)
        mourner_fail("a probe of MPI_COMM_SELF has failed");
    /* Where no rank waited when it happened, the next call fails, and only that. */
    if (MPI_Iprobe(MPI_ANY_SOURCE, 9, twin, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS)
        mourner_fail("a probe of another communicator was not told of the loss");
    if (MPI_Iprobe(MPI_ANY_SOURCE, 9, twin, &flag, MPI_STATUS_IGNORE) != MPI_SUCCESS)
        mourner_fail("a probe was told twice");
    value = 77;
    MPI_Send(&value, 1, MPI_INT, last - 1, 5, survivors);
    if (MPI_Wait(&request, MPI_STATUS_IGNORE) != MPI_SUCCESS || alone != 77)
        mourner_fail("no answer came among the survivors");
    MPI_Send(&value, 1, MPI_INT, last - 1, 5, survivors);
    if (MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &status) != MPI_SUCCESS ||
        status.MPI_SOURCE != last)
        mourner_fail("the world does not go on");
    return code;
}

static int mourner_wait(const char *mode, MPI_Comm survivors, MPI_Comm twin)
{
    int value;
    if (strcmp(mode, "receive") == 0 || strcmp(mode, "first") == 0 || strcmp(mode, "fatal") == 0)
        return MPI_Recv(&value, 1, MPI_INT, VICTIM, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (strcmp(mode, "any") == 0 || strcmp(mode, "any_first") == 0)
        return MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (strcmp(mode, "probe") == 0)
        return MPI_Probe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (strcmp(mode, "test") == 0)
        return wait_in_test();
    if (strcmp(mode, "wait") == 0)
        return wait_in_waitall();
    if (strcmp(mode, "send") == 0)
        return MPI_Send(calloc(1, LONG_BYTES), LONG_BYTES, MPI_BYTE, VICTIM, 9, MPI_COMM_WORLD);
    if (strcmp(mode, "gone_first") == 0 && mourner_rank != mourner_size - 1)
        return MPI_Recv(&value, 1, MPI_INT, VICTIM, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (strcmp(mode, "barrier") == 0 || strcmp(mode, "gone_first") == 0)
        return MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(mode, "finalize") == 0)
        return MPI_Finalize();
    return wait_in_groups(survivors, twin);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "receive";
    MPI_Comm survivors = MPI_COMM_NULL, twin = MPI_COMM_NULL; /* of the world */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &mourner_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &mourner_size);
    if (!strstr(mode, "first")) {
        int one = 1, all = 0;
        MPI_Comm_split(MPI_COMM_WORLD, mourner_rank == VICTIM, 0, &survivors);
        MPI_Comm_set_errhandler(survivors, MPI_ERRORS_RETURN);
        MPI_Comm_dup(MPI_COMM_WORLD, &twin);
        MPI_Comm_set_errhandler(twin, MPI_ERRORS_RETURN);
        MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (mourner_rank == 0)
            MPI_Send(&one, 1, MPI_INT, VICTIM, 1, MPI_COMM_WORLD);
        else if (mourner_rank == VICTIM)
            MPI_Recv(&one, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (strcmp(mode, "fatal") != 0)
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (mourner_rank == VICTIM) {
        printf("pid %d\n", (int)getpid());
        fflush(stdout);
        sleep(WAIT_S);
        _exit(1);
    }
    if (mourner_rank == 0) {
        puts("begun");
        fflush(stdout);
    }
    int code = mourner_wait(mode, survivors, twin);
    if (code != MPI_SUCCESS)
        mourner_tell(code);
    if (strcmp(mode, "gone_first") == 0)
        MPI_Finalize();
    _exit(code == MPI_SUCCESS && mourner_rank == 0);
}
