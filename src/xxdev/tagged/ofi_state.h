/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bridge to libfabric, its inside: tagged messages of a reliable datagram endpoint (FI_EP_RDM).
 *
 * Everything ends in one completion queue. What a provider cannot take now (FI_EAGAIN) waits in a queue and is tried again
 * with progress, in order. There is one for what goes to each peer, since a provider may take nothing for a peer that
 * computes, until it answers. Receives of the device have another; they may wait for ever, and leave places free for those
 * of our own protocol.
 *
 * Short messages go as they are. A message that is longer than options.eager_max_bytes, or synchronous, is announced: an
 * empty message with its tag says, in the remote completion data, how long it is. The receive that matches it answers, and
 * only then do the data follow, to receives that are posted for just them:
 *
 *     sender                                         receiver
 *     announcement: tag, length, number      --->    matched by a receive, or found by a probe
 *                                            <---    answer to this number: the bytes of a piece; 0: no data wanted
 *     pieces of this number, in order        --->    to the receive's memory, or to a buffer and from there
 *
 * A few receives take any answer and are posted again at once. One for each answer could fill the provider, so that nothing
 * more is received, also not what the peers answer to. Pieces are on their way when they are waited for.
 *
 * So no provider meets a message for which the receive has no room, which some do not survive (a short one has room in
 * library->spill); a synchronous send knows when it was matched; and what is read and written in pieces needs room for
 * OFI_WINDOW of them only. A short piece may arrive before a long one that was sent first. They are written in order all
 * the same: elements of a datatype may overlap.
 *
 * Every message has remote completion data, 0 where it is no announcement: a provider that answers a peek tells the data,
 * but not always whether there are any.
 */
#ifndef COR_XXDEV_OFI_STATE_H
#define COR_XXDEV_OFI_STATE_H

#include "base/list.h"
#include "xxdev/tagged/tagged_bridge.h"

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

enum {
    OFI_BATCH = 16,
    OFI_WINDOW = 2,  /* pieces of a message under way */
    OFI_ANSWERS = 2, /* receives for answers */
    OFI_PIECE_BYTES = 256 << 10,
    OFI_SLAB = 64,         /* objects allocated at once */
    OFI_INJECT_MAX = 256,  /* messages injected in a row, whose end nothing tells: the next one is waited for */
    OFI_SMALL_BYTES = 256, /* in pieces, injected through the stack at most */
};

/* The remote completion data of an announcement: how long the message is, the number of its sender's ofi_long, whether it
 * is read in pieces. */
enum { OFI_LENGTH_BITS = 40, OFI_NUMBER_BITS = 22 };
#define OFI_LENGTH_MAX ((UINT64_C(1) << OFI_LENGTH_BITS) - 1)
#define OFI_NUMBER_MAX ((UINT32_C(1) << OFI_NUMBER_BITS) - 1)
#define OFI_IN_PIECES (UINT64_C(1) << 62)
#define OFI_ANNOUNCED (UINT64_C(1) << 63)

typedef enum ofi_kind {
    OFI_SEND,    /* a short message */
    OFI_RECEIVE, /* of a message, or an announcement */
    OFI_CLAIM,   /* likewise, of what a peek has taken */
    OFI_PEEK,
    OFI_CONTROL, /* an announcement, or an answer */
    OFI_ANSWER,  /* a receive of any answer */
    OFI_PIECE_OUT,
    OFI_PIECE_IN,
} ofi_kind;

/* Queues of receives: for answers; of the rest of our protocol, and what is claimed; of the device. */
enum { OFI_IN_ANSWERS, OFI_IN_OWN, OFI_IN, OFI_INS };

typedef struct ofi_long ofi_long;

/* What the provider was asked for, or will be. */
typedef struct ofi_request {
    struct fi_context2 context; /* the provider's. It comes first: completions name it. */
    struct ofi_request *next;   /* in a queue, or in the list of what is free */
    ofi_kind kind;
    int peer;
    uint64_t tag, mask, data;
    void *memory;
    size_t bytes, offset; /* of a piece: where it begins */
    void *bounce;         /* of a short message in pieces, or a copy; freed with the request */
    cor_tagged_transfer *transfer;
    cor_tagged_data whole; /* of a receive: where it all goes */
    ofi_long *owner;       /* of an announcement and pieces */
    int is_queued, is_cancelling;
    int is_taking, is_found; /* of a peek: takes the message; 1, 0, or -1: not known yet */
    cor_tagged_result result;
} ofi_request;

/* An announced message: at its sender from the start, at its receiver from the match. */
struct ofi_long {
    ofi_long *next, **here;         /* in library->longs; next: also in the list of what is free */
    uint32_t own;                   /* the number of this object, for good */
    uint32_t number;                /* of the message: its sender's own */
    int peer, is_send, is_awaiting; /* of a send: the answer */
    cor_tagged_transfer *transfer;
    cor_tagged_data data;
    size_t bytes, piece_bytes, begun; /* of the message; of a piece; in pieces that were begun */
    char *buffers;                    /* OFI_WINDOW pieces; NULL: straight from or to memory */
    char *copy;                       /* of a send that is forgotten: what was left then, from here on: */
    size_t copy_offset;
    size_t written;             /* to the receive, in order */
    size_t arrived[OFI_WINDOW]; /* in these buffers, and not written yet */
    int pending;                /* requests under way, the answer that is awaited, holds on it */
    ofi_request *requests[OFI_WINDOW];
    cor_tagged_result result; /* how it ends */
};

/* Requests that wait for the provider. */
typedef struct ofi_queue {
    ofi_request *first, *last;
} ofi_queue;

typedef struct ofi_peer {
    fi_addr_t address;
    ofi_queue out;
    cor_link link; /* in library->blocked, while something is in `out` */
    int is_lost;
} ofi_peer;

struct cor_tagged_library {
    cor_tagged_options options;
    struct fi_info *list, *info; /* what libfabric has; the one of it that is used */
    struct fid_fabric *fabric;
    struct fid_domain *domain;
    struct fid_av *addresses;
    struct fid_cq *completions;
    struct fid_ep *endpoint;
    char name[512]; /* this rank's address */
    size_t name_bytes;
    int descriptor;
    char *spill; /* what receives have no room for is written here, and never read */
    size_t spill_bytes;
    ofi_queue in[OFI_INS];
    cor_list blocked; /* ofi_peer: something waits to go there */
    int blocked_count;
    size_t posted, posted_max; /* receives of the device, that the provider has */
    ofi_request *free_requests;
    ofi_long *longs, *free_longs;
    ofi_long **long_slabs; /* number n is long_slabs[n / OFI_SLAB][n % OFI_SLAB] */
    uint32_t long_count;
    int answers;    /* receives for answers that there are */
    int is_peeking; /* receives of the device stay in their queue */
    int injected;   /* since a message was last sent with a completion */
    void *slabs;    /* linked through their first words */
    ofi_peer peers[];
};

/* ofi_open.c */
int ofi_open(const cor_tagged_options *options, cor_tagged_library **library_p, char *why, size_t why_bytes);
void ofi_close(cor_tagged_library *library);

/* ofi_request.c */
ofi_request *ofi_take(cor_tagged_library *library, ofi_kind kind); /* NULL: no memory */
void ofi_give_back(cor_tagged_library *library, ofi_request *r);
void *ofi_slab(cor_tagged_library *library,
               size_t object_bytes); /* of OFI_SLAB objects, until close; NULL: no memory */
/* 0: started, or queued, which a peek is not. An error: the request is still the caller's. */
int ofi_begin(cor_tagged_library *library, ofi_request *r);
/* It does not wait for the provider any more: it is completed. */
void ofi_fail_queued(cor_tagged_library *library, ofi_request *r, int error);
/* It will be completed, as cancelled or otherwise. */
void ofi_cancel_request(cor_tagged_library *library, ofi_request *r);
/* What is to be sent is not read from the caller's memory any more: 1; 0: the provider reads it, or there is no memory. */
int ofi_copy_queued(ofi_request *r);
int ofi_progress(cor_tagged_library *library);

/* ofi_message.c */
void ofi_message_completed(cor_tagged_library *library, ofi_request *r);
/* What a peek found stands in the request, which is the caller's. A provider answers through the completion queue, at once
 * but for what stands before it there. NULL: *error_p says why; it has not answered within so many polls, if >= 0. */
ofi_request *ofi_peek(cor_tagged_library *library, uint64_t tag, uint64_t mask, int is_taking, long polls,
                      int *error_p);
int ofi_send(cor_tagged_library *library, int peer, uint64_t tag, cor_tagged_data data, int is_sync,
             cor_tagged_transfer *transfer);
int ofi_forget(cor_tagged_library *library, cor_tagged_transfer *transfer);
int ofi_receive(cor_tagged_library *library, uint64_t tag, uint64_t mask, cor_tagged_data data,
                cor_tagged_transfer *transfer, cor_tagged_result *result_p);
int ofi_probe(cor_tagged_library *library, uint64_t tag, uint64_t mask, cor_tagged_result *found_p, void **message_p);
int ofi_receive_message(cor_tagged_library *library, void *message, cor_tagged_data data,
                        cor_tagged_transfer *transfer, cor_tagged_result *result_p);

/* ofi_long.c */
int ofi_announce(cor_tagged_library *library, int peer, uint64_t tag, cor_tagged_data data,
                 cor_tagged_transfer *transfer);
/* The announcement of `message` was matched by this receive, which now ends when the data are there; at once if its sender
 * is lost. */
void ofi_announced(cor_tagged_library *library, const ofi_request *message);
void ofi_long_completed(cor_tagged_library *library, ofi_request *r);
void ofi_answered(cor_tagged_library *library, ofi_request *r);
/* As cor_tagged_ops.forget(), of an announced message. */
int ofi_long_forget(cor_tagged_library *library, const cor_tagged_transfer *transfer);
void ofi_long_lose(cor_tagged_library *library, int peer);

static inline int ofi_goes_out(const ofi_request *r)
{
    return r->kind == OFI_SEND || r->kind == OFI_CONTROL || r->kind == OFI_PIECE_OUT;
}

/* The bits of a tag that the device uses. */
static inline uint64_t ofi_tag_ones(const cor_tagged_library *library)
{
    return ~UINT64_C(0) >> (64 - library->options.tag_bits);
}

static inline int ofi_peer_of(const cor_tagged_library *library, uint64_t tag)
{
    const cor_tagged_options *options = &library->options;
    return (int)(tag >> options->tag_peer_shift & ((UINT64_C(1) << options->tag_peer_bits) - 1));
}

#endif
