/* Life of a link: made on first use, opened, broken, mended or lost. */
#include "xxdev/wire/tcp/tcp_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    LINK_ANSWERER_PAUSE_MS = 300,  /* who was called waits so long for the caller before it calls itself */
    LINK_LOOK_MAX_MS = 1000,       /* between two looks no more time counts than this */
    LINK_FIRST_S = 2 * TCP_CALL_S, /* the first connection may take so long, whatever tcp.reconnect_s says */
};

void tcp_timer(tcp_wire *wire, uint64_t at_ns)
{
    if (!wire->next_timer_ns || at_ns < wire->next_timer_ns)
        wire->next_timer_ns = at_ns;
}

/* ---- making ----------------------------------------------------------------------------------------------------- */

/* Which of its addresses to call, best first: loopback on one host and nothing else; networks of ours before others. */
static void link_order_places(const tcp_wire *wire, tcp_address *address)
{
    tcp_place ordered[TCP_PLACES_MAX];
    int count = 0, is_here = address->host_key == wire->address.host_key;
    for (int i = 0; is_here && i < address->place_count; i++)
        if (tcp_place_is_loopback(&address->places[i]))
            ordered[count++] = address->places[i];
    for (int is_near = 1; !(is_here && count > 0) && is_near >= 0; is_near--)
        for (int i = 0; i < address->place_count; i++)
            if (!tcp_place_is_loopback(&address->places[i]) &&
                tcp_place_is_near(&address->places[i], &wire->address) == is_near)
                ordered[count++] = address->places[i];
    if (count == 0)
        return; /* only loopback, on another host: it will be told as unreachable when it is called */
    memcpy(address->places, ordered, (size_t)count * sizeof *ordered);
    address->place_count = count;
}

static int link_fill(tcp_wire *wire, tcp_link *link)
{
    tcp_out *out = &link->out;
    if (tcp_address_parse(wire->texts[link->rank], &link->address, NULL) != COR_OK)
        return 0;
    link_order_places(wire, &link->address);
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
        link->fd = link->call.fd = -1;
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

void tcp_link_open(tcp_wire *wire, tcp_link *link, int fd, uint32_t peer_received, int is_caller)
{
    int is_again = link->has_been_open;
    link_close(wire, link); /* the peer has noticed the loss before us */
    int is_possible =
        (int32_t)(peer_received + 1 - link->out.first) >= 0 && tcp_acknowledged(wire, link, peer_received);
    if (!is_possible || tcp_watch(wire, fd, TCP_AT_LINK, link->rank, 0, 0) != 0) {
        close(fd);
        tcp_link_lose(wire, link, "it says it has received what was never sent");
        return;
    }
    uint32_t again = link->out.leaving - link->out.first;
    tcp_out_rewind(link);
    link->fd = fd;
    link->state = TCP_OPEN;
    link->is_clogged = link->send_error = 0;
    link->is_caller = is_caller;
    link->has_been_open = 1;
    link->waited_ns = link->looked_ns = 0;
    link->tries = link->refusals = 0;
    link->open_index = wire->open_count;
    wire->open[wire->open_count++] = link;
    if (is_again)
        COR_LOG(wire->options.log, INFO, "tcp: the connection to rank %d on %s is back; %u packets go again",
                link->rank, link->address.host, again);
    else
        COR_LOG(wire->options.log, DEBUG, "tcp: connected with rank %d on %s, %s", link->rank, link->address.host,
                is_caller ? "called by us" : "called by it");
    /* The deadlines of the calls that led here are over; reckoned anew, the next sleep needs no timer. */
    tcp_timer(wire, 1);
    tcp_flush(wire, link);
}

static int link_is_same_host(const tcp_place *place, const struct sockaddr_storage *from)
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
        if (link_is_same_host(&link->address.places[i], from))
            link->place = i;
}

void tcp_link_break(tcp_wire *wire, tcp_link *link, const char *cause)
{
    uint64_t now = cor_clock_ns();
    link_close(wire, link);
    cor_fault_set(&link->fault, COR_ERR_PEER, "%s", cause);
    if (wire->config.reconnect_s == 0) {
        tcp_link_lose(wire, link, cause);
        return;
    }
    COR_LOG(wire->options.log, INFO,
            "tcp: the connection to rank %d on %s is lost (%s); trying for %d s to have it back", link->rank,
            link->address.host, cause, wire->config.reconnect_s);
    link->waited_ns = 0;
    link->looked_ns = now;
    link->retry_ns = now + (link->is_caller ? 0 : LINK_ANSWERER_PAUSE_MS * 1000000ull);
    tcp_timer(wire, link->retry_ns);
}

/* ---- lost ------------------------------------------------------------------------------------------------------- */

/* The sink is told from poll, because we may be in the middle of a send of its. */
void tcp_link_lose(tcp_wire *wire, tcp_link *link, const char *cause)
{
    char copy[sizeof link->fault.text];
    snprintf(copy, sizeof copy, "%s", cause);
    link_close(wire, link);
    tcp_call_drop(wire, link);
    cor_fault_set(&link->fault, COR_ERR_PEER, "rank %d on %s is lost: %.160s", link->rank, link->address.host, copy);
    link->state = TCP_LOST;
    link->out.first = link->out.leaving = link->out.next;
    link->out.control_bytes = 0;
    link->wants_notice = 1;
    tcp_timer(wire, 1);
}

int tcp_link_tell(tcp_wire *wire, tcp_link *link)
{
    if (!link->wants_notice)
        return 0;
    link->wants_notice = 0;
    wire->options.lost(wire->options.sink, link->rank, &link->fault);
    return 1;
}

/* No connection: has it taken too long, is it time to call? */
void tcp_link_time(tcp_wire *wire, tcp_link *link, uint64_t now)
{
    if (link->state == TCP_CALLING)
        tcp_call_time(wire, link, now);
    if (link->state != TCP_CALLING && link->state != TCP_BROKEN)
        return;
    uint64_t passed = link->looked_ns ? now - link->looked_ns : 0, most = LINK_LOOK_MAX_MS * 1000000ull;
    link->looked_ns = now;
    /* With a connection under way the other host is alive, and its program may be busy. */
    int is_heard = link->call.fd >= 0 && link->call.stage != TCP_CONNECTING;
    if (is_heard)
        return;
    link->waited_ns += passed < most ? passed : most;
    int limit_s = wire->config.reconnect_s;
    if (!link->has_been_open && limit_s < LINK_FIRST_S)
        limit_s = LINK_FIRST_S;
    if (link->waited_ns >= (uint64_t)limit_s * 1000000000u && link->tries > 0) {
        char cause[sizeof link->fault.text];
        snprintf(cause, sizeof cause, "no connection for %d s; last, %.160s", limit_s, link->fault.text);
        tcp_link_lose(wire, link, cause);
        return;
    }
    if (link->state == TCP_BROKEN && link->retry_ns <= now)
        tcp_call(wire, link, now);
    else if (link->state == TCP_BROKEN)
        tcp_timer(wire, link->retry_ns);
    tcp_timer(wire, now + most / 4);
}
