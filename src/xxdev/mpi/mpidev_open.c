/* SPDX-License-Identifier: Apache-2.0 */
/* Life of mpidev, and what the halves of its protocol share. */
#include "xxdev/mpi/mpidev_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cor_mpidev_open(const cor_device_options *options, cor_device **device_p, cor_fault *fault)
{
    const cor_mpidev_config *config = options->settings;
    mpidev_boot *boot = mpidev_boot_of(options->boot);
    if (!boot)
        return cor_fault_set(fault, COR_ERR_UNSUPPORTED,
                             "mpidev cannot run ranks as threads of one process; its ranks are processes that Open "
                             "MPI's or MPICH's launcher starts, and `corunna run --dev mpidev` calls that");
    mpidev *self = calloc(1, sizeof *self);
    if (!self || cor_match_init(&self->match) != COR_OK) {
        free(self);
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for a device");
    }
    cor_device_init(&self->base, &mpidev_ops, "mpidev", options);
    self->base.waiter.is_silent = 1; /* another MPI has nothing to sleep on */
    self->base.tag_max = INT32_MAX;
    self->log = options->log;
    self->fault = options->fault;
    self->ops = boot->ops;
    self->bridge = boot->bridge;
    self->eager_max_bytes = config->eager_max_bytes;
    cor_list_init(&self->outbox);
    cor_list_init(&self->moving);
    cor_pool_init(&self->streams, sizeof(mpidev_stream));
    *device_p = &self->base;
    return COR_OK;
}

static void mpidev_close(cor_device *device)
{
    mpidev *self = mpidev_of(device);
    for (int i = 0; self->is_posted && i < MPIDEV_SLOTS; i++)
        self->ops->cancel(&self->slots[i].request);
    cor_match_fini(&self->match);
    cor_pool_fini(&self->packets);
    cor_pool_fini(&self->streams);
    free(self->slot_memory);
    free(self->free_ids);
}

/* Nothing of ours outlives the process. */
static void mpidev_abandon(cor_device *device)
{
    (void)device;
}

static int mpidev_begin_shutdown(cor_device *device)
{
    (void)device;
    return 1; /* a message that has left this rank may need the MPI's progress to arrive */
}

/* ---- set-up ----------------------------------------------------------------------------------------------------- */

/* mpi1,<eager limit> */
static int mpidev_address(cor_device *device, int round, char *text, cor_fault *fault)
{
    (void)fault;
    if (round > 0)
        return 0;
    snprintf(text, COR_DEVICE_ADDRESS_MAX, "mpi1,%zu", mpidev_of(device)->eager_max_bytes);
    return 1;
}

/* What all can take is eager. */
static int mpidev_connect(cor_device *device, int round, const char *const *texts, cor_fault *fault)
{
    mpidev *self = mpidev_of(device);
    (void)round;
    for (int i = 0; i < self->bridge->size; i++) {
        size_t eager_max;
        if (sscanf(texts[i], "mpi1,%zu", &eager_max) != 1)
            return cor_fault_set(fault, COR_ERR_UNREACHABLE, "rank %d tells mpidev \"%.100s\"", i, texts[i]);
        if (eager_max < self->eager_max_bytes)
            self->eager_max_bytes = eager_max;
    }
    cor_pool_init(&self->packets, sizeof(mpidev_packet) + self->eager_max_bytes);
    return COR_OK;
}

static int mpidev_attach(cor_device *device, cor_fault *fault)
{
    return mpidev_post_slots(mpidev_of(device), fault);
}

static int mpidev_settle(cor_device *device, cor_fault *fault)
{
    (void)device;
    (void)fault;
    return COR_OK;
}

/* ---- transfers -------------------------------------------------------------------------------------------------- */

void mpidev_fail(mpidev *self, const char *what, int error)
{
    char text[160] = "";
    if (error != 0)
        self->ops->explain(error, text, sizeof text);
    COR_LOG(self->log, ERROR, "mpidev: %s%s%s", what, error != 0 ? ": " : "", text);
    self->ops->abort(self->bridge, 1);
    abort();
}

/* A receive that has met no message; a send cannot be taken back. */
static void mpidev_cancel(cor_device *device, cor_transfer *t)
{
    mpidev *self = mpidev_of(device);
    if (t->is_done || t->is_send || t->state != MPIDEV_POSTED)
        return;
    cor_match_remove_receive(&self->match, t);
    t->is_cancelled = 1;
    t->bytes = 0;
    mpidev_complete(self, t, COR_OK);
}

static void mpidev_visit(cor_device *device, cor_envelope_fn visit, void *subject)
{
    cor_match_visit_messages(&mpidev_of(device)->match, visit, subject);
}

/* ---- progress --------------------------------------------------------------------------------------------------- */

static int mpidev_move_streams(mpidev *self)
{
    int moved = 0;
    for (cor_link *link = self->moving.next, *next; link != &self->moving; link = next) {
        mpidev_stream *stream = COR_OWNER(link, mpidev_stream, link);
        int is_done, error = self->ops->test(&stream->request, &is_done, NULL, NULL);
        next = link->next;
        if (error != 0)
            mpidev_fail(self, "the data of a long message were lost", error);
        if (!is_done)
            continue;
        cor_list_remove(link);
        if (stream->transfer->is_send)
            mpidev_sent(self, stream);
        else
            mpidev_received(self, stream);
        moved++;
    }
    return moved;
}

static int mpidev_progress(cor_device *device, int hint)
{
    mpidev *self = mpidev_of(device);
    (void)hint;
    return mpidev_take_packets(self) + mpidev_push_packets(self) + mpidev_move_streams(self);
}

static int mpidev_is_drained(cor_device *device)
{
    return cor_list_is_empty(&mpidev_of(device)->outbox);
}

/* While this rank is asked for progress the MPI moves on, and the waiter naps at most. */
static cor_unsent mpidev_unsent(cor_device *device)
{
    return mpidev_is_drained(device) ? COR_UNSENT_NONE : COR_UNSENT_POLLS;
}

/* ---- losses: the other launcher ends a job that has lost a rank, so no rank sees one ----------------------------- */

static void mpidev_notify_failure(cor_device *device, int peer, uint32_t context, int tag)
{
    (void)device;
    (void)peer;
    (void)context;
    (void)tag;
}

static void mpidev_describe(cor_device *device, int peer, char *out, size_t out_bytes)
{
    const mpidev *self = mpidev_of(device);
    (void)peer;
    snprintf(out, out_bytes, "%s, eager to %zu bytes, then straight from memory", self->bridge->library,
             self->eager_max_bytes);
}

const cor_device_ops mpidev_ops = {
    .address = mpidev_address,
    .connect = mpidev_connect,
    .attach = mpidev_attach,
    .settle = mpidev_settle,
    .close = mpidev_close,
    .abandon = mpidev_abandon,
    .begin_shutdown = mpidev_begin_shutdown,
    .isend = mpidev_isend,
    .issend = mpidev_issend,
    .irecv = mpidev_irecv,
    .imrecv = mpidev_imrecv,
    .iprobe = mpidev_iprobe,
    .improbe = mpidev_improbe,
    .visit = mpidev_visit,
    .notify_failure = mpidev_notify_failure,
    .cancel = mpidev_cancel,
    .progress = mpidev_progress,
    .unsent = mpidev_unsent,
    .is_drained = mpidev_is_drained,
    .describe = mpidev_describe,
};
