/* SPDX-License-Identifier: Apache-2.0 */
/* Internals of the verbs wire, shared by its files. Names begin with ibw, because the library uses ibv. */
#ifndef COR_IBV_STATE_H
#define COR_IBV_STATE_H

#include "base/clock.h"
#include "base/list.h"
#include "xxdev/soft/ibv/ibv.h"
#include "xxdev/soft/ibv/ibv_cache.h"
#include "xxdev/soft/ibv/ibv_library.h"
#include "xxdev/soft/ibv/ibv_mailbox.h"
#include "xxdev/soft/ibv/ibv_mappings.h"
#include "xxdev/soft/ibv/ibv_text.h"

/* A registered piece of memory that holds one frame. */
typedef struct ibw_buffer {
    struct ibw_buffer *next; /* in the pool, or in the backlog of a connection that is being made */
    uint8_t *memory;
    uint32_t lkey;
    uint32_t bytes; /* of the frame in it */
} ibw_buffer;

typedef struct ibw_chunk {
    struct ibw_chunk *next;
    struct ibv_mr *region;
    void *memory;
    ibw_buffer buffers[];
} ibw_chunk;

/* A get, put or update. It is posted in segments if it exceeds the adapter's limit. */
typedef struct ibw_copy {
    cor_link link;     /* ibw_link.copies, until all is posted */
    int is_get, tells; /* tells: the last segment notifies the peer, by `id` */
    int is_update;     /* for the adapter it is a get, too: of the old value, to a result */
    cor_wire_atomic atomic;
    uint32_t id;
    uint64_t remote;
    uint32_t remote_key, local_key;
    char *local;
    size_t bytes, posted;
    int pending; /* segments */
    void *context;
} ibw_copy;

/* The buffer or copy that a place of the send queue refers to. */
typedef struct ibw_sent {
    ibw_buffer *buffer;
    ibw_copy *copy;
} ibw_sent;

typedef enum ibw_state {
    IBW_IDLE,
    IBW_CALLING,  /* this rank's connection request is not answered yet */
    IBW_WAITING,  /* the peer has refused the request, since it connects itself */
    IBW_ACCEPTED, /* its request was answered; a first frame from it is awaited */
    IBW_OPEN,
    IBW_LOST,
} ibw_state;

/* A connection made by datagrams. */
typedef struct ibw_deal {
    uint32_t call;     /* number of this rank's last request */
    uint32_t answered; /* number of the peer's request that the queue pair answers; 0: none */
    uint32_t packet;   /* number of the queue pair's first packet */
    uint64_t pause_ns; /* before the request is repeated */
} ibw_deal;

/* The connection to one peer. */
struct ibw_link {
    int rank;
    ibw_state state;
    struct rdma_cm_id *id; /* with RDMA CM; NULL: no request from either side */
    struct ibv_qp *qp;
    ibw_deal deal;                 /* with exchanged addresses */
    uint32_t credits, credits_max; /* packets this rank may send; receives the peer has posted for it */
    uint32_t owed;                 /* receives posted again for its packets, not reported to it yet */
    uint8_t has_receives, is_told, is_closing, reads_max;
    uint8_t must_greet;                         /* the peer waits for a first frame of this rank */
    int reads;                                  /* on the way */
    uint32_t sent_next, sent_done, unsignalled; /* places of the send queue, counted */
    uint32_t sent_seen;                         /* the place after the last whose completion was seen */
    uint32_t probed;                            /* the place after the last probe */
    ibw_sent *sent;                             /* of place number % send_queue */
    ibw_buffer *backlog_first, *backlog_last;   /* frames for a connection that is not open yet */
    uint32_t backlog_count;
    cor_list copies;
    uint64_t since_ns;                     /* when the first request of either side began, in polled_ns of the wire */
    uint64_t retry_ns;                     /* when to repeat the request; 0: not */
    uint32_t frames_sent, frames_received; /* those that use a receive of the other side */
    ibw_mailbox mailbox;
    cor_fault fault;
};

/* Counters of transfers. */
typedef struct ibw_counts {
    uint64_t packets, packet_bytes;
    uint64_t pieces;     /* of the packets: those that continue a message */
    uint64_t overlapped; /* of the pieces: those copied while an earlier one was incomplete */
    uint64_t mails;      /* of the packets: those written to a mailbox */
    uint64_t reads, writes, copied_bytes;
    uint64_t registrations;
} ibw_counts;

typedef struct ibw_datagrams ibw_datagrams; /* ibv_datagram.c */

/* How connections are made: what differs between RDMA CM and addresses that ranks exchange. */
typedef struct ibw_setup_ops {
    const char *name;
    int reports_ends; /* a peer that ends is reported by an event */
    /* Choose a device usable with this set-up, and complete the wire's address. */
    int (*open)(ibw_wire *wire, cor_fault *fault);
    /* Called when the protection domain exists. */
    int (*start)(ibw_wire *wire, cor_fault *fault);
    void (*stop)(ibw_wire *wire);
    /* After stop(), and when the protection domain is destroyed; also after open() has failed. */
    void (*close)(ibw_wire *wire);
    /* NULL, with errno, on failure. Else `wanted` has the values granted. */
    struct ibv_qp *(*create_queue)(ibw_wire *wire, ibw_link *link, struct ibv_qp_init_attr *wanted);
    /* Send a connection request to the peer, for the first time or again. */
    void (*call)(ibw_wire *wire, ibw_link *link);
    /* The adapter touches no memory for the connection from here on. */
    void (*hang_up)(ibw_wire *wire, ibw_link *link);
    /* Destroy the queue pair, if there is one, and what else the connection has. */
    void (*drop)(ibw_wire *wire, ibw_link *link);
    /* Handle all events that have arrived; returns how many. */
    int (*events)(ibw_wire *wire);
} ibw_setup_ops;

extern const ibw_setup_ops ibw_setup_cm, ibw_setup_exchange;

struct ibw_wire {
    cor_wire base;
    cor_wire_options options;
    cor_ibv_config config;
    ibw_library library;
    ibw_address address;
    uint8_t secret[IBW_SECRET_BYTES];
    struct {
        char host[IBW_HOST_MAX];
        ibw_place place;
        ibw_spot spot;
    } * places; /* of the ranks */
    ibw_link **links;
    uint8_t *awaited;
    ibw_link **by_number; /* queue pair number -> link, open addressing */
    uint32_t by_number_mask;

    char device[COR_IBV_DEVICE_MAX];
    cor_fault obstacle; /* of a hybrid device: why the adapter is not used */
    const ibw_setup_ops *setup;
    struct rdma_event_channel *events; /* with RDMA CM */
    struct rdma_cm_id *listener;       /* the same */
    ibw_datagrams *datagrams;          /* with exchanged addresses */
    int port, gid_index;               /* the same */
    struct ibv_context *context;
    struct ibv_pd *domain;
    struct ibv_comp_channel *channel;
    struct ibv_cq *completions;
    struct ibv_srq *receives;
    size_t segment_max_bytes;
    uint32_t inline_max_bytes;
    int reads_max;
    int epoll_fd;
    uint32_t mail_slot_bytes; /* 0: no mailboxes */
    ibw_link **mail_links;    /* those with a mailbox */
    int mailboxes;

    ibw_chunk *chunks;
    ibw_buffer *free; /* to send from */
    int free_count, send_buffers;
    uint8_t *inline_frame;
    uint32_t cq_events; /* not acknowledged to the library */

    struct ibv_wc found[16]; /* by arm(), for the next poll */
    int found_count;
    int must_look, is_shutting_down;
    int connecting;  /* links between IDLE and OPEN */
    int untold;      /* links that are lost or closing, not reported to the sink yet */
    int owing;       /* links that owe credits or a greeting and had no room to send it */
    int next_probed; /* the rank to begin with */
    int next_asked;  /* the same, for the check whether it has ended */
    uint64_t asked_ns;
    uint32_t polls;
    uint64_t timer_ns;
    uint64_t looked_ns; /* when the clock was last read */
    uint64_t polled_ns; /* time in which this rank polled, so that it could receive from its peers */

    ibw_cache cache;        /* of registrations */
    ibw_mappings *mappings; /* NULL: none was watched yet */
    int has_atomics;        /* the device updates memory of 64 bits */
    struct ibv_mr *results; /* results of updates, IBW_RESULTS of them; NULL: none was needed yet */
    uint64_t free_results;  /* one bit for each */
    size_t registered_bytes, registered_max_bytes;
    int has_told_unwatched, has_told_refused;
    ibw_counts counts;
};

static inline ibw_wire *ibw_of(cor_wire *base)
{
    return (ibw_wire *)(void *)base;
}

enum { IBW_RESULTS = 64, IBW_BACKLOG_MAX = 16, IBW_RECEIVE_BIT = 63, IBW_AWAIT_MS = 1000 };
enum { IBW_VENDOR_SIW = 0x626d74 }; /* the vendor that the driver of soft-iWARP reports */

/* ibv_device.c */
int ibw_device_is_there(void); /* as the kernel reports; needs no libraries */
int ibw_device_open(ibw_wire *wire, cor_fault *fault);
/* Reduce credits and send queues so that all connections of the job fit the shared receive queue and the completion
 * queue of a device with these limits. COR_ERR_UNSUPPORTED: they do not fit. */
int ibw_device_fit(ibw_wire *wire, const struct ibv_device_attr *limits, cor_fault *fault);
void ibw_device_close(ibw_wire *wire);
/* Handle asynchronous events of the device. Links that it reports as broken fail. */
void ibw_device_events(ibw_wire *wire);
int ibw_watch(ibw_wire *wire, int fd);

/* ibv_buffer.c */
int ibw_buffers_post_receives(ibw_wire *wire, int count, cor_fault *fault);
int ibw_buffers_make_sends(ibw_wire *wire, int count, cor_fault *fault);
int ibw_buffer_post(ibw_wire *wire, ibw_buffer *buffer);
/* The fault of a failed registration of `bytes`, with the limit that the system sets. */
int ibw_no_memory(int error, size_t bytes, cor_fault *fault);
/* May this process lock (RLIMIT_MEMLOCK) the buffers of connections to all ranks? */
int ibw_buffers_are_allowed(const ibw_wire *wire, cor_fault *fault);
/* The memory it may lock beyond these buffers. */
size_t ibw_buffers_leave(const ibw_wire *wire);
void ibw_buffers_free(ibw_wire *wire);

static inline ibw_buffer *ibw_buffer_get(ibw_wire *wire)
{
    ibw_buffer *buffer = wire->free;
    if (buffer) {
        wire->free = buffer->next;
        wire->free_count--;
    }
    return buffer;
}

static inline void ibw_buffer_put(ibw_wire *wire, ibw_buffer *buffer)
{
    buffer->next = wire->free;
    wire->free = buffer;
    wire->free_count++;
}

/* ibv_link.c */
static inline int ibw_link_is_connecting(ibw_state state)
{
    return state == IBW_CALLING || state == IBW_WAITING || state == IBW_ACCEPTED;
}

ibw_link *ibw_link_get(ibw_wire *wire, int rank); /* NULL: no memory */
ibw_link *ibw_link_by_number(const ibw_wire *wire, uint32_t number);
void ibw_links_index(ibw_wire *wire); /* after queue pairs were created or destroyed */
void ibw_link_set(ibw_wire *wire, ibw_link *link, ibw_state state);
void ibw_link_drop(ibw_wire *wire, ibw_link *link); /* the connection that was being made */
void ibw_link_fail(ibw_wire *wire, ibw_link *link, const char *format, ...) __attribute__((format(printf, 3, 4)));
int ibw_links_tell(ibw_wire *wire);
void ibw_link_destroy(ibw_wire *wire, ibw_link *link);
void ibw_reject(cor_wire *base, int rank, const char *what);

/* ibv_call.c */
void ibw_call(ibw_wire *wire, ibw_link *link);
void ibw_call_all(ibw_wire *wire); /* the lower rank of each pair accepts */
void ibw_calls_time(ibw_wire *wire);
/* For set-ups, about the connection request of a link: repeat it at at_ns; it has failed, and is repeated later; it was
 * refused; ibw_call_is_over returns 1 if it has lasted longer than ibv.connect_s, and the link has failed. */
void ibw_call_again_at(ibw_wire *wire, ibw_link *link, uint64_t at_ns);
void ibw_call_failed(ibw_wire *wire, ibw_link *link, const char *why);
void ibw_call_refused(ibw_wire *wire, ibw_link *link, int reason);
void ibw_call_wait(ibw_wire *wire, ibw_link *link); /* for a request of the peer; later one is sent to it */
int ibw_call_is_over(ibw_wire *wire, ibw_link *link, const char *why);
/* How long the connection has been attempted, by either side; time in which this rank did not poll does not count. */
static inline uint64_t ibw_call_age_ns(const ibw_wire *wire, const ibw_link *link)
{
    return wire->polled_ns - link->since_ns;
}

/* A request from `rank` has arrived: returns its link, which has no connection yet; NULL: the request is refused, for
 * *reason_p. */
ibw_link *ibw_call_received(ibw_wire *wire, int rank, uint8_t *reason_p);
/* For both sides: post receives and create the queue pair (0: the link has failed); store what the other side has
 * announced; the other side has disconnected. */
int ibw_call_prepare(ibw_wire *wire, ibw_link *link);
void ibw_call_meet(const ibw_wire *wire, ibw_link *link, uint32_t credits, int reads);
void ibw_call_gone(ibw_wire *wire, ibw_link *link);

/* ibv_port.c: choose a device, a port and a GID, without RDMA CM */
int ibw_port_open(ibw_wire *wire, cor_fault *fault);
/* The path from this port to a rank. */
struct ibv_ah_attr ibw_port_path(const ibw_wire *wire, int rank);

/* ibv_datagram.c: an unreliable datagram queue pair that reaches all ranks */
int ibw_datagrams_open(ibw_wire *wire, cor_fault *fault);
void ibw_datagrams_close(ibw_wire *wire);
void ibw_datagram_send(ibw_wire *wire, const ibw_datagram *datagram);
int ibw_datagrams_poll(ibw_wire *wire);

/* ibv_exchange.c */
void ibw_exchange_take(ibw_wire *wire, const ibw_datagram *datagram);

/* ibv_send.c */
int ibw_send(cor_wire *base, int rank, const cor_header *header, const cor_payload *payload, size_t offset,
             size_t bytes);
void ibw_link_opened(ibw_wire *wire, ibw_link *link);
/* 0: there is no room. */
int ibw_send_offer(ibw_wire *wire, ibw_link *link, const ibw_offer *offer);
void ibw_send_credits(ibw_wire *wire, ibw_link *link); /* if the peer needs them, or a greeting */
void ibw_sends_owed(ibw_wire *wire);
void ibw_send_probe(ibw_wire *wire, ibw_link *link); /* answered by the peer's adapter, or not */
/* The place of this number is complete, and all before it except reads: soft-iWARP completes what was sent after a read
 * before the read. */
void ibw_sent_done(ibw_wire *wire, ibw_link *link, uint32_t number, int is_fine);
int ibw_is_flushed(cor_wire *base);

static inline uint32_t ibw_send_room(const ibw_wire *wire, const ibw_link *link)
{
    return (uint32_t)wire->config.send_queue - (link->sent_next - link->sent_done);
}

/* The credits that a frame returns. */
static inline uint16_t ibw_credits_to_tell(ibw_link *link)
{
    uint16_t credits = (uint16_t)(link->owed < UINT16_MAX ? link->owed : UINT16_MAX);
    link->owed -= credits;
    return credits;
}

/* Post to the send queue, which has room. 0: the link has failed. */
int ibw_post(ibw_wire *wire, ibw_link *link, struct ibv_send_wr *request, ibw_sent sent);

/* Count a packet that is copied and sent, its payload from this offset of a message. */
static inline void ibw_count_packet(ibw_wire *wire, const ibw_link *link, size_t offset, size_t bytes)
{
    wire->counts.packets++;
    wire->counts.packet_bytes += bytes;
    wire->counts.pieces += offset > 0;
    wire->counts.overlapped += offset > 0 && link->sent_next != link->sent_done;
}

/* ibv_memory.c */
extern const cor_wire_memory_ops ibw_memory;
void ibw_memory_open(ibw_wire *wire);
void ibw_memory_close(ibw_wire *wire);
int ibw_puts_tell(const ibw_wire *wire);
void ibw_copies_start(ibw_wire *wire, ibw_link *link);
/* Start a copy to or from a connected rank. COR_AGAIN, or an error: nothing was started. */
int ibw_copy_begin(ibw_wire *wire, int rank, const cor_wire_key *key, size_t offset, ibw_copy asked);
void ibw_copy_free(ibw_wire *wire, ibw_copy *copy);
void ibw_copy_done(ibw_wire *wire, ibw_link *link, ibw_copy *copy, int is_fine);

/* ibv_atomic.c */
unsigned ibw_atomics(const ibw_wire *wire); /* as of a route */
int ibw_update(cor_wire *base, int rank, const cor_wire_key *to, size_t offset, const cor_wire_atomic *atomic,
               void *context);
/* Fill in the work request for the update that the copy describes. */
void ibw_atomic_fill(const ibw_copy *copy, struct ibv_send_wr *request);
void ibw_result_take(const ibw_copy *copy); /* it has arrived */
void ibw_result_free(ibw_wire *wire, const ibw_copy *copy);
void ibw_results_close(ibw_wire *wire);

/* ibv_poll.c */
int ibw_poll(cor_wire *base, int first);
/* Handle a frame that has arrived, in a receive or in a mailbox. */
void ibw_frame_take(ibw_wire *wire, ibw_link *link, const ibw_frame *frame, size_t bytes);
int ibw_arm(cor_wait_source *source);
int ibw_fds(cor_wait_source *source, struct pollfd *fds, int room, int *timeout_ms_p);

#endif
