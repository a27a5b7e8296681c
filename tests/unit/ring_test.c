/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shared-memory wire under two threads: one writes packets of all sizes into a ring that is far too small for
 * them, the other takes them out. Nothing is lost, doubled, torn or out of order, and a reader that sleeps is woken.
 */
#include "check.h"
#include "unit_random.h"

#include "host_pair.h"
#include "xxdev/soft/sm/sm.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

enum { RING_MAX_BYTES = 1024 };

typedef struct ring_end {
    cor_wire *wire;
    cor_host *host;
    cor_log log;
    uint32_t received;
    int packets;
    uint64_t seed;
    int may_sleep;
} ring_end;

static size_t ring_size(uint64_t seed, uint32_t number)
{
    uint64_t state = seed + number;
    uint64_t r = unit_random(&state);
    return r % 4 == 0 ? (r >> 8) % (RING_MAX_BYTES + 1) : (r >> 8) % 64;
}

static void ring_fill(char *data, size_t bytes, uint32_t number)
{
    for (size_t i = 0; i < bytes; i++)
        data[i] = (char)(number * 31 + i);
}

static void ring_deliver(void *sink, int peer, const cor_header *header, const void *data, size_t bytes)
{
    ring_end *end = sink;
    char expected[RING_MAX_BYTES];
    CHECK_EQUAL(0, peer);
    CHECK_EQUAL(end->received, header->id);
    CHECK_EQUAL(~end->received, header->id2);
    CHECK_EQUAL(ring_size(end->seed, end->received), bytes);
    ring_fill(expected, bytes, end->received);
    CHECK_EQUAL(0, memcmp(expected, data, bytes));
    end->received++;
}

static void *ring_write(void *argument)
{
    ring_end *end = argument;
    char data[RING_MAX_BYTES];
    uint64_t random = end->seed;
    for (uint32_t number = 0; number < (uint32_t)end->packets; number++) {
        size_t bytes = ring_size(end->seed, number);
        cor_header header = {.kind = 1, .id = number, .id2 = ~number};
        cor_payload payload = cor_payload_plain(data, bytes);
        ring_fill(data, bytes, number);
        int rc;
        while ((rc = end->wire->ops->send(end->wire, 1, &header, &payload, 0, bytes)) == COR_AGAIN)
            sched_yield();
        CHECK_OK(rc);
        /* Pauses, so that the reader falls asleep now and then. */
        if (end->may_sleep && unit_random(&random) % 200 == 0)
            nanosleep(&(struct timespec){0, 100000}, NULL);
    }
    return NULL;
}

static void *ring_read(void *argument)
{
    ring_end *end = argument;
    while (end->received < (uint32_t)end->packets) {
        uint32_t ticket;
        if (end->wire->ops->poll(end->wire, -1) > 0)
            continue;
        if (end->may_sleep && cor_host_arm(end->host, &ticket) && end->wire->source.arm(&end->wire->source))
            cor_host_sleep(end->host, ticket);
        else
            sched_yield();
    }
    return NULL;
}

static void ring_must(int rc, const cor_fault *fault)
{
    if (rc == COR_OK)
        return;
    CHECK_FAIL("set-up of two wires: %s", fault->text);
}

static void ring_run(uint64_t seed, int packets, int may_sleep)
{
    static const char *const narrow[] = {"sm.slots=16", "sm.ring=4k", "sm.chunk=1k", "sm.eager_max=1k", NULL};
    cor_fault fault = {0};
    cor_sm_config config;
    ring_end ends[2] = {{.log.level = COR_LOG_WARN}, {.log.level = COR_LOG_WARN}};
    char addresses[2][COR_WIRE_ADDRESS_MAX];
    const char *all[2] = {addresses[0], addresses[1]};
    uint8_t reached[2] = {0};
    host_pair hosts;
    ring_must(cor_knobs_load(&cor_sm_knobs, narrow, &config, NULL, &fault), &fault);
    host_pair_open(&hosts, 0, &ends[0].log);
    for (int i = 0; i < 2; i++) {
        cor_wire_options options = {.rank = i,
                                    .size = 2,
                                    .host = hosts.host[i],
                                    .log = &ends[i].log,
                                    .config = &config,
                                    .deliver = ring_deliver,
                                    .sink = &ends[i]};
        ends[i].host = hosts.host[i];
        ends[i].packets = packets;
        ends[i].seed = seed;
        ends[i].may_sleep = may_sleep;
        ring_must(cor_sm_wire.open(&options, &ends[i].wire, &fault), &fault);
        cor_sm_wire.address(ends[i].wire, addresses[i]);
    }
    for (int i = 0; i < 2; i++)
        ring_must(cor_sm_wire.connect(ends[i].wire, all, reached, &fault), &fault);
    CHECK(reached[0] && reached[1]);
    host_pair_attach(&hosts);
    for (int i = 0; i < 2; i++)
        ring_must(cor_sm_wire.attach(ends[i].wire, &fault), &fault);
    for (int i = 0; i < 2; i++)
        cor_sm_wire.settle(ends[i].wire);
    pthread_t threads[2];
    CHECK_EQUAL(0, pthread_create(&threads[0], NULL, ring_write, &ends[0]));
    CHECK_EQUAL(0, pthread_create(&threads[1], NULL, ring_read, &ends[1]));
    for (int i = 0; i < 2; i++)
        CHECK_EQUAL(0, pthread_join(threads[i], NULL));
    CHECK_EQUAL(packets, ends[1].received);
    for (int i = 0; i < 2; i++)
        cor_sm_wire.close(ends[i].wire);
    host_pair_close(&hosts);
}

int main(void)
{
    uint64_t seed = unit_seed();
    ring_run(seed, 200000, 0);
    ring_run(seed + 1, 50000, 1);
    return 0;
}
