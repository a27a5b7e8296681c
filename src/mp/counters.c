/* SPDX-License-Identifier: Apache-2.0 */
#include "mp/counters.h"

#include "mp/mp_state.h"

#include <string.h>

#define PEER(field) COR_COUNTER_IN_PEER, offsetof(cor_peer_counts, field), 0
#define DEVICE(field) COR_COUNTER_IN_DEVICE, offsetof(cor_device_counts, field), 0
#define DEVICE_PEAK(field, level)                                                                                     \
    COR_COUNTER_IN_DEVICE, offsetof(cor_device_counts, field), offsetof(cor_device_counts, level)
#define WAITER(field) COR_COUNTER_IN_WAITER, offsetof(cor_waiter, field), 0
#define RANK(field) COR_COUNTER_IN_RANK, offsetof(cor_rank, field), 0

_Static_assert(sizeof(size_t) == sizeof(uint64_t), "the number of requests is read as the counters are");

const cor_counter cor_counters[] = {
    {"eager_sent", "messages", "messages", COR_COUNTER_COUNT, 1, 0,
     "short messages sent at once to each rank, those of the library included", PEER(eager_sent.messages)},
    {"eager_sent_bytes", "messages", "bytes", COR_COUNTER_SUM, 1, 0, "bytes of short messages sent to each rank",
     PEER(eager_sent.bytes)},
    {"eager_received", "messages", "messages", COR_COUNTER_COUNT, 1, 0,
     "short messages that have arrived from each rank", PEER(eager_received.messages)},
    {"eager_received_bytes", "messages", "bytes", COR_COUNTER_SUM, 1, 0,
     "bytes of short messages that have arrived from each rank", PEER(eager_received.bytes)},
    {"rendezvous_sent", "messages", "messages", COR_COUNTER_COUNT, 1, 0,
     "long messages for which each rank was asked to make room", PEER(long_sent.messages)},
    {"rendezvous_sent_bytes", "messages", "bytes", COR_COUNTER_SUM, 1, 0,
     "bytes of long messages for which each rank was asked to make room", PEER(long_sent.bytes)},
    {"rendezvous_received", "messages", "messages", COR_COUNTER_COUNT, 1, 0,
     "long messages of each rank that a receive has matched", PEER(long_received.messages)},
    {"rendezvous_received_bytes", "messages", "bytes", COR_COUNTER_SUM, 1, 0,
     "bytes of long messages of each rank that a receive has matched", PEER(long_received.bytes)},
    {"one_copy_received", "messages", "messages", COR_COUNTER_COUNT, 1, 0,
     "long messages of each rank that were received by one copy out of its memory", PEER(copied.messages)},
    {"one_copy_received_bytes", "messages", "bytes", COR_COUNTER_SUM, 1, 0,
     "bytes received by one copy out of the memory of each rank", PEER(copied.bytes)},
    {"unexpected", "messages", "messages", COR_COUNTER_LEVEL, 0, 0, "messages that wait for a receive",
     DEVICE(unexpected.messages)},
    {"unexpected_bytes", "messages", "bytes", COR_COUNTER_LEVEL, 0, 0,
     "bytes of messages that wait for a receive; of long messages, bytes that still wait at the sender",
     DEVICE(unexpected.bytes)},
    {"unexpected_peak", "messages", "messages", COR_COUNTER_PEAK, 0, 0, "most messages that waited for a receive",
     DEVICE_PEAK(unexpected_peak.messages, unexpected.messages)},
    {"unexpected_bytes_peak", "messages", "bytes", COR_COUNTER_PEAK, 0, 0,
     "most bytes of messages that waited for a receive", DEVICE_PEAK(unexpected_peak.bytes, unexpected.bytes)},
    {"requests", "messages", "requests", COR_COUNTER_LEVEL, 0, 0,
     "requests that exist: persistent ones, and others that are not complete or not waited for",
     RANK(requests.in_use)},
    {"sleeps", "waiting", "times", COR_COUNTER_COUNT, 0, 0, "times that the rank slept while it waited",
     WAITER(sleeps)},
    {"yields", "waiting", "times", COR_COUNTER_COUNT, 0, 0, "times that the rank yielded its CPU while it waited",
     WAITER(yields)},
    {"wait_time", "waiting", "seconds", COR_COUNTER_TIME, 0, 1,
     "time that calls have waited; counted, for the whole rank, while a variable of calls or times is started",
     RANK(monitor.waited)},
    {"calls", COR_COUNTER_CALLS, "calls", COR_COUNTER_COUNT, 0, 1,
     "calls that send, receive, complete or are collective; counted while a variable of calls or times is started",
     RANK(monitor.calls)},
    {"call_time", COR_COUNTER_CALLS, "seconds", COR_COUNTER_TIME, 0, 1,
     "time in these calls; counted while a variable of calls or times is started", RANK(monitor.ticks)},
    {"tcp_resumed", "TCP", "connections", COR_COUNTER_COUNT, 0, 0, "connections that broke and were made again",
     DEVICE(resumed)},
    {"tcp_resent", "TCP", "packets", COR_COUNTER_COUNT, 0, 0,
     "packets that were sent again because their connection broke", DEVICE(resent)},
};

const size_t cor_counter_count = sizeof cor_counters / sizeof *cor_counters;

static uint64_t counter_at(const void *base, size_t offset)
{
    uint64_t value;
    memcpy(&value, (const char *)base + offset, sizeof value);
    return value;
}

/* Under the lock. */
static void counter_read(cor_rank *rank, const cor_counter *counter, uint64_t *values)
{
    cor_device *device = rank->device;
    switch (counter->place) {
    case COR_COUNTER_IN_PEER:
        for (int peer = 0; peer < rank->known.size; peer++)
            values[peer] = counter_at(device->ops->counts(device, peer), counter->offset);
        break;
    case COR_COUNTER_IN_DEVICE:
        device->ops->counts(device, rank->known.rank);
        *values = counter_at(&device->counts, counter->offset);
        if (counter->class == COR_COUNTER_PEAK)
            memcpy((char *)&device->counts + counter->offset, (const char *)&device->counts + counter->level_offset,
                   sizeof *values);
        break;
    case COR_COUNTER_IN_WAITER:
        *values = counter_at(&device->waiter, counter->offset);
        break;
    case COR_COUNTER_IN_RANK:
        *values = counter_at(rank, counter->offset);
        break;
    }
    if (counter->class == COR_COUNTER_TIME)
        *values = cor_rank_measured_ns(rank, *values);
}

int cor_counter_read(cor_rank *rank, const cor_counter *counter, uint64_t *values)
{
    cor_device *device = rank->device;
    int rc = COR_OK, is_of_device = counter->place <= COR_COUNTER_IN_DEVICE;
    cor_device_enter(device);
    if (cor_device_is_closed(device))
        rc = COR_ERR_FINALIZED;
    else if (is_of_device && !device->ops->counts)
        rc = COR_ERR_UNSUPPORTED;
    else
        counter_read(rank, counter, values);
    cor_device_leave(device);
    return rc;
}
