/* SPDX-License-Identifier: Apache-2.0 */
#include "xxdev/match.h"

#include <stdlib.h>

enum { MATCH_FIRST_BUCKETS = 256, MATCH_POOLED_DATA = 128 };

/* Which of a message's links hangs in the bin of this key. */
enum { MATCH_EXACT, MATCH_ANY_PEER, MATCH_ANY_TAG, MATCH_ANY };

static inline int match_which(int peer, int tag)
{
    return (peer == COR_ANY_PEER ? MATCH_ANY_PEER : 0) | (tag == COR_ANY_TAG ? MATCH_ANY_TAG : 0);
}

static inline uint32_t match_hash(uint32_t context, int peer, int tag)
{
    uint64_t mix = ((uint64_t)context << 32 | (uint32_t)peer) * 0x9e3779b97f4a7c15u + (uint32_t)tag;
    mix *= 0xd6e8feb86659fd93u;
    return (uint32_t)(mix >> 32);
}

int cor_match_init(cor_match *match)
{
    *match = (cor_match){.mask = MATCH_FIRST_BUCKETS - 1};
    match->table = calloc(MATCH_FIRST_BUCKETS, sizeof *match->table);
    if (!match->table)
        return COR_ERR_MEMORY;
    cor_pool_init(&match->bins, sizeof(cor_match_bin));
    cor_pool_init(&match->messages, sizeof(cor_message) + MATCH_POOLED_DATA);
    cor_list_init(&match->taken);
    return COR_OK;
}

/* ---- messages --------------------------------------------------------------------------------------------------- */

cor_message *cor_match_make_message(cor_match *match, size_t data_bytes)
{
    int is_pooled = data_bytes <= MATCH_POOLED_DATA;
    cor_message *message = is_pooled ? cor_pool_get(&match->messages) : malloc(sizeof *message + data_bytes);
    if (message)
        message->is_pooled = (uint8_t)is_pooled;
    return message;
}

void cor_match_free_message(cor_match *match, cor_message *message)
{
    if (message->is_pooled)
        cor_pool_put(&match->messages, message);
    else
        free(message);
}

void cor_match_remove_message(cor_message *message)
{
    for (int i = 0; i < 4; i++)
        cor_list_remove(&message->links[i]);
}

void cor_match_take_message(cor_match *match, cor_message *message)
{
    cor_match_remove_message(message);
    cor_list_append(&match->taken, &message->links[0]);
}

static inline cor_message *match_message_of(cor_link *link, int which)
{
    return COR_OWNER(link - which, cor_message, links);
}

static void match_free_list(cor_match *match, cor_list *messages, int which)
{
    while (!cor_list_is_empty(messages)) {
        cor_message *message = match_message_of(messages->next, which);
        cor_match_remove_message(message);
        cor_match_free_message(match, message);
    }
}

void cor_match_fini(cor_match *match)
{
    for (uint32_t i = 0; i <= match->mask; i++)
        for (cor_match_bin *bin = match->table[i]; bin; bin = bin->next)
            match_free_list(match, &bin->messages, match_which(bin->peer, bin->tag));
    match_free_list(match, &match->taken, 0);
    cor_pool_fini(&match->messages);
    cor_pool_fini(&match->bins);
    free(match->table);
}

/* ---- bins ------------------------------------------------------------------------------------------------------- */

static inline cor_match_bin *match_find_bin(const cor_match *match, uint32_t context, int peer, int tag)
{
    cor_match_bin *bin = match->table[match_hash(context, peer, tag) & match->mask];
    while (bin && (bin->tag != tag || bin->peer != peer || bin->context != context))
        bin = bin->next;
    return bin;
}

/* Drop empty bins; double the table if most are in use. Amortised over the bins made since the last time. */
static void match_sweep(cor_match *match)
{
    cor_match_bin *kept = NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; i <= match->mask; i++) {
        while (match->table[i]) {
            cor_match_bin *bin = match->table[i];
            match->table[i] = bin->next;
            if (cor_list_is_empty(&bin->posted) && cor_list_is_empty(&bin->messages)) {
                cor_pool_put(&match->bins, bin);
            } else {
                bin->next = kept;
                kept = bin;
                count++;
            }
        }
    }
    if (count > match->mask / 2) {
        uint32_t buckets = (match->mask + 1) * 2;
        cor_match_bin **larger = calloc(buckets, sizeof *larger);
        if (larger) { /* else the chains grow longer, nothing worse */
            free(match->table);
            match->table = larger;
            match->mask = buckets - 1;
        }
    }
    match->bin_count = count;
    while (kept) {
        cor_match_bin *bin = kept;
        kept = bin->next;
        cor_match_bin **bucket = &match->table[match_hash(bin->context, bin->peer, bin->tag) & match->mask];
        bin->next = *bucket;
        *bucket = bin;
    }
}

static __attribute__((noinline)) cor_match_bin *match_make_bin(cor_match *match, uint32_t context, int peer, int tag)
{
    if (match->bin_count > match->mask)
        match_sweep(match);
    cor_match_bin *bin = cor_pool_get(&match->bins);
    if (!bin)
        return NULL;
    cor_match_bin **bucket = &match->table[match_hash(context, peer, tag) & match->mask];
    bin->context = context;
    bin->peer = peer;
    bin->tag = tag;
    cor_list_init(&bin->posted);
    cor_list_init(&bin->messages);
    bin->next = *bucket;
    *bucket = bin;
    match->bin_count++;
    return bin;
}

static inline cor_match_bin *match_get_bin(cor_match *match, uint32_t context, int peer, int tag)
{
    cor_match_bin *bin = match_find_bin(match, context, peer, tag);
    return COR_LIKELY(bin != NULL) ? bin : match_make_bin(match, context, peer, tag);
}

/* Hang the message into the bin of one of its keys. */
static int match_hang(cor_match *match, cor_message *message, int which)
{
    int peer = which & MATCH_ANY_PEER ? COR_ANY_PEER : message->peer;
    int tag = which & MATCH_ANY_TAG ? COR_ANY_TAG : message->tag;
    cor_match_bin *bin = match_get_bin(match, message->context, peer, tag);
    if (!bin)
        return COR_ERR_MEMORY;
    cor_list_append(&bin->messages, &message->links[which]);
    return COR_OK;
}

/* A rank asks with one wildcard for the first time: hang what waits into those bins, in the order of arrival. Making
 * bins may move the table, so the contexts are collected first: they are the bins of both wildcards. */
static __attribute__((noinline)) int match_begin_half_wild(cor_match *match)
{
    cor_list all;
    cor_list_init(&all);
    for (uint32_t i = 0; i <= match->mask; i++)
        for (cor_match_bin *bin = match->table[i]; bin; bin = bin->next)
            if (match_which(bin->peer, bin->tag) == MATCH_ANY)
                for (cor_link *link = bin->messages.next; link != &bin->messages; link = link->next)
                    cor_list_append(&all, &match_message_of(link, MATCH_ANY)->links[MATCH_ANY_TAG]);
    int rc = COR_OK;
    while (!cor_list_is_empty(&all)) {
        cor_message *message = match_message_of(all.next, MATCH_ANY_TAG);
        cor_list_remove(&message->links[MATCH_ANY_TAG]);
        if (rc == COR_OK)
            rc = match_hang(match, message, MATCH_ANY_PEER);
        if (rc == COR_OK)
            rc = match_hang(match, message, MATCH_ANY_TAG);
    }
    match->has_half_wild = rc == COR_OK;
    match->is_out_of_memory = rc != COR_OK;
    return rc;
}

cor_message *cor_match_find_message(cor_match *match, uint32_t context, int peer, int tag)
{
    int which = match_which(peer, tag);
    if (COR_UNLIKELY((which == MATCH_ANY_PEER || which == MATCH_ANY_TAG) && !match->has_half_wild) &&
        match_begin_half_wild(match) != COR_OK)
        return NULL;
    cor_match_bin *bin = match_find_bin(match, context, peer, tag);
    if (!bin || cor_list_is_empty(&bin->messages))
        return NULL;
    return match_message_of(bin->messages.next, which);
}

cor_message *cor_match_find_id(cor_match *match, uint32_t context, int peer, int tag, uint32_t id)
{
    cor_match_bin *bin = match_find_bin(match, context, peer, tag);
    if (!bin)
        return NULL;
    for (cor_link *link = bin->messages.next; link != &bin->messages; link = link->next) {
        cor_message *message = match_message_of(link, MATCH_EXACT);
        if (message->id == id)
            return message;
    }
    return NULL;
}

int cor_match_add_message(cor_match *match, cor_message *message)
{
    for (int i = 0; i < 4; i++)
        cor_list_init(&message->links[i]);
    int rc = match_hang(match, message, MATCH_EXACT);
    if (rc == COR_OK)
        rc = match_hang(match, message, MATCH_ANY);
    if (rc == COR_OK && match->has_half_wild) {
        rc = match_hang(match, message, MATCH_ANY_PEER);
        if (rc == COR_OK)
            rc = match_hang(match, message, MATCH_ANY_TAG);
    }
    if (rc != COR_OK)
        cor_match_remove_message(message);
    return rc;
}

/* The first receive of a bin, if it was posted before `best`. */
static inline cor_transfer *match_older(const cor_match *match, uint32_t context, int peer, int tag,
                                        cor_transfer *best)
{
    cor_match_bin *bin = match_find_bin(match, context, peer, tag);
    if (!bin || cor_list_is_empty(&bin->posted))
        return best;
    cor_transfer *first = COR_OWNER(bin->posted.next, cor_transfer, link);
    return !best || first->sequence < best->sequence ? first : best;
}

static inline cor_transfer *match_find_receive(const cor_match *match, uint32_t context, int peer, int tag)
{
    cor_transfer *best = match_older(match, context, peer, tag, NULL);
    if (COR_UNLIKELY(match->wild_posted)) {
        best = match_older(match, context, COR_ANY_PEER, tag, best);
        best = match_older(match, context, peer, COR_ANY_TAG, best);
        best = match_older(match, context, COR_ANY_PEER, COR_ANY_TAG, best);
    }
    return best;
}

cor_transfer *cor_match_find_receive(const cor_match *match, uint32_t context, int peer, int tag)
{
    return match_find_receive(match, context, peer, tag);
}

cor_transfer *cor_match_take_receive(cor_match *match, uint32_t context, int peer, int tag)
{
    cor_transfer *best = match_find_receive(match, context, peer, tag);
    if (best)
        cor_match_remove_receive(match, best);
    return best;
}

int cor_match_add_receive(cor_match *match, cor_transfer *receive)
{
    cor_match_bin *bin = match_get_bin(match, receive->context, receive->peer, receive->tag);
    if (!bin)
        return COR_ERR_MEMORY;
    receive->sequence = match->sequence++;
    match->wild_posted += match_which(receive->peer, receive->tag) != 0;
    cor_list_append(&bin->posted, &receive->link);
    return COR_OK;
}

void cor_match_remove_receive(cor_match *match, cor_transfer *receive)
{
    match->wild_posted -= match_which(receive->peer, receive->tag) != 0;
    cor_list_remove(&receive->link);
}

void cor_match_visit_messages(const cor_match *match, cor_envelope_fn visit, void *subject)
{
    for (uint32_t i = 0; i <= match->mask; i++)
        for (const cor_match_bin *bin = match->table[i]; bin; bin = bin->next) {
            /* A message stands in several bins, of which one has no wildcard. */
            if (bin->peer == COR_ANY_PEER || bin->tag == COR_ANY_TAG)
                continue;
            for (cor_link *link = bin->messages.next; link != &bin->messages; link = link->next) {
                const cor_message *m = match_message_of(link, match_which(bin->peer, bin->tag));
                visit(subject, m->context, &(cor_envelope){.peer = m->peer, .tag = m->tag, .bytes = m->bytes});
            }
        }
}

cor_transfer *cor_match_any_receive(cor_match *match, int peer, cor_match_context_fn may_hold, void *subject)
{
    for (uint32_t i = 0; i <= match->mask; i++)
        for (cor_match_bin *bin = match->table[i]; bin; bin = bin->next) {
            if (cor_list_is_empty(&bin->posted))
                continue;
            if (bin->peer == peer || (bin->peer == COR_ANY_PEER && may_hold(subject, bin->context, peer)))
                return COR_OWNER(bin->posted.next, cor_transfer, link);
        }
    return NULL;
}

void cor_match_visit_receives(const cor_match *match, cor_match_visit_fn visit, void *subject)
{
    for (uint32_t i = 0; i <= match->mask; i++)
        for (const cor_match_bin *bin = match->table[i]; bin; bin = bin->next)
            if (!cor_list_is_empty(&bin->posted))
                visit(subject, bin);
}
