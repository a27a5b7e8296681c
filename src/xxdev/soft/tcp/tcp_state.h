/* SPDX-License-Identifier: Apache-2.0 */
/* One rank's end of the wire: private memory, used under the rank's lock. */
#ifndef COR_TCP_STATE_H
#define COR_TCP_STATE_H

#include "base/clock.h"
#include "base/hello.h"
#include "base/list.h"
#include "base/place.h"
#include "xxdev/soft/tcp/tcp.h"
#include "xxdev/soft/tcp/tcp_frame.h"
#include "xxdev/soft/tcp/tcp_rules.h"

#include <netinet/in.h>
#include <sys/socket.h>

enum {
    TCP_PLACES_MAX = 6, /* addresses of one rank */
    TCP_HOST_MAX = 40,
    TCP_INCOMINGS_MAX = 64, /* connections that are not authenticated yet */
    TCP_GREETING_S = 5,     /* timeout of one of them */
    TCP_CALL_AGAIN_S = 2,   /* timeout of an address that was connected before */
    TCP_AWAIT_MS = 1000,    /* how often to connect to awaited peers that never were connected */
    TCP_AWAIT_MAX = 64,     /* no connection is made for that beyond this number */
    TCP_KEPT = 2048,        /* packets of a connection that are not acknowledged; a power of two */
    TCP_READ_BYTES = 64 << 10,
};

/* A parsed address text (tcp_address.c). */
typedef struct tcp_address {
    uint32_t host_key; /* the same on one host and in one network namespace, where loopback works */
    char host[TCP_HOST_MAX];
    int has_secret;
    uint8_t secret[COR_SECRET_BYTES];
    int place_count;
    cor_place places[TCP_PLACES_MAX];
} tcp_address;

/* A listening socket. An address may have several, with one port. */
typedef struct tcp_listener {
    int fd; /* -1: closed */
    int place;
} tcp_listener;

/* A connection before both ends have authenticated: a call of this rank, or an incoming one. */
typedef enum tcp_stage {
    TCP_CONNECTING,     /* call: the kernel connects */
    TCP_AWAITS_HELLO,   /* both */
    TCP_AWAITS_PROOF,   /* incoming */
    TCP_AWAITS_WELCOME, /* call */
} tcp_stage;

typedef struct tcp_greeting {
    cor_greeting base;
    tcp_stage stage;
    int peer; /* the rank it is, or claims to be */
    uint64_t deadline_ns;
    uint64_t moved_ns;            /* of an incoming one: when its stage began */
    struct sockaddr_storage from; /* of an incoming one */
} tcp_greeting;

/* A packet that may have to be sent again. */
typedef struct tcp_kept {
    uint64_t start;           /* of head and copied payload in the ring */
    const cor_payload *zcopy; /* payload that is not copied, or NULL */
    size_t zcopy_offset;
    uint32_t ring_bytes; /* head and copied payload */
    uint32_t zcopy_bytes;
    uint32_t fetched_bytes; /* of them, prefetched for the kernel: tcp_send.c */
} tcp_kept;

/* The sending half. Packets first .. next - 1 are kept; those before `leaving` were passed to the kernel. */
typedef struct tcp_out {
    char *ring; /* retain_bytes, NULL until the first packet */
    tcp_kept *kept;
    uint64_t ring_end, ring_start;    /* positions: next free, oldest kept */
    uint32_t first, next, leaving;    /* numbers of packets */
    size_t left_bytes;                /* of packet `leaving`, already passed to the kernel */
    size_t unasked_bytes;             /* since a packet last requested an acknowledgement */
    uint32_t unasked;                 /* likewise, packets */
    uint8_t control[TCP_FRAME_BYTES]; /* a frame that goes between two packets */
    size_t control_bytes, control_left;
} tcp_out;

/* The receiving half. */
typedef struct tcp_in {
    uint8_t *buffer;
    size_t capacity, start, end;
    uint32_t received; /* number of the last packet delivered */
    int owes_ack;
    int bulk;      /* more landing payloads are likely: reading ahead would copy them */
    int has_frame; /* `frame` waits for its payload */
    tcp_frame frame;
    cor_wire_landing landing; /* where the payload goes; payload NULL: to the buffer */
    size_t landed;
} tcp_in;

/* The link to one peer; tcp_rules.h has its states. */
typedef struct tcp_link {
    int rank;
    tcp_link_state state;
    int fd;         /* while TCP_OPEN */
    int open_index; /* in wire->open */
    int is_clogged; /* the kernel accepts no more data for now */
    int is_caller;  /* this rank made the last connection */
    int has_been_open;
    int send_error;   /* errno of a failed send; the receiving half will notice */
    int wants_notice; /* lost, and not reported to the sink yet */
    tcp_out out;
    tcp_in in;

    tcp_greeting call;  /* fd -1: none under way */
    int place;          /* of the call */
    int is_place_sure;  /* it has worked: the others are not tried */
    int refused_places; /* number of refusals in a row; a silent address resets it */
    tcp_clock clock;
    uint64_t looked_ns; /* when its clock was last advanced */
    uint64_t retry_ns;  /* when to call again */
    int tries;
    tcp_address address;
    cor_fault fault; /* the last error; of a lost link the reason */
} tcp_link;

/* A packet of this rank to itself. */
typedef struct tcp_note {
    cor_link link;
    cor_header header;
    size_t bytes;
    char data[];
} tcp_note;

typedef struct tcp_wire {
    cor_wire base;
    cor_wire_options options;
    cor_tcp_config config;
    int epoll_fd;
    int is_armed; /* a thread has gone to sleep since the last wake-up from here */
    uint8_t secret[COR_SECRET_BYTES];
    tcp_address address; /* this rank's */
    tcp_listener *listeners;
    int listener_count;
    int listen_queue; /* backlog of each of them in the kernel */

    char **texts;     /* every rank's addresses */
    tcp_link **links; /* by rank; NULL: never needed */
    tcp_link **open;  /* those in TCP_OPEN */
    int open_count;
    tcp_greeting *incoming[TCP_INCOMINGS_MAX];
    int incoming_count, call_count;
    cor_list notes;
    uint32_t polls;
    int is_shutting_down;   /* a peer may end now */
    int is_corked;          /* packets are batched with those behind them */
    int must_look;          /* the next poll reads from all peers */
    int watches_links;      /* epoll includes the links; else each is read in turn, as there are few */
    uint8_t *awaited;       /* memory for the result of options.awaited */
    uint64_t await_ns;      /* when to call it next */
    uint64_t next_timer_ns; /* 0: none */
    uint64_t strangers, strangers_told, stranger_told_ns;
} tcp_wire;

static inline tcp_wire *tcp_of(cor_wire *base)
{
    return (tcp_wire *)(void *)base;
}

/* The objects that epoll reports on. */
enum { TCP_AT_LISTENER, TCP_AT_INCOMING, TCP_AT_CALL, TCP_AT_LINK };

static inline uint64_t tcp_event_key(int what, int index)
{
    return (uint64_t)what << 32 | (uint32_t)index;
}

/* tcp_listen.c */
/* Add a socket of this address; the list owns it on success only. -1, with errno. */
int tcp_listen_add(tcp_wire *wire, int fd, int index);
/* Make room for `callers` calls at once while this rank does not poll, as far as the kernel permits. */
void tcp_listen_more(tcp_wire *wire, int index, int callers);
void tcp_listen_close(tcp_wire *wire, int index);

/* tcp_interface.c: this rank's addresses. */
int tcp_interface_choose(tcp_wire *wire, cor_fault *fault); /* listen, fill wire->address */
/* This many ranks of this host and of others may call: listen only on the addresses they use. */
void tcp_interface_trim(tcp_wire *wire, int others_here, int others_away);
struct ifaddrs;
/* Is one of its places not an address of this host? `all` are those of this host. */
int tcp_interface_reaches(const struct ifaddrs *all, const tcp_address *peer);
int tcp_place_is_near(const cor_place *place, const tcp_address *ours); /* on a network of this host */

/* tcp_address.c */
void tcp_address_print(const tcp_address *address, char text[COR_WIRE_ADDRESS_MAX]);
int tcp_address_parse(const char *text, tcp_address *address_p, cor_fault *fault);

/* tcp_greet.c: what both ends of a new connection do. */
void tcp_socket_tune(const tcp_wire *wire, int fd);
uint64_t tcp_socket_silence_ns(int fd); /* since the last sign of life of the other host */
int tcp_watch(const tcp_wire *wire, int fd, int what, int index, int is_for_writing, int is_new);
int tcp_unwatch(const tcp_wire *wire, int fd);

/* tcp_incoming.c: connections from outside. */
int tcp_accept(tcp_wire *wire, int listener); /* by its number in the list */
int tcp_incoming_turn(tcp_wire *wire, int slot);
void tcp_incoming_all_time(tcp_wire *wire, uint64_t now);
void tcp_incoming_all_close(tcp_wire *wire);

/* tcp_call.c: connections to others. */
void tcp_call(tcp_wire *wire, tcp_link *link, uint64_t now);
void tcp_call_give_up(tcp_wire *wire, tcp_link *link); /* because of a call from the peer */
int tcp_call_turn(tcp_wire *wire, tcp_link *link);
void tcp_call_time(tcp_wire *wire, tcp_link *link, uint64_t now);
int tcp_call_is_stuck(const tcp_link *link); /* the address does not answer at once, as a good one would */
void tcp_call_drop(tcp_wire *wire, tcp_link *link);
int tcp_call_take(tcp_wire *wire, tcp_link *link); /* returns its socket, which the caller then owns */

/* tcp_link.c: life of a link. */
void tcp_places_order(const tcp_wire *wire, tcp_address *address); /* best first, and only those that may be called */
tcp_link *tcp_link_get(tcp_wire *wire, int rank);                  /* made on first use; NULL: no memory, reported */
void tcp_link_open(tcp_wire *wire, tcp_link *link, int fd, uint32_t peer_received, int is_caller);
/* The peer called from this address: prefer it for calls back. */
void tcp_link_came_from(tcp_link *link, const struct sockaddr_storage *from);
void tcp_link_break(tcp_wire *wire, tcp_link *link, const char *cause);
/* The last sign of life was silence_ns ago. */
void tcp_link_heard(tcp_wire *wire, tcp_link *link, uint64_t silence_ns);
void tcp_link_lose(tcp_wire *wire, tcp_link *link, const char *cause);
void tcp_link_bye(tcp_wire *wire, tcp_link *link); /* the peer has reported its end */
/* A call was refused, or dropped: is the process known to have ended? Then the link is lost. */
int tcp_link_inquire(tcp_wire *wire, tcp_link *link);
/* The link is lost because this rank can open no more descriptors. */
void tcp_link_lose_room(tcp_wire *wire, tcp_link *link);
int tcp_link_time(tcp_wire *wire, tcp_link *link, uint64_t now);
/* Connect to awaited peers that never were connected: they may have died before they called. */
void tcp_links_await(tcp_wire *wire, uint64_t now);
int tcp_link_tell(tcp_wire *wire, tcp_link *link); /* report the loss to the sink */
void tcp_link_destroy(tcp_wire *wire, tcp_link *link);
void tcp_timer(tcp_wire *wire, uint64_t at_ns);

/* tcp_send.c */
int tcp_send(cor_wire *base, int rank, const cor_header *header, const cor_payload *payload, size_t offset,
             size_t bytes);
int tcp_send_zcopy(cor_wire *base, int rank, const cor_header *header, const cor_payload *payload, size_t offset,
                   size_t bytes, int is_last);
void tcp_flush(tcp_wire *wire, tcp_link *link);
void tcp_send_control(tcp_wire *wire, tcp_link *link, int kind);
/* Process a cumulative ACK. Returns 0 if it is invalid. */
int tcp_acknowledged(tcp_wire *wire, tcp_link *link, uint32_t number);
void tcp_out_rewind(tcp_link *link); /* for a new connection: start with the first packet kept */
int tcp_is_flushed(cor_wire *base);
void tcp_cork(cor_wire *base);
void tcp_uncork(cor_wire *base, int rank);

/* tcp_receive.c: read what has arrived, or wait for data; returns the number of events. May break the link. */
void tcp_reject(cor_wire *base, int rank, const char *what);
int tcp_receive(tcp_wire *wire, tcp_link *link, int may_wait);
void tcp_in_reset(tcp_link *link);

/* tcp_wait.c */
int tcp_watch_links(tcp_wire *wire);
int tcp_poll(cor_wire *base, int first);
int tcp_arm(cor_wait_source *source);
int tcp_fds(cor_wait_source *source, struct pollfd *fds, int room, int *timeout_ms_p);
int tcp_wait_and_poll(cor_wait_source *source);
void tcp_wake(tcp_wire *wire); /* threads of this rank that sleep */

#endif
