/* SPDX-License-Identifier: Apache-2.0 */
/* Cases with poll, select and epoll. */
#define _GNU_SOURCE
#include "calls.h"

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WAIT_CONNECTIONS = 60, WAIT_ROUNDS = 40 };

static void wait_set_nonblocking(int fd)
{
    CHECK_OK(fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK));
}

/* ---- echo by epoll ----------------------------------------------------------------------------------------------- */

/* Answer what is there; with edges until there is nothing. 0: the end. */
static int wait_answer(int fd, int is_drained)
{
    char bytes[3000];
    do {
        ssize_t got = read(fd, bytes, sizeof bytes);
        if (got == 0)
            return 0;
        if (got < 0) {
            CHECK_EQUAL(EAGAIN, errno);
            return 1;
        }
        for (ssize_t done = 0; done < got;) {
            ssize_t sent = write(fd, bytes + done, (size_t)(got - done));
            CHECK(sent > 0 || errno == EAGAIN);
            done += sent > 0 ? sent : 0;
        }
    } while (is_drained);
    return 1;
}

static void wait_serve(int listener, uint32_t mode)
{
    int set = epoll_create1(EPOLL_CLOEXEC), ended = 0;
    struct epoll_event event = {.events = EPOLLIN, .data.fd = listener}, events[16];
    wait_set_nonblocking(listener);
    CHECK_OK(epoll_ctl(set, EPOLL_CTL_ADD, listener, &event));
    while (ended < WAIT_CONNECTIONS) {
        int count = epoll_wait(set, events, 16, CALLS_LONG_MS);
        CHECK(count > 0);
        for (int i = 0; i < count; i++) {
            int fd = events[i].data.fd;
            if (fd == listener) {
                while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
                    event = (struct epoll_event){.events = EPOLLIN | EPOLLRDHUP | mode, .data.fd = fd};
                    CHECK_OK(epoll_ctl(set, EPOLL_CTL_ADD, fd, &event));
                }
            } else if (!wait_answer(fd, mode & EPOLLET ? 1 : 0)) {
                ended++;
                close(fd);
            } else if (mode & EPOLLONESHOT) {
                event = (struct epoll_event){.events = EPOLLIN | EPOLLRDHUP | mode, .data.fd = fd};
                CHECK_OK(epoll_ctl(set, EPOLL_CTL_MOD, fd, &event));
            }
        }
    }
    close(set);
}

static void wait_echo(uint32_t mode)
{
    struct sockaddr_in address;
    int listener = calls_listen(&address), fds[WAIT_CONNECTIONS];
    pid_t child = calls_fork();
    if (child == 0) {
        wait_serve(listener, mode);
        exit(0);
    }
    close(listener);
    for (int i = 0; i < WAIT_CONNECTIONS; i++)
        fds[i] = calls_connect(&address);
    for (int round = 0; round < WAIT_ROUNDS; round++) {
        char bytes[5000], back[5000];
        size_t length = round % 10 == 9 ? sizeof bytes : 1 + (size_t)round;
        for (int i = 0; i < WAIT_CONNECTIONS; i++) {
            memset(bytes, round + i, length);
            calls_write_all(fds[i], bytes, length);
        }
        for (int i = 0; i < WAIT_CONNECTIONS; i++) {
            memset(bytes, round + i, length);
            calls_read_all(fds[i], back, length);
            CHECK(memcmp(bytes, back, length) == 0);
        }
        if (round % 8 == 0)
            check_asleep(child);
    }
    for (int i = 0; i < WAIT_CONNECTIONS; i++)
        close(fds[i]);
    calls_wait(child);
}

void calls_epoll_level(void)
{
    wait_echo(0);
}

void calls_epoll_edge(void)
{
    wait_echo(EPOLLET);
}

void calls_epoll_oneshot(void)
{
    wait_echo(EPOLLONESHOT);
}

/* ---- what epoll reports ------------------------------------------------------------------------------------------ */

/* The descriptor is in the set before it is connected. */
void calls_epoll_before_connect(void)
{
    struct sockaddr_in address;
    int listener = calls_listen(&address), set = epoll_create1(0);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    struct epoll_event event = {.events = EPOLLOUT, .data.u64 = 12345};
    char bytes[10];
    CHECK_OK(epoll_ctl(set, EPOLL_CTL_ADD, fd, &event));
    epoll_wait(set, &event, 1, 0); /* an unconnected socket reports something */
    CHECK(connect(fd, (struct sockaddr *)&address, sizeof address) == 0 || errno == EINPROGRESS);
    CHECK_EQUAL(1, epoll_wait(set, &event, 1, CALLS_LONG_MS));
    CHECK_EQUAL(12345, event.data.u64);
    CHECK(event.events & EPOLLOUT);
    int server = accept(listener, NULL, NULL);
    calls_write_all(fd, "q", 1);
    calls_read_all(server, bytes, 1);
    event = (struct epoll_event){.events = EPOLLIN, .data.u64 = 6789};
    CHECK_OK(epoll_ctl(set, EPOLL_CTL_MOD, fd, &event));
    CHECK_EQUAL(0, epoll_wait(set, &event, 1, 20));
    calls_write_all(server, "abc", 3);
    for (int i = 0; i < 3; i++) { /* a level stays */
        CHECK_EQUAL(1, epoll_wait(set, &event, 1, CALLS_LONG_MS));
        CHECK_EQUAL(6789, event.data.u64);
        CHECK_EQUAL(EPOLLIN, event.events);
        CHECK_EQUAL(1, read(fd, bytes, 1));
    }
    CHECK_EQUAL(0, epoll_wait(set, &event, 1, 20));
    close(server);
    CHECK_EQUAL(1, epoll_wait(set, &event, 1, CALLS_LONG_MS));
    CHECK_EQUAL(0, read(fd, bytes, 1));
    close(fd);
    CHECK_EQUAL(0, epoll_wait(set, &event, 1, 0));
    close(set);
    close(listener);
}

/* EPOLLOUT goes when there is no room and comes when there is; an edge is told once. */
void calls_epoll_out(void)
{
    static char bytes[1 << 20];
    int fds[2], set = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.fd = 7};
    calls_pair(fds);
    wait_set_nonblocking(fds[0]);
    wait_set_nonblocking(fds[1]);
    CHECK_OK(epoll_ctl(set, EPOLL_CTL_ADD, fds[0], &event));
    CHECK_EQUAL(1, epoll_wait(set, &event, 1, CALLS_LONG_MS));
    CHECK_EQUAL(EPOLLOUT, event.events);
    CHECK_EQUAL(0, epoll_wait(set, &event, 1, 20));
    calls_write_all(fds[1], "x", 1);
    CHECK_EQUAL(1, epoll_wait(set, &event, 1, CALLS_LONG_MS));
    CHECK(event.events & EPOLLIN);
    CHECK_EQUAL(0, epoll_wait(set, &event, 1, 20)); /* not read, not told again */
    calls_write_all(fds[1], "y", 1);
    CHECK_EQUAL(1, epoll_wait(set, &event, 1, CALLS_LONG_MS)); /* more has come */
    ssize_t sent, total = 0, got;
    while ((sent = write(fds[0], bytes, sizeof bytes)) > 0)
        total += sent;
    CHECK_EQUAL(EAGAIN, errno);
    CHECK_EQUAL(0, epoll_wait(set, &event, 1, 20));
    struct pollfd one = {fds[0], POLLOUT, 0};
    CHECK_EQUAL(0, poll(&one, 1, 20));
    while (total > 0 && (got = read(fds[1], bytes, sizeof bytes)) > 0)
        total -= got;
    CHECK_EQUAL(1, epoll_wait(set, &event, 1, CALLS_LONG_MS));
    CHECK(event.events & EPOLLOUT);
    CHECK_EQUAL(1, poll(&one, 1, CALLS_LONG_MS));
    close(fds[0]);
    close(fds[1]);
    close(set);
}

/* The last bytes and the end come together. */
void calls_epoll_end(void)
{
    int fds[2], set = epoll_create1(0);
    char byte;
    calls_pair(fds);
    struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP, .data.fd = fds[1]};
    CHECK_OK(epoll_ctl(set, EPOLL_CTL_ADD, fds[1], &event));
    CHECK_EQUAL(0, epoll_wait(set, &event, 1, 20));
    calls_write_all(fds[0], "x", 1);
    close(fds[0]);
    CHECK_EQUAL(1, epoll_wait(set, &event, 1, CALLS_LONG_MS));
    CHECK_EQUAL(1, read(fds[1], &byte, 1));
    CHECK_EQUAL(1, epoll_wait(set, &event, 1, CALLS_LONG_MS));
    CHECK_EQUAL(EPOLLIN | EPOLLRDHUP, event.events);
    CHECK_EQUAL(0, read(fds[1], &byte, 1));
    close(fds[1]);
    close(set);
}

/* Edges of a connection that the peer takes back to TCP while bytes are unread, by sending its descriptor elsewhere. */
void calls_epoll_returned(void)
{
    int fds[2], channel[2], set = epoll_create1(0);
    char bytes[500], got[sizeof bytes + 1], room[CMSG_SPACE(sizeof(int))];
    size_t done = 0;
    struct iovec part = {bytes, 1};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    calls_pair(fds);
    wait_set_nonblocking(fds[1]);
    CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, channel));
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.fd = fds[1]};
    CHECK_OK(epoll_ctl(set, EPOLL_CTL_ADD, fds[1], &event));
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)calls_byte(i, 3);
    calls_write_all(fds[0], bytes, 5);
    CHECK_EQUAL(1, epoll_wait(set, &event, 1, CALLS_LONG_MS));
    *header = (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int))};
    memcpy(CMSG_DATA(header), &fds[0], sizeof(int));
    CHECK_EQUAL(1, sendmsg(channel[0], &message, 0));
    calls_write_all(fds[0], bytes + 5, sizeof bytes - 5);
    while (done < sizeof bytes) { /* one read an edge */
        CHECK_EQUAL(1, epoll_wait(set, &event, 1, CALLS_LONG_MS));
        ssize_t more = read(fds[1], got + done, sizeof got - done);
        CHECK(more > 0);
        done += (size_t)more;
    }
    CHECK(memcmp(bytes, got, sizeof bytes) == 0);
    CHECK_EQUAL(0, epoll_wait(set, &event, 1, 20));
    for (int i = 0; i < 2; i++) {
        close(channel[i]);
        close(fds[i]);
    }
    close(set);
}

/* ---- poll -------------------------------------------------------------------------------------------------------- */

void calls_poll(void)
{
    int fds[2], more[2], pipes[2];
    char bytes[10];
    pthread_t thread;
    calls_pair(fds);
    calls_pair(more);
    CHECK_OK(pipe(pipes));
    struct pollfd set[4] = {{fds[1], POLLIN, 0}, {more[1], POLLIN, 0}, {pipes[0], POLLIN, 0}, {-1, POLLIN, 0}};
    CHECK_EQUAL(0, poll(set, 4, 0));
    CHECK_EQUAL(0, poll(set, 4, 20));
    CHECK_OK(pthread_create(&thread, NULL, calls_write_late, &more[0]));
    CHECK_EQUAL(1, poll(set, 4, CALLS_LONG_MS));
    CHECK_EQUAL(POLLIN, set[1].revents);
    CHECK_EQUAL(0, set[0].revents | set[2].revents | set[3].revents);
    pthread_join(thread, NULL);
    calls_write_all(pipes[1], "p", 1);
    calls_write_all(fds[0], "f", 1);
    CHECK_EQUAL(3, poll(set, 4, -1));
    CHECK_EQUAL(4, read(more[1], bytes, 10));
    CHECK_EQUAL(1, read(fds[1], bytes, 10));
    CHECK_EQUAL(1, poll(set, 4, -1)); /* the pipe alone */
    CHECK_EQUAL(POLLIN, set[2].revents);
    set[0].events = POLLIN | POLLOUT;
    CHECK_EQUAL(2, poll(set, 4, -1));
    CHECK_EQUAL(POLLOUT, set[0].revents);
    close(fds[0]);
    set[0].events = POLLIN;
    CHECK_EQUAL(2, poll(set, 4, CALLS_LONG_MS));
    CHECK_EQUAL(POLLIN, set[0].revents);
    close(fds[1]);
    close(more[0]);
    close(more[1]);
    close(pipes[0]);
    close(pipes[1]);
}

/* A server with hundreds of idle connections sleeps, and no process burns a CPU. */
void calls_idle(void)
{
    enum { IDLE = 200 };
    struct sockaddr_in address;
    int listener = calls_listen(&address), fds[IDLE], set = epoll_create1(0);
    struct epoll_event event;
    struct rusage before, after;
    char byte;
    for (int i = 0; i < IDLE; i++) {
        fds[i] = calls_connect(&address);
        int server = accept(listener, NULL, NULL);
        calls_write_all(server, "h", 1);
        calls_read_all(fds[i], &byte, 1);
        event = (struct epoll_event){.events = EPOLLIN, .data.fd = server};
        CHECK_OK(epoll_ctl(set, EPOLL_CTL_ADD, server, &event));
    }
    CHECK_EQUAL(0, epoll_wait(set, &event, 1, 50));
    getrusage(RUSAGE_SELF, &before);
    CHECK_EQUAL(0, epoll_wait(set, &event, 1, 300));
    getrusage(RUSAGE_SELF, &after);
    long used_us =
        (after.ru_utime.tv_sec - before.ru_utime.tv_sec + after.ru_stime.tv_sec - before.ru_stime.tv_sec) * 1000000 +
        (after.ru_utime.tv_usec - before.ru_utime.tv_usec + after.ru_stime.tv_usec - before.ru_stime.tv_usec);
    CHECK(used_us < 100000);
    for (int i = 0; i < IDLE; i += 17) {
        calls_write_all(fds[i], "x", 1);
        CHECK_EQUAL(1, epoll_wait(set, &event, 1, CALLS_LONG_MS));
        CHECK_EQUAL(1, read(event.data.fd, &byte, 1));
        calls_write_all(event.data.fd, "y", 1);
        calls_read_all(fds[i], &byte, 1);
    }
    for (int i = 0; i < IDLE; i++)
        close(fds[i]);
    close(set);
    close(listener);
}
