/* SPDX-License-Identifier: Apache-2.0 */
/* Calling a peer: one address after the other, and the caller's part of the greeting. */
#include "xxdev/soft/tcp/tcp_state.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    CALL_FIRST_PAUSE_MS = 100, /* before trying again; doubled each time */
    CALL_LAST_PAUSE_MS = 1000,
    CALL_PROMPT_MS = 500, /* a good address answers sooner */
};

int tcp_call_take(tcp_wire *wire, tcp_link *link)
{
    int fd = link->call.base.fd;
    wire->call_count -= fd >= 0;
    link->call.base.fd = -1;
    return fd;
}

void tcp_call_drop(tcp_wire *wire, tcp_link *link)
{
    int fd = tcp_call_take(wire, link);
    if (fd >= 0)
        close(fd);
}

/* The other side shall see that it was one of ours. */
void tcp_call_give_up(tcp_wire *wire, tcp_link *link)
{
    if (link->call.base.fd >= 0 && link->call.stage == TCP_CONNECTING &&
        cor_greeting_begin(&link->call.base, wire->secret, wire->options.rank, link->rank, NULL) == COR_OK)
        cor_greeting_write(&link->call.base, link->call.base.ours, COR_HELLO_BYTES);
    tcp_call_drop(wire, link);
}

/* Of a peer that was connected one address may have gone for good, so none of several takes up the time of all. */
static uint64_t call_limit_ns(const tcp_link *link)
{
    if (!link->has_been_open)
        return TCP_CALL_S * 1000000000ull;
    uint64_t limit_ms = TCP_CALL_AGAIN_S * 1000ull / (uint64_t)link->address.place_count;
    return (limit_ms > CALL_PROMPT_MS ? limit_ms : CALL_PROMPT_MS) * 1000000;
}

int tcp_call_is_stuck(const tcp_link *link)
{
    uint64_t begun_ns = link->call.deadline_ns - call_limit_ns(link);
    return link->call.stage == TCP_CONNECTING && cor_clock_ns() - begun_ns > CALL_PROMPT_MS * 1000000ull;
}

/* It did not work out: later again, elsewhere. `error` is an errno, or 0. */
static void call_failed(tcp_wire *wire, tcp_link *link, int error, const char *why)
{
    char where[80];
    cor_place_print(&link->address.places[link->place].socket.any, where, sizeof where);
    cor_fault_set(&link->fault, COR_ERR_PEER, "%s: %s", where, why);
    COR_LOG(wire->options.log, DEBUG, "tcp: call to rank %d at %s: %s", link->rank, where, why);
    int was_taken = link->call.base.fd >= 0 && link->call.stage != TCP_CONNECTING, is_refused = error == ECONNREFUSED;
    if (was_taken) {
        tcp_clock_taken(&link->clock);
        tcp_link_heard(wire, link, tcp_socket_silence_ns(link->call.base.fd));
    }
    /* Of several addresses one may be that of another host, as of a bridge that all hosts have, while the right one is
     * silent. */
    link->refused_places = is_refused ? link->refused_places + 1 : 0;
    if (is_refused && !was_taken && (link->is_place_sure || link->refused_places >= link->address.place_count))
        tcp_clock_refused(&link->clock);
    tcp_call_drop(wire, link);
    link->state = TCP_BROKEN;
    if ((was_taken || is_refused) && tcp_link_inquire(wire, link))
        return;
    /* An address that has worked is the right one, until nothing answers there: its network may be gone. A refusal is
     * an answer. */
    if (error != 0 && !is_refused)
        link->is_place_sure = 0;
    uint64_t pause = CALL_FIRST_PAUSE_MS;
    if (!link->is_place_sure) {
        link->place = (link->place + 1) % link->address.place_count;
        if (link->place != 0)
            pause = 0;
    }
    for (int i = 0; pause && i < link->tries && pause < CALL_LAST_PAUSE_MS; i++)
        pause *= 2;
    link->tries++;
    link->retry_ns = cor_clock_ns() + pause * 1000000;
    tcp_timer(wire, link->retry_ns);
}

static void call_established(tcp_wire *wire, tcp_link *link)
{
    cor_fault fault;
    link->call.stage = TCP_AWAITS_HELLO;
    link->call.base.filled = 0;
    if (cor_greeting_begin(&link->call.base, wire->secret, wire->options.rank, link->rank, &fault) != COR_OK)
        call_failed(wire, link, 0, fault.text);
    else if (!cor_greeting_write(&link->call.base, link->call.base.ours, COR_HELLO_BYTES))
        call_failed(wire, link, errno, strerror(errno));
    else if (tcp_watch(wire, link->call.base.fd, TCP_AT_CALL, link->rank, 0, 0) != 0)
        call_failed(wire, link, 0, strerror(errno));
}

void tcp_call(tcp_wire *wire, tcp_link *link, uint64_t now)
{
    const cor_place *place = &link->address.places[link->place];
    link->state = TCP_CALLING;
    link->call = (tcp_greeting){.base.fd = -1, .stage = TCP_CONNECTING, .peer = link->rank};
    link->call.deadline_ns = now + call_limit_ns(link);
    int fd = socket(place->socket.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0 && errno == EMFILE) {
        tcp_link_lose_room(wire, link);
        return;
    }
    if (fd < 0) {
        call_failed(wire, link, 0, strerror(errno));
        return;
    }
    link->call.base.fd = fd;
    wire->call_count++;
    tcp_socket_tune(wire, fd);
    int is_there = connect(fd, &place->socket.any, cor_place_bytes(place)) == 0;
    if (!is_there && errno != EINPROGRESS)
        call_failed(wire, link, errno, strerror(errno));
    else if (tcp_watch(wire, fd, TCP_AT_CALL, link->rank, 1, 1) != 0)
        call_failed(wire, link, 0, strerror(errno));
    else if (is_there)
        call_established(wire, link);
    else
        tcp_timer(wire, link->call.deadline_ns);
}

/* ---- stages ----------------------------------------------------------------------------------------------------- */

static void call_on_answer(tcp_wire *wire, tcp_link *link)
{
    cor_fault fault;
    if (cor_greeting_check_answer(&link->call.base, wire->secret, &fault) != COR_OK)
        call_failed(wire, link, 0, fault.text);
    else if (!cor_greeting_prove(&link->call.base, wire->secret, link->in.received))
        call_failed(wire, link, errno, strerror(errno));
    else
        link->call.stage = TCP_AWAITS_WELCOME;
}

static void call_on_welcome(tcp_wire *wire, tcp_link *link)
{
    cor_hello_verdict verdict;
    uint32_t received;
    cor_fault fault;
    if (cor_welcome_decode(link->call.base.in, &verdict, &received, &fault) != COR_OK) {
        call_failed(wire, link, 0, fault.text);
    } else if (verdict == COR_HELLO_GIVEN_UP) {
        tcp_link_lose(wire, link, "it has given this rank up: there was no connection for too long");
    } else if (verdict == COR_HELLO_MINE_INSTEAD) {
        /* Its own call is on its way. Should that come to nothing, we call again. */
        call_failed(wire, link, 0, "it calls at the same time");
    } else {
        int fd = tcp_call_take(wire, link);
        tcp_link_open(wire, link, fd, received, 1);
    }
}

int tcp_call_turn(tcp_wire *wire, tcp_link *link)
{
    if (link->call.base.fd < 0)
        return 0;
    if (link->call.stage == TCP_CONNECTING) {
        int error = 0;
        socklen_t bytes = sizeof error;
        struct sockaddr_storage peer;
        socklen_t peer_bytes = sizeof peer;
        getsockopt(link->call.base.fd, SOL_SOCKET, SO_ERROR, &error, &bytes);
        if (error)
            call_failed(wire, link, error, strerror(error));
        else if (getpeername(link->call.base.fd, (struct sockaddr *)(void *)&peer, &peer_bytes) == 0)
            call_established(wire, link);
        return 1;
    }
    size_t bytes = link->call.stage == TCP_AWAITS_HELLO ? COR_ANSWER_BYTES : COR_WELCOME_BYTES;
    int state = cor_greeting_read(&link->call.base, bytes);
    if (state < 0) {
        cor_hello theirs, ours = cor_hello_make(wire->secret, wire->options.rank, link->rank);
        cor_fault fault = {.text = "it closed the connection before it was agreed on"};
        /* A side that cannot talk with us says what it is and goes. */
        if (link->call.stage == TCP_AWAITS_HELLO && link->call.base.filled >= COR_HELLO_BYTES &&
            cor_hello_decode(link->call.base.in, &theirs, &fault) == COR_OK)
            cor_hello_check(&theirs, &ours, &fault);
        call_failed(wire, link, 0, fault.text);
    }
    if (state <= 0)
        return state < 0;
    if (link->call.stage == TCP_AWAITS_HELLO)
        call_on_answer(wire, link);
    else
        call_on_welcome(wire, link);
    return 1;
}

/* An address that does not answer at all. Once there is a connection the other program may take its time. */
void tcp_call_time(tcp_wire *wire, tcp_link *link, uint64_t now)
{
    if (link->call.base.fd < 0 || link->call.stage != TCP_CONNECTING)
        return;
    if (link->call.deadline_ns <= now)
        call_failed(wire, link, ETIMEDOUT, "no answer");
    else
        tcp_timer(wire, link->call.deadline_ns);
}
