/* SPDX-License-Identifier: Apache-2.0 */
/* Errors that an adapter reports for what was sent or received: the peer is lost, and the sentence names it and the
 * cause. The adapter is made up, since a soft device has no protection errors that a sound program could cause. */
#include "check.h"
#include "xxdev/soft/ibv/ibv_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ERRORS_PLACES = 4 };

typedef struct errors {
    struct ibv_context context;
    struct ibv_cq queue;
    struct ibv_qp qp;
    struct ibv_srq receives;
    ibw_sent places[ERRORS_PLACES];
    ibw_link link;
    ibw_link *links[2], *by_number[1];
    ibw_wire wire;
    ibw_buffer buffer;
    struct ibv_wc found;
    int is_there, hung_up, lost;
    char text[256];
} errors;

static errors *errors_of(ibw_wire *wire)
{
    return COR_OWNER(wire, errors, wire);
}

static int errors_poll_queue(struct ibv_cq *queue, int room, struct ibv_wc *found_p)
{
    errors *self = COR_OWNER(queue, errors, queue);
    if (room < 1 || !self->is_there)
        return 0;
    self->is_there = 0;
    *found_p = self->found;
    return 1;
}

static int errors_post_receive(struct ibv_srq *receives, struct ibv_recv_wr *request, struct ibv_recv_wr **bad_p)
{
    (void)receives, (void)request, (void)bad_p;
    return 0;
}

static const char *errors_name(enum ibv_wc_status status)
{
    return status == IBV_WC_REM_ACCESS_ERR  ? "remote access error"
           : status == IBV_WC_LOC_PROT_ERR  ? "local protection error"
           : status == IBV_WC_RETRY_EXC_ERR ? "transport retry counter exceeded"
                                            : "flushed";
}

static int errors_no_events(ibw_wire *wire)
{
    (void)wire;
    return 0;
}

static void errors_hang_up(ibw_wire *wire, ibw_link *link)
{
    (void)link;
    errors_of(wire)->hung_up++;
}

static const ibw_setup_ops errors_setup = {.name = "none", .events = errors_no_events, .hang_up = errors_hang_up};

static void errors_lost(void *sink, int peer, const cor_fault *why)
{
    errors *self = sink;
    CHECK_EQUAL(1, peer);
    self->lost++;
    snprintf(self->text, sizeof self->text, "%s", why->text);
}

/* What rank 1 is lost by, when the adapter reports this for what was sent to it or has come from it. */
static void errors_report(errors *self, enum ibv_wc_status status, int is_receive)
{
    *self = (errors){.context.ops = {.poll_cq = errors_poll_queue, .post_srq_recv = errors_post_receive}};
    self->queue.context = self->receives.context = &self->context;
    self->link = (ibw_link){.rank = 1, .state = IBW_OPEN, .qp = &self->qp, .sent = self->places, .sent_next = 1};
    cor_list_init(&self->link.copies);
    self->links[1] = self->by_number[0] = &self->link;
    self->wire.links = self->links;
    self->wire.by_number = self->by_number;
    self->wire.options = (cor_wire_options){.size = 2, .lost = errors_lost, .sink = self};
    self->wire.config.send_queue = ERRORS_PLACES;
    self->wire.completions = &self->queue;
    self->wire.receives = &self->receives;
    self->wire.setup = &errors_setup;
    self->wire.library.do_ibv_wc_status_str = errors_name;
    self->wire.places = calloc(2, sizeof *self->wire.places);
    CHECK(self->wire.places != NULL);
    strcpy(self->wire.places[1].host, "node7");
    self->found = (struct ibv_wc){
        .wr_id = is_receive ? (uint64_t)(uintptr_t)&self->buffer | (uint64_t)1 << IBW_RECEIVE_BIT : (uint64_t)1 << 32,
        .status = status,
        .qp_num = self->qp.qp_num};
    self->is_there = 1;
    for (int i = 0; i < 3; i++)
        ibw_poll(&self->wire.base, -1);
    free(self->wire.places);
    CHECK_EQUAL(1, self->lost);
    CHECK_EQUAL(1, self->hung_up);
    CHECK(self->link.state == IBW_LOST);
}

int main(void)
{
    errors self;
    errors_report(&self, IBV_WC_REM_ACCESS_ERR, 0);
    CHECK_TEXT("rank 1 on node7 is lost: the RDMA device reports: remote access error", self.text);
    errors_report(&self, IBV_WC_RETRY_EXC_ERR, 0);
    CHECK_TEXT(
        "rank 1 on node7 is lost: its process or its host gives no sign of life (transport retry counter exceeded)",
        self.text);
    errors_report(&self, IBV_WC_LOC_PROT_ERR, 1);
    CHECK_TEXT("rank 1 on node7 is lost: nothing can be received from it: local protection error", self.text);
    return 0;
}
