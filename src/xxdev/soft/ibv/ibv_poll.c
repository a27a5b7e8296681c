/* SPDX-License-Identifier: Apache-2.0 */
/* Completions: what has arrived and what has left; and what to sleep on. */
#include "xxdev/soft/ibv/ibv_state.h"

#include <arpa/inet.h>
#include <poll.h>
#include <string.h>

enum { POLL_BATCH = 16, POLL_BATCHES = 4, POLL_LOOK_EVERY = 64 };

/* ---- what has come ---------------------------------------------------------------------------------------------- */

void ibw_frame_take(ibw_wire *wire, ibw_link *link, const ibw_frame *frame, size_t bytes)
{
    if (!ibw_frame_is_sound(frame, bytes) || frame->credits > link->credits_max - link->credits) {
        ibw_link_fail(wire, link, "it sent a frame of %zu bytes that is none", bytes);
        return;
    }
    link->credits += frame->credits;
    if (COR_UNLIKELY(!cor_list_is_empty(&link->copies)))
        ibw_copies_start(wire, link);
    if (COR_UNLIKELY(link->state == IBW_ACCEPTED))
        ibw_link_opened(wire, link);
    if (COR_LIKELY(frame->kind == IBW_PACKET))
        wire->options.deliver(wire->options.sink, link->rank, &frame->header, frame + 1, frame->bytes);
    else if (frame->kind == IBW_OFFER &&
             !ibw_mailbox_offered(wire, link, (const ibw_offer *)(const void *)(frame + 1)))
        ibw_link_fail(wire, link, "it offered a mailbox that is none");
}

static void poll_frame(ibw_wire *wire, ibw_link *link, const ibw_buffer *buffer, size_t bytes)
{
    const ibw_frame *frame = (const ibw_frame *)(const void *)buffer->memory;
    if (wire->mail_slot_bytes && bytes >= sizeof *frame && !ibw_mailbox_take_until(wire, link, frame->mails))
        return;
    ibw_frame_take(wire, link, frame, bytes);
}

/* The peer has written a message to our memory, and names it. */
static void poll_written(ibw_wire *wire, ibw_link *link, uint32_t id)
{
    if (link->state == IBW_OPEN)
        wire->options.written(wire->options.sink, link->rank, id);
    else
        ibw_link_fail(wire, link, "it wrote to memory before it was connected");
}

static int poll_received(ibw_wire *wire, const struct ibv_wc *completion)
{
    ibw_buffer *buffer = (ibw_buffer *)(uintptr_t)(completion->wr_id & ~((uint64_t)1 << IBW_RECEIVE_BIT));
    ibw_link *link = ibw_link_by_number(wire, completion->qp_num);
    int is_fine = completion->status == IBV_WC_SUCCESS && link && link->state != IBW_LOST;
    if (is_fine && COR_UNLIKELY(completion->opcode == IBV_WC_RECV_RDMA_WITH_IMM))
        poll_written(wire, link, ntohl(completion->imm_data));
    else if (is_fine)
        poll_frame(wire, link, buffer, completion->byte_len);
    else if (link && completion->status != IBV_WC_WR_FLUSH_ERR && link->state != IBW_LOST)
        ibw_link_fail(wire, link, "nothing can be received from it: %s",
                      wire->library.do_ibv_wc_status_str(completion->status));
    if (is_fine)
        link->frames_received++;
    int error = ibw_buffer_post(wire, buffer);
    if (COR_UNLIKELY(error)) {
        COR_LOG(wire->options.log, ERROR, "the RDMA device %s takes no receives any more: %s", wire->device,
                strerror(error));
        return is_fine;
    }
    if (is_fine && link->state == IBW_OPEN) {
        link->owed++;
        ibw_send_credits(wire, link);
    }
    return is_fine;
}

static void poll_sent(ibw_wire *wire, const struct ibv_wc *completion)
{
    ibw_link *link = wire->links[completion->wr_id >> 32];
    int is_fine = completion->status == IBV_WC_SUCCESS;
    /* Flushed: an earlier one has failed, or the peer is disconnecting, which an event reports where there are any. */
    int is_told = completion->status == IBV_WC_WR_FLUSH_ERR && wire->setup->reports_ends;
    if (COR_UNLIKELY(!is_fine) && !is_told && !link->is_closing)
        ibw_link_fail(wire, link,
                      completion->status == IBV_WC_RETRY_EXC_ERR ? "its process or its host gives no sign of life (%s)"
                                                                 : "the RDMA device reports: %s",
                      wire->library.do_ibv_wc_status_str(completion->status));
    ibw_sent_done(wire, link, (uint32_t)completion->wr_id, is_fine);
}

static int poll_take(ibw_wire *wire, const struct ibv_wc *completions, int count)
{
    for (int i = 0; i < count; i++) {
        if (completions[i].wr_id >> IBW_RECEIVE_BIT)
            poll_received(wire, &completions[i]);
        else
            poll_sent(wire, &completions[i]);
    }
    return count;
}

/* ---- looking ---------------------------------------------------------------------------------------------------- */

static __attribute__((noinline)) int poll_look(ibw_wire *wire)
{
    int count = wire->setup->events(wire);
    wire->must_look = 0;
    ibw_cache_collect(&wire->cache);
    if (wire->timer_ns)
        ibw_calls_time(wire);
    return count;
}

int ibw_poll(cor_wire *base, int first)
{
    ibw_wire *wire = ibw_of(base);
    struct ibv_wc completions[POLL_BATCH];
    int count = 0, is_empty = 0;
    (void)first;
    if (COR_UNLIKELY(!wire->completions)) /* it reaches nobody */
        return 0;
    if (COR_UNLIKELY(wire->found_count)) {
        count = poll_take(wire, wire->found, wire->found_count);
        wire->found_count = 0;
    }
    for (int i = 0; i < POLL_BATCHES && !is_empty; i++) {
        int found = ibv_poll_cq(wire->completions, POLL_BATCH, completions);
        if (COR_LIKELY(found > 0))
            count += poll_take(wire, completions, found);
        is_empty = found < POLL_BATCH;
    }
    if (COR_UNLIKELY(wire->mailboxes > 0))
        count += ibw_mailboxes_take(wire);
    if (COR_UNLIKELY(wire->owing))
        ibw_sends_owed(wire);
    if (COR_UNLIKELY(wire->untold) && is_empty)
        count += ibw_links_tell(wire);
    if (++wire->polls % POLL_LOOK_EVERY == 0 || wire->must_look || wire->connecting)
        count += poll_look(wire);
    return count;
}

/* ---- sleeping --------------------------------------------------------------------------------------------------- */

static ibw_wire *poll_of(cor_wait_source *source)
{
    return ibw_of(COR_OWNER(source, cor_wire, source));
}

static void poll_clear_events(ibw_wire *wire)
{
    struct ibv_cq *queue;
    void *context;
    while (wire->library.do_ibv_get_cq_event(wire->channel, &queue, &context) == 0)
        wire->cq_events++;
}

/* A completion that came before the request rings no bell, so the queue is looked at afterwards. The event of the last
 * sleep is taken here and not by a poll: the thread that sleeps on it must wake even if another thread has polled
 * since, for the queue asks for one event only. */
int ibw_arm(cor_wait_source *source)
{
    ibw_wire *wire = poll_of(source);
    if (!wire->completions)
        return 1;
    wire->must_look = 1;
    poll_clear_events(wire);
    if (wire->untold || wire->owing || wire->found_count || ibv_req_notify_cq(wire->completions, 0) != 0)
        return 0;
    int found = ibv_poll_cq(wire->completions, POLL_BATCH, wire->found);
    wire->found_count = found > 0 ? found : 0;
    return wire->found_count == 0 && ibw_mailboxes_are_empty(wire);
}

int ibw_fds(cor_wait_source *source, struct pollfd *fds, int room, int *timeout_ms_p)
{
    const ibw_wire *wire = poll_of(source);
    uint64_t now = cor_clock_ns();
    (void)room;
    *timeout_ms_p = !wire->completions ? -1 : now >= wire->timer_ns ? 0 : (int)((wire->timer_ns - now) / 1000000 + 1);
    if (wire->mailboxes > 0 && *timeout_ms_p > IBW_MAIL_SLEEP_MS)
        *timeout_ms_p = IBW_MAIL_SLEEP_MS;
    fds[0] = (struct pollfd){.fd = wire->epoll_fd, .events = POLLIN};
    return 1;
}
