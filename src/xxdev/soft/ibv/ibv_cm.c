/* SPDX-License-Identifier: Apache-2.0 */
/* Connections by RDMA CM, which serves InfiniBand, RoCE and iWARP alike and needs an IP address of the device.
 * Everything is answered by events of one channel. */
#include "xxdev/soft/ibv/ibv_state.h"

#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

enum {
    CM_RESOLVE_MS = 2000,
    CM_NO_LISTENER = 8, /* IB's reason of a rejection: no process has this service id */
    CM_BACKLOG = 0,     /* calls that wait to be taken: as many as the kernel allows, since some are made again */
};

/* ---- which device ----------------------------------------------------------------------------------------------- */

static int cm_is_place(const struct ifaddrs *interface)
{
    const struct sockaddr *address = interface->ifa_addr;
    if (!address || !(interface->ifa_flags & IFF_UP))
        return 0;
    if (address->sa_family == AF_INET6) {
        const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)(const void *)address;
        return !IN6_IS_ADDR_LINKLOCAL(&v6->sin6_addr);
    }
    return address->sa_family == AF_INET;
}

static int cm_is_wanted(const ibw_wire *wire, const struct rdma_cm_id *id)
{
    const cor_ibv_config *config = &wire->config;
    return (!config->device[0] ||
            strcmp(config->device, wire->library.do_ibv_get_device_name(id->verbs->device)) == 0) &&
           (!config->port || config->port == id->port_num);
}

/* Listen there if an RDMA device has that address, and it is the one that is asked for. */
static int cm_try(ibw_wire *wire, const struct sockaddr *address)
{
    const ibw_library *library = &wire->library;
    struct rdma_cm_id *id;
    if (library->do_rdma_create_id(wire->events, &id, NULL, RDMA_PS_TCP) != 0)
        return 0;
    if (library->do_rdma_bind_addr(id, (struct sockaddr *)(uintptr_t)address) != 0 || !id->verbs ||
        !cm_is_wanted(wire, id) || library->do_rdma_listen(id, CM_BACKLOG) != 0) {
        library->do_rdma_destroy_id(id);
        return 0;
    }
    wire->listener = id;
    wire->context = id->verbs;
    snprintf(wire->device, sizeof wire->device, "%s", library->do_ibv_get_device_name(id->verbs->device));
    memcpy(&wire->address.place, address,
           address->sa_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6));
    if (address->sa_family == AF_INET)
        wire->address.place.v4.sin_port = library->do_rdma_get_src_port(id);
    else
        wire->address.place.v6.sin6_port = library->do_rdma_get_src_port(id);
    return 1;
}

/* Loopback last: only ranks of this host reach it. */
static int cm_choose(ibw_wire *wire, cor_fault *fault)
{
    struct ifaddrs *all;
    if (getifaddrs(&all) != 0)
        return cor_fault_set(fault, COR_ERR_SYSTEM, "cannot list the interfaces of this host: %s", strerror(errno));
    for (int is_loopback = 0; is_loopback < 2 && !wire->listener; is_loopback++)
        for (const struct ifaddrs *at = all; at && !wire->listener; at = at->ifa_next)
            if (cm_is_place(at) && !(at->ifa_flags & IFF_LOOPBACK) == !is_loopback)
                cm_try(wire, at->ifa_addr);
    freeifaddrs(all);
    if (wire->listener)
        return COR_OK;
    return cor_fault_set(fault, COR_ERR_UNSUPPORTED,
                         "there is no RDMA device%s%s with an IP address that is up on this host%s (`rdma link` shows "
                         "what there is)",
                         wire->config.device[0] ? " " : "", wire->config.device,
                         wire->config.device[0] || wire->config.port ? ", as ibv.device and ibv.port ask for" : "");
}

static int cm_open(ibw_wire *wire, cor_fault *fault)
{
    wire->events = wire->library.do_rdma_create_event_channel();
    if (!wire->events)
        return cor_fault_set(fault, COR_ERR_UNSUPPORTED,
                             "the kernel offers no RDMA connections (modprobe rdma_ucm): %s", strerror(errno));
    int rc = cm_choose(wire, fault);
    if (rc == COR_OK && ibw_watch(wire, wire->events->fd) != COR_OK)
        rc = cor_fault_set(fault, COR_ERR_SYSTEM, "cannot wait for RDMA connections: %s", strerror(errno));
    return rc;
}

static int cm_start(ibw_wire *wire, cor_fault *fault)
{
    (void)wire;
    (void)fault;
    return COR_OK;
}

static void cm_stop(ibw_wire *wire)
{
    (void)wire;
}

static void cm_close(ibw_wire *wire)
{
    if (wire->listener)
        wire->library.do_rdma_destroy_id(wire->listener);
    if (wire->events)
        wire->library.do_rdma_destroy_event_channel(wire->events);
    wire->listener = NULL;
    wire->events = NULL;
}

/* ---- queue pairs ------------------------------------------------------------------------------------------------ */

static struct ibv_qp *cm_create_queue(ibw_wire *wire, ibw_link *link, struct ibv_qp_init_attr *wanted)
{
    return wire->library.do_rdma_create_qp(link->id, wire->domain, wanted) == 0 ? link->id->qp : NULL;
}

static void cm_hang_up(ibw_wire *wire, ibw_link *link)
{
    wire->library.do_rdma_disconnect(link->id);
}

static void cm_drop(ibw_wire *wire, ibw_link *link)
{
    if (link->qp)
        wire->library.do_rdma_destroy_qp(link->id);
    if (link->id)
        wire->library.do_rdma_destroy_id(link->id);
    link->id = NULL;
}

static void cm_fill(const ibw_wire *wire, const ibw_link *link, int is_answer, uint8_t *greeting,
                    struct rdma_conn_param *param_p)
{
    ibw_greeting own = {.is_answer = is_answer,
                        .from = (uint32_t)wire->options.rank,
                        .to = (uint32_t)link->rank,
                        .credits = (uint32_t)wire->config.credits};
    ibw_greeting_write(&own, wire->secret, greeting);
    *param_p = (struct rdma_conn_param){.private_data = greeting,
                                        .private_data_len = IBW_GREETING_BYTES,
                                        .responder_resources = (uint8_t)wire->reads_max,
                                        .initiator_depth = (uint8_t)wire->reads_max,
                                        .retry_count = (uint8_t)wire->config.retries,
                                        .rnr_retry_count = 7};
}

/* Of either side, before its queue pair is made. 0: the link has failed. */
static int cm_set_options(ibw_wire *wire, ibw_link *link)
{
    const struct {
        const char *knob;
        int option, value; /* 0: as RDMA CM has it */
    } rows[] = {{"ibv.traffic_class", RDMA_OPTION_ID_TOS, wire->config.traffic_class},
                {"ibv.ack_timeout", RDMA_OPTION_ID_ACK_TIMEOUT, wire->config.ack_timeout}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t value = (uint8_t)rows[i].value;
        if (value &&
            wire->library.do_rdma_set_option(link->id, RDMA_OPTION_ID, rows[i].option, &value, sizeof value)) {
            ibw_link_fail(wire, link, "%s is %d, which RDMA CM of this host does not take: %s", rows[i].knob, value,
                          strerror(errno));
            return 0;
        }
    }
    return 1;
}

/* ---- calling ---------------------------------------------------------------------------------------------------- */

static void cm_call(ibw_wire *wire, ibw_link *link)
{
    const ibw_library *library = &wire->library;
    ibw_place from = wire->address.place;
    if (from.any.sa_family == AF_INET)
        from.v4.sin_port = 0;
    else
        from.v6.sin6_port = 0;
    if (library->do_rdma_create_id(wire->events, &link->id, link, RDMA_PS_TCP) != 0) {
        link->id = NULL;
        ibw_call_failed(wire, link, strerror(errno));
        return;
    }
    if (!cm_set_options(wire, link))
        return;
    if (library->do_rdma_resolve_addr(link->id, &from.any, &wire->places[link->rank].place.any, CM_RESOLVE_MS) != 0)
        ibw_call_failed(wire, link, strerror(errno));
}

static void cm_connect(ibw_wire *wire, ibw_link *link)
{
    uint8_t greeting[IBW_GREETING_BYTES];
    struct rdma_conn_param param;
    if (!ibw_call_prepare(wire, link))
        return;
    cm_fill(wire, link, 0, greeting, &param);
    if (wire->library.do_rdma_connect(link->id, &param) != 0)
        ibw_call_failed(wire, link, strerror(errno));
}

static void cm_answered(ibw_wire *wire, ibw_link *link, const struct rdma_conn_param *param)
{
    ibw_greeting greeting = {.is_answer = 1, .to = (uint32_t)wire->options.rank};
    if (!ibw_greeting_read(&greeting, wire->secret, param->private_data, param->private_data_len) ||
        greeting.from != (uint32_t)link->rank || greeting.credits < 4) {
        ibw_link_fail(wire, link, "what answers at its address is no rank of this job");
        return;
    }
    ibw_call_meet(wire, link, greeting.credits, param->initiator_depth);
    ibw_link_opened(wire, link);
}

/* iWARP's adapters say the same of a process that has ended and of one that has no room for one more call. */
static int cm_is_refused_for_good(const ibw_wire *wire, const ibw_link *link, int status)
{
    const uint64_t doubt_ns = 3000000000u;
    int is_iwarp = wire->context->device->transport_type == IBV_TRANSPORT_IWARP;
    return status == CM_NO_LISTENER || ((status == -ECONNREFUSED || status == ECONNREFUSED) &&
                                        (!is_iwarp || ibw_call_age_ns(wire, link) >= doubt_ns));
}

static void cm_refused(ibw_wire *wire, ibw_link *link, int status, const uint8_t *reason, size_t bytes)
{
    char text[48];
    if (bytes > 0 && reason[0] >= IBW_STRANGER && reason[0] <= IBW_NO_ROOM) {
        ibw_call_refused(wire, link, reason[0]);
    } else if (cm_is_refused_for_good(wire, link, status)) {
        ibw_link_fail(wire, link, "its process has ended: nothing listens at its address");
    } else {
        snprintf(text, sizeof text, "the call is rejected (reason %d)", status);
        ibw_call_failed(wire, link, text);
    }
}

/* ---- being called ----------------------------------------------------------------------------------------------- */

static void cm_reject(ibw_wire *wire, struct rdma_cm_id *id, uint8_t reason)
{
    wire->library.do_rdma_reject(id, &reason, 1);
    wire->library.do_rdma_destroy_id(id);
}

/* The caller may have given up while this rank computed, which the kernel tells nobody before. Such calls are soon
 * through. */
static void cm_not_accepted(ibw_wire *wire, ibw_link *link, const char *why)
{
    const uint64_t patience_ns = 30000000000u;
    if (ibw_call_age_ns(wire, link) > patience_ns) {
        ibw_link_fail(wire, link, "its calls cannot be accepted: %s", why);
        return;
    }
    COR_LOG(wire->options.log, DEBUG, "ibv: a call of rank %d cannot be accepted: %s", link->rank, why);
    ibw_call_gone(wire, link);
}

static void cm_accept(ibw_wire *wire, struct rdma_cm_id *id, const struct rdma_conn_param *asked)
{
    ibw_greeting greeting = {.to = (uint32_t)wire->options.rank};
    uint8_t answer[IBW_GREETING_BYTES], reason;
    struct rdma_conn_param param;
    if (!ibw_greeting_read(&greeting, wire->secret, asked->private_data, asked->private_data_len) ||
        greeting.from >= (uint32_t)wire->options.size || (int)greeting.from == wire->options.rank ||
        greeting.credits < 4) {
        COR_LOG(wire->options.log, INFO, "ibv: a stranger's call is refused");
        cm_reject(wire, id, IBW_STRANGER);
        return;
    }
    ibw_link *link = ibw_call_received(wire, (int)greeting.from, &reason);
    if (!link) {
        cm_reject(wire, id, reason);
        return;
    }
    link->id = id;
    id->context = link;
    if (!cm_set_options(wire, link) || !ibw_call_prepare(wire, link)) {
        link->id = NULL;
        cm_reject(wire, id, IBW_NO_ROOM);
        return;
    }
    ibw_call_meet(wire, link, greeting.credits, asked->initiator_depth);
    cm_fill(wire, link, 1, answer, &param);
    if (asked->responder_resources < param.responder_resources)
        param.responder_resources = asked->responder_resources;
    if (asked->initiator_depth < param.initiator_depth)
        param.initiator_depth = asked->initiator_depth;
    if (wire->library.do_rdma_accept(id, &param) != 0)
        cm_not_accepted(wire, link, strerror(errno));
}

/* ---- events ----------------------------------------------------------------------------------------------------- */

static void cm_event(ibw_wire *wire, const struct rdma_cm_event *event)
{
    ibw_link *link = event->id->context;
    const struct rdma_conn_param *param = &event->param.conn;
    if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST) {
        cm_accept(wire, event->id, param);
        return;
    }
    if (!link || link->id != event->id || link->state == IBW_LOST)
        return;
    switch (event->event) {
    case RDMA_CM_EVENT_ADDR_RESOLVED:
        if (wire->library.do_rdma_resolve_route(link->id, CM_RESOLVE_MS) != 0)
            ibw_call_failed(wire, link, strerror(errno));
        break;
    case RDMA_CM_EVENT_ROUTE_RESOLVED:
        cm_connect(wire, link);
        break;
    case RDMA_CM_EVENT_ESTABLISHED:
        if (link->state == IBW_CALLING)
            cm_answered(wire, link, param);
        break;
    case RDMA_CM_EVENT_REJECTED:
        if (link->state == IBW_CALLING)
            cm_refused(wire, link, event->status, param->private_data, param->private_data_len);
        else
            ibw_call_gone(wire, link);
        break;
    case RDMA_CM_EVENT_ADDR_ERROR:
    case RDMA_CM_EVENT_ROUTE_ERROR:
    case RDMA_CM_EVENT_CONNECT_ERROR:
    case RDMA_CM_EVENT_UNREACHABLE:
        if (event->status == -ECONNREFUSED && link->state == IBW_CALLING)
            cm_refused(wire, link, event->status, NULL, 0);
        else if (link->state == IBW_CALLING)
            ibw_call_failed(wire, link, wire->library.do_rdma_event_str(event->event));
        else
            ibw_call_gone(wire, link);
        break;
    case RDMA_CM_EVENT_DISCONNECTED:
        ibw_call_gone(wire, link);
        break;
    case RDMA_CM_EVENT_DEVICE_REMOVAL:
        ibw_link_fail(wire, link, "the RDMA device %s of this host was removed", wire->device);
        break;
    default:
        break;
    }
}

/* An event is given back before it is dealt with: its connection may be destroyed then. */
static int cm_events(ibw_wire *wire)
{
    struct rdma_cm_event *event;
    int count = 0;
    while (wire->library.do_rdma_get_cm_event(wire->events, &event) == 0) {
        struct rdma_cm_event copy = *event;
        uint8_t data[UINT8_MAX];
        if (copy.param.conn.private_data)
            memcpy(data, copy.param.conn.private_data, copy.param.conn.private_data_len);
        else
            copy.param.conn.private_data_len = 0;
        copy.param.conn.private_data = data;
        wire->library.do_rdma_ack_cm_event(event);
        cm_event(wire, &copy);
        count++;
    }
    return count;
}

const ibw_setup_ops ibw_setup_cm = {
    .name = "RDMA CM",
    .reports_ends = 1,
    .open = cm_open,
    .start = cm_start,
    .stop = cm_stop,
    .close = cm_close,
    .create_queue = cm_create_queue,
    .call = cm_call,
    .hang_up = cm_hang_up,
    .drop = cm_drop,
    .events = cm_events,
};
