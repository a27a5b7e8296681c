/* SPDX-License-Identifier: Apache-2.0 */
/* What all devices share: transfers that end, payloads that must be held, followers, and waiting. */
#include "base/clock.h"
#include "xxdev/closing.h"

enum {
    DEVICE_BURST = 16,           /* looks at memory between two at the messages */
    DEVICE_PUSH_MOST_US = 32000, /* a connection is answered within tenths of a millisecond, if the peer is there */
    DEVICE_PUSH_LEAST_US = 1000,
    DEVICE_PUSH_ROUNDS = 200, /* before the first nap */
    DEVICE_PATIENCE = 1024,
    DEVICE_LOOK_NS = 200 * 1000 * 1000,
    DEVICE_LOOK_SHARE = 100, /* of the time may be spent on looks one part, where there are very many ranks */
};

void cor_device_init(cor_device *device, const cor_device_ops *ops, const char *name,
                     const cor_device_options *options)
{
    *device = (cor_device){.ops = ops,
                           .name = name,
                           .lock = options->lock,
                           .host = options->host,
                           .patience = DEVICE_PATIENCE,
                           .next_look_ns = cor_clock_ns() + DEVICE_LOOK_NS,
                           .push_us = DEVICE_PUSH_MOST_US};
    cor_waiter_init(&device->waiter, options->host, options->lock, options->wait);
    cor_list_init(&device->unheld);
    cor_list_init(&device->followers);
    cor_losses_init(&device->losses, options);
}

int cor_device_settle(cor_device *device, cor_fault *fault)
{
    device->is_oversubscribed = device->host->is_oversubscribed;
    device->is_job_oversubscribed = device->host->is_job_oversubscribed;
    return device->ops->settle(device, fault);
}

void cor_device_complete(cor_device *device, cor_transfer *t, int error)
{
    t->error = error;
    if (COR_UNLIKELY(t->payload.ops != NULL)) {
        cor_list_remove(&t->unheld);
        cor_payload_release(&t->payload);
    }
    t->is_done = 1;
    /* Another thread of this rank may be asleep waiting for just this one. */
    cor_waiter_wake(&device->waiter);
}

void cor_device_hold_later(cor_device *device, cor_transfer *t)
{
    if (!t->payload.ops)
        return;
    cor_list_init(&t->unheld);
    if (t->payload.ops->hold && !t->payload.is_held)
        cor_list_append(&device->unheld, &t->unheld);
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
    if (cor_device_is_closed(device))
        return 0;
    cor_link *link = device->followers.next;
    while (link != &device->followers) {
        cor_follower *follower = COR_OWNER(link, cor_follower, link);
        link = link->next;
        events += follower->step(follower);
    }
    return events;
}

/* ---- waiting ---------------------------------------------------------------------------------------------------- */

/* A rank that waits looks whether others have died; a rank that computes costs and notices nothing. A look is made when
 * nothing has come for a while: after DEVICE_PATIENCE fruitless polls, where a rank spins or the program itself polls
 * again and again, and after every turn of yielding or sleeping. It then costs a look at the clock, and what the host
 * does at most every DEVICE_LOOK_NS. */
int cor_device_look(cor_device *device)
{
    uint64_t now = cor_clock_ns();
    device->patience = DEVICE_PATIENCE;
    if (cor_device_is_closed(device))
        return 0;
    if (now < device->next_look_ns)
        return 0;
    int events = cor_host_look(device->host);
    uint64_t end = cor_clock_ns(), pause = (end - now) * DEVICE_LOOK_SHARE;
    device->next_look_ns = end + (pause > DEVICE_LOOK_NS ? pause : DEVICE_LOOK_NS);
    return events;
}

/* Make the wait known before it becomes long: spinning has not helped, nor has the first turn of yielding. */
static void device_tell(cor_device *device, cor_idle_state *state)
{
    cor_wait_watch *watch = device->watch;
    if (state->is_told || !watch || !watch->lasts || (state->yields == 0 && device->waiter.config.yields > 0))
        return;
    state->is_told = 1;
    watch->lasts(watch);
}

static void device_pass(cor_device *device, int is_waiting)
{
    void *mine = cor_device_go_away(device);
    device->ops->pass(device, is_waiting);
    cor_device_come_back(device, mine);
}

/* The rank is being finalised: there is nothing to wait for but the end of that. A thread comes here after that has
 * begun only from outside (closing.h), and waits for memory: what it waits for is known as lost when the device is
 * closed. */
static __attribute__((noinline)) void device_end(cor_device *device)
{
    if (device->life == COR_DEVICE_CLOSING)
        cor_device_come_back(device, cor_device_go_away(device));
}

void cor_device_idle(cor_device *device, cor_idle_state *state)
{
    if (cor_device_is_closed(device)) {
        device_end(device);
        return;
    }
    if (COR_UNLIKELY(device->ops->pass != NULL)) {
        device_pass(device, 1);
        return;
    }
    int is_wanted = device->lock && COR_UNLIKELY(cor_lock_is_wanted(device->lock));
    if (!is_wanted && cor_waiter_spin(&device->waiter, state))
        return;
    if (!is_wanted) {
        device->patience = 1; /* beside a turn of these a look at the clock costs little */
        device_tell(device, state);
    }
    void *mine = cor_device_go_away(device);
    if (is_wanted)
        cor_waiter_hand_over(&device->waiter);
    else
        cor_waiter_rest(&device->waiter, state, device->ops->unsent(device));
    cor_device_come_back(device, mine);
}

void cor_device_back_off(cor_device *device)
{
    if (cor_device_is_closed(device))
        return;
    if (COR_UNLIKELY(device->ops->pass != NULL)) {
        device_pass(device, 0);
        return;
    }
    /* A thread that polls again and again would hardly ever let another one in: the one that finalises, for
     * instance. */
    int is_wanted = device->lock && COR_UNLIKELY(cor_lock_is_wanted(device->lock));
    if (COR_LIKELY(!is_wanted && !cor_waiter_polled(&device->waiter)))
        return;
    void *mine = cor_device_go_away(device);
    if (is_wanted)
        cor_waiter_hand_over(&device->waiter);
    else
        cor_waiter_yield(&device->waiter);
    cor_device_come_back(device, mine);
}

static void device_nap(cor_device *device)
{
    void *mine = cor_device_go_away(device);
    cor_waiter_nap(&device->waiter);
    cor_device_come_back(device, mine);
}

int cor_device_burst_until(const cor_device *device, const cor_until *until)
{
    for (int i = 0; !device->is_oversubscribed && i < DEVICE_BURST; i++) {
        if (cor_until_is_over(until))
            return 1;
        cor_cpu_relax();
    }
    return cor_until_is_over(until);
}

int cor_device_wait_until(cor_device *device, cor_until until, uint32_t lost_seen)
{
    cor_idle_state idle = {.until = until};
    while (!cor_until_is_over(&until)) {
        if (COR_UNLIKELY(device->losses.count != lost_seen))
            return COR_ERR_PEER;
        if (idle.yields == 0 && cor_device_burst_until(device, &until))
            return COR_OK;
        if (cor_device_progress(device, -1) > 0)
            idle = (cor_idle_state){.until = until};
        else if (!cor_until_is_over(&until))
            cor_device_idle(device, &idle);
    }
    return COR_OK;
}

/* Returns 1: all has left. */
static int device_push(cor_device *device, uint64_t limit_ns)
{
    for (int round = 0; !device->ops->is_drained(device); round++) {
        if (cor_device_progress(device, -1) == 0 && (device->is_oversubscribed || round > DEVICE_PUSH_ROUNDS))
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
    device->is_connecting = 0;
}
