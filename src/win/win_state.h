/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Internals of windows, shared by the files of this folder.
 *
 * The card of a member has what all others know of it. Members on one host form a *host group*: they share a segment
 * with a control block for each and, of allocated windows, the memory. So the lock of a target is one word, whichever
 * way an origin takes: origins of the host group use it themselves, the target's agent uses it for all others.
 *
 * Messages. Origins send packets (win_packet) to a target with one tag, in order; the target's agent, a progress hook,
 * receives and carries them out one after the other. Data that do not fit a packet, and replies, are messages of their
 * own with tags made of the id of the packet. All use the first context of the window's own communicator.
 */
#ifndef COR_WIN_STATE_H
#define COR_WIN_STATE_H

#include "base/segment.h"
#include "dtype/dtype.h"
#include "mp/collective.h"
#include "win/win.h"

#include <pthread.h>
#include <stdatomic.h>

enum {
    WIN_PACKET_BYTES = 15 << 10, /* shorter than what every wire sends at once */
    WIN_ROWS_MAX = 512,          /* of one packet */
    WIN_PENDING_MAX = 1024,      /* packets under way from one origin */
    WIN_TAG_PACKET = 1,
    WIN_TAG_DATA = 1 << 26,
    WIN_TAG_REPLY = 1 << 27,
    WIN_ID_MASK = (1 << 24) - 1,
};

/* ---- shared with the host group --------------------------------------------------------------------------------- */

/* member + 1 of an origin that is at its elements with atomic instructions, or 0 */
typedef struct win_slot {
    _Alignas(COR_CACHE_LINE) _Atomic uint32_t member;
} win_slot;

enum { WIN_SLOTS = 16 };

/* Of a target, in memory of its host group; zero at first. */
typedef struct win_control {
    _Alignas(
        COR_CACHE_LINE) _Atomic uint32_t wide; /* lock of wide and of many elements: member + 1 of its holder, or 0 */
    win_slot slots[WIN_SLOTS];                 /* win_element.c */
    /* The lock of the target (win_lock.h). */
    _Alignas(COR_CACHE_LINE) _Atomic uint32_t next;
    _Atomic uint32_t read, write;
    /* Of the leader (win_host.h): members that are threads of its process and still use its mapping. */
    _Alignas(COR_CACHE_LINE) _Atomic uint32_t users;
} win_control;

/* ---- members ---------------------------------------------------------------------------------------------------- */

typedef enum win_locked { WIN_UNLOCKED, WIN_LOCKED_SHARED, WIN_LOCKED_EXCLUSIVE, WIN_LOCKED_ALL } win_locked;

typedef struct win_target {
    int peer; /* rank in the job */
    size_t bytes, unit;
    char *direct;               /* its memory in this address space; NULL: elsewhere */
    win_control *control;       /* of the host group; NULL: on another host */
    _Atomic uint32_t *sleepers; /* likewise: who sleeps for its lock, by ticket (win_lock.h) */
    uint8_t is_direct;
    uint8_t is_copied; /* put and get by the device's remote memory */
    uint8_t is_rung;   /* it is in the host group, and can be woken when memory has changed */
    /* As an origin: */
    uint8_t locked;     /* win_locked */
    uint8_t is_started; /* in the group of cor_win_begin */
    uint8_t is_nocheck; /* locked without a lock */
    uint8_t is_busy;    /* its lock was not free when this rank last asked for it only if it is */
    uint8_t has_sent;   /* a packet, ever */
    uint32_t posts;     /* notices of its cor_win_post that no cor_win_begin has used */
    uint32_t pending;   /* packets to it under way here */
    uint8_t is_unacked; /* it may not have carried out all operations yet */
    int error;          /* of the first operation that has failed since the last synchronization */
    /* As its target: */
    uint32_t moving;    /* operations of it whose data are on their way to or from the memory of the window */
    int refused;        /* why one without a reply was not carried out; told with the next answer */
    uint32_t completes; /* notices of its cor_win_complete that no cor_win_wait has used */
} win_target;

/* Memory attached to a dynamic window. */
typedef struct win_region {
    uint64_t base, bytes;
} win_region;

struct win_check;

struct cor_win {
    cor_comm *comm; /* the window's own */
    cor_device *device;
    cor_win_flavour flavour;
    cor_win_options options;
    int size, me;
    win_target *targets;
    int is_divided;          /* some member does not reach another directly; the same at all */
    win_control *control;    /* this member's */
    uint32_t sleeper_places; /* in each table of sleepers: a power of 2, at least `size` */
    int host_count;          /* members of the host group */
    int *host_members;
    int is_host_rung; /* all of them can be woken */
    char *base;       /* this member's memory */
    cor_segment segment;
    _Atomic uint32_t *mapping_users; /* of the leader's mapping, if it is this member's, too; NULL */
    cor_device_key *keys;            /* of the members' memory (win_copy.c); NULL */
    void *registration;              /* of this member's */
    win_region *regions;
    size_t region_count, region_room;

    /* Epochs (win_epoch.c, win_passive.c). */
    int is_fenced;      /* a fence has begun an epoch */
    int has_fenced_ops; /* and it has operations */
    int locked_count;   /* targets locked one by one */
    int is_locked_all;
    uint32_t calls;               /* flushes and unlocks that needed nobody else */
    cor_group *access, *exposure; /* of begin and post; NULL: none */

    /* Origin (win_message.c). */
    cor_list pendings;
    uint32_t pending_count, next_id;
    int unacked_count; /* targets with is_unacked */
    int has_failed;    /* targets may have an error */

    /* The thread of the setting win.progress (win_thread.c). */
    pthread_t thread;
    int has_thread, is_stopping;

    struct win_check *check; /* the knob (win_check.h); NULL */

    /* Target (win_agent.c). */
    cor_follower agent;
    cor_transfer receive;
    int is_receiving, is_stepping;
    char *packet;
    cor_list tasks;
};

/* ---- packets ---------------------------------------------------------------------------------------------------- */

typedef enum win_packet_kind {
    WIN_PACKET_OPERATION = 1, /* op.kind is `operation` */
    WIN_PACKET_FLUSH,         /* reply when all before it has been carried out */
    WIN_PACKET_LOCK,          /* reply when the lock is held; `is_exclusive` */
    WIN_PACKET_LOCK_IF_FREE,  /* a shared one; reply at once: COR_AGAIN if others hold it or wait */
    WIN_PACKET_UNLOCK,        /* likewise; reply as to a flush, after which the lock is free */
    WIN_PACKET_POST,
    WIN_PACKET_COMPLETE,
    WIN_PACKET_WAKE, /* a ticket of the agent is served */
} win_packet_kind;

/* Rows of the target's memory follow, then the data, unless they come by a message of their own. A reply to an
 * operation is its result; to another packet, an int32_t: whether the lock is held; or, of a flush and an unlock, the
 * first failure of an operation without a reply. */
typedef struct win_packet {
    uint8_t kind;      /* win_packet_kind */
    uint8_t operation; /* cor_win_kind */
    uint8_t has_data_message, is_exclusive;
    uint32_t id;
    uint32_t rows;
    uint32_t element, op; /* numbers of the predefined ones; 0: none */
    uint32_t padding;
    uint64_t bytes; /* of the packed stream of the rows */
} win_packet;

/* An operation where it meets memory: what both ways share. */
typedef struct win_update {
    cor_win_kind kind;
    const cor_dtype *element; /* of accumulating operations */
    uint32_t op;
    cor_combine_fn combine; /* NULL: MPI_REPLACE, MPI_NO_OP or COMPARE_SWAP */
    const void *compare;
    cor_win *win; /* of the member that acts, and the control block of the target, for the lock of wide elements */
    win_control *control;
    int is_alone; /* nobody else updates the memory meanwhile */
} win_update;

struct win_request;

/* ---- win_element.c ---------------------------------------------------------------------------------------------- */

/* COR_ERR_TYPE: the operator is not defined for the element. */
int win_update_init(win_update *update, cor_win_kind kind, const cor_dtype *element, uint32_t op);
/* Is it MPI_NO_OP, which only reads? */
int win_update_needs_no_data(const win_update *update);
/* Carry it out on a row: `in` is the packed stream of the origin, `out` takes the old values; either may be NULL if the
 * operation does not have it. */
void win_update_row(const win_update *update, char *at, size_t bytes, const char *in, char *out);
/* Make rows of whole elements, where elements have gaps inside, and drop one that is not complete. */
size_t win_update_merge(const win_update *update, cor_dtype_row *rows, size_t count);

/* ---- win_direct.c ----------------------------------------------------------------------------------------------- */

int win_direct(cor_win *win, const cor_win_op *op, char *at);

/* ---- win_copy.c ------------------------------------------------------------------------------------------------- */

/* Collective: exchange keys of the memory, where some members reach others by the device's remote memory. */
int win_copy_open(cor_win *win);
void win_copy_close(cor_win *win);
/* Start a put or get by the device. COR_AGAIN: not that way; some of it may have been done. */
int win_copy(cor_win *win, const cor_win_op *op, uint64_t at, struct win_request *request);

/* ---- win_message.c ---------------------------------------------------------------------------------------------- */

/* Start an operation whose memory begins `at` bytes (or at this address) of the target's. */
int win_message(cor_win *win, const cor_win_op *op, uint64_t at, struct win_request *request);
/* Send a packet without rows, to which there is no reply. */
int win_message_notify(cor_win *win, int target, win_packet_kind kind, int is_exclusive);
/* The same, and wait for the reply. */
int win_message_ask(cor_win *win, int target, win_packet_kind kind, int is_exclusive);
/* Only start to, for several targets at once; win_message_settle waits. */
int win_message_ask_later(cor_win *win, int target, win_packet_kind kind, int is_exclusive);
/* Wait until nothing to this target (COR_WIN_ALL: to any) is under way here. Returns and clears the first failure. */
int win_message_settle(cor_win *win, int target);
/* Copies by the device are done before a packet that tells the target so is sent. */
int win_message_complete_copies(cor_win *win, int target);
/* And until the target has carried everything out. */
int win_message_flush(cor_win *win, int target);

/* ---- win_agent.c ------------------------------------------------------------------------------------------------ */

int win_agent_start(cor_win *win);
void win_agent_stop(cor_win *win);
/* Free all it has, when the device is closed. */
void win_agent_abandon(cor_win *win);
int win_agent_step(cor_win *win);
/* Is [at, at + bytes) inside of the memory of this member? */
int win_agent_has(const cor_win *win, uint64_t at, uint64_t bytes);

/* A payload over rows of memory, whose blocks begin at `base` + row.at. The array stays the caller's. */
typedef struct win_rows {
    char *base;
    const cor_dtype_row *rows;
    size_t count;
} win_rows;
cor_payload win_rows_payload(const win_rows *rows, size_t bytes);

/* ---- win_thread.c ----------------------------------------------------------------------------------------------- */

/* If the settings want a thread, and some member reaches another by messages (the same at all members). */
int win_thread_start(cor_win *win, int is_needed);
/* Without the lock. */
void win_thread_stop(cor_win *win);
/* Once the device is closed, which ends the thread. */
void win_thread_join(cor_win *win);

/* ---- win_wait.c: waiting, and sentences of failures -------------------------------------------------------------- */

/* Wait, with the lock held, until `is_over` is true. COR_ERR_PEER: it is not, and a member is lost. Which one
 * does not matter: a member that is alive may have left the window because of it, and will never answer. */
int win_wait(cor_win *win, int target, int (*is_over)(const cor_win *win, int target));
/* Is nothing known to be under way, or to have failed, that a flush would have to look after? */
static inline int win_is_settled(const cor_win *win)
{
    return win->pending_count == 0 && win->unacked_count == 0 && !win->has_failed;
}

static inline void win_set_unacked(cor_win *win, int target, int is_unacked)
{
    win->unacked_count += is_unacked - win->targets[target].is_unacked;
    win->targets[target].is_unacked = (uint8_t)is_unacked;
}

/* Release the lock at the end of a call. */
int win_leave(cor_win *win, int rc);
int win_fail(const cor_win *win, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* A sentence for COR_ERR_RMA_SYNC if this target may not be accessed now. */
int win_check_access(cor_win *win, int target);

#endif
