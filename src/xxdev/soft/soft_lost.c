/* SPDX-License-Identifier: Apache-2.0 */
/* Notifications of a wire about a peer, other than packets: zero-copy sends are complete, and the peer is lost. */
#include "xxdev/soft/soft_state.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Zero-copy packets complete in the order they were sent, and a peer's streams are sent one after the other. */
void soft_zcopy_done(void *sink, int rank)
{
    cor_soft *soft = sink;
    soft_peer *peer = &soft->peers[rank];
    int is_waiting = !cor_list_is_empty(&peer->unacked);
    COR_ASSERT(is_waiting || !cor_list_is_empty(&peer->streams));
    cor_transfer *t = COR_OWNER(is_waiting ? peer->unacked.next : peer->streams.next, cor_transfer, link);
    COR_ASSERT(t->zcopy_pending > 0);
    t->zcopy_pending--;
    if (is_waiting && t->zcopy_pending == 0) {
        cor_list_remove(&t->link);
        soft_exchange_remove(soft, t);
        soft_complete(soft, t, COR_OK);
    }
}

void soft_connecting(void *sink)
{
    cor_soft *soft = sink;
    soft->base.is_connecting = 1;
}

static void soft_fail(cor_soft *soft, cor_transfer *t)
{
    t->bytes = 0;
    if (soft->fault)
        *soft->fault = *soft->peers[t->peer].lost;
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

/* Transfers that are in no list because they wait for an answer. */
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

/* ---- receives for any peer -------------------------------------------------------------------------------------- */

static int soft_holds(void *subject, uint32_t context, int rank)
{
    const cor_soft *soft = subject;
    return cor_losses_holds(&soft->base.losses, context, rank);
}

static void soft_fail_receives(cor_soft *soft, int rank)
{
    cor_transfer *t;
    while ((t = cor_match_any_receive(&soft->match, rank, soft_holds, soft)) != NULL) {
        cor_match_remove_receive(&soft->match, t);
        if (t->peer == COR_ANY_PEER)
            cor_losses_check(&soft->base.losses, COR_ANY_PEER, t->context); /* that is now told */
        t->peer = rank;
        t->message_bytes = 0;
        soft_fail(soft, t);
    }
}

typedef struct soft_question {
    cor_soft *soft;
    uint8_t *peers;
} soft_question;

static void soft_note_awaited(void *subject, const cor_match_bin *bin)
{
    const soft_question *question = subject;
    uint32_t context = bin->context;
    int peer = bin->peer;
    if (peer != COR_ANY_PEER)
        question->peers[peer] = 1;
    for (int rank = 0; peer == COR_ANY_PEER && rank < question->soft->size; rank++)
        question->peers[rank] |= (uint8_t)soft_holds(question->soft, context, rank);
}

void soft_awaited(void *sink, const cor_wire *wire, uint8_t *peers)
{
    cor_soft *soft = sink;
    soft_question question = {soft, peers};
    memset(peers, 0, (size_t)soft->size);
    cor_match_visit_receives(&soft->match, soft_note_awaited, &question);
    for (uint32_t i = 0; i < soft->exchange_count; i++)
        if (soft->exchanges[i].transfer)
            peers[soft->exchanges[i].transfer->peer] = 1;
    for (int rank = 0; rank < soft->size; rank++) {
        if (soft->peers[rank].is_suspect || !cor_list_is_empty(&soft->peers[rank].sends))
            peers[rank] = 1;
        if (soft->peers[rank].wire != wire)
            peers[rank] = 0;
    }
}

int soft_has_ended(void *sink, int rank)
{
    const cor_losses *losses = &((const cor_soft *)sink)->base.losses;
    return losses->has_ended && losses->has_ended(losses->owner, rank);
}

/* ---- lost ------------------------------------------------------------------------------------------------------- */

void soft_lost(void *sink, int rank, const cor_fault *why)
{
    cor_soft *soft = sink;
    soft_peer *peer = &soft->peers[rank];
    if (peer->lost)
        return;
    peer->lost = cor_losses_add(&soft->base.losses, rank, why);
    soft_forget_controls(soft, peer);
    soft_flow_forget(soft, peer);
    soft_fail_list(soft, &peer->sends);
    soft_fail_list(soft, &peer->streams);
    soft_fail_list(soft, &peer->unacked);
    soft_fail_exchanges(soft, rank);
    if (peer->landing)
        soft_fail(soft, peer->landing);
    peer->landing = NULL;
    soft_fail_receives(soft, rank);
    cor_waiter_wake(&soft->base.waiter);
}

void soft_reject(cor_soft *soft, soft_peer *peer, const char *format, ...)
{
    char what[120];
    va_list arguments;
    if (peer->lost) /* it came before the wire could close */
        return;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    COR_LOG(soft->log, DEBUG, "rank %d sent %s", peer->rank, what);
    peer->wire->ops->reject(peer->wire, peer->rank, what);
}

/* What the peer wrote to the end is delivered first. Over other wires it is found to be lost by them. */
void soft_ended(void *subject, int rank, const cor_fault *why)
{
    cor_soft *soft = subject;
    cor_wire *wire = soft->peers[rank].wire;
    if (!wire->ops->peer_ended)
        return;
    wire->ops->peer_ended(wire, rank);
    soft_lost(soft, rank, why);
}
