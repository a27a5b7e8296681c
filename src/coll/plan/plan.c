/* SPDX-License-Identifier: Apache-2.0 */
/* Building a plan: memory, notes and steps are appended. */
#include "coll/plan/plan_step.h"

#include "base/cpu.h"
#include "mp/group.h"

#include <stdlib.h>
#include <string.h>

/* ---- life ------------------------------------------------------------------------------------------------------- */

typedef struct plan_note {
    struct plan_note *next;
    _Alignas(16) char memory[];
} plan_note;

cor_plan *cor_plan_create(cor_comm *comm, cor_primitive primitive)
{
    cor_plan *plan = malloc(sizeof *plan);
    int rank = cor_comm_rank(comm), size = cor_comm_size(comm);
    if (plan)
        *plan = (cor_plan){.references = 1,
                           .primitive = primitive,
                           .comm = comm,
                           .rank = rank,
                           .size = size,
                           .remote_size = cor_comm_remote_size(comm),
                           .everyone = {size, rank, NULL},
                           .element_bytes = 1};
    return plan;
}

void cor_plan_unref(cor_plan *plan)
{
    if (--plan->references > 0)
        return;
    free(plan->steps);
    for (plan_note *note = plan->notes, *next; note; note = next) {
        next = note->next;
        free(note);
    }
    free(plan);
}

cor_plan *cor_plan_create_rest(const cor_plan *plan, const size_t *starts)
{
    cor_plan *rest = cor_plan_create(plan->comm, plan->primitive);
    if (!rest)
        return NULL;
    rest->root = plan->root;
    rest->is_in_place = plan->is_in_place;
    rest->is_commutative = plan->is_commutative;
    rest->element_bytes = plan->element_bytes;
    rest->bytes = plan->bytes;
    rest->starts = starts;
    rest->tables = plan->tables;
    memcpy(rest->parameters, plan->parameters, sizeof rest->parameters);
    plan->rest(rest);
    if (rest->error == COR_OK)
        return rest;
    cor_plan_unref(rest);
    return NULL;
}

void *cor_plan_note(cor_plan *plan, size_t bytes)
{
    plan_note *note = calloc(1, sizeof *note + bytes);
    if (!note) {
        plan->error = COR_ERR_MEMORY;
        return NULL;
    }
    note->next = plan->notes;
    plan->notes = note;
    return note->memory;
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

cor_ref cor_plan_temp(cor_plan *plan, size_t bytes)
{
    cor_ref temp = {COR_SLOT_TEMP, plan->temp_bytes, bytes};
    plan->temp_bytes += (bytes + COR_CACHE_LINE - 1) / COR_CACHE_LINE * COR_CACHE_LINE;
    return temp;
}

/* ---- steps ------------------------------------------------------------------------------------------------------ */

static cor_step *plan_append(cor_plan *plan, cor_step_kind kind)
{
    if (plan->error != COR_OK)
        return NULL;
    if (plan->step_count == plan->step_room) {
        size_t room = plan->step_room ? plan->step_room * 2 : 16;
        cor_step *larger = realloc(plan->steps, room * sizeof *larger);
        if (!larger) {
            plan->error = COR_ERR_MEMORY;
            return NULL;
        }
        plan->steps = larger;
        plan->step_room = room;
    }
    cor_step *step = &plan->steps[plan->step_count++];
    *step = (cor_step){.kind = (uint8_t)kind};
    return step;
}

static int plan_transfer(cor_plan *plan, cor_step_kind kind, int peer, cor_ref ref)
{
    cor_step *step = plan_append(plan, kind);
    if (!step)
        return 0;
    step->peer = peer;
    step->transfer = (int)plan->transfer_count++;
    if (kind == COR_STEP_SEND)
        step->a = ref;
    else
        step->out = ref;
    return step->transfer;
}

static int plan_peer(const cor_plan *plan, const cor_party *party, int member)
{
    return cor_group_peer(cor_comm_group(plan->comm), party->ranks ? party->ranks[member] : member);
}

int cor_plan_send(cor_plan *plan, const cor_party *party, int to, cor_ref from)
{
    return plan_transfer(plan, COR_STEP_SEND, plan_peer(plan, party, to), from);
}

int cor_plan_recv(cor_plan *plan, const cor_party *party, int from, cor_ref to)
{
    return plan_transfer(plan, COR_STEP_RECV, plan_peer(plan, party, from), to);
}

int cor_plan_send_across(cor_plan *plan, int to, cor_ref from)
{
    return plan_transfer(plan, COR_STEP_SEND, cor_group_peer(cor_comm_remote_group(plan->comm), to), from);
}

int cor_plan_recv_across(cor_plan *plan, int from, cor_ref to)
{
    return plan_transfer(plan, COR_STEP_RECV, cor_group_peer(cor_comm_remote_group(plan->comm), from), to);
}

void cor_plan_wait(cor_plan *plan, int transfer)
{
    cor_step *step = plan_append(plan, COR_STEP_WAIT);
    if (step)
        step->transfer = transfer;
}

void cor_plan_wait_all(cor_plan *plan)
{
    cor_step *step = plan_append(plan, COR_STEP_WAIT_ALL);
    if (step)
        step->transfer = (int)plan->transfer_count;
}

/* In place some slots are parts of each other. */
int cor_plan_is_same(const cor_plan *plan, cor_ref from, cor_ref to)
{
    if (from.slot == to.slot)
        return from.offset == to.offset;
    if (!plan->is_in_place || from.slot == COR_SLOT_TEMP || to.slot == COR_SLOT_TEMP)
        return 0;
    size_t send = from.slot == COR_SLOT_SEND ? from.offset : to.offset;
    size_t recv = from.slot == COR_SLOT_RECV ? from.offset : to.offset;
    switch (plan->primitive) {
    case COR_GATHER:
    case COR_GATHERV:
    case COR_ALLGATHER:
    case COR_ALLGATHERV:
        return recv == send + plan->starts[plan->rank];
    case COR_SCATTER:
    case COR_SCATTERV:
        return send == recv + plan->starts[plan->rank];
    case COR_ALLTOALL:
    case COR_ALLTOALLV:
    case COR_ALLTOALLW:
        return 0;
    default:
        return send == recv;
    }
}

void cor_plan_copy(cor_plan *plan, cor_ref from, cor_ref to)
{
    if (from.bytes != to.bytes) {
        /* The two ends of a call do not fit. Between ranks a message detects that; so does one to the rank itself. */
        cor_plan_exchange(plan, &plan->everyone, plan->rank, from, plan->rank, to);
        return;
    }
    if (from.bytes == 0 || cor_plan_is_same(plan, from, to))
        return;
    cor_step *step = plan_append(plan, COR_STEP_COPY);
    if (step) {
        step->a = from;
        step->out = to;
    }
}

void cor_plan_reduce(cor_plan *plan, cor_ref a, cor_ref b, cor_ref out)
{
    cor_step *step = out.bytes > 0 ? plan_append(plan, COR_STEP_REDUCE) : NULL;
    if (step) {
        step->a = a;
        step->b = b;
        step->out = out;
    }
}

void cor_plan_call(cor_plan *plan, cor_ref memory, cor_step_fn fn, const void *note)
{
    cor_step *step = plan_append(plan, COR_STEP_CALL);
    if (step) {
        step->a = memory;
        step->call = fn;
        step->note = note;
    }
}

void cor_plan_set_rest(cor_plan *plan, cor_ref starts, cor_build_fn build)
{
    plan->rest = build;
    plan->rest_starts = starts;
}

void cor_plan_exchange(cor_plan *plan, const cor_party *party, int to, cor_ref out, int from, cor_ref in)
{
    int received = cor_plan_recv(plan, party, from, in);
    int sent = cor_plan_send(plan, party, to, out);
    cor_plan_wait(plan, received);
    cor_plan_wait(plan, sent);
}
