/* SPDX-License-Identifier: Apache-2.0 */
/* The wire through UCX or libfabric, over a library that is made up: completions in another order than that of the messages,
 * what no rank may send, and messages of ranks that were lost. */
#include "check.h"
#include "xxdev/soft/library/library_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PEERS = 3, TEXT_MAX = 64 };

/* A receive that the library has. */
typedef struct posted {
    uint64_t tag, mask;
    cor_tagged_data data;
    cor_tagged_transfer *transfer;
} posted;

struct cor_tagged_library {
    posted receives[LIBRARY_RECEIVES + 4];
    int count, cancelled;
    int is_slow; /* sends end later */
    cor_tagged_transfer *sends[4];
    int send_count;
};

typedef struct rig {
    cor_tagged_library library;
    library_wire wire;
    library_peer peers[PEERS];
    uint8_t awaited[PEERS];
    char delivered[TEXT_MAX], written[TEXT_MAX];
    cor_fault lost; /* the latest */
} rig;

/* ---- the library ------------------------------------------------------------------------------------------------ */

static int made_up_send(cor_tagged_library *library, int peer, uint64_t tag, cor_tagged_data data, int is_sync,
                        cor_tagged_transfer *transfer)
{
    (void)peer, (void)tag, (void)data, (void)is_sync;
    if (!library->is_slow)
        return COR_TAGGED_DONE;
    CHECK((size_t)library->send_count < sizeof library->sends / sizeof *library->sends);
    library->sends[library->send_count++] = transfer;
    return COR_TAGGED_STARTED;
}

static int made_up_receive(cor_tagged_library *library, uint64_t tag, uint64_t mask, cor_tagged_data data,
                           cor_tagged_transfer *transfer, cor_tagged_result *result_p)
{
    (void)result_p;
    CHECK((size_t)library->count < sizeof library->receives / sizeof *library->receives);
    library->receives[library->count++] = (posted){tag, mask, data, transfer};
    return COR_TAGGED_STARTED;
}

static posted made_up_take(cor_tagged_library *library, int at)
{
    posted taken = library->receives[at];
    library->count--;
    memmove(&library->receives[at], &library->receives[at + 1], (size_t)(library->count - at) * sizeof taken);
    return taken;
}

static void made_up_cancel(cor_tagged_library *library, cor_tagged_transfer *transfer)
{
    const cor_tagged_result result = {.end = COR_TAGGED_CANCELLED};
    int at = 0;
    while (at < library->count && library->receives[at].transfer != transfer)
        at++;
    CHECK(at < library->count); /* of what has ended there is nothing to cancel */
    made_up_take(library, at);
    library->cancelled++;
    library_done(transfer, &result);
}

static void made_up_lose(cor_tagged_library *library, int peer)
{
    (void)library, (void)peer;
}

static void made_up_explain(int error, char *out, size_t out_bytes)
{
    snprintf(out, out_bytes, "error %d", error);
}

static int made_up_progress(cor_tagged_library *library)
{
    (void)library;
    return 0;
}

static const cor_tagged_ops made_up = {.name = "a library",
                                       .explain = made_up_explain,
                                       .send = made_up_send,
                                       .receive = made_up_receive,
                                       .cancel = made_up_cancel,
                                       .lose = made_up_lose,
                                       .progress = made_up_progress};

/* A message has come, or, with an error, could not; the wire learns it by its next poll. */
static void arrive_with(rig *self, uint64_t tag, const void *data, size_t bytes, int error)
{
    cor_tagged_library *library = &self->library;
    int at = 0;
    while (tag && at < library->count &&
           (library->receives[at].tag & library->receives[at].mask) != (tag & library->receives[at].mask))
        at++; /* one that failed before it met its message has no tag */
    CHECK(at < library->count);
    posted receive = made_up_take(library, at);
    int is_too_long = bytes > receive.data.bytes;
    const cor_tagged_result result = {.end = error         ? COR_TAGGED_FAILED
                                             : is_too_long ? COR_TAGGED_TRUNCATED
                                                           : COR_TAGGED_OK,
                                      .error = error,
                                      .tag = tag,
                                      .bytes = bytes};
    memcpy(receive.data.memory, data, is_too_long ? receive.data.bytes : bytes);
    library_done(receive.transfer, &result);
}

static void arrive(rig *self, uint64_t tag, const void *data, size_t bytes)
{
    arrive_with(self, tag, data, bytes, 0);
}

static void arrive_packet(rig *self, int peer, uint32_t number, int tag)
{
    const cor_header header = {.kind = 1, .tag = tag};
    arrive(self, library_tag(LIBRARY_PACKET, peer, number), &header, sizeof header);
}

static void arrive_put(rig *self, uint64_t key, int peer, uint32_t id, const char *text)
{
    arrive(self, library_tag(LIBRARY_MEMORY | (unsigned)key, peer, id), text, strlen(text));
}

/* ---- the device ------------------------------------------------------------------------------------------------- */

static void rig_deliver(void *sink, int peer, const cor_header *header, const void *data, size_t bytes)
{
    rig *self = sink;
    size_t length = strlen(self->delivered);
    (void)data, (void)bytes;
    snprintf(self->delivered + length, TEXT_MAX - length, "%d:%d ", peer, header->tag);
}

static void rig_written(void *sink, int peer, uint32_t id)
{
    rig *self = sink;
    size_t length = strlen(self->written);
    snprintf(self->written + length, TEXT_MAX - length, "%d:%u ", peer, id);
}

static void rig_copied(void *sink, void *context, int error)
{
    (void)sink;
    CHECK_EQUAL(COR_OK, error);
    ++*(int *)context;
}

static void rig_lost(void *sink, int peer, const cor_fault *why)
{
    (void)peer;
    ((rig *)sink)->lost = *why;
}

static rig *rig_make(void)
{
    rig *self = calloc(1, sizeof *self);
    cor_fault fault;
    CHECK(self != NULL);
    library_wire *wire = &self->wire;
    wire->options = (cor_wire_options){.size = PEERS,
                                       .deliver = rig_deliver,
                                       .written = rig_written,
                                       .copied = rig_copied,
                                       .lost = rig_lost,
                                       .sink = self};
    wire->meeting = (cor_tagged_meeting){.ops = &made_up, .library = &self->library};
    wire->peers = self->peers;
    wire->awaited = self->awaited;
    for (int i = 0; i < PEERS; i++)
        cor_list_init(&self->peers[i].early);
    for (int i = 0; i < LIBRARY_MEMORIES; i++)
        wire->free_numbers[i] = (uint16_t)i;
    wire->free_count = LIBRARY_MEMORIES;
    cor_list_init(&wire->started);
    cor_list_init(&wire->ended);
    cor_pool_init(&wire->items, sizeof(library_item));
    cor_pool_init(&wire->frames, sizeof(cor_header) + LIBRARY_PACKET_BYTES);
    CHECK_EQUAL(COR_OK, library_post_receives(wire, &fault));
    return self;
}

static void rig_end(rig *self)
{
    CHECK_EQUAL(LIBRARY_RECEIVES, self->library.count); /* as many for packets as ever, and none for memory */
    CHECK_EQUAL(LIBRARY_MEMORIES, self->wire.free_count);
    cor_pool_fini(&self->wire.items);
    cor_pool_fini(&self->wire.frames);
    free(self);
}

static void rig_poll(rig *self)
{
    while (library_poll(&self->wire.base, -1) > 0)
        ;
}

static uint64_t rig_enter(rig *self, char *memory, size_t bytes, void **registration_p)
{
    cor_wire_key key;
    uint32_t number;
    CHECK_EQUAL(COR_OK, library_memory.enter(&self->wire.base, memory, bytes, COR_WIRE_WRITTEN, &key, registration_p));
    CHECK_EQUAL(sizeof number, key.bytes);
    memcpy(&number, key.data, sizeof number);
    return number;
}

/* ---- packets ---------------------------------------------------------------------------------------------------- */

static void test_packets_are_delivered_by_their_numbers(void)
{
    rig *self = rig_make();
    arrive_packet(self, 1, 2, 22);
    arrive_packet(self, 2, 0, 70);
    arrive_packet(self, 1, 1, 21);
    rig_poll(self);
    CHECK_TEXT("2:70 ", self->delivered);
    arrive_packet(self, 1, 0, 20);
    rig_poll(self);
    CHECK_TEXT("2:70 1:20 1:21 1:22 ", self->delivered);
    CHECK_TEXT("", self->lost.text);
    rig_end(self);
}

static void test_a_packet_that_comes_twice_is_its_senders_end(void)
{
    rig *self = rig_make();
    arrive_packet(self, 1, 0, 20);
    arrive_packet(self, 1, 0, 20);
    arrive_packet(self, 1, 1, 21);
    arrive_packet(self, 2, 0, 70);
    rig_poll(self);
    CHECK_TEXT("1:20 2:70 ", self->delivered);
    CHECK_TEXT("rank 1 is lost: it sent a packet twice", self->lost.text);
    rig_end(self);
}

static void test_packets_of_impossible_length_and_of_strangers(void)
{
    rig *self = rig_make();
    static const char much[LIBRARY_PACKET_BYTES + 100];
    arrive_packet(self, PEERS, 0, 99);
    arrive_packet(self, 2, 0, 70);
    rig_poll(self);
    CHECK_TEXT("2:70 ", self->delivered);
    CHECK_TEXT("", self->lost.text);
    arrive(self, library_tag(LIBRARY_PACKET, 1, 0), "short", 5);
    rig_poll(self);
    CHECK_TEXT("rank 1 is lost: it sent a packet of an impossible length", self->lost.text);
    arrive(self, library_tag(LIBRARY_PACKET, 2, 1), much, sizeof much);
    rig_poll(self);
    CHECK_TEXT("rank 2 is lost: it sent a packet of an impossible length", self->lost.text);
    rig_end(self);
}

static void test_a_packet_that_could_not_be_received_is_its_senders_end(void)
{
    rig *self = rig_make();
    const cor_header header = {.kind = 1};
    arrive_with(self, library_tag(LIBRARY_PACKET, 1, 0), &header, sizeof header, -7);
    arrive_with(self, 0, "", 0, -7); /* of some that is not named */
    arrive_packet(self, 2, 0, 70);
    rig_poll(self);
    CHECK_TEXT("rank 1 is lost: a library reports: error -7", self->lost.text);
    CHECK_TEXT("2:70 ", self->delivered);
    rig_end(self);
}

static int send_and_put(rig *self, int peer, int *copied)
{
    const cor_header header = {.kind = 1};
    const cor_payload empty = cor_payload_plain(NULL, 0);
    const cor_wire_key key = {.bytes = sizeof(uint32_t), .data = {3}};
    CHECK_EQUAL(COR_OK, library_send(&self->wire.base, peer, &header, &empty, 0, 0));
    return library_memory.put(&self->wire.base, peer, &key, 0, "data", NULL, 4, 5, copied);
}

static void test_what_was_sent_to_a_lost_rank_is_not_waited_for(void)
{
    rig *self = rig_make();
    const cor_tagged_result fine = {.end = COR_TAGGED_OK}, failed = {.end = COR_TAGGED_FAILED, .error = -7};
    int lost = 0, kept = 0;
    self->library.is_slow = 1;
    self->peers[1].is_met = self->peers[2].is_met = 1;
    CHECK_EQUAL(COR_OK, send_and_put(self, 1, &lost));
    CHECK_EQUAL(COR_OK, send_and_put(self, 2, &kept));
    CHECK_EQUAL(4, self->wire.under_way);
    library_done(self->library.sends[1], &failed); /* the put, and with it the rank */
    rig_poll(self);
    CHECK_TEXT("rank 1 is lost: a library reports: error -7", self->lost.text);
    CHECK_EQUAL(2, self->wire.under_way);
    CHECK_EQUAL(COR_ERR_PEER, library_send(&self->wire.base, 1, &(cor_header){0}, &(cor_payload){0}, 0, 0));
    library_done(self->library.sends[0], &fine); /* it does end, late */
    library_done(self->library.sends[2], &fine);
    library_done(self->library.sends[3], &fine);
    rig_poll(self);
    CHECK_EQUAL(0, self->wire.under_way);
    CHECK_EQUAL(0, lost);
    CHECK_EQUAL(1, kept);
    rig_end(self);
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

static void test_memory_is_left_before_or_after_its_message(void)
{
    rig *self = rig_make();
    char memory[3][4];
    void *kept, *given_up, *just_ended;
    uint64_t key = rig_enter(self, memory[0], 4, &kept);
    rig_enter(self, memory[1], 4, &given_up);
    uint64_t other = rig_enter(self, memory[2], 4, &just_ended);
    library_memory.leave(&self->wire.base, given_up);
    CHECK_EQUAL(1, self->library.cancelled);
    arrive_put(self, other, 1, 6, "late");
    library_memory.leave(&self->wire.base, just_ended); /* the wire has not looked at its end */
    CHECK_EQUAL(1, self->library.cancelled);
    arrive_put(self, key, 1, 5, "here");
    rig_poll(self);
    CHECK_TEXT("1:5 ", self->written);
    CHECK(memcmp(memory[0], "here", 4) == 0);
    library_memory.leave(&self->wire.base, kept);
    rig_end(self);
}

static void test_a_message_of_a_lost_rank_takes_no_others_place(void)
{
    rig *self = rig_make();
    char memory[4];
    void *registration;
    uint64_t key = rig_enter(self, memory, 4, &registration);
    library_reject(&self->wire.base, 1, "nonsense");
    library_memory.leave(&self->wire.base, registration);
    rig_poll(self);
    CHECK_EQUAL(key, rig_enter(self, memory, 4, &registration));
    arrive_put(self, key, 1, 5, "old");
    rig_poll(self);
    arrive_with(self, library_tag(LIBRARY_MEMORY | (unsigned)key, 1, 6), "", 0, -7);
    rig_poll(self);
    CHECK_TEXT("", self->written);
    arrive_put(self, key, 2, 8, "next");
    rig_poll(self);
    CHECK_TEXT("2:8 ", self->written);
    CHECK(memcmp(memory, "next", 4) == 0);
    library_memory.leave(&self->wire.base, registration);
    rig_end(self);
}

static void test_a_message_has_the_length_that_was_agreed_upon(void)
{
    static const char *const texts[] = {"few", "plenty"};
    for (int i = 0; i < 2; i++) {
        rig *self = rig_make();
        char memory[4];
        void *registration;
        uint64_t key = rig_enter(self, memory, 4, &registration);
        arrive_put(self, key, 1, 5, texts[i]);
        rig_poll(self);
        CHECK_TEXT("", self->written);
        CHECK_TEXT("rank 1 is lost: it sent a message of another length than was agreed upon", self->lost.text);
        library_memory.leave(&self->wire.base, registration);
        rig_end(self);
    }
}

int main(void)
{
    test_packets_are_delivered_by_their_numbers();
    test_a_packet_that_comes_twice_is_its_senders_end();
    test_packets_of_impossible_length_and_of_strangers();
    test_a_packet_that_could_not_be_received_is_its_senders_end();
    test_what_was_sent_to_a_lost_rank_is_not_waited_for();
    test_memory_is_left_before_or_after_its_message();
    test_a_message_of_a_lost_rank_takes_no_others_place();
    test_a_message_has_the_length_that_was_agreed_upon();
    return 0;
}
