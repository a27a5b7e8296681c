/* SPDX-License-Identifier: Apache-2.0 */
/* Copies at an offset and updates of the verbs wire, as the adapter is asked for them. The adapter is made up: it keeps
 * the requests, and writes results. */
#include "check.h"
#include "xxdev/soft/ibv/ibv_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = 128, REMOTE_KEY = 77 };

typedef struct adapter {
    struct ibv_context context;
    struct ibv_qp qp;
    struct ibv_mr region;
    struct ibv_send_wr posted[PLACES];
    struct ibv_sge places[PLACES];
    int count;
    ibw_sent sent[PLACES];
    ibw_link link;
    ibw_link *links[2];
    ibw_wire wire;
    int copied;
} adapter;

static int adapter_post(struct ibv_qp *qp, struct ibv_send_wr *request, struct ibv_send_wr **bad)
{
    adapter *self = COR_OWNER(qp, adapter, qp);
    (void)bad;
    CHECK(self->count < PLACES);
    self->posted[self->count] = *request;
    self->places[self->count++] = *request->sg_list;
    return 0;
}

static struct ibv_mr *adapter_register(struct ibv_pd *domain, void *memory, size_t bytes, int access)
{
    adapter *self = (adapter *)(void *)domain;
    CHECK_EQUAL(IBV_ACCESS_LOCAL_WRITE, access);
    self->region = (struct ibv_mr){.addr = memory, .length = bytes, .lkey = 5};
    return &self->region;
}

static int adapter_deregister(struct ibv_mr *region)
{
    (void)region;
    return 0;
}

static void adapter_copied(void *sink, void *context, int error)
{
    CHECK_EQUAL(COR_OK, error);
    CHECK(context == sink);
    ((adapter *)sink)->copied++;
}

static adapter *adapter_make(void)
{
    adapter *self = calloc(1, sizeof *self);
    CHECK(self != NULL);
    self->context.ops.post_send = adapter_post;
    self->qp.context = &self->context;
    self->link = (ibw_link){.rank = 1, .state = IBW_OPEN, .sent = self->sent, .qp = &self->qp, .reads_max = 16};
    cor_list_init(&self->link.copies);
    self->links[1] = &self->link;
    ibw_wire *wire = &self->wire;
    wire->links = self->links;
    wire->config.send_queue = PLACES;
    wire->config.signal_every = 16;
    wire->segment_max_bytes = 1 << 20;
    wire->has_atomics = 1;
    wire->domain = (struct ibv_pd *)(void *)self;
    wire->library.do_ibv_reg_mr = adapter_register;
    wire->library.do_ibv_dereg_mr = adapter_deregister;
    wire->options.sink = self;
    wire->options.copied = adapter_copied;
    return self;
}

static void adapter_end(adapter *self)
{
    CHECK_EQUAL(0, self->link.reads);
    if (self->wire.results)
        CHECK_EQUAL(~UINT64_C(0), self->wire.free_results);
    ibw_results_close(&self->wire);
    free(self);
}

/* The completion of the request of this number, with this result. */
static void adapter_complete(adapter *self, int number, uint64_t result)
{
    memcpy((void *)(uintptr_t)self->places[number].addr, &result, sizeof result);
    ibw_sent_done(&self->wire, &self->link, (uint32_t)self->posted[number].wr_id, 1);
}

static cor_wire_key key_of(uint64_t address, uint64_t bytes)
{
    const uint64_t words[3] = {address, REMOTE_KEY, bytes};
    cor_wire_key key = {.bytes = sizeof words};
    memcpy(key.data, words, sizeof words);
    return key;
}

static int update(adapter *self, size_t offset, cor_wire_atomic atomic)
{
    const cor_wire_key key = key_of(0x1000, 4096);
    return ibw_memory.update(&self->wire.base, 1, &key, offset, &atomic, self);
}

static void test_a_number_is_added_to(void)
{
    adapter *self = adapter_make();
    uint64_t before = 0;
    CHECK_EQUAL(COR_OK,
                update(self, 24, (cor_wire_atomic){.kind = COR_WIRE_FETCH_ADD, .operand = 3, .result_p = &before}));
    CHECK_EQUAL(COR_OK, update(self, 32, (cor_wire_atomic){.kind = COR_WIRE_ADD, .operand = 4}));
    CHECK_EQUAL(2, self->count);
    CHECK_EQUAL(IBV_WR_ATOMIC_FETCH_AND_ADD, self->posted[0].opcode);
    CHECK_EQUAL(0x1000 + 24, self->posted[0].wr.atomic.remote_addr);
    CHECK_EQUAL(REMOTE_KEY, self->posted[0].wr.atomic.rkey);
    CHECK_EQUAL(3, self->posted[0].wr.atomic.compare_add);
    CHECK_EQUAL(8, self->places[0].length);
    CHECK_EQUAL(5, self->places[0].lkey);
    CHECK(self->places[0].addr != self->places[1].addr);
    CHECK_EQUAL(2, self->link.reads); /* of which an adapter takes so many */
    adapter_complete(self, 1, 11);
    CHECK_EQUAL(0, before);
    adapter_complete(self, 0, 9);
    CHECK_EQUAL(9, before);
    CHECK_EQUAL(2, self->copied);
    adapter_end(self);
}

static void test_a_number_is_compared(void)
{
    adapter *self = adapter_make();
    uint64_t before = 0;
    CHECK_EQUAL(
        COR_OK,
        update(self, 0, (cor_wire_atomic){.kind = COR_WIRE_COMPARE, .operand = 7, .compare = 6, .result_p = &before}));
    CHECK_EQUAL(IBV_WR_ATOMIC_CMP_AND_SWP, self->posted[0].opcode);
    CHECK_EQUAL(6, self->posted[0].wr.atomic.compare_add);
    CHECK_EQUAL(7, self->posted[0].wr.atomic.swap);
    adapter_complete(self, 0, 6);
    CHECK_EQUAL(6, before);
    adapter_end(self);
}

/* As many as there are results; the adapter has reads_max of them at a time. */
static void test_many_updates(void)
{
    adapter *self = adapter_make();
    for (int i = 0; i < IBW_RESULTS; i++)
        CHECK_EQUAL(COR_OK, update(self, 0, (cor_wire_atomic){.kind = COR_WIRE_ADD, .operand = 1}));
    CHECK_EQUAL(COR_AGAIN, update(self, 0, (cor_wire_atomic){.kind = COR_WIRE_ADD, .operand = 1}));
    CHECK_EQUAL(16, self->count);
    for (int i = 0; i < IBW_RESULTS; i++)
        adapter_complete(self, i, 0);
    CHECK_EQUAL(IBW_RESULTS, self->copied);
    adapter_end(self);
}

static void test_copies_begin_at_an_offset(void)
{
    adapter *self = adapter_make();
    struct ibv_mr region = {.lkey = 6};
    ibw_entry entry = {.handle = &region};
    const cor_wire_key key = key_of(0x1000, 4096), odd = {.bytes = 8};
    char own[64];
    CHECK_EQUAL(COR_OK, ibw_memory.get(&self->wire.base, 1, &key, 100, own, &entry, 40, self));
    CHECK_EQUAL(COR_OK, ibw_memory.put(&self->wire.base, 1, &key, 200, own, &entry, 50, 0, self));
    CHECK_EQUAL(COR_ERR_PROTOCOL, ibw_memory.get(&self->wire.base, 1, &odd, 0, own, &entry, 40, self));
    CHECK_EQUAL(IBV_WR_RDMA_READ, self->posted[0].opcode);
    CHECK_EQUAL(0x1000 + 100, self->posted[0].wr.rdma.remote_addr);
    CHECK_EQUAL(IBV_WR_RDMA_WRITE, self->posted[1].opcode);
    CHECK_EQUAL(0x1000 + 200, self->posted[1].wr.rdma.remote_addr);
    CHECK_EQUAL(50, self->places[1].length);
    adapter_complete(self, 0, 0);
    adapter_complete(self, 1, 0);
    CHECK_EQUAL(2, self->copied);
    adapter_end(self);
}

int main(void)
{
    test_a_number_is_added_to();
    test_a_number_is_compared();
    test_many_updates();
    test_copies_begin_at_an_offset();
    return 0;
}
