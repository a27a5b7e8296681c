/* SPDX-License-Identifier: Apache-2.0 */
/* Making connections: a call to a peer is answered, refused, repeated or met by one from there. How a call travels is
 * the set-up's (ibw_setup_ops). Nothing here waits. */
#include "xxdev/soft/ibv/ibv_state.h"

#include <errno.h>
#include <string.h>

enum { CALL_RETRY_NS = 100 * 1000 * 1000, CALL_PROBES = 16, CALL_QUESTIONS = 16 };

void ibw_call_again_at(ibw_wire *wire, ibw_link *link, uint64_t at_ns)
{
    link->retry_ns = at_ns;
    if (!wire->timer_ns || at_ns < wire->timer_ns)
        wire->timer_ns = at_ns;
}

/* ---- what both sides need --------------------------------------------------------------------------------------- */

/* The adapter tells how much it takes inline by refusing more, or by taking less than it was asked for. */
static int call_create_queue(ibw_wire *wire, ibw_link *link)
{
    uint32_t inline_bytes = (uint32_t)wire->config.inline_max_bytes;
    for (;; inline_bytes /= 2) {
        struct ibv_qp_init_attr queue = {.send_cq = wire->completions,
                                         .recv_cq = wire->completions,
                                         .srq = wire->receives,
                                         .cap = {.max_send_wr = (uint32_t)wire->config.send_queue,
                                                 .max_send_sge = 1,
                                                 .max_inline_data = inline_bytes},
                                         .qp_type = IBV_QPT_RC};
        link->qp = wire->setup->create_queue(wire, link, &queue);
        if (link->qp) {
            if (queue.cap.max_inline_data < inline_bytes)
                inline_bytes = queue.cap.max_inline_data;
            break;
        }
        if (inline_bytes == 0)
            return 0;
    }
    if (inline_bytes < wire->inline_max_bytes) /* all connections are of one device: alike */
        wire->inline_max_bytes = inline_bytes;
    ibw_links_index(wire);
    return 1;
}

int ibw_call_prepare(ibw_wire *wire, ibw_link *link)
{
    cor_fault fault;
    if (!link->has_receives) {
        if (ibw_buffers_post_receives(wire, wire->config.credits, &fault) != COR_OK) {
            ibw_link_fail(wire, link, "%.150s", fault.text);
            return 0;
        }
        link->has_receives = 1;
    }
    if (call_create_queue(wire, link))
        return 1;
    ibw_link_fail(wire, link, "the RDMA device %s gives no queue pair for it: %s", wire->device, strerror(errno));
    return 0;
}

void ibw_call_meet(const ibw_wire *wire, ibw_link *link, uint32_t credits, int reads)
{
    link->credits = link->credits_max = credits;
    link->reads_max = (uint8_t)(reads > 0 && reads < wire->reads_max ? reads : wire->reads_max);
}

/* ---- calling ---------------------------------------------------------------------------------------------------- */

int ibw_call_is_over(ibw_wire *wire, ibw_link *link, const char *why)
{
    if (!wire->config.connect_s || ibw_call_age_ns(wire, link) <= (uint64_t)wire->config.connect_s * 1000000000u)
        return 0;
    ibw_link_fail(wire, link, "it could not be connected to within %d s: %s", wire->config.connect_s, why);
    return 1;
}

/* Call again a little later, unless that was done for long enough. */
void ibw_call_failed(ibw_wire *wire, ibw_link *link, const char *why)
{
    ibw_link_drop(wire, link);
    if (ibw_call_is_over(wire, link, why))
        return;
    COR_LOG(wire->options.log, DEBUG, "ibv: rank %d: %s; calling again", link->rank, why);
    ibw_call_again_at(wire, link, cor_clock_ns() + CALL_RETRY_NS);
}

void ibw_call(ibw_wire *wire, ibw_link *link)
{
    link->since_ns = wire->polled_ns;
    ibw_link_set(wire, link, IBW_CALLING);
    wire->setup->call(wire, link);
}

/* The peer calls, or it has ended, which a call of ours finds out. */
void ibw_call_wait(ibw_wire *wire, ibw_link *link)
{
    ibw_link_drop(wire, link);
    ibw_link_set(wire, link, IBW_WAITING);
    ibw_call_again_at(wire, link, cor_clock_ns() + 10ull * CALL_RETRY_NS);
}

void ibw_call_refused(ibw_wire *wire, ibw_link *link, int reason)
{
    if (reason == IBW_CROSSING)
        ibw_call_wait(wire, link);
    else if (reason == IBW_STRANGER)
        ibw_link_fail(wire, link, "it takes this rank for a stranger");
    else
        ibw_link_fail(wire, link, "it has no room for a connection, and says why itself");
}

/* The wire may be used by all: every rank can be called. */
void ibw_call_all(ibw_wire *wire)
{
    for (int rank = 0; rank < wire->options.rank; rank++) {
        ibw_link *link = ibw_link_get(wire, rank);
        if (link && link->state == IBW_IDLE)
            ibw_call(wire, link);
    }
}

/* ---- being called ----------------------------------------------------------------------------------------------- */

/* Of two calls that cross, the one of the higher rank becomes the connection. */
ibw_link *ibw_call_received(ibw_wire *wire, int rank, uint8_t *reason_p)
{
    ibw_link *link = ibw_link_get(wire, rank);
    int is_welcome = link && (link->state == IBW_IDLE || link->state == IBW_WAITING || link->state == IBW_ACCEPTED ||
                              (link->state == IBW_CALLING && wire->options.rank < link->rank));
    if (!is_welcome) {
        *reason_p = !link ? IBW_NO_ROOM : link->state == IBW_CALLING ? IBW_CROSSING : IBW_STRANGER;
        return NULL;
    }
    ibw_link_drop(wire, link);
    wire->untold -= link->is_closing;
    link->is_closing = 0;
    link->retry_ns = 0;
    if (!ibw_link_is_connecting(link->state))
        link->since_ns = wire->polled_ns;
    ibw_link_set(wire, link, IBW_ACCEPTED);
    return link;
}

/* What it has sent may be in the completion queue, also its first frame. */
void ibw_call_gone(ibw_wire *wire, ibw_link *link)
{
    if ((link->state == IBW_ACCEPTED || link->state == IBW_OPEN) && !link->is_closing) {
        link->is_closing = 1;
        wire->untold++;
    }
}

/* ---- time ------------------------------------------------------------------------------------------------------- */

/* Peers that something waits for may have ended: before they called, before they completed their call, or since. Few
 * are probed at a time: ranks that all wait for all would do little else. */
static void call_awaited(ibw_wire *wire)
{
    int first = wire->next_probed, probes = 0;
    wire->options.awaited(wire->options.sink, &wire->base, wire->awaited);
    for (int i = 0; i < wire->options.size; i++) {
        int rank = (first + i) % wire->options.size;
        ibw_link *link = wire->awaited[rank] ? ibw_link_get(wire, rank) : NULL;
        if (link && link->state == IBW_IDLE) {
            ibw_call(wire, link);
        } else if (link && link->state == IBW_OPEN && probes < CALL_PROBES) {
            ibw_send_probe(wire, link);
            probes++;
            wire->next_probed = rank + 1;
        } else if (link && link->state == IBW_ACCEPTED && !wire->setup->reports_ends) {
            ibw_call_is_over(wire, link, "it has called and not gone on");
        }
    }
}

/* Nothing answers the call to a process that has ended, but where RDMA CM does; its host or the launcher may know. */
static void call_ask(ibw_wire *wire, uint64_t now)
{
    const uint64_t pause_ns = IBW_AWAIT_MS * 1000000ull;
    int first = wire->next_asked, questions = 0;
    if (wire->connecting == 0 || wire->is_shutting_down || now < wire->asked_ns + pause_ns)
        return;
    wire->asked_ns = now;
    for (int i = 0; i < wire->options.size && questions < CALL_QUESTIONS; i++) {
        int rank = (first + i) % wire->options.size;
        ibw_link *link = wire->links[rank];
        if (!link || !ibw_link_is_connecting(link->state) || ibw_call_age_ns(wire, link) < pause_ns)
            continue;
        questions++;
        wire->next_asked = rank + 1;
        if (wire->options.has_ended(wire->options.sink, rank))
            ibw_link_fail(wire, link, "its process has ended before it was connected to");
    }
}

void ibw_calls_time(ibw_wire *wire)
{
    const uint64_t gap_ns = 2 * IBW_AWAIT_MS * 1000000ull;
    uint64_t now = cor_clock_ns(), since_ns = now - wire->looked_ns;
    wire->looked_ns = now;
    wire->polled_ns += since_ns < gap_ns ? since_ns : gap_ns; /* beyond that the program computed */
    if (now < wire->timer_ns)
        return;
    wire->timer_ns = now + IBW_AWAIT_MS * 1000000ull;
    ibw_device_events(wire);
    call_awaited(wire);
    call_ask(wire, now);
    for (int rank = 0; rank < wire->options.size; rank++) {
        ibw_link *link = wire->links[rank];
        if (!link || !link->retry_ns)
            continue;
        if (now < link->retry_ns) {
            ibw_call_again_at(wire, link, link->retry_ns);
            continue;
        }
        link->retry_ns = 0;
        ibw_link_set(wire, link, IBW_CALLING);
        wire->setup->call(wire, link);
    }
}
