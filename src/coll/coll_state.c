/* SPDX-License-Identifier: Apache-2.0 */
#include "coll/coll_state.h"

#include "coll/board/board.h"
#include "coll/choose/choices.h"
#include "coll/learn/learn.h"
#include "coll/prepare.h"

#include <stdlib.h>

/* All parts in one piece of memory. */
typedef struct state_parts {
    cor_coll_comm comm; /* the first, for all others to find */
    cor_choices choices;
    cor_plan_cache cache;
} state_parts;

static void state_free(void *data)
{
    state_parts *parts = data;
    cor_choices_clear(&parts->choices);
    if (parts->comm.learn)
        cor_learn_destroy(parts->comm.learn);
    if (parts->comm.board)
        cor_board_destroy(parts->comm.board);
    cor_plan_cache_clear(&parts->cache);
    free(parts);
}

cor_coll_comm *cor_coll_make_comm(cor_comm *comm)
{
    cor_rank *rank = cor_comm_owner(comm);
    cor_coll_rank *rules = cor_coll_of_rank(rank);
    if (!rules)
        return NULL;
    state_parts *parts = calloc(1, sizeof *parts);
    if (!parts) {
        cor_choice_no_memory(rank);
        return NULL;
    }
    parts->choices.rank = rules;
    if (cor_learn_create(comm, rules, &parts->comm.learn) != COR_OK) {
        free(parts);
        return NULL;
    }
    parts->comm.is_checked = cor_rank_coll_config(rank)->is_checked;
    parts->comm.is_watched = parts->comm.is_checked || parts->comm.learn;
    parts->comm.choices = &parts->choices;
    parts->comm.cache = &parts->cache;
    cor_comm_set_coll(comm, parts, state_free);
    return &parts->comm;
}
