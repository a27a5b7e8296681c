/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bridge to UCX, its inside.
 *
 * Packets are active messages, eager ones of one fragment where possible: cor_fabric_header is the header, and the
 * handler delivers from UCX's memory.
 *
 * A long message of plain memory goes in such packets where that is the best UCX can do (TCP with error handling). Else
 * it is an active message of its own, by whatever protocol UCX has for its length: to enter memory for a message makes
 * a landing, the key is its number, and a put is the message that names it.
 *
 * Shared memory (COR_WIRE_SHARED) is registered with UCX, and reached by its remote memory operations.
 */
#ifndef COR_UCX_STATE_H
#define COR_UCX_STATE_H

#include "xxdev/soft/fabric/fabric_bridge.h"

#include <ucp/api/ucp.h>

enum { UCX_PACKET, UCX_MESSAGE }; /* numbers of active messages */

enum { UCX_KEYS = 64 };

typedef struct ucx_peer {
    ucp_ep_h endpoint; /* NULL: not needed yet */
    ucp_address_t *address;
    int is_near;
    int is_handled; /* UCX tells when the peer cannot be reached any more */
    int is_lost;
} ucx_peer;

/* What entering memory gives: a landing, or a region that is shared. */
typedef struct ucx_registration {
    int is_region;
} ucx_registration;

/* Memory for one long message. */
typedef struct ucx_landing {
    ucx_registration base;
    struct ucx_landing *next; /* in the list of what is free */
    struct cor_fabric_library *library;
    void *memory;
    size_t bytes;
    uint32_t number, generation;
    int is_entered, is_receiving;
    int peer; /* that sends the message, while it is received */
    uint32_t id;
} ucx_landing;

/* A key of a peer that was unpacked. Kept until another one takes its place, and until no job uses it. */
typedef struct ucx_key {
    ucp_rkey_h key;
    int peer, users, is_kept;
    cor_wire_key packed;
} ucx_key;

struct cor_fabric_library {
    cor_fabric_options options;
    ucp_context_h context;
    ucp_worker_h worker;
    ucp_address_t *address;
    size_t address_bytes;
    int descriptor;
    int is_stopped;
    int has_rdma; /* this host has an adapter for which UCX has a transport */
    ucx_landing **landings, *free_landings;
    uint32_t landing_count;
    ucx_key *keys[UCX_KEYS]; /* by a hash of peer and key */
    ucx_peer peers[];
};

/* ucx_open.c */
int ucx_open(const cor_fabric_options *options, cor_fabric_library **library_p, char *why, size_t why_bytes);
void ucx_close(cor_fabric_library *library);
const char *ucx_transports(const cor_fabric_library *library);

/* ucx_connect.c */
const void *ucx_address(cor_fabric_library *library, size_t *bytes_p);
int ucx_connect(cor_fabric_library *library, int peer, const void *address, size_t bytes, int is_near);
int ucx_reach(cor_fabric_library *library, int peer); /* there is an endpoint after that: 0, or an error */
int ucx_start(cor_fabric_library *library);
/* Are transports chosen by words that shared memory is among? */
int ucx_names_shared_memory(const cor_fabric_library *library);
void ucx_route(cor_fabric_library *library, int peer, cor_wire_route *route_p);
void ucx_lose(cor_fabric_library *library, int peer);
void ucx_stop(cor_fabric_library *library);

/* ucx_packet.c */
int ucx_send_short(cor_fabric_library *library, int peer, const cor_fabric_header *header, const void *payload,
                   size_t bytes);
int ucx_send(cor_fabric_library *library, int peer, cor_fabric_packet *packet);
ucs_status_t ucx_packet_arrived(void *argument, const void *header, size_t header_bytes, void *data, size_t bytes,
                                const ucp_am_recv_param_t *param);
/* An end that UCX tells of a send: 0, or its error. */
int ucx_end(ucs_status_t status);

/* ucx_message.c */
int ucx_landing_enter(cor_fabric_library *library, void *memory, size_t bytes, cor_wire_key *key_p,
                      void **registration_p);
void ucx_landing_leave(cor_fabric_library *library, ucx_landing *landing);
int ucx_message_send(cor_fabric_library *library, int peer, const cor_wire_key *to, const void *from, size_t bytes,
                     uint32_t id, cor_fabric_job *job);
ucs_status_t ucx_message_arrived(void *argument, const void *header, size_t header_bytes, void *data, size_t bytes,
                                 const ucp_am_recv_param_t *param);
/* Is a message of this peer on its way into memory of ours? */
int ucx_message_is_coming(cor_fabric_library *library, int peer);
int ucx_is_landing_key(const cor_wire_key *key);

/* ucx_memory.c */
int ucx_enter(cor_fabric_library *library, void *memory, size_t bytes, cor_wire_use use, cor_wire_key *key_p,
              void **registration_p);
void ucx_leave(cor_fabric_library *library, void *registration);
int ucx_get(cor_fabric_library *library, int peer, const cor_wire_key *from, size_t offset, void *to,
            void *registration, size_t bytes, cor_fabric_job *job);
int ucx_put(cor_fabric_library *library, int peer, const cor_wire_key *to, size_t offset, const void *from,
            void *registration, size_t bytes, uint32_t id, cor_fabric_job *job);
int ucx_update(cor_fabric_library *library, int peer, const cor_wire_key *to, size_t offset,
               const cor_wire_atomic *atomic, cor_fabric_job *job);
void ucx_forget_keys(cor_fabric_library *library, int peer); /* -1: of all peers */

#endif
