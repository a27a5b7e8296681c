/* SPDX-License-Identifier: Apache-2.0 */
#include "coll/choose/choices.h"

#include "mp/collective.h"

#include <stdlib.h>

int cor_choice_no_memory(cor_rank *rank)
{
    return cor_fault_set(cor_rank_fault_place(rank), COR_ERR_MEMORY, "no memory to choose an algorithm");
}

static void choices_free_rank(void *data)
{
    cor_coll_rank *state = data;
    cor_rules_free(&state->rules);
    if (state->learn)
        state->learn_free(state->learn);
    free(state);
}

static int choices_load(cor_coll_rank *state, const cor_coll_config *config, cor_fault *fault)
{
    int rc = cor_rules_load(&state->rules, config->rules, fault);
    for (int i = 0; i < COR_PRIMITIVES && rc == COR_OK; i++) {
        char text[COR_COLL_TEXT_MAX];
        if (!cor_coll_forced(config, (cor_primitive)i, text)[0])
            continue;
        rc = cor_rule_parse_choice((cor_primitive)i, text, &state->forced[i], fault);
        state->is_forced[i] = rc == COR_OK;
    }
    return rc;
}

cor_coll_rank *cor_coll_of_rank(cor_rank *rank)
{
    cor_coll_rank *state = cor_rank_coll(rank);
    if (state)
        return state;
    state = calloc(1, sizeof *state);
    if (!state) {
        cor_choice_no_memory(rank);
        return NULL;
    }
    if (choices_load(state, cor_rank_coll_config(rank), cor_rank_fault_place(rank)) != COR_OK) {
        choices_free_rank(state);
        return NULL;
    }
    state->generation = 1;
    cor_rank_set_coll(rank, state, choices_free_rank);
    return state;
}

void cor_choices_clear(cor_choices *choices)
{
    for (int primitive = 0; primitive < COR_PRIMITIVES; primitive++)
        for (int variant = 0; variant < COR_VARIANTS; variant++) {
            free(choices->tables[primitive][variant].rows);
            choices->tables[primitive][variant] = (cor_choice_table){0};
        }
}
