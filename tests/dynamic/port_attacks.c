/* SPDX-License-Identifier: Apache-2.0 */
/*
 * port_attacks captured | changed | late | replayed | silent | closed | closing | echo | unanswered | knobs | once
 *
 * Two processes without a launcher: a server with a port, and a client that is told its name. Between them, or beside
 * them, is what does not know the secret: a listener on the way, one who changes bytes, one who sends again what was
 * heard, callers that say nothing or nonsense. All on loopback.
 */
#define _GNU_SOURCE
#include "check.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <mpi.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SECRET_DIGITS = 64, HELLO_BYTES = 64, ANSWER_BYTES = 96, PROOF_BYTES = 40 };

/* ---- both ------------------------------------------------------------------------------------------------------- */

static int to_server, to_client, from_server, from_client; /* pipes */

static int class_of(int error)
{
    int class = 0;
    MPI_Error_class(error, &class);
    return class;
}

static void say(int fd, const void *data, size_t bytes)
{
    CHECK_EQUAL(bytes, write(fd, data, bytes));
}

static void hear(int fd, void *data, size_t bytes)
{
    for (size_t at = 0; at < bytes;) {
        ssize_t got = read(fd, (char *)data + at, bytes - at);
        CHECK(got > 0);
        at += (size_t)got;
    }
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int count_of(const char *folder)
{
    int count = 0;
    DIR *list = opendir(folder);
    CHECK(list != NULL);
    while (readdir(list))
        count++;
    closedir(list);
    return count;
}

/* The whole of a meeting. */
static void work_and_part(MPI_Comm *inter)
{
    int one = 1, sum = 0;
    CHECK_OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, *inter));
    CHECK_EQUAL(1, sum);
    CHECK_OK(MPI_Comm_disconnect(inter));
}

/* The first port in a name. */
static int port_of(const char *name)
{
    int port = 0;
    CHECK_EQUAL(1, sscanf(name, "corunna2+%*64[0-9a-f]+%d@", &port));
    return port;
}

/* The same name with one place, of loopback. */
static void redirect(const char *name, int port, char via[MPI_MAX_PORT_NAME])
{
    snprintf(via, MPI_MAX_PORT_NAME, "%.*s+%d@127.0.0.1", (int)(strlen("corunna2+") + SECRET_DIGITS), name, port);
}

static struct sockaddr_in loopback(int port)
{
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static int call_port(int port)
{
    struct sockaddr_in where = loopback(port);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK_EQUAL(0, connect(fd, (struct sockaddr *)&where, sizeof where));
    return fd;
}

static int listen_somewhere(int *port_p)
{
    struct sockaddr_in where = loopback(0);
    socklen_t bytes = sizeof where;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK_EQUAL(0, bind(fd, (struct sockaddr *)&where, sizeof where));
    CHECK_EQUAL(0, listen(fd, 16));
    CHECK_EQUAL(0, getsockname(fd, (struct sockaddr *)&where, &bytes));
    *port_p = ntohs(where.sin_port);
    return fd;
}

/* ---- what is in between ----------------------------------------------------------------------------------------- */

enum { TO_PORT, TO_CALLER, CAPTURE_MAX = 1 << 16 };

typedef struct relay {
    int listener, port, target_port;
    int flip_way, flip_at; /* this byte of a connection, counted from 0; -1: none */
    size_t seen[2];        /* of the last connection */
    unsigned char capture[2][CAPTURE_MAX];
    pthread_t thread;
} relay;

/* 0: the end. */
static int relay_move(relay *self, int way, int from, int to)
{
    unsigned char piece[4096];
    ssize_t got = recv(from, piece, sizeof piece, 0);
    if (got <= 0)
        return 0;
    size_t at = self->seen[way], count = (size_t)got;
    if (way == self->flip_way && self->flip_at >= (int)at && self->flip_at < (int)(at + count))
        piece[(size_t)self->flip_at - at] ^= 1;
    CHECK(at + count <= CAPTURE_MAX);
    memcpy(self->capture[way] + at, piece, count);
    self->seen[way] += count;
    return send(to, piece, count, MSG_NOSIGNAL) == got;
}

static void *relay_run(void *data)
{
    relay *self = data;
    int fd;
    while ((fd = accept(self->listener, NULL, NULL)) >= 0) {
        int target = call_port(self->target_port), goes_on = 1;
        self->seen[0] = self->seen[1] = 0;
        while (goes_on) {
            struct pollfd both[2] = {{.fd = fd, .events = POLLIN}, {.fd = target, .events = POLLIN}};
            CHECK(poll(both, 2, -1) > 0);
            if (both[0].revents)
                goes_on = relay_move(self, TO_PORT, fd, target);
            if (goes_on && both[1].revents)
                goes_on = relay_move(self, TO_CALLER, target, fd);
        }
        close(fd);
        close(target);
    }
    return NULL;
}

static relay *relay_start(int target_port)
{
    relay *self = calloc(1, sizeof *self);
    self->target_port = target_port;
    self->flip_at = -1;
    self->listener = listen_somewhere(&self->port);
    CHECK_EQUAL(0, pthread_create(&self->thread, NULL, relay_run, self));
    return self;
}

static void relay_end(relay *self)
{
    shutdown(self->listener, SHUT_RDWR);
    pthread_join(self->thread, NULL);
    close(self->listener);
}

/* ---- a listener ------------------------------------------------------------------------------------------------- */

static void expect_not(const relay *self, const void *what, size_t bytes, const char *which)
{
    for (int way = 0; way < 2; way++)
        if (memmem(self->capture[way], self->seen[way], what, bytes))
            CHECK_FAIL("%s crossed in clear text %s", which, way == TO_PORT ? "to the port" : "to the caller");
}

static void connect_and_work(const char *name)
{
    MPI_Comm inter;
    CHECK_OK(MPI_Comm_connect(name, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter));
    work_and_part(&inter);
}

/* Neither the port's secret nor anything that the jobs say of themselves: the joint job's secret is in rank 0's
 * address. */
static void client_captured(const char *name)
{
    char via[MPI_MAX_PORT_NAME];
    unsigned char secret[SECRET_DIGITS / 2];
    const char *digits = strchr(name, '+') + 1;
    relay *between = relay_start(port_of(name));
    redirect(name, between->port, via);
    connect_and_work(via);
    relay_end(between);
    for (size_t i = 0; i < sizeof secret; i++)
        CHECK_EQUAL(1, sscanf(digits + 2 * i, "%2hhx", &secret[i]));
    CHECK(between->seen[TO_PORT] > 200 && between->seen[TO_CALLER] > 200);
    expect_not(between, digits, 16, "the port's secret in digits");
    expect_not(between, secret, 8, "the port's secret");
    expect_not(between, "corunna", 7, "a mark of the protocol");
    expect_not(between, "tcp3,", 5, "an address, and with it the job's secret");
    expect_not(between, "127.0.0.1", 9, "an address");
    free(between);
}

/* ---- who changes bytes ------------------------------------------------------------------------------------------ */

/* Up to the welcome; tests/unit/bridge_test.c has what follows. */
static const struct {
    int way, at;
} changes[] = {
    {TO_PORT, 2},                /* the hello */
    {TO_PORT, 17},               /* the port it means */
    {TO_PORT, 40},               /* its random bytes */
    {TO_PORT, HELLO_BYTES + 5},  /* the proof */
    {TO_PORT, HELLO_BYTES + 33}, /* the number that goes with it */
    {TO_CALLER, 2},
    {TO_CALLER, 40},
    {TO_CALLER, HELLO_BYTES + 5},
    {TO_CALLER, ANSWER_BYTES + 3},  /* the length of the welcome */
    {TO_CALLER, ANSWER_BYTES + 4},  /* the welcome */
    {TO_CALLER, ANSWER_BYTES + 20}, /* its MAC */
};
enum { CHANGES = sizeof changes / sizeof *changes };

static void client_changed(const char *name)
{
    char via[MPI_MAX_PORT_NAME];
    relay *between = relay_start(port_of(name));
    redirect(name, between->port, via);
    for (int i = 0; i < CHANGES; i++) {
        MPI_Comm inter;
        between->flip_way = changes[i].way;
        between->flip_at = changes[i].at;
        int error = MPI_Comm_connect(via, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
        if (error == MPI_SUCCESS)
            CHECK_FAIL("byte %d was changed on its way %s, and nobody noticed", changes[i].at,
                       changes[i].way == TO_PORT ? "to the port" : "to the caller");
        CHECK_EQUAL(MPI_ERR_PORT, class_of(error));
        connect_and_work(name);
    }
    relay_end(between);
    free(between);
}

/* A connection that breaks after it was accepted is the failure of that accept, not of the port. */
static void server_changed(const char *name)
{
    int failures = 0;
    for (int i = 0; i < CHANGES;) {
        MPI_Comm inter;
        if (MPI_Comm_accept(name, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter) == MPI_SUCCESS) {
            work_and_part(&inter);
            i++;
        } else {
            CHECK(++failures <= CHANGES);
        }
    }
}

/* Behind the welcome, where a failure may end a job whatever its error handlers: what counts is that both end, and say
 * why. */
static void tell_failure(const char *call, int error)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;
    CHECK(error != MPI_SUCCESS);
    CHECK_OK(MPI_Error_string(error, text, &length));
    printf("%s failed: %s\n", call, text);
    fflush(stdout);
}

static void client_late(const char *name)
{
    char via[MPI_MAX_PORT_NAME];
    MPI_Comm inter;
    relay *between = relay_start(port_of(name));
    between->flip_way = atoi(getenv("TEST_FLIP_WAY"));
    between->flip_at = atoi(getenv("TEST_FLIP_AT"));
    redirect(name, between->port, via);
    tell_failure("connect", MPI_Comm_connect(via, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter));
    relay_end(between);
    free(between);
}

static void server_late(const char *name)
{
    MPI_Comm inter;
    tell_failure("accept", MPI_Comm_accept(name, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter));
}

/* ---- who says again what was heard ------------------------------------------------------------------------------ */

static void *replay_answers(void *data)
{
    relay *heard = data;
    int fd;
    while ((fd = accept(heard->listener, NULL, NULL)) >= 0) {
        char byte;
        send(fd, heard->capture[TO_CALLER], heard->seen[TO_CALLER], MSG_NOSIGNAL);
        while (recv(fd, &byte, 1, 0) > 0)
            continue;
        close(fd);
    }
    return NULL;
}

static void client_replayed(const char *name)
{
    char via[MPI_MAX_PORT_NAME], byte;
    MPI_Comm inter;
    relay *between = relay_start(port_of(name));
    redirect(name, between->port, via);
    connect_and_work(via);
    relay_end(between);
    /* To the port, which is in accept: it goes on waiting. */
    int fd = call_port(port_of(name));
    send(fd, between->capture[TO_PORT], between->seen[TO_PORT], MSG_NOSIGNAL);
    while (recv(fd, &byte, 1, 0) > 0)
        continue;
    close(fd);
    /* To a caller. */
    between->listener = listen_somewhere(&between->port);
    CHECK_EQUAL(0, pthread_create(&between->thread, NULL, replay_answers, between));
    redirect(name, between->port, via);
    CHECK_EQUAL(MPI_ERR_PORT, class_of(MPI_Comm_connect(via, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter)));
    relay_end(between);
    free(between);
    connect_and_work(name);
}

/* ---- who says nothing, or nonsense ------------------------------------------------------------------------------ */

enum { STRANGERS = 200 };

static void client_silent(const char *name)
{
    static char nonsense[4096];
    int fds[STRANGERS];
    memset(nonsense, 'x', sizeof nonsense);
    for (int i = 0; i < STRANGERS; i++) {
        fds[i] = call_port(port_of(name));
        if (i % 4 == 1)
            send(fds[i], "CORU", 4, MSG_NOSIGNAL); /* the beginning of a hello */
        else if (i % 4 == 2)
            send(fds[i], nonsense, sizeof nonsense, MSG_NOSIGNAL);
    }
    say(to_server, "", 1); /* they are there before it accepts */
    double begin_s = now_s();
    connect_and_work(name);
    double took_s = now_s() - begin_s;
    if (took_s > 1e-3 * check_patience_ms(10000))
        CHECK_FAIL("%d connections that prove nothing delay one that does by %.1f s", STRANGERS, took_s);
    /* They stay while the next two come. */
    connect_and_work(name);
    connect_and_work(name);
    for (int i = 0; i < STRANGERS; i++)
        close(fds[i]);
}

static void server_silent(const char *name)
{
    char byte;
    MPI_Comm inter;
    int fds = count_of("/proc/self/fd"), tasks = count_of("/proc/self/task");
    hear(from_client, &byte, 1);
    for (int i = 0; i < 3; i++) {
        CHECK_OK(MPI_Comm_accept(name, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter));
        CHECK(count_of("/proc/self/fd") < fds + 100);
        work_and_part(&inter);
        CHECK(count_of("/proc/self/fd") <= fds + 64);
        CHECK_EQUAL(tasks, count_of("/proc/self/task"));
    }
    CHECK_OK(MPI_Close_port(name));
    CHECK(count_of("/proc/self/fd") < fds); /* less those that listened */
}

/* ---- nobody there ----------------------------------------------------------------------------------------------- */

static void expect_refusal(const char *name, const char *cause)
{
    char text[MPI_MAX_ERROR_STRING], place[64], secret[9] = "";
    int length;
    MPI_Comm inter;
    int error = MPI_Comm_connect(name, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
    CHECK_EQUAL(MPI_ERR_PORT, class_of(error));
    CHECK_OK(MPI_Error_string(error, text, &length));
    snprintf(place, sizeof place, "127.0.0.1 port %d", port_of(name));
    memcpy(secret, strchr(name, '+') + 1, 8);
    if (!strstr(text, place) || !strstr(text, cause) || strstr(text, secret))
        CHECK_FAIL("\"%s\" does not name \"%s\" and \"%s\", or tells the secret", text, place, cause);
}

static void client_closed(const char *name)
{
    char byte;
    hear(from_server, &byte, 1);
    expect_refusal(name, "it was closed, or its process has ended");
}

static void server_closed(const char *name)
{
    CHECK_OK(MPI_Close_port(name));
    CHECK_EQUAL(MPI_ERR_PORT, class_of(MPI_Close_port(name)));
    say(to_client, "", 1);
}

/* Open, and no accept: two minutes. */
static void client_unanswered(const char *name)
{
    expect_refusal(name, "no answer in time");
    say(to_server, "", 1);
}

static void server_unanswered(const char *name)
{
    char byte;
    (void)name;
    hear(from_client, &byte, 1);
}

/* ---- threads ---------------------------------------------------------------------------------------------------- */

static void *accept_in_vain(void *name)
{
    MPI_Comm inter;
    CHECK_EQUAL(MPI_ERR_PORT, class_of(MPI_Comm_accept(name, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter)));
    return NULL;
}

/* The port is closed while a thread waits at it, with a stranger connected. */
static void server_closing(const char *name)
{
    char copy[MPI_MAX_PORT_NAME], answer[ANSWER_BYTES] = "";
    pthread_t thread;
    memcpy(copy, name, sizeof copy);
    int fd = call_port(port_of(name));
    CHECK_EQUAL(0, pthread_create(&thread, NULL, accept_in_vain, copy));
    CHECK_EQUAL(4, send(fd, "oops", 4, MSG_NOSIGNAL));
    int other = call_port(port_of(name)); /* nonsense is dropped once the thread is in accept */
    CHECK_EQUAL(HELLO_BYTES, send(other, answer, HELLO_BYTES, MSG_NOSIGNAL));
    while (recv(other, answer, sizeof answer, 0) > 0)
        continue;
    CHECK_OK(MPI_Close_port(name));
    pthread_join(thread, NULL);
    CHECK(recv(fd, answer, sizeof answer, 0) <= 0);
    close(fd);
    close(other);
    say(to_client, "", 1);
}

/* ---- the program's own socket ----------------------------------------------------------------------------------- */

static void *echo(void *fd)
{
    char bytes[256];
    ssize_t got;
    while ((got = recv(*(int *)fd, bytes, sizeof bytes, 0)) > 0)
        send(*(int *)fd, bytes, (size_t)got, MSG_NOSIGNAL);
    return NULL;
}

static void server_echo(const char *name)
{
    int ends[2];
    pthread_t thread;
    MPI_Comm inter;
    (void)name;
    CHECK_EQUAL(0, socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
    CHECK_EQUAL(0, pthread_create(&thread, NULL, echo, &ends[1]));
    CHECK(MPI_Comm_join(ends[0], &inter) != MPI_SUCCESS);
    shutdown(ends[0], SHUT_RDWR);
    pthread_join(thread, NULL);
    close(ends[0]);
    close(ends[1]);
}

static void client_idle(const char *name)
{
    (void)name;
}

/* ---- where it listens ------------------------------------------------------------------------------------------- */

/* tcp.interface is 127.0.0.1 here. */
static void server_knobs(const char *name)
{
    char second[MPI_MAX_PORT_NAME];
    int first, last, number = port_of(name), error, closed = 0;
    MPI_Comm inter;
    struct sockaddr_in other = loopback(number);
    CHECK_EQUAL(2, sscanf(getenv("CORUNNA_TCP_PORTS"), "%d-%d", &first, &last));
    CHECK(number >= first && number <= last);
    CHECK_TEXT("127.0.0.1", strchr(name, '@') + 1);
    other.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1); /* another address of this host */
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    CHECK_EQUAL(-1, connect(fd, (struct sockaddr *)&other, sizeof other));
    CHECK_EQUAL(ECONNREFUSED, errno);
    close(fd);
    /* More ports than the range has. */
    while ((error = MPI_Open_port(MPI_INFO_NULL, second)) == MPI_SUCCESS)
        CHECK(closed++ < 100);
    char text[MPI_MAX_ERROR_STRING];
    CHECK_OK(MPI_Error_string(error, text, &closed));
    CHECK(strstr(text, "tcp.ports") != NULL);
    CHECK_OK(MPI_Comm_accept(name, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter));
    work_and_part(&inter);
}

/* ---- all of them ------------------------------------------------------------------------------------------------ */

static void server_once(const char *name)
{
    MPI_Comm inter;
    CHECK_OK(MPI_Comm_accept(name, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter));
    work_and_part(&inter);
}

static void server_twice(const char *name)
{
    server_once(name);
    server_once(name);
}

static const struct {
    const char *name;
    void (*server)(const char *port), (*client)(const char *port);
} cases[] = {
    {"captured", server_once, client_captured},
    {"changed", server_changed, client_changed},
    {"late", server_late, client_late},
    {"replayed", server_twice, client_replayed},
    {"silent", server_silent, client_silent},
    {"closing", server_closing, client_closed},
    {"echo", server_echo, client_idle},
    {"closed", server_closed, client_closed},
    {"unanswered", server_unanswered, client_unanswered},
    {"knobs", server_knobs, connect_and_work},
    {"once", server_once, connect_and_work},
};

int main(int argc, char **argv)
{
    char name[MPI_MAX_PORT_NAME] = "";
    int down[2], up[2], status = 0;
    size_t which = 0;
    CHECK(argc > 1);
    while (strcmp(cases[which].name, argv[1]) != 0)
        CHECK(++which < sizeof cases / sizeof *cases);
    CHECK(pipe(down) == 0 && pipe(up) == 0);
    to_client = down[1], from_server = down[0], to_server = up[1], from_client = up[0];
    pid_t child = fork(); /* before MPI_Init */
    CHECK(child >= 0);
    if (!child)
        unsetenv("CORUNNA_TCP_PORTS"); /* the range is the server's */
    CHECK_OK(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &status));
    CHECK_EQUAL(MPI_THREAD_MULTIPLE, status);
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    if (child) {
        CHECK_OK(MPI_Open_port(MPI_INFO_NULL, name));
        say(to_client, name, sizeof name);
        cases[which].server(name);
    } else {
        hear(from_server, name, sizeof name);
        cases[which].client(name);
    }
    MPI_Finalize();
    if (child) {
        CHECK_EQUAL(child, waitpid(child, &status, 0));
        CHECK_EQUAL(0, status);
    }
    return 0;
}
