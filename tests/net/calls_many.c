/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors are the program's: the library takes few, however many connections there are. */
#define _GNU_SOURCE
#include "calls.h"

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MANY_GREETS = 16, MANY_LOOKS = 20, MANY_PIECES = 2048 };
enum { MANY_BURST = 50, MANY_SPARE = 80 }; /* beside the connections, of a limit of 1024 */

/* 0: the limit cannot be had. */
static int many_limit(rlim_t most)
{
    struct rlimit limit;
    CHECK_OK(getrlimit(RLIMIT_NOFILE, &limit));
    limit.rlim_cur = most;
    return limit.rlim_max >= most && setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

/* Holds all connections, tells of each by a byte, and answers one request on each. */
static void many_serve(int listener, int count, int told)
{
    int set = epoll_create1(0);
    int *fds = calloc((size_t)count, sizeof *fds);
    for (int i = 0; i < count; i++) {
        fds[i] = accept(listener, NULL, NULL);
        if (fds[i] < 0)
            CHECK_FAIL("accept of connection %d: %s", i, strerror(errno));
        struct epoll_event event = {.events = EPOLLIN, .data.fd = fds[i]};
        CHECK_OK(epoll_ctl(set, EPOLL_CTL_ADD, fds[i], &event));
        calls_write_all(told, "a", 1);
    }
    for (int i = 0; i < count; i++) {
        char byte;
        calls_read_all(fds[i], &byte, 1);
        calls_write_all(fds[i], &byte, 1);
    }
    for (int i = 0; i < count; i++)
        close(fds[i]);
    free(fds);
    close(set);
}

/* A client makes no call on its connections until there are so many. */
static void many_idle(int count, rlim_t limit, int spare)
{
    struct sockaddr_in address;
    int told[2], listener = calls_listen(&address), null = -1, more = 0;
    int *fds = calloc((size_t)count, sizeof *fds);
    char byte;
    CHECK_OK(pipe(told));
    CHECK(many_limit(limit));
    pid_t child = calls_fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        many_serve(listener, count, told[1]);
        exit(0);
    }
    close(listener);
    for (int i = 0; i < count; i++) {
        fds[i] = socket(AF_INET, SOCK_STREAM, 0);
        if (fds[i] < 0)
            CHECK_FAIL("socket %d: %s", i, strerror(errno));
        CHECK_OK(connect(fds[i], (struct sockaddr *)&address, sizeof address));
        if (i % MANY_BURST == MANY_BURST - 1 || i == count - 1)
            for (int j = i % MANY_BURST; j >= 0; j--)
                calls_read_all(told[0], &byte, 1);
    }
    int *nulls = calloc((size_t)spare, sizeof *nulls);
    while (more < spare && (null = open("/dev/null", O_RDONLY)) >= 0)
        nulls[more++] = null;
    CHECK_EQUAL(spare, more);
    while (more > 0)
        close(nulls[--more]);
    for (int i = 0; i < count; i++)
        calls_write_all(fds[i], "q", 1);
    for (int i = 0; i < count; i++) {
        calls_read_all(fds[i], &byte, 1);
        CHECK_EQUAL('q', byte);
    }
    for (int i = 0; i < count; i++) {
        CHECK_EQUAL(0, read(fds[i], &byte, 1));
        close(fds[i]);
    }
    free(nulls);
    free(fds);
    close(told[0]);
    close(told[1]);
    calls_wait(child);
}

void calls_many(void)
{
    many_idle(900, 1024, 1024 - 900 - MANY_SPARE);
    if (!getenv("CORUNNA_TEST_SLOW") && many_limit(20000))
        many_idle(10000, 20000, 9000);
}

/* A server that takes no connection: offers do not use up the descriptors of its client. */
void calls_untaken(void)
{
    enum { COUNT = 110 }; /* fewer than the backlog of calls_listen */
    struct sockaddr_in address;
    int listener = calls_listen(&address), fds[COUNT], servers[COUNT], next = 0;
    CHECK(many_limit(2 * COUNT + 60));
    for (int i = 0; i < COUNT; i++)
        fds[i] = calls_connect(&address);
    for (; next < COUNT; next++)
        CHECK((servers[next] = accept(listener, NULL, NULL)) >= 0);
    for (int i = 0; i < COUNT; i++) {
        calls_greet(fds[i], servers[i]);
        close(fds[i]);
        close(servers[i]);
    }
    close(listener);
}

/* Memory that this process has, in bytes. */
static rlim_t many_memory(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long pages = 0;
    CHECK(file != NULL);
    CHECK_EQUAL(1, fscanf(file, "%lu", &pages));
    fclose(file);
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* All that malloc has left, in a list. */
static void *many_take_all(void)
{
    void **all = NULL;
    for (size_t bytes = MANY_PIECES; bytes >= sizeof all; bytes -= sizeof all)
        for (void **one; (one = malloc(bytes)) != NULL; all = one)
            *one = all;
    return all;
}

/* A connection joins an epoll set while there is no memory left: it is refused, or the set tells of all that comes,
 * also once the connection has moved. */
void calls_no_memory(void)
{
    struct rlimit limit, before;
    struct epoll_event event = {.events = EPOLLIN}, found[2];
    int fds[2], set = epoll_create1(0);
    calls_pair(fds);
    CHECK_OK(getrlimit(RLIMIT_AS, &before));
    limit = before;
    limit.rlim_cur = many_memory();
    CHECK_OK(setrlimit(RLIMIT_AS, &limit));
    void **all = many_take_all();
    int rc = epoll_ctl(set, EPOLL_CTL_ADD, fds[1], &event), cause = errno;
    CHECK_OK(setrlimit(RLIMIT_AS, &before));
    while (all) {
        void **next = *all;
        free(all);
        all = next;
    }
    if (rc != 0) {
        CHECK_EQUAL(ENOMEM, cause);
        CHECK_OK(epoll_ctl(set, EPOLL_CTL_ADD, fds[1], &event));
    }
    for (int i = 0; i < MANY_GREETS; i++)
        calls_greet(fds[0], fds[1]);
    for (int i = 0; i < MANY_LOOKS; i++)
        CHECK_EQUAL(0, epoll_wait(set, found, 2, 0));
    calls_write_all(fds[0], "x", 1);
    CHECK_EQUAL(1, epoll_wait(set, found, 2, CALLS_LONG_MS));
    close(fds[0]);
    close(fds[1]);
    close(set);
}
