/* SPDX-License-Identifier: Apache-2.0 */
/*
 * meeting server NAME CLIENTS | meeting client NAME | meeting wrong | crowded | lookups | simulated | join
 * meeting lasting NAME | mortal NAME MICROSECONDS
 * meeting publish NAME | publish_forked NAME | publish_short NAME | absent NAME
 *
 * The server publishes a port, accepts so many clients one after the other, and works with all of them at once; then it
 * closes the port, and a connection is refused.
 */
#define _GNU_SOURCE
#include "check.h"

#include <arpa/inet.h>
#include <mpi.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank, size;

static int class_of(int error)
{
    int class = 0;
    MPI_Error_class(error, &class);
    return class;
}

static void meeting_server(const char *name, int clients)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm *inter = calloc((size_t)clients, sizeof *inter);
    if (rank == 0) {
        CHECK_OK(MPI_Open_port(MPI_INFO_NULL, port));
        CHECK_OK(MPI_Publish_name(name, MPI_INFO_NULL, port));
        CHECK_EQUAL(MPI_ERR_SERVICE, class_of(MPI_Publish_name(name, MPI_INFO_NULL, port)));
    }
    for (int i = 0; i < clients; i++)
        CHECK_OK(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter[i]));
    for (int i = 0; i < clients; i++) {
        int there, sum;
        CHECK_OK(MPI_Comm_remote_size(inter[i], &there));
        for (int round = 0; round < 3; round++) {
            CHECK_OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, inter[i]));
            CHECK_EQUAL(there * (there - 1) / 2, sum);
        }
    }
    /* In another order than they came. */
    for (int i = clients - 1; i >= 0; i--)
        CHECK_OK(MPI_Comm_disconnect(&inter[i]));
    if (rank == 0) {
        CHECK_OK(MPI_Unpublish_name(name, MPI_INFO_NULL, port));
        CHECK_EQUAL(MPI_ERR_SERVICE, class_of(MPI_Unpublish_name(name, MPI_INFO_NULL, port)));
        CHECK_EQUAL(MPI_ERR_NAME, class_of(MPI_Lookup_name(name, MPI_INFO_NULL, port)));
        CHECK_OK(MPI_Close_port(port));
        CHECK_EQUAL(MPI_ERR_PORT, class_of(MPI_Close_port(port)));
    }
    CHECK_EQUAL(MPI_ERR_PORT, class_of(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter[0])));
    free(inter);
}

static void meeting_client(const char *name)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm inter;
    int there, sum;
    while (rank == 0 && MPI_Lookup_name(name, MPI_INFO_NULL, port) != MPI_SUCCESS)
        usleep(20000);
    CHECK_OK(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter));
    CHECK_OK(MPI_Comm_remote_size(inter, &there));
    for (int round = 0; round < 3; round++) {
        CHECK_OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, inter));
        CHECK_EQUAL(there * (there - 1) / 2, sum);
    }
    CHECK_OK(MPI_Comm_disconnect(&inter));
}

/* A server that goes on whatever becomes of its clients, until one says that it is the last. */
static void meeting_lasting(const char *name)
{
    char port[MPI_MAX_PORT_NAME] = "";
    int is_over = 0;
    if (rank == 0) {
        CHECK_OK(MPI_Open_port(MPI_INFO_NULL, port));
        CHECK_OK(MPI_Publish_name(name, MPI_INFO_NULL, port));
    }
    while (!is_over) {
        MPI_Comm inter = MPI_COMM_NULL;
        int is_last = 0, nothing = 0;
        if (MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter) == MPI_SUCCESS) {
            CHECK_OK(MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN));
            if (MPI_Allreduce(&nothing, &is_last, 1, MPI_INT, MPI_MAX, inter) != MPI_SUCCESS)
                is_last = 0;
            MPI_Comm_disconnect(&inter);
        }
        CHECK_OK(MPI_Allreduce(&is_last, &is_over, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
    }
    if (rank == 0)
        CHECK_OK(MPI_Unpublish_name(name, MPI_INFO_NULL, port));
}

/* One that dies so many microseconds after it has called; 0: it does not, and is the last. */
static void meeting_mortal(const char *name, int life_us)
{
    char port[MPI_MAX_PORT_NAME];
    struct itimerval life = {.it_value = {.tv_sec = life_us / 1000000, .tv_usec = life_us % 1000000}};
    int is_last = life_us == 0, ignored;
    MPI_Comm inter;
    CHECK_OK(MPI_Lookup_name(name, MPI_INFO_NULL, port));
    CHECK_EQUAL(0, setitimer(ITIMER_REAL, &life, NULL));
    CHECK_OK(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter));
    CHECK_OK(MPI_Allreduce(&is_last, &ignored, 1, MPI_INT, MPI_MAX, inter));
    CHECK_OK(MPI_Comm_disconnect(&inter));
}

/* What a port's name is refused with does not tell the secret that it may have. */
static void check_refused(int error)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;
    CHECK_EQUAL(MPI_ERR_PORT, class_of(error));
    CHECK_OK(MPI_Error_string(error, text, &length));
    if (strstr(text, "2233"))
        CHECK_FAIL("\"%s\" tells the secret", text);
}

static void meeting_wrong(void)
{
#define SECRET "corunna2+00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
    static const char *const ports[] = {"",
                                        "corunna2+",
                                        "tcp://127.0.0.1:1",
                                        "corunna1+00112233445566778899aabbccddeeff+1+127.0.0.1",
                                        &SECRET[1],
                                        "x" SECRET,
                                        "the port is " SECRET,
                                        SECRET,
                                        SECRET "+",
                                        SECRET "+1@127.0.0.1", /* a right one, where nobody listens */
                                        SECRET "+1@127.0.0.1+2@::1",
                                        SECRET "+1@127.0.0.1x",
                                        SECRET "+1@127.0.0.1+",
                                        SECRET "+0@127.0.0.1",
                                        SECRET "+99999@127.0.0.1",
                                        SECRET "+1@localhost",
                                        SECRET "+1@1234567890123456789012345678901234567890123456789012345678901234",
                                        SECRET
                                        "+1@127.0.0.1+1@127.0.0.1+1@127.0.0.1+1@127.0.0.1+1@127.0.0.1+1@127.0.0.1"
                                        "+1@127.0.0.1",
                                        "corunna2+00112233445566778899aabbccddeefg00112233445566778899aabbccddeeff"
                                        "+1@127.0.0.1"};
    MPI_Comm inter;
    for (size_t i = 0; i < sizeof ports / sizeof *ports; i++) {
        check_refused(MPI_Comm_connect(ports[i], MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter));
        check_refused(MPI_Comm_accept(ports[i], MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter));
    }
    CHECK_EQUAL(MPI_ERR_ARG, class_of(MPI_Comm_join(0x7fff, &inter)));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* No descriptor is left for a connection that is there: accept fails, and does not try for ever. */
static void meeting_crowded(void)
{
    enum { LIMIT = 200 };
    char port[MPI_MAX_PORT_NAME];
    int opened[LIMIT], count = 0, number = 0, error;
    MPI_Comm inter;
    CHECK_OK(MPI_Open_port(MPI_INFO_NULL, port));
    CHECK_EQUAL(1, sscanf(port, "corunna2+%*[0-9a-f]+%d@", &number));
    struct sockaddr_in where = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)number), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int stranger = socket(AF_INET, SOCK_STREAM, 0);
    CHECK_EQUAL(0, connect(stranger, (struct sockaddr *)&where, sizeof where));
    struct rlimit limit;
    CHECK_EQUAL(0, getrlimit(RLIMIT_NOFILE, &limit));
    limit.rlim_cur = LIMIT;
    CHECK_EQUAL(0, setrlimit(RLIMIT_NOFILE, &limit));
    while (count < LIMIT && (opened[count] = dup(stranger)) >= 0)
        count++;
    CHECK(count > 0);
    error = MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
    while (count > 0)
        close(opened[--count]);
    close(stranger);
    CHECK(error != MPI_SUCCESS);
    CHECK_OK(MPI_Close_port(port));
}

/* Rank 0 publishes a name and withdraws it while the others look it up: a lookup neither hinders it nor finds half a
 * name. */
static void meeting_lookups(void)
{
    enum { ROUNDS = 2000 };
    static const char port[] = "corunna2+00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff+1@127.0.0.1";
    char found[MPI_MAX_PORT_NAME];
    int is_over = rank == 0;
    MPI_Request end = MPI_REQUEST_NULL;
    if (rank != 0)
        CHECK_OK(MPI_Irecv(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD, &end));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; rank == 0 && i < ROUNDS; i++) {
        CHECK_OK(MPI_Publish_name("often", MPI_INFO_NULL, port));
        CHECK_OK(MPI_Unpublish_name("often", MPI_INFO_NULL, port));
    }
    while (!is_over) {
        if (MPI_Lookup_name("often", MPI_INFO_NULL, found) == MPI_SUCCESS)
            CHECK_TEXT(port, found);
        CHECK_OK(MPI_Test(&end, &is_over, MPI_STATUS_IGNORE));
    }
    for (int i = 1; rank == 0 && i < size; i++)
        CHECK_OK(MPI_Send(NULL, 0, MPI_INT, i, 1, MPI_COMM_WORLD));
}

/* Publish a name, and stay until killed; so does, of a forked one, a child that has all its descriptors. */
static void meeting_publish(const char *name, const char *how)
{
    char port[MPI_MAX_PORT_NAME], found[MPI_MAX_PORT_NAME];
    pid_t child = 0;
    CHECK_OK(MPI_Open_port(MPI_INFO_NULL, port));
    CHECK_OK(MPI_Publish_name(name, MPI_INFO_NULL, port));
    CHECK_OK(MPI_Lookup_name(name, MPI_INFO_NULL, found));
    CHECK_TEXT(port, found);
    if (strcmp(how, "publish_short") == 0)
        return;
    if (strcmp(how, "publish_forked") == 0 && (child = fork()) == 0)
        for (;;)
            pause();
    printf("published %d\n", (int)child);
    fflush(stdout);
    for (;;)
        pause();
}

static void meeting_absent(const char *name)
{
    char port[MPI_MAX_PORT_NAME];
    CHECK_EQUAL(MPI_ERR_NAME, class_of(MPI_Lookup_name(name, MPI_INFO_NULL, port)));
}

/* In simulated time all is refused at once: nothing is waited for, nothing started. */
static void meeting_simulated(void)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm inter;
    if (rank == 0)
        CHECK_OK(MPI_Open_port(MPI_INFO_NULL, port));
    CHECK_EQUAL(MPI_ERR_UNSUPPORTED_OPERATION,
                class_of(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter)));
    CHECK_EQUAL(MPI_ERR_UNSUPPORTED_OPERATION, class_of(MPI_Comm_spawn("/bin/true", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0,
                                                                       MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE)));
}

/* Two processes of one program, without a launcher, with the ends of a socket. */
static void meeting_join(int fd)
{
    MPI_Comm inter;
    int there = 0, value = 5;
    CHECK_OK(MPI_Comm_join(fd, &inter));
    CHECK_OK(MPI_Comm_remote_size(inter, &there));
    CHECK_EQUAL(1, there);
    CHECK_OK(MPI_Sendrecv(&value, 1, MPI_INT, 0, 1, &there, 1, MPI_INT, 0, 1, inter, MPI_STATUS_IGNORE));
    CHECK_EQUAL(5, there);
    CHECK_OK(MPI_Comm_disconnect(&inter));
}

int main(int argc, char **argv)
{
    int ends[2] = {-1, -1}, status = 0;
    pid_t child = -1;
    CHECK(argc > 1);
    int is_join = strcmp(argv[1], "join") == 0;
    if (is_join) {
        CHECK_EQUAL(0, socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
        child = fork(); /* before MPI_Init */
        close(ends[child == 0]);
    }
    CHECK_OK(MPI_Init(&argc, &argv));
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    if (is_join)
        meeting_join(ends[child != 0]);
    else if (strcmp(argv[1], "server") == 0)
        meeting_server(argv[2], atoi(argv[3]));
    else if (strcmp(argv[1], "client") == 0)
        meeting_client(argv[2]);
    else if (strcmp(argv[1], "lasting") == 0)
        meeting_lasting(argv[2]);
    else if (strcmp(argv[1], "mortal") == 0)
        meeting_mortal(argv[2], atoi(argv[3]));
    else if (strncmp(argv[1], "publish", 7) == 0)
        meeting_publish(argv[2], argv[1]);
    else if (strcmp(argv[1], "absent") == 0)
        meeting_absent(argv[2]);
    else if (strcmp(argv[1], "crowded") == 0)
        meeting_crowded();
    else if (strcmp(argv[1], "lookups") == 0)
        meeting_lookups();
    else if (strcmp(argv[1], "simulated") == 0)
        meeting_simulated();
    else
        meeting_wrong();
    MPI_Finalize();
    if (child > 0) {
        CHECK_EQUAL(child, waitpid(child, &status, 0));
        CHECK_EQUAL(0, status);
    }
    return 0;
}
