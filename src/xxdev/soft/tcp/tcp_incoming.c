/* SPDX-License-Identifier: Apache-2.0 */
/* Connections from outside: until they have proved themselves they are incoming, few, and not for long. */
#define _GNU_SOURCE
#include "xxdev/soft/tcp/tcp_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    GUEST_TELL_EVERY_S = 60,
    GUEST_SILENT_MS = 50, /* where many come, a connection that has been silent for so long makes room for others */
    GUEST_PROOF_MS = 200, /* likewise, one that has said what a rank of this job says, and has not proved it */
};

/* ---- strangers -------------------------------------------------------------------------------------------------- */

/* Told once, and then again at most once a minute, with how many there were. */
static void incoming_is_stranger(tcp_wire *wire, const tcp_greeting *incoming, const char *why)
{
    uint64_t now = cor_clock_ns();
    char from[80];
    wire->strangers++;
    if (wire->strangers_told && now - wire->stranger_told_ns < GUEST_TELL_EVERY_S * 1000000000ull)
        return;
    cor_place_print((const struct sockaddr *)(const void *)&incoming->from, from, sizeof from);
    COR_LOG(wire->options.log, WARN, "tcp: dropped a connection from %s: %s (%llu dropped so far)", from, why,
            (unsigned long long)wire->strangers);
    wire->strangers_told = wire->strangers;
    wire->stranger_told_ns = now;
}

static void incoming_drop(tcp_wire *wire, int slot)
{
    tcp_greeting *incoming = wire->incoming[slot];
    if (incoming->base.fd >= 0)
        close(incoming->base.fd);
    free(incoming);
    wire->incoming[slot] = NULL;
    wire->incoming_count--;
}

/* It came and went without a word, as a port scan does. */
static void incoming_leaves(tcp_wire *wire, int slot)
{
    char from[80];
    cor_place_print((const struct sockaddr *)(const void *)&wire->incoming[slot]->from, from, sizeof from);
    COR_LOG(wire->options.log, INFO, "tcp: a connection from %s was closed without a word", from);
    incoming_drop(wire, slot);
}

static int incoming_refuse(tcp_wire *wire, int slot, const char *why)
{
    incoming_is_stranger(wire, wire->incoming[slot], why);
    incoming_drop(wire, slot);
    return 1;
}

/* ---- coming in -------------------------------------------------------------------------------------------------- */

/* Has it had time to go on? A rank says who it is at once, and its proof follows the answer. */
static int incoming_may_go(const tcp_greeting *incoming, uint64_t now)
{
    uint64_t limit_ms = incoming->stage == TCP_AWAITS_HELLO ? GUEST_SILENT_MS : GUEST_PROOF_MS;
    return now - incoming->moved_ns > limit_ms * 1000000;
}

/* A place for one more: a free one, or that of the oldest incoming connection. -1: all have come just now, among
 * them maybe many ranks of the job, and the next may wait in the kernel. */
static int incoming_slot(const tcp_wire *wire)
{
    uint64_t now = cor_clock_ns();
    int oldest = -1;
    for (int i = 0; i < TCP_INCOMINGS_MAX; i++) {
        if (!wire->incoming[i])
            return i;
        if (incoming_may_go(wire->incoming[i], now) &&
            (oldest < 0 || wire->incoming[i]->deadline_ns < wire->incoming[oldest]->deadline_ns))
            oldest = i;
    }
    return oldest;
}

/* There are no descriptors for one more. Guests may free some; without, none of those who are waited for and have no
 * connection can get one. */
static void incoming_finds_no_room(tcp_wire *wire)
{
    uint64_t now = cor_clock_ns();
    for (int i = 0; i < TCP_INCOMINGS_MAX; i++)
        if (wire->incoming[i] && incoming_may_go(wire->incoming[i], now) && !tcp_incoming_turn(wire, i))
            incoming_refuse(wire, i, "this rank has too many open files");
    if (wire->incoming_count > 0)
        return;
    wire->options.awaited(wire->options.sink, &wire->base, wire->awaited);
    for (int rank = 0; rank < wire->options.size; rank++) {
        tcp_link *link = wire->awaited[rank] && rank != wire->options.rank ? tcp_link_get(wire, rank) : NULL;
        if (link && link->state != TCP_OPEN && link->state != TCP_LOST)
            tcp_link_lose_room(wire, link);
    }
}

static void incoming_enter(tcp_wire *wire, int slot, int fd, tcp_greeting *incoming)
{
    incoming->base.fd = fd;
    incoming->base.role = COR_HELLO_ANSWERER;
    incoming->stage = TCP_AWAITS_HELLO;
    incoming->peer = -1;
    incoming->moved_ns = cor_clock_ns();
    incoming->deadline_ns = incoming->moved_ns + TCP_GREETING_S * 1000000000ull;
    wire->incoming[slot] = incoming;
    wire->incoming_count++;
    tcp_socket_tune(wire, fd);
    tcp_timer(wire, incoming->deadline_ns);
    if (tcp_watch(wire, fd, TCP_AT_INCOMING, slot, 0, 1) != 0)
        incoming_drop(wire, slot);
    else
        tcp_incoming_turn(wire, slot);
}

int tcp_accept(tcp_wire *wire, int listener)
{
    int count = 0, slot;
    for (; count < TCP_INCOMINGS_MAX && (slot = incoming_slot(wire)) >= 0; count++) {
        /* What it had to say may be there, and we have not looked. */
        if (wire->incoming[slot] && tcp_incoming_turn(wire, slot))
            continue;
        tcp_greeting *incoming = calloc(1, sizeof *incoming);
        socklen_t bytes = sizeof incoming->from;
        int fd = !incoming ? -1
                           : accept4(wire->listeners[listener].fd, (struct sockaddr *)(void *)&incoming->from, &bytes,
                                     SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0) {
            int error = errno;
            free(incoming);
            if (error == EMFILE)
                incoming_finds_no_room(wire);
            return count;
        }
        if (wire->incoming[slot])
            incoming_refuse(wire, slot, "too many connections wait to prove who they are");
        incoming_enter(wire, slot, fd, incoming);
    }
    return count;
}

/* ---- stages ----------------------------------------------------------------------------------------------------- */

static int incoming_begin(const tcp_wire *wire, tcp_greeting *incoming, cor_fault *fault)
{
    return cor_greeting_begin(&incoming->base, wire->secret, wire->options.rank, incoming->peer, fault);
}

static int incoming_on_hello(tcp_wire *wire, int slot)
{
    tcp_greeting *incoming = wire->incoming[slot];
    cor_fault fault;
    cor_hello theirs;
    if (cor_hello_decode(incoming->base.in, &theirs, &fault) != COR_OK)
        return incoming_refuse(wire, slot, fault.text);
    int is_rank = theirs.from < (uint32_t)wire->options.size && (int)theirs.from != wire->options.rank;
    incoming->peer = is_rank ? (int)theirs.from : wire->options.rank;
    cor_hello ours = cor_hello_make(wire->secret, wire->options.rank, incoming->peer);
    if (cor_hello_check(&theirs, &ours, &fault) != COR_OK) {
        /* Our hello, without a proof, tells a rank of another version what we are. */
        if (incoming_begin(wire, incoming, NULL) == COR_OK)
            cor_greeting_write(&incoming->base, incoming->base.ours, sizeof incoming->base.ours);
        return incoming_refuse(wire, slot, fault.text);
    }
    if (!is_rank || theirs.to != (uint32_t)wire->options.rank)
        return incoming_refuse(wire, slot, "it looks for another rank");
    if (incoming_begin(wire, incoming, &fault) != COR_OK)
        return incoming_refuse(wire, slot, fault.text);
    if (!cor_greeting_answer(&incoming->base, wire->secret)) {
        incoming_drop(wire, slot);
        return 1;
    }
    incoming->stage = TCP_AWAITS_PROOF;
    incoming->moved_ns = cor_clock_ns();
    return 1;
}

static int incoming_verdict(const tcp_wire *wire, const tcp_link *link, uint32_t received)
{
    return tcp_rule_answer(&(tcp_caller){
        .state = link->state,
        .is_stale = (int32_t)(received + 1 - link->out.first) < 0,
        .is_called = link->call.base.fd >= 0,
        .is_call_stuck = tcp_call_is_stuck(link),
        .is_higher = wire->options.rank > link->rank,
    });
}

static int incoming_on_proof(tcp_wire *wire, int slot)
{
    tcp_greeting *incoming = wire->incoming[slot];
    uint8_t welcome[COR_WELCOME_BYTES];
    uint32_t received;
    if (!cor_greeting_check_proof(&incoming->base, wire->secret, &received))
        return incoming_refuse(wire, slot, "it does not know the secret of this job");
    tcp_link *link = tcp_link_get(wire, incoming->peer);
    if (!link)
        return incoming_refuse(wire, slot, "no memory for it");
    int verdict = incoming_verdict(wire, link, received);
    if (verdict == TCP_UNANSWERED) {
        incoming_drop(wire, slot);
        return 1;
    }
    cor_welcome_encode((cor_hello_verdict)verdict, link->in.received, welcome);
    int is_told = cor_greeting_write(&incoming->base, welcome, sizeof welcome);
    if (verdict == COR_HELLO_TAKEN && is_told) {
        int fd = incoming->base.fd;
        incoming->base.fd = -1; /* it is the link's now */
        /* A call of ours to the same rank has become needless. */
        tcp_call_give_up(wire, link);
        tcp_link_open(wire, link, fd, received, 0);
        tcp_link_came_from(link, &incoming->from);
    }
    incoming_drop(wire, slot);
    return 1;
}

int tcp_incoming_turn(tcp_wire *wire, int slot)
{
    tcp_greeting *incoming = wire->incoming[slot];
    if (!incoming)
        return 0;
    size_t bytes = incoming->stage == TCP_AWAITS_HELLO ? COR_HELLO_BYTES : COR_PROOF_BYTES;
    int state = cor_greeting_read(&incoming->base, bytes);
    if (state < 0) {
        /* A rank of ours may have given up its call in favour of one from here. */
        if (incoming->stage == TCP_AWAITS_PROOF)
            incoming_drop(wire, slot);
        else if (incoming->base.filled == 0)
            incoming_leaves(wire, slot);
        else
            incoming_refuse(wire, slot, "it said nothing, or not enough, and went away");
        return 1;
    }
    if (state == 0)
        return 0;
    return incoming->stage == TCP_AWAITS_HELLO ? incoming_on_hello(wire, slot) : incoming_on_proof(wire, slot);
}

void tcp_incoming_all_time(tcp_wire *wire, uint64_t now)
{
    for (int i = 0; wire->incoming_count > 0 && i < TCP_INCOMINGS_MAX; i++) {
        tcp_greeting *incoming = wire->incoming[i];
        if (incoming && incoming->deadline_ns <= now) {
            /* Perhaps this rank did not look in time. */
            if (!tcp_incoming_turn(wire, i))
                incoming_refuse(wire, i, "it did not prove its identity in time");
            else if (wire->incoming[i])
                incoming->deadline_ns = now + GUEST_PROOF_MS * 1000000ull;
        }
        if (wire->incoming[i])
            tcp_timer(wire, incoming->deadline_ns);
    }
}

void tcp_incoming_all_close(tcp_wire *wire)
{
    for (int i = 0; i < TCP_INCOMINGS_MAX; i++)
        if (wire->incoming[i])
            incoming_drop(wire, i);
}
