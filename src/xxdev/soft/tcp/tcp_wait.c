/* SPDX-License-Identifier: Apache-2.0 */
/* Looking and waiting: which peer has something for us, and what to sleep on when none has. */
#include "xxdev/soft/tcp/tcp_state.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

enum {
    WAIT_EVENTS = 32,
    WAIT_LOOK_EVERY = 64, /* polls of the preferred peer alone, between two looks at all */
};

/* ---- looking ---------------------------------------------------------------------------------------------------- */

/* A socket that epoll watches costs each packet that arrives an eighth of a microsecond more, so as long as the
 * connections are few they are asked one by one. From here on epoll watches them all. 0: it cannot. */
int tcp_watch_links(tcp_wire *wire)
{
    for (int i = 0; i < wire->open_count && !wire->watches_links; i++)
        if (tcp_watch(wire, wire->open[i]->fd, TCP_AT_LINK, wire->open[i]->rank, wire->open[i]->is_clogged, 1) != 0 &&
            errno != EEXIST)
            return 0;
    wire->watches_links = 1;
    return 1;
}

static inline int wait_turn(tcp_wire *wire, tcp_link *link)
{
    if (COR_UNLIKELY(link->is_clogged))
        tcp_flush(wire, link);
    return tcp_receive(wire, link, 0);
}

static int wait_on_event(tcp_wire *wire, uint64_t key)
{
    int index = (int)(uint32_t)key;
    tcp_link *link;
    switch ((int)(key >> 32)) {
    case TCP_AT_LISTENER:
        return tcp_accept(wire, index);
    case TCP_AT_INCOMING:
        return tcp_incoming_turn(wire, index);
    case TCP_AT_CALL:
        link = wire->links[index];
        return link ? tcp_call_turn(wire, link) : 0;
    case TCP_AT_LINK:
        link = wire->links[index];
        return link && link->state == TCP_OPEN ? wait_turn(wire, link) : 0;
    default:
        return 0;
    }
}

static __attribute__((noinline)) int wait_timers(tcp_wire *wire)
{
    uint64_t now = cor_clock_ns();
    int events = 0;
    if (now < wire->next_timer_ns)
        return 0;
    wire->next_timer_ns = 0;
    tcp_incoming_all_time(wire, now);
    tcp_links_await(wire, now);
    for (int i = 0; i < wire->options.size; i++) {
        tcp_link *link = wire->links[i];
        if (!link)
            continue;
        events += tcp_link_time(wire, link, now);
        events += tcp_link_tell(wire, link);
    }
    return events;
}

static int wait_ask_all(tcp_wire *wire)
{
    int count = 0;
    /* A link that breaks meanwhile makes room for the last. */
    for (int i = wire->open_count - 1; i >= 0; i--)
        if (i < wire->open_count)
            count += wait_turn(wire, wire->open[i]);
    return count;
}

/* All peers. */
static __attribute__((noinline)) int wait_look(tcp_wire *wire)
{
    struct epoll_event events[WAIT_EVENTS];
    int handled = wire->watches_links ? 0 : wait_ask_all(wire);
    int count = epoll_wait(wire->epoll_fd, events, WAIT_EVENTS, 0);
    wire->must_look = 0;
    for (int i = 0; i < count; i++)
        handled += wait_on_event(wire, events[i].data.u64);
    /* After what has come, so that no peer that is just calling is given up. */
    if (wire->next_timer_ns)
        handled += wait_timers(wire);
    return handled;
}

static __attribute__((noinline)) int wait_take_notes(tcp_wire *wire)
{
    cor_link *last = wire->notes.prev;
    int count = 0, is_last = 0;
    while (!is_last) {
        tcp_note *note = COR_OWNER(wire->notes.next, tcp_note, link);
        is_last = &note->link == last; /* what is sent in answer waits for the next time */
        cor_list_remove(&note->link);
        wire->options.deliver(wire->options.sink, wire->options.rank, &note->header, note->data, note->bytes);
        free(note);
        count++;
    }
    return count;
}

int tcp_poll(cor_wire *base, int first)
{
    tcp_wire *wire = tcp_of(base);
    int count = 0;
    if (COR_UNLIKELY(!cor_list_is_empty(&wire->notes)))
        count = wait_take_notes(wire);
    int is_time_to_look = ++wire->polls % WAIT_LOOK_EVERY == 0;
    tcp_link *link = first >= 0 ? wire->links[first] : NULL;
    if (COR_LIKELY(link && link->state == TCP_OPEN)) {
        count += wait_turn(wire, link);
        if (count > 0 && !is_time_to_look) {
            wire->must_look = 0;
            return count;
        }
    } else if (!wire->watches_links && wire->open_count > 0) {
        count += wait_ask_all(wire);
    } else {
        is_time_to_look = 1;
    }
    if (is_time_to_look || wire->must_look)
        count += wait_look(wire);
    return count;
}

/* ---- sleeping --------------------------------------------------------------------------------------------------- */

static tcp_wire *wait_of(cor_wait_source *source)
{
    return tcp_of(COR_OWNER(source, cor_wire, source));
}

/* Nothing needs to be asked for: what arrives stays readable. */
int tcp_arm(cor_wait_source *source)
{
    tcp_wire *wire = wait_of(source);
    wire->must_look = wire->is_armed = 1;
    return cor_list_is_empty(&wire->notes);
}

static int wait_timeout_ms(const tcp_wire *wire)
{
    if (!wire->next_timer_ns)
        return -1;
    uint64_t now = cor_clock_ns();
    return now >= wire->next_timer_ns ? 0 : (int)((wire->next_timer_ns - now) / 1000000 + 1);
}

/* The sockets themselves where they are few: one queue less on the way to the sleeper. */
int tcp_fds(cor_wait_source *source, struct pollfd *fds, int room, int *timeout_ms_p)
{
    tcp_wire *wire = wait_of(source);
    int count = 0;
    *timeout_ms_p = wait_timeout_ms(wire);
    if (wire->open_count + TCP_PLACES_MAX <= room) {
        for (int i = 0; i < wire->open_count; i++)
            fds[count++] = (struct pollfd){.fd = wire->open[i]->fd,
                                           .events = (short)(POLLIN | (wire->open[i]->is_clogged ? POLLOUT : 0))};
        /* Once all are connected no peer has to call. One that calls again, because its end of a connection is broken,
         * is heard when ours breaks too, which it does within half of tcp.heartbeat_s. */
        int may_be_called = wire->open_count < wire->options.size - 1 || wire->config.heartbeat_s == 0;
        if (wire->incoming_count || wire->call_count || (may_be_called && wire->listener_count > TCP_PLACES_MAX)) {
            fds[count++] = (struct pollfd){.fd = wire->epoll_fd, .events = POLLIN};
            return count;
        }
        for (int i = 0; i < wire->listener_count && may_be_called; i++)
            if (wire->listeners[i].fd >= 0)
                fds[count++] = (struct pollfd){.fd = wire->listeners[i].fd, .events = POLLIN};
        return count;
    }
    if (!tcp_watch_links(wire))
        *timeout_ms_p = 1;
    fds[0] = (struct pollfd){.fd = wire->epoll_fd, .events = POLLIN};
    return 1;
}

/* Where only one connection can have anything for us, a read that waits does what poll and a read do. */
int tcp_wait_and_poll(cor_wait_source *source)
{
    tcp_wire *wire = wait_of(source);
    tcp_link *link = wire->open_count == 1 ? wire->open[0] : NULL;
    int may_others_call =
        wire->options.size > 2 || wire->config.heartbeat_s == 0 || wire->incoming_count || wire->call_count;
    if (!link || may_others_call || link->is_clogged || link->in.landing.payload || wire->next_timer_ns)
        return 0;
    wire->must_look = 0;
    tcp_receive(wire, link, 1);
    return 1;
}

void tcp_wake(tcp_wire *wire)
{
    if (!wire->is_armed)
        return;
    wire->is_armed = 0;
    cor_host_ring(wire->options.host, wire->options.host->me);
}
