/* What all devices share: payloads that must be held, followers, and waiting beside the device's own ways. */
#include "base/clock.h"
#include "xxdev/xxdev.h"

#include <time.h>

enum {
    DEVICE_BURST = 16,           /* looks at memory between two at the messages */
    DEVICE_PUSH_MOST_US = 32000, /* a connection is answered within tenths of a millisecond, if the peer is there */
    DEVICE_PUSH_LEAST_US = 1000,
    DEVICE_PUSH_ROUNDS = 200, /* before the first nap */
    DEVICE_NAP_NS = 50 * 1000,
};

void cor_device_init(cor_device *device, const cor_device_ops *ops, const char *name, cor_lock *lock)
{
    *device = (cor_device){.ops = ops, .name = name, .lock = lock, .push_us = DEVICE_PUSH_MOST_US};
    cor_list_init(&device->unheld);
    cor_list_init(&device->followers);
}

void cor_device_hold_all(cor_device *device)
{
    while (!cor_list_is_empty(&device->unheld)) {
        cor_transfer *t = COR_OWNER(device->unheld.next, cor_transfer, unheld);
        cor_list_remove(&t->unheld);
        cor_payload_hold(&t->payload);
    }
}

int cor_device_step_followers(cor_device *device)
{
    int events = 0;
    cor_link *link = device->followers.next;
    while (link != &device->followers) {
        cor_follower *follower = COR_OWNER(link, cor_follower, link);
        link = link->next;
        events += follower->step(follower);
    }
    return events;
}

int cor_device_wait_until(cor_device *device, cor_until until, uint32_t lost_seen)
{
    cor_idle_state idle = {.until = until};
    while (!cor_until_is_over(&until)) {
        if (COR_UNLIKELY(device->lost_count != lost_seen))
            return COR_ERR_PEER;
        if (!device->is_crowded && idle.yields == 0)
            for (int i = 0; i < DEVICE_BURST; i++) {
                if (cor_until_is_over(&until))
                    return COR_OK;
                cor_cpu_relax();
            }
        if (cor_device_progress(device, -1) > 0)
            idle = (cor_idle_state){.until = until};
        else if (!cor_until_is_over(&until))
            device->ops->idle(device, &idle);
    }
    return COR_OK;
}

static void device_nap(cor_device *device)
{
    struct timespec moment = {0, DEVICE_NAP_NS};
    cor_device_leave(device);
    nanosleep(&moment, NULL);
    cor_device_enter(device);
}

/* Returns 1: all has left. */
static int device_push(cor_device *device, uint64_t limit_ns)
{
    for (int round = 0; !device->ops->is_drained(device); round++) {
        if (cor_device_progress(device, -1) == 0 && (device->is_crowded || round > DEVICE_PUSH_ROUNDS))
            device_nap(device);
        if (cor_clock_ns() > limit_ns)
            return 0;
    }
    return 1;
}

void cor_device_push(cor_device *device)
{
    int has_left = device_push(device, cor_clock_ns() + device->push_us * (uint64_t)1000);
    if (has_left && device->push_us < DEVICE_PUSH_MOST_US)
        device->push_us *= 2;
    else if (!has_left && device->push_us > DEVICE_PUSH_LEAST_US)
        device->push_us /= 2;
    device->is_calling = 0;
}
