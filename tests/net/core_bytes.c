/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes: streams, what went by TCP before the switch, full rings. */
#define _GNU_SOURCE
#include "core.h"

#include "check.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CORE_STREAM = 3 << 20 };

static void core_pair(int client_is_fast, int server_is_fast)
{
    struct sockaddr_in address;
    int listener = core_listen(&address), ready[2];
    char byte;
    CHECK_OK(pipe(ready));
    pid_t child = core_fork();
    if (child == 0) {
        core_end end = core_connect(&address, client_is_fast);
        CHECK_EQUAL(1, write(ready[1], "r", 1));
        core_exchange(&end, core_seed, core_seed + 1, CORE_STREAM, 0);
        if (end.conn && server_is_fast) {
            CHECK(cor_conn_is_switched(end.conn));
            cor_net_counters *counters = cor_net_get_counters(end.net);
            CHECK(counters->ring_in == CORE_STREAM && counters->tcp_in == 0);
            CHECK_EQUAL(CORE_STREAM, counters->ring_out + counters->tcp_out);
        }
        if (server_is_fast) /* else the offer may still be there */
            CHECK_EQUAL(0, core_left_behind(getpid()));
        core_close(&end);
        CHECK_EQUAL(0, core_left_behind(getpid()));
        exit(0);
    }
    CHECK_EQUAL(1, read(ready[0], &byte, 1)); /* the server would look too early, and once more later */
    close(ready[0]);
    close(ready[1]);
    core_end end = core_accept(listener, server_is_fast);
    CHECK_EQUAL(client_is_fast && server_is_fast, end.conn && cor_conn_segment(end.conn));
    core_exchange(&end, core_seed + 1, core_seed, CORE_STREAM, 0);
    core_wait_child(child);
    CHECK_EQUAL(0, core_read(&end, &byte, 1, 0)); /* the end of the peer */
    core_close(&end);
    core_unlisten(listener);
}

void core_streams(void)
{
    core_pair(1, 1);
    core_pair(1, 0);
    core_pair(0, 1);
}

/* Bytes that the client sent before the server attached come by TCP, and no bell is taken for one. */
void core_prefix(void)
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
        CHECK(cor_conn_segment(server.conn) != NULL);
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
        core_unlisten(listener);
    }
}

void core_half_close(void)
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
    core_unlisten(listener);
}

/* No room: a writer that does not block is told, and woken by readiness of the descriptor. */
void core_full(void)
{
    struct sockaddr_in address;
    static char bytes[1 << 20];
    int listener = core_listen(&address);
    setenv("CORUNNA_NET_BUFFER", "0", 1); /* the near ring alone */
    core_end client = core_connect(&address, 1), server = core_accept(listener, 1);
    unsetenv("CORUNNA_NET_BUFFER");
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
    CHECK_EQUAL(1, poll(&one, 1, CORE_LONG_MS));
    CHECK(cor_conn_ready(client.conn, client.fd, 0) & POLLOUT);
    core_close(&server);
    core_close(&client);
    core_unlisten(listener);
}

/* KiB of memory that the rings of a connection of this process have. */
static long core_ring_kib(void)
{
    char line[512];
    long kib = 0, most = 0;
    int is_ring = 0;
    FILE *maps = fopen("/proc/self/smaps", "r");
    CHECK(maps != NULL);
    while (fgets(line, sizeof line, maps)) {
        if (strchr(line, '-') && strstr(line, " rw"))
            is_ring = strstr(line, "corunna-sock") != NULL;
        if (is_ring && sscanf(line, "Rss: %ld kB", &kib) == 1)
            most = kib > most ? kib : most;
    }
    fclose(maps);
    return most;
}

/* Both ends write much before they read. The memory that this needs is given back when the bytes have been read. */
void core_ahead(void)
{
    enum { AHEAD = 5 << 20, ROUNDS = 3 };
    struct sockaddr_in address;
    char *out = malloc(AHEAD), *in = malloc(AHEAD);
    int listener = core_listen(&address);
    core_end client = core_connect(&address, 1), server = core_accept(listener, 1);
    core_hello(&client, &server);
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < AHEAD; i++)
            out[i] = (char)core_byte(core_seed + (uint64_t)round, i);
        CHECK_EQUAL(AHEAD, core_write(&client, out, AHEAD, 0));
        CHECK_EQUAL(AHEAD, core_write(&server, out, AHEAD, 0));
        CHECK_EQUAL(AHEAD, cor_conn_available(server.conn, server.fd));
        CHECK(core_ring_kib() > AHEAD / 2048);
        CHECK_EQUAL(AHEAD, core_read(&server, in, AHEAD, MSG_WAITALL));
        CHECK(memcmp(out, in, AHEAD) == 0);
        memset(in, 0, AHEAD);
        CHECK_EQUAL(AHEAD, core_read(&client, in, AHEAD, MSG_WAITALL));
        CHECK(memcmp(out, in, AHEAD) == 0);
        for (int i = 0; i < 3; i++)
            core_hello(&client, &server);
        CHECK(core_ring_kib() < 2 * 1024);
    }
    core_close(&client);
    core_close(&server);
    core_unlisten(listener);
    free(out);
    free(in);
}

/* Streams by rings so small that writers turn from one to the other all the time. */
void core_turns(void)
{
    setenv("CORUNNA_NET_RING", "4k", 1);
    for (int i = 0; i < 4; i++) {
        setenv("CORUNNA_NET_BUFFER", i % 2 ? "4k" : "32k", 1);
        setenv("CORUNNA_NET_SPIN_US", i < 2 ? "0" : "5", 1);
        core_pair(1, 1);
    }
    unsetenv("CORUNNA_NET_RING");
    unsetenv("CORUNNA_NET_BUFFER");
    unsetenv("CORUNNA_NET_SPIN_US");
}

/* The switch at any moment of two streams: what went by TCP, what is in the ring, and bells in between. */
void core_switches(void)
{
    for (int round = 0; round < 200; round++) {
        struct sockaddr_in address;
        int listener = core_listen(&address);
        core_end client = core_connect(&address, 1);
        uint64_t seed = core_seed + (uint64_t)round, bytes = 1 + seed % 5000;
        core_stream out = {&client, seed, bytes, 0, 0}, in = {&client, seed + 1, bytes, 1, 0};
        pthread_t writer, reader;
        CHECK_OK(pthread_create(&writer, NULL, core_run_stream, &out));
        CHECK_OK(pthread_create(&reader, NULL, core_run_stream, &in));
        for (int i = 0; i < round % 4; i++)
            sched_yield();
        core_end server = core_accept(listener, 1);
        CHECK(cor_conn_segment(server.conn) != NULL);
        core_exchange(&server, seed + 1, seed, bytes, 0);
        pthread_join(writer, NULL);
        pthread_join(reader, NULL);
        char byte;
        CHECK_EQUAL(-1, core_read(&server, &byte, 1, MSG_DONTWAIT));
        CHECK_EQUAL(-1, core_read(&client, &byte, 1, MSG_DONTWAIT));
        core_close(&client);
        CHECK_EQUAL(0, core_read(&server, &byte, 1, 0));
        core_close(&server);
        core_unlisten(listener);
    }
}
