/* SPDX-License-Identifier: Apache-2.0 */
/* The wire over a library of fabrics, over a library that is made up: packets in another order than they were sent, no
 * room, ends that come late, what no rank may send, and ranks that are lost. */
#include "check.h"
#include "xxdev/soft/fabric/fabric_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

extern char **environ;

enum { PEERS = 4, OWN = 3, TEXT_MAX = 96, PACKET_MAX = 4096, LONGEST = 64 << 10, JOBS_MAX = 64 };

struct cor_fabric_library {
    int is_full, is_slow;              /* takes nothing; tells of ends later */
    int flags;                         /* of the last short packet */
    int is_stuck;                      /* nothing to or from a lost rank ends */
    cor_fabric_packet *sent[JOBS_MAX]; /* under way, or NULL: it has ended */
    int sent_to[JOBS_MAX], sent_count;
    cor_fabric_job *copies[JOBS_MAX];
    int copy_to[JOBS_MAX], copy_count, lost, is_lost[PEERS], stopped;
    char out[TEXT_MAX]; /* the tags of what was sent, and to whom */
};

typedef struct rig {
    cor_fabric_library library;
    fabric_wire wire;
    fabric_peer peers[PEERS];
    uint8_t awaited[PEERS], waits_for[PEERS], has_ended[PEERS];
    cor_host host;
    int index_of[PEERS];
    char delivered[TEXT_MAX];
    int copied, zcopies, waits_for_all;
    cor_fault lost; /* the latest */
    int lost_count;
} rig;

static void say(char *text, const char *format, int first, int second)
{
    size_t length = strlen(text);
    snprintf(text + length, TEXT_MAX - length, format, first, second);
}

/* ---- the library ------------------------------------------------------------------------------------------------ */

static int made_up_send_short(cor_fabric_library *library, int peer, const cor_fabric_header *header,
                              const void *payload, size_t bytes)
{
    (void)payload;
    if (library->is_full || library->is_slow || bytes > 64)
        return COR_FABRIC_AGAIN;
    library->flags = header->packet.flags;
    say(library->out, "%d:%d ", peer, header->packet.tag);
    return COR_FABRIC_DONE;
}

static int made_up_send(cor_fabric_library *library, int peer, cor_fabric_packet *packet)
{
    if (library->is_full)
        return COR_FABRIC_AGAIN;
    say(library->out, "%d:%d ", peer, packet->header.packet.tag);
    if (!library->is_slow)
        return COR_FABRIC_DONE;
    CHECK(library->sent_count < JOBS_MAX);
    library->sent_to[library->sent_count] = peer;
    library->sent[library->sent_count++] = packet;
    return COR_FABRIC_STARTED;
}

static int made_up_put(cor_fabric_library *library, int peer, const cor_wire_key *to, size_t offset, const void *from,
                       void *registration, size_t bytes, uint32_t id, cor_fabric_job *job)
{
    (void)to, (void)offset, (void)from, (void)registration, (void)bytes, (void)id;
    if (library->is_full)
        return COR_FABRIC_AGAIN;
    if (!library->is_slow)
        return COR_FABRIC_DONE;
    CHECK(library->copy_count < JOBS_MAX);
    library->copy_to[library->copy_count] = peer;
    library->copies[library->copy_count++] = job;
    return COR_FABRIC_STARTED;
}

static void made_up_lose(cor_fabric_library *library, int peer)
{
    library->is_lost[peer] = 1;
    library->lost++;
}

static void made_up_stop(cor_fabric_library *library)
{
    library->stopped++;
}

static void end_send(cor_fabric_library *library, int i, int error)
{
    cor_fabric_packet *packet = library->sent[i];
    library->sent[i] = NULL;
    if (packet)
        fabric_sent(packet, error);
}

static void end_copy(cor_fabric_library *library, int i, int error)
{
    cor_fabric_job *job = library->copies[i];
    library->copies[i] = NULL;
    if (job)
        fabric_copied(job, error);
}

/* Does the library refer to memory of the program for the sake of a rank? */
static int refers(const cor_fabric_library *library, int peer)
{
    for (int i = 0; i < library->copy_count; i++)
        if (library->copies[i] && library->copy_to[i] == peer)
            return 1;
    for (int i = 0; i < library->sent_count; i++)
        if (library->sent[i] && library->sent_to[i] == peer && !cor_fabric_is_contiguous(library->sent[i]))
            return 1;
    return 0;
}

static void made_up_explain(int error, char *out, size_t out_bytes)
{
    snprintf(out, out_bytes, "error %d", error);
}

static int made_up_is_own(int error)
{
    return error == -12;
}

static int made_up_progress(cor_fabric_library *library)
{
    for (int i = 0; i < library->copy_count && !library->is_stuck; i++)
        if (library->is_lost[library->copy_to[i]])
            end_copy(library, i, i % 2 ? -9 : 0);
    for (int i = 0; i < library->sent_count && !library->is_stuck; i++)
        if (library->is_lost[library->sent_to[i]])
            end_send(library, i, i % 2 ? -9 : 0);
    return 0;
}

static const cor_fabric_ops made_up = {.name = "a library",
                                       .explain = made_up_explain,
                                       .is_own = made_up_is_own,
                                       .send_short = made_up_send_short,
                                       .send = made_up_send,
                                       .put = made_up_put,
                                       .lose = made_up_lose,
                                       .stop = made_up_stop,
                                       .progress = made_up_progress};

/* ---- the device ------------------------------------------------------------------------------------------------- */

static void rig_deliver(void *sink, int peer, const cor_header *header, const void *data, size_t bytes)
{
    CHECK(bytes == 0 || memcmp(data, "text", bytes < 4 ? bytes : 4) == 0);
    say(((rig *)sink)->delivered, "%d:%d ", peer, header->tag);
}

static void rig_zcopy_done(void *sink, int peer)
{
    CHECK_EQUAL(1, peer);
    ((rig *)sink)->zcopies++;
}

static void rig_copied(void *sink, void *context, int error)
{
    CHECK_EQUAL(COR_OK, error);
    CHECK(context == sink);
    ((rig *)sink)->copied++;
}

static void rig_lost(void *sink, int peer, const cor_fault *why)
{
    rig *self = sink;
    CHECK(self->library.stopped || !refers(&self->library, peer));
    self->lost = *why;
    self->lost_count++;
}

static void rig_awaited(void *sink, const cor_wire *wire, uint8_t *peers)
{
    const rig *self = sink;
    CHECK(wire == &self->wire.base);
    if (self->waits_for_all)
        memset(peers, 1, (size_t)self->waits_for_all);
    else
        memcpy(peers, self->waits_for, PEERS);
}

static int rig_has_ended(void *sink, int peer)
{
    return peer < PEERS && ((rig *)sink)->has_ended[peer];
}

static void rig_connecting(void *sink)
{
    (void)sink;
}

static const cor_wire_ops rig_ops = {.name = "made up"};

static rig *rig_make(void)
{
    static const cor_log log = {.level = -1};
    rig *self = calloc(1, sizeof *self);
    CHECK(self != NULL);
    fabric_wire *wire = &self->wire;
    wire->base.ops = &rig_ops;
    wire->options = (cor_wire_options){.size = PEERS,
                                       .log = &log,
                                       .host = &self->host,
                                       .deliver = rig_deliver,
                                       .zcopy_done = rig_zcopy_done,
                                       .copied = rig_copied,
                                       .lost = rig_lost,
                                       .awaited = rig_awaited,
                                       .has_ended = rig_has_ended,
                                       .connecting = rig_connecting,
                                       .sink = self};
    wire->ops = &made_up;
    wire->library = &self->library;
    wire->rank = OWN;
    wire->size = PEERS;
    wire->peers = self->peers;
    wire->awaited = self->awaited;
    wire->packet_max_bytes = PACKET_MAX;
    wire->patience_ns = 1000 * 1000;
    cor_list_init(&wire->own);
    cor_list_init(&wire->blocked);
    cor_list_init(&wire->untold);
    cor_list_init(&wire->copies);
    for (int i = 0; i < PEERS; i++) {
        cor_list_init(&self->peers[i].queue);
        cor_list_init(&self->peers[i].early);
        cor_list_init(&self->peers[i].zcopies);
        self->peers[i].sent = 1; /* no empty packet answers its first */
        self->peers[i].is_met = 1;
    }
    fabric_pools_init(wire);
    return self;
}

static void rig_poll(rig *self)
{
    for (int i = 0; i < 4; i++)
        cor_fabric_poll(&self->wire.base, -1);
}

/* All frames are free again, and nothing is waited for. */
static void rig_end(rig *self)
{
    fabric_wire *wire = &self->wire;
    CHECK_EQUAL(0, wire->under_way);
    CHECK_EQUAL(1, cor_fabric_is_flushed(&wire->base));
    CHECK_EQUAL(0, wire->small.in_use + wire->large.in_use + wire->bare.in_use + wire->copying.in_use);
    CHECK(cor_list_is_empty(&wire->blocked) && cor_list_is_empty(&wire->untold));
    cor_pool_fini(&wire->small);
    cor_pool_fini(&wire->large);
    cor_pool_fini(&wire->bare);
    cor_pool_fini(&wire->copying);
    free(self);
}

/* ---- receiving -------------------------------------------------------------------------------------------------- */

static void arrive(rig *self, uint32_t peer, uint32_t number, int tag, size_t bytes)
{
    static char text[LONGEST + 1] = "text";
    const cor_fabric_header header = {{.kind = 1, .tag = tag}, peer, number};
    fabric_arrived(&self->wire, &header, text, bytes);
}

static void test_packets_are_delivered_by_their_numbers(void)
{
    rig *self = rig_make();
    arrive(self, 1, 2, 22, 4);
    arrive(self, 2, 0, 70, 0);
    arrive(self, 1, 1, 21, PACKET_MAX);
    CHECK_TEXT("2:70 ", self->delivered);
    arrive(self, 1, 0, 20, 0);
    arrive(self, 1, 3, 23, 8);
    CHECK_TEXT("2:70 1:20 1:21 1:22 1:23 ", self->delivered);
    rig_poll(self);
    CHECK_TEXT("", self->lost.text);
    rig_end(self);
}

static void test_a_packet_that_comes_twice_is_its_senders_end(void)
{
    rig *self = rig_make();
    arrive(self, 1, 0, 20, 0);
    arrive(self, 1, 0, 20, 0);
    arrive(self, 1, 1, 21, 0);
    arrive(self, 2, 0, 70, 0);
    rig_poll(self);
    arrive(self, 1, 2, 22, 0);
    CHECK_TEXT("1:20 2:70 ", self->delivered);
    CHECK_TEXT("rank 1 is lost: it sent a packet twice", self->lost.text);
    CHECK_EQUAL(1, self->library.lost);
    rig_end(self);
}

static void test_packets_of_impossible_length_and_of_strangers(void)
{
    rig *self = rig_make();
    arrive(self, PEERS, 0, 99, 0);
    arrive(self, OWN, 0, 99, 0);
    arrive(self, UINT32_MAX, 0, 99, 0);
    arrive(self, 2, 0, 70, 0);
    rig_poll(self);
    CHECK_TEXT("2:70 ", self->delivered);
    CHECK_TEXT("", self->lost.text);
    arrive(self, 2, 1, 20, PACKET_MAX + 1); /* another host's adapter may have longer ones */
    CHECK_TEXT("", self->lost.text);
    arrive(self, 1, 0, 20, LONGEST + 1);
    rig_poll(self);
    CHECK_TEXT("rank 1 is lost: it sent a packet of an impossible length", self->lost.text);
    rig_end(self);
}

/* ---- what never comes ------------------------------------------------------------------------------------------- */

static void test_a_packet_that_never_comes_is_its_senders_loss(void)
{
    rig *self = rig_make();
    self->waits_for[1] = 1;
    arrive(self, 1, 0, 20, 0);
    for (uint32_t i = 0; i < FABRIC_HOLE_LOOKS; i++) {
        arrive(self, 1, 2 + i, 21, 0);
        arrive(self, 1, 102 + i, 22, PACKET_MAX);
        fabric_look(&self->wire, 0);
    }
    CHECK_TEXT("", self->lost.text);
    for (int i = 0; i < 3; i++)
        fabric_look(&self->wire, 0); /* the peer is silent: it may be about to send it */
    CHECK_TEXT("", self->lost.text);
    arrive(self, 1, 50, 23, 0);
    self->waits_for[1] = 0;
    fabric_look(&self->wire, 0);
    CHECK_TEXT("1:20 ", self->delivered);
    CHECK_TEXT("rank 1 is lost: a library has lost its packet 1, though later ones came", self->lost.text);
    rig_end(self);
}

static void test_packets_that_come_late_are_no_loss(void)
{
    rig *self = rig_make();
    for (uint32_t i = 0; i < 3 * FABRIC_HOLE_LOOKS; i++) {
        arrive(self, 1, 2 * i + 1, 20, 0);
        fabric_look(&self->wire, 0);
        arrive(self, 1, 2 * i, 20, 0);
    }
    CHECK_TEXT("", self->lost.text);
    CHECK_EQUAL(0, (int)self->peers[1].early_bytes);
    rig_end(self);
}

static void test_packets_that_come_early_are_bounded(void)
{
    rig *self = rig_make();
    uint32_t most = FABRIC_EARLY_BYTES / self->wire.packet_max_bytes + 2;
    for (uint32_t i = 0; i < most && self->wire.troubled == 0; i++)
        arrive(self, 1, i + 1, 20, LONGEST);
    rig_poll(self);
    CHECK_TEXT("rank 1 is lost: it sent too many packets ahead of one that has not come", self->lost.text);
    rig_end(self);
}

/* An answer shows what is lacking before it. */
static void test_a_peer_that_is_looked_at_answers(void)
{
    rig *self = rig_make();
    const cor_fabric_header question = {{.flags = FABRIC_ASKS}, 1, 0}, answer = {{.flags = 0}, 1, 1};
    self->waits_for[2] = 1;
    fabric_look(&self->wire, 0);
    CHECK_TEXT("2:0 ", self->library.out);
    CHECK_EQUAL(FABRIC_ASKS, self->library.flags);
    fabric_arrived(&self->wire, &question, NULL, 0);
    CHECK_TEXT("2:0 1:0 ", self->library.out);
    CHECK_EQUAL(0, self->library.flags);
    fabric_arrived(&self->wire, &answer, NULL, 0);
    CHECK_TEXT("2:0 1:0 ", self->library.out);
    CHECK_TEXT("", self->delivered);
    rig_end(self);
}

/* ---- sending ---------------------------------------------------------------------------------------------------- */

static int send(rig *self, int peer, int tag, size_t bytes)
{
    static const char text[PACKET_MAX] = "text";
    const cor_header header = {.kind = 1, .tag = tag};
    const cor_payload payload = cor_payload_plain(text, bytes);
    return cor_fabric_send(&self->wire.base, peer, &header, &payload, 0, bytes);
}

static void test_packets_wait_in_order_for_room(void)
{
    rig *self = rig_make();
    self->library.is_full = 1;
    CHECK_EQUAL(COR_OK, send(self, 1, 10, 4));
    CHECK_EQUAL(COR_OK, send(self, 1, 11, PACKET_MAX));
    CHECK_EQUAL(COR_OK, send(self, 2, 20, 0));
    CHECK_EQUAL(0, cor_fabric_is_flushed(&self->wire.base));
    for (int i = 2; i < FABRIC_SENDS; i++)
        CHECK_EQUAL(COR_OK, send(self, 0, i, 0));
    CHECK_TEXT("", self->library.out);
    self->library.is_full = 0;
    CHECK_EQUAL(COR_OK, send(self, 1, 12, 0)); /* not ahead of the others */
    CHECK_TEXT("", self->library.out);
    rig_poll(self);
    CHECK(strncmp(self->library.out, "1:10 1:11 1:12 2:20 0:2 0:3 ", 28) == 0);
    rig_end(self);
}

static void test_no_more_than_so_many_are_under_way(void)
{
    rig *self = rig_make();
    self->library.is_slow = 1;
    for (int i = 0; i < FABRIC_SENDS; i++)
        CHECK_EQUAL(COR_OK, send(self, 1, i, 4));
    CHECK_EQUAL(COR_AGAIN, send(self, 1, 99, 4));
    CHECK_EQUAL(COR_OK, send(self, 2, 0, 4));
    end_send(&self->library, 3, 0);
    CHECK_EQUAL(COR_OK, send(self, 1, 99, 4));
    for (int i = 0; i < self->library.sent_count; i++)
        end_send(&self->library, i, 0);
    rig_end(self);
}

static void test_zero_copy_packets_are_told_of_in_order(void)
{
    rig *self = rig_make();
    const cor_header header = {.kind = 1};
    const cor_payload payload = cor_payload_plain("text", 4);
    self->library.is_slow = 1;
    for (int i = 0; i < 3; i++)
        CHECK_EQUAL(COR_OK, cor_fabric_send_zcopy(&self->wire.base, 1, &header, &payload, 0, 4, i == 2));
    end_send(&self->library, 1, 0);
    rig_poll(self);
    CHECK_EQUAL(0, self->zcopies);
    end_send(&self->library, 0, 0);
    rig_poll(self);
    CHECK_EQUAL(2, self->zcopies);
    self->library.is_slow = 0; /* ends in the call, and is told of by the next poll */
    end_send(&self->library, 2, 0);
    CHECK_EQUAL(COR_OK, cor_fabric_send_zcopy(&self->wire.base, 1, &header, &payload, 0, 4, 1));
    CHECK_EQUAL(2, self->zcopies);
    rig_poll(self);
    CHECK_EQUAL(4, self->zcopies);
    rig_end(self);
}

static void test_a_rank_sends_to_itself(void)
{
    rig *self = rig_make();
    for (int i = 0; i < FABRIC_OWN_SENDS; i++)
        CHECK_EQUAL(COR_OK, send(self, OWN, i, i % 2 ? PACKET_MAX : 4));
    CHECK_EQUAL(COR_AGAIN, send(self, OWN, 99, 4));
    CHECK_TEXT("", self->delivered);
    CHECK_EQUAL(FABRIC_OWN_SENDS, cor_fabric_poll(&self->wire.base, -1));
    CHECK(strncmp(self->delivered, "3:0 3:1 3:2 ", 12) == 0);
    CHECK_TEXT("", self->library.out);
    rig_end(self);
}

/* ---- lost ranks ------------------------------------------------------------------------------------------------- */

static int put(rig *self, int peer)
{
    const cor_wire_key key = {.bytes = 8};
    return cor_fabric_memory.put(&self->wire.base, peer, &key, 0, "data", NULL, 4, 5, self);
}

static void test_what_was_sent_to_a_lost_rank_ends_before_its_loss(void)
{
    rig *self = rig_make();
    const cor_header header = {.kind = 1};
    const cor_payload payload = cor_payload_plain("text", 4);
    self->library.is_slow = 1;
    CHECK_EQUAL(COR_OK, send(self, 1, 10, 4));
    CHECK_EQUAL(COR_OK, send(self, 2, 20, 4));
    CHECK_EQUAL(COR_OK, put(self, 1));
    CHECK_EQUAL(COR_OK, put(self, 2));
    for (int i = 0; i < 4; i++)
        CHECK_EQUAL(COR_OK, cor_fabric_send_zcopy(&self->wire.base, 1, &header, &payload, 0, 4, 1));
    end_send(&self->library, 3, 0);
    end_send(&self->library, 4, -7); /* its failure is the loss of the rank */
    self->library.is_full = 1;
    CHECK_EQUAL(COR_OK, send(self, 1, 11, 4));
    CHECK_EQUAL(COR_OK, cor_fabric_send_zcopy(&self->wire.base, 1, &header, &payload, 0, 4, 1));
    CHECK_EQUAL(COR_AGAIN, put(self, 2));
    arrive(self, 1, 5, 50, 4);
    fabric_unreached(&self->wire, 1, -8);
    rig_poll(self);
    CHECK_TEXT("rank 1 is lost: a library reports: error -7", self->lost.text);
    CHECK_EQUAL(1, self->lost_count);
    CHECK_EQUAL(0, self->library.stopped);
    CHECK_EQUAL(0, self->peers[1].referring);
    CHECK_EQUAL(2, self->wire.under_way); /* to rank 2 */
    CHECK_EQUAL(COR_ERR_PEER, send(self, 1, 12, 4));
    CHECK_EQUAL(COR_AGAIN, put(self, 1));
    for (int i = 0; i < self->library.sent_count; i++)
        end_send(&self->library, i, 0);
    end_copy(&self->library, 1, 0);
    CHECK_EQUAL(1, self->copied);
    CHECK_EQUAL(1, self->library.lost);
    rig_end(self);
}

static void test_where_a_transfer_does_not_end_the_library_is_stopped(void)
{
    rig *self = rig_make();
    self->library.is_slow = self->library.is_stuck = 1;
    CHECK_EQUAL(COR_OK, put(self, 1));
    fabric_unreached(&self->wire, 1, -7);
    rig_poll(self);
    CHECK_EQUAL(1, self->library.stopped);
    CHECK_EQUAL(PEERS - 1, self->lost_count); /* all but itself */
    CHECK_TEXT("rank 0 is lost: this rank has closed a library, where a transfer with rank 1 did not end",
               self->lost.text);
    CHECK_EQUAL(COR_ERR_PEER, send(self, 2, 20, 4));
    CHECK_EQUAL(COR_OK, send(self, OWN, 30, 4));
    CHECK_EQUAL(1, fabric_deliver_own(&self->wire));
    end_copy(&self->library, 0, -9);
    rig_end(self);
}

static void test_a_rank_that_cannot_receive_loses_all_peers(void)
{
    rig *self = rig_make();
    self->library.is_slow = self->library.is_stuck = 1;
    CHECK_EQUAL(COR_OK, put(self, 1));
    fabric_failed(&self->wire, "receive packets", -12);
    CHECK_EQUAL(0, self->library.stopped); /* not in its progress */
    rig_poll(self);
    CHECK_EQUAL(1, self->library.stopped);
    CHECK_EQUAL(PEERS - 1, self->lost_count);
    CHECK_TEXT("rank 2 is lost: this rank cannot receive packets any more: a library reports: error -12",
               self->lost.text);
    end_copy(&self->library, 0, -9);
    rig_end(self);
}

/* Its process has ended, and this rank has read what it left. */
static void test_a_dead_rank_of_this_host_stops_nothing(void)
{
    rig *self = rig_make();
    self->library.is_slow = self->library.is_stuck = 1;
    self->peers[1].is_near = 1;
    CHECK_EQUAL(COR_OK, put(self, 1));
    cor_fabric_peer_ended(&self->wire.base, 1);
    CHECK_EQUAL(0, self->library.stopped);
    CHECK_EQUAL(COR_OK, send(self, 2, 20, 4));
    end_send(&self->library, 0, 0);
    end_copy(&self->library, 0, -9);
    CHECK_EQUAL(0, self->copied);
    rig_end(self);
}

static void test_a_send_that_fails_is_its_peers_end(void)
{
    rig *self = rig_make();
    self->library.is_slow = 1;
    CHECK_EQUAL(COR_OK, send(self, 2, 20, 4));
    end_send(&self->library, 0, -5);
    CHECK_TEXT("", self->lost.text);
    rig_poll(self);
    CHECK_TEXT("rank 2 is lost: a library reports: error -5", self->lost.text);
    rig_end(self);
}

static void test_a_lack_of_this_rank_is_told_as_such(void)
{
    rig *self = rig_make();
    struct rlimit before, none;
    self->peers[1].is_near = self->peers[2].is_near = 1;
    fabric_unreached(&self->wire, 1, -12);
    CHECK_EQUAL(1, fabric_tell_troubled(&self->wire)); /* the kernel knows nothing better */
    CHECK_TEXT("no connection to rank 1: this rank has no room for it: a library reports: error -12", self->lost.text);
    CHECK_EQUAL(0, getrlimit(RLIMIT_NOFILE, &before));
    none = (struct rlimit){3, before.rlim_max};
    CHECK_EQUAL(0, setrlimit(RLIMIT_NOFILE, &none));
    fabric_unreached(&self->wire, 2, -5);
    CHECK_EQUAL(1, fabric_tell_troubled(&self->wire));
    CHECK_EQUAL(0, setrlimit(RLIMIT_NOFILE, &before));
    CHECK_TEXT(
        "no connection to rank 2: this rank has too many open files (ulimit -n is 3); a library reports: error -5",
        self->lost.text);
    rig_end(self);
}

/* ---- looks ------------------------------------------------------------------------------------------------------ */

static void test_a_look_at_many_ranks_connects_to_none(void)
{
    enum { MANY = 1 + 3 + FABRIC_LOOKS + 1 }; /* itself, three with connections, too many without */
    static fabric_peer peers[MANY];
    static uint8_t awaited[MANY];
    rig *self = rig_make();
    self->wire.peers = peers;
    self->wire.awaited = awaited;
    self->wire.size = MANY;
    for (int i = 0; i < MANY; i++) {
        cor_list_init(&peers[i].queue);
        cor_list_init(&peers[i].early);
    }
    self->waits_for_all = MANY;
    peers[1].sent = peers[6].is_met = peers[10].taken = 1;
    for (int i = 0; i < MANY; i++)
        fabric_look(&self->wire, 0);
    CHECK(strncmp(self->library.out, "1:0 6:0 10:0 ", 13) == 0);
    CHECK(strstr(self->library.out, "2:0") == NULL);
    self->library.out[0] = '\0';
    peers[MANY - 1].is_met = 1;
    fabric_look(&self->wire, 0);
    CHECK(strstr(self->library.out, "2:0") != NULL);
    self->wire.peers = self->peers;
    self->wire.awaited = self->awaited;
    self->wire.size = PEERS;
    rig_end(self);
}

static void test_at_the_end_nobody_is_lost(void)
{
    rig *self = rig_make();
    cor_fabric_begin_shutdown(&self->wire.base);
    fabric_unreached(&self->wire, 1, -7);
    rig_poll(self);
    CHECK_TEXT("", self->lost.text);
    rig_end(self);
}

/* ---- the environment -------------------------------------------------------------------------------------------- */

/* Another thread may read any list that there was. */
static void test_variables_are_set_without_changing_what_others_read(void)
{
    enum { LISTS = 4 };
    char **lists[LISTS], name[] = "FABRIC_TEST_0";
    for (int i = 0; i < LISTS; i++, name[sizeof name - 2]++) {
        lists[i] = environ;
        cor_fabric_set_default(name, "first");
        CHECK_TEXT("first", getenv(name));
        CHECK(environ != lists[i]);
        cor_fabric_set_default(name, "second");
        CHECK_TEXT("first", getenv(name));
    }
    for (int i = 0, before = 0, count; i < LISTS; i++, before = count) {
        for (count = 0; lists[i][count]; count++)
            ;
        CHECK(i == 0 || count == before + 1);
    }
}

int main(void)
{
    test_packets_are_delivered_by_their_numbers();
    test_a_packet_that_comes_twice_is_its_senders_end();
    test_packets_of_impossible_length_and_of_strangers();
    test_a_packet_that_never_comes_is_its_senders_loss();
    test_packets_that_come_late_are_no_loss();
    test_packets_that_come_early_are_bounded();
    test_a_peer_that_is_looked_at_answers();
    test_packets_wait_in_order_for_room();
    test_no_more_than_so_many_are_under_way();
    test_zero_copy_packets_are_told_of_in_order();
    test_a_rank_sends_to_itself();
    test_what_was_sent_to_a_lost_rank_ends_before_its_loss();
    test_where_a_transfer_does_not_end_the_library_is_stopped();
    test_a_rank_that_cannot_receive_loses_all_peers();
    test_a_dead_rank_of_this_host_stops_nothing();
    test_a_send_that_fails_is_its_peers_end();
    test_a_lack_of_this_rank_is_told_as_such();
    test_a_look_at_many_ranks_connects_to_none();
    test_at_the_end_nobody_is_lost();
    test_variables_are_set_without_changing_what_others_read();
    return 0;
}
