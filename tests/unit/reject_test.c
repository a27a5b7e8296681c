/* SPDX-License-Identifier: Apache-2.0 */
/* A rank of the job that has gone mad: packets that no rank may send, put on the wire behind the back of its device.
 * Whatever they are, the other side says so, takes the sender for lost and ends what waits for it. */
#include "check.h"
#include "device_pair.h"
#include "xxdev/soft/soft_state.h"

#include <string.h>

enum { CONTEXT = 4 };

typedef struct mad_packet {
    const char *says; /* in the sentence */
    cor_header header;
    size_t bytes;
    uint64_t body[4]; /* what the bytes are; the address of nothing at all where one is asked for */
} mad_packet;

static const mad_packet mad_packets[] = {
    {"a packet of unknown kind 77", {.kind = 77}, 0, {0}},
    {"a packet of unknown kind 14", {.kind = 14}, 8, {0}},
    {"a rendezvous request of 8 bytes", {.kind = SOFT_RTS, .context = CONTEXT, .tag = 7}, 8, {0}},
    {"a rendezvous request of 24 bytes", {.kind = SOFT_RTS, .context = CONTEXT, .tag = 7}, 24, {64, 16}},
    {"a rendezvous request for memory that is not shared",
     {.kind = SOFT_RTS, .flags = SOFT_SAME_MEMORY, .context = CONTEXT, .tag = 7},
     24,
     {64, 8, 8}},
    {"a message with tag -2", {.kind = SOFT_EAGER, .context = CONTEXT, .tag = COR_ANY_TAG}, 8, {0}},
    {"a message with tag -2", {.kind = SOFT_RTS, .context = CONTEXT, .tag = COR_ANY_TAG}, 16, {1 << 20, 0}},
    {"a message with tag -2", {.kind = SOFT_ABANDONED, .context = CONTEXT, .tag = COR_ANY_TAG, .id = 1}, 0, {0}},
    {"a message with tag -2", {.kind = SOFT_CANCEL, .context = CONTEXT, .tag = COR_ANY_TAG, .id = 1}, 0, {0}},
    {"a clearance for a send (99) that does not wait for it", {.kind = SOFT_CTS, .id = 99}, 8, {1}},
    {"8 bytes for a receive (99) that does not wait for them", {.kind = SOFT_DATA, .id = 99}, 8, {1}},
    {"word that a send (99) is done that does not wait for it", {.kind = SOFT_DONE, .id = 99}, 0, {0}},
    {"word that it has written to a receive (99) that gave it no memory", {.kind = SOFT_WRITTEN, .id = 99}, 0, {0}},
    {"word that a send (99) is cancelled that does not wait for it", {.kind = SOFT_CANCELLED, .id = 99}, 0, {0}},
    {"word that it has lost rank 2 of 2", {.kind = SOFT_ABANDONED, .context = CONTEXT, .tag = 7, .id = 2}, 0, {0}},
};

/* Rank 1 sends it; rank 0 waits for a message of another tag, and has one under way. */
static void test_packet(const cor_wire_ops *ops, const mad_packet *mad)
{
    device_pair pair;
    static char large[1 << 20];
    char in[64];
    cor_transfer receive = {0}, send = {0}, any = {0};
    cor_payload room = cor_payload_plain(in, sizeof in), payload = cor_payload_plain(large, sizeof large);
    cor_payload body = cor_payload_plain(mad->body, mad->bytes);
    device_pair_open_with(&pair, &(device_pair_options){.wire = ops, .log_level = -1});
    cor_device *device = pair.device[0];
    cor_wire *wire = cor_soft_wire_at(pair.device[1], 0);
    cor_device_enter(device);
    CHECK_OK(device->ops->irecv(device, &receive, 1, CONTEXT, 1000, &room));
    CHECK_OK(device->ops->issend(device, &send, 1, CONTEXT, 1000, &payload));
    cor_device_leave(device);
    device_pair_settle(&pair);
    cor_device_enter(pair.device[1]);
    CHECK_OK(wire->ops->send(wire, 0, &mad->header, &body, 0, mad->bytes));
    cor_device_leave(pair.device[1]);
    device_pair_settle(&pair);

    const cor_loss *loss = cor_losses_of(&device->losses, 1);
    const cor_fault *why = loss ? loss->why : NULL;
    if (!why || !strstr(why->text, mad->says))
        fprintf(stderr, "%s: \"%s\" lacks \"%s\"\n", ops->name, why ? why->text : "", mad->says);
    CHECK(why && strstr(why->text, mad->says) != NULL && strncmp(why->text, "rank 1 ", 7) == 0);
    CHECK_EQUAL(1, receive.is_done);
    CHECK_EQUAL(COR_ERR_PEER, receive.error);
    CHECK_EQUAL(1, send.is_done);
    CHECK_EQUAL(COR_ERR_PEER, send.error);
    /* It is neither heard nor spoken to any more. */
    cor_device_enter(device);
    CHECK_EQUAL(COR_ERR_PEER, device->ops->isend(device, &any, 1, CONTEXT, 7, &room));
    CHECK_EQUAL(COR_ERR_PEER, device->ops->irecv(device, &any, 1, CONTEXT, 7, &room));
    cor_device_leave(device);
    device_pair_close(&pair);
}

int main(void)
{
    static const cor_wire_ops *const wires[] = {&cor_tcp_wire, &cor_sm_wire};
    for (size_t wire = 0; wire < 2; wire++)
        for (size_t i = 0; i < sizeof mad_packets / sizeof *mad_packets; i++) {
            /* Between threads of one process that is how it is done. */
            if (wire == 1 && mad_packets[i].header.flags & SOFT_SAME_MEMORY)
                continue;
            test_packet(wires[wire], &mad_packets[i]);
        }
    return 0;
}
