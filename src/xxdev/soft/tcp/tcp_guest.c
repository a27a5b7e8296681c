/* Connections from outside: until they have proved themselves they are guests, few, and not for long. */
#define _GNU_SOURCE
#include "xxdev/soft/tcp/tcp_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    GUEST_TELL_EVERY_S = 60,
    GUEST_SILENT_MS = 50, /* where many come, who has said nothing for so long makes room for others */
    GUEST_PROOF_MS = 200, /* likewise, who has said what a rank of this job says, and has not proved it */
};

/* ---- strangers -------------------------------------------------------------------------------------------------- */

/* Told once, and then again at most once a minute, with how many there were. */
static void guest_is_stranger(tcp_wire *wire, const tcp_greeting *guest, const char *why)
{
    uint64_t now = cor_clock_ns();
    char from[80];
    wire->strangers++;
    if (wire->strangers_told && now - wire->stranger_told_ns < GUEST_TELL_EVERY_S * 1000000000ull)
        return;
    tcp_place_print((const struct sockaddr *)(const void *)&guest->from, from, sizeof from);
    COR_LOG(wire->options.log, WARN, "tcp: dropped a connection from %s: %s (%llu dropped so far)", from, why,
            (unsigned long long)wire->strangers);
    wire->strangers_told = wire->strangers;
    wire->stranger_told_ns = now;
}

static void guest_drop(tcp_wire *wire, int slot)
{
    tcp_greeting *guest = wire->guests[slot];
    if (guest->fd >= 0)
        close(guest->fd);
    free(guest);
    wire->guests[slot] = NULL;
    wire->guest_count--;
}

/* It came and went without a word, as someone does who looks which ports are open. */
static void guest_leaves(tcp_wire *wire, int slot)
{
    char from[80];
    tcp_place_print((const struct sockaddr *)(const void *)&wire->guests[slot]->from, from, sizeof from);
    COR_LOG(wire->options.log, INFO, "tcp: somebody at %s connected, said nothing and left", from);
    guest_drop(wire, slot);
}

static int guest_refuse(tcp_wire *wire, int slot, const char *why)
{
    guest_is_stranger(wire, wire->guests[slot], why);
    guest_drop(wire, slot);
    return 1;
}

/* ---- coming in -------------------------------------------------------------------------------------------------- */

/* Has it had time to go on? A rank says who it is at once, and its proof follows the answer. */
static int guest_may_go(const tcp_greeting *guest, uint64_t now)
{
    uint64_t limit_ms = guest->stage == TCP_AWAITS_HELLO ? GUEST_SILENT_MS : GUEST_PROOF_MS;
    return now - guest->moved_ns > limit_ms * 1000000;
}

/* A place for one more: a free one, or that of the guest who has been here longest. -1: all have come just now, among
 * them maybe many ranks of the job, and the next may wait in the kernel. */
static int guest_slot(const tcp_wire *wire)
{
    uint64_t now = cor_clock_ns();
    int oldest = -1;
    for (int i = 0; i < TCP_GUESTS_MAX; i++) {
        if (!wire->guests[i])
            return i;
        if (guest_may_go(wire->guests[i], now) &&
            (oldest < 0 || wire->guests[i]->deadline_ns < wire->guests[oldest]->deadline_ns))
            oldest = i;
    }
    return oldest;
}

/* There are no descriptors for one more. Guests may free some; without, none of those who are waited for and have no
 * connection can get one. */
static void guest_finds_no_room(tcp_wire *wire)
{
    uint64_t now = cor_clock_ns();
    for (int i = 0; i < TCP_GUESTS_MAX; i++)
        if (wire->guests[i] && guest_may_go(wire->guests[i], now) && !tcp_guest_turn(wire, i))
            guest_refuse(wire, i, "this rank has too many open files");
    if (wire->guest_count > 0)
        return;
    wire->options.awaited(wire->options.sink, &wire->base, wire->awaited);
    for (int rank = 0; rank < wire->options.size; rank++) {
        tcp_link *link = wire->awaited[rank] && rank != wire->options.rank ? tcp_link_get(wire, rank) : NULL;
        if (link && link->state != TCP_OPEN && link->state != TCP_LOST)
            tcp_link_lose_room(wire, link);
    }
}

static void guest_enter(tcp_wire *wire, int slot, int fd, tcp_greeting *guest)
{
    guest->fd = fd;
    guest->stage = TCP_AWAITS_HELLO;
    guest->peer = -1;
    guest->moved_ns = cor_clock_ns();
    guest->deadline_ns = guest->moved_ns + TCP_GREETING_S * 1000000000ull;
    wire->guests[slot] = guest;
    wire->guest_count++;
    tcp_socket_tune(wire, fd);
    tcp_timer(wire, guest->deadline_ns);
    if (tcp_watch(wire, fd, TCP_AT_GUEST, slot, 0, 1) != 0)
        guest_drop(wire, slot);
    else
        tcp_guest_turn(wire, slot);
}

int tcp_accept(tcp_wire *wire, int listener)
{
    int count = 0, slot;
    for (; count < TCP_GUESTS_MAX && (slot = guest_slot(wire)) >= 0; count++) {
        /* What it had to say may be there, and we have not looked. */
        if (wire->guests[slot] && tcp_guest_turn(wire, slot))
            continue;
        tcp_greeting *guest = calloc(1, sizeof *guest);
        socklen_t bytes = sizeof guest->from;
        int fd = !guest ? -1
                        : accept4(wire->listeners[listener].fd, (struct sockaddr *)(void *)&guest->from, &bytes,
                                  SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0) {
            int error = errno;
            free(guest);
            if (error == EMFILE)
                guest_finds_no_room(wire);
            return count;
        }
        if (wire->guests[slot])
            guest_refuse(wire, slot, "too many connections wait to prove who they are");
        guest_enter(wire, slot, fd, guest);
    }
    return count;
}

/* ---- stages ----------------------------------------------------------------------------------------------------- */

static int guest_on_hello(tcp_wire *wire, int slot)
{
    tcp_greeting *guest = wire->guests[slot];
    cor_fault fault;
    tcp_hello theirs;
    if (tcp_hello_decode(guest->in, &theirs, &fault) != COR_OK)
        return guest_refuse(wire, slot, fault.text);
    int is_rank = theirs.from < (uint32_t)wire->options.size && (int)theirs.from != wire->options.rank;
    guest->peer = is_rank ? (int)theirs.from : wire->options.rank;
    tcp_hello ours = tcp_hello_make(wire->secret, wire->options.rank, guest->peer);
    if (tcp_hello_check(&theirs, &ours, &fault) != COR_OK) {
        /* Our hello, without a proof, tells a rank of another version what we are. */
        if (tcp_greeting_hello(wire, guest, NULL) == COR_OK)
            tcp_greeting_write(guest, guest->ours, sizeof guest->ours);
        return guest_refuse(wire, slot, fault.text);
    }
    if (!is_rank || theirs.to != (uint32_t)wire->options.rank)
        return guest_refuse(wire, slot, "it looks for another rank");
    memcpy(guest->theirs, guest->in, sizeof guest->theirs);
    uint8_t answer[TCP_ANSWER_BYTES];
    if (tcp_greeting_hello(wire, guest, &fault) != COR_OK)
        return guest_refuse(wire, slot, fault.text);
    memcpy(answer, guest->ours, TCP_HELLO_BYTES);
    tcp_prove(wire->secret, TCP_ANSWERER, guest->theirs, guest->ours, 0, answer + TCP_HELLO_BYTES);
    if (!tcp_greeting_write(guest, answer, sizeof answer)) {
        guest_drop(wire, slot);
        return 1;
    }
    guest->stage = TCP_AWAITS_PROOF;
    guest->moved_ns = cor_clock_ns();
    return 1;
}

/* Both have called each other at once: the lower rank's call holds, unless it gets nowhere. */
static tcp_verdict guest_verdict(const tcp_wire *wire, const tcp_link *link)
{
    if (link->state == TCP_LOST)
        return TCP_GIVEN_UP;
    if (link->call.fd < 0 || wire->options.rank > link->rank)
        return TCP_TAKEN;
    return tcp_call_is_stuck(link) ? TCP_TAKEN : TCP_MINE_INSTEAD;
}

static int guest_on_proof(tcp_wire *wire, int slot)
{
    tcp_greeting *guest = wire->guests[slot];
    uint8_t mac[COR_SHA256_BYTES], welcome[TCP_WELCOME_BYTES];
    uint32_t received = tcp_get32(guest->in + COR_SHA256_BYTES);
    tcp_prove(wire->secret, TCP_CALLER, guest->theirs, guest->ours, received, mac);
    if (!cor_bytes_are_equal(mac, guest->in, sizeof mac))
        return guest_refuse(wire, slot, "it does not know the secret of this job");
    tcp_link *link = tcp_link_get(wire, guest->peer);
    if (!link)
        return guest_refuse(wire, slot, "no memory for it");
    /* A call that was given up long ago, and its proof was still on its way: we know better what has arrived there. */
    if ((int32_t)(received + 1 - link->out.first) < 0) {
        guest_drop(wire, slot);
        return 1;
    }
    tcp_verdict verdict = guest_verdict(wire, link);
    tcp_welcome_encode(verdict, link->in.received, welcome);
    int is_told = tcp_greeting_write(guest, welcome, sizeof welcome);
    if (verdict == TCP_TAKEN && is_told) {
        int fd = guest->fd;
        guest->fd = -1; /* it is the link's now */
        /* A call of ours to the same rank has become needless. */
        tcp_call_give_up(wire, link);
        tcp_link_open(wire, link, fd, received, 0);
        tcp_link_came_from(link, &guest->from);
    }
    guest_drop(wire, slot);
    return 1;
}

int tcp_guest_turn(tcp_wire *wire, int slot)
{
    tcp_greeting *guest = wire->guests[slot];
    if (!guest)
        return 0;
    size_t bytes = guest->stage == TCP_AWAITS_HELLO ? TCP_HELLO_BYTES : TCP_PROOF_BYTES;
    int state = tcp_greeting_read(guest, bytes);
    if (state < 0) {
        /* A rank of ours may have given up its call in favour of one from here. */
        if (guest->stage == TCP_AWAITS_PROOF)
            guest_drop(wire, slot);
        else if (guest->filled == 0)
            guest_leaves(wire, slot);
        else
            guest_refuse(wire, slot, "it said nothing, or not enough, and went away");
        return 1;
    }
    if (state == 0)
        return 0;
    return guest->stage == TCP_AWAITS_HELLO ? guest_on_hello(wire, slot) : guest_on_proof(wire, slot);
}

void tcp_guests_time(tcp_wire *wire, uint64_t now)
{
    for (int i = 0; wire->guest_count > 0 && i < TCP_GUESTS_MAX; i++) {
        tcp_greeting *guest = wire->guests[i];
        if (guest && guest->deadline_ns <= now) {
            /* It may be us who did not look in time. */
            if (!tcp_guest_turn(wire, i))
                guest_refuse(wire, i, "it did not prove in time who it is");
            else if (wire->guests[i])
                guest->deadline_ns = now + GUEST_PROOF_MS * 1000000ull;
        }
        if (wire->guests[i])
            tcp_timer(wire, guest->deadline_ns);
    }
}

void tcp_guests_close(tcp_wire *wire)
{
    for (int i = 0; i < TCP_GUESTS_MAX; i++)
        if (wire->guests[i])
            guest_drop(wire, i);
}
