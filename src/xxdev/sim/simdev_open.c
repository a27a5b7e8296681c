/* SPDX-License-Identifier: Apache-2.0 */
/* Life of simdev. */
#include "xxdev/sim/simdev_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIMDEV_FIELD(field) offsetof(cor_simdev_config, field)

static const cor_knob simdev_rows[] = {
    {"sim.net", COR_KNOB_TEXT, SIMDEV_FIELD(net), "", "a network as corunna run --sim writes it", 0, COR_SIM_NET_TEXT,
     "the network of simdev; corunna run --sim sets it"},
    {"sim.memory", COR_KNOB_SIZE, SIMDEV_FIELD(memory_bytes), "4G", NULL, 1 << 20, 1L << 40,
     "memory for the messages of all simulated ranks together, allocated as needed"},
};

const cor_knob_table cor_simdev_knobs = {simdev_rows, sizeof simdev_rows / sizeof *simdev_rows};

int cor_simdev_open(const cor_device_options *options, cor_device **device_p, cor_fault *fault)
{
    const cor_simdev_config *config = options->settings;
    cor_sim_net net;
    if (!*config->net)
        return cor_fault_set(fault, COR_ERR_KNOB,
                             "simdev has no network; `corunna run --sim nodes=2,ppn=4 program` "
                             "starts ranks that have one");
    int rc = cor_sim_net_parse(config->net, &net, fault);
    if (rc != COR_OK)
        return rc;
    net.ranks = options->size;
    simdev *self = calloc(1, sizeof *self);
    uint32_t *numbers = calloc((size_t)options->size * 2, sizeof *numbers);
    if (!self || !numbers || cor_match_init(&self->match) != COR_OK) {
        free(numbers);
        free(self);
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for a device");
    }
    self->sent = numbers;
    self->received = numbers + options->size;
    cor_device_init(&self->base, &simdev_ops, "simdev", options);
    self->base.tag_max = INT32_MAX;
    self->log = options->log;
    self->fault = options->fault;
    self->rank = options->rank;
    self->size = options->size;
    self->net = net;
    self->memory_bytes = config->memory_bytes;
    *device_p = &self->base;
    return COR_OK;
}

/* Ranks that are threads share one mapping, which stays if the job does not end as it should: others may still be at
 * it. */
static void simdev_close(cor_device *device)
{
    simdev *self = simdev_of(device);
    if (self->segment.memory && self->is_shut_down)
        cor_segment_close(&self->segment);
    cor_match_fini(&self->match);
    free(self->sent);
}

static void simdev_abandon(cor_device *device)
{
    cor_segment_unlink(&simdev_of(device)->segment);
}

/* From here on this rank does not hold up the others' time. */
static int simdev_begin_shutdown(cor_device *device)
{
    simdev *self = simdev_of(device);
    cor_sim_lock(self->world);
    cor_sim_leave(self->world, self->rank);
    cor_sim_advance(self->world);
    cor_sim_unlock(self->world);
    self->is_shut_down = 1;
    return 0;
}

/* ---- set-up ----------------------------------------------------------------------------------------------------- */

/* sim1,<process>,<descriptor>,<bytes>,<address>,<file>: of rank 0, which makes the world; of the others sim1,. */
static int simdev_address(cor_device *device, int round, char *text, cor_fault *fault)
{
    simdev *self = simdev_of(device);
    if (round > 0)
        return 0;
    strcpy(text, "sim1,");
    if (self->rank > 0)
        return 1;
    int rc = cor_segment_create(&self->segment, self->memory_bytes, 0, 0, fault);
    if (rc != COR_OK)
        return rc;
    self->world = self->segment.memory;
    rc = cor_sim_world_init(self->world, self->memory_bytes, &self->net, fault);
    if (rc != COR_OK)
        return rc;
    const cor_segment_place *place = &self->segment.place;
    snprintf(text, COR_DEVICE_ADDRESS_MAX, "sim1,%d,%d,%" PRIu64 ",%" PRIuPTR ",%s", (int)place->pid, (int)place->fd,
             place->bytes, (uintptr_t)self->world, place->path);
    return 1;
}

static int simdev_connect(cor_device *device, int round, const char *const *texts, cor_fault *fault)
{
    simdev *self = simdev_of(device);
    cor_segment_place place = {0};
    uintptr_t address = 0;
    int path = 0, pid = 0, fd = 0;
    (void)round;
    if (self->rank == 0)
        return COR_OK;
    if (sscanf(texts[0], "sim1,%d,%d,%" SCNu64 ",%" SCNuPTR ",%n", &pid, &fd, &place.bytes, &address, &path) != 4 ||
        path == 0 || strlen(texts[0] + path) >= sizeof place.path)
        return cor_fault_set(fault, COR_ERR_UNREACHABLE, "rank 0 tells simdev \"%.100s\"", texts[0]);
    place.pid = pid;
    place.fd = fd;
    strcpy(place.path, texts[0] + path);
    if (pid == getpid()) {
        self->world = (sim_world *)address;
        return COR_OK;
    }
    int rc = cor_segment_open(&self->segment, &place, fault);
    self->world = self->segment.memory;
    return rc;
}

static int simdev_attach(cor_device *device, cor_fault *fault)
{
    (void)device;
    (void)fault;
    return COR_OK;
}

/* The CPUs of this host are not those of the cluster: no rule is to ask for them. */
static int simdev_settle(cor_device *device, cor_fault *fault)
{
    simdev *self = simdev_of(device);
    (void)fault;
    device->is_oversubscribed = device->is_job_oversubscribed = 0;
    cor_segment_unlink(&self->segment);
    simdev_begin_time(self);
    return COR_OK;
}

/* ---- the rest --------------------------------------------------------------------------------------------------- */

/* A receive that has met no message; a send cannot be taken back. */
static void simdev_cancel(cor_device *device, cor_transfer *t)
{
    simdev *self = simdev_of(device);
    if (t->is_done || t->is_send || t->state != SIMDEV_POSTED)
        return;
    cor_match_remove_receive(&self->match, t);
    t->is_cancelled = 1;
    t->bytes = 0;
    cor_device_complete(device, t, COR_OK);
}

static void simdev_visit(cor_device *device, cor_envelope_fn visit, void *subject)
{
    cor_match_visit_messages(&simdev_of(device)->match, visit, subject);
}

static int simdev_is_drained(cor_device *device)
{
    (void)device;
    return 1; /* what is sent is in the world */
}

static cor_unsent simdev_unsent(cor_device *device)
{
    (void)device;
    return COR_UNSENT_NONE;
}

/* Processes of one host are lost together: the launcher ends the job. */
static void simdev_notify_failure(cor_device *device, int peer, uint32_t context, int tag)
{
    (void)device;
    (void)peer;
    (void)context;
    (void)tag;
}

static void simdev_describe(cor_device *device, int peer, char *out, size_t out_bytes)
{
    const simdev *self = simdev_of(device);
    const cor_sim_link *link = cor_sim_link_of(&self->net, self->rank, peer);
    snprintf(out, out_bytes, "simulated, %s, %.3g us and %.3g us a KiB, eager to %.0f bytes",
             cor_sim_is_inside(&self->net, self->rank, peer) ? "inside a node" : "between nodes",
             cor_sim_link_time(link, 0), link->pieces[0].tb * 1024, link->eager_max);
}

const cor_device_ops simdev_ops = {
    .address = simdev_address,
    .connect = simdev_connect,
    .attach = simdev_attach,
    .settle = simdev_settle,
    .close = simdev_close,
    .abandon = simdev_abandon,
    .begin_shutdown = simdev_begin_shutdown,
    .isend = simdev_isend,
    .issend = simdev_issend,
    .irecv = simdev_irecv,
    .imrecv = simdev_imrecv,
    .iprobe = simdev_iprobe,
    .improbe = simdev_improbe,
    .visit = simdev_visit,
    .notify_failure = simdev_notify_failure,
    .cancel = simdev_cancel,
    .progress = simdev_progress,
    .unsent = simdev_unsent,
    .is_drained = simdev_is_drained,
    .describe = simdev_describe,
    .pass = simdev_pass,
    .wake = simdev_wake,
    .clock_ns = simdev_clock_ns,
};
