/* SPDX-License-Identifier: Apache-2.0 */
/* What many connections of a client and an epoll server need, as the kernel tells. */
#define _GNU_SOURCE
#include "netpipe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    MEMORY_REQUEST = 64,
    MEMORY_MESSAGE = 16 << 10,
    MEMORY_MESSAGES = 64, /* together more than a ring of the usual size */
    MEMORY_EVENTS = 64,
    MEMORY_FRESH = 32,
    MEMORY_LINE = 512,
};

#define MEMORY_RINGS "/memfd:corunna-sock " /* the name that memory of fast sockets has */

typedef struct memory_sum {
    long private_bytes; /* of this process alone, without the rings */
    long table_bytes;   /* of pages */
    long ring_bytes;    /* of both ends */
} memory_sum;

/* ---- looking ----------------------------------------------------------------------------------------------------- */

/* Bytes of a mapping that exist, whichever process has touched them. */
static long memory_present(unsigned long from, unsigned long to)
{
    long page = sysconf(_SC_PAGESIZE), present = 0;
    size_t pages = (to - from) / (unsigned long)page;
    unsigned char *marks = malloc(pages);
    if (!marks || mincore((void *)from, to - from, marks) != 0)
        netpipe_fail("mincore");
    for (size_t i = 0; i < pages; i++)
        present += marks[i] & 1 ? page : 0;
    free(marks);
    return present;
}

static FILE *memory_open(const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file)
        netpipe_fail(path);
    return file;
}

static memory_sum memory_look(void)
{
    memory_sum sum = {0};
    char line[MEMORY_LINE];
    unsigned long from, to;
    long kib;
    int is_ring = 0;
    FILE *file = memory_open("/proc/self/smaps");
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "%lx-%lx ", &from, &to) == 2) {
            is_ring = strstr(line, MEMORY_RINGS) != NULL;
            sum.ring_bytes += is_ring ? memory_present(from, to) : 0;
        } else if (!is_ring &&
                   (sscanf(line, "Private_Clean: %ld", &kib) == 1 || sscanf(line, "Private_Dirty: %ld", &kib) == 1)) {
            sum.private_bytes += kib * 1024;
        }
    }
    fclose(file);
    file = memory_open("/proc/self/status");
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "VmPTE: %ld", &kib) == 1)
            sum.table_bytes = kib * 1024;
    fclose(file);
    return sum;
}

/* ---- the server -------------------------------------------------------------------------------------------------- */

static void memory_watch(int set, int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    if (epoll_ctl(set, EPOLL_CTL_ADD, fd, &event) != 0)
        netpipe_fail("epoll_ctl");
}

/* Takes as many new connections as the client tells, and says what the process needs then. 0: the client is done. */
static int memory_answer(int set, int listener, int asked, int answer)
{
    int fresh;
    if (!netpipe_receive(asked, (char *)&fresh, sizeof fresh))
        return 0;
    for (int i = 0; i < fresh; i++)
        memory_watch(set, netpipe_accept(listener));
    memory_sum sum = memory_look();
    netpipe_send(answer, (const char *)&sum, sizeof sum);
    return 1;
}

static void memory_serve(int listener, int asked, int answer)
{
    static char bytes[MEMORY_MESSAGE];
    struct epoll_event events[MEMORY_EVENTS];
    int set = epoll_create1(0);
    memory_watch(set, asked);
    for (;;) {
        int found = epoll_wait(set, events, MEMORY_EVENTS, -1);
        for (int i = 0; i < found; i++) {
            int fd = events[i].data.fd;
            if (fd == asked && !memory_answer(set, listener, asked, answer))
                return;
            ssize_t got = fd == asked ? 0 : read(fd, bytes, sizeof bytes);
            if (got > 0)
                netpipe_send(fd, bytes, (size_t)got);
        }
    }
}

/* ---- the client -------------------------------------------------------------------------------------------------- */

typedef struct memory_client {
    int asked, answer; /* pipes to and from the server */
    int count;
    memory_sum here, there; /* before there were connections */
} memory_client;

static void memory_exchange(int fd, char *bytes, size_t length)
{
    netpipe_send(fd, bytes, length);
    if (!netpipe_receive(fd, bytes, length))
        netpipe_fail("the other side is gone");
}

static memory_sum memory_ask(const memory_client *client, int fresh)
{
    memory_sum sum;
    netpipe_send(client->asked, (const char *)&fresh, sizeof fresh);
    if (!netpipe_receive(client->answer, (char *)&sum, sizeof sum))
        netpipe_fail("the other side is gone");
    return sum;
}

static void memory_print(const memory_client *client, const char *state, const char *end, const memory_sum *now,
                         const memory_sum *before)
{
    double kib = 1024.0 * client->count;
    printf("%s %s %.2f %.2f %.2f\n", state, end, (double)(now->private_bytes - before->private_bytes) / kib,
           (double)(now->table_bytes - before->table_bytes) / kib,
           (double)(now->ring_bytes - before->ring_bytes) / kib);
}

static void memory_tell(const memory_client *client, const char *state, int fresh)
{
    memory_sum there = memory_ask(client, fresh), here = memory_look();
    memory_print(client, state, "client", &here, &client->here);
    memory_print(client, state, "server", &there, &client->there);
    fflush(stdout);
}

static void memory_run(const struct sockaddr_in *address, memory_client *client)
{
    static char bytes[MEMORY_MESSAGE];
    int *fds = calloc((size_t)client->count, sizeof *fds), first = netpipe_connect(address);
    if (!fds)
        netpipe_fail("memory");
    memory_ask(client, 1);
    memory_exchange(first, bytes, sizeof bytes); /* what a program needs for any connection is there from here on */
    memory_look();
    client->there = memory_ask(client, 0);
    client->here = memory_look();
    int fresh = 0; /* few, since a client has few descriptors for those that no server has taken yet */
    for (int i = 0; i < client->count; i++) {
        fds[i] = netpipe_connect(address);
        if (++fresh == MEMORY_FRESH) {
            memory_ask(client, fresh);
            fresh = 0;
        }
    }
    memory_tell(client, "open", fresh);
    for (int i = 0; i < client->count; i++)
        memory_exchange(fds[i], bytes, MEMORY_REQUEST);
    memory_tell(client, "asked", 0);
    for (int i = 0; i < client->count; i++)
        for (int j = 0; j < MEMORY_MESSAGES; j++)
            memory_exchange(fds[i], bytes, sizeof bytes);
    memory_tell(client, "used", 0);
    close(client->asked);
    netpipe_await(1);
    close(first);
    for (int i = 0; i < client->count; i++)
        close(fds[i]);
    free(fds);
}

void netpipe_memory(int listener, const struct sockaddr_in *address, const netpipe_plan *plan)
{
    int asked[2], answer[2];
    if (pipe(asked) != 0 || pipe(answer) != 0)
        netpipe_fail("pipe");
    if (fork() == 0) {
        close(asked[1]);
        memory_serve(listener, asked[0], answer[1]);
        exit(0);
    }
    close(answer[1]);
    memory_client client = {.asked = asked[1], .answer = answer[0], .count = plan->memory};
    memory_run(address, &client);
}
