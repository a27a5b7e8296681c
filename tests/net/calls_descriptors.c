/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors: copies of them, processes that share them, other images that get them. */
#define _GNU_SOURCE
#include "calls.h"

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

void calls_dup(void)
{
    int fds[2];
    char bytes[10];
    calls_pair(fds);
    int second = dup(fds[0]), third = fcntl(fds[0], F_DUPFD_CLOEXEC, 100), fourth = dup2(fds[1], 150);
    CHECK(second > 0 && third >= 100 && fourth == 150);
    CHECK_EQUAL(1, write(second, "a", 1));
    close(second);
    CHECK_EQUAL(1, write(third, "b", 1));
    close(fds[0]);
    CHECK_EQUAL(1, write(third, "c", 1));
    calls_read_all(fourth, bytes, 3);
    CHECK(memcmp(bytes, "abc", 3) == 0);
    close(fourth);
    CHECK_EQUAL(1, write(fds[1], "d", 1));
    CHECK_EQUAL(1, read(third, bytes, 1));
    /* the JDK closes so: another descriptor takes the number, and the connection ends */
    int null = open("/dev/null", O_RDWR);
    CHECK_EQUAL(third, dup2(null, third));
    CHECK_EQUAL(0, read(fds[1], bytes, 1));
    CHECK_EQUAL(0, read(third, bytes, 1));
    close(third);
    close(null);
    close(fds[1]);
}

void calls_fork_share(void)
{
    int fds[2];
    char bytes[6];
    calls_pair(fds);
    pid_t child = calls_fork();
    if (child == 0) {
        close(fds[1]);
        calls_read_all(fds[0], bytes, 3);
        CHECK(memcmp(bytes, "one", 3) == 0);
        calls_write_all(fds[0], "two", 3);
        exit(0);
    }
    calls_write_all(fds[1], "one", 3);
    calls_read_all(fds[1], bytes, 3);
    calls_wait(child);
    calls_write_all(fds[0], "three", 5); /* the parent goes on with its copy */
    calls_read_all(fds[1], bytes, 5);
    CHECK(memcmp(bytes, "three", 5) == 0);
    close(fds[0]);
    CHECK_EQUAL(0, read(fds[1], bytes, 1));
    close(fds[1]);
}

/* Children that share a listening socket, as nginx does, and a child a connection, as PostgreSQL does. */
void calls_fork_server(void)
{
    enum { CHILDREN = 3, CONNECTIONS = 200 };
    struct sockaddr_in address;
    int listener = calls_listen(&address);
    pid_t children[CHILDREN], forking;
    for (int i = 0; i < CHILDREN; i++)
        if ((children[i] = calls_fork()) == 0)
            for (;;) {
                char byte;
                int fd = accept(listener, NULL, NULL);
                while (read(fd, &byte, 1) == 1)
                    calls_write_all(fd, &byte, 1);
                close(fd);
            }
    for (int i = 0; i < CONNECTIONS; i++) {
        int fd = calls_connect(&address);
        char byte = (char)i, back;
        for (int j = 0; j < 5; j++) {
            calls_write_all(fd, &byte, 1);
            calls_read_all(fd, &back, 1);
            CHECK_EQUAL(byte, back);
        }
        close(fd);
    }
    for (int i = 0; i < CHILDREN; i++) {
        kill(children[i], SIGKILL);
        waitpid(children[i], NULL, 0);
    }
    if ((forking = calls_fork()) == 0) {
        signal(SIGCHLD, SIG_IGN);
        for (;;) {
            int fd = accept(listener, NULL, NULL);
            if (fork() == 0) {
                char byte;
                while (read(fd, &byte, 1) == 1)
                    calls_write_all(fd, &byte, 1);
                _exit(0);
            }
            close(fd);
        }
    }
    for (int i = 0; i < 50; i++) {
        int fd = calls_connect(&address);
        char byte = (char)i, back;
        calls_write_all(fd, &byte, 1);
        calls_read_all(fd, &back, 1);
        CHECK_EQUAL(byte, back);
        close(fd);
    }
    kill(forking, SIGKILL);
    waitpid(forking, NULL, 0);
    close(listener);
}

/* A connection becomes standard input and output, whose streams libc reads and writes by itself. */
void calls_standard(void)
{
    struct sockaddr_in address;
    char bytes[10];
    int listener = calls_listen(&address);
    pid_t child = calls_fork();
    if (child == 0) {
        char word[10];
        int fd = accept(listener, NULL, NULL);
        calls_read_all(fd, bytes, 1);
        calls_write_all(fd, bytes, 1);
        CHECK_EQUAL(0, dup2(fd, 0));
        CHECK_EQUAL(1, dup2(fd, 1));
        close(fd);
        CHECK(fgets(word, sizeof word, stdin) != NULL);
        CHECK(strcmp(word, "hello\n") == 0);
        printf("answer");
        exit(0);
    }
    int fd = calls_connect(&address);
    close(listener);
    calls_write_all(fd, "u", 1);
    calls_read_all(fd, bytes, 1);
    calls_write_all(fd, "hello\n", 6);
    calls_read_all(fd, bytes, 6);
    CHECK(memcmp(bytes, "answer", 6) == 0);
    CHECK_EQUAL(0, read(fd, bytes, 1));
    close(fd);
    calls_wait(child);
}

/* The number that the next descriptor gets. */
static int descriptors_next(void)
{
    int fd = open("/dev/null", O_RDONLY);
    CHECK(fd >= 0);
    close(fd);
    return fd;
}

/* Numbers are those that the kernel gives: the library takes none that a program counts on, at no time. */
static void descriptors_numbers(void)
{
    struct sockaddr_in address;
    int first = descriptors_next(), listener = calls_listen(&address);
    CHECK_EQUAL(first, listener);
    CHECK_EQUAL(first + 1, calls_connect(&address));
    CHECK_EQUAL(first + 2, descriptors_next());
    CHECK_EQUAL(first + 2, accept(listener, NULL, NULL));
    CHECK_EQUAL(first + 3, descriptors_next());
    calls_greet(first + 1, first + 2);
    CHECK_EQUAL(first + 3, descriptors_next());
    for (int fd = first; fd < first + 3; fd++)
        close(fd);
    CHECK_EQUAL(first, descriptors_next());
}

/* A program closes what it does not know, while a client waits to be accepted: the connection is as fast as others. */
static void descriptors_close_all(int by_range)
{
    struct sockaddr_in address;
    int listener = calls_listen(&address), client = calls_connect(&address);
    if (by_range) {
        CHECK_EQUAL(listener + 1, client);
        close_range(3, (unsigned)listener - 1, 0);
        close_range((unsigned)client + 1, ~0u, 0);
    } else {
        for (int fd = 3; fd < 10000; fd++)
            if (fd != listener && fd != client)
                close(fd);
    }
    int server = accept(listener, NULL, NULL);
    CHECK(server >= 0);
    calls_greet(client, server);
    if (getenv("SOCK_FAST"))
        CHECK(calls_is_fast());
    close_range(3, ~0u, 0);
    CHECK_EQUAL(-1, write(client, "x", 1));
    CHECK_EQUAL(EBADF, errno);
    CHECK_EQUAL(3, descriptors_next());
}

/* A program that chooses numbers, and meets those of the library: its files are there, and all goes on. */
static void descriptors_chosen(void)
{
    struct sockaddr_in address;
    int listener = calls_listen(&address), clients[2] = {calls_connect(&address), -1},
        null = open("/dev/null", O_RDWR);
    int count = 0, found[20];
    for (int fd = 100; fd < 10000 && count < 20; fd++)
        if (fcntl(fd, F_GETFD) >= 0)
            found[count++] = fd;
    for (int i = 0; i < count; i++)
        CHECK_EQUAL(found[i], dup2(null, found[i]));
    clients[1] = calls_connect(&address);
    for (int i = 0; i < 2; i++) {
        int server = accept(listener, NULL, NULL);
        calls_greet(clients[i], server);
        close(server);
    }
    if (getenv("SOCK_FAST"))
        CHECK(calls_is_fast());
    close(listener);
    listener = calls_listen(&address);
    for (int i = 0; i < count; i++) {
        CHECK_EQUAL(1, write(found[i], "n", 1)); /* still the program's */
        CHECK_OK(close(found[i]));
    }
    close(listener);
    close(null);
    close(clients[0]);
    close(clients[1]);
}

/* A program's own memory, its closed standard streams and its loops over all descriptors do not meet ours. */
void calls_descriptors(void)
{
    int fds[2];
    close_range(3, ~0u, 0);                          /* what a parent left open */
    for (int closed = 0; closed <= 3; closed += 3) { /* standard streams */
        pid_t child = calls_fork();
        if (child == 0) {
            for (int fd = 0; fd < closed; fd++)
                close(fd);
            descriptors_numbers();
            exit(0);
        }
        calls_wait(child);
    }
    for (int by_range = 0; by_range < 2; by_range++) {
        pid_t child = calls_fork();
        if (child == 0) {
            descriptors_close_all(by_range);
            exit(0);
        }
        calls_wait(child);
    }
    pid_t chooser = calls_fork();
    if (chooser == 0) {
        descriptors_chosen();
        exit(0);
    }
    calls_wait(chooser);
    calls_pair(fds);
    int next = descriptors_next(), shared = shm_open("/corunna-net-test", O_RDWR | O_CREAT | O_EXCL, 0600);
    shm_unlink("/corunna-net-test");
    CHECK_EQUAL(next, shared);
    close(shared);
    close(fds[0]);
    close(fds[1]);
}
