/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of one process that share its fast sockets. */
#define _GNU_SOURCE
#include "core.h"

#include "base/futex.h"
#include "check.h"
#include "net/net_sys.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- offers ------------------------------------------------------------------------------------------------------ */

enum { OFFER_CLIENTS = 8, OFFER_CONNECTIONS = 1500 };

typedef struct threads_offer {
    cor_net *net;
    struct sockaddr_in address;
    int listener;
} threads_offer;

static void *threads_accept(void *argument)
{
    const threads_offer *shared = argument;
    for (;;) {
        int fd = accept(shared->listener, NULL, NULL);
        if (fd < 0) /* it was shut down */
            return NULL;
        cor_conn *conn = cor_conn_accepted(shared->net);
        if (conn)
            cor_conn_unref(conn);
        close(fd);
    }
}

static void *threads_offer_run(void *argument)
{
    const threads_offer *shared = argument;
    const struct linger reset = {1, 0};
    for (int i = 0; i < OFFER_CONNECTIONS; i++) {
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        const struct sockaddr *to = (const struct sockaddr *)&shared->address;
        cor_conn *conn = cor_conn_connecting(shared->net, to, sizeof shared->address);
        CHECK_OK(connect(fd, to, sizeof shared->address));
        CHECK_OK(setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset)); /* no port is kept from others */
        if (conn)
            cor_conn_unref(conn);
        close(fd);
    }
    return NULL;
}

/* Threads offer connections and close them, so that each takes up what another has just let go. */
void core_offers(void)
{
    threads_offer shared = {.net = core_net()};
    pthread_t clients[OFFER_CLIENTS], server;
    shared.listener = core_listen(&shared.address);
    CHECK_OK(listen(shared.listener, SOMAXCONN));
    CHECK_OK(pthread_create(&server, NULL, threads_accept, &shared));
    for (int i = 0; i < OFFER_CLIENTS; i++)
        CHECK_OK(pthread_create(&clients[i], NULL, threads_offer_run, &shared));
    for (int i = 0; i < OFFER_CLIENTS; i++)
        pthread_join(clients[i], NULL);
    CHECK_OK(shutdown(shared.listener, SHUT_RD));
    pthread_join(server, NULL);
    cor_net_destroy(shared.net);
    core_unlisten(shared.listener);
    CHECK_EQUAL(0, core_left_behind(getpid()));
}

/* ---- the way back beside sleepers -------------------------------------------------------------------------------- */

/* One thread takes the mark, and the bytes after it, for another, which is about to sleep for them: they are there. */
void core_withdraws_before_sleep(void)
{
    struct sockaddr_in address;
    int listener = core_listen(&address), limit_ms = -1;
    core_end client = core_connect(&address, 1), server = core_accept(listener, 1);
    char bytes[8];
    core_hello(&client, &server);
    CHECK_EQUAL(-1, cor_conn_withdraw(client.conn, client.fd, 20));
    CHECK_EQUAL(5, core_write(&client, "hello", 5, 0));
    cor_conn_take_bells(server.conn, server.fd, 0);
    cor_conn_ready(server.conn, server.fd, 0); /* and is on TCP by now */
    struct pollfd one = {server.fd, POLLIN, 0};
    CHECK_EQUAL(0, cor_conn_sleep_begin(server.conn, &one, &limit_ms));
    cor_conn_sleep_end(server.conn, server.fd, 0);
    CHECK_EQUAL(5, core_read(&server, bytes, sizeof bytes, 0));
    core_close(&client);
    core_close(&server);
    core_unlisten(listener);
}

/* ---- cancellation ------------------------------------------------------------------------------------------------ */

typedef struct threads_cancelled {
    core_end client, server;
    struct sockaddr_in address;
    int listener;
} threads_cancelled;

/* A cancellation is pending all the time. */
static void *threads_begin_cancelled(void *argument)
{
    threads_cancelled *shared = argument;
    const struct sockaddr *to = (const struct sockaddr *)&shared->address;
    pthread_cancel(pthread_self());
    shared->client.conn = cor_conn_connecting(shared->client.net, to, sizeof shared->address);
    net_sys_connect(shared->client.fd, to, sizeof shared->address);
    shared->server.fd = net_sys_accept(shared->listener, SOCK_CLOEXEC);
    shared->server.conn = cor_conn_accepted(shared->server.net);
    cor_conn_ready(shared->server.conn, shared->server.fd, 1);
    cor_conn_closing(shared->server.conn, shared->server.fd, 0);
    return NULL;
}

/* A thread that is being cancelled is not when it has a socket in its hand: accept and connect act on that before, or
 * in the kernel. */
void core_cancel_later(void)
{
    threads_cancelled shared = {.client = {.net = core_net()}, .server = {.net = core_net()}};
    pthread_t thread;
    void *how;
    shared.listener = core_listen(&shared.address);
    shared.client.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK_OK(pthread_create(&thread, NULL, threads_begin_cancelled, &shared));
    CHECK_OK(pthread_join(thread, &how));
    CHECK(how == NULL);
    core_hello(&shared.client, &shared.server);
    core_close(&shared.client);
    core_close(&shared.server);
    core_unlisten(shared.listener);
}

/* ---- the futex --------------------------------------------------------------------------------------------------- */

static void *threads_read_one(void *end)
{
    char byte;
    CHECK_EQUAL(1, core_read(end, &byte, 1, 0));
    return NULL;
}

static void *threads_read_end(void *end)
{
    char byte;
    CHECK_EQUAL(0, core_read(end, &byte, 1, 0));
    return NULL;
}

/* A thread that sleeps in a read is woken without a bell where there is such a wait, and by a bell where the read has a
 * time-out. */
void core_futex(void)
{
    struct sockaddr_in address;
    pthread_t reader;
    int listener = core_listen(&address), can_wait = cor_futex_can_wait_as_call();
    core_end client = core_connect(&address, 1), server = core_accept(listener, 1);
    const cor_net_counters *counters = cor_net_get_counters(client.net);
    core_hello(&client, &server);
    for (int has_limit = 0; has_limit < 2; has_limit++) {
        cor_conn_set_receive_limit(server.conn, has_limit);
        CHECK_OK(pthread_create(&reader, NULL, threads_read_one, &server));
        check_asleep(getpid());
        uint64_t wakes = counters->wakes, bells = counters->bells;
        CHECK_EQUAL(1, core_write(&client, "x", 1, 0));
        pthread_join(reader, NULL);
        CHECK_EQUAL((uint64_t)(can_wait && !has_limit), counters->wakes - wakes);
        CHECK(counters->bells - bells == 1 || (can_wait && !has_limit));
    }
    core_close(&server);
    core_close(&client);
    core_unlisten(listener);
}

/* It is woken, too, by an end of either side's making. */
void core_futex_ends(void)
{
    for (int way = 0; way < 2; way++) {
        struct sockaddr_in address;
        pthread_t reader;
        int listener = core_listen(&address);
        setenv("CORUNNA_NET_FUTEX_MS", "1000", 1);
        core_end client = core_connect(&address, 1), server = core_accept(listener, 1);
        unsetenv("CORUNNA_NET_FUTEX_MS");
        const cor_net_counters *counters = cor_net_get_counters(client.net),
                               *others = cor_net_get_counters(server.net);
        core_hello(&client, &server);
        uint64_t before = counters->wakes + others->wakes;
        CHECK_OK(pthread_create(&reader, NULL, threads_read_end, &server));
        check_asleep(getpid());
        if (way == 0)
            CHECK_OK(cor_conn_shutdown(client.conn, client.fd, SHUT_WR));
        else
            CHECK_OK(cor_conn_shutdown(server.conn, server.fd, SHUT_RD));
        pthread_join(reader, NULL);
        if (cor_futex_can_wait_as_call())
            CHECK(counters->wakes + others->wakes > before);
        core_close(&server);
        core_close(&client);
        core_unlisten(listener);
    }
}
