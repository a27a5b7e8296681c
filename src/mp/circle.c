#include "mp/circle.h"

#include "mp/alive.h"
#include "mp/intercomm.h"
#include "mp/mp_state.h"

#include <stdlib.h>
#include <string.h>

cor_circle cor_circle_of_comm(cor_comm *comm, int tag)
{
    cor_circle circle = {.owner = comm->owner, .context = comm->context + 1, .tag = tag};
    circle.first = comm->group;
    circle.index = comm->rank;
    if (cor_comm_is_inter(comm)) {
        int is_first = cor_intercomm_is_first(comm);
        circle.first = is_first ? comm->group : comm->remote_group;
        circle.second = is_first ? comm->remote_group : comm->group;
        circle.index = comm->rank + (is_first ? 0 : comm->remote_size);
    }
    return circle;
}

/* ---- a binomial tree rooted at the first ------------------------------------------------------------------------ */

static int circle_parent(int index)
{
    return index & (index - 1);
}

/* The bit above the last child's: children are index | bit for every smaller bit that stays in the row. */
static int circle_top(const cor_circle *circle)
{
    int bit = 1, size = cor_circle_size(circle);
    while (bit < size && !(circle->index & bit))
        bit <<= 1;
    return bit;
}

static int circle_child_count(const cor_circle *circle)
{
    int count = 0, size = cor_circle_size(circle);
    for (int bit = 1; bit < circle_top(circle); bit <<= 1)
        count += (circle->index | bit) < size;
    return count;
}

/* ---- ballots ---------------------------------------------------------------------------------------------------- */

typedef enum ballot_phase { BALLOT_GATHER, BALLOT_ASK, BALLOT_TELL, BALLOT_DONE } ballot_phase;

struct cor_ballot {
    cor_circle circle;
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

cor_ballot *cor_ballot_create(const cor_circle *circle, uint64_t *words, size_t count)
{
    int children = circle_child_count(circle);
    size_t transfers = ballot_transfer_count(children);
    cor_ballot *ballot = calloc(1, sizeof *ballot + transfers * sizeof(cor_transfer));
    if (!ballot)
        return NULL;
    ballot->theirs = malloc(((size_t)children + 1) * (count + 1) * sizeof *words);
    if (!ballot->theirs) {
        free(ballot);
        return NULL;
    }
    ballot->circle = *circle;
    ballot->child_count = children;
    ballot->capacity = count;
    cor_ballot_restart(ballot, words, count);
    return ballot;
}

/* What has been begun with the others must end before the memory goes. */
static void ballot_fail(cor_ballot *ballot, int error)
{
    cor_device *device = ballot->circle.owner->device;
    if (ballot->error == COR_OK)
        ballot->error = error;
    for (int i = 0; i < ballot->started; i++)
        if (!ballot->transfers[i].is_done)
            device->ops->cancel(device, &ballot->transfers[i]);
}

static void ballot_start_recv(cor_ballot *ballot, int index, uint64_t *into)
{
    const cor_circle *circle = &ballot->circle;
    cor_device *device = circle->owner->device;
    cor_transfer *t = &ballot->transfers[ballot->started];
    cor_payload payload = cor_payload_plain(into, ballot->count * sizeof *into);
    if (ballot->error != COR_OK)
        return;
    *t = (cor_transfer){0};
    int rc = device->ops->irecv(device, t, cor_circle_peer(circle, index), circle->context, circle->tag, &payload);
    if (rc == COR_OK)
        ballot->started++;
    else
        ballot_fail(ballot, rc);
}

static void ballot_start_send(cor_ballot *ballot, int index)
{
    const cor_circle *circle = &ballot->circle;
    cor_device *device = circle->owner->device;
    cor_transfer *t = &ballot->transfers[ballot->started];
    cor_payload payload = cor_payload_plain(ballot->words, ballot->count * sizeof *ballot->words);
    if (ballot->error != COR_OK)
        return;
    *t = (cor_transfer){0};
    int rc = device->ops->isend(device, t, cor_circle_peer(circle, index), circle->context, circle->tag, &payload);
    if (rc == COR_OK)
        ballot->started++;
    else
        ballot_fail(ballot, rc);
}

static void ballot_begin(cor_ballot *ballot, ballot_phase phase)
{
    const cor_circle *circle = &ballot->circle;
    int top = circle_top(circle), size = cor_circle_size(circle);
    ballot->phase = phase;
    ballot->started = 0;
    switch (phase) {
    case BALLOT_GATHER:
        for (int bit = 1; bit < top; bit <<= 1)
            if ((circle->index | bit) < size)
                ballot_start_recv(ballot, circle->index | bit,
                                  ballot->theirs + (size_t)ballot->started * ballot->count);
        break;
    case BALLOT_ASK:
        if (circle->index != 0) {
            ballot_start_recv(ballot, circle_parent(circle->index), ballot->theirs);
            ballot_start_send(ballot, circle_parent(circle->index));
        }
        break;
    case BALLOT_TELL:
        for (int bit = top >> 1; bit > 0; bit >>= 1)
            if ((circle->index | bit) < size)
                ballot_start_send(ballot, circle->index | bit);
        break;
    case BALLOT_DONE:
        break;
    }
}

/* Those who still wait for us would wait for ever. */
static void ballot_let_down(const cor_ballot *ballot)
{
    const cor_circle *circle = &ballot->circle;
    cor_device *device = circle->owner->device;
    int top = circle_top(circle), size = cor_circle_size(circle);
    if (ballot->phase == BALLOT_GATHER && circle->index != 0)
        device->ops->let_down(device, cor_circle_peer(circle, circle_parent(circle->index)), circle->context,
                              circle->tag);
    for (int bit = 1; bit < top && ballot->phase != BALLOT_TELL; bit <<= 1)
        if ((circle->index | bit) < size)
            device->ops->let_down(device, cor_circle_peer(circle, circle->index | bit), circle->context, circle->tag);
}

/* Nobody sends anything too long here unless it is in another call. */
static void ballot_note_error(cor_ballot *ballot, const cor_transfer *t)
{
    if (t->error == COR_OK || ballot->error != COR_OK)
        return;
    ballot->error = t->error;
    if (t->error == COR_ERR_TRUNCATE)
        cor_fault_set(&ballot->circle.owner->fault, t->error,
                      "rank %d of the job is in another collective call than this rank", t->peer);
}

/* Everything the phase waited for is there. */
static void ballot_end_phase(cor_ballot *ballot)
{
    for (int i = 0; i < ballot->started; i++)
        ballot_note_error(ballot, &ballot->transfers[i]);
    if (ballot->error != COR_OK) {
        if (ballot->error == COR_ERR_PEER)
            ballot_let_down(ballot);
        ballot->phase = BALLOT_DONE;
        return;
    }
    if (ballot->phase == BALLOT_GATHER)
        for (size_t i = 0; i < (size_t)ballot->child_count * ballot->count; i++)
            ballot->words[i % ballot->count] &= ballot->theirs[i];
    if (ballot->phase == BALLOT_ASK && ballot->circle.index != 0 && ballot->count)
        memcpy(ballot->words, ballot->theirs, ballot->count * sizeof *ballot->words);
    ballot_begin(ballot, ballot->phase + 1);
}

/* A member that is lost ends it for all: others may have left it because of that. */
static void ballot_look_for_lost(cor_ballot *ballot)
{
    ballot->lost_seen = ballot->circle.owner->device->lost_count;
    int rc = cor_circle_find_lost(&ballot->circle);
    if (rc != COR_OK)
        ballot_fail(ballot, rc);
}

int cor_ballot_step(cor_ballot *ballot)
{
    int has_moved = 0;
    if (COR_UNLIKELY(ballot->lost_seen != ballot->circle.owner->device->lost_count))
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

int cor_circle_all_and(const cor_circle *circle, uint64_t *words, size_t count)
{
    cor_device *device = circle->owner->device;
    cor_idle_state idle = {0};
    cor_device_enter(device);
    cor_ballot *ballot = cor_ballot_create(circle, words, count);
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
        cor_fault_set(&circle->owner->fault, rc, "no memory to agree with the other ranks");
    }
    cor_device_leave(device);
    return rc;
}

static int circle_end(const cor_circle *circle, cor_transfer *t, int rc)
{
    if (rc == COR_OK)
        rc = cor_circle_wait(circle, t);
    cor_device_leave(circle->owner->device);
    return rc;
}

static int circle_send(const cor_circle *circle, const void *data, size_t bytes, int index)
{
    cor_device *device = circle->owner->device;
    cor_payload payload = cor_payload_plain(data, bytes);
    cor_transfer t = {0};
    cor_device_enter(device);
    int peer = cor_circle_peer(circle, index);
    return circle_end(circle, &t, device->ops->isend(device, &t, peer, circle->context, circle->tag, &payload));
}

static int circle_recv(const cor_circle *circle, void *data, size_t bytes, int index)
{
    cor_device *device = circle->owner->device;
    cor_payload payload = cor_payload_plain(data, bytes);
    cor_transfer t = {0};
    cor_device_enter(device);
    int peer = cor_circle_peer(circle, index);
    return circle_end(circle, &t, device->ops->irecv(device, &t, peer, circle->context, circle->tag, &payload));
}

static int circle_bcast(const cor_circle *circle, void *data, size_t bytes)
{
    int rc = COR_OK, size = cor_circle_size(circle);
    if (circle->index != 0)
        rc = circle_recv(circle, data, bytes, circle_parent(circle->index));
    for (int bit = circle_top(circle) >> 1; bit > 0 && rc == COR_OK; bit >>= 1)
        if ((circle->index | bit) < size)
            rc = circle_send(circle, data, bytes, circle->index | bit);
    return rc;
}

int cor_circle_gather_all(const cor_circle *circle, const void *block, size_t bytes, void *all)
{
    char *at = all;
    int rc = COR_OK, size = cor_circle_size(circle);
    memcpy(at + (size_t)circle->index * bytes, block, bytes);
    if (circle->index != 0)
        rc = circle_send(circle, block, bytes, 0);
    else
        for (int i = 1; i < size && rc == COR_OK; i++)
            rc = circle_recv(circle, at + (size_t)i * bytes, bytes, i);
    if (rc == COR_OK)
        rc = circle_bcast(circle, all, (size_t)size * bytes);
    return rc;
}
