/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verbs wire: InfiniBand, RoCE and iWARP through libibverbs and librdmacm, which are loaded when the wire is opened
 * (ibv_library.c).
 *
 * A pair of ranks has one reliable connection, made when one of them first sends to the other. Where both connect at
 * the same time, the lower rank accepts. Both prove, by a keyed hash in their connection data, that they know the job's
 * secret, which rank 0 makes and publishes with its address through the launcher.
 *
 *   RDMA CM     (ibv_cm.c) makes the connections where the device has an IP address. iWARP has no other way.
 *   Exchange    (ibv_exchange.c) Without RDMA CM the launcher carries LID, GID and number of a queue pair for datagrams
 *               of each rank. A connection request is a datagram that offers a queue pair; it is repeated until a
 *               datagram answers it with another one. Each side then moves its queue pair to the ready-to-send state
 *               itself.
 *   Packets     go through registered buffers of one size, ibv.buffer; short ones inline, from one buffer that can be
 *               reused at once. All connections receive into one shared queue, and end in one completion queue.
 *   Credits     For each connection a rank posts ibv.credits receives, and the peer may have as many packets under way.
 *               Credits are returned with packets of the other direction, or in a frame of their own, for which the
 *               last credit is reserved. So a receive is always posted, which iWARP demands.
 *   Mailboxes   Tiny packets may be written to memory that the receiver polls instead (ibv_mailbox.h).
 *   Queues      A send queue has ibv.send_queue places. A place is in use until its completion, or a later one, is
 *               polled, that of a read until its own is; the completion queue has room for all of them and all
 *               receives. No queue can overflow.
 *   Memory      Long messages of plain memory are read by the receiver up to ibv.get_max, and written by the sender
 *               beyond. The last write carries immediate data, which notify the receiver that all data have arrived; it
 *               uses a credit. iWARP has no such writes. Registrations are kept (ibv_cache.h).
 *   Deaths      With RDMA CM a process that ends disconnects. If a host is silent, or without RDMA CM a process has
 *               ended, the adapter's retries run out. To trigger them, a rank that has waited for another for a second
 *               sends it an empty RDMA write, or connects to it if it has not yet. While a connection request is not
 *               answered, the rank checks once a second at the host and at the launcher whether the process has ended.
 *               A missing answer alone is no sign of an end: a rank that computes for hours answers no request.
 *               Asynchronous events of the device are read as often.
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
 * without the wire below: it has no device. */
#define COR_IBV_ABSENT_ADDRESS "ibv2,unknown,none"

extern const cor_wire_ops cor_ibv_wire;
/* Does this host have the libraries and a device? COR_ERR_UNSUPPORTED. */
int cor_ibv_check(cor_fault *fault);
/* For hybrid devices: if a rank of the job has no device, the wire reaches no rank, instead of failing, and logs
 * that. */
extern const cor_wire_ops cor_ibv_wire_if_any;

#endif
