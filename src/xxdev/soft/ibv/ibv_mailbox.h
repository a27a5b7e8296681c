/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mailboxes: a second path for tiny packets (ibv.mailbox). A connection has a mailbox at each end: a ring of slots that
 * the peer fills by RDMA writes and the owner polls. That saves the receive and the completion of a packet; it costs
 * pinned memory for every connection, and a read of every mailbox in every poll.
 *
 *   Size      ibv.mailbox_bytes bounds the mailboxes of a rank to all others. So slots become smaller as the job grows,
 *             and mailboxes are not used if slots would be too small.
 *   Offer     When a connection is open, each side sends the other the address of its mailbox, in a frame of its own.
 *   Slots     A mailbox message is complete when the marks at its beginning and its end have the number that its slot
 *             expects. The owner clears the slot before its next use, so that an older mark is not taken for the end.
 *             This needs an adapter that places the bytes of a write in order: InfiniBand and RoCE do, as far as is
 *             known; iWARP does not promise it, and has no mailboxes.
 *   Order     Mailbox messages and other frames of a connection are delivered in the order sent. A mailbox message has
 *             the number of frames that were sent before it, and waits for them. A frame has the number of mailbox
 *             messages before it; these are in the mailbox when it arrives, since a connection completes its writes
 *             first.
 *   Room      Every half turn the owner writes the number of messages it has consumed to a word beside the peer's own
 *             mailbox. While a mailbox is full, packets go as frames.
 *   Sleep     A write wakes no process: a sleeping rank with mailboxes polls them every millisecond.
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

/* The content of the frame IBW_OFFER. */
typedef struct ibw_offer {
    uint64_t address;
    uint32_t key;
    uint32_t slot_bytes;
} ibw_offer;

typedef struct ibw_mailbox {
    /* This rank's: `memory` has first the word that the peer writes, then the slots that it fills. */
    uint8_t *memory;
    struct ibv_mr *region;
    uint32_t slot_bytes;
    uint32_t taken, told; /* messages consumed; and how many the peer knows of */
    /* The peer's. slot_bytes 0: none was offered. */
    ibw_offer peer;
    uint32_t sent; /* messages to it */
} ibw_mailbox;

/* Bytes of a slot for packets up to packet_max_bytes, in a job of `ranks` ranks whose mailboxes use all_bytes at most
 * and are filled from buffers of buffer_bytes; 0: there are no mailboxes. */
uint32_t ibw_mailbox_slot_bytes(size_t packet_max_bytes, size_t buffer_bytes, size_t all_bytes, int ranks);

/* Make a mailbox for an open connection, and offer it to the peer. Without memory for it there is none. */
void ibw_mailbox_open(ibw_wire *wire, ibw_link *link);
void ibw_mailbox_close(ibw_wire *wire, ibw_link *link);
/* Process the peer's offer. 0: it is invalid; no rank has slots larger than a buffer, from which mailbox messages are
 * sent. */
int ibw_mailbox_offered(const ibw_wire *wire, ibw_link *link, const ibw_offer *offer);

/* Is there room for a packet of this length? */
int ibw_mailbox_has_room(ibw_wire *wire, ibw_link *link, size_t bytes);
/* The caller has checked that mailbox and send queue have room. COR_AGAIN: no buffer is free. */
int ibw_mailbox_send(ibw_wire *wire, ibw_link *link, const cor_header *header, const cor_payload *payload,
                     size_t offset, size_t bytes);
void ibw_mailbox_tell(ibw_wire *wire, ibw_link *link);

/* Deliver the mailbox messages sent before a frame that has arrived, which has their number modulo 256. 0: they are not
 * there, and the link has failed. */
int ibw_mailbox_take_until(ibw_wire *wire, ibw_link *link, uint8_t mails);
/* Deliver all complete messages; returns how many. */
int ibw_mailboxes_take(ibw_wire *wire);
int ibw_mailboxes_are_empty(ibw_wire *wire);

#endif
