/* SPDX-License-Identifier: Apache-2.0 */
/* How the two sides of a partitioned message find each other. */
#include "part/part_state.h"

#include <stdlib.h>

int part_card_start(part *p)
{
    const cor_device_ops *ops = p->device->ops;
    cor_payload payload = cor_payload_plain(&p->card, sizeof p->card);
    if (p->is_send)
        return ops->isend(p->device, &p->card_transfer, p->peer, part_card_context(p), p->tag, &payload);
    return ops->irecv(p->device, &p->card_transfer, p->peer, part_card_context(p), p->tag, &payload);
}

/* A card from the network: only what makes sense is used. */
static int card_check(const part *p)
{
    const part_card *card = &p->card;
    uint64_t count = card->bytes && card->piece_bytes ? (card->bytes - 1) / card->piece_bytes + 1 : 1;
    if (p->card_transfer.bytes != sizeof *card || card->piece_count != count || count > PART_PIECES_MAX ||
        (card->piece_bytes == 0) != (card->bytes == 0))
        return cor_fault_set(cor_comm_fault_place(p->comm), COR_ERR_PROTOCOL,
                             "a partitioned message announces %u pieces of %llu bytes", card->piece_count,
                             (unsigned long long)card->piece_bytes);
    return COR_OK;
}

static int card_arrive(part *p)
{
    if (p->card_transfer.error != COR_OK)
        return p->card_transfer.error;
    int rc = card_check(p);
    if (rc != COR_OK)
        return rc;
    p->transfers = calloc(p->card.piece_count, sizeof *p->transfers);
    if (!p->transfers)
        return cor_fault_set(cor_comm_fault_place(p->comm), COR_ERR_MEMORY,
                             "no memory for %u pieces of a partitioned message", p->card.piece_count);
    return COR_OK;
}

int part_card_step(part *p)
{
    if (p->has_card || !p->card_transfer.is_done)
        return 0;
    p->has_card = 1;
    if (!p->is_send && !p->is_orphan)
        p->card_transfer.error = card_arrive(p);
    return 1;
}
