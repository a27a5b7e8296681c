/* What a wire says of a peer beside packets: that it no longer needs what was lent, and that the peer is lost. */
#include "xxdev/soft_state.h"

#include <stdlib.h>

/* Packets are repaid in the order they were lent, and a peer's streams are sent one after the other. */
void soft_repaid(void *sink, int rank)
{
    cor_soft *soft = sink;
    soft_peer *peer = &soft->peers[rank];
    int is_waiting = !cor_list_is_empty(&peer->lenders);
    COR_ASSERT(is_waiting || !cor_list_is_empty(&peer->streams));
    cor_transfer *t = COR_OWNER(is_waiting ? peer->lenders.next : peer->streams.next, cor_transfer, link);
    COR_ASSERT(t->lent > 0);
    t->lent--;
    if (is_waiting && t->lent == 0) {
        cor_list_remove(&t->link);
        soft_exchange_remove(soft, t);
        soft_complete(soft, t, COR_OK);
    }
}

static void soft_fail(cor_soft *soft, cor_transfer *t)
{
    t->bytes = 0;
    if (t->id)
        soft_exchange_remove(soft, t);
    soft_complete(soft, t, COR_ERR_PEER);
}

static void soft_fail_list(cor_soft *soft, cor_list *list)
{
    while (!cor_list_is_empty(list)) {
        cor_transfer *t = COR_OWNER(list->next, cor_transfer, link);
        cor_list_remove(&t->link);
        soft_fail(soft, t);
    }
}

/* Transfers that stand in no list because they wait for an answer. */
static void soft_fail_exchanges(cor_soft *soft, int rank)
{
    for (uint32_t i = 0; i < soft->exchange_count; i++) {
        cor_transfer *t = soft->exchanges[i].transfer;
        if (t && t->peer == rank)
            soft_fail(soft, t);
    }
}

static void soft_forget_controls(cor_soft *soft, soft_peer *peer)
{
    while (!cor_list_is_empty(&peer->controls)) {
        soft_control *control = COR_OWNER(peer->controls.next, soft_control, link);
        cor_list_remove(&control->link);
        cor_pool_put(&soft->controls, control);
    }
    peer->owes_credit = 0;
    if (peer->is_busy) {
        peer->is_busy = 0;
        cor_list_remove(&peer->busy);
    }
}

void soft_lost(void *sink, int rank, const cor_fault *why)
{
    cor_soft *soft = sink;
    soft_peer *peer = &soft->peers[rank];
    if (peer->lost)
        return;
    peer->lost = malloc(sizeof *peer->lost);
    if (!peer->lost)
        soft_no_memory(soft, "the news that a peer is lost");
    *peer->lost = *why;
    soft->lost_count++;
    COR_LOG(soft->log, ERROR, "%s", why->text);
    if (soft->fault)
        *soft->fault = *why;
    soft_forget_controls(soft, peer);
    soft_fail_list(soft, &peer->sends);
    soft_fail_list(soft, &peer->streams);
    soft_fail_list(soft, &peer->lenders);
    soft_fail_exchanges(soft, rank);
    for (cor_transfer *t = cor_match_any_receive(&soft->match, rank); t;
         t = cor_match_any_receive(&soft->match, rank)) {
        cor_match_remove_receive(&soft->match, t);
        t->peer = rank;
        t->message_bytes = 0;
        soft_fail(soft, t);
    }
    soft_wake_sleepers(soft);
}

int soft_check_alive(cor_soft *soft, int rank)
{
    const cor_fault *why = NULL;
    if (rank != COR_ANY_PEER)
        why = soft->peers[rank].lost;
    else if (soft->size > 1 && soft->lost_count == soft->size - 1)
        for (int i = 0; i < soft->size && !why; i++)
            why = soft->peers[i].lost;
    if (!why)
        return COR_OK;
    if (soft->fault)
        *soft->fault = *why;
    return COR_ERR_PEER;
}
