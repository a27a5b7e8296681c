/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flow control between two ranks: what the receiver stores is bounded, every receive still meets its message, in
 * MPI's order. Both ranks are driven by one thread, so that every step is determined by the seed.
 */
#include "check.h"
#include "device_pair.h"
#include "unit_random.h"
#include "xxdev/soft/soft_state.h"

#include <string.h>

enum { CONTEXT = 4, OTHER_CONTEXT = 6, TAG = 1, LIMIT_BYTES = 4096 };

static const cor_wire_ops *const wires[] = {&cor_sm_wire, &cor_tcp_wire};

/* A limit of 4 KiB, and little room on the way. */
static const char *const narrow[] = {"soft.unexpected_max=4k", "sm.slots=8", "sm.ring=4k", "sm.chunk=1k",
                                     "sm.eager_max=1k",        NULL};

static void start_send(cor_device *d, cor_transfer *t, uint32_t context, int tag, const void *data, size_t bytes)
{
    cor_payload payload = cor_payload_plain(data, bytes);
    cor_device_enter(d);
    CHECK_OK(d->ops->isend(d, t, 1, context, tag, &payload));
    cor_device_leave(d);
}

static void start_receive(cor_device *d, cor_transfer *t, int peer, uint32_t context, int tag, void *data,
                          size_t bytes)
{
    cor_payload payload = cor_payload_plain(data, bytes);
    cor_device_enter(d);
    CHECK_OK(d->ops->irecv(d, t, peer, context, tag, &payload));
    cor_device_leave(d);
}

static int probe(cor_device *d, uint32_t context, int tag)
{
    cor_envelope found;
    cor_device_enter(d);
    int is_here = d->ops->iprobe(d, 0, context, tag, &found);
    cor_device_leave(d);
    return is_here;
}

static void finish(device_pair *pair, const cor_transfer *t)
{
    CHECK_UNTIL(t->is_done, device_pair_step(pair));
}

static uint32_t stored_bytes(const device_pair *pair)
{
    return soft_of(pair->device[1])->peers[0].stored * SOFT_CREDIT_UNIT;
}

static int open_exchanges(cor_device *d)
{
    const cor_soft *soft = soft_of(d);
    int count = 0;
    for (uint32_t i = 0; i < soft->exchange_count; i++)
        count += soft->exchanges[i].transfer != NULL;
    return count;
}

/* ---- a flood ---------------------------------------------------------------------------------------------------- */

enum { FLOOD_COUNT = 500, FLOOD_LONG = 5000 };

typedef struct flood {
    device_pair pair;
    size_t bytes;
    cor_transfer *sends;
    char *out, *in;
} flood;

/* Rank 0 sends very many messages of one tag, the number of each at its start. */
static void flood_begin(flood *f, const cor_wire_ops *wire, size_t bytes)
{
    device_pair_open_with(&f->pair, &(device_pair_options){.wire = wire, .overrides = narrow});
    f->bytes = bytes;
    f->sends = calloc(FLOOD_COUNT, sizeof *f->sends);
    f->out = calloc(FLOOD_COUNT, bytes);
    f->in = calloc(1, bytes);
    for (int i = 0; i < FLOOD_COUNT; i++) {
        memcpy(f->out + (size_t)i * bytes, &i, sizeof i);
        start_send(f->pair.device[0], &f->sends[i], CONTEXT, TAG, f->out + (size_t)i * bytes, bytes);
    }
    device_pair_settle(&f->pair);
}

static int flood_done(const flood *f)
{
    int done = 0;
    for (int i = 0; i < FLOOD_COUNT; i++)
        done += f->sends[i].is_done;
    return done;
}

static void flood_receive(flood *f, int number)
{
    cor_transfer receive = {0};
    start_receive(f->pair.device[1], &receive, number % 2 ? 0 : COR_ANY_PEER, CONTEXT, TAG, f->in, f->bytes);
    finish(&f->pair, &receive);
    finish(&f->pair, &f->sends[number]);
    CHECK_EQUAL(f->bytes, receive.bytes);
    CHECK_EQUAL(0, memcmp(f->in, f->out + (size_t)number * f->bytes, f->bytes));
}

static void flood_end(flood *f)
{
    device_pair_settle(&f->pair);
    CHECK_EQUAL(FLOOD_COUNT, flood_done(f));
    CHECK_EQUAL(0, stored_bytes(&f->pair));
    for (int i = 0; i < 2; i++) {
        CHECK_EQUAL(1, f->pair.device[i]->ops->is_drained(f->pair.device[i]));
        CHECK_EQUAL(0, open_exchanges(f->pair.device[i]));
    }
    device_pair_close(&f->pair);
    free(f->sends);
    free(f->out);
    free(f->in);
}

/* Short messages are stored up to the limit, of long ones as many requests; the sender keeps the rest, and its device
 * still counts as drained, because nothing can leave. */
static void test_bound(const cor_wire_ops *wire, size_t bytes)
{
    flood f;
    flood_begin(&f, wire, bytes);
    CHECK(stored_bytes(&f.pair) > 0);
    CHECK(stored_bytes(&f.pair) <= LIMIT_BYTES);
    CHECK(flood_done(&f) <= LIMIT_BYTES / (int)bytes);
    CHECK_EQUAL(1, f.pair.device[0]->ops->is_drained(f.pair.device[0]));
    for (int i = 0; i < FLOOD_COUNT; i++)
        flood_receive(&f, i);
    flood_end(&f);
}

/* A receive, and a probe, for what never comes do not make the sender send more. */
static void test_unrelated_wish(const cor_wire_ops *wire)
{
    flood f;
    cor_transfer never = {0};
    char in[8];
    flood_begin(&f, wire, 64);
    cor_device *d = f.pair.device[1];
    start_receive(d, &never, 0, CONTEXT, TAG + 1, in, sizeof in);
    for (int i = 0; i < 100; i++) {
        CHECK_EQUAL(0, probe(d, CONTEXT, TAG + 2));
        device_pair_settle(&f.pair);
    }
    CHECK(stored_bytes(&f.pair) <= LIMIT_BYTES);
    for (int i = 0; i < FLOOD_COUNT; i++)
        flood_receive(&f, i);
    cor_device_enter(d);
    d->ops->cancel(d, &never);
    cor_device_leave(d);
    CHECK_EQUAL(1, never.is_cancelled);
    flood_end(&f);
}

/* A receive for the last message brings those before it, whose order must be kept, but not their data. */
static void test_last_first(const cor_wire_ops *wire, size_t bytes)
{
    flood f;
    cor_transfer last = {0}, receive = {0};
    char out[8] = "last", in[8] = "";
    flood_begin(&f, wire, bytes);
    start_receive(f.pair.device[1], &receive, 0, CONTEXT, TAG + 1, in, sizeof in);
    start_send(f.pair.device[0], &last, CONTEXT, TAG + 1, out, sizeof out);
    finish(&f.pair, &receive);
    CHECK_TEXT("last", in);
    CHECK(stored_bytes(&f.pair) <= LIMIT_BYTES + FLOOD_COUNT * 2 * SOFT_MESSAGE_COST * SOFT_CREDIT_UNIT);
    for (int i = 0; i < FLOOD_COUNT; i++)
        flood_receive(&f, i);
    finish(&f.pair, &last);
    flood_end(&f);
}

/* Messages of another context come through at once, posted or probed for, sent before the receive or after it. */
static void test_other_context(const cor_wire_ops *wire)
{
    flood f;
    flood_begin(&f, wire, 64);
    for (int i = 0; i < 40; i++) {
        cor_transfer send = {0}, receive = {0};
        char out[48] = {(char)i}, in[48] = {0};
        int is_early = i % 3 == 0, is_probed = i % 3 == 1;
        if (is_early)
            start_receive(f.pair.device[1], &receive, i % 2 ? 0 : COR_ANY_PEER, OTHER_CONTEXT, i, in, sizeof in);
        start_send(f.pair.device[0], &send, OTHER_CONTEXT, i, out, sizeof out);
        device_pair_settle(&f.pair);
        if (is_probed)
            CHECK_UNTIL(probe(f.pair.device[1], OTHER_CONTEXT, i), device_pair_step(&f.pair));
        if (!is_early)
            start_receive(f.pair.device[1], &receive, 0, OTHER_CONTEXT, i, in, sizeof in);
        finish(&f.pair, &receive);
        finish(&f.pair, &send);
        CHECK_EQUAL(i, in[0]);
        CHECK(stored_bytes(&f.pair) <= LIMIT_BYTES + 1024);
    }
    for (int i = 0; i < FLOOD_COUNT; i++)
        flood_receive(&f, i);
    flood_end(&f);
}

/* Credits come back while the way is full: the sender goes on by itself when there is room, since the receiver, which
 * owes it less than half of its credits, will say nothing more. */
static void test_full_way(void)
{
    enum { BYTES = 1000, LIMIT = 44, ON_THE_WAY = 4, COUNT = 100 }; /* messages: 44 may be unread, the ring holds 4 */
    device_pair pair;
    device_pair_open(
        &pair, (const char *const[]){"soft.unexpected_max=64k", "sm.ring=4k", "sm.chunk=1k", "sm.eager_max=1k", NULL});
    cor_device *from = pair.device[0], *to = pair.device[1];
    cor_transfer sends[COUNT] = {{0}}, receives[COUNT] = {{0}};
    char out[BYTES] = {0}, in[BYTES];
    for (int i = 0; i < COUNT; i++) {
        start_send(from, &sends[i], CONTEXT, TAG, out, BYTES);
        if (i < LIMIT - ON_THE_WAY)
            to->ops->progress(to, -1);
    }
    for (int i = 0; i < LIMIT / 2 + 1; i++) {
        start_receive(to, &receives[i], 0, CONTEXT, TAG, in, BYTES);
        CHECK_EQUAL(1, receives[i].is_done);
    }
    for (int i = 0; i < 3; i++)
        from->ops->progress(from, -1); /* credits have come, room has not */
    for (int i = LIMIT / 2 + 1; i < COUNT; i++)
        start_receive(to, &receives[i], 0, CONTEXT, TAG, in, BYTES);
    for (int i = 0; i < COUNT; i++) {
        finish(&pair, &receives[i]);
        finish(&pair, &sends[i]);
    }
    device_pair_close(&pair);
}

/* Long messages on the way stay there until their receives are posted: a look that completes one receive takes no more
 * of them, which it would have to store. */
static void test_long_stay(void)
{
    enum { BYTES = 8192, COUNT = 6 };
    device_pair pair;
    device_pair_open(&pair, NULL);
    cor_device *from = pair.device[0], *to = pair.device[1];
    cor_transfer sends[COUNT] = {{0}}, receive = {0};
    char *out = calloc(1, BYTES), *in = calloc(1, BYTES);
    for (int i = 0; i < COUNT; i++)
        start_send(from, &sends[i], CONTEXT, TAG, out, BYTES);
    for (int i = 0; i < COUNT; i++) {
        start_receive(to, &receive, 0, CONTEXT, TAG, in, BYTES);
        cor_device_enter(to);
        cor_device_wait(to, &receive);
        cor_device_leave(to);
        CHECK_EQUAL(0, stored_bytes(&pair));
    }
    device_pair_close(&pair);
    free(out);
    free(in);
}

/* Sends that wait can be cancelled; what needs more credits than the one before it still leaves. */
static void test_cancel(const cor_wire_ops *wire)
{
    device_pair pair;
    cor_transfer small[80] = {{0}}, large = {0}, receive = {0};
    char out[3000] = {0}, in[3000];
    int done = 0, cancelled = 0;
    device_pair_open_with(
        &pair,
        &(device_pair_options){.wire = wire, .overrides = (const char *const[]){"soft.unexpected_max=4k", NULL}});
    cor_device *from = pair.device[0];
    for (int i = 0; i < 80; i++)
        start_send(from, &small[i], CONTEXT, TAG, out, 1);
    start_send(from, &large, CONTEXT, TAG + 1, out, sizeof out);
    device_pair_settle(&pair);
    cor_device_enter(from);
    for (int i = 0; i < 80; i++)
        if (!small[i].is_done) {
            from->ops->cancel(from, &small[i]);
            cancelled += small[i].is_cancelled;
        } else {
            done++;
        }
    cor_device_leave(from);
    CHECK_EQUAL(80, done + cancelled);
    CHECK(cancelled > 0);
    for (int i = 0; i < done - 1; i++) { /* one stays: there are not credits enough for the large one */
        start_receive(pair.device[1], &receive, 0, CONTEXT, TAG, in, sizeof in);
        CHECK_EQUAL(1, receive.is_done);
    }
    start_receive(pair.device[1], &receive, 0, CONTEXT, TAG + 1, in, sizeof in);
    finish(&pair, &receive);
    finish(&pair, &large);
    start_receive(pair.device[1], &receive, 0, CONTEXT, TAG, in, sizeof in);
    CHECK_EQUAL(1, receive.is_done);
    device_pair_close(&pair);
}

/* ---- any order -------------------------------------------------------------------------------------------------- */

enum { ORDER_COUNT = 300, ORDER_TAGS = 4, ORDER_BYTES = 6000 };

typedef struct order {
    device_pair pair;
    uint64_t random;
    struct {
        uint32_t context;
        int tag, is_taken;
        size_t bytes;
        char data[ORDER_BYTES];
        cor_transfer transfer;
    } sent[ORDER_COUNT];
    struct {
        uint32_t context;
        int tag, peer, message; /* which it must meet */
        char data[ORDER_BYTES];
        cor_transfer transfer;
    } received[ORDER_COUNT];
} order;

static size_t order_bytes(order *o)
{
    static const size_t sizes[] = {4, 32, 33, 200, 1000, 1025, 3000, ORDER_BYTES};
    return sizes[unit_random(&o->random) % (sizeof sizes / sizeof *sizes)];
}

/* Messages of two contexts and some tags, and receives that all of them will meet, in any order. With one sender it
 * does not depend on time which receive meets which message: always the first that is left. */
static void order_plan(order *o)
{
    for (int i = 0; i < ORDER_COUNT; i++) {
        o->sent[i].context = unit_random(&o->random) % 4 ? CONTEXT : OTHER_CONTEXT;
        o->sent[i].tag = (int)(unit_random(&o->random) % ORDER_TAGS);
        o->sent[i].bytes = order_bytes(o);
        o->sent[i].is_taken = 0;
        memset(o->sent[i].data, i, o->sent[i].bytes);
        memcpy(o->sent[i].data, &i, sizeof i);
    }
    for (int i = 0; i < ORDER_COUNT; i++) {
        int model = (int)(unit_random(&o->random) % ORDER_COUNT);
        while (o->sent[model].is_taken)
            model = (model + 1) % ORDER_COUNT;
        uint32_t context = o->sent[model].context;
        int tag = unit_random(&o->random) % 4 ? o->sent[model].tag : COR_ANY_TAG, first = 0;
        while (o->sent[first].is_taken || o->sent[first].context != context ||
               (tag != COR_ANY_TAG && o->sent[first].tag != tag))
            first++;
        o->sent[first].is_taken = 1;
        o->received[i].context = context;
        o->received[i].tag = tag;
        o->received[i].peer = unit_random(&o->random) % 2 ? 0 : COR_ANY_PEER;
        o->received[i].message = first;
    }
}

static void order_run(order *o)
{
    cor_device *from = o->pair.device[0], *to = o->pair.device[1];
    int ahead = (int)(unit_random(&o->random) % 4); /* how much one side is before the other */
    for (int sent = 0, received = 0; sent < ORDER_COUNT || received < ORDER_COUNT;) {
        uint64_t dice = unit_random(&o->random) % 8;
        if (dice < 4 && sent < ORDER_COUNT) {
            start_send(from, &o->sent[sent].transfer, o->sent[sent].context, o->sent[sent].tag, o->sent[sent].data,
                       o->sent[sent].bytes);
            sent++;
        } else if (dice < (uint64_t)(4 + ahead) && received < ORDER_COUNT) {
            start_receive(to, &o->received[received].transfer, o->received[received].peer,
                          o->received[received].context, o->received[received].tag, o->received[received].data,
                          ORDER_BYTES);
            received++;
        } else {
            cor_device *which = unit_random(&o->random) % 2 ? from : to;
            cor_device_enter(which);
            cor_device_progress(which, -1);
            cor_device_leave(which);
        }
        if (sent == ORDER_COUNT && ahead == 0)
            ahead = 1;
    }
    device_pair_settle(&o->pair);
    for (int i = 0; i < ORDER_COUNT; i++) {
        int message = o->received[i].message;
        finish(&o->pair, &o->received[i].transfer);
        finish(&o->pair, &o->sent[message].transfer);
        CHECK_EQUAL(o->sent[message].bytes, o->received[i].transfer.bytes);
        CHECK_EQUAL(o->sent[message].tag, o->received[i].transfer.tag);
        CHECK_EQUAL(0, memcmp(o->sent[message].data, o->received[i].data, o->sent[message].bytes));
    }
    device_pair_settle(&o->pair);
    CHECK_EQUAL(0, stored_bytes(&o->pair));
    CHECK_EQUAL(0, open_exchanges(from));
    CHECK_EQUAL(0, open_exchanges(to));
}

static void test_any_order(const cor_wire_ops *wire, uint64_t *random, int rounds)
{
    order *o = calloc(1, sizeof *o);
    o->random = unit_random(random);
    device_pair_open_with(&o->pair, &(device_pair_options){.wire = wire, .overrides = narrow});
    for (int round = 0; round < rounds; round++) {
        order_plan(o);
        order_run(o);
    }
    device_pair_close(&o->pair);
    free(o);
}

int main(void)
{
    uint64_t random = unit_seed();
    for (int i = 0; i < 2; i++) {
        test_bound(wires[i], 64);
        test_bound(wires[i], FLOOD_LONG);
        test_unrelated_wish(wires[i]);
        test_last_first(wires[i], 64);
        test_last_first(wires[i], 1000);
        test_last_first(wires[i], FLOOD_LONG);
        test_other_context(wires[i]);
        test_cancel(wires[i]);
        test_any_order(wires[i], &random, 60);
    }
    test_long_stay();
    test_full_way();
    return 0;
}
