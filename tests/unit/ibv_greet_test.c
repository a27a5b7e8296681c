/* SPDX-License-Identifier: Apache-2.0 */
/* A connection that this rank has called for opens: it sends something, as soon as a buffer is free. Later it is
 * probed, and messages go in pieces. The adapter is made up: it takes nothing inline and completes nothing itself. */
#include "check.h"
#include "xxdev/soft/ibv/ibv_state.h"

#include <stdio.h>

enum { GREET_PLACES = 8, GREET_FRAME_MAX = 64 };

typedef struct greeter {
    struct ibv_device device;
    struct ibv_context context;
    struct ibv_qp qp;
    ibw_sent places[GREET_PLACES];
    ibw_link link;
    ibw_link *links[2];
    ibw_wire wire;
    ibw_buffer buffer;
    _Alignas(ibw_frame) uint8_t memory[GREET_FRAME_MAX];
    int frames, probes;
    int last_kind;
} greeter;

static int greeter_post(struct ibv_qp *qp, struct ibv_send_wr *request, struct ibv_send_wr **bad_p)
{
    greeter *self = COR_OWNER(qp, greeter, qp);
    (void)bad_p;
    self->frames += request->opcode == IBV_WR_SEND;
    self->probes += request->opcode == IBV_WR_RDMA_WRITE && request->num_sge == 0;
    if (request->opcode == IBV_WR_SEND)
        self->last_kind = ((const ibw_frame *)(uintptr_t)request->sg_list->addr)->kind;
    return 0;
}

static void greeter_init(greeter *self, ibw_state state)
{
    *self = (greeter){.context.ops.post_send = greeter_post};
    self->qp.context = &self->context;
    self->buffer.memory = self->memory;
    self->link =
        (ibw_link){.rank = 1, .state = state, .qp = &self->qp, .credits = 4, .credits_max = 4, .sent = self->places};
    cor_list_init(&self->link.copies);
    self->links[1] = &self->link;
    self->wire.links = self->links;
    self->wire.options.size = 2;
    self->wire.config = (cor_ibv_config){.send_queue = GREET_PLACES, .credits = 4, .signal_every = 1};
    self->wire.connecting = 1;
}

static void test_the_caller_greets(void)
{
    greeter self;
    greeter_init(&self, IBW_CALLING);
    ibw_buffer_put(&self.wire, &self.buffer);
    ibw_link_opened(&self.wire, &self.link);
    CHECK(self.link.state == IBW_OPEN);
    CHECK_EQUAL(1, self.frames);
    CHECK_EQUAL(IBW_CREDITS, self.last_kind);
    ibw_sends_owed(&self.wire);
    CHECK_EQUAL(1, self.frames);
}

static void test_the_called_does_not(void)
{
    greeter self;
    greeter_init(&self, IBW_ACCEPTED);
    ibw_buffer_put(&self.wire, &self.buffer);
    ibw_link_opened(&self.wire, &self.link);
    CHECK(self.link.state == IBW_OPEN);
    CHECK_EQUAL(0, self.frames);
}

static void test_what_waits_is_the_greeting(void)
{
    greeter self;
    greeter_init(&self, IBW_CALLING);
    *(ibw_frame *)(void *)self.memory = (ibw_frame){.kind = IBW_PACKET};
    self.link.backlog_first = self.link.backlog_last = &self.buffer;
    self.link.backlog_count = 1;
    ibw_link_opened(&self.wire, &self.link); /* all buffers are in use */
    CHECK(self.link.state == IBW_OPEN);
    CHECK_EQUAL(1, self.frames);
    CHECK_EQUAL(IBW_PACKET, self.last_kind);
    CHECK(self.wire.owing == 0);
}

static void test_a_greeting_waits_for_a_buffer(void)
{
    greeter self;
    greeter_init(&self, IBW_CALLING);
    ibw_link_opened(&self.wire, &self.link);
    CHECK(self.link.state == IBW_OPEN);
    CHECK_EQUAL(0, self.frames);
    CHECK(self.wire.owing);
    ibw_sends_owed(&self.wire);
    CHECK(self.wire.owing);
    ibw_buffer_put(&self.wire, &self.buffer);
    ibw_sends_owed(&self.wire);
    CHECK_EQUAL(1, self.frames);
    CHECK(self.wire.owing == 0);
}

/* One at a time, of any transport: also TCP does not notice a silent host for which it has nothing. */
static void test_a_probe_is_an_empty_write(int transport)
{
    greeter self;
    greeter_init(&self, IBW_OPEN);
    self.device.transport_type = transport;
    self.context.device = &self.device;
    self.wire.context = &self.context;
    ibw_send_probe(&self.wire, &self.link);
    CHECK_EQUAL(1, self.probes);
    ibw_send_probe(&self.wire, &self.link);
    CHECK_EQUAL(1, self.probes);
    ibw_sent_done(&self.wire, &self.link, 0, 1);
    ibw_send_probe(&self.wire, &self.link);
    CHECK_EQUAL(2, self.probes);
    CHECK_EQUAL(4, self.link.credits);
}

/* Pieces of a message do not wait for each other: they are copied before the adapter has completed any. The counter
 * knows those that were copied when all before them were complete. */
static void test_pieces_overlap(int completes)
{
    enum { PIECES = 3, PIECE_BYTES = 8 };
    greeter self;
    ibw_buffer buffers[PIECES];
    _Alignas(ibw_frame) uint8_t memory[PIECES][GREET_FRAME_MAX];
    char message[PIECES * PIECE_BYTES] = "pieces";
    const cor_payload payload = cor_payload_plain(message, sizeof message);
    const cor_header header = {0};
    greeter_init(&self, IBW_OPEN);
    self.link.credits = self.link.credits_max = PIECES + 1;
    for (int i = 0; i < PIECES; i++) {
        buffers[i] = (ibw_buffer){.memory = memory[i]};
        ibw_buffer_put(&self.wire, &buffers[i]);
    }
    for (uint32_t i = 0; i < PIECES; i++) {
        CHECK_OK(ibw_send(&self.wire.base, 1, &header, &payload, i * PIECE_BYTES, PIECE_BYTES));
        if (completes)
            ibw_sent_done(&self.wire, &self.link, i, 1);
    }
    CHECK_EQUAL(PIECES, self.frames);
    CHECK_EQUAL(PIECES - 1, self.wire.counts.pieces);
    CHECK_EQUAL(completes ? 0 : PIECES - 1, self.wire.counts.overlapped);
}

int main(void)
{
    test_the_caller_greets();
    test_the_called_does_not();
    test_what_waits_is_the_greeting();
    test_a_greeting_waits_for_a_buffer();
    test_a_probe_is_an_empty_write(IBV_TRANSPORT_IB);
    test_a_probe_is_an_empty_write(IBV_TRANSPORT_IWARP);
    test_pieces_overlap(0);
    test_pieces_overlap(1);
    puts("a connection opens with a frame of the caller");
    return 0;
}
