/* SPDX-License-Identifier: Apache-2.0 */
/* The tagged device's inside: what its files share. */
#ifndef COR_XXDEV_TAGGED_STATE_H
#define COR_XXDEV_TAGGED_STATE_H

#include "base/pool.h"
#include "xxdev/tagged/tagged_meeting.h"

/* The parts of a tag, from the right. */
enum {
    TAGGED_TAG_BITS = COR_TAG_BITS,
    TAGGED_CLASS_SHIFT = TAGGED_TAG_BITS,
    TAGGED_CLASS_BITS = 4,
    TAGGED_PEER_SHIFT = TAGGED_CLASS_SHIFT + TAGGED_CLASS_BITS,
    TAGGED_PEER_BITS = 15,
    TAGGED_CONTEXT_SHIFT = TAGGED_PEER_SHIFT + TAGGED_PEER_BITS,
    TAGGED_BITS = TAGGED_CONTEXT_SHIFT + COR_CONTEXT_BITS,
};

_Static_assert(TAGGED_BITS == 63, "all parts fill a tag, but for a bit that some providers of libfabric keep");

#define TAGGED_ONES(bits, shift) (((UINT64_C(1) << (bits)) - 1) << (shift))

/* A type class that no face uses: instead of a message comes word that its sender has lost a peer and cannot go on. */
enum { TAGGED_ABANDONED = (1 << TAGGED_CLASS_BITS) - 1 };

static inline uint64_t tagged_tag(uint32_t context, int peer, unsigned type_class, int tag)
{
    uint64_t known_class = type_class > TAGGED_ABANDONED ? 0 : type_class;
    return (uint64_t)context << TAGGED_CONTEXT_SHIFT | (uint64_t)(uint32_t)peer << TAGGED_PEER_SHIFT |
           known_class << TAGGED_CLASS_SHIFT | (uint32_t)tag;
}

static inline int tagged_peer_of(uint64_t tag)
{
    return (int)((tag & TAGGED_ONES(TAGGED_PEER_BITS, TAGGED_PEER_SHIFT)) >> TAGGED_PEER_SHIFT);
}

static inline unsigned tagged_class_of(uint64_t tag)
{
    return (unsigned)((tag & TAGGED_ONES(TAGGED_CLASS_BITS, TAGGED_CLASS_SHIFT)) >> TAGGED_CLASS_SHIFT);
}

static inline int tagged_tag_of(uint64_t tag)
{
    return (int)(tag & TAGGED_ONES(TAGGED_TAG_BITS, 0));
}

/* What a receive or a probe asks for. */
typedef struct tagged_wish {
    uint64_t tag, mask;
} tagged_wish;

static inline tagged_wish tagged_wish_for(uint32_t context, int peer, int tag)
{
    uint64_t mask = TAGGED_ONES(COR_CONTEXT_BITS, TAGGED_CONTEXT_SHIFT);
    mask |= peer == COR_ANY_PEER ? 0 : TAGGED_ONES(TAGGED_PEER_BITS, TAGGED_PEER_SHIFT);
    mask |= tag == COR_ANY_TAG ? 0 : TAGGED_ONES(TAGGED_TAG_BITS, 0);
    return (tagged_wish){tagged_tag(context, peer == COR_ANY_PEER ? 0 : peer, 0, tag == COR_ANY_TAG ? 0 : tag), mask};
}

/* A transfer that the library was given. It outlives one that fails because its peer is lost: the library still speaks
 * of it then. */
typedef struct tagged_request {
    cor_tagged_transfer base;
    cor_link link; /* in tagged.started */
    struct tagged *device;
    cor_transfer *transfer; /* NULL: nothing waits for it any more */
    int is_send;
    int lost_peer; /* of a receive that is cancelled, or to be forgotten, because this one is lost; -1: it is not */
    uint64_t forget_ns; /* when to forget it, because of a loss; 0: never */
} tagged_request;

/* After so many of them a rank naps for a while: the library has something to do, but its descriptor does not say when. */
enum { TAGGED_FRUITLESS_MAX = 8, TAGGED_AT_ONCE_NS = 1000000, TAGGED_NAPS_NS = 10000000 };

/* A message that a matched probe has taken. */
struct cor_message {
    cor_tagged_result found;
    void *handle;
};

typedef struct tagged {
    cor_device base;
    cor_wait_source source;
    int rank, size;
    const cor_log *log;
    cor_tagged_meeting meeting;
    const cor_tagged_ops *ops;   /* of the meeting; and so */
    cor_tagged_library *library; /* NULL: not open yet */
    cor_pool requests, messages;
    cor_list started;     /* tagged_request */
    int sending;          /* of these are sends */
    int doomed;           /* of all are to be forgotten */
    cor_list abandoned;   /* cor_transfer.link: receives that end with the next progress, see TAGGED_ABANDONED */
    cor_list failed;      /* cor_transfer.link: likewise, because the library does not reach their peers any more */
    int *unreached;       /* of each rank: the library's error since which it is not reached; 0: none, or it is lost */
    int unreached_count;  /* of these are not 0: those ranks are lost with the next progress */
    int fruitless;        /* sleeps, or attempts to sleep, that were over at once, and nothing had come */
    uint64_t armed_ns;    /* the last of them */
    int is_probing;       /* a probe has found nothing since the last sleep */
    int is_ending;        /* a peer that leaves is not lost any more */
    uint64_t patience_ns; /* until when these wait for the host to tell which rank has died; 0: none waits */
} tagged;

static inline tagged *tagged_of(cor_device *device)
{
    return (tagged *)(void *)device;
}

/* What takes the place of the fault where the caller wants none. */
static inline cor_fault *tagged_fault(const tagged *self, cor_fault *room)
{
    return self->base.losses.fault ? self->base.losses.fault : room;
}

/* tagged_open.c */
int tagged_address(cor_device *device, int round, char *text, cor_fault *fault);
int tagged_connect(cor_device *device, int round, const char *const *texts, cor_fault *fault);
int tagged_attach(cor_device *device, cor_fault *fault);
int tagged_settle(cor_device *device, cor_fault *fault);
void tagged_close(cor_device *device);

/* tagged.c */
extern const cor_device_ops tagged_ops;
void tagged_done(cor_tagged_transfer *transfer, const cor_tagged_result *result);
void tagged_read(cor_tagged_transfer *transfer, size_t offset, void *to, size_t bytes);
void tagged_write(cor_tagged_transfer *transfer, size_t offset, const void *from, size_t bytes);

/* tagged_lost.c */
void tagged_cancel(cor_device *device, cor_transfer *t);
void tagged_notify_failure(cor_device *device, int peer, uint32_t context, int tag);
void tagged_ended(void *subject, int rank, const cor_fault *why);
/* A receive has met what this peer has announced, which is lost: it ends, though the library may not say so. */
void tagged_doom_receive(tagged *self, tagged_request *request, int peer);
/* A receive that waited for this peer, or any, ends because it is lost. */
void tagged_complete_lost(tagged *self, cor_transfer *t, int peer);
void tagged_unreached(void *device, int peer, int error);
/* The library does not reach this peer any more, says this error of its: COR_ERR_PEER. */
int tagged_lose(tagged *self, int peer, uint32_t context, int error);
/* Does anything stand in abandoned, failed or unreached? Budget: three words that are at hand. */
static inline int tagged_has_unlucky(const tagged *self)
{
    return !cor_list_is_empty(&self->abandoned) || !cor_list_is_empty(&self->failed) || self->unreached_count > 0;
}
int tagged_end_unlucky(tagged *self);   /* these */
int tagged_forget_doomed(tagged *self); /* those whose time has come */

#endif
