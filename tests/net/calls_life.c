/* SPDX-License-Identifier: Apache-2.0 */
/* How connections begin and end. */
#define _GNU_SOURCE
#include "calls.h"

#include "check.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

void calls_shutdown(void)
{
    int fds[2];
    char bytes[10];
    calls_pair(fds);
    CHECK_EQUAL(3, write(fds[0], "end", 3));
    CHECK_OK(shutdown(fds[0], SHUT_WR));
    CHECK_EQUAL(-1, send(fds[0], "x", 1, MSG_NOSIGNAL));
    CHECK_EQUAL(EPIPE, errno);
    CHECK_EQUAL(3, read(fds[1], bytes, 10));
    CHECK_EQUAL(0, read(fds[1], bytes, 10));
    struct pollfd one = {fds[1], POLLIN | POLLOUT | POLLRDHUP, 0};
    CHECK_EQUAL(1, poll(&one, 1, CALLS_LONG_MS));
    CHECK_EQUAL(POLLIN | POLLOUT | POLLRDHUP, one.revents);
    CHECK_EQUAL(5, write(fds[1], "reply", 5));
    CHECK_EQUAL(5, read(fds[0], bytes, 10));
    CHECK_OK(shutdown(fds[1], SHUT_RDWR));
    CHECK_EQUAL(0, read(fds[0], bytes, 10));
    close(fds[0]);
    close(fds[1]);
}

void calls_linger(void)
{
    int fds[2];
    char byte;
    struct linger now = {1, 0};
    calls_pair(fds);
    CHECK_OK(setsockopt(fds[0], SOL_SOCKET, SO_LINGER, &now, sizeof now));
    close(fds[0]);
    CHECK_EQUAL(-1, read(fds[1], &byte, 1));
    CHECK_EQUAL(ECONNRESET, errno);
    CHECK_EQUAL(0, read(fds[1], &byte, 1));
    CHECK_EQUAL(-1, send(fds[1], "x", 1, MSG_NOSIGNAL));
    CHECK_EQUAL(EPIPE, errno);
    close(fds[1]);
    calls_pair(fds); /* bytes that the peer did not read */
    CHECK_EQUAL(1, write(fds[0], "x", 1));
    CHECK_EQUAL(3, write(fds[1], "end", 3));
    close(fds[1]);
    char bytes[4];
    CHECK_EQUAL(3, read(fds[0], bytes, 4));
    CHECK_EQUAL(-1, read(fds[0], bytes, 4));
    CHECK_EQUAL(ECONNRESET, errno);
    close(fds[0]);
}

void calls_refused(void)
{
    struct sockaddr_in address;
    int listener = calls_listen(&address), fd = socket(AF_INET, SOCK_STREAM, 0);
    close(listener);
    CHECK_EQUAL(-1, connect(fd, (struct sockaddr *)&address, sizeof address));
    CHECK_EQUAL(ECONNREFUSED, errno);
    close(fd);
    fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    CHECK_EQUAL(-1, connect(fd, (struct sockaddr *)&address, sizeof address));
    int error = errno;
    socklen_t length = sizeof error;
    if (error == EINPROGRESS) {
        struct pollfd one = {fd, POLLOUT, 0};
        CHECK_EQUAL(1, poll(&one, 1, CALLS_LONG_MS));
        CHECK(one.revents & POLLERR);
        CHECK_OK(getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length));
    }
    CHECK_EQUAL(ECONNREFUSED, error);
    close(fd);
}

void calls_killed(void)
{
    for (int round = 0; round < 20; round++) {
        struct sockaddr_in address;
        int listener = calls_listen(&address);
        pid_t child = calls_fork();
        char bytes[1000] = {0};
        if (child == 0) {
            int fd = round % 2 ? calls_connect(&address) : accept(listener, NULL, NULL);
            for (;;) {
                if (write(fd, bytes, sizeof bytes) <= 0 || read(fd, bytes, sizeof bytes) <= 0)
                    exit(0);
            }
        }
        int fd = round % 2 ? accept(listener, NULL, NULL) : calls_connect(&address);
        close(listener);
        for (int i = 0; i < round * 3; i++) {
            calls_read_all(fd, bytes, sizeof bytes);
            calls_write_all(fd, bytes, sizeof bytes);
        }
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        ssize_t got;
        while ((got = read(fd, bytes, sizeof bytes)) > 0)
            ;
        CHECK(got == 0 || errno == ECONNRESET);
        struct pollfd one = {fd, POLLIN, 0};
        CHECK_EQUAL(1, poll(&one, 1, CALLS_LONG_MS));
        close(fd);
    }
}

/* A writer waits for a peer, which exits and leaves bytes unread: one call reports the reset, and later ones fail. */
void calls_reset(void)
{
    struct sockaddr_in address;
    static char bytes[1 << 20];
    int listener = calls_listen(&address);
    pid_t self = getpid(), child = calls_fork();
    if (child == 0) {
        int fd = accept(listener, NULL, NULL);
        calls_read_all(fd, bytes, 1);
        calls_write_all(fd, bytes, 1);
        check_asleep(self);
        exit(0);
    }
    int fd = calls_connect(&address);
    calls_write_all(fd, "q", 1);
    calls_read_all(fd, bytes, 1);
    while (send(fd, bytes, sizeof bytes, 0) > 0)
        ;
    CHECK_EQUAL(ECONNRESET, errno);
    CHECK_EQUAL(-1, send(fd, bytes, 1, 0));
    CHECK_EQUAL(EPIPE, errno);
    CHECK_EQUAL(0, read(fd, bytes, 1));
    calls_wait(child);
    close(fd);
    close(listener);
}

enum { CLOSED_BYTES = 30 << 20 };

static void *life_write_much(void *argument)
{
    char *bytes = malloc(CLOSED_BYTES);
    for (size_t i = 0; i < CLOSED_BYTES; i++)
        bytes[i] = (char)calls_byte(i, 7);
    CHECK_EQUAL(CLOSED_BYTES, write(*(int *)argument, bytes, CLOSED_BYTES));
    free(bytes);
    return NULL;
}

/* A thread waits in write while another closes the descriptor, whose number another socket gets: that is left alone. */
void calls_closed(void)
{
    struct sockaddr_in address;
    int listener = calls_listen(&address), go[2], pair[2];
    char byte;
    CHECK_OK(pipe(go));
    pid_t child = calls_fork();
    if (child == 0) {
        static char bytes[3000];
        int fd = accept(listener, NULL, NULL);
        close(go[1]);
        calls_read_all(fd, &byte, 1);
        calls_write_all(fd, &byte, 1);
        calls_read_all(go[0], &byte, 1);
        ssize_t got;
        size_t at = 0;
        while ((got = read(fd, bytes, sizeof bytes)) > 0)
            for (ssize_t i = 0; i < got; i++, at++)
                CHECK_EQUAL((char)calls_byte(at, 7), bytes[i]);
        CHECK_EQUAL(0, got);
        CHECK_EQUAL(CLOSED_BYTES, at);
        exit(0);
    }
    int fd = calls_connect(&address), number = fd;
    pthread_t writer;
    calls_write_all(fd, "q", 1);
    calls_read_all(fd, &byte, 1);
    int argument = fd;
    CHECK_OK(pthread_create(&writer, NULL, life_write_much, &argument));
    check_asleep(getpid());
    close(fd);
    CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    CHECK(pair[0] == number || pair[1] == number);
    calls_write_all(go[1], "g", 1);
    pthread_join(writer, NULL);
    calls_wait(child);
    for (int i = 0; i < 2; i++) {
        CHECK_EQUAL(-1, recv(pair[i], &byte, 1, MSG_DONTWAIT));
        CHECK_EQUAL(EAGAIN, errno);
    }
    close(pair[0]);
    close(pair[1]);
    close(go[0]);
    close(go[1]);
    close(listener);
}

void calls_urgent(void)
{
    struct sockaddr_in address;
    int listener = calls_listen(&address);
    pid_t child = calls_fork();
    if (child == 0) {
        int fd = accept(listener, NULL, NULL);
        char bytes[4];
        calls_read_all(fd, bytes, 1);
        calls_write_all(fd, bytes, 1);
        struct pollfd one = {fd, POLLPRI, 0};
        CHECK_EQUAL(1, poll(&one, 1, CALLS_LONG_MS));
        CHECK_EQUAL(1, recv(fd, bytes, 1, MSG_OOB));
        CHECK_EQUAL('!', bytes[0]);
        calls_read_all(fd, bytes, 1); /* the urgent byte is not in the stream */
        CHECK_EQUAL('a', bytes[0]);
        calls_read_all(fd, bytes, 1);
        CHECK_EQUAL('b', bytes[0]);
        exit(0);
    }
    int fd = calls_connect(&address);
    char byte = 'x';
    calls_write_all(fd, &byte, 1);
    calls_read_all(fd, &byte, 1);
    CHECK_EQUAL(1, write(fd, "a", 1));
    CHECK_EQUAL(1, send(fd, "!", 1, MSG_OOB));
    CHECK_EQUAL(1, write(fd, "b", 1));
    calls_wait(child);
    close(fd);
    close(listener);
}

/* Thousands of connections, opened and closed. */
void calls_churn(void)
{
    struct sockaddr_in address;
    int listener = calls_listen(&address);
    pid_t child = calls_fork();
    if (child == 0)
        for (;;) {
            char bytes[200];
            int fd = accept(listener, NULL, NULL);
            ssize_t got = read(fd, bytes, sizeof bytes);
            if (got > 0)
                calls_write_all(fd, bytes, (size_t)got);
            close(fd);
        }
    for (int i = 0; i < 2000; i++) {
        int fd = calls_connect(&address);
        char bytes[200];
        memset(bytes, i, sizeof bytes);
        if (i % 7 != 0) {
            calls_write_all(fd, bytes, sizeof bytes);
            calls_read_all(fd, bytes, sizeof bytes);
            CHECK_EQUAL((char)i, bytes[199]);
            CHECK_EQUAL(0, read(fd, bytes, 1));
        }
        close(fd);
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(listener);
}

void calls_self_connect(void)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    char bytes[4];
    CHECK_OK(bind(fd, (struct sockaddr *)&address, sizeof address));
    CHECK_OK(getsockname(fd, (struct sockaddr *)&address, &length));
    CHECK_OK(connect(fd, (struct sockaddr *)&address, sizeof address));
    calls_write_all(fd, "self", 4);
    calls_read_all(fd, bytes, 4);
    CHECK(memcmp(bytes, "self", 4) == 0);
    close(fd);
}

void calls_six(void)
{
    int listener = socket(AF_INET6, SOCK_STREAM, 0), off = 0;
    struct sockaddr_in6 address = {.sin6_family = AF_INET6};
    socklen_t length = sizeof address;
    if (listener < 0)
        return; /* a kernel without IPv6 */
    CHECK_OK(setsockopt(listener, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off));
    CHECK_OK(bind(listener, (struct sockaddr *)&address, sizeof address));
    CHECK_OK(listen(listener, 5));
    CHECK_OK(getsockname(listener, (struct sockaddr *)&address, &length));
    struct sockaddr_in four = {
        .sin_family = AF_INET, .sin_port = address.sin6_port, .sin_addr.s_addr = htonl(0x7f000003)};
    int client = calls_connect(&four), server = accept(listener, NULL, NULL);
    calls_greet(client, server);
    close(client);
    close(server);
    address.sin6_addr = in6addr_loopback;
    client = socket(AF_INET6, SOCK_STREAM, 0);
    if (connect(client, (struct sockaddr *)&address, sizeof address) == 0) {
        server = accept(listener, NULL, NULL);
        calls_greet(client, server);
        close(server);
    }
    close(client);
    close(listener);
}
