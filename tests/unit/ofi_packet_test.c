/* SPDX-License-Identifier: Apache-2.0 */
/* Packets over libfabric, with a provider that is made up: one that refuses receives, or wants registered memory and
 * does not end what went to a lost rank. */
#include "check.h"
#include "xxdev/soft/ofi/ofi_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PEERS = 3, BUFFER_BYTES = 1024, SENDS_MAX = 4 * OFI_BOUNCES };

typedef struct rig {
    struct fid_ep endpoint; /* first */
    struct fi_ops_msg messages;
    cor_fabric_library *library;
    int refusal, posted; /* of receives: an error, or 0; those that are posted */
    int failed, warned, error;
    void *sent[SENDS_MAX]; /* contexts of what is sent, and from where */
    const void *sent_from[SENDS_MAX];
    int sent_count, ended, regions;
} rig;

/* ---- the provider ----------------------------------------------------------------------------------------------- */

static ssize_t made_up_recv(struct fid_ep *endpoint, void *buffer, size_t bytes, void *description, fi_addr_t from,
                            void *context)
{
    rig *self = (rig *)(void *)endpoint;
    (void)buffer, (void)description, (void)from, (void)context;
    CHECK_EQUAL(BUFFER_BYTES, (int)bytes);
    self->posted += self->refusal == 0;
    return self->refusal;
}

static ssize_t made_up_sendmsg(struct fid_ep *endpoint, const struct fi_msg *message, uint64_t flags)
{
    rig *self = (rig *)(void *)endpoint;
    (void)flags;
    CHECK(self->sent_count < SENDS_MAX);
    for (int i = 0; i < self->sent_count; i++)
        CHECK(self->sent[i] == NULL || self->sent_from[i] != message->msg_iov[0].iov_base);
    self->sent_from[self->sent_count] = message->msg_iov[0].iov_base;
    self->sent[self->sent_count++] = message->context;
    return 0;
}

static int made_up_close(struct fid *fid)
{
    free(fid);
    return 0;
}

static struct fi_ops made_up_fid = {.size = sizeof made_up_fid, .close = made_up_close};

/* Instead of that of ofi_memory.c. */
int ofi_register(cor_fabric_library *library, void *memory, size_t bytes, uint64_t access, struct fid_mr **region_p)
{
    rig *self = library->options.wire;
    (void)memory, (void)bytes, (void)access;
    *region_p = calloc(1, sizeof **region_p);
    CHECK(*region_p != NULL);
    (*region_p)->fid.ops = &made_up_fid;
    self->regions++;
    return 0;
}

void ofi_close_one(const cor_fabric_library *library, struct fid *fid, const char *what)
{
    (void)library, (void)what;
    fi_close(fid);
}

/* ---- the wire --------------------------------------------------------------------------------------------------- */

static void rig_arrived_odd(void *wire, size_t bytes)
{
    (void)wire, (void)bytes;
}

static void rig_sent(cor_fabric_packet *packet, int error)
{
    (void)error;
    ((rig *)*(void **)(packet + 1))->ended++;
    free(packet);
}

static void rig_failed(void *wire, const char *what, int error)
{
    CHECK_TEXT("receive packets", what);
    ((rig *)wire)->failed++;
    ((rig *)wire)->error = error;
}

static void rig_warn(void *wire, const char *what, int error)
{
    (void)what;
    ((rig *)wire)->warned++;
    ((rig *)wire)->error = error;
}

static rig *rig_make(int wants_registered)
{
    rig *self = calloc(1, sizeof *self);
    cor_fabric_library *library = calloc(1, sizeof *library + PEERS * sizeof library->peers[0]);
    CHECK(self && library);
    self->messages =
        (struct fi_ops_msg){.size = sizeof self->messages, .recv = made_up_recv, .sendmsg = made_up_sendmsg};
    self->endpoint.msg = &self->messages;
    self->library = library;
    library->options = (cor_fabric_options){.size = PEERS,
                                            .wire = self,
                                            .arrived_odd = rig_arrived_odd,
                                            .sent = rig_sent,
                                            .failed = rig_failed,
                                            .warn = rig_warn};
    library->endpoint = &self->endpoint;
    library->buffer_bytes = BUFFER_BYTES;
    library->iov_limit = 2;
    library->wants_registered = wants_registered;
    cor_list_init(&library->unposted);
    CHECK_EQUAL(0, ofi_start(library));
    CHECK_EQUAL(OFI_RECEIVES, self->posted);
    return self;
}

static void rig_end(rig *self)
{
    ofi_packets_close(self->library);
    free(self->library);
    free(self);
}

/* A packet has come, too short to be one. */
static void receive(rig *self, int i)
{
    self->posted--;
    ofi_received(self->library, &self->library->receives[i], 0, 0);
}

/* ---- receiving -------------------------------------------------------------------------------------------------- */

static void test_a_receive_that_is_refused_is_posted_later(void)
{
    rig *self = rig_make(0);
    self->refusal = -FI_ENOMEM;
    receive(self, 3);
    receive(self, 4);
    CHECK_EQUAL(1, self->warned); /* once */
    CHECK_EQUAL(-FI_ENOMEM, self->error);
    CHECK_EQUAL(0, ofi_post_again(self->library));
    self->refusal = 0;
    CHECK_EQUAL(2, ofi_post_again(self->library));
    CHECK_EQUAL(OFI_RECEIVES, self->posted);
    CHECK_EQUAL(0, self->failed);
    rig_end(self);
}

static void test_a_rank_that_cannot_receive_says_so(void)
{
    rig *self = rig_make(0);
    self->refusal = -FI_ENOMEM;
    for (int i = 0; i < OFI_RECEIVES; i++) {
        ofi_post_again(self->library);
        CHECK_EQUAL(0, self->failed);
        receive(self, i);
    }
    CHECK_EQUAL(0, ofi_post_again(self->library));
    CHECK_EQUAL(1, self->failed);
    CHECK_EQUAL(-FI_ENOMEM, self->error);
    rig_end(self);
}

/* That is no error, though nothing is posted. */
static void test_a_provider_may_have_no_room_for_receives(void)
{
    rig *self = rig_make(0);
    self->refusal = -FI_EAGAIN;
    for (int i = 0; i < OFI_RECEIVES; i++)
        receive(self, i);
    CHECK_EQUAL(0, ofi_post_again(self->library));
    CHECK_EQUAL(0, self->failed + self->warned);
    self->refusal = 0;
    CHECK_EQUAL(OFI_RECEIVES, ofi_post_again(self->library));
    CHECK_EQUAL(OFI_RECEIVES, self->posted);
    rig_end(self);
}

/* ---- sending ---------------------------------------------------------------------------------------------------- */

static int send(rig *self, int peer)
{
    char *memory = calloc(1, sizeof(cor_fabric_packet) + sizeof self);
    CHECK(memory != NULL);
    cor_fabric_packet *packet = (cor_fabric_packet *)(void *)memory;
    packet->payload = packet + 1;
    memcpy(memory + sizeof *packet, &self, sizeof self);
    int rc = ofi_send(self->library, peer, packet);
    if (rc != COR_FABRIC_STARTED)
        free(memory);
    return rc;
}

static void end_send(rig *self, int i)
{
    ofi_packet_ended(self->library, self->sent[i], 0);
    self->sent[i] = NULL;
}

static void test_buffers_that_a_lost_rank_holds_are_replaced(void)
{
    rig *self = rig_make(1);
    for (int i = 0; i < OFI_BOUNCES; i++)
        CHECK_EQUAL(COR_FABRIC_STARTED, send(self, i < 2 ? 1 : 0));
    CHECK_EQUAL(COR_FABRIC_AGAIN, send(self, 1));
    CHECK_EQUAL(2, self->regions);
    self->library->peers[0].is_lost = 1;
    for (int i = 2; i < OFI_BOUNCES; i++)
        CHECK_EQUAL(COR_FABRIC_STARTED, send(self, 1)); /* none is the memory of a packet that is under way */
    CHECK_EQUAL(COR_FABRIC_AGAIN, send(self, 1));
    CHECK_EQUAL(3, self->regions);
    for (int i = 0; i < self->sent_count; i++)
        end_send(self, i); /* also those that went to the lost rank */
    int most = self->sent_count;
    self->sent_count = 0;
    for (int i = 0; i < most; i++)
        CHECK_EQUAL(COR_FABRIC_STARTED, send(self, 1));
    CHECK_EQUAL(COR_FABRIC_AGAIN, send(self, 1));
    CHECK_EQUAL(3, self->regions);
    for (int i = 0; i < most; i++)
        end_send(self, i);
    CHECK_EQUAL(2 * most, self->ended);
    rig_end(self);
}

int main(void)
{
    test_a_receive_that_is_refused_is_posted_later();
    test_a_rank_that_cannot_receive_says_so();
    test_a_provider_may_have_no_room_for_receives();
    test_buffers_that_a_lost_rank_holds_are_replaced();
    return 0;
}
