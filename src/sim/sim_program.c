/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/sim_program.h"

#include "coll/prepare.h"
#include "mp/create/comm_detached.h"

#include <stdlib.h>
#include <string.h>

static int program_no_memory(const cor_sim_program *program, cor_fault *fault)
{
    return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for the steps of %d simulated ranks; fewer ranks need less",
                         program->ranks);
}

/* ---- appending
 * ---------------------------------------------------------------------------------------------------- */

int cor_sim_program_begin(cor_sim_program *program, int ranks, cor_fault *fault)
{
    *program = (cor_sim_program){.ranks = ranks};
    program->op_starts = calloc((size_t)ranks + 1, sizeof *program->op_starts);
    program->transfer_starts = calloc((size_t)ranks + 1, sizeof *program->transfer_starts);
    return program->op_starts && program->transfer_starts ? COR_OK : program_no_memory(program, fault);
}

void cor_sim_program_free(cor_sim_program *program)
{
    free(program->ops);
    free(program->transfers);
    free(program->is_send);
    free(program->op_starts);
    free(program->transfer_starts);
    *program = (cor_sim_program){0};
}

/* Ranks are appended in their order, so the end of all that there is belongs to `ranks`, and is moved on with it. */
static size_t *program_op_end(cor_sim_program *program)
{
    return &program->op_starts[program->ranks];
}

static size_t *program_transfer_end(cor_sim_program *program)
{
    return &program->transfer_starts[program->ranks];
}

void cor_sim_program_rank(cor_sim_program *program, int rank)
{
    program->current = rank;
    program->op_starts[rank] = *program_op_end(program);
    program->transfer_starts[rank] = *program_transfer_end(program);
}

/* Copies, and reductions, that follow each other become one. */
static int program_merge(cor_sim_program *program, cor_sim_op_kind kind, uint64_t value, size_t end)
{
    size_t first = program->op_starts[program->current];
    if ((kind != COR_SIM_COPY && kind != COR_SIM_REDUCE) || end == first ||
        program->ops[end - 1] >> COR_SIM_OP_SHIFT != (uint64_t)kind)
        return 0;
    program->ops[end - 1] += value;
    return 1;
}

int cor_sim_program_add(cor_sim_program *program, cor_sim_op_kind kind, uint64_t value, cor_fault *fault)
{
    size_t *end = program_op_end(program);
    if (program_merge(program, kind, value, *end))
        return COR_OK;
    if (*end == program->op_room) {
        size_t room = program->op_room ? program->op_room * 2 : 1024;
        uint64_t *larger = realloc(program->ops, room * sizeof *larger);
        if (!larger)
            return program_no_memory(program, fault);
        program->ops = larger;
        program->op_room = room;
    }
    program->ops[(*end)++] = (uint64_t)kind << COR_SIM_OP_SHIFT | value;
    return COR_OK;
}

int cor_sim_program_transfer(cor_sim_program *program, int is_send, int peer, uint64_t bytes, cor_fault *fault)
{
    size_t *end = program_transfer_end(program);
    if (*end == program->transfer_room) {
        size_t room = program->transfer_room ? program->transfer_room * 2 : 1024;
        cor_sim_transfer *larger = realloc(program->transfers, room * sizeof *larger);
        if (larger)
            program->transfers = larger;
        uint8_t *more = larger ? realloc(program->is_send, room) : NULL;
        if (!more)
            return program_no_memory(program, fault);
        program->is_send = more;
        program->transfer_room = room;
    }
    program->is_send[*end] = (uint8_t)is_send;
    program->transfers[(*end)++] = (cor_sim_transfer){.peer = (uint32_t)peer, .bytes = bytes};
    return cor_sim_program_add(program, is_send ? COR_SIM_SEND : COR_SIM_RECV, 0, fault);
}

size_t cor_sim_program_memory(const cor_sim_program *program)
{
    return program->op_room * sizeof *program->ops +
           program->transfer_room * (sizeof *program->transfers + sizeof *program->is_send) +
           ((size_t)program->ranks + 1) * 2 * sizeof(size_t);
}

/* ---- from plans
 * ----------------------------------------------------------------------------------------------------- */

/* Steps of a plan, whose transfers are numbered from `first` on. */
static int program_add_steps(cor_sim_program *program, const cor_plan *plan, uint64_t first, cor_fault *fault)
{
    int rc = COR_OK;
    for (size_t i = 0; i < plan->step_count && rc == COR_OK; i++) {
        const cor_step *step = &plan->steps[i];
        switch ((cor_step_kind)step->kind) {
        case COR_STEP_SEND:
            rc = cor_sim_program_transfer(program, 1, step->peer, step->a.bytes, fault);
            break;
        case COR_STEP_RECV:
            rc = cor_sim_program_transfer(program, 0, step->peer, step->out.bytes, fault);
            break;
        case COR_STEP_WAIT:
            rc = cor_sim_program_add(program, COR_SIM_WAIT, first + (uint64_t)step->transfer, fault);
            break;
        case COR_STEP_WAIT_ALL:
            rc = cor_sim_program_add(program, COR_SIM_WAIT_ALL, first + (uint64_t)step->transfer, fault);
            break;
        case COR_STEP_COPY:
            rc = cor_sim_program_add(program, COR_SIM_COPY, step->out.bytes, fault);
            break;
        case COR_STEP_REDUCE:
            rc = cor_sim_program_add(program, COR_SIM_REDUCE, step->out.bytes, fault);
            break;
        case COR_STEP_CALL: /* the root of gatherv and scatterv writes the lengths that it tells */
            rc = cor_sim_program_add(program, COR_SIM_COPY, step->a.bytes, fault);
            break;
        }
    }
    return rc;
}

/* A plan, and its rest, which a real rank builds when it has been told the lengths. */
static int program_add_plan(cor_sim_program *program, const cor_plan *plan, const size_t *starts, cor_fault *fault)
{
    int rc = program_add_steps(program, plan, 0, fault);
    if (rc != COR_OK || !plan->rest)
        return rc;
    cor_plan *rest = cor_plan_create_rest(plan, starts);
    if (!rest)
        return program_no_memory(program, fault);
    rc = cor_sim_program_add(program, COR_SIM_WAIT_ALL, plan->transfer_count, fault);
    if (rc == COR_OK)
        rc = program_add_steps(program, rest, plan->transfer_count, fault);
    cor_plan_unref(rest);
    return rc;
}

/* The call as rank `rank` makes it. `starts` are those of blocks of one length. */
static cor_call program_call(const cor_sim_call *call, cor_comm *comm, int rank, const size_t *starts)
{
    const size_t *at_root = rank == call->root ? starts : NULL;
    cor_call made = {.primitive = call->primitive, .comm = comm, .root = call->root};
    made.send.bytes = made.recv.bytes = call->bytes;
    switch (call->primitive) {
    case COR_GATHERV:
        made.recv.starts = at_root;
        break;
    case COR_SCATTERV:
        made.send.starts = at_root;
        break;
    case COR_ALLGATHERV:
        made.recv.starts = starts;
        break;
    case COR_ALLTOALLV:
    case COR_ALLTOALLW:
        made.send.starts = made.recv.starts = starts;
        break;
    case COR_REDUCE_SCATTER:
        made.send.starts = starts;
        break;
    default:
        break;
    }
    return made;
}

static int program_is_simulated(cor_primitive primitive)
{
    switch (primitive) {
    case COR_NEIGHBOR_ALLGATHER:
    case COR_NEIGHBOR_ALLGATHERV:
    case COR_NEIGHBOR_ALLTOALL:
    case COR_NEIGHBOR_ALLTOALLV:
    case COR_NEIGHBOR_ALLTOALLW:
        return 0;
    default:
        return 1;
    }
}

/* What the ranks so far are going to take: their steps, transfers with their states, and events on the way. */
static size_t program_estimate(const cor_sim_program *program)
{
    enum { EVENT_BYTES = 12 }; /* of a transfer: half of them are sends, with an event each */
    return program->op_starts[program->ranks] * sizeof *program->ops +
           program->transfer_starts[program->ranks] *
               (sizeof *program->transfers + 2 * sizeof *program->is_send + EVENT_BYTES);
}

/* The first ranks tell what all will take, so that it need not be tried. Rank 0 is left out: it may be the root. */
static int program_check_memory(const cor_sim_program *program, const cor_sim_call *call, int rank, size_t *first_p,
                                cor_fault *fault)
{
    enum { SAMPLE = 64 };
    size_t now = program_estimate(program), all = now;
    if (rank == 0)
        *first_p = now;
    if (rank == SAMPLE)
        all = now + (now - *first_p) / SAMPLE * (size_t)(call->ranks - SAMPLE);
    if (call->memory_max == 0 || all <= call->memory_max)
        return COR_OK;
    return cor_fault_set(fault, COR_ERR_MEMORY,
                         "%d simulated ranks take %zu MiB for %s of %s, more than the %zu MiB that they may (memory=)",
                         call->ranks, all >> 20, call->rule->algorithm->name, cor_primitive_name(call->primitive),
                         call->memory_max >> 20);
}

static int program_add_ranks(cor_sim_program *program, const cor_sim_call *call, cor_comm *comm, const size_t *starts,
                             cor_fault *fault)
{
    const cor_op op = {.is_commutative = !call->is_not_commutative};
    const cor_dtype type = {.size = call->element_bytes};
    int is_reduction = call->primitive >= COR_REDUCE && call->primitive <= COR_EXSCAN, rc = COR_OK;
    cor_plan_tables tables = {0};
    size_t first = 0;
    for (int rank = 0; rank < call->ranks && rc == COR_OK; rank++) {
        cor_comm_turn_detached(comm, rank);
        cor_call made = program_call(call, comm, rank, starts);
        if (is_reduction)
            made.reducer = (cor_reducer){.type = &type, .op = &op};
        cor_plan *plan = cor_prepare_plan(&made, call->rule, &tables);
        if (!plan) {
            rc = program_no_memory(program, fault);
            break;
        }
        cor_sim_program_rank(program, rank);
        rc = cor_sim_program_add(program, COR_SIM_CALL, 0, fault);
        if (rc == COR_OK)
            rc = program_add_plan(program, plan, starts, fault);
        cor_plan_unref(plan);
        if (rc == COR_OK)
            rc = program_check_memory(program, call, rank, &first, fault);
    }
    cor_plan_tables_free(&tables);
    return rc;
}

/* Give back room that is not used. */
static void program_trim(cor_sim_program *program)
{
    size_t ops = *program_op_end(program), transfers = *program_transfer_end(program);
    uint64_t *fewer_ops = ops ? realloc(program->ops, ops * sizeof *fewer_ops) : NULL;
    cor_sim_transfer *fewer = transfers ? realloc(program->transfers, transfers * sizeof *fewer) : NULL;
    uint8_t *is_send = transfers ? realloc(program->is_send, transfers) : NULL;
    program->ops = fewer_ops ? fewer_ops : program->ops;
    program->transfers = fewer ? fewer : program->transfers;
    program->is_send = is_send ? is_send : program->is_send;
    program->op_room = ops;
    program->transfer_room = transfers;
}

int cor_sim_program_make(cor_sim_program *program, const cor_sim_call *call, cor_fault *fault)
{
    *program = (cor_sim_program){0};
    if (!program_is_simulated(call->primitive))
        return cor_fault_set(fault, COR_ERR_UNSUPPORTED, "%s is not simulated: it needs a topology",
                             cor_primitive_name(call->primitive));
    int rc = cor_sim_program_begin(program, call->ranks, fault);
    if (rc != COR_OK)
        return rc;
    cor_comm *comm = cor_comm_make_detached(call->ranks, call->node_ranks);
    size_t *starts = malloc(((size_t)call->ranks + 1) * sizeof *starts);
    for (int i = 0; starts && i <= call->ranks; i++)
        starts[i] = (size_t)i * call->bytes;
    rc = comm && starts ? program_add_ranks(program, call, comm, starts, fault) : program_no_memory(program, fault);
    cor_comm_free_detached(comm);
    free(starts);
    if (rc != COR_OK)
        return rc;
    program_trim(program);
    return cor_sim_program_join(program, fault);
}
