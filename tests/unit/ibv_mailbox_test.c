/* SPDX-License-Identifier: Apache-2.0 */
/* How large the slots of mailboxes are: all mailboxes together keep to the limit, whatever the job, and a slot never
 * holds more than a buffer to send from, whatever a peer offers. And what comes with a mail. */
#include "check.h"
#include "unit_random.h"

#include "xxdev/soft/ibv/ibv_state.h"

#include <string.h>

enum { SLOT_OVERHEAD = 56, WORD_BYTES = 64 };

static void limits_are_kept(void)
{
    uint64_t random = unit_seed();
    for (int i = 0; i < 100000; i++) {
        size_t packet = unit_random(&random) % 20000, buffer = 512 + unit_random(&random) % 20000;
        size_t all = unit_random(&random) % (8u << 20);
        int ranks = 1 + (int)(unit_random(&random) % 5000);
        uint32_t slot = ibw_mailbox_slot_bytes(packet, buffer, all, ranks);
        CHECK(slot % 64 == 0);
        CHECK(slot <= buffer);
        CHECK(slot == 0 || slot >= SLOT_OVERHEAD + 8);
        CHECK(slot == 0 || packet > 0);
        CHECK(slot == 0 || (size_t)(ranks - 1) * (WORD_BYTES + (size_t)slot * IBW_MAIL_SLOTS) <= all);
        CHECK(slot < packet + SLOT_OVERHEAD + 8 + 64);
    }
}

/* As the documentation has it. */
static void slots_shrink_with_the_job(void)
{
    static const struct {
        int ranks;
        uint32_t slot;
    } rows[] = {{2, 1088}, {64, 1088}, {256, 1024}, {1024, 192}, {2048, 64}, {4096, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK_EQUAL(rows[i].slot, ibw_mailbox_slot_bytes(1024, 8192, 4 << 20, rows[i].ranks));
}

static void offers_are_checked(void)
{
    static const struct {
        ibw_offer offer;
        int is_fine;
    } rows[] = {{{.address = 64, .slot_bytes = 64}, 1},   {{.address = 64, .slot_bytes = 8192}, 1},
                {{.address = 64, .slot_bytes = 8256}, 0}, {{.address = 64, .slot_bytes = 1 << 20}, 0},
                {{.address = 64, .slot_bytes = 0}, 0},    {{.address = 64, .slot_bytes = 96}, 0},
                {{.address = 32, .slot_bytes = 64}, 0},   {{.address = 64, .slot_bytes = UINT32_MAX - 63}, 0}};
    const ibw_wire wire = {.config.buffer_bytes = 8192};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ibw_link link = {.rank = 1};
        CHECK_EQUAL(rows[i].is_fine, ibw_mailbox_offered(&wire, &link, &rows[i].offer));
        CHECK_EQUAL(rows[i].is_fine ? rows[i].offer.slot_bytes : 0, link.mailbox.peer.slot_bytes);
        CHECK(!ibw_mailbox_offered(&wire, &link, &rows[i].offer) || !rows[i].is_fine); /* not twice */
    }
}

/* ---- a link whose mailbox is its peer's ------------------------------------------------------------------------- */

enum { ECHO_PLACES = 8, ECHO_SLOT = 128, ECHO_FRAME_MAX = 64 };

typedef struct echo {
    struct ibv_context context;
    struct ibv_qp qp;
    ibw_sent places[ECHO_PLACES];
    ibw_link link;
    ibw_link *links[2];
    ibw_wire wire;
    ibw_buffer buffer;
    _Alignas(64) uint8_t frame[ECHO_FRAME_MAX];
    _Alignas(64) uint8_t inline_frame[ECHO_SLOT];
    _Alignas(64) uint8_t mailbox[WORD_BYTES + ECHO_SLOT * IBW_MAIL_SLOTS];
    int frames, delivered;
} echo;

static int echo_post(struct ibv_qp *qp, struct ibv_send_wr *request, struct ibv_send_wr **bad_p)
{
    echo *self = COR_OWNER(qp, echo, qp);
    (void)bad_p;
    if (request->opcode == IBV_WR_RDMA_WRITE)
        memcpy((void *)(uintptr_t)request->wr.rdma.remote_addr, (const void *)(uintptr_t)request->sg_list->addr,
               request->sg_list->length);
    else
        self->frames++;
    return 0;
}

static void echo_deliver(void *sink, int rank, const cor_header *header, const void *data, size_t bytes)
{
    (void)rank;
    (void)header;
    (void)data;
    (void)bytes;
    ((echo *)sink)->delivered++;
}

static void echo_init(echo *self)
{
    *self = (echo){.context.ops.post_send = echo_post};
    self->qp.context = &self->context;
    self->buffer = (ibw_buffer){.memory = self->frame, .bytes = sizeof(ibw_frame)};
    self->link = (ibw_link){.rank = 1,
                            .state = IBW_OPEN,
                            .qp = &self->qp,
                            .credits = 1,
                            .credits_max = 4,
                            .sent = self->places,
                            .mailbox = {.memory = self->mailbox,
                                        .slot_bytes = ECHO_SLOT,
                                        .peer = {.address = (uintptr_t)self->mailbox, .slot_bytes = ECHO_SLOT}}};
    cor_list_init(&self->link.copies);
    self->links[1] = &self->link;
    self->wire = (ibw_wire){.links = self->links,
                            .options = {.size = 2, .deliver = echo_deliver, .sink = self},
                            .config = {.send_queue = ECHO_PLACES, .credits = 4, .signal_every = 1},
                            .inline_max_bytes = ECHO_SLOT,
                            .inline_frame = self->inline_frame,
                            .mail_slot_bytes = ECHO_SLOT,
                            .mail_links = &self->links[1],
                            .mailboxes = 1};
}

/* A frame waits for credits, and they come in a mail. */
static void credits_of_a_mail_move_what_waits(void)
{
    echo self;
    const cor_header header = {0};
    const cor_payload none = cor_payload_plain(NULL, 0);
    echo_init(&self);
    self.link.backlog_first = self.link.backlog_last = &self.buffer;
    self.link.backlog_count = 1;
    self.link.owed = 2;
    CHECK_OK(ibw_mailbox_send(&self.wire, &self.link, &header, &none, 0, 0));
    CHECK_EQUAL(1, ibw_mailboxes_take(&self.wire));
    CHECK_EQUAL(1, self.delivered);
    CHECK_EQUAL(1, self.frames);
    CHECK(self.link.backlog_first == NULL);
    CHECK_EQUAL(1 + 2 - 1, self.link.credits);
}

int main(void)
{
    offers_are_checked();
    credits_of_a_mail_move_what_waits();
    limits_are_kept();
    slots_shrink_with_the_job();
    return 0;
}
