/* SPDX-License-Identifier: Apache-2.0 */
#include "mp/create/comm_detached.h"

#include "mp/comm_layout.h"
#include "mp/nodes.h"

#include <stdlib.h>

static cor_nodes *detached_nodes(int size, int node_ranks)
{
    cor_nodes *nodes = calloc(1, sizeof *nodes + (size_t)size * sizeof *nodes->node_of);
    if (!nodes)
        return NULL;
    nodes->count = (size + node_ranks - 1) / node_ranks;
    nodes->largest = size < node_ranks ? size : node_ranks;
    nodes->is_blocked = 1;
    for (int i = 0; i < size; i++)
        nodes->node_of[i] = i / node_ranks;
    return nodes;
}

cor_comm *cor_comm_make_detached(int size, int node_ranks)
{
    cor_comm *comm = calloc(1, sizeof *comm);
    cor_group *group = cor_group_make(NULL, size, 0, size, NULL);
    cor_nodes *nodes = detached_nodes(size, node_ranks);
    if (!comm || !group || !nodes) {
        free(comm);
        free(group);
        free(nodes);
        return NULL;
    }
    comm->group = comm->remote_group = group;
    comm->size = comm->remote_size = size;
    comm->references = 1;
    comm->nodes = nodes;
    return comm;
}

void cor_comm_turn_detached(cor_comm *comm, int rank)
{
    comm->rank = rank;
    comm->group->rank = rank;
}

void cor_comm_free_detached(cor_comm *comm)
{
    if (!comm)
        return;
    cor_group_unref(comm->group);
    free(comm->nodes);
    free(comm);
}
