/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collective accesses: their state, shared by the files that carry them out.
 *
 * A file has one access under way at a time; later ones wait in a queue, in the order of their calls, which is the
 * same at all members. A progress hook advances it through its phases:
 *
 *   BEGIN   all members exchange what they are going to access (file_part), and so choose a strategy (file_rules.h)
 *   ALONE   each carries out its part by itself
 *   ROUNDS  two-phase: each sends its part, window by window (file_sender.c), and aggregators collect a window from all
 *           members and write it, or read it and hand it out (file_aggregator.c)
 *   END     all members exchange what came of it: the same error at all
 *   STOPPED the rest of messages is received
 *   LOST    instead of all further phases: a member is lost; transfers that are under way are cancelled
 *
 * Messages, in the file's own communicator: of a window a member sends its aggregator a list of blocks (file_runs.h)
 * and, if there are any, their data, sent from the program's memory and received into the aggregator's copy of the
 * window; of a read the data go the other way. A window that needs several lists gets them one after the other. Every
 * member whose range meets a window sends at least one list for it, so that no member needs to announce messages.
 *
 * Reading and writing of the file (file_io) happens without the lock: in the thread that has called a blocking
 * function, else in the file's worker. An aggregator has two copies of windows, so that it exchanges one while it
 * reads or writes the other.
 *
 * Failures: a member that cannot go on, because it has no memory or its system call has failed, still takes and sends
 * all messages, without data, so that nobody waits for it; END tells the error. Where there are several rounds, an
 * aggregator that fails sends all members a message to stop: from then on they send empty lists, and aggregators read
 * and write no more. Members look for that message before each list or window; in the end they receive those that were
 * sent (STOPPED).
 *
 * Everything is under the rank's lock, unless said otherwise.
 */
#ifndef COR_FILE_COLLECTIVE_STATE_H
#define COR_FILE_COLLECTIVE_STATE_H

#include "file/file_gather.h"
#include "file/file_rules.h"
#include "file/file_runs.h"
#include "file/file_worker.h"

enum {
    FILE_POSTS = 16, /* lists under way from a member */
    FILE_LANES = 16, /* members that an aggregator exchanges with at a time */
    FILE_SLOTS = 2,  /* windows of an aggregator */
};

/* Kinds of messages, in the lowest bits of their tags. */
enum { FILE_TAG_BEGIN, FILE_TAG_LIST, FILE_TAG_DATA, FILE_TAG_STOP, FILE_TAG_END, FILE_TAG_KINDS };

typedef struct file_collective file_collective;

/* ---- what is done without the lock ------------------------------------------------------------------------------ */

typedef enum file_io_state { FILE_IO_NONE, FILE_IO_READY, FILE_IO_RUNNING, FILE_IO_DONE } file_io_state;

typedef struct file_io {
    file_task task;
    file_collective *owner;
    void (*run)(struct file_io *io); /* without the lock; sets `result` */
    file_io_state state;
    file_result result;
} file_io;

/* ---- a member's side of two-phase: file_sender.c ---------------------------------------------------------------- */

typedef struct file_post {
    uint8_t is_used, has_data;
    cor_transfer head, data;
    uint64_t position; /* of its data, in the job's memory */
    file_list list;
} file_post;

typedef struct file_sender {
    file_walk walk;
    uint64_t end;          /* position of the stream */
    uint64_t window, last; /* the next one to send lists for, and the last one */
    int is_over;           /* all lists have been started */
    int open;              /* posts in use */
    uint64_t sound; /* of its bytes, from the beginning, those that have arrived or were sent, as far as known */
    file_post posts[FILE_POSTS];
} file_sender;

void file_sender_begin(file_collective *c);
/* Returns whether anything happened. */
int file_sender_step(file_collective *c);
int file_sender_is_over(const file_collective *c);
int file_sender_is_moving(const file_collective *c);
void file_sender_cancel(file_collective *c);

/* ---- an aggregator's side: file_aggregator.c -------------------------------------------------------------------- */

typedef enum file_lane_state { FILE_LANE_IDLE, FILE_LANE_LIST, FILE_LANE_DATA } file_lane_state;

typedef struct file_lane {
    file_lane_state state;
    int member;
    cor_transfer transfer;
    file_list list;
    file_blocks blocks;
} file_lane;

typedef enum file_slot_state {
    FILE_SLOT_FREE,
    FILE_SLOT_IO,       /* its window is read or written */
    FILE_SLOT_EXCHANGE, /* its turn to be exchanged has come, or will */
} file_slot_state;

typedef struct file_slot {
    file_io io;
    file_slot_state state;
    int64_t begin; /* its window */
    size_t bytes;
    char *memory;
    uint64_t *words;
    size_t room;  /* of the memory */
    int is_quiet; /* neither read nor written, since the access has failed */
    file_cover cover;
    size_t valid; /* of a read: bytes from the beginning that are there */
} file_slot;

typedef struct file_aggregator {
    int number;                 /* -1: this member is none */
    uint64_t window, windows;   /* the next one to open, and how many there are */
    uint32_t opened, exchanged; /* its windows so far */
    int asked;                  /* members of the window in exchange that were given a lane, or need none */
    int open;                   /* lanes that are not idle */
    int has_failed;
    file_result failed; /* the first failure */
    int64_t sound;      /* all of its windows that lies before is done */
    file_slot slots[FILE_SLOTS];
    file_lane lanes[FILE_LANES];
} file_aggregator;

void file_aggregator_begin(file_collective *c);
int file_aggregator_step(file_collective *c);
int file_aggregator_is_over(const file_collective *c);
int file_aggregator_is_moving(const file_collective *c);
void file_aggregator_cancel(file_collective *c);
void file_aggregator_fini(file_aggregator *aggregator);

/* ---- the access ------------------------------------------------------------------------------------------------- */

typedef enum file_phase {
    FILE_PHASE_NONE,
    FILE_PHASE_BEGIN,
    FILE_PHASE_ALONE,
    FILE_PHASE_ROUNDS,
    FILE_PHASE_END,
    FILE_PHASE_STOPPED,
    FILE_PHASE_LOST
} file_phase;

/* What came of a member's part. */
typedef struct file_outcome {
    int32_t error, os_error;
    int64_t at;          /* where it failed */
    int64_t sound;       /* of an aggregator: all of its windows that lies before is done */
    int32_t has_stopped; /* it has told all members to stop */
} file_outcome;

struct file_collective {
    cor_file *file;
    cor_follower follower;
    cor_list queue;  /* file_job.together; the first is under way */
    uint32_t number; /* of accesses so far */
    const int *node_of;
    int nodes;
    /* by members */
    file_part *parts; /* from this one on, as the gather has them */
    file_outcome *outcomes;
    file_range *ranges; /* sorted, once the parts are known */
    const file_part **part_of;
    int *aggregator_members;

    file_phase phase;
    file_job *job;
    uint32_t lost_seen;
    size_t range_count;
    const file_rule *rule;
    file_situation situation;
    file_division division;
    file_gather gather;
    int is_stopping, has_stopped; /* a member, or this one, has told so */
    cor_transfer *stops;          /* to, and later from, each member; done, if there is none */
    file_io alone;
    file_sender sender;
    file_aggregator aggregator;
};

static inline const file_part *file_own_part(const file_collective *c)
{
    return &c->parts[0];
}

static inline int file_collective_tag(const file_collective *c, int kind)
{
    return (int)((c->number & 0x3fffff) * FILE_TAG_KINDS) + kind;
}

static inline int64_t file_window_begin(const file_division *division, uint64_t window)
{
    return division->base + (int64_t)(window * division->window);
}

static inline size_t file_window_bytes(const file_division *division, uint64_t window)
{
    uint64_t left = (uint64_t)(division->end - file_window_begin(division, window));
    return left < division->window ? (size_t)left : division->window;
}

/* Does a member have data, perhaps, in this range? */
static inline int file_part_meets(const file_part *part, int64_t begin, size_t bytes)
{
    return part->bytes > 0 && part->end > begin && part->first - (int64_t)bytes < begin;
}

/* A message of the access, with the peer that has this rank in the communicator. */
int file_collective_isend(file_collective *c, cor_transfer *t, int member, int kind, const cor_payload *payload);
int file_collective_irecv(file_collective *c, cor_transfer *t, int member, int kind, const cor_payload *payload);

/* Notify all members that the access has failed; has this or another member done so? */
void file_collective_stop(file_collective *c);
int file_collective_is_stopping(file_collective *c);
int file_collective_stops_are_moving(const file_collective *c);

/* Have it done without the lock: by the thread that waits for a blocking call, or by the worker. */
void file_collective_submit(file_collective *c, file_io *io, void (*run)(file_io *io));

/* ---- file_phases.c ---------------------------------------------------------------------------------------------- */

/* The job is the next one of the queue. */
void file_phase_begin(file_collective *c, file_job *job);
/* Go on as far as one phase can. Returns whether anything happened; in the end c->job is NULL. */
int file_phase_step(file_collective *c);
/* The access cannot be carried out to its end: COR_ERR_PEER. Notifies the other members. */
void file_collective_give_up(file_collective *c, int error);

#endif
