/* SPDX-License-Identifier: Apache-2.0 */
#include "coll/choose/choose.h"

#include "coll/board/board.h"
#include "coll/choose/choices.h"
#include "coll/plan/coll_comm.h"
#include "mp/nodes.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline cor_choices *choose_of(const cor_comm *comm)
{
    return ((const cor_coll_comm *)cor_comm_coll(comm))->choices;
}

int cor_situation_of(cor_comm *comm, int is_commutative, int is_blocking, cor_situation *situation_p)
{
    const cor_nodes *nodes = cor_comm_nodes(comm);
    if (!nodes)
        return COR_ERR_MEMORY;
    const cor_coll_comm *state = cor_comm_coll(comm);
    int size = cor_comm_size(comm);
    uint32_t facts = 0;
    if (is_commutative)
        facts |= COR_FACT_COMMUTATIVE;
    if (is_blocking)
        facts |= COR_FACT_BLOCKING;
    if ((size & (size - 1)) == 0)
        facts |= COR_FACT_POWER_OF_TWO;
    /* Ranks that only simulate several nodes (coll.node_ranks) must not use the memory they share. */
    if (cor_comm_is_one_node(comm) && nodes->count == 1 && !(state && state->has_no_board))
        facts |= COR_FACT_ONE_NODE;
    if (cor_comm_is_one_process(comm))
        facts |= COR_FACT_THREADS;
    /* A fact of one host is one of the rules only where all ranks of the communicator see the same host. */
    if (cor_comm_is_job_oversubscribed(comm) || (cor_comm_is_oversubscribed(comm) && cor_comm_is_one_node(comm)))
        facts |= COR_FACT_OVERSUBSCRIBED;
    if (cor_comm_is_inter(comm))
        facts |= COR_FACT_INTER;
    *situation_p = (cor_situation){size, nodes->count, nodes->largest, facts};
    return COR_OK;
}

/* ---- tables ----------------------------------------------------------------------------------------------------- */

/* For the log: what the calls of this kind run on this communicator, by their bytes. */
static void choose_tell(const cor_comm *comm, cor_primitive primitive, const cor_situation *situation,
                        const cor_choice_table *table)
{
    const char *name = cor_primitive_name(primitive);
    char text[400] = "nothing";
    size_t length = 0;
    for (size_t i = 0; i < table->count && length < sizeof text; i++) {
        /* The other conditions hold. */
        const cor_range any = {0, SIZE_MAX};
        cor_rule rule = *table->rows[i].rule;
        rule.bytes = table->rows[i].bytes;
        rule.total = rule.ranks = rule.nodes = rule.node_ranks = any;
        rule.wanted = rule.unwanted = 0;
        char line[160];
        cor_rule_print(&rule, line, sizeof line);
        length +=
            (size_t)snprintf(text + length, sizeof text - length, "%s%s", i ? "; " : "", line + strlen(name) + 1);
        if (rule.bytes.low == 0 && rule.bytes.high == SIZE_MAX &&
            !(rule.algorithm->needs & (COR_NEEDS_ELEMENTS | COR_NEEDS_ROOM)))
            break;
    }
    COR_LOG(cor_rank_log(cor_comm_owner(comm)), DEBUG, "%s on communicator %u of %d rank%s, %s%s: %s", name,
            cor_comm_coll_context(comm) - 1, situation->ranks, situation->ranks == 1 ? "" : "s",
            situation->facts & COR_FACT_BLOCKING ? "blocking" : "non-blocking",
            situation->facts & COR_FACT_COMMUTATIVE ? "" : ", operator not commutative", text);
}

static int choose_make(cor_comm *comm, cor_primitive primitive, int is_forcible, const cor_situation *situation,
                       cor_choice_table *table)
{
    const cor_coll_rank *rank = choose_of(comm)->rank;
    const cor_rules *rules = &rank->rules;
    cor_choice_row *rows = malloc((rules->count + 1) * sizeof *rows);
    if (!rows)
        return cor_choice_no_memory(cor_comm_owner(comm));
    size_t count = 0;
    const cor_rule *forced = is_forcible && rank->is_forced[primitive] ? &rank->forced[primitive] : NULL;
    if (forced && !cor_rule_is_for(forced, situation))
        forced = NULL;
    uint32_t unmet = forced ? cor_rule_unmet(forced, situation) : 0;
    if (unmet) {
        free(rows);
        return cor_rule_refuse(forced, unmet, cor_comm_fault_place(comm));
    }
    int is_one = forced && !forced->is_family;
    if (is_one)
        rows[count++] = (cor_choice_row){forced->bytes, forced};
    for (size_t i = 0; i < rules->count && !is_one; i++) {
        const cor_rule *rule = &rules->rows[i];
        if (rule->primitive == primitive && cor_rule_fits(rule, situation) &&
            (!forced || cor_rule_is_of_family(rule, forced)))
            rows[count++] = (cor_choice_row){cor_rule_bytes(rule, situation->ranks), rule};
    }
    table->rows = rows;
    table->forced = forced;
    table->count = count;
    table->room = cor_board_room(comm, primitive);
    if (is_forcible && cor_rank_log(cor_comm_owner(comm))->level >= COR_LOG_DEBUG)
        choose_tell(comm, primitive, situation, table);
    return COR_OK;
}

/* ---- choosing --------------------------------------------------------------------------------------------------- */

/* Of blocks of any length. */
static size_t choose_mean(const size_t *starts, int blocks)
{
    return starts[blocks] / (size_t)blocks;
}

size_t cor_choose_bytes(const cor_call *call)
{
    if (!cor_primitive_has_bytes(call->primitive))
        return 0;
    switch (call->primitive) {
    case COR_BARRIER:
        return 0;
    case COR_ALLGATHERV:
        return choose_mean(call->recv.starts, cor_comm_remote_size(call->comm));
    case COR_REDUCE_SCATTER:
        return choose_mean(call->send.starts, cor_comm_size(call->comm));
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
    size_t ranks = (size_t)cor_comm_size(call->comm), element = cor_call_element_bytes(call);
    int is_block = call->primitive == COR_REDUCE_SCATTER || call->primitive == COR_REDUCE_SCATTER_BLOCK;
    return (is_block ? bytes * ranks : bytes) / element >= ranks;
}

/* The first unmet need that depends on the call itself, or 0. */
static uint32_t choose_lacks(const cor_call *call, uint32_t needs, size_t bytes, size_t room)
{
    if (needs & COR_NEEDS_ELEMENTS && !choose_has_elements(call, bytes))
        return COR_NEEDS_ELEMENTS;
    size_t element = cor_call_element_bytes(call);
    if (needs & COR_NEEDS_ROOM && element > room)
        return COR_NEEDS_ROOM;
    return 0;
}

uint32_t cor_choose_lacks(const cor_call *call, const cor_algorithm *algorithm)
{
    return choose_lacks(call, algorithm->needs, cor_choose_bytes(call),
                        cor_board_room(call->comm, algorithm->primitive));
}

static inline const cor_rule *choose_row(const cor_call *call, const cor_choice_table *table)
{
    size_t bytes = cor_choose_bytes(call);
    for (size_t i = 0; i < table->count; i++) {
        const cor_choice_row *row = &table->rows[i];
        if (bytes < row->bytes.low || bytes > row->bytes.high)
            continue;
        const cor_rule *rule = row->rule;
        uint32_t needs = rule->algorithm->needs & (COR_NEEDS_ELEMENTS | COR_NEEDS_ROOM);
        uint32_t lacks = needs ? choose_lacks(call, needs, bytes, table->room) : 0;
        if (COR_LIKELY(lacks == 0))
            return rule;
        if (table->forced) {
            cor_rule_refuse(table->forced, lacks, cor_comm_fault_place(call->comm));
            return NULL;
        }
    }
    cor_fault_set(cor_comm_fault_place(call->comm), COR_ERR_KNOB, "no rule fits a %s of %zu bytes on %d ranks",
                  cor_primitive_name(call->primitive), bytes, cor_comm_size(call->comm));
    return NULL;
}

/* By the rules alone, where another algorithm is forced; nothing is remembered. */
static __attribute__((noinline)) const cor_rule *choose_unforced(const cor_call *call, int is_blocking)
{
    cor_situation situation;
    if (cor_situation_of(call->comm, cor_call_is_commutative(call), is_blocking, &situation) != COR_OK) {
        cor_choice_no_memory(cor_comm_owner(call->comm));
        return NULL;
    }
    cor_choice_table table = {0};
    if (choose_make(call->comm, call->primitive, 0, &situation, &table) != COR_OK)
        return NULL;
    const cor_rule *rule = choose_row(call, &table);
    free(table.rows);
    return rule;
}

/* Once for each kind of call. */
static __attribute__((noinline)) int choose_fill(cor_comm *comm, cor_primitive primitive, int is_commutative,
                                                 int is_blocking, cor_choice_table *table)
{
    cor_situation situation;
    if (cor_situation_of(comm, is_commutative, is_blocking, &situation) != COR_OK)
        return cor_choice_no_memory(cor_comm_owner(comm));
    return choose_make(comm, primitive, 1, &situation, table);
}

/* The rows for a kind of call. NULL: as cor_choose. */
static inline const cor_choice_table *choose_table(cor_comm *comm, cor_primitive primitive, int is_commutative,
                                                   int is_blocking)
{
    cor_choices *choices = choose_of(comm);
    if (COR_UNLIKELY(choices->generation != choices->rank->generation)) {
        cor_choices_clear(choices);
        choices->generation = choices->rank->generation;
    }
    cor_choice_table *table = &choices->tables[primitive][is_commutative * 2 + is_blocking];
    if (COR_UNLIKELY(!table->rows && choose_fill(comm, primitive, is_commutative, is_blocking, table) != COR_OK))
        return NULL;
    return table;
}

const cor_rule *cor_choose(const cor_call *call, int is_blocking)
{
    cor_comm *comm = call->comm;
    if (COR_UNLIKELY(call->is_unforced && choose_of(comm)->rank->is_forced[call->primitive]))
        return choose_unforced(call, is_blocking);
    const cor_choice_table *table = choose_table(comm, call->primitive, cor_call_is_commutative(call), is_blocking);
    return COR_LIKELY(table != NULL) ? choose_row(call, table) : NULL;
}

void cor_choose_without_board(cor_comm *comm)
{
    cor_coll_comm *state = cor_comm_coll(comm);
    state->has_no_board = 1;
    cor_choices_clear(state->choices);
}

int cor_coll_force(cor_rank *rank, cor_primitive primitive, const char *text, cor_fault *fault)
{
    const cor_comm *world = cor_rank_world(rank);
    cor_comm_enter(world);
    cor_coll_rank *state = cor_coll_of_rank(rank);
    int rc = COR_OK;
    if (!state) {
        if (fault)
            *fault = *cor_rank_fault(rank);
        rc = cor_rank_fault(rank)->code;
    } else if (*text) {
        rc = cor_rule_parse_choice(primitive, text, &state->forced[primitive], fault);
        state->is_forced[primitive] = rc == COR_OK;
    } else {
        state->is_forced[primitive] = 0;
    }
    if (state)
        state->generation++;
    cor_comm_leave(world);
    return rc;
}
