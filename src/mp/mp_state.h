/* SPDX-License-Identifier: Apache-2.0 */
/* What mp's files share: the inside of ranks, communicators and requests. */
#ifndef COR_MP_STATE_H
#define COR_MP_STATE_H

#include "base/pool.h"
#include "base/sha256.h"
#include "mp/activity.h"
#include "mp/comm_layout.h"
#include "mp/config.h"
#include "mp/identity.h"
#include "mp/mp.h"
#include "mp/nodes.h"
#include "mp/places.h"
#include "mp/session.h"
#include "trace/record.h"
#include "xxdev/xxdev.h"

#include <pthread.h>

enum {
    COR_CONTEXT_WORDS = 64, /* of 64 bits, one for each communicator at a time and the reserved ones */
    COR_CONTEXT_WORLD = 0,  /* numbers; a communicator's contexts are 2n and 2n + 1 */
    COR_CONTEXT_SELF = 1,
    COR_CONTEXT_LAST_RESERVED = 1,
    COR_HOST_MAX = 256,
};

/* The buffer of buffered sends (buffer.c). */
struct cor_buffer {
    void *memory;
    size_t bytes;
    struct cor_block *first;
    int is_attached, is_automatic;
    uint64_t sequence; /* of the last message */
    cor_comm *comm;    /* the one that has this buffer; NULL: the rank's */
    cor_link link;     /* cor_rank.buffers */
};

struct cor_session {
    _Atomic int references;
    void *_Atomic face;
    cor_rank *rank;
    struct cor_buffer buffer;
};

struct cor_rank {
    cor_device *device;
    cor_monitor monitor;
    cor_comm *world, *self;
    cor_lock *lock; /* guards the device and everything below; NULL: one thread at a time */
    int is_threaded, is_in_team;
    _Atomic uint64_t defer_until_ns; /* cor_rank_defer; 0: nothing has been deferred */
    int long_double_bits;            /* cor_rank_options */
    cor_pool requests;
    cor_list orphans; /* requests freed while in flight */
    cor_buffer buffer;
    cor_list buffers;                     /* of communicators: cor_buffer.link */
    cor_list comms;                       /* those with a context: cor_comm.link */
    uint64_t contexts[COR_CONTEXT_WORDS]; /* bit set: free */
    int idup_count;                       /* communicators being made in the background */
    cor_host *node;                       /* the ranks of this host */
    int *node_of;                         /* rank of the job -> node */
    cor_places places;
    void *coll; /* coll's: the rules; freed by coll_free */
    void (*coll_free)(void *coll);
    cor_fault *fault;

    /* A rank and those joined to it are one to the program (rank_joined.c). */
    cor_rank *origin; /* the rank of this process that the program began with; often this one */
    cor_lock own_lock;
    cor_fault own_fault;
    cor_list joined;        /* of an origin: cor_rank.joined_link */
    cor_list left;          /* likewise, of those that have been finalised */
    cor_link joined_link;   /* of another: in one of the two */
    cor_follower companion; /* on the device's list: moves the devices of the others */
    int is_moving_others;   /* of an origin: a companion is running */
    uint64_t job_id;        /* this and the secret: identity.h */
    uint8_t job_secret[COR_SHA256_BYTES];
    cor_strangers strangers; /* of an origin: processes of other jobs */
    cor_job *job;            /* of another */
    int is_silent_by_itself; /* of an origin: the value of its waiter before others joined */
    int (*prepare)(cor_rank *rank, cor_fault *fault);
    void *dynamic;    /* the layer above's: ports and jobs that this one has joined; freed by dynamic_free */
    cor_meet_fn meet; /* with it */
    void (*dynamic_free)(void *dynamic);

    cor_config config;
    cor_log log;
    cor_boot *boot;
    /* Rank, size, program and slots, which any thread may ask for at any time; and the boot itself once the rank is
     * closed. */
    cor_boot known;
    /* Besides the lock: guards the change from `boot` to `known`, and an abort by `boot`. */
    pthread_mutex_t boot_mutex;

    /* What others see of this rank (activity.h). */
    cor_record_part record; /* no slot: there is none */
    cor_team *team;         /* NULL: a process of its own */
    struct cor_own_record *own_record;
    cor_now now;   /* as last written to the record */
    cor_list told; /* cor_activity.link: the waits of this rank's threads that are in the record */
    uint32_t told_count;
    int has_counter, is_closing;
    uint64_t next_count_ns; /* when what is queued is counted again */
    uint64_t waited;        /* ticks, in the call that is measured */
    uint64_t wait_begin;    /* likewise, of its last wait; 0: it has not waited */
    uint16_t algorithm;     /* likewise */
    char host[COR_HOST_MAX];
};

typedef enum cor_request_kind {
    COR_REQUEST_SEND,
    COR_REQUEST_RECV,
    COR_REQUEST_JOB,     /* several steps; `transfer` is filled in at the end */
    COR_REQUEST_GENERAL, /* done when the program says so (grequest.h) */
} cor_request_kind;

struct cor_request {
    cor_transfer transfer;
    cor_comm *comm;
    cor_link orphan;
    uint8_t kind; /* cor_request_kind */
    uint8_t mode; /* cor_send_mode */
    uint8_t is_persistent, is_active;
    uint8_t is_abandoned; /* its handle was freed before it was done */
    /* Of a persistent one. */
    int peer, tag;
    cor_payload payload;
    /* Of a job: what it works with, or NULL. */
    void *job;
    int (*job_start)(cor_request *request); /* a persistent one; under the lock */
    void (*job_free)(void *job);            /* with the request; under the lock */
    cor_fault *fault; /* the sentence of its failure, until it is completed; NULL: there is none of its own */
    void *face;
    void (*face_free)(void *data);
};

/* Without the lock, for a call that may come too late: NULL if another thread has finalised the rank, and dropped all
 * requests. relaxed: the communicator stays until the rank is destroyed. */
static inline cor_comm *cor_request_comm_if_any(const cor_request *request)
{
    return __atomic_load_n(&request->comm, __ATOMIC_RELAXED);
}

static inline void cor_status_fill(const cor_comm *comm, const cor_transfer *t, cor_status *status)
{
    status->source = cor_comm_rank_of(comm, t->peer);
    status->tag = t->tag;
    status->error = t->error;
    status->is_cancelled = t->is_cancelled;
    status->bytes = t->bytes;
    status->message_bytes = t->message_bytes;
}

extern const cor_status cor_status_nobody; /* what a receive from COR_PROC_NULL yields */

/* rank_device.c: open the device, together with all other ranks. */
int cor_rank_open_device(cor_rank *rank, cor_fault *fault);

/* rank_joined.c: from cor_rank_join until cor_rank_part, progress of this rank's device also drives the devices of its
 * origin and of all ranks joined to that, and the other way round. The device is open. */
void cor_rank_join(cor_rank *rank);
void cor_rank_part(cor_rank *rank);

/* comm.c */
/* Takes over the caller's references to the groups, also on failure (NULL: no memory). */
cor_comm *cor_comm_make(cor_rank *owner, cor_group *group, cor_group *remote_group, uint32_t number);
/* The same without a context yet, and what gives it one. */
cor_comm *cor_comm_make_bare(cor_rank *owner, cor_group *group, cor_group *remote_group);
void cor_comm_set_context(cor_comm *comm, uint32_t number); /* under the lock */
/* Among the members of one group; takes over the reference. */
cor_comm *cor_comm_make_intra(cor_rank *owner, cor_group *group, uint32_t number);
/* World and self. */
cor_comm *cor_comm_make_first(cor_rank *owner, int size, const int *peers, uint32_t number);
/* Do messages of this context come from this rank of the job? Under the lock; slow. */
int cor_comm_holds(const void *rank, uint32_t context, int peer);
void cor_comm_ref(cor_comm *comm);         /* under the lock */
void cor_comm_drop_locked(cor_comm *comm); /* under the lock */
/* After the rank is closed: free what the calls of its communicators have made, under the lock; and at the end all
 * communicators. */
void cor_comm_empty_all(cor_rank *rank);
/* In Finalize: cor_comm_set_subject. */
void cor_comm_end_subjects(const cor_rank *rank);
void cor_comm_destroy_all(cor_rank *rank);

/* comm_create.c */
int cor_comm_no_memory(cor_rank *owner); /* records the failure; returns COR_ERR_MEMORY */
/* A copy without a context yet; NULL: no memory. */
cor_comm *cor_comm_make_dup(cor_comm *comm);

/* request.c */
cor_request *cor_request_make(cor_comm *comm, cor_request_kind kind); /* under the lock; NULL: no memory */
void cor_request_drop(cor_request *request);                          /* under the lock */
void cor_request_sweep(cor_rank *rank);                               /* under the lock: free orphans that are done */
/* Likewise: cancel the receives among them that no message has matched. */
void cor_request_cancel_orphans(const cor_rank *rank);
int cor_request_is_pending(const cor_comm *comm); /* under the lock: is one of this communicator not done? Slow. */
void cor_request_drop_all(cor_rank *rank);        /* under the lock; the rank ends: whatever the program forgot */

/* buffer.c: send a copy. Under the lock. COR_ERR_BUFFER when there is no room. */
int cor_buffer_send(cor_comm *comm, const cor_payload *payload, int dest, int tag);
/* Under the lock: remove the communicator's buffer, which is empty, before the communicator is freed. */
void cor_buffer_remove(cor_comm *comm);
/* Wait until all buffered sends have left, and forget the buffers. */
void cor_buffer_drain(cor_rank *rank);

/* Contexts beside a communicator's own two, for what members do with a tag of the user's. */
enum { COR_CONTEXT_GROUP = 0x8000, COR_CONTEXT_BRIDGE = 0x4000, COR_CONTEXT_NAMED = 0x2000 };
_Static_assert(COR_CONTEXT_WORDS * 64 * 2 <= (int)COR_CONTEXT_NAMED && (int)COR_CONTEXT_GROUP < 1 << COR_CONTEXT_BITS,
               "contexts have the bits that every device offers");

#endif
