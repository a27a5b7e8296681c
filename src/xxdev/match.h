/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matching: receives that wait for a message, and messages that wait for a receive, on (context, peer, tag) with
 * wildcards, in MPI's order.
 *
 * There is one bin per key, and a key may have wildcards. A posted receive is in the bin of its own key. A message that
 * found no receive is in the bins of all four keys that match it (exact, any peer, any tag, both). So both searches
 * read only the heads of at most four queues, however long these are: a new receive takes the oldest message of its
 * bin; a new message takes the oldest receive among its four bins, by sequence number. Messages are put into the bins
 * with one wildcard only after a rank has received with one wildcard: most programs never do.
 *
 * Not thread-safe: used under the rank's lock. Memory for bins grows with the number of keys in use at once.
 */
#ifndef COR_XXDEV_MATCH_H
#define COR_XXDEV_MATCH_H

#include "base/pool.h"
#include "xxdev/xxdev.h"

typedef struct cor_match_bin {
    struct cor_match_bin *next; /* in the hash chain */
    uint32_t context;
    int32_t peer, tag;
    cor_list posted;   /* cor_transfer.link, oldest first */
    cor_list messages; /* cor_message.links[which], oldest first; `which` by the key's wildcards */
} cor_match_bin;

typedef struct cor_match {
    cor_match_bin **table;
    uint32_t mask;
    uint32_t bin_count;
    uint32_t wild_posted; /* receives with a wildcard now posted: 0 means that only exact bins need a search */
    int has_half_wild;    /* messages are in the bins with one wildcard too */
    int is_out_of_memory; /* a search with one wildcard could not be done */
    uint64_t sequence;
    cor_pool bins;
    cor_pool messages; /* those with little data or none */
    cor_list taken;    /* cor_message.links[0]: out of matching, not yet received */
} cor_match;

/* A message without a receive. From `kind` on the fields belong to the protocol. */
struct cor_message {
    cor_link links[4];
    uint32_t context;
    int32_t peer, tag;
    uint8_t kind, flags;
    uint8_t is_pooled;
    uint8_t type_class;
    uint32_t id;      /* the sender's transfer, where it waits for an answer */
    uint32_t credits; /* to return when it is consumed */
    size_t bytes;     /* the message's whole length */
    uint64_t word;    /* the device's own */
    uint8_t data[];   /* of an eager message, or what the device keeps of a request */
};

int cor_match_init(cor_match *match);
void cor_match_fini(cor_match *match); /* frees the messages too; no receive is posted */

/* Memory for a message with data_bytes of data, or NULL. The caller fills the fields. */
cor_message *cor_match_make_message(cor_match *match, size_t data_bytes);
void cor_match_free_message(cor_match *match, cor_message *message);

/* For a receive: the oldest message that matches, or NULL; it is not removed. If is_out_of_memory is set, NULL is no
 * answer and the caller must fail. */
cor_message *cor_match_find_message(cor_match *match, uint32_t context, int peer, int tag);
/* The message from this peer with the sender's id `id`, or NULL. Searches all messages of the key. */
cor_message *cor_match_find_id(cor_match *match, uint32_t context, int peer, int tag, uint32_t id);
/* Remove a message from matching; cor_match_take_message, for a matched probe, keeps it until it is removed. */
void cor_match_remove_message(cor_message *message);
void cor_match_take_message(cor_match *match, cor_message *message);
/* What a probe reports of a message. */
static inline cor_envelope cor_message_envelope(const cor_message *message)
{
    return (cor_envelope){.peer = message->peer, .tag = message->tag, .bytes = message->bytes};
}
/* Queue a message (fields context, peer, tag are set). COR_ERR_MEMORY. */
int cor_match_add_message(cor_match *match, cor_message *message);

/* For a message: the first posted receive that matches, or NULL; cor_match_take_receive also removes it from the
 * queue. */
cor_transfer *cor_match_find_receive(const cor_match *match, uint32_t context, int peer, int tag);
cor_transfer *cor_match_take_receive(cor_match *match, uint32_t context, int peer, int tag);
/* Queue a receive (fields context, peer, tag are set, wildcards allowed). COR_ERR_MEMORY. */
int cor_match_add_receive(cor_match *match, cor_transfer *receive);
/* Remove a posted receive. */
void cor_match_remove_receive(cor_match *match, cor_transfer *receive);

/* Any posted receive that a message of this peer could match, or NULL: one for this peer, or one for any peer in a
 * context for which `may_hold` returns non-zero. Slow. */
typedef int (*cor_match_context_fn)(void *subject, uint32_t context, int peer);
cor_transfer *cor_match_any_receive(cor_match *match, int peer, cor_match_context_fn may_hold, void *subject);

/* Every bin with receives. Slow. */
typedef void (*cor_match_visit_fn)(void *subject, const cor_match_bin *bin);
void cor_match_visit_receives(const cor_match *match, cor_match_visit_fn visit, void *subject);

/* Every message without a receive, those of one context, peer and tag in their order. Slow. */
void cor_match_visit_messages(const cor_match *match, cor_envelope_fn visit, void *subject);

#endif
