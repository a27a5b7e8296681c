/* SPDX-License-Identifier: Apache-2.0 */
/* A thread sleeps on the verbs wire while another one polls it. The adapter is made up: its queue has one completion,
 * and rings once for a request. */
#include "check.h"
#include "xxdev/soft/ibv/ibv_state.h"

#include <stdio.h>

typedef struct fake_adapter {
    struct ibv_context context;
    struct ibv_cq queue;
    struct ibv_comp_channel channel;
    ibw_sent places[4];
    ibw_link link;
    ibw_link *links[2];
    ibw_wire wire;
    int completions, events, is_asked;
} fake_adapter;

static fake_adapter *fake_of(struct ibv_cq *queue)
{
    return COR_OWNER(queue, fake_adapter, queue);
}

/* The place that was used last is done. */
static int fake_poll_queue(struct ibv_cq *queue, int room, struct ibv_wc *found)
{
    fake_adapter *fake = fake_of(queue);
    if (room < 1 || fake->completions == 0)
        return 0;
    fake->completions--;
    *found = (struct ibv_wc){.wr_id = (uint64_t)fake->link.rank << 32 | fake->link.sent_done};
    return 1;
}

static int fake_ask(struct ibv_cq *queue, int solicited_only)
{
    (void)solicited_only;
    fake_of(queue)->is_asked = 1;
    return 0;
}

static int fake_take_event(struct ibv_comp_channel *channel, struct ibv_cq **queue_p, void **context_p)
{
    fake_adapter *fake = COR_OWNER(channel, fake_adapter, channel);
    (void)context_p;
    if (fake->events == 0)
        return -1;
    fake->events--;
    *queue_p = &fake->queue;
    return 0;
}

static int fake_no_calls(ibw_wire *wire)
{
    (void)wire;
    return 0;
}

static const ibw_setup_ops fake_setup = {.name = "none", .events = fake_no_calls};

static void fake_init(fake_adapter *fake)
{
    *fake = (fake_adapter){.context.ops = {.poll_cq = fake_poll_queue, .req_notify_cq = fake_ask}};
    fake->queue.context = &fake->context;
    fake->link = (ibw_link){.rank = 1, .state = IBW_OPEN, .sent = fake->places};
    cor_list_init(&fake->link.copies);
    fake->links[1] = &fake->link;
    fake->wire.links = fake->links;
    fake->wire.options.size = 2;
    fake->wire.config.send_queue = 4;
    fake->wire.completions = &fake->queue;
    fake->wire.channel = &fake->channel;
    fake->wire.setup = &fake_setup;
    fake->wire.library.do_ibv_get_cq_event = fake_take_event;
}

static void fake_complete(fake_adapter *fake)
{
    fake->link.sent_next++;
    fake->completions++;
    fake->events += fake->is_asked;
    fake->is_asked = 0;
}

static void test_the_sleeper_keeps_its_event(void)
{
    fake_adapter fake;
    fake_init(&fake);
    for (int round = 0; round < 3; round++) {
        CHECK(ibw_arm(&fake.wire.base.source) == 1);
        fake_complete(&fake);
        CHECK(ibw_poll(&fake.wire.base, -1) == 1); /* by a thread that does not sleep */
        CHECK(fake.events == 1);                   /* so the descriptor is readable, and the sleeper wakes */
        CHECK(ibw_poll(&fake.wire.base, -1) == 0);
        CHECK(fake.events == 1);
    }
}

static void test_what_came_before_is_found(void)
{
    fake_adapter fake;
    fake_init(&fake);
    fake_complete(&fake);
    CHECK(fake.events == 0);
    CHECK(ibw_arm(&fake.wire.base.source) == 0);
    CHECK(ibw_poll(&fake.wire.base, -1) == 1);
    CHECK(ibw_arm(&fake.wire.base.source) == 1);
}

int main(void)
{
    test_the_sleeper_keeps_its_event();
    test_what_came_before_is_found();
    puts("a thread that sleeps on the verbs wire is woken");
    return 0;
}
