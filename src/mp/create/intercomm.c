/* SPDX-License-Identifier: Apache-2.0 */
#include "mp/create/intercomm.h"

#include "mp/create/comm.h"
#include "mp/create/context.h"
#include "mp/internal.h"
#include "mp/members.h"
#include "mp/mp_state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- the two sides before they have a context in common --------------------------------------------------------- */

/* The leaders talk over the bridge, the others only with their own side. */
static int inter_is_leader(const cor_meeting *m)
{
    return m->local->rank == m->local_leader;
}

static int inter_exchange(const cor_meeting *m, const void *out, size_t out_bytes, void *in, size_t in_bytes)
{
    cor_comm *bridge = m->bridge;
    cor_device *device = bridge->device;
    cor_payload out_payload = cor_payload_plain(out, out_bytes), in_payload = cor_payload_plain(in, in_bytes);
    cor_transfer send = {0}, recv = {0};
    uint32_t context = bridge->context | COR_CONTEXT_BRIDGE;
    int peer = cor_comm_peer(bridge, m->remote_leader), tag = m->tag & device->tag_max;
    cor_device_enter(device);
    int rc = device->ops->irecv(device, &recv, peer, context, tag, &in_payload);
    if (rc == COR_OK) {
        rc = device->ops->isend(device, &send, peer, context, tag, &out_payload);
        if (rc == COR_OK)
            cor_device_wait(device, &send);
        else
            device->ops->cancel(device, &recv);
        cor_device_wait(device, &recv);
    }
    cor_device_leave(device);
    if (rc == COR_OK)
        rc = send.error != COR_OK ? send.error : recv.error;
    if (rc == COR_OK && recv.bytes != in_bytes)
        rc = cor_fault_set(bridge->owner->fault, COR_ERR_PROTOCOL, "the other leader sent %zu bytes instead of %zu",
                           recv.bytes, in_bytes);
    return rc;
}

int cor_meeting_exchange(const cor_meeting *meeting, const void *out, void *in, size_t bytes)
{
    return inter_exchange(meeting, out, bytes, in, bytes);
}

/* All of this side get what the leader has: an AND in which only the leader's bits count. */
static int inter_tell(const cor_meeting *m, void *words, size_t count)
{
    if (!inter_is_leader(m))
        memset(words, 0xff, count * sizeof(uint64_t));
    return cor_internal_all_and(m->local, words, count);
}

/* The same if the leader's exchange with the other leader succeeded; else all return its error. */
static int inter_share(const cor_meeting *m, int code, void *words, size_t count)
{
    uint64_t failure = (uint64_t)-code;
    int rc = inter_tell(m, &failure, 1);
    if (rc == COR_OK && failure)
        return -(int)failure;
    return rc == COR_OK ? inter_tell(m, words, count) : rc;
}

/* One round of an agreement among both sides. */
static int inter_all_and(void *state, uint64_t *words, size_t count)
{
    const cor_meeting *m = state;
    uint64_t theirs[COR_CONTEXT_WORDS + 1];
    int talked = COR_OK, rc = cor_internal_all_and(m->local, words, count);
    if (rc != COR_OK)
        return rc;
    if (inter_is_leader(m)) {
        talked = inter_exchange(m, words, count * sizeof *words, theirs, count * sizeof *theirs);
        for (size_t i = 0; i < count && talked == COR_OK; i++)
            words[i] &= theirs[i];
    }
    return inter_share(m, talked, words, count);
}

/* ---- the other side --------------------------------------------------------------------------------------------- */

/* What a leader sends to the other leader and then to its own side. */
typedef struct inter_hello {
    uint64_t size;      /* members of the leader's side */
    uint64_t is_within; /* the job of the bridge has them all */
    uint64_t job;       /* its id */
} inter_hello;
enum { INTER_SIZE_MAX = (1 << COR_PEER_BITS) - 1, INTER_HELLO_WORDS = sizeof(inter_hello) / sizeof(uint64_t) };

/* The other side, as each member knows it in the end. */
typedef struct inter_remote {
    int size;
    int *numbers;    /* of its members (identity.h); to be freed */
    cor_rank *owner; /* this process's rank in the job that has all members of both sides; NULL: there is none yet */
} inter_remote;

static int inter_is_within(const cor_meeting *m)
{
    const cor_group *local = m->local->group, *all = m->bridge->owner->world->group;
    int i = 0;
    while (i < local->size && cor_group_find(all, local, i) != COR_UNDEFINED)
        i++;
    return i == local->size;
}

/* *hello_p is the other side's, except that is_within speaks of both. */
static int inter_greet(const cor_meeting *m, inter_hello *hello_p)
{
    inter_hello theirs = {0};
    int rc = COR_OK;
    if (inter_is_leader(m) && !m->bridge) {
        rc = cor_fault_set(m->local->owner->fault, COR_ERR_ARG, "no communicator ever had both leaders as members");
    } else if (inter_is_leader(m)) {
        inter_hello mine = {(uint64_t)m->local->size, (uint64_t)inter_is_within(m), m->bridge->owner->job_id};
        rc = inter_exchange(m, &mine, sizeof mine, &theirs, sizeof theirs);
        theirs.is_within = theirs.is_within && mine.is_within;
    }
    rc = inter_share(m, rc, &theirs, INTER_HELLO_WORDS);
    *hello_p = theirs;
    return rc;
}

/* Who the members of the other side are. */
static int inter_learn_numbers(const cor_meeting *m, int size, int *numbers)
{
    cor_rank *rank = m->local->owner;
    int own_size = m->local->size, rc = COR_OK;
    cor_identity *own = malloc((size_t)own_size * sizeof *own), *theirs = malloc((size_t)size * sizeof *theirs);
    if (!own || !theirs)
        rc = cor_comm_no_memory(rank);
    for (int i = 0; i < own_size && rc == COR_OK; i++)
        own[i] = cor_identity_of(rank, cor_group_number(m->local->group, i));
    if (rc == COR_OK && inter_is_leader(m))
        rc = inter_exchange(m, own, (size_t)own_size * sizeof *own, theirs, (size_t)size * sizeof *theirs);
    if (theirs)
        rc = inter_share(m, rc, theirs, (size_t)size * sizeof *theirs / sizeof(uint64_t));
    for (int i = 0; i < size && rc == COR_OK; i++)
        rc = cor_identity_number(rank, theirs[i], &numbers[i], rank->fault);
    free(own);
    free(theirs);
    return rc;
}

static int inter_overlaps(const cor_group *group, const inter_remote *remote)
{
    for (int i = 0; i < remote->size; i++)
        if (cor_group_find_number(group, remote->numbers[i]) != COR_UNDEFINED)
            return 1;
    return 0;
}

static int inter_learn(const cor_meeting *m, inter_remote *remote)
{
    cor_rank *rank = m->local->owner;
    inter_hello hello;
    int rc = inter_greet(m, &hello);
    if (rc != COR_OK)
        return rc;
    if (hello.size < 1 || hello.size > INTER_SIZE_MAX)
        return cor_fault_set(rank->fault, COR_ERR_PROTOCOL, "the other side says that it has %" PRIu64 " members",
                             hello.size);
    remote->size = (int)hello.size;
    remote->numbers = malloc((size_t)remote->size * sizeof *remote->numbers);
    rc = remote->numbers ? inter_learn_numbers(m, remote->size, remote->numbers) : cor_comm_no_memory(rank);
    if (rc == COR_OK && inter_overlaps(m->local->group, remote))
        rc = cor_fault_set(rank->fault, COR_ERR_COMM, "the two groups overlap");
    if (rc == COR_OK && hello.is_within)
        remote->owner = cor_rank_in_job(rank, hello.job);
    const cor_group *all = remote->owner ? remote->owner->world->group : NULL;
    for (int i = 0; rc == COR_OK && all && i < remote->size; i++)
        if (cor_group_find_number(all, remote->numbers[i]) == COR_UNDEFINED)
            rc = cor_fault_set(rank->fault, COR_ERR_PROTOCOL,
                               "member %d of the other side is not in the job of the bridge", i);
    return rc;
}

/* ---- making one ------------------------------------------------------------------------------------------------- */

/* Both groups as those of the job, each with a reference; NULL: no memory. */
static cor_group *inter_local_group(const cor_meeting *m, cor_rank *owner)
{
    cor_group *group = m->local->group;
    if (m->local->owner == owner)
        cor_group_ref(group);
    else if (cor_group_move(group, owner->world->group, &group) != COR_OK)
        return NULL;
    return group;
}

static cor_group *inter_remote_group(const inter_remote *remote)
{
    const cor_group *all = remote->owner->world->group;
    int *peers = malloc((size_t)remote->size * sizeof *peers);
    if (!peers)
        return NULL;
    for (int i = 0; i < remote->size; i++)
        peers[i] = cor_group_peer(all, cor_group_find_number(all, remote->numbers[i]));
    cor_group *group = cor_rank_make_group(remote->owner, remote->size, peers);
    free(peers);
    return group;
}

static int inter_make(cor_meeting *m, const inter_remote *remote, cor_comm **inter_p)
{
    cor_rank *owner = remote->owner;
    uint32_t number;
    int rc = cor_context_agree_by(owner, (uint32_t)m->tag, inter_all_and, m, &number);
    if (rc != COR_OK)
        return rc;
    cor_comm *inter = cor_comm_make(owner, inter_local_group(m, owner), inter_remote_group(remote), number);
    if (!inter) {
        cor_context_release(owner, number);
        return cor_comm_no_memory(owner);
    }
    *inter_p = inter;
    return COR_OK;
}

/* Any rule will do that gives both sides the same result. */
static int inter_comes_first(const cor_meeting *m, const inter_remote *remote)
{
    cor_rank *rank = m->local->owner;
    cor_identity ours = cor_identity_of(rank, cor_group_number(m->local->group, 0)),
                 theirs = cor_identity_of(rank, remote->numbers[0]);
    return ours.job != theirs.job ? ours.job < theirs.job : ours.rank < theirs.rank;
}

int cor_intercomm_create(cor_comm *local, int local_leader, cor_comm *bridge, int remote_leader, int tag,
                         cor_comm **inter_p)
{
    cor_meeting meeting = {local, bridge, local_leader, remote_leader, tag, 0};
    inter_remote remote = {0};
    int rc = inter_learn(&meeting, &remote);
    if (rc == COR_OK && remote.owner) {
        rc = inter_make(&meeting, &remote, inter_p);
    } else if (rc == COR_OK) {
        meeting.is_first = inter_comes_first(&meeting, &remote);
        rc = local->owner->origin->meet(&meeting, inter_p);
    }
    free(remote.numbers);
    return rc;
}

/* The world of a job that both leaders are in, and the rank of the other one there; NULL: there is none. */
static cor_comm *inter_find_bridge(cor_rank *rank, const cor_comm *side, const cor_group *remote, int *remote_leader_p)
{
    cor_group *self, *other, *both;
    cor_comm *bridge = NULL;
    int me = side->rank;
    if (cor_group_incl(side->group, 1, &me, &self) != COR_OK)
        return NULL;
    if (cor_group_incl(remote, 1, remote_leader_p, &other) == COR_OK) {
        if (cor_group_union(self, other, &both) == COR_OK) {
            cor_rank *common = cor_rank_in_job_of(rank, both);
            bridge = common ? common->world : NULL;
            cor_group_unref(both);
        }
        if (bridge)
            *remote_leader_p = cor_group_find(bridge->group, other, 0);
        cor_group_unref(other);
    }
    cor_group_unref(self);
    return bridge;
}

int cor_intercomm_create_from_groups(cor_rank *rank, const cor_group *local, int local_leader, const cor_group *remote,
                                     int remote_leader, uint32_t name, cor_comm **inter_p)
{
    cor_comm *side, *bridge = NULL;
    int rc = cor_comm_create_from_group(rank, local, name, &side);
    if (rc != COR_OK)
        return rc;
    if (side->rank == local_leader)
        bridge = inter_find_bridge(rank, side, remote, &remote_leader);
    rc = cor_intercomm_create(side, local_leader, bridge, remote_leader, (int)(name & INT32_MAX), inter_p);
    cor_comm_unref(side);
    return rc;
}

/* ---- merging ---------------------------------------------------------------------------------------------------- */

/* Two bits a side: "all of us are high", "all of us are low". */
static int inter_agree_on_order(cor_comm *inter, int is_high, int *is_own_first_p)
{
    int is_first = cor_intercomm_is_first(inter);
    uint64_t word = UINT64_MAX;
    int shift = is_first ? 0 : 2;
    word &= ~((uint64_t)(is_high ? 2 : 1) << shift);
    int rc = cor_internal_all_and(inter, &word, 1);
    if (rc != COR_OK)
        return rc;
    int own = (int)(word >> shift & 3), other = (int)(word >> (2 - shift) & 3);
    if (own == 0 || other == 0)
        return cor_fault_set(inter->owner->fault, COR_ERR_ARG,
                             "the members of %s side do not agree on which side comes first",
                             own == 0 ? "this" : "the other");
    *is_own_first_p = own == other ? is_first : own == 2;
    return COR_OK;
}

static cor_group *inter_all_members(const cor_comm *inter, int is_own_first)
{
    const cor_group *first = is_own_first ? inter->group : inter->remote_group;
    const cor_group *second = is_own_first ? inter->remote_group : inter->group;
    cor_members row = {.first = first, .second = second};
    int count = cor_members_size(&row);
    int *peers = malloc((size_t)count * sizeof *peers);
    if (!peers)
        return NULL;
    for (int i = 0; i < count; i++)
        peers[i] = cor_members_peer(&row, i);
    cor_group *all = cor_rank_make_group(inter->owner, count, peers);
    free(peers);
    return all;
}

int cor_intercomm_merge(cor_comm *inter, int is_high, cor_comm **merged_p)
{
    cor_rank *owner = inter->owner;
    int is_own_first = 0;
    uint32_t number;
    int rc = inter_agree_on_order(inter, is_high, &is_own_first);
    if (rc == COR_OK)
        rc = cor_context_agree(inter, &number);
    if (rc != COR_OK)
        return rc;
    cor_comm *merged = cor_comm_make_intra(owner, inter_all_members(inter, is_own_first), number);
    if (!merged) {
        cor_context_release(owner, number);
        return cor_comm_no_memory(owner);
    }
    *merged_p = merged;
    return COR_OK;
}
