/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs of which every rank knows all edges. */
#include "mp/create/comm.h"
#include "mp/mp_state.h"
#include "mp/topology_state.h"

#include <string.h>

static cor_topology *graph_make(int rank, int node_count, const int *index, const int *edges)
{
    int edge_count = index[node_count - 1];
    cor_topology *graph = cor_topology_make(COR_TOPOLOGY_GRAPH, (size_t)node_count + (size_t)edge_count);
    if (!graph)
        return NULL;
    graph->node_count = node_count;
    graph->index = graph->numbers;
    graph->edges = graph->numbers + node_count;
    memcpy(graph->index, index, (size_t)node_count * sizeof *index);
    if (edge_count)
        memcpy(graph->edges, edges, (size_t)edge_count * sizeof *edges);
    int begin = rank ? graph->index[rank - 1] : 0;
    graph->sources = graph->destinations =
        (cor_neighbours){.count = graph->index[rank] - begin, .ranks = graph->edges + begin};
    return graph;
}

int cor_graph_create(cor_comm *comm, int node_count, const int *index, const int *edges, cor_comm **graph_p)
{
    if (node_count > comm->size)
        return cor_fault_set(comm->owner->fault, COR_ERR_ARG,
                             "the graph has %d nodes, but the communicator has %d ranks", node_count, comm->size);
    cor_comm *made;
    int rc = cor_comm_split(comm, comm->rank < node_count ? 0 : COR_UNDEFINED, 0, &made);
    if (rc != COR_OK)
        return rc;
    if (made) {
        cor_topology *graph = graph_make(made->rank, node_count, index, edges);
        if (!graph) {
            cor_comm_unref(made);
            return cor_topology_no_memory(comm);
        }
        cor_topology_attach(made, graph);
    }
    *graph_p = made;
    return COR_OK;
}

int cor_graph_node_count(const cor_comm *graph)
{
    return graph->topology->node_count;
}

int cor_graph_edge_count(const cor_comm *graph)
{
    return graph->topology->index[graph->topology->node_count - 1];
}

const int *cor_graph_index(const cor_comm *graph)
{
    return graph->topology->index;
}

const int *cor_graph_edges(const cor_comm *graph)
{
    return graph->topology->edges;
}

int cor_graph_neighbours(const cor_comm *graph, int rank, const int **neighbours_p)
{
    const int *index = graph->topology->index;
    int begin = rank ? index[rank - 1] : 0;
    *neighbours_p = graph->topology->edges + begin;
    return index[rank] - begin;
}

int cor_graph_map(const cor_comm *comm, int node_count)
{
    return comm->rank < node_count ? comm->rank : COR_UNDEFINED;
}
