/* SPDX-License-Identifier: Apache-2.0 */
/* What is not as it should be: names, segments, positions, limits. */
#define _GNU_SOURCE
#include "core.h"

#include "check.h"
#include "net/net_name.h"
#include "net/net_ring.h"
#include "net/net_state.h"
#include "unit/unit_random.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* The name of a connection that will be made from `fd`. */
static cor_net_name core_name(int fd, const struct sockaddr_in *to, char path[COR_NET_PATH_MAX])
{
    struct sockaddr_in from = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof from;
    cor_net_name name;
    CHECK_OK(bind(fd, (struct sockaddr *)&from, sizeof from));
    CHECK_OK(getsockname(fd, (struct sockaddr *)&from, &length));
    CHECK_OK(cor_net_name_set(&name, (struct sockaddr *)&from, (const struct sockaddr *)to));
    name.space = cor_net_name_space(fd);
    name.pids = cor_net_name_pids();
    cor_net_name_path(&name, path);
    return name;
}

/* What lies under the connection's name is made by `plant`, which returns a descriptor to keep, or -1. */
static void core_strange(int (*plant)(const char *path))
{
    struct sockaddr_in address;
    char path[COR_NET_PATH_MAX];
    int listener = core_listen(&address);
    core_end client = {.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    core_name(client.fd, &address, path);
    int kept = plant(path);
    CHECK_OK(connect(client.fd, (struct sockaddr *)&address, sizeof address));
    core_end server = core_accept(listener, 1);
    CHECK(cor_conn_segment(server.conn) == NULL);
    core_hello(&client, &server);
    core_close(&server);
    core_close(&client);
    core_unlisten(listener);
    if (kept >= 0)
        close(kept);
    unlink(path);
}

static int core_plant_file(const char *path)
{
    return open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}

static int core_plant_nowhere(const char *path)
{
    CHECK_OK(symlink("/etc/passwd", path));
    return -1;
}

static int core_plant_dead(const char *path)
{
    CHECK_OK(symlink("/proc/999999999/fd/3", path));
    return -1;
}

static int core_plant_segment(const char *path, size_t bytes, int is_sealed)
{
    char target[64];
    int fd = memfd_create("strange", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    CHECK_OK(ftruncate(fd, (off_t)bytes));
    CHECK_OK(fchmod(fd, 0600));
    if (is_sealed)
        CHECK_OK(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW));
    snprintf(target, sizeof target, "/proc/%d/fd/%d", (int)getpid(), fd);
    CHECK_OK(symlink(target, path));
    return fd;
}

static int core_plant_garbage(const char *path)
{
    return core_plant_segment(path, NET_SEGMENT_HEADER + 2 * 4096, 1);
}

static int core_plant_small(const char *path)
{
    return core_plant_segment(path, 100, 1);
}

static int core_plant_unsealed(const char *path)
{
    return core_plant_segment(path, NET_SEGMENT_HEADER + 2 * 4096, 0);
}

static int core_plant_other_user(const char *path)
{
    int fd = core_plant_garbage(path);
    if (geteuid() == 0)
        CHECK_OK(lchown(path, 65534, 65534));
    return fd;
}

void core_strangers(void)
{
    core_strange(core_plant_file);
    core_strange(core_plant_nowhere);
    core_strange(core_plant_dead);
    core_strange(core_plant_garbage);
    core_strange(core_plant_small);
    core_strange(core_plant_unsealed);
    core_strange(core_plant_other_user);
}

enum { CORE_NOBODY = 65534 };

/* A segment that is right in every way, but for its owner or that of the link, is not attached to. */
void core_owners(void)
{
    for (int round = 0; round < (geteuid() == 0 ? 3 : 1); round++) {
        struct sockaddr_in address;
        char path[COR_NET_PATH_MAX];
        int listener = core_listen(&address);
        core_end client = {.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
        cor_net_name name = core_name(client.fd, &address, path);
        int fd = core_plant_garbage(path);
        cor_net_segment *segment = mmap(NULL, NET_SEGMENT_HEADER, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        CHECK(segment != MAP_FAILED);
        segment->magic = NET_SEGMENT_MAGIC;
        segment->ring_bytes = 4096;
        segment->name = name;
        if (round == 1)
            CHECK_OK(lchown(path, CORE_NOBODY, CORE_NOBODY));
        else if (round == 2)
            CHECK_OK(fchown(fd, CORE_NOBODY, CORE_NOBODY));
        CHECK_OK(connect(client.fd, (struct sockaddr *)&address, sizeof address));
        core_end server = core_accept(listener, 1);
        CHECK_EQUAL(round == 0, cor_conn_segment(server.conn) != NULL);
        core_close(&server);
        core_close(&client);
        core_unlisten(listener);
        munmap(segment, NET_SEGMENT_HEADER);
        close(fd);
        unlink(path);
    }
}

/* Another user's file lies where the client's link should be: the client stays on TCP. */
void core_in_the_way(void)
{
    struct sockaddr_in address;
    char path[COR_NET_PATH_MAX];
    int listener = core_listen(&address);
    core_end client = {.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), .net = core_net()};
    core_name(client.fd, &address, path);
    int kept = core_plant_file(path);
    client.conn = cor_conn_connecting(client.net, (struct sockaddr *)&address, sizeof address);
    CHECK_OK(connect(client.fd, (struct sockaddr *)&address, sizeof address));
    cor_conn_look_due(client.conn, client.fd);
    CHECK(cor_conn_is_plain(client.conn));
    core_end server = core_accept(listener, 1);
    core_hello(&client, &server);
    core_close(&server);
    core_close(&client);
    close(kept);
    unlink(path);
    core_unlisten(listener);
}

/* A peer that writes nonsense into the segment ends its own connection, and nothing else happens. */
void core_nonsense(void)
{
    uint64_t state = core_seed;
    setenv("CORUNNA_LOG", "error", 1);
    for (int round = 0; round < 300; round++) {
        struct sockaddr_in address;
        char bytes[3000] = {0};
        int listener = core_listen(&address);
        core_end client = core_connect(&address, 1), server = core_accept(listener, 1);
        core_hello(&client, &server);
        cor_net_segment *segment = cor_conn_segment(client.conn);
        for (int i = 0; i < 8; i++) {
            uint64_t *word = (uint64_t *)segment->dirs + unit_random(&state) % (sizeof segment->dirs / 8);
            *word = unit_random(&state) >> unit_random(&state) % 64;
            core_write(&server, bytes, sizeof bytes, MSG_DONTWAIT);
            core_read(&server, bytes, sizeof bytes, MSG_DONTWAIT);
            cor_conn_ready(server.conn, server.fd, 1);
            cor_conn_available(server.conn, server.fd);
            cor_conn_arm(server.conn, POLLIN | POLLOUT, NULL);
        }
        core_close(&client);
        core_close(&server);
        core_unlisten(listener);
    }
    unsetenv("CORUNNA_LOG");
}

/* A position beyond the ring is a reset. */
void core_beyond(void)
{
    struct sockaddr_in address;
    char bytes[10];
    int listener = core_listen(&address);
    core_end client = core_connect(&address, 1), server = core_accept(listener, 1);
    core_hello(&client, &server);
    CHECK_EQUAL(1, core_write(&client, "x", 1, 0));
    CHECK_EQUAL(1, core_read(&server, bytes, 1, 0));
    atomic_fetch_add(&cor_conn_segment(client.conn)->dirs[0].tail, 1 << 26);
    CHECK_EQUAL(-1, core_read(&server, bytes, sizeof bytes, 0));
    CHECK_EQUAL(ECONNRESET, errno);
    core_close(&client);
    core_close(&server);
    core_unlisten(listener);
}

/* No descriptor left, and no memory: plain. */
void core_limits(void)
{
    struct sockaddr_in address;
    int listener = core_listen(&address), last = -1, fds[64], count = 0;
    core_end client = {.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), .net = core_net()};
    struct rlimit limit;
    CHECK_OK(getrlimit(RLIMIT_NOFILE, &limit));
    limit.rlim_cur = 64;
    CHECK_OK(setrlimit(RLIMIT_NOFILE, &limit));
    client.conn = cor_conn_connecting(client.net, (struct sockaddr *)&address, sizeof address);
    CHECK_OK(connect(client.fd, (struct sockaddr *)&address, sizeof address));
    while (count < 64 && (last = dup(listener)) >= 0)
        fds[count++] = last;
    cor_conn_look_due(client.conn, client.fd);
    CHECK(cor_conn_is_plain(client.conn));
    while (count > 0)
        close(fds[--count]);
    core_end server = core_accept(listener, 1);
    core_hello(&client, &server);
    core_close(&server);
    core_close(&client);
    core_unlisten(listener);
}

static rlim_t core_address_space(void)
{
    long pages = 0;
    FILE *facts = fopen("/proc/self/statm", "r");
    CHECK(facts != NULL);
    CHECK_EQUAL(1, fscanf(facts, "%ld", &pages));
    fclose(facts);
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* A process has mappings for its own use left, whatever the connections are: those beyond stay on TCP. */
void core_maps(void)
{
    enum { CONNECTIONS = 4, FAST = 2 };
    struct sockaddr_in address;
    core_end ends[CONNECTIONS], servers[CONNECTIONS];
    cor_net *net = core_net();
    int listener = core_listen(&address);
    CHECK(net->maps_most > 1000);
    net->maps_most = FAST;
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < CONNECTIONS; i++) {
            ends[i] = (core_end){.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
            ends[i].conn = cor_conn_connecting(net, (struct sockaddr *)&address, sizeof address);
            CHECK_OK(connect(ends[i].fd, (struct sockaddr *)&address, sizeof address));
            cor_conn_look_due(ends[i].conn, ends[i].fd);
            CHECK_EQUAL(i < FAST, !cor_conn_is_plain(ends[i].conn));
            servers[i] = core_accept(listener, 1);
            CHECK_EQUAL(i < FAST, cor_conn_segment(servers[i].conn) != NULL);
            core_hello(&ends[i], &servers[i]);
        }
        for (int i = 0; i < CONNECTIONS; i++) {
            core_close(&ends[i]);
            core_close(&servers[i]);
        }
    }
    cor_net_destroy(net);
    core_unlisten(listener);
}

/* A reader that finds no place for the large ring, which its writer uses, fails and may try again: no byte is lost. */
void core_no_memory(void)
{
    enum { AHEAD = 5 << 20 };
    struct sockaddr_in address;
    struct rlimit limit, before;
    static char out[AHEAD], in[AHEAD];
    int listener = core_listen(&address);
    core_end client = core_connect(&address, 1), server = core_accept(listener, 1);
    core_hello(&client, &server);
    for (size_t i = 0; i < AHEAD; i++)
        out[i] = (char)core_byte(core_seed, i);
    CHECK_EQUAL(AHEAD, core_write(&client, out, AHEAD, 0));
    CHECK_OK(getrlimit(RLIMIT_AS, &before));
    limit = before;
    limit.rlim_cur = core_address_space() + (1 << 20);
    CHECK_OK(setrlimit(RLIMIT_AS, &limit));
    ssize_t got = core_read(&server, in, AHEAD, MSG_WAITALL); /* what is in the other ring */
    CHECK(got > 0 && got < AHEAD);
    CHECK_EQUAL(-1, core_read(&server, in + got, AHEAD - (size_t)got, 0));
    CHECK_EQUAL(ENOMEM, errno);
    CHECK_OK(setrlimit(RLIMIT_AS, &before));
    CHECK_EQUAL(AHEAD - got, core_read(&server, in + got, AHEAD - (size_t)got, MSG_WAITALL));
    CHECK(memcmp(out, in, AHEAD) == 0);
    core_hello(&client, &server);
    core_close(&server);
    core_close(&client);
    core_unlisten(listener);
}

/* All pages of this memory have been allocated. */
static int core_is_allocated(void *memory, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = bytes / page;
    unsigned char *found = malloc(pages);
    int is_whole = 1;
    CHECK_OK(mincore(memory, bytes, found));
    for (size_t i = 0; i < pages; i++)
        is_whole &= found[i] & 1;
    free(found);
    return is_whole;
}

/* Where the system promises no more memory than it has, none is touched before it is allocated. */
void core_strict(void)
{
    enum { AHEAD = 1 << 20, CORE_BLOCK = 512 };
    static char bytes[AHEAD];
    struct sockaddr_in address;
    struct stat facts;
    cor_net *net = core_net();
    int listener = core_listen(&address);
    for (int is_strict = 0; is_strict < 2; is_strict++) {
        core_end client = {.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
        net->is_strict = is_strict;
        client.conn = cor_conn_connecting(net, (struct sockaddr *)&address, sizeof address);
        CHECK_OK(connect(client.fd, (struct sockaddr *)&address, sizeof address));
        cor_conn_look_due(client.conn, client.fd);
        cor_conn *conn = client.conn;
        CHECK_OK(fstat(conn->offer_fd, &facts));
        CHECK_EQUAL(is_strict, (size_t)facts.st_blocks * CORE_BLOCK >= net_near_bytes(conn->ring_bytes));
        core_end server = core_accept(listener, 1);
        core_hello(&client, &server);
        for (int round = 0; round < 2; round++) { /* what is given back is allocated again */
            CHECK_EQUAL(AHEAD, core_write(&client, bytes, AHEAD, MSG_DONTWAIT));
            char *far = net_ring_memory(conn, conn->out, NET_FAR);
            CHECK(far != NULL && net_ring_turn(conn->out).ring == NET_FAR);
            CHECK_EQUAL(is_strict, core_is_allocated(far, conn->far_bytes));
            CHECK_EQUAL(AHEAD, core_read(&server, bytes, AHEAD, MSG_WAITALL));
            core_hello(&client, &server);
            core_hello(&client, &server);
            CHECK(net_ring_turn(conn->out).ring == NET_NEAR && !core_is_allocated(far, conn->far_bytes));
        }
        core_close(&client);
        core_close(&server);
    }
    cor_net_destroy(net);
    core_unlisten(listener);
}
