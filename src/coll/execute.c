#include "coll/execute.h"

#include "dtype/payload_view.h"
#include "mp/mp_state.h"
#include "mp/topology.h"

#include <stdlib.h>
#include <string.h>

enum { EXECUTE_PIECE = 64 * 1024 }; /* what is combined at a time where memory is not plain */

struct cor_execution {
    cor_follower follower;
    cor_kept_plan *kept;
    cor_comm *comm; /* whose messages these are; kept by the request, or by the caller */
    size_t next;    /* step */
    size_t reached; /* steps that were taken, at the end */
    size_t settled; /* transfers below this are known to be done */
    size_t started; /* transfers so far */
    int tag, error, hint;
    cor_request *request;
    void (*done)(cor_execution *execution);

    cor_payload slots[COR_SLOTS];
    cor_payload send, recv; /* what slots may be pieces of */
    cor_payload_row send_row, recv_row;
    void *row_memory;
    cor_reducer reducer;
    int is_kept;
    char *bounce;
    size_t bounce_bytes;

    char *temp;
    void *temp_memory;
    cor_transfer *transfers;
};

/* ---- life ------------------------------------------------------------------------------------------------------- */

cor_kept_plan *cor_kept_plan_create(void)
{
    cor_kept_plan *kept = malloc(sizeof *kept);
    if (kept) {
        cor_plan_init(&kept->plan);
        kept->references = 1;
    }
    return kept;
}

void cor_kept_plan_unref(cor_kept_plan *kept)
{
    if (--kept->references > 0)
        return;
    cor_plan_fini(&kept->plan);
    free(kept);
}

cor_execution *cor_execution_create(cor_kept_plan *kept)
{
    const cor_plan *plan = &kept->plan;
    cor_execution *execution = calloc(1, sizeof *execution);
    if (!execution)
        return NULL;
    execution->transfers = calloc(plan->transfer_count + 1, sizeof *execution->transfers);
    execution->temp_memory = malloc(plan->temp_bytes + COR_CACHE_LINE);
    if (!execution->transfers || !execution->temp_memory) {
        free(execution->transfers);
        free(execution->temp_memory);
        free(execution);
        return NULL;
    }
    uintptr_t temp = (uintptr_t)execution->temp_memory + COR_CACHE_LINE - 1;
    execution->temp = (char *)(temp - temp % COR_CACHE_LINE);
    execution->slots[COR_SLOT_TEMP] = cor_payload_plain(execution->temp, plan->temp_bytes);
    execution->comm = plan->comm;
    execution->kept = kept;
    kept->references++;
    cor_list_init(&execution->follower.link);
    return execution;
}

void cor_execution_destroy(cor_execution *execution)
{
    cor_list_remove(&execution->follower.link);
    cor_execution_unbind(execution);
    cor_kept_plan_unref(execution->kept);
    free(execution->bounce);
    free(execution->transfers);
    free(execution->temp_memory);
    free(execution);
}

const cor_kept_plan *cor_execution_plan(const cor_execution *execution)
{
    return execution->kept;
}

cor_request *cor_execution_request(const cor_execution *execution)
{
    return execution->request;
}

/* ---- binding ---------------------------------------------------------------------------------------------------- */

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

/* In place, one slot is the other or a piece of it (plan.h). */
static void bind_in_place(cor_execution *execution, const cor_call *call)
{
    const cor_plan *plan = &execution->kept->plan;
    cor_payload *send = &execution->slots[COR_SLOT_SEND], *recv = &execution->slots[COR_SLOT_RECV];
    switch (call->primitive) {
    case COR_GATHER:
    case COR_GATHERV:
    case COR_ALLGATHER:
    case COR_ALLGATHERV:
        *send = cor_payload_slice(&execution->recv, plan->starts[plan->rank],
                                  plan->starts[plan->rank + 1] - plan->starts[plan->rank]);
        break;
    case COR_SCATTER:
    case COR_SCATTERV:
        *recv = cor_payload_slice(&execution->send, plan->starts[plan->rank],
                                  plan->starts[plan->rank + 1] - plan->starts[plan->rank]);
        break;
    case COR_ALLTOALL:
    case COR_ALLTOALLV:
    case COR_ALLTOALLW:
        /* The plan begins with a copy of RECV at the start of TEMP. */
        *send = cor_payload_plain(execution->temp, execution->recv.bytes);
        break;
    default:
        *send = cor_payload_slice(&execution->recv, 0, execution->recv.bytes);
        break;
    }
}

int cor_execution_bind(cor_execution *execution, const cor_call *call, int is_kept)
{
    size_t send_count = 0, recv_count = 0;
    if (call->send.parts || call->recv.parts) {
        bind_counts(call, &send_count, &recv_count);
        char *memory = malloc(bind_row_bytes(&call->send, send_count) + bind_row_bytes(&call->recv, recv_count));
        if (!memory)
            return COR_ERR_MEMORY;
        execution->row_memory = memory;
        memory = bind_row(&call->send, send_count, &execution->send_row, &execution->send, memory);
        bind_row(&call->recv, recv_count, &execution->recv_row, &execution->recv, memory);
    } else {
        execution->send = call->send.payload;
        execution->recv = call->recv.payload;
    }
    execution->reducer = call->reducer;
    execution->is_kept = is_kept;
    if (is_kept) {
        cor_payload_hold(&execution->send);
        cor_payload_hold(&execution->recv);
        if (execution->reducer.op) {
            cor_op_ref(execution->reducer.op);
            cor_dtype_ref(execution->reducer.type);
        }
    }
    execution->slots[COR_SLOT_SEND] = cor_payload_slice(&execution->send, 0, execution->send.bytes);
    execution->slots[COR_SLOT_RECV] = cor_payload_slice(&execution->recv, 0, execution->recv.bytes);
    if (call->is_in_place)
        bind_in_place(execution, call);
    return COR_OK;
}

/* A piece that lies in one part is held by that part alone, also where the row as a whole is not. */
static void unbind_row(cor_payload_row *row)
{
    for (size_t i = 0; i < row->count; i++)
        cor_payload_release(&row->parts[i]);
    row->count = 0;
}

void cor_execution_unbind(cor_execution *execution)
{
    cor_payload_release(&execution->send);
    cor_payload_release(&execution->recv);
    unbind_row(&execution->send_row);
    unbind_row(&execution->recv_row);
    if (execution->is_kept && execution->reducer.op) {
        cor_op_unref(execution->reducer.op);
        cor_dtype_unref(execution->reducer.type);
    }
    execution->is_kept = 0;
    free(execution->row_memory);
    execution->row_memory = NULL;
}

/* ---- steps ------------------------------------------------------------------------------------------------------ */

static inline cor_payload execute_payload(cor_execution *execution, cor_ref ref)
{
    return cor_payload_slice(&execution->slots[ref.slot], ref.offset, ref.bytes);
}

static void execute_fail(cor_execution *execution, int error)
{
    if (execution->error == COR_OK)
        execution->error = error;
}

static void execute_transfer(cor_execution *execution, const cor_step *step)
{
    cor_device *device = execution->comm->device;
    uint32_t context = execution->comm->context + 1;
    cor_transfer *t = &execution->transfers[step->transfer];
    int is_send = step->kind == COR_STEP_SEND;
    cor_payload payload = execute_payload(execution, is_send ? step->a : step->out);
    int rc = is_send ? device->ops->isend(device, t, step->peer, context, execution->tag, &payload)
                     : device->ops->irecv(device, t, step->peer, context, execution->tag, &payload);
    execution->started++;
    if (COR_UNLIKELY(rc != COR_OK)) {
        t->is_done = 1;
        t->error = rc;
    }
}

/* Look at what became of a receive: a message of another length means that the ranks do not agree. */
static void execute_settle(cor_execution *execution, const cor_transfer *t, size_t expected_bytes)
{
    if (COR_LIKELY(t->error == COR_OK && t->message_bytes == expected_bytes))
        return;
    if (execution->error != COR_OK)
        return;
    cor_comm *comm = execution->comm;
    if (t->error == COR_ERR_TRUNCATE || t->error == COR_OK)
        execute_fail(execution, cor_fault_set(&comm->owner->fault, COR_ERR_TRUNCATE,
                                              "rank %d of the job sent %zu bytes where this rank expects %zu: the "
                                              "counts or datatypes of the two calls do not fit",
                                              t->peer, t->message_bytes, expected_bytes));
    else
        execute_fail(execution, t->error);
}

/* Plain memory for a piece of an operand that is not mapped: itself, or a copy. */
static char *execute_operand(const cor_payload *payload, size_t offset, size_t bytes, char *copy, int is_read)
{
    if (!payload->ops)
        return (char *)payload->base + offset;
    if (is_read)
        cor_payload_read(payload, offset, copy, bytes);
    return copy;
}

static int execute_bounce(cor_execution *execution, size_t bytes)
{
    if (execution->bounce_bytes >= bytes)
        return COR_OK;
    free(execution->bounce);
    execution->bounce = malloc(bytes);
    execution->bounce_bytes = execution->bounce ? bytes : 0;
    return execution->bounce ? COR_OK : COR_ERR_MEMORY;
}

/* Combine one piece of operands that are not all plain. */
static int execute_reduce_piece(cor_execution *execution, const cor_payload operands[3], size_t offset, size_t bytes,
                                size_t room)
{
    /* A user's operator may call into a virtual machine: nothing may be mapped meanwhile. */
    int can_map = execution->reducer.combine != NULL;
    char *memory[3];
    int is_mapped[3] = {0};
    /* Copies first: while something is mapped nothing else may be read. */
    for (int i = 0; i < 3; i++)
        if (!(can_map && operands[i].ops && operands[i].ops->map))
            memory[i] = execute_operand(&operands[i], offset, bytes, execution->bounce + (size_t)i * room, i < 2);
    for (int i = 0; i < 3; i++)
        if (can_map && operands[i].ops && operands[i].ops->map) {
            memory[i] = (char *)operands[i].ops->map(&operands[i]) + offset;
            is_mapped[i] = 1;
        }
    int rc = cor_reduce_packed(&execution->reducer, memory[0], memory[1], memory[2], bytes);
    for (int i = 2; i >= 0; i--)
        if (is_mapped[i])
            operands[i].ops->unmap(&operands[i], memory[i] - offset, i == 2);
    if (operands[2].ops && !is_mapped[2])
        cor_payload_write(&operands[2], offset, memory[2], bytes);
    return rc;
}

static int execute_reduce(cor_execution *execution, const cor_step *step)
{
    cor_payload operands[3] = {execute_payload(execution, step->a), execute_payload(execution, step->b),
                               execute_payload(execution, step->out)};
    if (COR_LIKELY(!operands[0].ops && !operands[1].ops && !operands[2].ops))
        return cor_reduce_packed(&execution->reducer, operands[0].base, operands[1].base, operands[2].base,
                                 step->out.bytes);
    size_t element = execution->reducer.type->size;
    size_t room = element > EXECUTE_PIECE ? element : EXECUTE_PIECE / element * element;
    int rc = execute_bounce(execution, 3 * room);
    for (size_t offset = 0; offset < step->out.bytes && rc == COR_OK; offset += room) {
        size_t left = step->out.bytes - offset;
        rc = execute_reduce_piece(execution, operands, offset, left < room ? left : room, room);
    }
    return rc;
}

static void execute_copy(cor_execution *execution, const cor_step *step)
{
    cor_payload from = execute_payload(execution, step->a), to = execute_payload(execution, step->out);
    cor_payload_copy(&to, &from, step->out.bytes);
}

/* ---- running ---------------------------------------------------------------------------------------------------- */

/* Are all transfers below `end` done? */
static int execute_is_settled(cor_execution *execution, size_t end)
{
    while (execution->settled < end && execution->transfers[execution->settled].is_done)
        execution->settled++;
    if (execution->settled >= end)
        return 1;
    execution->hint = execution->transfers[execution->settled].peer;
    return 0;
}

/* Every transfer is done: look for failures, by the steps that started them. */
static void execute_finish(cor_execution *execution)
{
    const cor_step *step = execution->kept->plan.steps;
    for (size_t i = 0; i < execution->reached; i++, step++) {
        const cor_transfer *t = &execution->transfers[step->transfer];
        if (step->kind == COR_STEP_RECV)
            execute_settle(execution, t, step->out.bytes);
        else if (step->kind == COR_STEP_SEND && t->error != COR_OK)
            execute_fail(execution, t->error);
    }
}

/* Go on until something must be waited for. Returns 1 at the end. */
static int execute_advance(cor_execution *execution)
{
    const cor_plan *plan = &execution->kept->plan;
    int rc = COR_OK;
    while (execution->next < plan->step_count) {
        const cor_step *step = &plan->steps[execution->next];
        switch ((cor_step_kind)step->kind) {
        case COR_STEP_SEND:
        case COR_STEP_RECV:
            execute_transfer(execution, step);
            break;
        case COR_STEP_WAIT:
            if (!execution->transfers[step->transfer].is_done) {
                execution->hint = execution->transfers[step->transfer].peer;
                return 0;
            }
            break;
        case COR_STEP_WAIT_ALL:
            if (!execute_is_settled(execution, (size_t)step->transfer))
                return 0;
            break;
        case COR_STEP_COPY:
            execute_copy(execution, step);
            break;
        case COR_STEP_REDUCE:
            rc = execute_reduce(execution, step);
            break;
        case COR_STEP_CALL:
            rc = step->call(execution->comm->owner, execution->temp + step->a.offset, step->note);
            if (rc != COR_OK) {
                execute_fail(execution, rc);
                /* Everybody ends here. */
                execution->reached = execution->next;
                execution->next = plan->step_count;
                continue;
            }
            break;
        }
        if (COR_UNLIKELY(rc != COR_OK))
            execute_fail(execution, rc);
        execution->next++;
    }
    if (!execute_is_settled(execution, execution->started))
        return 0;
    execute_finish(execution);
    return 1;
}

static void execute_begin(cor_execution *execution, int tag)
{
    execution->next = execution->settled = execution->started = 0;
    execution->reached = execution->kept->plan.step_count;
    execution->error = COR_OK;
    execution->tag = tag;
    execution->hint = -1;
}

int cor_execution_run(cor_execution *execution, int tag)
{
    cor_device *device = execution->comm->device;
    cor_idle_state idle = {0};
    execute_begin(execution, tag);
    while (!execute_advance(execution)) {
        if (cor_device_progress(device, execution->hint) > 0)
            idle = (cor_idle_state){0};
        else
            device->ops->idle(device, &idle);
    }
    return execution->error;
}

static int execute_step(cor_follower *follower)
{
    cor_execution *execution = COR_OWNER(follower, cor_execution, follower);
    size_t next = execution->next;
    if (!execute_advance(execution))
        return execution->next != next;
    cor_list_remove(&follower->link);
    execution->request->transfer = (cor_transfer){.is_done = 1, .error = execution->error, .peer = COR_UNDEFINED};
    execution->done(execution);
    return 1;
}

void cor_execution_start(cor_execution *execution, int tag, cor_request *request,
                         void (*done)(cor_execution *execution))
{
    execution->request = request;
    execution->done = done;
    execution->follower.step = execute_step;
    execute_begin(execution, tag);
    cor_list_append(&execution->comm->device->followers, &execution->follower.link);
    execute_step(&execution->follower);
}
