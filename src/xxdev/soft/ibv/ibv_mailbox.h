/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mailboxes: a second way for tiny packets (ibv.mailbox). A connection has a mailbox at either end: a ring of slots
 * which the peer fills by RDMA writes, and which the owner polls. That saves the receive and the completion of a
 * packet; it costs memory that stays locked for every connection, and a look at every mailbox in every poll.
 *
 *   Size      ibv.mailbox_bytes bounds the mailboxes of a rank to all others. So slots become smaller as the job grows,
 *             and where they would hold next to nothing there are none.
 *   Offer     When a connection is open each side tells the other where its mailbox is, in a frame of its own.
 *   Slots     A mail is there when the marks at its beginning and its end have the number that its slot awaits. The
 *             owner clears the slot before its next turn, so nothing older is taken for an end. This needs an adapter
 *             that places the bytes of a write in order: InfiniBand and RoCE do, as far as is known; iWARP promises
 *             nothing, and has no mailboxes.
 *   Order     Mails and other frames of a connection are delivered in the order sent. A mail counts the frames that
 *             were sent before it, and waits for them. A frame counts the mails before it; these are in the mailbox
 *             when it arrives, since a connection completes its writes first.
 *   Room      The owner writes how many mails it has taken to a word beside the peer's own mailbox, every half turn.
 *             While a mailbox is full, packets go as frames.
 *   Sleep     A write wakes no process: with mailboxes a rank that sleeps looks at them every millisecond.
 */
#ifndef COR_IBV_MAILBOX_H
#define COR_IBV_MAILBOX_H

#include "dtype/payload.h"
#include "xxdev/soft/wire.h"

#include <stddef.h>
#include <stdint.h>

enum { IBW_MAIL_SLOTS = 16, IBW_MAIL_SLEEP_MS = 1 };

struct ibv_mr;
typedef struct ibw_wire ibw_wire;
typedef struct ibw_link ibw_link;

/* What the frame IBW_OFFER carries. */
typedef struct ibw_offer {
    uint64_t address;
    uint32_t key;
    uint32_t slot_bytes;
} ibw_offer;

typedef struct ibw_mailbox {
    /* Ours: in `memory` stands first the word that the peer writes, then the slots that it fills. */
    uint8_t *memory;
    struct ibv_mr *region;
    uint32_t slot_bytes;
    uint32_t taken, told; /* mails from the peer; as many as it knows of */
    /* The peer's. slot_bytes 0: it has offered none. */
    ibw_offer peer;
    uint32_t sent; /* mails to it */
} ibw_mailbox;

/* Bytes of a slot for packets up to a size, in a job of so many ranks whose mailboxes take all_bytes at most, filled
 * from buffers of so many bytes; 0: there are no mailboxes. */
uint32_t ibw_mailbox_slot_bytes(size_t packet_max_bytes, size_t buffer_bytes, size_t all_bytes, int ranks);

/* The connection is open: make a mailbox, and offer it. Without memory for it there is none. */
void ibw_mailbox_open(ibw_wire *wire, ibw_link *link);
void ibw_mailbox_close(ibw_wire *wire, ibw_link *link);
/* 0: it is no offer; no rank has slots that are larger than a buffer, from which mails are sent. */
int ibw_mailbox_offered(const ibw_wire *wire, ibw_link *link, const ibw_offer *offer);

/* Is there room for a packet of so many bytes? */
int ibw_mailbox_has_room(ibw_wire *wire, ibw_link *link, size_t bytes);
/* There is, and in the send queue too. COR_AGAIN: no buffer is free. */
int ibw_mailbox_send(ibw_wire *wire, ibw_link *link, const cor_header *header, const cor_payload *payload,
                     size_t offset, size_t bytes);
void ibw_mailbox_tell(ibw_wire *wire, ibw_link *link);

/* Deliver what was sent before a frame that has arrived, which counts mails modulo 256. 0: it is not there, and the
 * link has failed. */
int ibw_mailbox_take_until(ibw_wire *wire, ibw_link *link, uint8_t mails);
/* Deliver what is there; returns how much. */
int ibw_mailboxes_take(ibw_wire *wire);
int ibw_mailboxes_are_empty(ibw_wire *wire);

#endif
