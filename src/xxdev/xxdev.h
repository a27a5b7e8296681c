/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xxdev: a device moves tagged messages between the ranks of a job. It has no communicators: a message belongs to a
 * context, comes from a peer (0..size-1, its number in the job) and has a tag. A context has COR_CONTEXT_BITS, a peer
 * COR_PEER_BITS; the device sets the largest tag (tag_max). With COR_TAG_BITS for the tag the three fit 64 bits, which
 * is what a library that matches by itself compares.
 *
 * Life. The registry (registry.h) opens a device by its name. All ranks then make the same steps of the set-up, and the
 * caller makes the exchanges: rounds of address() and connect() until a device needs no more; a fence; attach(); a
 * fence; settle(). Then messages may be sent. cor_device_close frees everything but the memory of the struct, after any
 * of these steps, when no peer sends any more; other threads of the rank may still be in calls (closing.h).
 * cor_device_destroy frees that memory, when no thread of the rank makes calls any more.
 *
 * Order: two messages from one peer in one context that both match a receive are received in the order sent.
 *
 * Transfers. Every send and receive is a cor_transfer whose memory the caller provides, on its stack for a blocking
 * call; the device owns it from the start call until is_done, and the payload with it. A started transfer must not
 * be moved or forgotten: wait for it, or cancel and then wait.
 *
 * Locking. One lock per rank (options.lock) guards the device: every function is called with it held and returns with
 * it held. Only waiting (cor_device_idle and what calls it) releases it meanwhile. A payload that is still needed must
 * be held (payload.h) before the lock is released, because from then on another thread may make the progress:
 * cor_device_leave does that.
 *
 * Blocking. No operation blocks. Progress is made by the caller's thread, in progress(). Waiting is common to all
 * devices (wait/waiter.h): in settle() a device adds to its waiter the sources that wake it.
 *
 * Errors. A start function that returns a negative code has not started the transfer. A later failure is in
 * transfer.error when the transfer is done.
 *
 * Types. A message carries the type class of its payload (payload.h). If both sides state a type class and these
 * differ, the message is received, but none of its data are written: COR_ERR_MISMATCH. A message without elements, or a
 * side without a type class, matches everything.
 *
 * A peer may be lost (its process has ended, its host is silent). All transfers to and from it then end with
 * COR_ERR_PEER. Messages that had arrived before can still be received; after that sends to it and receives from it
 * fail at the start. Receives and probes for any peer fail as well, because the message might have come from the lost
 * peer: once in each context whose group contains it. All such receives that are posted end with COR_ERR_PEER, or, if
 * none is, the next one that is started or probed for. Later ones are accepted again, as long as the group has another
 * member.
 */
#ifndef COR_XXDEV_XXDEV_H
#define COR_XXDEV_XXDEV_H

#include "base/error.h"
#include "base/list.h"
#include "base/lock.h"
#include "base/log.h"
#include "dtype/payload.h"
#include "wait/waiter.h"
#include "xxdev/losses.h"

#include <stdint.h>

enum { COR_ANY_PEER = -1, COR_ANY_TAG = -2 };

enum { COR_CONTEXT_BITS = 16, COR_PEER_BITS = 20, COR_TAG_BITS = 28 };

typedef struct cor_device cor_device;
typedef struct cor_message cor_message; /* a message taken out by improbe, not yet received */

typedef struct cor_transfer {
    /* For the caller to read once is_done. */
    int32_t is_done;
    int32_t error; /* COR_OK, COR_ERR_TRUNCATE, COR_ERR_MISMATCH, COR_ERR_PEER... */
    int32_t peer;  /* source of a receive, destination of a send */
    int32_t tag;
    size_t bytes;         /* received, or sent; of a truncated message the part that fits */
    size_t message_bytes; /* as sent, also when it was truncated; of a mismatch: cor_mismatch() */
    int32_t is_cancelled;

    /* Private to the device. */
    uint8_t state, is_send, is_sync, is_urgent;
    uint32_t context;
    uint32_t id;      /* in the device's table, 0: none */
    uint32_t peer_id; /* the other end's, for rendezvous */
    uint64_t sequence;
    size_t moved;           /* payload bytes already sent or received */
    uint32_t zcopy_pending; /* packets of it that a wire still refers to */
    uint8_t has_handle;
    void *handle; /* of a library: its request, or its registration of the payload's memory */
    cor_payload payload;
    cor_link link;   /* posted queue, outbox or stream list */
    cor_link unheld; /* list of payloads to hold before the lock is released */
} cor_transfer;

/* Do both sides have a type class, and different ones? Budget where they agree: one comparison. */
static inline int cor_transfer_is_mismatch(const cor_transfer *t, unsigned type_class, size_t bytes)
{
    return COR_UNLIKELY(type_class != t->payload.type_class) && type_class && t->payload.type_class && bytes > 0;
}

/* A receive has matched its message: fill in what the caller may read, and return the result of the receive. */
static inline int cor_transfer_meet(cor_transfer *t, int peer, int tag, unsigned type_class, size_t bytes)
{
    size_t room = t->payload.bytes;
    t->peer = peer;
    t->tag = tag;
    t->message_bytes = bytes;
    t->bytes = bytes <= room ? bytes : room;
    if (cor_transfer_is_mismatch(t, type_class, bytes)) {
        t->bytes = 0;
        t->message_bytes = cor_mismatch(type_class, t->payload.type_class);
        return COR_ERR_MISMATCH;
    }
    return bytes <= room ? COR_OK : COR_ERR_TRUNCATE;
}

/* What a probe found. */
typedef struct cor_envelope {
    int32_t peer, tag;
    size_t bytes;
} cor_envelope;

typedef void (*cor_envelope_fn)(void *subject, uint32_t context, const cor_envelope *envelope);

/* The longest text that a device publishes in one round. */
enum { COR_DEVICE_ADDRESS_MAX = 256 };

typedef struct cor_device_options {
    int rank, size;
    cor_host *host; /* open, outlives the device */
    cor_lock *lock; /* NULL: one thread at a time */
    const cor_wait_config *wait;
    const cor_log *log;
    const void *settings;  /* the device's own, loaded from its knob tables */
    struct cor_boot *boot; /* of the rank, for a device that has its own (registry.h) */
    int defers_losses;     /* losses are not logged, below COR_LOG_INFO, before cor_losses_report() */
    cor_fault *fault;      /* set, under the lock, when an operation fails because of a lost peer; may be NULL */
    /* May a message of this context come from this peer, that is, is it in the group? Called, under the lock, only when
     * a peer was lost or was long waited for. NULL: every context holds every peer. */
    int (*holds)(const void *owner, uint32_t context, int peer);
    /* Has the process of this peer ended, according to its host or the launcher? Called, under the lock, once a second
     * for a peer that does not answer: it waits for the launcher's answer. NULL: nothing is known. */
    int (*has_ended)(const void *owner, int peer);
    const void *owner;
} cor_device_options;

/*
 * Remote memory: reading and writing plain memory of a peer without its help.
 *
 * enter() makes memory accessible to all peers that can reach it, until leave(); the key is sent to them. reaches():
 * does that work with this peer, of whose memory this is the key? get() and put() start a transfer between that memory,
 * from `offset` on, and plain memory here; they return COR_AGAIN or a negative code if nothing was started, because
 * addresses do not suit or memory cannot be registered, and the caller sends messages instead. Bytes of a get or put
 * that is done without an error are in their place, at the peer visible to every later read. The caller stays within
 * the length of the memory.
 */
enum { COR_DEVICE_KEY_MAX = 1000 };

typedef struct cor_device_key {
    _Alignas(8) uint8_t data[COR_DEVICE_KEY_MAX];
} cor_device_key;

typedef struct cor_device_memory_ops {
    int (*enter)(cor_device *device, void *base, size_t bytes, cor_device_key *key_p, void **registration_p);
    void (*leave)(cor_device *device, void *registration);
    int (*reaches)(cor_device *device, int peer, const cor_device_key *key);
    int (*get)(cor_device *device, cor_transfer *t, int peer, const cor_device_key *key, size_t offset, void *to,
               size_t bytes);
    int (*put)(cor_device *device, cor_transfer *t, int peer, const cor_device_key *key, size_t offset,
               const void *from, size_t bytes);
} cor_device_memory_ops;

typedef struct cor_device_ops {
    /* Round `round` of the set-up, from 0: write the address, a NUL-terminated text of at most COR_DEVICE_ADDRESS_MAX -
     * 1 printable characters without spaces, which begins with the name and the version of a protocol, up to a comma,
     * the same on all ranks. 1: written. 0: no further round is needed, the same on all ranks; round 0 always is. */
    int (*address)(cor_device *device, int round, char *text, cor_fault *fault);
    /* The texts of all ranks in this round, valid during the call. */
    int (*connect)(cor_device *device, int round, const char *const *texts, cor_fault *fault);
    int (*attach)(cor_device *device, cor_fault *fault);
    int (*settle)(cor_device *device, cor_fault *fault); /* called through cor_device_settle */
    /* Free all but the memory of the struct, which begins with the cor_device. Transfers that are not done are never
     * accessed again. Called through cor_device_close. */
    void (*close)(cor_device *device);
    /* This process is going to end without close(): remove what would outlive it. What ends with it stays, because
     * others may still read it. */
    void (*abandon)(cor_device *device);
    /* The last fence comes next: a peer that ends in order does not count as lost any more. Returns 1: packets may have
     * to be sent again, so make progress until the fence is over. */
    int (*begin_shutdown)(cor_device *device);

    /* Start. The payload is copied into the transfer. */
    int (*isend)(cor_device *device, cor_transfer *t, int peer, uint32_t context, int tag, const cor_payload *payload);
    int (*issend)(cor_device *device, cor_transfer *t, int peer, uint32_t context, int tag,
                  const cor_payload *payload); /* done only when the receive has been matched */
    int (*irecv)(cor_device *device, cor_transfer *t, int peer, uint32_t context, int tag, const cor_payload *payload);
    int (*imrecv)(cor_device *device, cor_transfer *t, cor_message *message, const cor_payload *payload);

    /* 1 and the envelope if a matching message has arrived, else 0; does not make progress. COR_ERR_PEER: none can
     * come any more, because its sender is lost. improbe takes the message out of matching; it must be received with
     * imrecv. */
    int (*iprobe)(cor_device *device, int peer, uint32_t context, int tag, cor_envelope *found_p);
    int (*improbe)(cor_device *device, int peer, uint32_t context, int tag, cor_envelope *found_p,
                   cor_message **message_p);

    /* Every message that has arrived and waits for a receive, in whatever order. */
    void (*visit)(cor_device *device, cor_envelope_fn visit, void *subject);

    /* Send, instead of a message, a notice that none will come, because this rank has lost a peer: the receive that
     * would have matched it ends with COR_ERR_PEER. For operations of many ranks, where others wait for this one. */
    void (*notify_failure)(cor_device *device, int peer, uint32_t context, int tag);

    /* Try to cancel. Afterwards the transfer is done (is_cancelled set) or completes normally later. */
    void (*cancel)(cor_device *device, cor_transfer *t);

    /* Make progress. `hint` is a peer worth polling first, or -1. Returns >0 if anything happened. Called through
     * cor_device_progress. */
    int (*progress)(cor_device *device, int hint);

    /* Is there anything to send that waits for room? */
    cor_unsent (*unsent)(cor_device *device);

    /* Has every packet that this rank had to send left it? Sends that wait for an answer do not count. */
    int (*is_drained)(cor_device *device);

    /* Describe the route to a peer in one line, for `corunna info` and the log. */
    void (*describe)(cor_device *device, int peer, char *out, size_t out_bytes);

    /* For a device with a time of its own, else NULL. pass: progress found nothing; let time pass instead of spinning,
     * yielding or sleeping: for a caller that waits, until something happens; for one that polls, a moment. Releases
     * the lock meanwhile. clock_ns: the device's time. */
    void (*pass)(cor_device *device, int is_waiting);
    /* Wake the rank's threads that pass() has put to sleep. NULL if pass is NULL. */
    void (*wake)(cor_device *device);
    uint64_t (*clock_ns)(cor_device *device);

    const cor_device_memory_ops *memory; /* NULL: the device has no remote memory */

    /* Bring device->counts up to date, and return what is counted of this peer. NULL: the device counts nothing. */
    const struct cor_peer_counts *(*counts)(cor_device *device, int peer);
} cor_device_ops;

/* What a device counts, for tools (mp/counters.h): plain numbers that are changed under the lock, beside others that
 * the same step writes anyway. */
typedef struct cor_traffic {
    uint64_t messages, bytes;
} cor_traffic;

/* Of one peer. Messages of the library's own count as well. */
typedef struct cor_peer_counts {
    cor_traffic eager_sent, eager_received; /* counted when they leave, and when they arrive */
    cor_traffic long_sent, long_received;   /* by rendezvous: counted when asked for, and when matched */
    cor_traffic copied;                     /* of long_received: by one copy, out of the sender's memory */
} cor_peer_counts;

/* Of all peers. A peak is the most since it was last set, which its reader does. */
typedef struct cor_device_counts {
    cor_traffic unexpected, unexpected_peak; /* messages that wait for a receive, by their whole length */
    uint64_t resumed;                        /* connections that broke and were made again */
    uint64_t resent;                         /* packets that were sent again for that */
} cor_device_counts;

/* A progress hook: work in the background, run by every progress of the device. */
typedef struct cor_follower cor_follower;
struct cor_follower {
    /* Do all that can be done now, without waiting. Returns >0 if anything happened. May remove itself from the
     * list. */
    int (*step)(cor_follower *follower);
    cor_link link;
};

/* closing.h */
typedef enum cor_device_life { COR_DEVICE_OPEN, COR_DEVICE_CLOSING, COR_DEVICE_CLOSED } cor_device_life;

/* State of the layer above about the waits of a rank's threads. The memory belongs to that layer and is changed under
 * the lock. */
typedef struct cor_wait_watch cor_wait_watch;
struct cor_wait_watch {
    /* What the thread that has the lock waits for; NULL: nothing that it has described. A call that releases the lock
     * to wait saves and restores it. */
    void *wait;
    void (*lasts)(cor_wait_watch *watch); /* a wait has lasted: report it; NULL: waits are not reported */
};

struct cor_device {
    const cor_device_ops *ops;
    const char *name;      /* "hybdev", "mpidev" ... */
    int32_t tag_max;       /* at least of COR_TAG_BITS; a start with a larger tag fails with COR_ERR_TAG */
    cor_lock *lock;        /* NULL: the rank is used by one thread at a time */
    cor_wait_watch *watch; /* set by the layer above once the device is open, or NULL */
    cor_host *host;
    cor_waiter waiter;
    uint32_t patience; /* empty polls until the next check for deaths */
    uint64_t next_look_ns;
    cor_list unheld; /* cor_transfer.unheld */
    cor_list followers;
    cor_losses losses;
    int is_oversubscribed;     /* the host has fewer CPUs than ranks: a context switch costs more than a message */
    int is_job_oversubscribed; /* and all ranks of the job are on this host: the same on all of them */
    int is_connecting;         /* packets have to wait for a connection: cor_device_flush */
    uint32_t push_us;          /* time limit of the next cor_device_push */
    cor_device_counts counts;  /* of a device with ops->counts */
    /* closing.h; all but the bell under the lock */
    cor_device_life life;
    const cor_device_ops *last_ops; /* for the thread that closes */
    uint32_t away, parked, outside;
    _Atomic uint32_t closing_bell;
    cor_fault finalized; /* once closed: the reason why every peer is lost */
};

/* For the implementation of a device: set all fields but tag_max. */
void cor_device_init(cor_device *device, const cor_device_ops *ops, const char *name,
                     const cor_device_options *options);

/* The last step of the set-up; the host is settled. */
int cor_device_settle(cor_device *device, cor_fault *fault);

/* For a device: the transfer outlives the call that starts it, so its payload must be held before the lock is released;
 * and: the transfer is done. */
void cor_device_hold_later(cor_device *device, cor_transfer *t);
void cor_device_complete(cor_device *device, cor_transfer *t, int error);

/* For a device: initialise the fields of a receive. */
static inline void cor_device_begin_receive(cor_device *device, cor_transfer *t, const cor_payload *payload)
{
    t->is_done = 0;
    t->error = COR_OK;
    t->is_cancelled = 0;
    t->is_send = 0;
    t->payload = *payload;
    cor_device_hold_later(device, t);
}

void cor_device_hold_all(cor_device *device);
int cor_device_step_followers(cor_device *device);

/* Has another thread finalised the rank? Under the lock. Then every start fails with COR_ERR_FINALIZED, and started
 * transfers never change any more. */
static inline int cor_device_is_closed(const cor_device *device)
{
    return COR_UNLIKELY(device->life != COR_DEVICE_OPEN);
}

/* Called when nothing has arrived for a while: check for deaths on this host. Returns the number of events. */
int cor_device_look(cor_device *device);

/* The device's progress, then the progress hooks; what all callers use. */
static inline int cor_device_progress(cor_device *device, int hint)
{
    int events = device->ops->progress(device, hint);
    if (COR_UNLIKELY(!cor_list_is_empty(&device->followers)))
        events += cor_device_step_followers(device);
    if (events == 0 && COR_UNLIKELY(--device->patience == 0))
        events = cor_device_look(device);
    return events;
}

/* Progress found nothing, for a caller that does not wait: back off if it polls in a loop. */
void cor_device_back_off(cor_device *device);

/* Progress for callers that do not wait, like MPI_Test. */
static inline int cor_device_poll(cor_device *device)
{
    int events = cor_device_progress(device, -1);
    if (events == 0)
        cor_device_back_off(device);
    return events;
}

/* Something was completed outside of progress: wake this rank's threads that sleep. */
static inline void cor_device_wake(cor_device *device)
{
    cor_waiter_wake(&device->waiter);
}

/* A thread of the library that works for the rank without its lock has begun to, or has ended. Between the two it may
 * post: what it has made visible before is then noticed by a progress hook (waiter.h). */
static inline void cor_device_add_helper(cor_device *device)
{
    device->waiter.helpers++;
}

static inline void cor_device_remove_helper(cor_device *device)
{
    device->waiter.helpers--;
}

/* WITHOUT the lock. */
static inline void cor_device_post(cor_device *device)
{
    cor_waiter_post(&device->waiter);
}

/* Memory that a rank of this node waits for (cor_until) has changed: wake it if it sleeps. */
static inline void cor_device_nudge(cor_device *device, int peer)
{
    cor_host_nudge(device->host, device->host->index_of[peer]);
}

/* Take and leave the rank's lock around a group of calls. */
static inline void cor_device_enter(cor_device *device)
{
    if (device->lock)
        cor_lock_acquire(device->lock);
}

static inline void cor_device_leave(cor_device *device)
{
    if (COR_UNLIKELY(!cor_list_is_empty(&device->unheld)))
        cor_device_hold_all(device);
    if (device->lock)
        cor_lock_release(device->lock);
}

/* Progress found nothing: spin, yield or sleep, by the policy of the wait.* knobs. May release and retake the lock; the
 * device may have been closed meanwhile, and then the call returns at once: every loop around it checks that. */
void cor_device_idle(cor_device *device, cor_idle_state *state);

/* Wait, with the lock held, until the transfer is done: with COR_ERR_FINALIZED if the device has been closed. */
static inline void cor_device_wait(cor_device *device, cor_transfer *t)
{
    cor_idle_state idle = {0};
    while (!t->is_done) {
        if (cor_device_progress(device, t->peer) > 0)
            idle = (cor_idle_state){0};
        else if (cor_device_is_closed(device))
            cor_device_complete(device, t, COR_ERR_FINALIZED);
        else
            cor_device_idle(device, &idle);
    }
}

/* Make progress, with the lock held, until what was sent has left, but only for a moment, because a peer that is not in
 * MPI does not answer. The moment becomes shorter with each failed attempt. */
void cor_device_push(cor_device *device);

/* For blocking calls, before they return: the program may now compute for long, and the first message to a peer must
 * not wait for its next call. Budget: one word that is in the cache. */
static inline void cor_device_flush(cor_device *device)
{
    if (COR_UNLIKELY(device->is_connecting))
        cor_device_push(device);
}

/* Wait, with the lock held, until `until` is true: COR_OK. COR_ERR_PEER: it is not true, but device->losses.count has
 * changed from `lost_seen`; the caller checks whether the loss concerns it, and may wait again. Makes progress
 * meanwhile. Spins in short bursts between two polls for messages: changes of memory are expected soon. */
int cor_device_wait_until(cor_device *device, cor_until until, uint32_t lost_seen);
/* Only the first of these bursts: 1 if `until` is true. */
int cor_device_burst_until(const cor_device *device, const cor_until *until);

#endif
