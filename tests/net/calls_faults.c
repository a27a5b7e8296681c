/* SPDX-License-Identifier: Apache-2.0 */
/* Pointers that are none: the call fails with EFAULT, and nothing is lost. */
#define _GNU_SOURCE
#include "calls.h"

#include "check.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define FAULTS_CHECK(call)                                                                                            \
    do {                                                                                                              \
        errno = 0;                                                                                                    \
        CHECK_EQUAL(-1, (call));                                                                                      \
        CHECK_EQUAL(EFAULT, errno);                                                                                   \
    } while (0)

static void faults_bytes(int fd, void *bad)
{
    char byte;
    struct iovec part = {bad, 1}, parts[2] = {{&byte, 0}, {bad, 1}};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    FAULTS_CHECK(read(fd, bad, 1));
    FAULTS_CHECK(recv(fd, bad, 1, 0));
    FAULTS_CHECK(recv(fd, bad, 1, MSG_PEEK));
    FAULTS_CHECK(readv(fd, &part, 1));
    FAULTS_CHECK(readv(fd, parts, 2));
    FAULTS_CHECK(readv(fd, bad, 1));
    FAULTS_CHECK(recvmsg(fd, &message, 0));
    FAULTS_CHECK(recvmsg(fd, bad, 0));
    FAULTS_CHECK(write(fd, bad, 1));
    FAULTS_CHECK(send(fd, bad, 1, MSG_NOSIGNAL));
    FAULTS_CHECK(writev(fd, &part, 1));
    FAULTS_CHECK(writev(fd, bad, 1));
    FAULTS_CHECK(sendmsg(fd, &message, 0));
    FAULTS_CHECK(sendmsg(fd, bad, 0));
    message.msg_iov = bad;
    FAULTS_CHECK(recvmsg(fd, &message, 0));
    FAULTS_CHECK(sendmsg(fd, &message, 0));
}

static void faults_waits(int fd, void *bad)
{
    int set = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN};
    FAULTS_CHECK(poll(bad, 1, 0));
    FAULTS_CHECK(ppoll(bad, 1, NULL, NULL));
    FAULTS_CHECK(select(fd + 1, bad, NULL, NULL, NULL));
    FAULTS_CHECK(epoll_ctl(set, EPOLL_CTL_ADD, fd, bad));
    CHECK_OK(epoll_ctl(set, EPOLL_CTL_ADD, fd, &event));
    FAULTS_CHECK(epoll_wait(set, bad, 1, 0));
    CHECK_EQUAL(1, epoll_wait(set, &event, 1, 0));
    FAULTS_CHECK(ioctl(fd, FIONREAD, bad));
    FAULTS_CHECK(connect(fd, bad, sizeof(struct sockaddr_in)));
    close(set);
}

void calls_faults(void)
{
    /* From a place that the compiler cannot see. */
    void *volatile places[] = {(void *)8, (void *)-1, (void *)-4096};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        int fds[2];
        char bytes[4];
        calls_pair(fds);
        calls_write_all(fds[0], "kept", 4);
        faults_bytes(fds[1], places[i]);
        faults_waits(fds[1], places[i]);
        volatile size_t huge = SIZE_MAX;
        CHECK_EQUAL(-1, read(fds[1], bytes, huge));
        CHECK(errno == EFAULT || errno == EINVAL);
        calls_read_all(fds[1], bytes, 4);
        CHECK(memcmp(bytes, "kept", 4) == 0);
        calls_greet(fds[0], fds[1]);
        close(fds[0]);
        close(fds[1]);
    }
}
