/* SPDX-License-Identifier: Apache-2.0 */
/* One unreliable queue pair of a rank, by which it makes its connections where RDMA CM does not. It has queues of its
 * own, so that those of the connections cannot overflow through it. What finds no room is lost, and is sent again by
 * its sender. */
#include "base/sha256.h"
#include "xxdev/soft/ibv/ibv_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    DATAGRAM_HEAD = 40, /* the adapter writes the global route ahead of what it receives */
    DATAGRAM_STRIDE = 128,
    DATAGRAM_PLACES_MAX = 1024, /* of either queue */
    DATAGRAM_BATCH = 16,
};

_Static_assert(DATAGRAM_HEAD + IBW_DATAGRAM_BYTES <= DATAGRAM_STRIDE, "a datagram fits its place");

struct ibw_datagrams {
    struct ibv_comp_channel *channel;
    struct ibv_cq *completions;
    struct ibv_qp *qp;
    struct ibv_mr *region;
    struct ibv_ah **ways; /* to the ranks; made when first needed, and kept: the adapter may be using them */
    uint8_t *memory;      /* of the receives, then of the sends */
    int places;           /* of each */
    uint32_t sent, done;
};

/* ---- open and close --------------------------------------------------------------------------------------------- */

static uint8_t *datagram_place(const ibw_datagrams *all, int number)
{
    return all->memory + (size_t)number * DATAGRAM_STRIDE;
}

static int datagram_post(const ibw_datagrams *all, int number)
{
    struct ibv_sge place = {
        .addr = (uintptr_t)datagram_place(all, number), .length = DATAGRAM_STRIDE, .lkey = all->region->lkey};
    struct ibv_recv_wr *bad, request = {.wr_id = (uint64_t)number, .sg_list = &place, .num_sge = 1};
    return ibv_post_recv(all->qp, &request, &bad);
}

/* 0, or the error. */
static int datagram_start(const ibw_wire *wire, const ibw_datagrams *all)
{
    struct ibv_qp_attr to = {
        .qp_state = IBV_QPS_INIT, .port_num = (uint8_t)wire->port, .qkey = wire->address.spot.key};
    int error =
        wire->library.do_ibv_modify_qp(all->qp, &to, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY);
    for (int i = 0; !error && i < all->places; i++)
        error = datagram_post(all, i);
    to.qp_state = IBV_QPS_RTR;
    if (!error)
        error = wire->library.do_ibv_modify_qp(all->qp, &to, IBV_QP_STATE);
    to.qp_state = IBV_QPS_RTS;
    if (!error)
        error = wire->library.do_ibv_modify_qp(all->qp, &to, IBV_QP_STATE | IBV_QP_SQ_PSN);
    return error;
}

static int datagram_make(ibw_wire *wire, ibw_datagrams *all)
{
    const ibw_library *library = &wire->library;
    size_t bytes = (size_t)(2 * all->places) * DATAGRAM_STRIDE;
    all->ways = calloc((size_t)wire->options.size, sizeof *all->ways);
    all->memory = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    if (!all->ways || !all->memory)
        return ENOMEM;
    all->region = library->do_ibv_reg_mr(wire->domain, all->memory, bytes, IBV_ACCESS_LOCAL_WRITE);
    all->channel = library->do_ibv_create_comp_channel(wire->context);
    if (all->region && all->channel)
        all->completions = library->do_ibv_create_cq(wire->context, 2 * all->places, NULL, all->channel, 0);
    if (!all->completions)
        return errno;
    struct ibv_qp_init_attr queue = {.send_cq = all->completions,
                                     .recv_cq = all->completions,
                                     .cap = {.max_send_wr = (uint32_t)all->places,
                                             .max_recv_wr = (uint32_t)all->places,
                                             .max_send_sge = 1,
                                             .max_recv_sge = 1},
                                     .qp_type = IBV_QPT_UD};
    all->qp = library->do_ibv_create_qp(wire->domain, &queue);
    if (!all->qp || ibw_watch(wire, all->channel->fd) != COR_OK)
        return errno;
    int error = datagram_start(wire, all);
    return error ? error : ibv_req_notify_cq(all->completions, 0);
}

int ibw_datagrams_open(ibw_wire *wire, cor_fault *fault)
{
    ibw_spot *own = &wire->address.spot;
    int places = 4 * wire->options.size, error = ENOMEM;
    ibw_datagrams *all = calloc(1, sizeof *all);
    wire->datagrams = all;
    if (all && cor_random_bytes(&own->key, sizeof own->key) == COR_OK) {
        own->key &= INT32_MAX; /* keys with the highest bit are the kernel's */
        all->places = places < DATAGRAM_PLACES_MAX ? places : DATAGRAM_PLACES_MAX;
        error = datagram_make(wire, all);
    }
    if (error)
        return cor_fault_set(fault, COR_ERR_SYSTEM, "the RDMA device %s gives no queue pair for datagrams: %s",
                             wire->device, strerror(error));
    own->queue = all->qp->qp_num;
    return COR_OK;
}

void ibw_datagrams_close(ibw_wire *wire)
{
    const ibw_library *library = &wire->library;
    ibw_datagrams *all = wire->datagrams;
    if (!all)
        return;
    if (all->qp)
        library->do_ibv_destroy_qp(all->qp);
    for (int rank = 0; all->ways && rank < wire->options.size; rank++)
        if (all->ways[rank])
            library->do_ibv_destroy_ah(all->ways[rank]);
    if (all->completions)
        library->do_ibv_destroy_cq(all->completions);
    if (all->channel)
        library->do_ibv_destroy_comp_channel(all->channel);
    if (all->region)
        library->do_ibv_dereg_mr(all->region);
    free(all->memory);
    free(all->ways);
    free(all);
    wire->datagrams = NULL;
}

/* ---- sending ---------------------------------------------------------------------------------------------------- */

static struct ibv_ah *datagram_way(ibw_wire *wire, int rank)
{
    struct ibv_ah **way = &wire->datagrams->ways[rank];
    if (!*way) {
        struct ibv_ah_attr path = ibw_port_path(wire, rank);
        *way = wire->library.do_ibv_create_ah(wire->domain, &path);
        if (!*way)
            COR_LOG(wire->options.log, DEBUG, "ibv: no way to rank %d: %s", rank, strerror(errno));
    }
    return *way;
}

void ibw_datagram_send(ibw_wire *wire, const ibw_datagram *datagram)
{
    ibw_datagrams *all = wire->datagrams;
    const ibw_spot *to = &wire->places[datagram->to].spot;
    struct ibv_ah *way = datagram_way(wire, (int)datagram->to);
    if (!way || all->sent - all->done == (uint32_t)all->places)
        return;
    int number = all->places + (int)(all->sent % (uint32_t)all->places);
    uint8_t *memory = datagram_place(all, number);
    struct ibv_sge place = {.addr = (uintptr_t)memory, .length = IBW_DATAGRAM_BYTES, .lkey = all->region->lkey};
    struct ibv_send_wr *bad, request = {.wr_id = (uint64_t)number,
                                        .sg_list = &place,
                                        .num_sge = 1,
                                        .opcode = IBV_WR_SEND,
                                        .send_flags = IBV_SEND_SIGNALED,
                                        .wr.ud = {.ah = way, .remote_qpn = to->queue, .remote_qkey = to->key}};
    ibw_datagram_write(datagram, wire->secret, memory);
    if (ibv_post_send(all->qp, &request, &bad) == 0)
        all->sent++;
}

/* ---- what has come ---------------------------------------------------------------------------------------------- */

static void datagram_received(ibw_wire *wire, const struct ibv_wc *completion)
{
    ibw_datagrams *all = wire->datagrams;
    ibw_datagram datagram;
    int number = (int)completion->wr_id, is_fine = completion->status == IBV_WC_SUCCESS;
    if (is_fine && completion->byte_len > DATAGRAM_HEAD &&
        ibw_datagram_read(&datagram, wire->secret, wire->options.rank, wire->options.size,
                          datagram_place(all, number) + DATAGRAM_HEAD, completion->byte_len - DATAGRAM_HEAD))
        ibw_exchange_take(wire, &datagram);
    else if (is_fine)
        COR_LOG(wire->options.log, INFO, "ibv: a stranger's datagram is ignored");
    datagram_post(all, number);
}

/* One that fails stops the queue of sends until it is started again. */
static void datagram_sent(ibw_wire *wire, const struct ibv_wc *completion)
{
    struct ibv_qp_attr to = {.qp_state = IBV_QPS_RTS};
    wire->datagrams->done++;
    if (completion->status == IBV_WC_SUCCESS)
        return;
    COR_LOG(wire->options.log, DEBUG, "ibv: a datagram cannot be sent: %s",
            wire->library.do_ibv_wc_status_str(completion->status));
    wire->library.do_ibv_modify_qp(wire->datagrams->qp, &to, IBV_QP_STATE);
}

static int datagram_take(ibw_wire *wire)
{
    struct ibv_wc found[DATAGRAM_BATCH];
    ibw_datagrams *all = wire->datagrams;
    int total = 0, count;
    do {
        count = ibv_poll_cq(all->completions, DATAGRAM_BATCH, found);
        for (int i = 0; i < count; i++) {
            if (found[i].wr_id < (uint64_t)all->places)
                datagram_received(wire, &found[i]);
            else
                datagram_sent(wire, &found[i]);
        }
        total += count > 0 ? count : 0;
    } while (count == DATAGRAM_BATCH);
    return total;
}

/* What comes before the request for an event rings no bell, so the queue is looked at afterwards. */
int ibw_datagrams_poll(ibw_wire *wire)
{
    ibw_datagrams *all = wire->datagrams;
    struct ibv_cq *queue;
    void *context;
    int count = datagram_take(wire);
    if (count == 0 && !wire->must_look)
        return 0;
    while (wire->library.do_ibv_get_cq_event(all->channel, &queue, &context) == 0)
        wire->library.do_ibv_ack_cq_events(queue, 1);
    ibv_req_notify_cq(all->completions, 0);
    return count + datagram_take(wire);
}
