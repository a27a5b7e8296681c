/* SPDX-License-Identifier: Apache-2.0 */
#include "coll_perform.h"

#include "mp/create/comm.h"
#include "mp/create/intercomm.h"
#include "mp/topology.h"

#include <stdlib.h>

/* Some edges from every rank to some others, the same ones twice now and then, also to itself. */
enum { GRAPH_EDGES = 4 };

static int comms_edge(const coll_rank *me, int from, int edge)
{
    return (int)(coll_mix2(coll_mix2(me->seed, (uint64_t)from), (uint64_t)edge) % (uint64_t)me->size);
}

static int comms_edge_count(const coll_rank *me, int from)
{
    return (int)(coll_mix2(me->seed + 1, (uint64_t)from) % (GRAPH_EDGES + 1));
}

static cor_comm *comms_graph(coll_rank *me)
{
    int *sources = coll_alloc((size_t)me->size * GRAPH_EDGES * sizeof *sources);
    int destinations[GRAPH_EDGES];
    cor_neighbours in = {.ranks = sources}, out = {.count = comms_edge_count(me, me->number), .ranks = destinations};
    cor_comm *graph = NULL;
    for (int edge = 0; edge < out.count; edge++)
        destinations[edge] = comms_edge(me, me->number, edge);
    /* The other ends, the last rank first: no order is promised. */
    for (int from = me->size - 1; from >= 0; from--)
        for (int edge = 0; edge < comms_edge_count(me, from); edge++)
            if (comms_edge(me, from, edge) == me->number)
                sources[in.count++] = from;
    CHECK_OK(cor_dist_graph_create_adjacent(me->world, 0, &in, &out, &graph));
    free(sources);
    return graph;
}

void coll_comms_init(coll_comms *comms, coll_rank *me)
{
    *comms = (coll_comms){{me->world}};
    CHECK_OK(cor_comm_split(me->world, 0, me->size - me->number, &comms->of[WHERE_REVERSED]));
    int dims[2] = {0, 0}, periods[2] = {1, 0};
    CHECK_OK(cor_dims_create(me->size, 2, dims));
    CHECK_OK(cor_cart_create(me->world, 2, dims, periods, &comms->of[WHERE_CART]));
    comms->of[WHERE_GRAPH] = comms_graph(me);
    if (me->size < 2)
        return;
    cor_comm *half = NULL;
    int first = me->size / 2, is_second = me->number >= first;
    CHECK_OK(cor_comm_split(me->world, is_second, me->number, &half));
    CHECK_OK(cor_intercomm_create(half, 0, me->world, is_second ? 0 : first, 5, &comms->of[WHERE_INTER]));
    cor_comm_unref(half);
}

void coll_comms_fini(coll_comms *comms)
{
    for (int where = WHERE_WORLD + 1; where < WHERES; where++)
        if (comms->of[where])
            cor_comm_unref(comms->of[where]);
}
