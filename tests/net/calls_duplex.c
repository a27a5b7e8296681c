/* SPDX-License-Identifier: Apache-2.0 */
/* One connection, on which one thread, or process, waits to read while another waits to write, each in its own way and
 * without a time-out: a bell that only one of them hears would stop both sides. */
#define _GNU_SOURCE
#include "calls.h"

#include "check.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

enum { DUPLEX_BYTES = 15 << 20, DUPLEX_PIECE = 64 << 10 };

typedef enum duplex_way { BLOCKED, POLLED, SELECTED, IN_EPOLL } duplex_way;

typedef struct duplex_half {
    int fd;
    duplex_way way;
    unsigned salt;
    int set;
} duplex_half;

static void duplex_begin(duplex_half *half, uint32_t events)
{
    struct epoll_event event = {.events = events};
    half->set = half->way == IN_EPOLL ? epoll_create1(0) : -1;
    if (half->set >= 0)
        CHECK_OK(epoll_ctl(half->set, EPOLL_CTL_ADD, half->fd, &event));
}

static void duplex_wait(const duplex_half *half, short events)
{
    struct pollfd one = {half->fd, events, 0};
    struct epoll_event event;
    fd_set files;
    CHECK_EQUAL(EAGAIN, errno);
    FD_ZERO(&files);
    FD_SET(half->fd, &files);
    if (half->way == POLLED)
        CHECK_EQUAL(1, poll(&one, 1, -1));
    else if (half->way == SELECTED)
        CHECK_EQUAL(
            1, select(half->fd + 1, events & POLLIN ? &files : NULL, events & POLLOUT ? &files : NULL, NULL, NULL));
    else if (half->way == IN_EPOLL)
        CHECK_EQUAL(1, epoll_wait(half->set, &event, 1, -1));
    else
        CHECK_FAIL("a call that blocks found nothing");
}

static void *duplex_write(void *argument)
{
    duplex_half *half = argument;
    unsigned char *bytes = malloc(DUPLEX_BYTES);
    for (size_t i = 0; i < DUPLEX_BYTES; i++)
        bytes[i] = calls_byte(i, half->salt);
    duplex_begin(half, EPOLLOUT);
    for (size_t done = 0; done < DUPLEX_BYTES;) {
        size_t left = DUPLEX_BYTES - done < DUPLEX_PIECE ? DUPLEX_BYTES - done : DUPLEX_PIECE;
        ssize_t sent = send(half->fd, bytes + done, left, half->way == BLOCKED ? 0 : MSG_DONTWAIT);
        if (sent < 0)
            duplex_wait(half, POLLOUT);
        else
            done += (size_t)sent;
    }
    if (half->set >= 0)
        close(half->set);
    free(bytes);
    return NULL;
}

static void *duplex_read(void *argument)
{
    duplex_half *half = argument;
    unsigned char *bytes = malloc(DUPLEX_PIECE);
    duplex_begin(half, EPOLLIN);
    for (size_t done = 0; done < DUPLEX_BYTES;) {
        ssize_t got = recv(half->fd, bytes, DUPLEX_PIECE, half->way == BLOCKED ? 0 : MSG_DONTWAIT);
        CHECK(got != 0);
        if (got < 0)
            duplex_wait(half, POLLIN);
        for (ssize_t i = 0; i < got; i++)
            if (bytes[i] != calls_byte(done + (size_t)i, half->salt))
                CHECK_FAIL("byte %zu is wrong", done + (size_t)i);
        done += got > 0 ? (size_t)got : 0;
    }
    if (half->set >= 0)
        close(half->set);
    free(bytes);
    return NULL;
}

/* Both halves of an end at once; the writer is a thread or another process. */
static void duplex_run(int fd, duplex_way reads, duplex_way writes, unsigned in_salt, unsigned out_salt, int is_forked)
{
    duplex_half in = {fd, reads, in_salt, -1}, out = {fd, writes, out_salt, -1};
    pthread_t writer;
    pid_t child = is_forked ? calls_fork() : -1;
    if (child == 0) {
        duplex_write(&out);
        exit(0);
    }
    if (!is_forked)
        CHECK_OK(pthread_create(&writer, NULL, duplex_write, &out));
    duplex_read(&in);
    if (is_forked)
        calls_wait(child);
    else
        pthread_join(writer, NULL);
}

static void duplex_case(duplex_way reads, duplex_way writes, int is_forked)
{
    static const char *const names[] = {"blocking", "poll", "select", "epoll"};
    struct sockaddr_in address;
    int listener = calls_listen(&address);
    printf("  %s/%s%s\n", names[reads], names[writes], is_forked ? " of two processes" : "");
    pid_t child = calls_fork();
    if (child == 0) {
        int fd = calls_connect(&address);
        char byte;
        calls_write_all(fd, "q", 1);
        calls_read_all(fd, &byte, 1);
        duplex_run(fd, reads, writes, 1, 2, is_forked);
        close(fd);
        exit(0);
    }
    int fd = accept(listener, NULL, NULL);
    char byte;
    calls_read_all(fd, &byte, 1);
    calls_write_all(fd, "a", 1);
    duplex_run(fd, reads, writes, 2, 1, is_forked);
    calls_wait(child);
    close(fd);
    close(listener);
}

void calls_duplex(void)
{
    for (duplex_way reads = BLOCKED; reads <= IN_EPOLL; reads++)
        for (duplex_way writes = BLOCKED; writes <= IN_EPOLL; writes++)
            duplex_case(reads, writes, 0);
}

void calls_duplex_forked(void)
{
    duplex_case(POLLED, POLLED, 1);
    duplex_case(IN_EPOLL, POLLED, 1);
    duplex_case(POLLED, IN_EPOLL, 1);
    duplex_case(BLOCKED, POLLED, 1);
}

/* ---- both ends write before they read ---------------------------------------------------------------------------- */

enum { AHEAD_BYTES = 1 << 20 };

static void duplex_ahead(int fd, duplex_way way)
{
    duplex_half out = {fd, way, 3, -1};
    char *bytes = malloc(AHEAD_BYTES);
    for (size_t i = 0; i < AHEAD_BYTES; i++)
        bytes[i] = (char)calls_byte(i, 3);
    duplex_begin(&out, EPOLLOUT);
    for (size_t done = 0; done < AHEAD_BYTES;) {
        ssize_t sent = send(fd, bytes + done, AHEAD_BYTES - done, way == BLOCKED ? 0 : MSG_DONTWAIT);
        if (sent < 0)
            duplex_wait(&out, POLLOUT);
        else
            done += (size_t)sent;
    }
    for (size_t done = 0; done < AHEAD_BYTES;) {
        ssize_t got = read(fd, bytes, AHEAD_BYTES);
        CHECK(got > 0);
        for (ssize_t i = 0; i < got; i++)
            CHECK_EQUAL((char)calls_byte(done + (size_t)i, 3), bytes[i]);
        done += (size_t)got;
    }
    if (out.set >= 0)
        close(out.set);
    free(bytes);
}

/* As much as the kernel's buffers take. */
void calls_ahead(void)
{
    for (duplex_way way = BLOCKED; way <= IN_EPOLL; way++) {
        struct sockaddr_in address;
        int listener = calls_listen(&address);
        pid_t child = calls_fork();
        int fd = child == 0 ? calls_connect(&address) : accept(listener, NULL, NULL);
        char byte = 'x';
        calls_write_all(fd, &byte, 1);
        calls_read_all(fd, &byte, 1);
        duplex_ahead(fd, way);
        close(fd);
        close(listener);
        if (child == 0)
            exit(0);
        calls_wait(child);
    }
}
