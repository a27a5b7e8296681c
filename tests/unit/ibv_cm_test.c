/* SPDX-License-Identifier: Apache-2.0 */
/* Connections of the verbs wire by RDMA CM, whose library and adapter are made up: calls that end before they were
 * completed, and what comes just before a connection ends. This rank is 0 of two. */
#include "check.h"
#include "xxdev/soft/ibv/ibv_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { CM_EVENTS = 8, CM_FRAME_MAX = 64, CM_CREDITS = 4 };

/* What the made-up library knows. */
typedef struct fake_cm {
    struct ibv_device device;
    struct ibv_context context;
    struct ibv_cq queue;
    struct ibv_srq receives;
    struct rdma_event_channel channel;
    struct rdma_cm_event events[CM_EVENTS];
    int first, count;                          /* of the events */
    struct ibv_async_event reports[CM_EVENTS]; /* of the device */
    int first_report, report_count, reports_back;
    struct ibv_wc completion;
    int completions;
    uint8_t greeting[IBW_GREETING_BYTES];
    int ids, queues, accepts, rejects, calls, backlog;
    int accept_error, option_error;
    int options[8]; /* the value of each that was set */
    ibw_buffer buffer;
    _Alignas(ibw_frame) uint8_t memory[CM_FRAME_MAX];
    ibw_link *links[2];
    ibw_link *by_number[4];
    uint8_t awaited[2];
    ibw_wire wire;
    int delivered, lost;
    char why[256];
} fake_cm;

static fake_cm *now;

/* ---- the library ------------------------------------------------------------------------------------------------ */

static int fake_create_id(struct rdma_event_channel *channel, struct rdma_cm_id **id_p, void *context,
                          enum rdma_port_space space)
{
    struct rdma_cm_id *id = calloc(1, sizeof *id);
    CHECK(id != NULL && space == RDMA_PS_TCP);
    id->channel = channel;
    id->context = context;
    now->ids++;
    *id_p = id;
    return 0;
}

static int fake_destroy_id(struct rdma_cm_id *id)
{
    CHECK(!id->qp);
    now->ids--;
    free(id);
    return 0;
}

static int fake_create_queue(struct rdma_cm_id *id, struct ibv_pd *domain, struct ibv_qp_init_attr *wanted)
{
    (void)domain;
    (void)wanted;
    id->qp = calloc(1, sizeof *id->qp);
    CHECK(id->qp != NULL);
    id->qp->context = &now->context;
    id->qp->qp_num = (uint32_t)++now->queues;
    return 0;
}

static void fake_destroy_queue(struct rdma_cm_id *id)
{
    free(id->qp);
    id->qp = NULL;
    now->completions = 0; /* as adapters do: what the queue pair had received is gone */
}

static int fake_accept(struct rdma_cm_id *id, struct rdma_conn_param *param)
{
    (void)id;
    (void)param;
    now->accepts++;
    errno = now->accept_error;
    return now->accept_error ? -1 : 0;
}

static int fake_reject(struct rdma_cm_id *id, const void *data, uint8_t bytes)
{
    (void)id;
    (void)data;
    (void)bytes;
    now->rejects++;
    return 0;
}

static int fake_set_option(struct rdma_cm_id *id, int level, int option, void *value, size_t bytes)
{
    CHECK(!id->qp && level == RDMA_OPTION_ID && bytes == 1);
    now->options[option] = *(const uint8_t *)value;
    errno = now->option_error;
    return now->option_error ? -1 : 0;
}

static int fake_disconnect(struct rdma_cm_id *id)
{
    (void)id;
    return 0;
}

static int fake_resolve(struct rdma_cm_id *id, struct sockaddr *from, struct sockaddr *to, int timeout_ms)
{
    (void)id;
    (void)from;
    (void)to;
    (void)timeout_ms;
    now->calls++;
    return 0;
}

static int fake_get_event(struct rdma_event_channel *channel, struct rdma_cm_event **event_p)
{
    (void)channel;
    if (now->first == now->count)
        return -1;
    *event_p = &now->events[now->first++];
    return 0;
}

static int fake_ack_event(struct rdma_cm_event *event)
{
    (void)event;
    return 0;
}

static const char *fake_event_text(enum rdma_cm_event_type event)
{
    (void)event;
    return "an event";
}

static int fake_get_report(struct ibv_context *context, struct ibv_async_event *report)
{
    CHECK(context == &now->context);
    if (now->first_report == now->report_count)
        return -1;
    *report = now->reports[now->first_report++];
    return 0;
}

static void fake_ack_report(struct ibv_async_event *report)
{
    (void)report;
    now->reports_back++;
}

static const char *fake_report_text(enum ibv_event_type report)
{
    (void)report;
    return "a fatal error";
}

static int fake_poll_queue(struct ibv_cq *queue, int room, struct ibv_wc *found)
{
    (void)queue;
    if (room < 1 || now->completions == 0)
        return 0;
    now->completions--;
    *found = now->completion;
    return 1;
}

static int fake_post_receive(struct ibv_srq *receives, struct ibv_recv_wr *request, struct ibv_recv_wr **bad_p)
{
    (void)receives;
    (void)request;
    (void)bad_p;
    return 0;
}

/* ---- what the wire calls ---------------------------------------------------------------------------------------- */

static void fake_deliver(void *sink, int rank, const cor_header *header, const void *data, size_t bytes)
{
    (void)header;
    (void)data;
    (void)bytes;
    CHECK_EQUAL(1, rank);
    ((fake_cm *)sink)->delivered++;
}

static void fake_lost(void *sink, int rank, const cor_fault *why)
{
    fake_cm *fake = sink;
    CHECK_EQUAL(1, rank);
    fake->lost++;
    snprintf(fake->why, sizeof fake->why, "%s", why->text);
}

static void fake_awaited(void *sink, const cor_wire *wire, uint8_t *peers)
{
    (void)sink;
    (void)wire;
    memset(peers, 0, 2);
}

static int fake_has_ended(void *sink, int rank)
{
    (void)sink;
    (void)rank;
    return 0;
}

static fake_cm *fake_create(void)
{
    static const cor_log quiet = {.level = COR_LOG_ERROR, .rank = -1};
    fake_cm *fake = calloc(1, sizeof *fake);
    CHECK(fake != NULL);
    now = fake;
    fake->context.device = &fake->device;
    fake->context.ops = (struct ibv_context_ops){.poll_cq = fake_poll_queue, .post_srq_recv = fake_post_receive};
    fake->queue.context = fake->receives.context = &fake->context;
    fake->buffer.memory = fake->memory;
    fake->wire.setup = &ibw_setup_cm;
    fake->wire.context = &fake->context;
    fake->wire.completions = &fake->queue;
    fake->wire.receives = &fake->receives;
    fake->wire.events = &fake->channel;
    fake->wire.epoll_fd = -1;
    fake->wire.looked_ns = cor_clock_ns();
    fake->wire.links = fake->links;
    fake->wire.by_number = fake->by_number;
    fake->wire.by_number_mask = 3;
    fake->wire.awaited = fake->awaited;
    fake->wire.places = calloc(2, sizeof *fake->wire.places);
    CHECK(fake->wire.places != NULL);
    fake->wire.address.place.v4.sin_family = AF_INET;
    fake->wire.config = (cor_ibv_config){.send_queue = 4, .credits = CM_CREDITS, .signal_every = 1};
    fake->wire.options = (cor_wire_options){.size = 2,
                                            .log = &quiet,
                                            .deliver = fake_deliver,
                                            .lost = fake_lost,
                                            .awaited = fake_awaited,
                                            .has_ended = fake_has_ended,
                                            .sink = fake};
    fake->wire.library = (ibw_library){.do_rdma_create_id = fake_create_id,
                                       .do_rdma_destroy_id = fake_destroy_id,
                                       .do_rdma_create_qp = fake_create_queue,
                                       .do_rdma_destroy_qp = fake_destroy_queue,
                                       .do_rdma_accept = fake_accept,
                                       .do_rdma_reject = fake_reject,
                                       .do_rdma_disconnect = fake_disconnect,
                                       .do_rdma_set_option = fake_set_option,
                                       .do_rdma_resolve_addr = fake_resolve,
                                       .do_rdma_get_cm_event = fake_get_event,
                                       .do_rdma_ack_cm_event = fake_ack_event,
                                       .do_rdma_event_str = fake_event_text,
                                       .do_ibv_get_async_event = fake_get_report,
                                       .do_ibv_ack_async_event = fake_ack_report,
                                       .do_ibv_event_type_str = fake_report_text};
    ibw_link_get(&fake->wire, 1)->has_receives = 1;
    return fake;
}

static void fake_destroy(fake_cm *fake)
{
    ibw_link_destroy(&fake->wire, fake->links[1]);
    CHECK_EQUAL(0, fake->ids);
    free(fake->wire.places);
    free(fake);
}

/* ---- what happens ----------------------------------------------------------------------------------------------- */

static void fake_event(fake_cm *fake, struct rdma_cm_id *id, enum rdma_cm_event_type kind, int status)
{
    CHECK(fake->count < CM_EVENTS);
    fake->events[fake->count++] = (struct rdma_cm_event){.id = id, .event = kind, .status = status};
}

/* Rank 1 calls. */
static void fake_called(fake_cm *fake)
{
    const ibw_greeting greeting = {.from = 1, .to = 0, .credits = CM_CREDITS};
    struct rdma_cm_id *id;
    fake_create_id(fake->wire.events, &id, NULL, RDMA_PS_TCP);
    ibw_greeting_write(&greeting, fake->wire.secret, fake->greeting);
    fake_event(fake, id, RDMA_CM_EVENT_CONNECT_REQUEST, 0);
    fake->events[fake->count - 1].param.conn = (struct rdma_conn_param){
        .private_data = fake->greeting, .private_data_len = sizeof fake->greeting, .initiator_depth = 1};
}

static void fake_poll(fake_cm *fake, int times)
{
    for (int i = 0; i < times; i++) {
        fake->wire.must_look = 1;
        ibw_poll(&fake->wire.base, -1);
    }
}

/* A packet of rank 1 is in the completion queue. */
static void fake_received(fake_cm *fake)
{
    *(ibw_frame *)(void *)fake->memory = (ibw_frame){.kind = IBW_PACKET};
    fake->completion = (struct ibv_wc){.wr_id = (uint64_t)1 << IBW_RECEIVE_BIT | (uintptr_t)&fake->buffer,
                                       .opcode = IBV_WC_RECV,
                                       .byte_len = sizeof(ibw_frame),
                                       .qp_num = (uint32_t)fake->queues};
    fake->completions = 1;
}

/* Time in which this rank polled. */
static void fake_pass(fake_cm *fake, uint64_t seconds)
{
    for (uint64_t i = 0; i < seconds; i++) {
        fake->wire.looked_ns = cor_clock_ns() - 1000000000u;
        fake->wire.timer_ns = 1;
        if (fake->links[1]->retry_ns)
            fake->links[1]->retry_ns = 1;
        fake_poll(fake, 1);
    }
}

/* ---- the tests -------------------------------------------------------------------------------------------------- */

static void test_a_caller_that_gave_up_is_called(int with_event)
{
    fake_cm *fake = fake_create();
    fake_called(fake);
    fake_poll(fake, 1);
    CHECK(fake->accepts == 1 && fake->links[1]->state == IBW_ACCEPTED);
    fake_event(fake, fake->links[1]->id, with_event, with_event == RDMA_CM_EVENT_REJECTED ? 4 : 0);
    fake_poll(fake, 2);
    CHECK_EQUAL(IBW_WAITING, fake->links[1]->state);
    fake_pass(fake, 1);
    CHECK(fake->calls == 1 && fake->links[1]->state == IBW_CALLING);
    CHECK_EQUAL(0, fake->lost);
    fake_destroy(fake);
}

/* This rank has computed for so long that the caller gave up: the kernel says so only when the call is accepted. */
static void test_a_call_that_came_long_ago_is_no_end(void)
{
    fake_cm *fake = fake_create();
    fake->accept_error = EINVAL;
    fake_called(fake);
    fake_poll(fake, 2);
    CHECK(fake->accepts == 1 && fake->lost == 0 && fake->links[1]->state == IBW_WAITING);
    fake->accept_error = 0;
    fake_called(fake); /* it calls again */
    fake_poll(fake, 1);
    CHECK(fake->accepts == 2 && fake->lost == 0 && fake->links[1]->state == IBW_ACCEPTED);
    fake_destroy(fake);
}

static void test_calls_that_can_never_be_accepted_are_an_end(void)
{
    fake_cm *fake = fake_create();
    int calls = 0;
    fake->accept_error = EINVAL;
    for (; fake->lost == 0 && calls < 60; calls++) {
        fake->first = fake->count = 0;
        fake_called(fake);
        fake_poll(fake, 2);
        fake_pass(fake, 1);
    }
    CHECK(calls > 20 && calls < 40);
    CHECK(strstr(fake->why, "its calls cannot be accepted") != NULL);
    fake_destroy(fake);
}

/* Rank 1 sends one message and ends: the connection is gone when this rank looks, and the message is there. */
static void test_what_came_before_the_end_is_delivered(void)
{
    fake_cm *fake = fake_create();
    fake_called(fake);
    fake_poll(fake, 1);
    fake_event(fake, fake->links[1]->id, RDMA_CM_EVENT_DISCONNECTED, 0);
    /* The completion comes after the queue was looked at, and before the events are. */
    ibw_setup_cm.events(&fake->wire);
    fake_received(fake);
    fake_poll(fake, 2);
    CHECK_EQUAL(1, fake->delivered);
    CHECK_EQUAL(1, fake->lost);
    CHECK(strstr(fake->why, "its process has ended, or closed the connection") != NULL);
    fake_destroy(fake);
}

/* A rank that gave up and calls again is not what has ended. */
static void test_a_second_call_is_another_connection(void)
{
    fake_cm *fake = fake_create();
    fake_called(fake);
    fake_poll(fake, 1);
    fake_event(fake, fake->links[1]->id, RDMA_CM_EVENT_REJECTED, 4);
    fake_called(fake);
    fake_poll(fake, 3);
    CHECK_EQUAL(2, fake->accepts);
    CHECK_EQUAL(IBW_ACCEPTED, fake->links[1]->state);
    CHECK(fake->wire.untold == 0 && fake->lost == 0);
    fake_received(fake);
    fake_poll(fake, 2);
    CHECK(fake->delivered == 1 && fake->links[1]->state == IBW_OPEN && fake->lost == 0);
    fake_destroy(fake);
}

static struct rdma_cm_id *fake_call(fake_cm *fake)
{
    ibw_call(&fake->wire, fake->links[1]);
    CHECK(fake->links[1]->state == IBW_CALLING && fake->links[1]->id);
    return fake->links[1]->id;
}

static void test_a_call_that_is_refused(int transport, int seconds)
{
    fake_cm *fake = fake_create();
    fake->device.transport_type = transport;
    fake_event(fake, fake_call(fake), RDMA_CM_EVENT_REJECTED, -ECONNREFUSED);
    fake_poll(fake, 2);
    CHECK_EQUAL(seconds == 0, fake->lost);
    for (int i = 0; i < seconds; i++) {
        CHECK_EQUAL(0, fake->lost);
        fake_pass(fake, 1);
        CHECK_EQUAL(IBW_CALLING, fake->links[1]->state);
        fake_event(fake, fake->links[1]->id, RDMA_CM_EVENT_REJECTED, -ECONNREFUSED);
        fake_poll(fake, 2);
    }
    CHECK_EQUAL(1, fake->lost);
    CHECK(strstr(fake->why, "nothing listens at its address") != NULL);
    fake_destroy(fake);
}

static void test_both_sides_have_the_options(int is_called)
{
    fake_cm *fake = fake_create();
    for (int is_refused = 0; is_refused < 2; is_refused++) {
        fake->option_error = is_refused ? EINVAL : 0;
        fake->wire.config.ack_timeout = 16;
        fake->wire.config.traffic_class = is_refused ? 0 : 104;
        if (is_called)
            fake_called(fake);
        else
            ibw_call(&fake->wire, fake->links[1]);
        fake_poll(fake, 2);
        CHECK_EQUAL(16, fake->options[RDMA_OPTION_ID_ACK_TIMEOUT]);
        CHECK_EQUAL(104, fake->options[RDMA_OPTION_ID_TOS]);
        CHECK_EQUAL(is_refused, fake->lost);
        CHECK_EQUAL(is_called && is_refused, fake->rejects);
        if (!is_refused)
            ibw_call_wait(&fake->wire, fake->links[1]);
    }
    CHECK(strstr(fake->why, "ibv.ack_timeout is 16, which RDMA CM of this host does not take") != NULL);
    fake_destroy(fake);
}

/* ---- the device reports an error -------------------------------------------------------------------------------- */

static fake_cm *fake_create_open(void)
{
    fake_cm *fake = fake_create();
    fake_called(fake);
    fake_poll(fake, 1);
    fake_received(fake);
    fake_poll(fake, 1);
    CHECK_EQUAL(IBW_OPEN, fake->links[1]->state);
    return fake;
}

/* Within a second the link is lost, and every report is given back. */
static void fake_report(fake_cm *fake, struct ibv_async_event report, int is_lost)
{
    fake->reports[fake->report_count++] = report;
    fake_pass(fake, 1);
    fake_poll(fake, 2);
    CHECK_EQUAL(fake->report_count, fake->reports_back);
    CHECK_EQUAL(is_lost, fake->lost);
}

static void test_fatal_reports_are_losses(void)
{
    fake_cm *fake = fake_create_open();
    fake_report(fake, (struct ibv_async_event){.event_type = IBV_EVENT_PORT_ERR, .element.port_num = 1}, 0);
    fake_report(fake, (struct ibv_async_event){.event_type = IBV_EVENT_QP_LAST_WQE_REACHED}, 0);
    fake_report(fake, (struct ibv_async_event){.event_type = IBV_EVENT_DEVICE_FATAL}, 1);
    CHECK(strstr(fake->why, "of this host reports: a fatal error") != NULL);
    fake_destroy(fake);

    fake = fake_create_open();
    struct ibv_cq other_queue;
    struct ibv_qp other_pair = {.qp_num = fake->links[1]->qp->qp_num};
    fake_report(fake, (struct ibv_async_event){.event_type = IBV_EVENT_CQ_ERR, .element.cq = &other_queue}, 0);
    fake_report(fake, (struct ibv_async_event){.event_type = IBV_EVENT_QP_FATAL, .element.qp = &other_pair}, 0);
    fake_report(fake, (struct ibv_async_event){.event_type = IBV_EVENT_CQ_ERR, .element.cq = &fake->queue}, 1);
    fake_destroy(fake);

    fake = fake_create_open();
    fake_report(fake, (struct ibv_async_event){.event_type = IBV_EVENT_QP_FATAL, .element.qp = fake->links[1]->qp}, 1);
    fake_destroy(fake);
}

/* ---- opening ---------------------------------------------------------------------------------------------------- */

static struct rdma_event_channel *fake_create_channel(void)
{
    now->channel.fd = eventfd(0, 0);
    return &now->channel;
}

static void fake_destroy_channel(struct rdma_event_channel *channel)
{
    close(channel->fd);
}

static int fake_bind(struct rdma_cm_id *id, struct sockaddr *address)
{
    (void)address;
    id->verbs = &now->context;
    return 0;
}

static int fake_listen(struct rdma_cm_id *id, int backlog)
{
    (void)id;
    now->backlog = backlog;
    return 0;
}

static const char *fake_name(struct ibv_device *device)
{
    (void)device;
    return "fake0";
}

static __be16 fake_port(struct rdma_cm_id *id)
{
    (void)id;
    return 7;
}

/* Calls that are repeated count more than once. */
static void test_the_most_calls_may_wait(void)
{
    fake_cm *fake = fake_create();
    cor_fault fault;
    ibw_library *library = &fake->wire.library;
    library->do_rdma_create_event_channel = fake_create_channel;
    library->do_rdma_destroy_event_channel = fake_destroy_channel;
    library->do_rdma_bind_addr = fake_bind;
    library->do_rdma_listen = fake_listen;
    library->do_rdma_get_src_port = fake_port;
    library->do_ibv_get_device_name = fake_name;
    fake->wire.epoll_fd = epoll_create1(0);
    fake->backlog = -1;
    CHECK_OK(ibw_setup_cm.open(&fake->wire, &fault));
    CHECK_EQUAL(0, fake->backlog); /* the kernel's largest */
    ibw_setup_cm.close(&fake->wire);
    close(fake->wire.epoll_fd);
    fake_destroy(fake);
}

int main(void)
{
    test_a_caller_that_gave_up_is_called(RDMA_CM_EVENT_REJECTED);
    test_a_caller_that_gave_up_is_called(RDMA_CM_EVENT_UNREACHABLE);
    test_a_caller_that_gave_up_is_called(RDMA_CM_EVENT_DISCONNECTED);
    test_a_call_that_came_long_ago_is_no_end();
    test_calls_that_can_never_be_accepted_are_an_end();
    test_what_came_before_the_end_is_delivered();
    test_a_second_call_is_another_connection();
    test_a_call_that_is_refused(IBV_TRANSPORT_IB, 0);
    test_a_call_that_is_refused(IBV_TRANSPORT_IWARP, 3);
    test_both_sides_have_the_options(0);
    test_both_sides_have_the_options(1);
    test_fatal_reports_are_losses();
    test_the_most_calls_may_wait();
    puts("calls end as they should");
    return 0;
}
