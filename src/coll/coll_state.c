#include "coll/coll_state.h"

#include "coll/board.h"

#include <stdlib.h>

int cor_choice_no_memory(cor_rank *rank)
{
    return cor_fault_set(&rank->fault, COR_ERR_MEMORY, "no memory to choose an algorithm");
}

/* ---- with a rank ------------------------------------------------------------------------------------------------ */

static void state_free_rank(void *data)
{
    cor_coll_rank *state = data;
    cor_rules_free(&state->rules);
    free(state);
}

static int state_load(cor_coll_rank *state, const cor_coll_config *config, cor_fault *fault)
{
    int rc = cor_rules_load(&state->rules, config->rules, fault);
    for (int i = 0; i < COR_PRIMITIVES && rc == COR_OK; i++) {
        if (!config->forced[i][0])
            continue;
        rc = cor_rule_parse_choice((cor_primitive)i, config->forced[i], &state->forced[i], fault);
        state->is_forced[i] = rc == COR_OK;
    }
    return rc;
}

cor_coll_rank *cor_coll_of_rank(cor_rank *rank)
{
    if (COR_LIKELY(rank->coll != NULL))
        return rank->coll;
    cor_coll_rank *state = calloc(1, sizeof *state);
    if (!state) {
        cor_choice_no_memory(rank);
        return NULL;
    }
    if (state_load(state, &rank->config.coll, &rank->fault) != COR_OK) {
        state_free_rank(state);
        return NULL;
    }
    state->generation = 1;
    rank->coll = state;
    rank->coll_free = state_free_rank;
    return state;
}

/* ---- with a communicator ---------------------------------------------------------------------------------------- */

void cor_choice_tables_clear(cor_coll_comm *state)
{
    for (int primitive = 0; primitive < COR_PRIMITIVES; primitive++)
        for (int variant = 0; variant < COR_VARIANTS; variant++) {
            free((void *)state->tables[primitive][variant].rows);
            state->tables[primitive][variant] = (cor_choice_table){0};
        }
}

void cor_cached_plan_clear(cor_cached_plan *cached)
{
    if (cached->spare)
        cor_execution_destroy(cached->spare);
    if (cached->plan)
        cor_plan_unref(cached->plan);
    *cached = (cor_cached_plan){0};
}

static void state_free_comm(void *data)
{
    cor_coll_comm *state = data;
    cor_choice_tables_clear(state);
    if (state->board)
        cor_board_destroy(state->board);
    for (int i = 0; i < COR_CACHED_PLANS; i++)
        cor_cached_plan_clear(&state->cache[i]);
    free(state);
}

cor_coll_comm *cor_coll_make_comm(cor_comm *comm)
{
    if (!cor_coll_of_rank(comm->owner))
        return NULL;
    cor_coll_comm *state = calloc(1, sizeof *state);
    if (!state) {
        cor_choice_no_memory(comm->owner);
        return NULL;
    }
    comm->coll = state;
    comm->coll_free = state_free_comm;
    return state;
}
