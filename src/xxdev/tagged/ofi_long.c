/* SPDX-License-Identifier: Apache-2.0 */
/* Announced messages (ofi_state.h). */
#include "xxdev/tagged/ofi_state.h"

#include <rdma/fi_errno.h>
#include <stdlib.h>
#include <string.h>

#define OFI_PIECE_TAG (UINT64_C(1) << 31)

/* In the tags of answers and pieces: no context of the device has all of these bits. */
static uint64_t ofi_own(const cor_tagged_library *library)
{
    const cor_tagged_options *options = &library->options;
    return ofi_tag_ones(library) & ~UINT64_C(0) << (options->tag_peer_shift + options->tag_peer_bits);
}

static uint64_t ofi_own_tag(const cor_tagged_library *library, int from, uint64_t kind, uint32_t number)
{
    return ofi_own(library) | (uint64_t)(uint32_t)from << library->options.tag_peer_shift | kind | number;
}

/* ---- free ones -------------------------------------------------------------------------------------------------- */

static void ofi_long_make(cor_tagged_library *library)
{
    size_t index = library->long_count / OFI_SLAB;
    ofi_long **slabs = realloc(library->long_slabs, (index + 1) * sizeof(ofi_long *));
    ofi_long *slab = slabs ? ofi_slab(library, sizeof *slab) : NULL;
    if (slabs)
        library->long_slabs = slabs;
    if (!slab)
        return;
    slabs[index] = slab;
    for (int i = 0; i < OFI_SLAB; i++) {
        slab[i].own = library->long_count++;
        slab[i].next = library->free_longs;
        library->free_longs = &slab[i];
    }
}

/* With a hold on it: pending is 1. */
static ofi_long *ofi_long_take(cor_tagged_library *library, int peer, const cor_tagged_data *data,
                               cor_tagged_transfer *transfer)
{
    if (!library->free_longs && library->long_count + OFI_SLAB <= OFI_NUMBER_MAX)
        ofi_long_make(library);
    ofi_long *l = library->free_longs;
    if (!l)
        return NULL;
    library->free_longs = l->next;
    *l = (ofi_long){.own = l->own,
                    .next = library->longs,
                    .here = &library->longs,
                    .peer = peer,
                    .data = *data,
                    .transfer = transfer,
                    .pending = 1};
    if (l->next)
        l->next->here = &l->next;
    library->longs = l;
    return l;
}

static void ofi_long_give_back(cor_tagged_library *library, ofi_long *l)
{
    *l->here = l->next;
    if (l->next)
        l->next->here = l->here;
    free(l->buffers);
    free(l->copy);
    l->is_awaiting = 0;
    l->next = library->free_longs;
    library->free_longs = l;
}

/* A request of it, or a hold on it, is over. */
static void ofi_long_let_go(cor_tagged_library *library, ofi_long *l)
{
    if (--l->pending > 0)
        return;
    cor_tagged_transfer *transfer = l->transfer;
    cor_tagged_result result = l->result;
    ofi_long_give_back(library, l);
    library->options.done(transfer, &result);
}

/* The caller has a hold on it. */
static void ofi_long_fail(cor_tagged_library *library, ofi_long *l, int error)
{
    if (l->result.end == COR_TAGGED_OK) {
        l->result.end = COR_TAGGED_FAILED;
        l->result.error = error;
    }
    l->pending -= l->is_awaiting;
    l->is_awaiting = 0;
    for (int i = 0; i < OFI_WINDOW; i++)
        if (l->requests[i])
            ofi_cancel_request(library, l->requests[i]);
}

/* ---- requests --------------------------------------------------------------------------------------------------- */

static int ofi_long_begin(cor_tagged_library *library, ofi_long *l, int slot, ofi_request *r)
{
    r->owner = l;
    r->peer = l->peer;
    l->requests[slot] = r;
    l->pending++;
    int error = ofi_begin(library, r);
    if (error) {
        l->requests[slot] = NULL;
        l->pending--;
        ofi_give_back(library, r);
    }
    return error;
}

/* The next piece, if there is one left. */
static void ofi_long_begin_piece(cor_tagged_library *library, ofi_long *l, int slot)
{
    size_t left = l->bytes - l->begun;
    if (left == 0 || l->result.end != COR_TAGGED_OK)
        return;
    ofi_request *r = ofi_take(library, l->is_send ? OFI_PIECE_OUT : OFI_PIECE_IN);
    if (!r) {
        ofi_long_fail(library, l, -FI_ENOMEM);
        return;
    }
    r->tag = ofi_own_tag(library, l->is_send ? library->options.rank : l->peer, OFI_PIECE_TAG, l->number);
    r->mask = ~UINT64_C(0);
    r->bytes = left < l->piece_bytes ? left : l->piece_bytes;
    r->offset = l->begun;
    r->memory = l->copy      ? l->copy + (r->offset - l->copy_offset)
                : l->buffers ? l->buffers + (size_t)slot * l->piece_bytes
                             : (char *)l->data.memory + r->offset;
    if (l->is_send && l->buffers && !l->copy)
        library->options.read(l->transfer, r->offset, r->memory, r->bytes);
    l->begun += r->bytes;
    int error = ofi_long_begin(library, l, slot, r);
    if (error)
        ofi_long_fail(library, l, error);
}

/* Write what has arrived, as far as nothing before it is missing, and let the next pieces come to the buffers. In order, so that
 * piece i comes to buffer i % OFI_WINDOW. */
static void ofi_long_write_pieces(cor_tagged_library *library, ofi_long *l)
{
    for (;;) {
        size_t slot = l->written / l->piece_bytes % OFI_WINDOW, bytes = l->arrived[slot];
        if (bytes == 0)
            return;
        library->options.write(l->transfer, l->written, l->buffers + slot * l->piece_bytes, bytes);
        l->written += bytes;
        l->arrived[slot] = 0;
        ofi_long_begin_piece(library, l, (int)slot);
    }
}

static void ofi_long_begin_pieces(cor_tagged_library *library, ofi_long *l)
{
    if (l->data.is_in_pieces && !l->copy) {
        size_t count = l->bytes > l->piece_bytes ? OFI_WINDOW : 1;
        l->buffers = malloc(count * l->piece_bytes);
        if (!l->buffers) {
            ofi_long_fail(library, l, -FI_ENOMEM);
            return;
        }
    }
    for (int slot = 0; slot < OFI_WINDOW; slot++)
        ofi_long_begin_piece(library, l, slot);
}

static int ofi_control(cor_tagged_library *library, int peer, uint64_t tag, uint64_t data, ofi_long *owner)
{
    ofi_request *r = ofi_take(library, OFI_CONTROL);
    if (!r)
        return -FI_ENOMEM;
    r->peer = peer;
    r->tag = tag;
    r->data = data;
    r->owner = owner;
    if (owner)
        owner->pending++;
    int error = ofi_begin(library, r);
    if (error) {
        ofi_give_back(library, r);
        if (owner)
            owner->pending--;
    }
    return error;
}

/* ---- both sides ------------------------------------------------------------------------------------------------- */

/* Post the receives for answers that are missing. */
static int ofi_post_answers(cor_tagged_library *library)
{
    while (library->answers < OFI_ANSWERS) {
        ofi_request *r = ofi_take(library, OFI_ANSWER);
        if (!r)
            return -FI_ENOMEM;
        r->tag = ofi_own(library);
        r->mask = ofi_own(library) | OFI_PIECE_TAG;
        int error = ofi_begin(library, r);
        if (error) {
            ofi_give_back(library, r);
            return error;
        }
        library->answers++;
    }
    return 0;
}

int ofi_announce(cor_tagged_library *library, int peer, uint64_t tag, cor_tagged_data data,
                 cor_tagged_transfer *transfer)
{
    if (data.bytes > OFI_LENGTH_MAX)
        return -FI_EMSGSIZE;
    int error = ofi_post_answers(library);
    if (error)
        return error;
    ofi_long *l = ofi_long_take(library, peer, &data, transfer);
    if (!l)
        return -FI_ENOMEM;
    *transfer = (cor_tagged_transfer){.library = library, .bytes = data.bytes};
    l->is_send = l->is_awaiting = 1;
    l->number = l->own;
    l->bytes = data.bytes;
    uint64_t pieces = data.is_in_pieces ? OFI_IN_PIECES : 0;
    error =
        ofi_control(library, peer, tag, OFI_ANNOUNCED | pieces | (uint64_t)l->number << OFI_LENGTH_BITS | l->bytes, l);
    if (error)
        ofi_long_give_back(library, l);
    return error ? error : COR_TAGGED_STARTED;
}

/* The send that this answers; NULL: it has ended, since its peer was lost. */
static ofi_long *ofi_long_of(const cor_tagged_library *library, uint64_t answer)
{
    uint32_t number = (uint32_t)answer & OFI_NUMBER_MAX;
    if (number >= library->long_count)
        return NULL;
    ofi_long *l = &library->long_slabs[number / OFI_SLAB][number % OFI_SLAB];
    return l->is_awaiting && l->peer == ofi_peer_of(library, answer) ? l : NULL;
}

void ofi_answered(cor_tagged_library *library, ofi_request *r)
{
    ofi_long *l = r->result.end == COR_TAGGED_OK ? ofi_long_of(library, r->result.tag) : NULL;
    uint64_t wanted = r->data;
    ofi_give_back(library, r);
    library->answers--;
    ofi_post_answers(library); /* if it cannot, the next announcement tells */
    if (!l)
        return;
    l->is_awaiting = 0;
    if (wanted > 0) {
        l->piece_bytes = wanted;
        ofi_long_begin_pieces(library, l);
    }
    ofi_long_let_go(library, l);
}

/* How long a piece of this message is, if the receive has room for it. */
static size_t ofi_choose_piece(const cor_tagged_library *library, const ofi_long *l, int is_sent_in_pieces)
{
    size_t most = library->info->ep_attr->max_msg_size;
    if (l->data.is_in_pieces || is_sent_in_pieces)
        most = OFI_PIECE_BYTES;
    return l->bytes < most ? l->bytes : most;
}

void ofi_announced(cor_tagged_library *library, const ofi_request *message)
{
    cor_tagged_transfer *transfer = message->transfer;
    cor_tagged_result result = message->result;
    result.bytes = message->data & OFI_LENGTH_MAX;
    int peer = ofi_peer_of(library, result.tag);
    int is_lost = peer < library->options.size && library->peers[peer].is_lost;
    ofi_long *l =
        peer < library->options.size && !is_lost ? ofi_long_take(library, peer, &message->whole, transfer) : NULL;
    if (!l) {
        result.end = COR_TAGGED_FAILED;
        result.error = is_lost ? -FI_ECONNABORTED : -FI_ENOMEM;
        library->options.done(transfer, &result);
        return;
    }
    *transfer =
        (cor_tagged_transfer){.library = library, .bytes = transfer->bytes, .is_matched = 1, .matched_peer = peer};
    l->number = (uint32_t)(message->data >> OFI_LENGTH_BITS) & OFI_NUMBER_MAX;
    l->bytes = result.bytes;
    l->result = result;
    if (l->bytes > l->data.bytes)
        l->result.end = COR_TAGGED_TRUNCATED;
    else if (l->bytes > 0) {
        l->piece_bytes = ofi_choose_piece(library, l, (message->data & OFI_IN_PIECES) != 0);
        ofi_long_begin_pieces(library, l);
    }
    uint64_t wanted = l->result.end == COR_TAGGED_OK ? l->piece_bytes : 0;
    int error = ofi_control(library, peer, ofi_own_tag(library, library->options.rank, 0, l->number), wanted, NULL);
    if (error)
        ofi_long_fail(library, l, error);
    ofi_long_let_go(library, l);
}

static void ofi_long_remove(ofi_long *l, const ofi_request *r, int *slot_p)
{
    for (int i = 0; i < OFI_WINDOW; i++)
        if (l->requests[i] == r) {
            l->requests[i] = NULL;
            *slot_p = i;
        }
}

void ofi_long_completed(cor_tagged_library *library, ofi_request *r)
{
    ofi_long *l = r->owner;
    int slot = 0;
    if (!l) { /* an answer */
        ofi_give_back(library, r);
        return;
    }
    ofi_long_remove(l, r, &slot);
    if (r->result.end != COR_TAGGED_OK) {
        ofi_long_fail(library, l, r->result.error);
    } else if (r->kind == OFI_PIECE_IN && l->buffers) {
        l->arrived[slot] = r->bytes;
        ofi_long_write_pieces(library, l);
    } else if (r->kind == OFI_PIECE_IN || r->kind == OFI_PIECE_OUT) {
        ofi_long_begin_piece(library, l, slot);
    }
    ofi_give_back(library, r);
    ofi_long_let_go(library, l);
}

int ofi_long_forget(cor_tagged_library *library, const cor_tagged_transfer *transfer)
{
    ofi_long *l = library->longs;
    while (l && l->transfer != transfer)
        l = l->next;
    if (!l)
        return 1;
    for (int i = 0; i < OFI_WINDOW; i++)
        if (l->requests[i] && !l->buffers && !ofi_copy_queued(l->requests[i]))
            return 0;
    size_t left = l->bytes - l->begun;
    if (left == 0)
        return 1;
    l->copy = malloc(left);
    if (!l->copy)
        return 0;
    l->copy_offset = l->begun;
    if (l->data.is_in_pieces)
        library->options.read(l->transfer, l->begun, l->copy, left);
    else
        memcpy(l->copy, (char *)l->data.memory + l->begun, left);
    return 1;
}

void ofi_long_lose(cor_tagged_library *library, int peer)
{
    for (ofi_long *l = library->longs, *next; l; l = next) {
        next = l->next;
        if (l->peer != peer)
            continue;
        l->pending++;
        ofi_long_fail(library, l, -FI_ECONNABORTED);
        ofi_long_let_go(library, l);
    }
}
