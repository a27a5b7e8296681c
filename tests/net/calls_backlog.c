/* SPDX-License-Identifier: Apache-2.0 */
/* A connection that goes back to TCP while much is unread, with a peer that waits in any way: what TCP has no room for
 * follows while both go on. */
#define _GNU_SOURCE
#include "calls.h"

#include "check.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BACKLOG_MOST = 8 << 20, BACKLOG_PIECE = 100000 };

typedef enum backlog_way {
    BACKLOG_READ,
    BACKLOG_POLL,
    BACKLOG_SELECT,
    BACKLOG_LEVEL,
    BACKLOG_EDGE,
    BACKLOG_WAYS
} backlog_way;

typedef struct backlog {
    int fd;
    backlog_way way;
    size_t written;
    pthread_barrier_t both;
} backlog;

static void backlog_fill(backlog *this)
{
    static unsigned char bytes[BACKLOG_PIECE];
    while (this->written < BACKLOG_MOST) {
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = calls_byte(this->written + i, 1);
        ssize_t sent = send(this->fd, bytes, sizeof bytes, MSG_DONTWAIT);
        if (sent < 0)
            return;
        this->written += (size_t)sent;
    }
}

static void backlog_wait(const backlog *this, int set)
{
    struct pollfd one = {this->fd, POLLIN, 0};
    struct epoll_event event;
    fd_set in;
    FD_ZERO(&in);
    FD_SET(this->fd, &in);
    if (this->way == BACKLOG_POLL)
        CHECK_EQUAL(1, poll(&one, 1, CALLS_LONG_MS));
    else if (this->way == BACKLOG_SELECT)
        CHECK_EQUAL(1, select(this->fd + 1, &in, NULL, NULL, NULL));
    else if (this->way != BACKLOG_READ)
        CHECK_EQUAL(1, epoll_wait(set, &event, 1, CALLS_LONG_MS));
}

/* Reads all that the other end writes. */
static void *backlog_answer(void *argument)
{
    backlog *this = argument;
    static unsigned char bytes[BACKLOG_PIECE];
    int set = epoll_create1(0), flags = this->way == BACKLOG_READ ? 0 : MSG_DONTWAIT;
    struct epoll_event event = {.events = EPOLLIN | (this->way == BACKLOG_EDGE ? EPOLLET : 0)};
    CHECK_OK(epoll_ctl(set, EPOLL_CTL_ADD, this->fd, &event));
    backlog_fill(this);
    pthread_barrier_wait(&this->both);
    for (size_t done = 0; done < BACKLOG_MOST;) {
        ssize_t got;
        backlog_wait(this, set);
        while (done < BACKLOG_MOST && (got = recv(this->fd, bytes, sizeof bytes, flags)) > 0) {
            for (ssize_t i = 0; i < got; i++)
                CHECK(bytes[i] == calls_byte(done + (size_t)i, 0));
            done += (size_t)got;
        }
        CHECK(done == BACKLOG_MOST || errno == EAGAIN);
    }
    close(set);
    close(this->fd);
    return NULL;
}

static void backlog_run(backlog_way way)
{
    unsigned char *bytes = malloc(BACKLOG_MOST + BACKLOG_PIECE);
    int fds[2], low = 2, one = 1;
    pthread_t peer;
    calls_pair(fds);
    backlog this = {.fd = fds[1], .way = way};
    CHECK_EQUAL(0, pthread_barrier_init(&this.both, NULL, 2));
    CHECK_EQUAL(0, pthread_create(&peer, NULL, backlog_answer, &this));
    pthread_barrier_wait(&this.both);
    check_asleep(getpid());
    CHECK_OK(setsockopt(fds[0], SOL_SOCKET, SO_RCVLOWAT, &low, sizeof low)); /* which TCP alone has */
    CHECK_OK(setsockopt(fds[0], SOL_SOCKET, SO_RCVLOWAT, &one, sizeof one));
    for (size_t i = 0; i < BACKLOG_MOST; i++)
        bytes[i] = calls_byte(i, 0);
    calls_write_all(fds[0], bytes, BACKLOG_MOST);
    calls_read_all(fds[0], bytes, this.written);
    for (size_t i = 0; i < this.written; i++)
        CHECK(bytes[i] == calls_byte(i, 1));
    CHECK_EQUAL(0, read(fds[0], bytes, 1));
    CHECK_EQUAL(0, pthread_join(peer, NULL));
    close(fds[0]);
    free(bytes);
}

void calls_backlog(void)
{
    for (backlog_way way = 0; way < BACKLOG_WAYS; way++)
        backlog_run(way);
}
