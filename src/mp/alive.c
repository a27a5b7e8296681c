/* SPDX-License-Identifier: Apache-2.0 */
#include "mp/alive.h"

#include "mp/activity.h"
#include "mp/internal.h"
#include "mp/mp_state.h"

#include <stdlib.h>

/* Of several lost ranks the first one is reported: the others may have ended because of it. */
static void alive_find(const cor_rank *owner, const cor_group *group, const cor_loss **first_p)
{
    for (int i = 0; i < group->size; i++) {
        const cor_loss *loss = cor_losses_of(&owner->device->losses, cor_group_peer(group, i));
        if (loss && (!*first_p || loss->order < (*first_p)->order))
            *first_p = loss;
    }
}

static int alive_check(cor_rank *owner, const cor_group *first, const cor_group *second)
{
    const cor_loss *loss = NULL;
    alive_find(owner, first, &loss);
    if (second)
        alive_find(owner, second, &loss);
    if (!loss)
        return COR_OK;
    if (loss->why->code != COR_ERR_FINALIZED) /* which needs no sentence: threads that have left read the last one */
        *owner->fault = *loss->why;
    return loss->why->code;
}

int cor_comm_find_lost(const cor_comm *comm)
{
    return alive_check(comm->owner, comm->group, comm->remote_group != comm->group ? comm->remote_group : NULL);
}

int cor_members_find_lost(const cor_members *members)
{
    return alive_check(members->owner, members->first, members->second);
}

/* The receive of a message that has begun to arrive cannot be cancelled, and need not be: its sender runs and will
 * complete it. */
int cor_members_wait(const cor_members *members, cor_transfer *t)
{
    cor_device *device = members->owner->device;
    cor_monitor *monitor = &members->owner->monitor;
    cor_idle_state idle = {0};
    cor_activity activity;
    uint32_t lost_seen = 0;
    int rc = COR_OK;
    void *outer = monitor->waits.wait;
    if (!outer)
        monitor->waits.wait = members->outer;
    cor_activity_begin(monitor, &activity, members->owner->world, COR_TRACED_COMM_CREATE, COR_WAY_NONE, t->peer, 0, 0);
    while (!t->is_done) {
        if (COR_UNLIKELY(device->losses.count != lost_seen)) {
            lost_seen = device->losses.count;
            rc = cor_members_find_lost(members);
            if (rc != COR_OK)
                device->ops->cancel(device, t);
        } else if (cor_device_progress(device, t->peer) > 0) {
            idle = (cor_idle_state){0};
        } else {
            cor_device_idle(device, &idle);
        }
    }
    cor_activity_end(monitor, &activity);
    monitor->waits.wait = outer;
    return t->is_cancelled ? rc : t->error;
}

/* ---- the end of a job that has lost a rank ---------------------------------------------------------------------- */

/* A message from and to each of the others, with the ranks that this one has lost: another may be in an operation of
 * all ranks, wait there for this rank, which does not come any more, and have no connection with the lost one by which
 * to notice. A rank that dies meanwhile is not waited for. */
static void alive_exchange(cor_rank *rank, cor_transfer *words)
{
    cor_device *device = rank->device;
    const cor_payload nothing = cor_payload_plain(NULL, 0);
    uint32_t context = rank->world->context + 1;
    int size = rank->known.size;
    for (int i = 0; i < size; i++) {
        words[i].is_done = 1;
        if (i == rank->known.rank)
            continue;
        device->ops->notify_failure(device, i, context, COR_INTERNAL_TAG_PART);
        if (device->ops->irecv(device, &words[i], i, context, COR_INTERNAL_TAG_PART, &nothing) != COR_OK)
            words[i].is_done = 1;
    }
    for (int i = 0; i < size; i++)
        cor_device_wait(device, &words[i]);
}

void cor_rank_meet_survivors(cor_rank *rank)
{
    cor_fault why = *rank->fault; /* what the others report is known already */
    cor_device_enter(rank->device);
    cor_transfer *words = calloc((size_t)rank->known.size, sizeof *words);
    if (words)
        alive_exchange(rank, words);
    else
        COR_LOG(&rank->log, WARN, "no memory for the barrier of the remaining ranks");
    free(words);
    *rank->fault = why;
    cor_device_leave(rank->device);
}
