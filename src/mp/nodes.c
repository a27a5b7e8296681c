/* SPDX-License-Identifier: Apache-2.0 */
#include "mp/nodes.h"

#include "mp/mp_state.h"

#include <stdlib.h>

/* ---- the job ---------------------------------------------------------------------------------------------------- */

int cor_rank_find_nodes(cor_rank *rank, const char *const *addresses, cor_fault *fault)
{
    int size = rank->known.size, count = 0;
    rank->node_of = malloc((size_t)size * sizeof *rank->node_of);
    int *first = malloc((size_t)size * sizeof *first); /* of each node, its first rank */
    if (!rank->node_of || !first) {
        free(first);
        return cor_fault_set(fault, COR_ERR_MEMORY, "no memory for the nodes of %d ranks", size);
    }
    for (int i = 0; i < size; i++) {
        int node = 0;
        while (node < count && !cor_host_is_one_node(addresses[i], addresses[first[node]]))
            node++;
        if (node == count)
            first[count++] = i;
        rank->node_of[i] = node;
    }
    free(first);
    return COR_OK;
}

/* ---- a communicator --------------------------------------------------------------------------------------------- */

static int nodes_key(const cor_comm *comm, int member)
{
    int peer = cor_group_peer(comm->group, member), ranks = comm->owner->config.coll.node_ranks;
    return ranks > 0 ? peer / ranks : comm->owner->node_of[peer];
}

/* Turn keys into numbers by first member. `renumbered` has room for every key. */
static void nodes_number(cor_nodes *nodes, const cor_comm *comm, int *renumbered, int keys)
{
    nodes->is_blocked = 1;
    for (int i = 0; i < keys; i++)
        renumbered[i] = -1;
    for (int i = 0; i < comm->size; i++) {
        int *number = &renumbered[nodes_key(comm, i)];
        if (*number < 0)
            *number = nodes->count++;
        else if (nodes->node_of[i - 1] != *number)
            nodes->is_blocked = 0;
        nodes->node_of[i] = *number;
    }
    for (int i = 0; i < nodes->count; i++)
        renumbered[i] = 0;
    for (int i = 0; i < comm->size; i++)
        if (++renumbered[nodes->node_of[i]] > nodes->largest)
            nodes->largest = renumbered[nodes->node_of[i]];
}

const cor_nodes *cor_comm_nodes(cor_comm *comm)
{
    if (comm->nodes)
        return comm->nodes;
    cor_nodes *nodes = calloc(1, sizeof *nodes + (size_t)comm->size * sizeof *nodes->node_of);
    int keys = comm->owner->known.size;
    int *renumbered = malloc((size_t)keys * sizeof *renumbered);
    if (nodes && renumbered) {
        nodes_number(nodes, comm, renumbered, keys);
        comm->nodes = nodes;
    } else {
        free(nodes);
    }
    free(renumbered);
    return comm->nodes;
}

int cor_comm_is_one_node(const cor_comm *comm)
{
    const int *node_of = comm->owner->node_of;
    for (int i = 1; i < comm->size; i++)
        if (node_of[cor_group_peer(comm->group, i)] != node_of[cor_group_peer(comm->group, 0)])
            return 0;
    return 1;
}

int cor_comm_is_one_process(const cor_comm *comm)
{
    return comm->owner->is_in_team && cor_comm_is_one_node(comm);
}
