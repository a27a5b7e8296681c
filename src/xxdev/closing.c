/* SPDX-License-Identifier: Apache-2.0 */
#include "xxdev/closing.h"

#include "base/futex.h"

#include <limits.h>
#include <stdlib.h>

/* ---- a closed device -------------------------------------------------------------------------------------------- */

static int closed_send(cor_device *device, cor_transfer *t, int peer, uint32_t context, int tag,
                       const cor_payload *payload)
{
    (void)device, (void)t, (void)peer, (void)context, (void)tag, (void)payload;
    return COR_ERR_FINALIZED;
}

static int closed_imrecv(cor_device *device, cor_transfer *t, cor_message *message, const cor_payload *payload)
{
    (void)device, (void)t, (void)message, (void)payload;
    return COR_ERR_FINALIZED;
}

static int closed_iprobe(cor_device *device, int peer, uint32_t context, int tag, cor_envelope *found_p)
{
    (void)device, (void)peer, (void)context, (void)tag, (void)found_p;
    return COR_ERR_FINALIZED;
}

static int closed_improbe(cor_device *device, int peer, uint32_t context, int tag, cor_envelope *found_p,
                          cor_message **message_p)
{
    (void)device, (void)peer, (void)context, (void)tag, (void)found_p, (void)message_p;
    return COR_ERR_FINALIZED;
}

static void closed_visit(cor_device *device, cor_envelope_fn visit, void *subject)
{
    (void)device, (void)visit, (void)subject;
}

static void closed_notify_failure(cor_device *device, int peer, uint32_t context, int tag)
{
    (void)device, (void)peer, (void)context, (void)tag;
}

static void closed_cancel(cor_device *device, cor_transfer *t)
{
    if (!t->is_done)
        cor_device_complete(device, t, COR_ERR_FINALIZED);
}

static int closed_progress(cor_device *device, int hint)
{
    (void)device, (void)hint;
    return 0;
}

static cor_unsent closed_unsent(cor_device *device)
{
    (void)device;
    return COR_UNSENT_NONE;
}

static int closed_is_drained(cor_device *device)
{
    (void)device;
    return 1;
}

static void closed_describe(cor_device *device, int peer, char *out, size_t out_bytes)
{
    (void)device, (void)peer;
    if (out_bytes > 0)
        *out = 0;
}

/* Without the functions of the set-up and the end, which are over. */
static const cor_device_ops closed_ops = {
    .isend = closed_send,
    .issend = closed_send,
    .irecv = closed_send,
    .imrecv = closed_imrecv,
    .iprobe = closed_iprobe,
    .improbe = closed_improbe,
    .visit = closed_visit,
    .notify_failure = closed_notify_failure,
    .cancel = closed_cancel,
    .progress = closed_progress,
    .unsent = closed_unsent,
    .is_drained = closed_is_drained,
    .describe = closed_describe,
};

/* ---- the bell of threads that wait for a step
 * --------------------------------------------------------------------- */

static void closing_ring(cor_device *device)
{
    /* relaxed: changed under the lock, and a thread that sleeps took its ticket under the lock. */
    atomic_fetch_add_explicit(&device->closing_bell, 1, memory_order_relaxed);
    cor_futex_wake(&device->closing_bell, INT_MAX);
}

/* Let the lock go until the bell rings. */
static void closing_wait(cor_device *device)
{
    uint32_t ticket = atomic_load_explicit(&device->closing_bell, memory_order_relaxed);
    cor_lock_release(device->lock);
    cor_futex_wait(&device->closing_bell, ticket, 0);
    cor_lock_acquire(device->lock);
}

/* ---- threads in calls
 * --------------------------------------------------------------------------------------------- */

void *cor_device_go_away(cor_device *device)
{
    void *mine = NULL;
    cor_device_hold_all(device);
    if (device->watch) {
        mine = device->watch->wait;
        device->watch->wait = NULL; /* the next thread has its own */
    }
    device->away++;
    return mine;
}

void cor_device_come_back(cor_device *device, void *mine)
{
    if (COR_UNLIKELY(device->life == COR_DEVICE_CLOSING)) {
        device->parked++;
        closing_ring(device);
        while (device->life == COR_DEVICE_CLOSING)
            closing_wait(device);
        device->parked--;
    }
    device->away--;
    if (device->watch)
        device->watch->wait = mine;
    if (COR_UNLIKELY(device->life != COR_DEVICE_OPEN))
        closing_ring(device);
}

void cor_device_step_out(cor_device *device)
{
    device->outside++;
}

void cor_device_step_in(cor_device *device)
{
    device->outside--;
    if (COR_UNLIKELY(device->life != COR_DEVICE_OPEN))
        closing_ring(device);
}

/* ---- closing ---------------------------------------------------------------------------------------------------- */

void cor_device_quiet(cor_device *device)
{
    device->life = COR_DEVICE_CLOSING;
    device->last_ops = device->ops;
    device->ops = &closed_ops;
    cor_device_wake(device);
    if (device->last_ops->wake)
        device->last_ops->wake(device);
    while (device->parked < device->away)
        closing_wait(device);
}

void cor_device_progress_last(cor_device *device)
{
    device->last_ops->progress(device, -1);
}

void cor_device_close(cor_device *device)
{
    cor_device_enter(device);
    if (device->life == COR_DEVICE_OPEN)
        cor_device_quiet(device);
    device->last_ops->close(device);
    cor_host_forget_all(device->host); /* calls that come back from away may tell others that they are done */
    cor_fault_set(&device->finalized, COR_ERR_FINALIZED, "%s", cor_error_text(COR_ERR_FINALIZED));
    cor_losses_end(&device->losses, &device->finalized);
    if (device->watch)
        device->watch->lasts = NULL;
    device->is_connecting = 0;
    device->life = COR_DEVICE_CLOSED;
    closing_ring(device);
    while (device->away > 0 || device->outside > 0)
        closing_wait(device);
    cor_device_leave(device);
}

void cor_device_destroy(cor_device *device)
{
    free(device);
}
