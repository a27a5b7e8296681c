/* SPDX-License-Identifier: Apache-2.0 */
/* What only TCP has: a connection that asks for it gets it, also one that was used before. */
#define _GNU_SOURCE
#include "calls.h"

#include "check.h"

#include <aio.h>
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/errqueue.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

/* A connection, in use, with a process that sends back all that it gets. */
static int options_begin(pid_t *child_p)
{
    struct sockaddr_in address;
    char byte = 'b';
    int listener = calls_listen(&address);
    *child_p = calls_echo(listener);
    int fd = calls_connect(&address);
    close(listener);
    calls_write_all(fd, &byte, 1);
    calls_read_all(fd, &byte, 1);
    return fd;
}

static void options_end(int fd, pid_t child)
{
    char bytes[5];
    calls_write_all(fd, "final", 5);
    calls_read_all(fd, bytes, 5);
    CHECK(memcmp(bytes, "final", 5) == 0);
    close(fd);
    calls_wait(child);
}

static void options_await(int fd, int count)
{
    int waiting = 0;
    while (waiting < count) {
        CHECK_OK(ioctl(fd, FIONREAD, &waiting));
        usleep(1000);
    }
    CHECK_EQUAL(count, waiting);
}

/* ---- SO_RCVLOWAT ------------------------------------------------------------------------------------------------- */

static void options_low_mark(int fd, int other)
{
    char bytes[10];
    struct pollfd one = {fd, POLLIN, 0};
    calls_write_all(other, "abc", 3);
    options_await(fd, 3);
    CHECK_EQUAL(0, poll(&one, 1, 20));
    calls_write_all(other, "d", 1);
    CHECK_EQUAL(1, poll(&one, 1, CALLS_LONG_MS));
    CHECK_EQUAL(4, read(fd, bytes, sizeof bytes));
    CHECK(memcmp(bytes, "abcd", 4) == 0);
}

void calls_low_mark(void)
{
    struct sockaddr_in address;
    pid_t child;
    int mark = 4, fd = options_begin(&child);
    CHECK_OK(setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &mark, sizeof mark));
    options_low_mark(fd, fd);
    mark = 1;
    CHECK_OK(setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &mark, sizeof mark));
    options_end(fd, child);
    int listener = calls_listen(&address); /* what it accepts inherits the option */
    mark = 4;
    CHECK_OK(setsockopt(listener, SOL_SOCKET, SO_RCVLOWAT, &mark, sizeof mark));
    int client = calls_connect(&address), server = accept(listener, NULL, NULL);
    options_low_mark(server, client);
    close(client);
    close(server);
    client = socket(AF_INET, SOCK_STREAM, 0); /* and a client may set it before it connects */
    CHECK_OK(setsockopt(client, SOL_SOCKET, SO_RCVLOWAT, &mark, sizeof mark));
    CHECK_OK(connect(client, (struct sockaddr *)&address, sizeof address));
    server = accept(listener, NULL, NULL);
    options_low_mark(client, server);
    close(client);
    close(server);
    close(listener);
}

/* ---- others ------------------------------------------------------------------------------------------------------ */

/* The kernel tells when it needs the memory no more. */
void calls_zero_copy(void)
{
    static char bytes[20000], back[sizeof bytes];
    pid_t child;
    int on = 1, fd = options_begin(&child);
    char room[200];
    struct msghdr message = {.msg_control = room, .msg_controllen = sizeof room};
    struct pollfd one = {fd, 0, 0};
    CHECK_OK(setsockopt(fd, SOL_SOCKET, SO_ZEROCOPY, &on, sizeof on));
    memset(bytes, 'z', sizeof bytes);
    CHECK_EQUAL((ssize_t)sizeof bytes, send(fd, bytes, sizeof bytes, MSG_ZEROCOPY));
    calls_read_all(fd, back, sizeof back);
    CHECK(memcmp(bytes, back, sizeof bytes) == 0);
    CHECK_EQUAL(1, poll(&one, 1, CALLS_LONG_MS));
    CHECK(one.revents & POLLERR);
    CHECK_OK((int)recvmsg(fd, &message, MSG_ERRQUEUE));
    struct sock_extended_err told;
    memcpy(&told, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof told);
    CHECK_EQUAL(SO_EE_ORIGIN_ZEROCOPY, told.ee_origin);
    options_end(fd, child);
}

/* TLS in the kernel, which may not have it, and offsets of peeks, which older kernels do not have for TCP. */
void calls_layers(void)
{
    pid_t child;
    int fd = options_begin(&child), offset = 0;
    char bytes[4];
    if (setsockopt(fd, IPPROTO_TCP, TCP_ULP, "tls", 4) != 0)
        CHECK(errno == ENOENT || errno == ENOPROTOOPT);
    options_end(fd, child);
    fd = options_begin(&child);
    if (setsockopt(fd, SOL_SOCKET, SO_PEEK_OFF, &offset, sizeof offset) == 0) {
        calls_write_all(fd, "abcd", 4);
        options_await(fd, 4);
        CHECK_EQUAL(2, recv(fd, bytes, 2, MSG_PEEK));
        CHECK(memcmp(bytes, "ab", 2) == 0);
        CHECK_EQUAL(2, recv(fd, bytes, 2, MSG_PEEK));
        CHECK(memcmp(bytes, "cd", 2) == 0);
        calls_read_all(fd, bytes, 4);
        CHECK(memcmp(bytes, "abcd", 4) == 0);
    }
    options_end(fd, child);
}

/* A peek that waits for all. */
void calls_peek_all(void)
{
    struct sockaddr_in address;
    int listener = calls_listen(&address);
    pid_t child = calls_fork();
    char bytes[6];
    if (child == 0) {
        int fd = accept(listener, NULL, NULL);
        calls_read_all(fd, bytes, 1);
        calls_write_all(fd, "u", 1);
        calls_read_all(fd, bytes, 1);
        calls_write_all(fd, "abc", 3);
        struct pollfd one = {fd, POLLIN, 0};
        CHECK_EQUAL(0, poll(&one, 1, 200)); /* waits in a call meanwhile */
        calls_write_all(fd, "def", 3);
        calls_read_all(fd, bytes, 1);
        exit(0);
    }
    int fd = calls_connect(&address);
    calls_write_all(fd, "u", 1);
    calls_read_all(fd, bytes, 1);
    calls_write_all(fd, "g", 1);
    CHECK_EQUAL(6, recv(fd, bytes, 6, MSG_PEEK | MSG_WAITALL));
    CHECK(memcmp(bytes, "abcdef", 6) == 0);
    calls_read_all(fd, bytes, 6);
    CHECK(memcmp(bytes, "abcdef", 6) == 0);
    calls_write_all(fd, "e", 1);
    close(fd);
    close(listener);
    calls_wait(child);
}

/* POSIX's asynchronous input and output, which libc makes by threads of its own. */
void calls_aio(void)
{
    pid_t child;
    int fd = options_begin(&child);
    char bytes[4] = "aio";
    struct aiocb block = {.aio_fildes = fd, .aio_buf = bytes, .aio_nbytes = 3};
    const struct aiocb *const list[] = {&block};
    CHECK_OK(aio_write(&block));
    while (aio_error(&block) == EINPROGRESS)
        CHECK_OK(aio_suspend(list, 1, NULL));
    CHECK_EQUAL(3, aio_return(&block));
    memset(bytes, 0, sizeof bytes);
    options_await(fd, 3);
    CHECK_OK(aio_read(&block));
    while (aio_error(&block) == EINPROGRESS)
        CHECK_OK(aio_suspend(list, 1, NULL));
    CHECK_EQUAL(3, aio_return(&block));
    CHECK_TEXT("aio", bytes);
    options_end(fd, child);
}

/* Vectors at no offset, and with one, which a socket does not have. */
void calls_vectors_at(void)
{
    int fds[2];
    char a[3], b[5], bytes[10];
    struct iovec out[2] = {{"abc", 3}, {"defgh", 5}}, in[2] = {{a, 3}, {b, 5}};
    calls_pair(fds);
    CHECK_EQUAL(-1, preadv2(fds[1], in, 2, -1, RWF_NOWAIT));
    CHECK_EQUAL(EAGAIN, errno);
    CHECK_EQUAL(8, pwritev2(fds[0], out, 2, -1, 0));
    CHECK_EQUAL(8, read(fds[1], bytes, sizeof bytes));
    CHECK(memcmp(bytes, "abcdefgh", 8) == 0);
    CHECK_EQUAL(8, writev(fds[0], out, 2));
    CHECK_EQUAL(8, preadv2(fds[1], in, 2, -1, 0));
    CHECK(memcmp(a, "abc", 3) == 0 && memcmp(b, "defgh", 5) == 0);
    CHECK_EQUAL(-1, preadv2(fds[1], in, 2, 0, 0));
    CHECK_EQUAL(ESPIPE, errno);
    CHECK_EQUAL(-1, pwritev2(fds[0], out, 2, 7, 0));
    CHECK_EQUAL(ESPIPE, errno);
    calls_greet(fds[0], fds[1]);
    close(fds[0]);
    close(fds[1]);
}

/* ---- connect() again --------------------------------------------------------------------------------------------- */

/* A socket is taken off one server, and connected to another one. */
void calls_unspec(void)
{
    struct sockaddr_in first, second, here;
    struct sockaddr none = {.sa_family = AF_UNSPEC};
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = 77};
    socklen_t length = sizeof here;
    int listeners[2] = {calls_listen(&first), calls_listen(&second)}, set = epoll_create1(0);
    int fd = calls_connect(&first), servers[2] = {accept(listeners[0], NULL, NULL), -1};
    char bytes[4];
    calls_greet(fd, servers[0]);
    CHECK_OK(epoll_ctl(set, EPOLL_CTL_ADD, fd, &event));
    calls_write_all(servers[0], "left", 4);
    CHECK_EQUAL(1, epoll_wait(set, &event, 1, CALLS_LONG_MS));
    CHECK_OK(connect(fd, &none, sizeof none));
    CHECK_EQUAL(-1, read(servers[0], bytes, 1));
    CHECK_EQUAL(ECONNRESET, errno);
    CHECK_EQUAL(-1, send(fd, "x", 1, MSG_NOSIGNAL));
    CHECK(errno == ECONNRESET || errno == EPIPE); /* once the one, then the other */
    CHECK_OK(getsockname(fd, (struct sockaddr *)&here, &length));
    CHECK_EQUAL(INADDR_ANY, ntohl(here.sin_addr.s_addr));
    CHECK_OK(connect(fd, (struct sockaddr *)&second, sizeof second));
    servers[1] = accept(listeners[1], NULL, NULL);
    calls_greet(fd, servers[1]);
    CHECK_EQUAL(0, epoll_wait(set, &event, 1, 20));
    for (int i = 0; i < 10; i++) {
        calls_write_all(servers[1], "new", 3);
        CHECK_EQUAL(1, epoll_wait(set, &event, 1, CALLS_LONG_MS));
        CHECK_EQUAL(77, event.data.u64);
        CHECK_EQUAL(3, read(fd, bytes, 4));
        CHECK(memcmp(bytes, "new", 3) == 0);
    }
    close(fd);
    CHECK_EQUAL(0, read(servers[1], bytes, 1));
    for (int i = 0; i < 2; i++) {
        close(listeners[i]);
        close(servers[i]);
    }
    close(set);
}
