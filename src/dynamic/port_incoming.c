/* SPDX-License-Identifier: Apache-2.0 */
/* The port's side of the protocol in port.h. */
#define _GNU_SOURCE
#include "base/clock.h"
#include "dynamic/port.h"
#include "mp/collective.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { INCOMING_POLL_MS = 2 };

/* ---- places ----------------------------------------------------------------------------------------------------- */

static void incoming_drop(dynamic_port *port, port_incoming *one)
{
    close(one->greeting.fd);
    one->greeting.fd = -1;
    port->incoming_count--;
}

/* Said once aloud. */
static void incoming_refuse(cor_rank *rank, dynamic_port *port, port_incoming *one, const char *why)
{
    const cor_log *log = cor_rank_log(rank);
    struct sockaddr_storage from = {0};
    socklen_t bytes = sizeof from;
    char text[PORT_WHERE_MAX];
    getpeername(one->greeting.fd, (struct sockaddr *)(void *)&from, &bytes);
    cor_place_print((const struct sockaddr *)(const void *)&from, text, sizeof text);
    if (port->strangers++ == 0)
        COR_LOG(log, WARN, "a port has dropped a connection from %s: %s; the next ones are dropped in silence", text,
                why);
    else
        COR_LOG(log, DEBUG, "a port has dropped a connection from %s: %s (%llu so far)", text, why,
                (unsigned long long)port->strangers);
    incoming_drop(port, one);
}

static int incoming_is_free(const port_incoming *one)
{
    return one->greeting.fd < 0;
}

/* One of those that are silent goes (rule 2). 0: there is none. */
static int incoming_make_room(cor_rank *rank, dynamic_port *port)
{
    port_incoming *oldest = NULL;
    for (int i = 0; i < PORT_INCOMINGS_MAX; i++) {
        port_incoming *one = &port->incoming[i];
        if (!incoming_is_free(one) && one->stage != PORT_PROVEN && (!oldest || one->moved_ns < oldest->moved_ns))
            oldest = one;
    }
    if (!oldest || cor_clock_ns() - oldest->moved_ns < PORT_SILENT_MS * 1000000ull)
        return 0;
    incoming_refuse(rank, port, oldest, "it was silent, and others wait");
    return 1;
}

static int incoming_has_callers(int listener)
{
    struct pollfd one = {.fd = listener, .events = POLLIN};
    return poll(&one, 1, 0) > 0;
}

/* ---- stages ----------------------------------------------------------------------------------------------------- */

static void incoming_on_hello(cor_rank *rank, dynamic_port *port, port_incoming *one)
{
    cor_greeting *greeting = &one->greeting;
    cor_hello theirs, ours = cor_hello_make(port->name.secret, 0, 0);
    cor_fault fault;
    int rc = cor_hello_decode(greeting->in, &theirs, &fault);
    if (rc == COR_OK)
        rc = cor_greeting_begin(greeting, port->name.secret, 0, 0, &fault);
    if (rc == COR_OK && cor_hello_check(&theirs, &ours, &fault) != COR_OK) {
        cor_greeting_write(greeting, greeting->ours, sizeof greeting->ours);
        rc = fault.code;
    }
    if (rc == COR_OK && (theirs.from != 0 || theirs.to != 0))
        rc = cor_fault_set(&fault, COR_ERR_PROTOCOL, "it looks for a rank");
    if (rc == COR_OK && !cor_greeting_answer(greeting, port->name.secret))
        rc = cor_fault_set(&fault, COR_ERR_PEER, "it went away");
    if (rc != COR_OK) {
        incoming_refuse(rank, port, one, fault.text);
        return;
    }
    one->stage = PORT_AWAITS_PROOF;
    one->moved_ns = cor_clock_ns();
}

static void incoming_on_proof(cor_rank *rank, dynamic_port *port, port_incoming *one)
{
    uint32_t number;
    if (!cor_greeting_check_proof(&one->greeting, port->name.secret, &number)) {
        incoming_refuse(rank, port, one, "it does not know the port's secret");
        return;
    }
    one->stage = PORT_PROVEN;
    one->turn = port->proofs++;
}

/* A proven caller says nothing until it is accepted, so what can be read is its end. */
static void incoming_look_after(dynamic_port *port, port_incoming *one)
{
    char byte;
    ssize_t got = recv(one->greeting.fd, &byte, 1, MSG_DONTWAIT | MSG_PEEK);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR))
        incoming_drop(port, one);
}

static void incoming_move(cor_rank *rank, dynamic_port *port, port_incoming *one)
{
    port_stage before = one->stage;
    if (before == PORT_PROVEN) {
        incoming_look_after(port, one);
        return;
    }
    int state = cor_greeting_read(&one->greeting, before == PORT_AWAITS_HELLO ? COR_HELLO_BYTES : COR_PROOF_BYTES);
    if (state < 0)
        incoming_drop(port, one); /* it went away: a caller that has given up, or a scan of ports */
    else if (state == 0 && cor_clock_ns() - one->moved_ns > PORT_GREETING_S * 1000000000ull)
        incoming_refuse(rank, port, one, "it did not prove its identity in time");
    else if (state > 0 && before == PORT_AWAITS_HELLO)
        incoming_on_hello(rank, port, one);
    else if (state > 0)
        incoming_on_proof(rank, port, one);
    /* Often the next message is there already. */
    if (!incoming_is_free(one) && one->stage != before)
        incoming_move(rank, port, one);
}

/* ---- all of them ------------------------------------------------------------------------------------------------ */

static void incoming_enter(cor_rank *rank, dynamic_port *port, int fd)
{
    port_incoming *one = port->incoming;
    while (!incoming_is_free(one))
        one++;
    port_keep(rank, fd);
    *one = (port_incoming){.greeting = {.fd = fd, .role = COR_HELLO_ANSWERER}, .moved_ns = cor_clock_ns()};
    port->incoming_count++;
    incoming_move(rank, port, one);
}

/* Take what the kernel has, as far as there are places and descriptors. With neither, and nothing under way that could
 * free one, no connection can ever be accepted. */
static int incoming_take(cor_rank *rank, dynamic_port *port, int listener, cor_fault *fault)
{
    for (int i = 0; i < PORT_INCOMINGS_MAX && incoming_has_callers(listener); i++) {
        if (port->incoming_count == PORT_INCOMINGS_MAX && !incoming_make_room(rank, port))
            return COR_OK;
        int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC), error = errno;
        if (fd >= 0) {
            incoming_enter(rank, port, fd);
        } else if (error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM) {
            if (port->incoming_count == 0)
                return cor_fault_set(fault, COR_ERR_SYSTEM, "a connection cannot be accepted: %s", strerror(error));
            if (!incoming_make_room(rank, port))
                return COR_OK;
        }
    }
    return COR_OK;
}

/* The connection of the caller that has proved itself first; the others stay. NULL: there is none, or no memory. */
static dynamic_bridge *incoming_first(dynamic_port *port)
{
    uint8_t key[COR_SHA256_BYTES];
    port_incoming *first = NULL;
    for (int i = 0; i < PORT_INCOMINGS_MAX; i++) {
        port_incoming *one = &port->incoming[i];
        if (!incoming_is_free(one) && one->stage == PORT_PROVEN && (!first || one->turn < first->turn))
            first = one;
    }
    if (!first)
        return NULL;
    cor_greeting_key(&first->greeting, port->name.secret, key);
    dynamic_bridge *bridge = bridge_create(first->greeting.fd, key, 0);
    if (bridge) {
        first->greeting.fd = -1;
        port->incoming_count--;
    }
    return bridge;
}

int port_incoming_turn(cor_rank *rank, dynamic_port *port, dynamic_bridge **bridge_p, cor_fault *fault)
{
    static const char welcome = PORT_WELCOME;
    dynamic_bridge *bridge = NULL;
    int rc = COR_OK;
    pthread_mutex_lock(&port->mutex);
    for (int i = 0; i < PORT_INCOMINGS_MAX; i++)
        if (!incoming_is_free(&port->incoming[i]))
            incoming_move(rank, port, &port->incoming[i]);
    for (int i = 0; rc == COR_OK && !port->is_closed && i < port->name.count; i++)
        rc = incoming_take(rank, port, port->listeners[i], fault);
    if (port->is_closed)
        rc = cor_fault_set(fault, COR_ERR_PORT, "the port was closed while a thread waited for a caller");
    if (rc == COR_OK)
        bridge = incoming_first(port);
    pthread_mutex_unlock(&port->mutex);
    if (!bridge)
        return rc;
    if (bridge_send(rank, bridge, &welcome, sizeof welcome, NULL) != COR_OK) {
        bridge_destroy(bridge); /* it has just disconnected */
        return 0;
    }
    *bridge_p = bridge;
    return 1;
}

/* Without a place for one more the queue of the kernel is no event. */
void port_incoming_wait(dynamic_port *port)
{
    struct pollfd fds[PORT_PLACES_MAX + PORT_INCOMINGS_MAX];
    nfds_t count = 0;
    pthread_mutex_lock(&port->mutex);
    for (int i = 0; !port->is_closed && port->incoming_count < PORT_INCOMINGS_MAX && i < port->name.count; i++)
        fds[count++] = (struct pollfd){.fd = port->listeners[i], .events = POLLIN};
    for (int i = 0; i < PORT_INCOMINGS_MAX; i++)
        if (!incoming_is_free(&port->incoming[i]))
            fds[count++] = (struct pollfd){.fd = port->incoming[i].greeting.fd, .events = POLLIN};
    pthread_mutex_unlock(&port->mutex);
    poll(fds, count, INCOMING_POLL_MS);
}

void port_incoming_close(dynamic_port *port)
{
    pthread_mutex_lock(&port->mutex);
    port->is_closed = 1;
    for (int i = 0; i < port->name.count; i++)
        close(port->listeners[i]);
    for (int i = 0; i < PORT_INCOMINGS_MAX; i++)
        if (!incoming_is_free(&port->incoming[i]))
            incoming_drop(port, &port->incoming[i]);
    pthread_mutex_unlock(&port->mutex);
}
