/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The core of fast sockets, without a preload: two processes and a TCP connection.
 *
 *   core_test            all cases
 *   core_test CASE       one of them
 *
 * Random streams in both directions at once, by pieces of random sizes, checked byte by byte; a side that dies at a random
 * moment; a plain peer; half-close; forks; the way back to TCP; segments that are not what they should be.
 */
#define _GNU_SOURCE
#include "check.h"
#include "net/net.h"
#include "net/net_name.h"
#include "net/net_segment.h"
#include "unit/unit_random.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CORE_STREAM = 3 << 20, CORE_PIECE = 100000, CORE_KILLS = 40 };

typedef struct core_end {
    cor_net *net;
    cor_conn *conn; /* NULL: plain */
    int fd;
} core_end;

static uint64_t core_seed;

/* ---- connections --------------------------------------------------------------------------------------------------- */

static int core_listen(struct sockaddr_in *address)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    socklen_t length = sizeof *address;
    *address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    CHECK(fd >= 0);
    CHECK_OK(bind(fd, (struct sockaddr *)address, sizeof *address));
    CHECK_OK(listen(fd, 16));
    CHECK_OK(getsockname(fd, (struct sockaddr *)address, &length));
    return fd;
}

static cor_net *core_net(void)
{
    cor_net *net;
    cor_fault fault = {0};
    if (cor_net_create(&net, NULL, &fault) != COR_OK)
        CHECK_FAIL("%s", fault.text);
    return net;
}

static core_end core_connect(const struct sockaddr_in *address, int is_fast)
{
    core_end end = {.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    if (is_fast) {
        end.net = core_net();
        end.conn = cor_conn_offer(end.net, end.fd, (const struct sockaddr *)address, sizeof *address);
        CHECK(end.conn != NULL);
    }
    CHECK_OK(connect(end.fd, (const struct sockaddr *)address, sizeof *address));
    return end;
}

static core_end core_accept(int listener, int is_fast)
{
    core_end end = {.fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC)};
    CHECK(end.fd >= 0);
    if (is_fast) {
        end.net = core_net();
        end.conn = cor_conn_find(end.net, end.fd);
    }
    return end;
}

static void core_close(core_end *end)
{
    if (end->conn) {
        cor_conn_closing(end->conn, end->fd, 0);
        cor_conn_unref(end->conn);
    }
    close(end->fd);
    if (end->net)
        cor_net_destroy(end->net);
}

static ssize_t core_read(core_end *end, void *buffer, size_t length, int flags)
{
    struct iovec part = {buffer, length};
    return end->conn ? cor_conn_read(end->conn, end->fd, &part, 1, flags) : recv(end->fd, buffer, length, flags);
}

static ssize_t core_write(core_end *end, const void *buffer, size_t length, int flags)
{
    struct iovec part = {(void *)buffer, length};
    return end->conn ? cor_conn_write(end->conn, end->fd, &part, 1, flags | MSG_NOSIGNAL)
                     : send(end->fd, buffer, length, flags | MSG_NOSIGNAL);
}

/* Names that are left in the folder of links. */
static int core_left_behind(void)
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
        snprintf(mine, sizeof mine, "/proc/%d/", (int)getpid());
        count += strncmp(target, mine, strlen(mine)) == 0;
    }
    if (folder)
        closedir(folder);
    return count;
}

/* ---- streams ------------------------------------------------------------------------------------------------------- */

typedef struct core_stream {
    core_end *end;
    uint64_t seed, bytes;
    int is_reader, may_break;
} core_stream;

static unsigned char core_byte(uint64_t seed, uint64_t at)
{
    uint64_t state = seed + at / 8;
    return (unsigned char)(unit_random(&state) >> at % 8 * 8);
}

static void *core_run_stream(void *argument)
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

/* Both directions at once: the other side does the same with the seeds exchanged. */
static void core_exchange(core_end *end, uint64_t out_seed, uint64_t in_seed, uint64_t bytes, int may_break)
{
    core_stream out = {end, out_seed, bytes, 0, may_break}, in = {end, in_seed, bytes, 1, may_break};
    pthread_t writer;
    CHECK_OK(pthread_create(&writer, NULL, core_run_stream, &out));
    core_run_stream(&in);
    pthread_join(writer, NULL);
}

static void core_wait_child(pid_t child)
{
    int status;
    CHECK_EQUAL(child, waitpid(child, &status, 0));
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        CHECK_FAIL("the other process ended with status %x", status);
}

static pid_t core_fork(void)
{
    fflush(stdout);
    pid_t child = fork();
    CHECK(child >= 0);
    return child;
}

/* ---- cases ----------------------------------------------------------------------------------------------------------- */

static void core_pair(int client_is_fast, int server_is_fast)
{
    struct sockaddr_in address;
    int listener = core_listen(&address);
    pid_t child = core_fork();
    if (child == 0) {
        core_end end = core_connect(&address, client_is_fast);
        core_exchange(&end, core_seed, core_seed + 1, CORE_STREAM, 0);
        if (end.conn && server_is_fast) {
            CHECK(cor_conn_is_switched(end.conn));
            cor_net_counters *counters = cor_net_get_counters(end.net);
            CHECK(counters->ring_in == CORE_STREAM && counters->tcp_in == 0);
            CHECK_EQUAL(CORE_STREAM, counters->ring_out + counters->tcp_out);
        }
        CHECK_EQUAL(0, core_left_behind());
        core_close(&end);
        exit(0);
    }
    core_end end = core_accept(listener, server_is_fast);
    CHECK_EQUAL(client_is_fast && server_is_fast, end.conn != NULL);
    core_exchange(&end, core_seed + 1, core_seed, CORE_STREAM, 0);
    core_wait_child(child);
    char byte;
    CHECK_EQUAL(0, core_read(&end, &byte, 1, 0)); /* the end of the peer */
    core_close(&end);
    close(listener);
}

static void core_streams(void)
{
    core_pair(1, 1);
    core_pair(1, 0);
    core_pair(0, 1);
}

/* Bytes that the client sent before the server attached come by TCP, and no bell is taken for one. */
static void core_prefix(void)
{
    for (int round = 0; round < 50; round++) {
        struct sockaddr_in address;
        char sent[5000], got[6000];
        int listener = core_listen(&address);
        core_end client = core_connect(&address, 1);
        for (size_t i = 0; i < sizeof sent; i++)
            sent[i] = (char)core_byte(core_seed + (uint64_t)round, i);
        size_t first = (size_t)round * 37 % 3000;
        if (first)
            CHECK_EQUAL(first, core_write(&client, sent, first, 0));
        core_end server = core_accept(listener, 1);
        CHECK(server.conn != NULL);
        if (round % 2) /* it takes a part by TCP */
            CHECK_EQUAL(first > 0 ? 1 : -1, core_read(&server, got, 1, MSG_DONTWAIT));
        size_t taken = round % 2 && first > 0 ? 1 : 0;
        cor_conn_ready(server.conn, server.fd, 0);
        CHECK_EQUAL(sizeof sent - first, core_write(&client, sent + first, sizeof sent - first, 0));
        while (taken < sizeof sent) {
            ssize_t done = core_read(&server, got + taken, sizeof got - taken, 0);
            CHECK(done > 0);
            taken += (size_t)done;
        }
        CHECK_EQUAL(sizeof sent, taken);
        CHECK(memcmp(sent, got, sizeof sent) == 0);
        CHECK_EQUAL(-1, core_read(&server, got, 1, MSG_DONTWAIT));
        CHECK_EQUAL(EAGAIN, errno);
        core_close(&client);
        CHECK_EQUAL(0, core_read(&server, got, 1, 0));
        core_close(&server);
        close(listener);
    }
}

/* kill -9 at a random moment: the rest sees a prefix of the stream, then the end. */
static void core_kills(void)
{
    uint64_t state = core_seed;
    for (int round = 0; round < CORE_KILLS; round++) {
        struct sockaddr_in address;
        int listener = core_listen(&address);
        pid_t child = core_fork();
        if (child == 0) {
            core_end end = round % 2 ? core_accept(listener, 1) : core_connect(&address, 1);
            core_exchange(&end, core_seed, core_seed + 1, 1u << 30, 1);
            exit(0);
        }
        core_end end = round % 2 ? core_connect(&address, 1) : core_accept(listener, 1);
        close(listener); /* else it would keep a connection that the dead process did not accept */
        core_stream out = {&end, core_seed + 1, 1u << 30, 0, 1}, in = {&end, core_seed, 1u << 30, 1, 1};
        pthread_t writer, reader;
        CHECK_OK(pthread_create(&writer, NULL, core_run_stream, &out));
        CHECK_OK(pthread_create(&reader, NULL, core_run_stream, &in));
        usleep((useconds_t)(unit_random(&state) % 15000));
        kill(child, SIGKILL);
        int status;
        waitpid(child, &status, 0);
        pthread_join(reader, NULL);
        pthread_join(writer, NULL);
        core_close(&end);
    }
    cor_net_name_sweep();
    CHECK_EQUAL(0, core_left_behind());
}

/* A peer that read everything ends with end of file; one that left bytes, with a reset. */
static void core_ends(void)
{
    for (int is_unread = 0; is_unread < 2; is_unread++) {
        struct sockaddr_in address;
        char bytes[100] = {0};
        int listener = core_listen(&address);
        core_end client = core_connect(&address, 1), server = core_accept(listener, 1);
        CHECK_EQUAL(1, core_write(&server, "x", 1, 0));
        CHECK_EQUAL(1, core_read(&client, bytes, 1, 0));
        CHECK_EQUAL(100, core_write(&client, bytes, 100, 0));
        CHECK_EQUAL(3, core_write(&server, "end", 3, 0));
        if (!is_unread)
            CHECK_EQUAL(100, core_read(&server, bytes, 100, MSG_WAITALL));
        core_close(&server);
        CHECK_EQUAL(3, core_read(&client, bytes, 100, 0)); /* what it wrote comes first */
        CHECK_EQUAL(is_unread ? -1 : 0, core_read(&client, bytes, 100, 0));
        if (is_unread)
            CHECK_EQUAL(ECONNRESET, errno);
        core_write(&client, bytes, 1, 0);
        usleep(2000);
        int rc = 0;
        for (int i = 0; i < 100 && rc >= 0; i++)
            rc = (int)core_write(&client, bytes, 1, 0);
        CHECK_EQUAL(-1, rc);
        CHECK(errno == EPIPE || errno == ECONNRESET);
        core_close(&client);
        close(listener);
    }
}

/* Bytes by TCP that a reset destroys are missing: what is in the ring must not follow. */
static void core_gap(void)
{
    enum { PIECE = 8192 };
    struct sockaddr_in address;
    unsigned char bytes[PIECE];
    uint64_t sent = 0, got = 0;
    int listener = core_listen(&address);
    core_end client = core_connect(&address, 1), server = core_accept(listener, 1);
    for (ssize_t done = 1; done > 0; sent += done > 0 ? (uint64_t)done : 0) { /* until TCP takes no more */
        for (size_t i = 0; i < PIECE; i++)
            bytes[i] = core_byte(core_seed, sent + i);
        done = core_write(&client, bytes, PIECE, MSG_DONTWAIT);
    }
    CHECK_EQUAL(1, core_write(&server, "x", 1, 0)); /* attaches, and leaves a bell unread at the client */
    for (size_t i = 0; i < PIECE; i++)
        bytes[i] = core_byte(core_seed, sent + i);
    CHECK_EQUAL(PIECE, core_write(&client, bytes, PIECE, 0));
    CHECK(cor_conn_is_switched(client.conn));
    close(client.fd); /* as a death does */
    ssize_t done;
    while ((done = core_read(&server, bytes, PIECE, 0)) > 0)
        for (ssize_t i = 0; i < done; i++, got++)
            if (bytes[i] != core_byte(core_seed, got))
                CHECK_FAIL("byte %llu of %llu by TCP is wrong", (unsigned long long)got, (unsigned long long)sent);
    CHECK(got <= sent + PIECE);
    cor_conn_unref(client.conn);
    cor_net_destroy(client.net);
    core_close(&server);
    close(listener);
}

static void core_half_close(void)
{
    struct sockaddr_in address;
    char bytes[1000];
    int listener = core_listen(&address);
    core_end client = core_connect(&address, 1), server = core_accept(listener, 1);
    CHECK_EQUAL(1, core_write(&server, "x", 1, 0));
    CHECK_EQUAL(1, core_read(&client, bytes, 1, 0));
    CHECK_EQUAL(5, core_write(&client, "hello", 5, 0));
    CHECK_OK(cor_conn_shutdown(client.conn, client.fd, SHUT_WR));
    CHECK_EQUAL(-1, core_write(&client, "y", 1, 0));
    CHECK_EQUAL(EPIPE, errno);
    CHECK_EQUAL(5, cor_conn_available(server.conn, server.fd));
    CHECK_EQUAL(5, core_read(&server, bytes, sizeof bytes, MSG_PEEK));
    CHECK_EQUAL(5, core_read(&server, bytes, sizeof bytes, 0));
    CHECK_EQUAL(0, core_read(&server, bytes, sizeof bytes, 0));
    CHECK(cor_conn_ready(server.conn, server.fd, 1) & POLLRDHUP);
    for (int i = 0; i < 1000; i++) {
        CHECK_EQUAL((ssize_t)sizeof bytes, core_write(&server, bytes, sizeof bytes, 0));
        CHECK_EQUAL((ssize_t)sizeof bytes, core_read(&client, bytes, sizeof bytes, MSG_WAITALL));
    }
    core_close(&server);
    CHECK_EQUAL(0, core_read(&client, bytes, 1, 0));
    core_close(&client);
    close(listener);
}

/* No room: a writer that does not block is told, and woken by readiness of the descriptor. */
static void core_full(void)
{
    struct sockaddr_in address;
    static char bytes[1 << 20];
    int listener = core_listen(&address);
    core_end client = core_connect(&address, 1), server = core_accept(listener, 1);
    CHECK_EQUAL(1, core_write(&server, "x", 1, 0));
    CHECK_EQUAL(1, core_read(&client, bytes, 1, 0));
    CHECK_EQUAL(256 << 10, core_write(&client, bytes, sizeof bytes, MSG_DONTWAIT));
    CHECK_EQUAL(-1, core_write(&client, bytes, 1, MSG_DONTWAIT));
    CHECK_EQUAL(EAGAIN, errno);
    CHECK(!(cor_conn_ready(client.conn, client.fd, 1) & POLLOUT));
    cor_conn_take_bells(client.conn, client.fd, 0);
    CHECK(cor_conn_arm(client.conn, POLLOUT, NULL));
    struct pollfd one = {client.fd, cor_conn_kernel_events(client.conn, POLLOUT), 0};
    CHECK_EQUAL(0, poll(&one, 1, 10));
    CHECK_EQUAL(100000, core_read(&server, bytes, 100000, MSG_WAITALL));
    CHECK_EQUAL(1, poll(&one, 1, 10000));
    CHECK(cor_conn_ready(client.conn, client.fd, 0) & POLLOUT);
    core_close(&server);
    core_close(&client);
    close(listener);
}

/* Two processes write to one connection after a fork, each whole records; one of them is killed in the middle. */
static void core_forks(void)
{
    enum { RECORDS = 3000 };
    struct sockaddr_in address;
    int listener = core_listen(&address);
    core_end client = core_connect(&address, 1), server = core_accept(listener, 1);
    char record[64];
    CHECK_EQUAL(1, core_write(&server, "x", 1, 0));
    CHECK_EQUAL(1, core_read(&client, record, 1, 0));
    cor_net_before_fork(client.net);
    pid_t child = core_fork();
    cor_net_after_fork(client.net, child == 0);
    if (child == 0) {
        close(server.fd);
        memset(record, 'c', sizeof record);
        for (int i = 0; i < RECORDS; i++)
            CHECK_EQUAL((ssize_t)sizeof record, core_write(&client, record, sizeof record, 0));
        pause();
    }
    pid_t reader = core_fork();
    if (reader == 0) {
        int counts[256] = {0};
        close(client.fd);
        for (int i = 0; i < 2 * RECORDS; i++) {
            CHECK_EQUAL((ssize_t)sizeof record, core_read(&server, record, sizeof record, MSG_WAITALL));
            for (size_t j = 1; j < sizeof record; j++)
                CHECK_EQUAL(record[0], record[j]);
            counts[(unsigned char)record[0]]++;
        }
        CHECK_EQUAL(RECORDS, counts['p']);
        CHECK_EQUAL(RECORDS, counts['c']);
        exit(0);
    }
    memset(record, 'p', sizeof record);
    for (int i = 0; i < RECORDS; i++)
        CHECK_EQUAL((ssize_t)sizeof record, core_write(&client, record, sizeof record, 0));
    core_wait_child(reader);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    CHECK_EQUAL(2, core_write(&client, "ok", 2, 0)); /* the parent's end is whole */
    CHECK_EQUAL(2, core_read(&server, record, 2, 0));
    core_close(&server);
    core_close(&client);
    close(listener);
}

/* Back to TCP while the peer is in a blocking read; bytes that were not read are not lost. */
static void core_withdraws(void)
{
    for (int unread = 0; unread < 3; unread++) {
        struct sockaddr_in address;
        int listener = core_listen(&address);
        pid_t child = core_fork();
        char bytes[300000];
        if (child == 0) {
            core_end client = core_connect(&address, 1);
            CHECK_EQUAL(1, core_write(&client, "a", 1, 0));
            CHECK_EQUAL(1, core_read(&client, bytes, 1, 0));
            memset(bytes, 'u', sizeof bytes);
            size_t more = unread == 0 ? 0 : unread == 1 ? 10 : 200000;
            if (more)
                CHECK_EQUAL((ssize_t)more, core_write(&client, bytes, more, 0));
            CHECK_EQUAL(5, core_read(&client, bytes, 5, MSG_WAITALL));
            CHECK(memcmp(bytes, "plain", 5) == 0);
            CHECK_EQUAL(6, core_write(&client, "answer", 6, 0));
            CHECK_EQUAL(0, core_read(&client, bytes, 1, 0));
            core_close(&client);
            exit(0);
        }
        core_end server = core_accept(listener, 1);
        CHECK_EQUAL(1, core_read(&server, bytes, 1, 0));
        CHECK_EQUAL(1, core_write(&server, "b", 1, 0));
        size_t more = unread == 0 ? 0 : unread == 1 ? 10 : 200000;
        while (cor_conn_available(server.conn, server.fd) < (int)more)
            usleep(100);
        usleep(20000);
        CHECK_OK(cor_conn_withdraw(server.conn, server.fd));
        CHECK(cor_conn_is_plain(server.conn));
        CHECK_EQUAL(5, send(server.fd, "plain", 5, 0));
        if (more) {
            CHECK_EQUAL((ssize_t)more, recv(server.fd, bytes, more, MSG_WAITALL));
            for (size_t i = 0; i < more; i++)
                CHECK_EQUAL('u', bytes[i]);
        }
        CHECK_EQUAL(6, recv(server.fd, bytes, 6, MSG_WAITALL));
        CHECK(memcmp(bytes, "answer", 6) == 0);
        core_close(&server);
        core_wait_child(child);
        close(listener);
    }
}

/* ---- what is not as it should be ----------------------------------------------------------------------------------- */

static void core_hello(core_end *client, core_end *server)
{
    char byte;
    CHECK_EQUAL(1, core_write(client, "c", 1, 0));
    CHECK_EQUAL(1, core_read(server, &byte, 1, 0));
    CHECK_EQUAL(1, core_write(server, "s", 1, 0));
    CHECK_EQUAL(1, core_read(client, &byte, 1, 0));
    CHECK_EQUAL('s', byte);
}

/* The name of a connection that will be made from `fd`. */
static void core_name(int fd, const struct sockaddr_in *to, char path[COR_NET_PATH_MAX])
{
    struct sockaddr_in from = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof from;
    cor_net_name name;
    CHECK_OK(bind(fd, (struct sockaddr *)&from, sizeof from));
    CHECK_OK(getsockname(fd, (struct sockaddr *)&from, &length));
    CHECK_OK(cor_net_name_set(&name, (struct sockaddr *)&from, (const struct sockaddr *)to));
    name.space = cor_net_name_space();
    cor_net_name_path(&name, path);
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
    CHECK(server.conn == NULL);
    core_hello(&client, &server);
    core_close(&server);
    core_close(&client);
    close(listener);
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

static void core_strangers(void)
{
    core_strange(core_plant_file);
    core_strange(core_plant_nowhere);
    core_strange(core_plant_dead);
    core_strange(core_plant_garbage);
    core_strange(core_plant_small);
    core_strange(core_plant_unsealed);
    core_strange(core_plant_other_user);
}

/* Another user's file lies where the client's link should be: the client stays on TCP. */
static void core_in_the_way(void)
{
    struct sockaddr_in address;
    char path[COR_NET_PATH_MAX];
    int listener = core_listen(&address);
    core_end client = {.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), .net = core_net()};
    core_name(client.fd, &address, path);
    int kept = core_plant_file(path);
    client.conn = cor_conn_offer(client.net, client.fd, (struct sockaddr *)&address, sizeof address);
    CHECK(client.conn == NULL);
    CHECK_OK(connect(client.fd, (struct sockaddr *)&address, sizeof address));
    core_end server = core_accept(listener, 1);
    core_hello(&client, &server);
    core_close(&server);
    core_close(&client);
    close(kept);
    unlink(path);
    close(listener);
}

/* A peer that writes nonsense into the segment ends its own connection, and nothing else happens. */
static void core_nonsense(void)
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
        close(listener);
    }
    unsetenv("CORUNNA_LOG");
}

/* A position beyond the ring is a reset. */
static void core_beyond(void)
{
    struct sockaddr_in address;
    char bytes[10];
    int listener = core_listen(&address);
    core_end client = core_connect(&address, 1), server = core_accept(listener, 1);
    core_hello(&client, &server);
    CHECK_EQUAL(1, core_write(&client, "x", 1, 0));
    CHECK_EQUAL(1, core_read(&server, bytes, 1, 0));
    atomic_fetch_add(&cor_conn_segment(client.conn)->dirs[0].tail, 1 << 20);
    CHECK_EQUAL(-1, core_read(&server, bytes, sizeof bytes, 0));
    CHECK_EQUAL(ECONNRESET, errno);
    core_close(&client);
    core_close(&server);
    close(listener);
}

/* No descriptor left, and no memory: plain. */
static void core_limits(void)
{
    struct sockaddr_in address;
    int listener = core_listen(&address), last = -1, fds[64], count = 0;
    core_end client = {.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), .net = core_net()};
    struct rlimit limit;
    CHECK_OK(getrlimit(RLIMIT_NOFILE, &limit));
    limit.rlim_cur = 64;
    CHECK_OK(setrlimit(RLIMIT_NOFILE, &limit));
    while (count < 64 && (last = dup(listener)) >= 0)
        fds[count++] = last;
    client.conn = cor_conn_offer(client.net, client.fd, (struct sockaddr *)&address, sizeof address);
    CHECK(client.conn == NULL);
    while (count > 0)
        close(fds[--count]);
    CHECK_OK(connect(client.fd, (struct sockaddr *)&address, sizeof address));
    core_end server = core_accept(listener, 1);
    core_hello(&client, &server);
    core_close(&server);
    core_close(&client);
    close(listener);
}

static const struct core_case {
    const char *name;
    void (*run)(void);
} core_cases[] = {
    {"prefix", core_prefix},
    {"streams", core_streams},
    {"kills", core_kills},
    {"ends", core_ends},
    {"gap", core_gap},
    {"half_close", core_half_close},
    {"full", core_full},
    {"forks", core_forks},
    {"withdraws", core_withdraws},
    {"strangers", core_strangers},
    {"in_the_way", core_in_the_way},
    {"nonsense", core_nonsense},
    {"beyond", core_beyond},
    {"limits", core_limits},
};

int main(int argc, char **argv)
{
    core_seed = unit_seed();
    signal(SIGPIPE, SIG_IGN);
    for (size_t i = 0; i < sizeof core_cases / sizeof *core_cases; i++)
        if (argc < 2 || strcmp(argv[1], core_cases[i].name) == 0) {
            printf("%s\n", core_cases[i].name);
            fflush(stdout);
            core_cases[i].run();
        }
    return 0;
}
