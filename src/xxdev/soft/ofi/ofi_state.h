/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bridge to libfabric, its inside: plain messages and remote memory of a reliable datagram endpoint (FI_EP_RDM).
 *
 * Packets are messages without tags. A few receives for them are always posted, each with a buffer as long as the
 * longest packet. Short packets are injected; others end in the completion queue, where everything else ends, too. What
 * a provider cannot take now (FI_EAGAIN) is tried again: packets by the wire, receives and copies with progress.
 *
 * Long messages of plain memory are read by the receiver up to options.get_max_bytes, and written by the sender beyond;
 * a copy that is longer than the provider's messages goes in parts, one after the other. Where a provider has no remote
 * memory, they go in packets.
 *
 * Where a provider wants all memory registered (FI_MR_LOCAL), packets are copied to buffers that are.
 */
#ifndef COR_OFI_STATE_H
#define COR_OFI_STATE_H

#include "base/list.h"
#include "xxdev/soft/fabric/fabric_bridge.h"

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>

enum {
    OFI_BATCH = 16,
    OFI_RECEIVES = 32,
    OFI_BOUNCES = 64,        /* buffers that packets are sent from, where memory must be registered, at first */
    OFI_LEAST_BUFFER = 1024, /* bytes of a receive's buffer */
    OFI_ALIGN_BYTES = 64,    /* of these buffers */
    OFI_SMALL_BYTES = 512,   /* packets up to here are put together on the stack */
};

typedef enum ofi_kind { OFI_PACKET, OFI_RECEIVE, OFI_COPY } ofi_kind;

/* At the head of all that the provider is given: completions name it. */
typedef struct ofi_context {
    struct fi_context2 context;
    ofi_kind kind;
    int peer; /* of what goes to one */
} ofi_context;

typedef struct ofi_receive {
    ofi_context base;
    cor_link link; /* in library->unposted, until the provider takes it */
    char *buffer;
} ofi_receive;

/* A registered buffer that a packet is sent from. */
typedef struct ofi_bounce {
    struct ofi_bounce *next; /* of those that are free */
    struct fid_mr *region;
    char *buffer;
} ofi_bounce;

/* Some of them that were made together. */
typedef struct ofi_bounces {
    struct ofi_bounces *next;
    struct fid_mr *region;
    char *buffers;
    ofi_bounce bounces[];
} ofi_bounces;

/* In a cor_fabric_job: a packet. */
typedef struct ofi_packet {
    ofi_context base;
    ofi_bounce *bounce; /* or NULL */
} ofi_packet;

/* A get, put or update: in a job there is only the pointer to it. */
typedef struct ofi_copy {
    ofi_context base;
    cor_link link; /* in library->waiting, or in what is free */
    cor_fabric_job *job;
    enum { OFI_GET, OFI_PUT, OFI_UPDATE } what;
    char *memory; /* at this end */
    void *description;
    uint64_t address, key;
    size_t left, part; /* not done yet; of these, asked for */
    cor_wire_atomic atomic;
    uint64_t operand, compare, result;
} ofi_copy;

typedef struct ofi_peer {
    fi_addr_t address;
    int is_lost;
    int bounces; /* that its packets hold; of a lost peer: for which there are no others yet */
} ofi_peer;

struct cor_fabric_library {
    cor_fabric_options options;
    struct fi_info *info;
    struct fid_fabric *fabric;
    struct fid_domain *domain;
    struct fid_av *addresses;
    struct fid_cq *completions;
    struct fid_ep *endpoint;
    char name[512]; /* this rank's address */
    size_t name_bytes;
    int descriptor;
    size_t buffer_bytes; /* of a packet with its header, at most */
    size_t iov_limit, inject_bytes;
    int wants_registered; /* FI_MR_LOCAL */
    int is_stopped;       /* the endpoint is closed */
    unsigned atomics;     /* as of a route */
    uint64_t next_key;    /* for providers that let us choose keys */
    ofi_receive *receives;
    char *buffers; /* of the receives */
    struct fid_mr *buffers_region;
    ofi_bounces *bounces;
    ofi_bounce *free_bounces;
    cor_list unposted; /* ofi_receive */
    int unposted_count;
    int has_warned;   /* of a receive that the provider refuses */
    cor_list waiting; /* ofi_copy */
    cor_list copies;  /* ofi_copy: free ones */
    void *slabs;      /* of copies, linked through their first words */
    ofi_peer peers[];
};

/* ofi_open.c */
int ofi_open(const cor_fabric_options *options, cor_fabric_library **library_p, char *why, size_t why_bytes);
void ofi_close(cor_fabric_library *library);
void ofi_close_endpoint(cor_fabric_library *library);
/* What fails is said in the log: there is nothing to be done about it. */
void ofi_close_one(const cor_fabric_library *library, struct fid *fid, const char *what);

/* ofi_packet.c */
int ofi_start(cor_fabric_library *library);
void ofi_packets_close(cor_fabric_library *library);
int ofi_send_short(cor_fabric_library *library, int peer, const cor_fabric_header *header, const void *payload,
                   size_t bytes);
int ofi_send(cor_fabric_library *library, int peer, cor_fabric_packet *packet);
void ofi_packet_ended(cor_fabric_library *library, ofi_packet *packet, int error);
void ofi_received(cor_fabric_library *library, ofi_receive *receive, size_t bytes, int error);
int ofi_post_again(cor_fabric_library *library);

/* ofi_memory.c */
int ofi_enter(cor_fabric_library *library, void *memory, size_t bytes, cor_wire_use use, cor_wire_key *key_p,
              void **registration_p);
void ofi_leave(cor_fabric_library *library, void *registration);
int ofi_get(cor_fabric_library *library, int peer, const cor_wire_key *from, size_t offset, void *to,
            void *registration, size_t bytes, cor_fabric_job *job);
int ofi_put(cor_fabric_library *library, int peer, const cor_wire_key *to, size_t offset, const void *from,
            void *registration, size_t bytes, uint32_t id, cor_fabric_job *job);
int ofi_update(cor_fabric_library *library, int peer, const cor_wire_key *to, size_t offset,
               const cor_wire_atomic *atomic, cor_fabric_job *job);
void ofi_copy_ended(cor_fabric_library *library, ofi_copy *copy, int error);
int ofi_copy_again(cor_fabric_library *library);
void ofi_memory_close(cor_fabric_library *library);
unsigned ofi_find_atomics(const cor_fabric_library *library);
/* Register memory. 0, or the provider's error. */
int ofi_register(cor_fabric_library *library, void *memory, size_t bytes, uint64_t access, struct fid_mr **region_p);

static inline int ofi_error(ssize_t rc)
{
    return rc == 0 ? COR_FABRIC_STARTED : rc == -FI_EAGAIN ? COR_FABRIC_AGAIN : (int)rc;
}

#endif
