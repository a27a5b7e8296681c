/* SPDX-License-Identifier: Apache-2.0 */
#include "mp/members.h"

#include "mp/activity.h"
#include "mp/alive.h"
#include "mp/mp_state.h"

#include <stdlib.h>
#include <string.h>

cor_members cor_members_of_comm(cor_comm *comm, int tag)
{
    cor_members members = {.owner = comm->owner, .context = comm->context + 1, .tag = tag};
    members.first = comm->group;
    members.index = comm->rank;
    members.outer = comm->pending;
    if (cor_comm_is_inter(comm)) {
        int is_first = cor_intercomm_is_first(comm);
        members.first = is_first ? comm->group : comm->remote_group;
        members.second = is_first ? comm->remote_group : comm->group;
        members.index = comm->rank + (is_first ? 0 : comm->remote_size);
    }
    return members;
}

/* ---- a binomial tree rooted at the first ------------------------------------------------------------------------ */

static int members_parent(int index)
{
    return index & (index - 1);
}

/* The bit above the last child's: children are index | bit for every smaller bit that stays in the row. */
static int members_top(const cor_members *members)
{
    int bit = 1, size = cor_members_size(members);
    while (bit < size && !(members->index & bit))
        bit <<= 1;
    return bit;
}

static int members_child_count(const cor_members *members)
{
    int count = 0, size = cor_members_size(members);
    for (int bit = 1; bit < members_top(members); bit <<= 1)
        count += (members->index | bit) < size;
    return count;
}

/* ---- ballots ---------------------------------------------------------------------------------------------------- */

typedef enum ballot_phase { BALLOT_GATHER, BALLOT_ASK, BALLOT_TELL, BALLOT_DONE } ballot_phase;

struct cor_ballot {
    cor_members members;
    ballot_phase phase;
    int child_count, error;
    int started;        /* transfers of this phase */
    uint32_t lost_seen; /* of the device's: none of these is a member */
    uint64_t *words, *theirs;
    size_t count, capacity;
    cor_transfer transfers[]; /* one a child, at least two */
};

enum { BALLOT_LEAST_TRANSFERS = 2 };

static size_t ballot_transfer_count(int child_count)
{
    return (size_t)(child_count > BALLOT_LEAST_TRANSFERS ? child_count : BALLOT_LEAST_TRANSFERS);
}

cor_ballot *cor_ballot_create(const cor_members *members, uint64_t *words, size_t count)
{
    int children = members_child_count(members);
    size_t transfers = ballot_transfer_count(children);
    cor_ballot *ballot = calloc(1, sizeof *ballot + transfers * sizeof(cor_transfer));
    if (!ballot)
        return NULL;
    ballot->theirs = malloc(((size_t)children + 1) * (count + 1) * sizeof *words);
    if (!ballot->theirs) {
        free(ballot);
        return NULL;
    }
    ballot->members = *members;
    ballot->child_count = children;
    ballot->capacity = count;
    cor_ballot_restart(ballot, words, count);
    return ballot;
}

/* Transfers that were begun with the others must end before the memory is freed. */
static void ballot_fail(cor_ballot *ballot, int error)
{
    cor_device *device = ballot->members.owner->device;
    if (ballot->error == COR_OK)
        ballot->error = error;
    for (int i = 0; i < ballot->started; i++)
        if (!ballot->transfers[i].is_done)
            device->ops->cancel(device, &ballot->transfers[i]);
}

static void ballot_start_recv(cor_ballot *ballot, int index, uint64_t *into)
{
    const cor_members *members = &ballot->members;
    cor_device *device = members->owner->device;
    cor_transfer *t = &ballot->transfers[ballot->started];
    cor_payload payload = cor_payload_plain(into, ballot->count * sizeof *into);
    if (ballot->error != COR_OK)
        return;
    *t = (cor_transfer){0};
    int rc = device->ops->irecv(device, t, cor_members_peer(members, index), members->context, members->tag, &payload);
    if (rc == COR_OK)
        ballot->started++;
    else
        ballot_fail(ballot, rc);
}

static void ballot_start_send(cor_ballot *ballot, int index)
{
    const cor_members *members = &ballot->members;
    cor_device *device = members->owner->device;
    cor_transfer *t = &ballot->transfers[ballot->started];
    cor_payload payload = cor_payload_plain(ballot->words, ballot->count * sizeof *ballot->words);
    if (ballot->error != COR_OK)
        return;
    *t = (cor_transfer){0};
    int rc = device->ops->isend(device, t, cor_members_peer(members, index), members->context, members->tag, &payload);
    if (rc == COR_OK)
        ballot->started++;
    else
        ballot_fail(ballot, rc);
}

static void ballot_begin(cor_ballot *ballot, ballot_phase phase)
{
    const cor_members *members = &ballot->members;
    int top = members_top(members), size = cor_members_size(members);
    ballot->phase = phase;
    ballot->started = 0;
    switch (phase) {
    case BALLOT_GATHER:
        for (int bit = 1; bit < top; bit <<= 1)
            if ((members->index | bit) < size)
                ballot_start_recv(ballot, members->index | bit,
                                  ballot->theirs + (size_t)ballot->started * ballot->count);
        break;
    case BALLOT_ASK:
        if (members->index != 0) {
            ballot_start_recv(ballot, members_parent(members->index), ballot->theirs);
            ballot_start_send(ballot, members_parent(members->index));
        }
        break;
    case BALLOT_TELL:
        for (int bit = top >> 1; bit > 0; bit >>= 1)
            if ((members->index | bit) < size)
                ballot_start_send(ballot, members->index | bit);
        break;
    case BALLOT_DONE:
        break;
    }
}

/* Those who still wait for us would wait for ever. */
static void ballot_notify_failure(const cor_ballot *ballot)
{
    const cor_members *members = &ballot->members;
    cor_device *device = members->owner->device;
    int top = members_top(members), size = cor_members_size(members);
    if (ballot->phase == BALLOT_GATHER && members->index != 0)
        device->ops->notify_failure(device, cor_members_peer(members, members_parent(members->index)),
                                    members->context, members->tag);
    for (int bit = 1; bit < top && ballot->phase != BALLOT_TELL; bit <<= 1)
        if ((members->index | bit) < size)
            device->ops->notify_failure(device, cor_members_peer(members, members->index | bit), members->context,
                                        members->tag);
}

/* No rank sends anything too long here unless it is in another call. */
static void ballot_note_error(cor_ballot *ballot, const cor_transfer *t)
{
    if (t->error == COR_OK || ballot->error != COR_OK)
        return;
    ballot->error = t->error;
    if (t->error == COR_ERR_TRUNCATE)
        cor_fault_set(ballot->members.owner->fault, t->error,
                      "rank %d of the job is in a different collective call than this rank", t->peer);
}

/* Everything the phase waited for is there. */
static void ballot_end_phase(cor_ballot *ballot)
{
    for (int i = 0; i < ballot->started; i++)
        ballot_note_error(ballot, &ballot->transfers[i]);
    if (ballot->error != COR_OK) {
        if (ballot->error == COR_ERR_PEER)
            ballot_notify_failure(ballot);
        ballot->phase = BALLOT_DONE;
        return;
    }
    if (ballot->phase == BALLOT_GATHER)
        for (size_t i = 0; i < (size_t)ballot->child_count * ballot->count; i++)
            ballot->words[i % ballot->count] &= ballot->theirs[i];
    if (ballot->phase == BALLOT_ASK && ballot->members.index != 0 && ballot->count)
        memcpy(ballot->words, ballot->theirs, ballot->count * sizeof *ballot->words);
    ballot_begin(ballot, ballot->phase + 1);
}

/* A member that is lost ends it for all: others may have left it because of that. */
static void ballot_look_for_lost(cor_ballot *ballot)
{
    ballot->lost_seen = ballot->members.owner->device->losses.count;
    int rc = cor_members_find_lost(&ballot->members);
    if (rc != COR_OK)
        ballot_fail(ballot, rc);
}

int cor_ballot_step(cor_ballot *ballot)
{
    int has_moved = 0;
    if (COR_UNLIKELY(ballot->lost_seen != ballot->members.owner->device->losses.count))
        ballot_look_for_lost(ballot);
    while (ballot->phase != BALLOT_DONE) {
        for (int i = 0; i < ballot->started; i++)
            if (!ballot->transfers[i].is_done)
                return has_moved;
        ballot_end_phase(ballot);
        has_moved = 1;
    }
    return has_moved;
}

int cor_ballot_is_done(const cor_ballot *ballot)
{
    return ballot->phase == BALLOT_DONE;
}

int cor_ballot_error(const cor_ballot *ballot)
{
    return ballot->error;
}

void cor_ballot_restart(cor_ballot *ballot, uint64_t *words, size_t count)
{
    COR_ASSERT(count <= ballot->capacity);
    ballot->words = words;
    ballot->count = count;
    ballot->error = COR_OK;
    ballot->lost_seen = 0;
    ballot_begin(ballot, BALLOT_GATHER);
}

void cor_ballot_destroy(cor_ballot *ballot)
{
    free(ballot->theirs);
    free(ballot);
}

/* ---- blocking --------------------------------------------------------------------------------------------------- */

int cor_members_all_and(const cor_members *members, uint64_t *words, size_t count)
{
    cor_device *device = members->owner->device;
    cor_monitor *monitor = &members->owner->monitor;
    cor_idle_state idle = {0};
    cor_activity activity;
    cor_device_enter(device);
    int is_closing = members->owner->is_closing;
    monitor->waits.wait = members->outer;
    cor_activity_begin(monitor, &activity, members->owner->world,
                       is_closing ? COR_TRACED_FINALIZE : COR_TRACED_COMM_CREATE, COR_WAY_NONE,
                       is_closing ? COR_NOW_MEMBERS : COR_NOW_UNKNOWN, 0, 0);
    cor_ballot *ballot = cor_ballot_create(members, words, count);
    int rc = COR_ERR_MEMORY;
    if (ballot) {
        while (cor_ballot_step(ballot), !cor_ballot_is_done(ballot)) {
            if (cor_device_progress(device, -1) > 0)
                idle = (cor_idle_state){0};
            else
                cor_device_idle(device, &idle);
        }
        rc = cor_ballot_error(ballot);
        cor_ballot_destroy(ballot);
    } else {
        cor_fault_set(members->owner->fault, rc, "no memory for an agreement with the other ranks");
    }
    cor_activity_end(monitor, &activity);
    monitor->waits.wait = NULL;
    cor_device_leave(device);
    return rc;
}

static int members_end(const cor_members *members, cor_transfer *t, int rc)
{
    if (rc == COR_OK)
        rc = cor_members_wait(members, t);
    cor_device_leave(members->owner->device);
    return rc;
}

static int members_send(const cor_members *members, const void *data, size_t bytes, int index)
{
    cor_device *device = members->owner->device;
    cor_payload payload = cor_payload_plain(data, bytes);
    cor_transfer t = {0};
    cor_device_enter(device);
    int peer = cor_members_peer(members, index);
    return members_end(members, &t, device->ops->isend(device, &t, peer, members->context, members->tag, &payload));
}

static int members_recv(const cor_members *members, void *data, size_t bytes, int index)
{
    cor_device *device = members->owner->device;
    cor_payload payload = cor_payload_plain(data, bytes);
    cor_transfer t = {0};
    cor_device_enter(device);
    int peer = cor_members_peer(members, index);
    return members_end(members, &t, device->ops->irecv(device, &t, peer, members->context, members->tag, &payload));
}

static int members_bcast(const cor_members *members, void *data, size_t bytes)
{
    int rc = COR_OK, size = cor_members_size(members);
    if (members->index != 0)
        rc = members_recv(members, data, bytes, members_parent(members->index));
    for (int bit = members_top(members) >> 1; bit > 0 && rc == COR_OK; bit >>= 1)
        if ((members->index | bit) < size)
            rc = members_send(members, data, bytes, members->index | bit);
    return rc;
}

int cor_members_gather_all(const cor_members *members, const void *block, size_t bytes, void *all)
{
    char *at = all;
    int rc = COR_OK, size = cor_members_size(members);
    memcpy(at + (size_t)members->index * bytes, block, bytes);
    if (members->index != 0)
        rc = members_send(members, block, bytes, 0);
    else
        for (int i = 1; i < size && rc == COR_OK; i++)
            rc = members_recv(members, at + (size_t)i * bytes, bytes, i);
    if (rc == COR_OK)
        rc = members_bcast(members, all, (size_t)size * bytes);
    return rc;
}
