/* SPDX-License-Identifier: Apache-2.0 */
/* Completions of the send queue: one stands for what was sent before it, but not for reads, which soft-iWARP completes
 * later than what was sent after them. There is no adapter. */
#include "check.h"
#include "xxdev/soft/ibv/ibv_state.h"

#include <stdio.h>
#include <stdlib.h>

enum { ORDER_PLACES = 4, ORDER_BUFFERS = 2 };

typedef struct order {
    ibw_sent places[ORDER_PLACES];
    ibw_link link;
    ibw_wire wire;
    ibw_buffer buffers[ORDER_BUFFERS];
    int copied;
} order;

static void order_copied(void *sink, void *context, int error)
{
    (void)context;
    CHECK_EQUAL(COR_OK, error);
    ((order *)sink)->copied++;
}

/* Counting begins shortly before it begins anew. */
static void order_init(order *self)
{
    *self = (order){.link = {.rank = 1, .state = IBW_OPEN, .sent = self->places}};
    self->link.sent_next = self->link.sent_done = self->link.sent_seen = UINT32_MAX;
    cor_list_init(&self->link.copies);
    self->wire.config.send_queue = ORDER_PLACES;
    self->wire.options.sink = self;
    self->wire.options.copied = order_copied;
}

static uint32_t order_post(order *self, ibw_sent sent)
{
    uint32_t number = self->link.sent_next++;
    self->places[number % ORDER_PLACES] = sent;
    return number;
}

static ibw_copy *order_copy(int is_get)
{
    ibw_copy *copy = calloc(1, sizeof *copy);
    CHECK(copy != NULL);
    copy->is_get = is_get;
    copy->pending = 1;
    return copy;
}

static void test_a_send_does_not_end_a_read_before_it(void)
{
    order self;
    order_init(&self);
    order_post(&self, (ibw_sent){.buffer = &self.buffers[0]});
    uint32_t read = order_post(&self, (ibw_sent){.copy = order_copy(1)});
    uint32_t send = order_post(&self, (ibw_sent){.buffer = &self.buffers[1]});
    self.link.reads = 1;
    ibw_sent_done(&self.wire, &self.link, send, 1);
    CHECK_EQUAL(2, self.wire.free_count);
    CHECK_EQUAL(0, self.copied);
    CHECK_EQUAL(1, self.link.reads);
    CHECK_EQUAL(ORDER_PLACES - 2, ibw_send_room(&self.wire, &self.link)); /* the read's, and the one after it */
    ibw_sent_done(&self.wire, &self.link, read, 1);
    CHECK_EQUAL(1, self.copied);
    CHECK_EQUAL(0, self.link.reads);
    CHECK_EQUAL(ORDER_PLACES, ibw_send_room(&self.wire, &self.link));
    ibw_sent_done(&self.wire, &self.link, send, 1); /* once more changes nothing */
    CHECK_EQUAL(2, self.wire.free_count);
}

static void test_reads_end_one_by_one(void)
{
    order self;
    order_init(&self);
    uint32_t first = order_post(&self, (ibw_sent){.copy = order_copy(1)});
    uint32_t second = order_post(&self, (ibw_sent){.copy = order_copy(1)});
    self.link.reads = 2;
    ibw_sent_done(&self.wire, &self.link, second, 1);
    CHECK_EQUAL(1, self.copied);
    CHECK_EQUAL(ORDER_PLACES - 2, ibw_send_room(&self.wire, &self.link));
    ibw_sent_done(&self.wire, &self.link, first, 1);
    CHECK_EQUAL(2, self.copied);
    CHECK_EQUAL(ORDER_PLACES, ibw_send_room(&self.wire, &self.link));
}

static void test_a_send_ends_what_was_written_before_it(void)
{
    order self;
    order_init(&self);
    order_post(&self, (ibw_sent){0});
    order_post(&self, (ibw_sent){.copy = order_copy(0)});
    uint32_t send = order_post(&self, (ibw_sent){.buffer = &self.buffers[0]});
    ibw_sent_done(&self.wire, &self.link, send, 1);
    CHECK_EQUAL(1, self.copied);
    CHECK_EQUAL(1, self.wire.free_count);
    CHECK_EQUAL(ORDER_PLACES, ibw_send_room(&self.wire, &self.link));
}

int main(void)
{
    test_a_send_does_not_end_a_read_before_it();
    test_reads_end_one_by_one();
    test_a_send_ends_what_was_written_before_it();
    puts("completions end what they stand for");
    return 0;
}
