/* SPDX-License-Identifier: Apache-2.0 */
/* Collective accesses: the queue of a file, what they need of it, and what is done without the lock. */
#include "file/file_collective_state.h"

#include "mp/nodes.h"

#include <stdlib.h>

/* ---- messages --------------------------------------------------------------------------------------------------- */

int file_collective_isend(file_collective *c, cor_transfer *t, int member, int kind, const cor_payload *payload)
{
    const cor_comm *comm = c->file->comm;
    int rc = comm->device->ops->isend(comm->device, t, cor_comm_peer(comm, member), comm->context,
                                      file_collective_tag(c, kind), payload);
    if (rc != COR_OK)
        t->is_done = 1;
    return rc;
}

int file_collective_irecv(file_collective *c, cor_transfer *t, int member, int kind, const cor_payload *payload)
{
    const cor_comm *comm = c->file->comm;
    int rc = comm->device->ops->irecv(comm->device, t, cor_comm_peer(comm, member), comm->context,
                                      file_collective_tag(c, kind), payload);
    if (rc != COR_OK)
        t->is_done = 1;
    return rc;
}

/* ---- stopping --------------------------------------------------------------------------------------------------- */

static int collective_has_rounds(const file_collective *c)
{
    return c->aggregator.windows > (uint64_t)c->division.aggregators;
}

void file_collective_stop(file_collective *c)
{
    cor_payload nothing = cor_payload_plain(NULL, 0);
    if (c->has_stopped || !collective_has_rounds(c))
        return;
    c->has_stopped = c->is_stopping = 1;
    for (int i = 0; i < c->file->size; i++)
        if (i != c->file->me)
            file_collective_isend(c, &c->stops[i], i, FILE_TAG_STOP, &nothing);
}

int file_collective_is_stopping(file_collective *c)
{
    const cor_comm *comm = c->file->comm;
    cor_envelope found;
    if (!c->is_stopping && collective_has_rounds(c))
        c->is_stopping = comm->device->ops->iprobe(comm->device, COR_ANY_PEER, comm->context,
                                                   file_collective_tag(c, FILE_TAG_STOP), &found) > 0;
    return c->is_stopping;
}

int file_collective_stops_are_moving(const file_collective *c)
{
    for (int i = 0; i < c->file->size; i++)
        if (!c->stops[i].is_done)
            return 1;
    return 0;
}

/* ---- reading and writing ---------------------------------------------------------------------------------------- */

static void collective_io_run(file_task *task)
{
    file_io *io = COR_OWNER(task, file_io, task);
    io->run(io);
}

static void collective_io_done(file_task *task)
{
    file_io *io = COR_OWNER(task, file_io, task);
    io->state = FILE_IO_DONE;
}

void file_collective_submit(file_collective *c, file_io *io, void (*run)(file_io *io))
{
    io->result = (file_result){0};
    io->run = run;
    io->state = FILE_IO_READY;
    if (!c->job->request) { /* the thread that waits does it, and may sleep while another one makes the progress */
        cor_device_wake(c->file->comm->device);
        return;
    }
    io->state = FILE_IO_RUNNING;
    int rc = file_worker_add(c->file, &io->task);
    if (rc == COR_OK)
        return;
    io->result = (file_result){.error = rc};
    io->state = FILE_IO_DONE;
}

static file_io *collective_ready(file_collective *c)
{
    if (c->alone.state == FILE_IO_READY)
        return &c->alone;
    for (int i = 0; i < FILE_SLOTS; i++)
        if (c->aggregator.slots[i].io.state == FILE_IO_READY)
            return &c->aggregator.slots[i].io;
    return NULL;
}

/* ---- the queue -------------------------------------------------------------------------------------------------- */

static int collective_step(file_collective *c)
{
    int events = 0, now;
    do {
        if (!c->job && !cor_list_is_empty(&c->queue))
            file_phase_begin(c, COR_OWNER(c->queue.next, file_job, together));
        now = c->job ? file_phase_step(c) : 0;
        events += now;
    } while (now > 0);
    return events;
}

static int collective_hook(cor_follower *follower)
{
    return collective_step(COR_OWNER(follower, file_collective, follower));
}

/* ---- starting --------------------------------------------------------------------------------------------------- */

/* In the thread that waits, without the lock. */
static void collective_do(file_collective *c, file_io *io)
{
    cor_device *device = c->file->comm->device;
    void *mine = cor_device_go_away(device);
    io->state = FILE_IO_RUNNING;
    cor_device_leave(device);
    io->run(io);
    cor_device_enter(device);
    cor_device_come_back(device, mine);
    io->state = FILE_IO_DONE;
}

/* Under the lock: advance the job until it is over. */
static int collective_wait(file_collective *c, const file_job *job)
{
    const cor_comm *comm = c->file->comm;
    cor_idle_state idle = {0};
    cor_activity activity;
    cor_comm_wait_begin(comm, &activity);
    while (!job->is_done && !cor_device_is_closed(comm->device)) {
        file_io *io = c->job == job ? collective_ready(c) : NULL;
        if (io) {
            collective_do(c, io);
            collective_step(c);
        } else {
            cor_comm_progress(comm, -1, &idle);
        }
    }
    cor_activity_end(comm->monitor, &activity);
    cor_comm_flush(comm);
    return job->is_done ? COR_OK : COR_ERR_FINALIZED;
}

int file_collective_start(file_job *job)
{
    file_collective *c = job->file->collective;
    cor_comm *comm = job->file->comm;
    int rc = cor_comm_enter_open(comm);
    if (rc != COR_OK)
        return rc;
    if (cor_list_is_empty(&c->queue))
        cor_comm_follow(comm, &c->follower);
    cor_list_append(&c->queue, &job->together);
    collective_step(c);
    if (!job->request)
        rc = collective_wait(c, job);
    cor_comm_leave(comm);
    return rc;
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

static void collective_init_io(file_collective *c, file_io *io)
{
    *io = (file_io){.task = {.run = collective_io_run, .done = collective_io_done}, .owner = c};
}

int file_collective_create(cor_file *file)
{
    size_t size = (size_t)file->size;
    const cor_nodes *nodes = cor_comm_nodes(file->comm);
    file_collective *c = calloc(1, sizeof *c);
    file->collective = c;
    if (!c || !nodes)
        return COR_ERR_MEMORY;
    c->file = file;
    c->follower.step = collective_hook;
    cor_list_init(&c->follower.link);
    cor_list_init(&c->queue);
    c->node_of = nodes->node_of;
    c->nodes = nodes->count;
    c->parts = calloc(size, sizeof *c->parts);
    c->outcomes = calloc(size, sizeof *c->outcomes);
    c->ranges = calloc(size, sizeof *c->ranges);
    c->part_of = calloc(size, sizeof *c->part_of);
    c->aggregator_members = calloc(size, sizeof *c->aggregator_members);
    c->stops = calloc(size, sizeof *c->stops);
    for (size_t i = 0; c->stops && i < size; i++)
        c->stops[i].is_done = 1;
    c->aggregator.number = -1;
    collective_init_io(c, &c->alone);
    for (int i = 0; i < FILE_SLOTS; i++)
        collective_init_io(c, &c->aggregator.slots[i].io);
    if (!c->stops || !c->parts || !c->outcomes || !c->ranges || !c->part_of || !c->aggregator_members)
        return COR_ERR_MEMORY;
    return COR_OK;
}

void file_collective_destroy(cor_file *file)
{
    file_collective *c = file->collective;
    file->collective = NULL;
    if (!c)
        return;
    if (c->file)
        cor_list_remove(&c->follower.link);
    file_aggregator_fini(&c->aggregator);
    free(c->stops);
    free(c->parts);
    free(c->outcomes);
    free(c->ranges);
    free(c->part_of);
    free(c->aggregator_members);
    free(c);
}
