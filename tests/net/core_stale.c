/* SPDX-License-Identifier: Apache-2.0 */
/* Offers that outlive their connection. */
#define _GNU_SOURCE
#include "core.h"

#include "check.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

/* An offer whose connection was reset, while its client holds the descriptor and makes no call. Then the same addresses
 * and ports are another connection, of a plain client: its server must not take the offer. 0: another program of this
 * host has got the port meanwhile. */
static int stale_offer(void)
{
    const struct linger abort = {1, 0};
    struct sockaddr_in address, from;
    socklen_t length = sizeof from;
    int on = 1, listener = core_listen(&address);
    core_end client = {.net = core_net(), .fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    core_end other = {.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    CHECK_OK(setsockopt(client.fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on));
    CHECK_OK(setsockopt(other.fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on));
    client.conn = cor_conn_connecting(client.net, (struct sockaddr *)&address, sizeof address);
    CHECK_OK(connect(client.fd, (struct sockaddr *)&address, sizeof address));
    CHECK_OK(getsockname(client.fd, (struct sockaddr *)&from, &length));
    cor_conn_look_due(client.conn, client.fd);
    CHECK_EQUAL(1, core_left_behind(getpid()));
    core_end gone = core_accept(listener, 0);
    CHECK_OK(setsockopt(gone.fd, SOL_SOCKET, SO_LINGER, &abort, sizeof abort));
    core_close(&gone);
    CHECK_EQUAL(1, poll(&(struct pollfd){client.fd, 0, 0}, 1, CORE_LONG_MS)); /* the reset has come */
    int has_port = bind(other.fd, (struct sockaddr *)&from, sizeof from) == 0;
    CHECK(has_port || errno == EADDRINUSE);
    if (has_port) {
        CHECK_OK(connect(other.fd, (struct sockaddr *)&address, sizeof address));
        core_end server = core_accept(listener, 1);
        CHECK(cor_conn_segment(server.conn) == NULL);
        core_hello(&other, &server);
        core_close(&server);
    }
    core_close(&other);
    core_close(&client);
    core_unlisten(listener);
    return has_port;
}

void core_stale(void)
{
    int tries = 1;
    while (!stale_offer())
        CHECK(++tries < 20);
}
