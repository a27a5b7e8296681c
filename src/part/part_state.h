/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Internals of partitioned communication.
 *
 * The sender cuts the message into *pieces* of one or several whole partitions, so that short partitions do not cost a
 * message each. When its request is made it sends a card, on a context of the communicator that is for cards only, with
 * the tag of the program: so the device matches requests in their order. The card says how long the pieces are, and
 * which tags they have on a second context. Each start then sends every piece once, with its tag; the receiver posts a
 * receive for each, straight into its place. A piece of one start that leaves before the receiver has started waits as
 * any other message does.
 *
 * Tags come round again after PART_TAGS pieces. A new request leaves out those of requests to the same rank that exist;
 * so a message is only mistaken for another one if the sender frees its request and sends PART_TAGS pieces by others
 * before the receiver starts its own.
 *
 * A request may be freed before its card has left, or has come. It then stays as an orphan that sends or takes its card
 * all the same, since later requests match later cards; so the communicator stays, too.
 *
 * Marking. A partition that becomes ready counts its piece down; the thread that counts it to zero pushes the piece on
 * a stack, without the lock. A thread that has the lock takes the whole stack and sends (part_send_ready): the one that
 * pushed, if it finds the lock free; else the one that holds it, in its progress.
 *
 * One word counts the partitions that are not marked and the threads that are marking. The thread that brings it to
 * zero waits for the lock, sends what is left, and only then may the request be complete: so nothing ready stays
 * behind, and the others, who touch the request for the last time when they leave the count, never touch a freed one.
 */
#ifndef COR_PART_STATE_H
#define COR_PART_STATE_H

#include "dtype/payload_view.h"
#include "mp/collective.h"
#include "mp/group.h"
#include "part/part.h"

#include <stdatomic.h>

enum {
    PART_PIECE_LEAST = 8 << 10, /* bytes of a piece, unless a partition has more or the message fewer */
    PART_PIECES_MAX = 4096,
    PART_TAGS = 1 << 26, /* a power of two */
};

#define PART_MARKER ((uint64_t)1 << 32)

typedef struct part_card {
    uint64_t bytes, piece_bytes;
    uint32_t piece_count, first_tag;
} part_card;

typedef struct part {
    int is_send;
    cor_comm *comm;
    cor_device *device;
    cor_request *request;
    cor_payload whole;
    int peer; /* rank in the job, or COR_PROC_NULL */
    int tag;
    int partitions;
    size_t partition_bytes;
    cor_follower hook;            /* in the device's list while something is to be done */
    uint8_t is_hooked, is_orphan; /* the request was freed; the card may be under way */
    cor_link in_orphans;          /* cor_comm.orphans */
    uint8_t has_card;             /* it was sent or received */
    uint8_t is_active;
    cor_transfer card_transfer;
    part_card card;

    /* Pieces; of a receive from the card on. */
    cor_transfer *transfers;
    uint32_t started; /* how many of this start */
    uint32_t done;    /* pieces 0 .. done - 1 are complete */

    /* Sender. */
    uint32_t piece_partitions;
    _Atomic uint8_t *marked;   /* of a partition */
    _Atomic uint32_t *missing; /* of a piece: partitions that are not ready */
    _Atomic uint64_t open;     /* partitions that are not marked + PART_MARKER for each thread that marks */
    _Atomic uint32_t ready;    /* the stack: number of a piece + 1, or 0 */
    uint32_t *next;            /* of a piece: the one below it */
    int is_marked;             /* `open` has been 0, and its thread has sent the rest */
    cor_link in_sends;         /* cor_comm.partitioned_sends */
} part;

static inline uint32_t part_card_context(const part *p)
{
    return cor_comm_partitioned_context(p->comm);
}

static inline uint32_t part_piece_context(const part *p)
{
    return part_card_context(p) | 1;
}

static inline int part_piece_tag(const part *p, uint32_t piece)
{
    return (int)((p->card.first_tag + piece) % PART_TAGS);
}

/* The bytes of a piece: all have piece_bytes but the last. */
static inline size_t part_piece_bytes(const part *p, uint32_t piece)
{
    uint64_t rest = p->card.bytes - piece * p->card.piece_bytes;
    return (size_t)(p->card.piece_bytes < rest ? p->card.piece_bytes : rest);
}

/* All under the lock. */

/* Call part_step in all progress from now on. */
void part_hook(part *p);
/* Of an active one: is it complete? Then end it. */
void part_end_if_done(part *p);

/* part_card.c: the sender sends its card; the receiver posts the receive of one. */
int part_card_start(part *p);
/* Is it sent, or has it arrived and is in use? */
int part_card_step(part *p);

/* part_send.c */
int part_send_prepare(part *p); /* cut into pieces; COR_ERR_MEMORY */
void part_send_start(part *p);
int part_send_ready(part *p); /* send what is ready; returns how many pieces */

/* part_recv.c: post the receives of all pieces. */
int part_recv_start(part *p);

#endif
