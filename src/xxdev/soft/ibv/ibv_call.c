/* Making connections by RDMA CM. Everything is answered by events of one channel; nothing here waits. */
#include "xxdev/soft/ibv/ibv_state.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
    CALL_RESOLVE_MS = 2000,
    CALL_RETRY_NS = 100 * 1000 * 1000,
    CALL_NO_LISTENER = 8, /* IB's reason of a rejection: nobody has this service id */
};

/* Why a rank refuses a call, in the first byte of the rejection. */
enum { CALL_STRANGER = 1, CALL_CROSSING, CALL_NO_ROOM };

static void call_timer(ibw_wire *wire, uint64_t at_ns)
{
    if (!wire->timer_ns || at_ns < wire->timer_ns)
        wire->timer_ns = at_ns;
}

/* ---- what both sides need --------------------------------------------------------------------------------------- */

/* The adapter tells how much it takes inline by refusing more. */
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
        if (wire->library.do_rdma_create_qp(link->id, wire->domain, &queue) == 0)
            break;
        if (inline_bytes == 0)
            return 0;
    }
    if (inline_bytes < wire->inline_max_bytes) /* all connections are of one device: alike */
        wire->inline_max_bytes = inline_bytes;
    link->qp = link->id->qp;
    ibw_links_index(wire);
    return 1;
}

/* 0: it cannot be; the link has failed. */
static int call_prepare(ibw_wire *wire, ibw_link *link)
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

static void call_fill(const ibw_wire *wire, const ibw_link *link, int is_answer, uint8_t *greeting,
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

static void call_meet(const ibw_wire *wire, ibw_link *link, const ibw_greeting *greeting, int depth)
{
    link->credits = link->credits_max = greeting->credits;
    link->reads_max = (uint8_t)(depth > 0 && depth < wire->reads_max ? depth : wire->reads_max);
}

/* ---- calling ---------------------------------------------------------------------------------------------------- */

/* Call again a little later, unless that was done for long enough. */
static void call_failed(ibw_wire *wire, ibw_link *link, const char *why)
{
    uint64_t now = cor_clock_ns();
    ibw_link_drop(wire, link);
    if (now - link->since_ns > (uint64_t)wire->config.connect_s * 1000000000u) {
        ibw_link_fail(wire, link, "it could not be connected to within %d s: %s", wire->config.connect_s, why);
        return;
    }
    COR_LOG(wire->options.log, DEBUG, "ibv: rank %d: %s; calling again", link->rank, why);
    link->retry_ns = now + CALL_RETRY_NS;
    call_timer(wire, link->retry_ns);
}

static void call_begin(ibw_wire *wire, ibw_link *link)
{
    const ibw_library *library = &wire->library;
    uint8_t traffic_class = (uint8_t)wire->config.traffic_class, timeout = (uint8_t)wire->config.ack_timeout;
    ibw_place from = wire->address.place;
    if (from.any.sa_family == AF_INET)
        from.v4.sin_port = 0;
    else
        from.v6.sin6_port = 0;
    link->retry_ns = 0;
    if (library->do_rdma_create_id(wire->events, &link->id, link, RDMA_PS_TCP) != 0) {
        link->id = NULL;
        call_failed(wire, link, strerror(errno));
        return;
    }
    if (traffic_class)
        library->do_rdma_set_option(link->id, RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, &traffic_class,
                                    sizeof traffic_class);
    if (timeout)
        library->do_rdma_set_option(link->id, RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT, &timeout, sizeof timeout);
    if (library->do_rdma_resolve_addr(link->id, &from.any, &wire->places[link->rank].place.any, CALL_RESOLVE_MS) != 0)
        call_failed(wire, link, strerror(errno));
}

void ibw_call(ibw_wire *wire, ibw_link *link)
{
    link->since_ns = cor_clock_ns();
    ibw_link_set(wire, link, IBW_CALLING);
    call_begin(wire, link);
}

static void call_connect(ibw_wire *wire, ibw_link *link)
{
    uint8_t greeting[IBW_GREETING_BYTES];
    struct rdma_conn_param param;
    if (!call_prepare(wire, link))
        return;
    call_fill(wire, link, 0, greeting, &param);
    if (wire->library.do_rdma_connect(link->id, &param) != 0)
        call_failed(wire, link, strerror(errno));
}

static void call_answered(ibw_wire *wire, ibw_link *link, const struct rdma_conn_param *param)
{
    ibw_greeting greeting = {.is_answer = 1, .to = (uint32_t)wire->options.rank};
    if (!ibw_greeting_read(&greeting, wire->secret, param->private_data, param->private_data_len) ||
        greeting.from != (uint32_t)link->rank || greeting.credits < 4) {
        ibw_link_fail(wire, link, "what answers at its address is no rank of this job");
        return;
    }
    call_meet(wire, link, &greeting, param->initiator_depth);
    ibw_link_opened(wire, link);
}

static void call_refused(ibw_wire *wire, ibw_link *link, int status, const uint8_t *reason, size_t bytes)
{
    char text[48];
    if (bytes > 0 && reason[0] == CALL_CROSSING) {
        ibw_link_drop(wire, link);
        ibw_link_set(wire, link, IBW_WAITING);
        link->retry_ns = cor_clock_ns() + 10ull * CALL_RETRY_NS; /* unless it has called by then */
        call_timer(wire, link->retry_ns);
    } else if (status == CALL_NO_LISTENER || status == -ECONNREFUSED || status == ECONNREFUSED) {
        ibw_link_fail(wire, link, "its process has ended: nobody listens at its address");
    } else if (bytes > 0 && reason[0] == CALL_STRANGER) {
        ibw_link_fail(wire, link, "it takes this rank for a stranger");
    } else if (bytes > 0 && reason[0] == CALL_NO_ROOM) {
        ibw_link_fail(wire, link, "it has no room for a connection, and says why itself");
    } else {
        snprintf(text, sizeof text, "the call is rejected (reason %d)", status);
        call_failed(wire, link, text);
    }
}

/* ---- being called ----------------------------------------------------------------------------------------------- */

static void call_reject(ibw_wire *wire, struct rdma_cm_id *id, uint8_t reason)
{
    wire->library.do_rdma_reject(id, &reason, 1);
    wire->library.do_rdma_destroy_id(id);
}

/* May the peer's call become the connection? Of two that cross, the call of the higher rank does. */
static int call_is_welcome(const ibw_wire *wire, const ibw_link *link)
{
    return link->state == IBW_IDLE || link->state == IBW_WAITING || link->state == IBW_ACCEPTED ||
           (link->state == IBW_CALLING && wire->options.rank < link->rank);
}

static void call_accept(ibw_wire *wire, struct rdma_cm_id *id, const struct rdma_conn_param *asked)
{
    ibw_greeting greeting = {.to = (uint32_t)wire->options.rank};
    uint8_t answer[IBW_GREETING_BYTES];
    struct rdma_conn_param param;
    if (!ibw_greeting_read(&greeting, wire->secret, asked->private_data, asked->private_data_len) ||
        greeting.from >= (uint32_t)wire->options.size || (int)greeting.from == wire->options.rank ||
        greeting.credits < 4) {
        COR_LOG(wire->options.log, INFO, "ibv: a stranger's call is refused");
        call_reject(wire, id, CALL_STRANGER);
        return;
    }
    ibw_link *link = ibw_link_get(wire, (int)greeting.from);
    if (!link || !call_is_welcome(wire, link)) {
        call_reject(wire, id, link && link->state == IBW_CALLING ? CALL_CROSSING : CALL_STRANGER);
        return;
    }
    ibw_link_drop(wire, link);
    link->retry_ns = 0;
    link->id = id;
    id->context = link;
    ibw_link_set(wire, link, IBW_ACCEPTED);
    if (!call_prepare(wire, link)) {
        link->id = NULL;
        call_reject(wire, id, CALL_NO_ROOM);
        return;
    }
    call_meet(wire, link, &greeting, asked->initiator_depth);
    call_fill(wire, link, 1, answer, &param);
    if (asked->responder_resources < param.responder_resources)
        param.responder_resources = asked->responder_resources;
    if (asked->initiator_depth < param.initiator_depth)
        param.initiator_depth = asked->initiator_depth;
    if (wire->library.do_rdma_accept(id, &param) != 0)
        ibw_link_fail(wire, link, "its call cannot be accepted: %s", strerror(errno));
}

/* The wire may be used by all: their listeners are there. */
void ibw_call_all(ibw_wire *wire)
{
    for (int rank = 0; rank < wire->options.rank; rank++) {
        ibw_link *link = ibw_link_get(wire, rank);
        if (link && link->state == IBW_IDLE)
            ibw_call(wire, link);
    }
}

/* ---- events ----------------------------------------------------------------------------------------------------- */

static void call_disconnected(ibw_wire *wire, ibw_link *link)
{
    if (link->state == IBW_ACCEPTED) { /* it gave up, and calls again if it lives */
        ibw_link_drop(wire, link);
        ibw_link_set(wire, link, IBW_WAITING);
        link->retry_ns = cor_clock_ns() + 10ull * CALL_RETRY_NS;
        call_timer(wire, link->retry_ns);
    } else if (link->state == IBW_OPEN && !link->is_closing) {
        link->is_closing = 1;
        wire->untold++;
    }
}

static void call_event(ibw_wire *wire, const struct rdma_cm_event *event)
{
    ibw_link *link = event->id->context;
    const struct rdma_conn_param *param = &event->param.conn;
    if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST) {
        call_accept(wire, event->id, param);
        return;
    }
    if (!link || link->id != event->id || link->state == IBW_LOST)
        return;
    switch (event->event) {
    case RDMA_CM_EVENT_ADDR_RESOLVED:
        if (wire->library.do_rdma_resolve_route(link->id, CALL_RESOLVE_MS) != 0)
            call_failed(wire, link, strerror(errno));
        break;
    case RDMA_CM_EVENT_ROUTE_RESOLVED:
        call_connect(wire, link);
        break;
    case RDMA_CM_EVENT_ESTABLISHED:
        if (link->state == IBW_CALLING)
            call_answered(wire, link, param);
        break;
    case RDMA_CM_EVENT_REJECTED:
        if (link->state == IBW_CALLING)
            call_refused(wire, link, event->status, param->private_data, param->private_data_len);
        break;
    case RDMA_CM_EVENT_ADDR_ERROR:
    case RDMA_CM_EVENT_ROUTE_ERROR:
    case RDMA_CM_EVENT_CONNECT_ERROR:
    case RDMA_CM_EVENT_UNREACHABLE:
        if (event->status == -ECONNREFUSED && link->state == IBW_CALLING)
            call_refused(wire, link, event->status, NULL, 0);
        else if (link->state == IBW_CALLING)
            call_failed(wire, link, wire->library.do_rdma_event_str(event->event));
        else
            call_disconnected(wire, link);
        break;
    case RDMA_CM_EVENT_DISCONNECTED:
        call_disconnected(wire, link);
        break;
    case RDMA_CM_EVENT_DEVICE_REMOVAL:
        ibw_link_fail(wire, link, "the RDMA device %s of this host was removed", wire->device);
        break;
    default:
        break;
    }
}

/* An event is given back before it is dealt with: its connection may be destroyed then. */
int ibw_calls_events(ibw_wire *wire)
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
        call_event(wire, &copy);
        count++;
    }
    return count;
}

/* ---- time ------------------------------------------------------------------------------------------------------- */

/* Peers that something waits for, and that never were called: they may have ended before they called. */
static void call_awaited(ibw_wire *wire)
{
    wire->options.awaited(wire->options.sink, &wire->base, wire->awaited);
    for (int rank = 0; rank < wire->options.size; rank++) {
        ibw_link *link = wire->awaited[rank] ? ibw_link_get(wire, rank) : NULL;
        if (link && link->state == IBW_IDLE)
            ibw_call(wire, link);
    }
}

void ibw_calls_time(ibw_wire *wire)
{
    uint64_t now = cor_clock_ns();
    if (now < wire->timer_ns)
        return;
    wire->timer_ns = now + IBW_AWAIT_MS * 1000000ull;
    call_awaited(wire);
    for (int rank = 0; rank < wire->options.size; rank++) {
        ibw_link *link = wire->links[rank];
        if (!link || !link->retry_ns)
            continue;
        if (now < link->retry_ns) {
            call_timer(wire, link->retry_ns);
            continue;
        }
        ibw_link_set(wire, link, IBW_CALLING);
        call_begin(wire, link);
    }
}
