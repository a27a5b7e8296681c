/* SPDX-License-Identifier: Apache-2.0 */
/* Ends of connections, and streams over them. */
#define _GNU_SOURCE
#include "core.h"

#include "check.h"
#include "net/net_name.h"
#include "unit/unit_random.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CORE_PIECE = 100000 };

uint64_t core_seed;
static cor_net *core_ears; /* announces listeners */

/* ---- connections ------------------------------------------------------------------------------------------------- */

cor_net *core_net_after(int turns)
{
    cor_net *net;
    cor_fault fault = {0};
    char text[32];
    snprintf(text, sizeof text, "net.turns=%d", turns);
    const char *const overrides[] = {text, NULL};
    if (cor_net_create(&net, overrides, &fault) != COR_OK)
        CHECK_FAIL("%s", fault.text);
    return net;
}

cor_net *core_net(void)
{
    return core_net_after(0);
}

int core_listen(struct sockaddr_in *address)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    socklen_t length = sizeof *address;
    *address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    CHECK(fd >= 0);
    CHECK_OK(bind(fd, (struct sockaddr *)address, sizeof *address));
    CHECK_OK(listen(fd, 16));
    CHECK_OK(getsockname(fd, (struct sockaddr *)address, &length));
    if (!core_ears)
        core_ears = core_net();
    cor_net_announce(core_ears, fd);
    return fd;
}

void core_unannounce(int listener)
{
    cor_net_unannounce(core_ears, listener);
}

void core_unlisten(int listener)
{
    core_unannounce(listener);
    close(listener);
}

core_end core_connect(const struct sockaddr_in *address, int is_fast)
{
    core_end end = {.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    if (is_fast) {
        end.net = core_net();
        end.conn = cor_conn_connecting(end.net, (const struct sockaddr *)address, sizeof *address);
        CHECK(end.conn != NULL);
    }
    CHECK_OK(connect(end.fd, (const struct sockaddr *)address, sizeof *address));
    if (is_fast)
        cor_conn_look_due(end.conn, end.fd);
    return end;
}

core_end core_accept(int listener, int is_fast)
{
    core_end end = {.fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC)};
    CHECK(end.fd >= 0);
    if (is_fast) {
        end.net = core_net();
        end.conn = cor_conn_accepted(end.net);
        cor_conn_look_due(end.conn, end.fd);
    }
    return end;
}

void core_close(core_end *end)
{
    if (end->conn) {
        cor_conn_closing(end->conn, end->fd, 0);
        cor_conn_unref(end->conn);
    }
    close(end->fd);
    if (end->net)
        cor_net_destroy(end->net);
}

ssize_t core_read(core_end *end, void *buffer, size_t length, int flags)
{
    struct iovec part = {buffer, length};
    return end->conn ? cor_conn_read(end->conn, end->fd, &part, 1, flags) : recv(end->fd, buffer, length, flags);
}

ssize_t core_write(core_end *end, const void *buffer, size_t length, int flags)
{
    struct iovec part = {(void *)buffer, length};
    return end->conn ? cor_conn_write(end->conn, end->fd, &part, 1, flags | MSG_NOSIGNAL)
                     : send(end->fd, buffer, length, flags | MSG_NOSIGNAL);
}

int core_left_behind(pid_t pid)
{
    DIR *folder = opendir(COR_NET_FOLDER);
    int count = 0;
    const struct dirent *entry;
    while (folder && (entry = readdir(folder)) != NULL) {
        char target[64], mine[64];
        if (strncmp(entry->d_name, COR_NET_PREFIX, strlen(COR_NET_PREFIX)) != 0)
            continue;
        ssize_t length = readlinkat(dirfd(folder), entry->d_name, target, sizeof target - 1);
        target[length > 0 ? length : 0] = '\0';
        snprintf(mine, sizeof mine, "/proc/%d/", (int)pid);
        count += strncmp(target, mine, strlen(mine)) == 0;
    }
    if (folder)
        closedir(folder);
    return count;
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

unsigned char core_byte(uint64_t seed, uint64_t at)
{
    uint64_t state = seed + at / 8;
    return (unsigned char)(unit_random(&state) >> at % 8 * 8);
}

void *core_run_stream(void *argument)
{
    core_stream *stream = argument;
    uint64_t state = stream->seed ^ (uint64_t)(stream->is_reader + 1);
    unsigned char *buffer = malloc(CORE_PIECE);
    for (uint64_t at = 0; at < stream->bytes;) {
        uint64_t limit = unit_random(&state) % 3 == 0 ? CORE_PIECE : 200;
        size_t length = (size_t)(1 + unit_random(&state) % limit);
        if (length > stream->bytes - at)
            length = (size_t)(stream->bytes - at);
        if (!stream->is_reader)
            for (size_t i = 0; i < length; i++)
                buffer[i] = core_byte(stream->seed, at + i);
        ssize_t done =
            stream->is_reader ? core_read(stream->end, buffer, length, 0) : core_write(stream->end, buffer, length, 0);
        if (done <= 0) {
            if (!stream->may_break)
                CHECK_FAIL("%s ended at byte %llu: %s", stream->is_reader ? "read" : "write", (unsigned long long)at,
                           done == 0 ? "end of file" : strerror(errno));
            stream->bytes = at;
            break;
        }
        if (stream->is_reader)
            for (ssize_t i = 0; i < done; i++)
                if (buffer[i] != core_byte(stream->seed, at + (uint64_t)i))
                    CHECK_FAIL("byte %llu is %d, not %d", (unsigned long long)(at + (uint64_t)i), buffer[i],
                               core_byte(stream->seed, at + (uint64_t)i));
        at += (uint64_t)done;
    }
    free(buffer);
    return NULL;
}

void core_exchange(core_end *end, uint64_t out_seed, uint64_t in_seed, uint64_t bytes, int may_break)
{
    core_stream out = {end, out_seed, bytes, 0, may_break}, in = {end, in_seed, bytes, 1, may_break};
    pthread_t writer;
    CHECK_OK(pthread_create(&writer, NULL, core_run_stream, &out));
    core_run_stream(&in);
    pthread_join(writer, NULL);
}

void core_wait_child(pid_t child)
{
    int status;
    CHECK_EQUAL(child, waitpid(child, &status, 0));
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        CHECK_FAIL("the other process ended with status %x", status);
}

pid_t core_fork(void)
{
    fflush(stdout);
    pid_t child = fork();
    CHECK(child >= 0);
    return child;
}

void core_hello(core_end *client, core_end *server)
{
    char byte;
    CHECK_EQUAL(1, core_write(client, "c", 1, 0));
    CHECK_EQUAL(1, core_read(server, &byte, 1, 0));
    CHECK_EQUAL(1, core_write(server, "s", 1, 0));
    CHECK_EQUAL(1, core_read(client, &byte, 1, 0));
    CHECK_EQUAL('s', byte);
}
