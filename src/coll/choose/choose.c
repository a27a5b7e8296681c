#include "coll/choose/choose.h"

#include "coll/board/board.h"
#include "coll/choose/choices.h"
#include "coll/plan/coll_comm.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cor_situation_of(cor_comm *comm, int is_commutative, int is_blocking, cor_situation *situation_p)
{
    const cor_nodes *nodes = cor_comm_nodes(comm);
    if (!nodes)
        return COR_ERR_MEMORY;
    const cor_coll_comm *state = comm->coll;
    int size = comm->size;
    uint32_t facts = 0;
    if (is_commutative)
        facts |= COR_FACT_COMMUTATIVE;
    if (is_blocking)
        facts |= COR_FACT_BLOCKING;
    if ((size & (size - 1)) == 0)
        facts |= COR_FACT_POWER_OF_TWO;
    /* Ranks that only play at being on several nodes are asked to do without what they share. */
    if (cor_comm_is_one_node(comm) && nodes->count == 1 && !(state && state->has_no_board))
        facts |= COR_FACT_ONE_NODE;
    if (cor_comm_is_one_process(comm))
        facts |= COR_FACT_THREADS;
    /* A fact of one host is one of the rules only where all ranks of the communicator see the same host. */
    if (comm->device->is_job_crowded || (comm->device->is_crowded && cor_comm_is_one_node(comm)))
        facts |= COR_FACT_CROWDED;
    if (cor_comm_is_inter(comm))
        facts |= COR_FACT_INTER;
    *situation_p = (cor_situation){size, nodes->count, nodes->largest, facts};
    return COR_OK;
}

/* ---- tables ----------------------------------------------------------------------------------------------------- */

/* For who wants to see it: what the calls of this kind run on this communicator, by their bytes. */
static void choose_tell(const cor_comm *comm, cor_primitive primitive, const cor_situation *situation,
                        const cor_choice_table *table)
{
    const char *name = cor_primitive_name(primitive);
    char text[400] = "nothing";
    size_t length = 0;
    for (size_t i = 0; i < table->count && length < sizeof text; i++) {
        /* The other conditions hold. */
        const cor_range any = {0, SIZE_MAX};
        cor_rule rule = *table->rows[i];
        rule.ranks = rule.nodes = rule.node_ranks = any;
        rule.wanted = rule.unwanted = 0;
        char line[160];
        cor_rule_print(&rule, line, sizeof line);
        length +=
            (size_t)snprintf(text + length, sizeof text - length, "%s%s", i ? "; " : "", line + strlen(name) + 1);
        if (rule.bytes.low == 0 && rule.bytes.high == SIZE_MAX &&
            !(rule.algorithm->needs & (COR_NEEDS_ELEMENTS | COR_NEEDS_ROOM)))
            break;
    }
    COR_LOG(&comm->owner->log, DEBUG, "%s on communicator %u of %d rank%s, %s%s: %s", name, comm->context, comm->size,
            comm->size == 1 ? "" : "s", situation->facts & COR_FACT_BLOCKING ? "blocking" : "non-blocking",
            situation->facts & COR_FACT_COMMUTATIVE ? "" : ", operator not commutative", text);
}

static int choose_make(cor_comm *comm, cor_primitive primitive, int is_forcible, const cor_situation *situation,
                       cor_choice_table *table)
{
    const cor_coll_rank *rank = comm->owner->coll;
    const cor_rules *rules = &rank->rules;
    const cor_rule **rows = malloc((rules->count + 1) * sizeof *rows);
    if (!rows)
        return cor_choice_no_memory(comm->owner);
    size_t count = 0;
    if (is_forcible && rank->is_forced[primitive] && cor_rule_is_for(&rank->forced[primitive], situation)) {
        uint32_t unmet = cor_unmet_needs(rank->forced[primitive].algorithm, situation);
        if (unmet) {
            free((void *)rows);
            return cor_rule_refuse(&rank->forced[primitive], unmet, &comm->owner->fault);
        }
        rows[count++] = &rank->forced[primitive];
    } else {
        for (size_t i = 0; i < rules->count; i++)
            if (rules->rows[i].primitive == primitive && cor_rule_fits(&rules->rows[i], situation))
                rows[count++] = &rules->rows[i];
    }
    table->rows = rows;
    table->count = count;
    table->room = cor_board_room(comm, primitive);
    if (is_forcible && comm->owner->log.level >= COR_LOG_DEBUG)
        choose_tell(comm, primitive, situation, table);
    return COR_OK;
}

/* ---- choosing --------------------------------------------------------------------------------------------------- */

/* Bytes as rules count them. */
static size_t choose_bytes(const cor_call *call)
{
    size_t ranks = (size_t)call->comm->remote_size;
    if (!cor_primitive_has_bytes(call->primitive))
        return 0;
    switch (call->primitive) {
    case COR_BARRIER:
        return 0;
    case COR_ALLGATHERV:
        return call->recv.starts[ranks] / ranks;
    case COR_REDUCE_SCATTER:
        return call->send.starts[call->comm->size] / (size_t)call->comm->size;
    case COR_GATHER:
    case COR_REDUCE:
    case COR_EXSCAN:
        return call->is_in_place ? call->recv.bytes : call->send.bytes;
    case COR_NEIGHBOR_ALLGATHER:
    case COR_NEIGHBOR_ALLTOALL:
        return call->send.bytes;
    case COR_SCATTER:
        return call->is_in_place ? call->send.bytes : call->recv.bytes;
    default:
        return call->recv.bytes;
    }
}

/* Is there an element for each rank? */
static int choose_has_elements(const cor_call *call, size_t bytes)
{
    size_t total = call->primitive == COR_REDUCE_SCATTER || call->primitive == COR_REDUCE_SCATTER_BLOCK
                       ? bytes * (size_t)call->comm->size
                       : bytes;
    size_t element = cor_call_element_bytes(call);
    return total / element >= (size_t)call->comm->size;
}

/* What only the call itself shows: the first of the needs that is not met, or 0. */
static uint32_t choose_lacks(const cor_call *call, uint32_t needs, size_t bytes, size_t room)
{
    if (needs & COR_NEEDS_ELEMENTS && !choose_has_elements(call, bytes))
        return COR_NEEDS_ELEMENTS;
    size_t element = cor_call_element_bytes(call);
    if (needs & COR_NEEDS_ROOM && element > room)
        return COR_NEEDS_ROOM;
    return 0;
}

static inline const cor_rule *choose_row(const cor_call *call, const cor_choice_table *table)
{
    size_t bytes = choose_bytes(call);
    for (size_t i = 0; i < table->count; i++) {
        const cor_rule *rule = table->rows[i];
        if (bytes < rule->bytes.low || bytes > rule->bytes.high)
            continue;
        uint32_t needs = rule->algorithm->needs & (COR_NEEDS_ELEMENTS | COR_NEEDS_ROOM);
        uint32_t lacks = needs ? choose_lacks(call, needs, bytes, table->room) : 0;
        if (COR_LIKELY(lacks == 0))
            return rule;
        if (rule == &((const cor_coll_rank *)call->comm->owner->coll)->forced[call->primitive]) {
            cor_rule_refuse(rule, lacks, &call->comm->owner->fault);
            return NULL;
        }
    }
    cor_fault_set(&call->comm->owner->fault, COR_ERR_KNOB, "no rule fits a %s of %zu bytes on %d ranks",
                  cor_primitive_name(call->primitive), bytes, call->comm->size);
    return NULL;
}

/* By the rules alone, where another algorithm is forced; nothing is remembered. */
static __attribute__((noinline)) const cor_rule *choose_unforced(const cor_call *call, int is_blocking)
{
    cor_situation situation;
    if (cor_situation_of(call->comm, cor_call_is_commutative(call), is_blocking, &situation) != COR_OK) {
        cor_choice_no_memory(call->comm->owner);
        return NULL;
    }
    cor_choice_table table = {0};
    if (choose_make(call->comm, call->primitive, 0, &situation, &table) != COR_OK)
        return NULL;
    const cor_rule *rule = choose_row(call, &table);
    free((void *)table.rows);
    return rule;
}

/* Once for each kind of call. */
static __attribute__((noinline)) int choose_fill(cor_comm *comm, cor_primitive primitive, int is_commutative,
                                                 int is_blocking, cor_choice_table *table)
{
    cor_situation situation;
    if (cor_situation_of(comm, is_commutative, is_blocking, &situation) != COR_OK)
        return cor_choice_no_memory(comm->owner);
    return choose_make(comm, primitive, 1, &situation, table);
}

/* The rows for a kind of call. NULL: as cor_choose. */
static inline const cor_choice_table *choose_table(cor_comm *comm, cor_primitive primitive, int is_commutative,
                                                   int is_blocking)
{
    cor_choices *choices = ((cor_coll_comm *)comm->coll)->choices;
    const cor_coll_rank *rank = comm->owner->coll;
    if (COR_UNLIKELY(choices->generation != rank->generation)) {
        cor_choices_clear(choices);
        choices->generation = rank->generation;
    }
    cor_choice_table *table = &choices->tables[primitive][is_commutative * 2 + is_blocking];
    if (COR_UNLIKELY(!table->rows && choose_fill(comm, primitive, is_commutative, is_blocking, table) != COR_OK))
        return NULL;
    return table;
}

const cor_rule *cor_choose(const cor_call *call, int is_blocking)
{
    cor_comm *comm = call->comm;
    const cor_coll_rank *rank = comm->owner->coll;
    if (COR_UNLIKELY(call->is_unforced && rank->is_forced[call->primitive]))
        return choose_unforced(call, is_blocking);
    const cor_choice_table *table = choose_table(comm, call->primitive, cor_call_is_commutative(call), is_blocking);
    return COR_LIKELY(table != NULL) ? choose_row(call, table) : NULL;
}

void cor_choose_without_board(cor_comm *comm)
{
    cor_coll_comm *state = comm->coll;
    state->has_no_board = 1;
    cor_choices_clear(state->choices);
}

int cor_coll_force(cor_rank *rank, cor_primitive primitive, const char *text, cor_fault *fault)
{
    cor_device_enter(rank->device);
    cor_coll_rank *state = cor_coll_of_rank(rank);
    int rc = COR_OK;
    if (!state) {
        if (fault)
            *fault = rank->fault;
        rc = rank->fault.code;
    } else if (*text) {
        rc = cor_rule_parse_choice(primitive, text, &state->forced[primitive], fault);
        state->is_forced[primitive] = rc == COR_OK;
    } else {
        state->is_forced[primitive] = 0;
    }
    if (state)
        state->generation++;
    cor_device_leave(rank->device);
    return rc;
}
