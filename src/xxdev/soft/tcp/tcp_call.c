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
    int fd = link->call.fd;
    wire->call_count -= fd >= 0;
    link->call.fd = -1;
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
    if (link->call.fd >= 0 && link->call.stage == TCP_CONNECTING &&
        tcp_greeting_hello(wire, &link->call, NULL) == COR_OK)
        tcp_greeting_write(&link->call, link->call.ours, TCP_HELLO_BYTES);
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
    tcp_place_print(&link->address.places[link->place].socket.any, where, sizeof where);
    cor_fault_set(&link->fault, COR_ERR_PEER, "%s: %s", where, why);
    COR_LOG(wire->options.log, DEBUG, "tcp: call to rank %d at %s: %s", link->rank, where, why);
    int was_taken = link->call.fd >= 0 && link->call.stage != TCP_CONNECTING, is_refused = error == ECONNREFUSED;
    if (was_taken) {
        tcp_clock_taken(&link->clock);
        tcp_link_heard(wire, link, tcp_socket_silence_ns(link->call.fd));
    } else if (is_refused) {
        tcp_clock_refused(&link->clock);
    }
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
    link->call.filled = 0;
    if (tcp_greeting_hello(wire, &link->call, &fault) != COR_OK)
        call_failed(wire, link, 0, fault.text);
    else if (!tcp_greeting_write(&link->call, link->call.ours, TCP_HELLO_BYTES))
        call_failed(wire, link, errno, strerror(errno));
    else if (tcp_watch(wire, link->call.fd, TCP_AT_CALL, link->rank, 0, 0) != 0)
        call_failed(wire, link, 0, strerror(errno));
}

void tcp_call(tcp_wire *wire, tcp_link *link, uint64_t now)
{
    const tcp_place *place = &link->address.places[link->place];
    link->state = TCP_CALLING;
    link->call = (tcp_greeting){.fd = -1, .stage = TCP_CONNECTING, .peer = link->rank};
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
    link->call.fd = fd;
    wire->call_count++;
    tcp_socket_tune(wire, fd);
    int is_there = connect(fd, &place->socket.any, tcp_place_bytes(place)) == 0;
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
    tcp_greeting *call = &link->call;
    tcp_hello theirs, ours = tcp_hello_make(wire->secret, wire->options.rank, link->rank);
    uint8_t mac[COR_SHA256_BYTES], proof[TCP_PROOF_BYTES] = {0};
    cor_fault fault;
    int rc = tcp_hello_decode(call->in, &theirs, &fault);
    if (rc == COR_OK)
        rc = tcp_hello_check(&theirs, &ours, &fault);
    if (rc == COR_OK && (theirs.from != ours.to || theirs.to != ours.from))
        rc = cor_fault_set(&fault, COR_ERR_PROTOCOL, "rank %u answers", theirs.from);
    memcpy(call->theirs, call->in, TCP_HELLO_BYTES);
    tcp_prove(wire->secret, TCP_ANSWERER, call->ours, call->theirs, 0, mac);
    if (rc == COR_OK && !cor_bytes_are_equal(mac, call->in + TCP_HELLO_BYTES, sizeof mac))
        rc = cor_fault_set(&fault, COR_ERR_PROTOCOL, "it does not know the secret of this job");
    if (rc != COR_OK) {
        call_failed(wire, link, 0, fault.text);
        return;
    }
    tcp_prove(wire->secret, TCP_CALLER, call->ours, call->theirs, link->in.received, proof);
    tcp_put32(proof + COR_SHA256_BYTES, link->in.received);
    if (!tcp_greeting_write(call, proof, sizeof proof))
        call_failed(wire, link, errno, strerror(errno));
    else
        call->stage = TCP_AWAITS_WELCOME;
}

static void call_on_welcome(tcp_wire *wire, tcp_link *link)
{
    tcp_verdict verdict;
    uint32_t received;
    cor_fault fault;
    if (tcp_welcome_decode(link->call.in, &verdict, &received, &fault) != COR_OK) {
        call_failed(wire, link, 0, fault.text);
    } else if (verdict == TCP_GIVEN_UP) {
        tcp_link_lose(wire, link, "it has given this rank up: there was no connection for too long");
    } else if (verdict == TCP_MINE_INSTEAD) {
        /* Its own call is on its way. Should that come to nothing, we call again. */
        call_failed(wire, link, 0, "it calls at the same time");
    } else {
        int fd = tcp_call_take(wire, link);
        tcp_link_open(wire, link, fd, received, 1);
    }
}

int tcp_call_turn(tcp_wire *wire, tcp_link *link)
{
    if (link->call.fd < 0)
        return 0;
    if (link->call.stage == TCP_CONNECTING) {
        int error = 0;
        socklen_t bytes = sizeof error;
        struct sockaddr_storage peer;
        socklen_t peer_bytes = sizeof peer;
        getsockopt(link->call.fd, SOL_SOCKET, SO_ERROR, &error, &bytes);
        if (error)
            call_failed(wire, link, error, strerror(error));
        else if (getpeername(link->call.fd, (struct sockaddr *)(void *)&peer, &peer_bytes) == 0)
            call_established(wire, link);
        return 1;
    }
    size_t bytes = link->call.stage == TCP_AWAITS_HELLO ? TCP_ANSWER_BYTES : TCP_WELCOME_BYTES;
    int state = tcp_greeting_read(&link->call, bytes);
    if (state < 0) {
        tcp_hello theirs, ours = tcp_hello_make(wire->secret, wire->options.rank, link->rank);
        cor_fault fault = {.text = "it closed the connection before it was agreed on"};
        /* A side that cannot talk with us says what it is and goes. */
        if (link->call.stage == TCP_AWAITS_HELLO && link->call.filled >= TCP_HELLO_BYTES &&
            tcp_hello_decode(link->call.in, &theirs, &fault) == COR_OK)
            tcp_hello_check(&theirs, &ours, &fault);
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
    if (link->call.fd < 0 || link->call.stage != TCP_CONNECTING)
        return;
    if (link->call.deadline_ns <= now)
        call_failed(wire, link, ETIMEDOUT, "no answer");
    else
        tcp_timer(wire, link->call.deadline_ns);
}
