/* SPDX-License-Identifier: Apache-2.0 */
/* How connections are made, with which device, and what all of them share of it. */
#include "xxdev/soft/ibv/ibv_state.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

/* ---- which one -------------------------------------------------------------------------------------------------- */

/* What only exchanged addresses can choose; NULL: nothing of it is asked for. */
static const char *device_path_knob(const cor_ibv_config *config)
{
    return config->gid_index >= 0  ? "ibv.gid_index"
           : config->mtu           ? "ibv.mtu"
           : config->service_level ? "ibv.service_level"
                                   : NULL;
}

/* RDMA CM where a device has an IP address, unless something is asked for that it does not do. */
static int device_choose(ibw_wire *wire, cor_fault *fault)
{
    const cor_ibv_config *config = &wire->config;
    const char *path_knob = device_path_knob(config);
    if (config->setup == COR_IBV_SETUP_CM && path_knob)
        return cor_fault_set(fault, COR_ERR_KNOB,
                             "%s works with ibv.setup=exchange only: RDMA CM follows the IP address and the fabric",
                             path_knob);
    wire->setup = config->setup == COR_IBV_SETUP_EXCHANGE || path_knob ? &ibw_setup_exchange : &ibw_setup_cm;
    int rc = wire->setup->open(wire, fault);
    if (rc == COR_OK || config->setup != COR_IBV_SETUP_AUTO || path_knob)
        return rc;
    wire->setup->close(wire);
    wire->setup = &ibw_setup_exchange;
    return wire->setup->open(wire, fault);
}

/* ---- what is shared --------------------------------------------------------------------------------------------- */

static int device_min(int wanted, long possible)
{
    return wanted < possible ? wanted : (int)possible;
}

/* The places of a queue are counted modulo 2^32, and found by that number modulo their own. */
static int device_power(int places)
{
    int power = 1;
    while (power <= places / 2)
        power *= 2;
    return power;
}

/* Requests without a completion of their own save time, except on soft-iWARP. Its driver copies what is signalled; all
 * else of a page or more its TCP sends from where it lies, perhaps long after a later request was completed, so that no
 * completion would mean that the buffer may be filled again. */
static int device_signal_every(const cor_ibv_config *config, const struct ibv_device_attr *limits)
{
    return limits->vendor_id == IBW_VENDOR_SIW ? 1 : device_min(config->signal_every, config->send_queue / 2);
}

int ibw_device_fit(ibw_wire *wire, const struct ibv_device_attr *limits, cor_fault *fault)
{
    cor_ibv_config *config = &wire->config;
    int peers = wire->options.size > 1 ? wire->options.size - 1 : 1;
    if (limits->max_srq < 1 || limits->max_srq_wr < 1)
        return cor_fault_set(
            fault, COR_ERR_UNSUPPORTED,
            "the RDMA device %s has no shared receive queues, which ibvdev needs; ofidev and tcpdev need none",
            wire->device);
    config->credits = device_min(config->credits, limits->max_srq_wr / peers);
    config->send_queue = device_min(config->send_queue, limits->max_qp_wr);
    config->send_queue = device_power(device_min(config->send_queue, limits->max_cqe / peers - config->credits));
    if (config->credits < 4 || config->send_queue < 4)
        return cor_fault_set(fault, COR_ERR_UNSUPPORTED,
                             "the RDMA device %s has room for %d receives and %d completions, too few for %d ranks",
                             wire->device, limits->max_srq_wr, limits->max_cqe, wire->options.size);
    config->signal_every = device_signal_every(config, limits);
    wire->reads_max = device_min(16, device_min(limits->max_qp_init_rd_atom, limits->max_qp_rd_atom));
    wire->has_atomics = limits->atomic_cap != IBV_ATOMIC_NONE;
    wire->segment_max_bytes = (size_t)1 << 22; /* every adapter takes so much at once */
    return COR_OK;
}

static int device_unblock(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    return flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0 ? COR_ERR_SYSTEM : COR_OK;
}

int ibw_watch(ibw_wire *wire, int fd)
{
    struct epoll_event event = {.events = EPOLLIN};
    return device_unblock(fd) != COR_OK || epoll_ctl(wire->epoll_fd, EPOLL_CTL_ADD, fd, &event) != 0 ? COR_ERR_SYSTEM
                                                                                                     : COR_OK;
}

static int device_make(ibw_wire *wire, cor_fault *fault)
{
    const ibw_library *library = &wire->library;
    struct ibv_device_attr limits;
    int peers = wire->options.size > 1 ? wire->options.size - 1 : 1;
    if (library->do_ibv_query_device(wire->context, &limits) != 0)
        return cor_fault_set(fault, COR_ERR_SYSTEM, "the RDMA device %s does not answer: %s", wire->device,
                             strerror(errno));
    int rc = ibw_device_fit(wire, &limits, fault);
    if (rc != COR_OK)
        return rc;
    struct ibv_srq_init_attr queue = {.attr = {.max_wr = (uint32_t)(wire->config.credits * peers), .max_sge = 1}};
    wire->domain = library->do_ibv_alloc_pd(wire->context);
    wire->channel = library->do_ibv_create_comp_channel(wire->context);
    if (wire->domain && wire->channel) {
        wire->completions = library->do_ibv_create_cq(
            wire->context, peers * (wire->config.credits + wire->config.send_queue), NULL, wire->channel, 0);
        wire->receives = library->do_ibv_create_srq(wire->domain, &queue);
    }
    if (!wire->completions || !wire->receives || ibw_watch(wire, wire->channel->fd) != COR_OK ||
        device_unblock(wire->context->async_fd) != COR_OK)
        return cor_fault_set(fault, COR_ERR_SYSTEM, "the RDMA device %s gives no queues for %d ranks: %s",
                             wire->device, wire->options.size, strerror(errno));
    return ibw_buffers_make_sends(wire, wire->config.send_buffers, fault);
}

/* ---- what the device reports by itself -------------------------------------------------------------------------- */

/* Of a queue pair: no completion may come for it any more. What it has received is delivered first. */
static void device_report_link(ibw_wire *wire, const struct ibv_qp *qp, const char *what)
{
    ibw_link *link = ibw_link_by_number(wire, qp->qp_num);
    if (!link || link->qp != qp)
        return;
    COR_LOG(wire->options.log, WARN, "the RDMA device %s reports of the connection with rank %d: %s", wire->device,
            link->rank, what);
    ibw_call_gone(wire, link);
}

/* Of queues that all connections share, or of all there is. */
static void device_report_all(ibw_wire *wire, const char *what)
{
    for (int rank = 0; rank < wire->options.size; rank++)
        if (wire->links[rank] && wire->links[rank]->state != IBW_IDLE)
            ibw_link_fail(wire, wire->links[rank], "the RDMA device %s of this host reports: %s", wire->device, what);
}

static void device_report(ibw_wire *wire, const struct ibv_async_event *event)
{
    const char *what = wire->library.do_ibv_event_type_str(event->event_type);
    switch (event->event_type) {
    case IBV_EVENT_DEVICE_FATAL:
        device_report_all(wire, what);
        break;
    case IBV_EVENT_CQ_ERR:
        if (event->element.cq == wire->completions)
            device_report_all(wire, what);
        break;
    case IBV_EVENT_SRQ_ERR:
        if (event->element.srq == wire->receives)
            device_report_all(wire, what);
        break;
    case IBV_EVENT_QP_FATAL:
    case IBV_EVENT_QP_REQ_ERR:
    case IBV_EVENT_QP_ACCESS_ERR:
        device_report_link(wire, event->element.qp, what);
        break;
    case IBV_EVENT_PORT_ERR: /* it may come up again */
        COR_LOG(wire->options.log, INFO, "ibv: port %d of the RDMA device %s is down", event->element.port_num,
                wire->device);
        break;
    default:
        COR_LOG(wire->options.log, DEBUG, "ibv: the RDMA device %s reports: %s", wire->device, what);
        break;
    }
}

/* An event is given back after it was looked at: until then its queue pair is there. */
void ibw_device_events(ibw_wire *wire)
{
    struct ibv_async_event event;
    while (wire->library.do_ibv_get_async_event(wire->context, &event) == 0) {
        device_report(wire, &event);
        wire->library.do_ibv_ack_async_event(&event);
    }
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

int ibw_device_is_there(void)
{
    int count = 0;
    DIR *devices = opendir("/sys/class/infiniband");
    if (!devices)
        return 0;
    for (const struct dirent *entry = readdir(devices); entry; entry = readdir(devices))
        count += entry->d_name[0] != '.';
    closedir(devices);
    return count > 0;
}

int cor_ibv_check(cor_fault *fault)
{
    ibw_library library;
    int rc = ibw_library_open(&library, fault);
    if (rc == COR_OK && !ibw_device_is_there())
        rc = cor_fault_set(fault, COR_ERR_UNSUPPORTED, "the kernel of this host has no RDMA device");
    return rc;
}

int ibw_device_open(ibw_wire *wire, cor_fault *fault)
{
    int rc = ibw_library_open(&wire->library, fault);
    if (rc == COR_OK)
        rc = device_choose(wire, fault);
    if (rc == COR_OK)
        rc = device_make(wire, fault);
    return rc == COR_OK ? wire->setup->start(wire, fault) : rc;
}

void ibw_device_close(ibw_wire *wire)
{
    const ibw_library *library = &wire->library;
    if (!wire->setup)
        return;
    wire->setup->stop(wire);
    if (wire->receives)
        library->do_ibv_destroy_srq(wire->receives);
    if (wire->completions) {
        library->do_ibv_ack_cq_events(wire->completions, wire->cq_events);
        library->do_ibv_destroy_cq(wire->completions);
    }
    ibw_buffers_free(wire);
    if (wire->channel)
        library->do_ibv_destroy_comp_channel(wire->channel);
    if (wire->domain)
        library->do_ibv_dealloc_pd(wire->domain);
    wire->setup->close(wire);
    wire->receives = NULL;
    wire->completions = NULL;
    wire->channel = NULL;
    wire->domain = NULL;
    wire->setup = NULL;
}
