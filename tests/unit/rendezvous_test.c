/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a long message moves: by get or put, as sizes and addresses allow, and what is registered for it. Two ranks over
 * shared memory in one process, whose remote memory is made up here: a copy is a copy, and everything is counted.
 */
#include "check.h"
#include "device_pair.h"
#include "xxdev/soft/soft_state.h"

#include <string.h>

enum { CONTEXT = 4, TAG = 1, LONG_BYTES = 5000, GET_MAX_BYTES = 8192, ALIGN = 4 };

static struct {
    device_pair pair;
    cor_wire_ops ops; /* of shared memory, but for send */
    int refuses_rts;  /* there is no room for requests */
    int registrations, registered, gets, puts;
} scene;

/* ---- a wire with remote memory ---------------------------------------------------------------------------------- */

static cor_soft *scene_soft(const cor_wire *wire)
{
    cor_soft *first = soft_of(scene.pair.device[0]);
    return first->wires[0] == wire ? first : soft_of(scene.pair.device[1]);
}

typedef struct scene_key {
    char *base;
    size_t bytes;
} scene_key;

static scene_key scene_parse(const cor_wire_key *key)
{
    scene_key parsed;
    CHECK_EQUAL(sizeof parsed, key->bytes);
    memcpy(&parsed, key->data, sizeof parsed);
    return parsed;
}

static int scene_enter(cor_wire *wire, void *base, size_t bytes, cor_wire_use use, cor_wire_key *key_p,
                       void **registration_p)
{
    (void)wire;
    (void)use;
    scene.registrations++;
    scene.registered++;
    const scene_key key = {base, bytes};
    key_p->bytes = sizeof key;
    memcpy(key_p->data, &key, sizeof key);
    *registration_p = base;
    return COR_OK;
}

static void scene_leave(cor_wire *wire, void *registration)
{
    (void)wire;
    (void)registration;
    scene.registered--;
}

static int scene_get(cor_wire *wire, int peer, const cor_wire_key *from, size_t offset, void *to, void *registration,
                     size_t bytes, void *context)
{
    const scene_key key = scene_parse(from);
    (void)peer;
    CHECK(registration == to && key.bytes >= offset + bytes);
    memcpy(to, key.base + offset, bytes);
    scene.gets++;
    soft_copied(scene_soft(wire), context, COR_OK);
    return COR_OK;
}

static int scene_put(cor_wire *wire, int peer, const cor_wire_key *to, size_t offset, const void *from,
                     void *registration, size_t bytes, uint32_t id, void *context)
{
    const scene_key key = scene_parse(to);
    (void)peer;
    (void)id;
    CHECK(registration == from && key.bytes >= offset + bytes);
    memcpy(key.base + offset, from, bytes);
    scene.puts++;
    soft_copied(scene_soft(wire), context, COR_OK);
    return COR_OK;
}

static const cor_wire_memory_ops scene_memory = {
    .enter = scene_enter, .leave = scene_leave, .get = scene_get, .put = scene_put};

static int scene_send(cor_wire *wire, int peer, const cor_header *header, const cor_payload *payload, size_t offset,
                      size_t bytes)
{
    if (header->kind == SOFT_RTS && scene.refuses_rts)
        return COR_AGAIN;
    return cor_sm_wire.send(wire, peer, header, payload, offset, bytes);
}

static void scene_open(const char *const *overrides, size_t align_bytes)
{
    memset(&scene, 0, sizeof scene);
    device_pair_open(&scene.pair, overrides);
    scene.ops = cor_sm_wire;
    scene.ops.send = scene_send;
    for (int i = 0; i < 2; i++) {
        soft_peer *peer = &soft_of(scene.pair.device[i])->peers[1 - i];
        peer->wire->ops = &scene.ops;
        peer->is_same_memory = 0;
        peer->memory = peer->windows = &scene_memory;
        peer->get_max_bytes = GET_MAX_BYTES;
        peer->get_align_bytes = align_bytes;
    }
}

static void scene_close(void)
{
    CHECK_EQUAL(0, scene.registered);
    for (int i = 0; i < 2; i++) {
        const cor_soft *soft = soft_of(scene.pair.device[i]);
        for (uint32_t slot = 0; slot < soft->exchange_count; slot++)
            CHECK(soft->exchanges[slot].transfer == NULL);
        soft->peers[1 - i].wire->ops = &cor_sm_wire;
    }
    device_pair_close(&scene.pair);
}

static void start_send(cor_transfer *t, int tag, const void *data, size_t bytes)
{
    cor_device *d = scene.pair.device[0];
    cor_payload payload = cor_payload_plain(data, bytes);
    cor_device_enter(d);
    CHECK_OK(d->ops->isend(d, t, 1, CONTEXT, tag, &payload));
    cor_device_leave(d);
}

static void start_receive(cor_transfer *t, int tag, void *data, size_t bytes)
{
    cor_device *d = scene.pair.device[1];
    cor_payload payload = cor_payload_plain(data, bytes);
    cor_device_enter(d);
    CHECK_OK(d->ops->irecv(d, t, 0, CONTEXT, tag, &payload));
    cor_device_leave(d);
}

/* ---- get or put ------------------------------------------------------------------------------------------------- */

static const char *const small_eager[] = {"sm.eager_max=1k", NULL};
static _Alignas(64) char sent[2 * GET_MAX_BYTES + 64], received[2 * GET_MAX_BYTES + 64];

static void test_way(size_t align_bytes, size_t from, size_t to, size_t bytes, int is_get)
{
    cor_transfer send = {0}, receive = {0};
    scene_open(small_eager, align_bytes);
    memset(received, 0, sizeof received);
    start_send(&send, TAG, sent + from, bytes);
    start_receive(&receive, TAG, received + to, bytes);
    device_pair_settle(&scene.pair);
    CHECK(send.is_done && receive.is_done);
    CHECK_EQUAL(0, memcmp(sent + from, received + to, bytes));
    CHECK_EQUAL(is_get, scene.gets);
    CHECK_EQUAL(!is_get, scene.puts);
    CHECK_EQUAL(2, scene.registrations);
    scene_close();
}

static void test_addresses_and_sizes_choose(void)
{
    test_way(0, 0, 0, LONG_BYTES, 1);
    test_way(0, 1, 3, LONG_BYTES, 1); /* any address */
    test_way(ALIGN, 0, 0, LONG_BYTES, 1);
    test_way(ALIGN, 4, 8, LONG_BYTES + 1, 1);
    test_way(ALIGN, 1, 0, LONG_BYTES, 0); /* the sender sees it */
    test_way(ALIGN, 0, 2, LONG_BYTES, 0); /* the receiver does */
    test_way(ALIGN, 2, 2, LONG_BYTES, 0);
    test_way(0, 0, 0, GET_MAX_BYTES, 1);
    test_way(0, 0, 0, GET_MAX_BYTES + 1, 0);
}

/* ---- a request that finds no room ------------------------------------------------------------------------------- */

static void pump(int times)
{
    for (int i = 0; i < times; i++)
        device_pair_step(&scene.pair);
}

static void test_a_request_that_waits_registers_once(void)
{
    cor_transfer send = {0}, receive = {0};
    scene_open(small_eager, 0);
    scene.refuses_rts = 1;
    start_send(&send, TAG, sent, LONG_BYTES);
    pump(50);
    CHECK_EQUAL(1, scene.registrations);
    scene.refuses_rts = 0;
    memset(received, 0, sizeof received);
    start_receive(&receive, TAG, received, LONG_BYTES);
    device_pair_settle(&scene.pair);
    CHECK(send.is_done && receive.is_done);
    CHECK_EQUAL(0, memcmp(sent, received, LONG_BYTES));
    CHECK_EQUAL(1, scene.gets);
    CHECK_EQUAL(2, scene.registrations);
    scene_close();
}

static void test_a_request_that_waits_is_cancelled(void)
{
    cor_transfer send = {0};
    cor_device *d;
    scene_open(small_eager, 0);
    d = scene.pair.device[0];
    scene.refuses_rts = 1;
    start_send(&send, TAG, sent, LONG_BYTES);
    pump(3);
    cor_device_enter(d);
    d->ops->cancel(d, &send);
    cor_device_leave(d);
    CHECK(send.is_cancelled);
    scene_close();
}

/* A message that is wanted, and for which credits are missing, asks; before there is room for that the credits come,
 * and it goes at once. */
static void test_a_request_that_waits_is_needed_no_more(void)
{
    enum { COUNT = 8, BYTES = 1000 };
    static const char *const narrow[] = {"soft.unexpected_max=4k", "sm.eager_max=1k", NULL};
    cor_transfer sends[COUNT] = {{0}}, receives[COUNT] = {{0}};
    scene_open(narrow, 0);
    scene.refuses_rts = 1;
    for (int i = 0; i < COUNT; i++)
        start_send(&sends[i], i, sent, BYTES);
    device_pair_settle(&scene.pair);
    start_receive(&receives[COUNT - 1], COUNT - 1, received, BYTES);
    device_pair_settle(&scene.pair);
    CHECK_EQUAL(1, scene.registered);
    for (int i = 0; i < COUNT - 1; i++) {
        start_receive(&receives[i], i, received, BYTES);
        device_pair_settle(&scene.pair);
    }
    for (int i = 0; i < COUNT; i++)
        CHECK(sends[i].is_done && receives[i].is_done);
    scene_close();
}

int main(void)
{
    for (size_t i = 0; i < sizeof sent; i++)
        sent[i] = (char)(i * 7 + i / 251);
    test_addresses_and_sizes_choose();
    test_a_request_that_waits_registers_once();
    test_a_request_that_waits_is_cancelled();
    test_a_request_that_waits_is_needed_no_more();
    puts("long messages move as they should");
    return 0;
}
