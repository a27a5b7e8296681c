#include "coll/coll_state.h"

#include "coll/board/board.h"
#include "coll/choose/choices.h"
#include "coll/prepare.h"

#include <stdlib.h>

/* All parts in one piece of memory. */
typedef struct state_parts {
    cor_coll_comm comm;
    cor_choices choices;
    cor_plan_cache cache;
} state_parts;

static void state_free(void *data)
{
    state_parts *parts = data;
    cor_choices_clear(&parts->choices);
    if (parts->comm.board)
        cor_board_destroy(parts->comm.board);
    cor_plan_cache_clear(&parts->cache);
    free(parts);
}

cor_coll_comm *cor_coll_make_comm(cor_comm *comm)
{
    if (!cor_coll_of_rank(comm->owner))
        return NULL;
    state_parts *parts = calloc(1, sizeof *parts);
    if (!parts) {
        cor_choice_no_memory(comm->owner);
        return NULL;
    }
    parts->comm.choices = &parts->choices;
    parts->comm.cache = &parts->cache;
    comm->coll = &parts->comm;
    comm->coll_free = state_free;
    return &parts->comm;
}
