/* SPDX-License-Identifier: Apache-2.0 */
/* Connections that begin as plain TCP, and move to memory later, or never. */
#define _GNU_SOURCE
#include "core.h"

#include "check.h"
#include "unit/unit_random.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { YOUNG_TURNS = 5 };

/* Both ends of a connection in this process, each with its own settings. */
static void young_pair(core_end *client, core_end *server, int *listener_p)
{
    struct sockaddr_in address;
    *listener_p = core_listen(&address);
    *client = (core_end){.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), .net = core_net_after(YOUNG_TURNS)};
    client->conn = cor_conn_connecting(client->net, (struct sockaddr *)&address, sizeof address);
    CHECK_OK(connect(client->fd, (struct sockaddr *)&address, sizeof address));
    *server = (core_end){.fd = accept4(*listener_p, NULL, NULL, SOCK_CLOEXEC), .net = core_net_after(YOUNG_TURNS)};
    server->conn = cor_conn_accepted(server->net);
    CHECK(client->conn && server->conn && server->fd >= 0);
}

static void young_end(core_end *client, core_end *server, int listener)
{
    core_close(client);
    core_close(server);
    core_unlisten(listener);
    CHECK_EQUAL(0, core_left_behind(getpid()));
}

static uint64_t young_reason(const core_end *end, cor_net_why why)
{
    return atomic_load(&cor_net_get_counters(end->net)->reasons[why]);
}

/* Nothing is created before the connection is due, and nothing is lost when it moves. */
void core_young(void)
{
    core_end client, server;
    int listener;
    young_pair(&client, &server, &listener);
    for (int i = 0; i < YOUNG_TURNS; i++) {
        CHECK(!cor_conn_segment(client.conn) && !cor_conn_segment(server.conn));
        CHECK_EQUAL(0, core_left_behind(getpid()));
        core_hello(&client, &server);
    }
    for (int i = 0; i < 3; i++)
        core_hello(&client, &server);
    CHECK(cor_conn_is_switched(client.conn) && cor_conn_is_switched(server.conn));
    CHECK(cor_net_get_counters(client.net)->tcp_out >= YOUNG_TURNS);
    young_end(&client, &server, listener);
    young_pair(&client, &server, &listener);
    core_hello(&client, &server);
    cor_conn_ref(client.conn); /* so that its net is still there */
    core_unlisten(listener);
    close(client.fd);
    close(server.fd);
    cor_conn_unref(client.conn);
    cor_conn_unref(client.conn);
    cor_conn_unref(server.conn);
    CHECK_EQUAL(1, young_reason(&client, COR_NET_WHY_YOUNG));
    cor_net_destroy(client.net);
    cor_net_destroy(server.net);
}

/* Bytes went by a call that is not seen: then what is a bell, and what is data, could not be told. */
void core_young_unseen(void)
{
    for (int by_server = 0; by_server < 2; by_server++) {
        core_end client, server;
        int listener;
        char byte;
        young_pair(&client, &server, &listener);
        core_hello(&client, &server);
        CHECK_EQUAL(1, send(by_server ? server.fd : client.fd, "!", 1, 0));
        CHECK_EQUAL(1, core_read(by_server ? &client : &server, &byte, 1, 0));
        for (int i = 0; i < 3 * YOUNG_TURNS; i++)
            core_hello(&client, &server);
        CHECK(cor_conn_is_plain(by_server ? server.conn : client.conn));
        CHECK(!cor_conn_is_switched(client.conn) && !cor_conn_is_switched(server.conn));
        CHECK_EQUAL(1, young_reason(by_server ? &server : &client, COR_NET_WHY_UNSEEN));
        young_end(&client, &server, listener);
    }
}

/* Two processes have it: it stays where it is, until one of them has it alone. */
void core_young_forked(void)
{
    core_end client, server;
    int listener, over[2];
    char byte;
    young_pair(&client, &server, &listener);
    CHECK_OK(pipe(over));
    cor_net_before_fork(client.net);
    pid_t child = core_fork();
    cor_net_after_fork(client.net, child == 0);
    if (child == 0) {
        close(over[1]); /* it ends with its parent */
        CHECK_EQUAL(1, read(over[0], &byte, 1));
        cor_conn_closing(client.conn, client.fd, 0);
        cor_conn_unref(client.conn);
        _exit(0);
    }
    for (int i = 0; i < 3 * YOUNG_TURNS; i++)
        core_hello(&client, &server);
    CHECK(!cor_conn_segment(client.conn) && !cor_conn_is_plain(client.conn));
    CHECK_EQUAL(1, write(over[1], "o", 1));
    core_wait_child(child);
    for (int i = 0; i < 3 * YOUNG_TURNS; i++)
        core_hello(&client, &server);
    CHECK(cor_conn_is_switched(client.conn) && cor_conn_is_switched(server.conn));
    close(over[0]);
    close(over[1]);
    young_end(&client, &server, listener);
}

/* An offer that no server takes is withdrawn after a while. */
void core_young_untaken(void)
{
    core_end client, server;
    int listener;
    young_pair(&client, &server, &listener);
    cor_conn_unref(server.conn);
    server.conn = NULL; /* it is plain */
    for (int i = 0; i < 6 * YOUNG_TURNS; i++)
        core_hello(&client, &server);
    CHECK(!cor_conn_is_plain(client.conn));
    CHECK_EQUAL(1, core_left_behind(getpid()));
    for (int i = 0; i < 100; i++)
        core_hello(&client, &server);
    CHECK(cor_conn_is_plain(client.conn));
    CHECK_EQUAL(1, young_reason(&client, COR_NET_WHY_PEER));
    young_end(&client, &server, listener);
}

static void *young_serve(void *argument)
{
    core_exchange(argument, core_seed + 1, core_seed, CORE_YOUNG_STREAM, 0);
    return NULL;
}

/* A reader and a writer at each end, while the connection moves: every byte arrives, and no bell is taken for one. */
void core_young_streams(void)
{
    for (int round = 0; round < 30; round++) {
        core_end client, server;
        int listener;
        pthread_t thread;
        core_seed++;
        young_pair(&client, &server, &listener);
        CHECK_OK(pthread_create(&thread, NULL, young_serve, &server));
        core_exchange(&client, core_seed, core_seed + 1, CORE_YOUNG_STREAM, 0);
        pthread_join(thread, NULL);
        for (int i = 0; i < 20 * YOUNG_TURNS; i++) /* by then they have looked again */
            core_hello(&client, &server);
        CHECK(cor_conn_is_switched(client.conn) && cor_conn_is_switched(server.conn));
        young_end(&client, &server, listener);
    }
}
