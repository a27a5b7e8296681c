/* SPDX-License-Identifier: Apache-2.0 */
/* Connections without RDMA CM: by datagrams, to addresses that came through the launcher. Not for iWARP. */
#include "base/sha256.h"
#include "xxdev/soft/ibv/ibv_state.h"

#include <errno.h>
#include <string.h>

enum {
    EXCHANGE_PAUSE_NS = 100 * 1000 * 1000, /* before the first repetition; twice as long before each further one */
    EXCHANGE_PAUSE_MAX_NS = 1600 * 1000 * 1000,
    EXCHANGE_TIMEOUT = 18, /* 1.07 s for an acknowledgement */
    EXCHANGE_RNR_TIMER = 12,
    EXCHANGE_RNR_RETRIES = 7, /* without end: receives are posted before credits are given */
};

static int exchange_open(ibw_wire *wire, cor_fault *fault)
{
    int rc = ibw_port_open(wire, fault);
    wire->address.has_spot = rc == COR_OK;
    return rc;
}

static void exchange_close(ibw_wire *wire)
{
    if (wire->context)
        wire->library.do_ibv_close_device(wire->context);
    wire->context = NULL;
    wire->address.has_spot = 0;
}

/* ---- the queue pair of a connection ----------------------------------------------------------------------------- */

static struct ibv_qp *exchange_create_queue(ibw_wire *wire, ibw_link *link, struct ibv_qp_init_attr *wanted)
{
    struct ibv_qp_attr to = {.qp_state = IBV_QPS_INIT,
                             .port_num = (uint8_t)wire->port,
                             .qp_access_flags = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ |
                                                IBV_ACCESS_REMOTE_WRITE |
                                                (wire->has_atomics ? (unsigned)IBV_ACCESS_REMOTE_ATOMIC : 0)};
    struct ibv_qp *qp = wire->library.do_ibv_create_qp(wire->domain, wanted);
    if (!qp)
        return NULL;
    int error = cor_random_bytes(&link->deal.packet, sizeof link->deal.packet) == COR_OK ? 0 : EIO;
    link->deal.packet &= IBW_NUMBER_MAX;
    if (!error)
        error = wire->library.do_ibv_modify_qp(qp, &to,
                                               IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
    if (!error)
        return qp;
    wire->library.do_ibv_destroy_qp(qp);
    errno = error;
    return NULL;
}

/* Join it with the queue pair of the peer. 0: the link has failed. */
static int exchange_join(ibw_wire *wire, ibw_link *link, const ibw_datagram *other)
{
    const ibw_spot *own = &wire->address.spot, *peer = &wire->places[link->rank].spot;
    struct ibv_qp_attr ready = {.qp_state = IBV_QPS_RTR,
                                .path_mtu = own->mtu < peer->mtu ? own->mtu : peer->mtu,
                                .dest_qp_num = other->queue,
                                .rq_psn = other->packet,
                                .max_dest_rd_atomic = (uint8_t)wire->reads_max,
                                .min_rnr_timer = EXCHANGE_RNR_TIMER,
                                .ah_attr = ibw_port_path(wire, link->rank)};
    ibw_call_meet(wire, link, other->credits, other->reads);
    struct ibv_qp_attr send = {.qp_state = IBV_QPS_RTS,
                               .sq_psn = link->deal.packet,
                               .timeout =
                                   (uint8_t)(wire->config.ack_timeout ? wire->config.ack_timeout : EXCHANGE_TIMEOUT),
                               .retry_cnt = (uint8_t)wire->config.retries,
                               .rnr_retry = EXCHANGE_RNR_RETRIES,
                               .max_rd_atomic = link->reads_max};
    int error = wire->library.do_ibv_modify_qp(link->qp, &ready,
                                               IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
                                                   IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
    if (!error)
        error = wire->library.do_ibv_modify_qp(link->qp, &send,
                                               IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                                                   IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
    if (error)
        ibw_link_fail(wire, link, "the RDMA device %s cannot be connected with it: %s", wire->device, strerror(error));
    return !error;
}

static void exchange_hang_up(ibw_wire *wire, ibw_link *link)
{
    struct ibv_qp_attr to = {.qp_state = IBV_QPS_ERR};
    wire->library.do_ibv_modify_qp(link->qp, &to, IBV_QP_STATE);
}

static void exchange_drop(ibw_wire *wire, ibw_link *link)
{
    if (link->qp)
        wire->library.do_ibv_destroy_qp(link->qp);
}

/* ---- datagrams -------------------------------------------------------------------------------------------------- */

static void exchange_offer(ibw_wire *wire, const ibw_link *link, int kind, uint32_t call)
{
    const ibw_datagram datagram = {.kind = (uint8_t)kind,
                                   .reads = (uint8_t)wire->reads_max,
                                   .from = (uint32_t)wire->options.rank,
                                   .to = (uint32_t)link->rank,
                                   .call = call,
                                   .credits = (uint32_t)wire->config.credits,
                                   .queue = link->qp->qp_num,
                                   .packet = link->deal.packet};
    ibw_datagram_send(wire, &datagram);
}

static void exchange_refuse(ibw_wire *wire, const ibw_datagram *call, uint8_t reason)
{
    const ibw_datagram datagram = {.kind = IBW_REFUSAL,
                                   .reason = reason,
                                   .from = (uint32_t)wire->options.rank,
                                   .to = call->from,
                                   .call = call->call};
    ibw_datagram_send(wire, &datagram);
}

static void exchange_call(ibw_wire *wire, ibw_link *link)
{
    ibw_deal *deal = &link->deal;
    if (!link->qp) {
        if (!ibw_call_prepare(wire, link))
            return;
        deal->call++;
        deal->pause_ns = EXCHANGE_PAUSE_NS;
    } else if (ibw_call_is_over(wire, link, "it does not answer")) {
        return;
    }
    exchange_offer(wire, link, IBW_CALL, deal->call);
    ibw_call_again_at(wire, link, cor_clock_ns() + deal->pause_ns);
    if (deal->pause_ns < EXCHANGE_PAUSE_MAX_NS)
        deal->pause_ns *= 2;
}

/* Calls that come late, or again, change nothing. Of two that cross, ours stays: the peer answers it. */
static void exchange_called(ibw_wire *wire, const ibw_datagram *call)
{
    const ibw_link *known = wire->links[call->from];
    uint8_t reason;
    if (known && known->qp && known->deal.answered == call->call &&
        (known->state == IBW_ACCEPTED || known->state == IBW_OPEN)) {
        exchange_offer(wire, known, IBW_ANSWER, call->call);
        return;
    }
    if (known && (known->state == IBW_OPEN || call->call <= known->deal.answered))
        return;
    ibw_link *link = ibw_call_received(wire, (int)call->from, &reason);
    if (!link) {
        if (reason != IBW_CROSSING)
            exchange_refuse(wire, call, reason);
        return;
    }
    if (!ibw_call_prepare(wire, link) || !exchange_join(wire, link, call)) {
        exchange_refuse(wire, call, IBW_NO_ROOM);
        return;
    }
    link->deal.answered = call->call;
    exchange_offer(wire, link, IBW_ANSWER, call->call);
}

void ibw_exchange_take(ibw_wire *wire, const ibw_datagram *datagram)
{
    ibw_link *link = wire->links[datagram->from];
    if (datagram->kind == IBW_CALL) {
        exchange_called(wire, datagram);
        return;
    }
    if (!link || link->state != IBW_CALLING || !link->qp || datagram->call != link->deal.call)
        return;
    if (datagram->kind == IBW_REFUSAL) {
        ibw_call_refused(wire, link, datagram->reason);
    } else if (exchange_join(wire, link, datagram)) {
        link->retry_ns = 0;
        ibw_link_opened(wire, link);
    }
}

const ibw_setup_ops ibw_setup_exchange = {
    .name = "exchange",
    .open = exchange_open,
    .start = ibw_datagrams_open,
    .stop = ibw_datagrams_close,
    .close = exchange_close,
    .create_queue = exchange_create_queue,
    .call = exchange_call,
    .hang_up = exchange_hang_up,
    .drop = exchange_drop,
    .events = ibw_datagrams_poll,
};
