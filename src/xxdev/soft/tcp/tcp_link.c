/* SPDX-License-Identifier: Apache-2.0 */
/* Life of a link: made on first use, opened, broken, mended or lost. */
#include "xxdev/soft/tcp/tcp_state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    LINK_ANSWERER_PAUSE_MS = 300, /* the called side waits so long for the caller before it calls itself */
    LINK_LOOK_MAX_MS = 1000,      /* between two looks no more time counts than this */
    LINK_FEW = 2,                 /* so many connections are asked one by one rather than through epoll */
};

void tcp_timer(tcp_wire *wire, uint64_t at_ns)
{
    if (!wire->next_timer_ns || at_ns < wire->next_timer_ns)
        wire->next_timer_ns = at_ns;
}

/* ---- making ----------------------------------------------------------------------------------------------------- */

/* Loopback on one host and nothing else; our networks before others. */
void tcp_places_order(const tcp_wire *wire, tcp_address *address)
{
    cor_place ordered[TCP_PLACES_MAX];
    int count = 0, is_here = address->host_key == wire->address.host_key;
    for (int i = 0; is_here && i < address->place_count; i++)
        if (cor_place_is_loopback(&address->places[i]))
            ordered[count++] = address->places[i];
    for (int is_near = 1; !(is_here && count > 0) && is_near >= 0; is_near--)
        for (int i = 0; i < address->place_count; i++)
            if (!cor_place_is_loopback(&address->places[i]) &&
                tcp_place_is_near(&address->places[i], &wire->address) == is_near)
                ordered[count++] = address->places[i];
    if (count == 0)
        return; /* only loopback, on another host: it is not called (tcp_leave_out) */
    memcpy(address->places, ordered, (size_t)count * sizeof *ordered);
    address->place_count = count;
}

static int link_fill(tcp_wire *wire, tcp_link *link)
{
    tcp_out *out = &link->out;
    if (tcp_address_parse(wire->texts[link->rank], &link->address, NULL) != COR_OK)
        return 0;
    tcp_places_order(wire, &link->address);
    out->first = out->next = out->leaving = 1;
    out->ring = malloc(wire->config.retain_bytes);
    out->kept = malloc(TCP_KEPT * sizeof *out->kept);
    link->in.capacity = TCP_READ_BYTES;
    if (link->in.capacity < wire->config.eager_max_bytes + TCP_FRAME_BYTES)
        link->in.capacity = wire->config.eager_max_bytes + TCP_FRAME_BYTES;
    link->in.buffer = malloc(link->in.capacity);
    return out->ring && out->kept && link->in.buffer;
}

tcp_link *tcp_link_get(tcp_wire *wire, int rank)
{
    if (wire->links[rank])
        return wire->links[rank];
    tcp_link *link = calloc(1, sizeof *link);
    if (link) {
        link->rank = rank;
        link->fd = link->call.base.fd = -1;
    }
    if (!link || !link_fill(wire, link)) {
        COR_LOG(wire->options.log, ERROR, "tcp: no memory for a connection to rank %d", rank);
        if (link)
            tcp_link_destroy(wire, link);
        return NULL;
    }
    wire->links[rank] = link;
    return link;
}

void tcp_link_destroy(tcp_wire *wire, tcp_link *link)
{
    tcp_call_drop(wire, link);
    if (link->state == TCP_OPEN)
        close(link->fd);
    free(link->out.ring);
    free(link->out.kept);
    free(link->in.buffer);
    free(link);
}

/* ---- open and broken -------------------------------------------------------------------------------------------- */

static void link_close(tcp_wire *wire, tcp_link *link)
{
    if (link->state != TCP_OPEN)
        return;
    close(link->fd);
    link->fd = -1;
    link->state = TCP_BROKEN;
    tcp_link *last = wire->open[--wire->open_count];
    wire->open[link->open_index] = last;
    last->open_index = link->open_index;
    tcp_in_reset(link);
}

/* and for how long. */
static void link_limit_wait(int fd, int limit_ms)
{
    struct timeval limit = {.tv_sec = limit_ms / 1000, .tv_usec = limit_ms % 1000 * 1000};
    if (limit_ms > 0)
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
}

void tcp_link_open(tcp_wire *wire, tcp_link *link, int fd, uint32_t peer_received, int is_caller)
{
    int is_again = link->has_been_open;
    link_close(wire, link); /* the peer has noticed the loss before us */
    int is_possible =
        (int32_t)(peer_received + 1 - link->out.first) >= 0 && tcp_acknowledged(wire, link, peer_received);
    if (!is_possible) {
        close(fd);
        tcp_link_lose(wire, link, "it says it has received what was never sent");
        return;
    }
    if (wire->open_count >= LINK_FEW)
        tcp_watch_links(wire);
    if ((wire->watches_links ? tcp_watch(wire, fd, TCP_AT_LINK, link->rank, 0, 0) : tcp_unwatch(wire, fd)) != 0) {
        close(fd);
        tcp_link_lose(wire, link, strerror(errno));
        return;
    }
    /* Packets that were to go again may have come by the connection before. */
    int32_t again = (int32_t)(link->out.leaving - link->out.first);
    tcp_out_rewind(link);
    fcntl(fd, F_SETFL, 0); /* every call says itself whether it may wait (tcp_wait_and_poll), */
    link_limit_wait(fd, cor_host_sleep_ms(wire->options.host));
    link->fd = fd;
    link->state = TCP_OPEN;
    link->is_clogged = link->send_error = 0;
    link->is_caller = is_caller;
    link->is_place_sure |= is_caller;
    link->has_been_open = 1;
    tcp_clock_taken(&link->clock);
    link->looked_ns = 0;
    link->tries = 0;
    link->open_index = wire->open_count;
    wire->open[wire->open_count++] = link;
    wire->base.resumed += (uint64_t)is_again;
    wire->base.resent += again > 0 ? (uint64_t)again : 0;
    if (is_again)
        COR_LOG(wire->options.log, INFO, "tcp: the connection to rank %d on %s is back; %d packets go again",
                link->rank, link->address.host, again > 0 ? again : 0);
    else
        COR_LOG(wire->options.log, DEBUG, "tcp: connected with rank %d on %s, %s", link->rank, link->address.host,
                is_caller ? "called by us" : "called by it");
    /* The deadlines of the calls that led here are over; reckoned anew, the next sleep needs no timer. */
    tcp_timer(wire, 1);
    tcp_flush(wire, link);
}

static int link_is_same_host(const cor_place *place, const struct sockaddr_storage *from)
{
    if (place->socket.any.sa_family != from->ss_family)
        return 0;
    if (from->ss_family == AF_INET)
        return place->socket.v4.sin_addr.s_addr == ((const struct sockaddr_in *)(const void *)from)->sin_addr.s_addr;
    return memcmp(&place->socket.v6.sin6_addr, &((const struct sockaddr_in6 *)(const void *)from)->sin6_addr,
                  sizeof place->socket.v6.sin6_addr) == 0;
}

void tcp_link_came_from(tcp_link *link, const struct sockaddr_storage *from)
{
    for (int i = 0; i < link->address.place_count; i++)
        if (link_is_same_host(&link->address.places[i], from)) {
            link->place = i;
            link->is_place_sure = 1;
        }
}

static tcp_limits link_limits(const tcp_wire *wire, const tcp_link *link)
{
    return tcp_rule_limits(wire->config.heartbeat_s, wire->config.reconnect_s, link->has_been_open,
                           wire->is_shutting_down);
}

void tcp_link_heard(tcp_wire *wire, tcp_link *link, uint64_t silence_ns)
{
    /* There is always a while left to call: the network may be back, and no call was tried. */
    uint64_t limit = link_limits(wire, link).silent_ns;
    uint64_t call = limit / 5 > TCP_SECOND_NS ? limit / 5 : TCP_SECOND_NS, most = limit > call ? limit - call : 0;
    link->clock.silent_ns = silence_ns < most ? silence_ns : most;
}

void tcp_link_break(tcp_wire *wire, tcp_link *link, const char *cause)
{
    uint64_t now = cor_clock_ns();
    uint64_t silence_ns = link->state == TCP_OPEN ? tcp_socket_silence_ns(link->fd) : 0;
    link_close(wire, link);
    cor_fault_set(&link->fault, COR_ERR_PEER, "%s", cause);
    COR_LOG(wire->options.log, INFO, "tcp: the connection to rank %d on %s is lost (%s); trying to have it back",
            link->rank, link->address.host, cause);
    tcp_link_heard(wire, link, silence_ns);
    link->looked_ns = now;
    link->retry_ns = now + (link->is_caller ? 0 : LINK_ANSWERER_PAUSE_MS * 1000000ull);
    tcp_timer(wire, link->retry_ns);
}

/* ---- lost ------------------------------------------------------------------------------------------------------- */

/* The sink is told from poll, because we may be in the middle of a send of its. link->fault says why. */
static void link_end(tcp_wire *wire, tcp_link *link, int is_bye)
{
    link_close(wire, link);
    tcp_call_drop(wire, link);
    link->state = TCP_LOST;
    link->out.first = link->out.leaving = link->out.next;
    link->out.control_bytes = 0;
    link->wants_notice = tcp_rule_is_news(wire->is_shutting_down, is_bye);
    tcp_timer(wire, 1);
}

static void link_lose(tcp_wire *wire, tcp_link *link, const char *cause, int is_bye)
{
    char copy[sizeof link->fault.text];
    snprintf(copy, sizeof copy, "%s", cause); /* it may be in the fault itself */
    cor_fault_set(&link->fault, COR_ERR_PEER, "rank %d on %s is lost: %.160s", link->rank, link->address.host, copy);
    link_end(wire, link, is_bye);
}

void tcp_link_lose(tcp_wire *wire, tcp_link *link, const char *cause)
{
    link_lose(wire, link, cause, 0);
}

void tcp_link_bye(tcp_wire *wire, tcp_link *link)
{
    link_lose(wire, link, "it has ended", 1);
}

void tcp_reject(cor_wire *base, int rank, const char *what)
{
    tcp_wire *wire = (tcp_wire *)(void *)base;
    char cause[140];
    COR_ASSERT(wire->links[rank] != NULL); /* what we send ourselves comes without a link, and is right */
    snprintf(cause, sizeof cause, "it sent %.120s", what);
    tcp_link_lose(wire, wire->links[rank], cause);
}

void tcp_link_lose_room(tcp_wire *wire, tcp_link *link)
{
    struct rlimit limit = {0};
    getrlimit(RLIMIT_NOFILE, &limit);
    cor_fault_set(&link->fault, COR_ERR_PEER,
                  "no connection to rank %d on %s: this rank has too many open files (ulimit -n is %llu)", link->rank,
                  link->address.host, (unsigned long long)limit.rlim_cur);
    link_end(wire, link, 0);
}

int tcp_link_tell(tcp_wire *wire, tcp_link *link)
{
    if (!link->wants_notice)
        return 0;
    link->wants_notice = 0;
    wire->options.lost(wire->options.sink, link->rank, &link->fault);
    return 1;
}

int tcp_link_inquire(tcp_wire *wire, tcp_link *link)
{
    if (wire->is_shutting_down || !wire->options.has_ended(wire->options.sink, link->rank))
        return 0;
    tcp_link_lose(wire, link, "its process has ended");
    return 1;
}

static void link_lose_in_time(tcp_wire *wire, tcp_link *link, tcp_end end, const tcp_limits *limits)
{
    char cause[sizeof link->fault.text];
    const char *first = link->has_been_open ? "" : "; a firewall may be in the way (tcp.ports chooses the ports)";
    if (end == TCP_REFUSED)
        snprintf(cause, sizeof cause, "its process is gone: its host has refused connections for %d s; last, %.50s%s",
                 (int)(limits->refused_ns / TCP_SECOND_NS), link->fault.text, first);
    else
        snprintf(cause, sizeof cause, "nothing was heard of it for %d s; last, %.70s%s",
                 (int)(limits->silent_ns / TCP_SECOND_NS), link->fault.text, first);
    tcp_link_lose(wire, link, cause);
}

/* No connection: has it taken too long, is it time to call? Returns 1 if a call was made, which is an event: a rank
 * that tries to reach another one is not stuck. */
int tcp_link_time(tcp_wire *wire, tcp_link *link, uint64_t now)
{
    if (link->state == TCP_CALLING)
        tcp_call_time(wire, link, now);
    if (link->state != TCP_CALLING && link->state != TCP_BROKEN)
        return 0;
    uint64_t passed = link->looked_ns ? now - link->looked_ns : 0, most = LINK_LOOK_MAX_MS * 1000000ull;
    link->looked_ns = now;
    if (link->call.base.fd >= 0 && link->call.stage != TCP_CONNECTING) {
        tcp_clock_taken(&link->clock);
        return 0;
    }
    tcp_limits limits = link_limits(wire, link);
    tcp_clock_pass(&link->clock, passed < most ? passed : most);
    tcp_end end = tcp_rule_end(&link->clock, &limits);
    if (end != TCP_GOES_ON) {
        link_lose_in_time(wire, link, end, &limits);
        return 0;
    }
    int is_time = link->state == TCP_BROKEN && link->retry_ns <= now;
    if (is_time)
        tcp_call(wire, link, now);
    else if (link->state == TCP_BROKEN)
        tcp_timer(wire, link->retry_ns);
    tcp_timer(wire, now + most / 4);
    return is_time;
}

void tcp_links_await(tcp_wire *wire, uint64_t now)
{
    if (wire->open_count >= wire->options.size - 1)
        return;
    if (now >= wire->await_ns) {
        wire->await_ns = now + TCP_AWAIT_MS * 1000000ull;
        wire->options.awaited(wire->options.sink, &wire->base, wire->awaited);
        for (int rank = 0; rank < wire->options.size; rank++) {
            if (!wire->awaited[rank] || rank == wire->options.rank || wire->links[rank])
                continue;
            tcp_link *link = wire->open_count + wire->call_count < TCP_AWAIT_MAX ? tcp_link_get(wire, rank) : NULL;
            if (link)
                tcp_call(wire, link, now);
        }
    }
    tcp_timer(wire, wire->await_ns);
}
