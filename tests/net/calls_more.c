/* SPDX-License-Identifier: Apache-2.0 */
/* What else programs do with sockets: messages in bulk, signals, options, system calls by number. */
#define _GNU_SOURCE
#include "calls.h"

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- bulk -------------------------------------------------------------------------------------------------------- */

void calls_bulk(void)
{
    int fds[2];
    char bytes[3][4] = {"", "", ""};
    struct iovec out[3] = {{"ab", 2}, {"cde", 3}, {"f", 1}}, in[3] = {{bytes[0], 2}, {bytes[1], 3}, {bytes[2], 3}};
    struct mmsghdr sent[3] = {0}, got[3] = {0};
    for (int i = 0; i < 3; i++) {
        sent[i].msg_hdr = (struct msghdr){.msg_iov = &out[i], .msg_iovlen = 1};
        got[i].msg_hdr = (struct msghdr){.msg_iov = &in[i], .msg_iovlen = 1};
    }
    calls_pair(fds);
    CHECK_EQUAL(3, sendmmsg(fds[0], sent, 3, 0));
    CHECK_EQUAL(3, sent[1].msg_len);
    CHECK_EQUAL(3, recvmmsg(fds[1], got, 3, 0, NULL));
    CHECK(memcmp(bytes[0], "ab", 2) == 0 && memcmp(bytes[1], "cde", 3) == 0 && bytes[2][0] == 'f');
    CHECK_EQUAL(1, got[2].msg_len);
    CHECK_EQUAL(-1, recvmmsg(fds[1], got, 3, MSG_DONTWAIT, NULL));
    CHECK_EQUAL(EAGAIN, errno);
    /* bytes that are dropped, and bytes that the sender means to follow up */
    CHECK_EQUAL(4, send(fds[0], "drop", 4, MSG_MORE));
    CHECK_EQUAL(4, send(fds[0], "keep", 4, 0));
    CHECK_EQUAL(4, recv(fds[1], bytes, 4, MSG_TRUNC | MSG_WAITALL));
    CHECK_EQUAL(4, recv(fds[1], bytes[1], 4, MSG_WAITALL));
    CHECK(memcmp(bytes[1], "keep", 4) == 0);
    CHECK_EQUAL(-1, copy_file_range(fds[1], NULL, fds[0], NULL, 10, 0));
    CHECK_EQUAL(EINVAL, errno);
    calls_greet(fds[0], fds[1]);
    close(fds[0]);
    close(fds[1]);
}

/* ---- options ----------------------------------------------------------------------------------------------------- */

void calls_settings(void)
{
    int fds[2], on = 1, off = 0, waiting = -1;
    char bytes[10];
    struct tcp_info info;
    socklen_t length = sizeof info;
    struct timeval limit = {0, 50000}, found;
    calls_pair(fds);
    CHECK_OK(setsockopt(fds[0], IPPROTO_TCP, TCP_CORK, &on, sizeof on));
    CHECK_EQUAL(2, write(fds[0], "ab", 2));
    CHECK_OK(setsockopt(fds[0], IPPROTO_TCP, TCP_CORK, &off, sizeof off));
    calls_read_all(fds[1], bytes, 2);
    CHECK_OK(setsockopt(fds[0], IPPROTO_TCP, TCP_NODELAY, &on, sizeof on));
    CHECK_OK(setsockopt(fds[0], IPPROTO_TCP, TCP_QUICKACK, &on, sizeof on));
    length = sizeof waiting;
    CHECK_OK(getsockopt(fds[0], IPPROTO_TCP, TCP_NODELAY, &waiting, &length));
    CHECK_EQUAL(1, waiting != 0);
    calls_write_all(fds[0], "abc", 3);
    while (waiting != 0) /* the other side has all */
        CHECK_OK(ioctl(fds[0], SIOCOUTQ, &waiting));
    while (waiting != 3)
        CHECK_OK(ioctl(fds[1], SIOCINQ, &waiting));
    calls_read_all(fds[1], bytes, 3);
    length = sizeof info;
    CHECK_OK(getsockopt(fds[0], IPPROTO_TCP, TCP_INFO, &info, &length));
    CHECK_EQUAL(TCP_ESTABLISHED, info.tcpi_state);
    CHECK_OK(setsockopt(fds[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit));
    length = sizeof found;
    CHECK_OK(getsockopt(fds[0], SOL_SOCKET, SO_RCVTIMEO, &found, &length));
    CHECK_EQUAL(0, found.tv_sec);
    CHECK_EQUAL(-1, recv(fds[0], bytes, 10, MSG_WAITALL));
    CHECK_EQUAL(EAGAIN, errno);
    calls_write_all(fds[1], "xy", 2);
    CHECK_EQUAL(2, recv(fds[0], bytes, 10, MSG_WAITALL)); /* what came before the time was over */
    /* a writer's limit, while nobody reads */
    static char many[1 << 16];
    CHECK_OK(setsockopt(fds[0], SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit));
    ssize_t sent;
    while ((sent = write(fds[0], many, sizeof many)) > 0)
        ;
    CHECK_EQUAL(-1, sent);
    CHECK_EQUAL(EAGAIN, errno);
    /* the end of input alone */
    CHECK_OK(shutdown(fds[0], SHUT_RD));
    CHECK_EQUAL(0, read(fds[0], bytes, 1));
    close(fds[0]);
    close(fds[1]);
}

/* connect() that does not block. */
void calls_later(void)
{
    struct sockaddr_in address;
    int listener = calls_listen(&address), fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int error = -1;
    socklen_t length = sizeof error;
    struct pollfd one = {fd, POLLOUT, 0};
    if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0)
        CHECK_EQUAL(EINPROGRESS, errno);
    CHECK_EQUAL(1, poll(&one, 1, CALLS_LONG_MS));
    CHECK_EQUAL(POLLOUT, one.revents);
    CHECK_OK(getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length));
    CHECK_EQUAL(0, error);
    /* once again tells that it is done, and then that it is */
    int rc = connect(fd, (struct sockaddr *)&address, sizeof address);
    CHECK(rc == 0 || errno == EISCONN);
    CHECK_EQUAL(-1, connect(fd, (struct sockaddr *)&address, sizeof address));
    CHECK_EQUAL(EISCONN, errno);
    int server = accept(listener, NULL, NULL);
    CHECK_OK(fcntl(fd, F_SETFL, 0));
    calls_greet(fd, server);
    CHECK_EQUAL(-1, connect(fd, (struct sockaddr *)&address, sizeof address));
    CHECK_EQUAL(EISCONN, errno);
    calls_greet(fd, server);
    close(fd);
    close(server);
    close(listener);
}

/* ---- signals ----------------------------------------------------------------------------------------------------- */

static _Atomic int more_signals;

static void more_note(int number)
{
    (void)number;
    more_signals++;
}

static void more_handle(int number, int flags)
{
    struct sigaction action = {.sa_handler = more_note, .sa_flags = flags};
    CHECK_OK(sigaction(number, &action, NULL));
}

typedef struct more_target {
    pthread_t thread;
    int fd; /* to write to after the signal; -1: none */
} more_target;

/* A signal, and then a byte, for a thread that sleeps. */
static void *more_disturb(void *argument)
{
    const more_target *target = argument;
    int before = more_signals;
    check_asleep(getpid());
    pthread_kill(target->thread, SIGUSR1);
    while (more_signals == before)
        usleep(1000);
    if (target->fd >= 0)
        calls_write_all(target->fd, "s", 1);
    return NULL;
}

static void more_begin(pthread_t *thread, more_target *target, int fd)
{
    *target = (more_target){pthread_self(), fd};
    CHECK_OK(pthread_create(thread, NULL, more_disturb, target));
}

/* Waits end with EINTR, or go on where the handler has SA_RESTART. */
void calls_interrupted(void)
{
    int fds[2], set = epoll_create1(0);
    char byte;
    pthread_t thread;
    more_target target;
    struct epoll_event event = {.events = EPOLLIN};
    calls_pair(fds);
    CHECK_OK(epoll_ctl(set, EPOLL_CTL_ADD, fds[1], &event));
    more_handle(SIGUSR1, 0);
    more_begin(&thread, &target, -1);
    CHECK_EQUAL(-1, read(fds[1], &byte, 1));
    CHECK_EQUAL(EINTR, errno);
    pthread_join(thread, NULL);
    struct pollfd one = {fds[1], POLLIN, 0};
    more_begin(&thread, &target, -1);
    CHECK_EQUAL(-1, poll(&one, 1, CALLS_LONG_MS));
    CHECK_EQUAL(EINTR, errno);
    pthread_join(thread, NULL);
    more_begin(&thread, &target, -1);
    CHECK_EQUAL(-1, epoll_wait(set, &event, 1, CALLS_LONG_MS));
    CHECK_EQUAL(EINTR, errno);
    pthread_join(thread, NULL);
    more_handle(SIGUSR1, SA_RESTART);
    more_begin(&thread, &target, fds[0]);
    CHECK_EQUAL(1, read(fds[1], &byte, 1));
    CHECK_EQUAL('s', byte);
    pthread_join(thread, NULL);
    close(fds[0]);
    close(fds[1]);
    close(set);
}

/* Signals that only the wait lets in. */
void calls_masks(void)
{
    int fds[2], set = epoll_create1(0);
    sigset_t blocked, open;
    struct timespec brief = {0, 20000000}, none = {0, 0}, forever = {CALLS_LIMIT_S, 0};
    fd_set in;
    struct epoll_event event = {.events = EPOLLIN};
    calls_pair(fds);
    CHECK_OK(epoll_ctl(set, EPOLL_CTL_ADD, fds[1], &event));
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    CHECK_OK(pthread_sigmask(SIG_BLOCK, &blocked, &open));
    more_handle(SIGUSR1, 0);
    struct pollfd one = {fds[1], POLLIN, 0};
    for (int i = 0; i < 4; i++) {
        int before = more_signals;
        pthread_kill(pthread_self(), SIGUSR1);
        FD_ZERO(&in);
        FD_SET(fds[1], &in);
        CHECK_EQUAL(0, ppoll(&one, 1, &brief, NULL)); /* blocked here */
        CHECK_EQUAL(before, more_signals);
        CHECK_EQUAL(-1, i == 0   ? ppoll(&one, 1, &forever, &open)
                        : i == 1 ? pselect(fds[1] + 1, &in, NULL, NULL, &forever, &open)
                        : i == 2 ? epoll_pwait(set, &event, 1, CALLS_LONG_MS, &open)
                                 : epoll_pwait2(set, &event, 1, &forever, &open));
        CHECK_EQUAL(EINTR, errno);
        CHECK_EQUAL(before + 1, more_signals);
    }
    calls_write_all(fds[0], "x", 1);
    CHECK_EQUAL(1, ppoll(&one, 1, &forever, &open));
    CHECK_EQUAL(1, pselect(fds[1] + 1, &in, NULL, NULL, &forever, &open));
    CHECK_EQUAL(1, epoll_pwait2(set, &event, 1, &forever, &open));
    CHECK_EQUAL(1, epoll_pwait2(set, &event, 1, &none, NULL));
    CHECK_EQUAL(1, epoll_pwait2(set, &event, 1, NULL, NULL));
    /* a signal's descriptor beside a connection */
    int told = signalfd(-1, &blocked, SFD_CLOEXEC);
    struct pollfd two[2] = {{fds[0], POLLIN, 0}, {told, POLLIN, 0}};
    CHECK_EQUAL(0, poll(two, 2, 0));
    pthread_kill(pthread_self(), SIGUSR1);
    CHECK_EQUAL(1, poll(two, 2, CALLS_LONG_MS));
    CHECK_EQUAL(POLLIN, two[1].revents);
    struct signalfd_siginfo facts;
    CHECK_EQUAL((ssize_t)sizeof facts, read(told, &facts, sizeof facts));
    close(told);
    close(fds[0]);
    close(fds[1]);
    close(set);
}

/* SIGPIPE comes where it would, and not with MSG_NOSIGNAL. */
void calls_broken_pipe(void)
{
    int fds[2];
    more_handle(SIGPIPE, 0);
    calls_pair(fds);
    CHECK_OK(shutdown(fds[0], SHUT_WR));
    int before = more_signals;
    CHECK_EQUAL(-1, send(fds[0], "x", 1, MSG_NOSIGNAL));
    CHECK_EQUAL(EPIPE, errno);
    CHECK_EQUAL(before, more_signals);
    CHECK_EQUAL(-1, write(fds[0], "x", 1));
    CHECK_EQUAL(EPIPE, errno);
    CHECK_EQUAL(before + 1, more_signals);
    close(fds[0]);
    close(fds[1]);
    calls_pair(fds);
    close(fds[1]);
    struct pollfd one = {fds[0], POLLIN, 0};
    CHECK_EQUAL(1, poll(&one, 1, CALLS_LONG_MS));
    CHECK_EQUAL(1, write(fds[0], "x", 1)); /* answered by a reset */
    one.events = 0;
    CHECK_EQUAL(1, poll(&one, 1, CALLS_LONG_MS));
    CHECK_EQUAL(-1, write(fds[0], "x", 1));
    CHECK(errno == EPIPE || errno == ECONNRESET);
    close(fds[0]);
}

/* ---- by number --------------------------------------------------------------------------------------------------- */

void calls_numbers(void)
{
    int fds[2], set = epoll_create1(0);
    char bytes[10];
    struct iovec part = {bytes, 3}, out = {"vec", 3};
    struct epoll_event event = {.events = EPOLLIN, .data.fd = 9};
    calls_pair(fds);
    CHECK_EQUAL(5, syscall(SYS_write, fds[0], "12345", 5));
    CHECK_EQUAL(2, syscall(SYS_read, fds[1], bytes, 2));
    CHECK_EQUAL(3, read(fds[1], bytes, 10));
    CHECK_EQUAL(3, syscall(SYS_writev, fds[0], &out, 1));
    CHECK_EQUAL(3, syscall(SYS_readv, fds[1], &part, 1));
    CHECK(memcmp(bytes, "vec", 3) == 0);
    CHECK_OK((int)syscall(SYS_epoll_ctl, set, EPOLL_CTL_ADD, fds[1], &event));
    CHECK_EQUAL(0, syscall(SYS_epoll_pwait, set, &event, 1, 0, NULL, 8));
    calls_write_all(fds[0], "e", 1);
    CHECK_EQUAL(1, syscall(SYS_epoll_pwait, set, &event, 1, CALLS_LONG_MS, NULL, 8));
    CHECK_EQUAL(9, event.data.fd);
    int copy = (int)syscall(SYS_dup, fds[1]);
    CHECK_EQUAL(1, read(copy, bytes, 10));
    CHECK_EQUAL(180, syscall(SYS_dup3, copy, 180, 0));
    close(copy);
    close(fds[1]);
    calls_greet(fds[0], 180);
    CHECK_OK((int)syscall(SYS_close_range, 180, 180, 0));
    CHECK_EQUAL(0, read(fds[0], bytes, 1));
    close(fds[0]);
    close(set);
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

/* One stream for both directions, lines of any length, and what was put back. */
void calls_lines(void)
{
    int fds[2];
    char *line = NULL;
    size_t room = 0;
    calls_pair(fds);
    FILE *both = fdopen(fds[0], "r+"), *other = fdopen(dup(fds[1]), "w");
    CHECK(both && other);
    setvbuf(other, NULL, _IOLBF, 0);
    fprintf(other, "%07000d\nnext\n", 5);
    CHECK_EQUAL(7001, getline(&line, &room, both));
    CHECK_EQUAL('n', fgetc(both));
    CHECK_EQUAL('n', ungetc('n', both));
    CHECK_EQUAL(5, getline(&line, &room, both));
    CHECK_TEXT("next\n", line);
    CHECK(fputs("answer\n", both) >= 0);
    CHECK_OK(fflush(both));
    char bytes[7];
    calls_read_all(fds[1], bytes, 7);
    CHECK(memcmp(bytes, "answer\n", 7) == 0);
    fclose(other);
    close(fds[1]);
    CHECK_EQUAL(-1, getline(&line, &room, both));
    CHECK(feof(both) && !ferror(both));
    fclose(both);
    free(line);
}
