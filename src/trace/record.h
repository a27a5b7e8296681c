/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The record of a job on one host: memory in which each rank writes what it is doing, for others to read.
 *
 * The memory. The launcher, or the agent of a host, makes a memfd named after the job, and its ranks inherit the
 * descriptor (COR_RECORD_VARIABLE). Where ranks are threads of one process, that process makes it. It has no path, so
 * that nothing is left when all of them have died; `corunna ps` finds it through /proc/<pid>/fd of the process that
 * made it. It holds a header, a slot for every rank of the job, and for every rank a tail: its row of the matrix of
 * messages, and its events. Every host has room for all ranks of the job and uses what its own ranks need, because
 * untouched pages use no memory; the root receives the parts of other hosts and has everything.
 *
 * When it is written. `now` is always enabled, but written only by a rank that has waited for a while: it costs nothing
 * on the short path. Counters and the matrix are written by every call if the header says COR_RECORD_STATS, events with
 * COR_RECORD_EVENTS.
 *
 * Order. A slot and its tail have one writer, the thread that has the rank's lock. `now` may be read at any time: it
 * has a version that is odd while it changes (cor_record_tell, cor_record_now). `state` is written with release after
 * the data that it announces: host, pid and the first reading of the clocks before OPEN. `event_count` is written with
 * release after the event. Counters, names and the last reading of the clocks are read when the rank has ended or is
 * CLOSED.
 *
 * Readers do not trust the memory: sizes are checked when the memory is mapped, and every number where it is used.
 */
#ifndef COR_TRACE_RECORD_H
#define COR_TRACE_RECORD_H

#include "base/error.h"
#include "base/knob.h"
#include "trace/calls.h"
#include "trace/ticks.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define COR_RECORD_VARIABLE "CORUNNA_RECORD" /* the number of the inherited descriptor */
#define COR_RECORD_PREFIX "corunna-job-"     /* of the memfd's name; the name of the job follows */
#define COR_RECORD_MAGIC "corjob1"

enum {
    COR_RECORD_PAGE = 4096,
    COR_RECORD_SLOT = 8192,
    COR_RECORD_NAME_MAX = 32,
    COR_RECORD_HOST_MAX = 64,
    COR_RECORD_ALGORITHMS = 64,
    COR_RECORD_ALGORITHM_MAX = 24,
    COR_RECORD_MEMBER_WORDS = 16,    /* ranks below 1024 can be named as members of a communicator */
    COR_RECORD_MATRIX_MAX = 4096,    /* no matrix for more ranks than this */
    COR_RECORD_RANKS_MAX = 1 << 24,  /* as in jobs of agents */
    COR_RECORD_EVENTS_MAX = 1 << 26, /* of a rank */
};

/* What is recorded; IS_ROOT: the record is the launcher's; IS_OWN: made by the ranks' own process, for its ranks
 * alone. */
enum { COR_RECORD_STATS = 1, COR_RECORD_EVENTS = 2, COR_RECORD_IS_ROOT = 4, COR_RECORD_IS_OWN = 8 };

/* ---- knobs ------------------------------------------------------------------------------------------------------ */

enum { COR_TRACE_PATH_MAX = 1024 };

typedef struct cor_trace_config {
    char file[COR_TRACE_PATH_MAX]; /* the timeline; "": none */
    int has_stats;
    char html[COR_TRACE_PATH_MAX]; /* the page of the statistics; "": none */
    int stall_s;
    size_t events;
} cor_trace_config;

extern const cor_knob_table cor_trace_knobs;

/* The COR_RECORD_ flags for these settings. */
uint32_t cor_trace_flags(const cor_trace_config *config);

/* ---- what a rank is doing --------------------------------------------------------------------------------------- */

/* Values of `peer` besides ranks of the job. */
enum { COR_NOW_ANY = -1, COR_NOW_MEMBERS = -2, COR_NOW_UNKNOWN = -3 };

typedef enum cor_now_way { COR_WAY_NONE, COR_WAY_TO, COR_WAY_FROM } cor_now_way;

typedef struct cor_now {
    uint64_t is_waiting; /* 0: it computes, and only moved_ns is valid */
    uint32_t call;       /* cor_traced */
    int32_t peer;        /* the rank of the job that is waited for */
    int32_t tag;
    uint32_t context; /* names the communicator: the same number on all its members */
    uint32_t comm_size;
    uint32_t way; /* cor_now_way */
    /* The last collective call that the rank has begun: its communicator, and its number there from 1 on; 0: none. */
    uint32_t coll_context, coll_number;
    uint64_t bytes;
    uint64_t since_ns; /* clock of the host; at the root converted to its own */
    uint64_t moved_ns; /* when something last happened */
    uint64_t queued_messages, queued_bytes;
    uint32_t threads;                          /* of this rank that wait; the other fields are of the last of them */
    uint32_t has_members;                      /* `members` is complete */
    uint64_t members[COR_RECORD_MEMBER_WORDS]; /* bit set: a rank of the job is in the communicator */
} cor_now;

enum { COR_NOW_WORDS = sizeof(cor_now) / sizeof(uint64_t) };

/* ---- what it has done ------------------------------------------------------------------------------------------- */

typedef struct cor_record_count {
    uint64_t calls, ticks, waited, bytes;
} cor_record_count;

/* Of a row of the matrix: what this rank has sent to one rank. */
typedef struct cor_record_pair {
    uint64_t messages, bytes;
} cor_record_pair;

typedef struct cor_event {
    uint64_t begin, ticks, waited; /* ticks */
    uint64_t bytes;
    int32_t peer, tag;
    uint16_t call, algorithm; /* algorithm: 0 none, else a name of the slot and one */
    uint32_t comm_size;
} cor_event;

/* ---- the memory ------------------------------------------------------------------------------------------------- */

typedef struct cor_record_header {
    char magic[8];
    uint32_t size; /* ranks of the job */
    uint32_t flags;
    uint32_t event_max;  /* of a rank */
    int32_t pid;         /* of the process that made it */
    uint64_t started_ns; /* real time */
    char name[COR_RECORD_NAME_MAX];
} cor_record_header;

typedef enum cor_record_state {
    COR_RANK_ABSENT, /* not started, or a program that does not call MPI */
    COR_RANK_OPEN,   /* between MPI_Init and MPI_Finalize */
    COR_RANK_CLOSED, /* after MPI_Finalize */
    COR_RANK_ENDED,  /* its process has ended; written by the launcher */
    COR_RANK_STATES
} cor_record_state;

typedef struct cor_record_slot {
    _Atomic uint32_t state; /* cor_record_state */
    int32_t pid;
    uint32_t face;        /* cor_face */
    uint32_t has_counter; /* what ticks are */
    char host[COR_RECORD_HOST_MAX];
    cor_ticks_pair first, last; /* last: zero until the rank is closed */
    _Atomic uint32_t version;   /* of `now`; odd while it is written */
    uint32_t algorithm_count;
    _Atomic uint64_t now[COR_NOW_WORDS];
    _Atomic uint64_t event_count; /* ever written; the last event_max of them are kept */
    char algorithms[COR_RECORD_ALGORITHMS][COR_RECORD_ALGORITHM_MAX];
    cor_record_count counts[COR_TRACED_CALLS];
} cor_record_slot;

_Static_assert(sizeof(cor_record_header) <= COR_RECORD_PAGE && sizeof(cor_record_slot) <= COR_RECORD_SLOT &&
                   sizeof(cor_event) == 48 && sizeof(cor_now) % sizeof(uint64_t) == 0,
               "the layout");

/* Offsets, computed from the header. */
uint64_t cor_record_slot_at(uint32_t rank);
uint64_t cor_record_row_bytes(const cor_record_header *header); /* of a tail: the matrix's row, in whole pages */
uint64_t cor_record_tail_bytes(const cor_record_header *header);
uint64_t cor_record_tail_at(const cor_record_header *header, uint32_t rank);
uint64_t cor_record_bytes(const cor_record_header *header);

/* ---- making and reading (record.c) ------------------------------------------------------------------------------ */

/* Header and slots, mapped. Zero: nothing. */
typedef struct cor_record {
    int fd;
    cor_record_header header; /* a copy that was checked */
    char *memory;
    size_t bytes; /* mapped */
} cor_record;

/* A new one. COR_ERR_SYSTEM, COR_ERR_MEMORY. */
int cor_record_create(cor_record *record, const char *name, uint32_t size, uint32_t flags, size_t event_max,
                      cor_fault *fault);
/* One that another process made, by a descriptor, which the caller still owns on failure. is_writer: map it for
 * writing. COR_ERR_PROTOCOL: it is not a record. */
int cor_record_open(cor_record *record, int fd, int is_writer, cor_fault *fault);
void cor_record_close(cor_record *record);

static inline int cor_record_is_open(const cor_record *record)
{
    return record->memory != NULL;
}

/* rank < header.size */
cor_record_slot *cor_record_slot_of(const cor_record *record, uint32_t rank);

/* A rank's own part, mapped for writing. Zero: nothing. */
typedef struct cor_record_part {
    uint32_t flags, size, event_max;
    cor_record_slot *slot;
    cor_record_pair *row; /* NULL: no matrix */
    cor_event *events;    /* NULL: none */
    char *tail;
    size_t tail_bytes;
} cor_record_part;

/* By an open descriptor, which may be closed afterwards. */
int cor_record_part_open(cor_record_part *part, int fd, uint32_t rank, uint32_t size, cor_fault *fault);
void cor_record_part_close(cor_record_part *part);

/* ---- now -------------------------------------------------------------------------------------------------------- */

/* By the one writer of the slot. */
void cor_record_tell(cor_record_slot *slot, const cor_now *now);
/* A consistent copy; zero if the writer has died while writing. */
cor_now cor_record_now(const cor_record_slot *slot);

/* The state, checked. */
cor_record_state cor_record_state_of(const cor_record_slot *slot);

/* Copies of what a slot holds as text, terminated. */
void cor_record_host(const cor_record_slot *slot, char out[COR_RECORD_HOST_MAX]);
void cor_record_algorithm(const cor_record_slot *slot, unsigned number, char out[COR_RECORD_ALGORITHM_MAX]);

/* The readings of the clocks at the rank's beginning and end; now, if it has not ended. Of this host only. */
void cor_record_clocks(const cor_record_slot *slot, cor_ticks_pair *first_p, cor_ticks_pair *last_p);

/* Copies of a rank's row (size pairs; NULL also where there is no matrix) and of its events, the oldest first. NULL:
 * no memory; the caller frees them. *dropped_p: events that were overwritten. */
cor_record_pair *cor_record_copy_row(const cor_record *record, uint32_t rank);
cor_event *cor_record_copy_events(const cor_record *record, uint32_t rank, size_t *count_p, uint64_t *dropped_p);

#endif
