/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flow control: the unexpected messages that a rank stores for a peer are bounded (soft.unexpected_max), and the sender
 * keeps the rest.
 *
 * Every message costs credits, by its length; a request for clearance costs those of an empty message. The receiver
 * returns them when a receive has consumed the message, and reports that with any packet of the other direction, or
 * alone when half of all credits are to be returned. A sender without credits keeps its sends in order and notifies the
 * peer (STALLED); when credits return it continues with eager messages where it stopped.
 *
 * MPI lets a program receive in another order than it sent in. A receive for which nothing is stored is therefore
 * reported to the peers that hold back (WANTED), which search for a send that matches it. That send, and the sends
 * before it in the same context, become urgent: they leave without credits, ahead of the others. Other contexts may be
 * overtaken, since none of their messages can match the same receive. So the bound is exceeded only by programs that
 * receive the last message first, and then by envelopes: of the messages that they have sent in between, those longer
 * than an envelope are sent as requests, and their data stay with the sender.
 *
 * Envelopes are not bounded then. When the wanted message arrives, its receive may have matched a message of another
 * peer, or be cancelled; the message is then stored, and a later receive with a wildcard must first match those that
 * were sent before it. The sender could keep them only if messages were numbered, and if the receiver queried it,
 * before a match with a message that has overtaken others, whether an earlier one matches. That would be another
 * protocol, for programs that receive tens of thousands of messages in reverse order, and would save them some hundred
 * bytes for each message.
 *
 * Neither side waits for ever. The sender repeats STALLED, with the number of credits that the next send needs, each
 * time it stalls, and at that moment the peer has everything that was sent before: it requests again the messages that
 * its posted receives want, or finds that the credits on their way are sufficient.
 */
#include "xxdev/soft/soft_state.h"

/* ---- the sender ------------------------------------------------------------------------------------------------- */

static void soft_flow_forget_wishes(cor_soft *soft, soft_peer *peer)
{
    while (!cor_list_is_empty(&peer->wishes)) {
        soft_control *wish = COR_OWNER(peer->wishes.next, soft_control, link);
        cor_list_remove(&wish->link);
        cor_pool_put(&soft->controls, wish);
    }
}

void soft_flow_stall(cor_soft *soft, soft_peer *peer, uint32_t cost)
{
    if (peer->is_stalled)
        return;
    if (!peer->is_holding)
        COR_LOG(soft->log, DEBUG, "rank %d has not received %u KiB of ours: messages to it wait here now", peer->rank,
                (peer->credits_used - peer->credits_back) * SOFT_CREDIT_UNIT / 1024);
    peer->is_stalled = peer->is_holding = 1;
    soft_flow_forget_wishes(soft, peer); /* the peer repeats them */
    soft_control_send(soft, peer, (cor_header){.kind = SOFT_STALLED, .id = soft->credit_limit - cost}, NULL, 0);
}

void soft_flow_resume(cor_soft *soft, soft_peer *peer)
{
    peer->is_stalled = peer->is_holding = 0;
    soft_flow_forget_wishes(soft, peer);
    soft_control_send(soft, peer, (cor_header){.kind = SOFT_RESUMED}, NULL, 0);
}

static inline int soft_flow_matches(const cor_transfer *t, const cor_header *wanted)
{
    return t->context == wanted->context && (wanted->tag == COR_ANY_TAG || wanted->tag == t->tag);
}

static inline cor_transfer *soft_flow_send_of(cor_link *link)
{
    return COR_OWNER(link, cor_transfer, link);
}

static cor_link *soft_flow_first_held(soft_peer *peer)
{
    cor_link *link = peer->sends.next;
    while (link != &peer->sends && soft_flow_send_of(link)->is_urgent)
        link = link->next;
    return link;
}

/* From `first`, which is held, up to `last`: the sends of its context go before all that are held. */
static void soft_flow_hurry(cor_soft *soft, soft_peer *peer, cor_link *first, cor_transfer *last)
{
    cor_link *place = first, *link = first;
    for (cor_transfer *t = NULL; t != last;) {
        t = soft_flow_send_of(link);
        link = link->next;
        if (t->context != last->context)
            continue;
        t->is_urgent = 1;
        if (place == &t->link) {
            place = link;
        } else {
            cor_list_remove(&t->link);
            cor_list_append(place, &t->link);
        }
    }
    soft_mark_busy(soft, peer);
}

void soft_flow_queued(cor_soft *soft, soft_peer *peer, cor_transfer *t)
{
    for (cor_link *link = peer->wishes.next; link != &peer->wishes; link = link->next) {
        soft_control *wish = COR_OWNER(link, soft_control, link);
        if (!soft_flow_matches(t, &wish->header))
            continue;
        if (--wish->header.id == 0) {
            cor_list_remove(&wish->link);
            cor_pool_put(&soft->controls, wish);
        }
        soft_flow_hurry(soft, peer, soft_flow_first_held(peer), t);
        return;
    }
}

void soft_on_wanted(cor_soft *soft, soft_peer *peer, const cor_header *header)
{
    uint32_t count = header->id;
    if (!peer->is_holding || count == 0)
        return; /* what it wants is on its way */
    cor_link *first = soft_flow_first_held(peer);
    cor_transfer *last = NULL;
    for (cor_link *link = first; link != &peer->sends && count > 0; link = link->next)
        if (soft_flow_matches(soft_flow_send_of(link), header)) {
            last = soft_flow_send_of(link);
            count--;
        }
    if (last)
        soft_flow_hurry(soft, peer, first, last);
    if (count == 0)
        return;
    soft_control *wish = cor_pool_get(&soft->controls);
    if (!wish)
        soft_no_memory(soft, "a receive of a peer");
    wish->header = *header;
    wish->header.id = count;
    cor_list_append(&peer->wishes, &wish->link);
}

void soft_flow_forget(cor_soft *soft, soft_peer *peer)
{
    soft_flow_forget_wishes(soft, peer);
    peer->is_stalled = peer->is_holding = 0;
    soft_on_resumed(soft, peer);
}

/* ---- the receiver ----------------------------------------------------------------------------------------------- */

/* Does this peer hold back until messages that are stored here have been received? */
static int soft_flow_is_stuck(cor_soft *soft, soft_peer *peer)
{
    if (!peer->holds_back)
        return 0;
    if (peer->stored > peer->resumes_at)
        return 1;
    if (peer->stored + peer->credits_given - peer->credits_told > peer->resumes_at)
        soft_tell_credits(soft, peer); /* those will do */
    return 0;
}

static void soft_flow_want(cor_soft *soft, soft_peer *peer, uint32_t context, int tag, uint32_t count)
{
    soft_control_send(soft, peer, (cor_header){.kind = SOFT_WANTED, .context = context, .tag = tag, .id = count}, NULL,
                      0);
}

void soft_flow_posted(cor_soft *soft, int rank, uint32_t context, int tag)
{
    int first = rank == COR_ANY_PEER ? 0 : rank, last = rank == COR_ANY_PEER ? soft->size - 1 : rank;
    for (int i = first; i <= last; i++) {
        soft_peer *peer = &soft->peers[i];
        if (soft_flow_is_stuck(soft, peer) && (rank == i || cor_losses_holds(&soft->base.losses, context, i)))
            soft_flow_want(soft, peer, context, tag, 1);
    }
}

/* A program may probe repeatedly for the same message: the request is sent to the peer once, until a message of it has
 * arrived. */
void soft_flow_probed(cor_soft *soft, int rank, uint32_t context, int tag)
{
    int first = rank == COR_ANY_PEER ? 0 : rank, last = rank == COR_ANY_PEER ? soft->size - 1 : rank;
    for (int i = first; i <= last; i++) {
        soft_peer *peer = &soft->peers[i];
        int is_asked = peer->has_probed && peer->probed_context == context && peer->probed_tag == tag;
        if (is_asked || !soft_flow_is_stuck(soft, peer) ||
            (rank != i && !cor_losses_holds(&soft->base.losses, context, i)))
            continue;
        peer->has_probed = 1;
        peer->probed_context = context;
        peer->probed_tag = tag;
        soft_flow_want(soft, peer, context, tag, 1);
    }
}

typedef struct soft_stall {
    cor_soft *soft;
    soft_peer *peer;
} soft_stall;

static void soft_flow_want_bin(void *subject, const cor_match_bin *bin)
{
    const soft_stall *stall = subject;
    int rank = stall->peer->rank;
    uint32_t count = 0;
    if (bin->peer != rank &&
        (bin->peer != COR_ANY_PEER || !cor_losses_holds(&stall->soft->base.losses, bin->context, rank)))
        return;
    for (const cor_link *link = bin->posted.next; link != &bin->posted; link = link->next)
        count++;
    soft_flow_want(stall->soft, stall->peer, bin->context, bin->tag, count);
}

void soft_on_stalled(cor_soft *soft, soft_peer *peer, const cor_header *header)
{
    soft->holding_back += !peer->holds_back;
    peer->holds_back = 1;
    peer->has_probed = 0;
    peer->resumes_at = header->id;
    soft_stall stall = {soft, peer};
    if (soft_flow_is_stuck(soft, peer))
        cor_match_visit_receives(&soft->match, soft_flow_want_bin, &stall);
}

void soft_on_resumed(cor_soft *soft, soft_peer *peer)
{
    soft->holding_back -= peer->holds_back;
    peer->holds_back = peer->has_probed = 0;
}
