/* SPDX-License-Identifier: Apache-2.0 */
/* A worker, and how it moves a part of a stream. */
#define _GNU_SOURCE
#include "hammer.h"

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { WORKER_PAUSES = 48 }; /* one call of so many comes late, so that the peer sleeps */

void hammer_worker_init(hammer_worker *worker, hammer_row *row, int fd, hammer_kind kind, hammer_dice dice)
{
    *worker = (hammer_worker){.row = row,
                              .dice = dice,
                              .fd = fd,
                              .kind = kind,
                              .is_blocking = !(fcntl(fd, F_GETFL) & O_NONBLOCK),
                              .file = -1,
                              .pipe = {-1, -1}};
    for (int i = 0; i < HAMMER_KIND_COUNT; i++)
        worker->sets[i] = -1;
    row->kind = (int)kind;
}

static void worker_close(int fd)
{
    if (fd >= 0)
        close(fd);
}

void hammer_worker_fini(hammer_worker *worker)
{
    worker_close(worker->file);
    worker_close(worker->pipe[0]);
    worker_close(worker->pipe[1]);
    for (int i = 0; i < HAMMER_KIND_COUNT; i++)
        worker_close(worker->sets[i]);
    free(worker->bytes);
    worker->row->act = HAMMER_ACT_done;
}

unsigned char *hammer_room(hammer_worker *worker, size_t length)
{
    if (worker->room < length) {
        free(worker->bytes);
        worker->bytes = malloc(length);
        CHECK(worker->bytes != NULL);
        worker->room = length;
    }
    return worker->bytes;
}

void hammer_set_blocking(int fd, int is_blocking)
{
    int flags = fcntl(fd, F_GETFL);
    CHECK_OK(fcntl(fd, F_SETFL, is_blocking ? flags & ~O_NONBLOCK : flags | O_NONBLOCK));
}

static void worker_pause(hammer_worker *worker)
{
    if (hammer_below(&worker->dice, WORKER_PAUSES) != 0)
        return;
    struct timespec time = {0, (long)hammer_size(&worker->dice, 1000000)};
    worker->row->act = HAMMER_ACT_pause;
    nanosleep(&time, NULL);
}

/* Some wait before they look, which edges do not allow: there may be none. */
static void worker_begin(hammer_worker *worker, short events)
{
    worker_pause(worker);
    if (worker->kind != HAMMER_KIND_epoll_edge && hammer_below(&worker->dice, 2))
        hammer_wait(worker, events);
}

void hammer_read(hammer_worker *worker, uint64_t salt, uint64_t at, uint64_t length, size_t chunk)
{
    for (uint64_t done = 0; done < length;) {
        size_t part = hammer_size(&worker->dice, chunk);
        part = part < length - done ? part : (size_t)(length - done);
        unsigned char *bytes = hammer_room(worker, part);
        worker_begin(worker, POLLIN);
        ssize_t got;
        while ((got = hammer_take(worker, bytes, part)) < 0)
            hammer_wait(worker, POLLIN);
        if (got == 0)
            CHECK_FAIL("the end comes after %llu bytes", (unsigned long long)(at + done));
        CHECK(got <= (ssize_t)part);
        hammer_compare(salt, at + done, bytes, (size_t)got);
        done += (size_t)got;
        worker->row->moved += (uint64_t)got;
    }
}

void hammer_write(hammer_worker *worker, uint64_t salt, uint64_t at, uint64_t length, size_t chunk)
{
    for (uint64_t done = 0; done < length;) {
        size_t part = hammer_size(&worker->dice, chunk);
        part = part < length - done ? part : (size_t)(length - done);
        unsigned char *bytes = hammer_room(worker, part);
        hammer_fill(salt, at + done, bytes, part);
        for (size_t sent = 0; sent < part;) {
            worker_begin(worker, POLLOUT);
            ssize_t more;
            while ((more = hammer_give(worker, bytes + sent, part - sent)) < 0)
                hammer_wait(worker, POLLOUT);
            CHECK(more > 0 && more <= (ssize_t)(part - sent));
            sent += (size_t)more;
            worker->row->moved += (uint64_t)more;
        }
        done += part;
    }
}

void hammer_read_end(hammer_worker *worker)
{
    unsigned char byte;
    ssize_t got;
    while ((got = hammer_take(worker, &byte, 1)) < 0)
        hammer_wait(worker, POLLIN);
    CHECK_EQUAL(0, got);
}
