/* SPDX-License-Identifier: Apache-2.0 */
/* The caller's side of the protocol in port.h. */
#define _GNU_SOURCE
#include "base/clock.h"
#include "dynamic/dynamic_state.h"
#include "dynamic/port.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* How an attempt has ended. Of several addresses the highest counts. */
typedef enum call_outcome {
    CALL_AWAY,    /* no process there, or another program */
    CALL_SILENT,  /* connected, and no answer */
    CALL_DROPPED, /* a process there that closed the connection */
    CALL_OVER,    /* to try again would not help */
    CALL_TAKEN,   /* accepted */
} call_outcome;

typedef struct port_call {
    cor_rank *rank;
    const port_name *name;
    uint64_t limit_ns; /* of it all */
    cor_greeting greeting;
    char why[sizeof((cor_fault *)0)->text]; /* of an attempt that failed */
    dynamic_bridge *bridge;
} port_call;

static call_outcome call_end(port_call *call, call_outcome outcome, const char *why)
{
    snprintf(call->why, sizeof call->why, "%s", why);
    return outcome;
}

/* As bridge_wait, also over when MPI_Finalize has begun. */
static int call_wait(port_call *call, int fd, int is_writing, uint64_t limit_ns)
{
    enum { LOOK_NS = 20000000 };
    while (dynamic_goes_on(call->rank)) {
        uint64_t look_ns = cor_clock_ns() + LOOK_NS;
        if (bridge_wait(call->rank, fd, is_writing, look_ns < limit_ns ? look_ns : limit_ns))
            return 1;
        if (cor_clock_ns() > limit_ns)
            return 0;
    }
    return 0;
}

/* ---- one attempt ------------------------------------------------------------------------------------------------ */

static uint64_t call_sooner(uint64_t limit_ns, int seconds)
{
    uint64_t other_ns = bridge_limit(seconds);
    return limit_ns < other_ns ? limit_ns : other_ns;
}

/* CONNECTING: 0, or why not. */
static int call_connect(port_call *call, const cor_place *place)
{
    int fd = call->greeting.fd, error = 0;
    socklen_t bytes = sizeof error;
    port_keep(call->rank, fd);
    if (connect(fd, &place->socket.any, cor_place_bytes(place)) == 0)
        return 0;
    if (errno != EINPROGRESS)
        return errno;
    if (!call_wait(call, fd, 1, call_sooner(call->limit_ns, PORT_ADDRESS_S)))
        return ETIMEDOUT;
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &bytes) == 0 ? error : errno;
}

/* AWAITS_ANSWER */
static call_outcome call_greet(port_call *call, uint64_t limit_ns)
{
    cor_greeting *greeting = &call->greeting;
    const uint8_t *secret = call->name->secret;
    cor_fault fault;
    int state;
    if (cor_greeting_begin(greeting, secret, 0, 0, &fault) != COR_OK)
        return call_end(call, CALL_OVER, fault.text);
    if (!cor_greeting_write(greeting, greeting->ours, sizeof greeting->ours))
        return call_end(call, CALL_DROPPED, strerror(errno));
    while ((state = cor_greeting_read(greeting, COR_ANSWER_BYTES)) == 0)
        if (!call_wait(call, greeting->fd, 0, limit_ns))
            return call_end(call, CALL_SILENT, "no answer in time: its process calls no accept");
    /* A port that cannot talk with us says what it is and goes. */
    if (state < 0 && greeting->filled < COR_HELLO_BYTES)
        return call_end(call, CALL_DROPPED, "it closed the connection, or what was sent was changed on its way");
    if (cor_greeting_check_answer(greeting, secret, &fault) != COR_OK)
        return call_end(call, CALL_AWAY, fault.text);
    if (state < 0 || !cor_greeting_prove(greeting, secret, 0))
        return call_end(call, CALL_DROPPED, "it closed the connection, or what was sent was changed on its way");
    return CALL_TAKEN;
}

/* AWAITS_WELCOME, however long the other side needs to accept. */
static call_outcome call_await_welcome(port_call *call)
{
    uint8_t key[COR_SHA256_BYTES], welcome = 0, next;
    cor_fault fault;
    int fd = call->greeting.fd;
    if (!call_wait(call, fd, 0, call->limit_ns))
        return call_end(call, CALL_OVER, "its process calls no further accept");
    if (recv(fd, &next, 1, MSG_DONTWAIT | MSG_PEEK) <= 0)
        return call_end(call, CALL_DROPPED, "it closed the connection, or what was sent was changed on its way");
    cor_greeting_key(&call->greeting, call->name->secret, key);
    call->bridge = bridge_create(fd, key, 1);
    if (!call->bridge)
        return call_end(call, CALL_OVER, "no memory");
    call->greeting.fd = -1;
    int rc = bridge_receive(call->rank, call->bridge, &welcome, sizeof welcome, &fault);
    if (rc == COR_OK && welcome == PORT_WELCOME)
        return CALL_TAKEN;
    bridge_destroy(call->bridge);
    call->bridge = NULL;
    return call_end(call, CALL_OVER, rc == COR_OK ? "it does not welcome callers" : fault.text);
}

static call_outcome call_place(port_call *call, const cor_place *place, uint64_t limit_ns)
{
    call->greeting = (cor_greeting){.role = COR_HELLO_CALLER};
    call->greeting.fd = socket(place->socket.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (call->greeting.fd < 0)
        return call_end(call, errno == EAFNOSUPPORT ? CALL_AWAY : CALL_OVER, strerror(errno));
    int error = call_connect(call, place);
    call_outcome outcome;
    if (error == ECONNREFUSED)
        outcome = call_end(call, CALL_AWAY, "it was closed, or its process has ended: connection refused");
    else if (error)
        outcome = call_end(call, CALL_AWAY, strerror(error));
    else
        outcome = call_greet(call, limit_ns);
    if (outcome == CALL_TAKEN)
        outcome = call_await_welcome(call);
    if (call->greeting.fd >= 0)
        close(call->greeting.fd);
    return outcome;
}

/* ---- all of them ------------------------------------------------------------------------------------------------ */

/* Let messages move for so long. */
static void call_pause(cor_rank *rank, int ms)
{
    uint64_t end_ns = cor_clock_ns() + (uint64_t)ms * 1000000;
    while (cor_clock_ns() < end_ns) {
        cor_rank_step(rank);
        poll(NULL, 0, 2);
    }
}

/* One after the other; if there are several, each has at most `seconds`. */
static call_outcome call_places(port_call *call, int seconds)
{
    char why[sizeof call->why] = "";
    call_outcome outcome = CALL_AWAY;
    for (int i = 0; i < call->name->count && outcome < CALL_OVER; i++) {
        uint64_t limit_ns = call->name->count == 1 ? call->limit_ns : call_sooner(call->limit_ns, seconds);
        call_outcome one = call_place(call, &call->name->places[i], limit_ns);
        if (i == 0 || one > outcome)
            memcpy(why, call->why, sizeof why);
        outcome = one > outcome ? one : outcome;
    }
    return call_end(call, outcome, why);
}

static call_outcome call_until_taken(port_call *call)
{
    int drops = 0;
    for (int seconds = PORT_ADDRESS_S;; seconds *= 2) {
        call_outcome outcome = call_places(call, seconds);
        int is_late = cor_clock_ns() > call->limit_ns || !dynamic_goes_on(call->rank);
        if (outcome == CALL_DROPPED && !is_late && ++drops < PORT_TRIES)
            call_pause(call->rank, PORT_PAUSE_MS << drops);
        else if (outcome != CALL_SILENT || is_late)
            return outcome;
    }
}

int port_connect(cor_rank *rank, const char *text, dynamic_bridge **bridge_p)
{
    char where[PORT_WHERE_MAX];
    port_name name;
    port_call call = {.rank = rank, .name = &name, .limit_ns = bridge_limit(PORT_CONNECT_S)};
    port_name_describe(text, where);
    if (!port_name_parse(text, &name))
        return dynamic_fail(rank, COR_ERR_PORT, "%s is not the name of a port", where);
    if (call_until_taken(&call) != CALL_TAKEN && !dynamic_goes_on(rank))
        return COR_ERR_FINALIZED;
    if (!call.bridge)
        return dynamic_fail(rank, COR_ERR_PORT, "no connection with the port at %s: %s", where, call.why);
    *bridge_p = call.bridge;
    return COR_OK;
}
