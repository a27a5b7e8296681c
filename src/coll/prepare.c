/* SPDX-License-Identifier: Apache-2.0 */
#include "coll/prepare.h"

#include "coll/plan/coll_comm.h"
#include "mp/topology.h"

#include <string.h>

enum { PREPARE_SPARE_MAX = 4 << 20 }; /* of memory that an idle plan keeps */

/* ---- the call, as algorithms see it ----------------------------------------------------------------------------- */

/* Blocks of one length. Enough for either side of an intercommunicator. */
static const size_t *prepare_even(cor_plan *plan, size_t count, size_t bytes)
{
    int is_made;
    size_t *starts = cor_plan_table(plan, "even", bytes, (count + 1) * sizeof *starts, &is_made);
    for (size_t i = 0; starts && !is_made && i <= count; i++)
        starts[i] = i * bytes;
    return starts;
}

static const size_t *prepare_copy(cor_plan *plan, size_t count, const size_t *from)
{
    int is_made;
    size_t *starts = cor_plan_table(plan, "copy", (uintptr_t)from, (count + 1) * sizeof *starts, &is_made);
    if (starts && !is_made)
        memcpy(starts, from, (count + 1) * sizeof *starts);
    return starts;
}

static void prepare_pairs(cor_plan *plan, const cor_call *call, size_t send_count, size_t recv_count)
{
    plan->recv_starts = call->recv.starts ? prepare_copy(plan, recv_count, call->recv.starts)
                                          : prepare_even(plan, recv_count, call->recv.bytes);
    if (call->is_in_place)
        plan->send_starts = plan->recv_starts;
    else
        plan->send_starts = call->send.starts ? prepare_copy(plan, send_count, call->send.starts)
                                              : prepare_even(plan, send_count, call->send.bytes);
}

static void prepare_blocks(cor_plan *plan, const cor_call *call)
{
    size_t remote = (size_t)plan->remote_size,
           either = (size_t)(plan->size > plan->remote_size ? plan->size : plan->remote_size);
    switch (call->primitive) {
    case COR_GATHER:
        plan->bytes = call->is_in_place || call->send.bytes == 0 ? call->recv.bytes : call->send.bytes;
        plan->starts = prepare_even(plan, either, plan->bytes);
        break;
    case COR_ALLGATHER: /* the two sides of an intercommunicator may differ in length */
        plan->bytes = call->is_in_place ? call->recv.bytes : call->send.bytes;
        plan->starts = prepare_even(plan, either, call->recv.bytes);
        break;
    case COR_SCATTER:
        plan->bytes = call->is_in_place || call->recv.bytes == 0 ? call->send.bytes : call->recv.bytes;
        plan->starts = prepare_even(plan, either, plan->bytes);
        break;
    case COR_REDUCE_SCATTER_BLOCK:
        plan->bytes = call->recv.bytes;
        plan->starts = prepare_even(plan, either, plan->bytes);
        break;
    case COR_GATHERV:
        plan->bytes = call->send.bytes;
        plan->starts = call->recv.starts ? prepare_copy(plan, remote, call->recv.starts) : NULL;
        break;
    case COR_SCATTERV:
        plan->bytes = call->recv.bytes;
        plan->starts = call->send.starts ? prepare_copy(plan, remote, call->send.starts) : NULL;
        break;
    case COR_ALLGATHERV:
        plan->bytes = call->send.bytes;
        plan->starts = prepare_copy(plan, remote, call->recv.starts);
        break;
    case COR_REDUCE_SCATTER:
        plan->starts = prepare_copy(plan, (size_t)plan->size, call->send.starts);
        break;
    case COR_ALLTOALL:
        plan->bytes = call->is_in_place ? call->recv.bytes : call->send.bytes;
        prepare_pairs(plan, call, either, either);
        break;
    case COR_ALLTOALLV:
    case COR_ALLTOALLW:
        prepare_pairs(plan, call, remote, remote);
        break;
    default:
        plan->bytes = call->send.bytes;
        prepare_pairs(plan, call, (size_t)cor_topology_destinations(plan->comm).count,
                      (size_t)cor_topology_sources(plan->comm).count);
        break;
    }
    /* In v forms a rank in place has no send stream to read the length of. */
    if (plan->starts && (call->primitive == COR_REDUCE_SCATTER ||
                         (call->is_in_place && (call->primitive == COR_GATHERV || call->primitive == COR_SCATTERV ||
                                                call->primitive == COR_ALLGATHERV))))
        plan->bytes = plan->starts[plan->rank + 1] - plan->starts[plan->rank];
}

static void prepare_describe(cor_plan *plan, const cor_call *call, const cor_rule *rule)
{
    plan->root = call->root;
    plan->is_in_place = call->is_in_place;
    plan->is_commutative = cor_call_is_commutative(call);
    plan->element_bytes = cor_call_element_bytes(call);
    memcpy(plan->parameters, rule->parameters, sizeof plan->parameters);
    switch (call->primitive) {
    case COR_BARRIER:
        break;
    case COR_REDUCE:
    case COR_EXSCAN: /* the first rank has nothing to receive */
        plan->bytes = call->send.bytes ? call->send.bytes : call->recv.bytes;
        break;
    case COR_BCAST:
    case COR_ALLREDUCE:
    case COR_SCAN:
        plan->bytes = call->recv.bytes;
        break;
    default:
        prepare_blocks(plan, call);
        break;
    }
}

/* In place, what alltoall sends would be overwritten: the plan begins with a copy, at the start of TEMP. */
static void prepare_own_copy(cor_plan *plan)
{
    if (!plan->is_in_place || plan->primitive < COR_ALLTOALL || plan->primitive > COR_ALLTOALLW || plan->error)
        return;
    size_t bytes = plan->recv_starts[plan->remote_size];
    cor_plan_copy(plan, cor_ref_slot(COR_SLOT_RECV, bytes), cor_plan_temp(plan, bytes));
}

static cor_plan *prepare_build(const cor_call *call, const cor_rule *rule, cor_check_form check,
                               cor_plan_tables *tables)
{
    cor_plan *plan = cor_plan_create(call->comm, call->primitive);
    if (!plan)
        return NULL;
    plan->tables = tables;
    prepare_describe(plan, call, rule);
    prepare_own_copy(plan);
    if (check)
        cor_check_build(plan, call, check);
    if (plan->error == COR_OK)
        rule->algorithm->build(plan);
    if (plan->error != COR_OK) {
        cor_plan_unref(plan);
        return NULL;
    }
    return plan;
}

cor_plan *cor_prepare_plan(const cor_call *call, const cor_rule *rule, cor_plan_tables *tables)
{
    return prepare_build(call, rule, COR_CHECK_NONE, tables);
}

/* ---- plans that are kept ---------------------------------------------------------------------------------------- */

static int prepare_is_cacheable(const cor_call *call)
{
    return !call->send.starts && !call->recv.starts && !call->send.parts && !call->recv.parts &&
           call->primitive != COR_GATHERV && call->primitive != COR_SCATTERV;
}

static void prepare_key(cor_plan_key *key, const cor_call *call, const cor_rule *rule)
{
    memset(key, 0, sizeof *key); /* also between the fields: keys are compared as bytes */
    key->algorithm = rule->algorithm;
    memcpy(key->parameters, rule->parameters, sizeof key->parameters);
    key->send_bytes = call->send.bytes;
    key->recv_bytes = call->recv.bytes;
    key->element_bytes = cor_call_element_bytes(call);
    key->root = call->root;
    key->is_in_place = (uint8_t)call->is_in_place;
    key->is_commutative = (uint8_t)cor_call_is_commutative(call);
}

static cor_cached_plan *prepare_find(cor_plan_cache *cache, const cor_plan_key *key)
{
    for (int i = 0; i < COR_CACHED_PLANS; i++)
        if (cache->plans[i].plan && memcmp(&cache->plans[i].key, key, sizeof *key) == 0)
            return &cache->plans[i];
    return NULL;
}

static void prepare_clear(cor_cached_plan *cached)
{
    if (cached->spare)
        cor_execution_destroy(cached->spare);
    if (cached->plan)
        cor_plan_unref(cached->plan);
    *cached = (cor_cached_plan){0};
}

void cor_plan_cache_clear(cor_plan_cache *cache)
{
    for (int i = 0; i < COR_CACHED_PLANS; i++)
        prepare_clear(&cache->plans[i]);
}

/* An entry for a new plan: an empty one, or the one that was not used for longest. */
static cor_cached_plan *prepare_evict(cor_plan_cache *cache)
{
    cor_cached_plan *oldest = &cache->plans[0];
    for (int i = 0; i < COR_CACHED_PLANS && oldest->plan; i++)
        if (!cache->plans[i].plan || cache->plans[i].last_use < oldest->last_use)
            oldest = &cache->plans[i];
    prepare_clear(oldest);
    return oldest;
}

cor_execution *cor_prepare(const cor_call *call, const cor_rule *rule, cor_check_form check)
{
    cor_plan_cache *cache = ((cor_coll_comm *)cor_comm_coll(call->comm))->cache;
    if (check || !prepare_is_cacheable(call)) {
        cor_plan *plan = prepare_build(call, rule, check, NULL);
        cor_execution *execution = plan ? cor_execution_create(plan) : NULL;
        if (plan)
            cor_plan_unref(plan);
        return execution;
    }
    cor_plan_key key;
    prepare_key(&key, call, rule);
    cor_cached_plan *cached = prepare_find(cache, &key);
    if (!cached) {
        cor_plan *plan = prepare_build(call, rule, COR_CHECK_NONE, NULL);
        if (!plan)
            return NULL;
        cached = prepare_evict(cache);
        cached->key = key;
        cached->plan = plan;
    }
    cached->last_use = ++cache->uses;
    cor_execution *execution = cached->spare;
    cached->spare = NULL;
    return execution ? execution : cor_execution_create(cached->plan);
}

void cor_prepare_give_back(cor_comm *comm, cor_execution *execution)
{
    cor_plan_cache *cache = ((cor_coll_comm *)cor_comm_coll(comm))->cache;
    const cor_plan *plan = cor_execution_plan(execution);
    if (plan->temp_bytes <= PREPARE_SPARE_MAX)
        for (int i = 0; i < COR_CACHED_PLANS; i++)
            if (cache->plans[i].plan == plan && !cache->plans[i].spare) {
                cache->plans[i].spare = execution;
                return;
            }
    cor_execution_destroy(execution);
}
