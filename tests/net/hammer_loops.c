/* SPDX-License-Identifier: Apache-2.0 */
/* Hundreds of connections in one loop by poll, select or epoll, both directions at once; several threads where the set
 * tells each event to one of them. */
#define _GNU_SOURCE
#include "hammer.h"

#include "check.h"

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LOOPS_THREADS = 3, LOOPS_EVENTS = 32, LOOPS_CALLS = 4 };

typedef struct loops_conn {
    hammer_worker worker;
    hammer_plan plan;
    uint64_t received, sent;
    unsigned char *chunk; /* at work, from `sent` on; NULL: none */
    size_t length, done;
    short wanted; /* 0: all is done */
} loops_conn;

typedef struct loops_set {
    hammer_board *board;
    hammer_end end;
    hammer_kind kind;
    loops_conn *conns;
    int epoll, finish; /* an eventfd that tells all threads */
    _Atomic int left;
} loops_set;

/* ---- one connection ---------------------------------------------------------------------------------------------- */

/* 1: it would block. */
static int loops_read(const loops_set *set, loops_conn *conn)
{
    unsigned char bytes[40000];
    hammer_end from = (hammer_end)!set->end;
    size_t part = hammer_size(&conn->worker.dice, sizeof bytes);
    ssize_t got = hammer_take(&conn->worker, bytes, part);
    if (got < 0)
        return 1;
    if (got == 0) {
        CHECK_EQUAL(conn->plan.total[from], conn->received);
        conn->wanted &= ~POLLIN;
        return 0;
    }
    hammer_compare(conn->plan.salt[from], conn->received, bytes, (size_t)got);
    conn->received += (uint64_t)got;
    conn->worker.row->moved += (uint64_t)got;
    return 0;
}

static int loops_write(const loops_set *set, loops_conn *conn)
{
    uint64_t total = conn->plan.total[set->end], salt = conn->plan.salt[set->end];
    if (!conn->chunk) {
        conn->length = hammer_size(&conn->worker.dice, set->board->chunk);
        conn->length = conn->length < total - conn->sent ? conn->length : (size_t)(total - conn->sent);
        conn->done = 0;
        conn->chunk = malloc(conn->length);
        CHECK(conn->chunk != NULL);
        hammer_fill(salt, conn->sent, conn->chunk, conn->length);
    }
    ssize_t more = hammer_give(&conn->worker, conn->chunk + conn->done, conn->length - conn->done);
    if (more < 0)
        return 1;
    conn->done += (size_t)more;
    conn->worker.row->moved += (uint64_t)more;
    if (conn->done < conn->length)
        return 0;
    free(conn->chunk);
    conn->chunk = NULL;
    conn->sent += conn->length;
    if (conn->sent == total) {
        CHECK_OK(shutdown(conn->worker.fd, SHUT_WR));
        conn->wanted &= ~POLLOUT;
    }
    return 0;
}

/* Edges are served until they would block, the others for some calls. */
static void loops_serve(loops_set *set, loops_conn *conn)
{
    int is_edge = set->kind == HAMMER_KIND_epoll_edge, would_block = 0;
    for (int calls = 0; (conn->wanted & POLLIN) && !would_block && (is_edge || calls < LOOPS_CALLS); calls++)
        would_block = loops_read(set, conn);
    would_block = 0;
    for (int calls = 0; (conn->wanted & POLLOUT) && !would_block && (is_edge || calls < LOOPS_CALLS); calls++)
        would_block = loops_write(set, conn);
    if (conn->wanted) {
        conn->worker.row->act = conn->wanted == POLLIN    ? HAMMER_ACT_wait_in
                                : conn->wanted == POLLOUT ? HAMMER_ACT_wait_out
                                                          : HAMMER_ACT_wait_any;
        return;
    }
    close(conn->worker.fd);
    hammer_worker_fini(&conn->worker);
    if (atomic_fetch_sub(&set->left, 1) == 1)
        CHECK_OK(eventfd_write(set->finish, 1));
}

/* ---- the loops --------------------------------------------------------------------------------------------------- */

static void loops_poll(loops_set *set)
{
    int count = set->board->connections;
    struct pollfd *fds = calloc((size_t)count, sizeof *fds);
    CHECK(fds != NULL);
    while (set->left > 0) {
        for (int i = 0; i < count; i++) {
            short wanted = set->conns[i].wanted;
            fds[i] = (struct pollfd){wanted ? set->conns[i].worker.fd : -1, wanted, 0};
        }
        CHECK(poll(fds, (nfds_t)count, -1) > 0);
        for (int i = 0; i < count; i++)
            if (fds[i].revents)
                loops_serve(set, &set->conns[i]);
    }
    free(fds);
}

static void loops_select(loops_set *set)
{
    while (set->left > 0) {
        fd_set in, out;
        int top = 0;
        FD_ZERO(&in);
        FD_ZERO(&out);
        for (int i = 0; i < set->board->connections; i++) {
            const loops_conn *conn = &set->conns[i];
            if (conn->wanted & POLLIN)
                FD_SET(conn->worker.fd, &in);
            if (conn->wanted & POLLOUT)
                FD_SET(conn->worker.fd, &out);
            if (conn->wanted && conn->worker.fd > top)
                top = conn->worker.fd;
        }
        CHECK(top < FD_SETSIZE);
        CHECK(select(top + 1, &in, &out, NULL, NULL) > 0);
        for (int i = 0; i < set->board->connections; i++) {
            loops_conn *conn = &set->conns[i];
            if (conn->wanted && (FD_ISSET(conn->worker.fd, &in) || FD_ISSET(conn->worker.fd, &out)))
                loops_serve(set, conn);
        }
    }
}

static void *loops_epoll(void *argument)
{
    loops_set *set = argument;
    struct epoll_event events[LOOPS_EVENTS];
    for (;;) {
        int found = epoll_wait(set->epoll, events, LOOPS_EVENTS, -1);
        CHECK(found > 0);
        for (int i = 0; i < found; i++) {
            loops_conn *conn = events[i].data.ptr;
            if (!conn)
                return NULL;
            short had = conn->wanted;
            loops_serve(set, conn);
            struct epoll_event again = {.events = hammer_epoll_events(set->kind, conn->wanted), .data.ptr = conn};
            int is_stale = set->kind == HAMMER_KIND_epoll_oneshot ||
                           (set->kind == HAMMER_KIND_epoll_level && had != conn->wanted);
            if (conn->wanted && is_stale)
                CHECK_OK(epoll_ctl(set->epoll, EPOLL_CTL_MOD, conn->worker.fd, &again));
        }
    }
}

static void loops_run_epoll(loops_set *set)
{
    pthread_t threads[LOOPS_THREADS];
    int count = set->kind == HAMMER_KIND_epoll_oneshot ? LOOPS_THREADS : 1;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    set->epoll = epoll_create1(EPOLL_CLOEXEC);
    CHECK_OK(epoll_ctl(set->epoll, EPOLL_CTL_ADD, set->finish, &event));
    for (int i = 0; i < set->board->connections; i++) {
        loops_conn *conn = &set->conns[i];
        event = (struct epoll_event){.events = hammer_epoll_events(set->kind, conn->wanted), .data.ptr = conn};
        CHECK_OK(epoll_ctl(set->epoll, EPOLL_CTL_ADD, conn->worker.fd, &event));
    }
    for (int i = 0; i < count; i++)
        CHECK_OK(pthread_create(&threads[i], NULL, loops_epoll, set));
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    close(set->epoll);
}

void hammer_phase_loops(hammer_board *board, hammer_end end, int *fds)
{
    hammer_dice dice = hammer_dice_of(board->seed, board->phase, 1000000u + (unsigned)end);
    loops_set set = {.board = board, .end = end, .left = board->connections, .finish = eventfd(0, EFD_CLOEXEC)};
    set.kind = (hammer_kind)(HAMMER_KIND_poll + hammer_below(&dice, HAMMER_KIND_COUNT - HAMMER_KIND_poll));
    set.conns = calloc((size_t)board->connections, sizeof *set.conns);
    CHECK(set.conns != NULL && set.finish >= 0);
    for (int i = 0; i < board->connections; i++) {
        loops_conn *conn = &set.conns[i];
        hammer_set_blocking(fds[i], 0);
        conn->plan = hammer_plan_of(board, i);
        conn->wanted = POLLIN | POLLOUT;
        hammer_worker_of(&conn->worker, board, end, HAMMER_ROLE_both, i, fds[i]);
        conn->worker.kind = set.kind;
        conn->worker.row->kind = (int)set.kind;
    }
    if (set.kind == HAMMER_KIND_poll)
        loops_poll(&set);
    else if (set.kind == HAMMER_KIND_select)
        loops_select(&set);
    else
        loops_run_epoll(&set);
    close(set.finish);
    free(set.conns);
}
