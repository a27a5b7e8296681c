/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verbs wire: InfiniBand, RoCE and iWARP through libibverbs and librdmacm, which are opened when the wire is
 * (ibv_library.c).
 *
 * A pair of ranks has one reliable connection, made when one of them first sends to the other. Where both call at the
 * same time the lower rank serves. Caller and called prove by a keyed hash in what they tell each other that they know
 * the job's secret, which rank 0 makes and which travels with its address through the launcher.
 *
 *   RDMA CM     (ibv_cm.c) makes the connections where the device has an IP address. iWARP knows no other way.
 *   Exchange    (ibv_exchange.c) Without RDMA CM the launcher carries LID, GID and number of a queue pair for datagrams
 *               of each rank. A call is a datagram that offers a queue pair; it is repeated until a datagram answers it
 *               with another one. Both are then moved by hand to where they can send.
 *   Packets     go through registered buffers of one size, ibv.buffer; short ones inline, from one buffer that is free
 *               again at once. All connections receive into one shared queue, and end in one completion queue.
 *   Credits     With a connection a rank posts ibv.credits receives, and so many packets the peer may have under way.
 *               The receives come back to it with packets of the other direction, or with a frame of their own, for
 *               which the last credit is kept. So a receive is always there, which iWARP demands.
 *   Mailboxes   Tiny packets may be written to memory that the receiver polls instead (ibv_mailbox.h).
 *   Queues      A send queue has ibv.send_queue places. Every place is counted until its completion, or a later one, is
 *               seen, and that of a read until its own is; the completion queue has room for all of them and all
 *               receives. No queue can overflow.
 *   Memory      Long messages of plain memory are read by the receiver up to ibv.get_max, and written by the sender
 *               beyond. The last write carries immediate data, by which the receiver knows that all is there; it takes
 *               a credit. iWARP has no such writes. Registrations are kept (ibv_cache.h).
 *   Deaths      With RDMA CM a process that ends disconnects. A host that is silent, and without RDMA CM a process that
 *               has ended, makes the adapter's retries run out. A rank that has waited for another for a second sends
 *               it an empty RDMA write for that, or connects to it if it has not yet. While a call is not answered, the
 *               host and the launcher are asked once a second whether the process has ended. That alone is no sign of
 *               an end: a rank that computes for hours answers no call. What the device reports of itself is read as
 *               often.
 */
#ifndef COR_IBV_H
#define COR_IBV_H

#include "base/knob.h"
#include "xxdev/soft/wire.h"

enum { COR_IBV_DEVICE_MAX = 64 };

typedef enum cor_ibv_setup { COR_IBV_SETUP_AUTO, COR_IBV_SETUP_CM, COR_IBV_SETUP_EXCHANGE } cor_ibv_setup;

typedef struct cor_ibv_config {
    char device[COR_IBV_DEVICE_MAX];
    int setup; /* cor_ibv_setup */
    int port;
    int gid_index;
    int mtu; /* as verbs number them; 0: the port's */
    int service_level;
    size_t buffer_bytes;
    size_t inline_max_bytes;
    size_t get_max_bytes;
    int cache; /* ibw_cache_kind */
    int cache_entries;
    size_t cache_bytes;
    int cache_misses;
    int credits;
    int send_queue;
    int send_buffers;
    int signal_every;
    int ack_timeout;
    int retries;
    int traffic_class;
    int connect_s;
    int is_in_hybrid;
    int connects_all;
    size_t mailbox_max_bytes;
    size_t mailbox_bytes;
} cor_ibv_config;

extern const cor_knob_table cor_ibv_knobs;

/* The address of a rank whose Corunna was built without the headers of the libraries (COR_HAS_RDMA is 0), and so
 * without what is below: it has no device. */
#define COR_IBV_ABSENT_ADDRESS "ibv2,unknown,none"

extern const cor_wire_ops cor_ibv_wire;
/* Has this host the libraries and a device? COR_ERR_UNSUPPORTED. */
int cor_ibv_check(cor_fault *fault);
/* For hybrid devices: where a rank of the job has no device it reaches nobody, instead of failing, and says so. */
extern const cor_wire_ops cor_ibv_wire_if_any;

#endif
