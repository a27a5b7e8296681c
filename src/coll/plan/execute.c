/* SPDX-License-Identifier: Apache-2.0 */
#include "coll/plan/execute.h"

#include "coll/plan/binding.h"
#include "coll/plan/combine.h"
#include "mp/collective.h"

#include <stdlib.h>
#include <string.h>

struct cor_execution {
    cor_follower follower;
    cor_plan *plan; /* a reference */
    cor_comm *comm; /* whose messages these are; kept by the request, or by the caller */
    size_t next;    /* step */
    size_t reached; /* steps that were taken, at the end */
    size_t settled; /* transfers below this are known to be done */
    size_t started; /* transfers so far */
    int tag, error, hint;
    int is_over;        /* given up, or ended by a call step as on all ranks: what would follow is not begun */
    cor_fault *fault;   /* the sentence of `error`, kept because others may fail before it is reported; or NULL */
    uint32_t lost_seen; /* of the device's losses: none of these is a member */
    cor_request *request;
    void (*done)(cor_execution *execution);

    cor_binding binding;
    cor_bounce bounce;
    cor_execution *rest;      /* what runs the plan's rest, or NULL */
    cor_transfer transfers[]; /* behind them, from the next cache line on, is TEMP */
};

/* ---- life ------------------------------------------------------------------------------------------------------- */

cor_execution *cor_execution_create(cor_plan *plan)
{
    size_t head_bytes = sizeof(cor_execution) + (plan->transfer_count + 1) * sizeof(cor_transfer);
    cor_execution *execution = malloc(head_bytes + COR_CACHE_LINE - 1 + plan->temp_bytes);
    if (!execution)
        return NULL;
    memset(execution, 0, head_bytes);
    uintptr_t temp = (uintptr_t)execution + head_bytes + COR_CACHE_LINE - 1;
    temp -= temp % COR_CACHE_LINE;
    execution->binding.slots[COR_SLOT_TEMP] = cor_payload_plain((const void *)temp, plan->temp_bytes);
    execution->comm = plan->comm;
    execution->plan = plan;
    plan->references++;
    cor_list_init(&execution->follower.link);
    return execution;
}

void cor_execution_destroy(cor_execution *execution)
{
    if (execution->rest)
        cor_execution_destroy(execution->rest);
    cor_list_remove(&execution->follower.link);
    cor_execution_unbind(execution);
    cor_plan_unref(execution->plan);
    cor_bounce_fini(&execution->bounce);
    free(execution->fault);
    free(execution);
}

const cor_plan *cor_execution_plan(const cor_execution *execution)
{
    return execution->plan;
}

cor_request *cor_execution_request(const cor_execution *execution)
{
    return execution->request;
}

int cor_execution_bind(cor_execution *execution, const cor_call *call, int is_kept)
{
    return cor_binding_init(&execution->binding, execution->plan, call, is_kept);
}

void cor_execution_unbind(cor_execution *execution)
{
    cor_binding_fini(&execution->binding);
}

/* ---- steps ------------------------------------------------------------------------------------------------------ */

static inline cor_payload execute_payload(cor_execution *execution, cor_ref ref)
{
    return cor_payload_slice(&execution->binding.slots[ref.slot], ref.offset, ref.bytes);
}

/* The first failure counts. The rank's fault describes it now, and may describe another one later. */
static void execute_fail(cor_execution *execution, int error)
{
    const cor_fault *said = cor_comm_fault_place(execution->comm);
    if (execution->error != COR_OK)
        return;
    execution->error = error;
    execution->fault = said->code == error ? malloc(sizeof *said) : NULL;
    if (execution->fault)
        *execution->fault = *said;
}

/* The sentence of the failure becomes the caller's. */
static cor_fault *execute_take_fault(cor_execution *execution)
{
    cor_fault *fault = execution->fault;
    execution->fault = NULL;
    return fault;
}

/* Not inlined: the rank's fault has the failure. */
static __attribute__((noinline)) void execute_tell(cor_execution *execution)
{
    cor_fault *fault = execute_take_fault(execution);
    if (fault)
        *cor_comm_fault_place(execution->comm) = *fault;
    free(fault);
}

static void execute_transfer(cor_execution *execution, const cor_step *step)
{
    const cor_comm *comm = execution->comm;
    cor_transfer *t = &execution->transfers[step->transfer];
    int is_send = step->kind == COR_STEP_SEND;
    cor_payload payload = execute_payload(execution, is_send ? step->a : step->out);
    int rc = is_send ? cor_internal_isend(comm, t, step->peer, execution->tag, &payload)
                     : cor_internal_irecv(comm, t, step->peer, execution->tag, &payload);
    execution->started++;
    if (COR_UNLIKELY(rc != COR_OK)) {
        t->is_done = 1;
        t->error = rc;
    }
}

/* Check the result of a receive: a message of another length means that the arguments of the ranks differ. */
static void execute_settle(cor_execution *execution, const cor_transfer *t, size_t expected_bytes)
{
    if (COR_LIKELY(t->error == COR_OK && t->message_bytes == expected_bytes))
        return;
    if (execution->error != COR_OK)
        return;
    if (t->error == COR_ERR_TRUNCATE || t->error == COR_OK)
        execute_fail(execution, cor_fault_set(cor_comm_fault_place(execution->comm), COR_ERR_TRUNCATE,
                                              "rank %d of the job sent %zu bytes where this rank expects %zu: the "
                                              "counts or datatypes of the two calls do not match",
                                              t->peer, t->message_bytes, expected_bytes));
    else
        execute_fail(execution, t->error);
}

static int execute_reduce(cor_execution *execution, const cor_step *step)
{
    cor_payload operands[3] = {execute_payload(execution, step->a), execute_payload(execution, step->b),
                               execute_payload(execution, step->out)};
    return cor_combine(&execution->binding.reducer, operands, step->out.bytes, &execution->bounce);
}

static void execute_copy(cor_execution *execution, const cor_step *step)
{
    cor_payload from = execute_payload(execution, step->a), to = execute_payload(execution, step->out);
    cor_payload_copy(&to, &from, step->out.bytes);
}

/* ---- a member that is lost -------------------------------------------------------------------------------------- */

/* It is not known yet which ranks would wait for the rest. */
static void execute_abandon_all(cor_execution *execution)
{
    const cor_comm *comm = execution->comm;
    for (int rank = 0; rank < cor_comm_size(comm); rank++)
        if (rank != cor_comm_rank(comm))
            cor_internal_abandon(comm, cor_group_peer(cor_comm_group(comm), rank), execution->tag);
}

/* No more steps: notify the ranks that wait for this rank's messages, and abandon its receives. */
static void execute_give_up(cor_execution *execution, int error)
{
    const cor_plan *plan = execution->plan;
    execute_fail(execution, error);
    execution->reached = execution->next;
    execution->is_over = 1;
    for (; execution->next < plan->step_count; execution->next++) {
        const cor_step *step = &plan->steps[execution->next];
        if (step->kind == COR_STEP_SEND)
            cor_internal_abandon(execution->comm, step->peer, execution->tag);
    }
    if (plan->rest)
        execute_abandon_all(execution);
    for (size_t i = execution->settled; i < execution->started; i++)
        if (!execution->transfers[i].is_done)
            cor_internal_cancel(execution->comm, &execution->transfers[i]);
}

/* A transfer is done: did its peer die, or report that another member did? */
static inline void execute_note(cor_execution *execution, const cor_transfer *t)
{
    if (COR_UNLIKELY(t->error == COR_ERR_PEER) && execution->error == COR_OK)
        execute_give_up(execution, COR_ERR_PEER);
}

/* Not inlined: a peer of this rank is lost, perhaps a member. */
static __attribute__((noinline)) void execute_find_lost(cor_execution *execution)
{
    execution->lost_seen = cor_comm_lost_count(execution->comm);
    int rc = cor_comm_find_lost(execution->comm);
    if (rc != COR_OK && execution->error == COR_OK)
        execute_give_up(execution, rc);
}

/* ---- running ---------------------------------------------------------------------------------------------------- */

/* Are all transfers below `end` done? */
static int execute_is_settled(cor_execution *execution, size_t end)
{
    while (execution->settled < end && execution->transfers[execution->settled].is_done) {
        execute_note(execution, &execution->transfers[execution->settled]);
        execution->settled++;
    }
    if (execution->settled >= end)
        return 1;
    execution->hint = execution->transfers[execution->settled].peer;
    return 0;
}

/* Every transfer is done: check for failures, by the steps that started them. */
static void execute_finish(cor_execution *execution)
{
    const cor_step *step = execution->plan->steps;
    for (size_t i = 0; i < execution->reached; i++, step++) {
        const cor_transfer *t = &execution->transfers[step->transfer];
        if (step->kind == COR_STEP_RECV)
            execute_settle(execution, t, step->out.bytes);
        else if (step->kind == COR_STEP_SEND && t->error != COR_OK)
            execute_fail(execution, t->error);
    }
}

/* Take steps until something must be waited for. Returns 1 at the end. */
static int execute_steps(cor_execution *execution)
{
    const cor_plan *plan = execution->plan;
    int rc = COR_OK;
    if (COR_UNLIKELY(cor_comm_lost_count(execution->comm) != execution->lost_seen))
        execute_find_lost(execution);
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
            execute_note(execution, &execution->transfers[step->transfer]);
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
            rc = step->call(cor_comm_owner(execution->comm), execute_payload(execution, step->a).base, step->note);
            if (rc != COR_OK) {
                execute_fail(execution, rc);
                /* Every rank ends here. */
                execution->reached = execution->next;
                execution->is_over = 1;
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
    execution->reached = execution->plan->step_count;
    execution->error = COR_OK;
    execution->is_over = 0;
    execution->lost_seen = 0;
    execution->tag = tag;
    execution->hint = -1;
}

/* All steps are done: begin the rest, on the same buffers. 0: there is none, or it cannot be. */
static int execute_begin_rest(cor_execution *execution)
{
    const cor_plan *plan = execution->plan;
    if (COR_LIKELY(!plan->rest) || execution->is_over)
        return 0;
    cor_plan *rest = NULL;
    if (execution->error == COR_OK)
        rest = cor_plan_create_rest(plan, execute_payload(execution, plan->rest_starts).base);
    if (rest) {
        execution->rest = cor_execution_create(rest);
        cor_plan_unref(rest);
    }
    if (!execution->rest) {
        if (execution->error == COR_OK)
            cor_fault_set(cor_comm_fault_place(execution->comm), COR_ERR_MEMORY, "no memory for the rest of a plan");
        execute_give_up(execution, COR_ERR_MEMORY);
        return 0;
    }
    execution->rest->binding.slots[COR_SLOT_SEND] = execution->binding.slots[COR_SLOT_SEND];
    execution->rest->binding.slots[COR_SLOT_RECV] = execution->binding.slots[COR_SLOT_RECV];
    execute_begin(execution->rest, execution->tag);
    return 1;
}

/* Run until a wait is necessary. Returns 1 at the end. */
static int execute_advance(cor_execution *execution)
{
    if (!execution->rest) {
        if (!execute_steps(execution))
            return 0;
        if (!execute_begin_rest(execution))
            return 1;
    }
    cor_execution *rest = execution->rest;
    if (!execute_steps(rest)) {
        execution->hint = rest->hint;
        return 0;
    }
    if (rest->error != COR_OK) {
        execute_tell(rest);
        execute_fail(execution, rest->error);
    }
    cor_execution_destroy(rest);
    execution->rest = NULL;
    return 1;
}

/* Steps so far: whether it is getting on. */
static size_t execute_taken(const cor_execution *execution)
{
    return execution->next + (execution->rest ? 1 + execution->rest->next : 0);
}

int cor_execution_run(cor_execution *execution, int tag)
{
    cor_idle_state idle = {0};
    cor_activity activity;
    execute_begin(execution, tag);
    if (!execute_advance(execution)) {
        cor_comm_wait_begin(execution->comm, &activity);
        do
            cor_comm_progress(execution->comm, execution->hint, &idle);
        while (!execute_advance(execution));
        cor_activity_end(execution->comm->monitor, &activity);
    }
    cor_comm_flush(execution->comm);
    if (COR_UNLIKELY(execution->error != COR_OK))
        execute_tell(execution);
    return execution->error;
}

static int execute_step(cor_follower *follower)
{
    cor_execution *execution = COR_OWNER(follower, cor_execution, follower);
    size_t taken = execute_taken(execution);
    if (!execute_advance(execution))
        return execute_taken(execution) != taken;
    cor_list_remove(&follower->link);
    cor_job_end(execution->request, execution->error, execute_take_fault(execution));
    execution->done(execution);
    return 1;
}

void cor_execution_set_request(cor_execution *execution, int tag, cor_request *request,
                               void (*done)(cor_execution *execution))
{
    execution->tag = tag;
    execution->request = request;
    execution->done = done;
    execution->follower.step = execute_step;
}

void cor_execution_start(cor_execution *execution)
{
    cor_job_begin(execution->request);
    execute_begin(execution, execution->tag);
    cor_comm_follow(execution->comm, &execution->follower);
    execute_step(&execution->follower);
}
