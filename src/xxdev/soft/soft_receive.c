/* SPDX-License-Identifier: Apache-2.0 */
/* The receiving half: packets that arrive, receives that are posted, messages that wait for a receive. */
#include "xxdev/soft/soft_state.h"

#include <string.h>

/* ---- messages without a receive --------------------------------------------------------------------------------- */

static cor_message *soft_message_make(cor_soft *soft, int peer, const cor_header *header, size_t data_bytes)
{
    cor_message *m = cor_match_make_message(&soft->match, data_bytes);
    if (!m)
        soft_no_memory(soft, "an unexpected message");
    m->context = header->context;
    m->peer = peer;
    m->tag = header->tag;
    m->kind = header->kind;
    m->flags = header->flags;
    m->id = header->id;
    m->type_class = (uint8_t)header->type_class;
    m->credits = 0;
    return m;
}

static void soft_message_queue(cor_soft *soft, cor_message *m)
{
    soft_peer *peer = &soft->peers[m->peer];
    peer->stored += m->credits;
    peer->has_probed = 0;
    if (cor_match_add_message(&soft->match, m) != COR_OK)
        soft_no_memory(soft, "an unexpected message");
    cor_device_counts *counts = &soft->base.counts;
    soft_count(&counts->unexpected, m->bytes);
    if (counts->unexpected.messages > counts->unexpected_peak.messages)
        counts->unexpected_peak.messages = counts->unexpected.messages;
    if (counts->unexpected.bytes > counts->unexpected_peak.bytes)
        counts->unexpected_peak.bytes = counts->unexpected.bytes;
}

/* It has found its receive, or a probe takes it out: it is not unexpected any more. */
static void soft_message_uncount(cor_soft *soft, const cor_message *m)
{
    soft->base.counts.unexpected.messages--;
    soft->base.counts.unexpected.bytes -= m->bytes;
}

/* ---- a receive meets its message -------------------------------------------------------------------------------- */

static inline void soft_receive_eager(cor_soft *soft, cor_transfer *t, int peer, int tag, unsigned type_class,
                                      const void *data, size_t bytes)
{
    int error = cor_transfer_meet(t, peer, tag, type_class, bytes);
    if (t->bytes && data) /* else it has landed */
        cor_payload_write(&t->payload, 0, data, t->bytes);
    soft_complete(soft, t, error);
}

/* The eager message is out of the way: its sender gets its credits back, and a synchronous one its answer. */
static inline void soft_consumed(cor_soft *soft, int rank, uint32_t credits, int flags, uint32_t id)
{
    soft_peer *peer = &soft->peers[rank];
    soft_give_credits(soft, peer, credits);
    if (COR_UNLIKELY(flags & SOFT_WANTS_DONE))
        soft_control_send(soft, peer, (cor_header){.kind = SOFT_DONE, .id = id}, NULL, 0);
}

/* Its sender has lost a peer and cannot continue. */
static void soft_receive_nothing(cor_soft *soft, cor_transfer *t, int peer, int tag, uint32_t lost)
{
    soft->blamed = (int)lost;
    t->peer = peer;
    t->tag = tag;
    t->bytes = t->message_bytes = 0;
    if (soft->fault)
        cor_fault_set(soft->fault, COR_ERR_PEER, "rank %d could not go on, because it has lost rank %u", peer, lost);
    soft_complete(soft, t, COR_ERR_PEER);
}

static void soft_receive_message(cor_soft *soft, cor_transfer *t, cor_message *m)
{
    soft->peers[m->peer].stored -= m->credits;
    if (m->kind == SOFT_EAGER) {
        soft_receive_eager(soft, t, m->peer, m->tag, m->type_class, m->data, m->bytes);
        soft_consumed(soft, m->peer, m->credits, m->flags, m->id);
    } else if (COR_UNLIKELY(m->kind == SOFT_ABANDONED)) {
        soft_receive_nothing(soft, t, m->peer, m->tag, (uint32_t)m->word);
    } else {
        soft_rts rts;
        soft_request request = {m->peer, m->tag, m->flags, m->type_class, m->id, &rts};
        rts.bytes = m->bytes;
        rts.key.bytes = m->word;
        memcpy(rts.key.data, m->data, m->word);
        soft_give_credits(soft, &soft->peers[m->peer], m->credits);
        soft_answer(soft, t, &request);
    }
    cor_match_free_message(&soft->match, m);
}

/* The oldest message that matches, or NULL. */
static inline cor_message *soft_find_message(cor_soft *soft, uint32_t context, int peer, int tag)
{
    cor_message *m = cor_match_find_message(&soft->match, context, peer, tag);
    if (COR_UNLIKELY(!m && soft->match.is_out_of_memory))
        soft_no_memory(soft, "matching with wildcards");
    return m;
}

/* ---- calls ------------------------------------------------------------------------------------------------------ */

static inline void soft_receive_begin(cor_soft *soft, cor_transfer *t, const cor_payload *payload)
{
    t->id = 0;
    t->has_handle = 0;
    cor_device_begin_receive(&soft->base, t, payload);
}

int soft_irecv(cor_device *device, cor_transfer *t, int peer, uint32_t context, int tag, const cor_payload *payload)
{
    cor_soft *soft = soft_of(device);
    soft_receive_begin(soft, t, payload);
    cor_message *m = soft_find_message(soft, context, peer, tag);
    if (m) {
        cor_match_remove_message(m);
        soft_message_uncount(soft, m);
        soft_receive_message(soft, t, m);
        return COR_OK;
    }
    int rc = COR_LIKELY(soft->base.losses.count == 0) ? COR_OK : cor_losses_check(&soft->base.losses, peer, context);
    if (COR_UNLIKELY(rc != COR_OK)) {
        if (t->payload.ops)
            cor_list_remove(&t->unheld);
        return rc;
    }
    t->peer = peer;
    t->tag = tag;
    t->context = context;
    t->state = SOFT_POSTED;
    rc = cor_match_add_receive(&soft->match, t);
    if (COR_UNLIKELY(rc != COR_OK) && t->payload.ops)
        cor_list_remove(&t->unheld);
    if (COR_UNLIKELY(soft->holding_back) && rc == COR_OK)
        soft_flow_posted(soft, peer, context, tag);
    return rc;
}

int soft_imrecv(cor_device *device, cor_transfer *t, cor_message *message, const cor_payload *payload)
{
    cor_soft *soft = soft_of(device);
    cor_match_remove_message(message);
    soft_receive_begin(soft, t, payload);
    soft_receive_message(soft, t, message);
    return COR_OK;
}

/* Nothing is here: may it still come? */
static int soft_probe_missed(cor_soft *soft, int peer, uint32_t context, int tag)
{
    if (COR_UNLIKELY(soft->holding_back))
        soft_flow_probed(soft, peer, context, tag);
    return cor_losses_check(&soft->base.losses, peer, context);
}

int soft_iprobe(cor_device *device, int peer, uint32_t context, int tag, cor_envelope *found_p)
{
    cor_soft *soft = soft_of(device);
    const cor_message *m = soft_find_message(soft, context, peer, tag);
    if (!m)
        return soft_probe_missed(soft, peer, context, tag);
    *found_p = cor_message_envelope(m);
    return 1;
}

void soft_visit(cor_device *device, cor_envelope_fn visit, void *subject)
{
    cor_match_visit_messages(&soft_of(device)->match, visit, subject);
}

int soft_improbe(cor_device *device, int peer, uint32_t context, int tag, cor_envelope *found_p,
                 cor_message **message_p)
{
    cor_soft *soft = soft_of(device);
    cor_message *m = soft_find_message(soft, context, peer, tag);
    if (!m)
        return soft_probe_missed(soft, peer, context, tag);
    *found_p = cor_message_envelope(m);
    cor_match_take_message(&soft->match, m);
    soft_message_uncount(soft, m);
    *message_p = m;
    return 1;
}

/* ---- packets ---------------------------------------------------------------------------------------------------- */

int soft_tag_is_fair(cor_soft *soft, soft_peer *peer, int tag)
{
    if (COR_LIKELY(tag >= 0))
        return 1;
    soft_reject(soft, peer, "a message with tag %d", tag);
    return 0;
}

static __attribute__((noinline)) void soft_store_eager(cor_soft *soft, int peer, const cor_header *header,
                                                       const void *data, size_t bytes)
{
    if (!soft_tag_is_fair(soft, &soft->peers[peer], header->tag))
        return;
    cor_message *m = soft_message_make(soft, peer, header, bytes);
    m->bytes = bytes;
    m->credits = soft_credits(bytes);
    if (bytes)
        memcpy(m->data, data, bytes);
    soft_message_queue(soft, m);
}

static void soft_on_rts(cor_soft *soft, int peer, const cor_header *header, const void *data, size_t bytes)
{
    soft_rts rts;
    if (!soft_rts_is_fair(soft, &soft->peers[peer], header, data, bytes, &rts))
        return;
    cor_transfer *t = cor_match_take_receive(&soft->match, header->context, peer, header->tag);
    if (t) {
        soft_request request = {peer, header->tag, header->flags, header->type_class, header->id, &rts};
        soft_give_credits(soft, &soft->peers[peer], soft_credits(0));
        soft_answer(soft, t, &request);
        return;
    }
    cor_message *m = soft_message_make(soft, peer, header, rts.key.bytes);
    m->credits = soft_credits(0);
    m->bytes = rts.bytes;
    m->word = rts.key.bytes;
    memcpy(m->data, rts.key.data, rts.key.bytes);
    soft_message_queue(soft, m);
}

/* Its sender has lost a rank: is it lost to us too? A rank without a connection to it would not notice. */
static void soft_on_abandoned(cor_soft *soft, int peer, const cor_header *header)
{
    if (header->id >= (uint32_t)soft->size) {
        soft_reject(soft, &soft->peers[peer], "word that it has lost rank %u of %d", header->id, soft->size);
        return;
    }
    if (!soft_tag_is_fair(soft, &soft->peers[peer], header->tag))
        return;
    soft->peers[header->id].is_suspect = 1;
    cor_transfer *t = cor_match_take_receive(&soft->match, header->context, peer, header->tag);
    if (t) {
        soft_receive_nothing(soft, t, peer, header->tag, header->id);
        return;
    }
    cor_message *m = soft_message_make(soft, peer, header, 0);
    m->bytes = 0;
    m->id = 0; /* it is no send, which could be taken back */
    m->word = header->id;
    soft_message_queue(soft, m);
}

/* The receive whose buffer a short message is read into. From here on it has matched its message; called again for the
 * same packet, because the connection was lost and made again, the result is the same. */
static cor_transfer *soft_find_landing(cor_soft *soft, int rank, const cor_header *header, size_t bytes)
{
    soft_peer *peer = &soft->peers[rank];
    cor_transfer *t = peer->landing;
    if (t)
        return bytes <= t->payload.bytes ? t : NULL;
    t = cor_match_find_receive(&soft->match, header->context, rank, header->tag);
    if (!t || !cor_payload_is_mappable(&t->payload) || bytes > t->payload.bytes ||
        cor_transfer_is_mismatch(t, header->type_class, bytes))
        return NULL;
    cor_match_remove_receive(&soft->match, t);
    t->state = SOFT_LANDING;
    t->peer = rank;
    peer->landing = t;
    return t;
}

/* What comes for memory that can be written to goes straight there. */
int soft_land(void *sink, int peer, const cor_header *header, size_t bytes, cor_wire_landing *landing_p)
{
    cor_transfer *t = NULL;
    size_t offset = 0;
    if (header->kind == SOFT_EAGER) {
        t = soft_find_landing(sink, peer, header, bytes);
    } else if (header->kind == SOFT_DATA) {
        t = soft_find_streamed(sink, peer, header->id, bytes);
        offset = t ? t->moved : 0;
    }
    if (!t || !cor_payload_is_mappable(&t->payload))
        return 0;
    *landing_p = (cor_wire_landing){&t->payload, offset};
    return 1;
}

/* The sender takes a message back: possible while it waits here, too late once a receive or a probe has it. */
int soft_forget_message(cor_soft *soft, int peer, uint32_t context, int tag, uint32_t id)
{
    cor_message *m = cor_match_find_id(&soft->match, context, peer, tag, id);
    if (!m)
        return 0;
    cor_match_remove_message(m);
    soft_message_uncount(soft, m);
    soft->peers[peer].stored -= m->credits;
    soft_give_credits(soft, &soft->peers[peer], m->credits);
    cor_match_free_message(&soft->match, m);
    return 1;
}

static void soft_on_cancel(cor_soft *soft, int peer, const cor_header *header)
{
    if (!soft_tag_is_fair(soft, &soft->peers[peer], header->tag))
        return;
    if (soft_forget_message(soft, peer, header->context, header->tag, header->id))
        soft_control_send(soft, &soft->peers[peer], (cor_header){.kind = SOFT_CANCELLED, .id = header->id}, NULL, 0);
}

/* Budget for an eager message whose receive is posted: one hash look-up, one copy. */
void soft_deliver(void *sink, int rank, const cor_header *header, const void *data, size_t bytes)
{
    cor_soft *soft = sink;
    soft_peer *peer = &soft->peers[rank];
    peer->credits_back = header->credit;
    if (COR_UNLIKELY(peer->is_stalled))
        soft_mark_busy(soft, peer);
    if (COR_LIKELY(header->kind == SOFT_EAGER)) {
        soft_count(&peer->counts.eager_received, bytes);
        cor_transfer *t = peer->landing;
        if (COR_LIKELY(t == NULL))
            t = cor_match_take_receive(&soft->match, header->context, rank, header->tag);
        peer->landing = NULL;
        if (COR_LIKELY(t != NULL)) {
            soft_receive_eager(soft, t, rank, header->tag, header->type_class, data, bytes);
            soft_consumed(soft, rank, soft_credits(bytes), header->flags, header->id);
        } else {
            soft_store_eager(soft, rank, header, data, bytes);
        }
        return;
    }
    switch (header->kind) {
    case SOFT_RTS:
        soft_on_rts(soft, rank, header, data, bytes);
        break;
    case SOFT_CTS:
        soft_on_cts(soft, peer, header, data, bytes);
        break;
    case SOFT_DATA:
        soft_on_data(soft, peer, header, data, bytes);
        break;
    case SOFT_DONE:
        soft_on_done(soft, peer, header);
        break;
    case SOFT_WRITTEN:
        soft_written(soft, rank, header->id);
        break;
    case SOFT_CREDIT:
        break;
    case SOFT_CANCEL:
        soft_on_cancel(soft, rank, header);
        break;
    case SOFT_ABANDONED:
        soft_on_abandoned(soft, rank, header);
        break;
    case SOFT_CANCELLED:
        soft_on_cancelled(soft, peer, header);
        break;
    case SOFT_STALLED:
        soft_on_stalled(soft, peer, header);
        break;
    case SOFT_RESUMED:
        soft_on_resumed(soft, peer);
        break;
    case SOFT_WANTED:
        soft_on_wanted(soft, peer, header);
        break;
    default:
        soft_reject(soft, peer, "a packet of unknown kind %d", header->kind);
    }
}
