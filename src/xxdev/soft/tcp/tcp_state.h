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
    TCP_INCOMINGS_MAX = 64, /* connections that have not proved themselves yet */
    TCP_GREETING_S = 5,     /* how long one of them may take */
    TCP_CALL_AGAIN_S = 2,   /* how long an address may not answer that has been connected before */
    TCP_AWAIT_MS = 1000,    /* so often are awaited peers looked for that were never connected */
    TCP_AWAIT_MAX = 64,     /* beyond so many connections none is made for that */
    TCP_KEPT = 2048,        /* packets of a connection that are not acknowledged; a power of two */
    TCP_READ_BYTES = 64 << 10,
};

/* What an address text says (tcp_address.c). */
typedef struct tcp_address {
    uint32_t host_key; /* the same on one host and in one network namespace, where loopback works */
    char host[TCP_HOST_MAX];
    int has_secret;
    uint8_t secret[COR_SECRET_BYTES];
    int place_count;
    cor_place places[TCP_PLACES_MAX];
} tcp_address;

/* A socket that is listened on. An address may have several, with one port. */
typedef struct tcp_listener {
    int fd; /* -1: closed */
    int place;
} tcp_listener;

/* A connection before both ends believe each other: a call of ours, or a incoming. */
typedef enum tcp_stage {
    TCP_CONNECTING,     /* call: the kernel is at it */
    TCP_AWAITS_HELLO,   /* both */
    TCP_AWAITS_PROOF,   /* incoming */
    TCP_AWAITS_WELCOME, /* call */
} tcp_stage;

typedef struct tcp_greeting {
    cor_greeting base;
    tcp_stage stage;
    int peer; /* the rank it is, or says it is */
    uint64_t deadline_ns;
    uint64_t moved_ns;            /* of a incoming: when its stage began */
    struct sockaddr_storage from; /* of a incoming */
} tcp_greeting;

/* A packet that may have to be sent again. */
typedef struct tcp_kept {
    uint64_t start;           /* of head and copied payload in the ring */
    const cor_payload *zcopy; /* payload that is not copied, or NULL */
    size_t zcopy_offset;
    uint32_t ring_bytes; /* head and copied payload */
    uint32_t zcopy_bytes;
    uint32_t fetched_bytes; /* of them, ahead of the kernel: tcp_send.c */
} tcp_kept;

/* The sending half. Packets first .. next - 1 are kept; those before `leaving` are with the kernel. */
typedef struct tcp_out {
    char *ring; /* retain_bytes, NULL until the first packet */
    tcp_kept *kept;
    uint64_t ring_end, ring_start;    /* positions: next free, oldest kept */
    uint32_t first, next, leaving;    /* numbers of packets */
    size_t left_bytes;                /* of the one that leaves, already with the kernel */
    size_t unasked_bytes;             /* since a packet last asked to be acknowledged */
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
    int bulk;      /* more payloads that land may come soon: what is read ahead of them would have to be copied */
    int has_frame; /* `frame` waits for its payload */
    tcp_frame frame;
    cor_wire_landing landing; /* where the payload goes; payload NULL: it comes into the buffer */
    size_t landed;
} tcp_in;

/* The way to one peer: tcp_rules.h says how it lives and ends. */
typedef struct tcp_link {
    int rank;
    tcp_link_state state;
    int fd;         /* while TCP_OPEN */
    int open_index; /* in wire->open */
    int is_clogged; /* the kernel takes no more for now */
    int is_caller;  /* the last connection was called by us */
    int has_been_open;
    int send_error;   /* errno of a send that failed; the reading half finds out soon */
    int wants_notice; /* lost, and the sink does not know yet */
    tcp_out out;
    tcp_in in;

    tcp_greeting call;  /* fd -1: none under way */
    int place;          /* of the call */
    int is_place_sure;  /* it has worked: the others need not be tried */
    int refused_places; /* how many have refused, one after the other; one that is silent begins anew */
    tcp_clock clock;
    uint64_t looked_ns; /* when it last went on */
    uint64_t retry_ns;  /* when to call again */
    int tries;
    tcp_address address;
    cor_fault fault; /* the last trouble; of a lost link why */
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
    int is_armed; /* a thread has gone to sleep since it was last woken from here */
    uint8_t secret[COR_SECRET_BYTES];
    tcp_address address; /* ours */
    tcp_listener *listeners;
    int listener_count;
    int listen_queue; /* so many calls each of them holds in the kernel */

    char **texts;     /* every rank's addresses */
    tcp_link **links; /* by rank; NULL: never needed */
    tcp_link **open;  /* those in TCP_OPEN */
    int open_count;
    tcp_greeting *incoming[TCP_INCOMINGS_MAX];
    int incoming_count, call_count;
    cor_list notes;
    uint32_t polls;
    int is_shutting_down;   /* a peer may leave now */
    int is_corked;          /* packets wait for those behind them */
    int must_look;          /* the next poll asks all peers */
    int watches_links;      /* epoll tells of the links as well; else each is asked, and there are few */
    uint8_t *awaited;       /* room for the answer of options.awaited */
    uint64_t await_ns;      /* when to ask it next */
    uint64_t next_timer_ns; /* 0: none */
    uint64_t strangers, strangers_told, stranger_told_ns;
} tcp_wire;

static inline tcp_wire *tcp_of(cor_wire *base)
{
    return (tcp_wire *)(void *)base;
}

/* What epoll tells us about. */
enum { TCP_AT_LISTENER, TCP_AT_INCOMING, TCP_AT_CALL, TCP_AT_LINK };

static inline uint64_t tcp_event_key(int what, int index)
{
    return (uint64_t)what << 32 | (uint32_t)index;
}

/* tcp_listen.c */
/* One more socket, of this address; it belongs to the list on success only. -1: errno says why. */
int tcp_listen_add(tcp_wire *wire, int fd, int index);
/* So many may call at once while this rank does not look: their calls shall find room. As far as the kernel lets us. */
void tcp_listen_more(tcp_wire *wire, int index, int callers);
void tcp_listen_close(tcp_wire *wire, int index);

/* tcp_interface.c: our own addresses. */
int tcp_interface_choose(tcp_wire *wire, cor_fault *fault); /* listen, fill wire->address */
/* So many ranks may call us, of this host and of others: listen where they will, and nowhere else. */
void tcp_interface_trim(tcp_wire *wire, int others_here, int others_away);
struct ifaddrs;
/* Is one of its places no address of this host? `all` are ours. */
int tcp_interface_reaches(const struct ifaddrs *all, const tcp_address *peer);
int tcp_place_is_near(const cor_place *place, const tcp_address *ours); /* on a network of ours */

/* tcp_address.c */
void tcp_address_print(const tcp_address *address, char text[COR_WIRE_ADDRESS_MAX]);
int tcp_address_parse(const char *text, tcp_address *address_p, cor_fault *fault);

/* tcp_greet.c: what both ends of a new connection do alike. */
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
void tcp_call_give_up(tcp_wire *wire, tcp_link *link); /* in favour of a call from the peer */
int tcp_call_turn(tcp_wire *wire, tcp_link *link);
void tcp_call_time(tcp_wire *wire, tcp_link *link, uint64_t now);
int tcp_call_is_stuck(const tcp_link *link); /* the address does not answer at once, as a good one would */
void tcp_call_drop(tcp_wire *wire, tcp_link *link);
int tcp_call_take(tcp_wire *wire, tcp_link *link); /* its socket, which is the caller's from here on */

/* tcp_link.c: life of a link. */
void tcp_places_order(const tcp_wire *wire, tcp_address *address); /* best first, and only those that may be called */
tcp_link *tcp_link_get(tcp_wire *wire, int rank);                  /* made on first use; NULL: no memory, told */
void tcp_link_open(tcp_wire *wire, tcp_link *link, int fd, uint32_t peer_received, int is_caller);
/* The peer called from this address: it is a good one to call back. */
void tcp_link_came_from(tcp_link *link, const struct sockaddr_storage *from);
void tcp_link_break(tcp_wire *wire, tcp_link *link, const char *cause);
/* The last sign of life was so long ago. */
void tcp_link_heard(tcp_wire *wire, tcp_link *link, uint64_t silence_ns);
void tcp_link_lose(tcp_wire *wire, tcp_link *link, const char *cause);
void tcp_link_bye(tcp_wire *wire, tcp_link *link); /* the peer says that it ends */
/* A call was refused, or dropped: is the process known to have ended? Then the link is lost. */
int tcp_link_inquire(tcp_wire *wire, tcp_link *link);
/* This rank itself may have no more descriptors. */
void tcp_link_lose_room(tcp_wire *wire, tcp_link *link);
int tcp_link_time(tcp_wire *wire, tcp_link *link, uint64_t now);
/* Connect to peers that are waited for and never were connected: they may have died before they called. */
void tcp_links_await(tcp_wire *wire, uint64_t now);
int tcp_link_tell(tcp_wire *wire, tcp_link *link); /* the sink, that it is lost */
void tcp_link_destroy(tcp_wire *wire, tcp_link *link);
void tcp_timer(tcp_wire *wire, uint64_t at_ns);

/* tcp_send.c */
int tcp_send(cor_wire *base, int rank, const cor_header *header, const cor_payload *payload, size_t offset,
             size_t bytes);
int tcp_send_zcopy(cor_wire *base, int rank, const cor_header *header, const cor_payload *payload, size_t offset,
                   size_t bytes, int is_last);
void tcp_flush(tcp_wire *wire, tcp_link *link);
void tcp_send_control(tcp_wire *wire, tcp_link *link, int kind);
/* The peer has had every packet up to this one. 0: that cannot be. */
int tcp_acknowledged(tcp_wire *wire, tcp_link *link, uint32_t number);
void tcp_out_rewind(tcp_link *link); /* a new connection: begin with the first packet kept */
int tcp_is_flushed(cor_wire *base);
void tcp_cork(cor_wire *base);
void tcp_uncork(cor_wire *base, int rank);

/* tcp_receive.c: read what has come, or wait for something to come; returns how many events. May break the link. */
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
