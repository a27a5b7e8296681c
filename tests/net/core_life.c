/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a peer, forks, and names in /dev/shm. */
#define _GNU_SOURCE
#include "core.h"

#include "check.h"
#include "net/net_name.h"
#include "unit/unit_random.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CORE_KILLS = 40 };

/* kill -9 at a random moment: the rest sees a prefix of the stream, then the end. */
void core_kills(void)
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
        core_unlisten(listener); /* else it would keep a connection that the dead process did not accept */
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
    CHECK_EQUAL(0, core_left_behind(getpid()));
}

/* A peer that read everything ends with end of file; one that left bytes, with a reset. */
void core_ends(void)
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
        int rc = 0;
        CHECK_UNTIL(rc < 0, (check_nap(), rc = (int)core_write(&client, bytes, 1, 0)));
        CHECK(errno == EPIPE || errno == ECONNRESET);
        core_close(&client);
        core_unlisten(listener);
    }
}

/* Bytes by TCP that a reset destroys are missing: what is in the ring must not follow. */
void core_gap(void)
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
    core_unlisten(listener);
}

/* Two processes write to one connection after a fork, each whole records; one of them is killed in the middle. */
void core_forks(void)
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
    core_unlisten(listener);
}

/* A process that was killed asleep in a read, and for which its parent has not waited, does not disturb the parent. */
void core_zombies(void)
{
    struct sockaddr_in address;
    struct timeval limit = {CORE_LONG_MS / 1000, 0};
    siginfo_t how;
    char byte;
    int listener = core_listen(&address);
    core_end client = core_connect(&address, 1), server = core_accept(listener, 1);
    core_hello(&client, &server);
    CHECK_OK(setsockopt(client.fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit));
    cor_conn_set_receive_limit(client.conn, 1);
    cor_net_before_fork(client.net);
    pid_t child = core_fork();
    cor_net_after_fork(client.net, child == 0);
    if (child == 0) {
        close(server.fd);
        core_read(&client, &byte, 1, 0);
        exit(1);
    }
    check_asleep(child);
    kill(child, SIGKILL);
    CHECK_OK(waitid(P_PID, (id_t)child, &how, WEXITED | WNOWAIT));
    CHECK_EQUAL(1, core_write(&server, "x", 1, 0));
    CHECK_EQUAL(1, core_read(&client, &byte, 1, 0));
    core_close(&server);
    CHECK_EQUAL(0, core_read(&client, &byte, 1, 0));
    waitpid(child, NULL, 0);
    core_close(&client);
    core_unlisten(listener);
}

static void *life_answer(void *argument)
{
    core_end *end = argument;
    char byte;
    while (core_read(end, &byte, 1, 0) == 1)
        CHECK_EQUAL(1, core_write(end, &byte, 1, 0));
    return NULL;
}

/* A process that shares a connection is killed, or stopped, while it sleeps in poll: the other is woken by bells as
 * before, they do not pile up, and the end comes. */
static void life_share(int signal_number)
{
    enum { ROUNDS = 200 };
    struct sockaddr_in address;
    char byte;
    int listener = core_listen(&address), left = 0;
    setenv("CORUNNA_NET_SPIN_US", "0", 1); /* each read sleeps */
    core_end client = core_connect(&address, 1), server = core_accept(listener, 1);
    unsetenv("CORUNNA_NET_SPIN_US");
    core_hello(&client, &server);
    cor_net_before_fork(client.net);
    pid_t child = core_fork();
    cor_net_after_fork(client.net, child == 0);
    if (child == 0) {
        struct pollfd one = {client.fd, POLLIN, 0};
        int limit_ms = -1;
        close(server.fd);
        CHECK(cor_conn_sleep_begin(client.conn, &one, &limit_ms));
        poll(&one, 1, limit_ms);
        cor_conn_sleep_end(client.conn, client.fd, one.revents);
        exit(0);
    }
    check_asleep(child);
    kill(child, signal_number);
    siginfo_t how;
    CHECK_OK(waitid(P_PID, (id_t)child, &how, WEXITED | WSTOPPED | WNOWAIT));
    pthread_t thread;
    CHECK_OK(pthread_create(&thread, NULL, life_answer, &client));
    for (int i = 0; i < ROUNDS; i++) {
        CHECK_EQUAL(1, core_write(&server, "x", 1, 0));
        CHECK_EQUAL(1, core_read(&server, &byte, 1, 0));
    }
    CHECK_OK(ioctl(client.fd, FIONREAD, &left));
    CHECK(left < ROUNDS / 10);
    core_close(&server);
    pthread_join(thread, NULL);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    core_close(&client);
    core_unlisten(listener);
}

void core_sleepers(void)
{
    life_share(SIGKILL);
    life_share(SIGSTOP);
}

static void *life_ring(void *argument)
{
    const char bell = 0;
    while (send(*(const int *)argument, &bell, 1, MSG_NOSIGNAL) == 1)
        usleep(20 * 1000);
    return NULL;
}

/* A read with a time-out ends, whatever bells are there for others meanwhile. */
void core_time_out(void)
{
    struct sockaddr_in address;
    struct timeval limit = {0, 200 * 1000};
    pthread_t thread;
    char byte;
    int listener = core_listen(&address);
    core_end client = core_connect(&address, 1), server = core_accept(listener, 1);
    core_hello(&client, &server);
    CHECK_OK(setsockopt(client.fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit));
    cor_conn_set_receive_limit(client.conn, 1);
    CHECK_OK(pthread_create(&thread, NULL, life_ring, &server.fd));
    CHECK_EQUAL(-1, core_read(&client, &byte, 1, 0));
    CHECK_EQUAL(EAGAIN, errno);
    CHECK_OK(shutdown(server.fd, SHUT_WR));
    pthread_join(thread, NULL);
    core_close(&client);
    core_close(&server);
    core_unlisten(listener);
}

/* Mappings of this process that a child shares. */
static int core_shared_mappings(void)
{
    char line[512];
    int count = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    CHECK(maps != NULL);
    while (fgets(line, sizeof line, maps))
        count += strstr(line, "/dev/zero") != NULL;
    fclose(maps);
    return count;
}

/* A server that forks for every connection needs no more memory with each. */
void core_places(void)
{
    struct sockaddr_in address;
    int listener = core_listen(&address), before = core_shared_mappings();
    cor_net *net = core_net();
    for (int i = 0; i < 400; i++) {
        core_end client = core_connect(&address, 1), server = {.net = NULL, .fd = accept(listener, NULL, NULL)};
        server.conn = cor_conn_accepted(net);
        cor_conn_look_due(server.conn, server.fd);
        CHECK(cor_conn_segment(server.conn) != NULL);
        cor_net_before_fork(net);
        pid_t child = core_fork();
        cor_net_after_fork(net, child == 0);
        if (child == 0)
            _exit(core_write(&server, "x", 1, 0) == 1 ? 0 : 1);
        core_close(&server);
        core_wait_child(child);
        core_close(&client);
    }
    CHECK(core_shared_mappings() <= before + 2);
    cor_net_destroy(net);
    core_unlisten(listener);
}

/* A client for a plain server makes no name at all. One that is killed before a fast server has accepted it leaves none
 * once the server has, or has gone. */
void core_names(void)
{
    for (int round = 0; round < 3; round++) {
        struct sockaddr_in address;
        int listener = core_listen(&address), tell[2];
        char is_offered;
        CHECK_OK(pipe(tell));
        if (round == 0)
            core_unannounce(listener);
        pid_t child = core_fork();
        if (child == 0) {
            core_end end = {.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), .net = core_net()};
            end.conn = cor_conn_connecting(end.net, (struct sockaddr *)&address, sizeof address);
            CHECK_OK(connect(end.fd, (struct sockaddr *)&address, sizeof address));
            if (end.conn)
                cor_conn_look_due(end.conn, end.fd);
            is_offered = end.conn && !cor_conn_is_plain(end.conn);
            CHECK_EQUAL(1, write(tell[1], &is_offered, 1));
            pause();
        }
        CHECK_EQUAL(1, read(tell[0], &is_offered, 1));
        CHECK_EQUAL(round > 0, is_offered);
        CHECK_EQUAL(round > 0, core_left_behind(child));
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        if (round == 1) {
            core_end server = core_accept(listener, 1);
            CHECK(cor_conn_segment(server.conn) == NULL);
            CHECK_EQUAL(0, core_left_behind(child));
            core_close(&server);
        }
        core_unlisten(listener);
        CHECK_EQUAL(0, core_left_behind(child));
        close(tell[0]);
        close(tell[1]);
    }
}
