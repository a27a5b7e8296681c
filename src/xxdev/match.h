/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matching: receives that wait for a message, and messages that wait for a receive, on (context, peer, tag) with
 * wildcards, in MPI's order.
 *
 * One idea: a bin per key, where a key may hold wildcards. A posted receive stands in the bin of its own key. A
 * message that found no receive stands in the bins of all four keys that could ask for it (exact, any peer, any tag,
 * both). So both questions are a look at the head of at most four queues, however long they are: a new receive takes
 * the oldest message of its bin; a new message takes the oldest receive among its four bins, by sequence number.
 * The bins of one wildcard are kept only once a rank has asked with one: most programs never do.
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
    uint32_t wild_posted; /* receives with a wildcard now posted: 0 means that only exact bins need a look */
    int has_half_wild;    /* messages stand in the bins of one wildcard too */
    int is_out_of_memory; /* a question with one wildcard could not be answered */
    uint64_t sequence;
    cor_pool bins;
    cor_pool messages; /* with little data or none */
    cor_list taken;    /* cor_message.links[0]: out of matching, not yet received */
} cor_match;

/* A message without a receive. The protocol's part begins at `kind`. */
struct cor_message {
    cor_link links[4];
    uint32_t context;
    int32_t peer, tag;
    uint8_t kind, flags;
    uint8_t is_pooled;
    uint8_t type_class;
    uint32_t id;      /* the sender's transfer, where it waits for an answer */
    uint32_t credits; /* to give back when it is consumed */
    size_t bytes;     /* the message's whole length */
    uint64_t word;    /* the device's own */
    uint8_t data[];   /* of an eager message, or what the device keeps of a request */
};

int cor_match_init(cor_match *match);
void cor_match_fini(cor_match *match); /* frees the messages too; no receive is posted */

/* Memory for a message with so many bytes of data, or NULL. The fields are the caller's to fill. */
cor_message *cor_match_make_message(cor_match *match, size_t data_bytes);
void cor_match_free_message(cor_match *match, cor_message *message);

/* A receive asks: the oldest message that matches, or NULL; it stays where it is. NULL with is_out_of_memory set says
 * nothing: the caller must give up. */
cor_message *cor_match_find_message(cor_match *match, uint32_t context, int peer, int tag);
/* The message from this peer that its sender names by this id, or NULL. Looks at all messages of the key. */
cor_message *cor_match_find_id(cor_match *match, uint32_t context, int peer, int tag, uint32_t id);
/* Take a message out of matching; for a matched probe: and keep it until it is removed. */
void cor_match_remove_message(cor_message *message);
void cor_match_take_message(cor_match *match, cor_message *message);
/* What a probe tells of a message. */
static inline cor_envelope cor_message_envelope(const cor_message *message)
{
    return (cor_envelope){.peer = message->peer, .tag = message->tag, .bytes = message->bytes};
}
/* Queue a message (fields context, peer, tag are set). COR_ERR_MEMORY. */
int cor_match_add_message(cor_match *match, cor_message *message);

/* A message asks: the receive posted first that matches, or NULL; take: and take it out of the queue. */
cor_transfer *cor_match_find_receive(const cor_match *match, uint32_t context, int peer, int tag);
cor_transfer *cor_match_take_receive(cor_match *match, uint32_t context, int peer, int tag);
/* Queue a receive (fields context, peer, tag are set, wildcards allowed). COR_ERR_MEMORY. */
int cor_match_add_receive(cor_match *match, cor_transfer *receive);
/* Take a posted receive out again. */
void cor_match_remove_receive(cor_match *match, cor_transfer *receive);

/* Any posted receive that this peer could have answered, or NULL: one for it by name, or one for any peer in a context
 * that `may_hold` says yes to. Slow. */
typedef int (*cor_match_context_fn)(void *subject, uint32_t context, int peer);
cor_transfer *cor_match_any_receive(cor_match *match, int peer, cor_match_context_fn may_hold, void *subject);

/* Every bin with receives. Slow. */
typedef void (*cor_match_visit_fn)(void *subject, const cor_match_bin *bin);
void cor_match_visit_receives(const cor_match *match, cor_match_visit_fn visit, void *subject);

/* Every message without a receive, those of one context, peer and tag in their order. Slow. */
void cor_match_visit_messages(const cor_match *match, cor_envelope_fn visit, void *subject);

#endif
