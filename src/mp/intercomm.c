/* SPDX-License-Identifier: Apache-2.0 */
#include "mp/intercomm.h"

#include "mp/comm.h"
#include "mp/context.h"
#include "mp/internal.h"
#include "mp/members.h"
#include "mp/mp_state.h"

#include <stdlib.h>
#include <string.h>

int cor_intercomm_is_first(const cor_comm *inter)
{
    /* Any rule does on which both sides come to the same answer. */
    return cor_group_peer(inter->group, 0) < cor_group_peer(inter->remote_group, 0);
}

/* ---- the two sides before they have a context in common --------------------------------------------------------- */

/* The leaders talk over the bridge, the others only with their own side. */
typedef struct inter_bridge {
    cor_comm *local, *bridge;
    int is_leader, remote_leader, tag;
} inter_bridge;

static int inter_exchange(const inter_bridge *b, const void *out, size_t out_bytes, void *in, size_t in_bytes)
{
    cor_comm *bridge = b->bridge;
    cor_device *device = bridge->device;
    cor_payload out_payload = cor_payload_plain(out, out_bytes), in_payload = cor_payload_plain(in, in_bytes);
    cor_transfer send = {0}, recv = {0};
    uint32_t context = bridge->context | COR_CONTEXT_BRIDGE;
    int peer = cor_comm_peer(bridge, b->remote_leader);
    cor_device_enter(device);
    int rc = device->ops->irecv(device, &recv, peer, context, b->tag, &in_payload);
    if (rc == COR_OK) {
        rc = device->ops->isend(device, &send, peer, context, b->tag, &out_payload);
        if (rc == COR_OK)
            cor_device_wait(device, &send);
        else
            device->ops->cancel(device, &recv);
        cor_device_wait(device, &recv);
    }
    cor_device_leave(device);
    return rc != COR_OK ? rc : send.error != COR_OK ? send.error : recv.error;
}

/* All of this side get what the leader has: an AND in which only the leader's bits count. */
static int inter_tell(const inter_bridge *b, uint64_t *words, size_t count)
{
    if (!b->is_leader)
        memset(words, 0xff, count * sizeof *words);
    return cor_internal_all_and(b->local, words, count);
}

/* One round of an agreement among both sides. */
static int inter_all_and(void *state, uint64_t *words, size_t count)
{
    const inter_bridge *b = state;
    uint64_t theirs[COR_CONTEXT_WORDS + 1];
    int rc = cor_internal_all_and(b->local, words, count);
    int talked = COR_OK;
    if (rc == COR_OK && b->is_leader) {
        talked = inter_exchange(b, words, count * sizeof *words, theirs, count * sizeof *theirs);
        for (size_t i = 0; i < count && talked == COR_OK; i++)
            words[i] &= theirs[i];
    }
    if (rc == COR_OK)
        rc = inter_tell(b, words, count);
    return talked != COR_OK ? talked : rc;
}

/* The other side's members; *peers_p is to be freed. */
static int inter_learn_peers(const inter_bridge *b, int *count_p, int **peers_p)
{
    cor_comm *local = b->local;
    int mine = local->size, theirs = 0, rc = COR_OK;
    if (b->is_leader)
        rc = inter_exchange(b, &mine, sizeof mine, &theirs, sizeof theirs);
    uint64_t word = rc == COR_OK ? (uint64_t)theirs : 0;
    int told = inter_tell(b, &word, 1);
    if (rc != COR_OK || told != COR_OK)
        return rc != COR_OK ? rc : told;
    if (word == 0)
        return COR_ERR_PEER;        /* the leader knows why, and has told */
    size_t room = (size_t)word + 2; /* read as 64-bit words in the end */
    int *peers = calloc(room, sizeof *peers), *own = malloc((size_t)mine * sizeof *own);
    uint64_t *words = malloc(room / 2 * sizeof *words);
    rc = peers && own && words ? COR_OK : cor_comm_no_memory(local->owner);
    for (int i = 0; rc == COR_OK && i < mine; i++)
        own[i] = cor_group_peer(local->group, i);
    if (rc == COR_OK && b->is_leader)
        rc = inter_exchange(b, own, (size_t)mine * sizeof *own, peers, (size_t)word * sizeof *peers);
    if (rc == COR_OK) {
        memcpy(words, peers, room / 2 * sizeof *words);
        rc = inter_tell(b, words, room / 2);
        memcpy(peers, words, room / 2 * sizeof *words);
    }
    free(own);
    free(words);
    *count_p = (int)word;
    *peers_p = peers;
    return rc;
}

static int inter_overlaps(const cor_group *group, int count, const int *peers)
{
    for (int i = 0; i < count; i++)
        if (cor_group_rank_of(group, peers[i]) != COR_UNDEFINED)
            return 1;
    return 0;
}

int cor_intercomm_create(cor_comm *local, int local_leader, cor_comm *bridge, int remote_leader, int tag,
                         cor_comm **inter_p)
{
    cor_rank *owner = local->owner;
    inter_bridge b = {local, bridge, local->rank == local_leader, remote_leader, tag};
    int count = 0, *peers = NULL;
    uint32_t number;
    int rc = inter_learn_peers(&b, &count, &peers);
    if (rc == COR_OK && inter_overlaps(local->group, count, peers))
        rc = cor_fault_set(owner->fault, COR_ERR_COMM, "the two groups overlap");
    if (rc == COR_OK)
        rc = cor_context_agree_by(owner, (uint32_t)tag, inter_all_and, &b, &number);
    if (rc == COR_OK) {
        cor_group_ref(local->group);
        cor_comm *inter = cor_comm_make(owner, local->group, cor_rank_make_group(owner, count, peers), number);
        if (inter) {
            *inter_p = inter;
        } else {
            cor_context_release(owner, number);
            rc = cor_comm_no_memory(owner);
        }
    }
    free(peers);
    return rc;
}

int cor_intercomm_create_from_groups(cor_rank *rank, const cor_group *local, int local_leader, const cor_group *remote,
                                     int remote_leader, int tag, cor_comm **inter_p)
{
    cor_comm *side;
    int rc = cor_comm_create_from_group(rank, local, tag, &side);
    if (rc != COR_OK)
        return rc;
    int is_leader = side->rank == local_leader;
    rc = cor_intercomm_create(side, local_leader, rank->world, is_leader ? cor_group_peer(remote, remote_leader) : 0,
                              tag, inter_p);
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
