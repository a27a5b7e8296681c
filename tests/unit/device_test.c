/* SPDX-License-Identifier: Apache-2.0 */
/* The device interface itself: transfers on the stack, probes, cancel. Both ranks are driven by
 * one thread, so that every step is determined. */
#include "check.h"
#include "device_pair.h"
#include "xxdev/soft/soft_state.h"

#include <stdlib.h>
#include <string.h>

enum { CONTEXT = 4 };

static const cor_device_ops *ops_of(cor_device *device)
{
    return device->ops;
}

/* Start calls with the lock around them, as mp makes them. */
static void start_send(cor_device *d, cor_transfer *t, int tag, const void *data, size_t bytes, int is_sync)
{
    cor_payload payload = cor_payload_plain(data, bytes);
    cor_device_enter(d);
    CHECK_OK((is_sync ? ops_of(d)->issend : ops_of(d)->isend)(d, t, 1, CONTEXT, tag, &payload));
    cor_device_leave(d);
}

static void start_receive(cor_device *d, cor_transfer *t, int peer, int tag, void *data, size_t bytes)
{
    cor_payload payload = cor_payload_plain(data, bytes);
    cor_device_enter(d);
    CHECK_OK(ops_of(d)->irecv(d, t, peer, CONTEXT, tag, &payload));
    cor_device_leave(d);
}

static void test_sizes(device_pair *pair)
{
    static const size_t sizes[] = {0, 1, 8, 32, 33, 1000, 16384, 16385, 65536, 65537, 300000, 530000, 600000, 3000000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int is_posted = 0; is_posted < 2; is_posted++)
            for (int is_sync = 0; is_sync < 2; is_sync++) {
                size_t bytes = sizes[i];
                char *out = malloc(bytes + 1), *in = calloc(1, bytes + 1);
                cor_transfer send = {0}, receive = {0};
                memset(out, 'a' + (int)i, bytes);
                if (is_posted)
                    start_receive(pair->device[1], &receive, COR_ANY_PEER, COR_ANY_TAG, in, bytes);
                start_send(pair->device[0], &send, 7, out, bytes, is_sync);
                device_pair_settle(pair);
                if (!is_posted) {
                    if (is_sync)
                        CHECK_EQUAL(0, send.is_done);
                    start_receive(pair->device[1], &receive, 0, 7, in, bytes);
                    device_pair_settle(pair);
                }
                CHECK_EQUAL(1, send.is_done);
                CHECK_EQUAL(1, receive.is_done);
                CHECK_OK(receive.error);
                CHECK_EQUAL(0, receive.peer);
                CHECK_EQUAL(7, receive.tag);
                CHECK_EQUAL(bytes, receive.bytes);
                CHECK_EQUAL(bytes, receive.message_bytes);
                CHECK_EQUAL(0, memcmp(out, in, bytes));
                free(out);
                free(in);
            }
}

static void test_truncation(device_pair *pair)
{
    static const size_t sizes[] = {10, 5000, 100000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        char *out = calloc(1, sizes[i]), in[8];
        cor_transfer send = {0}, receive = {0};
        memset(out, 1, sizes[i]);
        memset(in, 0x55, sizeof in);
        start_send(pair->device[0], &send, 1, out, sizes[i], 0);
        start_receive(pair->device[1], &receive, 0, 1, in, 4);
        device_pair_settle(pair);
        CHECK_EQUAL(1, send.is_done);
        CHECK_OK(send.error);
        CHECK_EQUAL(1, receive.is_done);
        CHECK_EQUAL(COR_ERR_TRUNCATE, receive.error);
        CHECK_EQUAL(4, receive.bytes);
        CHECK_EQUAL(sizes[i], receive.message_bytes);
        CHECK_EQUAL(1, in[3]);
        CHECK_EQUAL(0x55, in[4]);
        free(out);
    }
}

static void test_probe(device_pair *pair)
{
    cor_device *d = pair->device[1];
    cor_envelope found = {0};
    cor_message *message = NULL;
    cor_transfer send[2] = {{0}}, receive = {0};
    int numbers[2] = {11, 22}, in = 0;
    CHECK_EQUAL(0, ops_of(d)->iprobe(d, COR_ANY_PEER, CONTEXT, COR_ANY_TAG, &found));
    for (int i = 0; i < 2; i++)
        start_send(pair->device[0], &send[i], 5, &numbers[i], sizeof(int), 0);
    device_pair_settle(pair);
    CHECK_EQUAL(0, ops_of(d)->iprobe(d, 0, CONTEXT, 6, &found));
    CHECK_EQUAL(0, ops_of(d)->iprobe(d, 0, CONTEXT + 2, 5, &found));
    CHECK_EQUAL(1, ops_of(d)->iprobe(d, COR_ANY_PEER, CONTEXT, COR_ANY_TAG, &found));
    CHECK_EQUAL(0, found.peer);
    CHECK_EQUAL(5, found.tag);
    CHECK_EQUAL(sizeof(int), found.bytes);
    /* improbe takes the first one out; a receive then gets the second. */
    CHECK_EQUAL(1, ops_of(d)->improbe(d, 0, CONTEXT, 5, &found, &message));
    start_receive(d, &receive, 0, 5, &in, sizeof in);
    CHECK_EQUAL(1, receive.is_done);
    CHECK_EQUAL(22, in);
    cor_payload payload = cor_payload_plain(&in, sizeof in);
    receive = (cor_transfer){0};
    CHECK_OK(ops_of(d)->imrecv(d, &receive, message, &payload));
    device_pair_settle(pair);
    CHECK_EQUAL(1, receive.is_done);
    CHECK_EQUAL(11, in);
}

static void test_cancel(device_pair *pair)
{
    cor_device *d = pair->device[1];
    cor_transfer first = {0}, second = {0}, send = {0};
    int in[2] = {0}, out = 9;
    start_receive(d, &first, 0, 3, &in[0], sizeof(int));
    start_receive(d, &second, COR_ANY_PEER, 3, &in[1], sizeof(int));
    cor_device_enter(d);
    ops_of(d)->cancel(d, &first);
    cor_device_leave(d);
    CHECK_EQUAL(1, first.is_done);
    CHECK_EQUAL(1, first.is_cancelled);
    start_send(pair->device[0], &send, 3, &out, sizeof out, 0);
    device_pair_settle(pair);
    CHECK_EQUAL(1, second.is_done);
    CHECK_EQUAL(0, second.is_cancelled);
    CHECK_EQUAL(0, in[0]);
    CHECK_EQUAL(9, in[1]);
    /* Too late. */
    ops_of(d)->cancel(d, &second);
    CHECK_EQUAL(0, second.is_cancelled);
}

/* A rank cannot go on, and takes back a send whose receive has just been posted: that it cannot go on is not taken for
 * the message, though the number of the rank that it has lost is the message's. */
static void test_cancel_abandoned(const device_pair_options *way)
{
    device_pair pair;
    cor_transfer first = {0}, send = {0}, receive = {0}, next = {0};
    int out = 4, in = 0;
    device_pair_open_with(&pair, way);
    cor_device *from = pair.device[0];
    start_send(from, &first, 3, &out, sizeof out, 0); /* to connect */
    start_receive(pair.device[1], &receive, 0, 3, &in, sizeof in);
    device_pair_settle(&pair);
    start_send(from, &send, 3, &out, sizeof out, 1);
    CHECK_EQUAL(1, send.id);
    receive.is_done = in = 0;
    start_receive(pair.device[1], &receive, 0, 3, &in, sizeof in);
    while (!receive.is_done) {
        cor_device_enter(pair.device[1]);
        ops_of(pair.device[1])->progress(pair.device[1], -1);
        cor_device_leave(pair.device[1]);
    }
    cor_device_enter(from);
    ((cor_soft *)(void *)from)->blamed = 1;
    from->ops->notify_failure(from, 1, CONTEXT, 3);
    from->ops->cancel(from, &send);
    cor_device_leave(from);
    device_pair_settle(&pair);
    CHECK_EQUAL(1, send.is_done);
    CHECK_EQUAL(0, send.is_cancelled);
    CHECK_EQUAL(4, in);
    start_receive(pair.device[1], &next, 0, 3, &in, sizeof in);
    CHECK_EQUAL(1, next.is_done);
    CHECK_EQUAL(COR_ERR_PEER, next.error);
    device_pair_close(&pair);
}

/* Packets that find no room wait in the outbox and leave later, in order; a device with such packets is not drained,
 * and a send that has not left can be cancelled. */
static void test_outbox(void)
{
    enum { COUNT = 200 };
    device_pair pair;
    device_pair_open(&pair, (const char *const[]){"sm.slots=8", "sm.ring=4k", "sm.chunk=1k", "sm.eager_max=1k", NULL});
    cor_device *from = pair.device[0];
    cor_transfer sends[COUNT] = {{0}};
    int out[COUNT], in = -1, cancelled = 0;
    for (int i = 0; i < COUNT; i++) {
        out[i] = i;
        start_send(from, &sends[i], 1, &out[i], sizeof(int), 0);
    }
    CHECK_EQUAL(0, from->ops->is_drained(from));
    cor_device_enter(from);
    for (int i = 0; i < COUNT; i += 50)
        from->ops->cancel(from, &sends[i]);
    cor_device_leave(from);
    CHECK_EQUAL(0, sends[0].is_cancelled); /* gone long ago */
    for (int i = 0; i < COUNT; i++)
        cancelled += sends[i].is_cancelled;
    CHECK_EQUAL(3, cancelled);
    device_pair_settle(&pair);
    for (int i = 0; i < COUNT; i++) {
        cor_transfer receive = {0};
        CHECK_EQUAL(1, sends[i].is_done);
        if (sends[i].is_cancelled)
            continue;
        start_receive(pair.device[1], &receive, 0, 1, &in, sizeof in);
        CHECK_EQUAL(1, receive.is_done);
        CHECK_EQUAL(i, in);
    }
    CHECK_EQUAL(1, from->ops->is_drained(from));
    device_pair_close(&pair);
}

int main(void)
{
    static const device_pair_options ways[] = {
        {.wire = &cor_sm_wire}, {.wire = &cor_tcp_wire}, {.wire = &cor_sm_wire, .absent_address = "none1,unknown"}};
    for (int i = 0; i < 3; i++) {
        device_pair pair;
        device_pair_open_with(&pair, &ways[i]);
        test_sizes(&pair);
        test_truncation(&pair);
        test_probe(&pair);
        test_cancel(&pair);
        device_pair_close(&pair);
        test_cancel_abandoned(&ways[i]);
    }
    test_outbox();
    return 0;
}
