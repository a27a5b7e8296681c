/* SPDX-License-Identifier: Apache-2.0 */
#include "coll/plan/binding.h"

#include "mp/topology.h"

#include <stdlib.h>
#include <string.h>

/* ---- streams in parts ------------------------------------------------------------------------------------------- */

static size_t bind_row_bytes(const cor_stream *stream, size_t count)
{
    return stream->parts ? count * sizeof *stream->parts + (count + 1) * sizeof *stream->starts : 0;
}

/* Copy a stream in parts; returns the memory behind it. */
static char *bind_row(const cor_stream *stream, size_t count, cor_payload_row *row, cor_payload *payload, char *memory)
{
    if (!stream->parts) {
        *payload = stream->payload;
        return memory;
    }
    row->count = count;
    row->parts = (cor_payload *)(void *)memory;
    memcpy(row->parts, stream->parts, count * sizeof *row->parts);
    memory += count * sizeof *row->parts;
    memcpy(memory, stream->starts, (count + 1) * sizeof *row->starts);
    row->starts = (const size_t *)(const void *)memory;
    *payload = cor_payload_join(row);
    return memory + (count + 1) * sizeof *row->starts;
}

/* How many parts each stream has. */
static void bind_counts(const cor_call *call, size_t *send_p, size_t *recv_p)
{
    *send_p = *recv_p = (size_t)cor_comm_remote_size(call->comm);
    if (call->primitive >= COR_NEIGHBOR_ALLGATHER) {
        *send_p = (size_t)cor_topology_destinations(call->comm).count;
        *recv_p = (size_t)cor_topology_sources(call->comm).count;
    }
}

static int bind_parts(cor_binding *binding, const cor_call *call)
{
    size_t send_count, recv_count;
    bind_counts(call, &send_count, &recv_count);
    char *memory = malloc(bind_row_bytes(&call->send, send_count) + bind_row_bytes(&call->recv, recv_count));
    if (!memory)
        return COR_ERR_MEMORY;
    binding->row_memory = memory;
    memory = bind_row(&call->send, send_count, &binding->send_row, &binding->send, memory);
    bind_row(&call->recv, recv_count, &binding->recv_row, &binding->recv, memory);
    return COR_OK;
}

/* A piece inside one part is held by that part alone, also where the row as a whole is not. */
static void unbind_row(cor_payload_row *row)
{
    for (size_t i = 0; i < row->count; i++)
        cor_payload_release(&row->parts[i]);
    row->count = 0;
}

/* ---- slots ------------------------------------------------------------------------------------------------------ */

/* This rank's block of the stream of all blocks. */
static cor_payload bind_own_block(const cor_plan *plan, cor_payload *all)
{
    const size_t *start = &plan->starts[plan->rank];
    return cor_payload_slice(all, start[0], start[1] - start[0]);
}

/* In place, one slot is the other or a piece of it (plan.h). */
static void bind_in_place(cor_binding *binding, const cor_plan *plan)
{
    cor_payload *send = &binding->slots[COR_SLOT_SEND], *recv = &binding->slots[COR_SLOT_RECV];
    switch (plan->primitive) {
    case COR_GATHER:
    case COR_GATHERV:
    case COR_ALLGATHER:
    case COR_ALLGATHERV:
        *send = bind_own_block(plan, &binding->recv);
        break;
    case COR_SCATTER:
    case COR_SCATTERV:
        *recv = bind_own_block(plan, &binding->send);
        break;
    case COR_ALLTOALL:
    case COR_ALLTOALLV:
    case COR_ALLTOALLW:
        /* The plan begins with a copy of RECV at the start of TEMP. */
        *send = cor_payload_slice(&binding->slots[COR_SLOT_TEMP], 0, binding->recv.bytes);
        break;
    default:
        *send = cor_payload_slice(&binding->recv, 0, binding->recv.bytes);
        break;
    }
}

int cor_binding_init(cor_binding *binding, const cor_plan *plan, const cor_call *call, int is_kept)
{
    if (call->send.parts || call->recv.parts) {
        int rc = bind_parts(binding, call);
        if (rc != COR_OK)
            return rc;
    } else {
        binding->send = call->send.payload;
        binding->recv = call->recv.payload;
    }
    binding->reducer = call->reducer;
    binding->is_kept = is_kept;
    if (is_kept) {
        cor_payload_hold(&binding->send);
        cor_payload_hold(&binding->recv);
        if (binding->reducer.op)
            cor_reducer_hold(&binding->reducer);
    }
    binding->slots[COR_SLOT_SEND] = cor_payload_slice(&binding->send, 0, binding->send.bytes);
    binding->slots[COR_SLOT_RECV] = cor_payload_slice(&binding->recv, 0, binding->recv.bytes);
    if (call->is_in_place)
        bind_in_place(binding, plan);
    return COR_OK;
}

void cor_binding_fini(cor_binding *binding)
{
    cor_payload_release(&binding->send);
    cor_payload_release(&binding->recv);
    if (binding->row_memory) {
        unbind_row(&binding->send_row);
        unbind_row(&binding->recv_row);
        free(binding->row_memory);
        binding->row_memory = NULL;
    }
    if (binding->is_kept && binding->reducer.op)
        cor_reducer_release(&binding->reducer);
    binding->is_kept = 0;
}
