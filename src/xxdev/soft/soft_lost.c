/* What a wire says of a peer beside packets: that zero-copy sends are complete, and that the peer is lost. */
#include "xxdev/soft/soft_state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
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

/* ---- receives for any peer -------------------------------------------------------------------------------------- */

int soft_holds(void *subject, uint32_t context, int rank)
{
    const cor_soft *soft = subject;
    return !soft->holds || soft->holds(soft->owner, context, rank);
}

/* The last of the lost peers that a context holds, or NULL; *is_empty_p: nobody else is left. */
static const soft_peer *soft_last_loss(cor_soft *soft, uint32_t context, int *is_empty_p)
{
    const soft_peer *last = NULL;
    *is_empty_p = 1;
    for (int rank = 0; rank < soft->size; rank++) {
        const soft_peer *peer = &soft->peers[rank];
        if (rank == soft->rank || !soft_holds(soft, context, rank))
            continue;
        if (!peer->lost)
            *is_empty_p = 0;
        else if (!last || last->loss < peer->loss)
            last = peer;
    }
    return last;
}

/* The last loss of which receives from any peer of this context have been told. */
static uint32_t *soft_told(cor_soft *soft, uint32_t context)
{
    for (int i = 0; i < soft->told_count; i++)
        if (soft->told[i].context == context)
            return &soft->told[i].loss;
    soft_notice *larger = realloc(soft->told, (size_t)(soft->told_count + 1) * sizeof *larger);
    if (!larger)
        soft_no_memory(soft, "the news that a peer is lost");
    soft->told = larger;
    soft->told[soft->told_count] = (soft_notice){.context = context};
    return &soft->told[soft->told_count++].loss;
}

static const cor_fault *soft_check_any(cor_soft *soft, uint32_t context)
{
    int is_empty;
    const soft_peer *last = soft_last_loss(soft, context, &is_empty);
    if (!last)
        return NULL;
    uint32_t *told = soft_told(soft, context);
    if (*told >= last->loss && !is_empty)
        return NULL;
    *told = last->loss;
    return last->lost;
}

static void soft_fail_receives(cor_soft *soft, int rank)
{
    cor_transfer *t;
    while ((t = cor_match_any_receive(&soft->match, rank, soft_holds, soft)) != NULL) {
        cor_match_remove_receive(&soft->match, t);
        if (t->peer == COR_ANY_PEER)
            soft_check_any(soft, t->context); /* that is now told */
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

/* ---- lost ------------------------------------------------------------------------------------------------------- */

static void soft_tell_lost(const cor_soft *soft, soft_peer *peer)
{
    peer->is_untold = soft->defers_losses && soft->log->level < COR_LOG_INFO;
    if (!peer->is_untold)
        COR_LOG(soft->log, ERROR, "%s", peer->lost->text);
}

void soft_report_lost(cor_device *device)
{
    cor_soft *soft = soft_of(device);
    for (int rank = 0; rank < soft->size; rank++)
        if (soft->peers[rank].is_untold) {
            soft->peers[rank].is_untold = 0;
            COR_LOG(soft->log, ERROR, "%s", soft->peers[rank].lost->text);
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
    peer->loss = ++soft->base.lost_count;
    soft_tell_lost(soft, peer);
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

int soft_check_alive(cor_soft *soft, int rank, uint32_t context)
{
    if (soft->base.lost_count == 0)
        return COR_OK;
    const cor_fault *why = rank == COR_ANY_PEER ? soft_check_any(soft, context) : soft->peers[rank].lost;
    if (!why)
        return COR_OK;
    if (soft->fault)
        *soft->fault = *why;
    return COR_ERR_PEER;
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

const cor_fault *soft_lost_why(cor_device *device, int rank, uint32_t *order_p)
{
    const soft_peer *peer = &soft_of(device)->peers[rank];
    *order_p = peer->loss;
    return peer->lost;
}
